// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"testing"

	"dpverify/internal/testkit"
)

var testPrecs = []Prec{2, 3, 8, 24, 53, 64, 65, 113, 128, 256, 1000}

// hardRat draws numbers that rounding finds hard, and log-uniform ones.
func hardRat(r *rand.Rand) *big.Rat {
	hard := []string{"0", "1", "-1", "1/3", "-1/3", "1/10", "3602879701896397/36028797018963968", "9007199254740993/9007199254740992",
		"1/1000000000000000000000", "709", "745", "-745.13", "2", "1/2", "3/4", "-3", "1e30", "-1e-30", "255/256", "257/256"}
	if r.IntN(2) == 0 {
		x, _ := new(big.Rat).SetString(hard[r.IntN(len(hard))])
		return x
	}
	n := new(big.Int).SetUint64(r.Uint64() >> r.IntN(64))
	d := new(big.Int).SetUint64(r.Uint64()>>r.IntN(64) | 1)
	x := new(big.Rat).SetFrac(n, d)
	x.Mul(x, testkit.PowerOfTwo(r.IntN(120)-60))
	if r.IntN(2) == 0 {
		x.Neg(x)
	}
	return x
}

// TestArithmeticInclusion: for s ∈ x and t ∈ y, s∘t ∈ x∘y, on exact rationals.
func TestArithmeticInclusion(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range testkit.Draws(1200, 4000, 4000) {
		p := testPrecs[r.IntN(len(testPrecs))]
		q := testPrecs[r.IntN(len(testPrecs))]
		s, u := hardRat(r), hardRat(r)
		x, y := q.Rat(s), q.Rat(u)
		if r.IntN(2) == 0 {
			x = Union(x, q.Rat(hardRat(r)))
		}
		if r.IntN(2) == 0 {
			y = Union(y, q.Rat(hardRat(r)))
		}
		rounded := true
		check := func(op string, z Interval, want *big.Rat) {
			t.Helper()
			if !z.ContainsRat(want) {
				t.Fatalf("%d bits: %v %s %v = %v is not in %s (x = %s, y = %s)", p, s, op, u, want, z, x, y)
			}
			if bits := max(z.l().MinPrec(), z.h().MinPrec()); rounded && bits > uint(p) {
				t.Fatalf("%d bits: %s has an endpoint of %d bits", p, op, bits)
			}
		}
		check("+", p.Add(x, y), new(big.Rat).Add(s, u))
		check("-", p.Sub(x, y), new(big.Rat).Sub(s, u))
		check("*", p.Mul(x, y), new(big.Rat).Mul(s, u))
		check("²", p.Sqr(x), new(big.Rat).Mul(s, s))
		if u.Sign() != 0 {
			check("/", p.Div(x, y), new(big.Rat).Quo(s, u))
		}
		check("round", p.Round(x), s)
		check("scale", p.Scale(x, 77), new(big.Rat).Mul(s, testkit.PowerOfTwo(77)))
		for _, n := range []int64{0, 1, 2, 3, 7, 10, -1, -3} {
			if n < 0 && s.Sign() == 0 {
				continue
			}
			want := big.NewRat(1, 1)
			for range max(n, -n) {
				want.Mul(want, s)
			}
			if n < 0 {
				want.Inv(want)
			}
			check(fmt.Sprintf("^%d", n), p.PowInt(x, n), want)
		}
		rounded = false
		check("abs", x.Abs(), new(big.Rat).Abs(s))
		if s.Cmp(u) <= 0 {
			check("min", Min(x, y), s)
			check("max", Max(x, y), u)
		} else {
			check("min", Min(x, y), u)
			check("max", Max(x, y), s)
		}
		if s.Sign() >= 0 {
			root := p.Sqrt(x)
			a, _ := root.l().Rat(nil)
			b, _ := root.h().Rat(nil)
			if a.Mul(a, a).Cmp(s) > 0 || b.Mul(b, b).Cmp(s) < 0 {
				t.Fatalf("%d bits: √%v is not in %s", p, s, root)
			}
		}
	}
}

// TestDyadicsAreExact: what fits is not rounded, so 1/2 stays a point.
func TestDyadicsAreExact(t *testing.T) {
	p := Prec(8)
	for _, r := range []*big.Rat{big.NewRat(1, 2), big.NewRat(255, 128), big.NewRat(-3, 4), new(big.Rat)} {
		x := p.Rat(r)
		if !x.IsPoint() || !x.ContainsRat(r) {
			t.Errorf("%v became %s", r, x)
		}
	}
	if x := p.Sqrt(Int(9)); !x.IsPoint() || !x.ContainsRat(big.NewRat(3, 1)) {
		t.Errorf("√9 = %s", x)
	}
	if x := p.Exp(Int(0)); !x.IsPoint() {
		t.Errorf("exp(0) = %s", x)
	}
	if x := p.Log(Int(1)); !x.IsZero() {
		t.Errorf("log(1) = %s", x)
	}
	if x, err := binary64(0.1); err != nil || !x.IsPoint() || !x.ContainsRat(new(big.Rat).SetFloat64(0.1)) {
		t.Errorf("binary64(0.1) = %s, %v", x, err)
	}
}

// TestInfiniteEndpoints: endpoints at ±∞ bound and are never operands of an
// undefined operation.
func TestInfiniteEndpoints(t *testing.T) {
	p := Prec(24)
	all := Entire()
	right := Interval{big.NewFloat(1), new(big.Float).SetInf(false)}
	left := right.Neg()
	zero := Int(0)
	span := Bounds(big.NewFloat(-2), big.NewFloat(3))
	operands := []Interval{all, right, left, zero, span, Int(5), Int(-5), Bounds(big.NewFloat(0), big.NewFloat(2))}
	for _, x := range operands {
		for _, y := range operands {
			for _, z := range []Interval{p.Add(x, y), p.Sub(x, y), p.Mul(x, y), p.Div(x, y), p.Sqr(x), p.PowInt(x, 3), p.PowInt(x, -2)} {
				if z.l().Cmp(z.h()) > 0 {
					t.Fatalf("%s, %s: %s", x, y, z)
				}
			}
			// Sampled members: the inclusion principle on representatives.
			for _, s := range members(x) {
				for _, u := range members(y) {
					if !p.Mul(x, y).ContainsRat(new(big.Rat).Mul(s, u)) || !p.Add(x, y).ContainsRat(new(big.Rat).Add(s, u)) {
						t.Fatalf("%v ∈ %s, %v ∈ %s", s, x, u, y)
					}
					if u.Sign() != 0 && !p.Div(x, y).ContainsRat(new(big.Rat).Quo(s, u)) {
						t.Fatalf("%v/%v is not in %s/%s = %s", s, u, x, y, p.Div(x, y))
					}
				}
			}
		}
	}
	if z := p.Mul(zero, all); !z.IsZero() {
		t.Errorf("0·[−∞, ∞] = %s", z)
	}
}

func members(x Interval) []*big.Rat {
	var out []*big.Rat
	for _, n := range []string{"-1e40", "-5", "-2", "-1", "-1/7", "0", "1/7", "1", "2", "3", "5", "1e40"} {
		r, _ := new(big.Rat).SetString(n)
		if x.ContainsRat(r) {
			out = append(out, r)
		}
	}
	return out
}

// TestHugeExponents: nothing allocates in proportion to an exponent, and what
// leaves the range is rounded outward, never to 0 from above.
func TestHugeExponents(t *testing.T) {
	p := Prec(64)
	big1 := Point(new(big.Float).SetMantExp(big.NewFloat(1), MaxExp-1))
	tiny := Point(new(big.Float).SetMantExp(big.NewFloat(1), -MaxExp+1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const far = 1 << (bits.UintSize/2 + 8) // 2^40, where an int has so many bits
	results := map[string]Interval{
		"1 + tiny":      p.Add(Int(1), tiny),
		"1 - tiny":      p.Sub(Int(1), tiny),
		"big + 1":       p.Add(big1, Int(1)),
		"big - 1":       p.Sub(big1, Int(1)),
		"big*big":       p.Mul(big1, big1),
		"tiny*tiny":     p.Mul(tiny, tiny),
		"tiny/big":      p.Div(tiny, big1),
		"big/tiny":      p.Div(big1, tiny),
		"-big*big":      p.Mul(big1.Neg(), big1),
		"-tiny*tiny":    p.Mul(tiny.Neg(), tiny),
		"exp big":       p.Exp(big1),
		"exp -big":      p.Exp(big1.Neg()),
		"exp tiny":      p.Exp(tiny),
		"exp -tiny":     p.Exp(tiny.Neg()),
		"expm1 tiny":    p.Expm1(tiny),
		"log tiny":      p.Log(tiny),
		"log big":       p.Log(big1),
		"log1p tiny":    p.Log1p(tiny),
		"log1p big":     p.Log1p(big1),
		"erf tiny":      p.Erf(tiny),
		"erfc tiny":     p.Erfc(tiny),
		"erfc big":      p.Erfc(big1),
		"erfc -big":     p.Erfc(big1.Neg()),
		"sf 1e5":        p.NormalSF(Int(100000)),
		"sqrt big":      p.Sqrt(big1),
		"sqrt tiny":     p.Sqrt(tiny),
		"pow":           p.PowInt(big1, 1<<62),
		"pow tiny":      p.PowInt(tiny, 1<<62),
		"pow min":       p.PowInt(Int(2), -1<<63),
		"scale up":      p.Scale(big1, far),
		"scale down":    p.Scale(tiny, -far),
		"scale up neg":  p.Scale(big1.Neg(), far),
		"exp(exp(big))": p.Exp(p.Exp(big1)),
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes allocated", used)
	}
	one := big.NewFloat(1)
	for name, x := range results {
		if x.l().Cmp(x.h()) > 0 {
			t.Errorf("%s = %s", name, x)
		}
	}
	positive := []string{"tiny*tiny", "tiny/big", "exp -big", "erfc big", "sf 1e5", "pow tiny", "scale down"}
	for _, name := range positive {
		if x := results[name]; x.h().Sign() <= 0 || x.l().Sign() < 0 {
			t.Errorf("%s = %s: the value is positive", name, x)
		}
	}
	if x := results["-tiny*tiny"]; x.l().Sign() >= 0 {
		t.Errorf("-tiny*tiny = %s", x)
	}
	if x := results["1 + tiny"]; x.h().Cmp(one) <= 0 || x.l().Cmp(one) < 0 {
		t.Errorf("1 + tiny = %s", x)
	}
	if x := results["1 - tiny"]; x.l().Cmp(one) >= 0 || x.h().Cmp(one) > 0 {
		t.Errorf("1 - tiny = %s", x)
	}
	for _, name := range []string{"big*big", "big/tiny", "exp big", "pow", "scale up", "exp(exp(big))"} {
		if x := results[name]; !x.h().IsInf() || x.l().Sign() <= 0 {
			t.Errorf("%s = %s", name, x)
		}
	}
}

// TestDomains: outside the domain nothing is claimed.
func TestDomains(t *testing.T) {
	p := Prec(53)
	neg := Bounds(big.NewFloat(-3), big.NewFloat(-2))
	mixed := Bounds(big.NewFloat(-3), big.NewFloat(4))
	if x := p.Log(neg); !x.Encloses(Entire()) {
		t.Errorf("log of a negative number = %s", x)
	}
	if x := p.Sqrt(neg); !x.Encloses(Entire()) {
		t.Errorf("√ of a negative number = %s", x)
	}
	if x := p.Log1p(neg); !x.Encloses(Entire()) {
		t.Errorf("log1p(−3) = %s", x)
	}
	if x := p.Sqrt(mixed); x.l().Sign() != 0 || x.h().Cmp(big.NewFloat(2)) != 0 {
		t.Errorf("√[−3, 4] = %s", x)
	}
	if x := p.Log(mixed); !x.l().IsInf() || x.h().Cmp(p.Log(Int(4)).h()) != 0 {
		t.Errorf("log [−3, 4] = %s", x)
	}
	if x := p.Log1p(mixed); !x.l().IsInf() {
		t.Errorf("log1p [−3, 4] = %s", x)
	}
	if x := p.Log(Int(0)); !x.l().IsInf() || x.h().Sign() >= 0 {
		t.Errorf("log 0 = %s", x)
	}
}

func TestComparisons(t *testing.T) {
	a := Bounds(big.NewFloat(1), big.NewFloat(2))
	b := Bounds(big.NewFloat(2), big.NewFloat(3))
	c := Bounds(big.NewFloat(3), big.NewFloat(4))
	tests := []struct {
		name      string
		got, want Truth
	}{
		{"[1,2] < [3,4]", a.Less(c), True},
		{"[1,2] < [2,3]", a.Less(b), Unknown},
		{"[1,2] <= [2,3]", a.LessEq(b), True},
		{"[2,3] < [1,2]", b.Less(a), False},
		{"[2,3] <= [1,2]", b.LessEq(a), Unknown},
		{"[3,4] <= [1,2]", c.LessEq(a), False},
		{"1 < 1", Int(1).Less(Int(1)), False},
		{"1 <= 1", Int(1).LessEq(Int(1)), True},
		{"[1,2] <= 2", a.LessEqRat(big.NewRat(2, 1)), True},
		{"[1,2] < 2", a.LessRat(big.NewRat(2, 1)), Unknown},
		{"[1,2] < 1", a.LessRat(big.NewRat(1, 1)), False},
		{"[1,2] <= 1", a.LessEqRat(big.NewRat(1, 1)), Unknown},
		{"[1,2] <= 1/3", a.LessEqRat(big.NewRat(1, 3)), False},
		{"[1,2] > 0", a.Positive(), True},
		{"0 > 0", Int(0).Positive(), False},
		{"[1,2] < 0", a.Negative(), False},
	}
	for _, c := range tests {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if _, ok := Intersect(a, c); ok {
		t.Error("[1,2] ∩ [3,4] is not empty")
	}
	if z, ok := Intersect(a, b); !ok || !z.IsPoint() {
		t.Errorf("[1,2] ∩ [2,3] = %s, %v", z, ok)
	}
}

// TestCmpRat exercises the magnitude shortcut on both sides of a tie.
func TestCmpRat(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		q := hardRat(r)
		x := Prec(53).Rat(q)
		for _, f := range []*big.Float{x.l(), x.h(), new(big.Float).Neg(x.l())} {
			e, _ := f.Rat(nil)
			if got, want := cmpRat(f, q), e.Cmp(q); got != want {
				t.Fatalf("cmpRat(%v, %v) = %d, want %d", f, q, got, want)
			}
		}
	}
	if cmpRat(new(big.Float).SetInf(false), big.NewRat(1, 1)) != 1 || cmpRat(new(big.Float).SetInf(true), big.NewRat(-1, 1)) != -1 {
		t.Error("cmpRat of an infinity")
	}
}

// binary64 returns the point f, exactly: the 53 bits of a binary64 number are
// converted as an integer times a power of two. It is an error unless f is
// finite.
func binary64(f float64) (Interval, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Interval{}, fmt.Errorf("interval: %v is not a finite number", f)
	}
	m, e := math.Frexp(f)
	z := new(big.Float).SetInt64(int64(m * (1 << 53))) // an integer, exactly
	z.SetMantExp(z, e-53)
	return Interval{z, z}, nil
}
