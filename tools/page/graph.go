// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package page

import (
	"context"
	"math"
	"math/big"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/exact"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A Graph is δ at some ε: between them it falls, and is convex in e^ε.
type Graph struct {
	Error  string       `json:"error,omitempty"`
	Points [][3]float64 `json:"points"` // ε, a lower and an upper bound of δ, rounded outward
}

// points is how many ε a graph has: so many that the band of a training is thinner than a line.
const points = 193

// Draw returns the Graph, in JSON, of the first event of a request in JSON.
func Draw(ctx context.Context, request []byte) []byte {
	return reply(request, func(r Request) (Graph, error) { return r.draw(ctx) }, func(text string) Graph {
		return Graph{Error: text}
	})
}

func (r Request) draw(ctx context.Context) (g Graph, err error) {
	n, holds, err := r.parse()
	if err != nil {
		return g, err
	}
	q, err := r.question()
	if err != nil {
		return g, err
	}
	var from *big.Rat // an ε to show
	var events mechanism.Range
	if holds == holdsClaims {
		claims, err := certify.Parse("claims", []byte(r.Text), noFiles)
		if err != nil {
			return g, err
		}
		c := claims[0]
		if c.Err != nil {
			return g, c.Err
		}
		q.Relation, q.Direction = c.Relation, c.Direction
		events = mechanism.Range{MorePrivate: c.MorePrivate, LessPrivate: c.LessPrivate}
		if s, ok := c.Statement.(certify.Point); ok {
			from = s.Epsilon
		}
	} else if events, err = (mechanism.Decoder{Open: noFiles}).RoundedEvent(n, "event"); err != nil {
		return g, err
	}
	if r.Epsilon != "" {
		if from, err = numberOf("ε", r.Epsilon, number.Any); err != nil {
			return g, err
		}
	}
	end, err := lastEpsilon(ctx, q, events)
	if err != nil {
		return g, err
	}
	if from != nil && from.Cmp(end) >= 0 && from.Cmp(big.NewRat(1000, 1)) < 0 {
		end = new(big.Rat).Mul(from, big.NewRat(5, 4))
	}
	var at []*big.Rat
	var asked []ask.Quantity
	for i := range points {
		x := new(big.Rat).Mul(end, big.NewRat(int64(i), points-1))
		at = append(at, x)
		asked = append(asked, ask.Delta(x))
	}
	q.Scale = number.PowerOfTen(-10)
	as, err := ask.Range(ctx, q, events, ask.Goal{Digits: 2, Budget: graphBudget}, asked...)
	if as == nil {
		return g, err
	}
	for i, a := range as {
		eps, _ := at[i].Float64()
		g.Points = append(g.Points, [3]float64{eps, floatBelow(a.Enclosure), floatAbove(a.Enclosure)})
	}
	return g, nil
}

// floatAbove rounds the upper end of an enclosure of δ up.
func floatAbove(e exact.Enclosure) float64 {
	f, accuracy := e.Hi().Float64()
	if accuracy == big.Below {
		f = math.Nextafter(f, math.Inf(1))
	}
	return f
}

// floatBelow rounds the lower end of an enclosure of δ down.
func floatBelow(e exact.Enclosure) float64 {
	f, accuracy := e.Lo().Float64()
	if accuracy == big.Above {
		f = math.Nextafter(f, math.Inf(-1))
	}
	return f
}

// lastEpsilon is where a graph ends: where δ has come down to 1e-10, or to more.
func lastEpsilon(ctx context.Context, q exact.Question, events mechanism.Range) (*big.Rat, error) {
	for _, k := range []int{-10, -5, -2} {
		delta := number.PowerOfTen(k)
		as, err := ask.Range(ctx, q, events, ask.Goal{Digits: 1, Budget: graphBudget}, ask.Epsilon(delta))
		if err != nil {
			return nil, err
		}
		if _, hi, ok := as[0].Rationals(); ok && hi.Sign() > 0 {
			x, _ := hi.Float64()
			return new(big.Rat).SetFloat64(x), nil
		}
	}
	return big.NewRat(1, 1), nil
}
