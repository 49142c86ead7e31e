// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package least

import (
	"math"
	"sync"
	"testing"
)

// TestIndexOfTheLeast: of all values that fall and then rise, also to ∞, the least is found.
func TestIndexOfTheLeast(t *testing.T) {
	for n := 1; n <= 20; n++ {
		for at := range n {
			for end := at; end <= n; end++ { // ∞ from there on, if that is beyond the least
				f := func(i int) float64 {
					if i >= end && i > at {
						return math.Inf(1)
					}
					return math.Abs(float64(i - at))
				}
				if got := Index(n, f); got != at {
					t.Errorf("%d values, ∞ from %d on: %d, want %d", n, end, got, at)
				}
			}
		}
	}
	if got := Index(9, func(int) float64 { return math.Inf(1) }); got != 0 {
		t.Errorf("where all are ∞: %d", got)
	}
}

// shapes are least at 0.
var shapes = []struct {
	name string
	f    func(x float64) float64
	near float64 // how near to 0 the least is found
}{
	{"a parabola", func(x float64) float64 { return 3 * x * x }, 1e-9},
	{"a skew one", func(x float64) float64 { return 1e3 * (math.Exp(x) - x) }, 1e-7},
	{"a very skew one", func(x float64) float64 { return math.Exp(4*x) - 4*x - 11 }, 1e-6},
	{"a kink", math.Abs, 1e-9},
	{"a skew kink", func(x float64) float64 { return max(x, -7*x) }, 1e-9},
	{"a bent kink", func(x float64) float64 { return math.Exp(max(3*x, -x)) }, 1e-9},
	{"a flat bottom", func(x float64) float64 { return x * x * x * x }, 1e-3},
	{"a wall", func(x float64) float64 {
		if x > 0 {
			return math.Inf(1)
		}
		return -x
	}, 1e-9},
}

// TestLeast: the least is found wherever it is between the numbers that are remembered, smooth or not, whatever is
// remembered.
func TestLeast(t *testing.T) {
	for _, s := range shapes {
		c := NewCurve(func(x float64) float64 { return x }, -5, 0.25, 41)
		for i := range 4000 {
			at := -4.7 + 9.4*math.Mod(float64(i)*math.Phi, 1)
			g := func(x, f float64) float64 {
				if x != f {
					t.Fatalf("f(%v) = %v", x, f)
				}
				return s.f(x - at)
			}
			x := c.Least(g)
			if math.Abs(x-at) > s.near {
				t.Fatalf("%s at %v: %v", s.name, at, x)
			}
			if y := NewCurve(func(x float64) float64 { return x }, -5, 0.25, 41).Least(g); y != x {
				t.Fatalf("%s at %v: %v, and %v by a new curve", s.name, at, x, y)
			}
		}
	}
}

// TestLeastAtAnEnd: what falls or rises all the way is least at an end, and it is the end that is answered.
func TestLeastAtAnEnd(t *testing.T) {
	c := NewCurve(func(x float64) float64 { return x }, -5, 0.25, 41)
	for _, s := range []float64{1, -1} {
		if x := c.Least(func(x, _ float64) float64 { return s * x }); x != -5*s {
			t.Errorf("slope %v: %v", s, x)
		}
	}
}

// TestLeastAsksLittle: values at the numbers that are remembered are asked once, by however many goroutines; and a
// smooth function a few times.
func TestLeastAsksLittle(t *testing.T) {
	var mu sync.Mutex
	asked := make(map[float64]int)
	c := NewCurve(func(x float64) float64 {
		mu.Lock()
		defer mu.Unlock()
		asked[x]++
		return x
	}, -8, 0.5, 33)
	var wait sync.WaitGroup
	const searches = 16
	for i := range searches {
		wait.Go(func() {
			at := float64(i)/3 - 2.01
			if x := c.Least(func(x, _ float64) float64 { return math.Cosh(x - at) }); math.Abs(x-at) > 1e-6 {
				t.Errorf("%v, want %v", x, at)
			}
		})
	}
	wait.Wait()
	between := 0
	for x, n := range asked {
		if x != math.Round(2*x)/2 {
			between += n
		} else if n > 1 {
			t.Errorf("%v was asked for %d times", x, n)
		}
	}
	if between > 8*searches {
		t.Errorf("%d numbers between were asked for, want at most 8 for each search", between)
	}
}

// TestHalved: the ends keep a number between them up to which a condition holds, and every halving leaves half.
func TestHalved(t *testing.T) {
	for rounds := range 20 {
		for at := -1.0; at <= 3; at += 0.25 {
			lo, hi := Halved(0, 2, rounds, func(x float64) bool { return x <= at })
			if want := math.Ldexp(2, -rounds); hi-lo != want || lo > max(at, 0) || hi < 2 && hi <= at {
				t.Errorf("%d halvings at %v: [%v, %v], want [lo, lo + %v]", rounds, at, lo, hi, want)
			}
		}
	}
}
