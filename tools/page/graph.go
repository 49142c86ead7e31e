// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/exact"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A Graph is δ at some ε: between them it falls, and is convex in e^ε.
type Graph struct {
	Error  string       `json:"error,omitempty"`
	Remark string       `json:"remark,omitempty"` // what it lacks
	Points [][3]float64 `json:"points"`           // ε, a lower and an upper bound of δ, rounded outward
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
	for _, i := range halves(points) {
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
		if !a.Computed {
			continue // the time ended before it: between others, δ is known nearly as well
		}
		eps, _ := at[i].Float64()
		g.Points = append(g.Points, [3]float64{eps, floatBelow(a.Enclosure), floatAbove(a.Enclosure)})
	}
	slices.SortFunc(g.Points, func(p, q [3]float64) int { return cmp.Compare(p[0], q[0]) })
	switch {
	case len(g.Points) < 2:
		return g, errors.New("there was no time to draw δ over ε")
	case len(g.Points) < points:
		g.Remark = fmt.Sprintf("Drawn through %d of %d points, for which there was time: the truth is in the band.",
			len(g.Points), points)
	}
	return g, nil
}

// halves are the numbers below n, both ends first and then what is between those before, so that wherever time ends the
// points before it are spread over all of them.
func halves(n int) []int {
	out := []int{0, n - 1}
	for step := 1 << bits.Len(uint(n)); step > 1; step /= 2 {
		for i := step / 2; i < n-1; i += step {
			out = append(out, i)
		}
	}
	return out
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
