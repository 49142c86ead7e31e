// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package page is the page that needs no server: the engine in a browser, as WebAssembly in a
// worker. The meaning of a question and the text of an answer are here, and the same on every system;
// page/wasm only passes it on.
package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/internal/document"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/internal/shown"
	"dpverify/mechanism"
)

// Answer answers a request in JSON with a Reply in JSON. No text makes it fail.
func Answer(ctx context.Context, request []byte) []byte {
	return reply(request, func(r Request) (Reply, error) { return r.answer(ctx) }, func(text string) Reply {
		return Reply{Error: text}
	})
}

// reply reads a request and writes what f answers, or else what is made of the text of the error.
func reply[T any](request []byte, f func(Request) (T, error), failed func(text string) T) []byte {
	out, err := guard.Value(func() (out T, err error) {
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
		c := certify.Single{Event: n, Epsilon: r.Epsilon, Delta: r.Delta, Relation: r.Relation,
			Direction: r.Direction}.Claim(noFiles)
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
			f.Bounds = append(f.Bounds, Bound{"ε(" + s.Written[1] + ")", lo, hi})
		}
	}
	if o.Reason != "" {
		f.Remarks = append(f.Remarks, o.Reason)
	}
	if o.Err != nil {
		f.Remarks = append(f.Remarks, o.Err.Error())
	}
	f.Assumptions = assumptions(c.Relation, o.Notes)
	return f, nil
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
	otherwise := ask.Otherwise(ctx, q, events, ask.Goal{Budget: budget}, kind.Name, []string{at},
		[]ask.Quantity{quantity}, as)
	f.Counted = shown.NewTraining(events, otherwise).Counted
	switch {
	case !a.Found:
		f.Words = "Nothing was found in the time."
	case r.Epsilon != "":
		f.Words = fmt.Sprintf("The mechanism is (ε, δ)-differentially private for ε = %s and δ = %s, and for no δ below %s.",
			r.Epsilon, f.Quote, prose.Readable(lo))
	case a.Interval.Hi().Sign() < 0:
		f.Words =
			fmt.Sprintf("The mechanism is (ε, δ)-differentially private for ε = 0 at δ = %s: the number to quote. The least "+
				"such ε is below 0.", r.Delta)
	case lo == "inf":
		f.Words = fmt.Sprintf("No ε is enough at δ = %s.", r.Delta)
	default:
		f.Words =
			fmt.Sprintf("The mechanism is (ε, δ)-differentially private for ε = %s at δ = %s: the number to quote. The least "+
				"such ε is at least %s.", f.Quote, r.Delta, prose.Readable(lo))
	}
	if reason := a.Reason(); reason != "" {
		f.Remarks = append(f.Remarks, "The interval is wider than was wanted: "+reason+".")
	}
	f.Assumptions = assumptions(q.Relation, a.Notes)
	return f, nil
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
