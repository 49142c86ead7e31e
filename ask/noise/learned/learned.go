// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package learned finds additive noise that keeps a promise and moves answers as little as
// possible: learned in float64, rounded to exact masses, and certified.
package learned

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"dpverify/ask/noise"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/float/learn"
	"dpverify/internal/efforts"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// best is what the method of the wish finds.
func (s *search) best(ctx context.Context) (learn.State, *Optimum, error) {
	if s.wish.AnyShape {
		return s.anyShape(ctx)
	}
	l, ok := program(s.goal)
	switch {
	case s.wish.Method == LP && !ok:
		return learn.State{}, nil, errors.New("method lp: want one release, without sampling, of not too many cells")
	case s.wish.Method == Sigmoid:
		return s.sigmoid(ctx), nil, nil
	case s.wish.Method == Gradient || !ok:
		return s.run(ctx), nil, nil
	}
	best, optimum, err := s.solve(ctx, l)
	if err == nil {
		return best, optimum, nil
	}
	if s.impossible(ctx, l) {
		return learn.State{}, nil, nil
	}
	if s.wish.Method == Auto {
		return s.run(ctx), nil, nil
	}
	return best, optimum, err
}

// Learn finds noise for a wish that has been checked. When ctx ends it certifies the best that was
// found. The error is a *NoneError if no noise was certified to do.
func Learn(ctx context.Context, w Wish) (Found, error) {
	started := time.Now()
	if least, ok := w.group(); ok && w.Delta != nil && least.LessEqRat(w.Delta) == interval.False {
		_, lo := least.Neg().Decimal(4)
		return Found{},
			&NoneError{fmt.Sprintf("any noise with a density on [−%s, %s] has δ(%s) ≥ %s: the answers at the ends of as many "+
				"moves as fit in, one after the other, have no output in common",
				number.Format(w.Radius), number.Format(w.Radius), number.Format(w.Epsilon), strings.TrimPrefix(lo, "-"))}
	}
	s := newSearch(w)
	best, optimum, err := s.best(ctx)
	if err != nil {
		return Found{}, err
	}
	if best.Half == nil {
		return Found{}, &NoneError{s.reason()}
	}
	f := Found{Optimum: optimum, Interrupted: ctx.Err() != nil, Gradients: s.gradients}
	// What was found is worth a certificate, even to one who does not want to wait any longer.
	ctx = context.WithoutCancel(ctx)
	margin := 0.0
	for range 4 {
		half := s.keep(best.Half, margin)
		if half == nil {
			return f, &NoneError{s.reason()}
		}
		f.Noise = s.grid.Event(noise.Round(half))
		f.First, f.Second = noise.Moments(f.Noise)
		f.Event = w.event(f.Noise)
		estimate := new(big.Rat)
		estimate.SetFloat64(math.Max(best.Delta, 1e-300))
		if f.Delta, err = enclose(ctx, f.Event, w.Epsilon, w.Delta, estimate); err != nil {
			return f, err
		}
		if w.Delta == nil || f.Delta.LessEqRat(w.Delta) == interval.True {
			f.Baselines = s.baselines(best.Half, f.Delta)
			f.Took = time.Since(started)
			return f, nil
		}
		hi, _ := f.Delta.Hi().Float64()
		target, _ := w.Delta.Float64()
		margin += math.Max(2e-5, 1.1*(hi/target-1))
	}
	return f, &NoneError{fmt.Sprintf("the best that was learned is not certified to have δ ≤ %s", w.Delta.RatString())}
}

const (
	// lastEffort ends a climb that does not decide.
	lastEffort = exact.Effort(4)
	// enoughBits is the relative accuracy of an answer that decides nothing.
	enoughBits = 13
)

// enclose encloses δ(eps) of an event, until it is known whether it is at most delta or, where
// that is nil, to four digits.
func enclose(ctx context.Context, e mechanism.Event, eps, delta, scale *big.Rat) (exact.Result, error) {
	var last exact.Result
	err := efforts.Ladder{First: 1, Last: lastEffort}.Climb(ctx, func(effort exact.Effort) (done bool, err error) {
		if last, err = exact.Delta(ctx, exact.Question{Event: e, Scale: scale}, eps, effort); err != nil {
			return false, err
		}
		return delta != nil && last.LessEqRat(delta) != interval.Unknown || delta == nil &&
			last.RelativeBits(enoughBits) >= enoughBits, nil
	})
	return last, err
}
