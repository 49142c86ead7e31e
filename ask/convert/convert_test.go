// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"math/big"
	"strings"
	"testing"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func read(t *testing.T, text string) Table {
	t.Helper()
	table, err := Read("t.csv", []byte(text), false)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// answer asks one quantity of a table, at one rung.
func answer(t *testing.T, table Table, d mechanism.Direction, q ask.Quantity) ask.Answer {
	t.Helper()
	e, err := table.event()
	if err != nil {
		t.Fatal(err)
	}
	fixed := exact.Effort(0)
	as, err := ask.For(t.Context(), exact.Question{Event: e, Direction: d}, ask.Goal{Fixed: &fixed}, q)
	if err != nil {
		t.Fatal(err)
	}
	return as[0]
}

// Of a trade-off function that is linear between its points, both ways: back to itself at the
// points and between them, and to δ(ε) = sup_α 1 − f(α) − e^ε·α of the pair the other way round,
// which a corner reaches.
func TestTradeOffs(t *testing.T) {
	for _, text := range []string{
		"alpha,tradeoff\n0,1\n1,0\n",
		"alpha,tradeoff\n0,0.9\n0.25,0.25\n0.9,0\n",
		"alpha,tradeoff\n0,1\n1/3,1/9\n1,0\n",
		"alpha,tradeoff\n0,0\n",
		"alpha,tradeoff\n0,0.5\n0.5,0\n1,0\n",
	} {
		table := read(t, text)
		ps := table.Points
		for i, p := range ps {
			at := []Point{p}
			if i+1 < len(ps) {
				mid := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(new(big.Rat).Add(a, b), big.NewRat(1, 2)) }
				at = append(at, Point{X: mid(p.X, ps[i+1].X), Y: mid(p.Y, ps[i+1].Y)})
			}
			for _, x := range at {
				if y := answer(t, table, mechanism.Remove, ask.TradeOff(x.X)); !y.ContainsRat(x.Y) {
					t.Errorf("%q: f(%v) ∈ %v, want %v", text, x.X, y.Interval, x.Y)
				}
			}
		}
		best := new(big.Rat)
		for _, p := range ps { // at ε = 0
			d := new(big.Rat).Sub(big.NewRat(1, 1), p.Y)
			if d.Sub(d, p.X).Cmp(best) > 0 {
				best = d
			}
		}
		if y := answer(t, table, mechanism.Add, ask.TotalVariation()); !y.ContainsRat(best) {
			t.Errorf("%q: δ(0) ∈ %v, want %v", text, y.Interval, best)
		}
	}
}

// Binary tests bound what a mechanism with the stated divergences has: randomized response with
// p = 3/4 has the bound of its own order 2, exactly.
func TestSharpen(t *testing.T) {
	// R_2 of (3/4, 1/4) and (1/4, 3/4) is log(9/4 + 1/12) = log(7/3) ≤ 0.8473.
	table := read(t, "order,renyi\n2,0.8473\n")
	pair := mechanism.FinitePair{P: []*big.Rat{testkit.Rat("3/4"), testkit.Rat("1/4")}, Q: []*big.Rat{testkit.Rat("1/4"), testkit.Rat("3/4")}}
	half := testkit.Rat("1/2")
	for _, c := range []struct {
		quantity ask.Quantity
		worse    func(x, y interval.Interval) interval.Truth // of a mechanism than a guarantee
		sharpen  func(ask.Answer) (ask.Answer, error)
	}{
		{ask.TradeOff(half), interval.Interval.Less, func(a ask.Answer) (ask.Answer, error) { return table.SharpenTradeOff(t.Context(), a, half) }},
	} {
		before := ask.Answer{Result: exact.Result{Enclosure: exact.Enclosure{Interval: interval.Union(interval.Int(0), interval.Int(1))}}}
		after, err := c.sharpen(before)
		if err != nil {
			t.Fatal(err)
		}
		if !before.Encloses(after.Interval) || after.Methods[len(after.Methods)-1] != binaryTests {
			t.Errorf("%v by %q is not narrower than %v", after.Interval, after.Methods, before.Interval)
		}
		truth, err := ask.For(t.Context(), exact.Question{Event: pair}, ask.Goal{}, c.quantity)
		if err != nil {
			t.Fatal(err)
		}
		// The one mechanism is within the guarantee: δ is not above, f not below.
		if c.worse(truth[0].Interval, after.Interval) == interval.True {
			t.Errorf("a mechanism with the guarantee has %v, the guarantee says %v", truth[0].Interval, after.Interval)
		}
	}
	// Other tables stay as they are, and a contradiction is a bug.
	profile := read(t, "epsilon,delta\n0,0.3\n")
	a := answer(t, profile, mechanism.Both, ask.Delta(half))
	if b, err := profile.SharpenTradeOff(t.Context(), a, half); err != nil || len(b.Methods) != len(a.Methods) {
		t.Errorf("a profile: %v, %v", b.Interval, err)
	}
	if _, err := narrowed(a, interval.Int(2)); err == nil {
		t.Error("a contradiction is no error")
	}
}

// What is no table is an error with file, line, field, value and what is wanted.
func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "t.csv: no first line, want "},
		{"a,b\n1,2\n", `t.csv:1: the first line = "a,b", want `},
		{"order,renyi\n", "t.csv: no points"},
		{"order,renyi\n2,1\n2,1\n", `t.csv:3: order = 2, want more than in the line before`},
		{"order,renyi\n2,x\n", `t.csv:2: renyi = "x", want a number`},
		{"order,renyi\n2\n", "t.csv:2: "},
		{"order,renyi\n2,\"1\n", "t.csv:2: "},
		{"order,renyi\n0,1\n", `t.csv:2: order = 0, want a number > 0`},
		{"epsilon,delta\n0,2\n", `t.csv:2: delta = 2, want a number in [0, 1]`},
		{"alpha,tradeoff\n0,1.5\n1,0\n", `t.csv:2: tradeoff = 1.5, want a number in [0, 1]`},
		{"alpha,tradeoff\n0,0.5\n2,0\n", `t.csv:3: alpha = 2, want a number in [0, 1]`},
		{"alpha,tradeoff\n0,0.5\n0.5,-1\n", `t.csv:3: tradeoff = -1, want a number in [0, 1]`},
		{"loss,mass\n0,0.5,1\n", "t.csv:2: wrong number of fields, want the columns loss,mass"},
		{"loss,mass\ninf,0.5\n1,0.5\n", `t.csv:3: loss = 1, want more than in the line before`},
		{"loss,mass\n-inf,0.5\n", `t.csv:2: loss = "-inf", want a number`},
		{"loss,mass\n0,1.5\n", `t.csv:2: mass = 1.5, want a number in [0, 1]`},
		{"loss,tail\ninf,0.5\n", `t.csv:2: loss = "inf", want a number`},
		{"loss,tail\n0,0.5\n1,0.6\n", `t.csv:3: tail = 0.6, want at most the tail of the line before`},
		{"t,re\n0,1\n", `t.csv:1: the first line = "t,re", want `},
		{"t,re,im\n0,1\n", "t.csv:2: wrong number of fields, want the columns t,re,im"},
		{"t,re,im\n0,1,0.1\n", `t.csv:2: re = 1, want a real number in [0, 1] at t = 0`},
		{"t,re,im\n1,0.8,0.7\n", `t.csv:2: re = 0.8, want a complex number of size at most 1`},
		{"t,re,im\n1,0.8,x\n", `t.csv:2: im = "x", want a number`},
	} {
		if _, err := Read("t.csv", []byte(c.text), false); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"alpha,tradeoff\n0.1,0.5\n1,0\n", "a first point at alpha = 0"},
		{"alpha,tradeoff\n0,0.5\n0.5,0.6\n1,0\n", "falls"},
		{"alpha,tradeoff\n0,0.9\n0.5,0.8\n1,0\n", "convex"},
		{"alpha,tradeoff\n0,0.9\n0.5,0.1\n", "0 at the last point"},
		{"loss,mass\n0,0.5\n", "mass = a sum of 0.5, want a sum of exactly 1"},
		{"loss,mass\n-1,0.5\n1,0.5\n", "mass·e^−loss with a sum of at most 1"},
		{"loss,tail\n-2,0.5\n", "mass·e^−loss is at most 1"},
		{"t,re,im\n1,0.8,0.1\n", "bounds nothing from above"},
		{"t,re,im\n0,1,0\n", "bounds nothing from above"},
	} {
		if e, err := read(t, c.text).Events(400); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, %v, want %q", c.text, e, err, c.want)
		}
	}
	if _, err := (Table{}).event(); err == nil {
		t.Error("an empty table is an event")
	}
}

// FuzzRead: no file makes the reader panic, and what it reads is an event or an error.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"order,renyi\n2,1\n", "epsilon,delta\n0,0.3\n1,0.1\n", "alpha,tradeoff\n0,0.9\n0.25,0.25\n0.9,0\n", "alpha,tradeoff\n\"", "loss,mass\n0,0.5\ninf,1/2\n", "loss,tail\n-1,0.9\n1,0.5\n", "t,re,im\n0,0.9,0\n1,0.5,-0.2\n", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Read("t.csv", data, false)
		if err != nil {
			return
		}
		r, err := table.Events(64)
		if err != nil {
			return
		}
		for _, e := range []mechanism.Event{r.MorePrivate, r.LessPrivate} {
			if mechanism.Validate(e) != nil {
				t.Errorf("%q: %v", data, e)
			}
		}
	})
}
