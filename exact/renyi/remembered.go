// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"sync"

	"dpverify/exact/interval"
)

// Remembered computes each moment once.
func Remembered(m func(interval.Prec, *big.Rat) interval.Interval) func(interval.Prec, *big.Rat) interval.Interval {
	type key struct {
		p     interval.Prec
		alpha string
	}
	var mu sync.Mutex
	known := make(map[key]interval.Interval)
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		k := key{p, alpha.RatString()}
		mu.Lock()
		defer mu.Unlock()
		y, ok := known[k]
		if !ok {
			y = m(p, alpha)
			known[k] = y
		}
		return y
	}
}
