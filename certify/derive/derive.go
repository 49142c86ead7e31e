// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package derive computes what stated derivations give: the ε at a δ, or the δ at an ε, that
// an accounting method derives for an event. What a method gives need not be the truth, and
// for one of them is not even a bound of it.
package derive

import (
	"context"
	"fmt"
	"math/big"
	"sync"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
)

// A Method is a derivation that this version knows.
type Method struct {
	Name, Source string
	// Bound says that what it derives is proved to hold.
	Bound bool
	// Orders says that it goes by Rényi orders, some or all real ones.
	Orders bool
	// Formula says that it is one, and takes no time.
	Formula bool
	// Search says that it searches a family of bounds, which takes time.
	Search bool
	// Least says that it gives the least ε itself, which is not for this package to compute,
	// and Note what is to be said of that.
	Least bool
	Note  string

	derivations
}

// derivations are those of ε at δ ≥ 0, and of δ at ε ≥ 0.
type derivations struct{ epsilon, delta derivation }

// A derivation derives a number at δ or at ε. It returns a NotModelledError where the method does not apply, and
// otherwise the errors of the engine.
type derivation func(d *deriver, at *big.Rat) (exact.Enclosure, error)

// from are derivations in two steps: what the method starts from, where it applies, and the number that follows.
func from[T any](start func(*deriver) (T, error),
	epsilon, delta func(*deriver, T, *big.Rat) (exact.Enclosure, error)) derivations {
	then := func(next func(*deriver, T, *big.Rat) (exact.Enclosure, error)) derivation {
		return func(d *deriver, at *big.Rat) (exact.Enclosure, error) {
			x, err := start(d)
			if err != nil {
				return exact.Enclosure{}, err
			}
			return next(d, x, at)
		}
	}
	return derivations{then(epsilon), then(delta)}
}

// A NotModelledError says why a derivation does not apply to an event.
type NotModelledError string

func (e NotModelledError) Error() string { return string(e) }

// notModelled formats a NotModelledError.
func notModelled(format string, args ...any) error {
	return NotModelledError(fmt.Sprintf(format, args...))
}

// called is what a message calls a pair.
func called(p pair.Pair) string {
	switch x := p.(type) {
	case pair.Gaussian:
		return "Gaussian noise"
	case pair.Sampled:
		return "a Poisson sample of rate " + x.Rate.RatString()
	}
	return p.String()
}

// A Question is what a derivation starts from.
type Question struct {
	exact.Question
	Orders     []*big.Rat // of a Rényi derivation; nil for the default
	RealOrders bool       // all α > 1
	// Published is an ε that was said to be derived, and Written how: for notes only. It may be
	// nil.
	Published *big.Rat
	Written   string
	// Kept, if it is not nil, keeps divergences for other questions about the same event.
	Kept *Kept
}

// A Result is a derived number, and a note for people.
type Result struct {
	exact.Enclosure
	Note string
}

// Epsilon encloses the ε that a method gives at delta; it is ∞ where the method gives
// nothing. The error is a NotModelledError, about the question, a bug of the engine or ctx's.
func (m Method) Epsilon(ctx context.Context, q Question, delta *big.Rat) (Result, error) {
	if m.epsilon == nil {
		return Result{}, notModelled("this version does not know the derivation")
	}
	return q.derive(ctx, m.epsilon, delta)
}

// Delta encloses the δ that a method gives at eps ≥ 0; it is 1 where the method gives
// nothing. The error is as Epsilon's.
func (m Method) Delta(ctx context.Context, q Question, eps *big.Rat) (Result, error) {
	if m.delta == nil {
		return Result{}, notModelled("this version does not know the δ of the derivation")
	}
	if eps.Sign() < 0 {
		return Result{}, notModelled("derivations are about ε ≥ 0")
	}
	return q.derive(ctx, m.delta, eps)
}

func (q Question) derive(ctx context.Context, f derivation, at *big.Rat) (Result, error) {
	prob, err := meaning.Resolve(q.Event, q.Relation)
	if err != nil {
		return Result{}, err
	}
	d := &deriver{Question: q, ctx: ctx, prob: prob}
	x, err := f(d, at)
	return Result{x, d.note}, err
}

// A deriver derives a number from a question.
type deriver struct {
	Question
	ctx  context.Context
	prob meaning.Problem
	note string
}

// Bits is the precision of derived values.
const Bits = interval.Prec(64)

// epsilonBits is how many leading bits of ε are settled where the engine searches for it.
const epsilonBits = 40

// spare encloses a rational number, with bits to spare.
func spare(x *big.Rat) interval.Interval { return (4 * Bits).Rat(x) }

// enclosed is a derived value that is known by its enclosure only.
func enclosed(x interval.Interval) exact.Enclosure { return exact.Enclosure{Interval: x} }

// infinite is ε = ∞: the derivation gives nothing at this δ.
func infinite() exact.Enclosure { return enclosed(interval.PosInf()) }

// nothing is δ = 1: the derivation gives nothing at this ε.
func nothing() exact.Enclosure { return rational(one) }

// rational is a derived value that is a rational number.
func rational(x *big.Rat) exact.Enclosure {
	return exact.Enclosure{Interval: (2 * Bits).Rat(x), Value: x}
}

// probability is δ = x, at most 1.
func probability(x interval.Interval) exact.Enclosure {
	return enclosed(interval.Min(x, interval.Int(1)))
}

var one = big.NewRat(1, 1)

// A Kept keeps the divergences of an event under one relation and direction, as all methods that go by orders need the
// same ones at every ε and δ. It is safe for concurrent use.
type Kept struct {
	mu     sync.Mutex
	values map[string]interval.Interval
}

// of returns f, of which it keeps the values under a name.
func (k *Kept) of(name string, f renyi.Divergence) renyi.Divergence {
	if k == nil {
		return f
	}
	return func(p interval.Prec, alpha renyi.Order) interval.Interval {
		a, _ := alpha.Rat()
		key := fmt.Sprintf("%s %d %v", name, p, a)
		k.mu.Lock()
		y, ok := k.values[key]
		k.mu.Unlock()
		if ok {
			return y
		}
		y = f(p, alpha)
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.values == nil {
			k.values = make(map[string]interval.Interval)
		}
		k.values[key] = y
		return y
	}
}
