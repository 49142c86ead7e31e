// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"strings"

	"dpverify/internal/number"
)

// An Enclosure of a quantity, in extended reals: an end may be ±∞ for ε.
type Enclosure struct {
	Interval
	// Value is the quantity itself where it is known to be this rational.
	Value *big.Rat
	// Lower and Upper are rational bounds, nil where none is known that is at least as close
	// as the end of Interval. They say exactly what a binary number cannot, such as 1/10.
	Lower, Upper *big.Rat
}

// lower returns the rational lower bound; nil if none is known.
func (e Enclosure) lower() *big.Rat {
	if e.Value != nil {
		return e.Value
	}
	return e.Lower
}

// upper returns the rational upper bound; nil if none is known.
func (e Enclosure) upper() *big.Rat {
	if e.Value != nil {
		return e.Value
	}
	return e.Upper
}

// Decimal returns decimal strings lo ≤ quantity ≤ hi of at most n significant
// digits, as Interval.Decimal does; an end is the exact bound where that
// is known and has so few digits. A quantity that is known itself has all n.
func (e Enclosure) Decimal(n int) (lo, hi string) {
	lo, hi = short(e.lower(), n), short(e.upper(), n)
	if lo != "" && hi != "" {
		return lo, hi
	}
	x := e.Interval
	if e.Value != nil {
		x = Prec(min(n*4+32, MaxPrec)).Rat(e.Value) // log2 10 < 4
	}
	l, h := x.Decimal(n)
	if lo == "" {
		lo = l
	}
	if hi == "" {
		hi = h
	}
	return lo, hi
}

// short spells a decimal of at most n + 8 characters; it is empty for others.
func short(r *big.Rat, n int) string {
	if r == nil {
		return ""
	}
	if s := number.Format(r); len(s) <= n+8 && !strings.Contains(s, "/") {
		return s
	}
	return ""
}

// LessEqRat answers quantity ≤ r, exactly where rational bounds are known.
func (e Enclosure) LessEqRat(r *big.Rat) Truth { return e.cmpBelow(r, 1) }

// LessRat answers quantity < r, exactly where rational bounds are known.
func (e Enclosure) LessRat(r *big.Rat) Truth { return e.cmpBelow(r, 0) }

func (e Enclosure) cmpBelow(r *big.Rat, bound int) Truth {
	if u := e.upper(); u != nil && u.Cmp(r) < bound {
		return True
	}
	if l := e.lower(); l != nil && l.Cmp(r) >= bound {
		return False
	}
	return e.Interval.cmpBelow(r, bound)
}

// Union returns an enclosure of both quantities. An exact end stays exact.
func (e Enclosure) Union(f Enclosure) Enclosure {
	if e.Value != nil && f.Value != nil && e.Value.Cmp(f.Value) == 0 {
		return e
	}
	return Enclosure{
		Interval: Union(e.Interval, f.Interval),
		Lower:    farther(e.lower(), f.lower(), -1, e.Lo(), f.Lo()),
		Upper:    farther(e.upper(), f.upper(), +1, e.Hi(), f.Hi()),
	}
}

// farther returns the one of two bounds that holds of both quantities, in the direction
// −1 for lower and +1 for upper ones, x and y where they are rational and otherwise a and b;
// nil if it is not rational.
func farther(x, y *big.Rat, direction int, a, b *big.Float) *big.Rat {
	switch {
	case x != nil && y != nil:
		if x.Cmp(y) == direction {
			return x
		}
		return y
	case x != nil && Point(b).LessRat(x) == towards(direction):
		return x
	case y != nil && Point(a).LessRat(y) == towards(direction):
		return y
	}
	return nil
}

// towards is the answer to whether another bound is below the farther one.
func towards(direction int) Truth {
	if direction > 0 {
		return True
	}
	return False
}

// AtMost encloses a quantity that is known to be at most r; false if it cannot be.
// p is the precision to which the end of the interval is rounded.
func (e Enclosure) AtMost(r *big.Rat, p Prec) (Enclosure, bool) {
	x, ok := Intersect(e.Interval, Bounds(Entire().Lo(), p.Rat(r).Hi()))
	if !ok || e.lower() != nil && e.lower().Cmp(r) > 0 {
		return Enclosure{}, false
	}
	if e.LessEqRat(r) != True {
		e.Upper = r
	}
	e.Interval = x
	return e, true
}

// AtLeast encloses a quantity that is known to be at least r; false if it cannot be.
func (e Enclosure) AtLeast(r *big.Rat, p Prec) (Enclosure, bool) {
	x, ok := Intersect(e.Interval, Bounds(p.Rat(r).Lo(), Entire().Hi()))
	if !ok || e.LessRat(r) == True {
		return Enclosure{}, false
	}
	if e.LessRat(r) != False {
		e.Lower = r
	}
	e.Interval = x
	return e, true
}

// OrZero encloses max(0, quantity).
func (e Enclosure) OrZero() Enclosure {
	orZero := func(r *big.Rat) *big.Rat {
		if r != nil && r.Sign() < 0 {
			return new(big.Rat)
		}
		return r
	}
	return Enclosure{Max(e.Interval, Int(0)), orZero(e.Value), orZero(e.Lower), orZero(e.Upper)}
}
