// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
	"dpverify/exact/response"
	"dpverify/mechanism"
)

var background = context.Background()

// profile returns a model's profile as the engine wants one: an enclosure of δ at
// every enclosed ε.
func (m model) profile() profile.Func {
	p, q := m.p(), m.q()
	return func(_ context.Context, prec interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := prec + 16
		alo, ahi, ok := w.Exp(eps(w)).Rationals()
		if !ok {
			return profile.Unit(), nil
		}
		return interval.Union(prec.Rat(divergence(p, q, ahi)), prec.Rat(divergence(p, q, alo))), nil
	}
}

// atLogs checks a profile against exact values at log α for all bends of a model,
// where rounding ε is not an option, and at rational ε.
func atLogs(f profile.Func, prec interval.Prec, truth model, what string) error {
	for _, alpha := range alphas(truth) {
		if alpha.Sign() == 0 {
			continue
		}
		y, err := f(background, prec, logReal(alpha))
		if err != nil {
			return err
		}
		if err := refuteRat(y, truth.delta(alpha), "%s at ε = log %s", what, alpha.RatString()); err != nil {
			return err
		}
	}
	for _, eps := range []*big.Rat{zero, one, rat("-1/3"), rat("1/1000000000000000000000"), rat("50"), rat("-50")} {
		y, err := f(background, prec, interval.RealRat(eps))
		if err != nil {
			return err
		}
		lo, hi := truth.blurred().delta(eps)
		if err := refute(y, lo, hi, "%s at ε = %s", what, eps.RatString()); err != nil {
			return err
		}
	}
	return nil
}

// Chourasia et al. 2024, (7): δ_{Q|P}(ε) = 1 − e^ε + e^ε·δ_{P|Q}(−ε), for every real ε.
func TestIdentity7Reversal(t *testing.T) {
	forAll(t, 40, scenes, func(s scene) error {
		if err := atLogs(profile.Reverse(s.A.profile()), s.Prec, s.A.reverse(), "the reversed profile"); err != nil {
			return err
		}
		return atLogs(profile.Reverse(profile.Reverse(s.A.profile())), s.Prec, s.A, "the profile reversed twice")
	})
}

// Chourasia et al. 2024, Theorem 5.1: the profile of ((1−λ)Q + λP, Q) is
// λ·δ(log(1 + (e^ε − 1)/λ)) for ε > log(1 − λ) and 1 − e^ε otherwise, whether P ≪ Q or not.
func TestTheorem51PoissonSampling(t *testing.T) {
	forAll(t, 40, scenes, func(s scene) error {
		return atLogs(profile.Sample(s.Rate, s.A.profile()), s.Prec, s.A.sample(s.Rate), "the sampled profile")
	})
}

// The other direction: (Q, (1−λ)Q + λP) from the profile of (Q, P).
func TestTheorem51Reversed(t *testing.T) {
	forAll(t, 40, scenes, func(s scene) error {
		return atLogs(profile.SampleReversed(s.Rate, s.A.reverse().profile()), s.Prec, s.A.sample(s.Rate).reverse(), "the sampled profile")
	})
}

// Of a guarantee for replacing a record, sampling leaves the mixture with nothing:
// H_α = (1−q)(1−α)₊ + q·H_α(P‖Q).
func TestMixtureWithNothing(t *testing.T) {
	forAll(t, 40, scenes, func(s scene) error {
		keep := sub(one, s.Rate)
		truth := model{[]*big.Rat{keep}, []*big.Rat{keep}}
		p, q := s.A.p(), s.A.q()
		for i := range p {
			truth.P, truth.Q = append(truth.P, mul(s.Rate, p[i])), append(truth.Q, mul(s.Rate, q[i]))
		}
		return atLogs(profile.Mean([]*big.Rat{s.Rate, keep}, s.A.profile(), profile.Trivial), s.Prec, truth, "the mixture")
	})
}

// Chourasia et al. 2024, Theorem 4.2, corrected by the infinite mass: composition
// with a discrete pair is δ(ε) = P₂(L = ∞) + Σ_j P₂(j)·δ₁(ε − L_j), absolutely continuous
// or not.
func TestTheorem42Corrected(t *testing.T) {
	forAll(t, 30, scenes, func(s scene) error {
		os, rest, ok := s.B.finite().Outcomes(s.Prec, 100)
		if !ok {
			return fmt.Errorf("no outcomes")
		}
		return atLogs(profile.Times(s.A.profile(), os, rest), s.Prec, product(s.A, s.B), "the product")
	})
}

// The printed Theorem 4.2, δ₁ ⊛ (δ₂″ − δ₂′), loses the mass of infinite loss: P₁ = Q₁,
// P₂ = (1/2, 1/2), Q₂ = (1, 0) has δ(0) = 1/2, and the convolution gives 0.
func TestTheorem42PrintedFails(t *testing.T) {
	equal := model{[]*big.Rat{one}, []*big.Rat{one}}
	m := model{[]*big.Rat{half, half}, []*big.Rat{one, zero}}
	os, rest, _ := m.finite().Outcomes(64, 10)
	var finite []pair.Outcome
	for _, o := range os {
		if !o.Q.IsZero() {
			finite = append(finite, o)
		}
	}
	at0 := func(os []pair.Outcome) interval.Interval {
		y, err := profile.Times(equal.profile(), os, rest)(background, 64, interval.RealRat(zero))
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	if y := at0(finite); y.LessRat(rat("1/1000")) != interval.True {
		t.Errorf("the convolution gives %s", y)
	}
	if y := at0(os); !y.ContainsRat(half) || y.LessRat(rat("0.499")) != interval.False {
		t.Errorf("with the infinite mass: %s", y)
	}
}

// A pointCase is a list of guarantees and an ε to ask about.
type pointCase struct {
	Guarantees []response.Guarantee
	Eps        *big.Rat
	Prec       interval.Prec
}

func (c pointCase) String() string {
	s := ""
	for _, g := range c.Guarantees {
		s += fmt.Sprintf("(ε = %s, δ = %s)^%d ", g.Eps.RatString(), g.Delta.RatString(), g.Count)
	}
	return fmt.Sprintf("%sat ε = %s; %d bits", s, c.Eps.RatString(), c.Prec)
}

// drawPoints draws guarantees, half of them commensurable, and an ε that is half of
// the time exactly one of the composed losses.
func drawPoints(r *rand.Rand, most int) pointCase {
	c := pointCase{Prec: drawPrec(r)}
	unit := drawEps(r)
	left := 1 + r.Intn(most)
	loss := new(big.Rat)
	for left > 0 {
		n := 1 + r.Intn(left)
		eps := drawEps(r)
		if r.Intn(2) == 0 {
			eps = mul(unit, ratInt(int64(r.Intn(4))))
		}
		c.Guarantees = append(c.Guarantees, response.Guarantee{Eps: eps, Delta: drawDelta(r), Count: int64(n)})
		for range n {
			loss.Add(loss, mul(eps, ratInt(int64(1-2*r.Intn(2)))))
		}
		left -= n
	}
	if c.Eps = drawReal(r); r.Intn(2) == 0 {
		c.Eps = loss
	}
	return c
}

func shrinkPoints(c pointCase) []pointCase {
	var out []pointCase
	with := func(gs []response.Guarantee) { out = append(out, pointCase{gs, c.Eps, c.Prec}) }
	for i, g := range c.Guarantees {
		if len(c.Guarantees) > 1 {
			with(slices.Delete(slices.Clone(c.Guarantees), i, i+1))
		}
		for _, e := range simplerRat(g.Eps, "0", "1", "1/2") {
			gs := slices.Clone(c.Guarantees)
			gs[i].Eps = e
			with(gs)
		}
		for _, d := range simplerRat(g.Delta, "0", "1/2") {
			gs := slices.Clone(c.Guarantees)
			gs[i].Delta = d
			with(gs)
		}
		if g.Count > 1 {
			gs := slices.Clone(c.Guarantees)
			gs[i].Count--
			with(gs)
		}
	}
	for _, e := range simplerRat(c.Eps, "0", "1", "-1") {
		out = append(out, pointCase{c.Guarantees, e, c.Prec})
	}
	return out
}

func pointCases(most int) generator[pointCase] {
	return generator[pointCase]{func(r *rand.Rand) pointCase { return drawPoints(r, most) }, shrinkPoints}
}

// recursion is Theorem 4.6 read literally: δ^⊗0(t) = (1 − e^t)₊ and
//
//	δ^⊗l(t) = δ_l + (1 − δ_l)/(e^ε_l + 1)·(e^ε_l·δ^⊗l−1(t − ε_l) + δ^⊗l−1(t + ε_l)).
func recursion(gs []response.Guarantee, t *big.Rat) (lo, hi *big.Rat) {
	if len(gs) == 0 {
		if t.Sign() >= 0 {
			return zero, zero
		}
		elo, ehi := expRat(t)
		return sub(one, ehi), sub(one, elo)
	}
	g, rest := gs[0], gs[1:]
	if g.Count > 1 {
		g.Count--
		rest = append([]response.Guarantee{g}, rest...)
	}
	elo, ehi := expRat(g.Eps)
	alo, ahi := recursion(rest, sub(t, g.Eps))
	blo, bhi := recursion(rest, add(t, g.Eps))
	keep := sub(one, g.Delta)
	// (e·a + b)/(e + 1) = b + (a − b)·e/(e + 1) rises in a and b, and in e as a ≥ b.
	lo = add(g.Delta, mul(keep, quo(add(mul(elo, alo), blo), add(elo, one))))
	hi = add(g.Delta, mul(keep, quo(add(mul(ehi, ahi), bhi), add(ehi, one))))
	return roundDown(lo), roundUp(hi)
}

func (c pointCase) product() pair.Product {
	var prod pair.Product
	for _, g := range c.Guarantees {
		prod = append(prod, pair.Term{Pair: pair.Response{Eps: g.Eps, Delta: g.Delta}, Count: g.Count})
	}
	return prod
}

// Chourasia et al. 2024, Theorem 4.6, by its recursion, is what every engine gives
// for composed guarantees: enumeration, lattices, grids and the front door.
func TestTheorem46Recursion(t *testing.T) {
	forAll(t, 6, pointCases(6), func(c pointCase) error {
		lo, hi := recursion(c.Guarantees, c.Eps)
		eps := interval.RealRat(c.Eps)
		os, rest, ok := pair.ProductOutcomes(c.product(), c.Prec, 10000)
		if !ok {
			return fmt.Errorf("not enumerated")
		}
		if err := refute(sumOutcomes(os, rest, ratInterval(expRat(c.Eps))), lo, hi, "enumeration"); err != nil {
			return err
		}
		if d, ok, err := pld.New(background, c.product(), uint(c.Prec), pld.Limits{Points: 1 << 10, Words: 1 << 16, Terms: 1 << 8}); err != nil {
			return err
		} else if ok {
			y, err := d.Delta(background, c.Prec, eps)
			if err != nil {
				return err
			}
			if err := refute(y, lo, hi, "lattice"); err != nil {
				return err
			}
		}
		var events []mechanism.Event
		for _, g := range c.Guarantees {
			events = append(events, mechanism.SelfComposed{Event: mechanism.EpsilonDelta{Epsilon: g.Eps, Delta: g.Delta}, Count: g.Count})
		}
		r, err := exact.Delta(background, exact.Question{Event: mechanism.Composed{Events: events}}, c.Eps, 0)
		if err != nil {
			return err
		}
		if err := refute(r.Interval, lo, hi, "the front door (%v)", r.Methods); err != nil {
			return err
		}
		if r.Value != nil && (r.Value.Cmp(lo) < 0 || r.Value.Cmp(hi) > 0) {
			return fmt.Errorf("the front door claims the exact value %s, want [%s, %s]", r.Value.RatString(), lo.FloatString(40), hi.FloatString(40))
		}
		return nil
	})
}

// The bounds that round every ε_i to a grid, alone: from above with ε_i rounded up and
// from below with ε_i rounded down, they enclose the recursion.
func TestTheorem46RoundedGuarantees(t *testing.T) {
	forAll(t, 8, pointCases(5), func(c pointCase) error {
		spacing := rat("1/64")
		up, down := slices.Clone(c.Guarantees), slices.Clone(c.Guarantees)
		for i, g := range c.Guarantees {
			n := new(big.Int).Quo(quo(g.Eps, spacing).Num(), quo(g.Eps, spacing).Denom())
			down[i].Eps = mul(new(big.Rat).SetInt(n), spacing)
			up[i].Eps = mul(new(big.Rat).SetInt(n.Add(n, big.NewInt(1))), spacing)
		}
		lo, hi := recursion(c.Guarantees, c.Eps)
		for _, x := range []struct {
			gs     []response.Guarantee
			lo, hi *big.Rat
		}{{up, lo, one}, {down, zero, hi}} {
			d, ok, err := pld.New(background, pointCase{Guarantees: x.gs}.product(), uint(c.Prec), pld.Limits{Points: 1 << 14, Words: 1 << 20, Terms: 1 << 8})
			if err != nil || !ok {
				return err
			}
			y, err := d.Delta(background, c.Prec, interval.RealRat(c.Eps))
			if err != nil {
				return err
			}
			if err := refute(y, x.lo, x.hi, "guarantees %v", x.gs); err != nil {
				return err
			}
		}
		return nil
	})
}

// Chourasia et al. 2024, Corollary 4.7: the composition of k equal guarantees is a
// binomial sum; at k up to 2000, across the stored states of the prepared sums.
func TestCorollary47EqualGuarantees(t *testing.T) {
	gen := generator[pointCase]{
		draw: func(r *rand.Rand) pointCase {
			c := drawPoints(r, 1)
			c.Guarantees[0].Count = []int64{1, 2, 3, 7, 64, 511, 512, 513, 600, 1025}[r.Intn(10)]
			if r.Intn(2) == 0 { // exactly at a loss
				k := c.Guarantees[0].Count
				c.Eps = mul(c.Guarantees[0].Eps, ratInt(2*r.Int63n(k+1)-k))
			}
			return c
		},
		shrink: shrinkPoints,
	}
	forAll(t, 7, gen, func(c pointCase) error {
		g := c.Guarantees[0]
		s, err := response.NewEqual(background, c.Prec, g)
		if err != nil {
			return err
		}
		y, err := s.Delta(background, c.Prec, interval.RealRat(c.Eps))
		if err != nil {
			return err
		}
		lo, hi := binomialSum(g, c.Eps)
		return refute(y, lo, hi, "k = %d", g.Count)
	})
}

// binomialSum is (63): 1 − (1−δ)^k·(1 − E[1 − e^(t − ε(2Y−k))]₊), Y ~ Bin(k, e^ε/(1+e^ε)).
func binomialSum(g response.Guarantee, t *big.Rat) (lo, hi *big.Rat) {
	k := g.Count
	elo, ehi := expRat(g.Eps)
	plo, phi := roundDown(quo(elo, add(one, elo))), roundUp(quo(ehi, add(one, ehi)))
	power := func(x *big.Rat, n int64, up bool) *big.Rat {
		out := one
		for i := 62; i >= 0; i-- {
			out = roundTo(mul(out, out), up)
			if n>>i&1 == 1 {
				out = roundTo(mul(out, x), up)
			}
		}
		return out
	}
	lo, hi = new(big.Rat), new(big.Rat)
	for y := k; y >= 0; y-- {
		d := sub(t, mul(g.Eps, ratInt(2*y-k)))
		if d.Sign() >= 0 {
			break
		}
		c := new(big.Rat).SetInt(new(big.Int).Binomial(k, y))
		wlo, whi := expRat(d)
		qlo, qhi := sub(one, phi), sub(one, plo)
		lo = roundDown(add(lo, mul(mul(c, mul(power(plo, y, false), power(qlo, k-y, false))), sub(one, whi))))
		hi = roundUp(add(hi, mul(mul(c, mul(power(phi, y, true), power(qhi, k-y, true))), sub(one, wlo))))
	}
	keep := sub(one, g.Delta)
	klo, khi := power(keep, k, false), power(keep, k, true)
	return maxRat(zero, sub(one, mul(khi, sub(one, minRat(one, lo))))), minRat(one, sub(one, mul(klo, sub(one, minRat(one, hi)))))
}

// Chourasia et al. 2024, Theorem 4.5 [Kairouz, Oh & Viswanath 2015]: a pair that is
// (ε, δ)-DP in both orders has both profiles below the profile of approximate randomized
// response, for all real ε.
func TestTheorem45WorstCase(t *testing.T) {
	forAll(t, 80, composings, func(c composing) error {
		x := pair.Response{Eps: c.EpsA, Delta: c.A.guarantee(c.EpsA)}
		os, rest, ok := x.Outcomes(c.Prec, 10)
		if !ok {
			return fmt.Errorf("no outcomes")
		}
		for _, m := range []model{c.A, c.A.reverse()} {
			for _, alpha := range alphas(m) {
				if y := sumOutcomes(os, rest, ratInterval(alpha, alpha)); y.LessRat(m.delta(alpha)) == interval.True {
					return fmt.Errorf("H_%s of %s is at most %s, the pair has %s", alpha.RatString(), x, text(y.Hi()), m.delta(alpha).RatString())
				}
			}
		}
		return nil
	})
}

// Chourasia et al. 2024, Theorem 3.4: the profile of approximate randomized response
// is δ, δ + (1−δ)(1 − e^(t−ε))·e^ε/(1+e^ε) … as its definition has it, on all of ℝ.
func TestTheorem34RandomizedResponse(t *testing.T) {
	forAll(t, 100, pointCases(1), func(c pointCase) error {
		g := c.Guarantees[0]
		os, rest, ok := pair.Response{Eps: g.Eps, Delta: g.Delta}.Outcomes(c.Prec, 10)
		if !ok {
			return fmt.Errorf("no outcomes")
		}
		// (39): δ for t ≥ ε; 1 − (1−δ)(1 + e^t)/(1 + e^ε) for |t| ≤ ε; 1 − e^t(1−δ) for t ≤ −ε.
		e, tt := g.Eps, c.Eps
		elo, ehi := expRat(e)
		tlo, thi := expRat(tt)
		keep := sub(one, g.Delta)
		var lo, hi *big.Rat
		switch {
		case tt.Cmp(e) >= 0:
			lo, hi = g.Delta, g.Delta
		case tt.Cmp(neg(e)) <= 0:
			lo, hi = sub(one, mul(thi, keep)), sub(one, mul(tlo, keep))
		default:
			lo = sub(one, mul(keep, quo(add(one, thi), add(one, elo))))
			hi = sub(one, mul(keep, quo(add(one, tlo), add(one, ehi))))
		}
		return refute(sumOutcomes(os, rest, ratInterval(expRat(tt))), lo, hi, "δ(%s)", tt.RatString())
	})
}

// Chourasia et al. 2024, Theorem 3.5: randomized response has the moment
// E_q = (e^(qε) + e^((1−q)ε))/(1 + e^ε) at every order q > 1; moments multiply.
func TestTheorem35RenyiOfRandomizedResponse(t *testing.T) {
	forAll(t, 80, pointCases(3), func(c pointCase) error {
		var prod pair.Product
		lo, hi := one, one
		order := add(one, maxRat(rat("1/1000"), new(big.Rat).Abs(c.Eps)))
		for _, g := range c.Guarantees {
			prod = append(prod, pair.Term{Pair: pair.Response{Eps: g.Eps, Delta: new(big.Rat)}, Count: g.Count})
			alo, ahi := expRat(mul(order, g.Eps))
			blo, bhi := expRat(mul(sub(one, order), g.Eps))
			elo, ehi := expRat(g.Eps)
			for range g.Count {
				lo = roundDown(mul(lo, quo(add(alo, blo), add(one, ehi))))
				hi = roundUp(mul(hi, quo(add(ahi, bhi), add(one, elo))))
			}
		}
		m, ok := renyi.Moments(prod)
		if !ok {
			return fmt.Errorf("no moments")
		}
		return refute(interval.Prec(400).Exp(m(c.Prec, order)), lo, hi, "E_%s", order.RatString())
	})
}
