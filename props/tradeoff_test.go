// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// fewLevels are some of the levels of a model, bends among them.
func (m model) fewLevels() []*big.Rat {
	all := m.levels()
	return all[:min(len(all), 9)]
}

// Zhu, Dong & Wang 2022, Lemma 21, corrected: the trade-off function that the engine
// makes of a profile contains the function of the Neyman–Pearson tests; from the other
// direction's profile, the function of the reversed pair.
func TestLemma21TradeOffFromProfile(t *testing.T) {
	forAll(t, 10, scenes, func(s scene) error {
		prec := min(s.Prec, 53)
		for _, m := range []model{s.A, s.A.reverse()} {
			f := profile.ToTradeOff(m.profile())
			for _, x := range m.fewLevels() {
				y, err := f(background, prec, x)
				if err != nil {
					return err
				}
				if err := refuteRat(y, m.tradeoff(x), "f(%s) at %d bits", x.RatString(), prec); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Lemma 20: H_α(Q‖P) = 1 + f*(−α) for f = T[P, Q], which bends at the levels of a
// model only, so that one of them attains the supremum.
func TestLemma20ProfileFromTradeOff(t *testing.T) {
	forAll(t, 10, scenes, func(s scene) error {
		for _, alpha := range alphas(s.A) {
			most := zero
			for _, x := range s.A.levels() {
				if d := sub(sub(one, s.A.tradeoff(x)), mul(alpha, x)); d.Cmp(most) > 0 {
					most = d
				}
			}
			if d := s.A.reverse().finite().Delta(alpha); d.Cmp(most) != 0 {
				return fmt.Errorf("H_%s(Q‖P) = %s, by the trade-off function %s", alpha.RatString(), d.RatString(), most.RatString())
			}
		}
		return nil
	})
}

// Chourasia et al. 2024, (12): T[Q, P] is the left-continuous inverse of T[P, Q],
// and what the engine takes for it is the trade-off function of the reversed profile.
func TestIdentity12InverseTradeOff(t *testing.T) {
	forAll(t, 12, scenes, func(s scene) error {
		prec := min(s.Prec, 24)
		f := profile.ToTradeOff(profile.Reverse(s.A.profile()))
		for _, x := range s.A.reverse().fewLevels() {
			y, err := f(background, prec, x)
			if err != nil {
				return err
			}
			if err := refuteRat(y, s.A.reverse().tradeoff(x), "f⁻¹(%s) at %d bits", x.RatString(), prec); err != nil {
				return err
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Lemmas 22, 23, 25, 45, 47 and 48, for discrete losses: the test that
// rejects P where L ≤ −y has errors P(L ≤ −y) and Q(L > −y), so that f(1 − F(y)) = G(y) for
// F(y) = P(log q/p < y), G(y) = Q(log q/p < y), which is ∫ e^t dF(t). There f has the slopes −e^y
// on the outcomes of L = −y (hence the law of −log|f′| of a uniform variable is the law of L), and H_α(Q‖P) =
// 1 − f(x) − αx for −α a subgradient at x, whose own slope to the right is −P(q/p > α).
func TestLemma48SlopesOfTradeOffs(t *testing.T) {
	forAll(t, 40, scenes, func(s scene) error {
		m := s.A
		p, q := m.p(), m.q()
		f := profile.ToTradeOff(m.profile())
		h := m.reverse().finite() // H_α(Q‖P) as the engine has it
		for i := range p {
			if p[i].Sign() == 0 || q[i].Sign() == 0 {
				continue
			}
			alpha := quo(q[i], p[i]) // e^y
			above, from, qAbove, qFrom := m.lossMasses(new(big.Rat).Inv(alpha))
			// Levels before and after the outcomes with q/p = α.
			x0, x1 := sub(one, from), sub(one, above)
			if f0, f1 := m.tradeoff(x0), m.tradeoff(x1); f0.Cmp(qFrom) != 0 || f1.Cmp(qAbove) != 0 {
				return fmt.Errorf("f is %s and %s at both ends of ratio %s, want %s and %s", f0.RatString(), f1.RatString(), alpha.RatString(), qFrom.RatString(), qAbove.RatString())
			}
			if rise := sub(qFrom, qAbove); rise.Cmp(mul(alpha, sub(x1, x0))) != 0 {
				return fmt.Errorf("slope at ratio %s: %s over %s", alpha.RatString(), rise.RatString(), sub(x1, x0).RatString())
			}
			for _, x := range []*big.Rat{x0, mul(half, add(x0, x1)), x1} {
				if got, want := h.Delta(alpha), sub(sub(one, m.tradeoff(x)), mul(alpha, x)); got.Cmp(want) != 0 {
					return fmt.Errorf("H_%s(Q‖P) = %s, by the subgradient at %s %s", alpha.RatString(), got.RatString(), x.RatString(), want.RatString())
				}
			}
			// Lemma 23, and its form at atoms: the right derivative of H.
			next := new(big.Rat)
			for j := range p {
				if p[j].Sign() > 0 {
					if r := quo(q[j], p[j]); r.Cmp(alpha) > 0 && (next.Sign() == 0 || r.Cmp(next) < 0) {
						next = r
					}
				}
			}
			if next.Sign() > 0 {
				if slope := quo(sub(h.Delta(next), h.Delta(alpha)), sub(next, alpha)); slope.Cmp(neg(x0)) != 0 {
					return fmt.Errorf("H rises by %s after %s, want −%s", slope.RatString(), alpha.RatString(), x0.RatString())
				}
			}
			if i > 0 {
				continue
			}
			y, err := f(background, min(s.Prec, 24), minRat(one, x1))
			if err != nil {
				return err
			}
			if err := refuteRat(y, qAbove, "f(%s)", x1.RatString()); err != nil {
				return err
			}
		}
		return nil
	})
}

// dominates answers H_α(b) ≥ H_α(a) for all α ≥ 0, by the engine's exact profile.
func dominates(b, a pair.Finite, points []*big.Rat) bool {
	for _, alpha := range points {
		if b.Delta(alpha).Cmp(a.Delta(alpha)) < 0 {
			return false
		}
	}
	return true
}

// Zhu, Dong & Wang 2022, Lemma 28: (P, Q) dominates iff (Q, P) dominates the reverse, iff
// T[P, Q] is nowhere above. And Lemma 31(3): for both orientations of a pair together, H_α
// for α ≥ 1 says as much as the reversed H_α for α ≤ 1.
func TestLemma28DominationThreeWays(t *testing.T) {
	forAll(t, 52, samplings, func(s sampling) error {
		others := []model{s.B, {s.Contexts[0].apply(s.A.p()), s.Contexts[0].apply(s.A.q())}}
		for _, m := range others {
			points := alphas(s.A, m)
			forward := dominates(s.A.finite(), m.finite(), points)
			if backward := dominates(s.A.reverse().finite(), m.reverse().finite(), points); forward != backward {
				return fmt.Errorf("domination of %s: %v forwards, %v backwards", m, forward, backward)
			}
			below := true
			for _, x := range append(s.A.levels(), m.levels()...) {
				below = below && s.A.tradeoff(x).Cmp(m.tradeoff(x)) <= 0
			}
			if below != forward {
				return fmt.Errorf("domination of %s: %v by profiles, %v by trade-off curves", m, forward, below)
			}
			sym := m.finite().Symmetrise() // the supremum over symmetric neighbours
			var small, large []*big.Rat
			for _, a := range append(points, alphas(finiteModel(sym))...) {
				if a.Cmp(one) >= 0 {
					large = append(large, a)
				}
				if a.Cmp(one) <= 0 && a.Sign() > 0 {
					small = append(small, a)
				}
			}
			if up, down := dominates(s.A.finite(), sym, large), dominates(s.A.reverse().finite(), sym, small); up != down {
				return fmt.Errorf("Lemma 31(3) for %s: %v for α ≥ 1, %v for α ≤ 1", m, up, down)
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Lemma 29: mixtures of post-processings keep T[P, (1−γ)P + γQ] from
// below.
func TestLemma29SampledMixtures(t *testing.T) {
	forAll(t, 60, samplings, func(s sampling) error {
		var ps, qs [][]*big.Rat
		for _, k := range s.Contexts {
			ps, qs = append(ps, k.apply(s.A.p())), append(qs, k.apply(s.A.q()))
		}
		mixed := model{mix(s.Weights, ps), mix(s.Weights, qs)}
		sampled := func(m model) model { // (P, (1−γ)P + γQ)
			return finiteModel(m.reverse().finite().Sample(s.Rate)).reverse()
		}
		a, b := sampled(s.A), sampled(mixed)
		for _, x := range append(a.levels(), b.levels()...) {
			if b.tradeoff(x).Cmp(a.tradeoff(x)) < 0 {
				return fmt.Errorf("at level %s the mixture has %s, the bound %s", x.RatString(), b.tradeoff(x).RatString(), a.tradeoff(x).RatString())
			}
		}
		return nil
	})
}
