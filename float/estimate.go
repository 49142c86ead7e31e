// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package float

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpverify/float/line"
	"dpverify/float/pair"
	"dpverify/float/value"
)

// lineEnough is the relative error up to which a line is taken.
const lineEnough = 1e-2

// ErrNoEstimate is the error where float64 is too coarse: δ is far below what rounds on its way.
var ErrNoEstimate = errors.New("no estimate: float64 is too coarse here; the engine exact has an answer")

// Delta estimates δ(eps): trainings by lines, of which the error is estimated, too, and all others by a Profile. The
// error is that of Prepare.
func Delta(ctx context.Context, q Question, eps *big.Rat) (Answer, error) {
	e := value.Rat(eps)
	a, ok, err := byLines(q, func(p *line.Profile, rel float64) (value.Value, bool) { return p.Delta(e.V, rel) },
		func(p *line.Profile, found value.Value) bool { return p.Below(e.V, found.V-found.Err) })
	if ok || err != nil {
		return a, err
	}
	p, err := Prepare(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	return p.Delta(ctx, eps)
}

// Epsilon estimates the least ε with δ(ε) ≤ delta, 0 ≤ delta < 1. The error is that of Prepare, or ErrNoEstimate.
func Epsilon(ctx context.Context, q Question, delta *big.Rat) (Answer, error) {
	d := value.Rat(delta)
	if d.V == 0 { // no method tells δ(ε) from 0
		_, err := pair.Resolve(q.Event, q.Relation, q.Direction)
		return Answer{}, cmp.Or(err, ErrNoEstimate)
	}
	a, ok, err := byLines(q, func(p *line.Profile, rel float64) (value.Value, bool) { return p.Epsilon(d.V, rel) },
		func(p *line.Profile, found value.Value) bool { return p.Below(found.V-found.Err, d.V) })
	if ok || err != nil {
		return a, err
	}
	p, err := Prepare(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	return p.epsilon(ctx, d)
}

// byLines is the greatest of what f says of every orientation; false if one of them is none of lines. The error is
// that of the question, or ErrNoEstimate where float64 is too coarse for lines, and so it is for all else.
// An orientation is left out where below says that it is below what is found.
func byLines(q Question, f func(p *line.Profile, rel float64) (value.Value, bool),
	below func(p *line.Profile, found value.Value) bool) (out Answer, ok bool, err error) {
	products, err := pair.Resolve(q.Event, q.Relation, q.Direction)
	if err != nil {
		return out, false, err
	}
	for i, x := range products {
		p, ok := line.New(x)
		if !ok {
			return out, false, nil
		}
		if i > 0 && below(p, out.Value) {
			continue
		}
		v, ok := f(p, lineEnough)
		if !ok {
			return out, false, ErrNoEstimate
		}
		if i > 0 {
			v = value.Max(out.Value, v)
		}
		out = Answer{v, "line"}
	}
	return out, len(products) > 0, nil
}

// An end is an ε, and how far the logarithm of δ(ε) is above the one asked for: ±∞ where that is not known.
type end struct{ x, above float64 }

// epsilon searches for ε(δ): δ ≥ 1 − e^ε bounds it from below, and from above it is looked for up to maxEps. The method
// that is the best at one ε answers at the others, too.
func (p *Profile) epsilon(ctx context.Context, delta value.Value) (Answer, error) {
	const maxEps = 1 << 20
	method := ""
	at := func(x float64) (a Answer, err error) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return a, fmt.Errorf("float: ε = %v", x)
		}
		r := new(big.Rat).SetFloat64(x)
		if a.Method = method; method != "" {
			if a.Value, err = p.By(ctx, method, r); err == nil || ctx.Err() != nil {
				return a, err
			}
		}
		if a, err = p.Delta(ctx, r); a.Method != "" {
			method = a.Method
		}
		return a, err
	}
	side := func(a Answer) int { // 1 above δ, −1 not above, 0 not known
		switch {
		case a.V-a.Err > delta.V+delta.Err:
			return 1
		case a.V+a.Err <= delta.V-delta.Err:
			return -1
		}
		return 0
	}
	of := func(x float64, a Answer) end { return end{x, math.Log(a.V / delta.V)} }
	lo, hi := end{math.Log1p(-delta.V) - 1e-9, math.Inf(1)}, end{1, 0}
	for ; ; hi.x *= 2 {
		a, err := at(hi.x)
		if err != nil {
			return Answer{}, err
		}
		s := side(a)
		if hi = of(hi.x, a); s < 0 {
			break
		}
		if hi.x > maxEps {
			return Answer{}, ErrNoEstimate
		}
		if s > 0 {
			lo = hi
		}
	}
	method = "" // of the best one near to the answer
	middle, off, last := lo.x+(hi.x-lo.x)/2, 0.0, hi
	for n, moved := 0, 0; hi.x-lo.x > 1e-11*math.Abs(hi.x); n++ {
		middle = lo.x + (hi.x-lo.x)/2
		if x := lo.x + (hi.x-lo.x)*lo.above/(lo.above-hi.above); n%4 < 3 && lo.x < x && x < hi.x {
			middle = x // the regula falsi of Illinois, and now and then the middle
		}
		if !(lo.x < middle && middle < hi.x) {
			break
		}
		a, err := at(middle)
		if err != nil {
			return Answer{}, err
		}
		e := of(middle, a)
		slope := math.Abs((e.above - last.above) / (e.x - last.x))
		if gap := math.Abs(a.V - delta.V); gap <= (a.Err+delta.Err)/4 && slope > 0 && !math.IsInf(slope, 0) {
			off = (gap + a.Err + delta.Err) / delta.V / slope
			break // no other ε is known to be nearer
		}
		if last = e; e.above > 0 {
			if lo = e; moved > 0 {
				hi.above /= 2
			}
			moved = 1
		} else {
			if hi = e; moved < 0 {
				lo.above /= 2
			}
			moved = -1
		}
	}
	if off == 0 {
		off = hi.x - lo.x
	}
	// The error grows until δ is known to be above and below at its ends.
	for err := off + 4*value.U*math.Abs(middle); err < 1+math.Abs(middle); err *= 2 {
		above, e1 := at(middle - err)
		below, e2 := at(middle + err)
		if e := errors.Join(e1, e2); e != nil {
			return Answer{}, e
		}
		if side(above) > 0 && side(below) < 0 {
			return Answer{value.Within(middle, err), method}, nil
		}
	}
	return Answer{}, ErrNoEstimate
}
