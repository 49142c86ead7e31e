// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
)

// Sommer et al. 2020, Theorems 16 and 19: δ ≤ 1 − (1−w)^n(1 − exp(nα(λ) − λε)) needs the
// moment of the law *conditioned* on finite losses. With the unnormalised one, A = (3/4, 0,
// 1/4), B = (1/4, 3/4, 0), n = 3, ε = 1/10, λ = 1/100 gives 0.762 < δ = 0.983. Proposition 17,
// 1 − (1−w)^n + exp(nΓ(λ) − λε) with the unnormalised Γ, is right.
func TestErratumConditionedMoments(t *testing.T) {
	const w = interval.Prec(200)
	// E[e^(λL); L < ∞]^n·e^(−λε) for a model with rational ratios.
	moment := func(m model, n int, lambda, eps *big.Rat) interval.Interval {
		sum := interval.Int(0)
		p, q := m.p(), m.q()
		for i := range p {
			if p[i].Sign() > 0 && q[i].Sign() > 0 {
				sum = w.Add(sum, w.Mul(w.Rat(p[i]), w.Exp(w.Mul(w.Rat(lambda), w.Log(w.Rat(quo(p[i], q[i])))))))
			}
		}
		return w.Mul(w.PowInt(sum, int64(n)), w.Exp(w.Rat(neg(mul(lambda, eps)))))
	}
	m := model{rats("3/4", "0", "1/4"), rats("1/4", "3/4", "0")}
	n, eps, lambda := 3, rat("1/10"), rat("1/100")
	keep := powRat(sub(one, m.finite().Inf()), n)
	printed := w.Add(w.Sub(interval.Int(1), w.Rat(keep)), w.Mul(w.Rat(keep), moment(m, n, lambda, eps)))
	lo, _ := m.blurred().power(n).delta(eps)
	if printed.LessRat(rat("0.763")) != interval.True || lo.Cmp(rat("0.982")) < 0 {
		t.Errorf("printed %s, truth %s", printed, lo.FloatString(6))
	}
	forAll(t, 30, scenes, func(s scene) error {
		keep := powRat(sub(one, s.A.finite().Inf()), s.K)
		for _, lambda := range rats("1/100", "1", "5") {
			for _, eps := range rats("0", "1/10", "2") {
				bound := w.Add(w.Sub(interval.Int(1), w.Rat(keep)), moment(s.A, s.K, lambda, eps))
				if lo, _ := s.A.blurred().power(s.K).delta(eps); bound.LessRat(lo) == interval.True {
					return fmt.Errorf("Proposition 17 at λ = %s gives %s, δ(%s) is at least %s", lambda.RatString(), bound, eps.RatString(), lo.FloatString(20))
				}
			}
		}
		return nil
	})
}

// Sommer et al. 2020, §3.4.2: the buckets i that make up bucket j of a doubling run from
// max(−h, j − h) to min(h, j + h), not from |j| − h to h: for h = 2 and t = (1/10, 3/10, 1/10,
// 2/5, 1/20), bucket −1 is 7/50 and not 1/10.
func TestErratumDoublingRange(t *testing.T) {
	const h, prec = 2, 61
	v := rats("1/10", "3/10", "1/10", "2/5", "1/20")
	bucket := func(j, from, to int) *big.Rat {
		sum := new(big.Rat)
		for i := from; i <= to; i++ {
			if k := j - i; -h <= k && k <= h {
				sum.Add(sum, mul(v[i+h], v[k+h]))
			}
		}
		return sum
	}
	if x := bucket(-1, 1-h, h); x.Cmp(rat("1/10")) != 0 {
		t.Errorf("printed range: %s", x.RatString())
	}
	if x := bucket(-1, -h, h-1); x.Cmp(rat("7/50")) != 0 {
		t.Errorf("corrected range: %s", x.RatString())
	}
	a := convolve.NewVector(len(v), prec)
	for i, x := range v {
		y := mul(x, pow2(prec))
		a.Set(i, new(big.Int).Quo(y.Num(), y.Denom()))
	}
	c, err := convolve.Window(context.Background(), a, a, 0, 2*a.Len()-1, convolve.Down)
	if err != nil {
		t.Fatal(err)
	}
	for j := -2 * h; j <= 2*h; j++ {
		got := mul(new(big.Rat).SetInt(c.At(j+2*h)), pow2(-prec))
		want := bucket(j, max(-h, j-h), min(h, j+h))
		if got.Cmp(want) > 0 || sub(want, got).Cmp(pow2(6-prec)) > 0 {
			t.Errorf("bucket %d of a doubling: %s, want %s", j, got.FloatString(20), want.FloatString(20))
		}
	}
}

// Sommer et al. 2020, §3.4.2: a bucket of loss j·log f adds t(j)·(1 − e^(ε − j·log f)) to δ; as
// printed, 1 − e^(j·log f − ε), it is negative for every bucket that counts.
func TestErratumDoublingWeights(t *testing.T) {
	m := model{rats("3/4", "1/4"), rats("1/4", "3/4")}
	ratio, alpha := rat("3"), two // one bucket above ε = log 2
	printed := mul(rat("3/4"), sub(one, quo(ratio, alpha)))
	corrected := mul(rat("3/4"), sub(one, quo(alpha, ratio)))
	if truth := m.finite().Delta(alpha); printed.Sign() >= 0 || corrected.Cmp(truth) != 0 {
		t.Errorf("printed %s, corrected %s, δ(log 2) = %s", printed.RatString(), corrected.RatString(), truth.RatString())
	}
}
