// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"dpverify/exact/convolve"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// Cells in words are cells whose masses are in three words: a flat list without pointers, and bounds that are computed
// without allocation. They are what leaf.upper, leaf.lower and leaf.bracket make of intervals, by the same formulas;
// only roundings differ, and the argument for each is at the rounding. In intervals is the specification.

// wordPrec is the working precision up to which cells are in words. Tails there are good to tailPrec bits,
// which leaves 2^(tailPrec−wordPrec) of the margin that factor.workingPrec has.
const (
	wordPrec = 184
	tailPrec = 176
	// maxWordPrec bounds the fraction bits of masses: with the factors of splitBits bits they fit three words.
	maxWordPrec = 192 - splitBits - 2
)

// wordRange bounds the losses of a mesh in words, as e^x does.
const wordRange = 1 << 20

var three fixed.Three

// inWords reports whether cells of a mesh are in words at precision w.
func (m mesh) inWords(w interval.Prec) bool {
	d := three.Rat(m.delta)
	in := func(i int64) bool {
		x := three.Times(d, i)
		return x.Less(fixed.Int(wordRange)) == interval.True && x.Neg().Less(fixed.Int(wordRange)) == interval.True
	}
	return w <= wordPrec && in(m.lo) && in(m.hi)
}

// A pile sums masses of points that come in ascending order: what all points up to one get is rounded down.
type pile struct {
	v     convolve.Vector
	first int64
	i     int64
	sum   fixed.Scaled // of point i, and what was cut off before it, in units of 2^−MaxScaled
}

// add adds the lower end of m to point i. Lower ends of the masses of a pair are below 1 together.
func (p *pile) add(i int64, m fixed.Real) {
	if i != p.i {
		p.flush()
		p.i = i
	}
	p.sum = p.sum.Add(m.Floor(fixed.MaxScaled))
}

// flush rounds the masses of the current point down, and keeps what it cuts off for the next one.
func (p *pile) flush() {
	cut := fixed.MaxScaled - p.v.Prec()
	n := p.sum.Rsh(cut)
	addScaled(p.v, int(p.i-p.first), n)
	p.sum = p.sum.Sub(n.Lsh(cut))
}

// upperWords is upper. Every enclosure holds the mass that it is made of, and what enters a point is its lower end, or
// 0.
func (l *leaf) upperWords(w interval.Prec, prec uint) *lattice {
	p := &pile{v: convolve.NewVector(int(l.hi-l.lo)+1, prec), first: l.lo, i: l.lo}
	p.add(l.lo, fixed.FromInterval(l.below.p))
	d := three.Rat(l.delta)
	rates := &widths{leaf: l, known: make(map[int64]*rates)}
	for k := range l.words {
		c := &l.words[k]
		r := rates.of(c.hi - c.lo)
		b := three.Mul(three.Exp(three.Times(d, c.hi)), c.q) // e^(x_hi)·b
		p.add(c.lo, three.Mul(three.Sub(b, c.p), r.up))
		p.add(c.hi, three.Mul(three.Sub(c.p, three.Mul(b, r.ratio)), r.down))
	}
	if !l.above.q.IsZero() {
		x := fixed.Exp(w, l.at(l.hi))
		p.add(l.hi, fixed.FromInterval(interval.Min(w.Mul(x, l.above.q), l.above.p)))
	}
	p.flush()
	return l.lattice(p.v)
}

// rates are what the split of a cell takes of its width h.
type rates struct {
	up, down fixed.Real // 1/(e^h − 1) and 1/(1 − e^−h)
	ratio    fixed.Real // e^−h
}

// widths remembers the rates of the widths of a leaf. Most cells are as wide as the cell before.
type widths struct {
	leaf  *leaf
	known map[int64]*rates
	last  *rates
	width int64 // of last
}

// of returns the rates of a width of k spacings.
func (s *widths) of(k int64) *rates {
	if k == s.width {
		return s.last
	}
	r, ok := s.known[k]
	if !ok {
		const w = interval.Prec(224)
		h := w.Rat(s.leaf.at(k))
		down := w.Expm1(h.Neg()).Neg()
		r = &rates{
			up:    fixed.FromInterval(w.Inv(w.Expm1(h))),
			down:  fixed.FromInterval(w.Inv(down)),
			ratio: fixed.FromInterval(w.Sub(interval.Int(1), down)),
		}
		s.known[k] = r
	}
	s.last, s.width = r, k
	return r
}

// addWords adds all cells to forth, as groups.add does, and, unless they are tilted, with exchanged masses to back.
func (l *leaf) addWords(t tilt, forth *groups, back ...*groups) {
	d := three.Rat(l.delta)
	inverse, step := three.Inv(d), three.Exp(d)
	weights := [2]fixed.Real{fixed.Int(1), fixed.Int(1)} // of groups i and i + 1
	for k := range l.words {
		c := &l.words[k]
		i, f := c.split(inverse)
		if t == byLoss {
			weights[0] = three.Exp(three.Times(d, i))
			weights[1] = three.Mul(weights[0], step)
		}
		forth.addWords(i, f, c.p, c.q, &weights)
		for _, g := range back {
			g.addWords(i, f, c.q, c.p, &weights)
		}
	}
}

// split is leaf.split.
func (c *wordCell) split(inverse fixed.Real) (i, f int64) {
	a, b := c.p.Lower(), c.q.Upper()
	switch {
	case a.Positive() != interval.True:
		return c.lo, 0
	case b.Positive() == interval.False:
		return c.hi, 0
	}
	t := three.Sub(three.Mul(three.Log(three.Div(a, b)), inverse), fixed.Int(c.lo))
	n := min(max(t.Trunc(splitBits), 0), (c.hi-c.lo)<<splitBits)
	return c.lo + n>>splitBits, n & (splitOne - 1)
}

// addWords is add for masses p and q and the weights of groups i and i + 1: the P-mass of a part is rounded down,
// twice, and its weighted Q-mass up, twice.
func (g *groups) addWords(i, f int64, p, q fixed.Real, weights *[2]fixed.Real) {
	prec := g.a.Prec()
	one := fixed.Int(1).Floor(prec)
	mass := p.Floor(prec)
	for side := int64(1); side >= 0; side-- {
		share := f
		if side == 0 {
			share = splitOne - f
		}
		if share == 0 {
			continue
		}
		k := int(i + side - g.first)
		weighted := q
		if g.tilt != untilted {
			weighted = three.Mul(q, weights[side])
		}
		n, fits := weighted.Ceil(prec)
		n = n.PartCeil(uint64(share), splitBits)
		have := fixed.ScaledOf(g.b.LoadWords(k))
		switch {
		case fits && !one.Less(have.Add(n)):
		case g.tilt == untilted:
			n = one.Sub(have)
		default:
			continue // dropped as a whole
		}
		addScaled(g.b, k, n)
		addScaled(g.a, k, mass.PartFloor(uint64(share), splitBits))
	}
}

// addScaled adds n to entry i.
func addScaled(v convolve.Vector, i int, n fixed.Scaled) {
	hi, mi, lo := n.Words()
	v.AddWords(i, hi, mi, lo)
}
