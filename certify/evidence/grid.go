// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/certify/evidence/statement"
	"dpverify/certify/evidence/vector"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

const (
	firstPoints = 64
	lastPoints  = 24_576
	maxVector   = 1 << 18
)

// mostFar is how large losses of Gaussians on a grid are at most: checkers have so many bits for what is e^loss as
// large.
const mostFar = 200

const (
	// latticeGap is what rounding may miss of δ on a lattice, in parts of it.
	latticeGap = 0x1p-72
	// maxLattice is the length of the vectors of a lattice.
	maxLattice = 4096
)

var errTooFine = errors.New("evidence: no grid of the sizes that are tried decides the claim")

// A fineness says how fine a grid is.
type fineness struct {
	points int // of the last vectors, about
	// The steps of leaves are 2^rough times as large as the steps for which each doubling of the copies adds the same
	// error: where single losses spread far, as in small samples, vectors of few copies are long else.
	rough int
	slack float64 // the error of a leaf between its kinks, in parts of that which its step makes
}

// solve returns the evidence that is least work to check, of the coarsest grids that decide for several finenesses: it
// goes on from one to the next, in each of three directions, as long as that makes less work.
func (t task) solve(ctx context.Context) (*grid, error) {
	for _, p := range t.parts {
		t.laws = append(t.laws, newLaw(p, t.direction))
	}
	t.tilt()
	if g, err := t.onLattice(ctx); g != nil || err != nil {
		return g, err
	}
	at := fineness{points: firstPoints, slack: 4}
	best, least, err := t.coarsest(ctx, &at, math.Inf(1))
	if err != nil {
		return nil, err
	} else if best == nil {
		return nil, errTooFine
	}
	const patience = 2 // steps in vain
	for _, move := range []func(f *fineness){
		func(f *fineness) { f.rough++ },
		func(f *fineness) { f.slack *= 4 },
		func(f *fineness) { f.slack /= 4 },
		func(f *fineness) { f.slack *= 2 },
		func(f *fineness) { f.slack /= 1.5 },
	} {
		next := at
		for vain := 0; vain < patience; {
			if move(&next); next.rough > t.levels() {
				break
			}
			next.points = max(firstPoints, next.points*3/4)
			g, work, err := t.coarsest(ctx, &next, least)
			if err != nil {
				return nil, err
			}
			if vain++; g != nil && work < least {
				best, least, at, vain = g, work, next, 0
			}
		}
	}
	return best, nil
}

// levels is how many levels the leaves have at most.
func (t task) levels() int {
	n := 0
	for _, p := range t.parts {
		n = max(n, levelsFor(p.Count, 1))
	}
	return n
}

// coarsest tries more and more points until the grid decides, and leaves them in f; nil
// if there are too many, or they are more work than there is a grid for. What is missing falls with their square.
func (t task) coarsest(ctx context.Context, f *fineness, most float64) (*grid, float64, error) {
	claimed := number.Float64(t.delta)
	for more := 0.; f.points <= lastPoints; f.points += int(float64(f.points)*math.Min(math.Max(more, 1./24), 1)) + 1 {
		b, bound, err := t.build(ctx, *f)
		if err != nil {
			return nil, 0, err
		}
		if more = 1. / 8; b == nil {
			continue
		}
		const margin = 1e-9 // of the float64 in which the bound is known
		if !t.lower && bound <= claimed*(1-margin) || t.lower && bound > claimed*(1+margin) {
			return b.grid, b.work, nil
		}
		if b.work > most {
			break
		}
		if ratio := (bound - t.truth) / (claimed - t.truth); t.truth > 0 && ratio > 1 {
			more = math.Sqrt(ratio) - 1
		}
	}
	return nil, 0, nil
}

// precision is how many bits masses have: rounding sums loses some units for each copy.
func (t task) precision(copies float64) uint {
	gap := t.gap
	if t.unit != nil {
		gap = latticeGap
	}
	b := 6 + math.Log2(copies) - math.Log2(number.Float64(t.delta)*gap)
	if t.lower { // a unit of Q-mass counts e^ε times
		b += math.Max(0, number.Float64(t.eps)) * math.Log2E
	}
	return uint(math.Min(math.Max(b, 24), 200))
}

// step chooses the last step: the step of the points over ±7 standard deviations, or one such that the
// first loss that is known exactly is on the grid.
func (t task) step(points int) *big.Rat {
	if t.unit != nil {
		return t.unit
	}
	target := 14 * math.Sqrt(t.variance) / float64(points)
	for _, p := range t.parts {
		e := exactLoss(p.Pair)
		if e == nil || e.Sign() == 0 {
			continue
		}
		scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(levelsFor(p.Count, 1))))
		m := math.Ceil(number.Float64(e) * number.Float64(scale) / target)
		return scale.Mul(scale, new(big.Rat).Quo(e, new(big.Rat).SetInt64(int64(m))))
	}
	fraction, exponent := math.Frexp(target)
	return new(big.Rat).Mul(big.NewRat(int64(math.Ceil(fraction*64)), 64), interval.Pow2(exponent))
}

// exactLoss is a loss of a pair that is rational; nil if none is known, or it is no end of the losses of a leaf.
func exactLoss(p statement.Pair) *big.Rat {
	switch p := p.(type) {
	case statement.Laplace:
		return p.Shift
	case statement.Clamped:
		return p.Noise.Shift
	case statement.Finite:
		loss, _ := p.Greatest()
		return loss
	}
	return nil
}

// build composes on a grid; nil if a vector would get too long.
func (t task) build(ctx context.Context, f fineness) (*builder, float64, error) {
	laws, copies := t.laws, 0.0
	for _, p := range t.parts {
		copies += float64(p.Count)
	}
	prec := t.precision(copies)
	step := t.step(f.points)
	if steps := new(big.Rat).Quo(t.eps, step); steps.Abs(steps).Cmp(interval.Pow2(49)) > 0 ||
		step.Cmp(interval.Pow2(12)) > 0 {
		return nil, 0, nil // more, or larger ones, than a checker takes
	}
	g := &grid{Bits: prec, Step: step.RatString(), last: step}
	b := &builder{task: t, grid: g, step: number.Float64(step)}
	var powers []power
	for i, p := range t.parts {
		levels := max(0, levelsFor(p.Count, 1)-f.rough)
		fine := new(big.Rat).Quo(step, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(levels))))
		tail := number.Float64(t.delta) * t.gap / copies * 0x1p-10
		at := laws[i].kinks(number.Float64(fine), tail,
			f.slack*math.Ldexp(1, 2*(levels-levelsFor(p.Count, 1)))/float64(f.points))
		if at == nil {
			return nil, 0, nil
		}
		l := leaf{Levels: levels}
		if t.lower {
			l.Index, l.Part, l.Threshold = groups(laws[i], fine, at)
		} else {
			l.Index, l.Mass = dominating(laws[i], fine, at, prec)
		}
		if len(l.Index) == 0 || slices.Max(l.Index)-slices.Min(l.Index) > maxSpan {
			return nil, 0, nil
		}
		if far := float64(max(slices.Max(l.Index), -slices.Min(l.Index))) * number.Float64(fine); far > mostFar &&
			isNormal(p.Pair) {
			return nil, 0, nil
		}
		g.Leaves = append(g.Leaves, l)
		b.work += float64(len(l.Index)) * gridEffort(p)
		known := true
		v := vector.New(vector.Leaf{Index: l.Index, Mass: l.Mass, Part: l.Part}, prec, func(k int) (x, y *big.Int) {
			p, q := laws[i].cell(l, k)
			if known = known && p.IsFinite() && q.IsFinite(); !known { // a threshold is too far out
				return new(big.Int), new(big.Int)
			}
			return interval.FloorScaled(p, prec+vector.MoreBits), interval.CeilScaled(q, prec+vector.MoreBits)
		})
		if !known {
			return nil, 0, nil
		}
		x, ok, err := b.power(ctx, i, v, levels, p.Count, placeOf(t.parts))
		if !ok || err != nil {
			return nil, 0, err
		}
		powers = append(powers, x)
	}
	return b.finish(ctx, powers)
}

// A builder writes the plan of a grid and follows it.
type builder struct {
	task
	*grid
	step float64
	work float64 // of checking it, in about microseconds
}

// gridEffort is what a kink or a cell costs to check.
func gridEffort(p *statement.Part) float64 {
	switch p := p.Pair.(type) {
	case statement.Mixture:
		return 30 + 15*float64(len(p.Bumps))
	case statement.Truncated:
		return 90
	case statement.Listed:
		return float64(2 + len(p.Outcomes(mechanism.Remove)))
	}
	if isNormal(p.Pair) {
		return 45
	}
	return 10
}

// isNormal reports that the noise of a pair is Gaussian.
func isNormal(p statement.Pair) bool {
	switch p := p.(type) {
	case statement.Sampled:
		return isNormal(p.Divisible)
	case statement.Gaussian, statement.Mirrored, statement.Mixture, statement.Truncated:
		return true
	}
	return false
}

// times composes, and counts the work.
func (b *builder) times(ctx context.Context, v, w *vector.Vector) (*vector.Vector, error) {
	n := float64(v.Len() + w.Len())
	b.work += 1250 * math.Pow(n*float64(b.Bits+6)/57/4000, 1.5)
	if v.Lower() {
		b.work += 1250 * math.Pow(n*float64(b.Bits+6)/57/4000, 1.5)
	}
	return v.Times(ctx, w)
}

// A power is the vector of all copies of a part, and the steps that make it.
type power struct {
	v    *vector.Vector
	plan []operation
	last *vector.Vector // still to be composed with v; nil if there is none
	log  float64        // of its moment generating function at the tilt
	tilt float64
}

// budgets are what may be cut off a product of c of count copies: P-mass at the upper end, where a unit is what
// rounding takes anyway, and at the lower end in parts of all that counts for δ.
func (b builder) budgets(c, count int64, weight func(int64) float64) (high, low float64, w func(int64) float64) {
	low = b.gap * 0x1p-6 * float64(c) / float64(count) / float64(1+bits.Len64(uint64(count))) / float64(len(b.parts))
	return math.Max(low*number.Float64(b.delta), 1.5*math.Ldexp(1, -int(b.Bits))), low, weight
}

// A place says whether a part of a product stands alone: then whoever sums does the last product.
type place int

const (
	onePart  place = iota // of several
	onlyPart              // the whole product
)

func placeOf[T any](parts []T) place {
	if len(parts) == 1 {
		return onlyPart
	}
	return onePart
}

// power squares and multiplies, by the binary digits of the count from the top, and doubles the
// step as it goes. Of an only part the last product is left to whoever sums.
func (b *builder) power(ctx context.Context, i int, v *vector.Vector, levels int, count int64, where place) (power,
	bool, error) {
	copies := make([]*vector.Vector, levels+1)
	copies[levels] = v
	for j := levels - 1; j >= 0; j-- {
		copies[j] = copies[j+1].Coarsen(math.Ldexp(b.step, -j-1))
	}
	out := power{v: v, log: float64(count) * b.laws[i].logM, tilt: b.laws[i].lambda}
	add := func(op string, x, y int) { out.plan = append(out.plan, operation{op, x, y}) }
	add("leaf", i, 0)
	level, c := levels, int64(1)
	coarsen := func(want int) {
		for ; level > want; level-- {
			out.v = out.v.Coarsen(math.Ldexp(b.step, -level))
			add("coarsen", 0, 0)
		}
	}
	settle := func() {
		b.work += float64(out.v.Len()) / 10
		lo, hi := out.v.Within(b.budgets(c, count, b.laws[i].weight(c, math.Ldexp(b.step, -level))))
		if b.unit != nil { // all counts, but what is so far that nothing that follows makes a difference
			far, first := b.laws[i].far, out.v.First()
			lo, hi = int(max(0, -2*far-first)), int(min(int64(out.v.Len()), 2*far-first+1))
		}
		if lo > 0 || hi < out.v.Len() {
			out.v = out.v.Cut(lo, hi)
			add("cut", lo, hi)
		}
		coarsen(levelsFor(count, c))
	}
	settle()
	for bit := bits.Len64(uint64(count)) - 2; bit >= 0; bit-- {
		odd := count>>bit&1 == 1
		if where == onlyPart && bit == 0 && !odd {
			coarsen(0)
			add("dup", 0, 0)
			out.last = out.v
			return out, true, nil
		}
		if out.v.Len() > maxVector {
			return out, false, nil
		}
		var err error
		add("dup", 0, 0)
		add("times", 0, 0)
		if out.v, err = b.times(ctx, out.v, out.v); err != nil {
			return out, false, err
		}
		c *= 2
		settle()
		if odd && where == onlyPart && bit == 0 {
			coarsen(0)
			add("leaf", i, levels)
			out.last = copies[0]
		} else if odd {
			add("leaf", i, levels-level)
			add("times", 0, 0)
			if out.v, err = b.times(ctx, out.v, copies[level]); err != nil {
				return out, false, err
			}
			c++
			settle()
		}
	}
	return out, true, nil
}

// finish multiplies the powers, the shortest first, until there are two.
func (b *builder) finish(ctx context.Context, powers []power) (*builder, float64, error) {
	for len(powers) > 2 {
		slices.SortStableFunc(powers, func(x, y power) int { return cmp.Compare(x.v.Len(), y.v.Len()) })
		x, y := powers[0], powers[1]
		if x.v.Len()+y.v.Len() > maxVector {
			return nil, 0, nil
		}
		v, err := b.times(ctx, x.v, y.v)
		if err != nil {
			return nil, 0, err
		}
		z := power{v: v, plan: append(slices.Concat(x.plan, y.plan), operation{Op: "times"}), log: x.log + y.log,
			tilt: x.tilt}
		weight := func(i int64) float64 { return math.Exp(z.tilt*b.step*float64(i) - z.log) }
		if lo, hi := v.Within(b.budgets(1, 2, weight)); lo > 0 || hi < v.Len() {
			z.v = v.Cut(lo, hi)
			z.plan = append(z.plan, operation{"cut", lo, hi})
		}
		powers = append([]power{z}, powers[2:]...)
	}
	for _, p := range powers {
		b.Plan = append(b.Plan, p.plan...)
	}
	v, w := powers[0].v, powers[0].last
	if len(powers) == 2 {
		w = powers[1].v
	}
	if w == nil { // one copy
		return nil, 0, nil
	}
	return b, vector.Delta(v, w, b.step, number.Float64(b.eps)), nil
}

// cell has the masses of a cell of the lower side, about as whoever reads it will compute them.
func (l law) cell(f leaf, k int) (p, q interval.Interval) {
	switch pair := l.part.Pair.(type) {
	case statement.Listed:
		m := pair.Outcomes(l.direction)[k]
		p, q = m.P.Interval(), m.Q.Interval()
	case statement.Divisible:
		x := statement.Between(pair, f.Threshold, k)
		p, q = x.P.Interval(), x.Q.Interval()
		if l.direction == mechanism.Add {
			p, q = q, p
		}
	}
	zero := interval.Int(0)
	return interval.Max(zero, p), interval.Max(zero, q)
}

// levelsFor is ⌈log2(k/c)/2⌉: c of k copies are composed, and the step shall be about the last
// one over √(k/c).
func levelsFor(k, c int64) int {
	ratio := (k + c - 1) / c
	return (bits.Len64(uint64(ratio-1)) + 1) / 2
}

// onLattice is the evidence of a composition of finite pairs whose losses are multiples of one number, on the grid with
// that step: but for the rounding of masses, it shows δ itself. It is nil where there is no such number, or vectors get
// long.
func (t task) onLattice(ctx context.Context) (*grid, error) {
	if t.delta.Sign() <= 0 || !t.distinct {
		return nil, nil
	}
	if t.unit = t.lattice(); t.unit == nil {
		return nil, nil
	}
	b, _, err := t.build(ctx, fineness{points: 1, rough: math.MaxInt16, slack: 1})
	if err != nil || b == nil {
		for i := range t.laws {
			t.laws[i].far = 0
		}
		return nil, err
	}
	return b.grid, nil
}

// exactly is the same for what the checker might write out, too: others have no formula for that.
func (t task) exactly(ctx context.Context) (*grid, error) {
	for _, p := range t.parts {
		t.laws = append(t.laws, newLaw(p, t.direction))
	}
	t.tilt()
	return t.onLattice(ctx)
}

// lattice is the number whose multiples all losses are, nil if none is known, or a vector would be longer than
// maxLattice. It tells the laws where infinite losses go: what is added to them there is never too little.
func (t task) lattice() *big.Rat {
	var unit *big.Rat
	for i, p := range t.parts {
		loss := exactLoss(p.Pair)
		if _, ok := p.Pair.(statement.Finite); !ok || loss == nil || loss.Sign() <= 0 {
			return nil
		}
		for pieces := int64(1); ; pieces++ { // of the greatest loss
			u := new(big.Rat).Quo(loss, new(big.Rat).SetInt64(pieces))
			if t.laws[i].multiples(number.Float64(u)) {
				unit = common(unit, u)
				break
			} else if pieces == 64 {
				return nil
			}
		}
	}
	most := 0.
	for i, p := range t.parts {
		for _, x := range t.laws[i].x {
			if !math.IsInf(x, 0) {
				most = math.Max(most, float64(p.Count)*math.Abs(x)/number.Float64(unit))
			}
		}
	}
	if far := most + math.Max(0, number.Float64(t.eps)/number.Float64(unit)) + 2; far < maxLattice/2 {
		for i := range t.laws {
			t.laws[i].far = int64(far)
		}
		return unit
	}
	return nil
}

// multiples reports that all finite losses are multiples of a number.
func (l law) multiples(unit float64) bool {
	for _, x := range l.x {
		if n := x / unit; !math.IsInf(x, 0) && math.Abs(n-math.Round(n)) > 1e-9 {
			return false
		}
	}
	return true
}

// common is the largest number that both are multiples of; y where x is nil.
func common(x, y *big.Rat) *big.Rat {
	if x == nil {
		return y
	}
	n := new(big.Int).GCD(nil, nil, new(big.Int).Mul(x.Num(), y.Denom()), new(big.Int).Mul(y.Num(), x.Denom()))
	return new(big.Rat).SetFrac(n, new(big.Int).Mul(x.Denom(), y.Denom()))
}
