// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fft

import (
	"math"
	"testing"

	"dpverify/float/fourier"
	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// copiesOf are k copies of the pair of an event, which is of one.
func copiesOf(t *testing.T, e mechanism.Event, k int64) pair.Product {
	t.Helper()
	ps, err := pair.Resolve(e, mechanism.AddOrRemoveOne, mechanism.Remove)
	if err != nil || len(ps) != 1 || len(ps[0]) != 1 {
		t.Fatal(ps, err)
	}
	return pair.Product{{Pair: ps[0][0].Pair, Count: k}}
}

func guarantee(t *testing.T, k int64) pair.Product {
	return copiesOf(t, mechanism.EpsilonDelta{Epsilon: testkit.Rat("1/10"), Delta: testkit.Rat("1e-10")}, k)
}

func gaussian(t *testing.T, sigma string, k int64) pair.Product {
	return copiesOf(t, mechanism.Gaussian{NoiseMultiplier: testkit.Rat(sigma)}, k)
}

// TestAgainstThePrograms: what the programs of the two papers' authors answer for k guarantees (0.1, 1e-10) at δ =
// 1e-8. Source: prv_accountant 0.2.0, ApproximateDPMechanism, eps_error 0.001, delta_error 1e-11; dp_accounting 0.6.0,
// from_privacy_parameters(…).self_compose(k).get_epsilon_for_delta(1e-8), in float64 as printed.
func TestAgainstThePrograms(t *testing.T) {
	for _, c := range testkit.Few(2, []struct {
		k                    int64
		prvLow, prv, prvHigh float64
		pld, exact           float64
	}{
		{1, 0.0990212543525179, 0.1000212543715663, 0.10102125439061467, 0.09999998114210945, 0.099999981142109},
		{10, 0.998780435175687, 0.999780441464687, 1.000780447753687, 0.9999943399166453, 0.99999433991601},
		{20, 1.9961308159415923, 1.9971347836108067, 1.9981387512642783, 1.9968308982286884, 1.9968308978319},
		{50, 3.7784756414994654, 3.779577232721844, 3.780678813624501, 3.779465771041999, 3.7794657542731},
		{90, 5.585204609291275, 5.586931970053556, 5.588658802146732, 5.58663373101437, 5.5866336346759},
	}) {
		a, ok := NewPRV(guarantee(t, c.k), 1e-3, 1e-11)
		if !ok {
			t.Fatal("no accountant")
		}
		low, high := a.EpsilonBounds(1e-8)
		for i, x := range [][2]float64{{low, c.prvLow}, {a.Epsilon(1e-8), c.prv}, {high, c.prvHigh}} {
			if math.Abs(x[0]-x[1]) > 1e-6 {
				t.Errorf("k = %d: PRV has %v, its program %v (%d)", c.k, x[0], x[1], i)
			}
		}
		if low > c.exact || high < c.exact {
			t.Errorf("k = %d: PRV has [%v, %v], exact is %v", c.k, low, high, c.exact)
		}
		g, ok := PLD(guarantee(t, c.k), PLDInterval, PLDTruncation)
		if !ok {
			t.Fatal("no accountant")
		}
		over, theirs := g.Epsilon(1e-8)-c.exact, c.pld-c.exact
		if over <= -1e-12 || over > 2*theirs+1e-12 || over < theirs/2-1e-12 {
			t.Errorf("k = %d: PLD is %v over what is exact, its program %v", c.k, over, theirs)
		}
	}
	// Of δ = 1e-8 for 100 guarantees 4.95e-17 are left: neither sees it.
	g, _ := PLD(guarantee(t, 100), PLDInterval, PLDTruncation)
	a, _ := NewPRV(guarantee(t, 100), 1e-3, 1e-11)
	if _, high := a.EpsilonBounds(1e-8); !math.IsInf(high, 1) || !math.IsInf(g.Epsilon(1e-8), 1) {
		t.Errorf("k = 100: ε = %v and %v", high, g.Epsilon(1e-8))
	}
}

// TestEncloseTheTruth: rounding up and down, and the errors of PRV, enclose δ of Gaussians, alone and with randomized
// response; a finer grid is nearer.
func TestEncloseTheTruth(t *testing.T) {
	rr := guarantee(t, 5)
	for _, p := range []pair.Product{gaussian(t, "5", 40), append(gaussian(t, "5", 10), rr...)} {
		f, ok := fourier.New(p)
		if !ok {
			t.Fatal(p)
		}
		for _, eps := range []float64{0, 0.5, 1} {
			want := f.Delta(t.Context(), value.Exact(eps)).V
			last := math.Inf(1)
			for _, n := range []int{1 << 12, 1 << 14} {
				up, _ := FourierUpper(p, 10, n)
				down, _ := FourierLower(p, 10, n)
				lo, hi := down.Delta(eps), up.Delta(eps)
				if lo >= want || hi <= want || hi-lo > last/3.9 {
					t.Errorf("%v, %d points: [%v, %v], want %v at %v", p, n, lo, hi, want, eps)
				}
				last = hi - lo
			}
			a, _ := NewPRV(p, 0.01, 1e-9)
			lo, hi := a.Delta(eps+0.01)-1e-9, a.Delta(eps-0.01)+1e-9
			if lo >= want || hi <= want || math.Abs(a.Delta(eps)-want) > 1e-4 {
				t.Errorf("%v: PRV has [%v, %v], want %v at %v", p, lo, hi, want, eps)
			}
			if eps > 0 {
				if lo, hi := a.EpsilonBounds(want); lo >= eps || hi <= eps || hi-lo > 0.021 {
					t.Errorf("%v: PRV has ε in [%v, %v], want %v", p, lo, hi, eps)
				}
			}
		}
	}
}

// TestPoints: n grows with k and with 1/δ_err for the Fourier accountant, and with √k, 1/ε_err and the logarithm of
// 1/δ_err for PRV, where the range of losses does not.
func TestPoints(t *testing.T) {
	few, _ := FourierPoints(gaussian(t, "50", 25), 10, 1<<16, 0, 1e-6)
	more, _ := FourierPoints(gaussian(t, "50", 100), 10, 1<<16, 0, 1e-6)
	finer, _ := FourierPoints(gaussian(t, "50", 25), 10, 1<<16, 0, 1e-7)
	if more < 3.7*few || more > 4*few || math.Abs(finer/few-10) > 1e-3 {
		t.Errorf("n is %v, %v for 4 times the copies, %v for a tenth of the error", few, more, finer)
	}
	const n = 1 << 18
	up, _ := FourierUpper(gaussian(t, "50", 25), 10, n)
	down, _ := FourierLower(gaussian(t, "50", 25), 10, n)
	if d := up.Delta(0) - down.Delta(0); math.Abs(d*n/few*1e6-1) > 1e-3 {
		t.Errorf("with %v points the error is %v, and 1e-6 is to be reached with %v", n, d, few)
	}
	_, h, points, _ := PRVPoints(gaussian(t, "50", 25), 1e-3, 1e-10)
	_, h4, _, _ := PRVPoints(gaussian(t, "50", 100), 1e-3, 1e-10)
	_, _, n10, _ := PRVPoints(gaussian(t, "50", 25), 1e-4, 1e-10)
	if math.Abs(h/h4-2) > 1e-12 || math.Abs(n10/points-10) > 1e-3 || math.Abs(h-1e-3/math.Sqrt(12.5*math.Log(12e10))) > 1e-12 {
		t.Errorf("h = %v, %v for 4 times the copies; n = %v, %v for a tenth of the error", h, h4, points, n10)
	}
	for _, bad := range []pair.Product{{}, {{Pair: pair.Laplace{Shift: testkit.Rat("1")}, Count: 1}}} {
		if _, ok := NewPRV(bad, 0.1, 1e-9); ok {
			t.Errorf("%v has an accountant", bad)
		}
		if _, ok := FourierUpper(bad, 10, 64); ok {
			t.Errorf("%v has an accountant", bad)
		}
	}
	if _, ok := PLD(gaussian(t, "5", 1), PLDInterval, PLDTruncation); ok {
		t.Error("PLD knows a Gaussian")
	}
}

// TestChernoff: beyond holds the tail of a normal sum, and is near its bound.
func TestChernoff(t *testing.T) {
	laws, _, _ := lawsOf(gaussian(t, "5", 25)) // of mean ½ and variance 1
	hi, lo := beyond(laws, 1e-6, 1), beyond(laws, 1e-6, -1)
	want := math.Sqrt(2 * math.Log(1e6))
	if math.Abs(hi-0.5-want) > 0.02 || math.Abs(0.5-lo-want) > 0.02 {
		t.Errorf("[%v, %v], want ½ ± %v", lo, hi, want)
	}
}
