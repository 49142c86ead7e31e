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

func pointsOf(f pair.Finite, alphas ...string) []Point {
	var out []Point
	for _, a := range alphas {
		out = append(out, Point{rat(a), f.Delta(rat(a))})
	}
	return out
}

// ratios returns all likelihood ratios of a finite pair, rising.
func ratios(f pair.Finite) []*big.Rat {
	var out []*big.Rat
	for i := len(f.Masses) - 1; i >= 0; i-- {
		if m := f.Masses[i]; m.Q.Sign() > 0 {
			out = append(out, new(big.Rat).Quo(m.P, m.Q))
		}
	}
	return out
}

// TestLemma9 [Zhu, Dong & Wang 2022]: the profile of a finite pair at its ratios is one, and it
// is the profile of the pair; what is not convex, rises or is too low is none.
func TestLemma9(t *testing.T) {
	for _, f := range finites {
		var ps []Point
		for _, a := range ratios(f) {
			if a.Sign() > 0 {
				ps = append(ps, Point{a, f.Delta(a)})
			}
		}
		got, err := Interpolate(ps)
		if err != nil || got.String() != f.String() {
			t.Errorf("%s becomes %s, %v", f, got, err)
		}
		if h, ok := Hull(ps); !ok || h.String() != f.String() {
			t.Errorf("the hull of %s is %s", f, h)
		}
		// A quarter of a chord's height more in the middle is not convex, less too low.
		if len(ps) > 2 {
			bent := append([]Point{}, ps...)
			bent[1].Value = new(big.Rat).Add(bent[0].Value, bent[2].Value)
			if _, err := Interpolate(bent); err == nil {
				t.Errorf("%s: a point above the chord is accepted", f)
			}
		}
	}
	for _, ps := range [][]Point{
		{{rat("1"), rat("1/2")}, {rat("2"), rat("3/5")}},   // rises
		{{rat("1/2"), rat("1/3")}},                         // below 1 − α
		{{rat("0"), rat("9/10")}},                          // not 1 at 0
		{{rat("2"), rat("-1/10")}},                         // negative
		{{rat("1"), rat("9/10")}, {rat("2"), rat("1/10")}}, // not convex
		{{rat("2"), rat("1/10")}, {rat("1"), rat("1/10")}}, // not in order
		{{rat("1"), rat("1/10")}, {rat("1"), rat("1/10")}}, // twice
		{{rat("1"), rat("1/2")}, {rat("2"), rat("1/2000000")}, {rat("3"), rat("1/4000000")}, {rat("4"), rat("0")}, {rat("5"), rat("1")}},
	} {
		if f, err := Interpolate(ps); err == nil {
			t.Errorf("%v are the profile of %s", ps, f)
		}
	}
}

// TestCorollary26 [ibid.]: the hull respects the bounds, and every profile that does is below.
func TestCorollary26(t *testing.T) {
	loose := func(f pair.Finite, by string, alphas ...string) []Point {
		ps := pointsOf(f, alphas...)
		for i := range ps {
			ps[i].Value = new(big.Rat).Add(ps[i].Value, rat(by))
		}
		return ps
	}
	for _, f := range finites {
		for _, ps := range [][]Point{
			loose(f, "0", "1/2", "1", "3"),
			loose(f, "1/10", "1/2", "3/5", "1", "2", "44/3"),
			loose(f, "3", "1/2"),
			nil,
		} {
			h, ok := Hull(ps)
			if !ok {
				t.Fatalf("no hull of %v", ps)
			}
			for _, x := range ps {
				if h.Delta(x.Alpha).Cmp(x.Value) > 0 {
					t.Errorf("%s is above H(%s) = %s", h, x.Alpha.RatString(), x.Value.RatString())
				}
			}
			if ok, a := Dominates(h, f); !ok {
				t.Errorf("%s does not dominate %s at %s", h, f, a.RatString())
			}
		}
	}
	if _, ok := Hull([]Point{{rat("1/2"), rat("1/3")}}); ok {
		t.Error("a profile below 1 − α")
	}
}

// TestDominates: decided by all α, also below 1 and at infinity.
func TestDominates(t *testing.T) {
	revealing := finite([]string{"1", "0"}, []string{"0", "1"})
	nothing := finite([]string{"1"}, []string{"1"})
	for _, f := range finites {
		for _, c := range []struct {
			f, g pair.Finite
			want bool
		}{{f, f, true}, {revealing, f, true}, {f, revealing, false}, {f, nothing, true}, {nothing, f, false},
			{f.Symmetrise(), f, true}, {f.Symmetrise(), f.Reverse().(pair.Finite), true}, {f, f.Sample(rat("1/2")), true}, {f.Sample(rat("1/2")), f, false}} {
			got, a := Dominates(c.f, c.g)
			if got != c.want {
				t.Errorf("%s dominates %s: %v", c.f, c.g, got)
			}
			if !got && c.f.Delta(a).Cmp(c.g.Delta(a)) >= 0 {
				t.Errorf("%s against %s: no violation at %s", c.f, c.g, a.RatString())
			}
		}
	}
	// lopsided is the greater at all α ≥ 1, and not below.
	reverse := lopsided.Reverse().(pair.Finite)
	if ok, a := Dominates(lopsided, reverse); ok || a.Cmp(ratOne) >= 0 {
		t.Errorf("dominates: %v, at %v", ok, a)
	}
	e, err := Undominated(context.Background(), 64, profileOf(lopsided), profileOf(reverse), []*big.Rat{rat("1"), rat("0"), rat("-1")})
	if err != nil || e == nil || e.Sign() >= 0 {
		t.Errorf("undominated at %v, %v", e, err)
	}
	if e, err := Undominated(context.Background(), 64, profileOf(revealing), profileOf(lopsided), []*big.Rat{rat("1"), rat("0"), rat("-1")}); err != nil || e != nil {
		t.Errorf("undominated by what reveals everything at %v, %v", e, err)
	}
}

// product is the product of finite pairs, exactly.
func product(f, g pair.Finite) pair.Finite {
	var p, q []*big.Rat
	for _, a := range f.Masses {
		for _, b := range g.Masses {
			p, q = append(p, new(big.Rat).Mul(a.P, b.P)), append(q, new(big.Rat).Mul(a.Q, b.Q))
		}
	}
	return pair.NewFinite(p, q)
}

// TestTheorem4_2 [Chourasia et al. 2024, corrected]: the enclosure contains the profile of the
// product, and its upper end is exact where the law of the second pair is.
func TestTheorem4_2(t *testing.T) {
	for _, f := range finites {
		for _, g := range finites {
			var alphas []*big.Rat
			for _, a := range ratios(g) {
				if a.Sign() > 0 {
					alphas = append(alphas, a)
				}
			}
			truth := product(f, g)
			for _, p := range []interval.Prec{2, 8, 64} {
				c := Compose(profileOf(f), profileOf(g), alphas)
				few := Compose(profileOf(f), profileOf(g), alphas[:1])
				for _, a := range []string{"1/20", "1", "9/5", "44"} {
					got, err := c(context.Background(), p, logOf(rat(a)))
					if err != nil {
						t.Fatal(err)
					}
					want := truth.Delta(rat(a))
					tight := interval.Point(got.Hi()).LessEqRat(new(big.Rat).Add(want, rat("1e-12")))
					if !got.ContainsRat(want) || p == 64 && tight != interval.True {
						t.Errorf("p = %d: H_%s of %s and %s: %s, want %s", p, a, f, g, got, want.RatString())
					}
					if y, err := few(context.Background(), p, logOf(rat(a))); err != nil || !y.ContainsRat(want) {
						t.Errorf("p = %d, one α: H_%s of %s and %s: %s, want %s", p, a, f, g, y, want.RatString())
					}
				}
			}
		}
	}
}

// TestTheorem4_2AsPrinted: without the mass of infinite loss, P₁ = Q₁ and P₂ = (1/2, 1/2) against
// Q₂ = (1, 0) has δ(0) = 0 where 1/2 is true (C8).
func TestTheorem4_2AsPrinted(t *testing.T) {
	second := finite([]string{"1/2", "1/2"}, []string{"1", "0"})
	os, rest, _ := second.Outcomes(64, 8)
	var printed []pair.Outcome
	for _, o := range os {
		if !o.Q.IsZero() {
			printed = append(printed, o)
		}
	}
	zero := interval.RealRat(new(big.Rat))
	y, _ := Times(Trivial, printed, rest)(context.Background(), 64, zero)
	z, _ := Times(Trivial, os, rest)(context.Background(), 64, zero)
	c, _ := Compose(Trivial, profileOf(second), []*big.Rat{rat("1/2"), rat("1")})(context.Background(), 64, zero)
	if !y.ContainsRat(new(big.Rat)) || y.LessRat(rat("1/10")) != interval.True {
		t.Errorf("printed: %s", y)
	}
	if !z.ContainsRat(rat("1/2")) || z.LessRat(rat("0.49")) != interval.False || !c.ContainsRat(rat("1/2")) {
		t.Errorf("corrected: %s, composed %s", z, c)
	}
}

// TestTheorem11AsPrinted [Zhu, Dong & Wang 2022]: removal from a base pair that dominates for adding (C4).
func TestTheorem11AsPrinted(t *testing.T) {
	// M(S) = (1, 0), M(S + x) = (1/2, 1/2): (P, Q) dominates M for adding.
	base := finite([]string{"1", "0"}, []string{"1/2", "1/2"})
	rate := rat("1/2")
	truth := finite([]string{"3/4", "1/4"}, []string{"1", "0"}).Delta(rat("2"))
	printed := base.Sample(rate).Delta(rat("2"))
	corrected := base.Reverse().(pair.Finite).Sample(rate).Delta(rat("2"))
	if truth.Cmp(rat("1/4")) != 0 || printed.Cmp(truth) >= 0 || corrected.Cmp(truth) != 0 {
		t.Errorf("true %s, printed %s, corrected %s", truth, printed, corrected)
	}
	// The profiles say the same: Sample of the reversed base.
	y, err := Sample(rate, Reverse(profileOf(base)))(context.Background(), 64, logOf(rat("2")))
	if err != nil || !y.ContainsRat(truth) {
		t.Errorf("%s, %v", y, err)
	}
}

// TestSymmetrisationIsLossy: symmetrised and then composed, a pair is above both of its
// orientations composed.
func TestSymmetrisationIsLossy(t *testing.T) {
	s := lopsided.Symmetrise()
	twice := product(s, s)
	forth, back := product(lopsided, lopsided), product(lopsided.Reverse().(pair.Finite), lopsided.Reverse().(pair.Finite))
	lossy := false
	for _, a := range []string{"1/5", "1", "242/45", "20"} {
		alpha := rat(a)
		most := larger(forth.Delta(alpha), back.Delta(alpha))
		got := twice.Delta(alpha)
		if got.Cmp(most) < 0 {
			t.Errorf("H_%s: %s symmetrised, %s not", a, got, most)
		}
		lossy = lossy || got.Cmp(most) > 0
		y, err := Symmetrise(profileOf(lopsided))(context.Background(), 64, logOf(alpha))
		if err != nil || !y.ContainsRat(s.Delta(alpha)) {
			t.Errorf("H_%s: %s, want %s", a, y, s.Delta(alpha))
		}
	}
	if !lossy {
		t.Error("nothing is lost")
	}
	// What is above both of them is also what may happen if factors are oriented either way:
	// C3.
	if mixed := product(lopsided, lopsided.Reverse().(pair.Finite)).Delta(rat("242/45")); mixed.Cmp(twice.Delta(rat("242/45"))) > 0 ||
		mixed.Cmp(larger(forth.Delta(rat("242/45")), back.Delta(rat("242/45")))) <= 0 {
		t.Errorf("mixed orientations: %s", mixed)
	}
}

func lawOf(x pair.Pair) Law {
	tails, _ := closed.PairTails(x)
	return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, interval.Interval, error) {
		a, b := tails(p, closed.Arg{Interval: eps(p)})
		return a, b, nil
	}
}

// TestLemmas19And23 [Zhu, Dong & Wang 2022]: law → profile → law.
func TestLemmas19And23(t *testing.T) {
	for _, x := range []pair.Pair{pair.Gaussian{Mu2: rat("1")}, pair.Laplace{Shift: rat("1")}, pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("2")}} {
		law := lawOf(x)
		back := ToLaw(FromLaw(law), 20)
		for _, e := range []string{"-1/2", "0", "3/4", "3"} {
			for _, p := range []interval.Prec{8, 64} {
				eps := interval.RealRat(rat(e))
				a, b, _ := law(context.Background(), 100, eps)
				c, d, err := back(context.Background(), p, eps)
				if err != nil {
					t.Fatal(err)
				}
				_, ok1 := interval.Intersect(a, c)
				_, ok2 := interval.Intersect(b, d)
				if !ok1 || !ok2 {
					t.Errorf("%s at %s, p = %d: %s and %s, want %s and %s", x, e, p, c, d, a, b)
				}
				if wide := p.Sub(interval.Point(c.Hi()), interval.Point(c.Lo())); p == 64 && wide.LessRat(rat("1e-5")) != interval.True {
					t.Errorf("%s at %s: %s is wide", x, e, c)
				}
			}
		}
	}
	// At an atom the two difference quotients are as far apart as it is heavy.
	law := ToLaw(profileOf(lopsided), 20)
	a, b, err := law(context.Background(), 64, logOf(rat("44/3")))
	if err != nil || !a.ContainsRat(new(big.Rat)) || !a.ContainsRat(rat("3333/5000")) || !b.ContainsRat(rat("227/5000")) {
		t.Errorf("P(L > log 44/3) ∈ %s, Q ∈ %s, %v", a, b, err)
	}
}

// TestLemma22 [ibid.]: points of the trade-off function from the law of a Gaussian pair, and the
// function from its profile.
func TestLemma22(t *testing.T) {
	const p = interval.Prec(64)
	trade := ToTradeOff(gaussian("1"))
	for _, e := range []string{"-1", "1/3", "2"} {
		x, f, err := TradeOffAt(context.Background(), p, lawOf(pair.Gaussian{Mu2: rat("1")}), interval.RealRat(rat(e)))
		if err != nil {
			t.Fatal(err)
		}
		lo, hi, _ := x.Rationals()
		a, err1 := trade(context.Background(), 40, lo)
		b, err2 := trade(context.Background(), 40, hi)
		if err1 != nil || err2 != nil || a.Less(f) == interval.True || f.Less(b) == interval.True {
			t.Errorf("f(%s) = %s by the law, between %s and %s by the profile", x, f, b, a)
		}
	}
}
