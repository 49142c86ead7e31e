// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
)

// Chourasia et al. 2024, §5, and Zhu, Dong & Wang 2022, Lemma 29, (2): sampling makes of a
// trade-off curve f = T(Q, P) the curve γf(x) + (1−γ)(1−x); the former prints (1−γ)x, which
// is a rising function: for equal distributions and γ = 1/2 it is 1/2 at x = 1, where no
// error of the second kind is left.
func TestErratumSampledTradeOff(t *testing.T) {
	equal := model{rats("1"), rats("1")}
	if x := add(mul(half, equal.tradeoff(one)), mul(half, one)); x.Cmp(half) != 0 || equal.sample(half).tradeoff(one).Sign() != 0 {
		t.Errorf("printed %s", x.RatString())
	}
	forAll(t, 60, scenes, func(s scene) error {
		base := s.A.reverse() // null hypothesis Q
		f := s.A.finite().Sample(s.Rate)
		sampled := finiteModel(f).reverse()
		for _, x := range append(base.levels(), sampled.levels()...) {
			want := add(mul(s.Rate, base.tradeoff(x)), mul(sub(one, s.Rate), sub(one, x)))
			if got := sampled.tradeoff(x); got.Cmp(want) != 0 {
				return fmt.Errorf("f(%s) = %s, want %s", x.RatString(), got.RatString(), want.RatString())
			}
		}
		return nil
	})
}

// Chourasia et al. 2024, Theorem 3.3 for q < 1 and (37) for γ in (0, 1): as δ → 1 for t → −∞,
// ∫ e^((q−1)t)·δ(t) dt diverges, and on 0 < Re s < 1 the function with the transform M(s)/(s(s−1)) is δ − 1,
// which is negative. For randomized response of 3/4 and s = 1/2: ∫ e^−t/2·(δ(t) − 1) dt = −4·M(1/2).
func TestErratumRegionOfConvergence(t *testing.T) {
	rr := model{rats("3/4", "1/4"), rats("1/4", "3/4")}
	// In u = v² = e^t: ∫ u^(−3/2)·(H_u − 1) du = 2·∫ v^−2·(H_{v²} − 1) dv, H_u = 1 − u for u ≤ 1/3, (3 − u)/4 up to 3,
	// and 0 beyond, with antiderivatives −v, −v^−1·(−1/4) − v/4 and v^−1.
	const w = interval.Prec(200)
	third, three := w.Inv(w.Sqrt(interval.Int(3))), w.Sqrt(interval.Int(3))
	middle := func(v interval.Interval) interval.Interval { return w.Scale(w.Sub(w.Inv(v), v), -2) }
	integral := w.Add(third.Neg(), w.Sub(middle(three), middle(third)))
	integral = w.Scale(w.Sub(integral, w.Inv(three)), 1)
	m, ok := renyi.Moments(pair.Product{{Pair: rr.finite(), Count: 1}})
	if !ok {
		t.Fatal("no moments")
	}
	want := w.Scale(w.Exp(m(w, half)), 2).Neg()
	if err := disjoint(integral, want, "∫ e^(−t/2)(δ − 1) dt"); err != nil {
		t.Error(err)
	}
	if integral.Negative() != interval.True {
		t.Errorf("the inverted function is not negative: %s", integral)
	}
}

// Chourasia et al. 2024, Theorem 3.2, (23) and (24): both are transforms of PLD(Q‖P), whose finite
// losses know nothing of outcomes with Q = 0 < P. In v = e^(t+ε), (23) is ∫_α^∞ Q(P/Q ≥ v) dv, and (24) is
// P(L > ε) − α·Q(L > ε) with L finite. For P = (1/2, 1/2), Q = (1, 0) they give 0, where
// δ(0) = 1/2. With P(L = ∞) added they hold, and as printed only where it is 0.
func TestErratumTransformsOfTheReverseLoss(t *testing.T) {
	equation23 := func(m model, alpha *big.Rat) *big.Rat {
		sum, v := new(big.Rat), alpha
		for _, next := range alphas(m) { // Q(P/Q ≥ ·) is constant up to each of them
			if next.Cmp(v) > 0 {
				_, _, _, qAt := m.lossMasses(next)
				sum.Add(sum, mul(qAt, sub(next, v)))
				v = next
			}
		}
		return sum
	}
	equation24 := func(m model, alpha *big.Rat) *big.Rat {
		p, _, q, _ := m.lossMasses(alpha)
		return sub(sub(p, m.finite().Inf()), mul(alpha, q))
	}
	printed := map[string]func(model, *big.Rat) *big.Rat{"(23)": equation23, "(24)": equation24}
	m := model{rats("1/2", "1/2"), rats("1", "0")}
	if d := m.finite().Delta(one); d.Cmp(half) != 0 {
		t.Fatalf("δ(0) = %s", d.RatString())
	}
	for name, f := range printed {
		if x := f(m, one); x.Sign() != 0 {
			t.Errorf("%s gives %s, want 0", name, x.RatString())
		}
	}
	forAll(t, 100, scenes, func(s scene) error {
		f := s.A.finite()
		for name, equation := range printed {
			for _, alpha := range alphas(s.A) {
				x, want := equation(s.A, alpha), f.Delta(alpha)
				if got := add(x, f.Inf()); got.Cmp(want) != 0 {
					return fmt.Errorf("%s corrected gives %s at α = %s, want %s", name, got.RatString(), alpha.RatString(), want.RatString())
				}
			}
		}
		return nil
	})
}
