// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package binomial

import (
	"math/big"
	"sync"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestRememberedTailsAreTails: what is remembered meets what is computed alone, contains the sum of the masses, and is
// no wider; twice asked for, it is the same. So it is with several goroutines.
func TestRememberedTailsAreTails(t *testing.T) {
	var m Memo
	for _, n := range []int64{1, 2, 7, 30} {
		for _, q := range []*big.Rat{testkit.Rat("1/2"), testkit.Rat("1/3")} {
			exact := new(big.Rat)
			for k := n + 1; k >= -1; k-- {
				if k >= 0 && k <= n {
					x := new(big.Rat).Mul(power(q, k), power(new(big.Rat).Sub(ratOne, q), n-k))
					exact.Add(exact, x.Mul(x, new(big.Rat).SetInt(new(big.Int).Binomial(n, k))))
				}
				for _, p := range []interval.Prec{2, 3, 8, 24, 53, 64, 200} {
					alone, got := AtLeast(p, n, k, q), m.AtLeast(p, n, k, q)
					if !got.ContainsRat(exact) || !overlap(alone, got) {
						t.Errorf("%d bits: %d or more of %d at %s: %s, alone %s", p, k, n, q.RatString(), got, alone)
					}
					if got.Lo().Cmp(alone.Lo()) < 0 || got.Hi().Cmp(alone.Hi()) > 0 {
						t.Errorf("%d bits: %d or more of %d at %s: %s is wider than %s", p, k, n, q.RatString(), got, alone)
					}
					if again := m.AtLeast(p, n, k, q); again != got {
						t.Errorf("%d bits: %d or more of %d at %s: %s, and then %s", p, k, n, q.RatString(), got, again)
					}
				}
			}
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for k := range int64(40) {
				if x, y := m.AtLeast(53, 39, k, half), AtLeast(53, 39, k, half); !overlap(x, y) {
					t.Errorf("%d or more of 39: %s, alone %s", k, x, y)
				}
			}
		})
	}
	all.Wait()
}

// TestMemoIsBounded: what is remembered does not grow beyond a limit, and what is beyond it is computed.
func TestMemoIsBounded(t *testing.T) {
	var m Memo
	for n := int64(maxCoins - 79); n <= maxCoins; n++ {
		if y := m.AtLeast(24, n, 1, half); y.LessRat(testkit.Rat("1/2")) != interval.False {
			t.Errorf("one or more of %d heads: %s", n, y)
		}
	}
	if len(m.known) != maxTails {
		t.Errorf("%d tails are remembered, want %d", len(m.known), maxTails)
	}
}
