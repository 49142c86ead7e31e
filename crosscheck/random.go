// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"math"
	"math/big"
	"math/rand"

	"dpverify/exact"
	"dpverify/float"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// hardNumbers are parameters that a decimal, a float64 or a shortcut gets wrong, all of
// them sensible noise scales.
var hardNumbers = []string{"1/3", "2/3", "1/10", "3602879701896397/36028797018963968",
	"9007199254740993/9007199254740992", "1", "2", "7/2", "11/10", "5", "10"}

// parameter draws a parameter: half of them hard, half log-uniform in [lo, hi] with three
// digits.
func parameter(r *rand.Rand, lo, hi float64) *big.Rat {
	if r.Intn(2) == 0 {
		for range 8 {
			x, _ := new(big.Rat).SetString(hardNumbers[r.Intn(len(hardNumbers))])
			if f, _ := x.Float64(); f >= lo && f <= hi {
				return x
			}
		}
	}
	x := math.Exp(math.Log(lo) + r.Float64()*math.Log(hi/lo))
	digits := math.Pow(10, math.Floor(math.Log10(x))-2)
	n := int64(math.Round(x / digits))
	if digits >= 1 {
		return big.NewRat(n*int64(math.Round(digits)), 1)
	}
	return big.NewRat(n, int64(math.Round(1/digits)))
}

// probabilities draws a distribution with sum exactly 1, some of it 0.
func probabilities(r *rand.Rand, n int) []*big.Rat {
	weights := make([]int64, n)
	total := int64(0)
	for i := range weights {
		if r.Intn(6) > 0 {
			weights[i] = 1 + r.Int63n(100)
		}
		total += weights[i]
	}
	if total == 0 {
		weights[0], total = 1, 1
	}
	out := make([]*big.Rat, n)
	for i, w := range weights {
		out[i] = big.NewRat(w, total)
	}
	return out
}

// count draws a multiplicity, log-uniform in [1, most].
func count(r *rand.Rand, most float64) int64 {
	return int64(math.Exp(r.Float64() * math.Log(most+0.99)))
}

func repeat(e mechanism.Event, n int64) mechanism.Event {
	if n == 1 {
		return e
	}
	return mechanism.SelfComposed{Event: e, Count: n}
}

// discrete draws a mechanism with finitely many losses, composed with itself.
func discrete(r *rand.Rand, rel mechanism.Relation) mechanism.Event {
	kinds := 5
	if rel != mechanism.AddOrRemoveOne {
		kinds = 6
	}
	delta := new(big.Rat)
	if r.Intn(2) == 0 {
		delta = big.NewRat(1, int64(math.Pow(10, float64(2+r.Intn(12)))))
	}
	switch r.Intn(kinds) {
	case 0:
		return repeat(mechanism.EpsilonDelta{Epsilon: parameter(r, 0.02, 3), Delta: delta}, count(r, 60))
	case 1:
		return repeat(mechanism.EpsilonDelta{Epsilon: parameter(r, 0.02, 3), Delta: new(big.Rat)}, count(r, 60))
	case 2:
		return repeat(mechanism.DiscreteLaplace{NoiseParameter: parameter(r, 0.05, 2), Sensitivity: 1 + r.Int63n(3)},
			count(r, 20))
	case 3:
		return repeat(mechanism.DiscreteGaussian{Sigma: parameter(r, 0.6, 8), Sensitivity: big.NewRat(1, 1)}, count(r, 4))
	case 4:
		n := 2 + r.Intn(2)
		k := int64(1) // a pair that is not self-dual has no pair of its own under REPLACE_ONE
		if rel != mechanism.ReplaceOne {
			k = count(r, 6)
		}
		return repeat(mechanism.FinitePair{P: probabilities(r, n), Q: probabilities(r, n)}, k)
	}
	return repeat(mechanism.RandomizedResponse{NoiseParameter: parameter(r, 0.1, 0.95), NumBuckets: 2 + r.Int63n(8)},
		count(r, 30))
}

// continuous draws one continuous mechanism with a closed form.
func continuous(r *rand.Rand, rel mechanism.Relation) mechanism.Event {
	kinds := 4
	if rel != mechanism.ReplaceOne {
		kinds = 6
	}
	switch r.Intn(kinds) {
	case 0:
		return repeat(mechanism.Gaussian{NoiseMultiplier: parameter(r, 0.4, 50)}, count(r, 100))
	case 1:
		return mechanism.Laplace{NoiseMultiplier: parameter(r, 0.2, 20)}
	case 2:
		return mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: parameter(r, 0.5, 5),
			Sensitivity: parameter(r, 0.3, 1), Radius: parameter(r, 3, 30)}
	case 3:
		return mechanism.Truncated{Width: parameter(r, 0.5, 5), Sensitivity: parameter(r, 0.3, 1),
			Radius: parameter(r, 3, 30)}
	case 4:
		return mechanism.PoissonSampled{SamplingProbability: parameter(r, 0.001, 0.5),
			Event: mechanism.Gaussian{NoiseMultiplier: parameter(r, 0.5, 8)}}
	}
	return mechanism.PoissonSampled{SamplingProbability: parameter(r, 0.001, 0.5),
		Event: mechanism.Laplace{NoiseMultiplier: parameter(r, 0.4, 8)}}
}

// A Case is a question that was drawn, with one ε.
type Case struct {
	Question exact.Question
	Eps      *big.Rat
	Family   string

	fast *float.Profile // the fast path's, if ε was chosen by it
}

// draw draws a question: of the families that both engines answer to full accuracy, and
// of compositions of continuous mechanisms, which take the grids and the transforms.
// alike is nil, or an event of similar privacy that is fast to compute with.
func draw(r *rand.Rand) (q exact.Question, family string, alike mechanism.Event) {
	q.Relation = []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.AddOrRemoveOne, mechanism.ReplaceOne,
		mechanism.ReplaceSpecial}[r.Intn(4)]
	if q.Relation != mechanism.ReplaceOne {
		q.Direction = []mechanism.Direction{mechanism.Both, mechanism.Remove, mechanism.Add}[r.Intn(3)]
	}
	var events []mechanism.Event
	switch n := r.Intn(100); {
	case n < 20:
		family = "Gaussians"
		for range 1 + r.Intn(4) {
			events = append(events, repeat(mechanism.Gaussian{NoiseMultiplier: parameter(r, 0.4, 50)}, count(r, 1000)))
		}
	case n < 45:
		family = "discrete"
		events = append(events, discrete(r, q.Relation))
		_, pair := events[0].(mechanism.FinitePair)
		if r.Intn(2) == 0 && !(pair && q.Relation == mechanism.ReplaceOne) {
			events = append(events, discreteSmall(r))
		}
	case n < 70:
		family = "continuous"
		events = append(events, continuous(r, q.Relation))
	case n < 90:
		family = "continuous and discrete"
		events = append(events, continuous(r, q.Relation), discreteSmall(r))
	case n < 95:
		family = "Laplace"
		events = append(events, repeat(mechanism.Laplace{NoiseMultiplier: parameter(r, 0.5, 10)}, 2+r.Int63n(8)))
		if r.Intn(5) > 0 { // alone, it takes a grid
			events = append(events, mechanism.Gaussian{NoiseMultiplier: parameter(r, 1, 10)})
		}
	default:
		family = "sampled Gaussians"
		if q.Relation == mechanism.ReplaceOne {
			q.Relation = mechanism.AddOrRemoveOne
		}
		rate, sigma, n := parameter(r, 0.01, 0.5), parameter(r, 0.7, 4), 20+r.Int63n(2000)
		events = append(events, repeat(mechanism.PoissonSampled{SamplingProbability: rate,
			Event: mechanism.Gaussian{NoiseMultiplier: sigma}}, n))
		alike = limit(rate, sigma, n)
	}
	if q.Event = events[0]; len(events) > 1 {
		q.Event = mechanism.Composed{Events: events}
	}
	return q, family, alike
}

// limit is the Gaussian mechanism that n samples of one tend to, of
// μ = q·√(n(e^(1/σ²) − 1)) [Bu, Dong, Long & Su 2020].
func limit(rate, sigma *big.Rat, n int64) mechanism.Event {
	q, s := number.Float64(rate), number.Float64(sigma)
	mu := q * math.Sqrt(float64(n)*math.Expm1(1/(s*s)))
	return mechanism.Gaussian{NoiseMultiplier: new(big.Rat).SetFloat64(1 / mu)}
}

// discreteSmall draws a self-dual mechanism with few losses.
func discreteSmall(r *rand.Rand) mechanism.Event {
	switch r.Intn(3) {
	case 0:
		return mechanism.EpsilonDelta{Epsilon: parameter(r, 0.02, 2), Delta: new(big.Rat)}
	case 1:
		return mechanism.DiscreteLaplace{NoiseParameter: parameter(r, 0.05, 2), Sensitivity: 1 + r.Int63n(3)}
	}
	return repeat(mechanism.EpsilonDelta{Epsilon: parameter(r, 0.02, 1), Delta: new(big.Rat)}, count(r, 10))
}

// Draw draws a case: equal seeds draw equal cases. ε is where δ has a size that is
// log-uniform in [10^−14, 1], roughly, or in one case of eight any number in [−1, 9]. The
// error is one of float.Prepare, or ctx's.
func Draw(ctx context.Context, seed int64) (Case, error) {
	r := rand.New(rand.NewSource(seed))
	q, family, alike := draw(r)
	c := Case{Question: q, Family: family}
	size := math.Pow(10, -14*r.Float64())
	anywhere := r.Intn(8) == 0
	c.Eps = big.NewRat(int64(r.Intn(10000)-1000), 1000)
	guide := q
	if alike != nil {
		guide.Event = alike
	}
	p, err := prepare(ctx, guide)
	if alike == nil {
		c.fast = p
	}
	if err != nil || anywhere {
		return c, err
	}
	lo, hi := 0.0, 64.0
	for range 12 {
		mid := (lo + hi) / 2
		a, err := p.Delta(ctx, new(big.Rat).SetFloat64(mid))
		if err != nil {
			return c, err
		}
		if a.V > size {
			lo = mid
		} else {
			hi = mid
		}
	}
	// Four digits, so that the case is short to write.
	c.Eps = big.NewRat(int64(math.Round((lo+hi)/2*1e4)), 1e4)
	return c, nil
}

// prepare prepares the fast path for a question.
func prepare(ctx context.Context, q exact.Question) (*float.Profile, error) {
	return float.Prepare(ctx, float.Question{Event: q.Event, Relation: q.Relation, Direction: q.Direction})
}
