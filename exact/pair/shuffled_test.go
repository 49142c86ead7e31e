// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// binomials are P(Bin(n, q) = k), k = 0 … n.
func binomials(n int64, q *big.Rat) []*big.Rat {
	out := make([]*big.Rat, n+1)
	for k := range out {
		m := new(big.Rat).SetInt(new(big.Int).Binomial(n, int64(k)))
		m.Mul(m, ratPow(q, int64(k)))
		out[k] = m.Mul(m, ratPow(new(big.Rat).Sub(ratOne, q), n-int64(k)))
	}
	return out
}

// TestClonesWrittenOut: all numbers of coins and heads summed up in rationals, where each number of coins is looked at by itself.
func TestClonesWrittenOut(t *testing.T) {
	for _, x := range []Clones{{Others: 1, Rate: rat("1/3"), Truth: rat("3/4")}, {Others: 12, Rate: rat("2/5"), Truth: rat("2/3")}, {Others: 40, Rate: rat("9/10"), Truth: rat("7/8")}} {
		var ps, qs []*big.Rat
		for c, coins := range binomials(x.Others, x.Rate) {
			heads := append(binomials(int64(c), rat("1/2")), new(big.Rat))
			for a := range c + 2 {
				with := new(big.Rat)
				if a > 0 {
					with = heads[a-1]
				}
				mean := func(s *big.Rat) *big.Rat {
					y := new(big.Rat).Mul(s, with)
					y.Add(y, new(big.Rat).Mul(new(big.Rat).Sub(ratOne, s), heads[a]))
					return y.Mul(y, coins)
				}
				ps, qs = append(ps, mean(x.Truth)), append(qs, mean(new(big.Rat).Sub(ratOne, x.Truth)))
			}
		}
		f := NewFinite(ps, qs)
		const p interval.Prec = 96
		for _, a := range []string{"1", "6/5", "2", "5/2", "3", "20"} {
			want := f.Delta(rat(a))
			got := x.Bound()(p, p.Log(p.Rat(rat(a))))
			if got.LessRat(want) == interval.True || got.LessEqRat(new(big.Rat).Add(want, interval.Pow2(-60))) != interval.True {
				t.Errorf("%s: H at %s is at most %v, want %s", x, a, got, want.FloatString(20))
			}
		}
	}
}

// TestShuffledByHand: what is shuffled is at most as visible as the bound says, and at least as the count of reports, which
// is a post-processing: every randomizer of three reports over two values of the others, in rationals.
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
		if m, ok := upper.(Mixed); ok {
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
			above := p.Mul(p.Rat(scale), upper.(Clones).Bound()(p, p.Log(p.Rat(rat(a)))))
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

// TestReportedOfMany: masses sum up to 1, less what is left out.
func TestReportedOfMany(t *testing.T) {
	for _, x := range []Reported{{100000, rat("1/5"), rat("3/5"), false}, {1, rat("1/5"), rat("3/5"), true}} {
		const p interval.Prec = 64
		os, rest, ok := x.Outcomes(p, 1<<16)
		if !ok {
			t.Fatalf("%s: no outcomes", x)
		}
		for name, of := range map[string]func(Outcome) interval.Interval{"P": func(o Outcome) interval.Interval { return o.P }, "Q": func(o Outcome) interval.Interval { return o.Q }} {
			sum := interval.Int(0)
			for _, o := range os {
				sum = p.Add(sum, of(o))
			}
			if s := interval.Union(sum, p.Add(sum, rest)); !s.ContainsRat(ratOne) {
				t.Errorf("%s: the masses of %s are %v, and %v is left out", x, name, sum, rest)
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
	x := prob.Dominating()[0].Pair.(Clones)
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

// TestUnamplifiedHidesNothing: nothing that hides a record is left, also inside of samples.
func TestUnamplifiedHidesNothing(t *testing.T) {
	half := big.NewRat(1, 2)
	clones := Clones{Others: 9, Rate: half, Truth: big.NewRat(3, 4)}
	steps := Allocation{Base: Gaussian{Mu2: half}, Selected: 2, Steps: 5, Reversed: true}
	for _, x := range []Pair{clones, steps, Mixed{half, Product{{clones, 1}}}, Sampled{Rate: half, Base: Product{{steps, 3}}}} {
		once, ok := Unamplified(Product{{x, 2}})
		if _, again := Unamplified(once); !ok || again {
			t.Errorf("%s: %v, %s, again %v", x, ok, once, again)
		}
	}
}

// TestGreatestLossOfReports: the greatest loss of a count is the greatest loss of its outcomes, in rationals, in both directions.
func TestGreatestLossOfReports(t *testing.T) {
	x := Reported{Others: 7, Noise: rat("1/5"), Truth: rat("2/3")}
	others := append(append([]*big.Rat{new(big.Rat)}, binomials(x.Others, x.Noise)...), new(big.Rat))
	ratios := [2]*big.Rat{new(big.Rat), new(big.Rat)} // of P to Q and of Q to P
	for y := range x.Others + 2 {
		mass := func(s *big.Rat) *big.Rat {
			m := new(big.Rat).Mul(s, others[y])
			return m.Add(m, new(big.Rat).Mul(new(big.Rat).Sub(ratOne, s), others[y+1]))
		}
		p, q := mass(x.Truth), mass(x.Noise)
		for i, r := range []*big.Rat{new(big.Rat).Quo(p, q), new(big.Rat).Quo(q, p)} {
			if r.Cmp(ratios[i]) > 0 {
				ratios[i] = r
			}
		}
	}
	for i, pair := range []Pair{x, x.Reverse()} {
		l, ok := MaxLoss(Product{{pair, 3}})
		want := LogLoss(ratios[i]).Times(3)
		if !ok || l.Cmp(new(big.Rat)) <= 0 || l.Enclose(100).Less(want.Enclose(100)) != interval.Unknown || want.Enclose(100).Less(l.Enclose(100)) != interval.Unknown {
			t.Errorf("three times %v: the greatest loss is %v (%v), want %v", pair, l, ok, want)
		}
	}
}
