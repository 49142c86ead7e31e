// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// An outcome list is a pair of laws on outcomes with names, by which those of two mechanisms may be the same.
type outcomes map[[3]int][2]*big.Rat

func (o outcomes) add(at [3]int, share, p, q *big.Rat) {
	x, ok := o[at]
	if !ok {
		x = [2]*big.Rat{new(big.Rat), new(big.Rat)}
		o[at] = x
	}
	x[0].Add(x[0], new(big.Rat).Mul(share, p))
	x[1].Add(x[1], new(big.Rat).Mul(share, q))
}

// profile encloses Σ (p − e^ε·q)₊.
func (o outcomes) profile(eps *big.Rat) interval.Interval {
	const w = interval.Prec(128)
	sum, x := interval.Int(0), w.Exp(w.Rat(eps))
	for _, m := range o {
		sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(w.Rat(m[0]), w.Mul(x, w.Rat(m[1])))))
	}
	return sum
}

// TestMeansAgainstMechanisms: of finite pairs of which one is drawn, in rationals: a mechanism whose outcomes show
// which has the δ of the answer, one of which they do not has no more, and in two rounds, of which the second hides as
// the first came out, no more either.
func TestMeansAgainstMechanisms(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	for range testkit.Cases(12, 400) {
		of := []mechanism.FinitePair{randomPair(rng, 3), randomPair(rng, 3), randomPair(rng, 3)}[:2+rng.Intn(2)]
		shares := randomPair(rng, len(of)).P
		if rng.Intn(3) == 0 { // a coin that has nothing to do with the data
			of[0].Q = of[0].P
		}
		e := mechanism.Mean{Probabilities: shares}
		for _, f := range of {
			e.Events = append(e.Events, f)
		}
		visible, hidden, twice := outcomes{}, outcomes{}, outcomes{}
		hides := [3]bool{rng.Intn(2) == 0, rng.Intn(2) == 0, rng.Intn(2) == 0}
		for i, f := range of {
			for y := range f.P {
				visible.add([3]int{i, y}, shares[i], f.P[y], f.Q[y])
				hidden.add([3]int{0, y}, shares[i], f.P[y], f.Q[y])
				for j, g := range of {
					for z := range g.P {
						share, at := new(big.Rat).Mul(shares[i], shares[j]), [3]int{i*3 + y, j, z}
						if hides[y] {
							at[1] = 0
						}
						twice.add(at, share, new(big.Rat).Mul(f.P[y], g.P[z]), new(big.Rat).Mul(f.Q[y], g.Q[z]))
					}
				}
			}
		}
		for _, eps := range []string{"0", "1/5", "1"} {
			delta := func(e mechanism.Event) exact.Result {
				r, err := exact.Delta(t.Context(), exact.Question{Event: e, Direction: mechanism.Remove}, testkit.Rat(eps), 0)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			one, two := delta(e), delta(mechanism.SelfComposed{Event: e, Count: 2})
			if y := visible.profile(testkit.Rat(eps)); one.RelativeBits(64) < 40 || !overlap(one.Interval, y) {
				t.Errorf("%v: δ(%s) = %v, want %v", e, eps, one.Interval, y)
			}
			for _, y := range []struct {
				below, above interval.Interval
			}{{hidden.profile(testkit.Rat(eps)), one.Interval}, {twice.profile(testkit.Rat(eps)), two.Interval}} {
				if y.below.Lo().Cmp(y.above.Hi()) > 0 {
					t.Errorf("%v: δ(%s) = %v, above %v", e, eps, y.below, y.above)
				}
			}
		}
	}
}

// overlap reports whether two enclosures may be of one number, or of nothing.
func overlap(a, b interval.Interval) bool {
	_, ok := interval.Intersect(a, b)
	return ok
}

// TestMeansOfOrientations: where records may be exchanged, each mechanism has the orientation that is worst at ε.
func TestMeansOfOrientations(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for range testkit.Cases(8, 200) {
		f, g := randomPair(rng, 3), randomPair(rng, 3)
		share := []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3)}
		e := mechanism.Mean{Probabilities: share, Events: []mechanism.Event{f, g}}
		for _, eps := range []string{"0", "1/5", "1"} {
			x := testkit.Rat(eps)
			r, err := exact.Delta(t.Context(), exact.Question{Event: e, Relation: mechanism.ReplaceOne}, x, 0)
			if err != nil {
				t.Fatal(err)
			}
			var all []interval.Interval
			for way := range 4 {
				o := outcomes{}
				for i, pair := range []mechanism.FinitePair{f, g} {
					p, q := pair.P, pair.Q
					if way>>i&1 == 1 {
						p, q = q, p
					}
					for y := range p {
						o.add([3]int{i, y}, share[i], p[y], q[y])
					}
				}
				all = append(all, o.profile(x))
			}
			worst := slices.MaxFunc(all, func(a, b interval.Interval) int { return a.Lo().Cmp(b.Lo()) })
			if r.RelativeBits(64) < 40 || !overlap(r.Interval, worst) {
				t.Errorf("%v: δ(%s) = %v, want %v", e, eps, r.Interval, worst)
			}
		}
	}
}
