// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// random returns a vector with some masses, of few bits, so that all roundings show.
func random(r *rand.Rand, lower bool) *vector {
	const bits = 12
	n := 1 + r.Int64N(7)
	first := r.Int64N(9) - 4
	v := newVector(big.NewRat(1, 2), first, first+n-1, bits, lower)
	v.count = []int64{1}
	left := int64(1 << bits)
	for i := range v.a {
		m := r.Int64N(left/2 + 1)
		if r.IntN(3) == 0 {
			m = 0
		}
		left -= m
		v.a[i].SetInt64(m)
		if lower {
			v.b[i].SetInt64(r.Int64N(1<<bits/4 + 1))
		}
	}
	return v
}

// profile is u(α) in float64, from the definition; Q-masses are b on the lower side.
func (v *vector) profileAt(alpha float64) float64 {
	u, sum := 0.0, 0.0
	step, _ := v.step.Float64()
	for i, m := range v.a {
		a := float(m, v.prec)
		sum += a
		u += math.Max(0, a*(1-alpha*math.Exp(-step*float64(v.first+int64(i)))))
	}
	return u + 1 - sum
}

func float(m *big.Int, bits uint) float64 {
	f, _ := new(big.Float).SetInt(m).Float64()
	return math.Ldexp(f, -int(bits))
}

// product is the profile of the exact product, by the definition.
func product(v, w *vector, alpha float64) float64 {
	step, _ := v.step.Float64()
	u, sum := 0.0, 0.0
	for i, a := range v.a {
		for j, b := range w.a {
			m := float(a, v.prec) * float(b, w.prec)
			sum += m
			u += math.Max(0, m*(1-alpha*math.Exp(-step*float64(v.first+w.first+int64(i+j)))))
		}
	}
	return u + 1 - sum
}

const tiny = 1e-12 // of the float64 sums here

// TestTheUpperSideRises: coarsening, cutting and products raise the profile, and by little.
func TestTheUpperSideRises(t *testing.T) {
	setPrecision(96)
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		work, entries = 0, 0
		v, w := random(r, false), random(r, false)
		c, p := v.coarsen(), v.times(w)
		var cut *vector
		if len(v.a) > 2 {
			cut = v.cut(1, len(v.a)-1)
		}
		for k := -12; k <= 12; k++ {
			alpha := math.Exp(float64(k) / 3)
			u := v.profileAt(alpha)
			if x := c.profileAt(alpha); x < u-tiny || x > u+0.13 {
				t.Fatalf("coarsening takes u(%v) from %v to %v", alpha, u, x)
			}
			if cut != nil && cut.profileAt(alpha) < u-tiny {
				t.Fatalf("a cut takes u(%v) from %v to %v", alpha, u, cut.profileAt(alpha))
			}
			exact := product(v, w, alpha)
			if x := p.profileAt(alpha); x < exact-tiny || x > exact+0x1p-10 {
				t.Fatalf("a product has u(%v) = %v, and is rounded to %v", alpha, exact, x)
			}
			eps := new(big.Rat).SetFloat64(math.Round(float64(k)*1024/3) / 1024)
			f, _ := eps.Float64()
			bound, _ := atMost(v, w, eps).Float64()
			if exact := product(v, w, math.Exp(f)); bound < exact-tiny || bound > exact+tiny {
				t.Fatalf("δ(%v) ≤ %v, want %v", f, bound, exact)
			}
		}
	}
}

// sums are the total masses of groups.
func (v *vector) sums() (a, b *big.Int) {
	a, b = new(big.Int), new(big.Int)
	for i := range v.a {
		a.Add(a, v.a[i])
		b.Add(b, v.b[i])
	}
	return a, b
}

// TestTheLowerSideFalls: on the lower side, P-masses fall and Q-masses rise, in all and for each
// index of a product.
func TestTheLowerSideFalls(t *testing.T) {
	setPrecision(96)
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		work, entries = 0, 0
		v, w := random(r, true), random(r, true)
		a, b := v.sums()
		ca, cb := v.coarsen().sums()
		if ca.Cmp(a) > 0 || cb.Cmp(b) < 0 {
			t.Fatal("coarsening does not round outward")
		}
		p := v.times(w)
		for k := range p.a {
			x, y := new(big.Int), new(big.Int)
			for i := range v.a {
				if j := k - i; j >= 0 && j < len(w.a) {
					x.Add(x, new(big.Int).Mul(v.a[i], w.a[j]))
					y.Add(y, new(big.Int).Mul(v.b[i], w.b[j]))
				}
			}
			if new(big.Int).Lsh(p.a[k], v.prec).Cmp(x) > 0 || new(big.Int).Lsh(p.b[k], v.prec).Cmp(y) < 0 {
				t.Fatal("a product does not round outward")
			}
		}
		// Every set bounds: so does the best of those looked at.
		eps := big.NewRat(r.Int64N(9)-4, 3)
		f, _ := eps.Float64()
		best := 0.0
		for i, x := range v.a {
			for j, y := range w.a {
				best += math.Max(0, float(x, v.prec)*float(y, v.prec)-math.Exp(f)*float(v.b[i], v.prec)*float(w.b[j], v.prec))
			}
		}
		if got, _ := atLeast(v, w, eps).Float64(); got > best+tiny {
			t.Fatalf("δ ≥ %v, and no set has more than %v", got, best)
		}
		if cut := v.cut; len(v.a) > 2 {
			x := cut(1, len(v.a)-1)
			if xa, xb := x.sums(); xa.Cmp(a) > 0 || xb.Cmp(b) > 0 || len(x.b) != len(x.a) {
				t.Fatal("a cut does not drop both masses")
			}
		}
	}
}

func TestConvolve(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		a, b := zeros(1+r.IntN(9)), zeros(1+r.IntN(9))
		for _, x := range [][]*big.Int{a, b} {
			for _, y := range x {
				y.Rsh(new(big.Int).SetUint64(r.Uint64()), uint(r.IntN(64)))
			}
		}
		for k, x := range convolve(a, b) {
			want := new(big.Int)
			for i := range a {
				if j := k - i; j >= 0 && j < len(b) {
					want.Add(want, new(big.Int).Mul(a[i], b[j]))
				}
			}
			if x.Cmp(want) != 0 {
				t.Fatalf("%v · %v at %d: %v, want %v", a, b, k, x, want)
			}
		}
	}
}

// TestStepsThatAreTooLarge: a step beyond binary64, times an index 0, would be no number of bits.
func TestStepsThatAreTooLarge(t *testing.T) {
	step := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil))
	for _, levels := range []int{0, 40} {
		err := func() (err error) {
			defer recovered(&err)
			leaf{Index: []int64{0}, Levels: levels}.reach(&grid{step: step})
			return nil
		}()
		if err == nil || err.Error() != "a step that is too large" {
			t.Errorf("at level %d: %v", levels, err)
		}
	}
}
