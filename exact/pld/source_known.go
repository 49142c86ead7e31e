// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"
	"math/bits"

	"dpverify/exact/allocation"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// A knownSource is a pair that is its own reverse, of which the profile is known as closely as is wanted, and nothing
// else. From above it enters a grid as a bound does, and from below by a pair whose profile is not above.
type knownSource struct {
	bothSides
	of       func(interval.Prec) profile.Func // with errors of about 2^−bits
	scale    int                              // losses are of about 2^scale, or more
	bound    boundSource
	hi       *big.Rat
	variance interval.Interval
}

// valueShare is how many points of a grid there are for each value of a known profile.
const valueShare = 8

// newKnown returns the source of the allocation of a replaced record.
func newKnown(x pair.OppositeAllocation) *knownSource {
	scale := interval.Prec(64).Sqrt(interval.Prec(64).Rat(new(big.Rat).Quo(x.Mu2, big.NewRat(x.Steps, 1))))
	return &knownSource{of: allocation.NewOpposite(x.Mu2, x.Steps).Values, scale: scale.Hi().MantExp(nil)}
}

// prepare looks for the extent. It reports false where losses are too large for the profile.
func (s *knownSource) prepare(ctx context.Context, set Settings, count int64) (bool, error) {
	cut := set.Cut + 4 + bits.Len64(uint64(count))
	f := s.of(interval.Prec(cut + 8))
	s.bound = boundSource{Bound{f, max(set.Points/valueShare, 4)}, byTurn}
	const w = interval.Prec(64)
	var failed error
	at := func(x *big.Rat) interval.Interval {
		y, err := f(ctx, w, interval.RealRat(x))
		if err != nil {
			failed = err
		}
		return y.Upper()
	}
	var enough *big.Rat // values that are far beyond it may not be known
	beyond := func(x *big.Rat) bool {
		if failed != nil || enough != nil && enough.Cmp(x) <= 0 {
			return false
		}
		return at(x).LessEq(w.Scale(interval.Int(1), -cut)) != interval.True
	}
	for k := s.scale; k < 0 && enough == nil; k++ {
		if x := interval.Pow2(k); !beyond(x) {
			enough = x
		}
	}
	s.hi = edge(beyond, +1)
	// The variance of a loss that is nearly normal is twice its mean, ∫ (1 + e^−ε)·δ(ε) dε over ε ≥ 0.
	mean := interval.Int(0)
	for k, x := 0, s.hi; k < 32 && failed == nil; k++ {
		half := new(big.Rat).Mul(x, big.NewRat(3, 4))
		mean = w.Add(mean, w.Mul(w.Rat(new(big.Rat).Sub(x, half)), at(half)))
		x = half
	}
	s.variance = w.Scale(mean, 2)
	return failed == nil && !beyond(s.hi), failed
}

// extent: as the pair is its own reverse, it is the same on both sides.
func (s *knownSource) extent(context.Context, int) extent {
	return extent{lo: new(big.Rat).Neg(s.hi), hi: s.hi, variance: s.variance}
}

// cut puts the two pairs on the mesh.
func (s *knownSource) cut(ctx context.Context, m mesh, w interval.Prec, set Settings) (*lattice, *leaf, error) {
	points, err := s.bound.points(ctx, m, w, set)
	if err != nil {
		return nil, nil, err
	}
	low := &leaf{mesh: m}
	low.addOutcomes(below(points, w), w)
	return hullLattice(points, m.delta, w, set.Prec), low, nil
}

// below are outcomes of a pair whose profile is at most one with these values: of equal distributions if they say too
// little.
//
// Values are taken at rational numbers a next to α: as a profile falls, by α − a at most, it is at a ≤ α at least what
// it is at α, and at most that and α − a.
func below(points []hullPoint, w interval.Prec) []pair.Outcome {
	const spare = 32 // bits that a grid has for cells of small width
	bits := max(w-spare, interval.MinPrec)
	var vs []profile.Value
	for _, p := range points {
		lo, hi, known := bits.Round(p.u).Rationals()
		a, b, finite := bits.Round(p.alpha).Rationals()
		if known && finite && a.Sign() > 0 && (len(vs) == 0 || vs[len(vs)-1].Alpha.Cmp(a) < 0) {
			vs = append(vs, profile.Value{Alpha: a, Lo: lo, Hi: hi.Add(hi, b.Sub(b, a))})
		}
	}
	f, ok := profile.Below(vs, w)
	if !ok {
		f = pair.NewFinite([]*big.Rat{big.NewRat(1, 1)}, []*big.Rat{big.NewRat(1, 1)})
	}
	var out []pair.Outcome
	for _, m := range f.Masses {
		out = append(out, pair.Outcome{P: w.Rat(m.P), Q: w.Rat(m.Q)})
	}
	return out
}
