// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/profile"
)

// A Single is one method's own view of one orientation of a question: for those who
// compare methods with each other.
type Single struct {
	Method  string
	Product string // identifies the orientation: methods of equal products agree
	// Parts names the methods that it has parts of the product bounded by.
	Parts []string

	solver *solver
	f      profile.Func
}

// Delta returns the method's enclosure of δ(eps) of its product.
func (s Single) Delta(ctx context.Context, eps *big.Rat) (interval.Interval, error) {
	return s.f(ctx, s.solver.effort.Bits(), interval.RealRat(eps))
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
	if err := e.check(); err != nil {
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
		for _, m := range methods {
			if slices.Contains(except, m.name) {
				continue
			}
			s := newSolver(methods, e, q.Scale)
			s.alone = true
			p := m.Plan(s, prod, s.effort)
			if p == nil || p.Cost > cost {
				continue
			}
			f, err := p.Prepare(ctx)
			if s.refuses(m.name, err) || err == nil && f == nil {
				continue
			}
			if err != nil {
				return nil, err
			}
			out = append(out, Single{m.name, prod.String(), s.names(), s, f})
		}
	}
	return out, nil
}

// names returns the methods of everything that was solved, in alphabetical order.
func (s *solver) names() (out []string) {
	for _, sol := range s.solved {
		out = append(out, sol.names()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
