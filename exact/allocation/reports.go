// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// sumOfReports is what shuffled reports come to: a shuffle puts a record's own report among others at random, as an
// allocation puts a record into one of t steps. Let there be n reports, r the law of any other one, and α = e^ε. Under
// r^n let ℓ_i = (p − αq)/r of report i. Where r is 0 the report is the own one. So
//
//	δ(ε) = Σ_{r = 0} (p − αq)₊ + E(ℓ₁ + … + ℓ_n)₊/n.
//
// Let V_i be ℓ_i, spread onto the lattice b + hℤ such that its mean stays, at random where it is between two points.
// With S the sum of all V_i, and T the one of all but the first, which is independent of it,
//
//	E(Σ ℓ_i)₊/n ≤ E(S)₊/n = E[V₁; S ≥ 0] = Σ_v P(V₁ = v)·v·P(T ≥ −v),
//
// by Jensen's inequality, and as V₁ is like all others. The points are a post-processing of the reports, so that for
// any s, the mean of ℓ₁ given V₁ in the place of v,
//
//	E(Σ ℓ_i)₊/n ≥ E[(Σ ℓ_i)/n; S ≥ s] = Σ_v E[ℓ₁; V₁ = v]·P(T ≥ s − v).
//
// Rounding. ℓ is a fraction, of an α that is too small above, and too large below, ℓ being a function that falls with
// α. Masses of T are integers in units of 2^−P, which are too small: what they lack, in rounding and outside of the
// window that is kept, is counted in P(T ≥ ·) or not, whichever is the worse.
//
// From many others on, there are no laws of so many points: see chernoff and counted.
type sumOfReports struct {
	x    pair.Reports
	set  Settings
	many int64
}

// Shuffled returns the profile of shuffled reports. Settings are the length of laws, the cells of a report, which is
// Fine, and the P-mass beyond windows, 2^−Cut.
func Shuffled(x pair.Reports, set Settings) profile.Func {
	s := sumOfReports{x, set, manyReports}
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 64
		lo, hi, ok := w.Exp(eps(w)).Rationals()
		if !ok || hi.Cmp(interval.Pow2(1<<14)) > 0 {
			return profile.Unit(), nil
		}
		y, err := s.between(ctx, lo, hi)
		return p.Round(y), err
	}
}

// A value of ℓ, bounded from both sides, with its probability.
type value struct{ mass, high, low *big.Rat }

// between encloses δ for all α in [lo, hi].
func (s sumOfReports) between(ctx context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	gain := func(c pair.Report, alpha *big.Rat) *big.Rat {
		y := new(big.Rat).Mul(alpha, c.Q)
		return y.Sub(c.P, y)
	}
	seen := [2]*big.Rat{new(big.Rat), new(big.Rat)}
	add := func(high, low *big.Rat) {
		for i, y := range []*big.Rat{low, high} {
			if y.Sign() > 0 {
				seen[i].Add(seen[i], y)
			}
		}
	}
	var values []value
	signs := [3]bool{}
	all := [2]*big.Rat{new(big.Rat), new(big.Rat)}
	for _, c := range s.x.Cells {
		high, low := gain(c, lo), gain(c, hi)
		if c.Other.Sign() == 0 {
			add(high, low)
			continue
		}
		all[0].Add(all[0], low)
		all[1].Add(all[1], high)
		v := value{c.Other, high.Quo(high, c.Other), low.Quo(low, c.Other)}
		values = append(values, v)
		signs[1+v.high.Sign()] = true
	}
	const w = interval.Prec(256)
	sum := interval.Int(0)
	switch {
	case !signs[2]: // never positive
	case !signs[0]: // never negative
		add(all[1], all[0])
	case s.x.Others >= s.many:
		n := s.x.Others + 1
		var above []atom // the values of all others
		for _, v := range values {
			above = append(above, atom{v.high, v.mass})
		}
		sum = interval.Union(counted(s.x, hi), w.Div(chernoff([][]atom{above}, n), interval.Int(n)))
	default:
		var err error
		if sum, err = s.newLine(values).expectation(ctx); err != nil {
			return profile.Unit(), err
		}
	}
	low := interval.Max(interval.Int(0), w.Add(w.Rat(seen[0]), sum.Lower()))
	high := w.Add(w.Rat(seen[1]), sum.Upper())
	return interval.Clamp(interval.Union(low.Lower(), high.Upper()), 0, 1), nil
}

// A line is a lattice: the points base + step·k, k = 0 … top.
type line struct {
	n          int64 // reports
	base, step *big.Rat
	top        int64
	mass, low  []*big.Rat // P(V₁ = v) and E[ℓ₁; V₁ = v], at most
	cut        int
	shape
}

// newLine chooses a lattice with the least and the greatest values on it, for which no law is longer than it may be, or
// the coarsest one. What it chooses decides on the width alone.
func (s sumOfReports) newLine(values []value) *line {
	n, atoms := s.x.Others+1, make([]atom, len(values))
	for i, v := range values {
		atoms[i] = atom{v.high, v.mass}
	}
	l := s.set.layOut(n, atoms)
	l.spread(values)
	return l
}

// layOut is a lattice from the least to the greatest of some values, for the sum of n of them.
func (set Settings) layOut(n int64, atoms []atom) *line {
	byPlace := func(a, b atom) int { return a.at.Cmp(b.at) }
	least := slices.MinFunc(atoms, byPlace).at
	width := new(big.Rat).Sub(slices.MaxFunc(atoms, byPlace).at, least)
	places, masses := make([]*big.Rat, len(atoms)), make([]*big.Rat, len(atoms))
	for i, x := range atoms {
		at := new(big.Rat).Sub(x.at, least)
		places[i], masses[i] = at.Quo(at, width), x.mass
	}
	top, sh := set.lattice(n, places, masses)
	return &line{n: n, base: least, step: width.Quo(width, big.NewRat(top, 1)), top: top, cut: set.Cut, shape: sh}
}

// parts are what a value has at point k and at the next one, such that its mean stays.
func parts(x, base, step *big.Rat, top int64) (k int64, parts [2]*big.Rat) {
	at := new(big.Rat).Sub(x, base)
	at.Quo(at, step)
	k = min(new(big.Int).Quo(at.Num(), at.Denom()).Int64(), top-1)
	share := at.Sub(at, big.NewRat(k, 1)) // of the upper point
	return k, [2]*big.Rat{new(big.Rat).Sub(big.NewRat(1, 1), share), share}
}

// spread brings values onto the lattice, such that their means stay.
func (l *line) spread(values []value) {
	l.mass, l.low = make([]*big.Rat, l.top+1), make([]*big.Rat, l.top+1)
	for k := range l.mass {
		l.mass[k], l.low[k] = new(big.Rat), new(big.Rat)
	}
	for _, v := range values {
		k, shares := parts(v.high, l.base, l.step, l.top)
		for i, part := range shares {
			part.Mul(part, v.mass)
			l.mass[k+int64(i)].Add(l.mass[k+int64(i)], part)
			l.low[k+int64(i)].Add(l.low[k+int64(i)], part.Mul(part, v.low))
		}
	}
}

// expectation encloses E(Σ ℓ_i)₊/n.
func (l *line) expectation(ctx context.Context) (interval.Interval, error) {
	others, err := l.law(ctx, l.n-1)
	if err != nil {
		return interval.Int(0), err
	}
	w := interval.Prec(others.v.Prec()) + 64
	// S ≥ 0 is n·base + step·k ≥ 0.
	start := new(big.Rat).Mul(l.base, big.NewRat(-l.n, 1))
	start.Quo(start, l.step)
	first := new(big.Int).Neg(start.Num())
	first.Neg(first.Div(first, start.Denom()))
	if !first.IsInt64() {
		return profile.Unit(), nil
	}
	const more = 2 // sets to try on either side
	zero := first.Int64()
	tails := others.tails(zero-l.top-more, zero+more)
	at := func(k int64) interval.Interval { return tails[k-(zero-l.top-more)] }
	above, below := interval.Int(0), interval.Int(0)
	for k := range l.top + 1 {
		v := new(big.Rat).Mul(l.step, big.NewRat(k, 1))
		v.Mul(v.Add(v, l.base), l.mass[k])
		above = w.Add(above, w.Mul(w.Rat(v), at(zero-k)))
	}
	for from := zero - more; from <= zero+more; from++ {
		sum := interval.Int(0)
		for k := range l.top + 1 {
			sum = w.Add(sum, w.Mul(w.Rat(l.low[k]), at(from-k)))
		}
		below = interval.Max(below, sum.Lower())
	}
	return interval.Union(below.Lower(), above.Upper()), nil
}

// A law has masses that are too small, of the integers from first on.
type law struct {
	v     convolve.Vector
	first int64
}

// law returns the law of the sum of m places.
func (l *line) law(ctx context.Context, m int64) (law, error) {
	prec := l.cut + 24 + 2*bits.Len64(uint64(l.n))
	prec = (prec+2+63)/64*64 - 2
	one := law{v: convolve.NewVector(int(l.top)+1, uint(prec))}
	for k, x := range l.mass {
		y := new(big.Int).Lsh(x.Num(), uint(prec))
		one.v.Set(k, y.Quo(y, x.Denom()))
	}
	if m == 0 {
		v := convolve.NewVector(1, uint(prec))
		v.Set(0, new(big.Int).Lsh(big.NewInt(1), uint(prec)))
		return law{v: v}, nil
	}
	sum, n := one, int64(1)
	var err error
	for bit := bits.Len64(uint64(m)) - 2; bit >= 0 && err == nil; bit-- {
		if n *= 2; err == nil {
			sum, err = l.plus(ctx, sum, sum, n)
		}
		if m>>bit&1 == 1 && err == nil {
			n++
			sum, err = l.plus(ctx, sum, one, n)
		}
	}
	return sum, err
}

// plus returns the law of the sum of n places from two parts of them, inside of a window.
func (l *line) plus(ctx context.Context, a, b law, n int64) (law, error) {
	first := a.first + b.first
	last := first + int64(a.v.Len()+b.v.Len()) - 2
	from, to := l.window(n, l.top, l.cut)
	from, to = max(first, from), min(last, to)
	from = min(from, last)
	to = max(to, from)
	v, err := convolve.Window(ctx, a.v, b.v, int(from-first), int(to-from)+1, convolve.Down)
	return law{v, from}, err
}

// tails encloses the probabilities of from or more, …, to or more.
func (x law) tails(from, to int64) []interval.Interval {
	prec := interval.Prec(x.v.Prec())
	one := new(big.Int).Lsh(big.NewInt(1), x.v.Prec())
	lost := new(big.Int).Sub(one, x.v.Sum())
	out := make([]interval.Interval, to-from+1)
	sum, y := new(big.Int), new(big.Int)
	set := func(k int64) {
		if from <= k && k <= to {
			most := y.Add(sum, lost)
			out[k-from] = interval.Union((prec+64).Scale((prec+64).BigInt(sum), -int(prec)),
				(prec+64).Scale((prec+64).BigInt(most), -int(prec)))
		}
	}
	end := x.first + int64(x.v.Len())
	for k := max(end, from); k <= to; k++ {
		set(k)
	}
	for k := end - 1; k >= x.first; k-- {
		sum.Add(sum, x.v.Load(y, int(k-x.first)))
		set(k)
	}
	for k := from; k < x.first; k++ {
		set(k)
	}
	return out
}
