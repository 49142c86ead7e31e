// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"math"
	"math/big"
	"math/cmplx"
	"math/rand"
	"testing"

	"dpverify/float/closed"
	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestKernels: κ(s) is the series that it stands for, within its error and the error of the
// direct sum; its bound on a rectangle is above it on the rectangle.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		h := math.Exp(-6 * r.Float64())
		d := h * r.Float64()
		weights := []func(n int) float64{
			func(int) float64 { return 1 },
			func(n int) float64 { return -math.Expm1(-d - float64(n)*h) },
		}
		for k, kernel := range []kernel{tailKernel{h}, lossKernel{h, d}} {
			x := -math.Exp(4*r.Float64()-2) / math.Min(h, 0.5)
			s := complex(x, math.Pi/h*r.Float64())
			want := complex(0, 0)
			total := 0.0
			for n := 0; x*h*float64(n) > -45; n++ {
				w := weights[k](n)
				want += cmplx.Exp(s*complex(float64(n)*h, 0)) * complex(w, 0)
				total += math.Exp(x*h*float64(n)) * w * (8 + 8*math.Pi*float64(n)) * value.U
			}
			got, err := kernel.at(s)
			if e := cmplx.Abs(got - want); e > err+total+1e-18/(-x*h) {
				t.Errorf("kernel %d, h = %v, s = %v: %v ± %v, want %v", k, h, s, got, err, want)
			}
			if err > 1e-13*kernelSize(kernel, x) {
				t.Errorf("kernel %d, h = %v, s = %v: error %v", k, h, s, err)
			}
			left, right := x*1.5, x*0.5
			low := math.Pi / h * r.Float64()
			high := math.Min(1.2*math.Pi/h, low+r.Float64()/h)
			bound := kernel.bound(left, right, low, high)
			for range 20 {
				z := complex(left+(right-left)*r.Float64(), low+(high-low)*r.Float64())
				if v, _ := kernel.at(z); cmplx.Abs(v) > bound*(1+1e-12) {
					t.Errorf("kernel %d, h = %v: |κ(%v)| = %v > %v", k, h, z, cmplx.Abs(v), bound)
				}
			}
		}
	}
}

// kernelSize is the largest |κ| on Re s = x, that at x.
func kernelSize(k kernel, x float64) float64 {
	v, _ := k.at(complex(x, 0))
	return real(v)
}

// randomLattice draws masses that are smooth or not, with zeros and atoms.
func randomLattice(r *rand.Rand, n int) lattice {
	l := lattice{first: r.Intn(40) - 20, h: 0x1p-6, masses: make([]float64, n), count: 1}
	total := 0.0
	for j := range l.masses {
		x := float64(j)/float64(n) - 0.5
		l.masses[j] = math.Exp(-20 * x * x)
		switch r.Intn(40) {
		case 0:
			l.masses[j] = 0
		case 1:
			l.masses[j] *= float64(n) / 10
		}
		total += l.masses[j]
	}
	for j := range l.masses {
		l.masses[j] = math.Round(l.masses[j]/total*0x1p50) * 0x1p-50
	}
	return l
}

// TestLatticeTransform: the transform on a line is the sum that it stands for, in a
// different order and with other roundings, within the errors; no point of a line is above
// the bound of what is outside.
func TestLatticeTransform(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 60 {
		l := randomLattice(r, 1+r.Intn(300))
		gamma := -math.Exp(4*r.Float64() - 2)
		left := &budget{t.Context(), 1 << 30}
		line := l.line(gamma, left)
		m := l.log(gamma)
		for range 10 {
			w := math.Pi / l.h * r.Float64()
			var re, im adder
			slack := m.Err
			for j, p := range l.masses {
				x := float64(l.first+j) * l.h
				s, c := math.Sincos(-w * float64(l.first+j-line.centre) * l.h)
				y := p * math.Exp(-gamma*x-m.V)
				re.add(y * c)
				im.add(y * s)
				slack += y * (8 + 4*math.Abs(gamma*x) + 2*math.Abs(m.V) + 4*math.Abs(w*float64(l.first+j-line.centre)*l.h)) * value.U
			}
			want := complex(re.value(), im.value())
			z, err := line.at(w)
			if math.IsInf(err, 1) {
				if cmplx.Abs(want)-slack > math.Exp(real(z)) {
					t.Errorf("γ = %v, w = %v: |R| = %v, bound %v", gamma, w, cmplx.Abs(want), math.Exp(real(z)))
				}
				continue
			}
			if e := cmplx.Abs(cmplx.Exp(z) - want); e > err*cmplx.Abs(want)*(1+1e-6)+slack {
				t.Errorf("γ = %v, w = %v: %v ± %v, want %v", gamma, w, cmplx.Exp(z), err, want)
			}
			if size := line.size(w); size > 1 || size < cmplx.Abs(want)-slack {
				t.Errorf("γ = %v, w = %v: size %v of %v", gamma, w, size, want)
			}
			if far := line.far(w * r.Float64()); far < cmplx.Abs(want)-slack {
				t.Errorf("γ = %v, w = %v: |R| = %v > %v", gamma, w, cmplx.Abs(want), far)
			}
		}
	}
}

// TestPeriodicInverse: one period of the inverse transform is the sum over the masses of a
// product, which convolutions give: of positive numbers, so each is off by (n + 1)u.
func TestPeriodicInverse(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	const n, k = 40, 64
	answered := 0
	for range 20 {
		l := randomLattice(r, n)
		l.count = k
		product := l.masses
		for range 6 {
			next := make([]float64, 2*len(product)-1)
			for i, x := range product {
				for j, y := range product {
					next[i+j] += x * y
				}
			}
			product = next
		}
		start := k * l.first
		mean := 0.0
		for i, m := range product {
			mean += m * float64(i)
		}
		first := start + int(mean) + r.Intn(2*n)
		d := l.h * r.Float64()
		weights := []func(x float64) float64{func(float64) float64 { return 1 }, func(x float64) float64 { return -math.Expm1(-x) }}
		for i, kernel := range []kernel{tailKernel{l.h}, lossKernel{l.h, d}} {
			var want adder
			for j := first - start; j < len(product); j++ {
				want.add(product[j] * weights[i](d+float64(j-first+start)*l.h))
			}
			x := periodic{terms: []lattice{l}, h: l.h, first: float64(first), kernel: kernel}
			gamma, ok := x.saddle(t.Context())
			if !ok {
				t.Fatal("no saddle")
			}
			got := x.integrate(t.Context(), gamma)
			if math.IsInf(got.Err, 1) {
				continue
			}
			answered++
			if slack := (2*n*k + 8) * value.U * want.value(); math.Abs(got.V-want.value()) > got.Err+slack || got.Rel() > 1e-9 {
				t.Errorf("kernel %d: %v, want %v", i, got, want.value())
			}
		}
	}
	if answered < 30 {
		t.Errorf("%d of 40 answered", answered)
	}
	if x := (&periodic{terms: []lattice{{first: 1, h: 1, masses: []float64{1, 1}, count: 3}}, h: 1, first: 7, kernel: tailKernel{1}}); x.integrate(t.Context(), -1) != (value.Value{}) {
		t.Error("an empty sum is not 0")
	}
}

func copies(p pair.Pair, k int64) pair.Product { return pair.Product{{Pair: p, Count: k}} }

// TestAlgorithm2EnclosesTheTruth: [Zhu, Dong & Wang 2022, Lemma 40, Corollary 41, Theorem
// 44, corrected] for every number of cells, however small, the discretised bounds enclose δ,
// which other accountants know to many more digits.
func TestAlgorithm2EnclosesTheTruth(t *testing.T) {
	gauss := pair.Gaussian{Mu2: big.NewRat(1, 400)}
	sampled := pair.Sampled{Rate: big.NewRat(1, 20), Base: copies(pair.Gaussian{Mu2: big.NewRat(1, 4)}, 1)}
	whole, _ := New(copies(sampled, 400))
	reversed := sampled
	reversed.Reversed = true
	added, _ := New(copies(reversed, 400))
	mixed := pair.Product{{Pair: gauss, Count: 200}, {Pair: sampled, Count: 100}}
	both, _ := New(pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 2)}, Count: 1}, {Pair: sampled, Count: 100}})
	at := func(a *Accountant) func(value.Value) value.Value {
		return func(eps value.Value) value.Value { return a.Delta(t.Context(), eps) }
	}
	for _, c := range []struct {
		name  string
		p     pair.Product
		truth func(value.Value) value.Value
	}{
		{"Gaussian", copies(gauss, 400), closed.Gaussian(value.Exact(1))},
		{"removed sample", copies(sampled, 400), at(whole)},
		{"added sample", copies(reversed, 400), at(added)},
		{"mixed", mixed, at(both)},
	} {
		for _, n := range []int{24, 100, 1000, 4096} {
			if testing.Short() && n > 100 {
				continue
			}
			d, ok := discretise(t.Context(), c.p, func(float64) int { return n })
			if !ok {
				t.Fatalf("%s: no cells", c.name)
			}
			for _, e := range []float64{-0.2, 0, 0.3, 1, 2.5} {
				want := c.truth(value.Exact(e))
				lo, hi := d.lower(t.Context(), value.Exact(e)), d.bound(t.Context(), value.Exact(e))
				if lo > want.Hi() || hi < want.Lo() {
					t.Errorf("%s, %d cells at %v: [%v, %v], want %v", c.name, n, e, lo, hi, want)
				}
				if n == 4096 && e > 0 && hi-lo > 1e-2*hi {
					t.Errorf("%s at %v: [%v, %v] is wide", c.name, e, lo, hi)
				}
			}
		}
	}
}

// TestAlgorithm2InfiniteMass: a mechanism of infinite loss m has δ ≥ 1 − (1 − m)^k, at any ε.
func TestAlgorithm2InfiniteMass(t *testing.T) {
	testkit.SkipShort(t)
	x := pair.Truncated{Noise: mechanism.GaussianNoise, Width: big.NewRat(20, 1), Sensitivity: big.NewRat(1, 1), Radius: big.NewRat(40, 1)}
	_, inf, _ := closed.TailsOf(x)
	d, ok := Discretise(t.Context(), copies(x, 50))
	if !ok {
		t.Fatal("no cells")
	}
	want := inf.Neg().Log1p().Scale(50).Expm1().Neg()
	last := math.Inf(1)
	for _, e := range []float64{1, 3, 5, 20} {
		v := d.Delta(t.Context(), value.Exact(e))
		if v.Hi() < want.Lo() || v.Lo() > last {
			t.Errorf("δ(%v) = %v, infinite mass %v, before %v", e, v, want, last)
		}
		last = v.Hi()
	}
	if last > want.V*(1+1e-6) {
		t.Errorf("δ = %v beyond all finite losses, want %v", last, want)
	}
}

// TestAlgorithm2SecondOrder: twice as many cells make the bounds four times as near.
func TestAlgorithm2SecondOrder(t *testing.T) {
	p := copies(pair.Sampled{Rate: big.NewRat(1, 20), Base: copies(pair.Gaussian{Mu2: big.NewRat(1, 4)}, 1)}, 400)
	width := func(n int) float64 {
		d, _ := discretise(t.Context(), p, func(float64) int { return n })
		return d.bound(t.Context(), value.Exact(1)) - d.lower(t.Context(), value.Exact(1))
	}
	if ratio := width(1024) / width(2048); ratio < 3 || ratio > 5 {
		t.Errorf("ratio of widths %v", ratio)
	}
}

// TestAlgorithm2FewCopies: where the transform does not fall, nothing is claimed.
func TestAlgorithm2FewCopies(t *testing.T) {
	if _, ok := Discretise(t.Context(), copies(pair.Laplace{Shift: big.NewRat(1, 2)}, leastCopies-1)); ok {
		t.Error("few copies were taken")
	}
	d, ok := Discretise(t.Context(), copies(pair.Laplace{Shift: big.NewRat(1, 2)}, leastCopies))
	if !ok {
		t.Fatal("no cells")
	}
	if v := d.Delta(t.Context(), value.Exact(1)); v.Lo() > 0 || v.Hi() < 1 {
		t.Errorf("δ = %v, want nothing known", v)
	}
}

func BenchmarkDiscretised(b *testing.B) {
	p := copies(pair.Sampled{Rate: big.NewRat(1, 100), Base: copies(pair.Laplace{Shift: big.NewRat(1, 1)}, 1)}, 1000)
	for b.Loop() {
		d, _ := Discretise(b.Context(), p)
		d.Delta(b.Context(), value.Exact(1))
	}
}
