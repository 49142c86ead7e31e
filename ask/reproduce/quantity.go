// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"errors"
	"math/big"
	"sync"

	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

const (
	// last is the highest effort that is tried. The answers depend on the effort only.
	last exact.Effort = 3
	// statedDigits and what follows is how accurate stated numbers and points of curves are wanted, in digits.
	statedDigits, drawnDigits = 4, 2
	epsilonBits               = 30
)

// defaultScale is the least δ that figures resolve.
var defaultScale = rat("1e-12")

// A Quantity is a real number to be enclosed.
type Quantity struct {
	of   subject
	kind kind
	at   interval.Real // ε of delta
	x    *big.Rat      // ε of delta if it is rational, δ of epsilon, the order of divergence, the type I error of tradeOff
}

type kind int

const (
	delta kind = iota
	epsilon
	divergence
	tradeOff
	numeric // the number of a given
)

// deltaAt is δ(eps).
func deltaAt(of subject, eps *big.Rat) Quantity {
	return Quantity{of: of, kind: delta, at: interval.RealRat(eps), x: eps}
}

// deltaAtGrowth is δ(log growth).
func deltaAtGrowth(of subject, growth string) Quantity {
	return Quantity{of: of, kind: delta, at: logOf(growth)}
}

// logOf is the natural logarithm of a number.
func logOf(growth string) interval.Real {
	g := rat(growth)
	return func(p interval.Prec) interval.Interval { return p.Log((p + 2).Rat(g)) }
}

// epsilonAt is the least ε at a δ.
func epsilonAt(of subject, at *big.Rat) Quantity { return Quantity{of: of, kind: epsilon, x: at} }

// divergenceAt is the Rényi divergence of an order.
func divergenceAt(of subject, order *big.Rat) Quantity {
	return Quantity{of: of, kind: divergence, x: order}
}

// tradeOffAt is the least type II error at a type I error, of a pair and its mirror image
// with one trade-off function.
func tradeOffAt(of subject, x *big.Rat) Quantity {
	return Quantity{of: of, kind: tradeOff, x: x}
}

// A subject has a privacy profile. Subjects are compared by identity.
type subject interface {
	// prepare does what does not depend on ε. scale is the least δ to be resolved.
	prepare(ctx context.Context, scale *big.Rat, e exact.Effort) (prepared, error)
}

// A prepared is a privacy profile at one effort; *exact.Profile is one.
type prepared interface {
	DeltaReal(ctx context.Context, eps interval.Real) (interval.Interval, error)
	Epsilon(ctx context.Context, delta *big.Rat, bits int) (exact.Result, error)
}

// An asked is an event with what is asked about it.
type asked struct{ exact.Question }

// both asks for the maximum over both directions.
func both(e mechanism.Event) subject { return &asked{exact.Question{Event: e}} }

// oneWay asks for one direction.
func oneWay(e mechanism.Event, d mechanism.Direction) subject {
	return &asked{exact.Question{Event: e, Direction: d}}
}

func (a *asked) prepare(ctx context.Context, scale *big.Rat, e exact.Effort) (prepared, error) {
	q := a.Question
	q.Scale = scale
	return exact.Prepare(ctx, q, e)
}

// divergence encloses R_order.
func (a *asked) divergence(order *big.Rat, e exact.Effort) (interval.Interval, error) {
	r, err := exact.Renyi(a.Question, renyi.At(order), e)
	return r.Interval, err
}

// A derived is what an accounting method derives for an event.
type derived struct {
	asked
	derive.Method
}

// derivation asks an accounting method of package derive: for ε with all real Rényi orders where it goes
// by them.
func derivation(method string, e mechanism.Event) subject {
	m, _ := derive.Named(method)
	return &derived{asked{exact.Question{Event: e}}, m}
}

func (d *derived) prepare(context.Context, *big.Rat, exact.Effort) (prepared, error) { return d, nil }

// deltaAt is what the method gives at a rational ε, by the orders of its own list where it goes by orders.
func (d *derived) deltaAt(ctx context.Context, eps *big.Rat) (interval.Interval, error) {
	x, err := d.Delta(ctx, derive.Question{Question: d.Question}, eps)
	return x.Interval, err
}

// DeltaReal encloses the δ of the method, which falls in ε, by those at two rational numbers around ε.
func (d *derived) DeltaReal(ctx context.Context, eps interval.Real) (interval.Interval, error) {
	least, most, ok := eps(derive.Bits).Rationals()
	if !ok || least.Sign() < 0 {
		return profile.Unit(), nil
	}
	hi, err := d.deltaAt(ctx, least)
	if err != nil {
		return hi, err
	}
	lo, err := d.deltaAt(ctx, most)
	return interval.Union(lo, hi), err
}

func (d *derived) Epsilon(ctx context.Context, at *big.Rat, _ int) (exact.Result, error) {
	x, err := d.Method.Epsilon(ctx, derive.Question{Question: d.Question, RealOrders: d.Orders}, at)
	return exact.Result{Enclosure: x.Enclosure}, err
}

// aboveExact is by how much a number is above the exact ε of an event at a δ.
func aboveExact(of Quantity, e mechanism.Event, delta *big.Rat) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		y, err := of.of.(*given).get(ctx)
		if err != nil {
			return y, err
		}
		f, err := both(e).prepare(ctx, delta, last)
		if err != nil {
			return y, err
		}
		r, err := f.Epsilon(ctx, delta, 2*epsilonBits)
		return interval.Prec(96).Sub(y, r.Interval), err
	})
}

// A once is computed when it is first asked for.
type once[T any] struct {
	sync.Once
	f     func(context.Context) (T, error)
	value T
	err   error
}

func (o *once[T]) get(ctx context.Context) (T, error) {
	o.Do(func() { o.value, o.err = o.f(ctx) })
	return o.value, o.err
}

// A given is a number, whatever the effort.
type given struct{ once[interval.Interval] }

func (g *given) prepare(context.Context, *big.Rat, exact.Effort) (prepared, error) {
	return nil, errors.New("reproduce: internal error: a number has no profile")
}

// measured is a quantity that a function encloses.
func measured(f func(context.Context) (interval.Interval, error)) Quantity {
	return Quantity{of: &given{once[interval.Interval]{f: f}}, kind: numeric}
}

// rat reads a number of this package's tables.
func rat(s string) *big.Rat {
	x, err := number.Parse(s)
	if err != nil {
		panic("reproduce: internal error: " + err.Error())
	}
	return x
}

// spaced returns n numbers, evenly from one to another.
func spaced(from, to string, n int64) []*big.Rat {
	a, b := rat(from), rat(to)
	step := new(big.Rat).Quo(b.Sub(b, a), new(big.Rat).SetInt64(n-1))
	var out []*big.Rat
	for i := range n {
		x := new(big.Rat).SetInt64(i)
		out = append(out, x.Add(x.Mul(x, step), a))
	}
	return out
}

// counts returns numbers.
func counts(ks ...int64) []*big.Rat {
	var out []*big.Rat
	for _, k := range ks {
		out = append(out, new(big.Rat).SetInt64(k))
	}
	return out
}

// times composes an event with itself.
func times(k int64, e mechanism.Event) mechanism.Event {
	return mechanism.SelfComposed{Event: e, Count: k}
}

func gaussian(sigma string) mechanism.Event {
	return mechanism.Gaussian{NoiseMultiplier: rat(sigma)}
}

func laplace(scale string) mechanism.Event {
	return mechanism.Laplace{NoiseMultiplier: rat(scale)}
}

func guarantee(epsilon, delta string) mechanism.Event {
	return mechanism.EpsilonDelta{Epsilon: rat(epsilon), Delta: rat(delta)}
}

func sampled(rate string, e mechanism.Event) mechanism.Event {
	return mechanism.PoissonSampled{SamplingProbability: rat(rate), Event: e}
}
