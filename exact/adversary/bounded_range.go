// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// A BoundedRange is V of steps each of which is any pair whose losses are in [t − x, t], t chosen in view of earlier
// outputs, such as the exponential mechanism with ε = x. See docs/theorems.md, *Chosen steps of bounded range*. Ratios
// are on a grid with x = cells·Δ.
type BoundedRange struct {
	delta        *big.Rat
	first, cells int
	above, below []float64
}

// NewBoundedRange runs the induction over so many steps, on ratios e^ε for −lo ≤ ε ≤ hi and a little more.
func NewBoundedRange(ctx context.Context, x *big.Rat, steps int64, cells int, lo, hi float64) (*BoundedRange, error) {
	b := &BoundedRange{delta: new(big.Rat).Quo(x, big.NewRat(int64(cells), 1)), cells: cells}
	width := double.Of(wide.Rat(b.delta)).Mid()
	b.first = -int(lo/width) - 1
	n := int(hi/width) + 2 - b.first
	s := b.start(n)
	for range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.step()
	}
	b.above, b.below = s.above[cells:cells+n], s.below[cells:cells+n]
	return b, nil
}

// wide is the precision of constants.
const wide = interval.Prec(96)

// ranges are the two sides at the points of a grid, with as many before and after them as a step reaches: there V ≤ 1
// and V ≥ 1 − α, and V is at most its last value and at least 0. There is room for the next values, and for the
// corrections of a step.
type ranges struct {
	cells, n                int
	above, below, up, down  []float64
	far, near               []float64
	most, rest, least, left []float64 // the P-masses of the upper and the lower loss, rounded up and down
	growth                  []float64 // e^(iΔ), rounded up
	spread                  float64   // 1/(e^Δ − 1)
	bend, slope, rho        float64   // Δ²/8·1/(ρ − 1), e^Δ, and ρ = e^x, rounded up
}

func (b *BoundedRange) start(n int) *ranges {
	m := n + 2*b.cells
	s := &ranges{cells: b.cells, n: n}
	for _, v := range []*[]float64{&s.above, &s.below, &s.up, &s.down, &s.far, &s.near} {
		*v = make([]float64, m)
	}
	one := interval.Int(1)
	point := func(k int) interval.Interval { return wide.Mul(wide.Rat(b.delta), interval.Int(int64(k))) }
	for i := range m {
		v := double.Of(wide.Expm1(point(b.first + i - b.cells)).Neg()).AtLeastZero()
		s.above[i], s.below[i] = v.Hi, v.Lo
		if i < b.cells {
			s.above[i] = 1
		}
	}
	all := wide.Expm1(point(-b.cells))
	for i := range b.cells + 1 {
		p := wide.Div(wide.Expm1(point(i-b.cells)), all)
		high, low := double.Of(p), double.Of(wide.Sub(one, p)).AtLeastZero()
		s.most, s.rest = append(s.most, high.Hi), append(s.rest, low.Hi)
		s.least, s.left = append(s.least, max(high.Lo, 0)), append(s.left, low.Lo)
		s.growth = append(s.growth, double.Of(wide.Exp(point(i))).Hi)
	}
	copy(s.up, s.above)
	copy(s.down, s.below)
	s.spread = double.Of(wide.Inv(wide.Expm1(point(1)))).Hi
	square := wide.Scale(wide.Mul(point(1), point(1)), -3)
	s.bend = double.Of(wide.Div(square, wide.Expm1(point(b.cells)))).Hi
	s.slope, s.rho = s.growth[1], s.growth[b.cells]
	return s
}

// step replaces V by the greatest chord over x: from above with what is between points, from below at points.
//
// Of V that is linear between points, its chord from y to ρy has at α the value A·y + B + C/y while y and ρy are
// between points. In log y that is at most at one of the ends and Δ²/8 of the greatest |A|·y + |C|/y more.
func (s *ranges) step() {
	v, c := s.above, s.cells
	for j := range len(v) - c - 1 {
		fall, later := v[j]-v[j+1], v[j+c]-v[j+c+1]
		a := math.Abs(float64(s.rho*fall)-later) + float64(0x1p-50*(float64(s.rho*math.Abs(fall))+math.Abs(later)))
		d := float64(s.spread * (fall - later))
		e := math.Abs(v[j]-v[j+c]+d) + float64(0x1p-50*(v[j]+v[j+c]+float64(s.spread*(math.Abs(fall)+math.Abs(later)))))
		s.far[j] = float64(float64(s.bend*s.spread)*float64(a*s.slope)) * (1 + slack)
		s.near[j] = float64(s.bend*e) * (1 + slack)
	}
	for m := c; m < c+s.n; m++ {
		most, least, before := 0.0, s.down[m], 0.0
		for i := range c + 1 {
			j := m - i
			after := 0.0
			if i < c {
				after = s.far[j-1] + float64(s.near[j-1]*s.growth[i+1])
			}
			x := float64(s.most[i]*v[j]) + float64(s.rest[i]*v[j+c]) + max(before, after)
			most, before = max(most, x), after
			least = max(least, float64((float64(s.least[i]*s.below[j])+float64(s.left[i]*s.below[j+c]))*(1-slack)))
		}
		s.up[m], s.down[m] = min(1, float64(most*(1+slack))), least
	}
	for m := c + s.n; m < len(v); m++ {
		s.up[m], s.down[m] = s.up[c+s.n-1], 0
	}
	s.above, s.up = s.up, s.above
	s.below, s.down = s.down, s.below
	copy(s.up[:c], s.above[:c])
	copy(s.down, s.below)
}

// Above is the upper bound, by the chord between two points: [0, u].
func (b *BoundedRange) Above(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	w := max(p, 64)
	x := eps(w)
	i := b.index(x, false)
	switch {
	case i < 0:
		return profile.Unit(), nil
	case i >= len(b.above)-1:
		return interval.Union(interval.Int(0), number(b.above[len(b.above)-1])), nil
	}
	lo, hi := number(b.above[i]), number(b.above[i+1])
	at := w.Div(w.Expm1(w.Sub(x, b.point(i))), w.Expm1(w.Rat(b.delta)))
	y := w.Sub(lo, w.Mul(interval.Clamp(at, 0, 1), w.Sub(lo, hi)))
	return interval.Union(interval.Int(0), interval.Min(interval.Int(1), y.Upper())), nil
}

// Below is the lower bound, by the value at the next point: [l, 1].
func (b *BoundedRange) Below(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	i := b.index(eps(max(p, 64)), true)
	if i >= len(b.below) {
		return profile.Unit(), nil
	}
	return interval.Union(number(b.below[max(i, 0)]), interval.Int(1)), nil
}

func (b *BoundedRange) point(i int) interval.Interval {
	return interval.Prec(128).Mul(interval.Prec(128).Rat(b.delta), interval.Int(int64(b.first+i)))
}

// index returns the number of a point that is certainly not after x, or certainly not before it: −1 and the number of
// points stand for those outside of the grid.
func (b *BoundedRange) index(x interval.Interval, next bool) int {
	lo, hi := -1, len(b.above) // the last point known to be there, and the first one not known
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if !next && b.point(mid).LessEq(x.Lower()) == interval.True || next &&
			x.Upper().LessEq(b.point(mid)) != interval.True {
			lo = mid
		} else {
			hi = mid
		}
	}
	if next {
		return hi
	}
	return lo
}
