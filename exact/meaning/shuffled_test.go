// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestShuffledByHand: what is shuffled is at most as visible as the bound says, and at least as the count of reports,
// which is a post-processing: every randomizer of three reports over two values of the others, in rationals.
func TestShuffledByHand(t *testing.T) {
	const p interval.Prec = 128
	for _, buckets := range []int64{2, 3} {
		noise := rat("1/2")
		e := mechanism.Shuffled{Reports: 3, Event: mechanism.RandomizedResponse{NoiseParameter: noise, NumBuckets: buckets}}
		prob, err := Resolve(e, mechanism.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		b, err := prob.Profile(mechanism.Both)
		if err != nil {
			t.Fatal(err)
		}
		upper := b.Upper[0][0].Pair
		scale := ratOne
		if m, ok := upper.(pair.Mixed); ok {
			scale, upper = m.Rate, m.Base[0].Pair
		}
		// report[v][b] is the probability of bucket b for value v.
		report := make([][]*big.Rat, buckets)
		for v := range report {
			for k := range buckets {
				x := new(big.Rat).Quo(noise, new(big.Rat).SetInt64(buckets))
				if int64(v) == k {
					x.Add(x, new(big.Rat).Sub(ratOne, noise))
				}
				report[v] = append(report[v], x)
			}
		}
		shuffle := func(values [3]int64) map[[3]int64]*big.Rat {
			out := map[[3]int64]*big.Rat{}
			for i := range buckets {
				for j := range buckets {
					for k := range buckets {
						var count [3]int64
						count[i]++
						count[j]++
						count[k]++
						m := new(big.Rat).Mul(report[values[0]][i], report[values[1]][j])
						m.Mul(m, report[values[2]][k])
						if out[count] == nil {
							out[count] = new(big.Rat)
						}
						out[count].Add(out[count], m)
					}
				}
			}
			return out
		}
		for _, a := range []string{"1", "3/2", "2", "3"} {
			worst := new(big.Rat)
			for y := range buckets {
				for z := range buckets {
					with, without := shuffle([3]int64{0, y, z}), shuffle([3]int64{1, y, z})
					d := new(big.Rat)
					for count, m := range with {
						if x := new(big.Rat).Sub(m, new(big.Rat).Mul(rat(a), without[count])); x.Sign() > 0 {
							d.Add(d, x)
						}
					}
					if d.Cmp(worst) > 0 {
						worst = d
					}
				}
			}
			// H_α of the mixture with nothing is s·H_α, for α ≥ 1.
			above := p.Mul(p.Rat(scale), upper.(pair.Clones).Bound()(p, p.Log(p.Rat(rat(a)))))
			if above.LessRat(worst) == interval.True {
				t.Errorf("%d buckets, α = %s: at most %v, but %s", buckets, a, above, worst.FloatString(12))
			}
			for _, w := range b.Lower {
				os, _, _ := w[0].Pair.Outcomes(p, 100)
				sum := interval.Int(0)
				for _, o := range os {
					sum = p.Add(sum, interval.Max(interval.Int(0), p.Sub(o.P, p.Mul(p.Rat(rat(a)), o.Q))))
				}
				if sum.LessEqRat(worst) == interval.False {
					t.Errorf("%d buckets, α = %s: at least %v, but %s", buckets, a, sum, worst.FloatString(12))
				}
			}
		}
	}
}

// TestShuffledRates: how often another report is a clone, rounded down, and how true the record's own is, rounded up.
func TestShuffledRates(t *testing.T) {
	e := mechanism.Shuffled{Reports: 10, Event: mechanism.EpsilonDelta{Epsilon: rat("2"), Delta: new(big.Rat)}}
	prob, err := Resolve(e, mechanism.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	x := prob.Dominating()[0].Pair.(pair.Clones)
	const p interval.Prec = 300
	rate := p.Exp(p.Rat(rat("-2")))
	truth := p.Inv(p.Add(interval.Int(1), rate))
	if rate.LessRat(x.Rate) != interval.False || rate.LessRat(new(big.Rat).Add(x.Rate, interval.Pow2(-200))) != interval.True {
		t.Errorf("the rate is %s, want just below e^−2", x.Rate.FloatString(20))
	}
	if truth.LessEqRat(x.Truth) != interval.True || truth.LessRat(new(big.Rat).Sub(x.Truth, interval.Pow2(-200))) == interval.True {
		t.Errorf("the truth is %s, want just above e²/(1 + e²)", x.Truth.FloatString(20))
	}
}
