// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"math"

	"dpverify/exact/double"
)

// gathered is a pair on the grid of cells of width delta that has at every convex V that falls at most what the pair
// ((1−q)N(0, 1) + qN(μ, 1), N(0, 1)) has, or its reverse if second is set: the two ends of records on a line.
//
// The line is cut, and who is told no more than between which points the output is has at most as much. What is
// between two points goes to the last point of the grid with a ratio that is certainly no more, which takes Q-mass away
// or adds some, as V falls. Points are chosen so that it is next to none.
func (x *Records) gathered(delta float64, cut int, second bool) Table {
	return x.gatheredAt(x.cuts(delta, cut, second), delta, cut, second)
}

// gatheredAt is gathered by any points: one that is not beyond all before it is left out, or mass would count twice.
func (x *Records) gatheredAt(points []float64, delta float64, cut int, second bool) Table {
	q, mu := double.Of(wide.Rat(x.Rate)), double.Of(wide.Rat(x.Mu2)).Sqrt()
	less := double.Int(1).Sub(q)
	far := x.reach(cut)
	t := Table{first: -int(far.down/delta) - 2}
	t.mass = make([]float64, int(far.up/delta)+2-t.first)
	g := grid{delta: delta}
	last := math.Inf(-1)
	from := [2]double.Interval{double.Int(1), double.Int(1)} // what N(0, 1) and N(μ, 1) have from here on
	for _, z := range append(points[:len(points):len(points)], math.Inf(1)) {
		if !(z > last) {
			continue
		}
		last = z
		var to [2]double.Interval
		if !math.IsInf(z, 1) {
			to = [2]double.Interval{beyond(z, double.Interval{}), beyond(z, mu)}
		}
		none, moved := between(from[0], to[0]), between(from[1], to[1])
		from = to
		mass := [2]double.Interval{less.Mul(none).Add(q.Mul(moved)), none}
		if second {
			mass[0], mass[1] = mass[1], mass[0]
		}
		if !(mass[0].Lo > 0) {
			continue
		}
		k := int(min(double.Log64(mass[0].Lo/mass[1].Hi)/delta+1, float64(t.first+len(t.mass)-1)))
		for g.alpha(k).Mul(mass[1]).Hi > mass[0].Lo {
			k--
		}
		if k >= t.first {
			m := &t.mass[k-t.first]
			*m = double.Point(*m).Add(double.Point(mass[0].Lo)).Lo
		}
	}
	return t
}

// between is what is beyond a point and not beyond a later one.
func between(from, to double.Interval) double.Interval { return from.Sub(to).AtLeastZero() }

// beyond encloses what N(mean, 1) has beyond a point.
func beyond(z float64, mean double.Interval) double.Interval {
	return double.Interval{Lo: tail(z, mean.Lo).Lo, Hi: tail(z, mean.Hi).Hi}
}
