// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

func randomPair(r *rand.Rand) pair.Finite {
	n := 2 + r.Intn(4)
	draw := func() []*big.Rat {
		out, ws, sum := make([]*big.Rat, n), make([]int64, n), int64(0)
		for i := range ws {
			if r.Intn(4) > 0 || i == n-1 && sum == 0 {
				ws[i] = 1 + r.Int63n(1<<(1+r.Intn(20)))
			}
			sum += ws[i]
		}
		for i := range out {
			out[i] = big.NewRat(ws[i], sum)
		}
		return out
	}
	return pair.NewFinite(draw(), draw())
}

// TestRandomPairsByBruteForce: trade-off functions, profiles back from them, compositions
// and hulls of random finite pairs, against exact rationals and at all precisions.
func TestRandomPairsByBruteForce(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	ctx := context.Background()
	for range rounds {
		f, g := randomPair(r), randomPair(r)
		x := big.NewRat(1+r.Int63n(99), 100)
		alpha := big.NewRat(1+r.Int63n(300), 100)
		var alphas []*big.Rat
		for _, a := range ratios(g) {
			if a.Sign() > 0 {
				alphas = append(alphas, a)
			}
		}
		for _, p := range []interval.Prec{2, 3, 8, 24, 53, 64, 65, 113, 256} {
			y, err := ToTradeOff(profileOf(f))(ctx, p, x)
			if want := neymanPearson(f, x); err != nil || !y.ContainsRat(want) || p >= 53 && !within(y, want, uint(p)/2) {
				t.Errorf("%s, p = %d: f(%s) ∈ %s, %v, want %s", f, p, x.RatString(), y, err, want.RatString())
			}
			y, err = Compose(profileOf(f), profileOf(g), alphas)(ctx, p, logOf(alpha))
			if want := product(f, g).Delta(alpha); err != nil || !y.ContainsRat(want) {
				t.Errorf("%s × %s, p = %d: H_%s ∈ %s, %v, want %s", f, g, p, alpha.RatString(), y, err, want.RatString())
			}
		}
		if h, ok := Hull(pointsOf(f, "1/4", "1", "7/3")); !ok {
			t.Errorf("no hull of %s", f)
		} else if ok, a := Dominates(h, f); !ok {
			t.Errorf("the hull of %s does not dominate it at %s", f, a.RatString())
		}
		// The maximum of both orientations dominates each; neither dominates it, but if
		// it is the other.
		s := f.Symmetrise()
		ok1, _ := Dominates(s, f)
		ok2, _ := Dominates(s, f.Reverse().(pair.Finite))
		if !ok1 || !ok2 || !s.SelfDual() {
			t.Errorf("%s symmetrised is %s", f, s)
		}
	}
}
