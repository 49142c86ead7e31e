// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"context"
	"math/big"
	"slices"

	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/renyi"
	"dpverify/internal/figure"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A Kind is what is drawn.
type Kind struct {
	Name         string
	from, to     string // the ends of the range, if none are given
	x, y         string // the names of the axes
	over         string // the name of the column of a table, if there is one
	logY         bool
	compositions bool
	quantity     func(at *big.Rat) ask.Quantity
	shape        figure.Shape
	convex       bool // of one pair: see directions
	derived      func(m derive.Method, ctx context.Context, q derive.Question, at *big.Rat) (derive.Result, error)
}

// kinds are the kinds of sheets, by their names.
var kinds = []Kind{
	{Name: "delta", from: "0", x: "ε (nats)", y: "δ(ε)", logY: true, quantity: ask.Delta, shape: figure.Profile,
		derived: derive.Method.Delta},
	{Name: "renyi", from: "1", to: "32", x: "order α", y: "Rényi divergence (nats)", over: "order",
		quantity: func(at *big.Rat) ask.Quantity { return ask.Renyi(renyi.At(at)) }, shape: figure.Divergence},
	{Name: "tradeoff", from: "0", to: "1", x: "type I error", y: "least type II error", over: "type_1_error",
		quantity: ask.TradeOff, shape: figure.TradeOff, convex: true},
	{Name: "roc", from: "0", to: "1", x: "false positive rate", y: "greatest true positive rate", quantity: ask.TradeOff,
		shape: figure.TradeOff, convex: true},
	{Name: "loss", x: "privacy loss (nats)", y: "mean density under P", shape: figure.Steps},
	{Name: "delta-compositions", from: "1", x: "compositions k", y: "δ at ε = ", logY: true, compositions: true,
		quantity: ask.Delta, shape: figure.Rising, derived: derive.Method.Delta},
	{Name: "epsilon-compositions", from: "1", x: "compositions k", y: "least ε (nats) at δ = ", compositions: true,
		quantity: ask.Epsilon, shape: figure.Rising, derived: derive.Method.Epsilon},
}

// directions are the questions of which trade-off functions are convex, as one pair attains each, and whose least is
// that of q: q itself, or both its directions. There are none if an event is between several pairs.
func directions(q exact.Question) []exact.Question {
	var out []exact.Question
	convex := func(d mechanism.Direction) bool {
		x := q
		x.Direction = d
		out = append(out, x)
		ps, attained, err := exact.Orientations(x)
		return err == nil && attained && len(ps) == 1
	}
	if convex(q.Direction) {
		return out
	}
	if out = nil; q.Direction == mechanism.Both && convex(mechanism.Remove) && convex(mechanism.Add) {
		return out
	}
	return nil
}

// Tabled names the kinds of which there are tables.
const Tabled = "delta, renyi or tradeoff"

// Table returns a kind of [Tabled] and the ends of its range, which may be given; nil is δ, of which the ends are to be
// found.
func Table(name string, from, to *big.Rat) (k *Kind, first, last *big.Rat) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name && k.over != "" })
	if i < 0 {
		return nil, from, to
	}
	ends := []*big.Rat{from, to}
	for n, text := range []string{kinds[i].from, kinds[i].to} {
		if ends[n] == nil {
			ends[n], _ = number.Parse(text)
		}
	}
	return &kinds[i], ends[0], ends[1]
}

// Drawable names the kinds that are not over compositions.
const Drawable = "delta, renyi, tradeoff, roc or loss"

// Questions asks q about each event, under each relation and in each direction. It returns the events beside the
// questions.
func Questions(q exact.Question, events []mechanism.Range, relations []mechanism.Relation,
	directions []mechanism.Direction) (questions []exact.Question, of []mechanism.Range) {
	for _, e := range events {
		q.Event = e.LessPrivate
		for _, q.Relation = range relations {
			for _, q.Direction = range directions {
				questions, of = append(questions, q), append(of, e)
			}
		}
	}
	return questions, of
}
