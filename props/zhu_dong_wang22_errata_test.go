// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

// Statements of Zhu, Dong & Wang 2022 that are wrong as printed, see docs/errata.md (those
// of the other papers are in files of their own): each of them fails on an
// example in exact numbers, and the corrected one, which the code follows, holds there and
// on random pairs.

func rats(ss ...string) []*big.Rat {
	var out []*big.Rat
	for _, s := range ss {
		out = append(out, rat(s))
	}
	return out
}

// Zhu, Dong & Wang 2022, Definition 2, and the second form of (20) in Chourasia et
// al. 2024: E_Q[(dP/dQ − α)₊] lacks the part of P that is singular to Q.
func TestErratumSingularPart(t *testing.T) {
	printed := func(m model, alpha *big.Rat) *big.Rat {
		p, q := m.p(), m.q()
		sum := new(big.Rat)
		for i := range p {
			if q[i].Sign() > 0 {
				sum.Add(sum, mul(q[i], maxRat(zero, sub(quo(p[i], q[i]), alpha))))
			}
		}
		return sum
	}
	disjoint := model{rats("1", "0"), rats("0", "1")}
	if x := printed(disjoint, one); x.Sign() != 0 {
		t.Errorf("disjoint distributions: the printed H_1 is %s, want 0", x.RatString())
	}
	if x := disjoint.finite().Delta(one); x.Cmp(one) != 0 {
		t.Errorf("disjoint distributions: H_1 = %s, want 1", x.RatString())
	}
	forAll(t, 150, scenes, func(s scene) error {
		f := s.A.finite()
		for _, alpha := range alphas(s.A) {
			if want := add(printed(s.A, alpha), f.Inf()); f.Delta(alpha).Cmp(want) != 0 {
				return fmt.Errorf("H_%s = %s, want %s", alpha.RatString(), f.Delta(alpha).RatString(), want.RatString())
			}
		}
		return nil
	})
}

// tradeoff is the least error of the second kind at level x, with null hypothesis P
// (Neyman and Pearson): outcomes are rejected in the order of q/p.
func (m model) tradeoff(x *big.Rat) *big.Rat {
	p, q := m.p(), m.q()
	var order []int
	for i := range p {
		if p[i].Sign() > 0 || q[i].Sign() > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { // q_i/p_i falling
		return mul(q[j], p[i]).Cmp(mul(q[i], p[j]))
	})
	beta, left := one, x
	for _, i := range order {
		if p[i].Sign() == 0 {
			beta = sub(beta, q[i])
			continue
		}
		part := minRat(one, quo(left, p[i]))
		beta, left = sub(beta, mul(part, q[i])), sub(left, mul(part, p[i]))
	}
	return beta
}

// levels are levels x at which a trade-off curve bends, and between.
func (m model) levels() []*big.Rat {
	p := m.p()
	out := []*big.Rat{zero, one, rat("1/9"), half}
	for set := range 1 << len(p) {
		x := new(big.Rat)
		for i := range p {
			if set>>i&1 == 1 {
				x = add(x, p[i])
			}
		}
		out = append(out, x)
	}
	return out
}

// Zhu, Dong & Wang 2022, Lemma 21: f(x) = sup over α ≥ 1 of max(0, 1 − H_α(Q‖P) − αx,
// (1 − H_α(P‖Q) − x)/α). It prints H_α(P‖Q) in both places.
func TestErratumLemma21(t *testing.T) {
	at := func(m model, x *big.Rat, corrected bool) *big.Rat {
		first := m.delta
		if corrected {
			first = m.reverse().delta
		}
		f := new(big.Rat)
		for _, a := range alphas(m) {
			if a.Cmp(one) >= 0 {
				f = maxRat(f, sub(sub(one, first(a)), mul(a, x)))
				f = maxRat(f, quo(sub(sub(one, m.delta(a)), x), a))
			}
		}
		return f
	}
	m, x := model{rats("10/27", "1/27", "16/27"), rats("0", "1/2", "1/2")}, rat("1/9")
	if y := at(m, x, false); y.Cmp(rat("121/243")) < 0 {
		t.Errorf("printed f(1/9) = %s, want at least 121/243", y.RatString())
	}
	if y := at(m, x, true); y.Cmp(rat("7/16")) != 0 || m.tradeoff(x).Cmp(y) != 0 {
		t.Errorf("corrected f(1/9) = %s, truth %s, want 7/16", y.RatString(), m.tradeoff(x).RatString())
	}
	forAll(t, 60, scenes, func(s scene) error {
		m := s.A
		for _, x := range m.levels() {
			// The supremum is approached as α → ∞ where P has outcomes that Q lacks, or
			// the reverse: up to 2·10^−21.
			f, truth := at(m, x, true), m.tradeoff(x)
			if f.Cmp(truth) > 0 || sub(truth, f).Cmp(rat("2/1000000000000000000000")) > 0 {
				return fmt.Errorf("f(%s) = %s, want %s", x.RatString(), f.RatString(), truth.RatString())
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Lemma 5(2), bounds a mechanism's trade-off curve by the
// supremum over neighbours: of a pair of equal distributions and one of disjoint
// ones that is 1 − x, perfect privacy, where one pair of neighbours is told apart
// always. The infimum is right.
func TestErratumLemma5Supremum(t *testing.T) {
	equal, disjoint := model{rats("1"), rats("1")}, model{rats("1", "0"), rats("0", "1")}
	x := rat("1/10")
	if sup := maxRat(equal.tradeoff(x), disjoint.tradeoff(x)); sup.Cmp(rat("9/10")) != 0 {
		t.Errorf("supremum %s", sup.RatString())
	}
	if inf := minRat(equal.tradeoff(x), disjoint.tradeoff(x)); inf.Sign() != 0 {
		t.Errorf("infimum %s", inf.RatString())
	}
	// The region below the infimum is the region of the greater profile.
	forAll(t, 19, scenes, func(s scene) error {
		for _, x := range append(s.A.levels(), s.B.levels()...) {
			f := new(big.Rat)
			for _, a := range alphas(s.A, s.B) {
				d := maxRat(s.A.reverse().delta(a), s.B.reverse().delta(a))
				f = maxRat(f, sub(sub(one, d), mul(a, x)))
			}
			if inf := minRat(s.A.tradeoff(x), s.B.tradeoff(x)); f.Cmp(inf) > 0 {
				return fmt.Errorf("at level %s the joint profile gives f = %s, the infimum is %s", x.RatString(), f.RatString(), inf.RatString())
			}
		}
		return nil
	})
}

// lossMasses returns P(L > log α), P(L ≥ log α) and the same of Q, losses of ∞ included.
func (m model) lossMasses(alpha *big.Rat) (p, pAt, q, qAt *big.Rat) {
	p, pAt, q, qAt = new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)
	mp, mq := m.p(), m.q()
	for i := range mp {
		if mp[i].Sign() == 0 {
			continue
		}
		switch mp[i].Cmp(mul(alpha, mq[i])) {
		case 1:
			p.Add(p, mp[i])
			q.Add(q, mq[i])
			fallthrough
		case 0:
			pAt.Add(pAt, mp[i])
			qAt.Add(qAt, mq[i])
		}
	}
	return p, pAt, q, qAt
}

// Zhu, Dong & Wang 2022, Definition 12 against Appendix B: the appendix's F is the law
// of log q/p under P. With the laws that Definition 12 transforms, of log p/q under P
// and of log q/p under Q, Lemma 19 gives F(0) − G(0) = 1/4 − 1/4 for randomized response of
// 3/4, whose δ(0) is 1/2; with these laws it reads 1 − F(ε) − e^ε·G(−ε), where (30) of
// Chourasia et al. 2024 needs G(−ε) to exclude the point −ε.
func TestErratumOrientationOfLosses(t *testing.T) {
	lemma19 := func(m model, alpha *big.Rat) *big.Rat { // F(−log α) − α·G(−log α) by Definition 12
		inv := new(big.Rat).Inv(alpha)
		p, _, _, _ := m.lossMasses(inv)           // P(L > −log α)
		r, _, _, _ := m.reverse().lossMasses(inv) // Q(log q/p > −log α)
		return sub(sub(one, p), mul(alpha, sub(one, r)))
	}
	equation30 := func(m model, alpha *big.Rat, strict bool) *big.Rat {
		p, _, _, _ := m.lossMasses(alpha)
		above, upTo, _, _ := m.reverse().lossMasses(new(big.Rat).Inv(alpha))
		g := sub(one, above) // Q(log q/p ≤ −ε)
		if strict {
			g = sub(one, upTo)
		}
		return sub(p, mul(alpha, g))
	}
	rr := model{rats("3/4", "1/4"), rats("1/4", "3/4")}
	if x := lemma19(rr, one); x.Sign() != 0 || rr.finite().Delta(one).Cmp(half) != 0 {
		t.Errorf("Lemma 19 with Definition 12: %s", x.RatString())
	}
	if x := equation30(rr, rat("3"), false); x.Cmp(rat("-3/4")) != 0 {
		t.Errorf("(30) as printed at an atom: %s, want -3/4", x.RatString())
	}
	forAll(t, 100, scenes, func(s scene) error {
		for _, alpha := range alphas(s.A) {
			if alpha.Sign() == 0 {
				continue
			}
			if x, want := equation30(s.A, alpha, true), s.A.finite().Delta(alpha); x.Cmp(want) != 0 {
				return fmt.Errorf("(30) corrected gives %s at α = %s, want %s", x.RatString(), alpha.RatString(), want.RatString())
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Lemma 18, for a law of mass m < 1: the integral is F(x) − m/2, so
// that the printed constant 1/2 makes of P(L > ε; L < ∞) that plus (1 − m)/2. For three
// copies of randomized response (1, 1/20) at ε = 1/2 this gives δ below 0.55 with the
// infinite mass added; it is above 0.59.
func TestErratumLevyConstant(t *testing.T) {
	eps, k := half, 3
	truth := responseModel(one, rat("1/20")).power(k)
	lo, hi := truth.delta(eps)
	m := powRat(rat("19/20"), k)
	alo, _ := expRat(eps)
	// (P(L > ε) + (1−m)/2) − e^ε·(Q(L > ε) + (1−m)/2) + m∞
	printed := sub(hi, mul(mul(half, sub(one, m)), sub(alo, one)))
	if printed.Cmp(rat("0.5494")) > 0 || lo.Cmp(rat("0.5955")) < 0 {
		t.Errorf("printed at most %s, truth at least %s", printed.FloatString(6), lo.FloatString(6))
	}
	r, err := frontDoor(mechanism.SelfComposed{Event: mechanism.EpsilonDelta{Epsilon: one, Delta: rat("1/20")}, Count: int64(k)}, mechanism.Both, mechanism.AddOrRemoveOne, eps)
	if err != nil {
		t.Fatal(err)
	}
	if err := refute(r, lo, hi, "δ(1/2)"); err != nil {
		t.Error(err)
	}
}

// Zhu, Dong & Wang 2022, Proposition 38, with finite losses normalised to a
// distribution: P = (1/10, 3/5, 3/10, 0), Q = (0, 1/5, 3/5, 1/5), two copies, e^ε = 5 gives
// 19/100 + 19/144 < δ = 7/20. The law of mass 1 − m∞ is right.
func TestErratumNormalisedLosses(t *testing.T) {
	parts := func(m model, k int, alpha *big.Rat, normalise bool) *big.Rat {
		var fp, fq []*big.Rat
		p, q := m.p(), m.q()
		for i := range p {
			if p[i].Sign() > 0 && q[i].Sign() > 0 {
				fp, fq = append(fp, p[i]), append(fq, q[i])
			}
		}
		finite := new(big.Rat)
		for i := range p {
			if q[i].Sign() > 0 {
				finite.Add(finite, p[i])
			}
		}
		inf := sub(one, powRat(finite, k))
		if len(fp) == 0 {
			return inf
		}
		if normalise {
			fp, fq = normalised(fp), normalised(fq)
		}
		sums := model{[]*big.Rat{one}, []*big.Rat{one}}
		for range k {
			sums = product(sums, model{fp, fq})
		}
		return add(inf, divergence(sums.P, sums.Q, alpha))
	}
	m := model{rats("1/10", "3/5", "3/10", "0"), rats("0", "1/5", "3/5", "1/5")}
	if x := parts(m, 2, rat("5"), true); x.Cmp(rat("1159/3600")) != 0 {
		t.Errorf("normalised: %s, want 1159/3600", x.RatString())
	}
	if x := parts(m, 2, rat("5"), false); x.Cmp(rat("7/20")) != 0 {
		t.Errorf("unnormalised: %s, want 7/20", x.RatString())
	}
	forAll(t, 60, scenes, func(s scene) error {
		prod := pair.Product{{Pair: s.A.finite(), Count: int64(s.K)}}
		os, rest, ok := pair.ProductOutcomes(prod, s.Prec, 10000)
		if !ok {
			return fmt.Errorf("not enumerated")
		}
		for _, alpha := range alphas(s.A) {
			if err := refuteRat(sumOutcomes(os, rest, ratInterval(alpha, alpha)), parts(s.A, s.K, alpha, false), "H_%s of %d copies", alpha.RatString(), s.K); err != nil {
				return err
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Definition 39 and Lemma 40, with p(o_j)·Δ for the mass of a cell:
// N(1, 1) against N(0, 1) on [−9, 9] with 9 cells has no more than 0.1083 of it at losses
// above ε = 1/2, less than δ(1/2) = 0.238. With exact masses of cells both bounds hold, also
// of products (Corollary 41); see TestClosedForm1GaussianComposition.
func TestErratumRiemannMasses(t *testing.T) {
	const w = cellBits
	root := w.Sqrt(w.Scale(w.Pi(), 1)) // √2π
	printed := interval.Int(0)
	for _, o := range []int64{3, 5, 7, 9} { // the greatest loss of (o−2, o] is o − 1/2
		y := ratInt(o - 1)
		density := w.Div(w.Exp(w.Rat(neg(mul(half, mul(y, y))))), root)
		printed = w.Add(printed, w.Mul(interval.Int(2), density))
	}
	if printed.LessRat(rat("0.1083")) != interval.True {
		t.Errorf("printed bound %s", printed)
	}
	y, err := frontDoor(mechanism.Gaussian{NoiseMultiplier: one}, mechanism.Remove, mechanism.AddOrRemoveOne, half)
	if err != nil {
		t.Fatal(err)
	}
	if y.LessRat(rat("0.2384")) != interval.False || y.LessRat(rat("0.2385")) != interval.True {
		t.Errorf("δ(1/2) = %s", y)
	}
	lower, upper := gaussianLine(one, 9).bounds()
	if err := between(y, lower, upper, half, one); err != nil {
		t.Error(err)
	}
}

// momentFromProfile is 1 + α(α−1)·∫ u^(α−2)·(H_u − (1 − u)₊) du over u > 0, for an integer α other
// than 0 and 1: between bends, the integral of (A + B·u)·u^(α−2).
func momentFromProfile(h func(*big.Rat) *big.Rat, bends []*big.Rat, alpha int) *big.Rat {
	pow := func(x *big.Rat, n int) *big.Rat {
		if n < 0 {
			return powRat(new(big.Rat).Inv(x), -n)
		}
		return powRat(x, n)
	}
	f := func(u *big.Rat) *big.Rat { return sub(h(u), maxRat(zero, sub(one, u))) }
	integral := func(n int, u, v *big.Rat) *big.Rat { // of u^n, n ≠ −1
		return quo(sub(pow(v, n+1), pow(u, n+1)), ratInt(int64(n+1)))
	}
	sum := new(big.Rat)
	for i := 1; i < len(bends); i++ {
		u, v := bends[i-1], bends[i]
		b := quo(sub(f(v), f(u)), sub(v, u))
		a := sub(f(u), mul(b, u))
		if a.Sign() == 0 && b.Sign() == 0 {
			continue
		}
		sum.Add(sum, mul(a, integral(alpha-2, u, v)))
		sum.Add(sum, mul(b, integral(alpha-1, u, v)))
	}
	return add(one, mul(ratInt(int64(alpha*(alpha-1))), sum))
}

// Zhu, Dong & Wang 2022, Lemma 24, and Chourasia et al. 2024, Theorem 3.3, corrected for all
// orders: Σ p^α·q^(1−α) = 1 + α(α−1)·∫ u^(α−2)(H_u − (1−u)₊) du where neither side has outcomes
// that the other lacks. Lemma 24 as printed has the orders of α + 1: for randomized response
// of 3/4 and α = 2, 1 + 2·3·∫… = Σp³q^−2 = 61/9, whose logarithm 1.9136 is not D_2 = log(7/3).
func TestLemma24Corrected(t *testing.T) {
	rr := model{rats("3/4", "1/4"), rats("1/4", "3/4")}
	bends := rats("1/3", "1", "3")
	if x := momentFromProfile(rr.finite().Delta, bends, 3); x.Cmp(rat("61/9")) != 0 {
		t.Errorf("the printed integral at α = 2 is %s, want 61/9", x.RatString())
	}
	if x := momentFromProfile(rr.finite().Delta, bends, 2); x.Cmp(rat("7/3")) != 0 {
		t.Errorf("the corrected integral at α = 2 is %s, want 7/3", x.RatString())
	}
	forAll(t, 30, continuousScenes, func(s scene) error {
		f := s.A.finite()
		var bends []*big.Rat
		for _, a := range append(alphas(s.A), one) {
			if a.Sign() > 0 {
				bends = append(bends, a)
			}
		}
		sortRats(bends)
		bends = slices.CompactFunc(bends, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
		bends = bends[1 : len(bends)-1] // the profile of equal distributions beyond
		m, ok := renyi.Moments(pair.Product{{Pair: f, Count: 1}})
		if !ok {
			return fmt.Errorf("no moments")
		}
		for _, alpha := range []int{-2, -1, 2, 3, 5} {
			integral := momentFromProfile(f.Delta, bends, alpha)
			if alpha > 0 {
				if err := refuteRat(interval.Prec(300).Exp(m(s.Prec, ratInt(int64(alpha)))), integral, "M(%d)", alpha); err != nil {
					return err
				}
			}
			sum := new(big.Rat)
			p, q := s.A.p(), s.A.q()
			for i := range p {
				if p[i].Sign() == 0 {
					continue
				}
				if alpha >= 0 {
					sum.Add(sum, mul(powRat(p[i], alpha), powRat(new(big.Rat).Inv(q[i]), alpha-1)))
				} else {
					sum.Add(sum, mul(powRat(new(big.Rat).Inv(p[i]), -alpha), powRat(q[i], 1-alpha)))
				}
			}
			if sum.Cmp(integral) != 0 {
				return fmt.Errorf("the integral at α = %d is %s, the moment %s", alpha, integral.RatString(), sum.RatString())
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, E.2: printed, φ integrates e^(iα·log p/q)·q and φ′ e^(iα·log q/p)·p. These are
// the laws of the two losses under the wrong distribution each, and Algorithm 1 makes
// Q(L > ε) − e^ε·P(L > ε) of them: at most 0 for ε ≥ 0, whatever the pair. With p and q exchanged it is δ.
func TestErratumDoubleQuadrature(t *testing.T) {
	algorithm1 := func(m model, alpha *big.Rat, exchanged bool) *big.Rat {
		p, _, q, _ := m.lossMasses(alpha)
		if exchanged {
			return sub(p, mul(alpha, q))
		}
		return sub(q, mul(alpha, p))
	}
	rr := model{rats("3/4", "1/4"), rats("1/4", "3/4")}
	if x := algorithm1(rr, one, false); x.Cmp(rat("-1/2")) != 0 || rr.finite().Delta(one).Cmp(half) != 0 {
		t.Errorf("randomized response: printed %s", x.RatString())
	}
	forAll(t, 101, scenes, func(s scene) error {
		f := s.A.finite()
		for _, alpha := range alphas(s.A) {
			want := f.Delta(alpha)
			if x := algorithm1(s.A, alpha, true); x.Cmp(want) != 0 {
				return fmt.Errorf("corrected gives %s at α = %s, want %s", x.RatString(), alpha.RatString(), want.RatString())
			}
			if x := algorithm1(s.A, alpha, false); alpha.Cmp(one) >= 0 && x.Sign() > 0 {
				return fmt.Errorf("printed gives %s at α = %s", x.RatString(), alpha.RatString())
			}
		}
		return nil
	})
	// The sampled Gaussian: real orders of the transform are the moments, M(α) = E_Q[(P/Q)^α],
	// and with q for p they are the moments of order α − 1, too small for α > 1: at α = 2 it is
	// E_Q[P/Q] = 1.
	const w = interval.Prec(128)
	x := pair.Product{{Pair: pair.Sampled{Rate: rat("1/10"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: one}, Count: 1}}}, Count: 1}}
	m, ok := renyi.Moments(x)
	if !ok {
		t.Fatal("no moments")
	}
	// E_Q[(P/Q)²] = 1 + γ²(e − 1)
	want := w.Add(interval.Int(1), w.Mul(w.Rat(rat("1/100")), w.Expm1(interval.Int(1))))
	if err := disjoint(w.Exp(m(w, two)), want, "M(2)"); err != nil {
		t.Error(err)
	}
	if interval.Int(1).Less(want) != interval.True {
		t.Errorf("M(2) = %s", want)
	}
}
