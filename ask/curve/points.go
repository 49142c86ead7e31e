// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/mechanism"
	"dpverify/mechanism/argument"
)

// A Request asks for a curve.
type Request struct {
	exact.Question
	// Events, if it is set, stands for the event of the question: the curve holds for all of
	// them, and that event is the least private.
	Events mechanism.Range
	ask.Goal
	From, To     *big.Rat // of ε, in nats; To is nil if it is to be found
	Kind         *Kind    // what is enclosed over From to To, of [Tabled]; nil is δ
	Compositions int64    // if not 0, ε over the number of compositions
	Delta        *big.Rat // and at this δ
	Points       int      // at least 2
	Step         func(what string)
}

// events returns what the curve is to hold for.
func (r Request) events() mechanism.Range {
	if r.Events.LessPrivate == nil {
		return mechanism.Range{MorePrivate: r.Event, LessPrivate: r.Event}
	}
	return r.Events
}

// An asker encloses a quantity of events at points.
type asker struct {
	exact.Question
	events mechanism.Range
	ask.Goal
	quantity func(*big.Rat) ask.Quantity
	over     *big.Rat // if it is not nil, points are numbers of compositions, of which quantity(over) is asked
	step     func(what string)
}

// at encloses the quantity at points. With ctx's error there is what was reached.
func (a asker) at(ctx context.Context, xs []*big.Rat) ([]ask.Answer, error) {
	g := a.Goal
	if a.over == nil {
		var qs []ask.Quantity
		for _, x := range xs {
			qs = append(qs, a.quantity(x))
		}
		g.Progress = func(e exact.Effort, open int) {
			a.step(fmt.Sprintf("effort %d, %d of %d points are left", e, open, len(qs)))
		}
		return ask.Range(ctx, a.Question, a.events, g, qs...)
	}
	var out []ask.Answer
	for i, k := range xs { // each is a question of its own
		events := a.events
		events.MorePrivate = mechanism.SelfComposed{Event: events.MorePrivate, Count: k.Num().Int64()}
		events.LessPrivate = mechanism.SelfComposed{Event: events.LessPrivate, Count: k.Num().Int64()}
		g.Progress = func(e exact.Effort, _ int) {
			a.step(fmt.Sprintf("%s compositions at effort %d, %d of %d points are left", k.Num(), e, len(xs)-i, len(xs)))
		}
		answers, err := ask.Range(ctx, a.Question, events, g, a.quantity(a.over))
		if out = append(out, answers...); err != nil {
			return out, err
		}
	}
	return out, nil
}

// leastDelta is the δ that a curve goes down to where no end of its range is given.
var leastDelta = number.PowerOfTen(-10)

// overEpsilon completes the range of ε of a request, and says at what scale δ is asked there.
func (r *Request) overEpsilon(ctx context.Context, a *asker) (err error) {
	limited, cancel := r.Limit(ctx)
	defer cancel()
	if r.To == nil {
		r.To, err = r.end(limited)
	} else {
		a.Scale, err = scaleAt(limited, r.Question, r.To)
	}
	if err != nil && limited.Err() == nil {
		return err
	}
	return ctx.Err()
}

// farthest is what places of pictures are at most.
var farthest = number.PowerOfTen(300)

// drawable returns a *mechanism.ParamError for a range that no picture has.
func drawable(from, to *big.Rat) error {
	least := new(big.Rat).Neg(farthest)
	return cmp.Or(argument.Number("from", from, least, farthest), argument.Number("to", to, least, farthest))
}

// end returns where the range ends that was not given: at about the least ε for
// leastDelta, or for a larger δ if that is infinite.
func (r Request) end(ctx context.Context) (*big.Rat, error) {
	unit := func() *big.Rat { return new(big.Rat).Add(r.From, big.NewRat(1, 1)) }
	for _, delta := range []*big.Rat{leastDelta, number.PowerOfTen(-5), number.PowerOfTen(-2), big.NewRat(1, 2)} {
		question := r.Question
		question.Scale = delta
		g := r.Goal
		g.Digits = 1
		answers, err := ask.Range(ctx, question, r.events(), g, ask.Epsilon(delta))
		if err != nil {
			return unit(), err
		}
		switch x, _, ok := answers[0].Rationals(); {
		case !ok: // an end is infinite
		case x.Cmp(r.From) <= 0:
			return unit(), nil
		default:
			return roundUp(x), nil
		}
	}
	return unit(), nil
}

// scaleAt returns a number near δ(eps), or nil: what the masses of a grid should
// resolve, for the points of a curve up to eps. The number of bits is raised until
// the lower bound at the least effort is positive.
func scaleAt(ctx context.Context, q exact.Question, eps *big.Rat) (*big.Rat, error) {
	const most = 1 << 14 // bits
	for q.Scale = nil; ; {
		r, err := guard.Within(ctx, func(ctx context.Context) (exact.Result, error) {
			return exact.Delta(ctx, q, eps, 0)
		})
		if err != nil {
			return nil, err
		}
		b := -r.Lo().MantExp(nil)
		if r.Lo().Sign() <= 0 {
			b = -2 * r.Hi().MantExp(nil)
		}
		if r.Value != nil || r.Hi().Sign() == 0 || b < 16 || b > most {
			return q.Scale, nil
		}
		q.Scale = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(b)))
		if r.Lo().Sign() > 0 {
			return q.Scale, nil
		}
	}
}

// shortest returns the decimal that a number is written as.
func shortest(x float64) *big.Rat {
	y, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', 12, 64))
	return y
}

// spaced returns n ≥ 2 points from from to to > from, about evenly spaced: those
// inside are rounded to decimals that are multiples of a hundredth of their distance
// or less.
func spaced(from, to *big.Rat, n int) []*big.Rat {
	step := new(big.Rat).Sub(to, from)
	step.Quo(step, new(big.Rat).SetInt64(int64(n-1)))
	unit := number.PowerOfTen(number.Magnitude(new(big.Rat).Quo(step, big.NewRat(100, 1))))
	xs := []*big.Rat{from}
	for i := int64(1); i < int64(n-1); i++ {
		x := new(big.Rat).Mul(step, big.NewRat(i, 1))
		xs = append(xs, roundTo(x.Add(x, from), unit))
	}
	return append(xs, to)
}

// roundTo returns the multiple of unit that is nearest to x.
func roundTo(x, unit *big.Rat) *big.Rat {
	y := new(big.Rat).Quo(x, unit)
	y.Add(y, big.NewRat(1, 2))
	return y.Mul(new(big.Rat).SetInt(floor(y)), unit)
}

// floor returns ⌊x⌋.
func floor(x *big.Rat) *big.Int {
	return new(big.Int).Div(x.Num(), x.Denom()) // Euclidean, and the denominator is positive
}

// roundUp returns the least number of two significant digits that is not below
// x > 0.
func roundUp(x *big.Rat) *big.Rat {
	unit := number.PowerOfTen(number.Magnitude(x))
	unit.Quo(unit, big.NewRat(10, 1))
	n := floor(new(big.Rat).Quo(x, unit))
	y := new(big.Rat).Mul(new(big.Rat).SetInt(n), unit)
	if y.Cmp(x) < 0 {
		y.Add(y, unit)
	}
	return y
}

// counts returns at most n ≥ 2 integers from 1 to last, about evenly spaced.
func counts(last int64, n int) []*big.Rat {
	one, ks := big.NewRat(1, 1), make([]*big.Rat, n)
	for i := range ks { // 1 + i·(last − 1)/(n − 1), to nearest
		x := big.NewRat(int64(i), int64(n-1))
		ks[i] = x.Add(one, roundTo(x.Mul(x, new(big.Rat).SetInt64(last-1)), one))
	}
	return slices.CompactFunc(ks, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}

// geometric returns at most n ≥ 2 integers from 1 to last, evenly spaced by their logarithms.
func geometric(last int64, n int) []*big.Rat {
	ks := make([]*big.Rat, n)
	for i := range ks {
		ks[i] = new(big.Rat).SetFloat64(math.Round(math.Pow(float64(last), float64(i)/float64(n-1))))
	}
	ks[n-1] = new(big.Rat).SetInt64(last)
	return slices.CompactFunc(ks, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}

// firstDrawn is how many points a drawn curve begins with.
const firstDrawn = 9
