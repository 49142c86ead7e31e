// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package double

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestButterfliesRoundAlike: vectors round as Product and sums in Go do, to the last bit, next to overflow and underflow, too.
func TestButterfliesRoundAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []complex128 {
		out := make([]complex128, n)
		part := func() float64 { return math.Ldexp(r.Float64()-0.5, []int{0, 0, 0, 40, -40, 511, -537}[r.IntN(7)]) }
		for i := range out {
			out[i] = complex(part(), part())
		}
		return out
	}
	same := func(what string, h int, got, want []complex128) {
		t.Helper()
		bits := func(x []complex128) (out []uint64) {
			for _, y := range x {
				out = append(out, math.Float64bits(real(y)), math.Float64bits(imag(y)))
			}
			return out
		}
		if !slices.Equal(bits(got), bits(want)) {
			t.Errorf("%s of %d numbers, %d apart: other bits", what, len(got), h)
		}
	}
	for _, h := range []int{1, 2, 3, 4, 8, 12, 64} {
		for _, blocks := range []int{1, 2, 5} {
			x, y, roots := numbers(2*h*blocks), numbers(2*h*blocks), numbers(h)
			got, want := slices.Clone(x), slices.Clone(x)
			split(got, roots, h)
			for i, u := range x {
				if j := i % (2 * h); j < h {
					v := x[i+h]
					want[i], want[i+h] = u+v, Product(u-v, roots[j])
				}
			}
			same("split", h, got, want)
			copy(got, x)
			join(got, roots, h)
			for i, u := range x {
				if j := i % (2 * h); j < h {
					v := Product(x[i+h], complex(real(roots[j]), -imag(roots[j])))
					want[i], want[i+h] = u+v, u-v
				}
			}
			same("join", h, got, want)
			Products(got, x, y)
			for i, u := range x {
				want[i] = Product(u, y[i])
			}
			same("products", h, got, want)
		}
	}
}
