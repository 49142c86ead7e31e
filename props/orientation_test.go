// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// freelyOriented checks a problem of finite factors that may each be oriented
// either way: the product dominates all choices, and every witness is one.
func freelyOriented(prob meaning.Problem, factors []model) error {
	var choices []model
	for set := range 1 << len(factors) {
		var ms []model
		for i, m := range factors {
			if set>>i&1 == 1 {
				m = m.reverse()
			}
			ms = append(ms, m)
		}
		choices = append(choices, product(ms...))
	}
	b, err := prob.Profile(mechanism.Both)
	if err != nil {
		return err
	}
	var upper []model
	for _, o := range b.Upper {
		upper = append(upper, finiteProduct(o))
	}
	var points []*big.Rat
	for _, c := range choices {
		points = append(points, alphas(finiteModel(c.finite()))...) // few ratios
	}
	slices.SortFunc(points, (*big.Rat).Cmp)
	points = slices.CompactFunc(points, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	if len(points) > 120 { // enough: the profiles are convex
		step := len(points)/120 + 1
		var few []*big.Rat
		for i := 0; i < len(points); i += step {
			few = append(few, points[i])
		}
		points = few
	}
	most := func(ms []model) func(alpha *big.Rat) *big.Rat {
		var ds []func(*big.Rat) *big.Rat
		for _, m := range ms {
			ds = append(ds, m.deltas())
		}
		return func(alpha *big.Rat) *big.Rat {
			x := new(big.Rat)
			for _, d := range ds {
				x = maxRat(x, d(alpha))
			}
			return x
		}
	}
	lower := upper
	if !b.Attained {
		lower = nil
		for _, w := range b.Lower {
			lower = append(lower, finiteProduct(w))
		}
	}
	truth, above, below := most(choices), most(upper), most(lower)
	for _, alpha := range points {
		best := truth(alpha)
		if up := above(alpha); up.Cmp(best) < 0 {
			return fmt.Errorf("H_%s: upper bound %s, some orientation has %s", alpha.RatString(), up.RatString(), best.RatString())
		}
		if low := below(alpha); low.Cmp(best) > 0 {
			return fmt.Errorf("H_%s: a witness has %s, no orientation has more than %s", alpha.RatString(), low.RatString(), best.RatString())
		}
	}
	return nil
}

// finiteProduct multiplies finite pairs out.
func finiteProduct(prod pair.Product) model {
	var ms []model
	for _, t := range prod {
		for range t.Count {
			ms = append(ms, finiteModel(t.Pair.(pair.Finite)))
		}
	}
	return product(ms...)
}

// Composition under REPLACE_ONE: the two records may be exchanged in any round, so
// both orientations of every factor are to be dominated (Zhu, Dong & Wang 2022,
// Definition 7: for all α ≥ 0 and all neighbours).
func TestDefinition7FreeOrientation(t *testing.T) {
	forAll(t, 60, scenes, func(s scene) error {
		e := mechanism.Composed{Events: []mechanism.Event{s.A.event(), s.B.event()}}
		prob, err := meaning.Resolve(e, mechanism.ReplaceOne)
		if err != nil {
			return err
		}
		return freelyOriented(prob, []model{s.A, s.B})
	})
}

// Meiser & Mohammadi 2018, Definition 11 and Corollary 1, take the worst-case inputs
// of one round for the inputs of all rounds. P = (1/6, 1/6, 2/3), Q = (5/11, 1/2, 1/22): P‖Q
// is worse than Q‖P at every α ≥ 1, and yet P×Q against Q×P is worse than both P×P
// against Q×Q and the reverse.
func TestCorollary1PrintedFails(t *testing.T) {
	m := model{[]*big.Rat{rat("1/6"), rat("1/6"), rat("2/3")}, []*big.Rat{rat("5/11"), rat("1/2"), rat("1/22")}}
	for _, alpha := range alphas(m) {
		if alpha.Cmp(one) >= 0 && m.delta(alpha).Cmp(m.reverse().delta(alpha)) < 0 {
			t.Fatalf("at α = %s the reverse is worse", alpha.RatString())
		}
	}
	alpha := rat("242/45")
	mixed := product(m, m.reverse()).delta(alpha)
	same := maxRat(product(m, m).delta(alpha), product(m, m).reverse().delta(alpha))
	if mixed.Cmp(rat("824/1485")) != 0 || same.Cmp(rat("13/30")) != 0 {
		t.Fatalf("mixed %s, same %s", mixed.RatString(), same.RatString())
	}
	q := exact.Question{Event: mechanism.SelfComposed{Event: m.event(), Count: 2}, Relation: mechanism.ReplaceOne}
	prob, err := meaning.Resolve(q.Event, q.Relation)
	if err != nil {
		t.Fatal(err)
	}
	if d := finiteProduct(prob.Dominating()).delta(alpha); d.Cmp(mixed) < 0 {
		t.Errorf("our bound %s is below %s", d.RatString(), mixed.RatString())
	}
	// The front door, at ε just below log(242/45) and just above.
	for _, c := range []struct{ eps, lo, hi string }{{"1.682", "824/1485", "1"}, {"1.683", "0.55", "1"}} {
		r, err := exact.Delta(context.Background(), q, rat(c.eps), 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.LessRat(rat(c.lo)) == interval.True {
			t.Errorf("δ(%s) ≤ %s, want at least %s", c.eps, text(r.Hi()), c.lo)
		}
	}
}
