// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package witness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"strings"

	"dpverify/definition"
	"dpverify/definition/masses"
	"dpverify/internal/number"
)

const (
	fewTries = 600
	fewCells = 300
)

// few runs an event that has few releases on data sets of few records, and takes the outcomes y with P(y) > e^ε·Q(y).
func few(ctx context.Context, r Request) (*Witness, error) {
	exp, ok := rangeOf(r.expEpsilon())
	if !ok {
		return nil, nil
	}
	tables := definition.NewTables(ctx)
	o := definition.Options{Records: 2, Cells: fewCells, Epsilon: r.Epsilon}
	f, err := definition.Search(r.Question, tables, o, rand.New(rand.NewSource(1)), fewTries,
		func(p masses.Pair) float64 {
			if ctx.Err() != nil {
				return math.Inf(1)
			}
			d := p.DeltaAtLeast(r.Epsilon)
			if r.enough(d) {
				return math.Inf(1)
			}
			return number.Float64(d)
		})
	if err != nil {
		return nil, tooLarge(err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	release := Release{Event: r.Event, Count: 1}
	var labels []string
	p, q := nothing(), nothing()
	for y := range max(f.P.Len(), f.Q.Len()) {
		x, ok := outcome(f, y)
		if !ok {
			continue
		}
		if x.In = new(big.Rat).Mul(exp.Hi, x.Q.Hi).Cmp(x.P.Lo) < 0; x.In {
			labels = append(labels, x.Label)
			p, q = p.plus(x.P), q.plus(x.Q)
		}
		release.Outcomes = append(release.Outcomes, x)
	}
	if len(labels) == 0 {
		return nil, nil
	}
	p.Hi, q.Hi = atMostOne(p.Hi), atMostOne(q.Hi)
	return &Witness{
		OnP: f.OnP, OnQ: f.OnQ, Mechanism: f.Instance.Words(),
		Set: Set{Words: inWords(labels), Releases: []Release{release}},
		P:   &p, Q: &q, Excess: r.excess(p, q),
	}, nil
}

// tooLarge is no error where an event cannot be run.
func tooLarge(err error) error {
	if errors.As(err, new(*definition.SizeError)) {
		return nil
	}
	return err
}

// inWords lists outcomes. The outputs of several releases stand in brackets.
func inWords(labels []string) string {
	const most = 8
	shown := make([]string, 0, most)
	for _, l := range labels[:min(len(labels), most)] {
		if strings.Contains(l, "; ") {
			l = "(" + l + ")"
		}
		shown = append(shown, l)
	}
	list := strings.Join(shown, ", ")
	switch n := len(labels); {
	case n == 1:
		return "one output: " + list
	case n > most:
		return fmt.Sprintf("%d outputs, among them %s", n, list)
	default:
		return "the outputs " + list
	}
}

// outcome is one of those that have a mass; false of others, which are no outputs and may have no name: a run that
// ended early in the enumeration, a cell of a count that has fewer cells than the others.
func outcome(f definition.Finding, y int) (x Outcome, ok bool) {
	x.P.Lo, x.P.Hi = f.P.Mass(y)
	x.Q.Lo, x.Q.Hi = f.Q.Mass(y)
	if x.P.Hi.Sign() == 0 && x.Q.Hi.Sign() == 0 {
		return x, false
	}
	x.Label = f.Instance.Label(y)
	return x, true
}

func nothing() Range { return Range{new(big.Rat), new(big.Rat)} }

func (r Range) plus(s Range) Range {
	return Range{new(big.Rat).Add(r.Lo, s.Lo), new(big.Rat).Add(r.Hi, s.Hi)}
}

func atMostOne(x *big.Rat) *big.Rat {
	if one := big.NewRat(1, 1); x.Cmp(one) > 0 {
		return one
	}
	return x
}
