// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/bucket"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A bucketTree is a composition tree (Meiser & Mohammadi 2018, Definition 3) over
// finite pairs: a stack program of leaves, compositions and squarings.
type bucketTree struct {
	Leaves []model
	Ops    []int // for each leaf after the first: how many squarings before it is composed
	N      int
	Eta    *big.Rat // of the last leaf's bucket factor; the first has Eta/2^(squarings)
	Prec   uint
	Eps    *big.Rat
}

func (c bucketTree) String() string {
	s := c.Leaves[0].String()
	for i, m := range c.Leaves[1:] {
		s = fmt.Sprintf("(%s)^(□%d) × %s", s, c.Ops[i], m)
	}
	return fmt.Sprintf("%s; n = %d, η = %s, %d bits, ε = %s", s, c.N, c.Eta.RatString(), c.Prec, c.Eps.RatString())
}

var bucketTrees = generator[bucketTree]{
	draw: func(r *rand.Rand) bucketTree {
		c := bucketTree{N: 2 * (1 + r.Intn(8)), Eta: rats("1/10", "1/3", "1/2", "2/7", "693/1000")[r.Intn(5)], Prec: []uint{3, 8, 24, 61, 125}[r.Intn(5)], Eps: drawReal(r)}
		c.Leaves = []model{drawModel(r)}
		size := len(c.Leaves[0].P)
		for range 1 + r.Intn(3) {
			m := drawModel(r)
			if size *= len(m.P); size > 200 {
				break
			}
			c.Leaves, c.Ops = append(c.Leaves, m), append(c.Ops, r.Intn(3))
		}
		return c
	},
	shrink: func(c bucketTree) []bucketTree {
		var out []bucketTree
		if n := len(c.Ops); n > 0 {
			d := c
			d.Leaves, d.Ops = c.Leaves[:n], c.Ops[:n-1]
			out = append(out, d)
		}
		for i := range c.Leaves {
			for _, m := range shrinkModel(c.Leaves[i]) {
				d := c
				d.Leaves = append(append([]model{}, c.Leaves[:i]...), m)
				d.Leaves = append(d.Leaves, c.Leaves[i+1:]...)
				out = append(out, d)
			}
		}
		for _, e := range simplerRat(c.Eps, "0", "1") {
			d := c
			d.Eps = e
			out = append(out, d)
		}
		return out
	},
}

// tree evaluates c, squaring once more where little but bucket ∞ would be left, and its reverse where asked.
func (c bucketTree) tree(reverse bool) (*bucket.Tree, error) {
	leaf := func(m model, eta *big.Rat) (*bucket.Tree, error) {
		if reverse {
			m = m.reverse()
		}
		t, ok, err := bucket.PairLeaf(background, m.finite(), bucket.Shape{N: c.N, Eta: eta, Prec: c.Prec})
		if err != nil || !ok {
			return nil, fmt.Errorf("no leaf: %v", err)
		}
		return t, nil
	}
	t, err := leaf(c.Leaves[0], c.Eta)
	for i := 0; err == nil && i < len(c.Ops); i++ {
		for range c.Ops[i] {
			t = bucket.Square(t)
		}
		var l *bucket.Tree
		if l, err = leaf(c.Leaves[i+1], t.Eta()); err == nil {
			t, err = bucket.Policy{FreeInfinity: 1}.Product(background, []*bucket.Tree{t, l})
		}
	}
	return t, err
}

// Meiser & Mohammadi 2018, Theorem 2 and Lemma 13, corrected, and Theorem 1: a tree's
// bounds contain δ(ε) of the product, for every real ε and in both orders, and its mass of
// losses above ε bounds P(L > ε); whatever is squared where, at 3 bits as at 125.
func TestTheorem2BucketTrees(t *testing.T) {
	forAll(t, 10, bucketTrees, func(c bucketTree) error {
		truth := product(c.Leaves...)
		for _, reverse := range []bool{false, true} {
			tree, err := c.tree(reverse)
			if err != nil {
				return err
			}
			m := truth
			if reverse {
				m = m.reverse()
			}
			b := m.blurred()
			for _, eps := range []*big.Rat{c.Eps, zero, rat("-1"), rat("1/3"), rat("4")} {
				y, err := tree.Delta(background, 64, interval.RealRat(eps))
				if err != nil {
					return err
				}
				lo, hi := b.delta(eps)
				if err := refute(y, lo, hi, "reversed %v: δ(%s)", reverse, eps.RatString()); err != nil {
					return err
				}
				_, ahi := expRat(eps)
				if above, _, _, _ := m.lossMasses(ahi); interval.Point(tree.PDP(64, interval.RealRat(eps))).LessRat(above) == interval.True {
					return fmt.Errorf("reversed %v: P(L > %s) is at least %s, bound %s", reverse, eps.RatString(), above.FloatString(20), text(tree.PDP(64, interval.RealRat(eps))))
				}
			}
			for _, alpha := range alphas(c.Leaves...) {
				if alpha.Sign() == 0 {
					continue
				}
				y, err := tree.Delta(background, 64, pair.LogLoss(alpha).Enclose)
				if err != nil {
					return err
				}
				if err := refuteRat(y, m.delta(alpha), "reversed %v: δ(log %s)", reverse, alpha.RatString()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
