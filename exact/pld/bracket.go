// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// A bracket bounds the masses of the same groups from both sides: forth has the P-masses
// from below and the Q-masses from above, back the Q-masses from below and the P-masses
// from above. Samples need both, since a sample's P-mass is made of both masses.
//
// Both describe one post-processing: a group is in both or in neither, at the same index,
// and whoever drops a group drops it from both. Their Q-masses are not tilted: a sample
// needs each mass by itself, and no e^ε multiplies it.
type bracket struct{ forth, back *groups }

// bracket returns the groups of lower, bounded from both sides.
func (l *leaf) bracket(prec uint) *bracket {
	n := int(l.hi-l.lo) + 1
	b := &bracket{newGroups(l.delta, l.lo, n, prec, untilted), newGroups(l.delta, l.lo, n, prec, untilted)}
	add := func(i, f int64, c cell) {
		b.forth.add(i, f, c)
		b.back.add(i, f, cell{c.lo, c.hi, c.q, c.p})
	}
	if len(l.words) > 0 {
		if prec <= maxWordPrec {
			l.addWords(untilted, b.forth, b.back)
		} else {
			l = l.inIntervals()
		}
	}
	for _, c := range l.cells {
		i, f := l.split(c)
		add(i, f, c)
	}
	add(l.lo, 0, l.below)
	return (&bracket{b.forth.fit(), b.back.fit()}).trim()
}

func (b *bracket) size() int { return b.forth.size() }

// times returns the groups of a product.
func (b *bracket) times(ctx context.Context, c *bracket) (*bracket, error) {
	forth, err := b.forth.product(ctx, c.forth)
	if err != nil {
		return nil, err
	}
	back, err := b.back.product(ctx, c.back)
	if err != nil {
		return nil, err
	}
	return (&bracket{forth, back}).trim(), nil
}

// coarsen doubles the spacing, as for groups.
func (b *bracket) coarsen() *bracket {
	return (&bracket{b.forth.double(), b.back.double()}).trim()
}

// trim drops groups of which neither mass is known to be positive, at both ends.
func (b *bracket) trim() *bracket {
	lo, hi := b.forth.support()
	lo2, hi2 := b.back.support()
	return b.slice(min(lo, lo2), max(hi, hi2))
}

// cutTails drops groups at either end that have at most the budget of either mass, by
// its lower bounds.
func (b *bracket) cutTails(budget *big.Int) *bracket {
	lo, hi := within(b.forth.a, budget)
	lo2, hi2 := within(b.back.a, budget)
	return b.slice(min(lo, lo2), max(hi, hi2))
}

func (b *bracket) slice(lo, hi int) *bracket {
	return &bracket{b.forth.slice(lo, hi), b.back.slice(lo, hi)}
}

// masses returns enclosures of the masses of every group.
func (b *bracket) masses(w interval.Prec) (ps, qs []interval.Interval) {
	n, scale := b.size(), -int(b.forth.a.Prec())
	ps, qs = make([]interval.Interval, n), make([]interval.Interval, n)
	between := func(lo, hi *big.Int, unit uint) interval.Interval {
		return w.Scale(interval.Union(w.BigInt(lo), w.Scale(w.BigInt(hi), int(unit))), scale)
	}
	for k := range n {
		ps[k] = between(b.forth.a.At(k), b.back.b.At(k), b.back.scale)
		qs[k] = between(b.back.a.At(k), b.forth.b.At(k), b.forth.scale)
	}
	return ps, qs
}
