// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package page is the page that needs no server: the engine in a browser, as WebAssembly in a
// worker. The meaning of a question and the text of an answer are here, and the same on every system;
// page/wasm only passes it on.
package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"strings"
	"time"

	"dpverify/ask"
	"dpverify/ask/importer"
	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// A Request is what somebody has typed, with 6 digits where they are left out. Text is an event, a history of Opacus or a claims file,
// as JSON or YAML. Of an event or a history, Epsilon asks for δ and Delta for ε; both together
// are a claim, or ask for the unknown number of an event with "?".
type Request struct {
	Text      string `json:"text"`
	Epsilon   string `json:"epsilon"`
	Delta     string `json:"delta"`
	Relation  string `json:"relation"`
	Direction string `json:"direction"`
	Digits    int    `json:"digits"`
}

// A Reply is an answer, or what is wrong with the request.
type Reply struct {
	Error    string    `json:"error,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
}

// A Finding is what was found about a claim or a mechanism.
type Finding struct {
	Title       string   `json:"title,omitempty"` // the id of a claim
	Verdict     string   `json:"verdict,omitempty"`
	Words       string   `json:"words"`
	Event       string   `json:"event,omitempty"`
	Bounds      []Bound  `json:"bounds,omitempty"`
	Remarks     []string `json:"remarks,omitempty"`
	Assumptions []string `json:"assumptions,omitempty"`
	Methods     []string `json:"methods,omitempty"`
	Command     string   `json:"command,omitempty"` // that asks the program the same
	Quote       string   `json:"quote,omitempty"`   // the number to quote
	Counted     string   `json:"counted,omitempty"` // the steps of a training
	// Point is the claim, or what is answered, for the graph.
	Point *[2]string `json:"point,omitempty"`
	// Text is the event with the number that was looked for.
	Text string `json:"text,omitempty"`
}

// A Bound is an enclosure of what Of names.
type Bound struct {
	Of string `json:"of"`
	Lo string `json:"lo"`
	Hi string `json:"hi"`
}

// The times of a question, and what it aims at.
const (
	budget      = 60 * time.Second
	graphBudget = 8 * time.Second
	fewDigits   = 6
	mostDigits  = 30
	mostText    = 1 << 20
)

// Answer answers a request in JSON with a Reply in JSON. No text makes it fail.
func Answer(ctx context.Context, request []byte) []byte {
	return reply(request, func(r Request) (Reply, error) { return r.answer(ctx) }, func(text string) Reply { return Reply{Error: text} })
}

// reply reads a request and writes what f answers, or else what is made of the text of the error.
func reply[T any](request []byte, f func(Request) (T, error), failed func(text string) T) []byte {
	out, err := ask.Guarded(func() (out T, err error) {
		var r Request
		if err = json.Unmarshal(request, &r); err == nil {
			out, err = f(r)
		}
		return out, err
	})
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\ngoroutine")
		out = failed(first)
	}
	data, err := json.Marshal(out)
	if err != nil {
		panic("page: internal error: " + err.Error())
	}
	return data
}

// noFiles refuses the files that events name: a page has none.
func noFiles(path string) (io.ReadCloser, error) {
	return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("the page reads no files; write the numbers into the event, or use the program")}
}

// content is what a text holds.
type content int

const (
	holdsEvent content = iota
	holdsClaims
)

// parse reads the text, and turns a history into an event.
func (r Request) parse() (n *document.Node, holds content, err error) {
	if strings.TrimSpace(r.Text) == "" {
		return nil, holdsEvent, fmt.Errorf("there is no text, want an event, a history or claims")
	}
	if len(r.Text) > mostText {
		return nil, holdsEvent, fmt.Errorf("%d bytes of text, want at most %d", len(r.Text), mostText)
	}
	n, err = document.Parse([]byte(r.Text))
	if isHistory := strings.HasPrefix(strings.TrimSpace(r.Text), "["); err == nil && n.Get("history") == nil && !isHistory {
		if n.Get("claims") != nil {
			holds = holdsClaims
		}
		return n, holds, nil
	}
	claim, historyErr := importer.Opacus(importer.Source{Name: "history", Data: []byte(r.Text)}, "0", "0")
	if historyErr != nil {
		if err == nil {
			err = historyErr
		}
		return nil, holdsEvent, err
	}
	n, err = document.ParseJSON(claim.Event)
	return n, holdsEvent, err
}

func (r Request) answer(ctx context.Context) (Reply, error) {
	if r.Digits < 0 || r.Digits > mostDigits {
		return Reply{}, fmt.Errorf("digits = %d, want an integer in [1, %d]", r.Digits, mostDigits)
	}
	if r.wanted() {
		f, err := r.calibrate(ctx)
		return Reply{Findings: []Finding{f}}, err
	}
	n, holds, err := r.parse()
	if err != nil {
		return Reply{}, err
	}
	if holds == holdsClaims {
		claims, err := certify.Parse("claims", []byte(r.Text), noFiles)
		if err != nil {
			return Reply{}, err
		}
		var out Reply
		for _, c := range claims {
			f, err := r.decide(ctx, c)
			if err != nil {
				return Reply{}, err
			}
			out.Findings = append(out.Findings, f)
		}
		return out, nil
	}
	events, err := mechanism.Decoder{Open: noFiles}.RoundedEvent(n, "event")
	if err != nil {
		return Reply{}, document.Locate("event", err)
	}
	if r.Epsilon != "" && r.Delta != "" {
		c := certify.Single{Event: n, Epsilon: r.Epsilon, Delta: r.Delta, Relation: r.Relation, Direction: r.Direction}.Claim(noFiles)
		var malformed *certify.ClaimError
		if errors.As(c.Err, &malformed) {
			return Reply{}, malformed.Err // the claim is in no file, and has no name
		}
		if c.Err != nil {
			return Reply{}, c.Err
		}
		f, err := r.decide(ctx, c)
		f.Title = ""
		f.Command = r.command("certify --epsilon "+r.Epsilon+" --delta "+r.Delta, events)
		return Reply{Findings: []Finding{f}}, err
	}
	f, err := r.enclose(ctx, events)
	return Reply{Findings: []Finding{f}}, err
}

// decide decides a claim.
func (r Request) decide(ctx context.Context, c *certify.Claim) (Finding, error) {
	o, err := certify.Decide(ctx, c, certify.Options{Budget: budget})
	if err != nil {
		return Finding{}, err
	}
	f := Finding{Title: c.ID, Verdict: string(o.Verdict), Words: o.Words(), Methods: o.Methods}
	f.Counted = c.Counted()
	if c.LessPrivate != nil {
		f.Event = prose.Sentence(c.MorePrivate, c.LessPrivate)
	}
	if s, ok := c.Point(); ok {
		f.Point = &[2]string{s.Written[0], s.Written[1]}
		if o.Delta != nil {
			lo, hi := decimal.Separating(*o.Delta, s.Delta, r.digits())
			f.Bounds = append(f.Bounds, Bound{"δ(" + s.Written[0] + ")", lo, hi})
		}
		if e := o.LeastEpsilon(); e != nil {
			lo, hi := decimal.Separating(*e, s.Epsilon, r.digits())
			f.Bounds = append(f.Bounds, Bound{"least ε at δ = " + s.Written[1], lo, hi})
		}
	}
	for _, text := range []string{o.Reason, errorText(o.Err)} {
		if text != "" {
			f.Remarks = append(f.Remarks, text)
		}
	}
	f.Assumptions = assumptions(c.Relation, o.Notes)
	return f, nil
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// question is the question about an event, and quantity what is asked.
func (r Request) question() (q exact.Question, err error) {
	if r.Relation != "" {
		if q.Relation, err = mechanism.ParseRelation(r.Relation); err != nil {
			return q, err
		}
	}
	if r.Direction != "" {
		q.Direction, err = mechanism.ParseDirection(r.Direction)
	}
	return q, err
}

// enclose answers how private an event is.
func (r Request) enclose(ctx context.Context, events mechanism.Range) (Finding, error) {
	q, err := r.question()
	if err != nil {
		return Finding{}, err
	}
	var quantity ask.Quantity
	kind, at := ask.KindEpsilon, ""
	f := Finding{Event: prose.Sentence(events.MorePrivate, events.LessPrivate)}
	of := ""
	switch {
	case r.Epsilon != "":
		eps, err := numberOf("ε", r.Epsilon, number.Any)
		if err != nil {
			return f, err
		}
		quantity, of, kind, at = ask.Delta(eps), "δ("+r.Epsilon+")", ask.KindDelta, r.Epsilon
		f.Command = r.command("delta --epsilon "+r.Epsilon, events)
	default:
		if r.Delta == "" {
			r.Delta = "1e-5"
		}
		delta, err := numberOf("δ", r.Delta, number.NonNegative)
		if err != nil {
			return f, err
		}
		quantity, of, at = ask.Epsilon(delta), "ε("+r.Delta+")", r.Delta
		f.Command = r.command("epsilon --delta "+r.Delta, events)
	}
	as, err := ask.Range(ctx, q, events, ask.Goal{Digits: r.digits(), Budget: budget}, quantity)
	if err != nil {
		return f, err
	}
	a := as[0]
	lo, hi := a.Decimal(r.digits())
	f.Bounds = []Bound{{of, lo, hi}}
	f.Methods, f.Quote = a.Methods, a.Quote(kind.Name)
	if r.Epsilon != "" {
		f.Point = &[2]string{r.Epsilon, hi}
	} else {
		f.Point = &[2]string{hi, r.Delta}
	}
	otherwise := ask.Otherwise(ctx, q, events, ask.Goal{Budget: budget}, kind.Name, []string{at}, []ask.Quantity{quantity}, as)
	f.Counted = ask.NewTraining(events, otherwise).Counted
	switch {
	case !a.Found:
		f.Words = "Nothing was found in the time."
	case r.Epsilon != "":
		f.Words = fmt.Sprintf("The mechanism is (ε, δ)-differentially private for ε = %s and δ = %s, and for no δ below %s.", r.Epsilon, f.Quote, prose.Readable(lo))
	case a.Interval.Hi().Sign() < 0:
		f.Words = fmt.Sprintf("The mechanism is (ε, δ)-differentially private for ε = 0 at δ = %s: the number to quote. The least such ε is below 0.", r.Delta)
	case lo == "inf":
		f.Words = fmt.Sprintf("No ε is enough at δ = %s.", r.Delta)
	default:
		f.Words = fmt.Sprintf("The mechanism is (ε, δ)-differentially private for ε = %s at δ = %s: the number to quote. The least such ε is at least %s.", f.Quote, r.Delta, prose.Readable(lo))
	}
	if reason := a.Reason(); reason != "" {
		f.Remarks = append(f.Remarks, "The interval is wider than was wanted: "+reason+".")
	}
	f.Assumptions = assumptions(q.Relation, a.Notes)
	return f, nil
}

func (r Request) digits() int {
	return cmp.Or(r.Digits, fewDigits)
}

// command is the command of the program that asks the same.
func (r Request) command(what string, events mechanism.Range) string {
	text := "verify " + what
	if r.Relation != "" && r.Relation != mechanism.AddOrRemoveOne.String() {
		text += " --relation " + r.Relation
	}
	if r.Direction != "" && r.Direction != mechanism.Both.String() {
		text += " --direction " + r.Direction
	}
	if !strings.HasPrefix(what, "certify") {
		text += fmt.Sprintf(" --digits %d", r.digits())
	}
	event := events.Written
	if event == "" {
		event = string(mechanism.EncodeEvent(events.LessPrivate))
	}
	return text + " " + show.Shell(event)
}

// assumptions are what an answer rests on.
func assumptions(relation mechanism.Relation, notes []string) []string {
	neighbours := map[mechanism.Relation]string{
		mechanism.AddOrRemoveOne: "Two datasets are neighbours if one record is added or removed (ADD_OR_REMOVE_ONE).",
		mechanism.ReplaceOne:     "Two datasets are neighbours if one record is replaced by another one (REPLACE_ONE).",
		mechanism.ReplaceSpecial: "Two datasets are neighbours if one record is replaced by a null record (REPLACE_SPECIAL).",
	}[relation]
	return append([]string{neighbours, "Numbers mean exactly what is written.", "Noise is the ideal distribution: what a sampler in floating point does is not looked at."}, notes...)
}

// numberOf reads a number of a domain.
func numberOf(name, text string, in number.Domain) (*big.Rat, error) {
	x, err := number.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !in.Contains(x) {
		return nil, fmt.Errorf("%s = %s, want %s", name, show.Value(text), in)
	}
	return x, nil
}
