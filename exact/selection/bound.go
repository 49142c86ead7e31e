// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package selection

import (
	"math"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Chord says that Q(S) ≤ Slope·P(S) + More for all sets S of outputs: Slope = e^ε and More = δ(ε) of (Q, P).
type Chord struct{ Slope, More interval.Interval }

// A Part is Weight·H_{α·Ratio}.
type Part struct{ Weight, Ratio *big.Rat }

// A Bound of the best of K runs of M, where M(D) is P and M(D′) is Q:
//
//	H_α of the best ≤ Σ Weight·H_{α·Ratio}(P‖Q) for α ≥ 1.
type Bound struct {
	law   Law
	ends  []end
	logs  []end // their logarithms
	Parts []Part
}

// An end of a range of places: f′ is at most most under P, and at least least under Q, once both are made linear in
// between.
type end struct{ most, least interval.Interval }

// NewBound returns the bound from what is known of the reverse.
//
// At a place where better outputs have the probabilities y under P and y′ under Q, y′ ≤ B(y) = min over chords of
// Slope·y + More, so that the best run has the densities f′(1 − y)·dP and f′(1 − y′)·dQ ≥ f′(1 − B(y))·dQ there. For
// the set S that makes H_α greatest,
//
//	H_α ≤ ∫_S f′(1 − y)·dP − α·f′(1 − B(y))·dQ ≤ ∫ sup_y (f′(1 − y)·L − α·f′(1 − B(y)))₊ dQ, L = dP/dQ.
//
// f′(1 − y) is convex in y: for y in [y₁, y₂] it is at most w(y), linear between its values at both ends. For one
// chord, f′(1 − (Slope·y + More)) is convex as well, and at least z(y), its tangent in the middle. w(y)·L − α·z(y) is
// linear in y and at most the greater of its ends. Where the tangent is not positive z is f′ at the right end, and w at
// the left one.
//
// The upper envelope of the lines w·ℓ − α·z, over ranges that cover [0, 1], and of 0 is Σ (w_k − w_{k−1})·(ℓ − α·t_k)₊
// over its vertices, t_k = (z_k − z_{k−1})/(w_k − w_{k−1}), and ∫ (L − αt)₊ dQ = H_{αt}. Where dQ = 0 the greatest w is
// right. The w are rounded up and the z down, which makes the lines greater; all else is exact.
func NewBound(law Law, back []Chord) Bound {
	b := Bound{law: law}
	ys := law.places()
	for i := 0; i+1 < len(ys); i++ {
		b.ends = append(b.ends, law.between(interval.Point(ys[i]), interval.Point(ys[i+1]), back)...)
	}
	for _, x := range b.ends {
		b.logs = append(b.logs, end{law.prec.Log(x.most), law.prec.Log(x.least)})
	}
	b.Parts = thinned(envelope(b.ends))
	return b
}

// maxParts bounds the values of a profile that one bound takes.
const maxParts = 40

// thinned leaves out parts, which are in rising order of their ratios: (L − t)₊ is convex in t, so that it is at most
// the mean of its neighbours that has the mean t.
func thinned(parts []Part) []Part {
	for len(parts) > maxParts {
		var out []Part
		for i := 0; i < len(parts); i++ {
			if i%2 == 0 || i == len(parts)-1 || len(parts)-i/2 <= maxParts {
				out = append(out, Part{new(big.Rat).Set(parts[i].Weight), parts[i].Ratio})
				continue
			}
			// parts[i+1] stays
			a, t, c := &out[len(out)-1], parts[i].Ratio, &parts[i+1]
			share := new(big.Rat).Sub(t, a.Ratio)
			share.Quo(share, new(big.Rat).Sub(c.Ratio, a.Ratio)) // of the right neighbour
			right := share.Mul(share, parts[i].Weight)
			a.Weight.Add(a.Weight, new(big.Rat).Sub(parts[i].Weight, right))
			c.Weight = new(big.Rat).Add(c.Weight, right)
		}
		parts = out
	}
	return parts
}

// between returns the ends of a range of places.
func (l Law) between(from, to interval.Interval, back []Chord) []end {
	w := l.prec
	middle := w.Scale(w.Add(from, to), -1)
	at := func(c Chord, y interval.Interval) interval.Interval { return w.Add(w.Mul(c.Slope, y), c.More) }
	best := Chord{interval.Int(0), interval.Int(1)}
	for _, c := range back {
		if at(c, middle).Hi().Cmp(at(best, middle).Hi()) < 0 {
			best = c
		}
	}
	left, right := l.Slope(from).Upper(), l.Slope(to).Upper()
	value, fall := l.Slope(at(best, middle)), w.Mul(best.Slope, l.fall(at(best, middle)))
	tangent := func(y interval.Interval) interval.Interval {
		return w.Mul(value, w.Sub(interval.Int(1), w.Mul(fall, w.Sub(y, middle)))).Lower()
	}
	first, last := tangent(from), tangent(to)
	if last.Positive() != interval.True {
		return []end{{left, l.Slope(interval.Min(interval.Int(1), at(best, to))).Lower()}}
	}
	return []end{{left, first}, {right, last}}
}

// places are y from 0 to 1 between which f′ changes by a moderate factor.
func (l Law) places() []*big.Float {
	const factor = 1.0 / 16 // of log f′
	mean := l.fm
	var ys []float64
	if l.shape == nil {
		step := factor
		for x := step; x < mean && x < 256; x += step {
			ys = append(ys, x/mean)
			step = max(factor, x/32)
		}
	} else {
		t, eta := l.ft, l.feta
		// 1 + ρy = e^x for equidistant x, while f′ falls by less than e^−40
		top := min(t, 40/(eta+1))
		n := min(max(16, math.Ceil(top*(eta+1)/factor)), 192)
		for i := 1.0; i <= n; i++ {
			x := top * i / n
			ys = append(ys, math.Exp(x-t)*math.Expm1(-x)/math.Expm1(-t)) // (e^x − 1)/ρ
		}
	}
	out := []*big.Float{new(big.Float)}
	for _, y := range ys {
		m, e := math.Frexp(y)
		f := new(big.Float).SetMantExp(new(big.Float).SetInt64(int64(math.Ldexp(m, 53))), e-53)
		if y > 0 && y < 1 && f.Cmp(out[len(out)-1]) > 0 {
			out = append(out, f)
		}
	}
	return append(out, new(big.Float).SetInt64(1))
}

// envelope returns the upper envelope of 0 and the lines most·t − least.
func envelope(ends []end) []Part {
	points := []pair.Corner{{X: new(big.Rat), Y: new(big.Rat)}} // (most, least): of their lower hull
	const bits = 96
	for _, c := range ends {
		w, ok := interval.Prec(bits).Round(c.most).UpperRat()
		z, _, finite := interval.Prec(bits).Round(c.least).Rationals()
		if !ok || !finite {
			return nil
		}
		points = append(points, pair.Corner{X: w, Y: z})
	}
	hull := pair.ConvexHull(points)
	var parts []Part
	for i := 1; i < len(hull); i++ {
		w, z := new(big.Rat).Sub(hull[i].X, hull[i-1].X), new(big.Rat).Sub(hull[i].Y, hull[i-1].Y)
		parts = append(parts, Part{w, z.Quo(z, w)})
	}
	return parts
}

// Moment encloses from above log(sup_y f′(1 − y)^λ·f′(1 − B(y))^(1−λ)), λ > 1: what the moment of order λ of the base
// grows by. w^λ·z^(1−λ) is jointly convex in w and z, rises with w and falls with z: its ends bound it on a range.
func (b Bound) Moment(lambda *big.Rat) interval.Interval {
	w := b.law.prec
	top := interval.NegInf()
	a, c := w.Rat(lambda), w.Rat(new(big.Rat).Sub(lambda, big.NewRat(1, 1)))
	for _, x := range b.logs {
		top = interval.Max(top, w.Sub(w.Mul(a, x.most), w.Mul(c, x.least)))
	}
	return top.Upper()
}

// Growth encloses from above log sup_y f′(1 − y)/f′(1 − y′): what every loss grows by at most.
//
// For the truncated negative binomial distribution the quotient is ((1 + ρy′)/(1 + ρy))^(η+1), and y′ ≤ min(1, a·y + d)
// by a chord. (1 + ρ(ay + d))/(1 + ρy) is monotone in y, so that it is at most the greater of its ends, 1 + ρd at 0 and
// at 1 (1 + ρ(a + d))/(1 + ρ). For Poisson it is e^(m(y′ − y)), and y′ − y ≤ (a − 1)·y + d.
func (b Bound) Growth(back []Chord) interval.Interval {
	w, l := b.law.prec, b.law
	one := interval.Int(1)
	best := interval.PosInf()
	for _, c := range back {
		if l.shape == nil {
			over := w.Add(interval.Max(interval.Int(0), w.Sub(c.Slope, one)), c.More)
			best = interval.Min(best, w.Mul(w.Rat(l.mean), interval.Min(one, over)).Upper())
			continue
		}
		first := w.Log1p(w.Mul(l.rho, c.More))
		last := w.Log(w.Div(w.Add(one, w.Mul(l.rho, w.Add(c.Slope, c.More))), w.Add(one, l.rho)))
		e := w.Rat(new(big.Rat).Add(l.shape, big.NewRat(1, 1)))
		best = interval.Min(best, w.Mul(e, interval.Max(first, last)).Upper())
	}
	return interval.Max(interval.Int(0), best)
}
