// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"
	"runtime"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
)

// wordMixtures are pairs of every kind that have nodes in words.
func wordMixtures() []pair.Pair {
	sampled := func(rate, mu2 string, reversed bool) pair.Pair {
		return pair.Sampled{Rate: rat(rate), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat(mu2)}, Count: 1}}, Reversed: reversed}
	}
	return []pair.Pair{
		sampled("1/100", "1", false), sampled("1/3", "4", true), sampled("1/1000", "25/9", false),
		pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{rat("0"), rat("1/2"), rat("2")}, Probs: []*big.Rat{rat("1/2"), rat("1/4"), rat("1/4")}}, Q: normals.Standard()},
		pair.SampledReplaceGaussian{Rate: rat("1/5"), Mu2: rat("2")},
	}
}

// TestWordNodes: the same nodes as by exact/interval, of at least 150 bits, and the same error.
func TestWordNodes(t *testing.T) {
	for _, x := range wordMixtures() {
		m := mixtureOf(t, x)
		for _, l := range []string{"1/3", "2"} {
			r, ok := m.chooseRule(40, rat(l), 10, maxStripNodes)
			if !ok {
				t.Fatal("no rule")
			}
			q, want := m.wordNodes(rat(l), r), m.nodes(200, rat(l), r)
			if len(q.weights) != len(want.Weights) || len(q.losses) != len(want.Losses) {
				t.Fatalf("%s: %d nodes, want %d", x, len(q.weights), len(want.Weights))
			}
			for k := range q.weights {
				for name, p := range map[string][2]interval.Interval{
					"weight": {q.weights[k].Interval(), want.Weights[k]}, "loss": {q.losses[k].Interval(), want.Losses[k]},
				} {
					if _, ok := interval.Intersect(p[0], p[1]); !ok {
						t.Fatalf("%s: %s %d is %v, want %v", x, name, k, p[0], p[1])
					}
				}
				if !q.weights[k].Good(150) {
					t.Fatalf("%s: weight %d is %v", x, k, q.weights[k].Interval())
				}
			}
			most := coarse.Mul(want.Err, coarse.Rat(rat("1000001/1000000")))
			if q.err.Less(want.Err.Lower()) == interval.True && coarse.Mul(q.err, coarse.Rat(rat("1000001/1000000"))).Less(want.Err) == interval.True || most.Less(q.err) == interval.True {
				t.Errorf("%s: the error is %v, want %v", x, q.err, want.Err)
			}
		}
	}
}

// TestWordLineErrors: M is within the error of the values, of rules that are so coarse that it matters.
func TestWordLineErrors(t *testing.T) {
	h := fixed.FromInterval(interval.Prec(224).Rat(rat("3/8")))
	const n = 9
	for _, x := range wordMixtures() {
		m := mixtureOf(t, x)
		fineLine, err := m.line(t.Context(), 120, rat("1/2"), h.Interval(), n)
		if err != nil || fineLine == nil {
			t.Fatal(err)
		}
		for _, p := range []interval.Prec{2, 5, 24, 90} {
			l, ok, err := m.wordLine(t.Context(), p, rat("1/2"), h, n)
			if !ok || err != nil || len(l.values) != n+1 {
				t.Fatal(ok, err)
			}
			for j, z := range l.values {
				d := fine.AbsC(fine.SubC(z.Interval(), fineLine[j]))
				if l.err.Less(d) == interval.True {
					t.Errorf("%s at %d bits: M_%d is %v off, more than %v", x, p, j, d, l.err)
				}
			}
		}
	}
}

// TestWordValuesAreWithinTheirDistance: products of powers of values that are far off.
func TestWordValuesAreWithinTheirDistance(t *testing.T) {
	testkit.SkipShort(t)
	for i, x := range wordMixtures() {
		for _, prod := range testkit.InTurn(i, []pair.Product{
			{{Pair: x, Count: 1}}, {{Pair: x, Count: 40}},
			{{Pair: x, Count: 7}, {Pair: pair.Gaussian{Mu2: rat("1/9")}, Count: 1}},
		}) {
			tr, ok := newTransform(prod)
			if !ok && prod[0].Count >= minSmoothCopies {
				t.Fatal(prod)
			}
			c := parameters{lambda: rat("3/2"), kappa: rat("2"), period: rat("11"), tail: 1, far: 1}
			const n = 12
			want, err := fineProduct(t, tr, c, n)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []interval.Prec{2, 4, 8, 16, 60} {
				c.prec, c.tail = p, float64(p)*math.Ln2
				values, between, ok, err := tr.wordValues(t.Context(), c, factorsOf(tr), n)
				if err != nil || values == nil {
					t.Fatal(prod, ok, err)
				}
				sum := interval.Int(0)
				for j, z := range values {
					sum = fine.Add(sum, fine.Scale(fine.AbsC(fine.SubC(z.Interval(), want[j])), 1))
				}
				if between.Less(sum.Lower()) == interval.True {
					t.Errorf("%s at %d bits: the distances add up to %v, more than %v", prod, p, sum, between)
				}
				if p == 60 && coarse.Scale(want[0].Re, -20).Less(between) == interval.True {
					t.Errorf("%s at %d bits: %v is wide", prod, p, between)
				}
			}
		}
	}
}

// A farFactor is z_j = 1/(j + 1) for M(−λ + ijh) = z_j + err.
type farFactor struct {
	factor
	err  interval.Interval
	wide bool // the values are enclosures with a radius of err, and nothing else is
}

func (f farFactor) wordLine(_ context.Context, _ interval.Prec, _ *big.Rat, _ fixed.Real, n int) (wordLine, bool, error) {
	l := wordLine{err: f.err}
	for j := range n + 1 {
		z := words.Div(fixed.Int(1), fixed.Int(int64(j+1)))
		if f.wide {
			z = fixed.FromInterval(fine.Add(z.Interval(), interval.Union(f.err.Neg(), f.err)))
		}
		l.values = append(l.values, fixed.Complex{Re: z})
	}
	if f.wide {
		l.err = interval.Int(0)
	}
	return l, true, nil
}

// TestDistanceOfFarValues: values that are as far off as they may be, on one side, so that the bound is nearly
// attained, and values that are near 0 for their error.
func TestDistanceOfFarValues(t *testing.T) {
	const n = 5
	c := parameters{lambda: rat("1"), kappa: rat("2"), period: rat("100"), tail: 1, far: 1, prec: 60}
	for i, err := range []string{"1/1000000", "1/100", "3", "1/1000000"} {
		wide := i == 3
		for _, count := range []int64{1, 2, 25} {
			e := fine.Rat(rat(err))
			f := farFactor{err: e, wide: wide}
			x := &Transform{terms: []term{{f, count}, {f, 1}}}
			_, between, _, _ := x.wordValues(t.Context(), c, []factor{f, f}, n)
			sum := interval.Int(0)
			for j := range n + 1 {
				z := fine.Rat(big.NewRat(1, int64(j+1)))
				d := fine.Sub(fine.PowInt(fine.Add(z, e), count+1), fine.PowInt(z, count+1))
				at := fine.Mul(interval.Int(int64(j)), c.step(fine))
				sum = fine.Add(sum, fine.Div(fine.Scale(d, 1), fine.Add(fine.Sqr(at), interval.Int(2))))
			}
			if between.Less(sum) == interval.True || err != "1/100" && fine.Scale(sum, 1).Less(between) == interval.True {
				t.Errorf("%d copies, %s off: %v, want little more than %v", count, err, between, sum)
			}
		}
	}
}

func factorsOf(x *Transform) []factor {
	var out []factor
	for _, t := range x.terms {
		out = append(out, t.f.at(200))
	}
	return out
}

// fineProduct encloses M(s_j)/(s_j(s_j − 1)) by exact/interval.
func fineProduct(t *testing.T, x *Transform, c parameters, n int) ([]interval.Complex, error) {
	h := c.step(232)
	out := make([]interval.Complex, n+1)
	for j := range out {
		s := interval.Complex{Re: fine.Rat(c.lambda).Neg(), Im: fine.Mul(interval.Int(int64(j)), h)}
		out[j] = fine.InvC(fine.MulC(s, fine.SubC(s, interval.Complex{Re: one})))
	}
	for _, f := range x.terms {
		values, err := f.f.line(t.Context(), 160, c.lambda, h, n)
		if err != nil {
			return nil, err
		}
		for j := range out {
			out[j] = fine.MulC(out[j], fine.PowIntC(values[j], f.count))
		}
	}
	return out, nil
}

// TestWordsAgreeWithIntervals: δ by lines in words meets that by exact/interval.
func TestWordsAgreeWithIntervals(t *testing.T) {
	testkit.SkipShort(t)
	for i, x := range wordMixtures() {
		prod := pair.Product{{Pair: x, Count: 50}}
		if i%2 == 0 {
			prod = append(prod, pair.Term{Pair: pair.Gaussian{Mu2: rat("1/50")}, Count: 2})
		}
		tr, ok := New(prod)
		if !ok {
			t.Fatal(prod)
		}
		for _, eps := range []string{"1/3", "2"}[i%2 : i%2+1] {
			e := interval.RealRat(rat(eps))
			at, ok := tr.around(e(coarse))
			c, ok2 := tr.choose(60, at)
			if !ok || !ok2 {
				t.Fatal(prod)
			}
			l, err := tr.newLine(t.Context(), c)
			if err != nil || l.words == nil {
				t.Fatal(prod, err)
			}
			l.values, err = tr.values(t.Context(), c, factorsOf(tr), make([]double.Interval, l.n()+1))
			l.words = nil
			if err != nil || l.values == nil {
				t.Fatal(prod, err)
			}
			want, err := l.invert(t.Context(), e(300))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range testkit.QuickTurn(i, []interval.Prec{24, 48}) {
				y, err := tr.Delta(t.Context(), p, e)
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := interval.Intersect(y, want); !ok || y.RelativeBits(200) < int(p)-6 {
					t.Errorf("%s at %s: %v with %d bits, want %v", prod, eps, y, p, want)
				}
			}
			// Of an ε that is known to few bits, too.
			wide := func(p interval.Prec) interval.Interval {
				return interval.Union(p.Rat(rat(eps)), p.Rat(rat(eps+"0001")))
			}
			if eps == "2" {
				wide = func(p interval.Prec) interval.Interval {
					return interval.Union(p.Rat(rat(eps)), p.Rat(rat("20001/10000")))
				}
			}
			y, err := tr.Delta(t.Context(), 24, wide)
			if _, ok := interval.Intersect(y, want); err != nil || !ok {
				t.Errorf("%s at [%s, …]: %v, %v, want %v", prod, eps, y, err, want)
			}
		}
	}
	if tr, ok := New(pair.Product{{Pair: wordMixtures()[0], Count: 50}}); !ok {
		t.Error("no transform")
	} else if l, err := tr.lineAt(t.Context(), 24, false, coarse.Rat(rat("1"))); err != nil || l == nil || l.words == nil {
		t.Errorf("the line of 24 bits is not in words: %v", err)
	}
}

// TestWordsOfManyCopies: powers of a million of rare samples have the bits that are wanted, and are those of
// exact/interval.
func TestWordsOfManyCopies(t *testing.T) {
	tr, ok := New(pair.Product{{Pair: sampledGaussian("1/3000000", "2", true), Count: 1 << 20}})
	if !ok {
		t.Fatal("no transform")
	}
	c := parameters{lambda: rat("300"), kappa: rat("600"), period: rat("1/5"), tail: 90 * math.Ln2, far: 1, prec: 200}
	const n = 3
	values, between, ok, err := tr.wordValues(t.Context(), c, factorsOf(tr), n)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	want, err := fineProduct(t, tr, c, n)
	if err != nil {
		t.Fatal(err)
	}
	sum := interval.Int(0)
	for j, z := range values {
		sum = fine.Add(sum, fine.Scale(fine.AbsC(fine.SubC(z.Interval(), want[j])), 1))
	}
	if most := fine.Scale(want[0].Re, -90); most.Less(sum.Upper()) == interval.True || between.Less(sum.Lower()) == interval.True {
		t.Errorf("the distances add up to %v, want at most %v and %v", sum, between, most)
	}
}

// A nearFactor is z_j = 1 + 1/(i + j + 100), off by 2^−150.
type nearFactor struct {
	factor
	i int64
}

func (f nearFactor) wordLine(_ context.Context, _ interval.Prec, _ *big.Rat, _ fixed.Real, n int) (wordLine, bool, error) {
	l := wordLine{err: interval.Point(new(big.Float).SetMantExp(big.NewFloat(1), -150))}
	for j := range n + 1 {
		l.values = append(l.values, fixed.Complex{Re: words.Rat(big.NewRat(f.i+int64(j)+101, f.i+int64(j)+100))})
	}
	return l, true, nil
}

// TestWordsOfManyFactors: the product of 150 factors, each with its own power, has the bits that are wanted.
func TestWordsOfManyFactors(t *testing.T) {
	x, factors := new(Transform), []factor(nil)
	c := parameters{lambda: rat("1/2"), kappa: rat("2"), period: rat("11"), tail: 90 * math.Ln2, far: 1, prec: 200}
	const n = 2
	h := c.step(232)
	var want []interval.Complex
	for j := range n + 1 {
		s := interval.Complex{Re: fine.Rat(c.lambda).Neg(), Im: fine.Mul(interval.Int(int64(j)), h)}
		want = append(want, fine.InvC(fine.MulC(s, fine.SubC(s, interval.Complex{Re: one}))))
	}
	for i := range int64(150) {
		factors = append(factors, nearFactor{i: i})
		x.terms = append(x.terms, term{count: 1 + i%2})
		for j := range want {
			z := fine.Rat(big.NewRat(i+int64(j)+101, i+int64(j)+100))
			want[j] = fine.MulC(want[j], interval.Complex{Re: fine.PowInt(z, 1+i%2)})
		}
	}
	values, _, ok, err := x.wordValues(t.Context(), c, factors, n)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	for j, z := range values {
		d := fine.AbsC(fine.SubC(z.Interval(), want[j]))
		if fine.Scale(fine.AbsC(want[j]), -120).Less(d.Lower()) == interval.True || !z.Re.Good(120) {
			t.Errorf("the product at %d is %v, want %v", j, z.Interval(), want[j])
		}
	}
}

// TestCoarseWordLinesHoldTheTruth: lines whose values are far off, as a rule of few bits makes them.
func TestCoarseWordLinesHoldTheTruth(t *testing.T) {
	testkit.SkipShort(t)
	x := wordMixtures()[1]
	tr, ok := New(pair.Product{{Pair: x, Count: 20}})
	if !ok {
		t.Fatal("no transform")
	}
	eps := rat("1")
	want, err := tr.Delta(t.Context(), 64, interval.RealRat(eps))
	if err != nil {
		t.Fatal(err)
	}
	at, _ := tr.around(coarse.Rat(eps))
	c, ok := tr.choose(30, at)
	if !ok {
		t.Fatal("no parameters")
	}
	seen := 0
	for _, p := range []interval.Prec{2, 6, 10, 14, 20} {
		c.prec, c.tail = p, float64(p-13)*math.Ln2 // a rule of p bits
		l, err := tr.newLine(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if l == nil || l.words == nil {
			continue
		}
		seen++
		factors := make([]factor, len(tr.terms))
		for i, f := range tr.terms {
			factors[i] = f.f.at(p)
		}
		_, between := tr.trim(c, double.Of(c.step(coarse)), tr.sizes(c, factors))
		between = coarse.Mul(between, coarse.PowInt(factors[0].moment(doublePrec, c.lambda), 20))
		if _, distance, _, _ := tr.wordValues(t.Context(), c, factors, l.n()); l.between.Less(coarse.Add(between, distance).Lower()) == interval.True {
			t.Errorf("a rule of %d bits is %v off, and the line %v, %v without it", p, distance, l.between, between)
		}
		l.prec = 80 // of all else
		y, err := l.invert(t.Context(), interval.Prec(224).Rat(eps))
		if _, ok := interval.Intersect(y, want); err != nil || !ok {
			t.Errorf("by a rule of %d bits %v, %v, want %v", p, y, err, want)
		}
	}
	if seen < 2 {
		t.Errorf("%d lines in words", seen)
	}
}

// TestSizesOfRanges: the bounds of a decay on ranges hold for their points.
func TestSizesOfRanges(t *testing.T) {
	h := double.Of(coarse.Rat(rat("1/10")))
	asked := 0
	d := func(a, b float64) float64 { asked++; return -a * (1 - 1e-9) }
	sizes := fall.Sizes(d, h, 5000)
	for j, y := range sizes {
		if at := -0.1 * float64(j); y < at*(1+1e-6) || y > at*32/33*(1-1e-6)+1e-9 {
			t.Fatalf("size %d is %v, want about %v", j, y, at)
		}
	}
	if asked > 400 {
		t.Errorf("%d questions about %d points", asked, len(sizes))
	}
}

// TestTermsOfTooManyNodesAreNotCounted: next to no noise a shifted line has 3 million nodes. They cost too much, and
// counting their terms would, too.
func TestTermsOfTooManyNodesAreNotCounted(t *testing.T) {
	base := pair.Gaussian{Mu2: big.NewRat(1e8, 1)}
	m, ok := newMixture(pair.Sampled{Rate: big.NewRat(1, 100), Base: pair.Product{{Pair: base, Count: 1}}, Reversed: true})
	if !ok {
		t.Fatal("no mixture")
	}
	lambda := big.NewRat(1, 10)
	if plan, ok := m.planShifted(140, lambda); !ok || plan.nodes() < 1e6 {
		t.Fatalf("%v, %v nodes", ok, plan.nodes())
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l, ok, err := m.wordLine(t.Context(), 140, lambda, words.Rat(big.NewRat(1, 1000)), 1000)
	runtime.ReadMemStats(&after)
	if l.values != nil || !ok || err != nil {
		t.Fatalf("%d values, %v, %v", len(l.values), ok, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("it took %d bytes to see that", took)
	}
}
