// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"os"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/profile"
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
	constant := func(b bound, delta string) bound {
		b.sol = &solution{prod: b.prod}
		b.sol.addOneSided("constant", func(ctx context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
			least, err := profile.Trivial(ctx, w, eps)
			return interval.Bounds(interval.Int(0).Lo(), interval.Max(least, w.Rat(rat(delta))).Hi()), err
		})
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
		for _, ceilings := range [][]bound{{low, high}, {high, low}} {
			p.ceilings = [][]bound{ceilings}
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
