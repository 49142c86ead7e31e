// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/exact/pair"
)

// Laws remembers laws, which serve both directions. The zero value is ready for use, by one goroutine.
type Laws struct {
	known   map[string]*Law
	several map[string]*Subset
}

// Several returns what NewSubset returns, now or before.
func (ls *Laws) Several(ctx context.Context, x pair.Allocation, set Settings) (*Subset, bool, error) {
	x.Reversed = false
	key := fmt.Sprintf("%s %+v", x, set)
	if s := ls.several[key]; s != nil {
		return s, true, nil
	}
	s, ok, err := NewSubset(ctx, x.Base, x.Selected, x.Steps, set)
	if ok && err == nil {
		if ls.several == nil {
			ls.several = make(map[string]*Subset)
		}
		ls.several[key] = s
	}
	return s, ok, err
}

// Get returns what New returns, now or before.
func (ls *Laws) Get(ctx context.Context, base pair.Pair, steps int64, set Settings) (*Law, bool, error) {
	key := fmt.Sprintf("%s %+v", pair.Allocation{Base: base, Selected: 1, Steps: steps}, set)
	if l := ls.known[key]; l != nil {
		return l, true, nil
	}
	l, ok, err := New(ctx, base, steps, set)
	if ok && err == nil {
		if ls.known == nil {
			ls.known = make(map[string]*Law)
		}
		ls.known[key] = l
	}
	return l, ok, err
}

// An atom is a value of a variable with its probability.
type atom struct{ at, mass *big.Rat }
