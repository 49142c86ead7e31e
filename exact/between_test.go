// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestSubsetsBetweenTheirOrientations: a replaced record of a sample without replacement may be told better than by
// either orientation of ((1−γ)Q + γP, Q). Records 1 and −1, with noise on their sum, and all others 0, are N(1, 1) and
// N(−1, 1), each mixed with N(0, 1).
func TestSubsetsBetweenTheirOrientations(t *testing.T) {
	ctx := context.Background()
	noise := mechanism.Gaussian{NoiseMultiplier: rat("1")}
	subset, err := Prepare(ctx, Question{Event: mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 1, Event: noise}, Relation: mechanism.ReplaceOne}, 0)
	if err != nil {
		t.Fatal(err)
	}
	between, err := Prepare(ctx, Question{Event: mechanism.PoissonSampled{SamplingProbability: rat("1/10"), Event: noise}, Relation: mechanism.ReplaceOne}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		name string
		at   []string
		of   func(p *Profile, x *big.Rat) (Result, error)
	}{
		{"1 − f", []string{"0", "1/10", "9/20", "3/4", "1", "1/4", "1/100", "1/2", "99/100"}[:testkit.Draws(2, 3, 9)], func(p *Profile, x *big.Rat) (Result, error) {
			y, err := p.TradeOff(ctx, x, 30)
			y.Interval = interval.Prec(128).Sub(interval.Int(1), y.Interval)
			return y, err
		}},
		{"μ", []string{"9/20", "1/100", "1/2"}[:testkit.Cases(1, 3)], func(p *Profile, x *big.Rat) (Result, error) { return p.GaussianDP(ctx, x, 20) }},
	} {
		for _, x := range q.at {
			y, err1 := q.of(subset, rat(x))
			z, err2 := q.of(between, rat(x))
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if y.Hi().Cmp(z.Lo()) < 0 {
				t.Errorf("%s at %s is %s, of a mechanism %s", q.name, x, y.Interval, z.Interval)
			}
		}
	}
}

// TestDivergencesOfSubsets: of (5, 0)-DP mechanisms, (p, q, r), (q, p, r) for the two records and (q, q, 1 − 2q) for a
// sample without them have divergences that are greater than those of the two orientations.
func TestDivergencesOfSubsets(t *testing.T) {
	const w = interval.Prec(64)
	q := rat("1/151") // less than 1/(e^5 + 2)
	p := new(big.Rat).Mul(q, rat("148.4"))
	r := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Add(p, q))
	rest := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Add(q, q))
	two, without := [][]*big.Rat{{p, q, r}, {q, p, r}}, []*big.Rat{q, q, rest}
	for _, x := range append(two, without) {
		for _, y := range append(two, without) {
			for i := range x {
				if w.Log(w.Rat(new(big.Rat).Quo(x[i], y[i]))).LessEqRat(rat("5")) != interval.True {
					t.Fatalf("%s and %s", x[i], y[i])
				}
			}
		}
	}
	gamma, keep := rat("1/1000"), rat("999/1000")
	for _, x := range two {
		for i := range x {
			x[i] = new(big.Rat).Add(new(big.Rat).Mul(gamma, x[i]), new(big.Rat).Mul(keep, without[i]))
		}
	}
	subset := mechanism.SampledWithoutReplacement{SourceDatasetSize: 1000, SampleSize: 1, Event: mechanism.EpsilonDelta{Epsilon: rat("5"), Delta: new(big.Rat)}}
	curves := make([]*renyi.Curve, 2)
	for i, e := range []mechanism.Event{subset, mechanism.FinitePair{P: two[0], Q: two[1]}} {
		prob, err := meaning.Resolve(e, mechanism.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		if curves[i], err = renyi.NewCurve(prob, mechanism.Both); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []string{"1/10", "1/2", "1", "3/2", "2", "5", "20"} {
		y, z := curves[0].Stated(w, renyi.At(rat(a))), curves[1].Stated(w, renyi.At(rat(a)))
		if y.Hi().Cmp(z.Lo()) < 0 {
			t.Errorf("R(%s) is at most %s, of a mechanism %s", a, y, z)
		}
	}
}

// TestSamplesOfChoices: which alternative a sample has may depend on who else is sampled, and outputs may tell: any
// average of their profiles is one of a mechanism.
func TestSamplesOfChoices(t *testing.T) {
	testkit.SkipUsual(t, "TestSubsetsBetweenTheirOrientations has a mechanism between two bounds, too")
	ctx := context.Background()
	noise := mechanism.DiscreteGaussian{Sigma: rat("1"), Sensitivity: rat("2")}
	sample := mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: noise}
	p, err := Prepare(ctx, Question{Event: sample, Direction: mechanism.Remove}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.bounds) != 2 {
		t.Fatalf("%d alternatives, want 2", len(p.bounds))
	}
	average := profile.ToTradeOffBits(func(ctx context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		sum := interval.Int(0)
		for _, b := range p.bounds {
			y, err := p.solver.Delta(ctx, b.Sol, w, eps)
			if err != nil {
				return y, err
			}
			sum = w.Add(sum, w.Scale(y, -1))
		}
		return sum, nil
	}, 20)
	for _, x := range []string{"1/50", "1/2", "1/100", "1/10", "1/5", "9/10"} {
		y, err1 := p.TradeOff(ctx, rat(x), 20)
		z, err2 := average(ctx, 64, rat(x))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if z.Hi().Cmp(y.Lo()) < 0 {
			t.Errorf("f(%s) is %s, of an average %s", x, y.Interval, z)
		}
	}
}

// TestShiftsBetweenIntegers: a shift of noise on cells by 3/2 is between those by 1 and 2, visibly so, and may be told
// better than either.
func TestShiftsBetweenIntegers(t *testing.T) {
	ctx := context.Background()
	noise := mechanism.AdditiveNoise{Probabilities: rats("2/88", "20/88", "2/88", "20/88", "20/88", "2/88", "20/88", "2/88"), Cell: rat("1"), Sensitivity: rat("2")}
	shifted := mechanism.FinitePair{}
	shifted.P, shifted.Q = noise.Shifted(rat("3/2"))
	for _, e := range []mechanism.Event{noise, mechanism.Maximum{Events: []mechanism.Event{noise, mechanism.Gaussian{NoiseMultiplier: rat("100")}}}} {
		for _, x := range []string{"0", "1/100", "1/20", "1/10", "1/2", "9/10"} {
			var f [2]interval.Interval
			for i, e := range []mechanism.Event{e, shifted} {
				p, err := Prepare(ctx, Question{Event: e}, 0)
				if err != nil {
					t.Fatal(err)
				}
				y, err := p.TradeOff(ctx, rat(x), 30)
				if err != nil {
					t.Fatal(err)
				}
				f[i] = y.Interval
			}
			if f[1].Hi().Cmp(f[0].Lo()) < 0 {
				t.Errorf("f(%s) is %s, of a shift by 3/2 %s", x, f[0], f[1])
			}
		}
	}
}

// TestSamplesOfWhatIsNotAttained: what others do to the witness of a base is not always what they do to its sample.
// The values are of all data sets, in rationals.
func TestSamplesOfWhatIsNotAttained(t *testing.T) {
	reports := mechanism.Shuffled{Reports: 2, Event: mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: 3}}
	three := [][]*big.Rat{rats("3/5", "1/5", "1/5"), rats("1/5", "3/5", "1/5"), rats("1/5", "1/5", "3/5")}
	table := mechanism.Shuffled{Reports: 2, Event: mechanism.LocalRandomizer{Table: three}}
	for _, c := range []struct {
		event mechanism.Event
		rel   mechanism.Relation
		eps   string
		most  string
	}{
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 4, SampleSize: 2, Event: reports}, mechanism.ReplaceOne, "3/10", "0.135447"},
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 4, SampleSize: 2, Event: table}, mechanism.AddOrRemoveOne, "3/10", "0.038018"},
	} {
		r, err := Delta(t.Context(), Question{Event: c.event, Relation: c.rel}, rat(c.eps), 0)
		if err != nil || interval.Point(r.Lo()).LessRat(rat(c.most)) != interval.True {
			t.Errorf("%s, %s: δ(%s) in %v, want at most %s: %v", mechanism.EncodeEvent(c.event), c.rel, c.eps, r.Interval, c.most, err)
		}
	}
}

// TestMatricesOfAllSteps: what bounds a sensitivity is not attained. All of 200 steps move the rows by 1, 3, 3, …, so
// that μ² = 1792/10000 and δ(1) is .0020873.
func TestMatricesOfAllSteps(t *testing.T) {
	e, err := mechanism.DecodeEvent([]byte(`{"class_name":"MatrixMechanismEvent","strategy":{"toeplitz":[1,2],"steps":200},` +
		`"sampling":{"allocation":{"select":200}},"noise_multiplier":100}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Delta(t.Context(), Question{Event: e}, rat("1"), 0)
	if err != nil || interval.Point(r.Lo()).LessRat(rat("0.0021")) != interval.True || interval.Point(r.Hi()).LessRat(rat("0.002")) == interval.True {
		t.Errorf("δ(1) in %v, want .0020873: %v", r.Interval, err)
	}
}

// TestRecordsAgainOfWhatIsBounded: the noise that dominates a last iterate of bounded points is not its noise.
func TestRecordsAgainOfWhatIsBounded(t *testing.T) {
	iterate := mechanism.LastIterate{Contraction: rat("1"), Steps: 1000, NoiseMultiplier: rat("10"), Batches: 1, Diameter: rat("9")}
	for _, n := range []int64{1, 5} {
		e := mechanism.SampledWithReplacement{SourceDatasetSize: n, SampleSize: 5, Event: iterate}
		if r, err := Delta(t.Context(), Question{Event: e, Relation: mechanism.ReplaceSpecial}, rat("1"), 0); err == nil {
			t.Errorf("5 draws from %d: δ(1) in %v, want a refusal", n, r.Interval)
		}
	}
}
