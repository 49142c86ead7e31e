// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"math/big"

	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/figure"
)

// A series is one curve of a sheet.
type series struct {
	figure.Curve
	question exact.Question
	method   *derive.Method // nil for the truth
	kept     *derive.Kept   // of all methods for the question
	missing  string         // why there is none
	parts    []asker        // of which it is the least
	answers  []ask.Answer   // of all parts
	each     map[string][]interval.Interval
	unknown  []figure.Point // of which only is known what is of every event
}

// truth is what a kind shows of what is asked.
func (k Kind) truth(a asker, name string) *series {
	q := a.Question
	c := &series{Curve: figure.Curve{Name: name, Shape: k.shape}, question: q, each: make(map[string][]interval.Interval)}
	qs := []exact.Question{q}
	if k.convex {
		if c.Shape = figure.Least(k.shape, c.each); directions(q) == nil {
			c.Shape = figure.Falling
		} else {
			qs = directions(q)
		}
	}
	for _, a.Question = range qs {
		if a.Scale = leastDelta; !k.compositions {
			a.Profiles = new(ask.Profiles)
		} else if k.Name == "epsilon-compositions" {
			a.Scale = a.over
		}
		c.parts = append(c.parts, a)
	}
	if k.Name == "roc" {
		c.Shape = figure.Complement(c.Shape)
	}
	return c
}

// add adds a point: the least of the answers of its parts.
func (c *series) add(k Kind, x *big.Rat, parts []ask.Answer) {
	var ys []interval.Interval
	into := &c.Points
	y := parts[0].Interval
	for _, a := range parts {
		if !a.Computed {
			c.missing, into = a.Reason(), &c.unknown
		}
		ys, y = append(ys, a.Interval), interval.Min(y, a.Interval)
	}
	c.answers = append(c.answers, parts...)
	c.each[x.RatString()] = ys
	if k.Name == "roc" {
		y = interval.Prec(80).Sub(interval.Int(1), y)
	}
	*into = append(*into, figure.Point{X: x, Y: y})
}

// searches is 1 if its method searches, which takes time, and 0 if not.
func (c *series) searches() int {
	if c.method != nil && c.method.Search {
		return 1
	}
	return 0
}
