// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// lit is the precision of literal evaluation.
const lit = interval.Prec(320)

// A recipe is a composition tree that has not been evaluated (Definition 3).
type recipe struct {
	leaf        []pair.Outcome // of a leaf
	name        string         // of a leaf
	left, right *recipe        // of a composition; left only, of a squaring
}

func leafOf(x pair.Pair) *recipe {
	os, _, ok := x.Outcomes(lit+64, 64)
	if !ok {
		panic("not a small pair: " + x.String())
	}
	return &recipe{leaf: os, name: x.String()}
}

// pairOf is the leaf of two lists of rational masses.
func pairOf(a, b string) *recipe { return leafOf(pair.NewFinite(ratList(a), ratList(b))) }

func compose2(l, r *recipe) *recipe { return &recipe{left: l, right: r} }
func square(l *recipe) *recipe      { return &recipe{left: l} }

// squarings counts the squarings on the path to any leaf, which agree in a valid tree.
func (r *recipe) squarings() int {
	switch {
	case r.leaf != nil:
		return 0
	case r.right == nil:
		return 1 + r.left.squarings()
	}
	return r.left.squarings()
}

// events counts the atomic events.
func (r *recipe) events() int {
	switch {
	case r.leaf != nil:
		return len(r.leaf)
	case r.right == nil:
		return r.left.events()
	}
	return r.left.events() * r.right.events()
}

func (r *recipe) String() string {
	switch {
	case r.leaf != nil:
		return r.name
	case r.right == nil:
		return "sq[" + r.left.String() + "]"
	}
	return "(" + r.left.String() + " × " + r.right.String() + ")"
}

// rules are the places where the paper's rules are wrong, or other than ours. The
// zero value stands for the corrected rules.
type rules struct {
	printedSquaring bool // Definition 4: bucket −n is lost when squaring
	printedVirtual  bool // Definition 7: the virtual EC term at −n is the term of index j + k
	printedU        bool // Definition 7: u = ⌈u₁/2⌉ + 1 when squaring
	realIsVirtual   bool // ℓ = ℓ̃
	noU             bool // u = 0: EC terms for every event
	shiftedBuckets  bool // §5.1: bucket i is f^i < P_A/P_B ≤ f^(i+1)
}

// An atom is an atomic event, with the terms of Definition 8.
type atom struct {
	a, b      interval.Interval // P_A, P_B
	loss      pair.Loss         // unless certain or never
	certain   bool              // P_B = 0: loss ∞
	never     bool              // P_A = 0: loss −∞
	index     int               // n+1 for ∞
	real, err interval.Interval // ℓ*, ℓ̃*
	// misplaced is D(x)/log f of this package, which is not in the paper.
	misplaced interval.Interval
}

// A literal is a composition tree evaluated by Definitions 3 to 9, in O(n²) and by
// events, in enclosures. It is the specification of Tree.
type literal struct {
	rules
	n    int
	logf pair.Loss // of the factor
	u    *big.Rat
	// Indices are i + n, and 2n + 1 for ∞.
	b, real, virtual []interval.Interval
	atoms            []atom
}

func zeros(n int) []interval.Interval { return make([]interval.Interval, n) }

// power returns f^i.
func (t *literal) power(i int) interval.Interval {
	return lit.Exp(t.logf.Times(int64(i)).Enclose(lit))
}

// compareLoss compares two losses exactly.
func compareLoss(a, b pair.Loss) int { return a.Add(b.Neg()).Cmp(new(big.Rat)) }

// evaluate evaluates a recipe, with events of P_A = 0 or without.
func evaluate(r *recipe, n int, logf pair.Loss, rs rules, impossible bool) *literal {
	t := &literal{rules: rs, n: n, logf: logf, b: zeros(2*n + 2), real: zeros(2*n + 2), virtual: zeros(2*n + 2)}
	switch {
	case r.leaf != nil:
		t.evaluateLeaf(r.leaf, impossible)
	case r.right == nil:
		t.evaluateSquare(evaluate(r.left, n, logf, rs, impossible))
	default:
		l1 := evaluate(r.left, n, logf, rs, impossible)
		l2 := l1
		if r.right != r.left {
			l2 = evaluate(r.right, n, logf, rs, impossible)
		}
		t.evaluateCompose(l1, l2)
	}
	return t
}

// at returns slot i of a vector; ∞ is n + 1.
func (t *literal) at(v []interval.Interval, i int) interval.Interval { return v[i+t.n] }

func (t *literal) add(v []interval.Interval, i int, x interval.Interval) {
	v[i+t.n] = lit.Add(v[i+t.n], x)
}

// evaluateLeaf: Definitions 4, 6 and 7, with P_A ≤ f^i·P_B decided exactly.
func (t *literal) evaluateLeaf(os []pair.Outcome, impossible bool) {
	n := t.n
	t.u = big.NewRat(1, 1)
	if t.noU {
		t.u = new(big.Rat)
	}
	for _, o := range os {
		x := atom{a: o.P, b: o.Q, loss: o.Loss, certain: o.Q.IsZero(), never: o.P.IsZero()}
		if x.never && !impossible {
			continue
		}
		switch {
		case x.certain:
			x.index = n + 1
		case x.never:
			x.index = -n
		default:
			shift := 0
			if t.shiftedBuckets {
				shift = 1
			}
			x.index = -n
			for x.index <= n && compareLoss(x.loss, t.logf.Times(int64(x.index+shift))) > 0 {
				x.index++
			}
		}
		if x.index <= n {
			x.err = lit.Sub(x.b, lit.Div(x.a, t.power(x.index)))
			if x.index > -n || t.realIsVirtual {
				x.real = x.err
			}
			if x.index > -n && !x.never {
				x.misplaced = lit.Sub(interval.Int(int64(x.index)), lit.Div(x.loss.Enclose(lit), t.logf.Enclose(lit)))
			}
		}
		t.add(t.b, x.index, x.a)
		t.add(t.virtual, x.index, x.err)
		t.add(t.real, x.index, x.real)
		t.atoms = append(t.atoms, x)
	}
}

// evaluateCompose: Definitions 4, 6, 7 and 8, with the correction of ℓ̃(−n).
func (t *literal) evaluateCompose(t1, t2 *literal) {
	n := t.n
	if compareLoss(t1.logf, t2.logf) != 0 {
		panic("an invalid tree")
	}
	t.logf, t.u = t1.logf, new(big.Rat).Add(t1.u, t2.u)
	inverse := make(map[int]interval.Interval)
	for i := -2 * n; i <= 2*n; i++ {
		inverse[i] = t.power(-i)
	}
	v := func(b1, b2 interval.Interval, j, k int, x, y interval.Interval) interval.Interval {
		return lit.Add(lit.Add(lit.Mul(lit.Mul(b1, inverse[j]), y), lit.Mul(lit.Mul(b2, inverse[k]), x)), lit.Mul(x, y))
	}
	clipped := func(b1, b2 interval.Interval, s int) interval.Interval {
		return lit.Mul(lit.Mul(b1, b2), lit.Sub(inverse[s], inverse[-n]))
	}
	for j := -n; j <= n+1; j++ {
		for k := -n; k <= n+1; k++ {
			b1, b2 := t.at(t1.b, j), t.at(t2.b, k)
			b := lit.Mul(b1, b2)
			if j > n || k > n || j+k > n {
				t.add(t.b, n+1, b)
				continue
			}
			i := max(j+k, -n)
			t.add(t.b, i, b)
			t.add(t.virtual, i, v(b1, b2, j, k, t.at(t1.virtual, j), t.at(t2.virtual, k)))
			if i == -n && !t.printedVirtual {
				t.add(t.virtual, i, clipped(b1, b2, j+k))
			}
			if i > -n || t.realIsVirtual {
				t.add(t.real, i, v(b1, b2, j, k, t.at(t1.real, j), t.at(t2.real, k)))
				if i == -n {
					t.add(t.real, i, clipped(b1, b2, j+k))
				}
			}
		}
	}
	for _, x1 := range t1.atoms {
		for _, x2 := range t2.atoms {
			x := atom{
				a: lit.Mul(x1.a, x2.a), b: lit.Mul(x1.b, x2.b), index: x1.index + x2.index,
				certain: x1.certain || x2.certain, never: x1.never || x2.never,
				misplaced: lit.Add(x1.misplaced, x2.misplaced),
			}
			if !x.certain && !x.never {
				x.loss = x1.loss.Add(x2.loss)
			}
			if x1.index > n || x2.index > n || x.index > n {
				x.index = n + 1
			} else {
				s := x.index
				x.index = max(s, -n)
				x.err = v(x1.a, x2.a, x1.index, x2.index, x1.err, x2.err)
				if x.index == -n && !t.printedVirtual {
					x.err = lit.Add(x.err, clipped(x1.a, x2.a, s))
				}
				if x.index > -n {
					x.real = v(x1.a, x2.a, x1.index, x2.index, x1.real, x2.real)
				} else if t.realIsVirtual {
					x.real = x.err
				}
			}
			t.atoms = append(t.atoms, x)
		}
	}
}

// evaluateSquare: Definitions 4, 6, 7 and 8, with the case i = −n/2 of Definition 4.
func (t *literal) evaluateSquare(t1 *literal) {
	n := t.n
	t.logf = t1.logf.Times(2)
	t.u = new(big.Rat).Mul(new(big.Rat).Add(t1.u, ratInt(1)), big.NewRat(1, 2))
	if t.noU {
		t.u = new(big.Rat)
	} else if t.printedU {
		half := new(big.Rat).Mul(t1.u, big.NewRat(1, 2))
		t.u = ratInt(int64(ceilQuo(half, ratInt(1), 0, 1<<30)) + 1)
	}
	step := func(i int) interval.Interval { return lit.Sub(t1.power(1-2*i), t1.power(-2*i)) }
	spread := func(i int, x []interval.Interval) interval.Interval { // W(i, x)
		return lit.Add(lit.Add(t.at(x, 2*i-1), lit.Mul(t.at(t1.b, 2*i-1), step(i))), t.at(x, 2*i))
	}
	for i := -n/2 + 1; i <= n/2; i++ {
		t.add(t.b, i, lit.Add(t.at(t1.b, 2*i-1), t.at(t1.b, 2*i)))
		t.add(t.virtual, i, spread(i, t1.virtual))
		t.add(t.real, i, spread(i, t1.real))
	}
	if !t.printedSquaring {
		t.add(t.b, -n/2, t.at(t1.b, -n))
	}
	t.add(t.virtual, -n/2, t.at(t1.virtual, -n))
	if t.realIsVirtual {
		t.add(t.real, -n/2, t.at(t1.real, -n))
	}
	t.add(t.b, n+1, t.at(t1.b, n+1))
	for _, x := range t1.atoms {
		if old := x.index; old <= n {
			x.index = ceilHalf(old)
			if old&1 != 0 {
				more := lit.Mul(x.a, step(x.index))
				x.err, x.real = lit.Add(x.err, more), lit.Add(x.real, more)
				x.misplaced = lit.Add(x.misplaced, interval.Int(1))
			}
		}
		x.misplaced = lit.Scale(x.misplaced, -1)
		t.atoms = append(t.atoms, x)
	}
}

// least returns the least integer j with f^(j−s) ≥ e^ε, brought into [−n, n+1], decided
// exactly.
func (t *literal) least(eps pair.Loss, s *big.Rat) int {
	d := s.Denom().Int64()
	for j := -t.n; j <= t.n; j++ {
		// (j − s)·log f ≥ ε
		m := new(big.Rat).Sub(ratInt(int64(j)), s)
		if compareLoss(t.logf.Times(m.Mul(m, ratInt(d)).Num().Int64()), eps.Times(d)) >= 0 {
			return j
		}
	}
	return t.n + 1
}

// upper is Definition 9, for any real ε.
func (t *literal) upper(eps pair.Loss) interval.Interval {
	return t.upperFrom(eps, t.least(eps, new(big.Rat)))
}

// upperFrom is upper with a given j_ε.
func (t *literal) upperFrom(eps pair.Loss, j int) interval.Interval {
	e := lit.Exp(eps.Enclose(lit))
	k := max(j, t.least(eps, t.u))
	sum := t.at(t.b, t.n+1)
	for i := j; i <= t.n; i++ {
		q := lit.Div(t.at(t.b, i), t.power(i))
		if i >= k {
			q = lit.Add(q, t.at(t.real, i))
		}
		sum = lit.Add(sum, lit.Sub(t.at(t.b, i), lit.Mul(e, q)))
	}
	return sum
}

// massB is B(i)/f^i + ℓ̃(i), 0 for ∞.
func (t *literal) massB(i int) interval.Interval {
	if i > t.n {
		return interval.Interval{}
	}
	return lit.Add(lit.Div(t.at(t.b, i), t.power(i)), t.at(t.virtual, i))
}

// lower is Theorem 2's δ_low in one direction, for any real ε.
func (t *literal) lower(eps pair.Loss) interval.Interval {
	e := lit.Exp(eps.Enclose(lit))
	sum := interval.Interval{}
	for i := t.least(eps, new(big.Rat)); i <= t.n; i++ {
		sum = lit.Add(sum, interval.Max(interval.Interval{}, lit.Sub(t.at(t.b, i), lit.Mul(e, t.massB(i)))))
	}
	return sum
}

// lowerAll is lower with all buckets, ∞ too, whose P_B-mass is what others lack to 1:
// for trees with impossible events.
func (t *literal) lowerAll(eps pair.Loss) interval.Interval {
	e := lit.Exp(eps.Enclose(lit))
	sum, rest := interval.Interval{}, interval.Int(1)
	gain := func(i int, q interval.Interval) {
		sum = lit.Add(sum, interval.Max(interval.Interval{}, lit.Sub(t.at(t.b, i), lit.Mul(e, q))))
	}
	for i := -t.n; i <= t.n; i++ {
		q := t.massB(i)
		gain(i, q)
		rest = lit.Sub(rest, q)
	}
	gain(t.n+1, rest)
	return sum
}

// delta is δ(ε) = Σ_x max(0, P_A(x) − e^ε·P_B(x)), by events.
func (t *literal) delta(eps pair.Loss) interval.Interval {
	e := lit.Exp(eps.Enclose(lit))
	sum := interval.Interval{}
	for _, x := range t.atoms {
		sum = lit.Add(sum, interval.Max(interval.Interval{}, lit.Sub(x.a, lit.Mul(e, x.b))))
	}
	return sum
}

// composed is compose, with nothing spent.
func composed(ctx context.Context, t1, t2 *Tree) (*Tree, error) {
	return compose(ctx, t1, t2, overflow(t1.b, t2.b, t1.n), false)
}

// tree evaluates a recipe by Leaf, compose and Square.
func (r *recipe) tree(ctx testContext, s Shape) *Tree {
	switch {
	case r.leaf != nil:
		return OutcomesLeaf(r.leaf, true, s)
	case r.right == nil:
		return Square(r.left.tree(ctx, s))
	}
	t1 := r.left.tree(ctx, s)
	t2 := t1
	if r.right != r.left {
		t2 = r.right.tree(ctx, s)
	}
	t, err := composed(ctx, t1, t2)
	if err != nil {
		panic(err)
	}
	return t
}

// A trial is a random composition tree with a shape, and ε to ask about.
type trial struct {
	*recipe
	shape Shape
	eps   []*big.Rat
}

func (c trial) String() string {
	return fmt.Sprintf("%s with n = %d, η = %s, %d bits", c.recipe, c.shape.N, c.shape.Eta.RatString(), c.shape.Prec)
}

var precisions = []uint{2, 3, 4, 8, 16, 24, 53, 63, 64}

// drawTrial draws trees of at most so many atomic events.
func drawTrial(r *rand.Rand, events int) trial {
	etas := []string{"1", "1/2", "1/10", "7/10", "1/3", "2", "3602879701896397/36028797018963968"}
	c := trial{shape: Shape{N: 2 * (1 + r.Intn(4)), Eta: rat(etas[r.Intn(len(etas))]), Prec: precisions[r.Intn(len(precisions))]}}
	parts := []*recipe{drawLeaf(r, c.shape.Eta), drawLeaf(r, c.shape.Eta)}
	for range 2 + r.Intn(6) {
		i, j := r.Intn(len(parts)), r.Intn(len(parts))
		x, y := parts[i], parts[j]
		var z *recipe
		switch r.Intn(4) {
		case 0:
			z = square(x)
		case 1:
			z = compose2(x, x)
		case 2:
			z = drawLeaf(r, c.shape.Eta)
		default:
			for x.squarings() < y.squarings() {
				x = square(x)
			}
			for y.squarings() < x.squarings() {
				y = square(y)
			}
			z = compose2(x, y)
		}
		if z.events() <= events && z.squarings() <= 4 {
			parts = append(parts, z)
		}
	}
	c.recipe = parts[len(parts)-1]
	f := new(big.Rat).Mul(c.shape.Eta, ratInt(1<<c.squarings()))
	for range 3 {
		// on a border, next to one, and anywhere
		x := new(big.Rat).Mul(f, ratInt(int64(r.Intn(2*c.shape.N+5)-c.shape.N-2)))
		switch r.Intn(3) {
		case 0:
			x.Add(x, big.NewRat(int64(1-2*r.Intn(2)), 1<<40))
		case 1:
			x.Add(x, new(big.Rat).Mul(f, big.NewRat(int64(r.Intn(100)), 100)))
		}
		c.eps = append(c.eps, x)
	}
	return c
}

// drawLeaf draws pairs of all kinds: free ones, with disjoint parts, with equal
// ratios, self-dual, and with ratios exactly on borders of buckets.
func drawLeaf(r *rand.Rand, eta *big.Rat) *recipe {
	if r.Intn(4) == 0 {
		deltas := []string{"0", "0", "1/10", "1/3", "1"}
		eps := new(big.Rat).Mul(eta, big.NewRat(int64(r.Intn(12)), int64(1+r.Intn(2))))
		if r.Intn(3) == 0 {
			return leafOf(pair.DiscreteLaplace{A: new(big.Rat).Add(eta, new(big.Rat)), Sensitivity: int64(1 + r.Intn(3))})
		}
		return leafOf(pair.Response{Eps: eps, Delta: rat(deltas[r.Intn(len(deltas))])})
	}
	weights := []string{"0", "1", "1/3", "1/10", "2", "100", "1/1024", "1/1000000", "7", "5/3"}
	k := 1 + r.Intn(3)
	for {
		p, q := make([]*big.Rat, k), make([]*big.Rat, k)
		for i := range p {
			p[i], q[i] = rat(weights[r.Intn(len(weights))]), rat(weights[r.Intn(len(weights))])
		}
		switch r.Intn(4) {
		case 0:
			for i := range q {
				q[i] = p[k-1-i]
			}
		case 1:
			for i := range q {
				if r.Intn(2) == 0 {
					q[i] = new(big.Rat)
				}
			}
		}
		if normalise(p) && normalise(q) {
			return leafOf(pair.NewFinite(p, q))
		}
	}
}

// normalise divides by the sum, unless it is 0.
func normalise(xs []*big.Rat) bool {
	sum := new(big.Rat)
	for _, x := range xs {
		sum.Add(sum, x)
	}
	if sum.Sign() == 0 {
		return false
	}
	for i := range xs {
		xs[i] = new(big.Rat).Quo(xs[i], sum)
	}
	return true
}

// exceeds reports that x is provably above y.
func exceeds(x, y interval.Interval) bool { return y.Less(x) == interval.True }

// overlap reports that two enclosures have a common point, and are narrow.
func overlap(x, y interval.Interval) bool {
	z, ok := interval.Intersect(x, y)
	narrow := func(x interval.Interval) bool {
		return lit.Sub(interval.Point(x.Hi()), interval.Point(x.Lo())).LessEqRat(pow2(-200)) == interval.True
	}
	return ok && !slices.ContainsFunc([]interval.Interval{x, y, z}, func(x interval.Interval) bool { return !narrow(x) })
}
