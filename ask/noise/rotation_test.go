// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package noise

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The directions of vectors are even: their mean is 0, E u·uᵀ is the identity over d, and the parts of
// all orthants are equal; the lengths are the lengths of the radius.
func TestRotation(t *testing.T) {
	g := grid(40, 4)
	e := g.Event(Round(Families[0].Half(g, 0.3, 3)))
	const d, draws = 3, 60000
	s, err := NewSampler(e, rand.NewChaCha8([32]byte{7}))
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRotation(s, e.Cell, d)
	if err != nil {
		t.Fatal(err)
	}
	var mean [d]float64
	var second [d][d]float64
	var orthants [1 << d]float64
	square := 0.0
	for range draws {
		x, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		norm, orthant := 0.0, 0
		for i, y := range x {
			norm += y * y
			if y > 0 {
				orthant |= 1 << i
			}
		}
		orthants[orthant]++
		square += norm
		for i := range x {
			mean[i] += x[i] / math.Sqrt(norm) / draws
			for j := range x {
				second[i][j] += x[i] * x[j] / norm / draws
			}
		}
	}
	for i := range d {
		if math.Abs(mean[i]) > 5/math.Sqrt(d*draws) {
			t.Errorf("the mean of entry %d is %v", i, mean[i])
		}
		for j := range d {
			want := 0.0
			if i == j {
				want = 1.0 / d
			}
			if math.Abs(second[i][j]-want) > 5*0.3/math.Sqrt(draws) {
				t.Errorf("E u_%d·u_%d = %v, want %v", i, j, second[i][j], want)
			}
		}
	}
	chi := 0.0
	for _, n := range orthants {
		chi += (n - draws/8.0) * (n - draws/8.0) / (draws / 8.0)
	}
	if chi > 7+5*math.Sqrt(14) {
		t.Errorf("chi-square of the orthants %v", chi)
	}
	_, want := Moments(e)
	w, _ := want.Float64()
	if math.Abs(square/draws-w) > 5*w*1.5/math.Sqrt(draws) {
		t.Errorf("E|x|² = %v, want %v", square/draws, w)
	}
	for _, n := range []int{0, -1, MaxDimension + 1} {
		if _, err := NewRotation(s, e.Cell, n); err == nil {
			t.Errorf("dimension %d", n)
		}
	}
}
