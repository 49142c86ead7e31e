// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/rand"
	"testing"

	"dpverify/exact/interval"
)

// TestPolarEncloses: exponentials, logarithms and arguments hold those of package interval, at the ends of what
// arguments enclose, and are as narrow as is said.
func TestPolarEncloses(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	w := Three{}
	number := func(i int) Real {
		x := pack(r.Intn(2) == 0, some(r), r.Uint64()>>(4+r.Intn(60)), r.Intn(30)-24)
		if i%3 == 0 {
			x = x.exact()
		}
		if i%29 == 0 {
			x = Real{}
		}
		return x
	}
	ends := func(x Real) []interval.Interval {
		y := x.Interval()
		return []interval.Interval{interval.Point(y.Lo()), interval.Point(y.Hi())}
	}
	holds := func(what string, got Real, want interval.Interval) {
		t.Helper()
		if _, ok := interval.Intersect(got.Interval(), want); !ok {
			t.Fatalf("%s is %v, want %v", what, got.Interval(), want)
		}
	}
	known := 0
	for i := range points(600) {
		z := Complex{number(i), number(i / 3)}
		abs, exp, arg := z.Im.Abs(), w.ExpC(z), w.Arg(z)
		log := w.LogC(z)
		valid(t, arg)
		for _, re := range ends(z.Re) {
			for _, im := range ends(z.Im) {
				at := interval.Complex{Re: re, Im: im}
				holds("|Im z|", abs, im.Abs())
				holds("Re e^z", exp.Re, reference.ExpC(at).Re)
				holds("Im e^z", exp.Im, reference.ExpC(at).Im)
				if re.Positive() == interval.True {
					holds("arg z", arg, reference.ArgC(at))
					holds("log |z|", log.Re, reference.LogC(at).Re)
					holds("Im log z", log.Im, reference.ArgC(at))
				} else if arg.Known() {
					t.Fatalf("the argument of %v is %v", z.Interval(), arg.Interval())
				}
			}
		}
		if point := (Complex{z.Re.exact(), z.Im.exact()}); point.Re.Positive() == interval.True {
			arg = w.Arg(point)
			width := reference.Sub(interval.Point(arg.Interval().Hi()), interval.Point(arg.Interval().Lo()))
			if limit := interval.Pow2(-180); width.LessEqRat(limit) != interval.True {
				t.Fatalf("the argument of %v is %v", point.Interval(), arg.Interval())
			}
			known++
		}
	}
	if known < points(600)/4 {
		t.Errorf("%d points in the right half plane", known)
	}
}

// TestArgDoesNotRelyOnItsGuess: from any number the enclosure holds the argument, or everything.
func TestArgDoesNotRelyOnItsGuess(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	w := Three{}
	known := 0
	for range points(600) {
		z := Complex{pack(false, some(r), 0, r.Intn(4)), pack(r.Intn(2) == 0, some(r), 0, r.Intn(4))}
		want := reference.ArgC(z.Interval())
		phi := fromFloat(reference.Mid(want).Lo()).exact()
		phi = w.Add(phi, pack(r.Intn(2) == 0, some(r), 0, 3-r.Intn(12))).exact()
		y := w.argNear(z, phi)
		if y.Known() {
			known++
		}
		if _, ok := interval.Intersect(y.Interval(), want); !ok {
			t.Fatalf("the argument of %v is %v by %v, want %v", z.Interval(), y.Interval(), phi.Interval(), want)
		}
	}
	if known < points(600)/2 {
		t.Errorf("%d arguments known", known)
	}
}

// TestArgIsUnknownOnTheLeft: there is no argument of what may be outside of the right half plane.
func TestArgIsUnknownOnTheLeft(t *testing.T) {
	for _, z := range []Complex{
		{Int(-1), Int(1)}, {Int(-1), Real{}}, {Real{}, Int(1)}, {Real{}, Real{}}, {Unknown(), Int(1)}, {Int(1), Unknown()},
		{pack(false, frac{Lo: 1}, 2, 0), Int(1)},
	} {
		if y := (Three{}).Arg(z); y.Known() {
			t.Errorf("the argument of %v is %v", z.Interval(), y.Interval())
		}
	}
}
