// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import "math"

// A law is the distribution of the privacy loss of one copy under P, in float64. It chooses
// grids; nothing rests on it.
type law struct {
	part *part
	add  bool
	x, m []float64 // losses and masses of a finite pair
}

func newLaw(p *part, add bool) law {
	l := law{part: p, add: add}
	for _, o := range p.outcomes(add) {
		a, b := realFloat(o.p), realFloat(o.q)
		switch {
		case a <= 0:
			continue
		case b <= 0:
			l.x = append(l.x, math.Inf(1))
		default:
			l.x = append(l.x, logOf(o.p)-logOf(o.q))
		}
		l.m = append(l.m, a)
	}
	return l
}

// above is P(L > x) and below P(L ≤ x).
func (l law) above(x float64) float64 { return l.tail(x, true) }
func (l law) below(x float64) float64 { return l.tail(x, false) }

func (l law) tail(x float64, above bool) float64 {
	switch {
	case l.part.kind == finite:
		sum := 0.0
		for i, y := range l.x {
			if (y > x) == above {
				sum += l.m[i]
			}
		}
		return sum
	case l.add: // L = −loss, under Q
		if t := l.part.outcome(-x); above {
			return l.part.cdf(t, true)
		} else {
			return l.part.sf(t, true)
		}
	}
	if t := l.part.outcome(x); above {
		return l.part.sf(t, false)
	} else {
		return l.part.cdf(t, false)
	}
}

// mass is P(x < L ≤ y).
func (l law) mass(x, y float64) float64 {
	if u := l.above(x); u < 0.5 {
		return u - l.above(y)
	}
	return l.below(y) - l.below(x)
}

// quantile is about the least x ≥ 0, or the greatest x ≤ 0 if low, beyond which there is at most
// a mass of p.
func (l law) quantile(p float64, low bool) float64 {
	ok := func(x float64) bool {
		if low {
			return l.below(-x) <= p
		}
		return l.above(x) <= p
	}
	y := 1e-9
	for !ok(y) && y < 1e5 {
		y *= 2
	}
	x := y / 2
	for range 30 {
		if m := (x + y) / 2; ok(m) {
			y = m
		} else {
			x = m
		}
	}
	if low {
		return -y
	}
	return y
}

// moments are the mean and the variance of the finite losses but for their tails.
func (l law) moments() (mean, variance float64) {
	if l.part.kind == finite {
		for i, x := range l.x {
			if !math.IsInf(x, 0) {
				mean += l.m[i] * x
				variance += l.m[i] * x * x
			}
		}
		return mean, variance - mean*mean
	}
	lo, hi := l.quantile(1e-12, true), l.quantile(1e-12, false)
	const n = 4000
	for k := range n {
		x, y := lo+(hi-lo)*float64(k)/n, lo+(hi-lo)*float64(k+1)/n
		m, c := l.mass(x, y), (x+y)/2
		mean += m * c
		variance += m * c * c
	}
	return mean, math.Max(variance-mean*mean, 1e-300)
}
