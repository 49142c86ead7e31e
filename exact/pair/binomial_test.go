// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestBinomialOutcomesAccountForAllMass: every outcome listed encloses its masses, and
// what is not listed has no more P-mass, and no more Q-mass, than the rest says; exact
// masses, few bits and many, shifts small and large.
func TestBinomialOutcomesAccountForAllMass(t *testing.T) {
	testkit.SkipShort(t)
	for _, n := range []int64{65, 140} {
		for _, p := range []string{"1/2", "9/10", "1/100"} {
			for i, s := range []int64{1, 2, 5, 64} {
				for _, reversed := range []bool{false, true} {
					b := Binomial{Trials: n, Prob: rat(p), Sensitivity: s, Reversed: reversed}
					truth := b.masses(0, n)
					for _, prec := range testkit.QuickTurn(i, []interval.Prec{2, 64, 8, 3, 5, 24}) {
						if err := checkBinomialOutcomes(b, truth, prec); err != nil {
							t.Errorf("%s at %d bits: %v", b, prec, err)
						}
					}
				}
			}
		}
	}
}

// checkBinomialOutcomes compares what a pair lists with the masses of its unshifted
// binomial.
func checkBinomialOutcomes(b Binomial, truth []*big.Rat, p interval.Prec) error {
	n, s := b.Trials, b.Sensitivity
	out, rest, ok := b.Outcomes(p, 1<<12)
	if !ok {
		return fmt.Errorf("no outcomes")
	}
	byLoss := make(map[string]Outcome)
	var infinite, minusInfinite Outcome
	for _, o := range out {
		if b.Reversed {
			o = o.reverse()
		}
		switch {
		case o.Q.IsZero():
			infinite = o
		case o.P.IsZero():
			minusInfinite = o
		default:
			byLoss[o.Loss.String()] = o
		}
	}
	at := func(x int64) *big.Rat {
		if x < 0 || x > n {
			return new(big.Rat)
		}
		return truth[x]
	}
	var infP, infQ, leftP, leftQ big.Rat
	for x := range n + s + 1 {
		switch {
		case x < s:
			infP.Add(&infP, at(x))
			continue
		case x > n:
			infQ.Add(&infQ, at(x-s))
			continue
		}
		loss, _ := b.loss(x)
		o, ok := byLoss[loss.String()]
		delete(byLoss, loss.String())
		switch {
		case !ok:
			leftP.Add(&leftP, at(x))
			leftQ.Add(&leftQ, at(x-s))
		case !o.P.ContainsRat(at(x)) || !o.Q.ContainsRat(at(x-s)):
			return fmt.Errorf("outcome %d has the masses %s and %s", x, o.P, o.Q)
		}
	}
	if len(byLoss) > 0 {
		return fmt.Errorf("%d outcomes that the pair does not have", len(byLoss))
	}
	for _, c := range []struct {
		name   string
		listed interval.Interval
		inf    *big.Rat
		left   *big.Rat
	}{{"P", infinite.P, &infP, &leftP}, {"Q", minusInfinite.Q, &infQ, &leftQ}} {
		if c.listed.LessEqRat(c.inf) == interval.False {
			return fmt.Errorf("the %s-mass of infinite loss is %s, too much", c.name, c.listed)
		}
		hi, _ := c.listed.Hi().Rat(nil)
		if hi == nil {
			hi = new(big.Rat)
		}
		if d := new(big.Rat).Sub(c.inf, hi); d.Sign() > 0 {
			c.left.Add(c.left, d)
		}
		if r, _ := rest.Hi().Rat(nil); r == nil || c.left.Cmp(r) > 0 {
			f, _ := c.left.Float64()
			return fmt.Errorf("%s-mass of %g is left out, and the rest is %s", c.name, f, rest)
		}
	}
	return nil
}
