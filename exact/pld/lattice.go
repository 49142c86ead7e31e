// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A lattice is a vector of P-masses: entry i has the loss offset + (first + i)·step.
type lattice struct {
	offset pair.Loss
	step   step
	first  int64
	v      convolve.Vector
	// rounding of products: Sums if v only bounds from above (see doc.go), else Down.
	rounding convolve.Rounding
}

// newLattice puts the outcomes of finite loss on a lattice, masses rounded down
// to prec fraction bits. It reports false if they are not on one, or on one of
// more than limit points.
func newLattice(os []pair.Outcome, prec uint, limit int64) (*lattice, bool) {
	var finite []pair.Outcome
	for _, o := range os {
		if o.P.IsZero() || o.Q.IsZero() {
			continue // loss −∞ has no P-mass; infinite loss is kept apart
		}
		if !o.Exact {
			return nil, false
		}
		finite = append(finite, o)
	}
	l := &lattice{v: convolve.NewVector(1, prec)}
	if len(finite) == 0 {
		return l, true
	}
	l.offset = finite[0].Loss
	diffs := make([]step, len(finite))
	signs := make([]int64, len(finite))
	for i, o := range finite {
		d, s, ok := difference(o.Loss.Add(l.offset.Neg()))
		if !ok {
			return nil, false
		}
		diffs[i], signs[i] = d, s
		if l.step, _, _, ok = common(l.step, d); !ok {
			return nil, false
		}
	}
	index := make([]int64, len(finite))
	lo, hi := int64(0), int64(0)
	for i, d := range diffs {
		if d.zero() {
			continue
		}
		_, _, n, _ := common(l.step, d)
		index[i] = signs[i] * n
		lo, hi = min(lo, index[i]), max(hi, index[i])
	}
	if hi-lo >= limit || hi-lo < 0 { // or beyond int64
		return nil, false
	}
	l.first = lo
	l.v = convolve.NewVector(int(hi-lo)+1, prec)
	for i, o := range finite {
		// Several outcomes may have one loss: their masses add up.
		k := int(index[i] - lo)
		m := interval.FloorScaled(o.P, prec)
		l.v.Set(k, m.Add(m, l.v.At(k)))
	}
	return l, true
}

// difference returns a loss as a sign and a step, if it has that form.
func difference(l pair.Loss) (step, int64, bool) {
	if r, ok := l.Rat(); ok {
		switch r.Sign() {
		case 0:
			return step{}, 1, true
		case -1:
			return step{rat: new(big.Rat).Neg(r)}, -1, true
		}
		return step{rat: r}, 1, true
	}
	r, ok := l.Log()
	switch {
	case !ok:
		return step{}, 0, false
	case r.Cmp(ratOne) == 0:
		return step{}, 1, true
	case r.Cmp(ratOne) < 0:
		return step{base: new(big.Rat).Inv(r)}, -1, true
	}
	return step{base: r}, 1, true
}

// times returns the product of l and m, whose steps must be equal or zero.
func (l *lattice) times(ctx context.Context, m *lattice) (*lattice, error) {
	out := &lattice{offset: l.offset.Add(m.offset), step: l.step, first: l.first + m.first, rounding: l.rounding}
	if out.step.zero() {
		out.step = m.step
	}
	if m.rounding != l.rounding {
		out.rounding = convolve.Down
	}
	v, err := convolve.Window(ctx, l.v, m.v, 0, l.v.Len()+m.v.Len()-1, out.rounding)
	if err != nil {
		return nil, err
	}
	v, skip := v.Trim()
	out.v, out.first = v, out.first+int64(skip)
	return out, nil
}

// power returns k copies of l, or nil if the work exceeds the limit in words.
func (l *lattice) power(ctx context.Context, k int64, limit int64) (*lattice, error) {
	var out *lattice
	var err error
	if abs(l.first) > maxIndex/k {
		return nil, nil
	}
	for sq := l; ; {
		if k&1 == 1 {
			if out == nil {
				out = sq
			} else {
				if work(out, sq) > limit {
					return nil, nil
				}
				if out, err = out.times(ctx, sq); err != nil {
					return nil, err
				}
			}
		}
		if k >>= 1; k == 0 {
			return out, nil
		}
		if work(sq, sq) > limit {
			return nil, nil
		}
		if sq, err = sq.times(ctx, sq); err != nil {
			return nil, err
		}
	}
}

// work is the number of words that a product takes.
func work(a, b *lattice) int64 {
	return int64(a.v.Len()+b.v.Len()) * int64(2*a.v.Words()+1)
}

// maxIndex bounds the indices of entries of a factor and of every product, so that sums of
// two, and what vectors are long, do not overflow.
const (
	maxIndexBits = 58
	maxIndex     = 1 << maxIndexBits
)

func abs(n int64) int64 { return max(n, -n) }

// refine returns l on a lattice with m points for each of its own.
func (l *lattice) refine(s step, m int64, limit int64) (*lattice, bool) {
	if m <= 1 {
		return &lattice{offset: l.offset, step: s, first: l.first, v: l.v, rounding: l.rounding}, true
	}
	n := int64(l.v.Len()-1)*m + 1
	if m > limit || n*int64(l.v.Words()) > limit || abs(l.first) > maxIndex/m {
		return nil, false
	}
	out := &lattice{offset: l.offset, step: s, first: l.first * m, v: convolve.NewVector(int(n), l.v.Prec()),
		rounding: l.rounding}
	for i := range l.v.Len() {
		out.v.Set(int(int64(i)*m), l.v.At(i))
	}
	return out, true
}

// loss returns the loss of entry i.
func (l *lattice) loss(i int) pair.Loss {
	return l.offset.Add(l.step.loss(l.first + int64(i)))
}

func (l *lattice) size() int { return l.v.Len() }
