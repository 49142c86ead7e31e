// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math"
	"math/big"
	"sort"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A base is the pair of one step, by its tails or its outcomes.
type base struct {
	tails    closed.Tails
	outcomes []pair.Outcome    // where there are no tails,
	rest     interval.Interval // and a bound of both masses of those that are not listed
}

// A cell is the ratios above place lo of a grid and at most place hi, with their masses. Ratios of 0 are in the
// first one, and those above all places in one that ends beyond the last.
type cell struct {
	lo, hi int
	p, q   interval.Interval
}

// maxOutcomes bounds the outcomes of a base without tails.
const maxOutcomes = 1 << 14

func newBase(x pair.Pair, w interval.Prec) (*base, bool) {
	b := new(base)
	var ok bool
	if b.tails, ok = closed.PairTails(x); ok {
		return b, true
	}
	b.outcomes, b.rest, ok = x.Outcomes(w, maxOutcomes)
	return b, ok
}

// A level is a range of ratios, by its end, and the Q-mass from it on, upwards or downwards.
type level struct{ end, mass float64 }

// levels returns how often ratios are above some numbers, up to one above which the P-mass is below 2^−cut: they choose
// grids, as those of below do.
func (b *base) levels(cut int) (ls []level) {
	const w, most = interval.Prec(96), 160
	small := w.Scale(interval.Int(1), -cut)
	infinite, _ := b.above(w, nil)
	for k := range most + 1 {
		p, q := b.above(w, quarter(k))
		ls = append(ls, level{double.Of(w.Rat(quarter(k + 1))).Mid(), double.Of(q).Mid()})
		if w.Sub(p, infinite).LessEq(small) == interval.True {
			break
		}
	}
	return ls
}

// below returns how often ratios are at most some numbers below 1, that fall, down to where the Q-mass is below 2^−cut.
func (b *base) below(cut int) (ls []level) {
	const w, most = interval.Prec(96), 160
	for k := 1; k <= most; k++ {
		y := new(big.Rat).Inv(quarter(k))
		_, q := b.above(w, y)
		l := level{double.Of(w.Rat(y)).Mid(), double.Of(w.Sub(interval.Int(1), q)).Hi}
		if ls = append(ls, l); math.Log2(l.mass) < -float64(cut) {
			break
		}
	}
	return ls
}

// reach returns a ratio above which the P-mass is below 2^−cut.
func (b *base) reach(cut int) *big.Rat {
	return quarter(len(b.levels(cut)) - 1)
}

// quarter returns a number near 2^(k/4).
func quarter(k int) *big.Rat {
	x := []int64{64, 76, 91, 108}[k%4]
	return new(big.Rat).Mul(big.NewRat(x, 64), interval.Pow2(k/4))
}

// above encloses the P- and the Q-mass of ratios above y; of infinite ones for nil, or of those beyond
// all that is of interest, which are all finite ones then as well.
func (b *base) above(w interval.Prec, y *big.Rat) (p, q interval.Interval) {
	if b.tails != nil {
		switch {
		case y == nil:
			return b.tails(w, closed.RatArg(w, interval.Pow2(41)))
		case y.Sign() == 0:
			return interval.Int(1), interval.Int(1) // with ratios of 0
		}
		const more = 48 // bits, which far tails lose: with fewer, words are not good to w
		return b.tails(w, closed.Arg{Interval: (w + more).Log((w + more).Rat(y))})
	}
	p, q = interval.Int(0), interval.Int(0)
	for _, o := range b.outcomes {
		if o.Q.IsZero() || y != nil && o.P.Less(w.Mul(w.Rat(y), o.Q)) != interval.True {
			p, q = w.Add(p, o.P), w.Add(q, o.Q)
		}
	}
	return p, q
}

// cells cuts the base at the places of a grid, and returns what has an infinite ratio apart.
func (b *base) cells(ctx context.Context, w interval.Prec, unit *big.Rat, places []float64) ([]cell, cell, error) {
	p, q := b.above(w, nil)
	rest := cell{p: p, q: q}
	if b.tails == nil {
		return b.listed(w, unit, places), rest, nil
	}
	n := len(places)
	ps, qs := make([]interval.Interval, n+1), make([]interval.Interval, n+1)
	ps[n], qs[n] = p, q
	err := convolve.Parallel(ctx, n, func(i int) {
		y, _ := double.Interval{Lo: places[i], Hi: places[i]}.Exact().UpperRat()
		ps[i], qs[i] = b.above(w, y.Mul(y, unit))
	})
	var out []cell
	for i := range n {
		out = append(out, cell{i, i + 1, mass(w, ps[i], ps[i+1]), mass(w, qs[i], qs[i+1])})
	}
	return out, rest, err
}

func mass(w interval.Prec, a, b interval.Interval) interval.Interval {
	return interval.Max(interval.Int(0), w.Sub(a, b))
}

// listed returns the cells of outcomes. A ratio is known by an enclosure: the cell has to hold all of it.
func (b *base) listed(w interval.Prec, unit *big.Rat, places []float64) []cell {
	index := make(map[[2]int]int)
	unlisted := interval.Union(interval.Int(0), b.rest)
	out := []cell{{len(places) - 1, len(places), unlisted, unlisted}}
	for _, o := range b.outcomes {
		if o.Q.IsZero() {
			continue
		}
		t := double.Of(w.Div(w.Div(o.P, o.Q), w.Rat(unit)))
		lo := max(sort.Search(len(places), func(i int) bool { return places[i] > t.Lo })-1, 0)
		hi := max(sort.Search(len(places), func(i int) bool { return places[i] >= t.Hi }), lo+1)
		k, ok := index[[2]int{lo, hi}]
		if !ok {
			k = len(out)
			index[[2]int{lo, hi}] = k
			out = append(out, cell{lo: lo, hi: hi})
		}
		out[k].p, out[k].q = w.Add(out[k].p, o.P), w.Add(out[k].q, o.Q)
	}
	return out
}
