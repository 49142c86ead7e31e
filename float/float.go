// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package float is the fast path: privacy profiles in float64, on gonum. Every result is
// a Value{V, Err} that claims |truth − V| ≤ Err, never a bare number.
//
// It shares nothing with package exact but the events of package mechanism: agreement
// between the two is evidence, and crosscheck is where they are compared. Each
// method documents how its error bound is composed: package value (rounding and the functions of
// package math), law (discrete laws), closed (closed forms), fourier (quadrature,
// truncation), cells (lattices of losses), pld (Fourier transforms). They rest on the functions of package
// math being as accurate as package value states; no verdict of certify depends on them.
package float

import (
	"context"
	"math/big"
	"slices"

	"dpverify/float/cells"
	"dpverify/float/closed"
	"dpverify/float/fourier"
	"dpverify/float/pair"
	"dpverify/float/pld"
	"dpverify/float/value"
	"dpverify/mechanism"
)

// A Value is a number known to be within Err of V.
type Value = value.Value

// An UnsupportedError says that the fast path does not cover an event.
type UnsupportedError = pair.UnsupportedError

// A Question names a privacy profile.
type Question struct {
	Event     mechanism.Event
	Relation  mechanism.Relation
	Direction mechanism.Direction
}

// A Profile is a privacy profile prepared for values at many ε. It is not safe for
// concurrent use.
type Profile struct{ orientations []*orientation }

// A method computes δ(ε) of one product.
type method struct {
	name  string
	delta profile
}

// A profile is δ(ε). Where the context ends, the value is known to less than it could be.
type profile func(context.Context, Value) Value

// An orientation is one product and the methods that apply to it, the most accurate
// one first.
type orientation struct{ methods []method }

// An Answer is a value with the method that it comes from.
type Answer struct {
	Value
	Method string
}

// Prepare resolves a question. The error is an *UnsupportedError, one of package mechanism,
// or ctx's.
func Prepare(ctx context.Context, q Question) (*Profile, error) {
	products, err := pair.Resolve(q.Event, q.Relation, q.Direction)
	if err != nil {
		return nil, err
	}
	p := new(Profile)
	for _, x := range products {
		o := new(orientation)
		if f, ok := closed.Of(ctx, x); ok {
			o.methods = append(o.methods, method{"closed", func(_ context.Context, eps Value) Value { return f(eps) }})
		}
		if a, ok := fourier.New(x); ok {
			reverse, _ := fourier.New(x.Reverse())
			o.methods = append(o.methods, method{"fourier", mirrored(a.Delta, reverse.Delta)})
		}
		if f, ok := gridded(x); ok {
			o.methods = append(o.methods, method{"pld", f})
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(o.methods) == 0 {
			return nil, &UnsupportedError{Class: q.Event.ClassName(), Reason: "no method of the fast path applies"}
		}
		p.orientations = append(p.orientations, o)
	}
	return p, nil
}

// gridded is the profile by a grid, which is built when it is first asked for.
func gridded(p pair.Product) (profile, bool) {
	at := func(p pair.Product) profile {
		var a *pld.Accountant
		return func(ctx context.Context, eps Value) Value {
			if a == nil {
				x, ok := pld.New(ctx, p)
				if !ok {
					return value.Between(0, 1)
				}
				a = x
			}
			return a.Delta(ctx, eps)
		}
	}
	return mirrored(at(p), at(p.Reverse())), cells.Applies(p)
}

// mirrored takes negative ε from the profile of the reversed pair,
// δ(ε) = 1 − e^ε + e^ε·δ′(−ε), all terms positive.
func mirrored(delta, reverse profile) profile {
	return func(ctx context.Context, eps Value) Value {
		if eps.V >= 0 {
			return delta(ctx, eps)
		}
		return eps.Expm1().Neg().Add(eps.Exp().Mul(reverse(ctx, eps.Neg()))).Clamp(0, 1)
	}
}

// enough is the relative error at which no further method is tried.
const enough = 1e-9

// Delta returns δ(eps): the maximum over the orientations, each by its first method
// that is accurate, or by the most accurate one. The error is ctx's.
func (p *Profile) Delta(ctx context.Context, eps *big.Rat) (Answer, error) {
	e := value.Rat(eps)
	var out Answer
	for i, o := range p.orientations {
		a := o.delta(ctx, e)
		if i == 0 {
			out = a
			continue
		}
		if a.V > out.V {
			out.Method = a.Method
		}
		out.Value = value.Max(out.Value, a.Value)
	}
	return out, ctx.Err()
}

// Each returns δ(eps) by every method by itself that applies to all orientations, for
// comparisons. The error is ctx's; the answers before its end are returned with it.
func (p *Profile) Each(ctx context.Context, eps *big.Rat) ([]Answer, error) {
	e := value.Rat(eps)
	var out []Answer
	for _, m := range p.orientations[0].methods {
		a := Answer{m.delta(ctx, e), m.name}
		applies := true
		for _, o := range p.orientations[1:] {
			i := slices.IndexFunc(o.methods, func(other method) bool { return other.name == m.name })
			if applies = applies && i >= 0; applies {
				a.Value = value.Max(a.Value, o.methods[i].delta(ctx, e))
			}
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if applies {
			out = append(out, a)
		}
	}
	return out, nil
}

// A NoMethodError says that a method does not apply.
type NoMethodError struct{ Method string }

func (e *NoMethodError) Error() string { return "method " + e.Method + " does not apply" }

// By returns δ(eps) by one method, of those that Each lists. The error is a *NoMethodError, or ctx's.
func (p *Profile) By(ctx context.Context, name string, eps *big.Rat) (Value, error) {
	e := value.Rat(eps)
	var out Value
	for i, o := range p.orientations {
		j := slices.IndexFunc(o.methods, func(m method) bool { return m.name == name })
		if j < 0 {
			return Value{}, &NoMethodError{name}
		}
		v := o.methods[j].delta(ctx, e)
		if i > 0 {
			v = value.Max(out, v)
		}
		out = v
	}
	return out, ctx.Err()
}

func (o *orientation) delta(ctx context.Context, eps Value) Answer {
	best := Answer{Value: value.Between(0, 1)}
	for _, m := range o.methods {
		if v := m.delta(ctx, eps); v.Err < best.Err {
			best = Answer{v, m.name}
		}
		if best.Rel() <= enough || ctx.Err() != nil {
			break
		}
	}
	return best
}
