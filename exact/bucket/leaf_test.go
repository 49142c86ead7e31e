package bucket

import (
	"context"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
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
	{pair.TruncatedLaplace{Scale: rat("2"), Sensitivity: rat("1"), Radius: rat("5")}, Shape{20, rat("1/20"), 61}},                                      // exact borders
	{pair.TruncatedLaplace{Scale: rat("2"), Sensitivity: rat("1"), Radius: rat("3/4")}, Shape{20, rat("1/20"), 61}},                                    // r < s
	{pair.TruncatedLaplace{Scale: rat("2"), Sensitivity: rat("1"), Radius: rat("1/4")}, Shape{20, rat("1/20"), 61}},                                    // disjoint
	{pair.Gaussian{Mu2: rat("1")}, Shape{60, rat("1/10"), 61}},                                                                                         //
	{pair.Gaussian{Mu2: rat("1/100")}, Shape{64, rat("1/100"), 128}},                                                                                   //
	{pair.Gaussian{Mu2: rat("100")}, Shape{20, rat("1"), 16}},                                                                                          // mostly beyond n
	{pair.Gaussian{Mu2: rat("1/10000000000000000000000")}, Shape{10, rat("1/10"), 61}},                                                                 // hardly any loss
	{pair.TruncatedGaussian{Sigma: rat("2"), Sensitivity: rat("1"), Radius: rat("5")}, Shape{40, rat("1/20"), 61}},                                     //
	{pair.TruncatedGaussian{Sigma: rat("2"), Sensitivity: rat("1"), Radius: rat("1/4")}, Shape{40, rat("1/20"), 61}},                                   // disjoint
	{pair.Sampled{Rate: rat("1/10"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}}, Shape{40, rat("1/40"), 61}},                  // SGD, remove
	{pair.Sampled{Rate: rat("1/10"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}, Reversed: true}, Shape{40, rat("1/100"), 61}}, // add
	{pair.Sampled{Rate: rat("1/2"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/3")}, Count: 2}, {Pair: pair.Gaussian{Mu2: rat("4")}, Count: 1}}}, Shape{40, rat("1/10"), 128}},
	{pair.Sampled{Rate: rat("999/1000"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("4")}, Count: 1}}, Reversed: true}, Shape{40, rat("1/3"), 61}},
	{pair.Sampled{Rate: rat("1/1000000"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/100")}, Count: 1}}}, Shape{40, rat("1/1000000"), 61}},
	{pair.Sampled{Rate: rat("1/3"), Base: pair.Product{{Pair: pair.Laplace{Shift: rat("1")}, Count: 1}}}, Shape{40, rat("1/40"), 61}},
	{pair.GaussianMixture{Means: ratList("0 1 2"), Probs: ratList("1/2 1/4 1/4")}, Shape{20, rat("1/10"), 24}}, //
	{pair.ClampedLaplace{Location: rat("3"), Scale: rat("2"), Shift: rat("1")}, Shape{20, rat("1/20"), 61}},    //
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
	r := rand.New(rand.NewSource(4))
	for range 200 {
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
		tree := NewLeaf(s, events)
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
				if tree, err = Compose(t.Context(), tree, tree); err != nil {
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
		pair.Mixed{Rate: rat("1/3"), Base: pair.Product{{Pair: pair.Response{Eps: rat("1"), Delta: rat("1/100")}, Count: 1}}},
	} {
		tree, ok, err := PairLeaf(t.Context(), x, Shape{40, rat("1/20"), 61})
		if err != nil || !ok {
			t.Fatal(x, ok, err)
		}
		os, rest, ok := pair.Outcomes(x, lit, 1<<12)
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
