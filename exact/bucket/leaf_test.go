// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
)

// continuous are pairs of all kinds that have tails, with shapes.
var continuous = []struct {
	x     pair.Pair
	shape Shape
}{
	{pair.Laplace{Shift: rat("1/2")}, Shape{20, rat("1/20"), 61}},                                                                                      // atoms on borders
	{pair.Laplace{Shift: rat("1/2")}, Shape{10, rat("1/20"), 8}},                                                                                       // … on the last one
	{pair.Laplace{Shift: rat("1/2")}, Shape{20, rat("1/30"), 61}},                                                                                      // off borders
	{pair.Laplace{Shift: rat("2")}, Shape{10, rat("1/10"), 61}},                                                                                        // beyond n
	{pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("2"), Sensitivity: rat("1"), Radius: rat("5")}, Shape{20, rat("1/20"), 61}},                   // exact borders
	{pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("2"), Sensitivity: rat("1"), Radius: rat("3/4")}, Shape{20, rat("1/20"), 61}},                 // r < s
	{pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("2"), Sensitivity: rat("1"), Radius: rat("1/4")}, Shape{20, rat("1/20"), 61}},                 // disjoint
	{pair.Gaussian{Mu2: rat("1")}, Shape{60, rat("1/10"), 61}},                                                                                         //
	{pair.Gaussian{Mu2: rat("1/100")}, Shape{64, rat("1/100"), 128}},                                                                                   //
	{pair.Gaussian{Mu2: rat("100")}, Shape{20, rat("1"), 16}},                                                                                          // mostly beyond n
	{pair.Gaussian{Mu2: rat("1/10000000000000000000000")}, Shape{10, rat("1/10"), 61}},                                                                 // hardly any loss
	{pair.Truncated{Noise: pair.GaussianNoise, Width: rat("2"), Sensitivity: rat("1"), Radius: rat("5")}, Shape{40, rat("1/20"), 61}},                  //
	{pair.Truncated{Noise: pair.GaussianNoise, Width: rat("2"), Sensitivity: rat("1"), Radius: rat("1/4")}, Shape{40, rat("1/20"), 61}},                // disjoint
	{pair.Sampled{Rate: rat("1/10"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}}, Shape{40, rat("1/40"), 61}},                  // SGD, remove
	{pair.Sampled{Rate: rat("1/10"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}, Reversed: true}, Shape{40, rat("1/100"), 61}}, // add
	{pair.Sampled{Rate: rat("1/2"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/3")}, Count: 2}, {Pair: pair.Gaussian{Mu2: rat("4")}, Count: 1}}}, Shape{40, rat("1/10"), 128}},
	{pair.Sampled{Rate: rat("999/1000"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("4")}, Count: 1}}, Reversed: true}, Shape{40, rat("1/3"), 61}},
	{pair.Sampled{Rate: rat("1/1000000"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/100")}, Count: 1}}}, Shape{40, rat("1/1000000"), 61}},
	{pair.Sampled{Rate: rat("1/3"), Base: pair.Product{{Pair: pair.Laplace{Shift: rat("1")}, Count: 1}}}, Shape{40, rat("1/40"), 61}},
	{pair.GaussianMixture{P: normals.Mixture{Means: ratList("0 1 2"), Probs: ratList("1/2 1/4 1/4")}, Q: normals.Standard()}, Shape{20, rat("1/10"), 24}}, //
	{pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("3"), Width: rat("2"), Shift: rat("1")}, Shape{20, rat("1/20"), 61}},                            //
}

// truth encloses P(L > ε) − e^ε·Q(L > ε) by the tails.
func truth(t *testing.T, x pair.Pair, eps *big.Rat) (delta, beyond interval.Interval) {
	t.Helper()
	tails, ok := closed.PairTails(x)
	if !ok {
		t.Fatalf("%s has no tails", x)
	}
	p, _ := tails(lit, closed.RatArg(lit, eps))
	return tails.Delta(lit, interval.RealRat(eps)), p
}

// TestEmbeddings: leaves of continuous pairs bound δ and P(L > ε), and masses of buckets
// enclose the differences of tails.
func TestEmbeddings(t *testing.T) {
	for _, c := range continuous {
		tree, ok, err := PairLeaf(context.Background(), c.x, c.shape)
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", c.x, ok, err)
		}
		tails, _ := closed.PairTails(c.x)
		at := func(i int) (p, q interval.Interval) { return tails(lit, closed.RatArg(lit, times(i, c.shape.Eta))) }
		unit := lit.Rat(pow2(2 - int(c.shape.Prec)))
		mass := func(m *masses, i int) interval.Interval { return lit.Scale(lit.BigInt(m.at(i)), -int(c.shape.Prec)) }
		for i := 1 - c.shape.N; i <= c.shape.N; i++ {
			p0, q0 := at(i - 1)
			p1, q1 := at(i)
			p, q := lit.Sub(p0, p1), lit.Sub(q0, q1)
			b, r, v := mass(tree.b, i), mass(tree.r, i), mass(tree.v, i)
			// Runs of buckets of less than a unit are one event.
			if exceeds(b, lit.Add(p, unit)) || exceeds(p, lit.Add(b, unit)) || exceeds(r, lit.Add(q, unit)) || exceeds(q, lit.Add(v, unit)) || exceeds(v, lit.Add(q, unit)) {
				t.Errorf("%s: bucket %d of masses %s, %s: B = %s, R = %s, V = %s", c.x, i, p, q, b, r, v)
			}
		}
		f := new(big.Rat).Mul(c.shape.Eta, ratInt(int64(c.shape.N)))
		for _, k := range ratList("-2 -1 -1/2 -1/7 0 1/20 1/3 1/2 999/1000 1 2") {
			eps := new(big.Rat).Mul(f, k)
			e := interval.RealRat(eps)
			d, beyond := truth(t, c.x, eps)
			lo, up, typical, pdp := tree.Lower(64, e), tree.Upper(64, e), tree.Typical(64, e), tree.PDP(64, e)
			if exceeds(interval.Point(lo), d) || exceeds(d, interval.Point(up)) || exceeds(d, interval.Point(typical)) || exceeds(beyond, interval.Point(pdp)) {
				t.Errorf("%s: δ(%s) = %s, P(L > ε) = %s; bounds %s, %s, %s, PDP %s", c.x, eps.RatString(), d, beyond,
					lo.Text('g', 20), up.Text('g', 20), typical.Text('g', 20), pdp.Text('g', 20))
			}
		}
		if !tree.drift.meanA.IsFinite() || !tree.drift.meanB.IsFinite() {
			t.Errorf("%s: drift %s, %s", c.x, tree.drift.meanA, tree.drift.meanB)
		}
	}
}

// TestLaplaceBordersAreExact: with an atom of the loss on a border (§5.1) a leaf has
// exact tails there, and no mass is in doubt: δ(ε) = 0 for ε ≥ x.
func TestLaplaceBordersAreExact(t *testing.T) {
	tree, ok := LaplaceLeaf(rat("1/2"), nil, Shape{20, rat("1/20"), 128})
	if !ok || tree.top != 10 || tree.open {
		t.Fatalf("%v, %v", tree, ok)
	}
	if up := tree.Upper(64, interval.RealRat(rat("1/2"))); exceeds(interval.Point(up), lit.Rat(pow2(-120))) {
		t.Errorf("δ(1/2) ≤ %s", up.Text('g', 10))
	}
	if up := tree.Upper(64, interval.RealRat(rat("0.5000000000001"))); up.Sign() != 0 {
		t.Errorf("δ(1/2 + 1e-13) ≤ %s", up.Text('g', 10))
	}
	// And the paper's PDP: P(L > x − η/2) is the atom and half of the last bucket.
	want := lit.Add(interval.Int(1), lit.Expm1(lit.Rat(rat("-1/40"))).Neg())
	if got := tree.PDP(64, interval.RealRat(rat("0.475"))); exceeds(lit.Scale(interval.Int(1), -1), interval.Point(got)) || exceeds(interval.Point(got), lit.Add(lit.Scale(want, -1), lit.Rat(pow2(-60)))) {
		t.Errorf("PDP(0.475) = %s", got.Text('g', 20))
	}
	for _, s := range []Shape{{8, rat("1/20"), 61}, {20, rat("3/40"), 61}} {
		if _, ok := LaplaceLeaf(rat("1/2"), nil, s); ok {
			t.Errorf("n = %d, η = %s: the atom is not on a border", s.N, s.Eta.RatString())
		}
	}
}

// TestBorderEvents: an atom exactly on the border of bucket i is in bucket i, and
// needs no error correction.
func TestBorderEvents(t *testing.T) {
	for i := int64(-9); i <= 9; i++ {
		eps := big.NewRat(i, 3)
		x := pair.Response{Eps: new(big.Rat).Abs(eps), Delta: rat("1/8")}
		tree, ok, err := PairLeaf(context.Background(), x, Shape{8, rat("1/3"), 61})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if tree.u.Sign() != 0 {
			t.Errorf("ε = %s: u = %s", eps.RatString(), tree.u.RatString())
		}
		k := int(max(i, -i))
		if k <= 8 && (tree.b.at(k).Sign() == 0 || tree.b.at(k+1).Sign() != 0 || k > 0 && tree.b.at(k-1).Sign() != 0 && k > 1) {
			t.Errorf("ε = %s: %v, B = %s, %s, %s", eps.RatString(), tree, tree.b.at(k-1), tree.b.at(k), tree.b.at(k+1))
		}
	}
}

// TestLowEventsAreSound: events with wide masses, in buckets too high for them, make
// leaves that bound the true pair, alone and composed.
func TestLowEventsAreSound(t *testing.T) {
	t.Parallel()
	testkit.SkipShort(t)
	r := rand.New(rand.NewSource(4))
	for range testkit.Draws(10, 30, 200) {
		eta := rat([]string{"1", "1/2", "7/10"}[r.Intn(3)])
		s := Shape{2 * (1 + r.Intn(3)), eta, precisions[r.Intn(len(precisions))]}
		node := drawLeaf(r, eta)
		exact := evaluate(node, s.N, pair.RatLoss(eta), rules{}, true)
		wide := func(x interval.Interval) interval.Interval {
			if r.Intn(2) == 0 {
				return x
			}
			d := lit.Mul(x, lit.Rat(pow2(-1-r.Intn(30))))
			return interval.Union(lit.Sub(x, d), lit.Add(x, d))
		}
		var events []Event
		for _, x := range exact.atoms {
			e := Event{Index: x.index, P: wide(x.a), Q: wide(x.b)}
			if up := r.Intn(3); up > 0 && e.Index <= s.N {
				e.Index, e.Low = e.Index+up, true
			}
			if r.Intn(10) > 0 { // or left out
				events = append(events, e)
			}
		}
		tree := newLeaf(s, events)
		l := exact
		recipe := node
		for range 3 {
			checkTree(t, tree, l, []*big.Rat{new(big.Rat), eta, new(big.Rat).Mul(eta, big.NewRat(7, 2)), rat("-1/2")})
			if recipe.events() > 60 || t.Failed() {
				break
			}
			if r.Intn(2) == 0 {
				tree, recipe = Square(tree), square(recipe)
			} else {
				var err error
				if tree, err = composed(t.Context(), tree, tree); err != nil {
					t.Fatal(err)
				}
				recipe = compose2(recipe, recipe)
			}
			l = evaluate(recipe, s.N, pair.RatLoss(eta), rules{}, true)
		}
		if t.Failed() {
			t.Fatalf("%s, events %v", node, events)
		}
	}
}

// TestHistogram: lists of measured masses are a finite pair (§5.3), one that stands
// apart in one list being a loss of ∞.
func TestHistogram(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(5))
	p, q := make([]*big.Rat, 400), make([]*big.Rat, 400)
	for i := range p {
		p[i], q[i] = big.NewRat(int64(r.Intn(1000)), 1), big.NewRat(int64(r.Intn(1000)), 1)
	}
	p[7], q[9] = new(big.Rat), new(big.Rat)
	normalise(p)
	normalise(q)
	x := pair.NewFinite(p, q)
	for _, c := range []pair.Finite{x, x.Reverse().(pair.Finite)} {
		tree, ok, err := PairLeaf(t.Context(), c, Shape{600, rat("1/100"), 61})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		for _, alpha := range ratList("1/2 1 11/10 2 5 100") {
			d := lit.Rat(c.Delta(alpha))
			e := interval.Real(pair.LogLoss(alpha).Enclose)
			lo, up := interval.Point(tree.Lower(64, e)), interval.Point(tree.Upper(64, e))
			if exceeds(lo, d) || exceeds(d, up) {
				t.Errorf("H_%s = %s, bounds %s and %s", alpha.RatString(), d, lo, up)
			}
			if alpha.Cmp(ratInt(7)) < 0 && exceeds(up, lit.Add(lo, lit.Rat(rat("3/100")))) {
				t.Errorf("H_%s: bounds %s and %s", alpha.RatString(), lo, up)
			}
		}
	}
}

// TestLooselyEnclosedOutcomes: outcomes whose loss is not known exactly, and some left
// out.
func TestLooselyEnclosedOutcomes(t *testing.T) {
	t.Parallel()
	for _, x := range []pair.Pair{
		pair.DiscreteGaussian{Sigma2: rat("4"), Sensitivity: 1},
		pair.Sampled{Rate: rat("1/5"), Base: pair.Product{{Pair: pair.DiscreteLaplace{A: rat("1/2"), Sensitivity: 1}, Count: 1}}},
		pair.Mixed(rat("1/3"), pair.Product{{Pair: pair.Response{Eps: rat("1"), Delta: rat("1/100")}, Count: 1}}),
	} {
		tree, ok, err := PairLeaf(t.Context(), x, Shape{40, rat("1/20"), 61})
		if err != nil || !ok {
			t.Fatal(x, ok, err)
		}
		os, rest, ok := x.Outcomes(lit, 1<<12)
		if !ok {
			t.Fatal(x)
		}
		l := &literal{}
		for _, o := range os {
			loss := o.Loss
			if !o.Exact {
				lo, _, _ := lit.Log(lit.Div(o.P, o.Q)).Rationals()
				loss = pair.RatLoss(lo) // for PDP, up to rounding
			}
			l.atoms = append(l.atoms, atom{a: o.P, b: o.Q, loss: loss, certain: o.Q.IsZero(), never: o.P.IsZero()})
		}
		if rest.LessEqRat(pow2(-200)) != interval.True {
			t.Fatalf("%s lacks %s", x, rest)
		}
		checkTree(t, tree, l, ratList("0 1/2 1/20 -1/3 19/20 3"))
	}
}

// TestHardShapes: tiny and huge factors and parameters, two buckets and two bits.
func TestHardShapes(t *testing.T) {
	t.Parallel()
	testkit.SkipShort(t)
	one := func(x pair.Pair) pair.Product { return pair.Product{{Pair: x, Count: 1}} }
	pairs := []pair.Pair{
		pair.Laplace{Shift: rat("1/1000000000000000000000")}, pair.Laplace{Shift: rat("709")}, pair.Laplace{Shift: rat("100000")},
		pair.Gaussian{Mu2: rat("1/1000000000000000000000000000000000000000000")}, pair.Gaussian{Mu2: rat("1000000")},
		pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1/1000"), Sensitivity: rat("1"), Radius: rat("50")},
		pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1000"), Sensitivity: rat("1"), Radius: rat("1/2")},
		pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("1000"), Sensitivity: rat("1"), Radius: rat("1")},
		pair.Sampled{Rate: rat("1/1000000000000000000000"), Base: one(pair.Gaussian{Mu2: rat("1")})},
		pair.Sampled{Rate: rat("9007199254740991/9007199254740992"), Base: one(pair.Gaussian{Mu2: rat("9")}), Reversed: true},
		pair.Sampled{Rate: rat("1/10"), Base: one(pair.Gaussian{Mu2: rat("1/100000000000000000000000000000")}), Reversed: true},
	}
	etas := ratList("1/1000000000000000000000 1/1000000 1/10 1 745 1000000000000000000000")
	r := rand.New(rand.NewSource(7))
	for _, x := range pairs {
		for _, eta := range etas {
			s := Shape{2 * (1 + r.Intn(5)), eta, []uint{2, 8, 61, 200}[r.Intn(4)]}
			tree, ok, err := PairLeaf(t.Context(), x, s)
			if err != nil || !ok {
				t.Fatalf("%s: %v, %v", x, ok, err)
			}
			twice, err := Policy{}.Power(t.Context(), tree, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range ratList("-1 -1/2 0 1/3 1 7/2") {
				eps := new(big.Rat).Mul(k, eta)
				if eps.Cmp(ratInt(1<<40)) > 0 || eps.Cmp(ratInt(-1<<40)) < 0 {
					continue
				}
				e := interval.RealRat(eps)
				d, beyond := truth(t, x, eps)
				lo, up, typical, pdp := tree.Lower(64, e), tree.Upper(64, e), tree.Typical(64, e), tree.PDP(64, e)
				if exceeds(interval.Point(lo), d) || exceeds(d, interval.Point(up)) || exceeds(d, interval.Point(typical)) || exceeds(beyond, interval.Point(pdp)) {
					t.Errorf("%s in %v: δ(%s) = %s, P(L > ε) = %s; bounds %s, %s, %s, PDP %s", x, s, eps.RatString(), d, beyond,
						lo.Text('g', 20), up.Text('g', 20), typical.Text('g', 20), pdp.Text('g', 20))
				}
				// Three copies lose at least as much as one.
				if y, err := twice.Delta(t.Context(), 64, e); err != nil || eps.Sign() >= 0 && exceeds(d, interval.Point(y.Hi())) {
					t.Errorf("%s in %v: δ(%s) = %s, of three copies %s, %v", x, s, eps.RatString(), d, y, err)
				}
			}
		}
	}
}

// TestFactors: factors of several leaves are powers of two apart, buckets just cover
// the losses, and bounded losses end on a border.
func TestFactors(t *testing.T) {
	prod := pair.Product{
		{Pair: pair.Laplace{Shift: rat("1/3")}, Count: 5},
		{Pair: pair.Gaussian{Mu2: rat("4")}, Count: 1},
		{Pair: pair.Response{Eps: rat("2"), Delta: rat("1/10")}, Count: 1},
		{Pair: pair.DiscreteGaussian{Sigma2: rat("9"), Sensitivity: 1}, Count: 2},
		{Pair: pair.Sampled{Rate: rat("1/100"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/16")}, Count: 1}}}, Count: 100},
		{Pair: pair.NewFinite(ratList("1 0"), ratList("0 1")), Count: 1}, // all losses are ∞
	}
	const n, bits = 100, 50
	etas, ok := Factors(prod, n, bits)
	if !ok {
		t.Fatal("no factors")
	}
	for i, x := range prod {
		single, _ := Factors(pair.Product{{Pair: x.Pair, Count: 1}}, n, bits)
		if r := new(big.Rat).Quo(etas[i], etas[0]); !powerOfTwo(r.Num()) || !powerOfTwo(r.Denom()) {
			t.Errorf("%s: factor %s, first %s", x.Pair, etas[i].RatString(), etas[0].RatString())
		}
		if r := new(big.Rat).Quo(etas[i], single[0]); r.Cmp(ratInt(1)) < 0 || r.Cmp(ratInt(2)) >= 0 {
			t.Errorf("%s: factor %s, alone %s", x.Pair, etas[i].RatString(), single[0].RatString())
		}
		tree, ok, err := PairLeaf(t.Context(), x.Pair, Shape{n, single[0], 61})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		// The same on the other side.
		reversed, _ := Factors(pair.Product{{Pair: x.Pair.Reverse(), Count: 1}}, n, bits)
		if reversed[0].Cmp(single[0]) != 0 {
			t.Errorf("%s: factor %s, reversed %s", x.Pair, single[0].RatString(), reversed[0].RatString())
		}
		// Only 2^−bits of the finite losses is beyond the last bucket.
		if over := tree.far; over.b.Sign() > 0 && over.a.Cmp(new(big.Int).Rsh(one(61), bits-1)) > 0 {
			t.Errorf("%s: P_A-mass %s, P_B-mass %s beyond the last bucket", x.Pair, over.a, over.b)
		}
	}
	alone, _ := Factors(prod[:1], n, bits)
	if x := new(big.Rat).Mul(alone[0], ratInt(n)); x.Cmp(rat("1/3")) != 0 {
		t.Errorf("Laplace noise is covered up to %s", x.RatString())
	}
	if _, ok := Factors(pair.Product{{Pair: pair.ZCDP{Rho: ratInt(1), Xi: new(big.Rat)}, Count: 1}}, n, bits); ok {
		t.Error("a guarantee has no leaf")
	}
}

func powerOfTwo(n *big.Int) bool { return n.Sign() > 0 && int(n.TrailingZeroBits()) == n.BitLen()-1 }

// newLeaf returns the leaf of a pair that consists of the given events.
func newLeaf(s Shape, events []Event) *Tree {
	l := newBuilder(s)
	c := l.cursor()
	for _, e := range events {
		c.add(e)
	}
	l.join(c)
	return l.tree()
}

// TestMisuse: what only a bug can ask for.
func TestMisuse(t *testing.T) {
	panics := func(want string, f func()) {
		t.Helper()
		defer func() {
			if s, ok := recover().(string); !ok || !strings.Contains(s, want) {
				t.Errorf("panic %q, want %q", s, want)
			}
		}()
		f()
	}
	one := big.NewRat(1, 1)
	panics("", func() { newLeaf(Shape{N: 3, Eta: one, Prec: 61}, nil) })
	a, b := newLeaf(Shape{N: 4, Eta: one, Prec: 61}, nil), newLeaf(Shape{N: 4, Eta: big.NewRat(1, 2), Prec: 61}, nil)
	panics("η=1/2", func() { _, _ = composed(t.Context(), a, b) })
}
