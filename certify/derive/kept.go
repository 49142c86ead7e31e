// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"fmt"
	"sync"

	"dpverify/exact/interval"
	"dpverify/exact/renyi"
)

// A Kept keeps the divergences of an event under one relation and direction, as all methods that go by orders need the
// same ones at every ε and δ. It is safe for concurrent use.
type Kept struct {
	mu     sync.Mutex
	values map[string]interval.Interval
}

// of returns f, of which it keeps the values under a name.
func (k *Kept) of(name string, f renyi.Divergence) renyi.Divergence {
	if k == nil {
		return f
	}
	return func(p interval.Prec, alpha renyi.Order) interval.Interval {
		a, _ := alpha.Rat()
		key := fmt.Sprintf("%s %d %v", name, p, a)
		k.mu.Lock()
		y, ok := k.values[key]
		k.mu.Unlock()
		if ok {
			return y
		}
		y = f(p, alpha)
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.values == nil {
			k.values = make(map[string]interval.Interval)
		}
		k.values[key] = y
		return y
	}
}
