// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package float

import (
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
	if d.V > 0 {
		a, ok, err := byLines(q, func(p *line.Profile, rel float64) (value.Value, bool) { return p.Epsilon(d.V, rel) },
			func(p *line.Profile, found value.Value) bool { return p.Below(found.V-found.Err, d.V) })
		if ok || err != nil {
			return a, err
		}
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

// epsilon searches for ε(δ): δ ≥ 1 − e^ε bounds it from below, and from above it is looked for up to maxEps.
func (p *Profile) epsilon(ctx context.Context, delta value.Value) (Answer, error) {
	const maxEps = 1 << 20
	method := ""
	side := func(x float64) (int, error) { // of δ(x): 1 above, −1 not above, 0 not known
		r := new(big.Rat).SetFloat64(x)
		if r == nil {
			return 0, fmt.Errorf("float: ε = %v", x)
		}
		a, err := p.Delta(ctx, r)
		if a.Method != "" {
			method = a.Method
		}
		switch {
		case a.V-a.Err > delta.V+delta.Err:
			return 1, err
		case a.V+a.Err <= delta.V-delta.Err:
			return -1, err
		}
		return 0, err
	}
	lo, hi := math.Log1p(-delta.V)-1e-9, 1.0
	for ; ; hi *= 2 {
		s, err := side(hi)
		if err != nil {
			return Answer{}, err
		}
		if s < 0 {
			break
		}
		if hi > maxEps {
			return Answer{}, ErrNoEstimate
		}
		if s > 0 {
			lo = hi
		}
	}
	for hi-lo > 1e-11*math.Abs(hi) {
		m := lo + (hi-lo)/2
		if !(lo < m && m < hi) {
			break
		}
		a, err := p.Delta(ctx, new(big.Rat).SetFloat64(m))
		if err != nil {
			return Answer{}, err
		}
		if a.V > delta.V {
			lo = m
		} else {
			hi = m
		}
	}
	// The error grows until δ is known to be above and below at its ends.
	middle := lo + (hi-lo)/2
	for err := hi - lo + 4*value.U*math.Abs(middle); err < 1+math.Abs(middle); err *= 4 {
		above, e1 := side(middle - err)
		below, e2 := side(middle + err)
		if e := errors.Join(e1, e2); e != nil {
			return Answer{}, e
		}
		if above > 0 && below < 0 {
			return Answer{value.Within(middle, err), method}, nil
		}
	}
	return Answer{}, ErrNoEstimate
}
