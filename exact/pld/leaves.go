// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"fmt"

	"dpverify/exact/allocation"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Leaves remembers pairs cut into cells, and laws of allocations, which serve both directions. The zero value is ready
// for use, by one goroutine.
type Leaves struct {
	known map[string]*leaf
	laws  allocation.Laws
}

// law returns the law of an allocation to one step.
func (ls *Leaves) law(ctx context.Context, a pair.Allocation, set allocation.Settings) (*allocation.Law, bool, error) {
	if ls == nil {
		return allocation.New(ctx, a.Base, a.Steps, set)
	}
	return ls.laws.Get(ctx, a.Base, a.Steps, set)
}

// recall returns a pair cut into about n cells on a mesh at a precision, which it was before
// or is by cut now.
func (ls *Leaves) recall(x pair.Pair, m mesh, n int, w interval.Prec, cut func() (*leaf, error)) (*leaf, error) {
	if ls == nil {
		return cut()
	}
	key := fmt.Sprintf("%s %s %d %d %d %d", x, m.delta.RatString(), m.lo, m.hi, n, w)
	if l, ok := ls.known[key]; ok {
		return l, nil
	}
	l, err := cut()
	if err != nil {
		return nil, err
	}
	if ls.known == nil {
		ls.known = make(map[string]*leaf)
	}
	ls.known[key] = l
	return l, nil
}
