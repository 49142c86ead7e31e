// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A cellMixture is a mixture of normal distributions of variance 1 in several dimensions, as somebody sees it who is
// told only in which cell of a grid the output is. The cells are all products of intervals between cuts, so that seeing
// them is a post-processing.
type cellMixture struct {
	weights []*big.Rat
	means   [][]*big.Rat
}

// cellCuts are the ends of the intervals of a line.
var cellCuts = func() (out []*big.Rat) {
	for i := -9; i <= 9; i++ {
		out = append(out, big.NewRat(int64(i), 2))
	}
	return out
}()

// lineMasses encloses the masses of N(mean, 1) between the cuts.
func lineMasses(w interval.Prec, mean *big.Rat) []interval.Interval {
	above := interval.Int(1)
	out := make([]interval.Interval, 0, len(cellCuts)+1)
	for _, c := range cellCuts {
		next := w.NormalSF(w.Rat(sub(c, mean)))
		out = append(out, w.Sub(above, next))
		above = next
	}
	return append(out, above)
}

// masses encloses the masses of all cells.
func (m cellMixture) masses(w interval.Prec) []interval.Interval {
	var out []interval.Interval
	for i, mean := range m.means {
		cells := []interval.Interval{w.Rat(m.weights[i])}
		for _, x := range mean {
			line := lineMasses(w, x)
			var next []interval.Interval
			for _, c := range cells {
				for _, l := range line {
					next = append(next, w.Mul(c, l))
				}
			}
			cells = next
		}
		if out == nil {
			out = cells
			continue
		}
		for j := range cells {
			out[j] = w.Add(out[j], cells[j])
		}
	}
	return out
}

// seenProfile encloses Σ (p − αq)₊ of what is seen.
func seenProfile(w interval.Prec, alpha interval.Interval, p, q []interval.Interval) interval.Interval {
	sum := interval.Int(0)
	for i := range p {
		sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(p[i], w.Mul(alpha, q[i]))))
	}
	return sum
}

// onSphere draws a vector whose norm is at most r, and mostly close to it: rational points of a sphere by stereographic
// projection.
func onSphere(rng *rand.Rand, r *big.Rat, dimensions int) []*big.Rat {
	if rng.Intn(4) == 0 {
		r = mul(r, big.NewRat(rng.Int63n(5), 4))
	}
	at, square := make([]*big.Rat, dimensions-1), new(big.Rat)
	for i := range at {
		at[i] = big.NewRat(rng.Int63n(41)-20, 10)
		square.Add(square, mul(at[i], at[i]))
	}
	scale := quo(r, add(square, one))
	out := []*big.Rat{mul(scale, sub(square, one))}
	for _, x := range at {
		out = append(out, mul(scale, mul(two, x)))
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// TestOppositeRecordsAreTheWorst: of a Poisson sample of Gaussian noise on a sum, no two records of the clipping norm
// are told apart better than opposite ones on a line, in two and three dimensions, at any α.
func TestOppositeRecordsAreTheWorst(t *testing.T) {
	const w = interval.Prec(64)
	rng := rand.New(rand.NewSource(3))
	for i := range testkit.Draws(5, 12, 300) {
		dimensions := 2 + i%2
		rate, sigma, eps := drawRate(rng), big.NewRat(1+rng.Int63n(30), 10), big.NewRat(rng.Int63n(41)-20, 10)
		radius := new(big.Rat).Inv(sigma)
		x, y := onSphere(rng, radius, dimensions), onSphere(rng, radius, dimensions)
		if i%3 == 0 { // close to opposite
			for j := range y {
				y[j] = new(big.Rat).Neg(x[j])
			}
		}
		none := make([]*big.Rat, dimensions)
		for j := range none {
			none[j] = zero
		}
		of := func(record []*big.Rat) []interval.Interval {
			return cellMixture{[]*big.Rat{sub(one, rate), rate}, [][]*big.Rat{none, record}}.masses(w)
		}
		seen := seenProfile(w, w.Exp(w.Rat(eps)), of(x), of(y))
		event := mechanism.PoissonSampled{SamplingProbability: rate, Event: mechanism.Gaussian{NoiseMultiplier: sigma}}
		if err := notAbove(event, eps, seen); err != nil {
			t.Errorf("records %v and %v: %v", x, y, err)
		}
	}
}

// notAbove refutes that δ(ε) of an event under REPLACE_ONE is at least what is seen of a mechanism.
func notAbove(e mechanism.Event, eps *big.Rat, seen interval.Interval) error {
	bound, err := exact.Delta(context.Background(), exact.Question{Event: e, Relation: mechanism.ReplaceOne}, eps, 0)
	if err != nil {
		return err
	}
	if seen.Lo().Cmp(bound.Hi()) > 0 {
		return fmt.Errorf("δ(%s) of %s is in %v, and what is seen has %v", eps.RatString(), mechanism.EncodeEvent(e), bound.Interval, seen)
	}
	return nil
}

// TestOppositeRecordsAreTheWorstAdaptively: two sums of one Poisson sample, the second of which depends on the first
// answer: what the record and its replacement add to it, and how they are seen, is drawn anew for each cell of the
// first answer.
func TestOppositeRecordsAreTheWorstAdaptively(t *testing.T) {
	const w = interval.Prec(64)
	rng := rand.New(rand.NewSource(4))
	for range testkit.Draws(3, 8, 400) {
		rate, eps := drawRate(rng), big.NewRat(rng.Int63n(31)-10, 10)
		first, second := big.NewRat(1+rng.Int63n(20), 10), big.NewRat(1+rng.Int63n(20), 10)
		alpha := w.Exp(w.Rat(eps))
		sign := func(r *big.Rat) *big.Rat {
			return mul(r, []*big.Rat{one, one, half, rat("-1"), rat("-1")}[rng.Intn(5)])
		}
		x, y := sign(quo(one, first)), sign(quo(one, first))
		none, at, replaced := lineMasses(w, zero), lineMasses(w, x), lineMasses(w, y)
		seen := interval.Int(0)
		for cell := range none {
			x2, y2 := sign(quo(one, second)), sign(quo(one, second))
			if rng.Intn(2) == 0 {
				y2 = new(big.Rat).Neg(x2)
			}
			of := func(mass interval.Interval, mean *big.Rat) []interval.Interval {
				out := lineMasses(w, mean)
				for i, m := range lineMasses(w, zero) {
					out[i] = w.Add(w.Mul(w.Rat(rate), w.Mul(mass, out[i])), w.Mul(w.Rat(sub(one, rate)), w.Mul(none[cell], m)))
				}
				return out
			}
			seen = w.Add(seen, seenProfile(w, alpha, of(at[cell], x2), of(replaced[cell], y2)))
		}
		event := mechanism.PoissonSampled{SamplingProbability: rate, Event: mechanism.Composed{Events: []mechanism.Event{
			mechanism.Gaussian{NoiseMultiplier: first}, mechanism.Gaussian{NoiseMultiplier: second}}}}
		if err := notAbove(event, eps, seen); err != nil {
			t.Error(err)
		}
	}
}

// TestOppositeRecordsAttain: records that add 1 and −1 to a sum have the bound, up to what the cells lose.
func TestOppositeRecordsAttain(t *testing.T) {
	const w = interval.Prec(64)
	rate := rat("1/10")
	of := func(mean string) []interval.Interval {
		return cellMixture{[]*big.Rat{sub(one, rate), rate}, [][]*big.Rat{{zero}, {rat(mean)}}}.masses(w)
	}
	seen := seenProfile(w, w.Exp(w.Rat(half)), of("1"), of("-1"))
	event := mechanism.PoissonSampled{SamplingProbability: rate, Event: mechanism.Composed{Events: []mechanism.Event{
		mechanism.Gaussian{NoiseMultiplier: rat("5/3")}, mechanism.Gaussian{NoiseMultiplier: rat("5/4")}}}} // 9/25 + 16/25 = 1
	bound, err := exact.Delta(t.Context(), exact.Question{Event: event, Relation: mechanism.ReplaceOne}, half, 0)
	if err != nil || seen.Lo().Cmp(bound.Hi()) > 0 || w.Sub(bound.Interval, seen).LessEqRat(rat("1/1000")) != interval.True {
		t.Errorf("δ ∈ %v, %v, and what is seen has %v", bound.Interval, err, seen)
	}
}
