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

// A subsetCase is a mechanism on all samples of m of the records {x, 1, 2} and
// {x′, 1, 2}, given by its output distributions.
type subsetCase struct {
	M   int
	Out map[string][]*big.Rat // by the sample's records in order
}

func (c subsetCase) String() string { return fmt.Sprintf("m = %d, outputs %v", c.M, c.Out) }

// samplesOf lists the samples of m of the given records.
func samplesOf(records string, m int) []string {
	var out []string
	for set := range 1 << len(records) {
		s := ""
		for i := range records {
			if set>>i&1 == 1 {
				s += records[i : i+1]
			}
		}
		if len(s) == m {
			out = append(out, s)
		}
	}
	return out
}

var subsetCases = generator[subsetCase]{
	draw: func(r *rand.Rand) subsetCase {
		c := subsetCase{1 + r.Intn(2), map[string][]*big.Rat{}}
		n := 2 + r.Intn(2)
		for _, records := range []string{"x12", "y12"} {
			for _, s := range samplesOf(records, c.M) {
				if c.Out[s] == nil {
					w := make([]*big.Rat, n)
					for i := range w {
						w[i] = drawWeight(r)
					}
					w[r.Intn(n)] = one
					c.Out[s] = normalised(w)
				}
			}
		}
		return c
	},
	shrink: func(c subsetCase) []subsetCase { return nil },
}

// neighbours reports whether two samples differ in one record, which is replaced.
func neighbours(s, t string) bool {
	common := 0
	for _, r := range s {
		if slices.Contains([]rune(t), r) {
			common++
		}
	}
	return common == len(s)-1
}

// Zhu, Dong & Wang 2022, Proposition 30: with f(α) the least bound of H_α over
// samples that differ in one record, sampling without replacement at rate γ has
// H_α at most γ·f(1 + (α−1)/γ) for α ≥ 1 and β·f(αγ/β), β = 1 − α(1−γ), for α < 1.
func TestProposition30Subsets(t *testing.T) {
	forAll(t, 40, subsetCases, func(c subsetCase) error {
		f := func(alpha *big.Rat) *big.Rat {
			worst := new(big.Rat)
			for s, p := range c.Out {
				for u, q := range c.Out {
					if neighbours(s, u) {
						worst = maxRat(worst, divergence(p, q, alpha))
					}
				}
			}
			return worst
		}
		gamma := big.NewRat(int64(c.M), 3)
		average := func(records string) []*big.Rat {
			ss := samplesOf(records, c.M)
			var ps [][]*big.Rat
			var w []*big.Rat
			for _, s := range ss {
				ps, w = append(ps, c.Out[s]), append(w, big.NewRat(1, int64(len(ss))))
			}
			return mix(w, ps)
		}
		truth := model{average("x12"), average("y12")}
		for _, m := range []model{truth, truth.reverse()} {
			for _, alpha := range alphas(truth) {
				if bound := proposition30(gamma, alpha, f); m.delta(alpha).Cmp(bound) > 0 {
					return fmt.Errorf("H_%s = %s exceeds %s", alpha.RatString(), m.delta(alpha).RatString(), bound.RatString())
				}
			}
		}
		return nil
	})
}

// proposition30 is the bound of the proposition for a profile f.
func proposition30(gamma, alpha *big.Rat, f func(*big.Rat) *big.Rat) *big.Rat {
	if alpha.Cmp(one) >= 0 {
		return mul(gamma, f(add(one, quo(sub(alpha, one), gamma))))
	}
	beta := sub(one, mul(alpha, sub(one, gamma)))
	return mul(beta, f(quo(mul(alpha, gamma), beta)))
}

// Zhu, Dong & Wang 2022, Proposition 30 and Corollary 32, as used: of a self-dual
// base pair, the greater of the two orientations of the sampled pair is the bound
// of the proposition; a composition is dominated by the pair of that maximum,
// however its copies are oriented, and attains what it is bounded from below by.
func TestCorollary32SamplingWithoutReplacement(t *testing.T) {
	forAll(t, 30, scenes, func(s scene) error {
		base := s.A.finite().Symmetrise()
		m := finiteModel(base)
		n, k := int64(2+len(s.A.P)), int64(1+s.K%2)
		e := mechanism.SampledWithoutReplacement{SourceDatasetSize: n, SampleSize: k, Event: m.event()}
		gamma := big.NewRat(k, n)
		f := func(alpha *big.Rat) *big.Rat { return m.delta(alpha) }
		prob, err := meaning.Resolve(e, mechanism.ReplaceOne)
		if err != nil || len(prob.Dominating()) == 0 {
			return err
		}
		b, err := prob.Profile(mechanism.Both)
		if err != nil {
			return err
		}
		if !b.Attained {
			return fmt.Errorf("a single factor is not taken as it is: %+v", prob)
		}
		sampled := m.sample(gamma)
		for _, alpha := range alphas(sampled) {
			got := new(big.Rat)
			for _, o := range b.Upper {
				got = maxRat(got, o[0].Pair.(pair.Finite).Delta(alpha))
			}
			if want := proposition30(gamma, alpha, f); got.Cmp(want) != 0 {
				return fmt.Errorf("H_%s = %s, the proposition gives %s", alpha.RatString(), got.RatString(), want.RatString())
			}
		}
		prob, err = meaning.Resolve(mechanism.SelfComposed{Event: e, Count: 2}, mechanism.ReplaceOne)
		if err != nil {
			return err
		}
		return freelyOriented(prob, []model{sampled, sampled})
	})
}
