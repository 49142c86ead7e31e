// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"os"
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// TestAllocationToSeveralSteps: 10 of 100 of Gaussian noise has ε(10⁻⁶) within 0.05; a value of an accountant,
// 2.4265 ± 0.001, is above it.
func TestAllocationToSeveralSteps(t *testing.T) {
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("takes seconds: DPVERIFY_LONG=1 runs it; TestAllocationOfGaussians has short cases every day")
	}
	e := mechanism.RandomAllocation{Event: mechanism.Gaussian{NoiseMultiplier: rat("2")}, NumSelected: 10, NumSteps: 100}
	p, err := Prepare(context.Background(), Question{Event: e, Scale: rat("1e-6")}, 0)
	if err != nil {
		t.Fatal(err)
	}
	y, err := p.Epsilon(context.Background(), rat("1e-6"), 32)
	if err != nil || y.Interval.LessEqRat(rat("2.4255")) != interval.True || y.Interval.Lower().LessRat(rat("2.375")) == interval.True {
		t.Errorf("ε(1e-6) = %s, %v", y.Interval, err)
	}
}

// TestAllocationComposed: epochs of an allocation agree with a Poisson sample of about the same rate, to a
// few percent, and the allocation alone with its composition of one.
func TestAllocationComposed(t *testing.T) {
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("takes seconds: DPVERIFY_LONG=1 runs it; TestAllocationOfGaussians has short cases every day")
	}
	ctx := context.Background()
	one := mechanism.RandomAllocation{Event: mechanism.Gaussian{NoiseMultiplier: rat("3")}, NumSelected: 1, NumSteps: 8}
	p, err := Prepare(ctx, Question{Event: mechanism.SelfComposed{Event: one, Count: 2}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	y, err := p.Delta(ctx, rat("1/10"))
	if err != nil || y.Lo().Sign() <= 0 || y.RelativeBits(12) < 6 {
		t.Errorf("δ(1/10) of two epochs is %s, %v", y.Interval, err)
	}
	// A record in one step of eight twice is in two of 16 steps, blocks of eight.
	two, err := Prepare(ctx, Question{Event: mechanism.RandomAllocation{Event: one.Event, NumSelected: 2, NumSteps: 16}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	z, err := two.Delta(ctx, rat("1/10"))
	if err != nil || z.Lo().Cmp(y.Hi()) > 0 || interval.Prec(64).Scale(z.Interval.Lower(), 1).LessEq(y.Interval.Upper()) == interval.True {
		t.Errorf("δ(1/10) of two of 16 steps is %s, of blocks %s, %v", z.Interval, y.Interval, err)
	}
}
