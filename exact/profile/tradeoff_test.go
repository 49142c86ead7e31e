// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// neymanPearson is T[P, Q] of a finite pair in exact rationals: reject P on the outcomes
// with the greatest Q/P first, at random on the last.
func neymanPearson(f pair.Finite, x *big.Rat) *big.Rat {
	left, beta := new(big.Rat).Set(x), big.NewRat(1, 1)
	for i := len(f.Masses) - 1; i >= 0; i-- {
		m := f.Masses[i]
		if m.P.Cmp(left) <= 0 {
			left.Sub(left, m.P)
			beta.Sub(beta, m.Q)
			continue
		}
		share := new(big.Rat).Quo(left, m.P)
		return beta.Sub(beta, share.Mul(share, m.Q))
	}
	return beta
}

var errors = []string{"1/1000000000", "1/9", "1/10", "1/6", "1/3", "1/2", "7/10", "9/10", "999/1000", "1"}

func finite(p, q []string) pair.Finite {
	var a, b []*big.Rat
	for i := range p {
		a, b = append(a, rat(p[i])), append(b, rat(q[i]))
	}
	return pair.NewFinite(a, b)
}

var (
	lopsided = finite([]string{"1/6", "1/6", "2/3"}, []string{"5/11", "1/2", "1/22"})
	leaky    = pair.NewFinite(p3, q3)
	c5       = finite([]string{"10/27", "1/27", "16/27"}, []string{"0", "1/2", "1/2"})
	finites  = []pair.Finite{lopsided, leaky, c5, lopsided.Reverse().(pair.Finite), c5.Reverse().(pair.Finite)}
)

func profileOf(f pair.Finite) Func { return of(masses(f)) }

func masses(f pair.Finite) (p, q []*big.Rat) {
	for _, m := range f.Masses {
		p, q = append(p, m.P), append(q, m.Q)
	}
	return p, q
}

func gaussian(mu2 string) Func {
	t, _ := closed.PairTails(pair.Gaussian{Mu2: rat(mu2)})
	return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		return t.Delta(p, eps), nil
	}
}

// close reports that x contains want and is within 2^−bits of it.
func within(x interval.Interval, want *big.Rat, bits uint) bool {
	e := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
	return x.ContainsRat(want) && x.LessEqRat(new(big.Rat).Add(want, e)) == interval.True &&
		x.LessRat(new(big.Rat).Sub(want, e)) == interval.False
}

// TestLemma21 [Zhu, Dong & Wang 2022, corrected]: the trade-off function from the profile is
// the function of the Neyman–Pearson tests.
func TestLemma21(t *testing.T) {
	for _, f := range finites {
		trade := ToTradeOff(profileOf(f))
		for _, x := range errors {
			for _, p := range []interval.Prec{2, 8, 53} {
				got, err := trade(context.Background(), p, rat(x))
				if err != nil {
					t.Fatal(err)
				}
				want := neymanPearson(f, rat(x))
				if !got.ContainsRat(want) || p == 53 && !within(got, want, 40) {
					t.Errorf("%s at p = %d: f(%s) = %s, want %s", f, p, x, got, want.RatString())
				}
			}
		}
	}
}

// TestTinyTypeIErrors: no type I error is too small to be asked about, and what is below f there is known.
func TestTinyTypeIErrors(t *testing.T) {
	for _, f := range finites[:2] {
		trade := ToTradeOff(func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			return profileOf(f)(ctx, min(p, 256), func(w interval.Prec) interval.Interval { return eps(min(w, 256)) })
		})
		const x = "1e-100000"
		got, err := trade(t.Context(), 53, rat(x))
		if err != nil {
			t.Fatal(err)
		}
		want := neymanPearson(f, rat(x))
		if near := new(big.Rat).Mul(want, rat("0.99")); !got.ContainsRat(want) || got.LessEqRat(near) != interval.False {
			t.Errorf("%s: f(%s) = %s, want about %s from below", f, x, got, want.FloatString(20))
		}
	}
}

// TestLemma21AsPrinted: with H(P‖Q) for H(Q‖P) the first term overstates privacy (C5).
func TestLemma21AsPrinted(t *testing.T) {
	x := rat("1/9")
	truth := neymanPearson(c5, x)
	if truth.Cmp(rat("7/16")) != 0 {
		t.Fatalf("f(1/9) = %s", truth.RatString())
	}
	printed, corrected := new(big.Rat), new(big.Rat)
	q := c5.Reverse().(pair.Finite)
	for k := int64(100); k <= 1000; k++ { // e^ε from 1 to 10
		a := big.NewRat(k, 100)
		ax := new(big.Rat).Mul(a, x)
		term := func(first *big.Rat) *big.Rat {
			y := new(big.Rat).Sub(ratOne, first)
			y.Sub(y, ax)
			z := new(big.Rat).Sub(ratOne, c5.Delta(a)) // e^−ε·(1 − H(P‖Q) − x)
			z.Sub(z, x)
			if z.Quo(z, a); z.Cmp(y) > 0 {
				return z
			}
			return y
		}
		printed, corrected = larger(printed, term(c5.Delta(a))), larger(corrected, term(q.Delta(a)))
	}
	if printed.Cmp(truth) <= 0 {
		t.Errorf("printed: %s", printed.RatString())
	}
	if corrected.Cmp(truth) > 0 {
		t.Errorf("corrected: %s", corrected.RatString())
	}
}

func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

// TestGaussianTradeOff: G_µ(Φ(−t)) = Φ(t − µ) [Dong, Roth & Su 2022, (6)].
func TestGaussianTradeOff(t *testing.T) {
	const p = interval.Prec(64)
	trade := ToTradeOff(gaussian("9/4"))
	for _, s := range []string{"-3", "-1/2", "1", "4", "7"} {
		lo, hi, _ := p.NormalSF(p.Rat(rat(s))).Rationals()
		want := p.NormalCDF(p.Sub(p.Rat(rat(s)), p.Rat(rat("3/2"))))
		a, err1 := trade(context.Background(), 40, lo)
		b, err2 := trade(context.Background(), 40, hi)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		// f falls, so its values at both ends enclose that between them.
		if a.Less(want) == interval.True || want.Less(b) == interval.True {
			t.Errorf("f(Φ(%s)) between %s and %s, want %s", s, b, a, want)
		}
		if wide := p.Sub(interval.Union(a, b), want).Abs(); wide.LessRat(rat("1e-10")) != interval.True {
			t.Errorf("f(Φ(%s)) between %s and %s is wide", s, b, a)
		}
	}
}

// supremumOf is the supremum from the points of a grid and at most so many more.
func supremumOf(p interval.Prec, splits int, grid []*big.Rat, g func(x *big.Rat) (interval.Interval, error)) (interval.Interval, error) {
	s := &concave{w: p + 32, g: g}
	for _, x := range grid {
		if err := s.add(x); err != nil {
			return interval.Entire(), err
		}
	}
	return supremum(p, 1<<20, splits, s)
}

// TestSupremumWithFewPoints: the upper bound holds after any number of splits, of a smooth
// function and of one with a kink.
func TestSupremumWithFewPoints(t *testing.T) {
	const p = interval.Prec(64)
	grid := []*big.Rat{rat("0"), rat("1/10"), rat("1/3"), rat("2"), rat("3")}
	for splits := range 12 {
		smooth, err := supremumOf(p, splits, grid, func(x *big.Rat) (interval.Interval, error) {
			y := new(big.Rat).Sub(rat("7/8"), x) // 1 − (7/8 − x)²
			return p.Rat(y.Sub(ratOne, y.Mul(y, y))), nil
		})
		if err != nil || !smooth.ContainsRat(ratOne) {
			t.Errorf("%d splits: %s, %v, want 1", splits, smooth, err)
		}
		kink, err := supremumOf(p, splits, grid, func(x *big.Rat) (interval.Interval, error) {
			up, down := new(big.Rat).Set(x), new(big.Rat).Sub(rat("3"), x)
			if up.Cmp(down) > 0 {
				up = down
			}
			return p.Rat(up), nil
		})
		if err != nil || !kink.ContainsRat(rat("3/2")) || splits > 9 && !within(kink, rat("3/2"), 40) {
			t.Errorf("%d splits: %s, %v, want 3/2", splits, kink, err)
		}
		edge, err := supremumOf(p, splits, grid, func(x *big.Rat) (interval.Interval, error) { return p.Rat(x), nil })
		if err != nil || !edge.ContainsRat(rat("3")) {
			t.Errorf("%d splits: %s, %v, want 3 at the end", splits, edge, err)
		}
	}
}

// TestFewValuesOfTheProfile: a trade-off function takes some twenty values of the profile, and fewer for fewer bits,
// which it has then.
func TestFewValuesOfTheProfile(t *testing.T) {
	for _, mu2 := range []string{"1/100", "1", "9"} {
		for _, x := range []string{"1/1000", "1/20", "1/2", "99/100"} {
			values, f := 0, gaussian(mu2)
			counted := func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
				values++
				return f(ctx, p, eps)
			}
			best, err1 := ToTradeOff(counted)(t.Context(), 64, rat(x))
			all := values
			values = 0
			few, err2 := ToTradeOffBits(counted, 20)(t.Context(), 64, rat(x))
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if all > 45 || values > 30 {
				t.Errorf("µ² = %s, f(%s): %d values of the profile, %d for 20 bits", mu2, x, all, values)
			}
			const p = interval.Prec(64)
			if both, ok := interval.Intersect(few, best); !ok || p.Sub(few.Upper(), few.Lower()).LessEq(p.Scale(both, -19)) != interval.True {
				t.Errorf("µ² = %s, f(%s): %s with 20 bits, %s with all", mu2, x, few, best)
			}
		}
	}
}
