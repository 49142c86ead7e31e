// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/blanket"
	"dpverify/exact/double"
	"dpverify/exact/least"
	"dpverify/exact/pair"
)

// A shape is about the mean and the deviation of a place, in units of the lattice.
type shape struct{ mean, sd float64 }

// lattice chooses how many steps a lattice has from the least value to the greatest one, 0 and 1 here.
func (set Settings) lattice(reports int64, values, probs []*big.Rat) (int64, shape) {
	places, masses := make([]float64, len(values)), make([]float64, len(values))
	var mean, square float64
	for i, v := range values {
		places[i], masses[i] = double.Near(v), double.Near(probs[i])
		mean, square = mean+masses[i]*places[i], square+masses[i]*places[i]*places[i]
	}
	sd := math.Sqrt(max(square-mean*mean, 0))
	room := float64(set.Points) / (2*deviations(set.Cut)*math.Sqrt(float64(reports))*sd + 1)
	limit := min(max(int64(min(room, 1<<20)), 2), int64(set.Fine))
	best, top := math.Inf(1), int64(1)
	for k := int64(1); k <= limit; k++ {
		noise := 0.0
		for i, x := range places {
			f := x * float64(k)
			f -= math.Floor(f)
			noise += masses[i] * f * (1 - f) / float64(k*k)
		}
		if noise < 0.9*best-1e-18 {
			best, top = noise, k
		}
	}
	k := float64(top)
	return top, shape{mean * k, math.Sqrt(sd*sd+best) * k}
}

// deviations is how many standard deviations from the mean a normal variable is with a probability of less than 2^−cut.
func deviations(cut int) float64 { return math.Sqrt(2*math.Ln2*float64(cut)) + 1 }

// window is where the sum of n places is, but for about 2^−cut of its mass.
func (x shape) window(n, top int64, cut int) (from, to int64) {
	reach := deviations(cut)*math.Sqrt(float64(n))*x.sd + 2*float64(top)
	return int64(math.Floor(float64(n)*x.mean - reach)), int64(math.Ceil(float64(n)*x.mean + reach))
}

// NearReports returns a guess of ε, as if sums of reports were normal: it bounds nothing.
func NearReports(x pair.Reports) func(context.Context, *big.Rat) (*big.Rat, bool) {
	p, q, r := make([]float64, len(x.Cells)), make([]float64, len(x.Cells)), make([]float64, len(x.Cells))
	most := 0.0
	for i, c := range x.Cells {
		p[i], q[i], r[i] = double.Near(c.P), double.Near(c.Q), double.Near(c.Other)
		if q[i] > 0 {
			most = max(most, p[i]/q[i])
		}
	}
	n := float64(x.Others + 1)
	delta := func(eps float64) float64 {
		alpha, sum, mean, square := math.Exp(eps), 0.0, 0.0, 0.0
		for i := range p {
			y := p[i] - alpha*q[i]
			if r[i] == 0 {
				sum += max(y, 0)
				continue
			}
			mean, square = mean+y, square+y*y/r[i]
		}
		sd := math.Sqrt(max(square-mean*mean, 0) / n)
		z := -mean / sd
		return sum + sd*(math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)-z*math.Erfc(z/math.Sqrt2)/2)
	}
	return func(_ context.Context, want *big.Rat) (*big.Rat, bool) {
		lo, hi, aim := 0.0, math.Log(most), double.Near(want)
		if !(most > 1) || hi > 300 || !(delta(lo) > aim) {
			return nil, false
		}
		lo, _ = least.Halved(lo, hi, 40, func(eps float64) bool { return delta(eps) > aim })
		return double.Rat(lo), true
	}
}

// NearLocal returns a guess of ε of any local randomizer, likewise.
func NearLocal(x pair.LocalReports) func(context.Context, *big.Rat) (*big.Rat, bool) {
	return NearReports(blanket.Hidden(x, apart(x)))
}

// apart chooses a₁, which decides on the width alone: as both bounds are about those of normal variables, of the
// variances 2a(e − 1)² and, of a from 1/(e + 2) on, (e − 1)²(a(2 − (e + 2)(e − 1)/e) + (e − 1)/e).
func apart(x pair.LocalReports) *big.Rat {
	e := double.Near(x.Ratio)
	least := max(1/(e+2), 1/(2*e))
	return double.Rat(least * (1 + 1.6/math.Sqrt(float64(x.Others))))
}

// shapeOf is about the shape of a law on a lattice, of masses in units of 2^−unitBits.
func shapeOf(masses []int64) shape {
	var mean, square float64
	for k, m := range masses {
		x, y := float64(k), float64(m)/(1<<unitBits)
		mean, square = mean+x*y, square+x*x*y
	}
	return shape{mean, math.Sqrt(max(square-mean*mean, 0))}
}

// unitBits is how fine masses of places are: integers in units of 2^−unitBits. Sums of sums of them along a law have to
// fit into an int64.
const unitBits = 50
