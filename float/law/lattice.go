// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package law

import (
	"math"

	"dpverify/float/value"
)

// step returns the largest h such that all losses are integer multiples of h to within
// tol, with multiples of at most 2^12; 0 if there is none. It is a guess that
// latticePower verifies.
func (l Law) step(tol float64) float64 {
	h := 0.0
	for _, x := range l.Loss {
		a, b := math.Abs(x), h
		for b > 4096*tol && a > 4096*tol {
			a, b = b, math.Mod(a, b)
			if b > a/2 { // a remainder just below the divisor is one of 0, below
				b = a - b
			}
		}
		h = math.Max(a, b)
	}
	if h == 0 || l.span()/h > 4096 {
		return 0
	}
	// The gcd has lost accuracy; the largest multiple gives it back.
	s := l.span()
	return s / math.Round(s/h)
}

// latticePower returns the law of k copies by direct convolution on a lattice of
// losses i·h. Every loss is rounded to a multiple of h, which moves it by at most
// move, and the sum of k by at most k times that.
func (l Law) latticePower(k int64) (Law, bool) {
	tol := 16*value.U*l.span() + 2*l.LossErr
	h := l.step(tol)
	if h == 0 {
		return Law{}, false
	}
	lo := int64(math.Round(l.Loss[0] / h))
	hi := int64(math.Round(l.Loss[len(l.Loss)-1] / h))
	base := make([]float64, hi-lo+1)
	move := 0.0
	for i, x := range l.Loss {
		n := math.Round(x / h)
		move = math.Max(move, math.Abs(x-n*h)+2*value.U*math.Abs(x))
		base[int64(n)-lo] += l.P[i]
	}
	if move > 64*tol || k > maxAtoms/int64(len(base)) || float64(k*k)/3*float64(len(base)*len(base)) > maxWork {
		return Law{}, false
	}
	rel := l.Rel + float64(len(l.Loss))*value.U
	out, outRel := []float64{1}, 0.0
	lost := 0.0
	for n := k; ; {
		if n&1 == 1 {
			out, outRel = convolve(out, base), outRel+rel+roundings(out, base)
		}
		if n >>= 1; n == 0 {
			break
		}
		base, rel = convolve(base, base), 2*rel+roundings(base, base)
	}
	r := Law{Rel: outRel * (1 + outRel) * (1 + 1e-9)}
	r.LossErr = float64(k) * (move + l.LossErr) * (1 + 8*value.U)
	for i, p := range out {
		if p < 0x1p-1000 { // terms of it may have underflowed
			lost += p + 0x1p-999
			continue
		}
		x := float64(k*lo+int64(i)) * h
		r.Loss, r.P = append(r.Loss, x), append(r.P, p)
	}
	r.LossErr += 4 * value.U * r.span()
	r.Rest = (float64(k)*l.Rest + lost) * (1 + 1e-9)
	return r, true
}

// roundings bounds the relative error that a convolution of exact positive vectors
// adds: each entry is a sum of at most min(len) products, (min(len) + 1)·u.
func roundings(a, b []float64) float64 {
	return float64(min(len(a), len(b))+1) * value.U * (1 + 1e-9)
}

// convolve returns the convolution. Products below 2^−1022 lose relative accuracy; they
// change an entry above 2^−1000 by less than a rounding, and smaller entries are left
// out in the end.
func convolve(a, b []float64) []float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	out := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		row := out[i : i+len(b)]
		for j, y := range b {
			row[j] += x * y
		}
	}
	return out
}
