// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
)

// TestMixtureOfHugeMeans: the terms are some e^(10^400) next to the root, whose logarithms are far beyond the bits of
// one. The means are 10^200 deviations apart: δ(ε) is the mass of the means that are not 0, and the mass of 0 less e^ε
// of its own reversed.
func TestMixtureOfHugeMeans(t *testing.T) {
	m := pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{rat("0"), rat("1e200"), rat("2e200")}, Probs: []*big.Rat{rat("1/2"), rat("1/4"), rat("1/4")}}, Q: normals.Standard()}
	const p = interval.Prec(64)
	for _, c := range []struct {
		reversed bool
		eps      string
		want     interval.Interval
	}{
		{false, "0", p.Rat(rat("1/2"))},
		{false, "1", p.Rat(rat("1/2"))},
		{true, "1", interval.Int(0)},
		{true, "-1/2", p.Sub(interval.Int(1), p.Scale(p.Exp(p.Rat(rat("-1/2"))), -1))},
	} {
		x := m
		if c.reversed {
			x.P, x.Q = m.Q, m.P
		}
		y := mixtureTails(x).Delta(p, interval.RealRat(rat(c.eps)))
		if p.Sub(y, c.want).Abs().LessRat(rat("1e-17")) != interval.True {
			t.Errorf("reversed %v: δ(%s) in %s, want %s", c.reversed, c.eps, y, c.want)
		}
	}
}

// drawMixture draws a mixture whose means are often those of another one.
func drawMixture(r *rand.Rand) normals.Mixture {
	var means, probs []*big.Rat
	left := int64(20)
	for n := 1 + r.IntN(4); left > 0; n-- {
		p := left
		if n > 1 {
			p = 1 + r.Int64N(left)
		}
		left -= p
		means, probs = append(means, big.NewRat(r.Int64N(13)-6, 3)), append(probs, big.NewRat(p, 20))
	}
	return normals.New(means, probs)
}

// TestTwoMixtures: of random pairs, δ keeps δ_{P‖Q}(ε) = 1 − e^ε + e^ε·δ_{Q‖P}(−ε), is the same however the line is
// moved and mirrored, and tails at few bits enclose those at many.
func TestTwoMixtures(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const w = interval.Prec(80)
	for range 40 {
		m := pair.GaussianMixture{P: drawMixture(r), Q: drawMixture(r)}
		eps := big.NewRat(r.Int64N(9)-4, 5)
		if m.P.Equal(m.Q) {
			continue
		}
		back := pair.GaussianMixture{P: m.Q, Q: m.P}
		y := mixtureTails(m).Delta(64, interval.RealRat(eps))
		z := mixtureTails(back).Delta(64, interval.RealRat(new(big.Rat).Neg(eps)))
		e := w.Exp(w.Rat(eps))
		other := w.Add(w.Sub(one, e), w.Mul(e, z))
		if _, ok := interval.Intersect(y, other); !ok {
			t.Errorf("%s: δ(%s) in %s, and by the reverse in %s", m, eps.RatString(), y, other)
		}
		if y.Positive() == interval.True && y.RelativeBits(64) < 40 {
			t.Errorf("%s: δ(%s) in %s", m, eps.RatString(), y)
		}
		c := big.NewRat(r.Int64N(99), 7)
		moved := pair.GaussianMixture{P: m.P.Around(c).Mirrored(), Q: m.Q.Around(c).Mirrored()}
		if z := mixtureTails(moved).Delta(64, interval.RealRat(eps)); !meet(y, z) {
			t.Errorf("%s: δ(%s) in %s, and moved in %s", m, eps.RatString(), y, z)
		}
		p, q := mixtureTails(m)(200, RatArg(200, eps))
		for _, few := range []interval.Prec{2, 3, 8, 24} {
			a, b := mixtureTails(m)(few, RatArg(few, eps))
			if !meet(a, p) || !meet(b, q) {
				t.Errorf("%s at %s, %d bits: %s and %s, want %s and %s", m, eps.RatString(), few, a, b, p, q)
			}
		}
	}
}

func meet(x, y interval.Interval) bool {
	_, ok := interval.Intersect(x, y)
	return ok
}

// TestGreatestMixtureLoss: N(0) against N(−1) and N(1) has L ≤ ½, at 0; between means of both the limit at the
// outermost mean is the top where L falls from there; beyond it the profile is 0, and not much below.
func TestGreatestMixtureLoss(t *testing.T) {
	m := func(xs ...string) normals.Mixture {
		var means, probs []*big.Rat
		for i := 0; i < len(xs); i += 2 {
			probs, means = append(probs, rat(xs[i])), append(means, rat(xs[i+1]))
		}
		return normals.New(means, probs)
	}
	for _, c := range []struct {
		p, q normals.Mixture
		want string
	}{
		{m("1", "0"), m("1/2", "-1", "1/2", "1"), "1/2"},
		{m("1", "0"), m("1/4", "0", "3/4", "1"), ""},
		{m("1/3", "-1/2", "2/3", "1/3"), m("1/4", "-1", "1/4", "0", "1/2", "2"), ""},
		{m("1/2", "-1", "1/2", "1"), m("1/4", "-1", "1/4", "0", "1/2", "1"), ""},
	} {
		x := pair.GaussianMixture{P: c.p, Q: c.q}
		y := GreatestMixtureLoss(64, x)
		if y.RelativeBits(64) < 40 || c.want != "" && (y.LessRat(rat(c.want)) == interval.True || !meet(y, interval.Prec(64).Rat(rat(c.want)))) {
			t.Errorf("%s: L ≤ %s, want %s", x, y, c.want)
		}
		lo, hi, ok := y.Rationals()
		if !ok {
			continue
		}
		slack := rat("1/1000")
		if d := mixtureTails(x).Delta(64, interval.RealRat(hi)); d.Positive() == interval.True {
			t.Errorf("%s: δ(%s) in %s beyond the greatest loss", x, hi.FloatString(20), d)
		}
		if d := mixtureTails(x).Delta(64, interval.RealRat(new(big.Rat).Sub(lo, slack))); d.Positive() != interval.True {
			t.Errorf("%s: δ in %s below the greatest loss", x, d)
		}
	}
}

// TestTopsNextToALoss: where p_j − e^ε·q_j has no sign at an ε that is tried, nothing is known from below.
func TestTopsNextToALoss(t *testing.T) {
	const fine = interval.Prec(700)
	e, _, _ := fine.Exp(interval.Int(1)).Rationals()
	less := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 325)))
	b := new(big.Rat).Mul(less, new(big.Rat).Quo(e, big.NewRat(4, 1)))
	rest := new(big.Rat).Quo(new(big.Rat).Sub(big.NewRat(1, 1), b), big.NewRat(2, 1))
	means := []*big.Rat{new(big.Rat), big.NewRat(40, 1), big.NewRat(80, 1)}
	m := pair.NewGaussianMixture(normals.New(means, []*big.Rat{rest, b, rest}),
		normals.New(means, []*big.Rat{big.NewRat(3, 8), big.NewRat(1, 4), big.NewRat(3, 8)})).(pair.GaussianMixture)
	most := fine.Log(fine.Rat(new(big.Rat).Mul(b, big.NewRat(4, 1)))) // the greatest log p_j/q_j
	if y := GreatestMixtureLoss(64, m); y.Lo().Cmp(most.Hi()) > 0 || y.Hi().Cmp(most.Lo()) < 0 {
		t.Errorf("the greatest loss is in %v, and less than %v", y, most)
	}
}
