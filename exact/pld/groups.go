// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"
	"math/bits"

	"dpverify/exact/convolve"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// groups is a pair obtained by merging outcomes: group k has a P-mass of at least
// a_k and a Q-mass of at most Q_k. Merging, and moving outcomes between groups
// independently of everything else, is post-processing, so for every set S of groups
//
//	δ(ε) ≥ Σ_{k∈S} (a_k − e^ε·Q_k).
//
// Groups multiply like masses: of a product of groups the P-masses multiply and so
// do the Q-masses; a is rounded down and Q up. Dropping a group as a whole keeps
// the bound. The index k of a group is near its loss over Δ; nothing but the choice
// of S depends on it.
//
// Q_k is kept as b_k ≥ w_k·Q_k for the weight w_k of the tilt, in units of 2^(scale−prec);
// a_k is in units of 2^−prec.
type groups struct {
	delta *big.Rat
	first int64
	a, b  convolve.Vector
	tilt  tilt
	scale uint
}

// A tilt is the power of e^(x_k), x_k = kΔ, that Q-masses are weighted by:
// w_k = e^(tilt·x_k). Weights are multiplicative, w_j·w_k = w_(j+k), so that tilted
// groups multiply like others.
//
// The sum of a lower bound multiplies Q-masses by e^ε. The Q-mass of a group of loss
// x_k ≥ ε is about e^(−x_k) times its P-mass: rounded up to 2^−prec as it stands, it
// says nothing from e^ε = 2^prec on. Tilted, it is about as large as the P-mass, and
// one rounding costs it as much as the P-mass, whatever ε is.
type tilt int64

const (
	untilted tilt = iota // Q-masses as they are
	byLoss               // e^(x_k)·Q_k
)

// weight returns w_k.
func (t tilt) weight(w interval.Prec, delta *big.Rat, k int64) interval.Interval {
	if t == untilted {
		return interval.Int(1)
	}
	return fixed.Exp(w, new(big.Rat).Mul(delta, new(big.Rat).SetInt64(int64(t)*k)))
}

// A rounded factor of Q-masses is about x: q ↦ ⌈q·num/2^shift⌉, not below q·x for the x it was made of.
type rounded struct {
	num   *big.Int
	shift uint
	most  *big.Int // 2^shift − 1
}

func newRounded(num *big.Int, shift uint) rounded {
	one := big.NewInt(1)
	return rounded{num, shift, new(big.Int).Sub(new(big.Int).Lsh(one, shift), one)}
}

// roundedUp returns a factor of at least hi(x), for 0 < x, good to about 2^−bits.
func roundedUp(x interval.Interval, bits uint) rounded {
	hi := x.Hi()
	shift := max(int(bits)-hi.MantExp(nil), 0)
	n, acc := new(big.Float).SetMantExp(hi, shift).Int(nil)
	if acc != big.Exact {
		n.Add(n, big.NewInt(1))
	}
	return newRounded(n, uint(shift))
}

// of sets z to ⌈q·num/2^shift⌉ and returns it.
func (f rounded) of(z, q *big.Int) *big.Int {
	z.Mul(q, f.num)
	if f.shift > 0 && z.Sign() > 0 {
		z.Add(z, f.most)
	}
	return z.Rsh(z, f.shift)
}

func newGroups(delta *big.Rat, first int64, n int, prec uint, t tilt) *groups {
	return &groups{delta: delta, first: first, a: convolve.NewVector(n, prec), b: convolve.NewVector(n, prec), tilt: t}
}

// add puts the fraction f/2^splitBits of a cell into group i + 1 and the rest into
// group i: the fraction is one exact number for P and Q alike.
//
// Tilted, a part that might bring the weighted Q-mass of its group above 1 is dropped as a
// whole. Untilted, that mass is a probability: 1 bounds it, and nothing is dropped, which a
// bracket relies on.
func (g *groups) add(i, f int64, c cell) {
	prec := g.a.Prec()
	w := interval.Prec(prec) + 16
	p := interval.FloorScaled(c.p, prec)
	one := new(big.Int).Lsh(ratOne.Num(), prec)
	put := func(i, f int64) {
		if f == 0 {
			return
		}
		k := int(i - g.first)
		weighted := w.Mul(c.q, g.tilt.weight(w, g.delta, i))
		part := new(big.Int).Mul(interval.CeilScaled(weighted, prec), big.NewInt(f))
		part.Add(part, big.NewInt(splitOne-1))
		part.Rsh(part, splitBits)
		part.Add(part, g.b.At(k))
		switch {
		case weighted.LessEqRat(ratOne) == interval.True && part.Cmp(one) <= 0:
		case g.tilt == untilted:
			part.Set(one)
		default:
			return
		}
		g.b.Set(k, part)
		part.Mul(p, big.NewInt(f))
		part.Rsh(part, splitBits)
		g.a.Set(k, part.Add(part, g.a.At(k)))
	}
	put(i+1, f)
	put(i, splitOne-f)
}

// fit doubles the unit of Q-masses, whose sum can grow where they are tilted, until a
// product of two such sums fits the entries of a product.
func (g *groups) fit() *groups {
	// Sums of L bits give entries of 2L − prec bits and one for rounding up.
	room := (g.b.Words()*bits.UintSize - 1 + int(g.b.Prec())) / 2
	excess := g.b.Sum().BitLen() - room
	if excess <= 0 {
		return g
	}
	// Rounding up adds less than 2^24 for 2^24 entries, which one more bit makes room for.
	unit := newRounded(big.NewInt(1), uint(excess)+1)
	out := *g
	out.b, out.scale = convolve.NewVector(g.b.Len(), g.b.Prec()), g.scale+unit.shift
	x, y := new(big.Int), new(big.Int)
	for k := range g.b.Len() {
		out.b.Set(k, unit.of(x, g.b.Load(y, k)))
	}
	return &out
}

// support returns the range outside of which groups have no P-mass.
func (g *groups) support() (lo, hi int) {
	lo, hi = 0, g.a.Len()
	for hi-lo > 1 && g.a.IsZero(lo) {
		lo++
	}
	for hi-lo > 1 && g.a.IsZero(hi-1) {
		hi--
	}
	return lo, hi
}

func (g *groups) slice(lo, hi int) *groups {
	out := *g
	out.first, out.a, out.b = g.first+int64(lo), g.a.Slice(lo, hi), g.b.Slice(lo, hi)
	return &out
}

// trim drops groups without P-mass at both ends: they add nothing.
func (g *groups) trim() *groups { return g.slice(g.support()) }

// times returns the groups of a product.
func (g *groups) times(ctx context.Context, h *groups) (*groups, error) {
	x, err := g.product(ctx, h)
	if err != nil {
		return nil, err
	}
	return x.trim(), nil
}

// product returns all groups of a product.
//
// Requires: g and h have the same spacing and the same tilt.
func (g *groups) product(ctx context.Context, h *groups) (*groups, error) {
	n := g.a.Len() + h.a.Len() - 1
	a, err := convolve.Window(ctx, g.a, h.a, 0, n, convolve.Down)
	if err != nil {
		return nil, err
	}
	b, err := convolve.Window(ctx, g.b, h.b, 0, n, convolve.Up)
	if err != nil {
		return nil, err
	}
	out := &groups{delta: g.delta, first: g.first + h.first, a: a, b: b, tilt: g.tilt, scale: g.scale + h.scale}
	return out.fit(), nil
}

// coarsen doubles the spacing and drops what adds nothing.
func (g *groups) coarsen() *groups { return g.double().trim() }

// double doubles the spacing: an odd group goes to its two even neighbours in equal
// parts, and the weights of what moves by ±Δ change by e^(±tilt·Δ). Where that is a large
// number, an odd group goes down as a whole.
func (g *groups) double() *groups {
	delta := new(big.Rat).Add(g.delta, g.delta)
	first, last := floorHalf(g.first), floorHalf(g.first+int64(g.a.Len()))
	prec := g.a.Prec()
	out := newGroups(delta, first, int(last-first)+1, prec, g.tilt)
	out.scale = g.scale
	w := interval.Prec(prec) + 32
	down := roundedUp(w.Scale(g.tilt.weight(w, g.delta, -1), -1), prec+16) // half of the weight
	up := newRounded(new(big.Int), 0)
	half := uint(1)
	if far := g.tilt.weight(w, g.delta, 1); far.LessEqRat(widestStep) == interval.True {
		up = roundedUp(w.Scale(far, -1), prec+16)
	} else {
		half, down = 0, roundedUp(g.tilt.weight(w, g.delta, -1), prec+16)
	}
	x, z := new(big.Int), new(big.Int)
	put := func(v convolve.Vector, j int64, m *big.Int) { v.Add(int(j-first), m) }
	for k := range g.a.Len() {
		i := g.first + int64(k)
		if i&1 == 0 {
			put(out.a, i/2, g.a.Load(x, k))
			put(out.b, i/2, g.b.Load(x, k))
			continue
		}
		g.a.Load(x, k)
		x.Rsh(x, half)
		put(out.a, (i-1)/2, x)
		if half == 1 {
			put(out.a, (i+1)/2, x)
		}
		g.b.Load(x, k)
		put(out.b, (i-1)/2, down.of(z, x))
		if half == 1 {
			put(out.b, (i+1)/2, up.of(z, x))
		}
	}
	return out.fit()
}

// widestStep is the largest e^Δ by which double moves a group up.
var widestStep = big.NewRat(2, 1)

// suffixes are the sums A_j = Σ_{k≥j} a_k, exactly, and upper bounds of
// B_j = Σ_{k≥j} b_k·w_j/w_k in units of 2^(scale−prec−sumBits): w_j times the Q-mass of
// the groups from j on. They are kept at marks, as the suffixes of sums are.
type suffixes struct {
	*groups
	ratio rounded // w_j/w_(j+1), rounded up
	marks []suffix
}

// A suffix is what there is from group j on.
type suffix struct {
	j    int
	a, b *big.Int // A_j and B_j
}

// sumBits are the bits by which sums of Q-masses are longer than their terms, for the
// rounding of Horner's rule B_j = b_j + B_(j+1)·w_j/w_(j+1).
const sumBits = 32

func (g *groups) suffixes() *suffixes {
	n := g.a.Len()
	w := interval.Prec(g.a.Prec()) + 2*sumBits
	s := &suffixes{groups: g, marks: make([]suffix, (n+stride-1)/stride+1)}
	s.ratio = roundedUp(g.tilt.weight(w, g.delta, -1), g.a.Prec()+sumBits)
	s.marks[len(s.marks)-1] = suffix{n, new(big.Int), new(big.Int)}
	for k := len(s.marks) - 2; k >= 0; k-- {
		s.marks[k] = s.down(s.marks[k+1], k*stride)
	}
	return s
}

// at returns the sums from group j on.
func (s *suffixes) at(j int) suffix { return s.down(s.marks[(j+stride-1)/stride], j) }

// down runs from x to a group before.
func (s *suffixes) down(x suffix, j int) suffix {
	out := suffix{j, new(big.Int).Set(x.a), new(big.Int).Set(x.b)}
	m := new(big.Int)
	for i := x.j - 1; i >= j; i-- {
		out.a.Add(out.a, s.a.Load(m, i))
		out.b = s.ratio.of(new(big.Int), out.b)
		out.b.Add(out.b, m.Lsh(s.b.Load(m, i), sumBits))
	}
	return out
}

// atLeast returns an enclosure whose lower end bounds Σ (a_k − e^ε·Q_k)₊ from below:
// the sum over k ≥ j for some j near ε/Δ, whichever is best.
func (s *suffixes) atLeast(w interval.Prec, e interval.Interval) interval.Interval {
	n := s.a.Len()
	t := w.Sub(w.Div(e, w.Rat(s.delta)), interval.Int(s.first))
	mid := interval.IndexAbove(w.Mid(t).Lo(), n)
	alpha := w.Exp(e)
	best := interval.Int(0)
	for j := max(mid-2, 0); j <= min(mid+2, n); j++ {
		from := s.at(j)
		q := w.Scale(w.Div(w.BigInt(from.b), s.tilt.weight(w, s.delta, s.first+int64(j))), int(s.scale)-sumBits)
		d := w.Sub(w.BigInt(from.a), w.Mul(alpha, q))
		best = interval.Max(best, d)
	}
	return w.Scale(best, -int(s.a.Prec()))
}

func floorHalf(i int64) int64 { return i >> 1 }

func (g *groups) size() int { return g.a.Len() }
