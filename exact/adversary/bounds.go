// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// Bounds are of the profile of a composition.
type Bounds struct {
	grid         grid
	upper, lower *side // nil where nothing is bounded
	reach        losses
}

// Solve bounds the profile of a composition. It reports false where the pairs are not known well enough, or do not fit
// the grid.
func Solve(ctx context.Context, p Problem, set Settings) (*Bounds, bool, error) {
	need := int64(set.Length) * 16 * int64(8+2*len(p.Above)+2*len(p.Below))
	if p.Records != nil {
		need += int64(set.Length) * 192 * RecordMoves
	}
	if err := convolve.CheckMemory(ctx, need); err != nil {
		return nil, false, err
	}
	s := solver{set: set, known: make(map[*Pair]*values)}
	ok, err := s.plan(ctx, &p)
	if !ok || err != nil {
		return nil, false, err
	}
	b := &Bounds{grid: s.grid, reach: s.all}
	if len(p.Above) > 0 || p.Records != nil {
		if b.upper, err = s.above(ctx, &p); err != nil {
			return nil, false, err
		}
	}
	if len(p.Below) > 0 || p.Ends != nil {
		if b.lower, err = s.below(ctx, &p); err != nil {
			return nil, false, err
		}
	}
	return b, b.upper != nil || b.lower != nil, nil
}

// above runs the induction from above. It returns nil where a pair has no table.
func (s *solver) above(ctx context.Context, p *Problem) (*side, error) {
	phases := []phase{{}}
	if p.Records != nil {
		var err error
		if phases, err = s.records(ctx, p.Records, p.Steps); err != nil || phases == nil {
			return nil, err
		}
	}
	for _, x := range p.Above {
		v, err := s.values(ctx, x)
		if err != nil {
			return nil, err
		}
		t := v.above()
		if !s.grid.fits(t) {
			return nil, nil
		}
		for i := range phases {
			phases[i].near = append(phases[i].near, s.grid.above(t))
		}
	}
	out := s.grid.newSide(true)
	done := int64(0) // wherever phases are said to begin, they have all steps together
	for i, x := range phases {
		until := p.Steps
		if i+1 < len(phases) {
			until = min(max(phases[i+1].from, done), until)
		}
		if err := out.steps(ctx, s.grid.family(x.near).with(&s.grid, x.far), until-done); err != nil {
			return nil, err
		}
		done = until
	}
	if p.Before == nil {
		return out, nil
	}
	v, err := s.values(ctx, p.Before)
	if err != nil {
		return nil, err
	}
	t := v.above()
	if !s.grid.fits(t) {
		return nil, nil
	}
	out.step(s.grid.family([]*move{s.grid.above(t)}))
	return out, nil
}

// below runs it from below, without the pairs that have no table.
func (s *solver) below(ctx context.Context, p *Problem) (*side, error) {
	table := func(x *Pair) (*move, error) {
		v, err := s.values(ctx, x)
		if err != nil {
			return nil, err
		}
		least := x.Infinite
		if least == nil {
			least = new(big.Rat)
		}
		t, ok := v.below(least, s.set.Cut)
		if !ok || !s.grid.fits(t) {
			return nil, nil
		}
		return s.grid.below(t), nil
	}
	var moves []*move
	var labels []int
	for i, x := range p.Below {
		m, err := table(x)
		if err != nil {
			return nil, err
		}
		if m != nil {
			moves, labels = append(moves, m), append(labels, i)
		}
	}
	if p.Ends != nil {
		for i, second := range []bool{false, true} {
			if t := p.Ends.gathered(s.grid.delta, s.set.Cut, second); s.grid.fits(t) {
				moves, labels = append(moves, s.grid.below(t)), append(labels, len(p.Below)+i)
			}
		}
	}
	if len(moves) == 0 {
		return nil, nil
	}
	out := s.grid.newSide(false)
	if p.After != nil {
		m, err := table(p.After)
		if m == nil || err != nil {
			return nil, err
		}
		out.step(s.grid.family([]*move{m}))
	}
	if s.set.Policy {
		out.kept = &recorder{labels: labels}
	}
	return out, out.steps(ctx, s.grid.family(moves), p.Steps)
}

// Above is the upper bound: [0, u].
func (b *Bounds) Above(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	if b.upper == nil {
		return profile.Unit(), nil
	}
	return interval.Union(interval.Int(0), interval.Min(interval.Int(1), b.chord(p, eps))), nil
}

// chord is the chord of the upper values at ε: V is convex.
func (b *Bounds) chord(p interval.Prec, eps interval.Real) interval.Interval {
	w := max(p, 64)
	x := eps(w)
	i, ok := b.grid.before(x)
	switch {
	case !ok:
		return interval.Int(1)
	case i == b.grid.n-1:
		return b.upper.at(i).Exact().Upper()
	}
	lo, hi := b.upper.at(i).Exact().Upper(), b.upper.at(i+1).Exact().Upper()
	at := interval.Clamp(w.Div(w.Expm1(w.Sub(x, b.grid.point(i))), w.Expm1(double.Exactly(b.grid.delta))), 0, 1)
	return w.Sub(lo, w.Mul(at, w.Sub(lo, hi))).Upper()
}

// Below is the lower bound: [l, 1]. V falls, so that it is at least its value at the next point; and as it is convex,
// it is steeper before that than from there to any later one.
func (b *Bounds) Below(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	if b.lower == nil {
		return profile.Unit(), nil
	}
	w := max(p, 64)
	x := eps(w)
	i, ok := b.grid.after(x)
	if !ok {
		return profile.Unit(), nil
	}
	least := max(b.lower.at(i).Lo, 0)
	slope := interval.Int(0)
	if b.upper != nil {
		for r := 1; r <= 64 && i+r < b.grid.n; r++ {
			fall := w.Sub(double.Exactly(least), b.upper.at(i+r).Exact().Upper())
			slope = interval.Max(slope, w.Div(fall, w.Expm1(w.Mul(interval.Int(int64(r)), double.Exactly(b.grid.delta)))))
		}
	}
	ahead := interval.Max(interval.Int(0), w.Expm1(w.Sub(x, b.grid.point(i))).Neg())
	y := w.Add(double.Exactly(least), w.Mul(ahead, slope))
	return interval.Bounds(interval.Min(y, interval.Int(1)).Lo(), interval.Int(1).Hi()), nil
}

// point is point i, exactly.
func (g *grid) point(i int) interval.Interval {
	return interval.Prec(128).Mul(double.Exactly(g.delta), interval.Int(int64(g.first+i)))
}

// near is about the number of a point at x.
func (g *grid) near(x float64) int {
	return int(min(max(math.Floor(x/g.delta)-float64(g.first), -2), float64(g.n)+2))
}

// before returns a point that is certainly not after x, the last one but for rounding. It reports false if there is
// none.
func (g *grid) before(x interval.Interval) (int, bool) {
	for i := min(g.near(double.Of(x).Lo)+1, g.n-1); i >= 0; i-- {
		if g.point(i).LessEq(x.Lower()) == interval.True {
			return i, true
		}
	}
	return 0, false
}

// after returns a point that is certainly not before x, the first one but for rounding. It reports false if there is
// none.
func (g *grid) after(x interval.Interval) (int, bool) {
	for i := max(g.near(double.Of(x).Hi)-1, 0); i < g.n; i++ {
		if x.Upper().LessEq(g.point(i)) == interval.True {
			return i, true
		}
	}
	return 0, false
}
