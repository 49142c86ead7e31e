// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"errors"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/transform"
)

// A lossTable encloses transforms of the loss of a pair, by masses of cells that are known exactly. In an atom, a cell
// whose ends are equal, the loss is that; if both ends are nil, it is ∞.
type lossTable struct {
	cells    []cell // of positive mass
	reversed bool   // the loss is of (Q, P)
}

func (t Table) lossTable(reversed bool) lossTable {
	l := lossTable{reversed: reversed}
	var cs []cell
	if t.Form == LossMass {
		for _, p := range t.Points {
			cs = append(cs, cell{p.X, p.X, p.Y})
		}
	} else {
		cs = t.cells()
	}
	for _, c := range cs {
		if c.mass.Sign() > 0 {
			l.cells = append(l.cells, c)
		}
	}
	return l
}

func (c cell) isInfinite() bool { return c.lo == nil && c.hi == nil }
func (c cell) isAtom() bool     { return c.lo != nil && c.hi != nil && c.lo.Cmp(c.hi) == 0 }

// underQ encloses what Q has of a cell.
func (c cell) underQ(w interval.Prec) interval.Interval {
	if c.isInfinite() {
		return interval.Int(0)
	}
	least, most := new(big.Rat), ratOne
	if c.hi != nil {
		least, _ = scaled(w, c.mass, c.hi)
	}
	if c.lo != nil {
		_, most = scaled(w, c.mass, c.lo)
	}
	return interval.Union(w.Rat(least), w.Rat(most))
}

var (
	errUnbounded = errors.New("it does not follow from the tails in the table: losses beyond its ends have no bound")
	errInfinite  = errors.New("a loss may be infinite: orders with a real part above 1 have no divergence")
)

// moment encloses E[e^(zL); |L| < ∞]. Of (Q, P) it is E_P[e^(−(1+z)L)] of the loss L of (P, Q).
//
// Below all points of a table there is at most what E_P[e^−L] ≤ 1 admits: E_P[e^(−sL)] ≤ 1 for 0 ≤ s ≤ 1, by Jensen.
func (l lossTable) moment(w interval.Prec, z transform.Number) (interval.Complex, error) {
	if l.reversed {
		z = transform.Number{Re: new(big.Rat).Sub(new(big.Rat).Neg(z.Re), ratOne), Im: new(big.Rat).Neg(z.Im)}
	}
	var sum interval.Complex
	for _, c := range l.cells {
		var size interval.Interval // of the term, where its argument may be any
		switch {
		case c.isInfinite():
			continue
		case c.lo == nil && z.Re.Sign() >= 0:
			size = w.Mul(w.Rat(c.mass), w.Exp(w.Rat(new(big.Rat).Mul(z.Re, c.hi))))
		case c.lo == nil && new(big.Rat).Add(z.Re, ratOne).Sign() >= 0:
			size = interval.Int(1)
		case c.hi == nil && z.Re.Sign() <= 0:
			size = w.Mul(w.Rat(c.mass), w.Exp(w.Rat(new(big.Rat).Mul(z.Re, c.lo))))
		case c.lo == nil || c.hi == nil:
			return sum, errUnbounded
		default:
			x := interval.Union(w.Rat(c.lo), w.Rat(c.hi))
			y := w.ExpC(interval.Complex{Re: w.Mul(w.Rat(z.Re), x), Im: w.Mul(w.Rat(z.Im), x)})
			sum = w.AddC(sum, w.ScaleC(w.Rat(c.mass), y))
			continue
		}
		any := interval.Union(size, size.Neg())
		sum = w.AddC(sum, interval.Complex{Re: any, Im: any})
	}
	return sum, nil
}

// mayBeInfinite reports that a loss may be ∞ with a positive probability: of P outside of Q, or the other way round.
func (l lossTable) mayBeInfinite(w interval.Prec) bool {
	rest := interval.Int(1)
	for _, c := range l.cells {
		if !l.reversed && c.hi == nil {
			return true
		}
		rest = w.Sub(rest, c.underQ(w))
	}
	return l.reversed && rest.Hi().Sign() > 0
}

// renyi encloses R_q of a complex order q other than 1.
func (l lossTable) renyi(w interval.Prec, q transform.Number) (interval.Complex, error) {
	z := transform.Number{Re: new(big.Rat).Sub(q.Re, ratOne), Im: q.Im}
	switch {
	case z.Re.Sign() == 0 && z.Im.Sign() == 0:
		return interval.Complex{}, errors.New("the order 1 is a limit, and real")
	case z.Re.Sign() > 0 && l.mayBeInfinite(w):
		return interval.Complex{}, errInfinite
	}
	y, err := l.moment(w, z)
	return w.DivC(w.LogC(y), interval.Complex{Re: w.Rat(z.Re), Im: w.Rat(z.Im)}), err
}

// tail encloses P(L > x): by the masses of cells above x, and in part of the one that x is in. For every pair it is at
// least 1 − e^x, as P(L ≤ x) ≤ e^x·Q(L ≤ x). Of (Q, P) it is 1 − Q(L ≥ −x).
func (l lossTable) tail(w interval.Prec, x *big.Rat) interval.Interval {
	sum := interval.Int(0)
	if l.reversed {
		y := new(big.Rat).Neg(x)
		for _, c := range l.cells {
			switch q := c.underQ(w); {
			case c.hi != nil && c.hi.Cmp(y) < 0:
			case c.isInfinite() || c.lo != nil && c.lo.Cmp(y) >= 0:
				sum = w.Add(sum, q)
			default:
				_, most := scaled(w, c.mass, y)
				sum = w.Add(sum, interval.Union(interval.Int(0), interval.Min(w.Rat(most), interval.Point(q.Hi()))))
			}
		}
		return interval.Max(interval.Int(0), interval.Min(interval.Int(1), w.Sub(interval.Int(1), sum)))
	}
	for _, c := range l.cells {
		switch m := w.Rat(c.mass); {
		case c.hi != nil && c.hi.Cmp(x) <= 0:
		case c.isInfinite() || c.isAtom() || c.lo != nil && c.lo.Cmp(x) >= 0:
			sum = w.Add(sum, m)
		default:
			sum = w.Add(sum, interval.Union(interval.Int(0), m))
		}
	}
	least := w.Sub(interval.Int(1), w.Exp(w.Rat(x)))
	both, ok := interval.Intersect(interval.Min(sum, interval.Int(1)), interval.Union(least, interval.Int(1)))
	if !ok {
		return sum
	}
	return both
}
