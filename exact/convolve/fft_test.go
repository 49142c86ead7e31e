// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

// BenchmarkFFT is the yardstick for BenchmarkConvolve: the same self-convolution in
// float64, without any guarantee (real transform, square, inverse, at the least
// power of two that holds the product).
func BenchmarkFFT(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000, 1000000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			size := 1
			for size < 2*n {
				size *= 2
			}
			fft := fourier.NewFFT(size)
			x := make([]float64, size)
			for i := range n {
				x[i] = 1 / float64(n)
			}
			out := make([]float64, size)
			coeff := make([]complex128, size/2+1)
			for b.Loop() {
				fft.Coefficients(coeff, x)
				for i, c := range coeff {
					coeff[i] = c * c
				}
				fft.Sequence(out, coeff)
			}
		})
	}
}
