// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"context"
	"html/template"
	"math/big"
	"slices"
	"strings"

	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/guard"
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
		r, err := guard.Within(ctx, func(ctx context.Context) (derive.Result, error) {
			return m.Epsilon(ctx, q, s.Delta)
		})
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

// derivedViews are derivations by how near they are to the least ε, where that is known.
func derivedViews(ds []Derived, least *exact.Enclosure) []derivedView {
	if least != nil && least.IsFinite() {
		ds = slices.Clone(ds)
		slices.SortStableFunc(ds, func(a, b Derived) int { return a.away(*least).Cmp(b.away(*least)) })
	}
	var out []derivedView
	for _, d := range ds {
		v := derivedView{Name: d.Name, Source: d.Source, Epsilon: people(amount(d.Lo, d.Hi)),
			Reproduces: d.Reproduces == interval.True}
		says := []string{d.against(least)}
		switch {
		case v.Reproduces && d.Rounding == derive.NotRounded:
			says = append(says, "is the claimed number")
		case v.Reproduces:
			says = append(says, "is the claimed number, rounded ("+string(d.Rounding)+")")
		case !d.Bound:
		case d.Holds == interval.True:
			says = append(says, "proves the claim")
		case d.Holds != interval.False:
			says = append(says, "open beside what is claimed")
		}
		if !d.Bound {
			says = append(says, "an approximation, no bound")
		}
		v.Says = strings.Join(slices.DeleteFunc(says, func(s string) bool { return s == "" }), "; ")
		out = append(out, v)
	}
	return out
}

// away is at most the distance of what a derivation gives from the least ε.
func (d Derived) away(least exact.Enclosure) *big.Float {
	const p = interval.Prec(64)
	return p.Sub(d.Value.Interval, least.Interval).Abs().Lo()
}

// against says by how much a derivation gives more than the least ε, or less.
func (d Derived) against(least *exact.Enclosure) string {
	const p = interval.Prec(64)
	if least == nil || least.Positive() != interval.True || !least.IsFinite() || !d.Value.IsFinite() {
		return ""
	}
	share := p.Mul(p.Div(p.Sub(d.Value.Interval, least.Interval), least.Interval), interval.Int(100))
	switch {
	case share.LessRat(big.NewRat(-1, 1000)) == interval.True:
		return prose.About(share.Neg()) + " % below the truth"
	case share.LessRat(big.NewRat(1, 1000)) == interval.True:
		return "the truth, but for less than 0.001 %"
	case share.LessRat(big.NewRat(1000, 1)) == interval.True:
		return prose.About(share) + " % more"
	}
	return prose.About(p.Div(d.Value.Interval, least.Interval)) + " times as much"
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
