// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// randomPair returns a finite pair with small weights, some of them zero.
func randomPair(r *rand.Rand) pair.Finite {
	draw := func(n int) []*big.Rat {
		for {
			out, sum := make([]*big.Rat, n), int64(0)
			ws := make([]int64, n)
			for i := range ws {
				if r.Intn(4) > 0 {
					ws[i] = 1 + r.Int63n(1<<(1+r.Intn(20)))
				}
				sum += ws[i]
			}
			if sum == 0 {
				continue
			}
			for i := range out {
				out[i] = big.NewRat(ws[i], sum)
			}
			return out
		}
	}
	n := 2 + r.Intn(4)
	return pair.NewFinite(draw(n), draw(n))
}

// rationalMoment is Σ p^α·q^(1−α) over p, q > 0 for an integer α ≥ 2, exactly.
func rationalMoment(f pair.Finite, alpha int) *big.Rat {
	sum := new(big.Rat)
	for _, m := range f.Masses {
		if m.P.Sign() == 0 || m.Q.Sign() == 0 {
			continue
		}
		y := new(big.Rat).Set(m.P)
		for range alpha - 1 {
			y.Mul(y, m.P)
			y.Quo(y, m.Q)
		}
		sum.Add(sum, y)
	}
	return sum
}

// TestRandomPairsByBruteForce: the divergences of random finite pairs, of their samples and of
// their products, at integer orders and at all precisions.
func TestRandomPairsByBruteForce(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range testkit.Cases(20, 60) {
		f := randomPair(r)
		alpha := 2 + r.Intn(5)
		rate := big.NewRat(1+r.Int63n(9), 10)
		for _, c := range []struct {
			prod pair.Product
			same pair.Finite
		}{
			{once(f), f},
			{pair.Product{{Pair: f, Count: 2}}, copies(f, 2)},
			{once(pair.Sampled{Rate: rate, Base: once(f)}), f.Sample(rate)},
			{once(pair.Sampled{Rate: rate, Base: once(f), Reversed: true}), f.Sample(rate).Reverse().(pair.Finite)},
			{once(pair.Sampled{Rate: rate, Base: pair.Product{{Pair: f, Count: 2}}}), copies(f, 2).Sample(rate)},
		} {
			want := rationalMoment(c.same, alpha)
			leak := c.same.Inf().Sign() > 0
			for _, p := range []interval.Prec{2, 3, 8, 24, 53, 64, 65, 113, 128, 256} {
				got := Of(c.prod)(p, At(big.NewRat(int64(alpha), 1)))
				if leak {
					if !got.Lo().IsInf() {
						t.Errorf("p = %d: R_%d of %s = %s, want ∞", p, alpha, c.prod, got)
					}
					continue
				}
				w := p + 64
				y := w.Exp(w.Mul(interval.Int(int64(alpha-1)), got))
				if !y.ContainsRat(want) {
					t.Errorf("p = %d: the moment of order %d of %s is in %s, want %s", p, alpha, c.prod, y, want.FloatString(20))
				}
				if p >= 64 && !narrow(y, 30) && want.Cmp(big.NewRat(1<<20, 1)) < 0 {
					t.Errorf("p = %d: the moment of order %d of %s is in %s", p, alpha, c.prod, y)
				}
			}
		}
	}
}
