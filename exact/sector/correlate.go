// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
	"dpverify/exact/quadrature"
)

// A grid has complex numbers in units of 2^−w, each within so many units, in both parts.
type grid struct {
	re, im []*big.Int
	off    []*big.Int
}

// newGrid reports false if some of the numbers have no bound.
func newGrid(w interval.Prec, zs []interval.Complex) (g grid, ok bool) {
	for _, z := range zs {
		if !z.Re.IsFinite() || !z.Im.IsFinite() {
			return g, false
		}
		re, e := quadrature.Integer(z.Re, int(w))
		im, e2 := quadrature.Integer(z.Im, int(w))
		if e.Cmp(e2) < 0 {
			e = e2
		}
		g.re, g.im, g.off = append(g.re, re), append(g.im, im), append(g.off, e)
	}
	return g, true
}

// correlate encloses Σ_k a_k·e_{j+k} for all j from 0 to len(es) − len(as), where |e_m| ≤ 1. It reports false if some
// of the numbers have no bound.
//
// Claim. With A and E the numbers of the grids, α = 2·Σ off·2^−w of A, and ε = 2·max off·2^−w of E, the sum of A·E is
// off by at most α·(1+ε) + ε·Σ|a_k|.
//
// Proof. |A_k − a_k| is at most twice its off, in units, and |a·e − A·E| ≤ |a|·|e − E| + |a − A|·|E|, |E| ≤ 1 + ε. ∎
//
// (a+ib)(c+id) has the parts ac − bd and (a+b)(c+d) − ac − bd: three products of integers, exact.
func correlate(w interval.Prec, as, es []interval.Complex) (out []interval.Complex, ok bool) {
	a, ok := newGrid(w, as)
	e, ok2 := newGrid(w, es)
	if !ok || !ok2 {
		return nil, false
	}
	sum, worst, size := new(big.Int), new(big.Int), interval.Int(0)
	for k, z := range as {
		sum.Add(sum, a.off[k])
		size = coarse.Add(size, coarse.AbsC(z))
	}
	for _, o := range e.off {
		if worst.Cmp(o) < 0 {
			worst = o
		}
	}
	units := func(n *big.Int) interval.Interval { return coarse.Scale(coarse.BigInt(n), 1-int(w)) }
	off := coarse.Mul(units(sum), coarse.Add(one, units(worst)))
	off = coarse.Add(off, coarse.Mul(units(worst), size)).Upper()
	miss := interval.Union(off.Neg(), off)

	first, last := len(as)-1, len(es)-1
	re, im := products(a.re, e.re, first, last), products(a.im, e.im, first, last)
	both := products(added(a.re, a.im), added(e.re, e.im), first, last)
	out = make([]interval.Complex, len(re))
	at := func(n *big.Int) interval.Interval { return w.Add(w.FromFixed(n, new(big.Int), 2*int(w)), miss) }
	for j := range out {
		out[j].Re = at(new(big.Int).Sub(re[j], im[j]))
		out[j].Im = at(both[j].Sub(both[j], re[j].Add(re[j], im[j])))
	}
	return out, true
}

func added(x, y []*big.Int) []*big.Int {
	out := make([]*big.Int, len(x))
	for i := range x {
		out[i] = new(big.Int).Add(x[i], y[i])
	}
	return out
}

// products returns Σ_k a_k·e_{j+k} at j = 0, …: entries of the convolution of e with a reversed, which is one product
// of integers that have numbers in slots wide enough for any entry and its sign.
func products(a, e []*big.Int, first, last int) []*big.Int {
	widest := func(xs []*big.Int) (n int) {
		for _, x := range xs {
			n = max(n, x.BitLen())
		}
		return n
	}
	width := widest(a) + widest(e) + bits.Len(uint(len(a))) + 2
	slot := (width + bits.UintSize - 1) / bits.UintSize
	reversed := make([]*big.Int, len(a))
	for k, x := range a {
		reversed[len(a)-1-k] = x
	}
	prod := new(big.Int).Mul(pack(reversed, slot), pack(e, slot))
	// Every entry is raised by half of a slot, and lowered by it again.
	half := new(big.Int).Lsh(big.NewInt(1), uint(slot*bits.UintSize-1))
	halves := make([]*big.Int, len(a)+len(e)-1)
	for i := range halves {
		halves[i] = half
	}
	words := prod.Add(prod, pack(halves, slot)).Bits()
	var out []*big.Int
	for i := first; i <= last; i++ {
		entry := new(big.Int).SetBits(append([]big.Word(nil), words[i*slot:min((i+1)*slot, len(words))]...))
		out = append(out, entry.Sub(entry, half))
	}
	return out
}

// pack returns Σ x_i·2^(slot·i), with slots in words.
func pack(xs []*big.Int, slot int) *big.Int {
	up, down := make([]big.Word, len(xs)*slot), make([]big.Word, len(xs)*slot)
	for i, x := range xs {
		if x.Sign() > 0 {
			copy(up[i*slot:], x.Bits())
		} else {
			copy(down[i*slot:], x.Bits())
		}
	}
	return new(big.Int).Sub(new(big.Int).SetBits(up), new(big.Int).SetBits(down))
}
