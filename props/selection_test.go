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
	"dpverify/mechanism"
)

// A selector chooses a candidate by scores, in units of half the sensitivity, with h = e^{ε/4}
// rational.
type selector func(h *big.Rat, scores []int) []*big.Rat

// powInt is h^n for any integer n.
func powInt(h *big.Rat, n int) *big.Rat {
	if n < 0 {
		return new(big.Rat).Inv(powRat(h, -n))
	}
	return powRat(h, n)
}

// exponential is the exponential mechanism: P(y) ∝ e^{ε·score/2}.
func exponential(h *big.Rat, scores []int) []*big.Rat {
	w := make([]*big.Rat, len(scores))
	for i, s := range scores {
		w[i] = powInt(h, s)
	}
	return normalised(w)
}

// permuteAndFlip is the mechanism of McKenna & Sheldon 2020: candidates in random order, each
// taken with the probability e^{ε·(score − best)/2}.
func permuteAndFlip(h *big.Rat, scores []int) []*big.Rat {
	out := make([]*big.Rat, len(scores))
	for i := range out {
		out[i] = new(big.Rat)
	}
	best := slices.Max(scores)
	var draw func(left []int, p *big.Rat)
	draw = func(left []int, p *big.Rat) {
		each := quo(p, ratInt(int64(len(left))))
		for i, y := range left {
			heads := powInt(h, scores[y]-best)
			out[y].Add(out[y], mul(each, heads))
			if tails := mul(each, sub(one, heads)); tails.Sign() > 0 {
				draw(append(slices.Clone(left[:i]), left[i+1:]...), tails)
			}
		}
	}
	all := make([]int, len(scores))
	for i := range all {
		all[i] = i
	}
	draw(all, one)
	return out
}

// boundedRange is H_α of the exponential mechanism at α = root², with g = e^{ε/2}: (1 − √α/g)²/(1 − g^−2).
func boundedRange(g, root *big.Rat) *big.Rat {
	return selectionBound(g, root, func(u *big.Rat) *big.Rat {
		return quo(mul(u, u), sub(one, powInt(g, -2)))
	})
}

// laplaceBound is H_α of permute-and-flip: 1 − √α/g.
func laplaceBound(g, root *big.Rat) *big.Rat {
	return selectionBound(g, root, func(u *big.Rat) *big.Rat { return u })
}

func selectionBound(g, root *big.Rat, inside func(u *big.Rat) *big.Rat) *big.Rat {
	switch {
	case root.Cmp(g) >= 0:
		return new(big.Rat)
	case mul(root, g).Cmp(one) <= 0:
		return sub(one, mul(root, root))
	}
	return inside(sub(one, quo(root, g)))
}

var selections = []struct {
	name  string
	run   selector
	bound func(g, root *big.Rat) *big.Rat
	event func(eps *big.Rat) mechanism.Event
}{
	{"exponential mechanism", exponential, boundedRange, func(e *big.Rat) mechanism.Event { return mechanism.ExponentialMechanism{Epsilon: e} }},
	{"permute-and-flip", permuteAndFlip, laplaceBound, func(e *big.Rat) mechanism.Event { return mechanism.PermuteAndFlip{Epsilon: e} }},
}

// A selection is a choice on neighbouring data, and in every context of other records.
type selection struct {
	kind    int
	h, root *big.Rat
	rate    *big.Rat
	weights []*big.Rat // of contexts
	with    [][]int    // scores with the record, in each context
	without [][]int
	absent  [][]int // scores where neither record is sampled
}

func (s selection) String() string {
	return fmt.Sprintf("%s, e^(ε/4) = %s, √α = %s, rate %s: contexts %v, scores %v against %v, or %v", selections[s.kind].name, s.h.RatString(), s.root.RatString(), s.rate.RatString(), s.weights, s.with, s.without, s.absent)
}

var selectionCases = generator[selection]{draw: func(r *rand.Rand) selection {
	ratios := []string{"2", "3/2", "5/4", "11/10", "101/100"}
	s := selection{kind: r.Intn(len(selections)), h: rat(ratios[r.Intn(len(ratios))]), rate: big.NewRat(1+r.Int63n(4), 5)}
	s.root = powInt(s.h, r.Intn(7)-3)
	if r.Intn(2) == 0 {
		s.root = mul(s.root, big.NewRat(90+r.Int63n(20), 100))
	}
	m, n := 2+r.Intn(3), 1+r.Intn(3)
	for range n {
		a, b, c := make([]int, m), make([]int, m), make([]int, m)
		for i := range a {
			a[i] = r.Intn(9) - 4
			b[i] = a[i] + r.Intn(5) - 2 // within the sensitivity, which is 2 halves
			c[i] = r.Intn(9) - 4
		}
		s.with, s.without, s.absent = append(s.with, a), append(s.without, b), append(s.absent, c)
		s.weights = append(s.weights, ratInt(1+r.Int63n(3)))
	}
	s.weights = normalised(s.weights)
	return s
}}

// The exponential mechanism has bounded range and permute-and-flip is dominated by Laplace
// noise: no scores, neighbours and candidates exceed the profiles, in exact rationals.
func TestSelectionIsDominated(t *testing.T) {
	forAll(t, 400, selectionCases, func(s selection) error {
		k := selections[s.kind]
		g := mul(s.h, s.h)
		bound := k.bound(g, s.root)
		alpha := mul(s.root, s.root)
		for i := range s.with {
			p, q := k.run(s.h, s.with[i]), k.run(s.h, s.without[i])
			if d := divergence(p, q, alpha); d.Cmp(bound) > 0 {
				return fmt.Errorf("H = %s, more than %s", d.RatString(), bound.RatString())
			}
		}
		return nil
	})
}

// Sampled, with scores that depend on the other records of the sample: the Poisson sample
// where a record is there or not, and where it is replaced by another one, and nothing is known of
// samples without either.
func TestSelectionUnderSampling(t *testing.T) {
	forAll(t, 300, selectionCases, func(s selection) error {
		k := selections[s.kind]
		g := mul(s.h, s.h)
		beta := mul(s.root, s.root)
		var p, q, r [][]*big.Rat
		for i := range s.with {
			p, q, r = append(p, k.run(s.h, s.with[i])), append(q, k.run(s.h, s.without[i])), append(r, k.run(s.h, s.absent[i]))
		}
		rates := []*big.Rat{s.rate, sub(one, s.rate)}
		in, out, none := mix(s.weights, p), mix(s.weights, q), mix(s.weights, r)
		// H_α((1−γ)Q + γP‖Q) = γ·H_β(P‖Q), β = 1 + (α−1)/γ.
		if alpha := add(one, mul(s.rate, sub(beta, one))); alpha.Cmp(sub(one, s.rate)) > 0 {
			d := divergence(mix(rates, [][]*big.Rat{in, out}), out, alpha)
			if bound := mul(s.rate, k.bound(g, s.root)); d.Cmp(bound) > 0 {
				return fmt.Errorf("added: H_%s = %s, more than %s", alpha.RatString(), d.RatString(), bound.RatString())
			}
		}
		d := divergence(mix(rates, [][]*big.Rat{in, none}), mix(rates, [][]*big.Rat{out, none}), beta)
		bound := add(mul(sub(one, s.rate), maxRat(zero, sub(one, beta))), mul(s.rate, k.bound(g, s.root)))
		if d.Cmp(bound) > 0 {
			return fmt.Errorf("replaced: H_%s = %s, more than %s", beta.RatString(), d.RatString(), bound.RatString())
		}
		return nil
	})
}

// The profiles are attained, each ε by scores of two candidates. With |ln √α| < ε/2, the exponential
// mechanism with p = (1 − √α/g)/(1 − g^−2) against q = p/(√α·g): their odds have the ratio e^ε, as the odds of
// scores that differ by 2. Permute-and-flip with equal scores at one of the neighbours: α = e^ε/u².
func TestSelectionIsAttained(t *testing.T) {
	forAll(t, 200, selectionCases, func(s selection) error {
		g := mul(s.h, s.h)
		if s.root.Cmp(g) >= 0 || mul(s.root, g).Cmp(one) <= 0 {
			return nil
		}
		p := quo(sub(one, quo(s.root, g)), sub(one, powInt(g, -2)))
		q := quo(p, mul(s.root, g))
		odds := quo(mul(p, sub(one, q)), mul(q, sub(one, p)))
		if odds.Cmp(mul(g, g)) != 0 {
			return fmt.Errorf("odds %s, want e^ε = %s", odds.RatString(), mul(g, g).RatString())
		}
		alpha := mul(s.root, s.root)
		if d := divergence([]*big.Rat{p, sub(one, p)}, []*big.Rat{q, sub(one, q)}, alpha); d.Cmp(boundedRange(g, s.root)) != 0 {
			return fmt.Errorf("H = %s, want %s", d.RatString(), boundedRange(g, s.root).RatString())
		}
		// The scores (−2 … 0, 0) of permute-and-flip in halves, moved by (2, −2).
		for n := -4; n <= 0; n++ {
			a, b := permuteAndFlip(s.h, []int{n + 4, 0}), permuteAndFlip(s.h, []int{n, 0})
			// P = 1 − h^−(n+4)/2 and Q = h^n/2 are the masses above ε at √α = h^−n−2.
			r := powInt(s.h, -n-2)
			if d := divergence(a, b, mul(r, r)); d.Cmp(laplaceBound(g, r)) != 0 {
				return fmt.Errorf("scores %d: H = %s, want %s", n, d.RatString(), laplaceBound(g, r).RatString())
			}
		}
		return nil
	})
}

// Compositions, the second choice by scores that depend on the first one, are below the
// upper ends of the enclosures: with ε rounded up, and e^ε of the question rounded down.
func TestSelectionsCompose(t *testing.T) {
	forAll(t, 20, selectionCases, func(s selection) error {
		k := selections[s.kind]
		p0, q0 := k.run(s.h, s.with[0]), k.run(s.h, s.without[0])
		var p, q []*big.Rat
		for y := range p0 {
			i := y % len(s.with)
			p1, q1 := k.run(s.h, s.with[i]), k.run(s.h, s.without[i])
			for z := range p1 {
				p, q = append(p, mul(p0[y], p1[z])), append(q, mul(q0[y], q1[z]))
			}
		}
		const w = interval.Prec(128)
		_, eps, ok := w.Scale(w.Log(w.Rat(s.h)), 2).Rationals()
		if !ok {
			return fmt.Errorf("no ε")
		}
		at := sub(quo(ratInt(s.rate.Num().Int64()), two), half)
		alphaHi, ok := w.Exp(w.Rat(at)).UpperRat()
		if !ok {
			return fmt.Errorf("no α")
		}
		question := exact.Question{Event: mechanism.SelfComposed{Event: k.event(eps), Count: 2}}
		r, err := exact.Delta(context.Background(), question, at, 0)
		if err != nil {
			return err
		}
		if d := divergence(p, q, alphaHi); r.LessRat(d) == interval.True {
			return fmt.Errorf("δ(%s) = %s, a composition has %s", at.RatString(), r.Interval, d.RatString())
		}
		return nil
	})
}
