// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/document"
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

func (s Renyi) scale() *big.Rat { return nil }

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
