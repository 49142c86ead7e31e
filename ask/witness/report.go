// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package witness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"dpverify/certify"
	"dpverify/certify/evidence"
	"dpverify/definition"
	"dpverify/exact/interval"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/shown"
	"dpverify/mechanism"
)

// digits are those of probabilities in JSON: a claim may be false by the last of many.
const digits = 30

// A Report is a witness in JSON.
type Report struct {
	Version    int           `json:"version"`
	Epsilon    string        `json:"epsilon"`
	Delta      string        `json:"delta,omitempty"`
	Neighbours [][]string    `json:"neighbours"`
	Mechanism  string        `json:"mechanism"`
	Set        setReport     `json:"set"`
	P          *shown.Bounds `json:"p"`
	Q          *shown.Bounds `json:"q"`
	Excess     shown.Bounds  `json:"excess"`
	Policy     *policyReport `json:"policy,omitempty"`
}

type setReport struct {
	Words     string          `json:"words"`
	Threshold string          `json:"threshold,omitempty"`
	Releases  []releaseReport `json:"releases,omitempty"`
}

type releaseReport struct {
	Event    json.RawMessage `json:"event"`
	Count    int64           `json:"count"`
	Outcomes []outcomeReport `json:"outcomes"`
}

// An outcomeReport has an outcome that is in the set or not, or has a weight; one that is impossible on the second data
// set is in the set in any case, and has none.
type outcomeReport struct {
	Is     string       `json:"is"`
	P      shown.Bounds `json:"p"`
	Q      shown.Bounds `json:"q"`
	In     *bool        `json:"in,omitempty"`
	Weight *int64       `json:"weight,omitempty"`
}

// Report returns w in JSON. The request is the one that it answers.
func (w *Witness) Report(r Request) Report {
	out := Report{Version: 1, Epsilon: number.Format(r.Epsilon), Mechanism: w.Mechanism, Excess: w.Excess.decimal(digits)}
	if r.Delta != nil {
		out.Delta = number.Format(r.Delta)
	}
	if w.OnP != nil {
		out.Neighbours = [][]string{w.OnP, w.OnQ}
	}
	if w.P != nil {
		p, q := w.P.decimal(digits), w.Q.decimal(digits)
		out.P, out.Q = &p, &q
	}
	if w.Policy != nil {
		out.Policy = newPolicyReport(w.Policy)
	}
	out.Set = setReport{Words: w.Set.Words, Threshold: w.Set.Threshold}
	for _, k := range w.Set.Releases {
		x := releaseReport{Event: mechanism.EncodeEvent(k.Event), Count: k.Count}
		for _, o := range k.Outcomes {
			y := outcomeReport{Is: o.Label, P: o.P.decimal(digits), Q: o.Q.decimal(digits)}
			switch {
			case w.Set.Threshold == "":
				y.In = &o.In
			case !o.Always && !o.Never:
				y.Weight = &o.Weight
			}
			x.Outcomes = append(x.Outcomes, y)
		}
		out.Set.Releases = append(out.Set.Releases, x)
	}
	return out
}

// interval holds both ends.
func (r Range) interval(p interval.Prec) interval.Interval {
	return interval.Union(p.Rat(r.Lo), p.Rat(r.Hi))
}

func (r Range) decimal(n int) shown.Bounds {
	return shown.BoundsOf(interval.Enclosure{Interval: r.interval(bits), Lower: r.Lo, Upper: r.Hi}.Decimal(n))
}

// Lines returns w in words.
func (w *Witness) Lines() []Line {
	var out []Line
	if w.Policy != nil {
		out = append(append(out, Line{"mechanism", w.Mechanism}), policyLines(w.Policy)...)
	} else if w.OnP == nil {
		out = append(out, Line{"data", "none: " + w.Mechanism})
	} else {
		out = append(out, Line{"P is on", records(w.OnP)}, Line{"Q is on", records(w.OnQ)}, Line{"mechanism", w.Mechanism})
	}
	set := w.Set.Words
	if w.Set.Threshold != "" {
		set += ", " + map[bool]string{true: "t", false: "the threshold"}[w.Set.Releases == nil] + " = " +
			shortText(w.Set.Threshold)
	}
	out = append(out, Line{"S", set})
	number := func(name string, r Range) {
		x := r.decimal(12)
		out = append(out, Line{name, prose.Range(x.Lo, x.Hi)})
	}
	if w.P != nil {
		number("P(S)", *w.P)
		number("Q(S)", *w.Q)
	}
	number("P(S) − e^ε·Q(S)", w.Excess)
	return out
}

// Text returns w in words, beside the claim.
func (w *Witness) Text(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ε = %s", number.Format(r.Epsilon))
	if r.Delta != nil {
		fmt.Fprintf(&b, ", δ = %s is false", number.Format(r.Delta))
	}
	b.WriteString("\n")
	for _, l := range w.Lines() {
		b.WriteString(prose.Paragraph("  ", l.Name+": "+l.Text))
	}
	return b.String()
}

// shortText shows a rational number as a decimal if it is long.
func shortText(s string) string {
	r, ok := new(big.Rat).SetString(s)
	if !ok || len(s) < 20 {
		return s
	}
	return "about " + prose.About(bits.Rat(r))
}

func records(names []string) string {
	if len(names) == 0 {
		return "no record"
	}
	return strings.Join(names, ", ")
}

// Budget is the time for the witness of one claim.
const Budget = time.Minute

// Of returns the request for a claim "(ε, δ)" that is REFUTED; false for others. Of parameters that are intervals it is
// about the most private ones: no mechanism between is as good as is claimed.
func Of(o *certify.Outcome) (Request, bool) {
	p, ok := o.Claim.Point()
	if !ok || o.Verdict != certify.Refuted {
		return Request{}, false
	}
	q := definition.Question{Event: o.Claim.MorePrivate, Relation: o.Claim.Relation, Direction: o.Claim.Direction}
	return Request{Question: q, Epsilon: p.Epsilon, Delta: p.Delta}, true
}

// FileName is the name of the file with the witness for a claim, by its id.
func FileName(id string) string { return evidence.Escaped(id) + ".witness.json" }

// WriteFiles writes into a directory a file for every REFUTED claim of which a witness is found, and removes what an
// earlier run wrote for the others.
func WriteFiles(ctx context.Context, dir string, outcomes []*certify.Outcome) error {
	return evidence.WriteEach(ctx, dir, outcomes, FileName, func(ctx context.Context,
		o *certify.Outcome) ([]byte, error) {
		r, ok := Of(o)
		if !ok {
			return nil, evidence.ErrNone
		}
		ctx, cancel := context.WithTimeout(ctx, Budget)
		defer cancel()
		w, err := Find(ctx, r)
		if errors.Is(err, ErrNone) || errors.Is(err, context.DeadlineExceeded) {
			return nil, evidence.ErrNone
		} else if err != nil {
			return nil, err
		}
		return document.Indented(w.Report(r))
	})
}
