// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"os"
	"testing"

	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/profile"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// The answer is at most the greatest of the ceilings, and may be that: δ, ε and the trade-off
// function keep all that a ceiling leaves open, in either order of two.
func TestGreatestCeiling(t *testing.T) {
	q := Question{Event: mechanism.SelfComposed{Event: mechanism.ExponentialMechanism{Epsilon: rat("1")}, Count: 2}}
	p, err := Prepare(t.Context(), q, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.ceilings) == 0 {
		t.Fatal("no ceilings")
	}
	constant := func(b method.Bound, delta string) method.Bound {
		b.Sol = &method.Solution{Prod: b.Prod}
		b.Sol.Add(method.Used{Name: "constant", From: method.BothSides, Tight: false, F: func(ctx context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
			least, err := profile.Trivial(ctx, w, eps)
			return interval.Bounds(interval.Int(0).Lo(), interval.Max(least, w.Rat(rat(delta))).Hi()), err
		}})
		return b
	}
	low, high := constant(p.ceilings[0][0], "1/20"), constant(p.ceilings[0][0], "1")
	asked := map[string]func(*Profile) (Result, error){
		"δ": func(p *Profile) (Result, error) { return p.Delta(t.Context(), rat("1")) },
		"ε": func(p *Profile) (Result, error) { return p.Epsilon(t.Context(), rat("1/10"), 8) },
		"f": func(p *Profile) (Result, error) { return p.TradeOff(t.Context(), rat("1/10"), 1<<20) },
	}
	if os.Getenv("DPVERIFY_LONG") == "" {
		delete(asked, "f") // it searches the profile, many times
	}
	for name, ask := range asked {
		p.ceilings = nil
		want, err := ask(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, ceilings := range [][]method.Bound{{low, high}, {high, low}} {
			p.ceilings = [][]method.Bound{ceilings}
			got, err := ask(p)
			if err != nil {
				t.Fatal(err)
			}
			if got.Lo().Cmp(want.Lo()) > 0 || got.Hi().Cmp(want.Hi()) < 0 {
				t.Errorf("%s ∈ %v, want all of %v", name, got.Interval, want.Interval)
			}
		}
	}
}

// TestTestsOfGuarantees: the trade-off function of a guarantee in Rényi divergences is the one that binary tests have,
// found by bisection, to some digits from both sides; and μ is finite where f is positive, and at least what one α
// says.
func TestTestsOfGuarantees(t *testing.T) {
	const w = interval.Prec(64)
	curve := mechanism.RenyiCurve{Orders: rats("3/2", "2", "5", "20"), Values: rats("1/4", "1/3", "4/5", "2")}
	var gs []conversion.Guarantee
	for i, a := range curve.Orders {
		gs = append(gs, conversion.Guarantee{Order: a, Value: curve.Values[i]})
	}
	binary := conversion.TradeOff(gs)
	for _, c := range []struct {
		e     mechanism.Event
		x     string
		close string
	}{
		{curve, "1/5", "1e-4"}, {mechanism.ZCDP{Rho: rat("1/2"), Xi: rat("1")}, "1/5", "1e-4"},
		{curve, "1/100", "1e-4"}, {curve, "9/10", "1e-3"}, {mechanism.ZCDP{Rho: rat("2"), Xi: rat("0")}, "1/5", "1e-6"},
	}[:testkit.Cases(1, 5)] {
		p, err := Prepare(t.Context(), Question{Event: c.e}, 0)
		if err != nil {
			t.Fatal(err)
		}
		y, err := p.TradeOff(t.Context(), rat(c.x), 30)
		if err != nil || w.Sub(y.Interval.Upper(), y.Interval.Lower()).LessRat(rat(c.close)) != interval.True {
			t.Errorf("f(%s) of %s in %v, %v", c.x, mechanism.EncodeEvent(c.e), y.Interval, err)
		}
		if _, ok := c.e.(mechanism.RenyiCurve); ok {
			z, err := binary(t.Context(), w, rat(c.x))
			if _, meet := interval.Intersect(y.Interval, z); err != nil || !meet {
				t.Errorf("f(%s) in %v, and of binary tests %v, %v", c.x, y.Interval, z, err)
			}
		}
	}
	// μ ≥ Φ⁻¹(1 − α) − Φ⁻¹(f(α)) at one α.
	p, err := Prepare(t.Context(), Question{Event: curve}, 0)
	if err != nil {
		t.Fatal(err)
	}
	mu, err := p.GaussianDP(t.Context(), rat("1/20"), 12)
	if err != nil || !mu.IsFinite() || w.Sub(mu.Interval.Upper(), mu.Interval.Lower()).LessRat(rat("1/100")) != interval.True {
		t.Errorf("μ in %v, %v", mu.Interval, err)
	}
	f, err := binary(t.Context(), w, rat("1/20"))
	least := w.Sub(w.NormalQuantile(w.Rat(rat("19/20"))), w.NormalQuantile(f))
	if err != nil || mu.Hi().Cmp(least.Lo()) < 0 {
		t.Errorf("μ in %v, %v; one test needs %v", mu.Interval, err, least)
	}
}
