// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/profile"
)

// A Single is one method's own view of one orientation of a question: for those who
// compare methods with each other.
type Single struct {
	Method  string
	Product string // identifies the orientation: methods of equal products agree
	// Parts names the methods that it has parts of the product bounded by.
	Parts []string

	solver *method.Solver
	f      profile.Func
}

// Delta returns the method's enclosure of δ(eps) of its product.
func (s Single) Delta(ctx context.Context, eps *big.Rat) (interval.Interval, error) {
	return s.f(ctx, s.solver.Effort.Bits(), interval.RealRat(eps))
}

// Orientations identifies the products whose largest δ bounds the answer of a question
// from above, and is the answer where that is attained.
func Orientations(q Question) (products []string, attained bool, err error) {
	_, b, err := meaning.ResolveProfile(q.Event, q.Relation, q.Direction)
	for _, o := range b.Upper {
		products = append(products, o.String())
	}
	return products, b.Attained, err
}

// Each prepares, one by one, every method that applies to the dominating products of a
// question and costs at most a number of seconds by its own estimate, also those that
// Prepare leaves out because another one settles the question. Methods whose names are
// given are left out. A method does what it can by itself and does not fall back on
// another one.
func Each(ctx context.Context, q Question, e Effort, cost float64, except ...string) ([]Single, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	_, b, err := meaning.ResolveProfile(q.Event, q.Relation, q.Direction)
	if err != nil {
		return nil, err
	}
	var out []Single
	for _, prod := range b.Upper {
		if len(prod) == 0 {
			continue
		}
		for _, m := range method.All {
			if slices.Contains(except, m.Name) {
				continue
			}
			s := method.NewSolver(method.All, e, q.Scale)
			s.Alone = true
			p := m.Plan(s, prod, s.Effort)
			if p == nil || p.Cost > cost {
				continue
			}
			f, err := p.Prepare(ctx)
			if s.Refuses(m.Name, err) || err == nil && f == nil {
				continue
			}
			if err != nil {
				return nil, err
			}
			out = append(out, Single{m.Name, prod.String(), s.Names(), s, f})
		}
	}
	return out, nil
}
