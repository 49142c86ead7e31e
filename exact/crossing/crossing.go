// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package crossing finds where a falling function crosses a level: inf{x : f(x) ≤ level}, for
// a function f that is known by enclosures only.
//
// # Why the answer is right
//
// f falls: f(x) ≥ f(y) for x ≤ y. So f(x) > level for certain puts the crossing at x or to the
// right of x, and f(x) ≤ level for certain puts it at x or to the left. A point at which an
// enclosure decides neither moves nothing. The answer is right whatever points are tried; how
// they are chosen, and how precisely f is enclosed there, matters only for the number of steps.
//
// # The search
//
// It begins next to a guess where there is one, or brackets the crossing by powers of two
// (bracket.go). It narrows the bracket by inverse interpolation of log f (narrow.go, propose.go).
// Where the enclosures decide no more, it walks out from there to where they do (walk.go).
package crossing

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// An End says which end of the enclosures of f a search goes by. Each end is itself a
// falling function, below or above f: a search by the lower ends finds a lower bound of the
// crossing, and one by the upper ends an upper bound.
type End int

const (
	BothEnds End = iota
	LowerEnd
	UpperEnd
)

// A Func encloses f(x), with numbers of about p bits.
type Func func(ctx context.Context, p interval.Prec, x *big.Rat) (interval.Interval, error)

// A Problem is a falling function and a level.
type Problem struct {
	// Value is all that is known of f.
	Value Func
	// Exact returns f(x) where that is known to be a rational number; it may be nil.
	Exact func(x *big.Rat) (*big.Rat, bool)
	// Above returns a quick upper bound of f(x), asked until a point right of the crossing is
	// found; it may be nil.
	Above func(x *big.Rat) interval.Interval
	// Near returns a number near the crossing, which bounds nothing; false if it has none. It
	// may be nil. Where it is not, each precision of Value has a price of its own.
	Near func(ctx context.Context) (*big.Rat, bool)

	Level *big.Rat
	End   End
	// Bits is how many leading bits of the crossing are wanted.
	Bits int
	// Alike returns, for a crossing near x, the ends of a range of numbers that need not be told apart, though they differ
	// in the wanted bits: the search ends, too, where lo and hi are inside of it. nil where there is none; it may be nil.
	Alike func(x *big.Rat) (from, to *big.Rat)
	// Full is the precision beyond which Value gets no sharper.
	Full interval.Prec
}

// Coarse is a precision that tells points far from the crossing apart. Where each precision
// has a price of its own, it is the one that the wanted bits take: enclosures are a few bits better than asked for.
func (p *Problem) Coarse() interval.Prec {
	w := interval.Prec(64)
	if p.Near != nil {
		w = max(interval.MinPrec, interval.Prec(p.Bits+1))
	}
	return min(w, p.Full)
}

// A side says on which side of the crossing a point lies.
type side int

const (
	open  side = iota // the enclosure of f(x) contains the level
	left              // f(x) > level: x is left of the crossing, or at it
	right             // f(x) ≤ level
)

// compare tells on which side x is, by an enclosure of f(x) with p bits.
func (p *Problem) compare(ctx context.Context, w interval.Prec, x *big.Rat) (side, interval.Interval, error) {
	y, err := p.Value(ctx, w, x)
	if err != nil {
		return open, y, err
	}
	switch p.End {
	case LowerEnd:
		y = interval.Point(y.Lo())
	case UpperEnd:
		y = interval.Point(y.Hi())
	}
	below := y.LessEqRat(p.Level)
	if p.End == BothEnds && p.Exact != nil { // the ends of enclosures may be others
		if v, ok := p.Exact(x); ok {
			below = interval.False
			if v.Cmp(p.Level) <= 0 {
				below = interval.True
			}
		}
	}
	switch below {
	case interval.False:
		return left, y, nil
	case interval.True:
		return right, y, nil
	}
	return open, y, nil
}
