// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"os"
	"testing"

	"dpverify/exact/batch"
	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestTruncatedSampleByHand: a batch that is never full is a Poisson sample, one of everybody a Gaussian, and one
// that is always full a sample of a Gaussian at distance 2, as other records may be opposite to the record.
func TestTruncatedSampleByHand(t *testing.T) {
	ctx := context.Background()
	sample := func(n int64, q string, b int64) mechanism.Event {
		return mechanism.TruncatedSubsampledGaussian{DatasetSize: n, SamplingProbability: rat(q), TruncatedBatchSize: b, NoiseMultiplier: rat("1")}
	}
	poisson := func(q, sigma string) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: rat(q), Event: mechanism.Gaussian{NoiseMultiplier: rat(sigma)}}
	}
	for _, c := range []struct {
		name      string
		e, same   mechanism.Event
		agreeBits int
	}{
		{"never full", sample(10, "1/3", 10), poisson("1/3", "1"), 40},
		{"everybody", sample(10, "1", 10), mechanism.Gaussian{NoiseMultiplier: rat("1")}, 40},
		{"nobody", sample(10, "1/3", 0), mechanism.NoOp{}, 1},
		{"always full", sample(2, "1", 1), poisson("1/2", "1/2"), 40},
	} {
		for _, eps := range []string{"0", "1/2", "3"} {
			p, err := Prepare(ctx, Question{Event: c.e}, 0)
			if err != nil {
				t.Fatal(c.name, err)
			}
			q, err := Prepare(ctx, Question{Event: c.same}, 0)
			if err != nil {
				t.Fatal(c.name, err)
			}
			x, err := p.Delta(ctx, rat(eps))
			y, err2 := q.Delta(ctx, rat(eps))
			if err != nil || err2 != nil || x.Lo().Cmp(y.Hi()) > 0 || y.Lo().Cmp(x.Hi()) > 0 || x.RelativeBits(64) < c.agreeBits && x.Hi().Sign() > 0 {
				t.Errorf("%s: δ(%s) = %s, want %s (%v, %v)", c.name, eps, x.Interval, y.Interval, err, err2)
			}
		}
	}
}

// TestSampleOfFullBatches: a batch of B of the m records of a sample of n is a sample of B of n, also composed. Others
// that are what is replaced show less once they may be in the sample without the record.
func TestSampleOfFullBatches(t *testing.T) {
	ctx := context.Background()
	sample := func(n, size int64, e mechanism.Event) mechanism.Event {
		return mechanism.SampledWithoutReplacement{SourceDatasetSize: n, SampleSize: size, Event: e}
	}
	for _, n := range testkit.Few(1, []int64{4, 10}) {
		full := mechanism.TruncatedSubsampledGaussian{DatasetSize: n / 2, SamplingProbability: rat("1"), TruncatedBatchSize: 1, NoiseMultiplier: rat("1")}
		twice := func(e mechanism.Event) mechanism.Event { return mechanism.SelfComposed{Event: e, Count: 2} }
		same := twice(sample(n, 1, mechanism.Gaussian{NoiseMultiplier: rat("1")}))
		for _, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
			q := Question{Event: twice(sample(n, n/2, full)), Direction: d}
			x, err := Prepare(ctx, q, 0)
			q.Event = same
			y, err2 := Prepare(ctx, q, 0)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			for _, eps := range []string{"-1", "-1/10", "0", "1/10", "1"} {
				x, err := x.Delta(ctx, rat(eps))
				y, err2 := y.Delta(ctx, rat(eps))
				if err != nil || err2 != nil || x.Lo().Cmp(y.Hi()) > 0 || y.Lo().Cmp(x.Hi()) > 0 {
					t.Errorf("1 of %d, %v: δ(%s) = %v, want %v (%v, %v)", n, d, eps, x.Interval, y.Interval, err, err2)
				}
			}
		}
	}
}

// TestSampleOfTruncatedSamples: where all others are null, a record of 4 is in a batch of one of a sample of 2 with the
// probability q(1 − q/2)/2, so that with q = 1/2 and records that are opposite, δ(0) is 3/16·(2Φ(1) − 1) at least.
func TestSampleOfTruncatedSamples(t *testing.T) {
	ctx := context.Background()
	p, err := Prepare(ctx, Question{Relation: mechanism.ReplaceOne, Event: mechanism.SampledWithoutReplacement{
		SourceDatasetSize: 4, SampleSize: 2, Event: mechanism.TruncatedSubsampledGaussian{DatasetSize: 2,
			SamplingProbability: rat("1/2"), TruncatedBatchSize: 1, NoiseMultiplier: rat("1")}}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	const w = interval.Prec(80)
	half := w.Sub(w.NormalCDF(interval.Int(1)), w.Rat(rat("1/2")))
	least := w.Mul(w.Rat(rat("3/8")), half)
	y, err := p.Delta(ctx, rat("0"))
	if err != nil || least.Hi().Cmp(y.Hi()) > 0 || y.RelativeBits(64) < 5 {
		t.Errorf("δ(0) = %v, want %v or a little more (%v)", y.Interval, least, err)
	}
}

// outside is what some places of the other records do to a truncated sample, δ(ε) for eps, reversed or not: in the
// plane, the batches written out, on a coarse grid of cells with bounds, hence from below, and with no random order of
// records.
func outside(n int64, q *big.Rat, size int64, others [][2]*big.Rat, null, reversed bool, eps []string) []interval.Interval {
	const w = interval.Prec(80)
	known := make(map[string][]interval.Interval)
	cells := func(mean *big.Rat) []interval.Interval {
		out := known[mean.RatString()]
		if out != nil {
			return out
		}
		last := interval.Int(0)
		for i := int64(-10); i <= 10; i++ {
			y := w.NormalCDF(w.Rat(new(big.Rat).Sub(big.NewRat(3*i, 5), mean)))
			out, last = append(out, w.Sub(y, last)), y
		}
		out = append(out, w.Sub(interval.Int(1), last))
		known[mean.RatString()] = out
		return out
	}
	const side = 22
	ps, qs := make([]interval.Interval, side*side), make([]interval.Interval, side*side)
	for i := range ps {
		ps[i], qs[i] = interval.Int(0), interval.Int(0)
	}
	spread := func(to []interval.Interval, x, y, weight *big.Rat) {
		xs, ys := cells(x), cells(y)
		for i, a := range xs {
			a = w.Mul(a, w.Rat(weight))
			for j, b := range ys {
				to[i*side+j] = w.Add(to[i*side+j], w.Mul(a, b))
			}
		}
	}
	// A batch of all records: with the record, without it, or with a null one in its place; cut to a random subset.
	all := append([][2]*big.Rat{{rat("1"), rat("0")}}, others...)
	var choose func(from int, batch []int, chosen func([]int))
	choose = func(from int, batch []int, chosen func([]int)) {
		chosen(batch)
		for i := from; i < len(all); i++ {
			choose(i+1, append(batch[:len(batch):len(batch)], i), chosen)
		}
	}
	add := func(to []interval.Interval, records []int, value func(int) [2]*big.Rat) {
		weights := make(map[int]*big.Rat) // of each size of a sample
		for k := 0; k <= len(records); k++ {
			w := new(big.Rat).SetInt(new(big.Int).Binomial(int64(len(records)), int64(k)))
			for i := range records {
				f := q
				if i >= k {
					f = new(big.Rat).Sub(rat("1"), q)
				}
				w.Mul(w, f)
			}
			at := min(k, int(size))
			if weights[at] == nil {
				weights[at] = new(big.Rat)
			}
			weights[at].Add(weights[at], w)
		}
		choose(records[0], nil, func(batch []int) {
			w, ok := weights[len(batch)]
			if !ok {
				return
			}
			x, y := new(big.Rat), new(big.Rat)
			for _, i := range batch {
				v := value(i)
				x.Add(x, v[0])
				y.Add(y, v[1])
			}
			of := new(big.Rat).SetInt(new(big.Int).Binomial(int64(len(records)), int64(len(batch))))
			spread(to, x, y, of.Quo(w, of))
		})
	}
	var with, without []int
	for i := range all {
		with = append(with, i)
		if i > 0 || null {
			without = append(without, i)
		}
	}
	add(ps, with, func(i int) [2]*big.Rat { return all[i] })
	add(qs, without, func(i int) [2]*big.Rat {
		if i == 0 {
			return [2]*big.Rat{rat("0"), rat("0")}
		}
		return all[i]
	})
	if reversed {
		ps, qs = qs, ps
	}
	var out []interval.Interval
	for _, e := range eps {
		alpha, sum := w.Exp(w.Rat(rat(e))), interval.Int(0)
		for i := range ps {
			sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(ps[i], w.Mul(alpha, qs[i])).Lower()))
		}
		out = append(out, sum)
	}
	return out
}

// TestTruncatedSampleAgainstBatches: no places of the other records are worse than the bound from above, whether a
// record is added, removed or replaced by a null one.
func TestTruncatedSampleAgainstBatches(t *testing.T) {
	losses := testkit.Few(4, []string{"-3/5", "-1/4", "0", "1/4", "3/5", "1", "2", "4"})
	at := func(x, y string) [2]*big.Rat { return [2]*big.Rat{rat(x), rat(y)} }
	up, back, lean := at("0", "1"), at("-1", "0"), at("-3/5", "4/5")
	both := 0
	for _, c := range []struct {
		q      string
		size   int64
		others [][2]*big.Rat
	}{
		{"1/2", 2, [][2]*big.Rat{back, back, back}},
		{"1/2", 2, [][2]*big.Rat{at("3/5", "4/5"), back, back}},
		{"1/2", 2, [][2]*big.Rat{at("-3/5", "4/5"), at("-3/5", "-4/5"), at("-3/5", "4/5")}},
		{"1/3", 1, [][2]*big.Rat{back, back, lean}},
		{"1/2", 2, [][2]*big.Rat{lean, lean}},
		{"4/5", 3, [][2]*big.Rat{up, up, lean, back}},
		{"1/2", 1, [][2]*big.Rat{at("1", "0"), at("1", "0")}},
	}[:testkit.Draws(1, 3, 7)] {
		n := int64(len(c.others)) + 1
		e := mechanism.TruncatedSubsampledGaussian{DatasetSize: n, SamplingProbability: rat(c.q), TruncatedBatchSize: c.size, NoiseMultiplier: rat("1")}
		for _, rel := range []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial} {
			problem, err := meaning.Resolve(e, rel)
			if err != nil {
				t.Fatal(err)
			}
			for _, reversed := range []bool{false, true} {
				x := problem.Dominating()[0].Pair
				if reversed {
					x = x.Reverse()
				}
				finite := pair.NewFinite([]*big.Rat{rat("1"), new(big.Rat)}, []*big.Rat{new(big.Rat), rat("1")}) // where there is no such pair
				if n == 4 && c.q == "1/2" && c.size == 2 {
					y, ok, err := batch.Under(t.Context(), pair.Product{{Pair: x, Count: 1}}, rat("1e-9"))
					if err != nil {
						t.Fatal(err)
					}
					if ok {
						finite = y[0].Pair.(pair.Finite)
						both++
					}
				}
				tails, ok := closed.PairTails(x)
				if !ok {
					t.Fatalf("%s has no tails", x)
				}
				for i, y := range outside(n, rat(c.q), c.size, c.others, rel == mechanism.ReplaceSpecial, reversed, losses) {
					if z := tails.Delta(48, interval.RealRat(rat(losses[i]))); z.Less(y) == interval.True {
						t.Errorf("%v of %s, %d: %s, reversed %v: δ(%s) = %s is above the bound %s", c.others, c.q, c.size, rel, reversed, losses[i], y, z)
					}
					const w = interval.Prec(64)
					above, _, _ := w.Exp(w.Rat(rat(losses[i]))).Rationals() // a δ that falls is greater there
					if z := w.Rat(finite.Delta(above)); z.Less(y) == interval.True {
						t.Errorf("%v of %s, %d: %s, reversed %v: δ(%s) = %s is above the bound by both orders %s", c.others, c.q, c.size, rel, reversed, losses[i], y, z)
					}
				}
			}
		}
	}
	if want := 4 * testkit.Draws(1, 3, 3); both != want {
		t.Errorf("%d pairs by both orders, want %d", both, want)
	}
}

// TestTruncatedSampleRounding: the bound falls with the probability that the batch is full or has one place left, and
// rises with the one that a record is replaced.
func TestTruncatedSampleRounding(t *testing.T) {
	ctx := context.Background()
	bound := func(room, full, in string, null bool, reversed bool, eps string) interval.Interval {
		q := rat("1/3")
		near := new(big.Rat).Add(rat(room), rat(full))
		part := func(x *big.Rat) *big.Rat { return x.Quo(x, near) }
		w, s, u := part(rat(room)), part(rat(in)), part(rat(full))
		joins := new(big.Rat).Mul(q, w)
		f := pair.FullBatch{Mu: rat("1"), P: [3]*big.Rat{new(big.Rat).Sub(u, s), new(big.Rat).Sub(w, joins), new(big.Rat).Add(joins, s)}, Q: [2]*big.Rat{u, w}}
		if null {
			f.Q = [2]*big.Rat{f.P[0], new(big.Rat).Add(w, s)}
		}
		alone := pair.Sampled{Rate: q, Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}}}
		var x pair.Pair = pair.Mean{Shares: []*big.Rat{near, new(big.Rat).Sub(rat("1"), near)}, Of: []pair.Product{pair.Copies(f, 1), pair.Copies(alone, 1)}}
		if reversed {
			x = x.Reverse()
		}
		s0 := method.NewSolver(method.All, 0, nil)
		g, _, err := s0.ProfileOf(ctx, pair.Product{{Pair: x, Count: 1}})
		if err != nil {
			t.Fatal(err)
		}
		y, err := g(ctx, 96, interval.RealRat(rat(eps)))
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	for _, null := range []bool{false, true} {
		for _, reversed := range []bool{false, true} {
			for _, eps := range []string{"-1/3", "-1/10", "0", "1/10", "1/4", "1", "3"} {
				base := bound("3/10", "1/2", "1/10", null, reversed, eps)
				for _, less := range [][3]string{{"2/10", "1/2", "1/10"}, {"3/10", "4/10", "1/10"}, {"3/10", "1/2", "3/20"}} {
					if y := bound(less[0], less[1], less[2], null, reversed, eps); y.Less(base) == interval.True {
						t.Errorf("null %v, reversed %v, ε = %s: %s at %v is below %s", null, reversed, eps, y, less, base)
					}
				}
			}
		}
	}
}

// TestTruncatedSampleOfAnAccountant: three of (4, 1/2, 2, 1) and two of (3, 1/2, 2, 1), of which an accountant has
// ε(10⁻⁶) = 17.904330.
func TestTruncatedSampleOfAnAccountant(t *testing.T) {
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("takes fifteen seconds: DPVERIFY_LONG=1 runs it; TestTruncatedSampleAgainstBatches runs every day")
	}
	sample := func(n int64) mechanism.Event {
		return mechanism.TruncatedSubsampledGaussian{DatasetSize: n, SamplingProbability: rat("1/2"), TruncatedBatchSize: 2, NoiseMultiplier: rat("1")}
	}
	e := mechanism.Composed{Events: []mechanism.Event{mechanism.SelfComposed{Event: sample(4), Count: 3}, mechanism.SelfComposed{Event: sample(3), Count: 2}}}
	p, err := Prepare(context.Background(), Question{Event: e, Direction: mechanism.Remove}, 2)
	if err != nil {
		t.Fatal(err)
	}
	y, err := p.Epsilon(context.Background(), rat("1e-6"), 8)
	const w = interval.Prec(64)
	if err != nil || y.Lo().Cmp(big.NewFloat(8.55)) < 0 || w.Div(y.Interval.Upper(), y.Interval.Lower()).LessEqRat(rat("1.05")) != interval.True {
		t.Errorf("ε(10⁻⁶) = %s, %v, want above 8.55, and within 5 %%", y.Interval, err)
	}
}

// TestTruncatedSampleOfMuchNoise: beyond 0 its δ is too small to be written as a fraction. At 0 it is between the δ of
// a Poisson sample and the one of a sample in which the record always replaces another.
func TestTruncatedSampleOfMuchNoise(t *testing.T) {
	e := mechanism.TruncatedSubsampledGaussian{DatasetSize: 4, SamplingProbability: rat("1/2"), TruncatedBatchSize: 2,
		NoiseMultiplier: rat("1000000")}
	p, err := Prepare(t.Context(), Question{Event: e}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ eps, least, most string }{{"0", "0.0000001994", "0.0000003990"}, {"1", "0", "1e-1000"}} {
		y, err := p.Delta(t.Context(), rat(c.eps))
		if err != nil || y.Hi().Cmp(interval.Prec(64).Rat(rat(c.most)).Hi()) > 0 || y.LessRat(rat(c.least)) == interval.True {
			t.Errorf("δ(%s) is %v, want it between %s and %s, %v", c.eps, y.Interval, c.least, c.most, err)
		}
	}
}
