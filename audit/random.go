package audit

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpverify/mechanism"
)

// Random returns n random cases. The i-th depends on the seed and i only.
//
// They are compositions of common mechanisms, with parameters and counts on a
// logarithmic scale and a third of them at round or awkward values, and δ from
// 10^−2 to 10^−30.
func Random(seed uint64, n int) []Case {
	out := make([]Case, n)
	for i := range out {
		g := generator{rand.New(rand.NewPCG(seed, uint64(i)))}
		out[i] = g.next()
		out[i].ID = fmt.Sprintf("random-%d-%d", seed, i)
	}
	return out
}

type generator struct{ r *rand.Rand }

func (g generator) next() Case {
	c := Case{Event: g.event(), Quantity: Epsilon}
	if g.r.IntN(6) == 0 {
		// Under REPLACE_ONE, only what has a meaning there.
		c.Relation = mechanism.ReplaceOne
		c.Event = g.composed(g.replaceable)
	}
	c.At = g.delta()
	if g.r.IntN(3) == 0 {
		c.Quantity = Delta
		c.At = g.logUniform(0.01, 20)
	}
	return c
}

// delta returns a number from 10^−30 to 10^−2.
func (g generator) delta() *big.Rat {
	e := 2 + g.r.IntN(29)
	m := int64(1)
	if e > 2 && g.r.IntN(3) == 0 {
		m = 1 + g.r.Int64N(9)
	}
	return new(big.Rat).Quo(big.NewRat(m, 1), pow10(e))
}

func (g generator) event() mechanism.Event { return g.composed(g.mechanism) }

// composed returns one mechanism, many copies of one, or a few different ones.
func (g generator) composed(leaf func() mechanism.Event) mechanism.Event {
	switch g.r.IntN(5) {
	case 0:
		return leaf()
	case 1:
		events := make([]mechanism.Event, 2+g.r.IntN(2))
		for i := range events {
			events[i] = g.times(leaf(), 100)
		}
		return mechanism.Composed{Events: events}
	}
	return g.times(leaf(), 5000)
}

// times composes e with itself, at most max times.
func (g generator) times(e mechanism.Event, most float64) mechanism.Event {
	n := int64(math.Exp(g.r.Float64() * math.Log(most)))
	if n <= 1 {
		return e
	}
	return mechanism.SelfComposed{Event: e, Count: n}
}

// mechanism returns a mechanism under ADD_OR_REMOVE_ONE.
func (g generator) mechanism() mechanism.Event {
	if g.r.IntN(3) == 0 {
		var e mechanism.Event = mechanism.Gaussian{NoiseMultiplier: g.logUniform(0.5, 10)}
		if g.r.IntN(5) == 0 {
			e = mechanism.Laplace{NoiseMultiplier: g.logUniform(0.5, 20)}
		}
		return mechanism.PoissonSampled{SamplingProbability: g.logUniform(0.0005, 0.5), Event: e}
	}
	return g.base()
}

// replaceable returns a mechanism under REPLACE_ONE.
func (g generator) replaceable() mechanism.Event {
	if g.r.IntN(3) == 0 {
		return mechanism.RandomizedResponse{NoiseParameter: g.logUniform(0.02, 0.98), NumBuckets: 2 + g.r.Int64N(9)}
	}
	return g.base()
}

// base returns a mechanism without sampling.
func (g generator) base() mechanism.Event {
	switch g.r.IntN(8) {
	case 0, 1, 2:
		return mechanism.Gaussian{NoiseMultiplier: g.logUniform(0.3, 100)}
	case 3, 4:
		return mechanism.Laplace{NoiseMultiplier: g.logUniform(0.2, 100)}
	case 5:
		return mechanism.EpsilonDelta{Epsilon: g.logUniform(0.005, 3), Delta: new(big.Rat)}
	case 6:
		return mechanism.EpsilonDelta{Epsilon: g.logUniform(0.005, 3), Delta: g.delta()}
	}
	return mechanism.DiscreteLaplace{NoiseParameter: g.logUniform(0.02, 3), Sensitivity: 1 + g.r.Int64N(3)}
}

// awkward are numbers at which programs have been seen to stumble.
var awkward = []string{"1", "0.1", "0.5", "2", "0.3", "0.9999999", "1.0000001", "0.7"}

// logUniform returns a number of [lo, hi] with at most three digits, or an awkward
// one.
func (g generator) logUniform(lo, hi float64) *big.Rat {
	if g.r.IntN(3) == 0 {
		for range 4 {
			x, _ := new(big.Rat).SetString(awkward[g.r.IntN(len(awkward))])
			if f, _ := x.Float64(); lo <= f && f <= hi {
				return x
			}
		}
	}
	x := lo * math.Pow(hi/lo, g.r.Float64())
	y, _ := new(big.Rat).SetString(fmt.Sprintf("%.3g", x))
	return y
}
