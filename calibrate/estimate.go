// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"context"
	"errors"
	"math"
	"math/big"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/float"
	"dpverify/mechanism"
)

// An estimate says whether a value seems to be private enough.
type estimate struct {
	ok bool
	// excess is about the logarithm of ε, or of δ, as a part of the one asked for; 0 where that is not known.
	excess float64
}

// estimate looks at a value by the fast path where it is accurate, else by the exact engine at little effort.
func (q Question) estimate(ctx context.Context, x *big.Rat) (estimate, error) {
	if err := ctx.Err(); err != nil {
		return estimate{}, err
	}
	events, err := q.event(x)
	if err != nil {
		return estimate{}, err
	}
	e := events.LessPrivate
	asked := exact.Question{Event: e, Relation: q.Relation, Direction: q.Direction, Scale: q.Delta}
	if sampledGaussian(e) {
		// Far from the border δ(ε) is deep in the tail, which takes long, and the least ε is not.
		y, err := q.byEpsilon(ctx, asked)
		if err != nil {
			return estimate{}, err
		}
		if below, decided := sideOf(y, q.Epsilon); decided {
			return estimate{below, excess(y, q.Epsilon)}, nil
		}
	}
	a, err := q.fast(ctx, e)
	var unsupported *float.UnsupportedError
	switch {
	case err == nil:
		d, _ := q.Delta.Float64()
		if a.Hi() <= d || a.Lo() > d || a.Rel() < 1e-3 {
			return estimate{a.V <= d, math.Log(a.V / d)}.known(), nil
		}
	case ctx.Err() != nil, !errors.As(err, &unsupported) && !errors.Is(err, context.DeadlineExceeded):
		return estimate{}, err
	}
	y, err := ask.Within(ctx, func(ctx context.Context) (exact.Result, error) { return exact.Delta(ctx, asked, q.Epsilon, 1) })
	if err != nil {
		return estimate{}, err
	}
	mid, _ := y.Lo().Rat(nil)
	high, _ := y.Hi().Rat(nil)
	mid.Add(mid, high)
	return estimate{ok: mid.Quo(mid, big.NewRat(2, 1)).Cmp(q.Delta) <= 0}, nil
}

// known is e without an excess that is no number, or that is on the other side.
func (e estimate) known() estimate {
	if math.IsNaN(e.excess) || math.IsInf(e.excess, 0) || e.ok != (e.excess <= 0) {
		e.excess = 0
	}
	return e
}

// byEpsilon encloses the least ε: to few bits, and to more where these do not tell.
func (q Question) byEpsilon(ctx context.Context, asked exact.Question) (y exact.Result, err error) {
	var p *exact.Profile
	for _, bits := range []int{farBits, draftBits} {
		y, err = ask.Within(ctx, func(ctx context.Context) (_ exact.Result, err error) {
			if p == nil {
				if p, err = exact.Prepare(ctx, asked, 0); err != nil {
					return exact.Result{}, err
				}
			}
			return p.Epsilon(ctx, q.Delta, bits)
		})
		if _, decided := sideOf(y, q.Epsilon); err != nil || decided {
			break
		}
	}
	return y, err
}

// excess is about log(ε/epsilon), or 0.
func excess(y exact.Result, epsilon *big.Rat) float64 {
	lo, _ := y.Lo().Float64()
	hi, _ := y.Hi().Float64()
	wanted, _ := epsilon.Float64()
	below, _ := sideOf(y, epsilon)
	return estimate{below, math.Log((lo + hi) / 2 / wanted)}.known().excess
}

// farBits is how many bits of ε tell values far from the border.
const farBits = 10

// draftBits are enough to say on which side of ε a value is, but next to it.
const draftBits = 30

// sampledGaussian reports whether an event is steps of a Poisson sample of a Gaussian: the exact engine
// answers for them at once, and the fast path may not.
func sampledGaussian(e mechanism.Event) bool {
	if steps, ok := e.(mechanism.SelfComposed); ok {
		e = steps.Event
	}
	sample, ok := e.(mechanism.PoissonSampled)
	if !ok {
		return false
	}
	_, ok = sample.Event.(mechanism.Gaussian)
	return ok
}

// sideOf says on which side of ε an enclosure of the least one lies: below if it does not exceed it.
func sideOf(y exact.Result, epsilon *big.Rat) (below, decided bool) {
	lo, hi := compare(y.Lo(), epsilon), compare(y.Hi(), epsilon)
	return hi <= 0, hi <= 0 || lo > 0
}

// compare returns the sign of x − y; x may be infinite.
func compare(x *big.Float, y *big.Rat) int {
	if x.IsInf() {
		return x.Sign()
	}
	exactly, _ := x.Rat(nil)
	return exactly.Cmp(y)
}

// fast is δ at the wanted ε by the fast path, within the budget.
func (q Question) fast(ctx context.Context, e mechanism.Event) (float.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, q.Budget)
	defer cancel()
	p, err := float.Prepare(ctx, float.Question{Event: e, Relation: q.Relation, Direction: q.Direction})
	if err != nil {
		return float.Answer{}, err
	}
	return p.Delta(ctx, q.Epsilon)
}
