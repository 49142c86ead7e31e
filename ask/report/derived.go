// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"context"
	"html/template"
	"strings"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/prose"
	"dpverify/mechanism"
)

// A Derived is the ε that a derivation gives at the δ of a claim.
type Derived struct {
	derive.Method
	Value      exact.Enclosure
	Lo, Hi     string
	Holds      interval.Truth // that it is at most the claimed ε
	Reproduces interval.Truth // that the claimed ε is this number, rounded
	Rounding   derive.Rounding
}

// derivations returns what all derivations that are tried give that apply to the event of a claim,
// however it was derived. A claim about a range of parameters has none.
func derivations(ctx context.Context, c *certify.Claim, s certify.Point, tried func(derive.Method) bool) []Derived {
	if !mechanism.Equal(c.MorePrivate, c.LessPrivate) || s.Epsilon.Sign() < 0 {
		return nil
	}
	q := derive.Question{Question: exact.Question{Event: c.LessPrivate, Relation: c.Relation, Direction: c.Direction},
		Orders: c.Orders, RealOrders: c.RealOrders, Published: s.Epsilon, Written: s.Written[0]}
	var out []Derived
	for _, m := range derive.Methods {
		if m.Least || !tried(m) {
			continue
		}
		r, err := ask.Within(ctx, func(ctx context.Context) (derive.Result, error) { return m.Epsilon(ctx, q, s.Delta) })
		if err != nil || r.Lo().IsInf() {
			continue // it does not apply, gives nothing, or takes too long
		}
		e := r.OrZero()
		d := Derived{Method: m, Value: e, Holds: e.LessEqRat(s.Epsilon)}
		d.Reproduces, d.Rounding = derive.Reproduces(e, s.Epsilon, s.Written[0])
		d.Lo, d.Hi = decimal.Separating(e, s.Epsilon, fewDigits)
		out = append(out, d)
	}
	return out
}

// A derivedView is a derivation as a page shows it.
type derivedView struct {
	Name, Source string
	Epsilon      template.HTML
	Says         string
	Reproduces   bool
}

func derivedViews(ds []Derived) []derivedView {
	var out []derivedView
	for _, d := range ds {
		v := derivedView{Name: d.Name, Source: d.Source, Epsilon: people(amount(d.Lo, d.Hi)), Reproduces: d.Reproduces == interval.True}
		switch {
		case v.Reproduces && d.Rounding == derive.NotRounded:
			v.Says = "is the claimed number"
		case v.Reproduces:
			v.Says = "is the claimed number, rounded (" + string(d.Rounding) + ")"
		case d.Holds == interval.True:
			v.Says = "less than what is claimed"
		case d.Holds == interval.False:
			v.Says = "more than what is claimed"
		default:
			v.Says = "open beside what is claimed"
		}
		if !d.Bound {
			v.Says += "; an approximation, no bound"
		}
		out = append(out, v)
	}
	return out
}

// follows says which derivations give the claimed number.
func follows(ds []Derived) string {
	var names []string
	for _, d := range ds {
		if d.Reproduces == interval.True {
			names = append(names, d.Name+" ("+d.Source+")")
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "The claimed number is what one derivation gives: " + names[0] + "."
	}
	return "The claimed number is what these derivations give: " + strings.Join(names, ", ") + "."
}

// amount is a number for people.
func amount(lo, hi string) string {
	switch {
	case lo == hi:
		return "= " + prose.Readable(lo)
	case hi == "inf":
		return "≥ " + prose.Readable(lo)
	}
	return prose.Readable(lo) + " to " + prose.Readable(hi)
}

// fewDigits is how many digits a number for people has, or more where a verdict needs them.
const fewDigits = 4
