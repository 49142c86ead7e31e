// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// Whatever the grid is, bounds hold.

// rough is the precision of values that a grid is chosen by.
const rough = interval.Prec(64)

// roughPoints is the number of points of a table that a grid is chosen by.
const roughPoints = 512

// plan chooses the grid: to somewhat more than the ε of the composition, with weights for the best order of a moment.
func (s *solver) plan(ctx context.Context, p *Problem) (bool, error) {
	s.reach = make(map[*Pair]losses)
	var pairs []*Pair
	for _, x := range slices.Concat(p.Above, p.Below) {
		if !slices.Contains(pairs, x) {
			pairs = append(pairs, x)
		}
	}
	steps := len(pairs)
	for _, x := range []*Pair{p.Before, p.After} {
		if x != nil {
			pairs = append(pairs, x)
		}
	}
	most, beside := make([]float64, len(orders)), make([]float64, len(orders)) // logarithms of moments
	for i, x := range pairs {
		l, ok, err := s.find(ctx, x)
		if !ok || err != nil {
			return false, err
		}
		s.reach[x] = l
		s.all = s.all.and(l)
		d := double.Rat(nice((l.down + l.up) / roughPoints))
		step := double.Of(rough.Rat(d)).Mid()
		v, err := newValues(ctx, x.Profile, d, -int(l.down/step)-3, int(l.up/step)+3, rough)
		if err != nil {
			return false, err
		}
		t := v.above()
		total := t.infinite
		for _, m := range t.mass {
			total += m
		}
		if total > 1+1e-3 {
			return false, nil // its values are not known well enough
		}
		for j, m := range t.logMoments(step) {
			if i < steps {
				most[j] = max(most[j], m)
			} else {
				beside[j] += m
			}
		}
	}
	for _, x := range []*Records{p.Records, p.Ends} {
		if x == nil {
			continue
		}
		s.all = s.all.and(x.reach(s.set.Cut))
		for j, m := range x.logMoments() {
			most[j] = max(most[j], m)
		}
	}
	delta := double.Of(rough.Rat(s.set.Delta)).Lo
	level := -double.Log64(max(delta, 1e-300))
	eps, tilt := math.Inf(1), 0.0
	for j, order := range orders {
		if e := (float64(p.Steps)*most[j] + beside[j] + level) / order; e < eps {
			eps, tilt = e, order
		}
	}
	up, down := s.all.up, s.all.down
	if eps > maxEps || math.IsInf(max(up, down), 0) || math.IsNaN(up+down) {
		return false, nil // of next to no noise losses are beyond float64
	}
	lo := min(depth, max(eps, up))
	hi := eps + min(height+eps/16, down+eps/4)
	g := &s.grid
	for size := (lo + hi + max(up, down)) / float64(s.set.Length-64); ; size *= 1.01 {
		g.delta = nice(size)
		if p.Ends != nil {
			g.delta = nice(p.Ends.aligned(size))
		}
		g.first = -int(lo/g.delta) - 1
		g.n = sparse*((int(hi/g.delta)+1-g.first)/sparse+1) + 1
		reach := int(max(up, down)/g.delta) + 8
		if g.n+reach < s.set.Length {
			break
		}
	}
	g.tilt = min(tilt, 120/(lo+hi+up+down)) * g.delta
	g.t, g.few = double.NewTransform(s.set.Length), double.NewTransform(s.set.Length/sparse)
	s.step = double.Rat(g.delta)
	return true, nil
}

// aligned is at least a size of cells, so that what most outputs have is right for cuts: losses just within log(1 − q)
// are to be a fifth of a cell beyond a point. It is not much more than the size.
func (x *Records) aligned(size float64) float64 {
	const part, most = 0.2, 1.25
	least := -math.Log1p(-double.Of(wide.Rat(x.Rate)).Mid())
	if y := least / (math.Floor(least/size-part) + part); y > 0 && y < most*size {
		return max(y, size)
	}
	return size
}

// depth and height are how far a grid goes below an ε of 0 and beyond the ε of interest.
const depth, height = 5, 3

// logMoments are about the logarithms of E_P e^(λl), of each order λ, at least 0.
func (t Table) logMoments(step float64) []float64 {
	out := make([]float64, len(orders))
	for j, order := range orders {
		m, top := 0.0, order*float64(t.first+len(t.mass)-1)*step
		for k, q := range t.mass {
			m += float64(q * double.Exp64(max(order*float64(t.first+k)*step-top, -700)))
		}
		out[j] = max(0, top+double.Log64(m))
	}
	return out
}

// logMoments are about the logarithms of the greater E_P e^(λl) of the two ends, of each order λ.
func (x *Records) logMoments() []float64 {
	s := newSplitter(x, false)
	out := make([]float64, len(orders))
	const step = 0x1p-5
	var ls, ms []float64 // losses and the logarithms of their masses under N(0, 1)
	for z := -9.0; z < 9+s.mu*(2+orders[len(orders)-1]) && z < 60; z += step {
		ls = append(ls, double.Log64(s.ratio(z)))
		ms = append(ms, -z*z/2+double.Log64(step/math.Sqrt(2*math.Pi)))
	}
	for j, order := range orders {
		var sums [2]float64
		for i, l := range ls {
			sums[0] += double.Exp64(min(ms[i]+float64((order+1)*l), 700))
			sums[1] += double.Exp64(min(ms[i]-float64(order*l), 700))
		}
		out[j] = max(0, double.Log64(sums[0]), double.Log64(sums[1]))
	}
	return out
}

// maxEps bounds the ε that a grid reaches to.
const maxEps = 1e4

// maxReach bounds how far losses of a pair are looked for.
const maxReach = 1 << 13

// orders are the λ that are tried.
var orders = func() (out []float64) {
	for l := 0.02; l < 300; l *= 1.2 {
		out = append(out, l)
	}
	return out
}()

// nice is a number of few bits that is not below x > 0.
func nice(x float64) float64 {
	m, e := math.Frexp(x)
	return math.Ldexp(math.Ceil(m*(1<<20)), e-20)
}

// find returns how far losses of a pair go down and up, but for masses of about 2^−Cut. It reports false if that is
// not found.
func (s *solver) find(ctx context.Context, x *Pair) (out losses, ok bool, err error) {
	w := interval.Prec(s.set.Cut) + rough
	small, farthest := math.Ldexp(1, -s.set.Cut), big.NewRat(maxReach, 1)
	at := func(e *big.Rat) interval.Interval {
		h, failed := x.Profile(ctx, w, interval.RealRat(e))
		if failed != nil {
			err = failed
		}
		return h
	}
	over := func(e *big.Rat) bool { // some losses are beyond e
		if err != nil || e.Cmp(farthest) > 0 || new(big.Rat).Neg(e).Cmp(farthest) > 0 {
			return false
		}
		next, _ := profile.Trivial(ctx, w, interval.RealRat(e))
		if e.Sign() > 0 {
			next = at(new(big.Rat).Add(e, e))
		}
		return double.Of(w.Sub(at(e), next)).Lo > small
	}
	reach := func(sign int64) float64 {
		return max(0x1p-10, float64(sign)*double.Near(profile.Edge(over, sign, 6)))
	}
	out = losses{down: reach(-1), up: reach(1)}
	return out, err == nil && max(out.down, out.up) <= maxReach, err
}
