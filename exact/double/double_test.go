// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package double

import (
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

const wide = interval.Prec(120)

// hard draws numbers of all sizes, and next to where roundings and reductions turn.
func hard(r *rand.Rand) float64 {
	special := []float64{
		0, 1, -1, 0.5, math.Sqrt2 / 2, math.Nextafter(math.Sqrt2/2, 0), math.Sqrt2, math.Ln2, math.Ln2 / 2, -math.Ln2 / 2, 700, -700,
		699.999, math.Pi / 4, -math.Pi / 4, math.Pi / 2, math.Pi, 1e-300, 5e-324, -5e-324, math.MaxFloat64, 0x1p-1022, 1 + 0x1p-52, 1 - 0x1p-53,
	}
	switch r.Intn(4) {
	case 0:
		return special[r.Intn(len(special))]
	case 1:
		return math.Ldexp(r.Float64()-0.5, r.Intn(40)-20)
	case 2:
		return (float64(r.Intn(4001)-2000) + (r.Float64()-0.5)*0x1p-20) * math.Ln2 / 2
	}
	return (float64(r.Intn(4001)-2000) + (r.Float64()-0.5)*0x1p-20) * math.Pi / 4
}

func exact(x float64) interval.Interval { return interval.Point(big.NewFloat(x)) }

// inside fails unless want lies in got.
func inside(t *testing.T, name string, got Interval, want interval.Interval) {
	t.Helper()
	if !(got.Lo <= got.Hi) || !math.IsInf(got.Lo, 0) && want.Lo().Cmp(big.NewFloat(got.Lo)) < 0 ||
		!math.IsInf(got.Hi, 0) && want.Hi().Cmp(big.NewFloat(got.Hi)) > 0 {
		t.Fatalf("%s in [%x, %x], want %v", name, got.Lo, got.Hi, want)
	}
}

// TestArithmeticEnclosesTheTruth: of intervals of several widths, at members of them.
func TestArithmeticEnclosesTheTruth(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range testkit.Draws(6000, 20000, 20000) {
		a, b := hard(r), hard(r)
		x, y := Interval{a, a}, Interval{b, b}
		if r.Intn(2) == 0 {
			x.Hi += math.Abs(a) * r.Float64()
			y.Lo -= r.Float64()
		}
		p, q := exact(a), exact(b)
		inside(t, "x + y", x.Add(y), wide.Add(p, q))
		inside(t, "x − y", x.Sub(y), wide.Sub(p, q))
		inside(t, "x·y", x.Mul(y), wide.Mul(p, q))
		inside(t, "x²", x.Sqr(), wide.Sqr(p))
		inside(t, "−x", x.Neg(), p.Neg())
		inside(t, "|x|", x.Abs(), p.Abs())
		inside(t, "min", Min(x, y), interval.Min(p, q))
		inside(t, "max", Max(x, y), interval.Max(p, q))
		if b != 0 {
			inside(t, "x/y", x.Div(y), wide.Div(p, q))
		}
		if a >= 0 {
			inside(t, "√x", x.Sqrt(), wide.Sqrt(p))
		}
	}
}

// TestOperationsGoToTheNeighbours: an end of a sum, a difference, a product or a quotient is the neighbour, outwards, of
// the least or the greatest that the ends give, rounded.
func TestOperationsGoToTheNeighbours(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	draw := func() Interval {
		a, b := hard(r), hard(r)
		if r.Intn(4) == 0 {
			b = a
		}
		return Interval{min(a, b), max(a, b)}
	}
	for range testkit.Draws(10000, 40000, 40000) {
		x, y := draw(), draw()
		for _, op := range []struct {
			name string
			got  Interval
			of   func(a, b float64) float64
		}{
			{"x + y", x.Add(y), func(a, b float64) float64 { return a + b }},
			{"x − y", x.Sub(y), func(a, b float64) float64 { return a - b }},
			{"x·y", x.Mul(y), func(a, b float64) float64 { return float64(a * b) }},
			{"x/y", x.Div(y), func(a, b float64) float64 { return a / b }},
		} {
			least, most := math.Inf(1), math.Inf(-1)
			for _, z := range []float64{op.of(x.Lo, y.Lo), op.of(x.Lo, y.Hi), op.of(x.Hi, y.Lo), op.of(x.Hi, y.Hi)} {
				least, most = min(least, z), max(most, z)
			}
			want := Interval{math.Nextafter(least, math.Inf(-1)), math.Nextafter(most, math.Inf(1))}
			switch {
			case op.name == "x/y" && y.Lo <= 0 && y.Hi >= 0:
				want = Entire()
			case op.name == "x·y" && x.Lo >= 0 && y.Lo >= 0:
				want = want.AtLeastZero()
			}
			if op.got != want {
				t.Fatalf("%s of %x and %x is %x, want %x", op.name, x, y, op.got, want)
			}
		}
	}
}

// TestElementaryFunctions: enclosures have the truth in them, and are no wider than proved.
func TestElementaryFunctions(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range testkit.Draws(2000, 6000, 6000) {
		a := hard(r)
		x := Interval{a, a}
		if math.Abs(a) < 1e6 {
			y, want := x.Exp(), wide.Exp(exact(a))
			inside(t, "exp", y, want)
			if math.Abs(a) <= 700 {
				relative(t, "exp", a, Exp64(a), want, expError)
			}
		}
		if a > 0 {
			want := wide.Log(exact(a))
			inside(t, "log", x.Log(), want)
			if a != 1 {
				relative(t, "log", a, Log64(a), want, logError)
			}
		}
		if a > -1 && a < 1e300 {
			for _, y := range []float64{a, a + math.Abs(a)*0x1p-50} {
				inside(t, "log1p", Interval{a, a + math.Abs(a)*0x1p-50}.Log1p(), wide.Log1p(exact(y)))
			}
		}
		if math.Abs(a) <= 0.7 {
			c, s := Point(a).Cis()
			inside(t, "cos", c, wide.Cos(exact(a)))
			inside(t, "sin", s, wide.Sin(exact(a)))
			if s.Hi-s.Lo > 0x1p-47*math.Abs(a)+0x1p-1000 {
				t.Fatalf("sin(%x) in %v: wide", a, s)
			}
		}
		if math.Abs(a) <= 0x1p17 {
			// The ends of an interval are among its members.
			c, s := Interval{a - 0x1p-8, a + 0x1p-9}.Cis()
			for _, m := range []float64{a, a - 0x1p-8, a + 0x1p-9} {
				inside(t, "cos", c, wide.Cos(exact(m)))
				inside(t, "sin", s, wide.Sin(exact(m)))
			}
		}
		if math.Abs(a) <= 0x1p18 {
			c, s := Cis64(a)
			d := wide.Sub(exact(c), wide.Cos(exact(a))).Abs()
			e := wide.Sub(exact(s), wide.Sin(exact(a))).Abs()
			if bound := exact(CisError); bound.Less(d) != interval.False || bound.Less(e) != interval.False {
				t.Fatalf("cis(%x) = %x, %x: off by %v, %v", a, c, s, d, e)
			}
		}
	}
}

// TestElementaryFunctionsOfIntervals: e^x and log x of narrow and of wide x have both ends and the middle in them, and are not much
// wider than they have to be.
func TestElementaryFunctionsOfIntervals(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for i := range 4000 {
		a := hard(r)
		width := math.Ldexp(r.Float64(), -r.Intn(60))
		if i%2 == 0 {
			width *= math.Abs(a)
		}
		x := Interval{a, a + width}
		for _, m := range []float64{x.Lo, x.Mid(), x.Hi} {
			if math.Abs(m) < 1e6 {
				inside(t, "exp", x.Exp(), wide.Exp(exact(m)))
			}
			if a > 0 {
				inside(t, "log", x.Log(), wide.Log(exact(m)))
			}
		}
		if y := x.Exp(); math.Abs(a) < 600 && x.Hi < 600 && !(y.Hi/y.Lo-1 <= 2.1*(math.Expm1(x.Hi-x.Lo)+0x1p-43)) {
			t.Fatalf("exp of %v is %v: wide", x, y)
		}
		if y := x.Log(); a > 0 && x.Hi <= math.MaxFloat64 && !(y.Hi-y.Lo <= 2.1*(width/a+0x1p-43*(1+math.Abs(y.Lo)))) {
			t.Fatalf("log of %v is %v: wide", x, y)
		}
	}
}

// relative fails unless got is want up to a factor 1 ± bound.
func relative(t *testing.T, name string, x, got float64, want interval.Interval, bound float64) {
	t.Helper()
	d := wide.Sub(exact(got), want).Abs()
	if wide.Mul(exact(bound), want.Abs()).Less(d) != interval.False {
		t.Fatalf("%s(%x) = %x, want %v", name, x, got, want)
	}
}

// TestOfEnclosesIntervals: there and back.
func TestOfEnclosesIntervals(t *testing.T) {
	for _, x := range []interval.Interval{
		interval.Prec(100).Rat(big.NewRat(1, 3)), interval.Prec(100).Rat(big.NewRat(-1, 3)), interval.Int(7), interval.Entire(),
		interval.Prec(60).Exp(interval.Int(5000)), interval.Prec(60).Exp(interval.Int(-5000)), interval.Prec(60).Exp(interval.Int(5000)).Neg(),
	} {
		y := Of(x)
		if !y.Exact().Encloses(x) {
			t.Errorf("%v in %v", x, y)
		}
	}
}

// TestWhatCannotBeEnclosed is everything, never no number.
func TestWhatCannotBeEnclosed(t *testing.T) {
	inf, zero := Interval{math.Inf(1), math.Inf(1)}, Interval{}
	for _, x := range []Interval{inf.Sub(inf), zero.Div(zero), Int(1).Div(Interval{-1, 1}), inf.Div(inf), Point(math.NaN())} {
		if x != Entire() {
			t.Errorf("%v", x)
		}
	}
}

var sink float64

func BenchmarkExp(b *testing.B) {
	for b.Loop() {
		sink = Int(3).Exp().Lo
	}
}

func BenchmarkLog(b *testing.B) {
	for b.Loop() {
		sink = Int(3).Log().Lo
	}
}

// TestEnds: the shortest transform, no waves, and the logarithm and the exponential of what is no finite number.
func TestEnds(t *testing.T) {
	if x := Exp64(math.NaN()); x == x {
		t.Errorf("e^NaN = %v", x)
	}
	if x := Log64(math.Inf(1)); !math.IsInf(x, 1) {
		t.Errorf("log ∞ = %v", x)
	}
	two, x := NewTransform(2), []complex128{1 + 2i, 3 - 1i}
	if two.Forward(x); x[0] != 4+1i || x[1] != -2+3i {
		t.Errorf("the transform of two numbers is %v", x)
	}
	if two.Backward(x); x[0] != 2+4i || x[1] != 6-2i {
		t.Errorf("and back, twice the two: %v", x)
	}
	re, im := make([]float64, 33), make([]float64, 33)
	if NewWaves(16).Turn(re, im); slices.Max(re) != 0 || slices.Min(im) != 0 {
		t.Errorf("no waves are %v + i·%v", re, im)
	}
}
