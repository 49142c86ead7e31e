// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// A mixedCase composes continuous noise with a finite pair.
type mixedCase struct {
	noise
	M      model
	Copies int // of the finite pair
	Effort exact.Effort
	Add    bool
}

func (c mixedCase) String() string {
	return fmt.Sprintf("%s; %d times %s; effort %d, add %v", c.noise, c.Copies, c.M, c.Effort, c.Add)
}

var mixedCases = generator[mixedCase]{
	draw: func(r *rand.Rand) mixedCase {
		c := mixedCase{noise: noises(5).draw(r), M: drawModel(r), Copies: 1 + r.Intn(2), Effort: exact.Effort(r.Intn(2)), Add: r.Intn(2) == 0}
		c.Count = int64(1 + r.Intn(2))
		return c
	},
	shrink: func(c mixedCase) []mixedCase {
		var out []mixedCase
		for _, m := range shrinkModel(c.M) {
			d := c
			d.M = m
			out = append(out, d)
		}
		for _, x := range noises(5).shrink(c.noise) {
			d := c
			d.noise = x
			out = append(out, d)
		}
		if c.Copies > 1 {
			d := c
			d.Copies--
			out = append(out, d)
		}
		return out
	},
}

// event returns the noise, and its pair as a line.
func (c mixedCase) event() (mechanism.Event, line) {
	n := []int64{0, 80, 24}[c.Count]
	switch c.Kind {
	case 0:
		return mechanism.Gaussian{NoiseMultiplier: quo(one, c.X)}, gaussianLine(c.X, n)
	case 1:
		return mechanism.Laplace{NoiseMultiplier: quo(one, c.X)}, laplaceLine(c.X, n)
	case 2: // a sampled Gaussian: the pair ((1−γ)Q + γP, Q) of the line of a Gaussian
		base := gaussianLine(c.X, n)
		l := base
		keep := sub(one, c.Rate)
		l.cdf = func(x *big.Rat) (p, q interval.Interval) {
			p, q = base.cdf(x)
			return cellBits.Add(cellBits.Mul(cellBits.Rat(c.Rate), p), cellBits.Mul(cellBits.Rat(keep), q)), q
		}
		l.loss = func(x *big.Rat) (r, le interval.Interval, ok bool) {
			y, _, _ := base.loss(x)
			z := cellBits.Log(cellBits.Add(cellBits.Rat(keep), cellBits.Mul(cellBits.Rat(c.Rate), cellBits.Exp(y))))
			return z, z, true
		}
		return mechanism.PoissonSampled{SamplingProbability: c.Rate, Event: mechanism.Gaussian{NoiseMultiplier: quo(one, c.X)}}, l
	case 3: // truncated Laplace noise of scale 1
		r := add(c.X, c.Y)
		loss := func(x *big.Rat) *big.Rat { return sub(new(big.Rat).Abs(sub(x, c.X)), new(big.Rat).Abs(x)) }
		l := truncatedLine(laplaceCDF, loss, c.X, r, n)
		l.points = append(l.points, zero, c.X) // where the loss bends
		sortRats(l.points)
		return mechanism.Truncated{Width: one, Sensitivity: c.X, Radius: r}, l
	}
	// A truncated Gaussian of deviation 1.
	r := add(c.X, c.Y)
	loss := func(x *big.Rat) *big.Rat { return sub(mul(half, mul(c.X, c.X)), mul(c.X, x)) }
	return mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: one, Sensitivity: c.X, Radius: r}, truncatedLine(normalCDF, loss, c.X, r, n)
}

// Compositions of continuous noise and finite pairs through the front door, where grids,
// buckets, inversion and conditioning meet: δ lies between a post-processing's and a
// dominating pair's.
func TestFrontDoorMixedNoise(t *testing.T) {
	forAll(t, 6, mixedCases, func(c mixedCase) error {
		e, l := c.event()
		m := c.M
		d := mechanism.Remove
		if c.Add {
			l, m, d = l.reverse(), m.reverse(), mechanism.Add
		}
		lower, upper := l.bounds()
		lo, hi := lower, upper
		for range c.Count - 1 {
			lo, hi = lo.times(lower), hi.times(upper)
		}
		var f cellPair
		p, q := m.p(), m.q()
		for i := range p {
			f.add(cellBits.Rat(p[i]), cellBits.Rat(q[i]))
		}
		for range c.Copies {
			lo, hi = lo.times(f), hi.times(f)
		}
		whole := mechanism.Composed{Events: []mechanism.Event{
			mechanism.SelfComposed{Event: e, Count: c.Count}, mechanism.SelfComposed{Event: c.M.event(), Count: int64(c.Copies)},
		}}
		profile, err := exact.Prepare(background, exact.Question{Event: whole, Direction: d}, c.Effort)
		if err != nil {
			return err
		}
		for _, eps := range []*big.Rat{c.Eps, rat("3")} {
			r, err := profile.Delta(background, eps)
			if err != nil {
				return err
			}
			if err := between(r.Interval, lo, hi, eps, one); err != nil {
				return fmt.Errorf("by %v: %w", r.Methods, err)
			}
			if w := sub(upperRat(r.Interval), lowerRat(r.Interval)); w.Cmp(rat("1/50")) > 0 {
				return fmt.Errorf("δ(%s) by %v is as wide as [%s, %s]", eps.RatString(), r.Methods, text(r.Lo()), text(r.Hi()))
			}
		}
		return nil
	})
}
