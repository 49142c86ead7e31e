// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

func rat(s string) *big.Rat { return testkit.Rat(s) }

// logOf returns the guarantee with ε = log 3 nearly: the value for ε is compared at
// 200 bits, where log 3 is replaced by a rational that is closer than 2^−150.
var nearLog3 = func() *big.Rat {
	lo, _, _ := interval.Prec(160).Log(interval.Int(3)).Rationals()
	return lo
}()

// With e^ε = 3 randomized response is (3/4, 1/4). Two copies have the ratios 9, 1, 1/9
// with masses 9/16, 6/16, 1/16; three have 27, 3, 1/3, 1/27 with 27, 27, 9, 1 over 64.
func TestEqualByHand(t *testing.T) {
	near := func(y interval.Interval, want *big.Rat) bool {
		tiny := rat("1e-30")
		return y.LessRat(new(big.Rat).Sub(want, tiny)) != interval.True && y.LessEqRat(new(big.Rat).Add(want, tiny)) != interval.False
	}
	for _, c := range []struct {
		count int64
		delta string
		alpha string // e^t
		want  string
	}{
		{1, "0", "1", "1/2"}, {1, "0", "3", "0"}, {1, "0", "1/3", "2/3"}, {1, "0", "1/10", "9/10"}, {1, "1/10", "1", "11/20"},
		{2, "0", "1", "1/2"}, {2, "0", "2", "7/16"}, {2, "0", "1/2", "11/16"}, {2, "0", "9", "0"}, {2, "1/10", "2", "871/1600"},
		{3, "0", "1", "11/16"}, {3, "0", "2", "34/64"}, {3, "0", "9", "9/32"}, {3, "1/2", "2", "15/16"},
	} {
		g := Guarantee{Eps: nearLog3, Delta: rat(c.delta), Count: c.count}
		s, err := NewEqual(context.Background(), 128, g)
		if err != nil {
			t.Fatal(err)
		}
		// Recompute what is expected from the definition.
		want := byHand(c.count, rat(c.delta), rat(c.alpha))
		eps := func(w interval.Prec) interval.Interval { return w.Log(w.Rat(rat(c.alpha))) }
		y, err := s.Delta(context.Background(), 128, eps)
		if err != nil || !near(y, want) {
			t.Errorf("k = %d, δ = %s: H_%s = %s, %v, want %s", c.count, c.delta, c.alpha, y, err, want.FloatString(30))
		}
	}
}

// byHand sums over the numbers of true answers.
func byHand(k int64, delta, alpha *big.Rat) *big.Rat {
	keep := new(big.Rat).SetInt64(1)
	for range k {
		keep.Mul(keep, new(big.Rat).Sub(rat("1"), delta))
	}
	sum := new(big.Rat)
	for y := int64(0); y <= k; y++ {
		c := new(big.Int).Binomial(k, y)
		three := new(big.Int).Exp(big.NewInt(3), big.NewInt(y), nil)
		back := new(big.Int).Exp(big.NewInt(3), big.NewInt(k-y), nil)
		four := new(big.Int).Exp(big.NewInt(4), big.NewInt(k), nil)
		p := new(big.Rat).SetFrac(new(big.Int).Mul(c, three), four)
		q := new(big.Rat).SetFrac(new(big.Int).Mul(c, back), four)
		if d := p.Sub(p, q.Mul(q, alpha)); d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	sum.Mul(sum, keep)
	return sum.Add(sum, new(big.Rat).Sub(rat("1"), keep))
}

// TestEqualAcrossCheckpoints: the states in between are reached from the stored ones.
func TestEqualAcrossCheckpoints(t *testing.T) {
	for _, k := range []int64{511, 512, 513, 1100} {
		s, err := NewEqual(context.Background(), 64, Guarantee{Eps: rat("1/10"), Delta: rat("0"), Count: k})
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range []int64{k, k - 1, k - 511, k / 2, 1, 0} {
			if st := s.at(max(y, 0)); st.y != max(y, 0) {
				t.Errorf("k = %d: the state at %d is that at %d", k, y, st.y)
			}
		}
		all := s.at(0)
		if !all.sumP.ContainsRat(rat("1")) || !all.sumQ.ContainsRat(rat("1")) {
			t.Errorf("k = %d: all masses sum to %s and %s", k, all.sumP, all.sumQ)
		}
	}
}

// TestNamedTheorems: values by hand. Two copies of (log 3, 1/10)-DP.
func TestNamedTheorems(t *testing.T) {
	g := []Guarantee{{Eps: rat("1"), Delta: rat("1/10"), Count: 2}}
	const p = interval.Prec(100)
	at := func(s string) interval.Real { return interval.RealRat(rat(s)) }
	for _, c := range []struct {
		name  string
		bound Bound
		eps   string
		want  string
	}{
		{"basic", Basic, "2", "0.2"}, {"basic below", Basic, "1.99", "1"}, {"adaptive", Adaptive, "2", "0.19"}, {"adaptive below", Adaptive, "1.99", "1"},
		// drift 2(e − 1) = 3.43656…, squares 2: exp(−(5 − 3.43656…)²/4) + 0.2
		{"advanced", Advanced, "5", "0.7427"}, {"advanced below the drift", Advanced, "3.43", "1"},
	} {
		y := c.bound(p, g, at(c.eps))
		want := rat(c.want)
		if !y.ContainsRat(want) || y.LessRat(new(big.Rat).Add(want, rat("1/10000"))) != interval.True {
			t.Errorf("%s: %s, want [0, %s]", c.name, y, c.want)
		}
	}
	// δ_1 = (e^2 − 1)/(1 + e)^2 = (e − 1)/(e + 1) = 0.46211… at ε = 0 for k = 2, i = 1.
	for eps, want := range map[string]string{"2": "0.19", "0": "0.5643147"} {
		y, ok, err := Theorem(context.Background(), p, g, at(eps))
		if err != nil || !ok || !y.ContainsRat(rat(want)) || y.LessRat(new(big.Rat).Add(rat(want), rat("1/100000"))) != interval.True {
			t.Errorf("theorem at %s: %s, %v, want [0, %s]", eps, y, err, want)
		}
	}
}
