// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/response"
)

// Meiser & Mohammadi 2018, Lemma 1: A and B are tightly (ε, δ)-ADP for δ = max over
// both orders of Σ_x max(P_A(x) − e^ε·P_B(x), 0), which is the largest
// P_A(S) − e^ε·P_B(S) over all sets S.
func TestLemma1TightDelta(t *testing.T) {
	forAll(t, 150, scenes, func(s scene) error {
		f := s.A.finite()
		p, q := s.A.p(), s.A.q()
		for _, alpha := range alphas(s.A) {
			best := new(big.Rat)
			for set := range 1 << len(p) {
				d := new(big.Rat)
				for i := range p {
					if set>>i&1 == 1 {
						d.Add(d, sub(p[i], mul(alpha, q[i])))
					}
				}
				best = maxRat(best, d)
			}
			if got := f.Delta(alpha); got.Cmp(best) != 0 || s.A.delta(alpha).Cmp(best) != 0 {
				return fmt.Errorf("H_%s = %s, the best set has %s", alpha.RatString(), got.RatString(), best.RatString())
			}
		}
		return nil
	})
}

// A composing is K copies of A and one of B, each with the ε of a guarantee, and
// the ε that is asked.
type composing struct {
	scene
	EpsA, EpsB, Eps *big.Rat
}

func (c composing) String() string {
	return fmt.Sprintf("%s; ε_A = %s, ε_B = %s, ε = %s", c.scene, c.EpsA.RatString(), c.EpsB.RatString(), c.Eps.RatString())
}

var composings = generator[composing]{
	draw: func(r *rand.Rand) composing {
		c := composing{scenes.draw(r), drawEps(r), drawEps(r), drawReal(r)}
		if r.Intn(2) == 0 { // exactly at Σ ε_i, or a little to either side
			c.Eps = add(mul(ratInt(int64(c.K)), c.EpsA), c.EpsB)
			if d := pow2(-100); r.Intn(3) == 0 {
				c.Eps = add(c.Eps, d)
			} else if r.Intn(3) == 0 {
				c.Eps = sub(c.Eps, d)
			}
		}
		return c
	},
	shrink: func(c composing) []composing {
		var out []composing
		for _, s := range scenes.shrink(c.scene) {
			out = append(out, composing{s, c.EpsA, c.EpsB, c.Eps})
		}
		for _, e := range simplerRat(c.EpsA, "0", "1") {
			out = append(out, composing{c.scene, e, c.EpsB, c.Eps})
		}
		for _, e := range simplerRat(c.EpsB, "0", "1") {
			out = append(out, composing{c.scene, c.EpsA, e, c.Eps})
		}
		for _, e := range simplerRat(c.Eps, "0", "1") {
			out = append(out, composing{c.scene, c.EpsA, c.EpsB, e})
		}
		return out
	},
}

// guarantee returns a δ with which m is (ε, δ)-DP in both orders, nearly the least.
func (m model) guarantee(eps *big.Rat) *big.Rat {
	alo, _ := expRat(eps)
	return minRat(one, roundUp(maxRat(m.delta(alo), m.reverse().delta(alo))))
}

// boundsAll checks that a composition theorem bounds δ of A^K × B from above,
// whichever way each of them is oriented.
func boundsAll(c composing, bound func(gs []response.Guarantee) (interval.Interval, error)) error {
	gs := []response.Guarantee{
		{Eps: c.EpsA, Delta: c.A.guarantee(c.EpsA), Count: int64(c.K)},
		{Eps: c.EpsB, Delta: c.B.guarantee(c.EpsB), Count: 1},
	}
	y, err := bound(gs)
	if err != nil {
		return err
	}
	for _, a := range []model{c.A, c.A.reverse()} {
		for _, b := range []model{c.B, c.B.reverse()} {
			factors := []model{b}
			for range c.K {
				factors = append(factors, a)
			}
			lo, hi := product(factors...).blurred().delta(c.Eps)
			if err := refute(y, lo, hi, "bound for %s and %s", a, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func boundLaw(b response.Bound) func(composing) error {
	return func(c composing) error {
		return boundsAll(c, func(gs []response.Guarantee) (interval.Interval, error) {
			return b(c.Prec, gs, interval.RealRat(c.Eps)), nil
		})
	}
}

// Meiser & Mohammadi 2018, Lemma 2: products of (ε_i, δ_i)-DP pairs are
// (Σε_i, Σδ_i)-DP.
func TestLemma2NaiveComposition(t *testing.T) { forAll(t, 30, composings, boundLaw(response.Basic)) }

// Meiser & Mohammadi 2018, Lemma 3: they are (Σε_i, 1 − Π(1 − δ_i))-DP.
func TestLemma3AdaptiveComposition(t *testing.T) {
	forAll(t, 30, composings, boundLaw(response.Adaptive))
}

// Dwork, Rothblum & Vadhan 2010, in place of Lemma 4 of Meiser & Mohammadi 2018,
// whose printed form has only the order of ε.
func TestLemma4AdvancedComposition(t *testing.T) {
	forAll(t, 30, composings, boundLaw(response.Advanced))
}

// Kairouz, Oh & Viswanath 2015 (Meiser & Mohammadi 2018, Lemma 5 = Theorem 3): k
// mechanisms that are (ε, δ)-DP are ((k−2i)ε, 1 − (1−δ)^k(1−δ_i))-DP; and approximate
// randomized response attains it.
func TestTheorem3KOV(t *testing.T) {
	forAll(t, 40, composings, func(c composing) error {
		ctx := context.Background()
		g := response.Guarantee{Eps: c.EpsA, Delta: c.A.guarantee(c.EpsA), Count: int64(c.K)}
		at := func(eps *big.Rat) (interval.Interval, bool, error) {
			return response.Theorem(ctx, c.Prec, []response.Guarantee{g}, interval.RealRat(eps))
		}
		worst := responseModel(g.Eps, g.Delta).power(c.K)
		if y, ok, err := at(c.Eps); err != nil {
			return err
		} else if ok {
			for _, a := range []model{c.A, c.A.reverse()} {
				factors := []model{}
				for range c.K {
					factors = append(factors, a)
				}
				lo, hi := product(factors...).blurred().delta(c.Eps)
				if err := refute(y, lo, hi, "the theorem for %d copies", c.K); err != nil {
					return err
				}
			}
			lo, hi := worst.delta(c.Eps)
			if err := refute(y, lo, hi, "the theorem for randomized response"); err != nil {
				return err
			}
		}
		for i := int64(0); 2*i <= int64(c.K); i++ {
			eps := mul(ratInt(int64(c.K)-2*i), g.Eps)
			y, ok, err := at(eps)
			if err != nil || !ok {
				return err
			}
			lo, hi := worst.delta(eps)
			if err := refute(y, lo, hi, "the theorem at i = %d", i); err != nil {
				return err
			}
			// An equality: the upper end is about the truth, where the ε of the theorem
			// and the one asked are the same beyond doubt.
			if exactAt := c.Prec.Rat(g.Eps); !exactAt.IsPoint() {
				continue
			}
			if excess := sub(upperRat(y), hi); excess.Cmp(add(mul(hi, pow2(4-int(c.Prec))), pow2(-200))) > 0 {
				return fmt.Errorf("the theorem at i = %d: [0, %s], attained %s", i, text(y.Hi()), hi.FloatString(30))
			}
		}
		return nil
	})
}

// upperRat and lowerRat return the ends of a finite enclosure, exactly.
func upperRat(x interval.Interval) *big.Rat {
	_, hi, ok := x.Rationals()
	if !ok {
		panic("an enclosure without rational ends")
	}
	return hi
}

func lowerRat(x interval.Interval) *big.Rat {
	lo, _, ok := x.Rationals()
	if !ok {
		panic("an enclosure without rational ends")
	}
	return lo
}
