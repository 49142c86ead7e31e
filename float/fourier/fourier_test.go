// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/float/closed"
	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func resolve(t testing.TB, e mechanism.Event, d mechanism.Direction) pair.Product {
	t.Helper()
	ps, err := pair.Resolve(e, mechanism.AddOrRemoveOne, d)
	if err != nil {
		t.Fatal(err)
	}
	return ps[0]
}

func overlap(x, y value.Value) bool { return math.Abs(x.V-y.V) <= x.Err+y.Err }

// TestGaussQuadrature: the points of the rule are within legendreErr of zeros of the
// Legendre polynomial, and the weights within legendreErr of 2/((1 − x²)·P′(x)²), in arithmetic
// of 200 bits.
func TestGaussQuadrature(t *testing.T) {
	const prec = 200
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
	// legendre returns P and P′ by the recurrence.
	legendre := func(x *big.Float) (p, d *big.Float) {
		before, p := number(1), new(big.Float).Copy(x)
		for n := 1; n < nodes; n++ {
			a := new(big.Float).Mul(number(float64(2*n+1)), new(big.Float).Mul(x, p))
			a.Sub(a, new(big.Float).Mul(number(float64(n)), before))
			before, p = p, a.Quo(a, number(float64(n+1)))
		}
		d = new(big.Float).Mul(x, p)
		d.Sub(d, before)
		d.Mul(d, number(nodes))
		s := new(big.Float).Mul(x, x)
		return p, d.Quo(d, s.Sub(s, number(1)))
	}
	for i, x := range legendreX {
		root := number(x)
		for range 4 { // Newton
			p, d := legendre(root)
			root.Sub(root, p.Quo(p, d))
		}
		off, _ := new(big.Float).Sub(root, number(x)).Float64()
		_, d := legendre(root)
		w := new(big.Float).Mul(root, root)
		w.Sub(number(1), w)
		w.Mul(w, d.Mul(d, d))
		w.Quo(number(2), w)
		rel, _ := w.Quo(w, number(legendreW[i])).Float64()
		if math.Abs(off) > legendreErr || math.Abs(rel-1) > legendreErr {
			t.Errorf("point %d is off by %.2g, its weight by %.2g of itself", i, off, rel-1)
		}
	}
}

// TestAgainstClosedForms: Gaussians, single samples of them, and products with
// discrete mechanisms, which have closed forms. Err is no worse than 1e-9 of δ.
func TestAgainstClosedForms(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	n := 150
	if testing.Short() {
		n = 40
	}
	answered := 0
	for range n {
		rat := func(lo, hi float64) *big.Rat {
			return new(big.Rat).SetFloat64(math.Exp(math.Log(lo) + r.Float64()*math.Log(hi/lo)))
		}
		gauss := mechanism.Gaussian{NoiseMultiplier: rat(0.3, 20)}
		var e mechanism.Event
		switch r.Intn(3) {
		case 0:
			e = gauss
		case 1:
			e = mechanism.Composed{Events: []mechanism.Event{gauss, mechanism.EpsilonDelta{Epsilon: rat(0.05, 2), Delta: rat(1e-12, 1e-2)}}}
		case 2:
			e = mechanism.Composed{Events: []mechanism.Event{gauss, mechanism.SelfComposed{Event: mechanism.DiscreteLaplace{NoiseParameter: rat(0.05, 1), Sensitivity: 2}, Count: 3}}}
		}
		p := resolve(t, e, mechanism.Remove)
		f, ok := closed.Of(t.Context(), p)
		a, known := New(p)
		if !ok || !known {
			t.Fatalf("%s: closed form %v, transform %v", mechanism.EncodeEvent(e), ok, known)
		}
		eps := value.Exact(6 * r.Float64())
		want, got := f(eps), a.Delta(t.Context(), eps)
		if !overlap(want, got) {
			t.Errorf("%s at %v: %v, closed form %v", mechanism.EncodeEvent(e), eps.V, got, want)
		}
		if got.Rel() < 1e-9 || want.V < 1e-290 {
			answered++
		}
	}
	if answered < n*95/100 {
		t.Errorf("only %d of %d are accurate", answered, n)
	}
}

// TestSampledTransform: M(0) = M(1) = 1 cannot be asked for, so: the line at w = 0 is 1;
// log M equals log M of the reversed pair at 1 − s, computed by other powers; for rate near 1
// it tends to the Gaussian's.
func TestSampledTransform(t *testing.T) {
	s, _ := newSampled(pair.Sampled{Rate: big.NewRat(999999, 1000000), Base: pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 4)}, Count: 1}}})
	g := gaussian{value.Rat(big.NewRat(1, 4))}
	left := &budget{t.Context(), maxWork}
	for _, gamma := range []float64{-0.1, -1, -7} {
		a, b := s.log(gamma), g.log(gamma)
		if math.Abs(a.V-b.V) > 1e-4*(1+math.Abs(b.V)) {
			t.Errorf("γ = %v: log M = %v, of the Gaussian %v", gamma, a, b)
		}
		l := s.line(gamma, left)
		if z, err := l.at(0); math.Abs(real(z))+math.Abs(imag(z)) > err+1e-15 {
			t.Errorf("γ = %v: %v ± %v at 0", gamma, z, err)
		}
	}
}

// TestSampledQuadrature: twice as fine a rule gives the same transform within the
// errors.
func TestSampledQuadrature(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		s, _ := newSampled(pair.Sampled{Rate: big.NewRat(1, 20), Base: pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 1)}, Count: 1}}, Reversed: reversed})
		for _, gamma := range []float64{-0.3, -2, -9} {
			left := &budget{t.Context(), maxWork}
			coarse := &sampledLine{s: s, gamma: gamma, left: left}
			fine := &sampledLine{s: s, gamma: gamma, left: left}
			coarse.prepare(10)
			fine.prepare(200)
			for _, w := range []float64{0.1, 1, 5, 17} {
				x, ex := coarse.at(w)
				y, ey := fine.at(w)
				if d := math.Hypot(real(x)-real(y), imag(x)-imag(y)); d > ex+ey || ex*math.Exp(real(x)) > 1e-11 {
					t.Errorf("reversed %v, γ = %v, w = %v: %v ± %.2g and %v ± %.2g", reversed, gamma, w, x, ex, y, ey)
				}
			}
		}
	}
}

// TestTailBound: no point beyond w is above the bound on the tail.
func TestTailBound(t *testing.T) {
	testkit.SkipShort(t)
	for _, gamma := range testkit.Few(2, []float64{-0.5, -4, -12}) {
		for _, reversed := range []bool{false, true} {
			s, _ := newSampled(pair.Sampled{Rate: big.NewRat(1, 50), Base: pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 1)}, Count: 1}}, Reversed: reversed})
			left := &budget{t.Context(), 10 * maxWork}
			l := s.line(gamma, left).(*sampledLine)
			for _, w := range []float64{30, 100, 300} {
				z, _ := l.at(w)
				bound := l.tail(w, real(z)*0.9)
				for v := w; v < 8*w; v *= 1.03 {
					if z, err := l.at(v); !math.IsInf(err, 1) && real(z)-err > bound {
						t.Errorf("reversed %v, γ = %v: log|R(%.4g)| = %v > %v, the bound from %v on", reversed, gamma, v, real(z), bound, w)
						break
					}
				}
			}
		}
	}
}

// sgd is DP-SGD: sampled Gaussians.
func sgd(rate, sigma *big.Rat, steps int64) mechanism.Event {
	return mechanism.SelfComposed{Count: steps, Event: mechanism.PoissonSampled{SamplingProbability: rate, Event: mechanism.Gaussian{NoiseMultiplier: sigma}}}
}

// TestSGD: 65,536 steps of DP-SGD, accurate to 1e-9 in both directions.
func TestSGD(t *testing.T) {
	for _, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
		a, ok := New(resolve(t, sgd(big.NewRat(1, 100), big.NewRat(4, 1), 65536), d))
		if !ok {
			t.Fatal("no transform")
		}
		last := 1.0
		for _, eps := range []float64{0, 0.5, 1, 2, 3, 4, 5, 6} {
			v := a.Delta(t.Context(), value.Exact(eps))
			if v.Rel() > 1e-9 || v.V > last {
				t.Errorf("%v, δ(%v) = %v after %v", d, eps, v, last)
			}
			last = v.V
		}
	}
}

func BenchmarkSGD(b *testing.B) {
	a, _ := New(resolve(b, sgd(big.NewRat(1, 100), big.NewRat(4, 1), 65536), mechanism.Remove))
	for b.Loop() {
		for _, eps := range []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4} {
			a.Delta(b.Context(), value.Exact(eps))
		}
	}
}
