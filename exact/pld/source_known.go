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
//
// Lemma. Let H be convex and fall, and lo_i ≤ H(α_i) ≤ hi_i for 0 ≤ α_0 < … < α_n. Let R_i be the line through
// (α_{i−1}, hi_{i−1}) and (α_i, lo_i), and L_i the one through (α_i, lo_i) and (α_{i+1}, hi_{i+1}). In each cell
// [α_i, α_{i+1}], 1 ≤ i ≤ n − 2, take an x_i and a y_i ≤ R_i(x_i), L_{i+1}(x_i). Between x_1 and x_{n−2}, the polygon
// through the points (x_i, y_i) is at most H.
//
//	                     o α_{i−1}
//	H is above R_i         o α_i
//	to the right of α_i,       .           o α_{i+1}
//	and above L_{i+1}              .   .            o α_{i+2}
//	to the left of α_{i+1}           x_i
//
// Proof. A convex function is above its chords where these are drawn on. To the right of α_i, R_i is at most the chord
// of H over [α_{i−1}, α_i], and L_i is at most the next chord to the left. Both lines go through (α_i, lo_i), and R_i
// has at most the slope of the chord before, L_i at least the slope of the chord behind. So G_i = min(L_i, R_i) is
// concave, L_i to the left of α_i and R_i to the right, and G_i ≤ H. The ends of the side from x_{i−1} to x_i are at
// most G_i, hence the side is. ∎
//
// H is also at least 1 − α and 0. So x_a may be put on the first of these lines and x_b on the second, lower than they
// were, for what is between them to be a part of a profile that is at most H, and so may be the convex hull from below.
// That is the profile of a pair with the loss log x at each vertex x. Its Q-mass is the change of the slope, and its
// P-mass x times that.
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

// A corner is a point (x, y) that is known exactly.
type corner struct{ x, y interval.Interval }

// below are outcomes of a pair whose profile is at most one with these values: of equal distributions if they say too
// little.
func below(points []hullPoint, w interval.Prec) []pair.Outcome {
	one := interval.Int(1)
	nothing := []pair.Outcome{{P: one, Q: one, Loss: pair.RatLoss(new(big.Rat)), Exact: true}}
	var corners []corner
	for i := 1; i+2 < len(points); i++ {
		corners = append(corners, under(points[i-1:i+3], w))
	}
	// The first that is above 1 − α for certain, and all behind it, and the last above 0.
	first, last := len(corners), 0
	for first > 0 && exact.Sub(one, corners[first-1].x).Less(corners[first-1].y) == interval.True {
		first--
	}
	for last < len(corners) && corners[last].y.Positive() == interval.True {
		last++
	}
	if first+1 >= last {
		return nothing
	}
	corners = corners[first:last]
	if corners[0].x.Less(one) != interval.True || one.Less(corners[len(corners)-1].x) != interval.True {
		return nothing // the lines meet at 1
	}
	corners[0].y = exact.Sub(one, corners[0].x)
	corners[len(corners)-1].y = interval.Int(0)
	hull, ok := lowerHull(append([]corner{{interval.Int(0), one}}, corners...))
	if !ok {
		return nothing
	}
	slope := func(k int) interval.Interval {
		if k+1 == len(hull) {
			return interval.Int(0)
		}
		return w.Div(exact.Sub(hull[k+1].y, hull[k].y), exact.Sub(hull[k+1].x, hull[k].x))
	}
	var out []pair.Outcome
	for k := 1; k < len(hull); k++ {
		q := mass(w, slope(k), slope(k-1))
		out = append(out, pair.Outcome{P: w.Mul(hull[k].x, q), Q: q})
	}
	return out
}

// under is a point below both lines of the cell between the second and the third of four points: near to where they
// meet.
func under(p []hullPoint, w interval.Prec) corner {
	a, b := p[1], p[2]
	lower := func(p hullPoint) interval.Interval { return p.u.Lower() }
	r := w.Div(w.Sub(lower(a), p[0].u.Upper()), w.Sub(a.alpha, p[0].alpha))
	l := w.Div(w.Sub(p[3].u.Upper(), lower(b)), w.Sub(p[3].alpha, b.alpha))
	right := func(x interval.Interval) interval.Interval { return w.Add(lower(a), w.Mul(r, w.Sub(x, a.alpha))) }
	left := func(x interval.Interval) interval.Interval { return w.Add(lower(b), w.Mul(l, w.Sub(x, b.alpha))) }
	// They differ by right − left at a, and their slopes by r − l.
	x := w.Add(a.alpha, w.Div(w.Sub(right(a.alpha), left(a.alpha)), w.Sub(l, r)))
	if !x.IsFinite() || a.alpha.Less(x) != interval.True || x.Less(b.alpha) != interval.True {
		x = w.Scale(w.Add(a.alpha, b.alpha), -1)
	}
	x = w.Mid(x)
	if a.alpha.Less(x) != interval.True || x.Less(b.alpha) != interval.True {
		return corner{x, interval.Int(-1)} // too narrow a cell, of which nothing is said
	}
	return corner{x, interval.Min(right(x), left(x)).Lower()}
}

// exact is a precision in which sums and products of corners are next to never rounded.
const exact = interval.Prec(2048)

// lowerHull returns the corners of the convex hull from below. It reports false where it cannot tell.
func lowerHull(corners []corner) ([]corner, bool) {
	var hull []corner
	for _, c := range corners {
		for len(hull) > 1 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			// The slope to b against the one from b.
			turn := exact.Sub(exact.Mul(exact.Sub(c.y, b.y), exact.Sub(b.x, a.x)),
				exact.Mul(exact.Sub(b.y, a.y), exact.Sub(c.x, b.x)))
			if turn.Positive() == interval.True {
				break
			} else if turn.Positive() != interval.False {
				return nil, false
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, c)
	}
	return hull, true
}
