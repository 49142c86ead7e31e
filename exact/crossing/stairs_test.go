// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crossing

import (
	"context"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// stairs is a random falling function that is constant between a few numbers, and where it first
// is at most the level.
type stairs struct {
	at, after []*big.Rat // falls to after[i] at at[i]; 1 before
}

func newStairs(rng *rand.Rand) stairs {
	var s stairs
	small := func() *big.Rat { return big.NewRat(rng.Int63n(4000)-2000, 1+rng.Int63n(500)) }
	n := 1 + rng.Intn(6)
	v := int64(1000)
	for range n {
		s.at = append(s.at, small())
		v -= rng.Int63n(v/2 + 1)
		s.after = append(s.after, big.NewRat(v, 1000))
	}
	slices.SortFunc(s.at, (*big.Rat).Cmp)
	return s
}

func (s stairs) value(x *big.Rat) *big.Rat {
	v := big.NewRat(1, 1)
	for i, a := range s.at {
		if x.Cmp(a) >= 0 {
			v = s.after[i]
		}
	}
	return v
}

// crossing is nil if the level is never reached.
func (s stairs) crossing(level *big.Rat) *big.Rat {
	for i, a := range s.at {
		if s.after[i].Cmp(level) <= 0 {
			return a
		}
	}
	return nil
}

// TestStairs: of functions that jump, stay constant, even at the level itself, and are enclosed more or
// less well, every answer contains the crossing, whatever is known besides.
func TestStairs(t *testing.T) {
	testkit.SkipShort(t)
	for seed := range int64(testkit.Draws(100, 400, 400)) {
		rng := rand.New(rand.NewSource(seed))
		s := newStairs(rng)
		level := s.after[rng.Intn(len(s.after))]
		if rng.Intn(2) == 0 {
			level = big.NewRat(1+rng.Int63n(999), 1000)
		}
		want := s.crossing(level)
		p := Problem{Level: level, Bits: 5 + rng.Intn(40), Full: interval.Prec(8 << rng.Intn(5))}
		p.Value = func(_ context.Context, w interval.Prec, x *big.Rat) (interval.Interval, error) {
			return w.Rat(s.value(x)), nil
		}
		if rng.Intn(3) == 0 {
			p.Value = noisy(p.Value, "9/10", "11/10")
		}
		if rng.Intn(2) == 0 {
			p.Exact = func(x *big.Rat) (*big.Rat, bool) { return s.value(x), rng.Intn(4) > 0 }
		}
		if rng.Intn(2) == 0 {
			p.Above = func(x *big.Rat) interval.Interval {
				return interval.Prec(64).Mul(interval.Prec(64).Rat(s.value(x)), interval.Int(3))
			}
		}
		if rng.Intn(2) == 0 {
			p.Near = func(context.Context) (*big.Rat, bool) { return s.at[rng.Intn(len(s.at))], true }
		}
		if rng.Intn(2) == 0 {
			p.Alike = func(x *big.Rat) (from, to *big.Rat) {
				d := big.NewRat(rng.Int63n(100), 1+rng.Int63n(1000))
				return new(big.Rat).Sub(x, d), d.Add(x, d)
			}
		}
		y, err := p.Solve(t.Context())
		switch {
		case err != nil:
			t.Errorf("seed %d: %v", seed, err)
		case want == nil && !y.Hi().IsInf(), want != nil && (y.LessRat(want) == interval.True || y.LessEqRat(want) == interval.False):
			t.Errorf("seed %d: crossing in %s, want %v", seed, y, want)
		}
	}
}

// TestPlateauAtTheLevel: where f is exactly the level, the crossing is where it begins to be; only an
// exact value tells.
func TestPlateauAtTheLevel(t *testing.T) {
	s := stairs{[]*big.Rat{rat("3/2"), rat("5")}, []*big.Rat{rat("1/3"), rat("1/9")}}
	p := Problem{Level: rat("1/3"), Bits: 30, Full: 64}
	p.Value = func(_ context.Context, w interval.Prec, x *big.Rat) (interval.Interval, error) {
		return w.Rat(s.value(x)), nil
	}
	y, err := p.Solve(t.Context())
	if err != nil || y.LessRat(rat("3/2")) == interval.True || y.LessEqRat(rat("3/2")) == interval.False || interval.Point(y.Hi()).LessRat(rat("49/10")) != interval.False {
		t.Errorf("by enclosures: crossing in %s, %v", y, err)
	}
	p.Exact = func(x *big.Rat) (*big.Rat, bool) { return s.value(x), true }
	y, err = p.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	meets(t, "by values", y, p.Full.Rat(rat("3/2")), 30)
}
