// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package witness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpverify/definition"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

const (
	manyCells = 4000
	mostKinds = 16
	// longest bounds the weights that a sum may have.
	longest = 1 << 21
)

// many is for compositions of many releases, each of which can be run. On data sets of few records every release has
// finitely many outcomes y with the losses log P(y)/Q(y), and rounded multiples of some step are their weights. S are
// the outputs whose weights add up to a threshold or more. With ever smaller steps it comes near to the best set.
func many(ctx context.Context, r Request) (*Witness, error) {
	exp, reached := rangeOf(r.expEpsilon())
	if !reached {
		return nil, nil
	}
	w, err := newSums(ctx, r)
	if w == nil || err != nil {
		return nil, err
	}
	var best *Witness
	for step := w.greatest; ; step /= 4 {
		x, err := w.threshold(ctx, r, exp.Hi, step)
		switch {
		case errors.Is(err, errTooLong):
			return best, nil
		case x == nil || err != nil:
			return nil, err
		}
		if better := best == nil || best.Excess.Lo.Cmp(x.Excess.Lo) < 0; better {
			best = x
		}
		if r.enough(best.Excess.Lo) || w.smallest/step > 64 {
			return best, nil
		}
	}
}

var errTooLong = errors.New("witness: the weights are too many")

// sums are releases with their outcomes.
type sums struct {
	finding            definition.Finding
	releases           []Release
	words              string
	greatest, smallest float64 // finite losses
}

// newSums runs each kind of release once; nil if one of them cannot be run.
func newSums(ctx context.Context, r Request) (*sums, error) {
	kinds, ok := kindsOf(r.Event)
	if !ok {
		return nil, nil
	}
	w := &sums{smallest: math.Inf(1)}
	records := 1
	for _, k := range kinds {
		n, err := definition.Records(k.Event, r.Relation)
		if err != nil {
			return nil, tooLarge(err)
		}
		records = max(records, n)
	}
	tables := definition.NewTables(ctx)
	for _, k := range kinds {
		q := r.Question
		q.Event = k.Event
		f, err := definition.First(q, tables, definition.Options{Records: records, Cells: manyCells})
		if err != nil {
			return nil, tooLarge(err)
		}
		w.finding = f
		for y := range max(f.P.Len(), f.Q.Len()) {
			x, ok := outcome(f, y)
			if !ok {
				continue
			}
			x.Always, x.Never = x.Q.Hi.Sign() == 0, x.P.Hi.Sign() == 0
			if l := math.Abs(loss(x)); !x.Always && !x.Never && l > 0 && l < mostLoss {
				w.greatest, w.smallest = max(w.greatest, l), min(w.smallest, l)
			}
			k.Outcomes = append(k.Outcomes, x)
		}
		if w.words += "; "; len(w.words) == 2 {
			w.words = ""
		}
		w.words += fmt.Sprintf("%d × %s: %s", k.Count, k.Event.ClassName(), f.Instance.Words())
		w.releases = append(w.releases, k)
	}
	if w.greatest == 0 {
		w.greatest = 1
	}
	return w, nil
}

// mostLoss is where weights end: greater losses have that one.
const mostLoss = 60

// loss is about log P/Q of an outcome.
func loss(x Outcome) float64 {
	p, q := number.Float64(x.P.Hi), number.Float64(x.Q.Hi)
	return math.Log(max(p, 1e-300) / max(q, 1e-300))
}

// kindsOf returns the releases of a composition, equal ones together.
func kindsOf(e mechanism.Event) (out []Release, ok bool) {
	at := map[string]int{}
	var walk func(e mechanism.Event, times int64) bool
	walk = func(e mechanism.Event, times int64) bool {
		switch e := e.(type) {
		case mechanism.NoOp:
			return true
		case mechanism.SelfComposed:
			return times <= mechanism.MaxCount/e.Count && walk(e.Event, times*e.Count)
		case mechanism.Composed:
			for _, x := range e.Events {
				if !walk(x, times) {
					return false
				}
			}
			return true
		}
		key := string(mechanism.EncodeContents(e))
		i, found := at[key]
		if !found {
			i = len(out)
			at[key] = i
			out = append(out, Release{Event: e})
		}
		out[i].Count += times
		return len(out) <= mostKinds
	}
	return out, walk(e, 1) && len(out) > 0
}

// A tally has lower bounds of the probabilities of sums of weights, from the weight from on, on both data sets.
type tally struct {
	p, q convolve.Vector
	from int64
}

const fraction = 191 // bits of masses

// threshold encloses the probabilities of the best set with weights of some step, where exp is at least e^ε. It is nil
// where a probability is too small to be written.
func (w *sums) threshold(ctx context.Context, r Request, exp *big.Rat, step float64) (*Witness, error) {
	var all *tally
	always, never := interval.Int(1), interval.Int(1) // probabilities that no outcome is of the kind
	releases := make([]Release, len(w.releases))
	for i, k := range w.releases {
		releases[i] = k
		releases[i].Outcomes = append([]Outcome(nil), k.Outcomes...)
		one, a, n, err := single(releases[i].Outcomes, step)
		if err != nil {
			return nil, err
		}
		always = bits.Mul(always, bits.PowInt(bits.Rat(new(big.Rat).Sub(big.NewRat(1, 1), a)), k.Count))
		never = bits.Mul(never, bits.PowInt(bits.Rat(new(big.Rat).Sub(big.NewRat(1, 1), n)), k.Count))
		power, err := one.power(ctx, k.Count)
		if err != nil {
			return nil, err
		}
		if all, err = all.times(ctx, power); err != nil {
			return nil, err
		}
	}
	// On P an outcome that is impossible on Q has at least the probability 1 − always; on Q one that is impossible on P
	// at least 1 − never.
	sure, ok := rangeOf(bits.Sub(interval.Int(1), always))
	lost, found := rangeOf(bits.Sub(interval.Int(1), never))
	if !ok || !found {
		return nil, nil
	}
	p, q, at := all.best(exp, sure.Lo, lost.Lo)
	return &Witness{
		OnP: w.finding.OnP, OnQ: w.finding.OnQ, Mechanism: w.words,
		Set: Set{
			Words: "the outputs whose weights add up to the threshold or more, and those with an outcome that is " +
				"impossible on the second data set",
			Releases: releases, AtLeast: at, Threshold: fmt.Sprint(at),
		},
		P: &p, Q: &q, Excess: r.excess(p, q),
	}, nil
}

// single gives outcomes their weights, and returns the masses of those by weight, and at least the masses of outcomes
// that are impossible on Q and on P.
func single(outcomes []Outcome, step float64) (t *tally, always, never *big.Rat, err error) {
	always, never = new(big.Rat), new(big.Rat)
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for i, x := range outcomes {
		switch {
		case x.Always:
			always.Add(always, x.P.Lo)
		case x.Never:
			never.Add(never, x.Q.Lo)
		default:
			n := int64(math.Round(max(-mostLoss, min(mostLoss, loss(x))) / step))
			outcomes[i].Weight = n
			lo, hi = min(lo, n), max(hi, n)
		}
	}
	if hi < lo {
		lo, hi = 0, 0
	}
	if hi-lo >= longest {
		return nil, nil, nil, errTooLong
	}
	t = &tally{convolve.NewVector(int(hi-lo)+1, fraction), convolve.NewVector(int(hi-lo)+1, fraction), lo}
	for _, x := range outcomes {
		if !x.Always && !x.Never {
			t.p.Add(int(x.Weight-lo), scaled(x.P.Lo))
			t.q.Add(int(x.Weight-lo), scaled(x.Q.Lo))
		}
	}
	return t, always, never, nil
}

// scaled is x·2^fraction, rounded down.
func scaled(x *big.Rat) *big.Int {
	n := new(big.Int).Lsh(x.Num(), fraction)
	return n.Quo(n, x.Denom())
}

// times is the tally of both.
func (t *tally) times(ctx context.Context, u *tally) (*tally, error) {
	if t == nil {
		return u, nil
	}
	n := t.p.Len() + u.p.Len() - 1
	if n > longest {
		return nil, errTooLong
	}
	p, err := convolve.Window(ctx, t.p, u.p, 0, n, convolve.Down)
	if err != nil {
		return nil, err
	}
	q, err := convolve.Window(ctx, t.q, u.q, 0, n, convolve.Down)
	if err != nil {
		return nil, err
	}
	return (&tally{p, q, t.from + u.from}).trimmed(), nil
}

// trimmed leaves out weights at both ends that are improbable on both data sets: bounds from below remain so.
func (t *tally) trimmed() *tally {
	small := new(big.Int).Lsh(big.NewInt(1), fraction-150)
	from, to := 0, t.p.Len()
	for sum := new(big.Int); from < to-1; from++ {
		if sum.Add(sum, t.p.At(from)); sum.Add(sum, t.q.At(from)).Cmp(small) > 0 {
			break
		}
	}
	for sum := new(big.Int); to > from+1; to-- {
		if sum.Add(sum, t.p.At(to-1)); sum.Add(sum, t.q.At(to-1)).Cmp(small) > 0 {
			break
		}
	}
	return &tally{t.p.Slice(from, to), t.q.Slice(from, to), t.from + int64(from)}
}

// power is the tally of so many.
func (t *tally) power(ctx context.Context, n int64) (out *tally, err error) {
	for ; ; n /= 2 {
		if n%2 == 1 {
			if out, err = out.times(ctx, t); err != nil {
				return nil, err
			}
		}
		if n <= 1 {
			return out, nil
		}
		if t, err = t.times(ctx, t); err != nil {
			return nil, err
		}
	}
}

// best returns the threshold with the greatest excess, where exp is at least e^ε, and the probabilities of its set: on
// P at least what the masses from it on say, and sure; at most what those below it leave; on Q likewise, where lost is
// what is outside.
func (t *tally) best(exp, sure, lost *big.Rat) (p, q Range, at int64) {
	unit := new(big.Int).Lsh(big.NewInt(1), fraction)
	scale := scaled(exp)
	above, below := scaled(sure), new(big.Int).Sub(unit, scaled(lost)) // at least on P from i on, and at most on Q
	for i := range t.p.Len() {
		above.Add(above, t.p.At(i))
	}
	most, place := new(big.Int), t.p.Len()
	x, y := new(big.Int), new(big.Int)
	for i := range t.p.Len() {
		if x.Sub(x.Lsh(above, fraction), y.Mul(scale, below)); x.Cmp(most) > 0 {
			most.Set(x)
			place = i
		}
		above.Sub(above, t.p.At(i))
		below.Sub(below, t.q.At(i))
	}
	sum := func(v convolve.Vector, from, to int) *big.Rat {
		total := new(big.Int)
		for i := from; i < to; i++ {
			total.Add(total, v.At(i))
		}
		return new(big.Rat).SetFrac(total, unit)
	}
	one, n := big.NewRat(1, 1), t.p.Len()
	p = Range{new(big.Rat).Add(sum(t.p, place, n), sure), new(big.Rat).Sub(one, sum(t.p, 0, place))}
	q = Range{sum(t.q, place, n), new(big.Rat).Sub(new(big.Rat).Sub(one, sum(t.q, 0, place)), lost)}
	return p, q, t.from + int64(place)
}
