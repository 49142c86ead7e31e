// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"context"
	"math/bits"

	"dpverify/exact/fraction"
	"dpverify/exact/interval"
)

// A Pencil is the sums
//
//	S = Σ_k (x_k − g·y_k)·e^(−i·j_k·θ)
//
// of given x, y and whole j that rise, for all 0 ≤ g ≤ 1 and all θ.
//
// Its terms are in units of 2^(top−waveScale), where Σ|x′_k| + |y′_k| ≤ 2^top.
type Pencil struct {
	top   int
	j     []int64
	terms []pencilTerm
	off   Real // bounds Σ|x_k − x′_k| + |y_k − y′_k|, where x′ and y′ are the middles
}

type pencilTerm struct{ x, y [2]frac }

const (
	// pencilBlock is how many terms Horner's rule adds up.
	pencilBlock = 1 << 12
	// pencilErr bounds the rounding of a term, in units: see Sum.
	pencilErr = 33
	// maxPencil bounds the terms.
	maxPencil = 1 << 20
)

// NewPencil returns the sums of the terms x(k), y(k) at j[k]. It reports false where words do not do: a number is
// unknown, or there are more than 2^20 terms.
func NewPencil(j []int64, term func(k int) (x, y Complex)) (*Pencil, bool) {
	if len(j) > maxPencil {
		return nil, false
	}
	size, off := above{exp: -maxExp}, above{exp: -maxExp}
	parts := make([][4]Real, len(j))
	for k := range j {
		x, y := term(k)
		parts[k] = [4]Real{x.Re, x.Im, y.Re, y.Im}
		for _, v := range parts[k] {
			if !v.Known() {
				return nil, false
			}
			if b, exp := v.exact().magnitude(); !b.IsZero() {
				size.exp = max(size.exp, exp)
			}
			if err := v.err(); err != 0 {
				off.exp = max(off.exp, v.exp()-192+bits.Len64(err))
			}
		}
	}
	for k := range parts {
		for _, v := range parts[k] {
			if b, exp := v.exact().magnitude(); !b.IsZero() {
				size.add(b.Hi>>1+1, exp-63)
			}
			if err := v.err(); err != 0 {
				off.add(err, v.exp()-192)
			}
		}
	}
	_, top := size.bound().magnitude()
	p := &Pencil{top: top, j: j, off: off.bound()}
	p.terms = make([]pencilTerm, len(j))
	for k := range parts {
		var f [4]frac
		for i, v := range parts[k] {
			f[i], _, _ = v.exact().units(top) // off by less than 2 units, as exact has no error
		}
		p.terms[k] = pencilTerm{[2]frac{f[0], f[1]}, [2]frac{f[2], f[3]}}
	}
	return p, p.off.Known()
}

// An above bounds a sum of at most 2^22 numbers up to 2^exp, in units of 2^(exp−40).
type above struct {
	exp int
	n   uint64
}

// add adds b·2^exp, rounded up.
func (s *above) add(b uint64, exp int) {
	if d := exp - (s.exp - 40); d >= 0 {
		s.n += b << d
	} else {
		s.n += b>>min(-d, 63) + 1
	}
}

func (s *above) bound() Real { return Three{}.Scale(Int(int64(s.n)), s.exp-40) }

// Sum encloses the real part of S, where e(j) encloses e^(−ijθ).
//
// Terms are added up by Horner's rule, b ← (x_k − g·y_k) + z·b with z = e^(−iθ), up to pencilBlock of them with
// neighbouring j at a time. Let z′ and g′ be the fractions that stand for z and g, and |z − z′| ≤ δ.
//
// Rounding. once is low by [0, 6) units, its negative, of which the bits are turned over, high by [−1, 6), and x and
// y are off by less than 2 units in both parts. So a step is off by less than 6 + 2·6 + 2·2 = 22 units in both parts,
// 22·√2 < 32. As |z′| ≤ 1 + δ and (1 + δ)^pencilBlock < 33/32 for δ ≤ 2^−100, a block of n terms is off by less than
// 33n units.
//
// Taking z′ for z changes a block by at most Σ|x_k − g′y_k|·k·δ·(1 + δ)^k, where k < pencilBlock: all blocks by less
// than 2·pencilBlock·δ·2^top. Taking g′ for g changes S by at most |g − g′|·2^top, and taking the middles of x and y
// for them by at most off. ∎
//
// No number reaches 2^190 units: partial sums are at most 2^waveScale units.
//
// Requires: 0 ≤ g ≤ 1 for all members of g that matter.
func (p *Pencil) Sum(ctx context.Context, e func(j int64) Complex, g interval.Interval) (Real, error) {
	w := Three{}
	if !g.IsFinite() {
		return Unknown(), nil
	}
	z := e(1)
	zre, dre, okRe := z.Re.fraction(0)
	zim, dim, okIm := z.Im.fraction(0)
	share, dg, okG := fromFloat(interval.Max(g, interval.Int(0)).Lo()).fraction(0)
	wide := FromInterval(interval.Prec(64).Sub(interval.Point(g.Hi()), interval.Point(g.Lo())))
	if !okRe || !okIm || !okG || dre > 1<<40 || dim > 1<<40 || !wide.Known() {
		return Unknown(), nil
	}
	// In units of 2^(top−192).
	turned := w.Scale(Int(int64(2*pencilBlock*(dre+dim)+dg)), p.top-192)
	block := func(from, to int) Complex {
		var re, im frac
		flipRe, flipIm := flipIf(z.Re.neg()), flipIf(z.Im.neg())
		for k := to - 1; k >= from; k-- {
			t := &p.terms[k]
			a, b := flipped(once(re, zre), flipRe), flipped(once(im, zim), ^flipIm) // z·b has the parts a + b and c + d
			c, d := flipped(once(re, zim), flipIm), flipped(once(im, zre), flipRe)
			re = fraction.Add(fraction.Sub(t.x[0], once(t.y[0], share)), fraction.Add(a, b))
			im = fraction.Add(fraction.Sub(t.x[1], once(t.y[1], share)), fraction.Add(c, d))
		}
		err := uint64(to-from) * pencilErr
		return Complex{fromUnits(re, err, p.top), fromUnits(im, err, p.top)}
	}
	var total Real
	for to := len(p.j); to > 0; {
		if err := ctx.Err(); err != nil {
			return Unknown(), err
		}
		from := to - 1
		for from > 0 && p.j[from-1]+1 == p.j[from] && to-from < pencilBlock {
			from--
		}
		sum, start := block(from, to), e(p.j[from])
		total = w.Add(total, w.Sub(w.Mul(sum.Re, start.Re), w.Mul(sum.Im, start.Im)))
		to = from
	}
	for _, r := range []Real{turned, w.Scale(wide, p.top), p.off} {
		total = w.widen(total, r)
	}
	return total, nil
}

// flipIf is all ones if neg.
func flipIf(neg bool) uint64 {
	if neg {
		return ^uint64(0)
	}
	return 0
}

// flipped returns −a − 1 if flip is all ones, and a if it is 0.
func flipped(a frac, flip uint64) frac { return fraction.Make(a.Hi^flip, a.Mi^flip, a.Lo^flip) }

// Around encloses the numbers x with |x − n·2^exp| ≤ err·2^exp.
func Around(n int64, err uint64, exp int) Real {
	u := uint64(n)
	if n < 0 {
		u = -u
	}
	return pack(n < 0, frac{Lo: u}, err, exp+192)
}
