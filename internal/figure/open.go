// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/interval"
)

// thin is how thick a band may be between its lines: an eighth of a point. With what lines are moved outward, it
// is thinner than half a pixel of 3/4 point.
const thin = unit / 8

// Open returns at most so many X at which curve i should be enclosed too, those first where
// its band is thickest: the band is thicker than the eye needs there, and more than where
// the curve is enclosed already.
func (g Graph) Open(i, most int) ([]*big.Rat, error) {
	p, err := g.plan(nil)
	if err != nil {
		return nil, err
	}
	return open(p.curves[i], p.x, p.y, most), nil
}

// open implements Graph.Open.
func open(c Curve, x, y side, most int) []*big.Rat {
	between := c.Shape.between(c.Points)
	if between == nil {
		return nil
	}
	type gap struct {
		at    *big.Rat
		thick float64
	}
	height := func(v interval.Interval) float64 {
		return float64(y.inside(y.upper(v.Hi())) - y.inside(y.lower(v.Lo())))
	}
	w := walk{ps: c.Points, between: between, x: x}
	var gaps []gap
	for i := range len(c.Points) - 1 {
		a, b := c.Points[i], c.Points[i+1]
		pa, pb := x.inside(x.upper(ceil(a.X))), x.inside(x.lower(floor(b.X)))
		if pb-pa <= thin {
			continue
		}
		best := gap{}
		for _, part := range probes {
			p := pa + (pb-pa)*part/16
			v := w.inside(i, x.back(p))
			// The middle is best, unless there is a corner elsewhere.
			if h := height(v); h > best.thick*(1+math.Abs(float64(part-8))/8) {
				if at := c.Shape.inside(a.X, b.X, x.back(p)); at != nil {
					best = gap{at, h}
				}
			}
		}
		// A steep band is as thick as it is across, and one about points that are not known
		// better does not get thinner.
		known := max(height(a.Y), height(b.Y))
		slope := float64(y.inside(y.upper(b.Y.Hi()))-y.inside(y.upper(a.Y.Hi()))) / float64(pb-pa)
		if steep := math.Sqrt(1 + slope*slope); best.at != nil && best.thick > thin*steep && best.thick > 1.15*known {
			best.thick /= steep
			gaps = append(gaps, best)
		}
	}
	slices.SortStableFunc(gaps, func(a, b gap) int { return cmp.Compare(b.thick, a.thick) })
	var out []*big.Rat
	for _, g := range gaps[:min(len(gaps), most)] {
		if 2*g.thick < gaps[0].thick {
			break // the next round knows better
		}
		out = append(out, g.at)
	}
	return out
}

// probes are where the thickness of a band is looked at, in sixteenths of a segment: also near its ends, since the band
// may be in the frame only there.
var probes = []int{8, 6, 10, 4, 12, 2, 14, 1, 15}
