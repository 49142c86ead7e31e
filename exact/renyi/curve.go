// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"fmt"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/mechanism"
)

// A Curve is the Rényi divergence of what an event stands for under a relation, as a function of the order: the
// supremum over all mechanisms that it may be and over the orientations of a direction.
type Curve struct {
	stated []statedPart // whose maximum bounds the curve from above
	lower  []Divergence // each of which some mechanism attains; none if Stated is attained
	// Gap says that a gap remains between what is stated and what is attained.
	Gap bool
	// Notes are assumptions that the answer rests on.
	Notes []string
}

// A statedPart is the sum of the divergences of factors.
type statedPart struct {
	factors meaning.Factors
	f       Divergence
}

// NewCurve returns the curve of a problem. The error is a *pair.DirectionError.
func NewCurve(prob meaning.Problem, d mechanism.Direction) (*Curve, error) {
	b, err := prob.Divergence(d)
	if err != nil {
		return nil, err
	}
	c := &Curve{Gap: !b.Attained, Notes: prob.Notes}
	for _, f := range b.Upper {
		c.stated = append(c.stated, statedPart{f.Moments(), ofFactors(f.Moments())})
	}
	for _, w := range b.Lower {
		c.lower = append(c.lower, Of(w))
	}
	return c, nil
}

// ofFactors is the divergence where each copy of a choice may be any of its products:
// Of(fixed) + Σ count·max_i R_α(P_i‖Q_i).
func ofFactors(f meaning.Factors) Divergence {
	fixed := Of(f.Fixed)
	choices := make([][]Divergence, len(f.Choices))
	for i, c := range f.Choices {
		for _, x := range c.Of {
			choices[i] = append(choices[i], Of(x))
		}
	}
	return func(p interval.Prec, alpha Order) interval.Interval {
		w := p + 16
		sum := fixed(w, alpha)
		for i, c := range f.Choices {
			sum = w.Add(sum, w.Mul(interval.Int(c.Count), greatest(choices[i], w, alpha)))
		}
		return p.Round(sum)
	}
}

// Stated encloses the curve, or where a gap remains the bound from above.
func (c *Curve) Stated(p interval.Prec, alpha Order) interval.Interval {
	if alpha.Check() != nil {
		return interval.Entire()
	}
	y := c.stated[0].f(p, alpha)
	for _, s := range c.stated[1:] {
		y = interval.Max(y, s.f(p, alpha))
	}
	return y
}

// At encloses the curve, between what a mechanism attains and what is stated, which is no less, or something is wrong.
func (c *Curve) At(p interval.Prec, alpha Order) interval.Interval {
	y := c.Stated(p, alpha)
	if !c.Gap || alpha.Check() != nil {
		return y
	}
	low := interval.Max(zero, greatest(c.lower, p, alpha))
	if low.Lo().Cmp(y.Hi()) > 0 {
		panic(fmt.Sprintf("renyi: internal error: some mechanism has R(%s) in %v, and what is stated bounds all by %v",
			alpha, low, y))
	}
	return interval.Bounds(low.Lo(), y.Hi())
}

func greatest(fs []Divergence, p interval.Prec, alpha Order) interval.Interval {
	y := fs[0](p, alpha)
	for _, f := range fs[1:] {
		y = interval.Max(y, f(p, alpha))
	}
	return y
}
