// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"fmt"
	"math/big"
	"strconv"

	"dpverify/exact/inversion/remembered"
	"dpverify/exact/pair"
)

// Laws remembers laws, which serve both directions. The zero value is ready for use, by one goroutine.
type Laws struct {
	known   map[string]*Law
	several map[string]*Subset
	means   map[string]Mean
}

// keptLaws is how many laws, or means, are kept.
const keptLaws = 1 << 12

// Several returns what NewSubset returns, now or before.
func (ls *Laws) Several(ctx context.Context, x pair.Allocation, set Settings) (*Subset, bool, error) {
	x.Reversed = false
	s, err := remembered.Of(&ls.several, fmt.Sprintf("%s %+v", x, set), keptLaws, func() (*Subset, error) {
		s, _, err := NewSubset(ctx, x.Base, x.Selected, x.Steps, set)
		return s, err
	})
	return s, s != nil && err == nil, err
}

// Get returns what New returns, now or before.
func (ls *Laws) Get(ctx context.Context, base pair.Pair, steps int64, set Settings) (*Law, bool, error) {
	key := fmt.Sprintf("%s %+v", pair.Allocation{Base: base, Selected: 1, Steps: steps}, set)
	l, err := remembered.Of(&ls.known, key, keptLaws, func() (*Law, error) {
		l, _, err := New(ctx, base, steps, set)
		return l, err
	})
	return l, l != nil && err == nil, err
}

// Mean returns what NewMean returns, now or before.
func (ls *Laws) Mean(mu2 *big.Rat, steps int64) Mean {
	key := mu2.RatString() + " " + strconv.FormatInt(steps, 10)
	m, _ := remembered.Of(&ls.means, key, keptLaws, func() (Mean, error) { return NewMean(mu2, steps), nil })
	return m
}

// An atom is a value of a variable with its probability.
type atom struct{ at, mass *big.Rat }
