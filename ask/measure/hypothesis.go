// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"context"
	"math"
	"math/big"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A hypothesis bounds what any test can tell between neighbours.
type hypothesis interface {
	// typeII encloses, or bounds from below, the least type II error of a test with a type I error of at most x.
	typeII(ctx context.Context, x *big.Rat) (interval.Interval, error)
	// lines bounds divergences, in falling order of slopes. Below an intercept of least there is no need for more.
	lines(ctx context.Context, least *big.Rat) ([]line, error)
}

// A guarantee is (ε, δ)-differential privacy.
type guarantee struct{ epsilon, delta *big.Rat }

// typeII is max(0, 1 − δ − e^ε·x, e^−ε·(1 − δ − x)) [Wasserman & Zhou 2010].
func (g guarantee) typeII(_ context.Context, x *big.Rat) (interval.Interval, error) {
	w := workBits
	e, at := w.Exp(w.Rat(g.epsilon)), w.Rat(x)
	rest := w.Rat(new(big.Rat).Sub(big.NewRat(1, 1), g.delta))
	return interval.Max(interval.Int(0), interval.Max(w.Sub(rest, w.Mul(e, at)), w.Div(w.Sub(rest, at), e))), nil
}

func (g guarantee) lines(context.Context, *big.Rat) ([]line, error) {
	return []line{newLine(workBits.Rat(g.epsilon), workBits.Rat(g.delta))}, nil
}

// A gaussian is μ-Gaussian differential privacy [Dong, Roth & Su 2022].
type gaussian struct{ mu *big.Rat }

// typeII is G_μ(x) = Φ(−Φ⁻¹(x) − μ).
func (g gaussian) typeII(_ context.Context, x *big.Rat) (interval.Interval, error) {
	w := workBits
	if x.Sign() == 0 || x.Cmp(big.NewRat(1, 1)) == 0 {
		return w.Rat(new(big.Rat).Sub(big.NewRat(1, 1), x)), nil
	}
	return w.NormalSF(w.Add(w.NormalQuantile(w.Rat(x)), w.Rat(g.mu))), nil
}

// lineCount is how many lines bound a curve.
const lineCount = 40

// lines are tangents: δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) [Balle & Wang 2018].
func (g gaussian) lines(ctx context.Context, least *big.Rat) ([]line, error) {
	if g.mu.Sign() == 0 {
		return guarantee{new(big.Rat), new(big.Rat)}.lines(ctx, least)
	}
	mu := number.Float64(g.mu)
	far := mu*mu/2 + mu*math.Sqrt(-2*math.Log(max(number.Float64(least), 1e-300)))
	w := workBits
	var out []line
	for _, eps := range spaced(far) {
		e, m := w.Rat(eps), w.Rat(g.mu)
		half, share := w.Scale(m, -1), w.Div(e, m)
		out = append(out, newLine(e, w.Sub(w.NormalCDF(w.Sub(half, share)), w.Mul(w.Exp(e), w.NormalSF(w.Add(half, share))))))
	}
	return out, nil
}

// spaced are the ε of lines, equally spaced from far down to 0.
func spaced(far float64) []*big.Rat {
	var out []*big.Rat
	for i := lineCount - 1; i >= 0; i-- {
		x := new(big.Rat).SetFloat64(far * float64(i) / (lineCount - 1))
		out = append(out, x)
	}
	return out
}

// An event is the hypothesis that a mechanism ran as an event says: its trade-off function and profiles are those of
// the engine, at the ends that are certain.
type event struct {
	question exact.Question
	goal     ask.Goal
	errors   map[string]interval.Interval // typeII, by x
	tangents map[string][]line            // by least
}

// eventDigits is the accuracy to which the engine is asked.
const eventDigits = 6

func newEvent(q exact.Question, g ask.Goal) *event {
	q.Direction = mechanism.Both
	if g.Digits == 0 {
		g.Digits = eventDigits
	}
	g.Profiles = new(ask.Profiles)
	return &event{q, g, make(map[string]interval.Interval), make(map[string][]line)}
}

func (e *event) epsilon(ctx context.Context, delta *big.Rat) (*ask.Answer, error) {
	as, err := ask.For(ctx, e.question, e.goal, ask.Epsilon(delta))
	if err != nil {
		return nil, err
	}
	return &as[0], nil
}

func (e *event) typeII(ctx context.Context, x *big.Rat) (interval.Interval, error) {
	key := x.RatString()
	if y, ok := e.errors[key]; ok {
		return y, nil
	}
	as, err := ask.For(ctx, e.question, e.goal, ask.TradeOff(x))
	if err != nil {
		return interval.Interval{}, err
	}
	e.errors[key] = as[0].Interval
	return as[0].Interval, nil
}

// lines are the event's δ at ε from 0 to where it is about least.
func (e *event) lines(ctx context.Context, least *big.Rat) ([]line, error) {
	key := least.RatString()
	if ls, ok := e.tangents[key]; ok {
		return ls, nil
	}
	end, err := e.epsilon(ctx, least)
	if err != nil {
		return nil, err
	}
	far := 16.0 // where no finite ε is known
	if hi := end.Hi(); !hi.IsInf() && hi.Sign() > 0 {
		far, _ = hi.Float64()
	}
	eps := spaced(far)
	sum := make([]interval.Interval, len(eps))
	// Each canary is a member with probability 1/2, so that lines need the mean of both directions, where they differ.
	directions := []mechanism.Direction{mechanism.Remove, mechanism.Add}
	for i := 0; i < len(directions); i++ {
		ds, err := e.deltas(ctx, directions[i], eps)
		if ask.NoMeaning(err) && directions[i] != mechanism.Both {
			directions, i = []mechanism.Direction{mechanism.Both}, -1
			clear(sum)
			continue
		}
		if err != nil {
			return nil, err
		}
		for j := range ds {
			sum[j] = workBits.Add(sum[j], ds[j])
		}
	}
	var out []line
	for i, x := range eps {
		mean := workBits.Div(sum[i], interval.Int(int64(len(directions))))
		out = append(out, newLine(workBits.Rat(x), mean))
	}
	e.tangents[key] = out
	return out, nil
}

func (e *event) deltas(ctx context.Context, d mechanism.Direction, eps []*big.Rat) ([]interval.Interval, error) {
	q, g := e.question, e.goal
	q.Direction = d
	if d != mechanism.Both {
		g.Profiles = new(ask.Profiles)
	}
	var qs []ask.Quantity
	for _, x := range eps {
		qs = append(qs, ask.Delta(x))
	}
	as, err := ask.For(ctx, q, g, qs...)
	var out []interval.Interval
	for _, a := range as {
		out = append(out, a.Interval)
	}
	return out, err
}

// workBits is the precision of comparisons.
const workBits = interval.Prec(96)

// A line says that P(S) ≤ slope·Q(S) + intercept for every set S of outputs and neighbours with the laws P and Q, on
// average over which of the two has the record: e^ε and (δ(P‖Q) + δ(Q‖P))/2 or more. Its ends are rounded up, which
// keeps that true.
type line struct{ slope, intercept interval.Interval }

func newLine(eps, delta interval.Interval) line {
	return line{workBits.Exp(eps).Upper(), interval.Min(delta.AtLeastZero(), interval.Int(1)).Upper()}
}
