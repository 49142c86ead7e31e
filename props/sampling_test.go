// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A kernel is a random map from outcomes to outcomes: rows sum to 1.
type kernel [][]*big.Rat

func drawKernel(r *rand.Rand, from, to int) kernel {
	k := make(kernel, from)
	for i := range k {
		row := make([]*big.Rat, to)
		for j := range row {
			row[j] = ratInt(int64(r.Intn(4)))
		}
		row[r.Intn(to)] = one
		k[i] = normalised(row)
	}
	return k
}

func (k kernel) apply(p []*big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(k[0]))
	for j := range out {
		out[j] = new(big.Rat)
		for i := range p {
			out[j].Add(out[j], mul(p[i], k[i][j]))
		}
	}
	return out
}

func mix(weights []*big.Rat, ps [][]*big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(ps[0]))
	for j := range out {
		out[j] = new(big.Rat)
		for i := range ps {
			out[j].Add(out[j], mul(weights[i], ps[i][j]))
		}
	}
	return out
}

// A sampling is a mechanism on samples: whatever else is in the sample (a context),
// it sees K_context·P with the record and K_context·Q without it, so that (P, Q) = A
// dominates it for removing the record.
type sampling struct {
	scene
	Weights  []*big.Rat // of contexts
	Contexts []kernel
}

func (s sampling) String() string {
	return fmt.Sprintf("%s; contexts %v with weights %v", s.scene, s.Contexts, s.Weights)
}

var samplings = generator[sampling]{
	draw: func(r *rand.Rand) sampling {
		s := sampling{scene: scenes.draw(r)}
		n := 1 + r.Intn(3)
		w := make([]*big.Rat, n)
		for i := range w {
			w[i] = ratInt(int64(1 + r.Intn(4)))
			s.Contexts = append(s.Contexts, drawKernel(r, len(s.A.P), 3))
		}
		s.Weights = normalised(w)
		return s
	},
	shrink: func(s sampling) []sampling {
		var out []sampling
		if len(s.Contexts) > 1 {
			for i := range s.Contexts {
				out = append(out, sampling{s.scene, normalised(slices.Delete(slices.Clone(s.Weights), i, i+1)), slices.Delete(slices.Clone(s.Contexts), i, i+1)})
			}
		}
		for _, c := range scenes.shrink(s.scene) {
			if len(c.A.P) == len(s.A.P) {
				out = append(out, sampling{c, s.Weights, s.Contexts})
			}
		}
		return out
	},
}

// Zhu, Dong & Wang 2022, Theorem 11(1), with the removal rule corrected: if (P, Q)
// dominates for removing a record, then ((1−γ)Q + γP, Q) dominates the Poisson
// sampled mechanism for removing it and (Q, (1−γ)Q + γP) for adding it. The theorem
// gives a pair that the identity mechanism attains.
func TestTheorem11PoissonSampling(t *testing.T) {
	forAll(t, 80, samplings, func(s sampling) error {
		prob, err := meaning.Resolve(mechanism.PoissonSampled{SamplingProbability: s.Rate, Event: s.A.event()}, mechanism.AddOrRemoveOne)
		if err != nil {
			return err
		}
		// The sampled mechanism, from the definition.
		var with, without [][]*big.Rat
		for _, k := range s.Contexts {
			with, without = append(with, k.apply(s.A.p())), append(without, k.apply(s.A.q()))
		}
		in, out := mix(s.Weights, with), mix(s.Weights, without)
		sampled := model{mix([]*big.Rat{s.Rate, sub(one, s.Rate)}, [][]*big.Rat{in, out}), out}
		for _, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
			truth, attained := sampled, s.A.sample(s.Rate)
			if d == mechanism.Add {
				truth, attained = truth.reverse(), attained.reverse()
			}
			b, err := prob.Profile(d)
			if err != nil {
				return err
			}
			os := b.Upper
			if len(os[0]) == 0 { // equal distributions
				os = []pair.Product{{{Pair: model{[]*big.Rat{one}, []*big.Rat{one}}.finite(), Count: 1}}}
			}
			f, ok := os[0][0].Pair.(pair.Finite)
			if !ok {
				return fmt.Errorf("resolved to %s", os[0])
			}
			for _, alpha := range alphas(truth, attained) {
				got := f.Delta(alpha)
				if want := attained.delta(alpha); got.Cmp(want) != 0 {
					return fmt.Errorf("%s: H_%s = %s, the identity mechanism has %s", d, alpha.RatString(), got.RatString(), want.RatString())
				}
				if got.Cmp(truth.delta(alpha)) < 0 {
					return fmt.Errorf("%s: H_%s = %s, the mechanism has %s", d, alpha.RatString(), got.RatString(), truth.delta(alpha).RatString())
				}
			}
		}
		return nil
	})
}

// The printed removal rule of Theorem 11(1), ((1−γ)Q + γP, Q) for a pair (P, Q) that
// dominates for *adding* a record, fails: M(S) = (1, 0), M(S + x) = (1/2, 1/2), γ = 1/2,
// α = 2 has H = 1/4, and the rule gives 0. Ours takes the removal's own pair.
func TestTheorem11PrintedRemovalFails(t *testing.T) {
	without, with := []*big.Rat{one, zero}, []*big.Rat{half, half}
	truth := model{mix([]*big.Rat{half, half}, [][]*big.Rat{with, without}), without}
	if d := truth.delta(two); d.Cmp(rat("1/4")) != 0 {
		t.Fatalf("H_2 = %s", d.RatString())
	}
	add := model{without, with} // dominates for adding: H(M(S)‖M(S + x))
	if d := add.sample(half).delta(two); d.Sign() != 0 {
		t.Errorf("the printed rule gives %s", d.RatString())
	}
	prob, err := meaning.Resolve(mechanism.PoissonSampled{SamplingProbability: half, Event: add.reverse().event()}, mechanism.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	b, err := prob.Profile(mechanism.Remove)
	if err != nil {
		t.Fatal(err)
	}
	if d := b.Upper[0][0].Pair.(pair.Finite).Delta(two); d.Cmp(rat("1/4")) != 0 {
		t.Errorf("our removal pair has H_2 = %s, want 1/4", d.RatString())
	}
}
