// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Policy says which pair each step is, by the privacy loss of the outputs before it: Steps[i] are the runs of step i,
// in rising order.
type Policy struct{ Steps [][]Run }

// A Run says that a step is a pair where the loss, in nats, is at least From, up to the next run. The first one is from
// −∞. Choice counts the pairs of Problem.Below, and the two of Problem.Ends after them.
type Run struct {
	From   float64
	Choice int
}

// Choice is what a step is after so much loss.
func (p Policy) Choice(step int, loss float64) int {
	runs := p.Steps[step]
	i := len(runs) - 1
	for i > 0 && loss < runs[i].From {
		i--
	}
	return runs[i].Choice
}

// Policy returns the policy that the lower bound at ε is of. It reports false if none was kept.
//
// The values are of pairs on the grid below the pairs of the problem. So the bound stands whatever is printed; the
// policy says what the pairs that are below do, and the pairs themselves do as well but for the grid.
func (b *Bounds) Policy(eps *big.Rat) (Policy, bool) {
	if b.lower == nil || b.lower.kept == nil {
		return Policy{}, false
	}
	k := b.lower.kept
	at := double.Of(interval.Prec(64).Rat(eps)).Mid()
	var p Policy
	n := len(k.steps)
	for i := range n {
		var points []point
		now := k.steps[n-1-i]
		for m := len(now) - 1; m >= 0; m-- { // rising losses
			loss := at - float64(b.grid.first+m)*b.grid.delta
			if reach := b.reach; loss < -float64(i)*reach.down-b.grid.delta || loss > float64(i)*reach.up+b.grid.delta {
				continue
			}
			c := indifferent
			if now[m] != indifferent {
				c = k.labels[now[m]]
			}
			points = append(points, point{loss, c})
		}
		p.Steps = append(p.Steps, runs(points))
	}
	return p, true
}

// A point is a loss with what is chosen there.
type point struct {
	loss   float64
	choice int
}

// runs puts points with equal choices together, which rise. Where a choice does not matter, the one before goes on.
func runs(points []point) (out []Run) {
	last := math.Inf(-1)
	for _, x := range points {
		if n := len(out); x.choice != indifferent && (n == 0 || out[n-1].Choice != x.choice) {
			from := math.Inf(-1)
			if n > 0 {
				from = (last + x.loss) / 2
			}
			out = append(out, Run{from, x.choice})
		}
		last = x.loss
	}
	if len(out) == 0 {
		out = []Run{{From: math.Inf(-1)}}
	}
	return out
}

// newPoint is where the ratio Q/P of the outputs is so much.
func newPoint(ratio interval.Interval, choice int) point {
	return point{-double.Log64(double.Of(ratio).Mid()), choice}
}

// rising are the runs of points in any order.
func rising(points []point) []Run {
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.loss, b.loss) })
	return runs(points)
}
