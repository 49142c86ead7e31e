// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package buckets

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func request() Request {
	r := Request{Eps: []*big.Rat{testkit.Rat("1/2"), testkit.Rat("1")}, EpsText: []string{"1/2", "1"}, Orders: []*big.Rat{testkit.Rat("2")}, OrdersText: []string{"2"}, Digits: 6}
	r.Event = mechanism.SelfComposed{Count: 8, Event: mechanism.Laplace{NoiseMultiplier: testkit.Rat("4")}}
	r.Last, r.Bits, r.Free = 500, 123, 40
	return r
}

// TestBoundsMeetTheTruth: the bounds over all products enclose the answers of other methods, and so do the divergences.
func TestBoundsMeetTheTruth(t *testing.T) {
	r := request()
	f, err := Compute(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for i, eps := range r.Eps {
		y, err := exact.Delta(t.Context(), r.Question, eps, 1)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := f.Bounds(i)
		if _, ok := interval.Intersect(interval.Bounds(lo, hi), y.Interval); !ok || lo.Sign() == 0 || hi.Cmp(big.NewFloat(0.5)) > 0 {
			t.Errorf("δ(%s) in [%v, %v], other methods say %s", r.EpsText[i], lo, hi, y.Interval)
		}
	}
	text := f.Text()
	for _, part := range []string{"δ(1/2) ∈ [", "R(2)", "δ_typical", "1001 buckets"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
	out := NewReport(f, Cost{Seconds: 1})
	if len(out.Answers) != 2 || len(out.Trees) != len(f.Trees) || len(out.Trees[0].Renyi) != 1 || len(out.Trees[0].At) != 2 {
		t.Errorf("report %+v", out)
	}
}

// TestBoundsOverProducts: the greatest bounds of each side count, and only of the products that have this side.
func TestBoundsOverProducts(t *testing.T) {
	tree := func(upper, lower bool, lo, typical, up float64) Tree {
		x := Tree{At: []Bounds{{Lower: big.NewFloat(lo), Typical: big.NewFloat(typical), Upper: big.NewFloat(up)}}}
		x.Upper, x.Lower = upper, lower
		return x
	}
	f := Finding{Trees: []Tree{tree(true, true, 0.1, 0.3, 0.4), tree(true, false, 0.9, 0.5, 0.45), tree(false, true, 0.2, 0.99, 0.99)}}
	if lo, hi := f.Bounds(0); lo.Cmp(big.NewFloat(0.2)) != 0 || hi.Cmp(big.NewFloat(0.45)) != 0 {
		t.Errorf("bounds [%v, %v], want [0.2, 0.45]", lo, hi)
	}
}

// TestInterrupted: there is no finding of half of the trees.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := Compute(ctx, request()); !errors.Is(err, context.Canceled) || f != nil {
		t.Errorf("%v, error %v", f, err)
	}
}

// TestFactors: a power has its exponent, and a number a logarithm just below its own; what is out of range is none.
func TestFactors(t *testing.T) {
	if x, ok := ParseFactor("e^0.01"); !ok || x.Cmp(testkit.Rat("0.01")) != 0 {
		t.Errorf("log e^0.01 = %v, %v", x, ok)
	}
	const p = interval.Prec(300)
	x, ok := ParseFactor("1.5")
	if d := p.Sub(p.Log(p.Rat(testkit.Rat("1.5"))), p.Rat(x)); !ok || d.Negative() == interval.True || d.LessEqRat(interval.Pow2(-96)) != interval.True {
		t.Errorf("log 1.5 = %v, %v: off by %v", x, ok, d)
	}
	for _, bad := range []string{"", "1", "e^0", "e^-1", "e^1001", "1000001", "0.5", "e^e^1", "f", "1.000000000000000000001"} {
		if x, ok := ParseFactor(bad); ok {
			t.Errorf("%q has the logarithm %v", bad, x)
		}
	}
	for _, c := range []struct {
		x    string
		bits int
		m    int
	}{{"1/2", 61, 1}, {"1/3", 61, 1}, {"1/4", 61, 2}, {"1e-12", 123, 39}, {"3/5", 61, 0}, {"0", 61, 0}, {"1/9007199254740992", 61, 53}, {"1/9007199254740993", 61, 0}} {
		if m, ok := FreeBits(testkit.Rat(c.x), c.bits); m != c.m || ok != (c.m > 0) {
			t.Errorf("%s with %d bits: %d, %v, want %d", c.x, c.bits, m, ok, c.m)
		}
	}
}
