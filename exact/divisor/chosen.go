// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package divisor

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Chosen is k vectors of discrete Gaussian noise of any length with the same σ² and n, of which each shift is chosen
// in view of the outputs of those before.
//
// Every shift that is below no other one entry by entry has |s|² = n: ones may be added. The loss of a release is
// (2T + n)/2σ² with T = Σ s_i·x_i, whatever s is. So all that matters of the outputs so far is the sum S of all T, an
// integer, and the greatest δ(ε) of an adaptive choice is W_0(0), where
//
//	W_k(S) = (1 − e^(ε − (2S + kn)/2σ²))₊,   W_j(S) = max_s E W_{j+1}(S + T_s).
//
// That is exact, and attained: see docs/theorems.md, *An adversary who chooses in each step*. Nothing is rounded to a
// grid, as all losses are on one lattice.
//
// # What is computed
//
// All sums are of products of numbers that are at least 0, in float64, in eight lanes: a sum of m products is off by a
// factor between (1 − u)^n and (1 + u)^n, u = 2^−53, n = ⌈m/8⌉ + 3, and a maximum keeps that. After N such factors a
// value is off by at most N·u·(1 + 2^−10) of itself, N ≤ 2^40. Where numbers are below 2^−1022 a product is off by
// 2^−1075 besides; all that comes to less than 2^−900.
//
// Laws of T are cut at ±R. By E e^(λX) ≤ e^(λ²σ²/2) the first i entries have a partial sum beyond ±R with a probability
// of at most 2e^(−R²/2σ²n), and an entry is beyond ±B with at most 2e^(−B²/2σ²). What is cut has a W of at least 0 and
// at most 1: δ(ε) is at most what all k cuts come to above what is computed, and not below it.
type Chosen struct {
	sigma2      *big.Rat
	norm, count int64
	reach       int64 // R
	shifts      [][]int64
	laws        [][]float64 // of T, from −R to R
	factors     int64       // N of a law
	cut         interval.Interval

	mu   sync.Mutex // of what was asked last
	last string     // ε
	kept solved
}

// A solved question has the greatest δ(ε), and the number of the best shift for each release and each sum S, from −jR
// to jR.
type solved struct {
	delta interval.Interval
	best  [][]int
}

const (
	// maxWork bounds the products that are summed up for one δ, and chosenBits is how little is cut.
	maxWork    = 1 << 31
	chosenBits = 120
	chosenPrec = interval.Prec(96)
)

// NewChosen returns count vectors with |s|² = norm. It reports false where shifts are many, or laws are long.
func NewChosen(sigma2 *big.Rat, norm, count int64) (*Chosen, bool) {
	const w = chosenPrec
	c := &Chosen{sigma2: sigma2, norm: norm, count: count}
	if norm > maxNodes || count > maxNodes || !squares(nil, norm, norm, func(s []int64) bool {
		c.shifts = append(c.shifts, slices.Clone(s))
		return len(c.shifts) <= maxListed
	}) {
		return nil, false
	}
	to := func(variance *big.Rat) int64 { // 2e^(−R²/2·variance) ≤ 2^(1−chosenBits)
		r := w.Sqrt(w.Mul(w.Mul(w.Rat(variance), interval.Int(2*chosenBits)), w.Log(interval.Int(2))))
		n, _ := r.Hi().Int(nil)
		return n.Int64() + 1
	}
	long := new(big.Rat).Mul(sigma2, big.NewRat(norm, 1))
	if long.Cmp(big.NewRat(1<<40, 1)) > 0 || sigma2.Cmp(big.NewRat(1, 1<<10)) < 0 {
		return nil, false
	}
	c.reach = to(long)
	single := to(sigma2)
	length := 2*c.reach + 1
	if big.NewInt(0).Mul(big.NewInt(length*length), big.NewInt(count*count*int64(len(c.shifts)))).Cmp(
		big.NewInt(maxWork)) > 0 {
		return nil, false
	}
	masses := discrete(w, sigma2, single)
	for _, s := range c.shifts {
		c.laws = append(c.laws, sumLaw(s, masses, c.reach))
	}
	c.factors = norm * (lanesFactors(2*single+1) + 4) // a vector has at most n entries
	c.cut = w.Mul(interval.Int(4*norm*count), w.Rat(interval.Pow2(-chosenBits)))
	return c, true
}

// discrete are the masses of discrete Gaussian noise from −reach to reach, each to a relative 2^−51.
func discrete(w interval.Prec, sigma2 *big.Rat, reach int64) []float64 {
	power := func(x int64) interval.Interval {
		e := big.NewRat(-x*x, 2)
		return w.Exp(w.Rat(e.Quo(e, sigma2)))
	}
	total := interval.Int(1)
	for x := int64(1); x <= reach; x++ {
		total = w.Add(total, w.Scale(power(x), 1))
	}
	// Terms beyond have ratios of at most the first one: (x + 1)² − x² rises.
	next := power(reach + 1)
	ratio := w.Div(power(reach+2), next)
	rest := w.Div(w.Scale(next, 1), w.Sub(interval.Int(1), ratio)).Upper()
	total = w.Add(total, interval.Union(interval.Int(0), rest))
	out := make([]float64, 2*reach+1)
	for x := int64(0); x <= reach; x++ {
		m := double.Of(w.Div(power(x), total)).Mid()
		out[reach+x], out[reach-x] = m, m
	}
	return out
}

// lanesFactors is n for a sum of m products.
func lanesFactors(m int64) int64 { return (m+7)/8 + 3 }

// lanes are eight parts of a sum.
type lanes [8]float64

func (l *lanes) sum() float64 {
	return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]))
}

// sumLaw is the law of Σ s_i·x_i between ±reach.
func sumLaw(s []int64, masses []float64, reach int64) []float64 {
	law := make([]float64, 2*reach+1)
	law[reach] = 1
	half := int64(len(masses) / 2)
	for _, x := range s {
		next := make([]float64, len(law))
		for t := range next {
			var l lanes
			for k := -half; k <= half; k++ {
				if from := int64(t) - k*x; from >= 0 && from < int64(len(law)) {
					l[k&7] += law[from] * masses[k+half]
				}
			}
			next[t] = l.sum()
		}
		law = next
	}
	return law
}

// Profile encloses the greatest δ(ε) of an adaptive choice, to some eleven digits.
func (c *Chosen) Profile(ctx context.Context, _ interval.Prec, eps interval.Real) (interval.Interval, error) {
	lo, hi, ok := eps(chosenPrec).Rationals()
	if !ok {
		return interval.Union(interval.Int(0), interval.Int(1)), nil
	}
	y, err := c.solve(ctx, lo)
	if err != nil || lo.Cmp(hi) == 0 {
		return y.delta, err
	}
	z, err := c.solve(ctx, hi) // δ falls
	return interval.Union(z.delta, y.delta), err
}

// Policy says which shifts a choice has that attains the lower end of Profile, with the share of the releases that has
// each of them. Shares are for people, in float64 and to a tenth of a percent: nothing is proved by them.
func (c *Chosen) Policy(ctx context.Context, eps *big.Rat) (string, error) {
	x, err := c.solve(ctx, eps)
	if err != nil {
		return "", err
	}
	shares := make([]float64, len(c.shifts))
	now := []float64{1}
	for _, list := range x.best {
		next := make([]float64, len(now)+2*int(c.reach))
		for at, p := range now {
			shares[list[at]] += p / float64(c.count)
			for t, q := range c.laws[list[at]] {
				next[at+t] += p * q
			}
		}
		now = next
	}
	order := make([]int, len(shares))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case shares[a] > shares[b]:
			return -1
		case shares[a] < shares[b]:
			return 1
		}
		return 0
	})
	var parts []string
	for _, i := range order[:min(len(order), maxNamed)] {
		if tenths := int64(1000*shares[i] + 0.5); tenths > 0 {
			parts = append(parts, fmt.Sprintf("%s %d.%d %%", shiftText(c.shifts[i]), tenths/10, tenths%10))
		}
	}
	return strings.Join(parts, ", "), nil
}

// maxNamed bounds the shifts that are named.
const maxNamed = 6

// shiftText is a shift for people: "(3, 1 × 27)".
func shiftText(s []int64) string {
	var parts []string
	for i := 0; i < len(s); {
		k := i
		for ; i < len(s) && s[i] == s[k]; i++ {
		}
		if i-k == 1 {
			parts = append(parts, fmt.Sprint(s[k]))
		} else {
			parts = append(parts, fmt.Sprintf("%d × %d", s[k], i-k))
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// solve answers a question, once if it is asked again.
func (c *Chosen) solve(ctx context.Context, eps *big.Rat) (solved, error) {
	const w = chosenPrec
	c.mu.Lock()
	defer c.mu.Unlock()
	if key := eps.RatString(); key == c.last {
		return c.kept, nil
	}
	value := make([]float64, 2*c.count*c.reach+1)
	twice := new(big.Rat).Add(c.sigma2, c.sigma2)
	for i := range value {
		loss := big.NewRat(2*(int64(i)-c.count*c.reach)+c.count*c.norm, 1)
		if loss.Quo(loss, twice).Cmp(eps) > 0 {
			value[i] = double.Of(w.Expm1(w.Rat(loss.Sub(eps, loss))).Neg()).Mid()
		}
	}
	best := make([][]int, c.count)
	for j := c.count - 1; j >= 0; j-- {
		next := make([]float64, 2*j*c.reach+1)
		best[j] = make([]int, len(next))
		for at := range next {
			if at&63 == 0 && ctx.Err() != nil {
				return solved{delta: interval.Union(interval.Int(0), interval.Int(1))}, ctx.Err()
			}
			from := value[at : at+int(2*c.reach)+1]
			most := -1.0
			for i, law := range c.laws {
				var l lanes
				for t, p := range law {
					l[t&7] += p * from[t]
				}
				if sum := l.sum(); sum > most {
					most, best[j][at] = sum, i
				}
			}
			next[at] = most
		}
		value = next
	}
	// A payoff has four factors, and each release those of its law and of a sum.
	factors := 4 + c.count*(c.factors+lanesFactors(2*c.reach+1))
	off := w.Rat(new(big.Rat).Mul(interval.Pow2(-63), big.NewRat(1025*factors, 1)))
	got := double.Point(value[0]).Exact()
	spread := w.Add(w.Mul(got, off), w.Rat(interval.Pow2(-900)))
	low := w.Sub(got, spread)
	high := w.Add(w.Add(got, spread), c.cut)
	c.last, c.kept = eps.RatString(), solved{interval.Clamp(interval.Union(low, high), 0, 1), best}
	return c.kept, nil
}
