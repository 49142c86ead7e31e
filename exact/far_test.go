// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"math"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// farLaws are products whose δ has shortcuts; of the second one, the direction "add" has the greater δ at 1/100.
var farLaws = []string{
	`{"class_name":"SelfComposedDpEvent","count":1000,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/50","event":{"class_name":"GaussianDpEvent","noise_multiplier":"2"}}}`,
	`{"class_name":"SelfComposedDpEvent","count":20,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"99/100","event":{"class_name":"GaussianDpEvent","noise_multiplier":"4"}}}`,
	`{"class_name":"SelfComposedDpEvent","count":20,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/4","event":{"class_name":"LaplaceDpEvent","noise_multiplier":"1"}}}`,
}

// TestFarBelow: what is said to be far below a number is at least δ, of each direction, and 2^−32 of the number at
// most.
func TestFarBelow(t *testing.T) {
	said := 0
	for i, law := range farLaws {
		q := Question{Event: event(t, law)}
		both, err := Prepare(t.Context(), q, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, eps := range []string{"-1", "1", "8"} {
			for _, delta := range []string{"1", "1e-5", "1e-12"} {
				r, ok := both.FarBelow(rat(eps), rat(delta))
				if !ok {
					continue
				}
				said++
				if small := new(big.Rat).Quo(rat(delta), rat("4294967296")); r.LessEqRat(small) != interval.True || r.Lo().Sign() != 0 {
					t.Errorf("%s: δ(%s) in %v is said to be far below %s", law, eps, r.Interval, delta)
				}
				for _, q.Direction = range testkit.QuickTurn(i+said, []mechanism.Direction{mechanism.Remove, mechanism.Add}) {
					y, err := Delta(t.Context(), q, rat(eps), 0)
					if err != nil {
						t.Fatal(err)
					}
					if y.LessEq(interval.Point(r.Hi())) != interval.True {
						t.Errorf("%s: δ(%s) is at most %v, and %v in direction %v", law, eps, r.Hi(), y.Interval, q.Direction)
					}
				}
			}
		}
	}
	if said < 4 {
		t.Errorf("%d of δ are said to be far below", said)
	}
}

// TestFarBelowNothing: nothing is far below 0, or where some upper bound has no shortcut.
func TestFarBelowNothing(t *testing.T) {
	p, err := Prepare(t.Context(), Question{Event: event(t, farLaws[0])}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, delta := range []*big.Rat{nil, new(big.Rat), rat("-1")} {
		if r, ok := p.FarBelow(rat("15"), delta); ok {
			t.Errorf("δ(15) in %v is far below %v", r.Interval, delta)
		}
	}
	bounds := p.bounds
	p.bounds = append(bounds[:len(bounds):len(bounds)], method.Bound{Prod: bounds[0].Prod, Sol: new(method.Solution), Upper: true})
	if r, ok := p.FarBelow(rat("15"), rat("1e-5")); ok {
		t.Errorf("δ(15) is in %v, whatever another upper bound is", r.Interval)
	}
	p.bounds = nil
	if r, ok := p.FarBelow(rat("15"), rat("1e-5")); ok {
		t.Errorf("δ(15) is in %v by nothing", r.Interval)
	}
}

// TestNear: a number near ε is near it, for the greater direction, and there is none for δ = 0 or where a law has no
// shortcut.
func TestNear(t *testing.T) {
	laplace := `{"class_name":"SelfComposedDpEvent","count":1000,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"1/8","event":{"class_name":"LaplaceDpEvent","noise_multiplier":"8"}}}`
	for i, law := range []string{farLaws[0], laplace, farLaws[1]}[:testkit.Cases(2, 3)] {
		p, err := Prepare(t.Context(), Question{Event: event(t, law)}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, delta := range testkit.QuickTurn(i, []string{"1e-5", "1e-12"}) {
			near, ok := p.Near(t.Context(), rat(delta))
			if !ok {
				t.Fatalf("%s: no number is near ε(%s)", law, delta)
			}
			y, err := p.Epsilon(t.Context(), rat(delta), 30)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := near.Float64()
			want, _ := y.Hi().Float64()
			if math.Abs(got/want-1) > 1e-4 {
				t.Errorf("%s: %v is to be near ε(%s) = %v", law, got, delta, want)
			}
		}
		for _, delta := range []*big.Rat{nil, new(big.Rat), big.NewRat(-1, 2)} {
			if x, ok := p.Near(t.Context(), delta); ok {
				t.Errorf("%s: %v is near ε(%v)", law, x, delta)
			}
		}
	}
	p, err := Prepare(t.Context(), Question{Event: mechanism.Laplace{NoiseMultiplier: big.NewRat(1, 1)}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if x, ok := p.Near(t.Context(), big.NewRat(1, 100)); ok {
		t.Errorf("%v is near ε of a closed form", x)
	}
}
