// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// A finite pair has P- and Q-masses.
type finite struct{ p, q []*big.Rat }

// at is H_α(P‖Q), carried on: Σ P·next(α·Q/P).
func (f finite) at(alpha *big.Rat, next func(*big.Rat) *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i, p := range f.p {
		if p.Sign() > 0 {
			x := new(big.Rat).Mul(alpha, f.q[i])
			sum.Add(sum, x.Mul(p, next(x.Quo(x, p))))
		}
	}
	return sum
}

// worst is the greatest over all policies, in rationals.
func worst(family []finite, steps int, alpha *big.Rat) *big.Rat {
	if steps == 0 {
		x := new(big.Rat).Sub(big.NewRat(1, 1), alpha)
		if x.Sign() < 0 {
			x.SetInt64(0)
		}
		return x
	}
	most := new(big.Rat)
	for _, f := range family {
		if x := f.at(alpha, func(a *big.Rat) *big.Rat { return worst(family, steps-1, a) }); x.Cmp(most) > 0 {
			most = x
		}
	}
	return most
}

// TestBoundsHoldAllPolicies: the best policy, found in rationals by trying all, is between the bounds, on coarse grids, too.
func TestBoundsHoldAllPolicies(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 40 {
		var family []finite
		var pairs []Pair
		for range 1 + r.Intn(3) {
			n := 2 + r.Intn(2)
			f := finite{}
			masses := func() (out []*big.Rat) {
				sum := int64(0)
				for range n {
					m := 1 + int64(r.Intn(9))
					sum += m
					out = append(out, big.NewRat(m, 1))
				}
				for _, m := range out {
					m.Quo(m, big.NewRat(sum, 1))
				}
				return out
			}
			f.p, f.q = masses(), masses()
			family = append(family, f)
			pairs = append(pairs, Pair{Profile: profile.Func(func(_ context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
				y, alpha := interval.Int(0), w.Exp(eps(w))
				for i, p := range f.p {
					y = w.Add(y, interval.Max(interval.Int(0), w.Sub(w.Rat(p), w.Mul(alpha, w.Rat(f.q[i])))))
				}
				return y, nil
			})})
		}
		steps := 1 + r.Intn(3)
		set := Settings{Length: 1 << (7 + r.Intn(4)), Prec: 96, Cut: 30, Delta: big.NewRat(1, 1000)}
		b, ok, err := Solve(context.Background(), Problem{Above: pairs, Below: pairs, Steps: int64(steps)}, set)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		for range 3 {
			alpha := big.NewRat(1+int64(r.Intn(60)), 1+int64(r.Intn(20)))
			eps := func(w interval.Prec) interval.Interval { return w.Log(w.Rat(alpha)) }
			exact := worst(family, steps, alpha)
			above, _ := b.Above(context.Background(), 96, eps)
			below, _ := b.Below(context.Background(), 96, eps)
			if !above.ContainsRat(exact) || !below.ContainsRat(exact) {
				t.Errorf("%d steps at α = %v: %v is not within %v and %v", steps, alpha.RatString(), exact.FloatString(12), above, below)
			}
		}
	}
}
