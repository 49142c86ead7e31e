// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package binomial

import (
	"math/big"
	"sync"

	"dpverify/exact/interval"
)

// A Memo remembers tails, where the same ones are asked for again and again. Its zero value is ready for use, also by
// several goroutines.
type Memo struct {
	mu    sync.Mutex
	known map[tail]interval.Interval
}

// A tail is what AtLeast is asked for.
type tail struct {
	p    interval.Prec
	n, k int64
	q    string
}

// maxTails is how many tails are remembered, in some 20 MB.
const maxTails = 1 << 16

// AtLeast is the function of that name.
func (m *Memo) AtLeast(p interval.Prec, n, k int64, q *big.Rat) interval.Interval {
	key := tail{p, n, k, q.RatString()}
	m.mu.Lock()
	y, ok := m.known[key]
	m.mu.Unlock()
	if ok {
		return y
	}
	if 0 < k && k <= n && n <= maxCoins && q.Cmp(half) == 0 {
		all := fairTails(p, n)
		for i, y := range all {
			m.remember(tail{p, n, int64(i), key.q}, y)
		}
		return all[k]
	}
	y = AtLeast(p, n, k, q)
	m.remember(key, y)
	return y
}

func (m *Memo) remember(key tail, y interval.Interval) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = make(map[tail]interval.Interval)
	}
	if len(m.known) < maxTails {
		m.known[key] = y
	}
}

// maxCoins is how many fair coins have all their tails remembered at once: they take as long as one of them.
const maxCoins = 1 << 10

var half = big.NewRat(1, 2)

// fairTails encloses the probabilities of 0, 1, …, n or more heads of n fair coins: Σ_{j≥k} C(n,j)/2^n, of which the
// sum is an integer, and rounded once. C(n, k−1) = C(n, k)·k/(n − k + 1).
func fairTails(p interval.Prec, n int64) []interval.Interval {
	out := make([]interval.Interval, n+1)
	ways, sum, x := big.NewInt(1), new(big.Int), new(big.Int)
	for k := n; k >= 0; k-- {
		sum.Add(sum, ways)
		out[k] = p.Scale(p.BigInt(sum), -int(n))
		ways.Mul(ways, x.SetInt64(k))
		ways.Quo(ways, x.SetInt64(n-k+1))
	}
	return out
}
