// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A nearPivot is a pivot in float64.
type nearPivot struct{ x, second, beside, beyond float64 }

// nearPivots are those of a law, with about v and 1 + K(α).
type nearPivots struct {
	edge, all float64
	list      []nearPivot
}

// add adds one.
func (y *nearPivots) add(x, second, beside, beyond interval.Interval) {
	y.list = append(y.list, nearPivot{mid(x), mid(second), mid(beside), mid(beyond)})
}

// limit sets about v and 1 + K(α).
func (y *nearPivots) limit(edge, all interval.Interval) { y.edge, y.all = mid(edge), mid(all) }

// best is the pivot that bounds the least at r, or −1 if 1 + K(α) does.
func (y nearPivots) best(r interval.Interval) int {
	i, _ := y.choose(mid(r))
	return i
}

// choose returns the pivot that bounds the least at r, and about that bound.
func (y nearPivots) choose(r float64) (best int, bound float64) {
	best, bound = -1, y.all
	drift := 1 - r*y.edge
	for i, c := range y.list {
		if drift+c.beyond >= bound || r*c.x > 700 {
			continue
		}
		grows := double.Exp64(r * c.x)
		if b := drift + r*r/2*c.second*(double.Exp64(min(c.x, 700))+grows) + grows*c.beside + c.beyond; b < bound {
			best, bound = i, b
		}
	}
	return best, bound
}

// mid is a number in x.
func mid(x interval.Interval) float64 { return double.Of(x).Mid() }

// fallSteps is how many steps of a ninth it takes from one number to another one, about.
func fallSteps(from, to float64) int {
	const most = 400
	return int(min(max(0, math.Log(to/from)*8.5)+1, most))
}
