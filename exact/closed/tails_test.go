// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
)

func rat(s string) *big.Rat { return testkit.Rat(s) }

// holds reports whether x meets the number whose leading digits are given,
// truncated: |digits| ≤ |number| < |digits| + one unit of the last place.
func holds(x interval.Interval, digits string) bool {
	mantissa, exponent, scientific := strings.Cut(digits, "e")
	unit := strings.Map(func(r rune) rune {
		if r == '.' {
			return r
		}
		return '0'
	}, strings.TrimPrefix(mantissa, "-"))
	unit = unit[:len(unit)-1] + "1"
	if scientific {
		unit += "e" + exponent
	}
	lo := rat(digits)
	hi := new(big.Rat).Add(lo, rat(unit))
	return x.LessRat(lo) != interval.True && x.LessEqRat(hi) != interval.False
}

func narrow(x interval.Interval, bits int) bool { return x.RelativeBits(bits) >= bits }

// Values of 40 digits by mpmath 1.3, from the distribution functions and the root
// of the loss, at 60 digits (docs/oracle has the scripts of larger tables).
func TestProfilesOfPairs(t *testing.T) {
	rs := func(ss ...string) []*big.Rat {
		var out []*big.Rat
		for _, s := range ss {
			out = append(out, rat(s))
		}
		return out
	}
	single := func(x pair.Pair) pair.Product { return pair.Product{{Pair: x, Count: 1}} }
	gaussian := pair.Gaussian{Mu2: rat("1")}
	clamped := func(first, reversed bool) pair.Pair {
		return pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("1"), Width: rat("1"), Shift: rat("1/2"), ShiftFirst: first, Reversed: reversed}
	}
	batch := pair.FullBatch{P: [3]*big.Rat{rat("19/56"), rat("3/14"), rat("25/56")}, Q: [2]*big.Rat{rat("4/7"), rat("3/7")}, Mu: rat("1")}
	null := pair.FullBatch{P: [3]*big.Rat{rat("1/8"), rat("1/4"), rat("5/8")}, Q: [2]*big.Rat{rat("1/4"), rat("3/4")}, Mu: rat("2")}
	mixture := pair.GaussianMixture{P: normals.Mixture{Means: rs("0", "1", "3"), Probs: rs("1/2", "1/4", "1/4")}, Q: normals.Standard()}
	for _, c := range []struct {
		pair   pair.Pair
		eps    string
		digits string
	}{
		{gaussian, "0", "0.3829249225480262072754092212166754797672"},
		{gaussian, "1", "0.1269367375066439458008296247577668804150"},
		{pair.Gaussian{Mu2: rat("4")}, "-1", "0.8196881814042136304498677828674560475852"},
		{pair.Gaussian{Mu2: rat("1/100")}, "1/2", "0.00000000685658245583872655983495081324859"},
		{gaussian, "100", "6.149197495378451058947188997456e-2155"},
		{pair.Laplace{Shift: rat("1")}, "0", "0.3934693402873665763962004650088195465580"},
		{pair.Laplace{Shift: rat("1")}, "-1", "0.6321205588285576784044762298385391325541"},
		{pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("2")}, "1/2", "0.2652491070080339838805475355244647527094"},
		{pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("2")}, "1/2", "0.3065889589861066797353221115"},
		{pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("2")}, "1", "0.1344707106849975603744203790890818628174"},
		{clamped(false, false), "1/4", "0.3536863737859119507041311322425832202630"},
		{clamped(false, true), "1/4", "0.3014428180011257579328697418516796975009"},
		{clamped(true, false), "1/4", "0.1175030974154045971351078567709492637779"},
		{clamped(true, true), "1/4", "0.1175030974154045971351078567709492637779"},
		{pair.Sampled{Rate: rat("1/10"), Base: single(gaussian)}, "1/2", "0.0020325369203403576533068535358052000974"},
		{pair.Sampled{Rate: rat("1/10"), Base: single(gaussian), Reversed: true}, "1/20", "0.0105725813538311282485573033082687559560"},
		{mixture, "1", "0.1995368854761614773929171331161125486881"},
		{mixture.Reverse(), "1/4", "0.1467024973519893106504186757289526243624"},
		{pair.SampledReplaceGaussian{Rate: rat("1/4"), Mu2: rat("1")}, "1/2", "0.0440048799319989978095820044068030368188"},
		{pair.Mixed(rat("1/10"), single(gaussian)), "1", "0.0126936737506643945800829624757766880415"},
		{pair.Mixed(rat("1/10"), single(gaussian)), "-1", "0.636790300434364702"},
		{batch, "2", "0.01064930805731222663914"},
		{batch, "0", "0.23497962096529948985"},
		{batch, "-1/2", "0.3960219776669030537929"},
		{batch, "-3/5", "0.45121079469848457630"},
		{batch.Reverse(), "1/5", "0.1312884341062860504340"},
		{batch.Reverse(), "3/5", "0.000040871568741968004023577"},
		{batch.Reverse(), "7/10", "0"},
		{null, "1", "0.31269742343187452703"},
		{null, "-3/5", "0.53530931749843010257"},
		{null.Reverse(), "3/5", "0.1532783710475925"},
	} {
		tails, ok := PairTails(c.pair)
		if !ok {
			t.Errorf("%s has no tails", c.pair)
			continue
		}
		for _, w := range []interval.Prec{128, 256} { // in words, and beyond them
			y := tails.Delta(w, interval.RealRat(rat(c.eps)))
			if !holds(y, c.digits) || !narrow(y, 100) {
				t.Errorf("%d bits: δ(%s) of %s = %s, want %s…", w, c.eps, c.pair, y, c.digits)
			}
		}
	}
}

// Values of 15 digits by the recursion over k with adaptive quadrature, mpmath 1.3.
func TestLaplaceSumValues(t *testing.T) {
	for _, c := range []struct {
		k      int64
		shift  string
		eps    string
		digits string
	}{
		{1, "1", "0", "0.393469340287366"},
		{2, "1", "0", "0.448180838242836"},
		{2, "1", "1/2", "0.350495989981104"},
		{2, "1/3", "-1/4", "0.301794935502682"},
		{3, "1", "1", "0.310226047803545"},
	} {
		y, err := LaplaceSum(context.Background(), 64, rat(c.shift), c.k, interval.RealRat(rat(c.eps)))
		if err != nil || !holds(y, c.digits) || !narrow(y, 60) {
			t.Errorf("k = %d, shift %s: δ(%s) = %s, %v, want %s…", c.k, c.shift, c.eps, y, err, c.digits)
		}
		z, err := laplaceSum(context.Background(), 128, rat(c.shift), c.k, interval.Prec(128).Rat(rat(c.eps))) // not in words
		if err != nil || !holds(z, c.digits) || !narrow(z, 60) {
			t.Errorf("k = %d, shift %s: δ(%s) = %s, %v in integers, want %s…", c.k, c.shift, c.eps, z, err, c.digits)
		}
	}
	// At and beyond the largest loss nothing is left; just before it, something is.
	for eps, zero := range map[string]bool{"3": true, "4": true, "2.999": false} {
		y, err := LaplaceSum(context.Background(), 64, rat("1"), 3, interval.RealRat(rat(eps)))
		if err != nil || y.IsZero() != zero {
			t.Errorf("δ(%s) = %s, %v", eps, y, err)
		}
	}
}

// TestTailsAtAtoms: at an atom of the loss the tails are those right of it, if ε is
// known exactly, and span both sides if it is not.
func TestTailsAtAtoms(t *testing.T) {
	const w = interval.Prec(64)
	for _, c := range []struct {
		pair  pair.Pair
		eps   string
		p, q  string // right of the atom
		below string // P(L ≥ ε)
	}{
		{pair.Laplace{Shift: rat("1/3")}, "1/3", "0", "0", "1/2"},
		{pair.Laplace{Shift: rat("1/3")}, "-1/3", "0.6417343447131053", "0.5", "1"},
		{pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("1"), Sensitivity: rat("1/3"), Radius: rat("1")}, "1/3", "0.1151", "0", "1/2"},
	} {
		tails, _ := PairTails(c.pair)
		p, q := tails(w, RatArg(w, rat(c.eps)))
		if !holds(p, c.p) || !holds(q, c.q) {
			t.Errorf("%s at %s: tails %s and %s, want %s… and %s…", c.pair, c.eps, p, q, c.p, c.q)
		}
		p, _ = tails(w, Arg{Interval: w.Rat(rat(c.eps))})
		if !holds(p, c.p) || !holds(p, c.below) {
			t.Errorf("%s at an enclosure of %s: P(L > ε) = %s, want both %s… and %s", c.pair, c.eps, p, c.p, c.below)
		}
	}
}

// TestMixtureOfTinyMeans: where log h hardly rises, its root is known to few digits only, and
// the search for it ends all the same. The ratio crosses 1 within 10^−39 of 0, so that δ(0) is
// E[c]/√(2π) but for terms of third order in the means.
func TestMixtureOfTinyMeans(t *testing.T) {
	m := pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{rat("2e-40"), rat("1e-39")}, Probs: []*big.Rat{rat("1/2"), rat("1/2")}}, Q: normals.Standard()}
	for _, reversed := range []bool{false, true} {
		if reversed {
			m.P, m.Q = m.Q, m.P
		}
		y := mixtureTails(m).Delta(64, interval.RealRat(rat("0")))
		// 6·10^−40/√(2π)
		if y.LessRat(rat("2.39365368e-40")) != interval.False || y.LessRat(rat("2.39365369e-40")) != interval.True {
			t.Errorf("reversed %v: δ(0) in %s, want 2.393653682e-40", reversed, y)
		}
		if y := mixtureTails(m).Delta(64, interval.RealRat(rat("1"))); y.LessRat(rat("1e-1000")) != interval.True {
			t.Errorf("reversed %v: δ(1) in %s", reversed, y)
		}
	}
}

// TestTailsKeepThePrecisionOfTruncation: what is computed for one precision does not serve for a higher one.
func TestTailsKeepThePrecisionOfTruncation(t *testing.T) {
	tails := truncatedTails(pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1"), Sensitivity: rat("1"), Radius: rat("2")})
	for _, w := range []interval.Prec{40, 200, 64} {
		if p, q := tails(w, RatArg(w, rat("1/3"))); !narrow(p, int(w)-12) || !narrow(q, int(w)-12) {
			t.Errorf("%d bits: %s and %s are wide", w, p, q)
		}
	}
}
