package pld

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// sampledMasses are those of a sample of count copies of a finite pair, by
// multiplication in rationals.
func sampledMasses(x pair.Finite, count int, s *sample) []pair.Mass {
	ms := []pair.Mass{{P: big.NewRat(1, 1), Q: big.NewRat(1, 1)}}
	for range count {
		var next []pair.Mass
		for _, a := range ms {
			for _, b := range x.Masses {
				next = append(next, pair.Mass{P: new(big.Rat).Mul(a.P, b.P), Q: new(big.Rat).Mul(a.Q, b.Q)})
			}
		}
		ms = next
	}
	keep := new(big.Rat).Sub(big.NewRat(1, 1), s.rate)
	mix := func(a, b *big.Rat) *big.Rat {
		y := new(big.Rat).Mul(keep, a)
		return y.Add(y, new(big.Rat).Mul(s.rate, b))
	}
	for i, m := range ms {
		switch {
		case s.mixed:
			ms[i] = pair.Mass{P: new(big.Rat).Mul(s.rate, m.P), Q: new(big.Rat).Mul(s.rate, m.Q)}
		case s.reversed:
			ms[i] = pair.Mass{P: m.P, Q: mix(m.P, m.Q)}
		default:
			ms[i] = pair.Mass{P: mix(m.Q, m.P), Q: m.Q}
		}
	}
	if s.mixed {
		ms = append(ms, pair.Mass{P: keep, Q: keep})
	}
	return ms
}

func hockeyStick(ms []pair.Mass, alpha *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, m := range ms {
		d := new(big.Rat).Mul(alpha, m.Q)
		if d.Sub(m.P, d); d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	return sum
}

// TestSamplePreservesDominance: the outcomes that a sample of a composition is put on a
// grid by are those of a dominating pair and of a post-processing, for every
// orientation, also with few bits.
func TestSamplePreservesDominance(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	mass := func(n int) []*big.Rat {
		out, sum := make([]*big.Rat, n), int64(0)
		weights := make([]int64, n)
		for i := range weights {
			if weights[i] = rng.Int64N(9); rng.IntN(5) == 0 {
				weights[i] = 0
			}
			sum += weights[i]
		}
		if sum == 0 {
			weights[0], sum = 1, 1
		}
		for i, k := range weights {
			out[i] = big.NewRat(k, sum)
		}
		return out
	}
	ctx := context.Background()
	cases := 0
	for cases < 60 {
		n := 2 + rng.IntN(3)
		x := pair.NewFinite(mass(n), mass(n))
		if len(x.Masses) < 2 {
			continue
		}
		count := 1 + rng.IntN(3)
		rate := big.NewRat(1+rng.Int64N(9), 10)
		prec := []uint{5, 20, 61}[rng.IntN(3)]
		set := Settings{Points: 64, Prec: prec, Cut: int(prec) - 2, Limit: 1 << 14}
		base := pair.Product{{Pair: x, Count: int64(count)}}
		for _, y := range []pair.Pair{
			pair.Sampled{Rate: rate, Base: base},
			pair.Sampled{Rate: rate, Base: base.Reverse(), Reversed: true},
			pair.Mixed{Rate: rate, Base: base},
		} {
			s, ok := newSample(y)
			if !ok {
				t.Fatalf("%s is no sample", y)
			}
			if ok, err := s.compose(ctx, set, 3); !ok || err != nil {
				t.Fatalf("%s: not composed, %v", y, err)
			}
			const w = interval.Prec(96)
			truth := sampledMasses(x, count, s)
			for _, alpha := range []*big.Rat{new(big.Rat), big.NewRat(1, 7), big.NewRat(9, 10), big.NewRat(1, 1), big.NewRat(21, 20), big.NewRat(5, 2), big.NewRat(40, 1)} {
				want := hockeyStick(truth, alpha)
				above, below := interval.Int(0), interval.Int(0)
				for _, o := range s.dominating(w) {
					d := w.Sub(o.P, w.Mul(w.Rat(alpha), o.Q))
					above = w.Add(above, interval.Max(interval.Int(0), d))
				}
				for _, o := range s.dominated(w) {
					d := w.Sub(o.P, w.Mul(w.Rat(alpha), o.Q))
					below = w.Add(below, interval.Max(interval.Int(0), interval.Point(d.Lo())))
				}
				what := fmt.Sprintf("%d copies of %s in %s at %d bits, α = %s", count, x, y, prec, alpha.RatString())
				if above.LessRat(want) == interval.True {
					t.Fatalf("%s: the dominating pair has H = %s < %s", what, above, want.RatString())
				}
				if below.LessEqRat(want) == interval.False {
					t.Fatalf("%s: the post-processing has H = %s > %s", what, below, want.RatString())
				}
			}
			cases++
		}
	}
}

// TestSampleOfNoise: the grid of samples of composed Laplace noise contains what
// enumeration of a sample of few outcomes says, and is narrow.
func TestSampleOfNoise(t *testing.T) {
	noise := pair.Product{{Pair: pair.DiscreteLaplace{A: big.NewRat(1, 2), Sensitivity: 1}, Count: 3}}
	ctx := context.Background()
	for _, reversed := range []bool{false, true} {
		prod := pair.Product{{Pair: pair.Sampled{Rate: big.NewRat(1, 10), Base: noise, Reversed: reversed}, Count: 20}}
		set := Settings{Points: 4096, Prec: 123, Cut: 60, Limit: 1 << 18}
		direct, ok, err := NewGrid(ctx, prod, set) // by outcomes
		if !ok {
			t.Fatal(err)
		}
		plan, ok, err := newPlan(ctx, prod, set)
		if !ok {
			t.Fatal(err)
		}
		f := plan.factors[0]
		if f.sample, ok = newSample(prod[0].Pair); !ok {
			t.Fatal("no sample")
		}
		if ok, err := f.sample.compose(ctx, set, f.count); !ok {
			t.Fatal(err)
		}
		f.reversed = false
		w := f.workingPrec(set.Prec)
		lo, hi := f.lo, f.hi
		if reversed { // the plan's grid is that of the reversed pair
			lo, hi = -f.hi, -f.lo
		}
		up, low := f.cutSample(f.delta, lo-1, hi+1, w)
		g := &Grid{infP: interval.Int(0), infQ: interval.Int(0), missing: interval.Int(0)}
		u, err := power(ctx, up.upper(w, set.Prec), f, set.Limit, func() {})
		if err != nil || u == nil {
			t.Fatal(err)
		}
		d, err := power(ctx, low.lower(set.Prec), f, set.Limit, func() {})
		if err != nil || d == nil {
			t.Fatal(err)
		}
		g.upper, g.lower = newSums(u), d.suffixes()
		g.missing = interval.Max(interval.Int(0), w.Sub(interval.Int(1), w.Scale(w.BigInt(u.v.Sum()), -int(set.Prec))))
		for _, eps := range []*big.Rat{big.NewRat(1, 10), big.NewRat(1, 2), big.NewRat(1, 1)} {
			x, err := direct.Delta(ctx, 64, interval.RealRat(eps))
			if err != nil {
				t.Fatal(err)
			}
			y, err := g.Delta(ctx, 64, interval.RealRat(eps))
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := interval.Intersect(x, y); !ok || y.RelativeBits(64) < 6 {
				t.Errorf("reversed %v: δ(%s) = %s by outcomes, %s by composition", reversed, eps.RatString(), x, y)
			}
		}
	}
}
