package pld

import (
	"context"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
)

// groups is a pair obtained by merging outcomes: group k has a P-mass of at least
// a_k and a Q-mass of at most b_k (in units of 2^−prec). Merging, and moving outcomes
// between groups independently of everything else, is post-processing, so for
// every set S of groups
//
//	δ(ε) ≥ Σ_{k∈S} (a_k − e^ε·b_k).
//
// Groups multiply like masses: of a product of groups the P-masses multiply and so
// do the Q-masses; a is rounded down and b up. Dropping a group as a whole keeps
// the bound. The index of a group is near its loss over Δ; nothing but the choice
// of S depends on it.
type groups struct {
	delta *big.Rat
	first int64
	a, b  convolve.Vector
}

func newGroups(delta *big.Rat, first int64, n int, prec uint) *groups {
	return &groups{delta: delta, first: first, a: convolve.NewVector(n, prec), b: convolve.NewVector(n, prec)}
}

// add puts the fraction f/2^splitBits of a cell into group i + 1 and the rest into
// group i: the fraction is one exact number for P and Q alike.
func (g *groups) add(i, f int64, c cell) {
	prec := g.a.Prec()
	p, q := floorScaled(c.p, prec), ceilScaled(c.q, prec)
	put := func(i, f int64) {
		if f == 0 {
			return
		}
		k := int(i - g.first)
		part := new(big.Int).Mul(p, big.NewInt(f))
		part.Rsh(part, splitBits)
		g.a.Set(k, part.Add(part, g.a.At(k)))
		part = new(big.Int).Mul(q, big.NewInt(f))
		part.Add(part, big.NewInt(splitOne-1))
		part.Rsh(part, splitBits)
		g.b.Set(k, part.Add(part, g.b.At(k)))
	}
	put(i+1, f)
	put(i, splitOne-f)
}

// ceilScaled returns ⌈hi(x)·2^prec⌉ for a probability x, at most 2^prec.
func ceilScaled(x interval.Interval, prec uint) *big.Int {
	hi := x.Hi()
	switch {
	case hi.Sign() <= 0:
		return new(big.Int)
	case hi.IsInf() || hi.MantExp(nil) > 0: // ≥ 1
		return new(big.Int).Lsh(big.NewInt(1), prec)
	case hi.MantExp(nil) < -int(prec):
		return big.NewInt(1)
	}
	n, acc := new(big.Float).SetMantExp(hi, int(prec)).Int(nil)
	if acc != big.Exact {
		n.Add(n, big.NewInt(1))
	}
	return n
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
	return &groups{g.delta, g.first + int64(lo), g.a.Slice(lo, hi), g.b.Slice(lo, hi)}
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
	return &groups{delta: g.delta, first: g.first + h.first, a: a, b: b}, nil
}

// coarsen doubles the spacing and drops what adds nothing.
func (g *groups) coarsen() *groups { return g.double().trim() }

// double doubles the spacing: an odd group goes to its two even neighbours in equal
// parts.
func (g *groups) double() *groups {
	delta := new(big.Rat).Add(g.delta, g.delta)
	first, last := floorHalf(g.first), floorHalf(g.first+int64(g.a.Len()))
	out := newGroups(delta, first, int(last-first)+1, g.a.Prec())
	one := big.NewInt(1)
	x, y := new(big.Int), new(big.Int)
	put := func(v convolve.Vector, j int64, m *big.Int) {
		k := int(j - first)
		v.Set(k, y.Add(v.Load(y, k), m))
	}
	for k := range g.a.Len() {
		i := g.first + int64(k)
		if i&1 == 0 {
			put(out.a, i/2, g.a.Load(x, k))
			put(out.b, i/2, g.b.Load(x, k))
			continue
		}
		g.a.Load(x, k)
		x.Rsh(x, 1)
		put(out.a, (i-1)/2, x)
		put(out.a, (i+1)/2, x)
		g.b.Load(x, k)
		x.Rsh(x.Add(x, one), 1)
		put(out.b, (i-1)/2, x)
		put(out.b, (i+1)/2, x)
	}
	return out
}

func floorHalf(i int64) int64 { return i >> 1 }

// suffixes are the exact sums A_j = Σ_{k≥j} a_k and B_j = Σ_{k≥j} b_k.
type suffixes struct {
	*groups
	sumA, sumB []*big.Int
}

func (g *groups) suffixes() *suffixes {
	n := g.a.Len()
	s := &suffixes{g, make([]*big.Int, n+1), make([]*big.Int, n+1)}
	s.sumA[n], s.sumB[n] = new(big.Int), new(big.Int)
	for j := n - 1; j >= 0; j-- {
		s.sumA[j] = new(big.Int).Add(s.sumA[j+1], g.a.At(j))
		s.sumB[j] = new(big.Int).Add(s.sumB[j+1], g.b.At(j))
	}
	return s
}

// atLeast returns an enclosure whose lower end bounds Σ (a_k − e^ε·b_k)₊ from below:
// the sum over k ≥ j for some j near ε/Δ, whichever is best.
func (s *suffixes) atLeast(w interval.Prec, e interval.Interval) interval.Interval {
	n := s.a.Len()
	t := w.Sub(w.Div(e, w.Rat(s.delta)), interval.Int(s.first))
	mid := clampIndex(w.Mid(t).Lo(), n)
	alpha := w.Exp(e)
	best := interval.Int(0)
	for j := max(mid-2, 0); j <= min(mid+2, n); j++ {
		d := w.Sub(w.BigInt(s.sumA[j]), w.Mul(alpha, w.BigInt(s.sumB[j])))
		best = interval.Max(best, d)
	}
	return w.Scale(best, -int(s.a.Prec()))
}
