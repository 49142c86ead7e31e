// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"sync"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/path"
	"dpverify/exact/selection"
)

// orderedCells is the number of cells of the loss between its ends.
const orderedCells = 96

// An ordered selection takes the best of several runs in the order of the losses of one run, the greatest loss first,
// or last. It is one of the mechanisms that a pair.Repeated stands for. So its divergences bound the divergences of
// all orders of outputs from below.
//
// Only the cell (t_i, t_{i+1}] of the loss of the best run is looked at, which is a post-processing. With y = P(L >
// t), the best run has L > t with probability Better(y). So a cell has the mass Better(y_i) − Better(y_{i+1}) under
// P, and likewise under Q. Where there is no run, the output counts to the cell at the end of the order.
type ordered struct {
	law   selection.Law
	tails closed.Tails

	ends  func() (first, last int)
	mu    sync.Mutex
	known map[int][]orderedCell
}

// scales returns powers of 2 that are near the losses of one run: the least one beyond which hardly any loss is, and
// some smaller ones, below which most losses are.
func (o *ordered) scales() (first, last int) {
	const rare = -100 // in bits
	for last = -12; last < 16; last++ {
		p, q := o.tails(64, closed.RatArg(64, interval.Pow2(last)))
		if interval.Max(p, q).LessEqRat(interval.Pow2(rare)) == interval.True {
			break
		}
	}
	return last - 5, last
}

// An orderedCell has the masses of one cell under P and Q.
type orderedCell struct{ p, q interval.Interval }

// newOrdered reports false if the tails of one run are not known.
func newOrdered(x pair.Repeated) (*ordered, bool) {
	if x.Base.IsGuarantee() {
		return nil, false
	}
	law, ok := selection.NewLaw(repeatedBits, x.Mean, x.Shape)
	if !ok {
		return nil, false
	}
	base, ok := path.Single(x)
	if !ok {
		return nil, false
	}
	tails, ok := closed.PairTails(base)
	o := &ordered{law: law, tails: tails, known: make(map[int][]orderedCell)}
	o.ends = sync.OnceValues(o.scales)
	return o, ok
}

// cells returns all cells of both orders for losses up to 2^k: those of the one, and then those of the other.
func (o *ordered) cells(k int) []orderedCell {
	o.mu.Lock()
	defer o.mu.Unlock()
	if out, ok := o.known[k]; ok {
		return out
	}
	const w = interval.Prec(repeatedBits)
	below := func(x interval.Interval) interval.Interval { return interval.Clamp(w.Sub(one, x), 0, 1) }
	var rising, falling []orderedCell
	last, lastBelow := orderedCell{one, one}, orderedCell{zero, zero} // Better of the tails
	for i := int64(0); i <= orderedCells; i++ {
		t := new(big.Rat).Mul(interval.Pow2(k), big.NewRat(2*i-orderedCells, orderedCells))
		p, q := o.tails(w, closed.RatArg(w, t))
		next := orderedCell{o.law.Better(p), o.law.Better(q)}
		rising = append(rising, orderedCell{positivePart(w, last.p, next.p), positivePart(w, last.q, next.q)})
		last = next
		next = orderedCell{o.law.Better(below(p)), o.law.Better(below(q))}
		falling = append(falling, orderedCell{positivePart(w, next.p, lastBelow.p), positivePart(w, next.q, lastBelow.q)})
		lastBelow = next
	}
	rising = append(rising, last)
	falling = append(falling, orderedCell{positivePart(w, one, lastBelow.p), positivePart(w, one, lastBelow.q)})
	out := append(rising, falling...)
	o.known[k] = out
	return out
}

func positivePart(w interval.Prec, x, y interval.Interval) interval.Interval {
	return interval.Max(zero, w.Sub(x, y))
}

// moment bounds M(α) from below for α > 1, where each cell counts for itself, and from above for α < 1, where all cells
// do.
func (o *ordered) moment(p interval.Prec, alpha *big.Rat) interval.Interval {
	const w = interval.Prec(64)
	b := minusOne(alpha)
	best := interval.Entire()
	first, last := o.ends()
	for k := first; k <= last; k++ {
		cells := o.cells(k)
		half := len(cells) / 2
		for _, side := range [][]orderedCell{cells[:half], cells[half:]} {
			sum := zero
			for _, c := range side {
				if b.Sign() < 0 || c.p.Positive() == interval.True && c.q.Positive() == interval.True {
					sum = w.Add(sum, orderedTerm(w, alpha, c))
				}
			}
			y := w.Log(sum)
			switch {
			case b.Sign() > 0 && y.Lo().Cmp(best.Lo()) > 0:
				best = interval.Bounds(y.Lo(), posInf.Hi())
			case b.Sign() < 0 && y.Hi().Cmp(best.Hi()) < 0:
				best = interval.Bounds(interval.Entire().Lo(), y.Hi())
			}
		}
	}
	return best
}

// orderedTerm encloses p^α·q^(1−α).
func orderedTerm(w interval.Prec, alpha *big.Rat, c orderedCell) interval.Interval {
	if c.p.IsZero() || c.q.IsZero() {
		return zero
	}
	return w.Exp(w.Add(w.Mul(w.Rat(alpha), w.Log(c.p)), w.Mul(w.Rat(new(big.Rat).Sub(ratOne, alpha)), w.Log(c.q))))
}

// greatest bounds the greatest loss from below.
func (o *ordered) greatest(p interval.Prec) interval.Interval {
	const w = interval.Prec(64)
	best := zero
	first, last := o.ends()
	for k := first; k <= last; k++ {
		for _, c := range o.cells(k) {
			if c.p.Positive() == interval.True && c.q.Positive() == interval.True {
				best = interval.Max(best, w.Sub(w.Log(c.p), w.Log(c.q)).Lower())
			}
		}
	}
	return interval.Bounds(p.Round(best).Lo(), posInf.Hi())
}

// repeatedBelow encloses the moments of an order of a selection, from one side.
func repeatedBelow(x pair.Repeated) (LogMoment, bool) {
	if x.Aim == nil {
		return nil, false // all orders
	}
	o, ok := newOrdered(x)
	if !ok {
		return nil, false
	}
	return o.moment, true
}

// repeatedLoss bounds the greatest loss of all selections from above, and the greatest loss of one in a chosen order
// from below. Where the losses of one run are unbounded, those of the best run in their order are as well: Better is
// concave and has a slope at 0, so that Better(y)/Better(y′) is near y/y′ where both are small.
func repeatedLoss(p interval.Prec, x pair.Repeated) interval.Interval {
	if x.Aim == nil {
		return interval.Bounds(interval.Entire().Lo(), repeatedGreatest(p, pair.RepeatedDivergence{Of: x}).Hi())
	}
	if pair.Unbounded(x.Base) {
		return posInf
	}
	o, ok := newOrdered(x)
	if !ok {
		return interval.Entire()
	}
	return o.greatest(p)
}
