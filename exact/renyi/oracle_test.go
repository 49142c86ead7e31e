// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
)

// TestSampledDiscreteAgainstOutside compares with values of docs/oracle/renyi.py, 32 digits each.
func TestSampledDiscreteAgainstOutside(t *testing.T) {
	narrowNoise := pair.Sampled{Rate: rat("1/100"), Base: once(pair.DiscreteGaussian{Sigma2: rat("1/4"), Sensitivity: 1})}
	wideNoise := pair.Sampled{Rate: rat("3/10"), Base: once(pair.DiscreteGaussian{Sigma2: rat("9"), Sensitivity: 2})}
	laplace := pair.Sampled{Rate: rat("1/5"), Base: once(pair.DiscreteLaplace{A: rat("1/10"), Sensitivity: 3})}
	binomial := pair.Binomial{Trials: 100, Prob: rat("3/10"), Sensitivity: 2}
	long := pair.Binomial{Trials: 2000, Prob: rat("3/10"), Sensitivity: 1}
	gaussian := pair.Sampled{Rate: rat("5/14"), Base: once(pair.Gaussian{Mu2: rat("4")})}
	mixture := pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{rat("0"), rat("1"), rat("2")}, Probs: []*big.Rat{rat("3/4"), rat("1/8"), rat("1/8")}}, Q: normals.Standard()}
	const w = interval.Prec(200)
	for _, c := range []struct {
		pair        pair.Pair
		alpha, want string
	}{
		{narrowNoise, "1/2", "0.00053180229096520651152500083667558"},
		{narrowNoise.Reverse(), "1/2", "0.00053180229096520651152500083667558"},
		{narrowNoise, "1", "0.0013375129377928602995139157921456"},
		{narrowNoise.Reverse(), "1", "0.00088184321906767110021690062244589"},
		{narrowNoise, "3/2", "0.0026737139990207132751842300905208"},
		{narrowNoise.Reverse(), "3/2", "0.0011337925735294422090122105579039"},
		{narrowNoise, "37/10", "1.1045751147241401520705674553373"},
		{narrowNoise.Reverse(), "37/10", "0.0018239361211330652697406538601283"},
		{wideNoise, "5/4", "0.028323811618210238178485942475399"},
		{wideNoise, "15/2", "0.46492333676176590630499418374553"},
		{laplace, "3/2", "0.0025034424618658275369619782135401"},
		{binomial, "1/2", "0.047815234279641599122369963058983"},
		{long.Reverse(), "9/10", "0.0010713608372270714600061709015451"},
		{gaussian, "1001/1000", "0.40092389738664814008658500967884"},
		{mixture, "17/10", "0.41280786420327652041405018238857"},
	} {
		unit := w.Rat(rat("1e-30")) // the last of 32 digits
		want := w.Add(w.Rat(rat(c.want)), interval.Union(unit.Neg(), unit))
		for _, p := range []interval.Prec{8, 64, 120} {
			y := Of(once(c.pair))(p, At(rat(c.alpha)))
			if _, ok := interval.Intersect(y, want); !ok || y.RelativeBits(200) < int(p)-8 {
				t.Errorf("R_%s of %s with %d bits: %s, want %s", c.alpha, c.pair, p, y, c.want)
			}
		}
	}
}

// TestLeftOutOfUnboundedLosses: at the least precision, what a sample's outcomes leave out of an unbounded
// loss is more than all that they have, and is accounted for.
func TestLeftOutOfUnboundedLosses(t *testing.T) {
	x := pair.Sampled{Rate: rat("1/100"), Base: once(pair.DiscreteGaussian{Sigma2: rat("1/4"), Sensitivity: 1})}
	const w = interval.Prec(200)
	truth := w.Exp(w.Mul(w.Rat(rat("27/10")), w.Rat(rat("1.1045751147241401520705674553373"))))
	alpha := rat("37/10")
	left, _ := leftOut(w, x, alpha)
	for p := interval.Prec(2); p <= 40; p++ {
		os, rest, ok := x.Outcomes(p, 1<<10)
		if !ok {
			t.Fatal("no outcomes")
		}
		sum := zero
		for _, o := range os {
			if !o.Q.IsZero() {
				sum = w.Add(sum, w.Mul(o.Q, w.Exp(w.Mul(w.Rat(alpha), w.Log(w.Div(o.P, o.Q))))))
			}
		}
		if y := w.Add(sum, interval.Union(zero, left(rest))); truth.Less(interval.Point(y.Hi())) != interval.True {
			t.Errorf("%d bits: at most %s, want %s", p, y, truth)
		}
	}
}

// TestLeftOutBoundsAnyTail: whatever outcomes of little P- and Q-mass are left out of a sample, their
// share of the moment is at most what is said of it.
func TestLeftOutBoundsAnyTail(t *testing.T) {
	x := pair.Sampled{Rate: rat("1/100"), Base: once(pair.DiscreteGaussian{Sigma2: rat("1/4"), Sensitivity: 1})}
	const w = interval.Prec(200)
	os, _, ok := x.Outcomes(w, 1<<10)
	if !ok {
		t.Fatal("no outcomes")
	}
	alpha := rat("37/10")
	left, _ := leftOut(w, x, alpha)
	for bits := 2; bits <= 60; bits += 2 {
		cut := w.Scale(interval.Int(1), -bits)
		var p, q, moment interval.Interval
		for _, o := range os {
			if o.Q.IsZero() || o.P.LessEq(cut) != interval.True || o.Q.LessEq(cut) != interval.True {
				continue
			}
			p, q = w.Add(p, o.P), w.Add(q, o.Q)
			moment = w.Add(moment, w.Mul(o.Q, w.Exp(w.Mul(w.Rat(alpha), w.Log(w.Div(o.P, o.Q))))))
		}
		rest := interval.Point(interval.Max(p, q).Hi())
		if y := left(rest); moment.Less(y) != interval.True {
			t.Errorf("outcomes of mass up to 2^-%d: %s, want more than %s", bits, y, moment)
		}
	}
}

// TestPlainInfiniteDivergences: a guarantee of δ > 0 at all points has an infinite loss, also with
// points at ε < 0; noise with disjoint supports has no other loss.
func TestPlainInfiniteDivergences(t *testing.T) {
	for _, c := range []struct {
		pair   pair.Pair
		orders []string
	}{
		{hullOf(t, "-1", "7/10", "1", "1/10"), []string{"1", "2"}},
		{hullOf(t, "-1", "7/10", "-1/2", "1/2"), []string{"1", "2"}},
		{pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1"), Sensitivity: rat("3"), Radius: rat("1")}, []string{"1/2", "1", "2"}},
		{pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("1"), Sensitivity: rat("2"), Radius: rat("1")}, []string{"1/2", "1", "2"}},
	} {
		for _, alpha := range c.orders {
			if y := Of(once(c.pair))(64, At(rat(alpha))); !y.Lo().IsInf() || y.Lo().Signbit() {
				t.Errorf("R_%s of %s: %s, want ∞", alpha, c.pair, y)
			}
		}
	}
	if y := Of(once(hullOf(t, "-1", "7/10", "1", "0")))(64, At(rat("2"))); !y.IsFinite() {
		t.Errorf("R_2 of a guarantee of δ = 0: %s", y)
	}
}
