// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestCancelled: whenever it is cancelled, Delta returns that error.
func TestCancelled(t *testing.T) {
	const many = 1 << 20
	ask := func(left int) (*testkit.Countdown, error) {
		ctx := &testkit.Countdown{Context: t.Context(), Left: left}
		_, _, err := newSteps(t, false, step{q: rat("1/10"), mu2: rat("1"), count: 2}).Delta(ctx, 4, interval.RealRat(rat("1/2")), 0)
		return ctx, err
	}
	ctx, err := ask(many)
	if err != nil {
		t.Fatal(err)
	}
	all := many - ctx.Left
	for _, i := range testkit.Few(3, []int{all / 2, 0, all / 4, all * 3 / 4, all - 1}) {
		if _, err := ask(i); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at %d of %d: %v", i, all, err)
		}
	}
}

// TestOtherProducts: New is for Poisson samples of Gaussian noise in one orientation.
func TestOtherProducts(t *testing.T) {
	some := product(false, step{q: rat("1/10"), mu2: rat("1"), count: 2})
	sampled := func(rate string, base pair.Pair) pair.Product {
		return pair.Product{{Pair: pair.Sampled{Rate: rat(rate), Base: pair.Product{{Pair: base, Count: 1}}}, Count: 2}}
	}
	gauss := pair.Gaussian{Mu2: rat("1")}
	for _, prod := range []pair.Product{
		nil, {{Pair: gauss, Count: 2}}, sampled("1", gauss), sampled("1/2", pair.Laplace{Shift: rat("1")}),
		append(some[:1:1], product(true, step{q: rat("1/10"), mu2: rat("1"), count: 2})...),
		append(some[:1:1], product(false, replaced("1/10", "1", 2)...)...), product(false, replaced("1", "1", 2)...),
	} {
		if _, ok := New(prod); ok {
			t.Errorf("%v are steps", prod)
		}
	}
	if x, ok := New(some); !ok || x.Copies() != 2 {
		t.Errorf("%v are no steps", some)
	}
}

// TestNoLayouts: there is no line of what is no layout, and no bound where a lemma says nothing.
func TestNoLayouts(t *testing.T) {
	steps := []step{{q: rat("1/10"), mu2: rat("1"), count: 2}}
	good, ok := chooseLayout(steps, 20, 0)
	if !ok {
		t.Fatal("no layout")
	}
	for i, change := range []func(*layout){
		func(*layout) {},
		func(c *layout) { c.angle = new(big.Rat) },
		func(c *layout) { c.angle = rat("27/100") },
		func(c *layout) { c.step = new(big.Rat) },
		func(c *layout) { c.last = c.first - 1 },
		func(c *layout) { c.order = 0 },
		func(c *layout) { c.nodes = [][2]int64{{1, 0}} },
		func(c *layout) { c.nodes = nil },
	} {
		c := good
		change(&c)
		if l, err := newLine(t.Context(), steps, 40, c); err != nil || (l != nil) != (i == 0) {
			t.Errorf("%d: %+v has a line: %v", i, c, err)
		}
	}
	loud := []step{{q: rat("1/2"), mu2: rat("1/100000000"), count: 60}}
	if c, ok := chooseLayout(loud, 100, 0); ok {
		t.Errorf("%+v is a layout of little cost", c)
	}
	if c, ok := chooseLayout([]step{{q: rat("1e-80"), mu2: rat("1"), count: 1}}, 4, 0); ok {
		t.Errorf("%+v is a layout of little cost", c)
	}
	c, _ := chooseLayout(steps, 4, 0)
	faint := []step{{q: rat("1/2"), mu2: rat("1e-12"), count: 1}} // on rays its weights have no bound
	if l, err := newLine(t.Context(), faint, 40, c); err != nil || l != nil {
		t.Errorf("%+v has a line: %v", faint, err)
	}
	l, r := steps[0].law(coarse), newRay(exactly(0.25), one)
	if y := l.left(r, exactly(3)); y.IsFinite() {
		t.Errorf("left of 3 there is %v", y)
	}
	if y := l.right(r, exactly(0.5)); y.IsFinite() {
		t.Errorf("right of ½ there is %v", y)
	}
	if y := l.size(newRay(exactly(0.8), one)); y.IsFinite() {
		t.Errorf("a ray beyond π/4 has a size of %v", y)
	}
	frequent, wide := replaced("9/10", "1/100", 1)[0].law(coarse), newRay(exactly(0.6), one)
	_, ok = frequent.pivots(exactly(0.1))
	if ok || frequent.size(wide).IsFinite() || frequent.left(wide, exactly(0.1)).IsFinite() ||
		frequent.right(wide, exactly(9)).IsFinite() {
		t.Error("lemma 1′ is about frequent hits")
	}
	line := &line{w: 40}
	if y, err := line.integral(t.Context(), interval.Union(interval.Int(-1), one)); err != nil || y.IsFinite() {
		t.Errorf("behind the edge there is %v", y)
	}
}

// TestSmall: where δ is smaller than is known, more bits follow, but not ever more; and some lines are kept.
func TestSmall(t *testing.T) {
	s := step{q: rat("1/100"), mu2: rat("1"), count: 1}
	x := newSteps(t, false, s)
	for i := range 16 {
		x.lines[lineKey{size: 1000 + i}] = nil
	}
	y, ok, err := x.Delta(t.Context(), 30, interval.RealRat(rat("5")), 0)
	if want := single(s, false, rat("5")); err != nil || !ok || !y.Encloses(want) || y.RelativeBits(30) < 26 {
		t.Errorf("%v, want %v: %v %v", y, want, ok, err)
	}
	if len(x.lines) > 16 {
		t.Errorf("%d lines are kept", len(x.lines))
	}
	if y, ok, err := x.Delta(t.Context(), 8, interval.RealRat(rat("15")), 0); ok || err != nil {
		t.Errorf("%v, want no answer: %v", y, err)
	}
}
