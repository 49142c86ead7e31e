// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"testing"

	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// TestTestsOfGuarantees: the trade-off function of a guarantee in Rényi divergences is the one that binary tests have, found by bisection, to some
// digits from both sides; and μ is finite where f is positive, and at least what one α says.
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
		{curve, "1/5", "1e-4"}, {curve, "1/100", "1e-4"}, {curve, "9/10", "1e-3"},
		{mechanism.ZCDP{Rho: rat("1/2"), Xi: rat("1")}, "1/5", "1e-4"},
		{mechanism.ZCDP{Rho: rat("2"), Xi: rat("0")}, "1/5", "1e-6"},
	} {
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
