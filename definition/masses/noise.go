// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package masses

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// A Cut is between the numbers below At and those above it. The number itself is below the cut if After is set.
type Cut struct {
	At    *big.Rat
	After bool
}

func (c Cut) cmp(d Cut) int {
	if n := c.At.Cmp(d.At); n != 0 || c.After == d.After {
		return n
	} else if c.After {
		return 1
	}
	return -1
}

// Sorted returns cuts in their order, each once.
func Sorted(cuts []Cut) []Cut {
	slices.SortFunc(cuts, Cut.cmp)
	return slices.CompactFunc(cuts, func(a, b Cut) bool { return a.cmp(b) == 0 })
}

// CellName is the interval before cut i.
func CellName(cuts []Cut, i int) string {
	lo, hi := "(−∞", "∞)"
	if i > 0 {
		lo = map[bool]string{false: "[", true: "("}[cuts[i-1].After] + cuts[i-1].At.RatString()
	}
	if i < len(cuts) {
		hi = cuts[i].At.RatString() + map[bool]string{false: ")", true: "]"}[cuts[i].After]
	}
	return lo + ", " + hi
}

// A Distribution is one on the real line, as the probability of what is below a cut.
type Distribution func(Cut) interval.Interval

// Cells returns the law of the cells between cuts, which rise: below the first, from each to the next, from the last
// on.
func Cells(below Distribution, cuts []Cut) Law {
	masses := make([]interval.Interval, 0, len(cuts)+1)
	last := interval.Int(0)
	for _, c := range cuts {
		next := below(c)
		masses = append(masses, Working.Sub(next, last))
		last = next
	}
	return Enclosed(append(masses, Working.Sub(interval.Int(1), last)))
}

// Tables keep what functions were found to be, for many instances. They are for one goroutine at a time.
type Tables struct {
	normals         kept[interval.Interval] // Φ
	exponentials    kept[interval.Interval]
	discreteNormals kept[*normalSums]
}

// NewTables are empty. What is found once ctx has ended is wide.
func NewTables(ctx context.Context) *Tables {
	return &Tables{
		normals:         keep(func(x *big.Rat) interval.Interval { return Working.NormalCDF(Working.Rat(x)) }),
		exponentials:    keep(func(x *big.Rat) interval.Interval { return Working.Exp(Working.Rat(x)) }),
		discreteNormals: keep(func(x *big.Rat) *normalSums { return newNormalSums(ctx, x) }),
	}
}

// Exp encloses e^x.
func (t *Tables) Exp(x *big.Rat) interval.Interval { return t.exponentials.of(x) }

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

// Normal is N(mean, sigma²).
func (t *Tables) Normal(mean, sigma *big.Rat) Distribution {
	return func(x Cut) interval.Interval {
		z := new(big.Rat).Sub(x.At, mean)
		return t.normals.of(z.Quo(z, sigma))
	}
}

// Near is a number near the root of x > 0, to choose cells by.
func Near(x *big.Rat) *big.Rat { return new(big.Rat).SetFloat64(math.Sqrt(number.Float64(x))) }

// NormalOf is the normal distribution with a variance, whose root may be irrational.
func (t *Tables) NormalOf(mean, variance *big.Rat) Distribution {
	num, den := new(big.Int).Sqrt(variance.Num()), new(big.Int).Sqrt(variance.Denom())
	if root := new(big.Rat).SetFrac(num, den); new(big.Rat).Mul(root, root).Cmp(variance) == 0 {
		return t.Normal(mean, root)
	}
	return func(x Cut) interval.Interval {
		z := new(big.Rat).Sub(x.At, mean)
		return Working.NormalCDF(Working.Div(Working.Rat(z), Working.Sqrt(Working.Rat(variance))))
	}
}

// Laplace has the density e^(−|x − mean|/scale)/(2·scale).
func (t *Tables) Laplace(mean, scale *big.Rat) Distribution {
	return func(x Cut) interval.Interval {
		z := new(big.Rat).Sub(x.At, mean)
		z.Quo(z, scale)
		tail := Working.Scale(t.exponentials.of(new(big.Rat).Neg(new(big.Rat).Abs(z))), -1)
		if z.Sign() <= 0 {
			return tail
		}
		return Working.Sub(interval.Int(1), tail)
	}
}

// Shifted is the distribution of X + by.
func (below Distribution) Shifted(by *big.Rat) Distribution {
	return func(x Cut) interval.Interval { return below(Cut{new(big.Rat).Sub(x.At, by), x.After}) }
}

// Clamped is the distribution of max(0, X).
func (below Distribution) Clamped() Distribution {
	return func(x Cut) interval.Interval {
		if n := x.At.Sign(); n < 0 || n == 0 && !x.After {
			return interval.Int(0)
		}
		return below(x)
	}
}

// Within is the distribution of X, given that it is in [−radius, radius].
func (below Distribution) Within(radius *big.Rat) Distribution {
	least, most := new(big.Rat).Neg(radius), radius
	start := below(Cut{least, false})
	all := Working.Sub(below(Cut{most, true}), start)
	return func(x Cut) interval.Interval {
		switch {
		case x.At.Cmp(least) <= 0:
			return interval.Int(0)
		case x.At.Cmp(most) >= 0:
			return interval.Int(1)
		}
		return Working.Div(Working.Sub(below(x), start), all)
	}
}

// Mixture is one of several distributions, with given probabilities.
func Mixture(weights []*big.Rat, parts []Distribution) Distribution {
	return func(x Cut) interval.Interval {
		total := interval.Int(0)
		for i, w := range weights {
			total = Working.Add(total, Working.Mul(Working.Rat(w), parts[i](x)))
		}
		return total
	}
}

// DiscreteLaplace has P(mean + z) = tanh(a/2)·e^(−a|z|) for integers z, so that P(Z ≥ k) = e^(−ak)/(1 + e^−a) for k ≥
// 1. Cuts are between integers.
func (t *Tables) DiscreteLaplace(mean int64, a *big.Rat) Distribution {
	r := t.exponentials.of(new(big.Rat).Neg(a))
	below := func(k int64) interval.Interval { // P(Z < k)
		tail := func(k int64) interval.Interval { // P(Z ≥ k), k ≥ 1
			return Working.Div(Working.PowInt(r, k), Working.Add(interval.Int(1), r))
		}
		if k > 0 {
			return Working.Sub(interval.Int(1), tail(k))
		}
		return tail(1 - k) // Z < k and Z > −k have one probability
	}
	return func(x Cut) interval.Interval { return below(Ceil(x.At) - mean) }
}

// DiscreteNormal has P(mean + z) ∝ e^(−z²/2σ²) for integers z. Cuts are between integers.
func (t *Tables) DiscreteNormal(mean int64, variance *big.Rat) Distribution {
	sums := t.discreteNormals.of(variance)
	return func(x Cut) interval.Interval {
		k := Ceil(x.At) - mean
		if k <= 0 {
			return Working.Div(sums.from(1-k), sums.all)
		}
		return Working.Sub(interval.Int(1), Working.Div(sums.from(k), sums.all))
	}
}

// normalSums are sums of e^(−z²/2σ²) over integers.
type normalSums struct {
	tails []interval.Interval // over z ≥ k
	all   interval.Interval
}

// newNormalSums sums up to where e^(−z²/2σ²) < 2^−fineBits, or to where ctx has ended. From there on, z ≥ m, the terms
// fall by e^(−(2m+1)/2σ²) or more at each step, so that the rest is at most the first term over one less that.
func newNormalSums(ctx context.Context, variance *big.Rat) *normalSums {
	twice := new(big.Rat).Mul(variance, big.NewRat(2, 1))
	exponent := func(n int64) interval.Interval {
		return Working.Exp(Working.Rat(new(big.Rat).Quo(big.NewRat(-n, 1), twice)))
	}
	var terms []interval.Interval
	for z := int64(0); ; z++ {
		term := exponent(z * z)
		if term.LessRat(interval.Pow2(-FineBits)) == interval.True || ctx.Err() != nil {
			rest := Working.Div(term, Working.Sub(interval.Int(1), exponent(2*z+1)))
			terms = append(terms, interval.Union(interval.Int(0), rest))
			break
		}
		terms = append(terms, term)
	}
	s := &normalSums{tails: make([]interval.Interval, len(terms))}
	total := interval.Int(0)
	for z := len(terms) - 1; z >= 0; z-- {
		total = Working.Add(total, terms[z])
		s.tails[z] = total
	}
	s.all = Working.Sub(Working.Scale(s.tails[0], 1), interval.Int(1))
	return s
}

// from returns the sum over z ≥ k, k ≥ 0.
func (s *normalSums) from(k int64) interval.Interval {
	if k >= int64(len(s.tails)) {
		return interval.Union(interval.Int(0), s.tails[len(s.tails)-1])
	}
	return s.tails[k]
}

// Ceil returns the least integer that is at least x.
func Ceil(x *big.Rat) int64 {
	n := new(big.Int).Neg(x.Num())
	n.Div(n, x.Denom()) // the floor of −x
	return -n.Int64()
}
