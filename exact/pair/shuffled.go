// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// Clones is what a shuffled report is hidden by at least: C ~ Bin(Others, Rate) fair coins, A of which are heads,
//
//	P = (A + D, C − A + 1 − D), Q = (A + 1 − D, C − A + D), D ~ Bernoulli(Truth), 1/2 < Truth < 1, 0 < Rate < 1.
//
// With c coins and a of c + 1 heads, the likelihood ratio is (t·a + (1−t)·(c+1−a))/((1−t)·a + t·(c+1−a)), t = Truth,
// which rises with a.
type Clones struct {
	mirrored
	Others      int64
	Rate, Truth *big.Rat
}

func (x Clones) String() string {
	return fmt.Sprintf("Clones(%d, %s, %s)", x.Others, x.Rate.RatString(), x.Truth.RatString())
}

// Reverse: heads for tails.
func (x Clones) Reverse() Pair           { return x }
func (Clones) infMass() (*big.Rat, bool) { return new(big.Rat), true }

// reach: without coins the loss is log t/(1 − t).
func (x Clones) reach() reach {
	return upTo(LogLoss(new(big.Rat).Quo(x.Truth, new(big.Rat).Sub(ratOne, x.Truth))))
}

// alone is the record's own report: no coins.
func (x Clones) alone() Finite {
	lie := new(big.Rat).Sub(ratOne, x.Truth)
	return FiniteOf([]Mass{{x.Truth, lie}, {lie, x.Truth}})
}

// maxBlocks bounds the numbers of coins that are looked at one by one.
const maxBlocks = 96

// Bound returns an upper bound of H_{e^ε}, ε ≥ 0, as a function of ε. More coins are a post-processing of less: a block
// of numbers of coins is at most as visible as its least.
func (x Clones) Bound() func(p interval.Prec, eps interval.Interval) interval.Interval {
	return clonesBound{x, new(binomial.Memo)}.at
}

// A clonesBound remembers tails of its coins: the numbers of coins are the same at every ε, and the numbers of heads
// often.
type clonesBound struct {
	Clones
	tails *binomial.Memo
}

func (x clonesBound) at(p interval.Prec, eps interval.Interval) interval.Interval {
	w := p + 32
	mean := new(big.Rat).Mul(x.Rate, new(big.Rat).SetInt64(x.Others))
	centre := new(big.Int).Quo(mean.Num(), mean.Denom()).Int64()
	spread := new(big.Int).Sqrt(new(big.Int).Add(new(big.Int).Quo(mean.Num(), mean.Denom()), big.NewInt(1))).Int64() + 1
	deviations := int64(4)
	for bits := int64(w); deviations*deviations < 2*bits; deviations++ { // e^(−d²/2) < 2^−bits or so
	}
	from, to := max(0, centre-deviations*spread), min(x.Others, centre+deviations*spread)
	step := (to-from)/maxBlocks + 1
	sum := interval.Int(0)
	if from > 0 {
		below := w.Sub(interval.Int(1), x.tails.AtLeast(w, x.Others, from, x.Rate))
		sum = interval.Max(sum, w.Mul(below, x.given(w, 0, eps)))
	}
	above := x.tails.AtLeast(w, x.Others, from, x.Rate)
	for c := from; c <= to; c += step {
		next := interval.Int(0)
		if c+step <= x.Others {
			next = x.tails.AtLeast(w, x.Others, c+step, x.Rate)
		}
		if c+step > to { // all that are more
			next = interval.Int(0)
		}
		mass := interval.Max(interval.Int(0), w.Sub(above, next))
		sum = w.Add(sum, w.Mul(mass, x.given(w, c, eps)))
		above = next
	}
	return p.Round(sum.Upper())
}

// Blocks calls f with the probability of at least from and at most to coins, for blocks of numbers of coins that cover
// all: what is seen with fewer coins has what is seen with more as a post-processing.
func (x Clones) Blocks(w interval.Prec, most int64, f func(mass interval.Interval, from, to int64)) {
	mean := new(big.Rat).Mul(x.Rate, new(big.Rat).SetInt64(x.Others))
	centre := new(big.Int).Quo(mean.Num(), mean.Denom()).Int64()
	spread := int64(1)
	for spread*spread < centre+1 {
		spread *= 2
	}
	deviations := int64(4)
	for deviations*deviations < 2*int64(w) {
		deviations++
	}
	from, to := max(0, centre-deviations*spread), min(x.Others, centre+deviations*spread)
	step := (to-from)/most + 1
	above := interval.Int(1)
	if from > 0 {
		above = binomial.AtLeast(w, x.Others, from, x.Rate)
		f(interval.Max(interval.Int(0), w.Sub(interval.Int(1), above)), 0, from-1)
	}
	for c := from; c <= x.Others; {
		next, end := interval.Int(0), x.Others
		if c+step <= to {
			next, end = binomial.AtLeast(w, x.Others, c+step, x.Rate), c+step-1
		}
		f(interval.Max(interval.Int(0), w.Sub(above, next)), c, end)
		above, c = next, end+1
	}
}

// given encloses H_{e^ε} with c coins: of the outcomes whose ratio is above e^ε, those with
//
//	a > (c+1)·(e^ε·t − (1−t))/((2t − 1)·(1 + e^ε)).
func (x clonesBound) given(w interval.Prec, c int64, eps interval.Interval) interval.Interval {
	e, one := w.Exp(eps), interval.Int(1)
	t := w.Rat(x.Truth)
	u := w.Sub(one, t)
	least := w.Mul(interval.Int(c+1), w.Div(w.Sub(w.Mul(e, t), u), w.Mul(w.Sub(t, u), w.Add(one, e))))
	lo, hi, ok := least.Rationals()
	if !ok || hi.Cmp(new(big.Rat).SetInt64(mechanism.MaxCount+2)) > 0 {
		return interval.Union(interval.Int(0), one)
	}
	first, last := afterRat(lo), afterRat(hi)
	var best interval.Interval
	// where the side of an outcome is open, either may be right, and the greater is
	for a := first; a <= min(last, first+4); a++ {
		best = interval.Max(best, x.atLeast(w, c, a, e))
	}
	if last > first+4 {
		return interval.Union(best, one)
	}
	return best
}

// afterRat returns the least integer above r.
func afterRat(r *big.Rat) int64 {
	n := new(big.Int).Div(r.Num(), r.Denom())
	return n.Int64() + 1
}

// atLeast is P − e·Q of a or more heads of c + 1.
func (x clonesBound) atLeast(w interval.Prec, c, a int64, e interval.Interval) interval.Interval {
	if a > c+1 {
		return interval.Int(0)
	}
	half := big.NewRat(1, 2)
	one := interval.Int(1)
	tail := func(k int64) interval.Interval {
		switch {
		case k <= 0:
			return one
		case k > c:
			return interval.Int(0)
		}
		return x.tails.AtLeast(w, c, k, half)
	}
	with, without := tail(a-1), tail(a) // D = 1 or 0
	t := w.Rat(x.Truth)
	u := w.Sub(one, t)
	up := w.Add(w.Mul(t, with), w.Mul(u, without))
	down := w.Add(w.Mul(u, with), w.Mul(t, without))
	return interval.Max(interval.Int(0), w.Sub(up, w.Mul(e, down)))
}

// Reported is a count of reports that are 1: Bin(Others, Noise) of the others, whose value is 0, and the record's own,
// which is 1 with probability Truth under P, and Noise under Q. 0 < Noise < Truth < 1. Counts are rounded to a small
// part of their deviation.
type Reported struct {
	Others       int64
	Noise, Truth *big.Rat
	Reversed     bool
}

func (x Reported) String() string {
	return fmt.Sprintf("Reported(%d, %s, %s)%s", x.Others, x.Noise.RatString(), x.Truth.RatString(),
		reversedMark(x.Reversed))
}

// Reverse returns (Q, P).
func (x Reported) Reverse() Pair {
	x.Reversed = !x.Reversed
	return x
}
func (Reported) SelfDual() bool            { return false }
func (x Reported) isReversed() bool        { return x.Reversed }
func (Reported) Kind() Kind                { return Discrete }
func (Reported) parts() []Product          { return nil }
func (Reported) infMass() (*big.Rat, bool) { return new(big.Rat), true }

// reach: with y reports of n + 1 the ratio is (t·y·v + (1−t)·(n+1−y)·b)/(b·y·v + v·(n+1−y)·b) for b = Noise and v = 1 −
// b, which rises from (1−t)/v at 0 to t/b at n + 1.
func (x Reported) reach() reach {
	r := new(big.Rat).Quo(x.Truth, x.Noise)
	if x.Reversed {
		r.Quo(new(big.Rat).Sub(ratOne, x.Noise), new(big.Rat).Sub(ratOne, x.Truth))
	}
	return upTo(LogLoss(r))
}

// Outcomes: as in [Pair]. Counts far from the mean are left out.
func (x Reported) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	w := p + 32
	n := x.Others
	mean := new(big.Rat).Mul(x.Noise, new(big.Rat).SetInt64(n))
	centre := new(big.Int).Quo(mean.Num(), mean.Denom()).Int64()
	spread := new(big.Int).Sqrt(big.NewInt(centre+1)).Int64() + 1
	reach := spread * (int64(new(big.Int).Sqrt(big.NewInt(2*int64(p))).Int64()) + 4)
	from, to := max(0, centre-reach), min(n, centre+reach)
	group := spread/16 + 1
	if (to-from)/group+3 > int64(limit) {
		return notListed()
	}
	zero, one := interval.Int(0), interval.Int(1)
	rest := zero
	if from > 0 {
		rest = w.Add(rest, w.Sub(one, binomial.AtLeast(w, n, from, x.Noise)))
	}
	if to < n {
		rest = w.Add(rest, binomial.AtLeast(w, n, to+1, x.Noise))
	}
	rest = interval.Max(zero, rest).Upper()
	if rest.LessRat(interval.Pow2(-int(p))) != interval.True && !rest.IsZero() {
		return notListed()
	}
	odds := w.Rat(new(big.Rat).Quo(x.Noise, new(big.Rat).Sub(ratOne, x.Noise)))
	t, b := w.Rat(x.Truth), w.Rat(x.Noise)
	u, v := w.Sub(one, t), w.Sub(one, b)
	before, mass := zero, binomial.Mass(w+32, n, from, x.Noise)
	var out []Outcome
	var o Outcome
	for y := from; y <= to+1; y++ {
		o.P = w.Add(o.P, w.Add(w.Mul(t, before), w.Mul(u, mass)))
		o.Q = w.Add(o.Q, w.Add(w.Mul(b, before), w.Mul(v, mass)))
		if y == to+1 || (y+1)%group == 0 {
			if x.Reversed {
				o.P, o.Q = o.Q, o.P
			}
			out = append(out, o)
			o = Outcome{}
		}
		before = mass
		if y >= to {
			mass = zero
		} else {
			mass = w.Mul(mass, w.Div(w.Mul(odds, interval.Int(n-y)), interval.Int(y+1)))
		}
	}
	return out, rest, true
}
