// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/interval"
)

// exactGroups are groups in exact rationals: what groups bound.
type exactGroups struct {
	first int64
	p, q  []*big.Rat
}

func newExactGroups(first int64, n int) *exactGroups {
	x := &exactGroups{first: first, p: make([]*big.Rat, n), q: make([]*big.Rat, n)}
	for k := range n {
		x.p[k], x.q[k] = new(big.Rat), new(big.Rat)
	}
	return x
}

func (x *exactGroups) add(i int64, share, p, q *big.Rat) {
	k := i - x.first
	x.p[k].Add(x.p[k], new(big.Rat).Mul(share, p))
	x.q[k].Add(x.q[k], new(big.Rat).Mul(share, q))
}

func (x *exactGroups) times(y *exactGroups) *exactGroups {
	out := newExactGroups(x.first+y.first, len(x.p)+len(y.p)-1)
	for i := range x.p {
		for j := range y.p {
			out.add(out.first+int64(i+j), ratOne, new(big.Rat).Mul(x.p[i], y.p[j]), new(big.Rat).Mul(x.q[i], y.q[j]))
		}
	}
	return out
}

// double puts the share of an odd group that moves up into the group above.
func (x *exactGroups) double(up *big.Rat) *exactGroups {
	out := newExactGroups(floorHalf(x.first), len(x.p)/2+2)
	for k := range x.p {
		i := x.first + int64(k)
		if i&1 == 0 {
			out.add(i/2, ratOne, x.p[k], x.q[k])
			continue
		}
		out.add((i-1)/2, new(big.Rat).Sub(ratOne, up), x.p[k], x.q[k])
		out.add((i+1)/2, up, x.p[k], x.q[k])
	}
	return out
}

// TestTiltedGroupsBound: whatever is done to groups, P-masses are bounded from below and
// weighted Q-masses from above, or a group is dropped as a whole; and the sums of the lower
// bound are at most the sum over all groups, at any ε.
func TestTiltedGroupsBound(t *testing.T) {
	const w = interval.Prec(256)
	rng := rand.New(rand.NewPCG(7, 61))
	for _, prec := range []uint{2, 3, 5, 8, 61, 123} {
		for _, delta := range []string{"1/64", "1/3", "9/10", "5", "40"} {
			for _, by := range []tilt{untilted, byLoss} {
				t.Run(fmt.Sprintf("%d bits, spacing %s, tilt %d", prec, delta, by), func(t *testing.T) {
					d := rat(delta)
					n := 2 + rng.IntN(6)
					first := int64(rng.IntN(9) - 6)
					g, x := newGroups(d, first, n+1, prec, by), newExactGroups(first, n+1)
					left := big.NewRat(1, 1) // Q-mass: all of it is at most 1
					for range 2 * n {
						i, f := first+int64(rng.IntN(n)), int64(rng.IntN(splitOne))
						p, q := big.NewRat(rng.Int64N(100), 1000), big.NewRat(rng.Int64N(100), 1000)
						if rng.IntN(2) == 0 { // the loss is about the index
							q, _ = w.Mul(w.Rat(p), by.weight(w, d, -i)).UpperRat()
						}
						if half := new(big.Rat).Mul(left, big.NewRat(1, 2)); q.Cmp(half) > 0 {
							q = half
						}
						left.Sub(left, q)
						k := int(i - first)
						was := []*big.Int{g.b.At(k), g.b.At(k + 1)}
						g.add(i, f, cell{p: w.Rat(p), q: w.Rat(q)})
						for j, share := range []*big.Rat{big.NewRat(splitOne-f, splitOne), big.NewRat(f, splitOne)} {
							if q.Sign() == 0 || by == untilted || g.b.At(k+j).Cmp(was[j]) != 0 { // not dropped
								x.add(i+int64(j), share, p, q)
							}
						}
					}
					check := func(what string, g *groups, x *exactGroups) {
						t.Helper()
						all := interval.Int(0)
						e := w.Rat(big.NewRat(rng.Int64N(400)-200, 7))
						for k := range x.p {
							all = w.Add(all, interval.Max(interval.Int(0), w.Sub(w.Rat(x.p[k]), w.Mul(w.Exp(e), w.Rat(x.q[k])))))
							j := int(x.first + int64(k) - g.first)
							if j < 0 || j >= g.a.Len() || g.a.IsZero(j) {
								continue
							}
							a := w.Scale(w.BigInt(g.a.At(j)), -int(prec))
							b := w.Scale(w.BigInt(g.b.At(j)), int(g.scale)-int(prec))
							if a.LessEqRat(x.p[k]) != interval.True {
								t.Errorf("%s: P-mass %s of group %d is above %s", what, a, k, x.p[k].FloatString(9))
							}
							if b.Less(w.Mul(by.weight(w, g.delta, x.first+int64(k)), w.Rat(x.q[k]))) == interval.True {
								t.Errorf("%s: weighted Q-mass %s of group %d is below the Q-mass of %s", what, b, k, x.q[k].FloatString(9))
							}
						}
						if y := g.suffixes().atLeast(w, e); all.Less(y) == interval.True {
							t.Errorf("%s: at least %s of %s at ε = %s", what, y, all, e)
						}
					}
					up := big.NewRat(1, 2)
					if by == byLoss && d.Cmp(rat("7/10")) >= 0 {
						up = new(big.Rat)
					}
					check("added", g, x)
					g = g.fit()
					check("fitted", g, x)
					h, err := g.product(ctx, g)
					if err != nil {
						t.Fatal(err)
					}
					y := x.times(x)
					check("squared", h, y)
					check("doubled", g.double(), x.double(up))
					check("squared and doubled", h.double(), y.double(up))
					check("doubled and trimmed", h.coarsen(), y.double(up))
				})
			}
		}
	}
}

// TestRoundedUp: a factor, and what is multiplied by it, are rounded up, by little.
func TestRoundedUp(t *testing.T) {
	for _, x := range []string{"1/3", "1/1000", "1", "7/2", "1/4"} {
		for _, bits := range []uint{2, 8, 40} {
			enclosure := interval.Union(interval.Prec(64).Rat(rat(x)), interval.Prec(64).Rat(rat("1/5000")))
			f := roundedUp(enclosure, bits)
			for _, q := range []int64{0, 1, 2, 3, 1000, 1 << 40} {
				got := f.of(new(big.Int), big.NewInt(q))
				want := new(big.Rat).Mul(rat(x), new(big.Rat).SetInt64(q))
				if new(big.Rat).SetInt(got).Cmp(want) < 0 {
					t.Errorf("%d times %s is %v with %d bits", q, x, got, bits)
				}
				most := new(big.Rat).Mul(want, new(big.Rat).Add(ratOne, interval.Pow2(2-int(bits))))
				if most.Add(most, ratOne); new(big.Rat).SetInt(got).Cmp(most) > 0 || q == 0 && got.Sign() != 0 {
					t.Errorf("%d times %s is as much as %v with %d bits", q, x, got, bits)
				}
			}
		}
	}
}

// TestFitKeepsBounds: the unit of Q-masses grows until products fit, and no mass shrinks.
func TestFitKeepsBounds(t *testing.T) {
	for _, prec := range []uint{61, 123} {
		one := new(big.Int).Lsh(big.NewInt(1), prec)
		g := newGroups(rat("1/8"), 0, 40, prec, byLoss)
		for k := range g.a.Len() {
			g.a.Set(k, big.NewInt(1))
			g.b.Set(k, new(big.Int).Sub(one, big.NewInt(int64(k))))
		}
		f := g.fit()
		if f.scale == 0 {
			t.Fatalf("%d bits: a sum of 40 stays as it is", prec)
		}
		for k := range g.a.Len() {
			if x := f.b.At(k); x.Lsh(x, f.scale).Cmp(g.b.At(k)) < 0 {
				t.Errorf("%d bits: mass %d shrinks from %v to %v", prec, k, g.b.At(k), x)
			}
		}
		h, err := f.product(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		// 40² of sums less than 1 each, whatever the unit.
		if sum := h.b.Sum(); sum.Lsh(sum, h.scale).Cmp(new(big.Int).Mul(one, big.NewInt(1599))) < 0 {
			t.Errorf("%d bits: a product of masses of 40 and 40 has %v", prec, sum)
		}
	}
}

// TestTiltedLowerBoundFarOut: at an ε beyond the bits of a word, the lower bound of a
// composition still is one: 2^30·e^−44 of a mass in 61 bits is nothing.
func TestTiltedLowerBoundFarOut(t *testing.T) {
	f := truths(t)["Laplace(3)^20"]
	g, ok, err := NewGrid(ctx, f.prod, Settings{Points: 1 << 10, Prec: 61, Cut: 50, Limit: 1 << 14})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	y, err := g.Delta(ctx, 64, interval.RealRat(rat("48")))
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.f(ctx, 64, interval.RealRat(rat("48")))
	if err != nil {
		t.Fatal(err)
	}
	if !meets(y, want) || y.RelativeBits(64) < 3 {
		t.Errorf("δ(48) = %s, want %s to some bits", y, want)
	}
}
