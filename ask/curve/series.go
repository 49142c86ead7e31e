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
	parts    []part         // of which it is the least
	each     map[string][]interval.Interval
}

// A part is a question that is asked by itself.
type part struct {
	question exact.Question
	profiles *ask.Profiles
}

// newSeries is what a kind shows of a question.
func newSeries(k Kind, q exact.Question, name string) *series {
	c := &series{Curve: figure.Curve{Name: name, Shape: k.shape}, question: q, each: make(map[string][]interval.Interval)}
	if k.convex {
		qs := directions(q)
		if c.Shape = figure.Least(k.shape, c.each); qs == nil {
			qs, c.Shape = []exact.Question{q}, figure.Falling
		}
		for _, x := range qs {
			c.parts = append(c.parts, part{x, new(ask.Profiles)})
		}
	} else {
		c.parts = []part{{q, new(ask.Profiles)}}
	}
	if k.Name == "roc" {
		c.Shape = figure.Complement(c.Shape)
	}
	return c
}

// add adds a point: the least of the answers of its parts.
func (c *series) add(k Kind, x *big.Rat, parts []ask.Answer) {
	var ys []interval.Interval
	for _, a := range parts {
		if !a.Computed {
			c.missing = a.Reason()
			return
		}
		ys = append(ys, a.Interval)
	}
	if len(ys) == 0 {
		return
	}
	y := ys[0]
	for _, z := range ys[1:] {
		y = interval.Min(y, z)
	}
	c.each[x.RatString()] = ys
	if k.Name == "roc" {
		y = interval.Prec(80).Sub(interval.Int(1), y)
	}
	c.Points = append(c.Points, figure.Point{X: x, Y: y})
}

// searches is 1 if its method searches, which takes time, and 0 if not.
func (c *series) searches() int {
	if c.method != nil && c.method.Search {
		return 1
	}
	return 0
}
