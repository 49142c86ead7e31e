// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"cmp"
	"context"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// A PLD bounds the profile of a product of pairs whose losses lie on lattices.
type PLD struct {
	profile profile.Func // of the finite part, from masses rounded down
	groups  []*lattice   // one for each class of losses that share a lattice
	inf     interval.Interval
	missing interval.Interval // [0, upper bound of what the masses fall short of 1]
}

// Limits bound the size of a PLD.
type Limits struct {
	Points int64 // of one lattice before composition
	Words  int64 // of one convolution
	Terms  int64 // of an enumeration over lattices with none in common
}

// New composes a product of discrete pairs with masses of prec fraction bits. It
// reports false if a pair is not discrete or not on a lattice, or a limit is
// exceeded.
func New(ctx context.Context, prod pair.Product, prec uint, lim Limits) (*PLD, bool, error) {
	p := interval.Prec(prec) + 32
	inf := interval.Int(0)
	var all []*lattice
	for _, t := range prod {
		os, _, ok := t.Pair.Outcomes(p, int(lim.Points))
		if !ok {
			return nil, false, nil
		}
		inf = unionMass(p, inf, os, t.Count)
		l, ok := newLattice(os, prec, lim.Points)
		if !ok {
			return nil, false, nil
		}
		l, err := l.power(ctx, t.Count, lim.Words)
		if l == nil {
			return nil, false, err
		}
		all = append(all, l)
	}
	groups, ok, err := group(ctx, all, lim)
	if !ok {
		return nil, false, err
	}
	if len(groups) == 0 { // nothing but equal distributions
		l, _ := newLattice([]pair.Outcome{{P: interval.Int(1), Q: interval.Int(1), Exact: true}}, prec, 1)
		groups = []*lattice{l}
	}
	// The longest lattice is summed up, the others are enumerated.
	slices.SortStableFunc(groups, func(a, b *lattice) int { return cmp.Compare(b.v.Len(), a.v.Len()) })
	terms := int64(1)
	total := interval.Int(1)
	for i, g := range groups {
		total = p.Mul(total, p.Scale(p.BigInt(g.v.Sum()), -int(prec)))
		if i > 0 {
			if terms *= int64(g.v.Len()); terms > lim.Terms {
				return nil, false, nil
			}
		}
	}
	f := newSums(groups[0]).delta
	for _, g := range groups[1:] {
		f = profile.Times(f, g.outcomes(p), interval.Int(0))
	}
	lost := p.Sub(p.Sub(interval.Int(1), inf), total)
	lost = interval.Max(lost, interval.Int(0))
	return &PLD{f, groups, inf, interval.Union(interval.Int(0), lost)}, true, nil
}

// OnLattice reports whether every factor is a discrete pair with its losses on
// a lattice within the limits. New may still exceed the other limits.
func OnLattice(prod pair.Product, lim Limits) bool {
	const prec = 32
	for _, t := range prod {
		os, _, ok := t.Pair.Outcomes(prec, int(lim.Points))
		if !ok {
			return false
		}
		if _, ok := newLattice(os, prec, lim.Points); !ok {
			return false
		}
	}
	return true
}

// unionMass adds the infinite mass of count copies of a pair: 1 − (1−a)(1−m)^count.
func unionMass(p interval.Prec, a interval.Interval, os []pair.Outcome, count int64) interval.Interval {
	m := interval.Int(0)
	for _, o := range os {
		if o.Q.IsZero() {
			m = p.Add(m, o.P)
		}
	}
	return pair.Union(p, a, pair.UnionPower(p, m, count))
}

// group multiplies lattices that have one in common that is short enough, shortest first,
// and returns one for each class.
func group(ctx context.Context, all []*lattice, lim Limits) ([]*lattice, bool, error) {
	var classes [][]*lattice
	var steps []step
next:
	for _, l := range all {
		for c := range classes {
			if s, _, _, ok := common(steps[c], l.step); ok &&
				together(append(classes[c][:len(classes[c]):len(classes[c])], l), s, lim.Words) {
				steps[c] = s
				classes[c] = append(classes[c], l)
				continue next
			}
		}
		classes = append(classes, []*lattice{l})
		steps = append(steps, l.step)
	}
	var out []*lattice
	for c, ls := range classes {
		for i, l := range ls {
			_, _, m, _ := common(steps[c], l.step)
			r, ok := l.refine(steps[c], m, lim.Words)
			if !ok {
				return nil, false, nil
			}
			ls[i] = r
		}
		for len(ls) > 1 {
			slices.SortStableFunc(ls, func(a, b *lattice) int { return cmp.Compare(a.v.Len(), b.v.Len()) })
			if work(ls[0], ls[1]) > lim.Words || abs(ls[0].first)+abs(ls[1].first) > maxIndex {
				return nil, false, nil
			}
			l, err := ls[0].times(ctx, ls[1])
			if err != nil {
				return nil, false, err
			}
			ls = append(ls[2:], l)
		}
		out = append(out, ls[0])
	}
	return out, true, nil
}

// together reports whether the product of lattices, refined to the spacing s, is within a
// limit in words. Losses may be commensurable by a spacing far below both of theirs.
func together(ls []*lattice, s step, limit int64) bool {
	total := int64(0)
	for _, l := range ls {
		_, _, m, _ := common(s, l.step)
		m = max(m, 1) // a single point has 0
		if m > limit || int64(l.v.Len()) > limit/m {
			return false
		}
		total += (int64(l.v.Len()-1)*m + 1) * int64(2*l.v.Words()+1)
		if total > limit {
			return false
		}
	}
	return true
}

// outcomes lists the entries of l as outcomes with P-masses rounded down.
func (l *lattice) outcomes(p interval.Prec) []pair.Outcome {
	var out []pair.Outcome
	for i := range l.v.Len() {
		m := l.v.At(i)
		if m.Sign() == 0 {
			continue
		}
		out = append(out, pair.Outcome{
			P:    p.Scale(p.BigInt(m), -int(l.v.Prec())),
			Q:    interval.Int(1), // unused: finite, so that Loss counts
			Loss: l.loss(i), Exact: true,
		})
	}
	return out
}

// Outcomes lists the outcomes of the whole product, masses rounded down, and
// bounds the P-mass that they leave out. It reports false if there are more than
// limit.
func (d *PLD) Outcomes(p interval.Prec, limit int) (out []pair.Outcome, rest interval.Interval, ok bool) {
	out = []pair.Outcome{{P: interval.Int(1), Q: interval.Int(1), Exact: true}}
	for _, g := range d.groups {
		part := g.outcomes(p)
		if len(out)*len(part) > limit {
			return nil, rest, false
		}
		var next []pair.Outcome
		for _, a := range out {
			for _, b := range part {
				next = append(next, pair.Outcome{P: p.Mul(a.P, b.P), Q: b.Q, Loss: a.Loss.Add(b.Loss), Exact: true})
			}
		}
		out = next
	}
	if !d.inf.IsZero() {
		out = append(out, pair.Outcome{P: d.inf})
	}
	return out, d.missing, true
}

// Delta returns an enclosure of δ(ε). It is a profile.Func.
func (d *PLD) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	y, err := d.profile(ctx, p, eps)
	if err != nil {
		return profile.Unit(), err
	}
	w := p + 8
	y = w.Add(w.Add(d.inf, y), d.missing)
	return interval.Clamp(p.Round(y), 0, 1), nil
}

// sums are A_j = Σ_{i≥j} v_i and B_j = Σ_{i≥j} v_i·e^(−(i−j)λ) for a lattice of spacing λ, so
// that the part of δ above entry j is A_j − e^(ε−x_j)·B_j. They are kept at every stride-th entry
// and at the end, and run on from there: all of them would take many times the memory of
// the lattice.
type sums struct {
	*lattice
	rlo, rhi *big.Int // bounds of e^−λ
	marks    []tail   // at 0, stride, 2·stride … n
}

// stride is how many entries lie between two sums that are kept.
const stride = 32

// A tail is what there is from entry j on.
type tail struct {
	j      int
	a      *big.Int // A_j, exact
	lo, hi *big.Int // bounds of B_j
}

func newSums(l *lattice) *sums {
	n := l.v.Len()
	s := &sums{lattice: l, marks: make([]tail, (n+stride-1)/stride+1)}
	prec := l.v.Prec()
	p := interval.Prec(prec) + 8
	r := p.Exp(l.step.enclose(p).Neg())
	s.rlo = interval.FloorScaled(r, prec)
	s.rhi = interval.FloorScaled(r.Upper(), prec)
	s.rhi.Add(s.rhi, big.NewInt(1))
	s.marks[len(s.marks)-1] = tail{n, new(big.Int), new(big.Int), new(big.Int)}
	for k := len(s.marks) - 2; k >= 0; k-- {
		s.marks[k] = s.down(s.marks[k+1], k*stride)
	}
	return s
}

// at returns the sums from entry j on.
func (s *sums) at(j int) tail { return s.down(s.marks[(j+stride-1)/stride], j) }

// down runs from t to an entry before: B_j = v_j + e^−λ·B_{j+1}, rounded down with the lower
// bound of e^−λ and up with the upper one.
func (s *sums) down(t tail, j int) tail {
	prec := s.v.Prec()
	one := big.NewInt(1)
	out := tail{j, new(big.Int).Set(t.a), new(big.Int).Set(t.lo), new(big.Int).Set(t.hi)}
	v, x := new(big.Int), new(big.Int)
	for i := t.j - 1; i >= j; i-- {
		s.v.Load(v, i)
		out.a.Add(out.a, v)
		x.Mul(s.rlo, out.lo)
		out.lo.Add(out.lo.Rsh(x, prec), v)
		x.Mul(s.rhi, out.hi)
		out.hi.Add(out.hi.Rsh(x, prec), v)
		out.hi.Add(out.hi, one)
	}
	return out
}

// delta encloses Σ v_i·(1 − e^(ε−x_i))₊ over all entries. It is a profile.Func.
func (s *sums) delta(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	n := s.v.Len()
	prec := int(s.v.Prec())
	w := p + 32 + interval.Prec(bits.Len(uint(n)))
	e := eps(w)
	// Entries at (ε − offset)/λ − first or below contribute nothing.
	from, to := n, n // entries in [from, to) may or may not lie above ε
	if s.step.zero() {
		from = 0
	} else {
		t := w.Div(w.Sub(e, s.offset.Enclose(w)), s.step.enclose(w))
		t = w.Sub(t, interval.Int(s.first))
		from = interval.IndexAbove(t.Lo(), n)
		to = interval.IndexAbove(t.Hi(), n)
	}
	sum := interval.Int(0)
	if to < n {
		x := s.loss(to).Enclose(w)
		weight := w.Exp(w.Sub(e, x)) // ≤ 1
		above := s.at(to)
		b := interval.Union(w.BigInt(above.lo), w.BigInt(above.hi))
		sum = interval.Max(interval.Int(0), w.Sub(w.BigInt(above.a), w.Mul(weight, b)))
	}
	if to-from > 64 { // a wide ε: these entries add between 0 and their mass
		m := s.v.Slice(from, to).Sum()
		sum = w.Add(sum, interval.Union(interval.Int(0), w.BigInt(m)))
		from = to
	}
	for i := from; i < to; i++ {
		if m := s.v.At(i); m.Sign() > 0 {
			weight := interval.Max(interval.Int(0), w.Expm1(w.Sub(e, s.loss(i).Enclose(w))).Neg())
			sum = w.Add(sum, w.Mul(w.BigInt(m), weight))
		}
	}
	return w.Scale(sum, -prec), nil
}
