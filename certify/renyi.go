// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/certify/mended"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/renyi"
	"dpverify/internal/document"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/mechanism/argument"
)

// Renyi is the claim R_Order ≤ Value for each of its points.
type Renyi struct{ Points []mechanism.RenyiPoint }

func (s Renyi) String() string {
	const most = 4
	var points []string
	for i, p := range s.Points {
		if i == most {
			return strings.Join(points, ", ") + fmt.Sprintf(" and %d more", len(s.Points)-most)
		}
		points = append(points, fmt.Sprintf("R(%s) ≤ %s", show.Cut(number.Format(p.Order)), show.Cut(number.Format(p.Value))))
	}
	return strings.Join(points, ", ")
}

var renyiForm = form{
	keys: []string{"renyi"}, want: "{renyi: [[order, value], …]}",
	decode: func(d *claimDecoder, fields ...*document.Node) Statement {
		list := fields[0]
		if list.Kind != document.Sequence || len(list.Items) == 0 {
			d.Fail(d.Invalid("claim.renyi", list, "a list of [order, value]"))
			return nil
		}
		var s Renyi
		for i, item := range list.Items {
			field := fmt.Sprintf("claim.renyi[%d]", i)
			if item.Kind != document.Sequence || len(item.Items) != 2 {
				d.Fail(d.Invalid(field, item, "[order, value]"))
				return nil
			}
			p := mechanism.RenyiPoint{
				Order: d.number(item.Items[0], field+"[0]", number.AboveOne),
				Value: d.number(item.Items[1], field+"[1]", number.NonNegative),
			}
			if p.Order == nil || p.Value == nil {
				return nil
			}
			s.Points = append(s.Points, p)
		}
		return s
	},
}

func (s Renyi) check() error {
	for _, p := range s.Points {
		if err := errors.Join(argument.Number("order", p.Order, nil, nil),
			argument.Number("value", p.Value, nil, nil)); err != nil {
			return err
		}
	}
	return nil
}

func (s Renyi) restates(g property) bool {
	return len(s.Points) > 0 && !slices.ContainsFunc(s.Points, func(x mechanism.RenyiPoint) bool {
		return !g.hasRenyi(x.Order, x.Value)
	})
}

func (s Renyi) decide(d decision) error { return d.decideDivergence(s.at) }

// at compares the divergence with the claimed value at each order.
func (s Renyi) at(ctx context.Context, curves curvePair, e exact.Effort) (divergenceRung, error) {
	p := e.Bits()
	r := divergenceRung{verdict: Verified}
	for _, pt := range s.Points {
		at := renyi.At(pt.Order)
		worst, isTrue := divergenceAt(curves.less, p, pt)
		best, isBest := worst, isTrue
		if curves.more != curves.less {
			best, isBest = divergenceAt(curves.more, p, pt)
		}
		if err := ctx.Err(); err != nil {
			return r, err
		}
		r.bounds = append(r.bounds, DivergenceBound{pt, best.Union(worst)})
		switch v, split := compared(isTrue, isBest); {
		case v == Verified:
		case v == Refuted:
			r.verdict, r.reason = Refuted, ""
			r.notes = append(r.notes, fmt.Sprintf("the divergence of order %s exceeds %s", at, number.Format(pt.Value)))
		case r.verdict == Refuted:
		case split:
			r.verdict, r.reason, r.final = Undecided, splitReason, true
		default:
			r.verdict, r.reason = Undecided,
				fmt.Sprintf("the enclosure of the divergence of order %s at effort %d contains the claimed value", at, e)
			if curves.less.Gap {
				r.reason, r.final = gapReason, true
			}
		}
	}
	return r, nil
}

// divergenceAt encloses a divergence and answers whether it is at most the claimed one.
func divergenceAt(c *renyi.Curve, p interval.Prec, pt mechanism.RenyiPoint) (exact.Enclosure, interval.Truth) {
	at := renyi.At(pt.Order)
	e := exact.Enclosure{Interval: c.At(p, at)}
	stated, ok := c.Rational(at)
	switch {
	case !ok:
	case !c.Gap:
		e.Value = stated
	case stated.Cmp(pt.Value) <= 0:
		return e, interval.True
	}
	return e, e.LessEqRat(pt.Value)
}

// report adds the divergences.
func (s Renyi) report(r *ClaimReport, o *Outcome) { r.Renyi = newRenyiReports(o.Renyi) }

func newRenyiReports(bounds []DivergenceBound) []RenyiReport {
	var out []RenyiReport
	for _, b := range bounds {
		out = append(out, RenyiReport{number.Format(b.Order), number.Format(b.Value), *NewBounds(&b.Divergence, b.Value)})
	}
	return out
}

// divergenceEffort is the last rung for claims about Rényi divergences: 512 bits, and
// 65536 orders for a claim about all of them.
const divergenceEffort exact.Effort = 3

// decideDivergence answers a claim about Rényi divergences.
func (d decision) decideDivergence(at func(context.Context, curvePair, exact.Effort) (divergenceRung, error)) error {
	curves, err := d.Claim.curves()
	if err != nil {
		return err
	}
	err = d.ladder(divergenceEffort).Climb(d.limited, func(e exact.Effort) (bool, error) {
		r, err := guard.Within(d.limited, func(ctx context.Context) (divergenceRung, error) { return at(ctx, curves, e) })
		if err != nil {
			return false, err
		}
		d.Verdict, d.Renyi, d.Effort, d.Reason, d.mended = r.verdict, r.bounds, e, r.reason, r.mended
		d.Methods, d.Notes = []string{"renyi"}, append(r.notes, curves.less.Notes...)
		return d.Verdict != Undecided || r.final, nil
	})
	if err != nil {
		return err
	}
	d.noteGuarantee()
	return nil
}

// A divergenceRung is the answer of one effort.
type divergenceRung struct {
	verdict Verdict
	bounds  []DivergenceBound
	reason  string
	notes   []string
	mended  []mended.Number
	final   bool // more effort does not help
}

// A curvePair has the Rényi curves of the two corner events.
type curvePair struct{ more, less *renyi.Curve }

func (c *Claim) curves() (curvePair, error) {
	var out []*renyi.Curve
	for _, e := range c.Corners() {
		prob, err := meaning.Resolve(e, c.Relation)
		if err != nil {
			return curvePair{}, err
		}
		curve, err := renyi.NewCurve(prob, c.Direction)
		if err != nil {
			return curvePair{}, err
		}
		out = append(out, curve)
	}
	return curvePair{out[0], out[len(out)-1]}, nil
}

// gapReason is why claims about guarantees, or samples whose bound may not be attained, are undecided at every effort.
const gapReason = "the claim lies between what is proved from above and what some mechanism is known to attain"

// Concentrated is the claim R_α ≤ Rho·α for all α > 1: Rho-zCDP.
type Concentrated struct {
	Rho *big.Rat

	written string
	in      mended.Format
}

func (s Concentrated) String() string { return "ρ = " + show.Cut(number.Format(s.Rho)) }

var concentratedForm = form{
	keys: []string{"rho"}, want: "{rho: …}",
	decode: func(d *claimDecoder, fields ...*document.Node) Statement {
		rho := d.number(fields[0], "claim.rho", number.NonNegative)
		if rho == nil {
			return nil
		}
		return Concentrated{rho, fields[0].Text, mended.Format{Binary64: d.dec.Binary64}}
	},
}

func (s Concentrated) check() error { return argument.Number("rho", s.Rho, nil, nil) }

func (s Concentrated) restates(g property) bool { return g.hasRho(s.Rho) }

func (s Concentrated) decide(d decision) error { return d.decideDivergence(s.at) }

func (s Concentrated) report(*ClaimReport, *Outcome) {}

// orderSteps bounds the orders that are tried for a claim about all of them.
func orderSteps(e exact.Effort) int { return 1024 << (2 * min(e, divergenceEffort)) }

// at compares the divergence with the claimed line at every order.
func (s Concentrated) at(ctx context.Context, curves curvePair, e exact.Effort) (divergenceRung, error) {
	rho, p := s.Rho, e.Bits()
	worst, at, err := curves.less.Concentrated(ctx, p, rho, orderSteps(e))
	if err != nil {
		return divergenceRung{}, err
	}
	best := worst
	if curves.more != curves.less {
		if best, at, err = curves.more.Concentrated(ctx, p, rho, orderSteps(e)); err != nil {
			return divergenceRung{}, err
		}
	}
	switch v, split := compared(worst, best); {
	case v == Verified:
		return divergenceRung{verdict: v}, nil
	case v == Refuted:
		return divergenceRung{verdict: v, notes: []string{mended.Exceeds(curves.more, p, rho, at)},
			mended: s.in.Rho(ctx, curves.less, p, at, orderSteps(e), s.written)}, nil
	case split:
		return divergenceRung{verdict: Undecided, reason: splitReason, final: true}, nil
	case curves.less.Gap:
		return divergenceRung{verdict: Undecided, reason: gapReason, final: true}, nil
	}
	return divergenceRung{verdict: Undecided,
		reason: fmt.Sprintf("the divergences at effort %d neither stay below the claimed line nor exceed it", e)}, nil
}
