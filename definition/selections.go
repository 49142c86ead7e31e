// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"fmt"
	"math/big"
	"slices"

	"dpverify/definition/masses"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// A score is a function with a start of its own, in half steps.
type score struct {
	start, sign *big.Rat
	f           *bounded
}

// candidates are two or three, of which one is chosen by scores, which are any functions of sensitivity 1 under the
// relation. The scores of the first rise where those of others fall.
func (c reading) candidates(s site, choose func([]*big.Rat) []interval.Interval) mech {
	var all []score
	for i := range 2 + s.at(1).pick(3)/2 {
		at := s.at(2 + i)
		x := score{new(big.Rat), big.NewRat(1, 1), &bounded{reading: c, site: at.at(0), step: 2}}
		if i > 0 {
			x.sign.SetInt64(-1)
			x.start.SetFrac64(around(at.at(1).pick(128), 128), 16)
		}
		all = append(all, x)
	}
	scores := func(d data) []*big.Rat {
		out := make([]*big.Rat, len(all))
		for i, s := range all {
			x := big.NewRat(int64(s.f.of(d)), 2)
			out[i] = x.Add(x.Mul(x, s.sign), s.start)
		}
		return out
	}
	return visible{c.sizes(s.at(0)), len(all), func(d data) masses.Law { return masses.Enclosed(choose(scores(d))) },
		func(y int) string { return fmt.Sprintf("candidate %d", 1+y) }, "candidates have the scores ",
		func(d data) string { return tuple(scores(d)) }}
}

// around takes 0, 1, …, n − 1 to 0, 1, 2, … and ends with … −2, −1: neighbours stay neighbours.
func around(k, n int) int64 {
	if k >= (n+1)/2 {
		k -= n
	}
	return int64(k)
}

// exponential chooses y with a probability ∝ e^(ε·score/2).
func (c reading) exponential(e mechanism.ExponentialMechanism, s site) mech {
	return c.candidates(s, func(scores []*big.Rat) []interval.Interval {
		weights, total := c.weights(e.Epsilon, scores), interval.Int(0)
		for _, w := range weights {
			total = masses.Working.Add(total, w)
		}
		for i, w := range weights {
			weights[i] = masses.Working.Div(w, total)
		}
		return weights
	})
}

// permuteAndFlip goes over the candidates in random order, and takes one with the probability e^(ε·(score − best)/2)
// when it comes to it.
func (c reading) permuteAndFlip(e mechanism.PermuteAndFlip, s site) mech {
	return c.candidates(s, func(scores []*big.Rat) []interval.Interval {
		coins := c.weights(e.Epsilon, scores)
		out := make([]interval.Interval, len(coins))
		orders := permutations(len(coins))
		for _, order := range orders {
			come := interval.Int(1)
			for _, i := range order {
				out[i] = masses.Working.Add(out[i], masses.Working.Mul(come, coins[i]))
				come = masses.Working.Mul(come, masses.Working.Sub(interval.Int(1), coins[i]))
			}
		}
		for i := range out {
			out[i] = masses.Working.Div(out[i], interval.Int(int64(len(orders))))
		}
		return out
	})
}

// weights returns e^(ε·(score − best)/2).
func (c reading) weights(eps *big.Rat, scores []*big.Rat) []interval.Interval {
	best := slices.MaxFunc(scores, (*big.Rat).Cmp)
	out := make([]interval.Interval, len(scores))
	for i, x := range scores {
		d := new(big.Rat).Sub(x, best)
		out[i] = c.Exp(d.Mul(d.Mul(d, eps), big.NewRat(1, 2)))
	}
	return out
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for i := range n {
			out = append(out, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return out
}

// A repeated mechanism runs K times and releases the best of its outcomes, by an order that is chosen; nothing if K =
// 0, which is the outcome 0. It is y or better in all runs with the probability f(P(y or worse)), f the generating
// function of K. Each run may also release a coin of its own, which the order looks at: the outcome y is in two parts.
type repeated struct {
	mech
	site
	generating func(lo, hi *big.Rat) interval.Interval // of a probability in [lo, hi]
}

func (m repeated) label(y int) string {
	if y == 0 {
		return "no output"
	}
	return "best: " + m.mech.label((y-1)/2) + []string{", coin A", ", coin B"}[(y-1)%2]
}

func (m repeated) words(ds []data) string { return "the best of several runs: " + m.mech.words(ds) }

func (m repeated) law(d data) masses.Law {
	inner := m.mech.law(d)
	type part struct {
		outcome int
		share   *big.Rat
		rank    int
	}
	var parts []part
	for i := range inner.Len() {
		s := m.at(i)
		share := big.NewRat(int64(s.at(0).pick(17)), 16)
		rest := new(big.Rat).Sub(big.NewRat(1, 1), share)
		for k, x := range []*big.Rat{rest, share} {
			// Outcomes come in the order of their numbers, in the opposite one, or in any.
			if x.Sign() > 0 {
				y := 2*i + k
				parts = append(parts, part{y, x, []int{y, -y, s.at(1 + k).pick(64)}[m.pick(3)]})
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return a.rank - b.rank })
	out := make([]interval.Interval, 2*inner.Len()+1)
	last := m.generating(new(big.Rat), new(big.Rat))
	out[0] = last
	lo, hi := new(big.Rat), new(big.Rat)
	for _, p := range parts {
		a, b := inner.Mass(p.outcome / 2)
		lo, hi = new(big.Rat).Add(lo, a.Mul(a, p.share)), new(big.Rat).Add(hi, b.Mul(b, p.share))
		if one := big.NewRat(1, 1); hi.Cmp(one) > 0 {
			hi = one
		}
		next := m.generating(lo, hi)
		out[p.outcome+1] = masses.Working.Sub(next, last)
		last = next
	}
	return masses.Enclosed(out)
}

func (c reading) repeatAndSelect(e mechanism.RepeatAndSelect, s site) mech {
	g := c.runs(e)
	return repeated{c.read(e.Event, s.at(0)), s.at(1), func(lo, hi *big.Rat) interval.Interval {
		x := g(masses.Working.Rat(lo))
		if lo.Cmp(hi) == 0 {
			return x
		}
		return interval.Union(x, g(masses.Working.Rat(hi))) // it rises
	}}
}

// runs returns the generating function Σ P(K = k)·x^k of the number of runs, for x in [0, 1]: e^(mean·(x − 1)) of a
// Poisson distribution; of P(K = k) ∝ (1 − γ)^k·Π_{l<k} (l + η)/(l + 1), which are the terms of (1 − (1 − γ)x)^−η at x
// = 1, or of −log(1 − (1 − γ)x) where η = 0.
func (c reading) runs(e mechanism.RepeatAndSelect) func(interval.Interval) interval.Interval {
	mean := masses.Working.Rat(e.Mean)
	unit := interval.Int(1)
	if e.Shape == nil {
		return func(x interval.Interval) interval.Interval {
			return masses.Working.Exp(masses.Working.Mul(mean, masses.Working.Sub(x, unit)))
		}
	}
	eta := masses.Working.Rat(e.Shape)
	if e.Mean.Cmp(big.NewRat(1, 1)) == 0 { // one run
		return func(x interval.Interval) interval.Interval { return x }
	}
	series := func(gamma, x interval.Interval) interval.Interval { // but for its first term, which is K = 0
		log := masses.Working.Log(masses.Working.Sub(unit, masses.Working.Mul(masses.Working.Sub(unit, gamma), x)))
		if e.Shape.Sign() == 0 {
			return log.Neg()
		}
		return masses.Working.Expm1(masses.Working.Mul(eta, log).Neg())
	}
	gamma := c.gamma(e)
	return func(x interval.Interval) interval.Interval {
		return masses.Working.Div(series(gamma, x), series(gamma, unit))
	}
}

// gamma encloses the γ with which the mean is as it should be. The mean falls from ∞ to 1 as γ rises from 0 to 1: it is
// η(1 − γ)/(γ(1 − γ^η)), and (1 − γ)/(γ·log(1/γ)) where η = 0.
func (c reading) gamma(e mechanism.RepeatAndSelect) interval.Interval {
	unit := interval.Int(1)
	if e.Shape.Cmp(big.NewRat(1, 1)) == 0 {
		return masses.Working.Rat(new(big.Rat).Inv(e.Mean))
	}
	key := [2]string{e.Mean.RatString(), e.Shape.RatString()}
	if g, ok := c.gammas[key]; ok {
		return g
	}
	const precise = interval.Prec(2*masses.FineBits + 64) // the difference of 1 and a power of γ near 1 is short
	mean := func(gamma *big.Rat) interval.Interval {
		g := precise.Rat(gamma)
		log := precise.Log(g)
		odds := precise.Div(precise.Sub(unit, g), g)
		if e.Shape.Sign() == 0 {
			return precise.Div(odds, log.Neg())
		}
		eta := precise.Rat(e.Shape)
		return precise.Div(precise.Mul(eta, odds), precise.Expm1(precise.Mul(eta, log)).Neg())
	}
	lo, hi := new(big.Rat), big.NewRat(1, 1)
	for range masses.FineBits {
		mid := new(big.Rat).Add(lo, hi)
		mid.Mul(mid, big.NewRat(1, 2))
		m := mean(mid)
		if m.LessEqRat(e.Mean) == interval.True {
			hi = mid
		} else if m.LessRat(e.Mean) == interval.False {
			lo = mid
		} else {
			break
		}
	}
	g := interval.Union(masses.Working.Rat(lo), masses.Working.Rat(hi))
	c.gammas[key] = g
	return g
}
