// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"math/big"

	"dpverify/ask/noise"
	"dpverify/exact/interval"
	"dpverify/float/learn"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A Wish is what noise is to do: after Compositions releases, of Poisson samples at Rate, δ(Epsilon) ≤ Delta
// with the least utility loss, or the least δ(Epsilon) with a utility loss of at most Utility.
type Wish struct {
	Epsilon             *big.Rat // ≥ 0
	Delta               *big.Rat // in (0, 1), or nil
	Utility             *big.Rat // > 0, or nil
	Compositions        int64
	Radius, Sensitivity *big.Rat // > 0
	Cell                *big.Rat // divides both; nil: chosen
	Rate                *big.Rat // in (0, 1]
	Norm                noise.Norm
	Method              Method
	// AnyShape asks for symmetric noise that need not fall from 0, for one release without sampling.
	AnyShape bool
	Loss     learn.Loss // of Sigmoid
	Seed     uint64     // of Sigmoid
	// Progress is told of each noise that is found on the way.
	Progress func(learn.State)
}

// A Method is how noise is learned.
type Method int

const (
	Auto     Method = iota // the linear program of one release, otherwise gradients
	LP                     // the linear program
	Gradient               // gradients
	Sigmoid                // a stack of sigmoids, as in the paper that asked for it
)

// MaxCompositions bounds the releases that are learned for.
const MaxCompositions = 1 << 20

var one = big.NewRat(1, 1)

// grid is the grid of a checked wish.
func (w *Wish) grid() noise.Grid {
	g, err := noise.NewGrid(w.Radius, w.Sensitivity, w.Cell)
	if err != nil {
		panic("learned: internal error: " + err.Error())
	}
	return g
}

func (w *Wish) problem(g noise.Grid) learn.Problem {
	eps, rate := number.Float64(w.Epsilon), number.Float64(w.Rate)
	return learn.Problem{N: g.N, Shift: g.Shift, Count: int(w.Compositions), Eps: eps, Rate: rate}
}

// event is the composition that is asked about.
func (w *Wish) event(n mechanism.AdditiveNoise) mechanism.Event {
	var e mechanism.Event = n
	if w.Rate.Cmp(big.NewRat(1, 1)) < 0 {
		e = mechanism.PoissonSampled{SamplingProbability: w.Rate, Event: e}
	}
	return mechanism.SelfComposed{Event: e, Count: w.Compositions}
}

// group encloses a number that δ(ε) of no noise with a density on the range is below, whatever its shape and however
// many releases there are; false of samples, of which nothing is said here.
//
// Between two answers that are k·s ≥ 2r apart lie k neighbours, and no output is one of both, but for a point, to which
// a density gives the probability 0; noise with atoms at both ends of the range has it for both, where k·s = 2r. With
// M₀ … M_k their releases, M₀(A) = 1 and M_k(A) = 0 for the outputs A of M₀, and M_i(A) ≤ e^ε·M_{i+1}(A) + δ give 1 ≤
// δ·(1 + e^ε + … + e^((k−1)ε)).
func (w *Wish) group() (interval.Interval, bool) {
	if w.Rate.Cmp(one) < 0 {
		return interval.Interval{}, false
	}
	const p = interval.Prec(64)
	ratio := new(big.Rat).Quo(w.Radius, w.Sensitivity)
	ratio.Add(ratio, ratio)
	k := new(big.Int).Add(ratio.Num(), new(big.Int).Sub(ratio.Denom(), big.NewInt(1)))
	k.Quo(k, ratio.Denom()) // ⌈2r/s⌉
	if w.Epsilon.Sign() == 0 {
		return p.Rat(new(big.Rat).SetFrac(big.NewInt(1), k)), true
	}
	all := p.Expm1(p.Rat(new(big.Rat).Mul(w.Epsilon, new(big.Rat).SetInt(k))))
	return p.Div(p.Expm1(p.Rat(w.Epsilon)), all), true
}
