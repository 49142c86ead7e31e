// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLogarithm: log x encloses the logarithm, as exp undoes it and as float64 has it, at any precision.
func TestLogarithm(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 2))
	for range 300 {
		work = 0
		setPrecision(uint(48 + r.IntN(300)))
		x := math.Exp(40*r.Float64() - 20)
		y := rational(new(big.Rat).SetFloat64(x))
		l := y.log()
		back := l.exp()
		if back.lo.Cmp(y.hi) > 0 || back.hi.Cmp(y.lo) < 0 {
			t.Fatalf("exp(log %v) at %d bits does not contain it", x, W)
		}
		lo, _ := l.low().Float64()
		hi, _ := l.high().Float64()
		if want := math.Log(x); lo > want+1e-13 || hi < want-1e-13 || hi-lo > 1e-4 {
			t.Fatalf("log %v at %d bits is from %v to %v, want %v", x, W, lo, hi, want)
		}
	}
	setPrecision(64)
	if u := (iv{big.NewInt(0), unit}); func() (err error) { defer recovered(&err); u.log(); return }() == nil {
		t.Error("the logarithm of what may be 0 is enclosed")
	}
}

// decided is what the checker finds in a direction; "none" if it rejects.
func decided(t *testing.T, event, said string, d direction) (verdict string) {
	t.Helper()
	c := one(t, event, said)
	if c.problem != nil {
		t.Fatal(c.problem)
	}
	for _, v := range []string{"VERIFIED", "REFUTED"} {
		c.direction = d
		cert := &certificate{Version: 1, Verdict: v, Chains: []chain{{Direction: d}}}
		if got, err := c.check(forClaim(t, encode(t, cert), c), nil); err == nil {
			verdict += got
		}
	}
	if verdict == "" {
		return "none"
	}
	return verdict
}

// TestDivergences: known values, to the last digits, zero masses, and copies. Values are of 40 digits of mpmath.
func TestDivergences(t *testing.T) {
	pair := func(p, q string) string { return "{class_name: FinitePairEvent, p: [" + p + "], q: [" + q + "]}" }
	bernoulli, lost := pair("1/2, 1/2", "0.816, 0.184"), pair("1/2, 1/2, 0", "1/4, 0, 3/4")
	for _, test := range [][4]string{
		// log(1/4·(1/0.816 + 1/0.184))
		{bernoulli, "remove", "renyi: [[2, 0.50986608427129085691]]", "VERIFIED"},
		{bernoulli, "remove", "renyi: [[2, 0.50986608427129085690]]", "REFUTED"},
		// p = 0 < q adds nothing: log 2 at every order
		{pair("1, 0", "1/2, 1/2"), "remove", "renyi: [[2, 0.693147180559945309418]]", "VERIFIED"},
		{pair("1, 0", "1/2, 1/2"), "remove", "renyi: [[2, 0.693147180559945309417]]", "REFUTED"},
		{pair("1, 0", "1/2, 1/2"), "remove", "renyi: [[1e6, 0.693147180559945309418]]", "VERIFIED"},
		{pair("1, 0", "1/2, 1/2"), "remove", "rho: 0.72", "VERIFIED"},
		{pair("1, 0", "1/2, 1/2"), "remove", "rho: 0.67", "REFUTED"},
		// p > 0 = q is ∞ at every order
		{pair("1, 0", "1/2, 1/2"), "add", "renyi: [[1.0001, 1e9]]", "REFUTED"},
		{pair("1, 0", "1/2, 1/2"), "add", "rho: 1e9", "REFUTED"},
		{lost, "remove", "renyi: [[2, 1e9]]", "REFUTED"},
		{lost, "add", "renyi: [[2, 1e9]]", "REFUTED"},
		// copies
		{"{class_name: SelfComposedDpEvent, count: 1000000, event: " + pair("1, 0", "1/2, 1/2") + "}", "remove", "renyi: [[3, 693147.180559945309418]]", "VERIFIED"},
		{"{class_name: SelfComposedDpEvent, count: 1000000, event: " + pair("1, 0", "1/2, 1/2") + "}", "remove", "renyi: [[3, 693147.180559945309417]]", "REFUTED"},
		// the last point of many, and nothing for equality
		{bernoulli, "remove", "renyi: [[2, 1], [3, 1], [4, 0.1]]", "REFUTED"},
		{pair("1/2, 1/2", "1/2, 1/2"), "remove", "renyi: [[2, 0]]", "none"},
		{"{class_name: NoOpDpEvent}", "remove", "rho: 0", "VERIFIED"},
		{pair("1e-300, 0.5, 1/2-1e-300", "1/2, 1/4, 1/4"), "remove", "renyi: [[2, 1]]", "not understood"},
		{pair("1e-300, 1, 0", "1/2, 1/4, 1/4"), "remove", "renyi: [[2, 1]]", "not understood"},
	} {
		if test[3] == "not understood" {
			if c := one(t, test[0], test[2]); c.problem == nil {
				t.Errorf("%v is understood", test)
			}
			continue
		}
		if got := decided(t, test[0], test[2], direction(test[1])); got != test[3] {
			t.Errorf("%v: %s", test, got)
		}
	}
}

// TestDivergencesAreWhatFloat64Has, of random pairs: claims a little above are verified, a little below refuted; ρ at
// the greatest D_α/α of many orders.
func TestDivergencesAreWhatFloat64Has(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 3))
	for range 12 {
		n := 2 + r.IntN(3)
		p, q := make([]int, n), make([]int, n)
		for i := range n {
			p[i], q[i] = 1+r.IntN(50), 1+r.IntN(50)
		}
		sum := func(xs []int) (s int, text string) {
			for _, x := range xs {
				s += x
			}
			var all []string
			for _, x := range xs {
				all = append(all, fmt.Sprintf("%d/%d", x, s))
			}
			return s, strings.Join(all, ", ")
		}
		ps, pt := sum(p)
		qs, qt := sum(q)
		d := func(alpha float64) float64 {
			s := 0.0
			for i := range n {
				s += math.Pow(float64(p[i])/float64(ps), alpha) * math.Pow(float64(q[i])/float64(qs), 1-alpha)
			}
			return math.Log(s) / (alpha - 1)
		}
		event := fmt.Sprintf("{class_name: SelfComposedDpEvent, count: 3, event: {class_name: FinitePairEvent, p: [%s], q: [%s]}}", pt, qt)
		alpha := 1.25 + 5*r.Float64()
		most := 0.0
		for a := 1.0001; a < 60; a *= 1.0003 {
			most = math.Max(most, 3*d(a)/a)
		}
		for _, test := range []struct{ said, want string }{
			{fmt.Sprintf("renyi: [[%v, %v]]", alpha, 3*d(alpha)*(1+1e-9)), "VERIFIED"},
			{fmt.Sprintf("renyi: [[%v, %v]]", alpha, 3*d(alpha)*(1-1e-9)), "REFUTED"},
			{fmt.Sprintf("rho: %v", most*1.0015), "VERIFIED"},
			{fmt.Sprintf("rho: %v", most*0.997), "REFUTED"},
		} {
			if got := decided(t, event, test.said, "remove"); got != test.want {
				t.Errorf("%s, %s: %s, want %s", event, test.said, got, test.want)
			}
		}
	}
}

// TestClaimsOfDivergences: what is not understood, so that nothing is accepted.
func TestClaimsOfDivergences(t *testing.T) {
	pair := "{class_name: FinitePairEvent, p: [0.5, 0.5], q: [0.4, 0.6]}"
	for _, test := range [][2]string{
		{pair, "renyi: [[1, 5]]"}, {pair, "renyi: [[0.5, 5]]"}, {pair, "renyi: [[inf, 5]]"}, {pair, "renyi: [[2, -1]]"}, {pair, "renyi: [[2]]"},
		{pair, "renyi: [[2, 1, 1]]"}, {pair, "renyi: []"}, {pair, "renyi: 2"}, {pair, "renyi: [2, 1]"}, {pair, "rho: -1"}, {pair, "rho: x"},
		{pair, "rho: 1, renyi: [[2, 1]]"}, {pair, "rho: 1, epsilon: 1, delta: 0.1"}, {pair, "renyi: [[2, 1]], epsilon: 1, delta: 0.1"}, {pair, "rho: 1, xi: 1"},
	} {
		if c := one(t, test[0], test[1]); c.problem == nil {
			t.Errorf("%v is understood", test)
		}
	}
	// A grid is no evidence for it, and one direction is not both.
	c := one(t, pair, "rho: 9")
	for _, chains := range [][]chain{nil, {{Direction: "remove"}}, {{Direction: "add"}}, {{Direction: "add"}, {Direction: "remove"}},
		{{Direction: "remove"}, {Direction: "add", Grid: &grid{Bits: 16, Step: "1", Leaves: []leaf{{Index: []int64{0}, Mass: []*big.Int{big.NewInt(1)}}}, Plan: []operation{{"leaf", 0, 0}}}}}} {
		cert := &certificate{Version: 1, Verdict: "VERIFIED", Chains: chains}
		if _, err := c.check(forClaim(t, encode(t, cert), c), nil); err == nil {
			t.Errorf("%v is accepted", chains)
		}
	}
	cert := &certificate{Version: 1, Verdict: "", Chains: []chain{{Direction: "remove"}, {Direction: "add"}}}
	if _, err := c.check(forClaim(t, encode(t, cert), c), nil); err == nil {
		t.Error("accepted without a verdict")
	}
}
