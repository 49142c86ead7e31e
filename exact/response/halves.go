// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"cmp"
	"context"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
)

// Halves is the composition of unequal guarantees by meeting in the middle [after Horowitz &
// Sahni 1974], prepared for queries at many ε. The guarantees are dealt into two halves A and
// B, whose outcomes are enumerated and sorted by loss. With S the pairs of outcomes whose
// losses add up to more than t,
//
//	δ(t) = m + (1 − m)·Σ_{(a,b)∈S} (P_a·P_b − e^t·Q_a·Q_b), m = 1 − Π(1 − δ_i),
//
// and S is a range of B for each a, which grows as the loss of a does: one pass over both
// lists with running sums of the masses of B is enough.
//
// Losses. Keys are integers: n/scale is the loss, up to slack/scale. If the common
// denominator of all ε_i is short, it is the scale, and slack is 0: ties are ties. Otherwise each
// ε_i is rounded to the nearest multiple of 1/scale, which moves a loss by at most half of that for
// each of the guarantees. Pairs that a key does not tell from t by an enclosure of it are
// neither in S nor out of it, see Delta.
//
// Masses. An integer v stands for a mass of [v, v + ulps]·2^−prec. It starts as 1, and a
// factor of mass x ≤ 1 that is rounded down to u by at most e units turns v into
// ⌊v·u·2^−prec⌋. With V, U the masses in units, VU·2^−prec − vu·2^−prec = ((V − v)·U + v·(U − u))·2^−prec ≤ ulps + e,
// and rounding down loses less than 1: ulps grows by e + 1 with every factor.
type Halves struct {
	a, b  half
	prec  uint
	ulps  int64
	scale *big.Rat
	slack int64
	m     interval.Interval
}

// A half is a list of outcomes, sorted by key, with their masses under P and Q.
type half struct {
	keys []int64
	p, q []big.Word // so many words for each
	n    int        // words of a mass
}

func (h *half) load(v []big.Word, i int, x *big.Int) *big.Int {
	return x.SetBits(v[i*h.n : (i+1)*h.n : (i+1)*h.n])
}

const (
	// maxKeyBits leaves room for sums of keys, thresholds and slack.
	maxKeyBits = 60
	// maxHalvesCount bounds the guarantees, hence the slack.
	maxHalvesCount = 1 << 24
)

// HalvesSize returns the number of outcomes of the larger half and the fraction bits of
// masses for about p settled bits; false if that is more than limit outcomes.
func HalvesSize(p interval.Prec, gs []Guarantee, limit int64) (int64, uint, bool) {
	_, na, nb, ok := deal(gs, limit)
	if !ok {
		return 0, 0, false
	}
	// e^t multiplies errors of Q-masses, and t < Σε_i ≤ 1.5·log 2·Σε_i for all t of interest.
	extra := new(big.Rat).Mul(total(gs), big.NewRat(3, 2))
	const most = 1 << 14
	if extra.Cmp(big.NewRat(most, 1)) > 0 {
		return 0, 0, false
	}
	e := new(big.Int).Quo(extra.Num(), extra.Denom()).Int64()
	return max(na, nb), uint(p) + uint(e) + 64 + 2*uint(bits.Len64(uint64(na+nb))), true
}

// deal marks the guarantees of the first half so that both have about as many outcomes.
func deal(gs []Guarantee, limit int64) (first []bool, na, nb int64, ok bool) {
	order := make([]int, len(gs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(gs[j].Count, gs[i].Count) })
	first = make([]bool, len(gs))
	na, nb = 1, 1
	count := int64(0)
	for _, i := range order {
		if gs[i].Eps.Sign() == 0 {
			continue
		}
		n := &nb
		if na <= nb {
			n, first[i] = &na, true
		}
		if gs[i].Count >= limit || *n > limit/(gs[i].Count+1) {
			return nil, 0, 0, false
		}
		*n *= gs[i].Count + 1
		count += gs[i].Count
	}
	return first, na, nb, count <= maxHalvesCount
}

// NewHalves prepares the composition for about p settled bits, with at most limit outcomes in
// either half; false if there would be more. The error is ctx's, or a *convolve.MemoryError.
func NewHalves(ctx context.Context, p interval.Prec, gs []Guarantee, limit int64) (*Halves, bool, error) {
	_, prec, ok := HalvesSize(p, gs, limit)
	if !ok {
		return nil, false, nil
	}
	h, err := newHalves(ctx, prec, gs, limit)
	return h, err == nil, err
}

// newHalves is NewHalves with masses of prec fraction bits.
func newHalves(ctx context.Context, prec uint, gs []Guarantee, limit int64) (*Halves, error) {
	first, na, nb, _ := deal(gs, limit)
	h := &Halves{prec: prec, m: infinite(interval.Prec(prec)+32, gs)}
	h.a, h.b = oneOutcome(prec), oneOutcome(prec)
	// Two lists of masses and keys; while one is made or sorted, it is there twice.
	if err := convolve.CheckMemory(ctx, 8*(na+nb+max(na, nb))*int64(2*h.a.n+3)); err != nil {
		return nil, err
	}
	var multiples []int64
	h.scale, multiples, h.slack = commonScale(gs)
	for i, g := range gs {
		if g.Eps.Sign() == 0 {
			continue // one loss, 0
		}
		part := &h.b
		if first[i] {
			part = &h.a
		}
		us, e := weights(prec, g)
		h.ulps += e + 1
		var err error
		if *part, err = part.times(ctx, us, multiples[i], prec); err != nil {
			return nil, err
		}
	}
	h.a, h.b = h.a.sorted(), h.b.sorted()
	return h, nil
}

// commonScale returns the scale of keys, the key of each ε_i, and the slack of a sum of all.
func commonScale(gs []Guarantee) (scale *big.Rat, keys []int64, slack int64) {
	d := big.NewInt(1)
	for _, g := range gs {
		d.Mul(d, new(big.Int).Quo(g.Eps.Denom(), new(big.Int).GCD(nil, nil, d, g.Eps.Denom())))
		if d.BitLen() > 2*maxKeyBits {
			break // too long already
		}
	}
	scale = new(big.Rat).SetInt(d)
	sum := total(gs)
	if top := new(big.Rat).Mul(sum, scale); floorRat(top).BitLen() >= maxKeyBits {
		// 2^k ≤ 2^(maxKeyBits − 4)/Σε_i, and rounding adds less than 2^24.
		k := maxKeyBits - 4 - (sum.Num().BitLen() - sum.Denom().BitLen() + 1)
		scale = interval.Pow2(k)
		count := int64(0)
		for _, g := range gs {
			count += g.Count
		}
		slack = count/2 + 1
	}
	for _, g := range gs {
		x := new(big.Rat).Mul(g.Eps, scale)
		keys = append(keys, floorRat(x.Add(x, big.NewRat(1, 2))).Int64())
	}
	return scale, keys, slack
}

func floorRat(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) }

// weights returns the masses of j = 0 … count true answers, C(count, j)·e^(jε)/(1 + e^ε)^count, rounded down
// to multiples of 2^−prec, and by how many units at most. Under Q they are in reverse order.
func weights(prec uint, g Guarantee) (us []*big.Int, e int64) {
	c := g.Count
	w := interval.Prec(prec) + interval.Prec(2*bits.Len64(uint64(c))) + 32
	eps := w.Rat(g.Eps)
	low := w.Inv(w.Add(one, w.Exp(eps)))
	high := w.Inv(w.Add(one, w.Exp(eps.Neg())))
	binomial := big.NewInt(1)
	for j := int64(0); j <= c; j++ {
		x := w.Mul(w.BigInt(binomial), w.Mul(w.PowInt(high, j), w.PowInt(low, c-j)))
		u := interval.FloorScaled(x, prec)
		us = append(us, u)
		e = max(e, new(big.Int).Sub(interval.CeilScaled(x, prec), u).Int64())
		binomial.Mul(binomial, big.NewInt(c-j))
		binomial.Quo(binomial, big.NewInt(j+1))
	}
	return us, e
}

// oneOutcome is the empty composition: mass 1 at loss 0.
func oneOutcome(prec uint) half {
	n := int(prec/bits.UintSize) + 1
	h := half{keys: []int64{0}, p: make([]big.Word, n), q: make([]big.Word, n), n: n}
	h.p[n-1] = 1 << (prec % bits.UintSize)
	h.q[n-1] = h.p[n-1]
	return h
}

// times multiplies by a factor with the weights us and the losses −c·key, …, c·key.
func (h half) times(ctx context.Context, us []*big.Int, key int64, prec uint) (half, error) {
	size := len(h.keys) * len(us)
	out := half{keys: make([]int64, 0, size), p: make([]big.Word, size*h.n), q: make([]big.Word, size*h.n), n: h.n}
	c := len(us) - 1
	var x, y big.Int
	at := 0
	put := func(v, to []big.Word, i int, u *big.Int) {
		y.Mul(h.load(v, i, &x), u)
		y.Rsh(&y, prec)
		copy(to[at*h.n:(at+1)*h.n], y.Bits())
	}
	for j := range us {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		for i, k := range h.keys {
			put(h.p, out.p, i, us[j])
			put(h.q, out.q, i, us[c-j])
			out.keys = append(out.keys, k+int64(2*j-c)*key)
			at++
		}
	}
	return out, nil
}

// sorted returns the outcomes by rising keys.
func (h half) sorted() half {
	type entry struct {
		key int64
		at  int
	}
	es := make([]entry, len(h.keys))
	for i, k := range h.keys {
		es[i] = entry{k, i}
	}
	slices.SortFunc(es, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	out := half{keys: make([]int64, len(es)), p: make([]big.Word, len(h.p)), q: make([]big.Word, len(h.q)), n: h.n}
	for i, e := range es {
		out.keys[i] = e.key
		copy(out.p[i*h.n:(i+1)*h.n], h.p[e.at*h.n:])
		copy(out.q[i*h.n:(i+1)*h.n], h.q[e.at*h.n:])
	}
	return out
}

// Delta returns an enclosure of δ(t). It is a profile.Func.
//
// Let t·scale lie in [lo, hi]. A sum of keys n is for certain in S if n − slack > hi, and not in
// S if n + slack ≤ lo. Of those between, with n ≤ ⌊hi + slack⌋, each adds (P − e^t·Q)₊ = P·(1 − e^(t−L))₊ ≤ P·w, 0
// at least, where w = (⌊hi⌋ + 2·slack − lo)/scale bounds L − t.
//
// Error. A product of masses V_a·V_b of units that stand for v_a, v_b is more than v_a·v_b by
// (V_a − v_a)·V_b + v_a·(V_b − v_b) at most; summed over any set of pairs, with ΣV ≤ 2^prec and |A|, |B| outcomes,
// by ulps·(|A| + |B|)·2^prec.
func (h *Halves) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	w := interval.Prec(h.prec) + 32
	t := eps(w)
	if !t.IsFinite() {
		return unit, nil
	}
	scaled := w.Mul(t, w.Rat(h.scale))
	from, to := keyAbove(scaled.Lo())-h.slack, keyAbove(scaled.Hi())+h.slack
	var sure, maybe sweep
	sure.j, maybe.j = len(h.b.keys), len(h.b.keys)
	var sumP, sumQ, open, x, y big.Int
	pairs, unclear := false, false
	for i, k := range h.a.keys {
		if i%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return unit, err
			}
		}
		sure.down(&h.b, to-k)
		maybe.down(&h.b, from-k)
		if sure.j < len(h.b.keys) {
			pairs = true
			sumP.Add(&sumP, y.Mul(h.a.load(h.a.p, i, &x), &sure.p))
			sumQ.Add(&sumQ, y.Mul(h.a.load(h.a.q, i, &x), &sure.q))
		}
		if maybe.j < sure.j {
			unclear = true
			y.Sub(&maybe.p, &sure.p)
			open.Add(&open, y.Mul(h.a.load(h.a.p, i, &x), &y))
		}
	}
	lost := new(big.Int).Lsh(big.NewInt(h.ulps), h.prec)
	lost.Mul(lost, big.NewInt(int64(len(h.a.keys)+len(h.b.keys))))
	mass := func(v *big.Int) interval.Interval {
		hi := new(big.Int).Add(v, lost)
		return w.Scale(interval.Union(w.BigInt(v), w.BigInt(hi)), -2*int(h.prec))
	}
	sum := zero
	if pairs {
		sum = interval.Max(zero, w.Sub(mass(&sumP), w.Mul(w.Exp(t), mass(&sumQ))))
	}
	if unclear {
		width := w.Sub(interval.Int(to-1+h.slack), scaled.Lower())
		width = interval.Min(w.Div(width, w.Rat(h.scale)), one)
		sum = w.Add(sum, interval.Union(zero, w.Mul(mass(&open), width)))
	}
	d := w.Add(h.m, w.Mul(w.Sub(one, h.m), sum))
	return interval.Clamp(interval.Min(p.Round(d), one), 0, 1), nil
}

// A sweep holds the masses of the outcomes of B from j on.
type sweep struct {
	j    int
	p, q big.Int
}

// down takes in all outcomes with a key of at least least.
func (s *sweep) down(h *half, least int64) {
	var x big.Int
	for s.j > 0 && h.keys[s.j-1] >= least {
		s.j--
		s.p.Add(&s.p, h.load(h.p, s.j, &x))
		s.q.Add(&s.q, h.load(h.q, s.j, &x))
	}
}

// keyAbove returns ⌊x⌋ + 1, or what is beyond all keys on its side.
func keyAbove(x *big.Float) int64 {
	const most = 1 << (maxKeyBits + 1)
	switch {
	case x.IsInf() || x.MantExp(nil) > maxKeyBits:
		if x.Signbit() {
			return -most
		}
		return most
	}
	n, _ := x.Int64() // truncates
	if x.Sign() < 0 && new(big.Float).SetInt64(n).Cmp(x) != 0 {
		n--
	}
	return n + 1
}
