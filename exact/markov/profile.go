// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"context"
	"errors"
	"math"
	"math/big"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/remembered"
)

// errCrossed says that two sound bounds crossed.
var errCrossed = errors.New("markov: internal error: a lower bound exceeds an upper bound")

// put encloses E(F·Y − αB)₊ or, reversed, E(B − αF·Y)₊, Y = exp(√c·ξ − c/2) with c = common, for a P-mass F and a
// Q-mass B. It rises in F and falls in B, or the other way round.
func put(f, b, alpha double.Interval, common float64, reversed bool) double.Interval {
	x, y := f, alpha.Mul(b)
	if reversed {
		x, y = b, alpha.Mul(f)
	}
	if common == 0 {
		return x.Sub(y).AtLeastZero()
	}
	if x.Hi <= 0 {
		return double.Point(0)
	}
	if y.Lo <= 0 || x.Lo <= 0 {
		return double.Interval{Lo: x.Sub(y).AtLeastZero().Lo, Hi: x.Hi}
	}
	// E(x·Y − y)₊ = x·Φ(d) − y·Φ(d − r), r = √c, d = log(x/y)/r + r/2; E(x − y·Y)₊ is the same by the symmetry of Y
	// under both measures.
	r := double.Point(common).Sqrt()
	at := func(x, y float64) double.Interval {
		d := double.Point(x).Div(double.Point(y)).Log().Div(r).Add(r.Half())
		return double.Point(x).Mul(normal(d)).Sub(double.Point(y).Mul(normal(d.Sub(r)))).AtLeastZero()
	}
	return double.Interval{Lo: at(x.Lo, y.Hi).Lo, Hi: min(at(x.Hi, y.Lo).Hi, x.Hi)}
}

// normal encloses Φ.
func normal(x double.Interval) double.Interval {
	const w = interval.Prec(64)
	at := func(x float64) double.Interval { return double.Of(w.NormalCDF(double.Point(x).Exact())) }
	return double.Interval{Lo: at(x.Lo).Lo, Hi: at(x.Hi).Hi}
}

// above bounds δ at α from above by a law from above.
//
// With the kernel K that adds noise to the lattices, P·K and Q·K are the chain's P and Q, but for factors in [1 − w,
// 1 + w]^(T+1): so H_α(P‖Q) ≤ (1 − w)^−(T+1)·H_α′, α′ = α·((1 − w)/(1 + w))^(T+1), either way round.
//
// Sums s that go beyond the last place l, at last: E(s·Y − α)₊ = s − α + E(α − s·Y)₊ ≤ s − E min(α, l·Y), Y as in put,
// and E(1 − αs·Y)₊ ≤ E(1 − αl·Y)₊. Their Q-mass at last is at least (1 − w)^(T+1) times that when they went there.
// What is left out forward counts with its P-mass as it was then: forward laws are spread, and w is 0.
func (l *law) above(alpha double.Interval, reversed bool) double.Interval {
	less := l.wavesPower(l.waves.Neg())
	alpha = alpha.Mul(less.Div(l.wavesPower(l.waves)))
	one := double.Point(1)
	unit := double.Point(l.unit).Div(double.Int(int64(l.bins())))
	bent, miss := double.Point(l.bent), unit.Mul(double.Int(int64(l.bins())))
	sum := double.Point(0)
	// at is what a sum is between, whatever was rounded.
	at := func(place float64) double.Interval {
		s := unit.Mul(double.Point(place))
		return double.Interval{Lo: s.Mul(one.Sub(bent)).Sub(miss).AtLeastZero().Lo, Hi: s.Mul(one.Add(bent)).Add(miss).Hi}
	}
	for i, m := range l.mass {
		if m > 0 {
			sum = sum.Add(put(at(l.places[i]), one, alpha, l.Common, reversed).Upper().Mul(double.Point(m)))
		}
	}
	last, around := at(l.places[len(l.places)-1]), double.Interval{Lo: 1 / generous, Hi: generous}
	over, farther := double.Point(l.over[0]).Mul(around), double.Point(l.over[1]).Mul(around).Upper()
	out, back := double.Point(l.lost), double.Point(0)
	if reversed {
		out = out.Add(over.Upper().Mul(put(last, one, alpha, l.Common, true).Upper()))
	} else {
		out = double.Point(l.far).Add(farther).Mul(one.Add(bent)).Add(out.Add(over.Upper()).Mul(miss))
		back = alpha.Sub(put(last, alpha, one, l.Common, true)).AtLeastZero().Mul(over.Lower())
		back = back.Mul(l.factor().Lower()).Mul(less)
	}
	return sum.Add(out).Mul(l.factor().Upper()).Sub(back.Lower()).AtLeastZero().Div(less).Upper()
}

// Bounds bound the profile of a mean over bins, or of its reverse, by chains and statistics that are chosen for some ε
// each. They may be used by several goroutines.
type Bounds struct {
	gram     [][]*big.Rat
	reversed bool
	set      Settings

	mu   sync.Mutex
	near map[float64]ends    // by the ε > 0 that they are chosen for
	asks map[float64]float64 // what Near answered
}

// NewBounds returns bounds for a Gram matrix; false if its entries are too large, or it is.
func NewBounds(gram [][]*big.Rat, reversed bool, set Settings) (*Bounds, bool) {
	const mostBins, mostEntry = 160, 60
	if len(gram) > mostBins {
		return nil, false
	}
	set.Cut = min(set.Cut, mostCut)
	for i := range gram {
		if gram[i][i].Cmp(big.NewRat(mostEntry, 1)) > 0 {
			return nil, false
		}
	}
	return &Bounds{gram: gram, reversed: reversed, set: set}, true
}

// Delta encloses δ at e^eps by chains that are chosen for an ε near target.
func (b *Bounds) Delta(ctx context.Context, eps interval.Interval, target float64) (interval.Interval, error) {
	unknown := interval.Union(interval.Int(0), interval.Int(1))
	a := double.Of(interval.Prec(64).Exp(eps))
	if !a.IsFinite() || a.Lo <= 0 {
		return unknown, nil
	}
	e, err := b.ends(ctx, target)
	if err != nil {
		return unknown, err
	}
	lo, hi := 0.0, 1.0
	if e.below != nil {
		lo = min(max(e.below.below(a, b.reversed).Lo, 0), 1)
	}
	if e.above != nil {
		hi = min(max(e.above.above(a, b.reversed).Hi, 0), 1)
	}
	if lo > hi {
		return unknown, errCrossed
	}
	return double.Interval{Lo: lo, Hi: hi}.Exact(), nil
}

// ends are what bounds δ near an ε, as far as there is any.
type ends struct {
	below *test
	above *law
}

// ends returns what is chosen for an ε.
func (b *Bounds) ends(ctx context.Context, eps float64) (ends, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return remembered.Of(&b.near, eps, 1<<16, func() (ends, error) { return b.chosen(ctx, eps) })
}

// chosen runs a statistic and a chain for δ near e^eps.
func (b *Bounds) chosen(ctx context.Context, eps float64) (out ends, err error) {
	g, enclosed := floats(b.gram)
	target, r := eps, spread
	if b.reversed {
		target, r = -eps, weigh
	}
	set := b.set
	if delta := about(ctx, g, eps, b.reversed, 2000); delta > 0 {
		const digits = 11 // binary ones of δ that are of interest
		set.Cut = min(set.Cut, int(digits-double.Log64(delta)/math.Ln2))
	}
	work := set.Work
	set.Work /= shareBelow
	if s := newStatistic(g, enclosed, target, set); s != nil {
		if out.below, err = s.run(ctx, set.Cut); err != nil {
			return out, err
		}
	}
	w := weights(ctx, g, target, 20000/(1+len(g)/40))
	cycle := isCycle(g)
	c := newFit(cycle, g, w).search(ctx, enclosed)
	if c == nil {
		return out, ctx.Err()
	}
	if set.Work = work; !cycle {
		set.Work /= 4 // as narrow, for no layers
	}
	if p := newPlan(c, r, target, set); p != nil {
		if out.above, err = p.lawOf(ctx); err != nil {
			return out, err
		}
	}
	return out, ctx.Err()
}

// shareBelow is how much less work a statistic takes to be as near as a chain.
const shareBelow = 4

// floats returns the entries as float64, and enclosed.
func floats(gram [][]*big.Rat) ([][]float64, [][]double.Interval) {
	g, enclosed := square(len(gram)), make([][]double.Interval, len(gram))
	for i, row := range gram {
		for _, x := range row {
			enclosed[i] = append(enclosed[i], double.Of(interval.Prec(64).Rat(x)))
		}
		for j := range row {
			g[i][j] = enclosed[i][j].Mid()
		}
	}
	return g, enclosed
}

// Near returns about the ε > 0 at which δ is e^logDelta: it bounds nothing.
func (b *Bounds) Near(ctx context.Context, logDelta float64) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	out, _ := remembered.Of(&b.asks, logDelta, 1<<16, func() (float64, error) {
		g, _ := floats(b.gram)
		return near(ctx, g, logDelta, b.reversed), ctx.Err()
	})
	return out
}
