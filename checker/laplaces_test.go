// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func laplaces(k int64, shift string) *factor {
	return &factor{pair: laplace{parsed(shift), big.NewRat(1, 1)}, count: k}
}

// at is δ of the copies, to so many bits.
func (f *factor) at(epsilon string, bits uint) iv {
	work = 0
	setPrecision(bits)
	return f.pair.(laplace).composed(f.count, parsed(epsilon))
}

// Values by mpmath 1.3.0: convolutions for k ≤ 3, the inversion of the transform of the loss for k = 1000.
func TestCopiesOfLaplaceNoise(t *testing.T) {
	for _, c := range []struct {
		k               int64
		shift, epsilon  string
		digits, correct string
	}{
		{2, "1", "0.5", "0.35049598998110477768518599245300661966597007869", "1e-44"},
		{2, "0.3", "-0.2", "0.26264794936079676918112378233739132086932098227", "1e-44"},
		{2, "2", "3.5", "0.12384911904466952322418344964938927179113117327", "1e-44"},
		{2, "1", "-1.75", "0.83706034772726350774846274190179079231017465849", "1e-44"},
		{3, "1", "0.5", "0.449373593534322150938110820661187", "1e-32"},
		{3, "0.3", "0.2", "0.126627198804869537296494096138605", "1e-32"},
		{1000, "0.1", "23.94443", "9.999891530409384272918705e-11", "1e-20"},
		{1000, "0.1", "23.94442", "1.000010216039241378307181e-10", "1e-20"},
		{1000, "0.1", "0", "0.8802104044619771874196756", "1e-20"},
	} {
		for _, bits := range []uint{32, 128, 300} {
			if c.k > 3 && bits != 128 {
				continue
			}
			d := laplaces(c.k, c.shift).at(c.epsilon, bits)
			want := parsed(c.digits)
			slack := new(big.Rat).Mul(want, parsed(c.correct))
			if d.low().Cmp(new(big.Rat).Add(want, slack)) > 0 || d.high().Cmp(new(big.Rat).Sub(want, slack)) < 0 {
				t.Errorf("%d copies at %s, ε = %s: δ is in [%s, %s], want %s", c.k, c.shift, c.epsilon, d.low().FloatString(40), d.high().FloatString(40), c.digits)
			}
			if gap := new(big.Rat).Sub(d.high(), d.low()); gap.Cmp(new(big.Rat).SetFrac(oneUnit, new(big.Int).Lsh(oneUnit, bits))) > 0 {
				t.Errorf("%d copies at %s, ε = %s: a width of %s, want 2^−%d", c.k, c.shift, c.epsilon, gap.FloatString(40), bits)
			}
		}
	}
}

// TestOneCopyMore: δ of k + 1 copies is the mean, over the loss l of a copy, of δ of k copies at ε − l: 1/2 at s,
// e^(−s)/2 at −s, and the density e^((l−s)/2)/4. By Simpson's rule between the kinks of δ.
func TestOneCopyMore(t *testing.T) {
	delta := func(k int64, s, epsilon string) float64 {
		d := laplaces(k, s).at(epsilon, 64)
		f, _ := d.low().Float64()
		return f
	}
	exp := func(s string) float64 {
		setPrecision(64)
		f, _ := rational(parsed(s)).exp().low().Float64()
		return f
	}
	r := rand.New(rand.NewPCG(5, 1))
	for k := int64(1); k <= 12; k++ {
		s := []int64{2, 7, 20}[k%3] // tenths, as ε is: kinks are at tenths
		e := r.Int64N((k+1)*2*s) - (k+1)*s
		tenths := func(n int64) string { return fmt.Sprintf("%d/10", n) }
		at := func(n int64) string { return fmt.Sprintf("%d/40", n) } // 4 intervals a tenth
		sum := 0.0
		for n := -4 * s; n <= 4*s; n++ {
			w := []float64{2, 4, 2, 4}[(n+4*s)%4]
			if n == -4*s || n == 4*s {
				w = 1
			}
			sum += w * exp(fmt.Sprintf("%d/80", n-4*s)) / 4 * delta(k, tenths(s), at(4*e-n))
		}
		want := sum/3/40 + delta(k, tenths(s), tenths(e-s))/2 + exp(tenths(-s))/2*delta(k, tenths(s), tenths(e+s))
		if got := delta(k+1, tenths(s), tenths(e)); got < want-1e-7 || got > want+1e-7 {
			t.Errorf("%d copies at %d/10, ε = %d/10: %v, want %v", k+1, s, e, got, want)
		}
	}
}

// TestLaplacesAreBelowTheirGrids: what is shown by leaves bounds the sum.
func TestLaplacesAreBelowTheirGrids(t *testing.T) {
	claims, files := samples(t)
	tried := 0
	for _, c := range claims {
		cert := decode(t, files[c.id])
		noise, isLaplace := c.factors[0].pair.(laplace)
		if g := cert.Chains[0].Grid; g == nil || len(c.factors) != 1 || !isLaplace || noise.rate.Cmp(parsed("1")) < 0 {
			continue
		}
		tried++
		work = 0
		ch := readCertificate(files[c.id]).Chains[0]
		least, most := c.bounds(ch, cert.Verdict)
		d := c.factors[0].at(c.epsilon.RatString(), 128)
		if d.high().Cmp(least) < 0 || d.low().Cmp(most) > 0 {
			t.Errorf("%s: the sum is %s, by its grid it is in [%s, %s]", c.id, d.low().FloatString(20), least.FloatString(20), most.FloatString(20))
		}
	}
	if tried < 2 {
		t.Errorf("%d samples on a grid, want 2", tried)
	}
}

// TestSharpClaimsOfLaplaces: both directions are decided by the last digit, and nothing is said of more copies or less
// noise. Permute-and-flip is only bounded.
func TestSharpClaimsOfLaplaces(t *testing.T) {
	for i, c := range []struct{ event, numbers, want string }{
		{"count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}", "epsilon: 0.5, delta: 0.44937359353432215093811082066119", "VERIFIED"},
		{"count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}", "epsilon: 0.5, delta: 0.44937359353432215093811082066118", "REFUTED"},
		{"count: 4, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}", "epsilon: 0.5, delta: 0.44937359353432215093811082066119", "REFUTED"},
		{"count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 0.99}", "epsilon: 0.5, delta: 0.44937359353432215093811082066119", "REFUTED"},
		{"count: 3, event: {class_name: PermuteAndFlipDpEvent, epsilon: 1}", "epsilon: 0.5, delta: 0.44937359353432215093811082066119", "VERIFIED"},
		{"count: 3, event: {class_name: PermuteAndFlipDpEvent, epsilon: 1}", "epsilon: 0.5, delta: 0.44937359353432215093811082066118", ""},
		{"count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}", "epsilon: 3, delta: 0", "VERIFIED"},
		{"count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}", "epsilon: 2.999, delta: 0", "REFUTED"},
		{"count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}", "epsilon: -7, delta: 0.9990881180344454", "REFUTED"},
		{"count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}", "epsilon: -7, delta: 0.9990881180344456", "VERIFIED"},
	} {
		claim := one(t, "{class_name: SelfComposedDpEvent, "+c.event+"}", c.numbers)
		for _, verdict := range []string{"VERIFIED", "REFUTED"} {
			if i > 5 && c.want != verdict && os.Getenv("DPVERIFY_LONG") == "" {
				continue
			}
			text := fmt.Sprintf(`{"version":1,"claim":"","verdict":"%s","chains":[{"direction":"remove"}]}`+"\n", verdict)
			if v, err := claim.check(forClaim(t, []byte(text), claim), nil); (err == nil) != (verdict == c.want) {
				t.Errorf("%s, %s: %q, %v, want %q", c.event, c.numbers, v, err, c.want)
			}
		}
	}
}

// TestWorkOfLaplaces: sums that take long are rejected before they begin.
func TestWorkOfLaplaces(t *testing.T) {
	for _, c := range [][2]string{
		{"count: 1000000000, event: {class_name: LaplaceDpEvent, noise_multiplier: 1000000}", "epsilon: 1, delta: 1e-9"},
		{"count: 100000, event: {class_name: LaplaceDpEvent, noise_multiplier: 10}", "epsilon: -1000, delta: 0.9999999"},
		{"count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 1e-9999}", "epsilon: 1, delta: 0.1"},
		{"count: 2, event: {class_name: LaplaceDpEvent, noise_multiplier: 1e-9}", "epsilon: -99999, delta: 0.1"},
	} {
		claim := one(t, "{class_name: SelfComposedDpEvent, "+c[0]+"}", c[1])
		soon(t, c[0], func() {
			text := []byte(`{"version":1,"claim":"","verdict":"REFUTED","chains":[{"direction":"remove"}]}` + "\n")
			if _, err := claim.check(forClaim(t, text, claim), nil); err == nil || !strings.Contains(err.Error(), "too long") {
				t.Errorf("%v: %v, want that it would take too long", c, err)
			}
		})
	}
}
