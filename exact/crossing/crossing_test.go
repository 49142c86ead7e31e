// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crossing

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

var rat = testkit.Rat

// A function is a falling function with a crossing of one level that is known.
type function struct {
	name  string
	f     func(p interval.Prec, x interval.Interval) interval.Interval
	level string
	// crossing is in nats, by hand.
	crossing func(p interval.Prec) interval.Interval
}

// logistic is 1/(1 + e^x).
func logistic(p interval.Prec, x interval.Interval) interval.Interval {
	return p.Inv(p.Add(interval.Int(1), p.Exp(x)))
}

// functions are of the shapes that profiles have: steep and flat, with crossings on both sides of
// 0, next to it and far from it.
var functions = []function{
	{"logistic, left of 0", logistic, "9/10", func(p interval.Prec) interval.Interval { return p.Log(p.Rat(rat("1/9"))) }},
	{"logistic, right of 0", logistic, "1e-9", func(p interval.Prec) interval.Interval { return p.Log(p.Rat(rat("999999999"))) }},
	{"logistic, at 0", logistic, "1/2", func(interval.Prec) interval.Interval { return interval.Int(0) }},
	{"logistic, next to 0", logistic, "499999999999/1000000000000", func(p interval.Prec) interval.Interval {
		return p.Log(p.Rat(rat("500000000001/499999999999")))
	}},
	{"Gaussian tail", func(p interval.Prec, x interval.Interval) interval.Interval {
		return p.Exp(p.Sqr(interval.Max(x, interval.Int(0))).Neg())
	}, "1e-30", func(p interval.Prec) interval.Interval { return p.Sqrt(p.Log(p.Rat(rat("1e30")))) }},
	{"hyperbola, far", func(p interval.Prec, x interval.Interval) interval.Interval {
		return p.Inv(p.Add(interval.Int(1), p.Mul(p.Rat(rat("1e-40")), interval.Max(x, interval.Int(0)))))
	}, "1/4", func(p interval.Prec) interval.Interval { return p.Rat(rat("3e40")) }},
	{"flat, then a cliff", func(p interval.Prec, x interval.Interval) interval.Interval {
		w := p + 300
		top := w.Exp(interval.Int(200))
		return interval.Max(interval.Int(0), w.Div(w.Sub(top, w.Exp(interval.Min(x, interval.Int(201)))), w.Add(interval.Int(1), top)))
	}, "999999/1000000", func(p interval.Prec) interval.Interval {
		return p.Log(p.Sub(p.Mul(p.Rat(rat("1e-6")), p.Exp(interval.Int(200))), p.Rat(rat("999999/1000000"))))
	}},
	{"a step", step, "1/3", func(p interval.Prec) interval.Interval { return p.Rat(rat("22/7")) }},
	{"a step to 0", step, "0", func(p interval.Prec) interval.Interval { return p.Rat(rat("22/7")) }},
}

// step falls from 1 to 0 at 22/7.
func step(_ interval.Prec, x interval.Interval) interval.Interval {
	switch x.LessRat(rat("22/7")) {
	case interval.True:
		return interval.Int(1)
	case interval.False:
		return interval.Int(0)
	}
	return interval.Union(interval.Int(0), interval.Int(1))
}

// A counter counts what a search asks.
type counter struct{ values int }

// problem is the search for the crossing of f; the count is of values of f.
func (f function) problem(bits int, full interval.Prec) (*Problem, *counter) {
	n := new(counter)
	return &Problem{Level: rat(f.level), Bits: bits, Full: full, Value: func(_ context.Context, p interval.Prec, x *big.Rat) (interval.Interval, error) {
		n.values++
		return f.f(p, p.Rat(x)), nil
	}}, n
}

// noisy widens enclosures by factors below and above; the crossing is then of an interval of functions.
func noisy(f Func, below, above string) Func {
	return func(ctx context.Context, p interval.Prec, x *big.Rat) (interval.Interval, error) {
		y, err := f(ctx, p, x)
		return interval.Bounds(p.Mul(y, p.Rat(rat(below))).Lo(), p.Mul(y, p.Rat(rat(above))).Hi()), err
	}
}

// meets demands that y and want have a number in common, and that y has so many leading bits of it, or,
// next to 0, twice as many after the point.
func meets(t *testing.T, what string, y, want interval.Interval, bits int) {
	t.Helper()
	const w = interval.Prec(200)
	width := w.Sub(y.Upper(), y.Lower())
	if _, ok := interval.Intersect(y, want); !ok {
		t.Errorf("%s: crossing in %s, want %s", what, y, want)
	} else if width.LessEqRat(interval.Pow2(2-2*bits)) != interval.True && width.LessEq(w.Scale(y.Upper().Abs(), 2-bits)) != interval.True {
		t.Errorf("%s: crossing in %s, want it to %d bits", what, y, bits)
	}
}

// TestCrossings: every crossing is found to the wanted bits, with few values.
func TestCrossings(t *testing.T) {
	for _, f := range functions {
		for _, bits := range []int{3, 20, 53, 100} {
			p, n := f.problem(bits, 512)
			y, err := p.Solve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s, %d bits", f.name, bits)
			meets(t, what, y, f.crossing(600), bits)
			if n.values > 90 && n.values > 4*bits {
				t.Errorf("%s: %d values", what, n.values)
			}
		}
	}
}

// TestFlatAndSteep: where f is flat on one side and steep on the other, points creep from both ends;
// the search halves the gap there.
func TestFlatAndSteep(t *testing.T) {
	i := slices.IndexFunc(functions, func(f function) bool { return f.name == "flat, then a cliff" })
	p, n := functions[i].problem(20, 64)
	if _, err := p.Solve(t.Context()); err != nil || n.values > 100 {
		t.Errorf("%d values, %v", n.values, err)
	}
}

// TestLowPrecision: at 2 to 8 bits the answer is wide, and contains the crossing.
func TestLowPrecision(t *testing.T) {
	for _, f := range functions {
		for full := interval.Prec(2); full <= 8; full++ {
			p, _ := f.problem(12, full)
			y, err := p.Solve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := interval.Intersect(y, f.crossing(600)); !ok {
				t.Errorf("%s, %d bits: crossing in %s, want %s", f.name, full, y, f.crossing(64))
			}
		}
	}
}

// TestEnds: a search by one end of wide enclosures finds the crossing of that end, and one by both
// ends encloses the crossings of both.
func TestEnds(t *testing.T) {
	// e^-x widened to [½e^-x, 4e^-x] crosses 1/8 from log 4 on, for certain at log 32.
	exp := func(_ context.Context, p interval.Prec, x *big.Rat) (interval.Interval, error) {
		return p.Exp(p.Rat(x).Neg()), nil
	}
	const w = interval.Prec(200)
	lower, upper := w.Log(interval.Int(4)), w.Log(interval.Int(32))
	p := Problem{Value: noisy(exp, "1/2", "4"), Level: rat("1/8"), Bits: 40, Full: 128}
	// What is known exactly is of f, not of the ends of its enclosures.
	p.Exact = func(x *big.Rat) (*big.Rat, bool) { return nil, false }
	y, err := p.Solve(t.Context())
	if err != nil || interval.Point(y.Lo()).LessEq(lower) != interval.True || upper.LessEq(interval.Point(y.Hi())) != interval.True {
		t.Errorf("both ends: crossing in %s, %v", y, err)
	}
	if w.Sub(y, interval.Union(lower, upper)).Abs().LessEqRat(rat("23/10")) == interval.False {
		t.Errorf("both ends: crossing in %s, too wide", y)
	}
	p.Exact = func(x *big.Rat) (*big.Rat, bool) { return rat("1/8"), true }
	p.End = LowerEnd
	y, err = p.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	meets(t, "lower ends", y, lower, 40)
	p.End = UpperEnd
	y, err = p.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	meets(t, "upper ends", y, upper, 40)
}

// TestNoCrossing: a function that is everywhere above the level crosses it nowhere, and one that is
// nowhere above it crosses at −∞. Both say as far as where they were asked.
func TestNoCrossing(t *testing.T) {
	for _, above := range []bool{true, false} {
		p := Problem{Level: rat("1/2"), Bits: 10, Full: 64, Value: func(context.Context, interval.Prec, *big.Rat) (interval.Interval, error) {
			if above {
				return interval.Int(1), nil
			}
			return interval.Int(0), nil
		}}
		y, err := p.Solve(t.Context())
		far := interval.Pow2(maxExponent)
		switch {
		case err != nil:
			t.Error(err)
		case above && (!y.Hi().IsInf() || y.LessRat(far) != interval.False):
			t.Errorf("above everywhere: %s", y)
		case !above && (!y.Lo().IsInf() || y.LessEqRat(far.Neg(far)) != interval.True):
			t.Errorf("below everywhere: %s", y)
		}
	}
	p := Problem{Level: rat("1/2"), Bits: 10, Full: 64, Value: func(context.Context, interval.Prec, *big.Rat) (interval.Interval, error) {
		return interval.Union(interval.Int(0), interval.Int(1)), nil
	}}
	if y, err := p.Solve(t.Context()); err != nil || !y.Encloses(interval.Entire()) {
		t.Errorf("nothing known: %s, %v", y, err)
	}
}

// TestBegin: a guess that is exact, near, far off or missing changes no answer, and a good one saves
// values.
func TestBegin(t *testing.T) {
	for _, f := range functions {
		want := f.crossing(600)
		c, _, _ := interval.Prec(90).Mid(want).Rationals()
		least := map[bool]int{}
		for _, near := range []*big.Rat{nil, c, new(big.Rat).Mul(c, rat("1000001/1000000")), new(big.Rat).Mul(c, rat("6/5")), rat("40"), rat("-3"), rat("0")} {
			p, n := f.problem(30, 256)
			p.Near = func(context.Context) (*big.Rat, bool) { return near, near != nil }
			y, err := p.Solve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			meets(t, fmt.Sprintf("%s from %v", f.name, near), y, want, 30)
			if near == nil || near == c {
				least[near == c] = n.values
			}
		}
		if least[true] > least[false]+1 { // an open point is asked with some bits more before it is asked with all
			t.Errorf("%s: %d values with a guess, %d without", f.name, least[true], least[false])
		}
	}
}

// TestGuessesAreMadeNearer: where many bits are wanted, a guess that is far off costs no more values of many bits than
// one that is near.
func TestGuessesAreMadeNearer(t *testing.T) {
	const bits = 300
	f := functions[1] // the crossing is near 20.7
	for _, near := range []string{"207232658", "15e7", "40e7", "-3e7"} {
		p, _ := f.problem(bits, 1024)
		value, dear := p.Value, 0
		p.Value = func(ctx context.Context, w interval.Prec, x *big.Rat) (interval.Interval, error) {
			if w > 128 {
				dear++
			}
			return value(ctx, w, x)
		}
		p.Near = func(context.Context) (*big.Rat, bool) { return new(big.Rat).Quo(rat(near), rat("1e7")), true }
		y, err := p.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		meets(t, near, y, f.crossing(600), bits)
		if dear > 11 {
			t.Errorf("from %s: %d values of many bits", near, dear)
		}
	}
}

// TestAlike: where numbers within 1/1000 of the crossing, or on one side of it, are alike, the answer is among them,
// after fewer values than all bits take; where too few are, it has the wanted bits.
func TestAlike(t *testing.T) {
	fewer := 0
	for _, f := range functions {
		want := f.crossing(600)
		c, _, _ := interval.Prec(90).Mid(want).Rationals()
		for _, d := range [][2]string{{"1/1000", "1/1000"}, {"0", "1/500"}, {"1/400", "0"}, {"1/1000000000000", "1/1000000000000"}} {
			for _, near := range []*big.Rat{nil, new(big.Rat).Mul(c, rat("1000001/1000000")), new(big.Rat).Mul(c, rat("6/5"))} {
				size := new(big.Rat).Abs(c)
				from := new(big.Rat).Sub(c, new(big.Rat).Mul(size, rat(d[0])))
				to := new(big.Rat).Add(c, new(big.Rat).Mul(size, rat(d[1])))
				p, n := f.problem(30, 256)
				if near != nil {
					p.Near = func(context.Context) (*big.Rat, bool) { return near, true }
				}
				if y, err := p.Solve(t.Context()); err != nil {
					t.Fatal(y, err)
				}
				all := n.values
				n.values = 0
				p.Alike = func(*big.Rat) (*big.Rat, *big.Rat) {
					if size.Cmp(rat("1e-9")) < 0 {
						return nil, nil
					}
					return from, to
				}
				y, err := p.Solve(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := interval.Intersect(y, want); !ok {
					t.Errorf("%s: crossing in %s, want %s", f.name, y, want)
				}
				if y.LessEqRat(to) != interval.True || y.LessRat(from) != interval.False {
					meets(t, f.name+", where few numbers are alike", y, want, 30)
				}
				if n.values < all {
					fewer++
				}
				if n.values > 3*all+8 {
					t.Errorf("%s, alike by %v: %d values in place of %d", f.name, d, n.values, all)
				}
			}
		}
	}
	if fewer < 20 {
		t.Errorf("%d searches take fewer values", fewer)
	}
}

// TestAbove: a quick upper bound that holds, however loose, changes no answer; where it finds
// hi, f is not asked there.
func TestAbove(t *testing.T) {
	for _, f := range functions {
		for _, factor := range []int64{1, 10, 1 << 40} {
			p, _ := f.problem(30, 256)
			p.Above = func(x *big.Rat) interval.Interval {
				const w = interval.Prec(64)
				return w.Mul(interval.Int(factor), f.f(w, w.Rat(x)))
			}
			y, err := p.Solve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			meets(t, fmt.Sprintf("%s with a bound %d times too high", f.name, factor), y, f.crossing(600), 30)
		}
	}
}

// TestErrors: an error of any value is the answer, never a number.
func TestErrors(t *testing.T) {
	f := functions[1]
	for _, shape := range []func(p, q *Problem){
		func(_, _ *Problem) {},
		func(p, _ *Problem) { p.Value = noisy(p.Value, "999/1000", "1001/1000") }, // is walked out
		func(p, _ *Problem) { p.Near = func(context.Context) (*big.Rat, bool) { return rat("20"), true } },
	} {
		for most := 0; ; most++ {
			p, n := f.problem(20, 128)
			q, m := f.problem(20, 64)
			stop := errors.New("stop")
			shape(p, q)
			limit := func(f Func) Func {
				return func(ctx context.Context, w interval.Prec, x *big.Rat) (interval.Interval, error) {
					if n.values+m.values >= most {
						return interval.Entire(), stop
					}
					return f(ctx, w, x)
				}
			}
			p.Value, q.Value = limit(p.Value), limit(q.Value)
			y, err := p.Solve(t.Context())
			if err == nil {
				break
			}
			if !errors.Is(err, stop) || !y.Encloses(interval.Entire()) {
				t.Fatalf("after %d values: %s, %v", most, y, err)
			}
		}
	}
}

// TestCancelled: a search that walks stops when its context does.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, n := functions[1].problem(40, 128)
	p.Value = noisy(p.Value, "999/1000", "1001/1000")
	value := p.Value
	p.Value = func(ctx context.Context, w interval.Prec, x *big.Rat) (interval.Interval, error) {
		y, err := value(ctx, w, x)
		if y.LessEqRat(p.Level) == interval.Unknown && w == p.Full {
			cancel()
		}
		return y, err
	}
	if _, err := p.Solve(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after %d values", err, n.values)
	}
}

// TestFlatNextTo0: where f hardly falls over a crossing near 0, it is asked for the bits that tell, and not for all.
func TestFlatNextTo0(t *testing.T) {
	c := rat("1/7777")
	most := interval.Prec(0)
	p := Problem{Level: rat("1/3"), Bits: 23, Full: 1024}
	p.Value = func(_ context.Context, w interval.Prec, x *big.Rat) (interval.Interval, error) {
		most = max(most, w)
		y := new(big.Rat).Sub(c, x)
		return w.Rat(y.Add(rat("1/3"), y.Mul(y, rat("1/99")))), nil
	}
	p.Near = func(context.Context) (*big.Rat, bool) { return rat("100001/777700000"), true }
	y, err := p.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	meets(t, "flat", y, p.Full.Rat(c), 23)
	if most > 64 {
		t.Errorf("f was asked for %d bits", most)
	}
}

// TestPrecisionRises: of a function that is smooth, few values are asked with all bits, and those with fewer ask for
// ever more.
func TestPrecisionRises(t *testing.T) {
	const bits = 3000
	few, most := 0, 0
	p := Problem{Level: rat("1/3"), Bits: bits, Full: 8192}
	p.Value = func(_ context.Context, w interval.Prec, x *big.Rat) (interval.Interval, error) {
		switch {
		case w > bits:
			most++
		case w > 64:
			few++
		}
		return w.Exp(w.Rat(x).Neg()), nil
	}
	y, err := p.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	meets(t, "exp", y, p.Full.Log(interval.Int(3)), bits)
	if most > 5 || few > 6 {
		t.Errorf("%d values with all bits, and %d with some", most, few)
	}
}

// TestLogNear: it is within some 2^−w of log(1 + r), which values of w bits are off by, too.
func TestLogNear(t *testing.T) {
	for _, w := range []interval.Prec{64, 400, 2000} {
		two := func(k int) interval.Interval { return w.Scale(interval.Int(1), k) }
		for _, r := range []interval.Interval{
			interval.Int(0), interval.Int(3), two(-int(w)/4 - 1), two(-int(w) / 2).Neg(),
			two(-int(w)/4 + 3),
		} {
			y, want := logNear(w, r), (2 * w).Log1p(r)
			if off := w.Sub(y, want).Abs(); off.LessEq(two(4-int(w))) == interval.False {
				t.Errorf("%d bits: log(1 + %v) is about %v, not %v", w, r, y, want)
			}
		}
	}
}
