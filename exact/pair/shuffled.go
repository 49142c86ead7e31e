// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
)

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
	if (to-from)/group+3 > int64(limit) || to-from > 1<<21 { // which takes too long
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
	mass := binomial.Mass(w+32, n, from, x.Noise)
	var out []Outcome
	last, m := zero, zero // of a group; the mass of all y − 1 is m, and what is before it, less what is last in it
	for y := from; y <= to+1; y++ {
		m = w.Add(m, mass)
		if y == to+1 || (y+1)%group == 0 {
			shifted := interval.Max(zero, w.Sub(w.Add(m, last), mass))
			o := Outcome{P: w.Add(w.Mul(t, shifted), w.Mul(u, m)), Q: w.Add(w.Mul(b, shifted), w.Mul(v, m))}
			if x.Reversed {
				o.P, o.Q = o.Q, o.P
			}
			out = append(out, o)
			last, m = mass, zero
		}
		if y >= to {
			mass = zero
		} else {
			mass = w.Div(w.Mul(w.Mul(mass, odds), interval.Int(n-y)), interval.Int(y+1))
		}
	}
	return out, rest, true
}
