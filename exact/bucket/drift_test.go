// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestInvariantsPerEvent: (L), (R) and the bound on D of the package comment, and the
// means and deviations of drift, by events.
func TestInvariantsPerEvent(t *testing.T) {
	forTrials(t, 150, 300, func(t *testing.T, c trial) {
		c.shape.Prec = []uint{2, 8, 61, 128}[c.events()%4]
		l := literalTrial(c, true)
		tree := c.tree(t.Context(), c.shape)
		logf := l.logf.Enclose(lit)
		var meanA, meanB interval.Interval
		for _, x := range l.atoms {
			d := lit.Mul(x.misplaced, logf)
			meanA, meanB = lit.Add(meanA, lit.Mul(x.a, d)), lit.Add(meanB, lit.Mul(x.b, d))
			if exceeds(interval.Int(0), lit.Add(d, lit.Rat(pow2(-200)))) || exceeds(d, lit.Add(lit.Rat(tree.worst()), lit.Rat(pow2(-200)))) {
				t.Errorf("D = %s, u·η = %s", d, tree.worst().RatString())
			}
			if x.index > l.n || x.never {
				continue
			}
			last := lit.Mul(interval.Int(int64(x.index)), logf) // ιη
			if exceeds(x.loss.Enclose(lit), lit.Add(lit.Sub(last, d), lit.Rat(pow2(-200)))) {
				t.Errorf("(L): loss %s, index %d, D = %s", x.loss, x.index, d)
			}
			r := lit.Add(lit.Div(x.a, l.power(x.index)), x.real)
			if exceeds(r, x.b) || exceeds(r, lit.Add(lit.Mul(x.a, lit.Exp(lit.Sub(d, last))), lit.Rat(pow2(-200)))) {
				t.Errorf("(R): R* = %s, P_A = %s, P_B = %s, index %d, D = %s", r, x.a, x.b, x.index, d)
			}
		}
		if _, ok := interval.Intersect(meanA, tree.drift.meanA); !ok {
			t.Errorf("E_A[D] = %s, enclosed as %s", meanA, tree.drift.meanA)
		}
		if _, ok := interval.Intersect(meanB, tree.drift.meanB); !ok {
			t.Errorf("E_B[D] = %s, enclosed as %s", meanB, tree.drift.meanB)
		}
		for _, lambda := range []string{"-8", "-1", "1", "3"} {
			k := lit.Div(lit.Rat(rat(lambda)), logf)
			var a, b interval.Interval
			for _, x := range l.atoms {
				d := lit.Mul(x.misplaced, logf)
				a = lit.Add(a, lit.Mul(x.a, lit.Exp(lit.Mul(k, lit.Sub(d, meanA)))))
				b = lit.Add(b, lit.Mul(x.b, lit.Exp(lit.Mul(k, lit.Sub(d, meanB)))))
			}
			bound := lit.Exp(lit.Scale(lit.Mul(lit.Sqr(k), tree.drift.s2), -1))
			bound = lit.Mul(bound, interval.Union(interval.Int(1), lit.Add(interval.Int(1), lit.Rat(pow2(-200)))))
			if exceeds(a, bound) || exceeds(b, bound) {
				t.Errorf("λη = %s: E[exp(λ(D − E[D]))] = %s and %s, bound %s", lambda, a, b, bound)
			}
		}
	})
}

// TestTypicalOfManyCopies: for many copies of a pair of three outcomes, whose δ sums
// up the types, Typical is an upper bound too, and a closer one.
func TestTypicalOfManyCopies(t *testing.T) {
	t.Parallel()
	testkit.SkipShort(t)
	ctx := context.Background()
	r := rand.New(rand.NewSource(1))
	closer := 0
	for range testkit.Cases(1, 6) {
		k := int64(1) << (5 + r.Intn(2))
		p := []*big.Rat{big.NewRat(int64(40+r.Intn(20)), 100), big.NewRat(int64(20+r.Intn(10)), 100), nil}
		p[2] = new(big.Rat).Sub(ratInt(1), new(big.Rat).Add(p[0], p[1]))
		q := []*big.Rat{p[2], p[1], p[0]}
		x := pair.NewFinite(p, q)
		// Losses lie well within their buckets.
		shape := Shape{2000, big.NewRat(int64(1+r.Intn(5)), 50), 61 + uint(r.Intn(2))*64}
		leaf, ok, err := PairLeaf(ctx, x, shape)
		if err != nil || !ok {
			t.Fatal(err)
		}
		tree, err := Policy{FreeInfinity: []int{0, 20}[r.Intn(2)]}.Power(ctx, leaf, k)
		if err != nil {
			t.Fatal(err)
		}
		os, _, ok := pair.ProductOutcomes(pair.Product{{Pair: x, Count: k}}, lit, 1<<16)
		if !ok {
			t.Fatal("too many types")
		}
		l := &literal{}
		for _, o := range os {
			l.atoms = append(l.atoms, atom{a: o.P, b: o.Q, loss: o.Loss, certain: o.Q.IsZero(), never: o.P.IsZero()})
		}
		for _, eps := range ratList("0 1 2 5 9") {
			e := interval.RealRat(eps)
			typical, worst := interval.Point(tree.Typical(64, e)), interval.Point(tree.Upper(64, e))
			if exceeds(worst, typical) && exceeds(lit.Sub(worst, typical), lit.Rat(rat("1/1000"))) {
				closer++
			}
		}
		checkTree(t, tree, l, ratList("0 1 2 5 9 -1"))
	}
	if closer == 0 {
		t.Error("Typical is never closer than Upper")
	}
}
