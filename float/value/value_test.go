// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package value

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/internal/testkit"
)

// number draws a value and a rational inside of it: half of the radii are 0, sizes
// are log-uniform, and a part are hard.
func number(r *rand.Rand) (Value, *big.Rat) {
	hard := []float64{0, 1, 1.0 / 3, 0.1, 1 + 0x1p-52, 0x1p-500, 0x1p300, 1e-21, 709}
	x := hard[r.Intn(len(hard))]
	if r.Intn(2) == 0 {
		x = math.Exp(60*r.Float64() - 30)
	}
	if r.Intn(2) == 0 {
		x = -x
	}
	v := Value{V: x}
	truth := new(big.Rat).SetFloat64(x)
	if r.Intn(2) == 0 {
		v.Err = math.Abs(x) * math.Exp(-40*r.Float64())
		t := new(big.Rat).SetFloat64(v.Err)
		t.Mul(t, big.NewRat(int64(r.Intn(2001)-1000), 1000))
		truth.Add(truth, t)
	}
	return v, truth
}

func contains(v Value, x *big.Rat) bool {
	if math.IsInf(v.Err, 1) {
		return true
	}
	d := new(big.Rat).SetFloat64(v.V)
	d.Sub(d, x)
	return d.Abs(d).Cmp(new(big.Rat).SetFloat64(v.Err)) <= 0
}

// TestInclusion: every operation on values that contain two numbers contains the
// result on the numbers.
func TestInclusion(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewSource(1))
	rat := func() *big.Rat { return new(big.Rat) }
	for range testkit.Draws(6000, 20000, 20000) {
		v, x := number(r)
		w, y := number(r)
		check := func(name string, got Value, want *big.Rat) {
			t.Helper()
			if !contains(got, want) {
				f, _ := want.Float64()
				t.Fatalf("%s of %v and %v = %v, which does not contain %.17g", name, v, w, got, f)
			}
		}
		check("sum", v.Add(w), rat().Add(x, y))
		check("difference", v.Sub(w), rat().Sub(x, y))
		check("product", v.Mul(w), rat().Mul(x, y))
		if y.Sign() != 0 {
			check("quotient", v.Div(w), rat().Quo(x, y))
		}
		check("negative", v.Neg(), rat().Neg(x))
		larger := x
		if y.Cmp(x) > 0 {
			larger = y
		}
		check("maximum", Max(v, w), larger)
		if x.Sign() >= 0 && x.Cmp(big.NewRat(1, 1)) <= 0 {
			check("clamp", v.Clamp(0, 1), x)
		}
		check("rational", Rat(x), x)
		check("upper end", Between(v.Lo(), v.Hi()), x)
	}
}

// TestSqrtInclusion: the square of the enclosure's ends encloses the number.
func TestSqrtInclusion(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 20000 {
		v, x := number(r)
		if x.Sign() < 0 || v.V < 0 {
			continue
		}
		s := v.Sqrt()
		lo, hi := new(big.Rat).SetFloat64(math.Max(0, s.V-s.Err)), new(big.Rat).SetFloat64(s.V)
		hi.Add(hi, new(big.Rat).SetFloat64(s.Err))
		lo.Mul(lo, lo)
		hi.Mul(hi, hi)
		if s.V-s.Err > 0 && lo.Mul(lo, big.NewRat(1<<52-1, 1<<52)).Cmp(x) > 0 || hi.Cmp(x) < 0 {
			t.Fatalf("√%v = %v", v, s)
		}
	}
}

// TestFunctionEquations: exp and log undo each other, and so do expm1 and log1p, within
// their errors; the tails of the normal law add up to 1; erfcx(x) = e^(x²)·erfc(x) on both
// sides of the border between its two formulas.
func TestFunctionEquations(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	overlap := func(x, y Value) bool { return math.Abs(x.V-y.V) <= x.Err+y.Err }
	for range 5000 {
		x := Exact(20*r.Float64() - 10)
		if y := x.Exp().Log(); !overlap(x, y) {
			t.Fatalf("log exp %v = %v", x, y)
		}
		if y := x.Expm1().Log1p(); !overlap(x, y) {
			t.Fatalf("log1p expm1 %v = %v", x, y)
		}
		if y := NormalSF(x).Add(NormalSF(x.Neg())); !overlap(Exact(1), y) || y.Err > 1e-14 {
			t.Fatalf("the tails at ±%v add up to %v", x.V, y)
		}
		z := Exact(9.9 + 0.2*r.Float64())
		want := z.Mul(z).Exp().Mul(Exact(math.Erfc(z.V)))
		want.Err += want.V * erfcErr
		if y := Erfcx(z); !overlap(y, want) || y.Rel() > 1e-14 {
			t.Fatalf("erfcx(%v) = %v, want %v", z.V, y, want)
		}
	}
}

// TestErrorsOfArguments: a function of an uncertain argument contains its values at
// both ends of the argument.
func TestErrorsOfArguments(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for name, f := range map[string]func(Value) Value{"exp": Value.Exp, "expm1": Value.Expm1, "log": Value.Log, "log1p": Value.Log1p, "tail": NormalSF, "erfcx": Erfcx} {
		for range 2000 {
			// Dyadic numbers, so that the ends are exact.
			x := Value{V: float64(1+r.Intn(5000)) / 1024}
			x.Err = math.Ldexp(1, -11-r.Intn(25))
			y := f(x)
			for _, end := range []float64{x.V - x.Err, x.V + x.Err} {
				z := f(Exact(end))
				if math.Abs(y.V-z.V) > y.Err+z.Err {
					t.Fatalf("%s(%v) = %v, but at %v it is %v", name, x, y, end, z)
				}
			}
		}
	}
}
