// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"math"

	"dpverify/float/value"
)

// leastMass is a mass below which one counts as 0, or as leastMass, whichever is sound.
const leastMass = 1e-290

// A lattice is a measure with the mass masses[j] at the loss (first + j)·h, exactly.
type lattice struct {
	first  int
	h      float64
	masses []float64
	count  float64 // copies of it in a product
}

// log returns log M(γ), M(s) = Σ m·e^(−sx). The sum is compensated, see adder.
func (l *lattice) log(gamma float64) value.Value {
	weights, most := l.tilt(gamma)
	var sum adder
	err := 0.0
	for j, w := range weights {
		sum.add(w)
		err += w * l.weightErr(gamma, most, j)
	}
	total := sum.value()
	err = err*(1+1e-6) + sum.err() + float64(len(weights))*0x1p-1000
	return value.Within(total, err).Log().Add(value.Within(most, 0))
}

// weightErr bounds the relative error of a weight of tilt: u of γx, u of the exponent, 4u
// of the exponential and u of the product.
func (l *lattice) weightErr(gamma, most float64, j int) float64 {
	return (6 + 3*math.Abs(gamma*float64(l.first+j)*l.h) + 2*math.Abs(most)) * value.U
}

// tilt returns m·e^(−γx − most), 1 or next to it for the largest, for a number most. No
// exponential overflows: masses are 0 or at least leastMass. Weights below 2^−1000 are 0, as
// those who call allow for: arithmetic with subnormal numbers takes a hundred times as long.
func (l *lattice) tilt(gamma float64) (weights []float64, most float64) {
	weights = make([]float64, len(l.masses))
	most = math.Inf(-1)
	for j, m := range l.masses {
		if m > 0 {
			weights[j] = math.Log(m)
			most = math.Max(most, weights[j]-gamma*float64(l.first+j)*l.h)
		}
	}
	for j, m := range l.masses {
		if m > 0 {
			weights[j] = m * math.Exp(-gamma*float64(l.first+j)*l.h-most)
			if weights[j] < 0x1p-1000 {
				weights[j] = 0
			}
		}
	}
	return weights, most
}

// blockLength is the number of terms that are summed by Horner's rule.
const blockLength = 32

// A latticeLine is the transform of a lattice on Re s = γ, relative to M(γ) and about the
// point centre·h:
//
//	R(w) = e^(iw·centre·h)·M(γ + iw)/M(γ) = Σ_j t_j·e^(−iw(first + j − centre)h), Σ t_j = 1.
type latticeLine struct {
	*lattice
	left    *budget
	weights []float64 // t_j
	centre  int
	sd      float64 // an upper bound of the standard deviation of the loss
	// rounding bounds Σ|error of t_j|, and spread is Σ t_j·|first + j − centre|.
	rounding, spread float64
	atoms, variation float64 // see far
}

// line returns the transform on Re s = γ. The sum by which the weights are divided is off
// by as much as they are.
func (l *lattice) line(gamma float64, b *budget) *latticeLine {
	weights, most := l.tilt(gamma)
	line := &latticeLine{lattice: l, left: b, weights: weights}
	var sum adder
	for _, w := range weights {
		sum.add(w)
	}
	total := sum.value()
	mean := 0.0
	for j := range weights {
		weights[j] /= total
		mean += weights[j] * float64(j)
		line.rounding += 2 * weights[j] * (l.weightErr(gamma, most, j) + 2*value.U)
	}
	line.rounding = (line.rounding+2*sum.err()/total)*(1+1e-6) + float64(len(weights))*0x1p-1000/total
	line.centre = l.first + int(math.Round(mean))
	square := 0.0
	for j, w := range weights {
		d := float64(l.first + j - line.centre)
		line.spread += w * math.Abs(d)
		square += w * d * d
	}
	line.sd = math.Sqrt(square)*l.h*(1+1e-6) + line.rounding*float64(len(weights))*l.h
	line.split()
	return line
}

// at returns log R(w) with a bound of its error, as a line does.
//
// A step of Horner's rule is off by 8u (the product by 3u, the factor by 4u, the sum by
// u), a block's factor and its product by 8u, and the sum of n blocks by nu; the angles
// w·n·h by 4u of themselves.
func (l *latticeLine) at(w float64) (complex128, float64) {
	if !l.left.spend(len(l.weights)/4 + 1) {
		return 0, math.Inf(1)
	}
	theta := -w * l.h
	sin, cos := math.Sincos(theta)
	var re, im float64
	blocks := 0
	for start := 0; start < len(l.weights); start += blockLength {
		block := l.weights[start:min(start+blockLength, len(l.weights))]
		var a, b float64
		for j := len(block) - 1; j >= 0; j-- {
			a, b = a*cos-b*sin+block[j], a*sin+b*cos
		}
		s, c := math.Sincos(theta * float64(l.first+start-l.centre))
		re += a*c - b*s
		im += a*s + b*c
		blocks++
	}
	err := l.rounding + (float64(8*blockLength+16+blocks)+4*math.Abs(theta)*(l.spread+blockLength))*value.U
	return logRatio(complex(re, im), err*(1+1e-6))
}

// size returns an upper bound of |R(w)|.
func (l *latticeLine) size(w float64) float64 {
	return math.Min(1, sizeOf(l.at(w)))
}

// split cuts the weights at a height c into min(t, c) and the rest, atoms in all, with the
// height for which far is best where it matters. For
//
//	(1 − e^(−iθ))·Σ t_j·e^(−iθj) = Σ (t_j − t_(j−1))·e^(−iθj),
//
// a transform is at most the total variation of its weights over 2·sin(θ/2).
func (l *latticeLine) split() {
	most := 0.0
	for _, t := range l.weights {
		most = math.Max(most, t)
	}
	best := math.Inf(1)
	for c := most; c > most*0x1p-16; c /= 2 {
		atoms, variation, before := 0.0, 0.0, 0.0
		for _, t := range l.weights {
			low := math.Min(t, c)
			atoms += t - low
			variation += math.Abs(low - before)
			before = low
		}
		variation += before
		// At an angle of a few standard deviations.
		if x := atoms + variation/math.Min(1, 8*l.h/l.sd); x < best {
			best, l.atoms, l.variation = x, atoms, variation
		}
	}
	n := float64(len(l.weights))
	l.atoms = l.atoms*(1+2*n*value.U) + l.rounding
	l.variation = l.variation*(1+2*n*value.U) + 2*l.rounding
}

// far returns an upper bound of |R(v)| over w ≤ v ≤ π/h.
func (l *latticeLine) far(w float64) float64 {
	s := math.Sin(math.Min(math.Pi, w*l.h)/2) * (1 - 16*value.U)
	return math.Min(1, (l.atoms+l.variation/(2*s))*(1+1e-9))
}
