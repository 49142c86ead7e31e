// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"fmt"
	"math/big"
	"sync"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
)

// A Shape says which buckets a leaf has.
type Shape struct {
	N    int      // last bucket index before ∞; even, > 0
	Eta  *big.Rat // bucket factor e^Eta, > 0
	Prec uint     // fraction bits of masses, ≥ 2
}

// An Event of a leaf is a set of outcomes of one bucket, with enclosures of its
// masses. The bucket is f^(Index−1) < P/Q ≤ f^Index for −N < Index ≤ N, P/Q ≤ f^−N for
// Index = −N and P/Q > f^N for Index > N.
type Event struct {
	Index int
	P, Q  interval.Interval
	// Low says that P/Q ≤ f^(Index−1) is possible too; P/Q ≤ f^Index is not in doubt.
	Low bool
	// Border says that P/Q = f^Index exactly.
	Border bool
}

// A builder collects the events of a leaf, a pair that consists of them (Definitions 4 and 7):
// B, R and V sum up the masses of each bucket, and u = 1; u = 0 if all
// events of finite buckets are on borders.
//
// Outcomes may be left out, and those with P = 0 are: they only weaken a lower
// bound. The invariants hold, with R* = P_B and D = ιη − L but for:
//
//   - bucket −n: R* = P_A·f^n ≤ P_B and D = 0, as ℓ(−n) = 0 demands;
//   - an event that may lie lower than its bucket: R* = P_A/f^ι ≤ P_B and D = 0, that
//     is, no EC term.
//
// In the bucket of the first case L ≤ −nη by definition, in the second one L ≤ ιη.
// Elsewhere D < η, since P_A > f^(ι−1)·P_B; and D = 0 on a border.
//
// Goroutines may add to disjoint sets of
// buckets at the same time, each with its own cursor.
type builder struct {
	Shape
	w       interval.Prec
	b, r, v column // of buckets −N … N
	total   cursor // sums of all cursors
}

// A column holds masses of a leaf, narrow ones but for those that are 1.
type column struct {
	v    convolve.Vector
	mu   sync.Mutex
	ones []int
}

// check panics unless the shape is valid.
func (s Shape) check() {
	if s.N <= 0 || s.N%2 != 0 || s.Eta.Sign() <= 0 || s.Prec < interval.MinPrec {
		panic(fmt.Sprintf("bucket: internal error: leaf with n = %d, η = %s and %d bits", s.N, s.Eta.RatString(), s.Prec))
	}
}

func newBuilder(s Shape) *builder {
	s.check()
	l := &builder{Shape: s, w: workingPrec(s.Prec)}
	for _, c := range []*column{&l.b, &l.r, &l.v} {
		c.v = convolve.NewNarrow(2*s.N+1, s.Prec)
	}
	l.total = *l.cursor()
	return l
}

// A cursor adds events, best in rising order of their index.
type cursor struct {
	l         *builder
	infP      *big.Int
	infQ      *big.Int
	misplaced bool // some event of a finite bucket is not on its border
}

func (l *builder) cursor() *cursor {
	return &cursor{l: l, infP: new(big.Int), infQ: new(big.Int)}
}

func (c *cursor) add(e Event) {
	l := c.l
	if e.P.IsZero() {
		return
	}
	i := max(e.Index, -l.N)
	if i > l.N {
		c.infP.Add(c.infP, interval.FloorScaled(e.P, l.Prec))
		c.infQ.Add(c.infQ, interval.CeilScaled(e.Q, l.Prec))
		return
	}
	k := i + l.N
	l.b.add(k, interval.FloorScaled(e.P, l.Prec))
	l.v.add(k, interval.CeilScaled(e.Q, l.Prec))
	if i == -l.N {
		return
	}
	if e.Low {
		l.r.add(k, interval.FloorScaled(l.w.Mul(e.P, power(l.w, times(-i, l.Eta))), l.Prec))
		return
	}
	l.r.add(k, interval.FloorScaled(e.Q, l.Prec))
	c.misplaced = c.misplaced || !e.Border
}

// add adds x to entry k, which is kept at 1 if that is more: all true masses are at
// most 1. What is 1 stays 1, whatever the vector holds.
func (c *column) add(k int, x *big.Int) {
	if x.Sign() == 0 {
		return
	}
	x.Add(x, c.v.At(k))
	if most := one(c.v.Prec()); x.Cmp(most) > 0 {
		x = most
	}
	if !c.v.Fits(x) {
		c.mu.Lock()
		c.ones = append(c.ones, k)
		c.mu.Unlock()
		return
	}
	c.v.Set(k, x)
}

// masses returns the column, whose first entry is bucket −n's.
func (c *column) masses(n int) *masses {
	m := massesOf(-n, c.v)
	for _, k := range c.ones {
		m.set(k, one(c.v.Prec()))
	}
	return m.trim()
}

// join adds the sums of a cursor.
func (l *builder) join(c *cursor) {
	l.total.infP.Add(l.total.infP, c.infP)
	l.total.infQ.Add(l.total.infQ, c.infQ)
	l.total.misplaced = l.total.misplaced || c.misplaced
}

// tree returns the leaf. Its highest bucket is the highest one with P_A-mass that
// was not rounded away, and it counts as open: callers that know better say so.
func (l *builder) tree() *Tree {
	t := &Tree{n: l.N, eta: l.Eta, u: new(big.Rat), top: l.N, open: true}
	if l.total.misplaced {
		t.u.SetInt64(1)
	}
	t.b = l.b.masses(l.N)
	t.r = l.r.masses(l.N)
	t.v = l.v.masses(l.N)
	t.far = infinity{capped(l.total.infP, l.Prec), capped(l.total.infQ, l.Prec)}
	t.over = infinity{new(big.Int), new(big.Int)}
	t.drift = t.leafDrift()
	t.resetReal()
	t.checkVirtual()
	return t
}

// closed says that all P_A-mass is in the buckets up to top.
func (t *Tree) closed(top int) { t.top, t.open = top, false }

// leafDrift returns the drift of a leaf whose vectors are complete but for R(−n).
//
// For an event of bucket i > −n whose D is ιη − L, E = P_B − P_A/f^i is its virtual EC term,
// and P_A = ∫e^L dB = f^i·∫e^−D dB over the event, so that
//
//	E = ∫(1 − e^−D) dB,   f^i·E = ∫(e^D − 1) dA,
//
// and 0 ≤ D ≤ η gives D − D²/2 ≤ 1 − e^−D ≤ D and D ≤ e^D − 1 ≤ D + e^η·D²/2. With sums over
// events in i > −n,
//
//	ΣE ≤ E_B[D] ≤ ΣE + η²/2,   Σf^i·E − e^η·η²/2 ≤ E_A[D] ≤ Σf^i·E.
//
// An event with D = 0 instead has E ≥ 0, which keeps the bounds from above; for those
// from below its R = P_A/f^i stands for P_B, and counts 0. So V bounds ΣE and Σf^i·E from above and R
// from below, where P_A lies above B by no more in all than the finite buckets lack,
// 1 − ΣB − B(∞), in some bucket.
func (t *Tree) leafDrift() drift {
	const w = driftPrec
	zero := interval.Int(0)
	if t.u.Sign() == 0 {
		return drift{zero, zero, zero}
	}
	n, prec := t.n, t.Prec()
	v := workingPrec(prec) + 64
	// Σ m_i·e^(−siη) over i > −n
	weighted := func(m *masses, s int) interval.Interval {
		from, to := max(1-n, m.first), m.last()+1
		i := from
		if s < 0 {
			i = to - 1
		}
		if from >= to {
			return zero
		}
		return v.Mul(m.discounted(t.eta, from, to, s), power(v, times(-s*i, t.eta)))
	}
	lack := one(prec)
	lack.Sub(lack, t.b.v.Sum())
	lack.Sub(lack, t.known())
	lost := interval.Union(zero, v.BigInt(lack))
	// ΣE = ΣP_B − ΣP_A/f^i and Σf^i·E = Σf^i·P_B − ΣP_A
	between := func(lo, hi interval.Interval) interval.Interval { return interval.Bounds(lo.Lo(), hi.Hi()) }
	p, q := v.BigInt(t.b.sum(1-n, n+1)), between(v.BigInt(t.r.sum(1-n, n+1)), v.BigInt(t.v.sum(1-n, n+1)))
	pf := v.Add(weighted(t.b, 1), v.Mul(lost, power(v, times(n, t.eta))))
	qf := between(weighted(t.r, -1), weighted(t.v, -1))
	eB := w.Scale(w.Round(v.Sub(q, pf)), -int(prec))
	eA := w.Scale(w.Round(v.Sub(qf, v.Add(p, lost))), -int(prec))

	eta := w.Rat(t.eta)
	half := w.Scale(w.Sqr(eta), -1)
	// 0 ≤ D ≤ η, whatever the sums say.
	within := func(x interval.Interval) interval.Interval { return interval.Max(zero, interval.Min(x, eta.Upper())) }
	meanB := within(w.Add(eB, interval.Union(zero, half)))
	meanA := within(w.Sub(eA, interval.Union(zero, w.Mul(half, power(w, t.eta)))))
	return drift{meanA, meanB, w.Scale(w.Sqr(eta), -2).Upper()}
}
