// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"os"
	"slices"
	"testing"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/inversion"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/participation"
	"dpverify/exact/pattern"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestInversionBeforeTheGrid: all efforts ask the inversion and not the grid, and the
// narrower answer is inside the wider one; in both directions if there is time.
func TestInversionBeforeTheGrid(t *testing.T) {
	ctx := context.Background()
	e := mechanism.SelfComposed{Count: 200, Event: mechanism.PoissonSampled{SamplingProbability: rat("1/50"), Event: mechanism.Gaussian{NoiseMultiplier: rat("2")}}}
	directions := []mechanism.Direction{mechanism.Remove, mechanism.Add}
	if os.Getenv("DPVERIFY_LONG") == "" {
		directions = directions[:1]
	}
	for _, d := range directions {
		wide, err := Delta(ctx, Question{Event: e, Direction: d}, rat("1/2"), 0)
		if err != nil {
			t.Fatal(err)
		}
		narrow, err := Delta(ctx, Question{Event: e, Direction: d}, rat("1/2"), 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(wide.Methods) != 1 || !slices.Contains(wide.Methods, "inversion") || !slices.Contains(narrow.Methods, "inversion") {
			t.Errorf("%s: methods %v at effort 0, %v at effort 1", d, wide.Methods, narrow.Methods)
		}
		if !wide.Encloses(narrow.Interval) || wide.RelativeBits(200) < 56 || narrow.RelativeBits(200) < 110 {
			t.Errorf("%s: δ(1/2) in %s at effort 0, in %s at effort 1", d, wide.Interval, narrow.Interval)
		}
	}
}

// TestGridBeforeTheInversion: few hits of little noise go to the grid first, at effort 0 only; not many hits, nor with
// other noise beside them, nor those of one sample whose hits are inverted alone.
func TestGridBeforeTheInversion(t *testing.T) {
	s := method.NewSolver(method.All, 0, nil)
	hits := func(rate string, count int64) pair.Term {
		base := pair.Product{{Pair: pair.Gaussian{Mu2: rat("100")}, Count: 1}}
		return pair.Term{Pair: pair.Sampled{Rate: rat(rate), Base: base}, Count: count}
	}
	replaced := pair.Term{Pair: pair.SampledReplaceGaussian{Rate: rat("1/100"), Mu2: rat("100")}, Count: 30}
	added := pair.Term{Pair: hits("1/100", 30).Pair.Reverse(), Count: 30}
	noise := pair.Term{Pair: pair.Gaussian{Mu2: rat("1/9")}, Count: 1}
	for _, c := range []struct {
		prod pair.Product
		e    method.Effort
		grid bool
	}{
		{pair.Product{added}, 0, true}, {pair.Product{added}, 1, false}, {pair.Product{hits("1/100", 30)}, 0, false},
		{pair.Product{replaced}, 0, false}, {pair.Product{hits("1/100", 30), replaced}, 0, true},
		{pair.Product{hits("1/100", 9000)}, 0, false}, {pair.Product{hits("1/100", 30), noise}, 0, false},
	} {
		line, grid := method.Inversion(s, c.prod, c.e), method.PLD(s, c.prod, c.e)
		if line == nil || grid == nil || (!line.Sharp && grid.Cost < line.Cost) != c.grid {
			t.Errorf("%v at effort %d: the grid is first: %v, want %v", c.prod, c.e, !c.grid, c.grid)
		}
	}
}

// TestReplicasWithinMemory: what the vectors of replicas need is compared with what a question allows, and said.
func TestReplicasWithinMemory(t *testing.T) {
	law := pattern.Law{Draw: pattern.Chosen, Size: 1, Limit: 1, Most: rat("1"), Even: rat("0"),
		Rows: []participation.Row{{Products: rats("1"), Count: 2}}}
	prod := pair.Product{{Pair: pair.Patterns{Law: law}, Count: 1}}
	for _, c := range []struct {
		bytes   int64
		refused int
	}{{40, 1}, {1 << 20, 0}} {
		s := method.NewSolver(method.All, 0, nil)
		ctx := convolve.WithMemory(t.Context(), c.bytes)
		f, err := method.Replicas(s, prod, 0).Prepare(ctx)
		if err != nil {
			t.Fatal(err)
		}
		y, err := f(ctx, 64, interval.RealRat(rat("1/2")))
		if err != nil || len(s.Refused) != c.refused || (y.Hi().Cmp(big.NewFloat(1)) == 0) != (c.refused > 0) {
			t.Errorf("%d bytes: %v, %v, refused %v, want %d", c.bytes, y, err, s.Refused, c.refused)
		}
	}
}

// TestInversionFallsBackOnTheGrid: beyond the largest loss, the inversion settles no bits
// of δ = 0, and the grid is asked.
func TestInversionFallsBackOnTheGrid(t *testing.T) {
	s := method.NewSolver(method.All, 0, nil)
	prod := pair.Product{{Pair: pair.Sampled{Rate: rat("1/100"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/4")}, Count: 1}}, Reversed: true}, Count: 16}}
	plan := method.Inversion(s, prod, 0)
	if plan == nil {
		t.Fatal("no plan")
	}
	g, err := plan.Prepare(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	// 16 losses of at most log(100/99) < 1/99; there is no line for so large an ε.
	y, err := g(context.Background(), 64, interval.RealRat(rat("1e20")))
	if err != nil || y.Lo().Sign() != 0 || interval.Point(y.Hi()).LessRat(rat("1e-10")) != interval.True {
		t.Errorf("δ(1e20) in %v, %v, want 0", y, err)
	}
}

// TestInversionOfSampledLaplace: narrower at each effort, and the grid's enclosure has a
// point in common.
func TestInversionOfSampledLaplace(t *testing.T) {
	prod := pair.Product{{Pair: pair.Sampled{Rate: rat("1/50"), Base: pair.Product{{Pair: pair.Laplace{Shift: rat("1/2")}, Count: 1}}}, Count: 400}}
	eps := interval.RealRat(rat("2/5"))
	var last interval.Interval
	for e := Effort(0); e <= 1; e++ {
		plan := method.Inversion(method.NewSolver(method.All, e, nil), prod, e)
		if plan == nil {
			t.Fatalf("no plan at effort %d", e)
		}
		f, err := plan.Prepare(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		y, err := f(context.Background(), e.Bits(), eps)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := interval.Intersect(y, last); e > 0 && !ok || y.RelativeBits(200) < 48+16*int(e) {
			t.Errorf("effort %d: δ(2/5) in %v, %d bits; in %v before", e, y, y.RelativeBits(200), last)
		}
		last = y
	}
	grid := method.PLD(method.NewSolver(method.All, 0, nil), prod, 0)
	f, err := grid.Prepare(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	y, err := f(context.Background(), 64, eps)
	if _, ok := interval.Intersect(y, last); err != nil || !ok {
		t.Errorf("δ(2/5) in %v, %v, by the grid in %v", last, err, y)
	}
}

// TestLimitedInversionAsksTheGrid: where atoms let few bits be settled, the grid is asked.
func TestLimitedInversionAsksTheGrid(t *testing.T) {
	if testing.Short() {
		t.Skip("a grid")
	}
	prod := pair.Product{{Pair: pair.Sampled{Rate: rat("1/2"), Base: pair.Product{{Pair: pair.Laplace{Shift: rat("1/2")}, Count: 1}}}, Count: 110}}
	eps := interval.RealRat(rat("7"))
	x, ok := (*inversion.Memo)(nil).New(prod)
	if !ok || !x.Limited() {
		t.Fatal("no transform, or an unlimited one")
	}
	alone, err := x.Delta(context.Background(), 64, eps)
	if err != nil || alone.RelativeBits(200) >= method.UsefulBitsLimited {
		t.Fatalf("δ(7) in %v, %v, %d bits", alone, err, alone.RelativeBits(200))
	}
	f, err := method.Inversion(method.NewSolver(method.All, 1, nil), prod, 1).Prepare(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	y, err := f(context.Background(), 64, eps)
	if err != nil || !alone.Encloses(y) || y.Lo().Cmp(alone.Lo()) == 0 && y.Hi().Cmp(alone.Hi()) == 0 {
		t.Errorf("δ(7) in %v, %v; by the inversion alone in %v", y, err, alone)
	}
}

// TestRemembered: what is asked twice in a row is found once, and another δ is another question.
func TestRemembered(t *testing.T) {
	asked := 0
	near := method.Remembered(func(_ context.Context, delta *big.Rat) (*big.Rat, bool) {
		asked++
		return new(big.Rat).Add(delta, delta), delta.Sign() > 0
	})
	for i, c := range []struct {
		delta, eps string
		asked      int
	}{{"1/3", "2/3", 1}, {"1/3", "2/3", 1}, {"0", "0", 2}, {"0", "0", 2}, {"1/5", "2/5", 3}} {
		eps, ok := near(t.Context(), rat(c.delta))
		if eps.Cmp(rat(c.eps)) != 0 || ok != (rat(c.delta).Sign() > 0) || asked != c.asked {
			t.Errorf("%d: near %s is %v, %v after %d", i, c.delta, eps, ok, asked)
		}
	}
}

// TestFewStepsToManyDigits: δ of two steps has as many bits as are asked for, and is a number that was integrated
// elsewhere (docs/oracle/two_copies.py).
func TestFewStepsToManyDigits(t *testing.T) {
	e := mechanism.SelfComposed{Count: 2, Event: mechanism.PoissonSampled{SamplingProbability: rat("1/100"),
		Event: mechanism.Gaussian{NoiseMultiplier: rat("1")}}}
	p, err := Prepare(t.Context(), Question{Event: e, Direction: mechanism.Remove}, 2)
	if err != nil {
		t.Fatal(err)
	}
	y, err := p.DeltaTo(t.Context(), rat("1/4"), 120)
	if err != nil {
		t.Fatal(err)
	}
	value := rat("0.0000093448485646444789979342334763059091504437058266637")
	last := rat("1e-54")
	want := interval.Union(interval.Prec(300).Rat(new(big.Rat).Sub(value, last)), interval.Prec(300).Rat(last.Add(value, last)))
	if _, meet := interval.Intersect(y.Interval, want); !meet || y.RelativeBits(200) < 116 {
		t.Errorf("δ(1/4) in %s, want %s", y.Interval, value.FloatString(50))
	}
}

// TestBelowLosses: far below the losses, what the reversed product bounds from above encloses δ as narrowly as it is
// asked for, at any precision; and nearer by, whatever the line says.
func TestBelowLosses(t *testing.T) {
	base := pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/4")}, Count: 1}}
	for _, x := range []pair.Pair{
		pair.Sampled{Rate: rat("1/10"), Base: base}, pair.Sampled{Rate: rat("1/10"), Base: base, Reversed: true},
		pair.SampledReplaceGaussian{Rate: rat("1/10"), Mu2: rat("1/4")},
	} {
		prod := pair.Product{{Pair: x, Count: 20}}
		f, err := method.Inversion(method.NewSolver(method.All, 0, nil), prod, 0).Prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		transform, _ := (*inversion.Memo)(nil).New(prod)
		for _, eps := range []string{"-6", "-2", "-1", "-1/2", "-1/4", "-1/100"} {
			at := interval.RealRat(rat(eps))
			want, err := transform.Delta(t.Context(), 100, at)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []interval.Prec{2, 3, 5, 8, 24, 64} {
				y, err := f(t.Context(), p, at)
				if _, meet := interval.Intersect(y, want); err != nil || !meet || want.RelativeBits(90) < 80 ||
					y.RelativeBits(int(p)) < int(p)-8 {
					t.Errorf("%v: δ(%s) in %v to %d bits, want %v; %v", x, eps, y, p, want, err)
				}
			}
		}
	}
}

// TestRareReplacedRecords: ε of rare samples of replaced records is known to ten digits. In the first training hits are
// few, in the others losses are those of hits.
func TestRareReplacedRecords(t *testing.T) {
	type sample struct {
		rate, sigma, delta, below, above string
		steps                            int64
	}
	for _, c := range testkit.Few(1, []sample{
		// What grids and buckets left of it.
		{"0.0000619", "0.532", "0.00000949", "0.0038830518", "0.0038830574", 3},
		{"0.006", "0.295", "2.45e-13", "37.25597504", "37.25597511", 15},
		{"0.0626", "0.225", "0.0000608", "116.4374762", "116.4374786", 68},
	}) {
		e := mechanism.SelfComposed{Count: c.steps, Event: mechanism.PoissonSampled{SamplingProbability: rat(c.rate), Event: mechanism.Gaussian{NoiseMultiplier: rat(c.sigma)}}}
		delta := rat(c.delta)
		p, err := Prepare(t.Context(), Question{Event: e, Relation: mechanism.ReplaceOne, Scale: delta}, 1)
		if err != nil {
			t.Fatal(err)
		}
		y, err := p.EpsilonTo(t.Context(), delta, 10)
		if err != nil || y.RelativeBits(60) < 32 || y.LessEqRat(rat(c.below)) != interval.False || y.LessEqRat(rat(c.above)) != interval.True {
			t.Errorf("%+v: ε in %v, %v", c, y.Interval, err)
		}
	}
}
