// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/aliases"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// The lemmas are tested apart, each against the sum that it bounds, which is computed
// from closed forms of d.

const fine = interval.Prec(200)

func rat(s string) *big.Rat { return testkit.Rat(s) }

// A known profile: d in closed form, and the transform's M(−κ).
type known struct {
	name   string
	f      factor
	d      func(p interval.Prec, eps *big.Rat) interval.Interval
	finite interval.Interval
}

func gaussianProfile(mu2 string) known {
	g := pair.Gaussian{Mu2: rat(mu2)}
	tails, _ := closed.PairTails(g)
	return known{g.String(), closedForm{gaussian{g.Mu2}}, func(p interval.Prec, eps *big.Rat) interval.Interval {
		return tails.Delta(p, interval.RealRat(eps))
	}, one}
}

func laplaceProfile(x string) known {
	return known{"Laplace " + x, closedForm{laplace{rat(x)}}, func(p interval.Prec, eps *big.Rat) interval.Interval {
		return closed.Laplace(p, rat(x), interval.RealRat(eps))
	}, one}
}

// finiteProfile: d(ε) = Σ (p − e^ε·q)₊ over q > 0, from the definition.
func finiteProfile(ps, qs []string) known {
	var p, q []*big.Rat
	finite := new(big.Rat)
	for i := range ps {
		p, q = append(p, rat(ps[i])), append(q, rat(qs[i]))
		if q[i].Sign() > 0 {
			finite.Add(finite, p[i])
		}
	}
	x := pair.NewFinite(p, q)
	f, _ := newDiscrete(x, fine+64)
	return known{x.String(), f, func(w interval.Prec, eps *big.Rat) interval.Interval {
		alpha, sum := (w + 8).Exp((w + 8).Rat(eps)), interval.Int(0)
		for i := range p {
			if q[i].Sign() > 0 {
				sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub((w+8).Rat(p[i]), w.Mul(alpha, (w+8).Rat(q[i])))))
			}
		}
		return sum
	}, fine.Rat(finite)}
}

func knownProfiles() []known {
	return []known{
		gaussianProfile("1"), gaussianProfile("1/9"), gaussianProfile("25/4"),
		laplaceProfile("1"), laplaceProfile("1/10"), laplaceProfile("5"),
		finiteProfile([]string{"3/4", "1/4"}, []string{"1/4", "3/4"}),
		finiteProfile([]string{"1/10", "3/5", "3/10", "0"}, []string{"0", "1/5", "3/5", "1/5"}),
		finiteProfile([]string{"1/1000000", "999999/1000000"}, []string{"1/1000000000", "999999999/1000000000"}),
	}
}

// alias encloses Σ e^{λmT}·d(ε + mT) over from ≤ m ≤ to.
func (k known) alias(lambda, period, eps *big.Rat, from, to int64) interval.Interval {
	sum := interval.Int(0)
	for m := from; m <= to; m++ {
		shift := new(big.Rat).Mul(period, new(big.Rat).SetInt64(m))
		weight := fine.Exp(fine.Rat(new(big.Rat).Mul(lambda, shift)))
		sum = fine.Add(sum, fine.Mul(weight, k.d(fine, shift.Add(shift, eps))))
	}
	return sum
}

type lemmaCase struct{ lambda, kappa, period, eps *big.Rat }

// randomCase draws parameters that leave large errors as well as small ones: e^{−λT} between
// e^{−20} and e^{−1/2}, so that tens of aliases are all that matter.
func randomCase(r *rand.Rand) lemmaCase {
	for {
		lambda := big.NewRat(1+r.Int63n(64), 16)
		c := lemmaCase{
			lambda: lambda,
			kappa:  new(big.Rat).Add(lambda, big.NewRat(1+r.Int63n(64), 16)),
			period: big.NewRat(1+r.Int63n(40), 8),
			eps:    big.NewRat(r.Int63n(160)-80, 16),
		}
		if new(big.Rat).Mul(c.lambda, c.period).Cmp(big.NewRat(1, 2)) >= 0 {
			return c
		}
	}
}

func (c lemmaCase) String() string {
	return fmt.Sprintf("λ = %s, λ′ = %s, T = %s, ε = %s", c.lambda.RatString(), c.kappa.RatString(), c.period.RatString(), c.eps.RatString())
}

var precisions = []interval.Prec{2, 3, 8, 53, 128}

func TestLeftAliasesBoundTheTermsBelow(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewSource(1))
	sharpest := interval.Int(0)
	for _, k := range knownProfiles() {
		for range testkit.Draws(3, 8, 12) {
			c := randomCase(r)
			sum := k.alias(c.lambda, c.period, c.eps, -60, -1)
			whole := fine.Add(sum, k.d(fine, c.eps))
			for _, p := range precisions {
				left, shrink := aliases.Left(p, k.finite, c.lambda, c.period)
				if sum.Less(left) == interval.False && sum.Lo().Cmp(left.Hi()) > 0 {
					t.Fatalf("%s, %v: the terms m < 0 are %v > %v at %d bits", k.name, c, sum, left, p)
				}
				// S without its terms m > 0 already makes up for d(ε).
				if d := k.d(fine, c.eps); d.Lo().Cmp(fine.Mul(whole, shrink).Hi()) > 0 {
					t.Fatalf("%s, %v: d = %v > %v·%v at %d bits", k.name, c, d, whole, shrink, p)
				}
				if p == 128 {
					sharpest = interval.Max(sharpest, fine.Div(sum, left))
				}
			}
		}
	}
	if sharpest.LessRat(rat("9/10")) == interval.True {
		t.Errorf("the bound was never closer than a factor %v", sharpest)
	}
}

func TestRightAliasesBoundTheTermsAbove(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewSource(2))
	sharpest := interval.Int(0)
	for _, k := range knownProfiles() {
		for range testkit.Draws(5, 8, 12) {
			c := randomCase(r)
			sum := k.alias(c.lambda, c.period, c.eps, 1, 60)
			markov := k.f.moment(fine, c.kappa)
			for _, p := range precisions {
				right := aliases.Right(p, upper(markov), c.lambda, c.kappa, c.period, p.Rat(c.eps))
				if sum.Lo().Cmp(right.Hi()) > 0 {
					t.Fatalf("%s, %v: the terms m > 0 are %v > %v at %d bits", k.name, c, sum, right, p)
				}
				if p == 128 && right.Positive() == interval.True {
					sharpest = interval.Max(sharpest, fine.Div(sum, right))
				}
			}
		}
	}
	if sharpest.LessRat(rat("3/10")) == interval.True {
		t.Errorf("the bound was never closer than a factor %v", sharpest)
	}
}

// TestMarkovConstantIsAttained: c in d(x) ≤ c·M(−κ)·e^{−κx} cannot be smaller. One loss l with
// e^{x−l} = κ/(1+κ) attains it; κ = 3, l − x = log(4/3), in units in which r/(1 − r) = 1 at T = log 2.
func TestMarkovConstantIsAttained(t *testing.T) {
	const p = interval.Prec(128)
	// M(−3) = e^{3l}, x = 0: c·e^{3l} = (27/256)·(4/3)³ = 1/4 = 1 − e^{−l}.
	for _, period := range []*big.Rat{big.NewRat(1, 1), big.NewRat(7, 3)} {
		y := aliases.Right(p, p.Rat(big.NewRat(64, 27)), big.NewRat(2, 1), big.NewRat(3, 1), period, interval.Int(0))
		rr := p.Exp(p.Rat(period).Neg())
		want := p.Scale(p.Div(rr, p.Sub(one, rr)), -2)
		if d := p.Div(p.Sub(y, want), want).Abs(); d.LessRat(rat("1e-30")) != interval.True || y.Hi().Cmp(want.Lo()) < 0 {
			t.Errorf("T = %s: %v, want %v", period, y, want)
		}
	}
}

// TestTruncationBoundsTheTermsLeftOut: against the terms themselves, at their moduli.
func TestTruncationBoundsTheTermsLeftOut(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewSource(3))
	sharpest := interval.Int(0)
	for range testkit.Cases(20, 60) {
		c := randomCase(r)
		h := fine.Div(fine.Scale(fine.Pi(), 1), fine.Rat(c.period))
		n := 1 + r.Intn(20)
		sum := interval.Int(0)
		s := func(j int) interval.Complex {
			return interval.Complex{Re: fine.Rat(c.lambda).Neg(), Im: fine.Mul(interval.Int(int64(j)), h)}
		}
		for j := n + 1; j <= n+400; j++ {
			d := fine.MulC(s(j), fine.SubC(s(j), interval.Complex{Re: one}))
			sum = fine.Add(sum, fine.Inv(fine.AbsC(d)))
		}
		// beyond = 1
		sum = fine.Mul(sum, fine.Exp(fine.Rat(new(big.Rat).Mul(c.lambda, c.eps)).Neg()))
		sum = fine.Div(fine.Scale(sum, 1), fine.Rat(c.period))
		for _, p := range precisions {
			hp := p.Div(p.Scale(p.Pi(), 1), p.Rat(c.period))
			y := aliases.Truncation(p, one, c.lambda, hp, n, p.Rat(c.eps))
			if sum.Lo().Cmp(y.Hi()) > 0 {
				t.Fatalf("%v, n = %d: the terms left out are %v > %v at %d bits", c, n, sum, y, p)
			}
			if p == 128 {
				sharpest = interval.Max(sharpest, fine.Div(sum, y))
			}
		}
	}
	if sharpest.LessRat(rat("8/10")) == interval.True {
		t.Errorf("the bound was never closer than a factor %v", sharpest)
	}
}

// TestPoissonSummation is (1) itself, with all of its terms and no bound but the one of
// truncation.
func TestPoissonSummation(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic alone, for the whole suite")
	}
	r := rand.New(rand.NewSource(4))
	for _, k := range knownProfiles() {
		for i := range testkit.Cases(1, 4) {
			c := randomCase(r)
			n := 200
			h := (fine + 64).Div((fine+64).Scale((fine+64).Pi(), 1), (fine + 64).Rat(c.period))
			values, err := k.f.line(t.Context(), fine, c.lambda, h, n)
			if err != nil {
				t.Fatal(err)
			}
			for j := range values {
				s := interval.Complex{Re: fine.Rat(c.lambda).Neg(), Im: fine.Mul(interval.Int(int64(j)), h)}
				values[j] = fine.DivC(values[j], fine.MulC(s, fine.SubC(s, interval.Complex{Re: one})))
			}
			l := &line{parameters: parameters{lambda: c.lambda, period: c.period, prec: fine}, values: values}
			s, err := l.sum(t.Context(), fine.Rat(c.eps))
			if err != nil {
				t.Fatal(err)
			}
			beyond := k.f.moment(fine, c.lambda)
			at := double.Of(fine.Mul(h, interval.Int(int64(n)))).Lo
			beyond = fine.Mul(beyond, fine.Exp(double.Point(k.f.decay(c.lambda)(at, math.Inf(1))).Exact()))
			cut := aliases.Truncation(fine, upper(beyond), c.lambda, h, n, fine.Rat(c.eps))
			s = fine.Add(s, interval.Union(cut.Neg(), cut))
			want := k.alias(c.lambda, c.period, c.eps, -300, 300)
			if _, ok := interval.Intersect(s, want); !ok {
				t.Errorf("%s, %v: S = %v, want %v", k.name, c, s, want)
			}
			if k.f.decay(c.lambda)(100, math.Inf(1)) < -100 && i == 0 && s.RelativeBits(100) < 40 {
				t.Errorf("%s, %v: S = %v is wide", k.name, c, s)
			}
		}
	}
}

// TestMarkovBoundsProfiles: d(x) is at most the bound for every κ, and some bound is close.
func TestMarkovBoundsProfiles(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	closest := interval.Int(0)
	for _, k := range knownProfiles() {
		for range 12 {
			c := randomCase(r)
			d := k.d(fine, c.eps)
			for _, p := range precisions {
				y := aliases.Markov(p, upper(k.f.moment(fine, c.lambda)), c.lambda, p.Rat(c.eps))
				if d.Lo().Cmp(y.Hi()) > 0 {
					t.Fatalf("%s, %v: d = %v > %v at %d bits", k.name, c, d, y, p)
				}
				if p == 128 {
					closest = interval.Max(closest, fine.Div(d, y))
				}
			}
		}
	}
	if closest.LessRat(rat("1/3")) == interval.True {
		t.Errorf("the bound was never closer than a factor %v", closest)
	}
}

// TestAboveBoundsCompositions: the shortcut is above enclosures of δ, also where factors have outcomes
// of infinite loss, and is not far above where δ is small.
func TestAboveBoundsCompositions(t *testing.T) {
	for _, c := range []struct {
		prod pair.Product
		eps  []string
	}{
		{product(sampledGaussian("1/100", "1/16", false), 5000), []string{"-1", "0", "1/2", "2", "5"}},
		{product(sampledGaussian("1/50", "1", true), 200), []string{"0", "1/2", "2"}},
		{product(pair.Gaussian{Mu2: rat("1/4")}, 1, pair.Term{Pair: pair.Response{Eps: rat("1"), Delta: rat("1/1000")}, Count: 3}), []string{"0", "2", "9"}},
	} {
		x, ok := New(c.prod)
		if !ok {
			t.Fatal("no transform")
		}
		for _, eps := range c.eps {
			y, err := x.Delta(t.Context(), 32, interval.RealRat(rat(eps)))
			if err != nil {
				t.Fatal(err)
			}
			above := x.Above(interval.RealRat(rat(eps)))
			if above.Hi().Cmp(y.Lo()) < 0 {
				t.Errorf("%s: δ(%s) in %v, bounded by %v", c.prod, eps, y, above)
			}
			if fine.Mul(y, interval.Int(200)).Less(above) == interval.True {
				t.Errorf("%s: δ(%s) in %v, bounded by %v: useless", c.prod, eps, y, above)
			}
		}
	}
}

// TestNearIsNear: δ at the start of a search is about the wanted one.
func TestNearIsNear(t *testing.T) {
	for _, c := range []struct {
		prod  pair.Product
		delta string
	}{
		{product(sampledGaussian("1/100", "1/16", false), 65536), "1e-5"},
		{product(sampledGaussian("1/100", "1/16", true), 65536), "1e-9"},
		{product(sampledGaussian("1/98", "13/2", false), 1960), "1e-5"},
		{product(sampledGaussian("0.0000408", "53/20", false), 100000), "1.1e-10"},
		{product(sampledGaussian("0.00004733", "2/9", false), 37083), "2e-11"}, // by its bulk
		{product(sampledGaussian("0.00004733", "2/9", true), 37083), "2e-11"},
		{product(sampledLaplacePair("1/50", "1/2", false), 4000), "1e-5"},
		{product(pair.Gaussian{Mu2: rat("1/4")}, 1, pair.Term{Pair: pair.Response{Eps: rat("1/2"), Delta: rat("1e-7")}, Count: 6}), "1e-6"},
	} {
		x, ok := New(c.prod)
		if !ok {
			t.Fatal("no transform")
		}
		eps, ok := x.Near(t.Context(), rat(c.delta))
		if !ok {
			t.Errorf("%s: no start for δ = %s", c.prod, c.delta)
			continue
		}
		y, err := x.Delta(t.Context(), 24, interval.RealRat(eps))
		if err != nil {
			t.Fatal(err)
		}
		if q := fine.Div(y, fine.Rat(rat(c.delta))); q.LessRat(rat("0.99")) != interval.False || q.LessRat(rat("1.01")) != interval.True {
			t.Errorf("%s: δ(%s) in %v, want about %s", c.prod, eps.FloatString(6), y, c.delta)
		}
	}
}
