// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"math"
	"math/big"
	"slices"

	"dpverify/exact/interval"
)

// A Point says that Y encloses a quantity at X. An end of Y may be infinite.
type Point struct {
	X *big.Rat
	Y interval.Interval
}

// A Shape is what is known of a quantity between the points at which it is enclosed.
type Shape interface {
	// between returns the bounds between points with increasing X, of which there are two or
	// more.
	between(ps []Point) bounds
	// inside returns a number of its domain near x and between two others, or nil.
	inside(a, b *big.Rat, x interval.Interval) *big.Rat
}

// bounds returns an interval that contains the quantity wherever it is asked between points
// i and i+1 and inside of x.
type bounds func(i int, x interval.Interval) interval.Interval

// Shapes.
var (
	// Rising is the shape of a quantity that does not fall as X grows. Between whole numbers
	// that follow each other, and not at the greater one, it is the smaller one's.
	Rising Shape = rising{}
	// Profile is the shape of δ over ε: of max_S P(S) − e^ε·Q(S), a maximum of lines in e^ε
	// of slopes in [−1, 0]. It falls, is convex as a function of e^ε, at most 1 and at
	// least 1 − e^ε; so is a maximum of profiles.
	Profile Shape = profile{}
	// TradeOff is the shape of the least type II error over the type I error: it falls, is
	// convex, and at most 1 − x.
	TradeOff Shape = tradeOff{}
	// Divergence is the shape of the Rényi divergence R over its order α > 0: it rises, and
	// (α − 1)·R is convex and 0 at α = 1, which for α ≥ 1 also holds of a maximum.
	Divergence Shape = divergence{}
	// LogConcave is the shape of δ > 0 over ε that a family of lines in ε is the logarithm of, such as Markov's bound
	// of one moment each: it falls, is a logarithm of a concave function, and is at most 1.
	LogConcave Shape = logConcave{}
	// Falling is the shape of a quantity of which only that it does not rise is known.
	Falling Shape = descending{}
	// Steps is the shape of means over cells: from each point to the next one it is what is enclosed
	// at the first. There are no more cells than points of the width of the picture.
	Steps Shape = steps{}
	// Unknown is the shape of a quantity of which nothing is known between the points: they
	// are drawn, and no lines.
	Unknown Shape = unknown{}
)

type unknown struct{ dense }

func (unknown) between([]Point) bounds { return nil }

type descending struct{ dense }

func (descending) between(ps []Point) bounds {
	lo, hi := falling(ps)
	return func(i int, _ interval.Interval) interval.Interval {
		return interval.Bounds(lo[i+1].Lo(), hi[i].Hi())
	}
}

type logConcave struct{ dense }

func (logConcave) between(ps []Point) bounds {
	c := convex{}
	for _, p := range ps {
		if p.Y.Positive() != interval.True || !p.Y.IsFinite() {
			return descending{}.between(ps)
		}
		c.add(bits.Rat(p.X), bits.Log(p.Y).Neg())
	}
	c.prepare()
	lo, hi := falling(ps)
	return func(i int, x interval.Interval) interval.Interval {
		return meet(bits.Exp(c.at(i, x).Neg()), interval.Clamp(interval.Bounds(lo[i+1].Lo(), hi[i].Hi()), 0, 1))
	}
}

// Least is the shape of the least of several quantities that have one shape, and fall. The map has enclosures of each
// at the points, by X as a text of [big.Rat.RatString].
func Least(of Shape, each map[string][]interval.Interval) Shape { return least{of, each} }

type least struct {
	Shape
	each map[string][]interval.Interval
}

func (l least) between(ps []Point) bounds {
	var parts [][]Point
	for _, p := range ps {
		ys := l.each[p.X.RatString()]
		if len(ys) == 0 || parts != nil && len(ys) != len(parts) {
			return descending{}.between(ps)
		}
		if parts == nil {
			parts = make([][]Point, len(ys))
		}
		for i, y := range ys {
			parts[i] = append(parts[i], Point{p.X, y})
		}
	}
	var all []bounds
	for _, part := range parts {
		all = append(all, l.Shape.between(part))
	}
	return func(i int, x interval.Interval) interval.Interval {
		y := all[0](i, x)
		for _, b := range all[1:] {
			y = interval.Min(y, b(i, x))
		}
		return y
	}
}

// Complement is the shape of 1 − y, for a y of some shape.
func Complement(of Shape) Shape { return complement{of} }

type complement struct{ Shape }

func (c complement) between(ps []Point) bounds {
	one := interval.Int(1)
	flipped := make([]Point, len(ps))
	for i, p := range ps {
		flipped[i] = Point{p.X, bits.Sub(one, p.Y)}
	}
	b := c.Shape.between(flipped)
	if b == nil {
		return nil
	}
	return func(i int, x interval.Interval) interval.Interval { return bits.Sub(one, b(i, x)) }
}

type steps struct{ dense }

func (steps) between(ps []Point) bounds {
	return func(i int, _ interval.Interval) interval.Interval { return ps[i].Y }
}

type rising struct{ whole }

func (rising) between(ps []Point) bounds {
	lo, hi := monotone(ps)
	return func(i int, x interval.Interval) interval.Interval {
		a, b := ps[i].X, ps[i+1].X
		next := a.IsInt() && b.IsInt() && new(big.Rat).Sub(b, a).Cmp(big.NewRat(1, 1)) == 0
		if next && x.LessRat(b) == interval.True {
			return interval.Bounds(lo[i].Lo(), hi[i].Hi())
		}
		return interval.Bounds(lo[i].Lo(), hi[i+1].Hi())
	}
}

// monotone returns the best lower and upper bounds at the points of what does not fall: the
// largest lower one before, and the least upper one after.
func monotone(ps []Point) (lo, hi []interval.Interval) {
	lo, hi = make([]interval.Interval, len(ps)), make([]interval.Interval, len(ps))
	for i, p := range ps {
		lo[i], hi[i] = interval.Point(p.Y.Lo()), interval.Point(p.Y.Hi())
	}
	for i := 1; i < len(ps); i++ {
		lo[i] = interval.Max(lo[i], lo[i-1])
	}
	for i := len(ps) - 2; i >= 0; i-- {
		hi[i] = interval.Min(hi[i], hi[i+1])
	}
	return lo, hi
}

// falling is monotone for what does not rise.
func falling(ps []Point) (lo, hi []interval.Interval) {
	back := slices.Clone(ps)
	slices.Reverse(back)
	lo, hi = monotone(back)
	slices.Reverse(lo)
	slices.Reverse(hi)
	return lo, hi
}

type profile struct{ dense }

func (profile) between(ps []Point) bounds {
	c := convex{}
	for _, p := range ps {
		c.add(bits.Exp(bits.Rat(p.X)), p.Y)
	}
	// max_S P(S) ≤ 1 is where the lines begin, at e^ε = 0.
	c.outer = []knot{{interval.Int(0), interval.Int(1)}}
	c.prepare()
	lo, hi := falling(ps)
	return func(i int, x interval.Interval) interval.Interval {
		u := bits.Exp(x)
		floor := interval.Max(lo[i+1], bits.Sub(interval.Int(1), u))
		return meet(c.at(i, u), interval.Clamp(interval.Bounds(floor.Lo(), hi[i].Hi()), 0, 1))
	}
}

type tradeOff struct{ dense }

func (tradeOff) between(ps []Point) bounds {
	c := convex{}
	for _, p := range ps {
		c.add(bits.Rat(p.X), p.Y)
	}
	c.outer = []knot{{interval.Int(0), interval.Int(1)}, {interval.Int(1), interval.Int(0)}}
	c.prepare()
	lo, hi := falling(ps)
	return func(i int, x interval.Interval) interval.Interval {
		most := interval.Min(hi[i], bits.Sub(interval.Int(1), x))
		return meet(c.at(i, x), interval.Clamp(interval.Bounds(lo[i+1].Lo(), most.Hi()), 0, 1))
	}
}

type divergence struct{ dense }

func (divergence) between(ps []Point) bounds {
	// c has the points with α ≥ 1; before counts the others.
	c, before := convex{}, 0
	for _, p := range ps {
		a := bits.Sub(bits.Rat(p.X), interval.Int(1))
		if p.X.Cmp(big.NewRat(1, 1)) < 0 {
			before++
			continue
		}
		c.add(a, bits.Mul(a, p.Y))
	}
	c.outer = []knot{{interval.Int(0), interval.Int(0)}}
	c.prepare()
	lo, hi := monotone(ps)
	return func(i int, x interval.Interval) interval.Interval {
		y := interval.Bounds(lo[i].Lo(), hi[i+1].Hi())
		a := bits.Sub(x, interval.Int(1))
		if i < before || a.Positive() != interval.True {
			return y
		}
		return meet(bits.Div(c.at(i-before, a), a), y)
	}
}

// A dense domain, that of most shapes, is an interval.
type dense struct{}

// inside returns a number with few digits near x and inside of (a, b).
func (dense) inside(a, b *big.Rat, x interval.Interval) *big.Rat {
	lo, _, ok := x.Rationals()
	if !ok {
		return nil
	}
	gap, _ := new(big.Rat).Sub(b, a).Float64()
	for digits := 2 - int(math.Floor(math.Log10(gap))); digits < 400; digits += 2 {
		y, ok := new(big.Rat).SetString(lo.FloatString(max(digits, 0)))
		if ok && a.Cmp(y) < 0 && y.Cmp(b) < 0 {
			return y
		}
	}
	return nil
}

// whole is the domain of numbers of compositions.
type whole struct{}

// inside returns a whole number near x and inside of (a, b).
func (whole) inside(a, b *big.Rat, x interval.Interval) *big.Rat {
	lo, _, ok := x.Rationals()
	if !ok {
		return nil
	}
	y := new(big.Rat).SetInt(new(big.Int).Quo(lo.Num(), lo.Denom()))
	if y.Cmp(a) <= 0 {
		y.Add(y, big.NewRat(1, 1))
	}
	if a.Cmp(y) < 0 && y.Cmp(b) < 0 {
		return y
	}
	return nil
}

// A Curve is a quantity over another.
type Curve struct {
	Name   string
	Shape  Shape
	Points []Point // in any order
	Kind   Kind
}

// A Kind is how sure a curve is, which its line shows.
type Kind int

// Kinds.
const (
	Truth   Kind = iota // encloses the quantity itself: a strong line
	Bound               // encloses what is proved to be beyond it: a thin line
	NoBound             // encloses what may be on either side of it: a dashed line
)
