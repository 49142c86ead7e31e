// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	exactpair "dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/exact/transform"
	"dpverify/float/pair"
	"dpverify/internal/number"
	"dpverify/internal/others/afa"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func gaussian(sigma string) mechanism.Event {
	return mechanism.Gaussian{NoiseMultiplier: testkit.Rat(sigma)}
}

func sampled(rate string, e mechanism.Event) mechanism.Event {
	return mechanism.PoissonSampled{SamplingProbability: testkit.Rat(rate), Event: e}
}

func transformed(t *testing.T, of string, e mechanism.Event, d mechanism.Direction, at ...string) []Transformed {
	t.Helper()
	x := Transform{Question: exact.Question{Event: e, Direction: d}, Goal: ask.Goal{Digits: 12}, Of: of, At: at}
	out, err := x.Compute(t.Context())
	if err != nil {
		t.Fatal(of, at, err)
	}
	if x.Text(out) == "" || len(x.Report(out).Answers) != len(at) {
		t.Errorf("%s at %q is not reported", of, at)
	}
	return out
}

// near reports whether an enclosure fits a number that is known to so much.
func near(x interval.Interval, want, tolerance float64) bool {
	lo, hi, ok := x.Rationals()
	if !ok {
		return false
	}
	a, _ := lo.Float64()
	b, _ := hi.Float64()
	return a <= want+tolerance && b >= want-tolerance && b-a <= tolerance
}

// middleOf is about the middle of an enclosure.
func middleOf(x interval.Interval) float64 {
	lo, hi, _ := x.Rationals()
	a, _ := lo.Float64()
	b, _ := hi.Float64()
	return (a + b) / 2
}

// TestTable2: φ of the mechanisms of Table 2 [Zhu, Dong & Wang 2022, Lemmas 33 to 35] and of compositions and samples
// is what the accountant in float64 has, which was written from the paper, in both orientations.
func TestTable2(t *testing.T) {
	for _, e := range []mechanism.Event{
		gaussian("2"), mechanism.Laplace{NoiseMultiplier: testkit.Rat("2/3")},
		mechanism.EpsilonDelta{Epsilon: testkit.Rat("1"), Delta: testkit.Rat("1/20")},
		mechanism.SelfComposed{Event: sampled("1/10", gaussian("1")), Count: 20},
		mechanism.Composed{Events: []mechanism.Event{gaussian("2"), mechanism.SelfComposed{Event: mechanism.Laplace{NoiseMultiplier: testkit.Rat("3")}, Count: 4}}},
	} {
		for _, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
			ps, err := pair.Resolve(e, mechanism.AddOrRemoveOne, d)
			if err != nil {
				t.Fatal(err)
			}
			a, ok := afa.New(ps[0])
			if !ok {
				t.Fatalf("%v: no accountant", e)
			}
			for _, at := range []string{"0", "0.3", "2"} {
				r := transformed(t, "phi", e, d, at)[0]
				u, _ := testkit.Rat(at).Float64()
				phi, reverse := a.Phi(u)
				const tolerance = 1e-9 // of float64, and of the rule of 700 points
				if !near(r.Value.Re, real(phi), tolerance) || !near(r.Value.Im, imag(phi), tolerance) || !near(r.Reverse.Re, real(reverse), tolerance) || !near(r.Reverse.Im, imag(reverse), tolerance) {
					t.Errorf("%v, %v: φ(%s) = %v and %v, want %v and %v", e, d, at, r.Value, *r.Reverse, phi, reverse)
				}
			}
		}
	}
}

// TestComplexOrders: randomized response has E_q = (e^(qε) + e^((1−q)ε))/(1 + e^ε) for all complex q [Chourasia et al.
// 2024, Theorem 3.5], a Gaussian R_q = qμ²/2, and real orders agree with the engine.
func TestComplexOrders(t *testing.T) {
	r := transformed(t, "renyi", gaussian("1"), mechanism.Both, "2+1i", "-3", "0.5-2i")
	for i, want := range []complex128{1 + 0.5i, -1.5, 0.25 - 1i} {
		if !near(r[i].Value.Re, real(want), 1e-11) || !near(r[i].Value.Im, imag(want), 1e-11) {
			t.Errorf("R(%s) = %v, want %v", r[i].At, r[i].Value, want)
		}
	}
	// q = ½ + iπ: e^(qε) + e^((1−q)ε) = 2·√e·cos π for ε = 1, so that log E = log(2√e/(1+e)) ± iπ, next to which
	// the branch is open; q = ½ + iπ/2 has cos π/2 = 0, and q = ½ + i has cos 1.
	rr := mechanism.EpsilonDelta{Epsilon: testkit.Rat("1"), Delta: new(big.Rat)}
	got := transformed(t, "renyi", rr, mechanism.Both, "0.5+1i")[0].Value
	log := math.Log(2 * math.Sqrt(math.E) * math.Cos(1) / (1 + math.E))
	want := complex(log, 0) / (-0.5 + 1i)
	if !near(got.Re, real(want), 1e-11) || !near(got.Im, imag(want), 1e-11) {
		t.Errorf("R(0.5+1i) = %v, want %v", got, want)
	}
	for _, order := range []string{"0.5", "3"} {
		e := sampled("1/10", gaussian("1"))
		y, err := ask.For(t.Context(), exact.Question{Event: e, Direction: mechanism.Remove}, ask.Goal{Digits: 10}, ask.Renyi(renyi.At(testkit.Rat(order))))
		if err != nil {
			t.Fatal(err)
		}
		if z := transformed(t, "renyi", e, mechanism.Remove, order)[0].Value; !near(z.Re, middleOf(y[0].Interval), 1e-9) || !z.Im.IsZero() {
			t.Errorf("R(%s) = %v, want %v", order, z, y[0].Interval)
		}
	}
}

// TestSampledAtComplexArguments: values of a quadrature with 30 digits in another program, to both sides of the
// strip between the orders 0 and 1, where this version has none.
func TestSampledAtComplexArguments(t *testing.T) {
	e := sampled("1/10", gaussian("1"))
	for _, c := range []struct {
		at     string
		re, im float64
	}{{"1", 0.991944092569196916, 0.006038657531653326}, {"1-1i", 1.003446840592685003, 0.026079187113214203}, {"1+2i", 1.007235633493947834, -0.016570732711170158}} {
		if z := transformed(t, "phi", e, mechanism.Remove, c.at)[0].Value; !near(z.Re, c.re, 1e-11) || !near(z.Im, c.im, 1e-11) {
			t.Errorf("φ(%s) = %v, want %v + %vi", c.at, z, c.re, c.im)
		}
	}
	x := Transform{Question: exact.Question{Event: e}, Of: "phi", At: []string{"1+0.5i"}}
	if _, err := x.Compute(t.Context()); err == nil || !strings.Contains(err.Error(), "no transform there") {
		t.Error(err)
	}
}

// TestNegativeOrders: (1 − q)·R_q(P‖Q) = q·R_{1−q}(Q‖P), of a pair whose orientations differ, in rationals: E_{−1} = Σ
// q²/p.
func TestNegativeOrders(t *testing.T) {
	e := mechanism.FinitePair{P: []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 4)}, Q: []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3)}}
	// 4/27 + 16/9 = 52/27, and R_{−1} = log(52/27)/(−2).
	if z := transformed(t, "renyi", e, mechanism.Remove, "-1")[0].Value; !near(z.Re, -math.Log(52.0/27)/2, 1e-11) {
		t.Errorf("R(−1) = %v", z)
	}
}

// TestTailOfTheLoss: of a Gaussian it is normal; of finite losses the sum, whose atoms do not count at themselves.
func TestTailOfTheLoss(t *testing.T) {
	const w = interval.Prec(100)
	r := transformed(t, "loss", gaussian("1"), mechanism.Both, "0.3", "-1")
	for i, x := range []string{"0.3", "-1"} {
		want := w.NormalSF(w.Sub(w.Rat(testkit.Rat(x)), w.Rat(big.NewRat(1, 2))))
		if y := r[i].Value.Re; !y.Encloses(want) || y.RelativeBits(64) < 36 {
			t.Errorf("P(L > %s) = %s, want %s", x, y, want)
		}
	}
	rr := mechanism.EpsilonDelta{Epsilon: testkit.Rat("1"), Delta: testkit.Rat("1/10")}
	for at, want := range map[string]float64{"1": 0.1, "0.999": 0.1 + 0.9*math.E/(1+math.E), "-1": 0.1 + 0.9*math.E/(1+math.E), "-1.1": 1} {
		if y := transformed(t, "loss", rr, mechanism.Both, at)[0].Value.Re; !near(y, want, 1e-12) {
			t.Errorf("P(L > %s) = %s, want %v", at, y, want)
		}
	}
	for _, c := range []struct {
		x    Transform
		want string
	}{
		{Transform{Question: exact.Question{Event: mechanism.ZCDP{Rho: big.NewRat(1, 2), Xi: new(big.Rat)}}, Of: "loss", At: []string{"1"}}, "guarantee"},
		{Transform{Question: exact.Question{Event: gaussian("1")}, Of: "loss", At: []string{"i"}}, "real"},
		// The pair that dominates has few outcomes, and nobody attains it.
		{Transform{Question: exact.Question{Event: mechanism.Shuffled{Reports: 3,
			Event: mechanism.RandomizedResponse{NoiseParameter: testkit.Rat("1/2"), NumBuckets: 2}}, Relation: mechanism.ReplaceOne},
			Of: "loss", At: []string{"0.5"}}, "attains"},
		{Transform{Question: exact.Question{Event: rr}, Of: "renyi", At: []string{"2+i"}}, "infinite"},
		{Transform{Question: exact.Question{Event: gaussian("1")}, Of: "phi", At: []string{"1+2j"}}, "want a number such as"},
	} {
		if _, err := c.x.Compute(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s at %q: %v", c.x.Of, c.x.At, err)
		}
	}
}

// TestParseComplex: as people write them.
func TestParseComplex(t *testing.T) {
	for s, want := range map[string][2]string{"2": {"2", "0"}, "i": {"0", "1"}, "-i": {"0", "-1"}, "1+2i": {"1", "2"}, "1e-3-2.5e+2i": {"1/1000", "-250"}, "−1 + 0.5i": {"-1", "1/2"}, "-3i": {"0", "-3"}} {
		z, err := ParseComplex(s, false)
		if err != nil || z.Re.Cmp(testkit.Rat(want[0])) != 0 || z.Im.Cmp(testkit.Rat(want[1])) != 0 {
			t.Errorf("%q is %v + %vi, %v", s, z.Re, z.Im, err)
		}
	}
	for _, s := range []string{"", "x", "1+", "1+2", "i2", "1++2i", "inf", "2ii"} {
		if z, err := ParseComplex(s, false); err == nil {
			t.Errorf("%q is %v + %vi", s, z.Re, z.Im)
		}
	}
}

// TestNumbersOfBinary64: the float64 next to 0.1 is above it, and the one next to 0.3 is below. In a table, in an event
// and as the place that is asked for they are one number: the loss is that, and is not above it.
func TestNumbersOfBinary64(t *testing.T) {
	for _, text := range []string{"0.1", "0.3"} {
		table, err := Read("t.csv", []byte("loss,mass\n"+text+",1\n"), true)
		if err != nil {
			t.Fatal(err)
		}
		x := Transform{Of: targetLoss, At: []string{text}, Binary64: true}
		ofTable, err := table.Compute(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := number.Binary64(testkit.Rat(text))
		if err != nil {
			t.Fatal(err)
		}
		x.Event = mechanism.EpsilonDelta{Epsilon: loss, Delta: new(big.Rat)}
		ofEvent, err := x.Compute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range append(ofTable, ofEvent...) {
			if !y.Value.Re.IsZero() {
				t.Errorf("P(L > %s) = %v of a loss of %s", text, y.Value.Re, text)
			}
		}
	}
}

// TestTailsGrowUnderPostProcessing: who merges two outcomes knows less, so that δ falls at every ε, and yet P(L > 1)
// may double. Hence it is asked of one pair, and no quantity of an event that a pair dominates.
func TestTailsGrowUnderPostProcessing(t *testing.T) {
	rats := func(xs ...string) (out []*big.Rat) {
		for _, x := range xs {
			out = append(out, testkit.Rat(x))
		}
		return out
	}
	apart := mechanism.FinitePair{P: rats("0.1", "0.1", "0.8"), Q: rats("0.0135", "0.04", "0.9465")}
	merged := mechanism.FinitePair{P: rats("0.2", "0.8"), Q: rats("0.0535", "0.9465")}
	for _, c := range []struct {
		e    mechanism.Event
		want float64
	}{{apart, 0.1}, {merged, 0.2}} {
		if got := transformed(t, "loss", c.e, mechanism.Remove, "1")[0].Value.Re; !near(got, c.want, 1e-9) {
			t.Errorf("P(L > 1) of %v is in %v, want %v", c.e, got, c.want)
		}
	}
	for _, eps := range []string{"-3", "-0.1", "0", "0.5", "1", "1.3", "1.9", "3"} {
		var deltas []interval.Interval
		for _, e := range []mechanism.Event{apart, merged} {
			as, err := ask.For(t.Context(), exact.Question{Event: e, Direction: mechanism.Remove}, ask.Goal{}, ask.Delta(testkit.Rat(eps)))
			if err != nil {
				t.Fatal(err)
			}
			deltas = append(deltas, as[0].Interval)
		}
		if deltas[0].Less(deltas[1]) == interval.True {
			t.Errorf("δ(%s): %v apart, %v merged", eps, deltas[0], deltas[1])
		}
	}
}

// TestLemma47: under Q a loss has the mass that it has under P times e^−loss, so that E[e^(zL)] of the reversed pair is
// that of the pair at −1 − z [Zhu, Dong & Wang 2022, Lemma 47; Chourasia et al. 2024, Remark 3.1], where neither loss
// is infinite.
func TestLemma47(t *testing.T) {
	const w = interval.Prec(128)
	z := transform.Number{Re: big.NewRat(-1, 3), Im: big.NewRat(5, 4)}
	mirrored := transform.Number{Re: big.NewRat(-2, 3), Im: big.NewRat(-5, 4)}
	for _, e := range []mechanism.Event{
		gaussian("2"), mechanism.Laplace{NoiseMultiplier: testkit.Rat("2/3")},
		mechanism.FinitePair{P: []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 4), new(big.Rat)}, Q: []*big.Rat{big.NewRat(1, 3), big.NewRat(1, 3), big.NewRat(1, 3)}},
	} {
		products, err := Transform{Question: exact.Question{Event: e}}.products()
		if err != nil {
			t.Fatal(err)
		}
		x, err := transform.Moment(t.Context(), w, products, z)
		if err != nil {
			t.Fatal(err)
		}
		y, err := transform.Moment(t.Context(), w, products.Reverse(), mirrored)
		if err != nil {
			t.Fatal(err)
		}
		if d := w.AbsC(w.SubC(x, y)); d.LessRat(big.NewRat(1, 1e15)) != interval.True {
			t.Errorf("%v: %v and %v", e, x, y)
		}
	}
}

// TestLemma45: a trade-off function f = T[P, Q] gives δ = 1 − f(x) − (−f′(x))x at ε = log −f′(x) for every x [Zhu, Dong
// & Wang 2022, Lemma 45], of (Q, P), and with equality: in rationals, on each line of a table and at both of its ends.
func TestLemma45(t *testing.T) {
	for _, text := range []string{
		"alpha,tradeoff\n0,1\n1,0\n", "alpha,tradeoff\n0,0.9\n0.25,0.25\n0.9,0\n", "alpha,tradeoff\n0,1\n1/3,1/9\n1,0\n", "alpha,tradeoff\n0,1\n0.1,0.5\n0.3,0.2\n0.8,0.01\n1,0\n",
	} {
		table := read(t, text)
		e, err := table.event()
		if err != nil {
			t.Fatal(err)
		}
		f := e.(mechanism.FinitePair)
		back := exactpair.NewFinite(f.Q, f.P)
		for i, p := range table.Points[1:] {
			before := table.Points[i]
			fall := new(big.Rat).Sub(before.Y, p.Y)
			slope := fall.Quo(fall, new(big.Rat).Sub(p.X, before.X))
			for _, x := range []Point{before, p} {
				want := new(big.Rat).Sub(ratOne, x.Y)
				want.Sub(want, new(big.Rat).Mul(slope, x.X))
				if got := back.Delta(slope); got.Cmp(want) != 0 {
					t.Errorf("%q: H_%s = %s, want %s", text, slope.RatString(), got.RatString(), want.RatString())
				}
			}
		}
	}
}

// TestKullbackLeibler: the order 1 is Σ p·log p/q [Chourasia et al. 2024, Remark 2.2], and between orders around it.
// Laplace noise of scale b has 1/b − 1 + e^(−1/b).
func TestKullbackLeibler(t *testing.T) {
	for _, c := range []struct {
		e    mechanism.Event
		want float64
	}{
		{mechanism.Laplace{NoiseMultiplier: testkit.Rat("2")}, 0.5 - 1 + math.Exp(-0.5)},
		{mechanism.FinitePair{P: []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 4)}, Q: []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3)}}, 0.75*math.Log(9.0/4) + 0.25*math.Log(3.0/8)},
	} {
		as, err := ask.For(t.Context(), exact.Question{Event: c.e, Direction: mechanism.Remove}, ask.Goal{},
			ask.Renyi(renyi.At(testkit.Rat("0.999"))), ask.Renyi(renyi.At(testkit.Rat("1"))), ask.Renyi(renyi.At(testkit.Rat("1.001"))))
		if err != nil {
			t.Fatal(err)
		}
		if !near(as[1].Interval, c.want, 1e-11) || as[0].Less(as[1].Interval) != interval.True || as[1].Less(as[2].Interval) != interval.True {
			t.Errorf("%v: orders about 1 have %v, %v, %v, want %v", c.e, as[0].Interval, as[1].Interval, as[2].Interval, c.want)
		}
	}
}
