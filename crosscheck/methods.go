// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
)

// Methods compares all methods of the exact engine with each other: every enclosure of
// δ(ε) of one product meets every other, that is, no lower bound of one method exceeds
// an upper bound of another. It returns the number of pairs that were compared. Methods
// that expect to take more than cost seconds are left out. The error is a
// *MethodViolation, one about the question, or ctx's.
func Methods(ctx context.Context, q exact.Question, epsilons []*big.Rat, e exact.Effort,
	cost float64) (map[string]int, error) {
	pairs := make(map[string]int)
	all, err := exact.Each(ctx, q, e, cost)
	if err != nil {
		return pairs, err
	}
	for _, eps := range epsilons {
		ys := make([]interval.Interval, len(all))
		for i, m := range all {
			if ys[i], err = m.Delta(ctx, eps); err != nil {
				return pairs, err
			}
			for j := range i {
				if all[j].Product != m.Product {
					continue
				}
				if _, ok := interval.Intersect(ys[i], ys[j]); !ok {
					return pairs, &MethodViolation{q, eps, e, all[j].Method, m.Method, ys[j], ys[i]}
				}
				pairs[all[j].Method+" / "+m.Method]++
			}
		}
	}
	return pairs, nil
}

// A MethodViolation is a pair of methods of the exact engine whose enclosures are
// disjoint.
type MethodViolation struct {
	Question                exact.Question
	Eps                     *big.Rat
	Effort                  exact.Effort
	First, Second           string
	FirstDelta, SecondDelta interval.Interval
}

// Error says what disagrees, and how to see it again.
func (v *MethodViolation) Error() string {
	a, b := v.FirstDelta.Decimal(25)
	c, d := v.SecondDelta.Decimal(25)
	return fmt.Sprintf("crosscheck: δ(%s) at effort %d: method %s says [%s, %s], method %s says [%s, %s]; reproduce "+
		"with: %s", v.Eps.RatString(), v.Effort, v.First, a, b, v.Second, c, d, Command(v.Question, v.Eps))
}
