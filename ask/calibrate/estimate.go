// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"context"
	"errors"
	"math"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// An estimate says whether a value seems to be private enough.
type estimate struct {
	ok bool
	// excess is about the logarithm of ε as a part of the one asked for, or above of δ; 0 where that is not known.
	excess float64
}

// estimate looks at a value for no longer than it may take to certify it. One that is not decided by then does not seem
// to be private enough: it would not be VERIFIED either.
func (q Question) estimate(ctx context.Context, x *big.Rat) (estimate, error) {
	limited, cancel := context.WithTimeout(ctx, q.Budget)
	defer cancel()
	e, err := q.look(limited, x)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return estimate{}, nil
	}
	return e, err
}

// look takes the exact engine at little effort, and with more where that does not decide.
func (q Question) look(ctx context.Context, x *big.Rat) (estimate, error) {
	if err := ctx.Err(); err != nil {
		return estimate{}, err
	}
	events, err := q.event(x)
	if err != nil {
		return estimate{}, err
	}
	asked := exact.Question{Event: events.LessPrivate, Relation: q.Relation, Direction: q.Direction, Scale: q.Delta}
	kind := noiseOf(asked.Event)
	if kind == gaussianSamples || kind == laplaceSamples {
		// Far from the border δ(ε) is deep in the tail, which takes long, and the least ε is not.
		if y, decided, err := q.byEpsilon(ctx, asked, kind); err != nil || decided {
			return y, err
		}
	}
	if y, decided, err := q.byDelta(ctx, asked); err != nil || decided {
		return y, err
	}
	// Any δ(ε) is at most a δ from 1 on, which is decided above: an estimate of 1 is not private enough.
	d := min(number.Float64(q.Delta), 1-0x1p-53)
	y, err := guard.Within(ctx, func(ctx context.Context) (exact.Result, error) {
		return exact.Delta(ctx, asked, q.Epsilon, 1)
	})
	if err != nil {
		return estimate{}, err
	}
	if below, decided := sideOf(y, q.Delta); decided {
		return estimate{below, q.above(y.Hi())}.known(), nil
	}
	lo, _ := y.Lo().Float64()
	hi, _ := y.Hi().Float64()
	if hi-lo < narrow*min(hi, 1-d) {
		return estimate{ok: lo+(hi-lo)/2 <= d}, nil
	}
	return estimate{hi <= d, q.above(y.Hi())}.known(), nil // a value is VERIFIED by the upper end
}

// narrow is the width of an enclosure of δ, as a part of it and of 1 − δ, up to which its middle stands for it:
// estimates need not be right.
const narrow = 1e-3

// known is e without an excess that is no number, or that is on the other side.
func (e estimate) known() estimate {
	if math.IsNaN(e.excess) || math.IsInf(e.excess, 0) || e.ok != (e.excess <= 0) {
		e.excess = 0
	}
	return e
}

// byEpsilon compares the least ε with the one asked for: a number near to it, and next to the border an enclosure,
// which may not decide.
func (q Question) byEpsilon(ctx context.Context, asked exact.Question,
	kind noise) (e estimate, decided bool, err error) {
	var p *exact.Profile
	near, err := guard.Within(ctx, func(ctx context.Context) (x *big.Rat, err error) {
		if p, err = exact.Prepare(ctx, asked, 0); err == nil {
			x, _ = p.Near(ctx, q.Delta)
		}
		return x, err
	})
	if err != nil {
		return estimate{}, false, err
	}
	switch {
	case near != nil:
		if x := q.excess(number.Float64(near)); math.Abs(x) > nearest {
			return estimate{x <= 0, x}.known(), true, nil
		}
	case kind == laplaceSamples:
		return estimate{}, false, nil
	}
	for _, bits := range []int{farBits, draftBits} {
		y, err := guard.Within(ctx, func(ctx context.Context) (exact.Result, error) {
			return p.Epsilon(ctx, q.Delta, bits)
		})
		if err != nil {
			return estimate{}, false, err
		}
		if below, decided := sideOf(y, q.Epsilon); decided {
			lo, _ := y.Lo().Float64()
			hi, _ := y.Hi().Float64()
			return estimate{below, q.excess(lo + (hi-lo)/2)}.known(), true, nil
		}
	}
	return estimate{}, false, nil
}

// byDelta compares δ at the wanted ε with the one asked for, by an enclosure, which may not decide.
func (q Question) byDelta(ctx context.Context, asked exact.Question) (e estimate, decided bool, err error) {
	y, err := guard.Within(ctx, func(ctx context.Context) (exact.Result, error) {
		return exact.Delta(ctx, asked, q.Epsilon, 0)
	})
	if err != nil {
		return estimate{}, false, err
	}
	below, decided := sideOf(y, q.Delta)
	return estimate{below, q.above(y.Hi())}.known(), decided, nil
}

// above is about log(x/δ) − log((1 − x)/(1 − δ)), which tells from δ what is next to 0 and what is next to 1.
func (q Question) above(x *big.Float) float64 {
	at, _ := x.Float64()
	rest, _ := new(big.Float).Sub(big.NewFloat(1), x).Float64()
	wanted := number.Float64(new(big.Rat).Sub(big.NewRat(1, 1), q.Delta))
	return math.Log(at/number.Float64(q.Delta)) - math.Log(rest/wanted)
}

// nearest is how near to the border, as a part of ε, a number without bounds is not trusted.
const nearest = 1e-6

// excess is about log(x/ε); −∞ for x ≤ 0.
func (q Question) excess(x float64) float64 { return math.Log(max(x, 0) / number.Float64(q.Epsilon)) }

// farBits is how many bits of ε tell values far from the border.
const farBits = 10

// draftBits are enough to say on which side of ε a value is, but next to it.
const draftBits = 30

// A noise says by what an event is estimated.
type noise int

const (
	otherNoise      noise = iota
	gaussianSamples       // steps of a Poisson sample of a Gaussian: the exact engine answers at once
	laplaceSamples        // steps of samples of Laplace noise: the exact engine has a transform if there are many
)

// noiseOf says what an event is steps of.
func noiseOf(e mechanism.Event) noise {
	if steps, ok := e.(mechanism.SelfComposed); ok {
		e = steps.Event
	}
	sample, sampled := e.(mechanism.PoissonSampled)
	if sampled {
		e = sample.Event
	}
	_, gaussian := e.(mechanism.Gaussian)
	_, laplace := e.(mechanism.Laplace)
	switch {
	case gaussian && sampled:
		return gaussianSamples
	case laplace && sampled:
		return laplaceSamples
	}
	return otherNoise
}

// sideOf says on which side of a number what is enclosed lies: below if it does not exceed it.
func sideOf(y exact.Result, at *big.Rat) (below, decided bool) {
	t := y.LessEqRat(at)
	return t == interval.True, t != interval.Unknown
}
