// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"math"
	"math/big"
	"slices"

	"dpverify/certify/evidence/statement"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// maxIndex bounds indices of grids, and maxSpan the length of the vector of a leaf.
const (
	maxIndex = 1 << 40
	maxSpan  = 1 << 19
)

// kinks chooses the points of the grid with a step, of which leaves have masses: those next to
// atoms, and the ends of cells that are as wide as can be with mass·width², in steps, at most spread, the mass being
// weighted by the law's tilt, but for a mass of about tail at either end. It returns nil if there are too many.
func (l law) kinks(step, tail, spread float64) []int64 {
	var out []int64
	if _, ok := l.part.Pair.(statement.Finite); ok {
		for _, x := range l.x {
			if math.IsInf(x, 0) || math.Abs(x/step) > maxIndex/4 {
				continue
			}
			// An atom may be on the grid but for the rounding of float64.
			if n := math.Round(x / step); math.Abs(x/step-n) < 1e-9*(1+math.Abs(n)) {
				out = append(out, int64(n))
			} else {
				out = append(out, int64(math.Floor(x/step)), int64(math.Ceil(x/step)))
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	lo, hi := math.Floor(l.quantile(tail, bottom)/step-1e-9), math.Ceil(l.quantile(tail, top)/step-1e-9)
	if !(hi-lo < maxSpan && math.Abs(lo) < maxIndex/4) {
		return nil
	}
	first, last := int64(lo), int64(hi)
	narrow := func(from, h int64) bool {
		to := float64(from+h) * step
		return l.mass(float64(from)*step, to)*math.Exp(l.lambda*to-l.logM)*float64(h)*float64(h) <= spread
	}
	h := int64(1)
	for at := first; ; at += h {
		if out = append(out, at); at >= last {
			return out
		} else if len(out) > 20_000 {
			return nil
		}
		for h < last-at && narrow(at, 2*h) {
			h *= 2
		}
		for h > 1 && !narrow(at, h) {
			h /= 2
		}
		for more := h / 2; more > 0; more /= 2 {
			if narrow(at, h+more) {
				h += more
			}
		}
		h = min(h, last-at)
	}
}

// dominating is the leaf of the upper side with kinks at these points: its profile is the chord of
// the part's at each kink, or a little more.
//
// The prefix sums of its masses are Σ_{i≤k} a_i = 1 − u(α_k) − α_k·S_k, where −S_k is the slope of
// u after α_k. They are rounded down, and less one unit from the first on: u rises by that unit
// from the first kink on (docs/checker.md, theorem 3), which leaves room for the
// roundings of whoever compares.
func dominating(l law, step *big.Rat, points []int64, bits uint) (index []int64, masses []*big.Int) {
	n := len(points)
	alpha, h := make([]fixed.Real, n), make([]fixed.Real, n)
	for k, i := range points {
		alpha[k] = statement.Three.Exp(statement.Three.Rat(new(big.Rat).Mul(step, new(big.Rat).SetInt64(i))))
		h[k] = l.part.Profile(l.direction, alpha[k])
	}
	prefix := make([]*big.Int, n)
	for k := range points {
		sum := statement.Three.Sub(fixed.Int(1), h[k])
		if k+1 < n {
			slope := statement.Three.Div(statement.Three.Sub(h[k], h[k+1]), statement.Three.Sub(alpha[k+1], alpha[k]))
			sum = statement.Three.Sub(sum, statement.Three.Mul(alpha[k], slope))
		}
		x := sum.Interval()
		if !x.IsFinite() {
			return nil, nil
		}
		prefix[k] = interval.FloorScaled(interval.Max(interval.Int(0), x), bits)
		prefix[k].Sub(prefix[k], big.NewInt(1))
	}
	for k := n - 2; k >= 0; k-- { // what rises by an error alone
		if prefix[k].Cmp(prefix[k+1]) > 0 {
			prefix[k].Set(prefix[k+1])
		}
	}
	last := new(big.Int)
	for k, i := range points {
		if prefix[k].Cmp(last) > 0 {
			index = append(index, i)
			masses = append(masses, new(big.Int).Sub(prefix[k], last))
			last = prefix[k]
		}
	}
	return index, masses
}

// groups is the leaf of the lower side: cells of outcomes and where they go.
func groups(l law, step *big.Rat, points []int64) (index, parts, thresholds []int64) {
	s := number.Float64(step)
	place := func(x float64) {
		y := math.Max(-maxIndex/2, math.Min(maxIndex/2, x/s))
		if l.far != 0 { // all losses are on the grid
			y = math.Round(y)
		}
		n := math.Floor(y)
		p := int64((y - n) * (1 << partBits))
		index, parts = append(index, int64(n)), append(parts, min(p, 1<<partBits-1))
	}
	if pair, ok := l.part.Pair.(statement.Listed); ok {
		top := 0.0
		for _, x := range l.x {
			if !math.IsInf(x, 0) {
				top = math.Max(top, x)
			}
		}
		for _, o := range pair.Outcomes(l.direction) {
			switch a, b := statement.Float64(o.P), statement.Float64(o.Q); {
			case a <= 0 && l.far != 0:
				place(-float64(l.far) * s)
			case a <= 0:
				place(-top)
			case b <= 0 && l.far != 0:
				place(float64(l.far) * s)
			case b <= 0:
				place(4 * top)
			default:
				place(statement.LogOf(o.P) - statement.LogOf(o.Q))
			}
		}
		return index, parts, nil
	}
	pair, ok := l.part.Pair.(statement.Divisible)
	if !ok {
		return nil, nil, nil
	}
	noise, isLaplace := laplaceNoise(pair)
	for _, i := range points {
		x := float64(i) * s
		if l.direction == mechanism.Add {
			x = -x
		}
		t := pair.Outcome(x)
		if isLaplace { // the losses of the ends are the losses of (−∞, 0] and (s, ∞)
			t = math.Min(t, number.Float64(noise.Shift))
			if math.IsInf(t, -1) {
				t = -40
			}
		}
		if math.IsInf(t, 0) || math.Abs(t) > 1e6 {
			continue
		}
		thresholds = append(thresholds, int64(math.Round(t*(1<<statement.ThresholdBits))))
	}
	if isLaplace {
		thresholds = append(thresholds, 0)
	}
	slices.Sort(thresholds)
	thresholds = slices.Compact(thresholds)
	for k, t := range thresholds {
		lo, hi := float64(t)/(1<<statement.ThresholdBits), math.Inf(1)
		if k+1 < len(thresholds) {
			hi = float64(thresholds[k+1]) / (1 << statement.ThresholdBits)
		}
		between := func(s statement.Side) float64 {
			if lo > 0 {
				return statement.SF(pair, lo, s) - statement.SF(pair, hi, s)
			}
			return statement.CDF(pair, hi, s) - statement.CDF(pair, lo, s)
		}
		x := pair.Loss(lo)
		if a, b := between(statement.OfP), between(statement.OfQ); a > 1e-290 && b > 1e-290 {
			// log of the ratio of the masses, kept between the losses of the ends
			x = math.Max(x, math.Log(a/b))
			if !math.IsInf(hi, 1) {
				x = math.Min(x, pair.Loss(hi))
			}
		}
		if l.direction == mechanism.Add {
			x = -x
		}
		place(x)
	}
	return index, parts, thresholds
}

// laplaceNoise is the Laplace noise of a pair, or of what it is a sample of.
func laplaceNoise(p statement.Pair) (statement.Laplace, bool) {
	if s, ok := p.(statement.Sampled); ok {
		p = s.Divisible
	}
	noise, ok := p.(statement.Laplace)
	return noise, ok
}
