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

// plan chooses the grid: to about twice the ε of the composition, with weights for the best order of a moment.
func (s *solver) plan(ctx context.Context, p *Problem) (bool, error) {
	s.down, s.up = make(map[*Pair]float64), make(map[*Pair]float64)
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
	most, up, down := make([]float64, len(orders)), 0.0, 0.0 // logarithms of moments
	for i, x := range pairs {
		lo, hi, ok, err := s.reach(ctx, x)
		if !ok || err != nil {
			return false, err
		}
		s.down[x], s.up[x] = lo, hi
		up, down = max(up, hi), max(down, lo)
		d := ratOf(nice((lo + hi) / roughPoints))
		step := double.Of(rough.Rat(d)).Mid()
		v, err := newValues(ctx, x.Profile, d, -int(lo/step)-3, int(hi/step)+3, rough)
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
		count := float64(p.Steps)
		for j, order := range orders {
			m, top := 0.0, order*float64(t.first+len(t.mass)-1)*step
			for k, q := range t.mass {
				m += q * double.Exp64(max(order*float64(t.first+k)*step-top, -700))
			}
			m = max(0, top+double.Log64(m))
			if i < steps {
				most[j] = max(most[j], count*m)
			} else {
				most[j] += m
			}
		}
	}
	delta := double.Of(rough.Rat(s.set.Delta)).Lo
	level := -double.Log64(max(delta, 1e-300))
	eps, tilt := math.Inf(1), 0.0
	for j, order := range orders {
		if e := (most[j] + level) / order; e < eps {
			eps, tilt = e, order
		}
	}
	if eps > maxEps {
		return false, nil
	}
	lo := min(8, max(eps, up))
	hi := 1.25*eps + min(down, eps/4)
	g := &s.grid
	for size := (lo + hi + max(up, down)) / float64(s.set.Length-64); ; size *= 1.01 {
		g.delta = nice(size)
		g.first = -ratio * (int(lo/g.delta)/ratio + 1)
		g.n = ratio*((int(hi/g.delta)+1-g.first)/ratio+1) + 1
		reach := int(max(up, down)/g.delta) + 8
		if g.n+reach < s.set.Length {
			break
		}
	}
	g.tilt = min(tilt, 120/(lo+hi+up+down)) * g.delta
	g.t = double.NewTransform(s.set.Length)
	s.step = ratOf(g.delta)
	return true, nil
}

// maxEps bounds the ε that a grid reaches to.
const maxEps = 1e4

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

// reach returns how far losses of a pair go down and up, but for masses of about 2^−Cut. It reports false if that is
// not found.
func (s *solver) reach(ctx context.Context, x *Pair) (down, up float64, ok bool, err error) {
	w := interval.Prec(s.set.Cut) + rough
	small := math.Ldexp(1, -s.set.Cut)
	at := func(e float64) (interval.Interval, error) {
		return x.Profile(ctx, w, interval.RealRat(ratOf(e)))
	}
	over := func(e float64) (bool, error) { // some losses are beyond e
		h, err := at(e)
		if err != nil {
			return false, err
		}
		if e < 0 {
			plain, _ := profile.Trivial(ctx, w, interval.RealRat(ratOf(e)))
			return double.Of(w.Sub(h, plain)).Lo > small, nil
		}
		far, err := at(2 * e)
		return double.Of(w.Sub(h, far)).Lo > small, err
	}
	for _, sign := range []float64{-1, 1} {
		hi := 0x1p-10
		for {
			more, err := over(sign * hi)
			if err != nil {
				return 0, 0, false, err
			}
			if !more {
				break
			}
			if hi *= 2; hi > maxEps {
				return 0, 0, false, nil
			}
		}
		lo := hi / 2
		for range 6 {
			mid := (lo + hi) / 2
			more, err := over(sign * mid)
			if err != nil {
				return 0, 0, false, err
			}
			if more {
				lo = mid
			} else {
				hi = mid
			}
		}
		if sign < 0 {
			down = hi
		} else {
			up = hi
		}
	}
	return down, up, true, nil
}

// ratOf is a float64, exactly.
func ratOf(x float64) *big.Rat {
	r, _, _ := number(x).Rationals()
	return r
}
