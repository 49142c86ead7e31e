// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// literalTrial evaluates a trial by the corrected rules.
func literalTrial(c trial, impossible bool) *literal {
	return evaluate(c.recipe, c.shape.N, pair.RatLoss(c.shape.Eta), rules{}, impossible)
}

// Lemma 6: P_A(x) ≤ f^ι(x)·P_B(x) for ι(x) ≠ ∞, and not the f^ι ≤ P_A/P_B that the paper
// goes on with.
func TestLemma6IndexBoundsLoss(t *testing.T) {
	forTrials(t, 100, 300, func(t *testing.T, c trial) {
		l := literalTrial(c, true)
		for _, x := range l.atoms {
			if x.index > l.n || x.never {
				continue
			}
			if x.certain || compareLoss(x.loss, l.logf.Times(int64(x.index))) > 0 {
				t.Errorf("an event of loss %s has index %d", x.loss, x.index)
			}
		}
	})
}

// Lemma 7 and Lemma 8: B, ℓ and ℓ̃ are sums over the events of an index.
func TestLemma8SumsOverEvents(t *testing.T) {
	forTrials(t, 100, 300, func(t *testing.T, c trial) {
		l := literalTrial(c, true)
		b, real, virtual := zeros(2*l.n+2), zeros(2*l.n+2), zeros(2*l.n+2)
		for _, x := range l.atoms {
			l.add(b, x.index, x.a)
			l.add(real, x.index, x.real)
			l.add(virtual, x.index, x.err)
		}
		for i := range b {
			if !overlap(b[i], l.b[i]) || !overlap(real[i], l.real[i]) || !overlap(virtual[i], l.virtual[i]) {
				t.Errorf("bucket %d: sums over events %s, %s, %s; by buckets %s, %s, %s", i-l.n, b[i], real[i], virtual[i], l.b[i], l.real[i], l.virtual[i])
			}
		}
	})
}

// Lemma 9: 0 ≤ ℓ*, ℓ̃*. Lemma 10: ℓ* ≤ ℓ̃*. Lemma 11, corrected: ℓ̃* = P_B − P_A/f^ι for ι ≠ ∞.
// Lemma 12, without its condition on j_ε: ℓ* ≤ P_A·(f^(u−ι) − f^−ι), with u = (u₁+1)/2 at
// squarings.
func TestLemmas9To12PerEvent(t *testing.T) {
	forTrials(t, 100, 300, func(t *testing.T, c trial) {
		l := literalTrial(c, true)
		zero := interval.Int(0)
		for _, x := range l.atoms {
			if exceeds(zero, x.real) || exceeds(zero, x.err) {
				t.Errorf("Lemma 9: index %d: ℓ* = %s, ℓ̃* = %s", x.index, x.real, x.err)
			}
			if exceeds(x.real, x.err) {
				t.Errorf("Lemma 10: index %d: ℓ* = %s > ℓ̃* = %s", x.index, x.real, x.err)
			}
			if x.index > l.n {
				continue
			}
			q := lit.Div(x.a, l.power(x.index))
			if !overlap(lit.Add(q, x.err), x.b) {
				t.Errorf("Lemma 11: index %d: P_A/f^ι + ℓ̃* = %s, P_B = %s", x.index, lit.Add(q, x.err), x.b)
			}
			d := l.u.Denom().Int64()
			fu := lit.Exp(lit.Div(l.logf.Times(l.u.Num().Int64()).Enclose(lit), interval.Int(d)))
			if exceeds(x.real, lit.Mul(q, lit.Sub(fu, interval.Int(1)))) {
				t.Errorf("Lemma 12: index %d, u = %s: ℓ* = %s", x.index, l.u.RatString(), x.real)
			}
		}
	})
}

// Lemma 13 and Theorem 2: δ_low ≤ δ ≤ δ_T, for any real ε, with the corrected rules;
// with bucket ∞ and all others counted in δ_low too.
func TestTheorem2LiteralBounds(t *testing.T) {
	forTrials(t, 100, 300, func(t *testing.T, c trial) {
		l := literalTrial(c, true)
		for _, eps := range c.eps {
			e := pair.RatLoss(eps)
			lo, all, d, up := l.lower(e), l.lowerAll(e), l.delta(e), l.upper(e)
			if exceeds(lo, all) || exceeds(all, d) || exceeds(d, up) {
				t.Errorf("ε = %s: δ_low = %s, with all buckets %s, δ = %s, δ_T = %s", eps.RatString(), lo, all, d, up)
			}
		}
	})
}

// TestTreeIsTheLiteralOne: the three vectors of a tree are the literal ones, rounded in
// their directions; and so are its bounds. At 128 bits little is lost.
func TestTreeIsTheLiteralOne(t *testing.T) {
	slack := func(x interval.Interval, k int) interval.Interval { // x + 2^−k
		return lit.Add(x, lit.Rat(pow2(-k)))
	}
	forTrials(t, 150, 600, func(t *testing.T, c trial) {
		c.shape.Prec = 128
		l := literalTrial(c, false)
		tree := c.tree(t.Context(), c.shape)
		if n, eta := tree.N(), tree.Eta(); n != l.n || compareLoss(pair.RatLoss(eta), l.logf) != 0 {
			t.Fatalf("%v has another factor than %s", tree, l.logf)
		}
		mass := func(m *masses, i int) interval.Interval { return lit.Scale(lit.BigInt(m.at(i)), -128) }
		for i := -l.n; i <= l.n; i++ {
			b, r, v := mass(tree.b, i), mass(tree.r, i), mass(tree.v, i)
			wantB, wantV := l.at(l.b, i), l.massB(i)
			wantR := lit.Add(lit.Div(wantB, l.power(i)), l.at(l.real, i))
			if exceeds(b, wantB) || exceeds(wantB, slack(b, 112)) {
				t.Errorf("B(%d) = %s, literally %s", i, b, wantB)
			}
			if exceeds(r, wantR) {
				t.Errorf("R(%d) = %s, literally %s", i, r, wantR)
			}
			if exceeds(wantV, v) || exceeds(v, slack(wantV, 112)) {
				t.Errorf("V(%d) = %s, literally %s", i, v, wantV)
			}
			// R(−n) = B(−n)·f^n, of which f^n magnifies what B lacks.
			if exceeds(wantR, slack(r, 60)) {
				t.Errorf("R(%d) = %s, literally %s", i, r, wantR)
			}
		}
		if inf := tree.Infinite(lit); exceeds(inf, slack(l.at(l.b, l.n+1), 110)) || exceeds(l.at(l.b, l.n+1), inf) || exceeds(interval.Point(inf.Lo()), l.at(l.b, l.n+1)) {
			t.Errorf("B(∞) = %s, literally %s", inf, l.at(l.b, l.n+1))
		}
		if tree.u.Cmp(l.u) > 0 {
			t.Errorf("u = %s, literally %s", tree.u.RatString(), l.u.RatString())
		}
		for _, eps := range c.eps {
			e := pair.RatLoss(eps)
			up := interval.Point(tree.Upper(lit, interval.RealRat(eps)))
			want := l.upper(e)
			if tree.u.Cmp(l.u) == 0 && tree.open && !overlapWithin(up, want, 40) {
				t.Errorf("δ_T(%s) = %s, literally %s", eps.RatString(), up, want)
			}
			if exceeds(up, slack(want, 40)) {
				t.Errorf("δ_T(%s) = %s is more than literally %s", eps.RatString(), up, want)
			}
			lo := interval.Point(tree.Lower(lit, interval.RealRat(eps)))
			if exceeds(l.lower(e), slack(lo, 60)) {
				t.Errorf("δ_low(%s) = %s, literally %s", eps.RatString(), lo, l.lower(e))
			}
		}
	})
}

// overlapWithin reports that x and y differ by at most 2^−k.
func overlapWithin(x, y interval.Interval, k int) bool {
	return lit.Sub(x, y).Abs().LessEqRat(pow2(-k)) == interval.True
}

// TestTreesAreSound: whatever the precision, δ(ε) is between the bounds of a tree,
// and P_A(L > ε) is at most the PDP bound. Nothing is allowed for.
func TestTreesAreSound(t *testing.T) {
	forTrials(t, 300, 600, func(t *testing.T, c trial) {
		l := literalTrial(c, true)
		tree := c.tree(t.Context(), c.shape)
		checkTree(t, tree, l, c.eps)
	})
}

func checkTree(t *testing.T, tree *Tree, l *literal, epsilons []*big.Rat) {
	t.Helper()
	for _, p := range []interval.Prec{2, 64} {
		for _, eps := range epsilons {
			d := l.delta(pair.RatLoss(eps))
			e := interval.RealRat(eps)
			lo, up, typical, pdp := tree.Lower(p, e), tree.Upper(p, e), tree.Typical(p, e), tree.PDP(p, e)
			if exceeds(interval.Point(lo), d) {
				t.Errorf("lower bound %s of δ(%s) = %s", lo.Text('g', 20), eps.RatString(), d)
			}
			if exceeds(d, interval.Point(up)) {
				t.Errorf("upper bound %s of δ(%s) = %s", up.Text('g', 20), eps.RatString(), d)
			}
			if exceeds(d, interval.Point(typical)) {
				t.Errorf("typical upper bound %s of δ(%s) = %s", typical.Text('g', 20), eps.RatString(), d)
			}
			if none := tree.Uncorrected(p, e); exceeds(d, interval.Point(none)) {
				t.Errorf("upper bound %s without error correction of δ(%s) = %s", none.Text('g', 20), eps.RatString(), d)
			}
			beyond := interval.Interval{}
			for _, x := range l.atoms {
				if x.certain || !x.never && compareLoss(x.loss, pair.RatLoss(eps)) > 0 {
					beyond = lit.Add(beyond, x.a)
				}
			}
			if exceeds(beyond, interval.Point(pdp)) {
				t.Errorf("PDP bound %s of P_A(L > %s) = %s", pdp.Text('g', 20), eps.RatString(), beyond)
			}
			if y, err := tree.Delta(t.Context(), p, e); err != nil || !y.Contains(lo) {
				t.Errorf("δ(%s) = %s, %v", eps.RatString(), y, err)
			}
		}
	}
}

// TestTreesAreSoundAtAllLosses: δ is piecewise linear in e^ε and bends at the losses of
// events; bounds also hold where ε is not rational.
func TestTreesAreSoundAtAllLosses(t *testing.T) {
	forTrials(t, 120, 100, func(t *testing.T, c trial) {
		l := literalTrial(c, true)
		tree := c.tree(t.Context(), c.shape)
		atoms := slices.Clone(l.atoms)
		if len(atoms) > 12 {
			atoms = atoms[:12]
		}
		for _, x := range atoms {
			if x.certain || x.never {
				continue
			}
			d := l.delta(x.loss)
			e := interval.Real(x.loss.Enclose)
			lo, up, typical := tree.Lower(64, e), tree.Upper(64, e), tree.Typical(64, e)
			if exceeds(interval.Point(lo), d) || exceeds(d, interval.Point(up)) || exceeds(d, interval.Point(typical)) {
				t.Errorf("δ(%s) = %s, bounds %s, %s, %s", x.loss, d, lo.Text('g', 20), up.Text('g', 20), typical.Text('g', 20))
			}
		}
	})
}
