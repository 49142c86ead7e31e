// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"
	"strings"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Rules of the paper that are wrong: each of them fails on an example, and the
// corrected rule, which Tree implements, holds there.

// log2 is the logarithm of the bucket factor 2, with which examples are exact.
var log2 = pair.LogLoss(ratInt(2))

// nearLog2 is a little more than log 2, and a factor that trees can have.
var nearLog2 = rat("0.69315")

// both evaluates a recipe with factor 2, by wrong rules and by the corrected ones.
func both(r *recipe, n int, wrong rules) (printed, corrected *literal) {
	return evaluate(r, n, log2, wrong, true), evaluate(r, n, log2, rules{}, true)
}

// soundAt checks the tree of a recipe.
func soundAt(t *testing.T, r *recipe, n int, eta *big.Rat, epsilons ...string) {
	t.Helper()
	l := evaluate(r, n, pair.RatLoss(eta), rules{}, true)
	for _, prec := range []uint{8, 61, 128} {
		checkTree(t, r.tree(t.Context(), Shape{n, eta, prec}), l, ratList(strings.Join(epsilons, " ")))
	}
}

func contains(t *testing.T, what string, x interval.Interval, want string) {
	t.Helper()
	if !overlap(x, lit.Rat(rat(want))) {
		t.Errorf("%s = %s, want %s", what, x, want)
	}
}

// Definition 4 as printed has squaring lose the mass of bucket −n.
func TestErratumSquaringKeepsTheLowestBucket(t *testing.T) {
	leaf := pairOf("1/31 30/31", "16/31 15/31")
	r := square(compose2(leaf, leaf))
	printed, ok := both(r, 4, rules{printedSquaring: true})
	sum := func(l *literal) interval.Interval {
		s := interval.Interval{}
		for _, b := range l.b {
			s = lit.Add(s, b)
		}
		return s
	}
	contains(t, "the printed total", sum(printed), "960/961")
	contains(t, "the total", sum(ok), "1")
	// And the upper bound is unsound, where the mass would go on to bucket ∞.
	r = compose2(square(pairOf("1/20 19/20", "9/10 1/10")), square(pairOf("4/5 1/5", "0 1")))
	printed, ok = both(r, 4, rules{printedSquaring: true})
	e := pair.RatLoss(ratInt(5))
	contains(t, "δ(5)", printed.delta(e), "4/5")
	contains(t, "printed δ_T(5)", printed.upper(e), "19/25")
	contains(t, "δ_T(5)", ok.upper(e), "4/5")
	soundAt(t, r, 4, nearLog2, "0", "1/2", "5")
}

// Lemma 6 goes on, "i.e., f^ι(x) ≤ P_A(x)/P_B(x)": it is ≥.
func TestErratumLemma6Direction(t *testing.T) {
	_, l := both(pairOf("3/5 2/5", "2/5 3/5"), 4, rules{})
	for _, x := range l.atoms {
		if c := compareLoss(l.logf.Times(int64(x.index)), x.loss); c < 0 {
			t.Errorf("f^%d < P_A/P_B", x.index)
		} else if c == 0 {
			t.Errorf("the example has f^%d = P_A/P_B: it shows nothing", x.index)
		}
	}
}

// §4.1 prints ℓ(i) − B(i)/f^i = ΣP_B(x): it is a sum. And ℓ(x) ≤ P_A(x)(f^−(i−1) − f^−i) of
// §3.1 is not for i = −n.
func TestErratumErrorCorrectionIdentity(t *testing.T) {
	_, l := both(pairOf("3/5 2/5", "2/5 3/5"), 4, rules{})
	q := lit.Div(l.at(l.b, 1), l.power(1))
	contains(t, "ℓ + B/f", lit.Add(l.at(l.virtual, 1), q), "2/5")
	if x := lit.Sub(l.at(l.virtual, 1), q); !exceeds(lit.Rat(rat("2/5")), x) {
		t.Errorf("the printed identity gives %s", x)
	}
	_, l = both(pairOf("1/100 99/100", "1/2 1/2"), 2, rules{})
	x := l.atoms[len(l.atoms)-1]
	if bound := lit.Mul(x.a, lit.Sub(l.power(3), l.power(2))); x.index != -2 || !exceeds(x.err, bound) {
		t.Errorf("index %d, ℓ̃ = %s, printed bound %s", x.index, x.err, bound)
	}
}

// Definition 7's virtual EC term at −n: Lemma 11 fails for it after a squaring, and
// with it δ_low in one direction. The corrected one makes an equality of it here.
func TestErratumVirtualTermAtLowestBucket(t *testing.T) {
	leaf := pairOf("1/31 30/31", "16/31 15/31")
	pairs := compose2(leaf, leaf)
	printed, ok := both(pairs, 4, rules{printedVirtual: true})
	for i, want := range []string{"0", "240/961"} {
		l := []*literal{printed, ok}[i]
		for _, x := range l.atoms {
			if x.index == -4 {
				contains(t, "ℓ̃* at −4", x.err, want)
			}
		}
	}
	r := compose2(square(pairs), square(pairOf("1 0", "1/64 63/64")))
	// The other leaf has factor 4 from the start: its ratio 64 = 4³ is in bucket 3 of
	// factor 4, which is bucket 6 of factor 2; n = 4 would put it into bucket ∞.
	e := pair.Loss{}
	wrong, right := literalProduct(evaluate(square(pairs), 4, log2, rules{printedVirtual: true}, true), evaluate(r.right.left, 4, log2.Times(2), rules{}, true)),
		literalProduct(evaluate(square(pairs), 4, log2, rules{}, true), evaluate(r.right.left, 4, log2.Times(2), rules{}, true))
	contains(t, "printed δ_low(0)", wrong.lower(e), "60783/61504")
	contains(t, "δ(0)", wrong.delta(e), "60735/61504")
	contains(t, "corrected δ_low(0)", right.lower(e), "60735/61504")

	// The same with a factor that trees can have, and ratios a little off.
	leaf = pairOf("1/32 31/32", "33/64 31/64")
	last := leafOf(pair.NewFinite(ratList("1 0"), ratList("1/64 63/64")))
	shape := Shape{4, nearLog2, 128}
	square2 := square(compose2(leaf, leaf))
	twice := new(big.Rat).Add(nearLog2, nearLog2)
	l := literalProduct(evaluate(square2, 4, pair.RatLoss(nearLog2), rules{printedVirtual: true}, true), evaluate(last, 4, pair.RatLoss(twice), rules{}, true))
	if !exceeds(l.lower(e), l.delta(e)) {
		t.Errorf("printed: δ_low(0) = %s, δ(0) = %s", l.lower(e), l.delta(e))
	}
	tree, err := composed(t.Context(), square2.tree(t.Context(), shape), last.tree(t.Context(), Shape{4, twice, 128}))
	if err != nil {
		t.Fatal(err)
	}
	checkTree(t, tree, l, ratList("0 1/10 1"))
}

// literalProduct composes two trees that need not have the same leaf factor.
func literalProduct(t1, t2 *literal) *literal {
	t := &literal{rules: t1.rules, n: t1.n, b: zeros(2*t1.n + 2), real: zeros(2*t1.n + 2), virtual: zeros(2*t1.n + 2)}
	t.evaluateCompose(t1, t2)
	return t
}

// Theorem 2 itself, the lesser δ_low of both directions, fails for a symmetric pair (C2).
// With (P, Q) = (B, B, A, A) against (A, A, B, B), the same tree, its leaves taken in
// another order, is one over (Q, P): the two δ_low are equal.
func TestErratumTheorem2(t *testing.T) {
	build := func(rs rules) *literal {
		first, second := pairOf("14/15 1/15", "7/15 8/15"), pairOf("7/15 8/15", "14/15 1/15")
		x := evaluate(square(square(compose2(first, first))), 4, log2, rs, true)
		y := evaluate(second, 4, log2.Times(4), rs, true)
		return literalProduct(literalProduct(x, y), y)
	}
	e := pair.Loss{}
	wrong, right := build(rules{printedVirtual: true}), build(rules{})
	d := right.delta(e)
	contains(t, "δ(0)", d, "2317/3375")
	contains(t, "printed δ_low(0)", wrong.lower(e), "1289/1875")
	if exceeds(right.lower(e), d) || exceeds(right.lowerAll(e), d) {
		t.Errorf("corrected δ_low(0) = %s, %s > δ(0) = %s", right.lower(e), right.lowerAll(e), d)
	}
}

// The lesser δ_low of both directions is valid where both are, and so is the
// greater one; with bucket ∞ counted one direction says it all.
func TestErratumLesserLowerBound(t *testing.T) {
	e := pair.Loss{}
	ab, ba := pairOf("2/3 1/3", "0 1"), pairOf("0 1", "2/3 1/3")
	_, x := both(compose2(ab, ab), 4, rules{})
	_, y := both(compose2(ba, ba), 4, rules{})
	contains(t, "δ_low of (A, B)", x.lower(e), "0")
	contains(t, "δ_low of (B, A)", y.lower(e), "8/9")
	contains(t, "δ_low of (A, B) with bucket ∞", x.lowerAll(e), "8/9")
	for _, r := range []*recipe{compose2(ab, ab), compose2(ba, ba)} {
		lo := r.tree(t.Context(), Shape{4, nearLog2, 61}).Lower(64, interval.RealRat(new(big.Rat)))
		if x := interval.Point(lo); exceeds(lit.Rat(rat("8/9")), lit.Add(x, lit.Rat(pow2(-50)))) || exceeds(x, lit.Rat(rat("8/9"))) {
			t.Errorf("Lower(0) = %s, want 8/9", lo.Text('g', 20))
		}
	}
}

// P_B-masses in place of the real EC terms make the upper bound unsound.
func TestErratumRealTermsAreNotMasses(t *testing.T) {
	a, b, c := pairOf("1/4 0 3/4", "1/16 15/16 0"), pairOf("1/8 7/8", "9/10 1/10"), pairOf("1 0", "6/25 19/25")
	e := pair.Loss{}
	violated := 0
	for _, r := range []*recipe{
		compose2(compose2(a, b), c), compose2(compose2(b, c), a), compose2(compose2(a, c), b),
		compose2(compose2(compose2(b, b), c), a), compose2(compose2(b, compose2(b, c)), c),
	} {
		wrong, right := both(r, 4, rules{realIsVirtual: true})
		d := right.delta(e)
		if exceeds(d, wrong.upper(e)) {
			violated++
		}
		if exceeds(d, right.upper(e)) {
			t.Errorf("%s: δ(0) = %s, bound %s", r, d, right.upper(e))
		}
		soundAt(t, r, 4, nearLog2, "0", "1/2", "1")
	}
	if violated == 0 {
		t.Error("no example shows it")
	}
}

// Definition 9: without u, an event that is less than e^ε makes up for one that is more.
func TestErratumMisplacedEvents(t *testing.T) {
	r := pairOf("2/5 11/20 1/20", "1/10 1/2 2/5")
	e := pair.LogLoss(ratInt(3))
	four := log2.Times(2)
	wrong, right := evaluate(r, 2, four, rules{noU: true}, true), evaluate(r, 2, four, rules{}, true)
	contains(t, "δ(log 3)", right.delta(e), "1/10")
	if !exceeds(right.delta(e), wrong.upper(e)) || exceeds(right.delta(e), right.upper(e)) {
		t.Errorf("upper bounds with u = 0: %s, with u = 1: %s", wrong.upper(e), right.upper(e))
	}
	soundAt(t, r, 2, rat("1.3863"), "1.0986", "1.2", "0.5")
}

// Definition 9 with j_ε one too high drops a bucket, with one too low it adds a
// negative term; where enclosures leave ε open, Upper does neither.
func TestErratumRoundedIndex(t *testing.T) {
	e := pair.LogLoss(rat("19/10"))
	_, l := both(pairOf("1 0", "1/2 1/2"), 4, rules{})
	contains(t, "δ(log 1.9)", l.delta(e), "1/20")
	contains(t, "δ_T with j too high", l.upperFrom(e, 2), "0")
	contains(t, "δ_T", l.upper(e), "1/20")
	_, l = both(pairOf("1/2 1/2", "1/4 3/4"), 4, rules{})
	if d, up := l.delta(e), l.upperFrom(e, 0); !exceeds(d, up) || exceeds(d, l.upper(e)) {
		t.Errorf("δ = %s, with j too low %s, δ_T = %s", d, up, l.upper(e))
	}
	soundAt(t, pairOf("1 0", "1/2 1/2"), 4, nearLog2, "0.64")
	soundAt(t, pairOf("1/2 1/2", "1/4 3/4"), 4, nearLog2, "0.64")
	// ε on a border, known to a few bits only.
	leaf := leafOf(pair.Response{Eps: ratInt(1), Delta: rat("1/10")})
	r := compose2(leaf, leaf)
	exact := evaluate(r, 8, pair.RatLoss(rat("1/2")), rules{}, true)
	tree := r.tree(t.Context(), Shape{8, rat("1/2"), 61})
	for _, i := range []int64{-4, 0, 3, 4, 5} {
		eps := big.NewRat(i, 2)
		for _, slack := range []int{-2, -10, -70} {
			wide := func(p interval.Prec) interval.Interval {
				return interval.Union(p.Rat(new(big.Rat).Sub(eps, pow2(slack))), p.Rat(new(big.Rat).Add(eps, pow2(slack))))
			}
			lo, up, typical := tree.Lower(64, wide), tree.Upper(64, wide), tree.Typical(64, wide)
			if d := exact.delta(pair.RatLoss(eps)); exceeds(interval.Point(lo), d) || exceeds(d, interval.Point(up)) || exceeds(d, interval.Point(typical)) {
				t.Errorf("δ(%s ± 2^%d) = %s outside of [%s, %s]", eps.RatString(), slack, d, lo.Text('g', 20), up.Text('g', 20))
			}
		}
	}
}

// Definition 7's u at squarings, ⌈u₁/2⌉ + 1, is larger than need be.
func TestErratumSquaringU(t *testing.T) {
	leaf := pairOf("3/5 2/5", "2/5 3/5")
	for _, c := range []struct {
		r             *recipe
		printed, ours string
	}{
		{leaf, "1", "1"},
		{square(leaf), "2", "1"},
		{square(compose2(leaf, leaf)), "2", "3/2"},
		{square(square(leaf)), "2", "1"},
		{square(compose2(square(leaf), square(compose2(leaf, leaf)))), "3", "7/4"},
	} {
		printed, _ := both(c.r, 4, rules{printedU: true})
		tree := c.r.tree(t.Context(), Shape{4, nearLog2, 61})
		if printed.u.Cmp(rat(c.printed)) != 0 || tree.U().Cmp(rat(c.ours)) != 0 {
			t.Errorf("%s: printed u = %s, U = %s", c.r, printed.u.RatString(), tree.U().RatString())
		}
	}
}

// Lemma 7's proof has ι = ∞ for ι₁ + ι₂ ≥ n: bucket n is finite.
func TestErratumLastBucketIsFinite(t *testing.T) {
	leaf := leafOf(pair.Response{Eps: ratInt(1), Delta: new(big.Rat)})
	tree := compose2(leaf, leaf).tree(t.Context(), Shape{4, rat("1/2"), 61})
	if tree.b.at(4).Sign() == 0 || tree.known().Sign() != 0 || tree.open {
		t.Errorf("%v: B(4) = %s, B(∞) = %s", tree, tree.b.at(4), tree.Infinite(64))
	}
}

// The text of §5.1 has f^i < P_A/P_B ≤ f^(i+1) in bucket i, of which the bound of Definition
// 5 is below δ.
func TestErratumLaplaceBuckets(t *testing.T) {
	shape := Shape{6, rat("7/50"), 128}
	tree, ok := LaplaceLeaf(rat("7/10"), nil, shape)
	if !ok {
		t.Fatal("no leaf")
	}
	bound := func(shift int) interval.Interval { // Definition 5 at ε = 0
		sum := interval.Interval{}
		for i := 1; i <= 5; i++ {
			b := lit.Scale(lit.BigInt(tree.b.at(i+shift)), -128)
			sum = lit.Add(sum, lit.Mul(b, lit.Expm1(lit.Rat(times(-i, shape.Eta))).Neg()))
		}
		return sum
	}
	d := lit.Expm1(lit.Rat(rat("-7/20"))).Neg() // δ(0) = 1 − e^(−x/2)
	text, definition := bound(1), bound(0)
	if text.LessEqRat(rat("0.2506")) != interval.True || !exceeds(d, text) || exceeds(d, definition) {
		t.Errorf("δ(0) = %s, by the text %s, by Definition 4 %s", d, text, definition)
	}
	if up := tree.Upper(64, interval.RealRat(new(big.Rat))); exceeds(d, interval.Point(up)) {
		t.Errorf("Upper(0) = %s", up.Text('g', 20))
	}
}
