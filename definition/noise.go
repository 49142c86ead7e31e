// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"math/big"
	"slices"

	"dpverify/exact/interval"
)

// A cut is between the numbers below at and those above it. The number itself is below the cut if after is set.
type cut struct {
	at    *big.Rat
	after bool
}

func (c cut) cmp(d cut) int {
	if n := c.at.Cmp(d.at); n != 0 || c.after == d.after {
		return n
	} else if c.after {
		return 1
	}
	return -1
}

// sorted returns cuts in their order, each once.
func sorted(cuts []cut) []cut {
	slices.SortFunc(cuts, cut.cmp)
	return slices.CompactFunc(cuts, func(a, b cut) bool { return a.cmp(b) == 0 })
}

// cellName is the interval before cut i.
func cellName(cuts []cut, i int) string {
	lo, hi := "(−∞", "∞)"
	if i > 0 {
		lo = map[bool]string{false: "[", true: "("}[cuts[i-1].after] + cuts[i-1].at.RatString()
	}
	if i < len(cuts) {
		hi = cuts[i].at.RatString() + map[bool]string{false: ")", true: "]"}[cuts[i].after]
	}
	return lo + ", " + hi
}

// A distribution on the real line, as the probability of what is below a cut.
type distribution func(cut) interval.Interval

// cellsOf returns the law of the cells between cuts, which rise: below the first, from each to the next, from the last on.
func cellsOf(below distribution, cuts []cut) Law {
	masses := make([]interval.Interval, 0, len(cuts)+1)
	last := interval.Int(0)
	for _, c := range cuts {
		next := below(c)
		masses = append(masses, working.Sub(next, last))
		last = next
	}
	return enclosed(append(masses, working.Sub(interval.Int(1), last)))
}

// Tables keep what functions were found to be, for many instances. They are for one goroutine at a time.
type Tables struct {
	normals         kept[interval.Interval] // Φ
	exponentials    kept[interval.Interval]
	discreteNormals kept[*normalSums]
	gammas          map[[2]string]interval.Interval // by the mean and the shape of a number of runs
}

// NewTables are empty.
func NewTables() *Tables {
	return &Tables{
		normals:         keep(func(x *big.Rat) interval.Interval { return working.NormalCDF(working.Rat(x)) }),
		exponentials:    keep(func(x *big.Rat) interval.Interval { return working.Exp(working.Rat(x)) }),
		discreteNormals: keep(newNormalSums),
		gammas:          map[[2]string]interval.Interval{},
	}
}

// kept remembers a function of rational numbers.
type kept[T any] struct {
	f      func(*big.Rat) T
	values map[string]T
}

func keep[T any](f func(*big.Rat) T) kept[T] { return kept[T]{f, map[string]T{}} }

func (k kept[T]) of(x *big.Rat) T {
	key := x.RatString()
	v, ok := k.values[key]
	if !ok {
		v = k.f(x)
		k.values[key] = v
	}
	return v
}

// normal is N(mean, sigma²).
func (t *Tables) normal(mean, sigma *big.Rat) distribution {
	return func(x cut) interval.Interval {
		z := new(big.Rat).Sub(x.at, mean)
		return t.normals.of(z.Quo(z, sigma))
	}
}

// laplace has the density e^(−|x − mean|/scale)/(2·scale).
func (t *Tables) laplace(mean, scale *big.Rat) distribution {
	return func(x cut) interval.Interval {
		z := new(big.Rat).Sub(x.at, mean)
		z.Quo(z, scale)
		tail := working.Scale(t.exponentials.of(new(big.Rat).Neg(new(big.Rat).Abs(z))), -1)
		if z.Sign() <= 0 {
			return tail
		}
		return working.Sub(interval.Int(1), tail)
	}
}

// shifted is the distribution of X + by.
func (below distribution) shifted(by *big.Rat) distribution {
	return func(x cut) interval.Interval { return below(cut{new(big.Rat).Sub(x.at, by), x.after}) }
}

// clamped is the distribution of max(0, X).
func (below distribution) clamped() distribution {
	return func(x cut) interval.Interval {
		if n := x.at.Sign(); n < 0 || n == 0 && !x.after {
			return interval.Int(0)
		}
		return below(x)
	}
}

// within is the distribution of X, given that it is in [−radius, radius].
func (below distribution) within(radius *big.Rat) distribution {
	least, most := new(big.Rat).Neg(radius), radius
	start := below(cut{least, false})
	all := working.Sub(below(cut{most, true}), start)
	return func(x cut) interval.Interval {
		switch {
		case x.at.Cmp(least) <= 0:
			return interval.Int(0)
		case x.at.Cmp(most) >= 0:
			return interval.Int(1)
		}
		return working.Div(working.Sub(below(x), start), all)
	}
}

// mixture is one of several distributions, with given probabilities.
func mixture(weights []*big.Rat, parts []distribution) distribution {
	return func(x cut) interval.Interval {
		total := interval.Int(0)
		for i, w := range weights {
			total = working.Add(total, working.Mul(working.Rat(w), parts[i](x)))
		}
		return total
	}
}

// discreteLaplace has P(mean + z) = tanh(a/2)·e^(−a|z|) for integers z, so that P(Z ≥ k) = e^(−ak)/(1 + e^−a) for k ≥ 1. Cuts are between integers.
func (t *Tables) discreteLaplace(mean int64, a *big.Rat) distribution {
	r := t.exponentials.of(new(big.Rat).Neg(a))
	below := func(k int64) interval.Interval { // P(Z < k)
		tail := func(k int64) interval.Interval { // P(Z ≥ k), k ≥ 1
			return working.Div(working.PowInt(r, k), working.Add(interval.Int(1), r))
		}
		if k > 0 {
			return working.Sub(interval.Int(1), tail(k))
		}
		return tail(1 - k) // Z < k and Z > −k have one probability
	}
	return func(x cut) interval.Interval { return below(ceil(x.at) - mean) }
}

// discreteNormal has P(mean + z) ∝ e^(−z²/2σ²) for integers z. Cuts are between integers.
func (t *Tables) discreteNormal(mean int64, sigma *big.Rat) distribution {
	sums := t.discreteNormals.of(sigma)
	return func(x cut) interval.Interval {
		k := ceil(x.at) - mean
		if k <= 0 {
			return working.Div(sums.from(1-k), sums.all)
		}
		return working.Sub(interval.Int(1), working.Div(sums.from(k), sums.all))
	}
}

// normalSums are sums of e^(−z²/2σ²) over integers.
type normalSums struct {
	tails []interval.Interval // over z ≥ k
	all   interval.Interval
}

// newNormalSums sums up to where e^(−z²/2σ²) < 2^−fineBits. From there on, z ≥ m, the terms fall by e^(−(2m+1)/2σ²) or more at each step, so that
// the rest is at most the first term over one less that.
func newNormalSums(sigma *big.Rat) *normalSums {
	twice := new(big.Rat).Mul(sigma, sigma)
	twice.Mul(twice, big.NewRat(2, 1))
	exponent := func(n int64) interval.Interval {
		return working.Exp(working.Rat(new(big.Rat).Quo(big.NewRat(-n, 1), twice)))
	}
	var terms []interval.Interval
	for z := int64(0); ; z++ {
		term := exponent(z * z)
		if term.LessRat(interval.Pow2(-fineBits)) == interval.True {
			rest := working.Div(term, working.Sub(interval.Int(1), exponent(2*z+1)))
			terms = append(terms, interval.Union(interval.Int(0), rest))
			break
		}
		terms = append(terms, term)
	}
	s := &normalSums{tails: make([]interval.Interval, len(terms))}
	total := interval.Int(0)
	for z := len(terms) - 1; z >= 0; z-- {
		total = working.Add(total, terms[z])
		s.tails[z] = total
	}
	s.all = working.Sub(working.Scale(s.tails[0], 1), interval.Int(1))
	return s
}

// from returns the sum over z ≥ k, k ≥ 0.
func (s *normalSums) from(k int64) interval.Interval {
	if k >= int64(len(s.tails)) {
		return interval.Union(interval.Int(0), s.tails[len(s.tails)-1])
	}
	return s.tails[k]
}

func ceil(x *big.Rat) int64 {
	n := new(big.Int).Neg(x.Num())
	n.Div(n, x.Denom()) // the floor of −x
	return -n.Int64()
}
