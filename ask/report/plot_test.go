// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"fmt"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"dpverify/certify"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/drawn"
	"dpverify/internal/testkit"
)

// drawnEvents have profiles with and without corners, levels and gaps between the bounds.
var drawnEvents = []string{
	"{class_name: GaussianDpEvent, noise_multiplier: 1}",
	"{class_name: LaplaceDpEvent, noise_multiplier: 2}",
	"{class_name: SelfComposedDpEvent, count: 7, event: {class_name: LaplaceDpEvent, noise_multiplier: 3}}",
	"{class_name: ComposedDpEvent, events: [{class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 1.5e-7}, {class_name: LaplaceDpEvent, noise_multiplier: 1}]}",
	"{class_name: SelfComposedDpEvent, count: 5, event: {class_name: EpsilonDeltaDpEvent, epsilon: 1/3, delta: 1e-4}}",
	"{class_name: ZCDpEvent, rho: 0.5}",
	"{class_name: PoissonSampledDpEvent, sampling_probability: 0.1, event: {class_name: GaussianDpEvent, noise_multiplier: 1}}",
	"{class_name: FinitePairEvent, p: [0.5, 0.3, 0.2], q: [0.1, 0.3, 0.6]}",
	"{class_name: NonPrivateDpEvent}",
	"{class_name: NoOpDpEvent}",
}

// TestGraphsContainTheTruth: δ at any ε of a graph lies between the lines that the page
// has, also at the claim and at the least ε.
func TestGraphsContainTheTruth(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewSource(1))
	deltas := []string{"0", "1e-12", "1e-7", "1e-5", "0.001", "0.05", "0.3"}
	var b strings.Builder
	b.WriteString("version: 1\nclaims:\n")
	for i, e := range testkit.Few(4, testkit.First(8, drawnEvents...)) {
		for j := range testkit.Cases(1, 2) {
			eps := []string{"0", "1", fmt.Sprint(r.Intn(50)), fmt.Sprintf("0.%02d", r.Intn(100)), "-0.5"}[r.Intn(5)]
			fmt.Fprintf(&b, "  - {id: c%d-%d, event: %s, claim: {epsilon: %s, delta: %s}}\n", i, j, e, eps, deltas[r.Intn(len(deltas))])
		}
	}
	claims, err := certify.Parse("x.yaml", []byte(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, c := range claims {
		o, err := certify.Decide(t.Context(), c, certify.Options{})
		if err != nil || c.Err != nil {
			t.Fatalf("%s: %v, %v", c.ID, err, c.Err)
		}
		svg := string(picture(Examine(t.Context(), o, 0).Graph))
		if svg == "" {
			if o.Delta != nil && o.Delta.Hi().Sign() > 0 {
				t.Errorf("%s: no picture", c.ID)
			}
			continue
		}
		cs, err := drawn.Read([]byte(svg))
		if err != nil || len(cs) != 1 || cs[0].X.Scale != "linear" || cs[0].Y.Scale != "log10" {
			t.Fatalf("%s: %v, %v", c.ID, cs, err)
		}
		p, err := exact.Prepare(t.Context(), exact.Question{Event: c.LessPrivate}, o.Effort+1)
		if err != nil {
			t.Fatal(err)
		}
		for range testkit.Draws(3, 6, 25) {
			// anywhere, and at the claim and the least ε
			k := cs[0]
			eps := new(big.Rat).Sub(k.X.To, k.X.From)
			eps.Add(eps.Mul(eps, big.NewRat(int64(r.Intn(10001)), 10000)), k.X.From)
			if xs := append(corners(o.Epsilon), c.Statement.(certify.Point).Epsilon); r.Intn(3) == 0 {
				eps = xs[r.Intn(len(xs))]
			}
			lower, upper, ok := k.At(k.X.Coordinate(eps))
			y, err := p.Delta(t.Context(), eps)
			if err != nil {
				t.Fatal(err)
			}
			if !ok { // below the frame, or beside the last hundredth of a point
				far := new(big.Rat).Sub(k.X.To, eps).Cmp(big.NewRat(1, 1000)) > 0 && eps.Cmp(k.X.From) > 0
				if far && y.Less(powerOfTen(k.Y.From)) != interval.True {
					t.Errorf("%s: nothing is drawn at %s, where δ is in %v", c.ID, eps.RatString(), y.Interval)
				}
				continue
			}
			looked++
			if outside(k.Y, lower, upper, y.Interval) {
				t.Errorf("%s: δ(%s) is in %v, drawn between %v and %v", c.ID, eps.RatString(), y.Interval, lower, upper)
			}
		}
	}
	if looked < testkit.Draws(5, 30, 40) {
		t.Errorf("only %d places were looked at", looked)
	}
}

func powerOfTen(t *big.Rat) interval.Interval {
	const p = interval.Prec(200)
	return p.Exp(p.Mul(p.Rat(t), p.Log(interval.Int(10))))
}

// outside reports that all of y is below the lower line or above the upper one.
func outside(a drawn.Axis, lower, upper drawn.Bound, y interval.Interval) bool {
	power := powerOfTen
	switch {
	case upper.Sign < 0 && power(a.From).LessEq(y) == interval.True,
		upper.Height != nil && power(upper.Height).Less(y) == interval.True,
		lower.Sign > 0 && y.LessEq(power(a.To)) == interval.True,
		lower.Height != nil && y.Less(power(lower.Height)) == interval.True:
		return true
	}
	return false
}
