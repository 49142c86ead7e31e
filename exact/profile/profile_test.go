// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

func rat(s string) *big.Rat { return testkit.Rat(s) }

// A pairOf is a pair on three outcomes, the first of infinite loss and the last of
// loss −∞.
var (
	p3 = []*big.Rat{rat("1/10"), rat("3/5"), rat("3/10"), rat("0")}
	q3 = []*big.Rat{rat("0"), rat("1/5"), rat("1/2"), rat("3/10")}
)

// of is the profile of a finite pair, exact at log α for a rational α.
func of(p, q []*big.Rat) Func {
	f := pair.NewFinite(p, q)
	return func(_ context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		lo, hi, ok := w.Exp(eps(w)).Rationals()
		if !ok {
			return unit, nil
		}
		return interval.Union(w.Rat(f.Delta(hi)), w.Rat(f.Delta(lo))), nil
	}
}

func combine(f func(p, q *big.Rat) *big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(p3))
	for i := range p3 {
		out[i] = f(p3[i], q3[i])
	}
	return out
}

// mixed returns (1−γ)q + γp.
func mixed(rate *big.Rat) []*big.Rat {
	keep := new(big.Rat).Sub(rat("1"), rate)
	return combine(func(p, q *big.Rat) *big.Rat {
		x := new(big.Rat).Mul(keep, q)
		return x.Add(x, new(big.Rat).Mul(rate, p))
	})
}

// TestTransformationsOfAPair: each transformation of the profile is the profile of the
// transformed pair, at all of its ratios, around them, and at both ends.
func TestTransformationsOfAPair(t *testing.T) {
	rate := rat("1/4")
	keep := rat("3/4")
	with := func(x *big.Rat, xs []*big.Rat) []*big.Rat {
		out := []*big.Rat{x}
		for _, y := range xs {
			out = append(out, new(big.Rat).Mul(rate, y))
		}
		return out
	}
	product := func(a, b []*big.Rat) []*big.Rat {
		var out []*big.Rat
		for _, x := range a {
			for _, y := range b {
				out = append(out, new(big.Rat).Mul(x, y))
			}
		}
		return out
	}
	os, rest, ok := pair.NewFinite(p3, q3).Outcomes(80, 10)
	if !ok {
		t.Fatal("no outcomes")
	}
	s := mixed(rate)
	for _, c := range []struct {
		name string
		got  Func
		p, q []*big.Rat
	}{
		{"reversed", Reverse(of(p3, q3)), q3, p3},
		{"sampled", Sample(rate, of(p3, q3)), s, q3},
		{"sampled, reversed", SampleReversed(rate, of(q3, p3)), q3, s},
		{"mixed with nothing", Mean([]*big.Rat{rate, keep}, of(p3, q3), Trivial), with(keep, p3), with(keep, q3)},
		{"maximum", Max(of(p3, q3), of(q3, p3)), nil, nil},
		{"product", Times(of(q3, p3), os, rest), product(q3, p3), product(p3, q3)},
		{"trivial", Trivial, []*big.Rat{rat("1")}, []*big.Rat{rat("1")}},
	} {
		for _, a := range []string{"1/1000000", "1/4", "3/5", "3/4", "5/8", "1", "3/2", "9/5", "3", "100"} {
			alpha := rat(a)
			y, err := c.got(context.Background(), 64, func(w interval.Prec) interval.Interval { return w.Log(w.Rat(alpha)) })
			if err != nil {
				t.Fatal(err)
			}
			var want *big.Rat
			if c.p != nil {
				want = pair.NewFinite(c.p, c.q).Delta(alpha)
			} else {
				f := pair.NewFinite(p3, q3)
				if want = f.Delta(alpha); want.Cmp(f.Reverse().(pair.Finite).Delta(alpha)) < 0 {
					want = f.Reverse().(pair.Finite).Delta(alpha)
				}
			}
			if !y.ContainsRat(want) || y.LessRat(new(big.Rat).Add(want, rat("1e-15"))) != interval.True {
				t.Errorf("%s: H_%s = %s, want %s", c.name, a, y, want.RatString())
			}
		}
	}
}

// TestTimesCountsWhatIsLeftOut: the mass of outcomes left out widens the answer.
func TestTimesCountsWhatIsLeftOut(t *testing.T) {
	os := []pair.Outcome{{P: interval.Prec(64).Rat(rat("3/4")), Q: interval.Prec(64).Rat(rat("3/4")), Exact: true}}
	y, err := Times(of(p3, q3), os, interval.Prec(64).Rat(rat("1/4")))(context.Background(), 64, interval.RealRat(rat("0")))
	if err != nil {
		t.Fatal(err)
	}
	lo := new(big.Rat).Mul(rat("3/4"), pair.NewFinite(p3, q3).Delta(rat("1")))
	if hi := new(big.Rat).Add(lo, rat("1/4")); !y.ContainsRat(lo) || !y.ContainsRat(hi) {
		t.Errorf("δ(0) = %s, want all of [%s, %s]", y, lo.RatString(), hi.RatString())
	}
}
