// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// wordLeaves returns pairs cut into cells in words, and what the masses of these cells are at a precision at which
// nothing is lost.
func wordLeaves(t *testing.T, w interval.Prec) map[string][2]*leaf {
	t.Helper()
	gauss := func(num, den int64) pair.Product {
		return pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(num, den)}, Count: 1}}
	}
	out := make(map[string][2]*leaf)
	for _, c := range []struct {
		x pair.Pair
		m mesh
		n int
	}{
		{pair.Gaussian{Mu2: big.NewRat(1, 4)}, mesh{big.NewRat(1, 16), -40, 44}, 1 << 10},
		{pair.Gaussian{Mu2: big.NewRat(9, 1)}, mesh{big.NewRat(1, 3), -60, 75}, 16}, // cells of several widths
		{pair.Laplace{Shift: big.NewRat(1, 2)}, mesh{big.NewRat(1, 32), -20, 20}, 1 << 10},
		{pair.Laplace{Shift: big.NewRat(1, 3)}, mesh{big.NewRat(1, 24), -20, 20}, 1 << 10}, // atoms that no words hold
		{pair.Logistic{Shift: big.NewRat(2, 1)}, mesh{big.NewRat(1, 8), -18, 18}, 64},      // tails in no words
		{pair.Sampled{Rate: big.NewRat(1, 100), Base: gauss(1, 16)}, mesh{big.NewRat(1, 1<<12), -42, 90}, 1 << 12},
		{pair.Sampled{Rate: big.NewRat(1, 3), Base: gauss(1, 1)}, mesh{big.NewRat(1, 64), -27, 300}, 1 << 8},
	} {
		o := orient(c.x)
		tails, ok := closed.PairTails(o.pair)
		if !ok {
			t.Fatalf("%s has no tails", c.x)
		}
		l, err := newTails(o, tails).cells(t.Context(), c.m, c.n, w)
		if err != nil || len(l.words) == 0 {
			t.Fatalf("%s: %d cells in words, %v", c.x, len(l.words), err)
		}
		truth := *l
		truth.words = nil
		at := func(i int64) (p, q interval.Interval) {
			key := fmt.Sprint(c.x, i)
			y, ok := wideTails[key]
			if !ok {
				y[0], y[1] = tails(wide, closed.RatArg(wide, c.m.at(i)))
				wideTails[key] = y
			}
			return y[0], y[1]
		}
		for _, x := range l.words {
			p0, q0 := at(x.lo)
			p1, q1 := at(x.hi)
			truth.cells = append(truth.cells, cell{x.lo, x.hi, mass(wide, p0, p1), mass(wide, q0, q1)})
		}
		one := interval.Int(1)
		p0, q0 := at(c.m.lo)
		truth.below = cell{p: mass(wide, one, p0), q: mass(wide, one, q0)}
		if !l.above.p.IsZero() {
			truth.above.p, truth.above.q = at(c.m.hi)
		}
		name := fmt.Sprint(c.x)
		back := truth.reverse()
		slices.Reverse(back.cells) // into the order of words
		out[name], out[name+reversedName] = [2]*leaf{l, &truth}, [2]*leaf{l.reverse(), back}
	}
	return out
}

// wideTails remembers tails.
var wideTails = make(map[string][2]interval.Interval)

const reversedName = ", reversed"

var wordPrecisions = []struct {
	w    interval.Prec
	prec uint
}{{8, 3}, {24, 8}, {105, 61}, {167, 123}, {wordPrec, maxWordPrec}}

// TestUpperInWords: the masses up to any point add up to at most what they stand for; to a unit less at most and what
// the enclosures of 16 cells are wide, and by intervals of the same cells likewise, unless they are multiplied by large
// numbers, as the tails next to 1 of a reversed pair are.
func TestUpperInWords(t *testing.T) {
	for _, set := range testkit.Few(2, wordPrecisions) {
		for name, l := range wordLeaves(t, set.w) {
			words, truth := l[0], l[1]
			got, want, spec := words.upper(set.w, set.prec), truth.upper(wide, 400), words.inIntervals().upper(set.w+200, set.prec)
			lost, more := new(big.Int), new(big.Int)
			unit := new(big.Int).Lsh(big.NewInt(1), 400-set.prec)
			units := big.NewInt(2 + int64(len(words.words))/16)
			for i := words.lo; i <= words.hi; i++ {
				m := entry(got.v, i-got.first)
				lost.Add(lost, entry(want.v, i-want.first)).Sub(lost, new(big.Int).Mul(m, unit))
				if lost.Sign() < 0 {
					t.Fatalf("%s, %d bits: the masses up to point %d are %d more than in truth", name, set.w, i, lost.Neg(lost))
				}
				more.Add(more, m).Sub(more, entry(spec.v, i-spec.first))
				if set.w < 100 || strings.HasSuffix(name, reversedName) {
					continue
				}
				if lost.Cmp(new(big.Int).Mul(unit, units)) > 0 || more.CmpAbs(units) > 0 {
					t.Fatalf("%s, %d bits: the masses up to point %d are %d/%d units less than in truth, %d more than in intervals", name, set.w, i, lost, unit, more)
				}
			}
		}
	}
}

// entry returns m_i, 0 outside of v.
func entry(v convolve.Vector, i int64) *big.Int {
	if i < 0 || i >= int64(v.Len()) {
		return new(big.Int)
	}
	return v.At(int(i))
}

// TestLowerInWords: P-masses of groups are at most what they stand for, and weighted Q-masses at least, for the
// split that was chosen; both by at most two units for every part. Intervals choose the same split, next to.
func TestLowerInWords(t *testing.T) {
	for _, set := range testkit.Few(2, wordPrecisions) {
		for name, l := range wordLeaves(t, set.w) {
			words, truth := l[0], l[1]
			for _, tl := range []tilt{untilted, byLoss} {
				spec := words.inIntervals()
				n := int(words.hi-words.lo) + 1
				got := newGroups(words.delta, words.lo, n, set.prec, tl)
				back := newGroups(words.delta, words.lo, n, set.prec, tl)
				if tl == untilted {
					words.addWords(tl, got, back)
				} else {
					words.addWords(tl, got)
				}
				want := newWideGroups(words.mesh, tl)
				inverse := three.Inv(three.Rat(words.delta))
				parts := make([]int64, n)
				for k := range words.words {
					i, f := words.words[k].split(inverse)
					si, sf := spec.split(spec.cells[k])
					if d := (i-si)<<splitBits + f - sf; set.w > 100 && max(d, -d) > 1<<4 {
						t.Errorf("%s: a cell is split at %d and %d·2^−30 in words, at %d and %d in intervals", name, i, f, si, sf)
					}
					c := truth.cells[k]
					want.add(i, splitOne-f, c)
					parts[i-words.lo]++
					if f > 0 {
						want.add(i+1, f, c)
						parts[i+1-words.lo]++
					}
				}
				for k := range n {
					p, q := want.p[k], want.q[k]
					if g := got; wide.Scale(wide.BigInt(g.a.At(k)), -int(set.prec)).LessEq(p) == interval.False {
						t.Fatalf("%s, %d bits, tilt %d: group %d has the P-mass %v, more than %v", name, set.w, tl, k, g.a.At(k), p)
					} else if b := wide.Scale(wide.BigInt(g.b.At(k)), -int(set.prec)); b.LessRat(ratOne) == interval.True && g.a.At(k).Sign() > 0 && q.LessEq(b) == interval.False {
						t.Fatalf("%s, %d bits, tilt %d: group %d has the Q-mass %v, less than %v", name, set.w, tl, k, b, q)
					}
					room := wide.Scale(interval.Int(2*parts[k]), -int(set.prec))
					if set.w > 100 {
						if p.LessEq(wide.Add(wide.Scale(wide.BigInt(got.a.At(k)), -int(set.prec)), room)) == interval.False {
							t.Fatalf("%s, %d bits: group %d has the P-mass %v of %v", name, set.w, k, got.a.At(k), p)
						}
						if b := wide.Scale(wide.BigInt(got.b.At(k)), -int(set.prec)); b.LessEq(wide.Add(q, room)) == interval.False {
							t.Fatalf("%s, %d bits, tilt %d: group %d has the Q-mass %v for %v", name, set.w, tl, k, b, q)
						}
					}
					if tl == untilted {
						if back.b.At(k).Cmp(got.a.At(k)) < 0 || back.a.At(k).Cmp(got.b.At(k)) > 0 {
							t.Fatalf("%s, %d bits: group %d is empty between its bounds", name, set.w, k)
						}
						if wide.Scale(wide.BigInt(back.a.At(k)), -int(set.prec)).LessEq(q) == interval.False {
							t.Fatalf("%s, %d bits: group %d has a Q-mass above the truth from below", name, set.w, k)
						}
					}
				}
			}
		}
	}
}

const wide = interval.Prec(420)

// wideGroups are groups in intervals: P-masses and weighted Q-masses.
type wideGroups struct {
	mesh
	tilt tilt
	p, q []interval.Interval
}

func newWideGroups(m mesh, t tilt) *wideGroups {
	n := int(m.hi-m.lo) + 1
	return &wideGroups{m, t, make([]interval.Interval, n), make([]interval.Interval, n)}
}

func (g *wideGroups) add(i, f int64, c cell) {
	k := i - g.lo
	part := func(x interval.Interval) interval.Interval {
		return wide.Scale(wide.Mul(x, interval.Int(f)), -splitBits)
	}
	g.p[k] = wide.Add(g.p[k], part(c.p))
	q := part(c.q)
	if g.tilt == byLoss {
		q = wide.Mul(q, wide.Exp(wide.Rat(g.at(i))))
	}
	g.q[k] = wide.Add(g.q[k], q)
}

// TestFullGroupsInWords: a Q-mass that would exceed 1 is 1 where it is not tilted; where it is, its part is dropped
// with its P-mass.
func TestFullGroupsInWords(t *testing.T) {
	const prec = 10
	least, half, most := three.Rat(big.NewRat(1, 4)), three.Rat(big.NewRat(1, 2)), three.Rat(big.NewRat(7, 8))
	for _, c := range []struct {
		tilt   tilt
		q      fixed.Real
		weight int64
		a, b   int64
	}{
		{untilted, half, 1, 2 << 9, 1 << 10}, {untilted, most, 1, 2 << 9, 1 << 10}, {untilted, fixed.Unknown(), 1, 2 << 9, 1 << 10}, {untilted, fixed.Int(2), 1, 2 << 9, 1 << 10},
		{byLoss, least, 1, 2 << 9, 2<<8 + 2}, {byLoss, most, 1, 1 << 9, 7<<7 + 1}, {byLoss, half, 4, 0, 0}, {byLoss, fixed.Unknown(), 1, 0, 0}, // a product is rounded up
	} {
		g := newGroups(big.NewRat(1, 1), 0, 2, prec, c.tilt)
		for range 2 {
			g.addWords(0, 0, half, c.q, &[2]fixed.Real{fixed.Int(c.weight), fixed.Int(c.weight)})
		}
		if a, b := g.a.At(0), g.b.At(0); a.Cmp(big.NewInt(c.a)) != 0 || b.Cmp(big.NewInt(c.b)) != 0 {
			t.Errorf("tilt %d, Q-mass %v, weight %d: groups of %d and %d units, want %d and %d", c.tilt, c.q.Interval(), c.weight, a, b, c.a, c.b)
		}
	}
}

// TestWideMassesInWords: the lower end of a P-mass and the upper end of a Q-mass enter groups.
func TestWideMassesInWords(t *testing.T) {
	const prec = 10
	between := func(lo, hi string) fixed.Real {
		return fixed.FromInterval(interval.Union(wide.Rat(rat(lo)), wide.Rat(rat(hi))))
	}
	for _, f := range []int64{0, splitOne / 2} {
		g := newGroups(big.NewRat(1, 1), 0, 2, prec, untilted)
		one := fixed.Int(1)
		g.addWords(0, f, between("1/8", "1/4"), between("1/2", "3/4"), &[2]fixed.Real{one, one})
		// The enclosures reach a little beyond these ends.
		if a, b := g.a.Sum().Int64(), g.b.Sum().Int64(); a < 1<<7-2 || a > 1<<7 || b < 3<<8 || b > 3<<8+2 {
			t.Errorf("groups of %d and %d units for at least %d and at most %d", a, b, 1<<7, 3<<8)
		}
	}
}

// TestSplitsOfEmptyCells: without P-mass a cell is at its lower end, without Q-mass at its upper one.
func TestSplitsOfEmptyCells(t *testing.T) {
	inverse := fixed.Int(1)
	zero, one, below := fixed.Real{}, fixed.Int(1), fixed.Int(-1)
	for _, c := range []struct {
		p, q fixed.Real
		want int64
	}{{zero, one, -3}, {below, one, -3}, {fixed.Unknown(), one, -3}, {one, zero, 5}, {one, below, 5}, {zero, zero, -3}, {one, three.Exp(fixed.Int(7)), -3}, {three.Exp(fixed.Int(7)), one, 5}} {
		if i, f := (&wordCell{-3, 5, c.p, c.q}).split(inverse); i != c.want || f != 0 {
			t.Errorf("masses %v, %v: split at %d and %d·2^−30, want %d", c.p.Interval(), c.q.Interval(), i, f, c.want)
		}
	}
}

// TestWordsReach: cells are in words up to the precision and the losses that words hold, and in intervals beyond.
func TestWordsReach(t *testing.T) {
	x := pair.Gaussian{Mu2: big.NewRat(1, 1)}
	tails, _ := closed.PairTails(x)
	s := newTails(orient(x), tails)
	for _, c := range []struct {
		m    mesh
		w    interval.Prec
		want bool
	}{
		{mesh{big.NewRat(1, 2), -4, 4}, wordPrec, true}, {mesh{big.NewRat(1, 2), -4, 4}, wordPrec + 1, false},
		{mesh{big.NewRat(1<<17, 1), -7, 7}, 64, true}, {mesh{big.NewRat(1<<17, 1), -8, 7}, 64, false}, {mesh{big.NewRat(1<<17, 1), -7, 8}, 64, false},
	} {
		l, err := s.cells(context.Background(), c.m, 16, c.w)
		if err != nil || len(l.words) > 0 != c.want || len(l.cells) > 0 == c.want {
			t.Errorf("%d bits, %v: %d cells in words, %d in intervals, %v", c.w, c.m, len(l.words), len(l.cells), err)
		}
	}
	// Masses of more bits than words hold are made of intervals.
	l, err := s.cells(context.Background(), mesh{big.NewRat(1, 2), -4, 4}, 16, wordPrec)
	if err != nil {
		t.Fatal(err)
	}
	const prec = maxWordPrec + 1
	spec := l.inIntervals()
	if a, b := l.upper(256, prec), spec.upper(256, prec); a.v.Sum().Cmp(b.v.Sum()) != 0 || a.v.Len() != b.v.Len() {
		t.Error("upper bounds of long masses differ")
	}
	if a, b := l.lower(prec, byLoss), spec.lower(prec, byLoss); a.a.Sum().Cmp(b.a.Sum()) != 0 || a.b.Sum().Cmp(b.b.Sum()) != 0 {
		t.Error("lower bounds of long masses differ")
	}
	if a, b := l.bracket(prec), spec.bracket(prec); a.forth.a.Sum().Cmp(b.forth.a.Sum()) != 0 || a.back.b.Sum().Cmp(b.back.b.Sum()) != 0 {
		t.Error("brackets of long masses differ")
	}
}

// TestHalvingIsTheSame: in words and in intervals, cells are the same.
func TestHalvingIsTheSame(t *testing.T) {
	x := pair.Sampled{Rate: big.NewRat(1, 3), Base: pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 1)}, Count: 1}}}
	tails, _ := closed.PairTails(x)
	s := newTails(orient(x), tails)
	m := mesh{big.NewRat(1, 1<<10), -415, 5000}
	words, err := s.wordPoints(t.Context(), m, 100, 105)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := s.points(t.Context(), m, 100, 105)
	if err != nil || len(slow) != len(words) || len(slow) < 100 || len(slow) > 2000 {
		t.Fatalf("%d points, %d in words, %v", len(slow), len(words), err)
	}
	for k := range slow {
		if slow[k].i != words[k].i {
			t.Fatalf("point %d is %d, and %d in words", k, slow[k].i, words[k].i)
		}
		if p := words[k].tail.p.Interval(); p.Less(slow[k].tail[0]) == interval.True || slow[k].tail[0].Less(p) == interval.True {
			t.Fatalf("at point %d the tails are %v, and %v in words", k, slow[k].tail[0], p)
		}
	}
}
