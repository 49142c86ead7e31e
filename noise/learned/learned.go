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

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/float/learn"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/noise"
	"dpverify/number"
)

// A Wish is what noise is to do: after Compositions releases, of Poisson samples at Rate, δ(Epsilon) ≤ Delta
// with the least utility loss, or the least δ(Epsilon) with a utility loss of at most Utility.
type Wish struct {
	Epsilon             *big.Rat // ≥ 0
	Delta               *big.Rat // in (0, 1), or nil
	Utility             *big.Rat // > 0, or nil
	Compositions        int64
	Radius, Sensitivity *big.Rat // > 0
	Cell                *big.Rat // divides both; nil: chosen
	Rate                *big.Rat // in (0, 1]
	Norm                noise.Norm
	Method              Method
	// AnyShape asks for symmetric noise that need not fall from 0, for one release without sampling.
	AnyShape bool
	Loss     learn.Loss // of Sigmoid
	Seed     uint64     // of Sigmoid
	// Progress is told of each noise that is found on the way.
	Progress func(learn.State)
}

// A Method is how noise is learned.
type Method int

const (
	Auto     Method = iota // the linear program of one release, otherwise gradients
	LP                     // the linear program
	Gradient               // gradients
	Sigmoid                // a stack of sigmoids, as in the paper that asked for it
)

// best is what the method of the wish finds.
func (s *search) best(ctx context.Context) (learn.State, *Optimum, error) {
	if s.wish.AnyShape {
		return s.anyShape(ctx)
	}
	l, ok := s.program()
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

var one = big.NewRat(1, 1)

// MaxCompositions bounds the releases that are learned for.
const MaxCompositions = 1 << 20

// A Found is noise that was learned. All of it but Baselines and Gradients is certified.
type Found struct {
	Noise         mechanism.AdditiveNoise
	Event         mechanism.Event // the composition
	Delta         exact.Result    // of the composition, at Epsilon
	First, Second *big.Rat        // E|X| and E X²
	Optimum       *Optimum        // nil where nothing is proved
	Baselines     []Baseline
	Gradients     int
	Interrupted   bool
	Took          time.Duration
}

// A NoneError says why there is no noise.
type NoneError struct{ Reason string }

func (e *NoneError) Error() string { return "no noise was found: " + e.Reason }

// Check says what is wrong with a wish, and chooses a cell.
func (w *Wish) Check() error {
	switch {
	case (w.Delta == nil) == (w.Utility == nil):
		return errors.New("want either a δ or a utility loss")
	case w.Delta != nil && (w.Delta.Sign() <= 0 || w.Delta.Cmp(big.NewRat(1, 1)) >= 0):
		return fmt.Errorf("delta = %s, want a number in (0, 1)", show.Cut(number.Format(w.Delta)))
	case w.Utility != nil && w.Utility.Sign() <= 0:
		return fmt.Errorf("utility = %s, want a number > 0", show.Cut(number.Format(w.Utility)))
	case w.Compositions < 1 || w.Compositions > MaxCompositions:
		return fmt.Errorf("compositions = %d, want an integer in [1, %d]", w.Compositions, MaxCompositions)
	case w.Rate.Sign() <= 0 || w.Rate.Cmp(one) > 0:
		return fmt.Errorf("sampling probability = %s, want a number in (0, 1]", show.Cut(number.Format(w.Rate)))
	case w.Radius.Sign() <= 0 || w.Sensitivity.Sign() <= 0:
		return errors.New("range and sensitivity: want numbers > 0")
	case w.Epsilon.Sign() < 0:
		return fmt.Errorf("epsilon = %s, want a number >= 0", show.Cut(number.Format(w.Epsilon)))
	}
	if f, _ := w.Epsilon.Float64(); f > 500 {
		return fmt.Errorf("epsilon = %s, want at most 500", show.Cut(number.Format(w.Epsilon)))
	}
	if w.Cell == nil {
		w.Cell = w.chooseCell()
	}
	g, err := noise.NewGrid(w.Radius, w.Sensitivity, w.Cell)
	if err != nil {
		return err
	}
	if w.AnyShape {
		return w.checkShape(g)
	}
	const most = 1 << 16
	if 2*g.N+g.Shift > most || g.N < 2 {
		return fmt.Errorf("range = %s, want between 2 and %d cells of %s", show.Cut(number.Format(w.Radius)), (most-g.Shift)/2, show.Cut(number.Format(w.Cell)))
	}
	return nil
}

// chooseCell divides the sensitivity into 4 cells, more where the range is short: into up to 10, for
// one release 100, as long as they are about 2000 on either side. The range has to be a
// multiple of the cell: where it is none the sensitivity is divided by their common measure.
func (w *Wish) chooseCell() *big.Rat {
	ratio, _ := new(big.Rat).Quo(w.Radius, w.Sensitivity).Float64()
	most := 10.0
	if w.Compositions == 1 && !w.AnyShape {
		most = 100
	}
	parts := int64(math.Max(4, math.Min(most, 2000/ratio)))
	for _, k := range []int64{parts, parts + 1, parts + 2, parts + 3, parts - 1, parts - 2} {
		if k < 1 {
			continue
		}
		cell := new(big.Rat).Mul(w.Sensitivity, big.NewRat(1, k))
		if new(big.Rat).Quo(w.Radius, cell).IsInt() {
			return cell
		}
	}
	// Cells of which both are multiples: s/(k·q) for r/s = p/q.
	q := new(big.Rat).Quo(w.Radius, w.Sensitivity).Denom()
	return new(big.Rat).Quo(w.Sensitivity, new(big.Rat).SetInt(q))
}

// grid is the grid of a checked wish.
func (w *Wish) grid() noise.Grid {
	g, err := noise.NewGrid(w.Radius, w.Sensitivity, w.Cell)
	if err != nil {
		panic("learned: internal error: " + err.Error())
	}
	return g
}

func (w *Wish) problem(g noise.Grid) learn.Problem {
	eps, _ := w.Epsilon.Float64()
	rate, _ := w.Rate.Float64()
	return learn.Problem{N: g.N, Shift: g.Shift, Count: int(w.Compositions), Eps: eps, Rate: rate}
}

// event is the composition that is asked about.
func (w *Wish) event(n mechanism.AdditiveNoise) mechanism.Event {
	var e mechanism.Event = n
	if w.Rate.Cmp(big.NewRat(1, 1)) < 0 {
		e = mechanism.PoissonSampled{SamplingProbability: w.Rate, Event: e}
	}
	return mechanism.SelfComposed{Event: e, Count: w.Compositions}
}

// Learn finds noise for a wish that has been checked. When ctx ends it certifies the best that was
// found. The error is a *NoneError if no noise was certified to do.
func Learn(ctx context.Context, w Wish) (Found, error) {
	started := time.Now()
	if least, ok := w.group(); ok && w.Delta != nil && least.LessEqRat(w.Delta) == interval.False {
		_, lo := least.Neg().Decimal(4)
		return Found{}, &NoneError{fmt.Sprintf("any noise on [−%s, %s] has δ(%s) ≥ %s: the answers at the ends of as many moves as fit in, one after the other, have no output in common",
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
			f.Baselines = s.baselines(best.Half, f)
			f.Took = time.Since(started)
			return f, nil
		}
		hi, _ := f.Delta.Hi().Float64()
		target, _ := w.Delta.Float64()
		margin += math.Max(2e-5, 1.1*(hi/target-1))
	}
	return f, &NoneError{fmt.Sprintf("the best that was learned is not certified to have δ ≤ %s", w.Delta.RatString())}
}
