// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"

	"dpverify/float/value"
)

// stageErr bounds the relative error of one stage of gonum's transform: a complex
// product with a rounded factor, and the sums of a butterfly of up to five terms. Each
// output of a transform of length n is a sum that passes log₂ n stages at most, so it is
// off by at most log₂ n·stageErr of the sum of the absolute values of all inputs. The
// package's tests measure it.
const stageErr = 32 * value.U

// A vector is a tilted, normalised factor: masses m_i·e^(λx_i)/total.
type vector struct {
	masses []float64
	first  int
	count  float64
	err    float64 // bounds the sum of the errors of the masses
	log    value.Value
	mean   float64
	square float64
}

// tilt returns the vector of masses with bounds of their errors.
func tilt(m, e []float64, first int, h, lambda, count float64) vector {
	v := vector{masses: make([]float64, len(m)), first: first, count: count}
	most := math.Inf(-1)
	for i, x := range m {
		if x > 0 {
			most = math.Max(most, math.Log(x)+lambda*float64(first+i)*h)
		}
	}
	total := 0.0
	for i := range m {
		x := float64(first+i) * h
		w := math.Exp(lambda*x - most)
		y := m[i] * w
		v.masses[i] = y
		v.err += e[i]*w*(1+1e-9) + y*(8+3*(math.Abs(lambda*x)+math.Abs(most)))*value.U
		total += y
		v.mean += y * x
		v.square += y * x * x
	}
	v.err = v.err/total*(1+1e-9) + float64(len(m))*0x1p-1000
	for i := range v.masses {
		v.masses[i] /= total
	}
	v.err += 4 * value.U
	v.mean /= total
	v.square /= total
	// The log of the exact total of these masses times e^most: their sum has its own
	// rounding, n·u.
	v.log = value.Within(total, total*float64(len(m)+4)*value.U).Log().Add(value.Within(most, 0))
	return v
}

// isOrdinary reports whether all numbers are finite: with a single finite loss and a huge
// tilt they may not be, and nothing is known then.
func (v *vector) isOrdinary() bool {
	sum := v.err + v.mean + v.square + v.log.V + v.log.Err
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// A composition is the convolution of the counts of some vectors, normalised.
type composition struct {
	masses []float64 // entry j is the mass at the points ≡ j + shift modulo the length
	shift  int
	err    float64     // bounds the Euclidean norm of the errors, but for what wraps around
	log    value.Value // of what the masses were divided by
}

// compose convolves by a transform of length n; false if ctx ends.
//
// With |F̂ − F| ≤ e for each factor, |F̂^k − F^k| ≤ k·e·(|F| + e)^(k−1); a power by
// polar coordinates is off by 12ku of itself besides. The norm of a vector is the norm of its
// transform over √n [Parseval], and the inverse transform is off by log₂ n·stageErr in
// norm.
func compose(ctx context.Context, vs []vector, n int) (composition, bool) {
	fft := fourier.NewFFT(n)
	stages := math.Ceil(math.Log2(float64(n))) * stageErr
	half := n/2 + 1
	logs := make([]complex128, half)
	bound := make([]float64, half)  // Π(|F| + e)^k, as a logarithm
	errors := make([]float64, half) // Σ k·e/(|F| + e)
	c := composition{}
	folded := make([]float64, n)
	coefficients := make([]complex128, half)
	for _, v := range vs {
		if ctx.Err() != nil {
			return composition{}, false
		}
		clear(folded)
		for i, m := range v.masses {
			folded[i%n] += m
		}
		fft.Coefficients(coefficients, folded)
		e := v.err + stages*(1+v.err) + 8*value.U
		for j, f := range coefficients {
			abs := cmplx.Abs(f)
			logs[j] += complex(v.count*math.Log(math.Max(abs, 1e-300)), v.count*cmplx.Phase(f))
			bound[j] += v.count * math.Log(abs+e)
			errors[j] += v.count * (e/(abs+e) + 12*value.U)
		}
		c.shift += v.first * int(v.count)
		c.log = c.log.Add(v.log.Scale(v.count))
	}
	var errs, sizes float64 // sums of squares
	for j, l := range logs {
		size := math.Exp(bound[j])
		weight := 2.0
		if j == 0 || 2*j == n {
			weight = 1
		}
		errs += weight * size * size * errors[j] * errors[j]
		sizes += weight * size * size
		r := math.Exp(real(l))
		s, k := math.Sincos(imag(l))
		coefficients[j] = complex(r*k, r*s)
	}
	c.masses = fft.Sequence(folded, coefficients)
	for j := range c.masses {
		c.masses[j] /= float64(n)
	}
	c.err = (math.Sqrt(errs) + stages*math.Sqrt(sizes)) / math.Sqrt(float64(n)) * (1 + 1e-6)
	return c, true
}

// at returns the entry for point i of the line.
func (c *composition) at(i int) float64 {
	n := len(c.masses)
	j := (i - c.shift) % n
	if j < 0 {
		j += n
	}
	return c.masses[j]
}
