// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"errors"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestPowersAndProducts: whatever the policy squares, the composition of k copies,
// and of unlike trees with unlike factors, is bounded.
func TestPowersAndProducts(t *testing.T) {
	t.Parallel()
	testkit.SkipShort(t)
	ctx := context.Background()
	r := rand.New(rand.NewSource(6))
	for range testkit.Draws(8, 25, 60) {
		eta := rat([]string{"1/2", "1/10", "1/50"}[r.Intn(3)])
		s := Shape{2 * (1 + r.Intn(20)), eta, precisions[r.Intn(len(precisions))]}
		steps := 0
		policy := Policy{FreeInfinity: r.Intn(3) * 10, Progress: func(done, total int) {
			if steps++; done != steps || done > total {
				t.Errorf("progress %d of %d after %d", done, total, steps)
			}
		}}
		var trees []*Tree
		var all []*recipe
		for range 1 + r.Intn(3) {
			leaf := drawLeaf(r, eta)
			k := 1 + r.Intn(4)
			for range k {
				all = append(all, leaf)
			}
			steps = 0
			tree, err := policy.Power(ctx, leaf.tree(ctx, s), int64(k))
			if err != nil {
				t.Fatal(err)
			}
			trees = append(trees, tree)
		}
		steps = 0
		tree, err := policy.Product(ctx, trees)
		if err != nil {
			t.Fatal(err)
		}
		if steps != len(trees)-1 {
			t.Errorf("%d steps for %d trees", steps, len(trees))
		}
		node := all[0]
		for _, x := range all[1:] {
			node = compose2(node, x)
			if node.events() > 400 {
				node = nil
				break
			}
		}
		if node == nil {
			continue
		}
		l := evaluate(node, 2, pair.RatLoss(eta), rules{}, true) // for its events only
		checkTree(t, tree, l, []*big.Rat{new(big.Rat), rat("1/3"), eta, rat("3"), rat("-1")})
		if t.Failed() {
			t.Fatal(node, s)
		}
	}
}

// copied returns a copy of a tree, with its own memory.
func copied(t *Tree) *Tree {
	out := *t
	out.b, out.r, out.v = clone(t.b), clone(t.r), clone(t.v)
	return &out
}

// same reports that two trees say the same.
func same(a, b *Tree) bool {
	return a.n == b.n && a.eta.Cmp(b.eta) == 0 && a.u.Cmp(b.u) == 0 && a.top == b.top && a.open == b.open && a.blind == b.blind &&
		sameMasses(a.b, b.b) && sameMasses(a.r, b.r) && sameMasses(a.v, b.v) &&
		a.far.a.Cmp(b.far.a) == 0 && a.far.b.Cmp(b.far.b) == 0 && a.over.a.Cmp(b.over.a) == 0 && a.over.b.Cmp(b.over.b) == 0 &&
		a.drift.s2.Hi().Cmp(b.drift.s2.Hi()) == 0 && a.drift.meanA.Hi().Cmp(b.drift.meanA.Hi()) == 0 && a.drift.meanB.Lo().Cmp(b.drift.meanB.Lo()) == 0
}

// TestSpentTrees: powers and products in the memory of the trees that they are given are those in a memory of their
// own, and without Spend nothing changes.
func TestSpentTrees(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := rand.New(rand.NewSource(16))
	for range 120 {
		eta := rat([]string{"1/2", "1/10", "1/50"}[r.Intn(3)])
		s := Shape{2 * (1 + r.Intn(50)), eta, precisions[r.Intn(len(precisions))]}
		policy := Policy{FreeInfinity: r.Intn(3) * 10}
		spend := policy
		spend.Spend = true
		var kept, spent []*Tree
		for range 1 + r.Intn(3) {
			leaf, k := drawLeaf(r, eta).tree(ctx, s), int64(1+r.Intn(11))
			before := copied(leaf)
			x, err := policy.Power(ctx, leaf, k)
			if err != nil {
				t.Fatal(err)
			}
			if !same(leaf, before) {
				t.Fatalf("%d copies of %v changed it", k, before)
			}
			y, err := spend.Power(ctx, before, k)
			if err != nil {
				t.Fatal(err)
			}
			if !same(x, y) {
				t.Fatalf("%d copies of %v: %v, in its memory %v", k, leaf, x, y)
			}
			kept, spent = append(kept, x), append(spent, y)
		}
		before := make([]*Tree, len(kept))
		for i, x := range kept {
			before[i] = copied(x)
		}
		x, err := policy.Product(ctx, kept)
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range kept {
			if !same(y, before[i]) {
				t.Fatalf("a product changed %v", y)
			}
		}
		y, err := spend.Product(ctx, spent)
		if err != nil {
			t.Fatal(err)
		}
		if !same(x, y) {
			t.Fatalf("a product of %d trees: %v, in their memory %v", len(kept), x, y)
		}
	}
}

// TestRunsAboveRatio: the buckets whose ratio is above a number by more than 2^−60 of it are in a run, and those below
// it are not, whatever the ratios and the number are.
func TestRunsAboveRatio(t *testing.T) {
	r := rand.New(rand.NewSource(17))
	for range 300 {
		prec := precisions[r.Intn(len(precisions))]
		tree := &Tree{b: drawMasses(r, 9, prec, true), v: drawMasses(r, 9, prec, true)}
		alpha := new(big.Float).SetPrec(100).SetMantExp(new(big.Float).SetPrec(100).SetRat(big.NewRat(1+r.Int63n(9), 1+r.Int63n(9))), r.Intn(2*int(prec)+1)-int(prec))
		switch r.Intn(6) {
		case 0:
			alpha.SetInf(false)
		case 1:
			alpha.SetInt64(0)
		}
		in := make(map[int]bool)
		end := -1000
		tree.above(alpha, func(from, to int) {
			if from <= end || to <= from {
				t.Errorf("a run from %d to %d after %d", from, to, end)
			}
			end = to
			for i := from; i < to; i++ {
				in[i] = true
			}
		})
		for i := -12; i <= 12; i++ {
			b, v := tree.b.at(i), tree.v.at(i)
			want := b.Sign() > 0 && v.Sign() == 0
			if b.Sign() > 0 && v.Sign() > 0 {
				if want = false; !alpha.IsInf() {
					a, _ := alpha.Rat(nil)
					ratio := new(big.Rat).SetFrac(b, v)
					gap := new(big.Rat).Sub(ratio, a)
					want = gap.Sign() > 0
					if gap.Abs(gap).Cmp(new(big.Rat).Mul(ratio, pow2(-60))) < 0 {
						continue
					}
				}
			}
			if in[i] != want {
				t.Errorf("%d bits: the ratio %s/%s is above %s: %v", prec, b, v, alpha.Text('g', 20), in[i])
			}
		}
	}
}

// TestPowerCounts: Power composes k copies. Figure 10 as printed, a loop from 0 to t,
// would make 2^(t+1) of them.
func TestPowerCounts(t *testing.T) {
	leaf, _ := LaplaceLeaf(ratInt(1), nil, Shape{1 << 12, rat("1/16"), 61})
	for k := int64(1); k <= 20; k++ {
		tree, err := Policy{}.Power(context.Background(), leaf, k)
		if err != nil {
			t.Fatal(err)
		}
		// Nothing leaves the finite buckets, and k atoms at ε = 1 make one at k.
		if tree.eta.Cmp(leaf.eta) != 0 || tree.top != int(16*k) || tree.U().Cmp(ratInt(k)) != 0 {
			t.Errorf("%d copies: %v", k, tree)
		}
		want := lit.Rat(pow2(-int(k)))
		if got := tree.PDP(64, interval.RealRat(new(big.Rat).Sub(ratInt(k), rat("1/1000")))); exceeds(want, interval.Point(got)) ||
			exceeds(interval.Point(got), lit.Mul(want, interval.Int(2))) {
			t.Errorf("%d copies: P_A(L > k − 1/1000) ≤ %s, want about %s", k, got.Text('g', 10), want)
		}
	}
}

// TestSquaringRule: the 2.2 rule of Figure 10 fires when B(∞) more than doubles, which
// it does at once from 0, unless that is free.
func TestSquaringRule(t *testing.T) {
	ctx := context.Background()
	leaf, _ := LaplaceLeaf(ratInt(1), nil, Shape{20, rat("1/16"), 61})
	for _, c := range []struct {
		free int
		eta  string
	}{{0, "1/8"}, {60, "1/8"}, {3, "1/8"}, {1, "1/16"}} { // a quarter would go to bucket ∞, and more
		tree, err := Policy{FreeInfinity: c.free}.Power(ctx, leaf, 2)
		if err != nil {
			t.Fatal(err)
		}
		if tree.eta.Cmp(rat(c.eta)) != 0 {
			t.Errorf("%d bits free: %v, want η = %s", c.free, tree, c.eta)
		}
	}
	// Where the loss is ∞ already, squaring does not help, and B(∞) does not grow beyond the rule.
	response, _, _ := PairLeaf(ctx, pair.Response{Eps: rat("1/16"), Delta: rat("1/100")}, Shape{20, rat("1/16"), 61})
	tree, err := Policy{}.Power(ctx, response, 16)
	if err != nil || tree.eta.Cmp(rat("1/16")) != 0 {
		t.Errorf("%v, %v", tree, err)
	}
}

// TestCancelled: a cancelled composition says so.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	leaf, _ := LaplaceLeaf(ratInt(1), nil, Shape{1 << 12, rat("1/4096"), 61})
	cancel()
	if _, err := (Policy{}).Power(ctx, leaf, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("Power: %v", err)
	}
	if _, _, err := PairLeaf(ctx, pair.Gaussian{Mu2: ratInt(1)}, Shape{1 << 12, rat("1/4096"), 61}); !errors.Is(err, context.Canceled) {
		t.Errorf("PairLeaf: %v", err)
	}
	if y, err := leaf.Delta(ctx, 64, interval.RealRat(ratInt(1))); !errors.Is(err, context.Canceled) || y.Lo().Sign() != 0 || y.Hi().Cmp(upperOne()) != 0 {
		t.Errorf("Delta: %s, %v", y, err)
	}
}

// TestSwampedVirtualTerms: at few bits rounding up swamps V; the lower bound is given
// up, and what is left holds.
func TestSwampedVirtualTerms(t *testing.T) {
	tree, ok := LaplaceLeaf(ratInt(1), nil, Shape{400, rat("1/400"), 2})
	if !ok {
		t.Fatal("no leaf")
	}
	var err error
	for range 5 {
		if tree, err = composed(context.Background(), tree, tree); err != nil {
			t.Fatal(err)
		}
	}
	if lo := tree.Lower(64, interval.RealRat(ratInt(1))); lo.Sign() != 0 {
		t.Errorf("Lower(1) = %s at two bits", lo.Text('g', 10))
	}
	if up := tree.Upper(64, interval.RealRat(ratInt(1))); up.Cmp(upperOne()) > 0 {
		t.Errorf("Upper(1) = %s", up.Text('g', 10))
	}
}

// TestGaussiansCollapse: k Gaussians are one with k·μ², at any precision, with any
// factor and policy, and where Gaussians of two kinds are composed.
func TestGaussiansCollapse(t *testing.T) {
	t.Parallel()
	testkit.SkipShort(t)
	r := rand.New(rand.NewSource(8))
	for range testkit.Draws(4, 10, 20) {
		mu2 := []*big.Rat{rat("1/10"), rat("1/300")}
		count := []int64{int64(1 + r.Intn(40)), int64(r.Intn(40))}
		n := 2 * (1 + r.Intn(100))
		prec := []uint{2, 8, 16, 61, 125}[r.Intn(5)]
		policy := Policy{FreeInfinity: []int{0, 1, 10, 40}[r.Intn(4)]}
		total := new(big.Rat)
		var prod pair.Product
		for i, k := range count {
			if k > 0 {
				prod = append(prod, pair.Term{Pair: pair.Gaussian{Mu2: mu2[i]}, Count: k})
				total.Add(total, new(big.Rat).Mul(mu2[i], ratInt(k)))
			}
		}
		etas, ok := Factors(prod, n, 1+r.Intn(60))
		if !ok {
			t.Fatal("no factors")
		}
		var trees []*Tree
		for i, x := range prod {
			leaf, ok, err := PairLeaf(t.Context(), x.Pair, Shape{n, etas[i], prec})
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			tree, err := policy.Power(t.Context(), leaf, x.Count)
			if err != nil {
				t.Fatal(err)
			}
			trees = append(trees, tree)
		}
		tree, err := policy.Product(t.Context(), trees)
		if err != nil {
			t.Fatal(err)
		}
		for _, eps := range ratList("-2 0 1/10 1 3 10") {
			d, beyond := truth(t, pair.Gaussian{Mu2: total}, eps)
			e := interval.RealRat(eps)
			lo, up, typical, pdp := tree.Lower(64, e), tree.Upper(64, e), tree.Typical(64, e), tree.PDP(64, e)
			if exceeds(interval.Point(lo), d) || exceeds(d, interval.Point(up)) || exceeds(d, interval.Point(typical)) || exceeds(beyond, interval.Point(pdp)) {
				t.Errorf("%s in %v: δ(%s) = %s, P(L > ε) = %s; bounds %s, %s, %s, PDP %s", prod, tree, eps.RatString(), d, beyond,
					lo.Text('g', 20), up.Text('g', 20), typical.Text('g', 20), pdp.Text('g', 20))
			}
		}
		for _, order := range ratList("3/2 4") { // D_α = α·μ²/2
			want := lit.Rat(new(big.Rat).Mul(order, new(big.Rat).Mul(total, rat("1/2"))))
			if got := tree.Renyi(64, order); exceeds(got, want) || exceeds(want, got) {
				t.Errorf("%s: D_%s = %s, bounds %s", prod, order.RatString(), want, got)
			}
		}
	}
}
