// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package page

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dpverify/ask/calibrate"
	"dpverify/certify"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// wanted reports that the text is an event with an unknown number, "?".
func (r Request) wanted() bool {
	return strings.Contains(r.Text, "?") && !strings.Contains(r.Text, "claims")
}

// calibrate answers which value of the unknown number is enough for ε and δ.
func (r Request) calibrate(ctx context.Context) (Finding, error) {
	if r.Epsilon == "" || r.Delta == "" {
		return Finding{}, errors.New("how much noise is enough is asked for an ε and a δ, want both")
	}
	q, err := r.question()
	if err != nil {
		return Finding{}, err
	}
	c := calibrate.Question{
		Relation: q.Relation, Direction: q.Direction, Digits: calibrate.DefaultDigits, Budget: budget,
	}
	if c.Epsilon, err = numberOf("ε", r.Epsilon, number.NonNegative); err != nil {
		return Finding{}, err
	}
	if c.Delta, err = numberOf("δ", r.Delta, number.NonNegative); err != nil {
		return Finding{}, err
	}
	if c.Template, err = calibrate.Parse("event", []byte(r.Text), mechanism.Decoder{Open: noFiles}); err != nil {
		return Finding{}, err
	}
	found, err := calibrate.Search(ctx, c)
	if err != nil {
		return Finding{}, err
	}
	name := strings.ReplaceAll(c.Field, "_", " ")
	if found.Best == nil {
		words := fmt.Sprintf("Whether %s = %s is enough was not decided in the time.", name, found.Next.Text)
		return Finding{Words: words, Assumptions: assumptions(q.Relation, nil)}, nil
	}
	o := found.Best.Outcome
	best := found.Best.Text
	f := Finding{
		Title: name + " = " + best, Quote: best, Methods: o.Methods, Point: &[2]string{r.Epsilon, r.Delta},
		Text:        strings.Replace(strings.Replace(r.Text, `"?"`, best, 1), "?", best, 1),
		Event:       prose.Sentence(o.Claim.MorePrivate, o.Claim.LessPrivate),
		Assumptions: assumptions(q.Relation, o.Notes),
	}
	f.Words = fmt.Sprintf("With %s = %s the mechanism is (ε, δ)-differentially private for ε = %s at δ = %s.",
		name, best, r.Epsilon, r.Delta)
	if next := found.Next; next != nil && next.Outcome.Verdict == certify.Refuted {
		f.Words += fmt.Sprintf(" With %s it is not.", next.Text)
	} else if next != nil {
		f.Words += fmt.Sprintf(" Whether it is with %s was not decided.", next.Text)
	}
	if e := o.LeastEpsilon(); e != nil {
		lo, hi := e.Decimal(r.digits())
		f.Bounds = []Bound{{"ε(" + r.Delta + ") with it", lo, hi}}
	}
	if o.Delta != nil {
		lo, hi := o.Delta.Decimal(r.digits())
		f.Bounds = append(f.Bounds, Bound{"δ(" + r.Epsilon + ") with it", lo, hi})
	}
	if found.Note != "" {
		f.Remarks = []string{found.Note}
	}
	f.Command = "verify calibrate --epsilon " + r.Epsilon + " --delta " + r.Delta
	if r.Relation != "" && q.Relation != mechanism.AddOrRemoveOne {
		f.Command += " --relation " + r.Relation
	}
	f.Command += " " + show.Shell(r.Text)
	return f, nil
}
