// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"math"
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/others/accountants"
	"dpverify/internal/testkit"
)

func middle(y interval.Interval) float64 {
	lo, _ := y.Lo().Float64()
	hi, _ := y.Hi().Float64()
	return (lo + hi) / 2
}

// TestOriginalBounds: the original bounds of Vuvuzela's recommended noise are the values of their formulas in float64,
// ε at a δ and δ at an ε are inverse to each other, and the noise meets the target for about as many rounds as its
// authors say.
func TestOriginalBounds(t *testing.T) {
	for _, c := range []struct {
		location, scale string
		r               int64
		conversation    bool
	}{
		{"8000", "500", 1200, false}, {"13000", "770", 2900, false}, {"20000", "1130", 7000, false},
		{"150000", "7300", 70000, true}, {"300000", "13800", 240000, true}, {"450000", "20000", 500000, true},
	} {
		n := noise{false, c.location, c.scale}
		mu, _ := rat(c.location).Float64()
		b, _ := rat(c.scale).Float64()
		eps, delta := 2/b, math.Exp((2-mu)/b)/2
		if c.conversation {
			eps, delta = 2*eps, 2*delta
		}
		r := float64(c.r)
		over := math.Ln2 - r*eps*math.Expm1(eps)
		want := r*delta + math.Exp(-over*over/(2*r*eps*eps))
		q := n.original(c.r, c.conversation, logOf("2")).of.(*given)
		y, err := q.get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := middle(y); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s, %d rounds: %v, want %v", n.name(), c.r, got, want)
		}
		if want < 3e-5 || want > 1.3e-4 {
			t.Errorf("%s, %d rounds: %v is not about 1e-4", n.name(), c.r, want)
		}
		back, err := n.originalEpsilon(c.r, c.conversation, new(big.Rat).SetFloat64(want).RatString()).of.(*given).get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := middle(back); math.Abs(got-math.Ln2) > 1e-9 {
			t.Errorf("%s, %d rounds: ε = %v at δ(log 2)", n.name(), c.r, got)
		}
	}
	if y := accountants.Advanced(1000000, rat("0.1"), interval.RealRat(rat("0")), interval.RealRat(rat("1"))); middle(y) != 1 {
		t.Errorf("below the drift δ is %v", y)
	}
}

// TestEstimates: the accountants in float64 enclose what the exact engine does, where their own error is right.
func TestEstimates(t *testing.T) {
	e := times(4, gaussian("4"))
	for _, s := range []subject{byGrid(e)} {
		for _, eps := range testkit.First(1, "0.1", "1") {
			f, err := s.prepare(t.Context(), defaultScale, 0)
			if err != nil {
				t.Fatal(err)
			}
			y, err := f.DeltaReal(t.Context(), interval.RealRat(rat(eps)))
			if err != nil {
				t.Fatal(err)
			}
			want, err := exact.Delta(t.Context(), exact.Question{Event: e}, rat(eps), 1)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := interval.Intersect(y, want.Interval); !ok {
				t.Errorf("%T at %s: %v, want %v", s, eps, y, want.Interval)
			}
		}
		f, err := s.prepare(t.Context(), defaultScale, 0)
		if err != nil {
			t.Fatal(err)
		}
		y, err := f.Epsilon(t.Context(), rat("1e-3"), 12)
		if err != nil {
			t.Fatal(err)
		}
		want, err := exact.Epsilon(t.Context(), exact.Question{Event: e}, rat("1e-3"), 30, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := interval.Intersect(y.Interval, want.Interval); !ok || !accurate(y.Interval, 2) {
			t.Errorf("%T: ε = %v, want %v", s, y.Interval, want.Interval)
		}
	}
}

// TestMomentsFromBuckets: the formula of §5.7 gives, from buckets that hold all mass, an upper bound of the divergence,
// close to it.
func TestMomentsFromBuckets(t *testing.T) {
	b := inBuckets(laplace("2"), 2000)
	trees, err := b.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, alpha := range []int64{2, 5, 33} {
		want, err := both(laplace("2")).(*asked).divergence(big.NewRat(alpha, 1), 1)
		if err != nil {
			t.Fatal(err)
		}
		got := trees[0].PrintedRenyi(big.NewRat(alpha, 1))
		if d := middle(got) - middle(want); d < 0 || d > 0.002 {
			t.Errorf("order %d: %v from buckets, %v", alpha, got, want)
		}
	}
}

// TestTightness: δ_up over δ_low encloses no less than what is true leaves, is nearer to 1 with more buckets, and a
// time is one.
func TestTightness(t *testing.T) {
	noise := times(64, truncatedLaplace("20", "1", "250"))
	last := 2.0
	for _, n := range []int{100, 1000} {
		b := inBuckets(noise, n)
		y, err := b.tightness("0.5").of.(*given).get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := middle(y); got <= 1 || got >= last {
			t.Errorf("%d buckets: δ_up over δ_low is %v, and before %v", 2*n+1, got, last)
		} else {
			last = 1 + (got-1)/2
		}
		if ms, err := b.milliseconds().of.(*given).get(t.Context()); err != nil || b.took <= 0 || middle(ms) != float64(b.took.Milliseconds()) {
			t.Errorf("%d buckets: %v ms, took %v, %v", 2*n+1, ms, b.took, err)
		}
	}
}
