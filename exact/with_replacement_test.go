// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/copies"
	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestWithReplacementWrittenOut: the theorem in rationals, for two draws from two records and random mechanisms on
// the multisets of x, y and c: of (x, c) against (y, c), with the greatest profile of those that are k exchanges apart,
// and α shared out in several ways.
func TestWithReplacementWrittenOut(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const outcomes = 3
	draw := func() []*big.Rat {
		ws, sum := make([]int64, outcomes), int64(0)
		for i := range ws {
			ws[i] = r.Int63n(5)
			sum += ws[i]
		}
		if sum == 0 {
			ws[0], sum = 1, 1
		}
		out := make([]*big.Rat, outcomes)
		for i, w := range ws {
			out[i] = big.NewRat(w, sum)
		}
		return out
	}
	half, quarter := rat("1/2"), rat("1/4")
	for range 300 {
		xx, xc, cc, yy, yc := draw(), draw(), draw(), draw(), draw()
		sample := func(twice, once []*big.Rat) []*big.Rat {
			out := make([]*big.Rat, outcomes)
			for i := range out {
				s := new(big.Rat).Add(twice[i], cc[i])
				s.Mul(s, quarter)
				out[i] = s.Add(s, new(big.Rat).Mul(half, once[i]))
			}
			return out
		}
		p, q := sample(xx, xc), sample(yy, yc)
		for _, alpha := range rats("1", "3/2", "3", "8") {
			worst := func(a *big.Rat, pairs ...[]*big.Rat) *big.Rat {
				most := new(big.Rat)
				for i := 0; i < len(pairs); i += 2 {
					if d := pair.NewFinite(pairs[i], pairs[i+1]).Delta(a); d.Cmp(most) > 0 {
						most = d
					}
				}
				return most
			}
			once := func(a *big.Rat) *big.Rat { return worst(a, xc, yc, xc, cc) }
			twice := func(a *big.Rat) *big.Rat { return worst(a, xx, yy, xx, yc, xx, cc) }
			// 1/4 + α₁/2 ≤ 3/4·α, and 1/4 + α₁/2 + α₂/4 = α
			for _, share := range rats("0", "1/3", "2/3", "1") {
				first := new(big.Rat).Mul(rat("3/2"), alpha)
				first.Mul(first.Sub(first, half), share)
				second := new(big.Rat).Sub(alpha, quarter)
				second.Mul(second.Sub(second, new(big.Rat).Mul(half, first)), rat("4"))
				bound := new(big.Rat).Mul(half, once(first))
				bound.Add(bound, new(big.Rat).Mul(quarter, twice(second)))
				if d := pair.NewFinite(p, q).Delta(alpha); d.Cmp(bound) > 0 {
					t.Fatalf("H at %s is %s, above %s: %v %v %v %v %v", alpha.RatString(), d.RatString(), bound.RatString(), xx, xc, cc, yy, yc)
				}
			}
		}
	}
}

// TestWithReplacementByHand: one draw is a sample without replacement, all draws from one record are a group, and
// both bounds of several draws are in order.
func TestWithReplacementByHand(t *testing.T) {
	ctx := context.Background()
	noise := mechanism.Gaussian{NoiseMultiplier: rat("2")}
	ask := func(e mechanism.Event, rel mechanism.Relation, eps string) Result {
		p, err := Prepare(ctx, Question{Event: e, Relation: rel}, 0)
		if err != nil {
			t.Fatal(err)
		}
		y, err := p.Delta(ctx, rat(eps))
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	with := func(n, m int64) mechanism.Event {
		return mechanism.SampledWithReplacement{SourceDatasetSize: n, SampleSize: m, Event: noise}
	}
	for _, eps := range []string{"0", "1/4", "2"} {
		once := ask(with(5, 1), mechanism.ReplaceOne, eps)
		same := ask(mechanism.SampledWithoutReplacement{SourceDatasetSize: 5, SampleSize: 1, Event: noise}, mechanism.ReplaceOne, eps)
		const p = 64
		if d := new(big.Float).Quo(once.Hi(), same.Hi()); d.Cmp(big.NewFloat(0.999999)) < 0 || d.Cmp(big.NewFloat(1.000001)) > 0 {
			t.Errorf("one draw: δ(%s) ≤ %s, want about %s", eps, once.Interval, same.Interval)
		}
		all := ask(with(1, 3), mechanism.ReplaceOne, eps)
		group := ask(mechanism.Gaussian{NoiseMultiplier: rat("2/3")}, mechanism.ReplaceOne, eps)
		if all.Lo().Cmp(group.Hi()) > 0 || group.Lo().Cmp(all.Hi()) > 0 || all.RelativeBits(p) < 40 {
			t.Errorf("all draws: δ(%s) in %s, want %s", eps, all.Interval, group.Interval)
		}
		for _, rel := range []mechanism.Relation{mechanism.ReplaceOne, mechanism.ReplaceSpecial} {
			if several := ask(with(20, 5), rel, eps); several.Lo().Sign() <= 0 || several.Lo().Cmp(several.Hi()) >= 0 {
				t.Errorf("five draws of 20 under %s: δ(%s) in %s", rel, eps, several.Interval)
			}
		}
	}
}

// TestWithReplacementIsAttained: of Gaussian noise both bounds are nearly one. The values are by mpmath, at 40 digits,
// of the mixture that attains them.
func TestWithReplacementIsAttained(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		n, m       int64
		sigma      string
		eps, delta string
	}{
		{100, 10, "2", "1", "0.0005552421196087486607072739"},
		{100, 10, "2", "4", "0.000001190642652511902389215487"},
		{1000, 100, "1", "4", "0.00275765387493050798839556"},
	} {
		e := mechanism.SampledWithReplacement{SourceDatasetSize: c.n, SampleSize: c.m, Event: mechanism.Gaussian{NoiseMultiplier: rat(c.sigma)}}
		p, err := Prepare(ctx, Question{Event: e, Relation: mechanism.ReplaceOne}, 0)
		if err != nil {
			t.Fatal(err)
		}
		y, err := p.Delta(ctx, rat(c.eps))
		least, most := new(big.Rat).Mul(rat(c.delta), rat("0.99999")), new(big.Rat).Mul(rat(c.delta), rat("1.00001"))
		if err != nil || y.LessRat(rat(c.delta)) == interval.True || interval.Point(y.Lo()).LessEqRat(rat(c.delta)) == interval.False || y.LessEqRat(most) != interval.True || y.LessRat(least) != interval.False {
			t.Errorf("δ(%s) of %d draws from %d in %v, want %s (%v)", c.eps, c.m, c.n, y.Interval, c.delta, err)
		}
	}
}

// TestOppositeOthers: what is seen of two draws from three, where a null record replaces one to which the others are
// opposite, is at most the profile of the two mixtures by the trapezoidal rule, and not far below it, in both directions.
// With much distance the ratio neither rises nor falls along the line.
func TestOppositeOthers(t *testing.T) {
	ctx := context.Background()
	for _, mu := range []string{"1/2", "2"} {
		e := mechanism.SampledWithReplacement{SourceDatasetSize: 3, SampleSize: 2}
		seen := copies.Opposite(e, rat(mu))
		m, _ := rat(mu).Float64()
		density := func(x, unit float64) (sum float64) {
			for k, w := range []float64{4. / 9, 4. / 9, 1. / 9} {
				y := x - float64(k)*unit
				sum += w * math.Exp(-y*y/2) / math.Sqrt(2*math.Pi)
			}
			return sum
		}
		for _, p := range []pair.Product{seen, seen.Reverse()} {
			f, _, err := method.NewSolver(method.All, 0, nil).ProfileOf(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, eps := range []float64{0, 0.25, 1} {
				want := 0.0
				const h = 1. / 1024
				for x := -10.0; x < 20; x += h {
					a, b := density(x, 2*m), density(x, m)
					if p.String() != seen.String() {
						a, b = b, a
					}
					want += h * max(0, a-math.Exp(eps)*b)
				}
				y, err := f(ctx, 64, interval.RealRat(new(big.Rat).SetFloat64(eps)))
				if hi, _ := y.Hi().Float64(); err != nil || hi > want || hi < 0.98*want {
					t.Errorf("μ = %s, %s: δ(%v) is %v, and %g of the mixtures (%v)", mu, p, eps, y, want, err)
				}
			}
		}
	}
}

// TestLaplaceDrawsByOrders: of two draws of Laplace noise from two records the bounds contain what every one of a
// number of half-lines says of the mixture of 0, 1 and 2 copies, and are not far from it.
func TestLaplaceDrawsByOrders(t *testing.T) {
	ctx := context.Background()
	e := mechanism.SampledWithReplacement{SourceDatasetSize: 2, SampleSize: 2, Event: mechanism.Laplace{NoiseMultiplier: rat("2")}}
	p, err := Prepare(ctx, Question{Event: e, Relation: mechanism.ReplaceOne}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, eps := range []float64{0.1, 0.5, 1} {
		sf := func(x float64) float64 {
			if x < 0 {
				return 1 - math.Exp(x)/2
			}
			return math.Exp(-x) / 2
		}
		best := 0.0
		for x := -4.0; x < 6; x += 1.0 / 64 {
			best = max(best, sf(x)/4+sf(x-1)/2+sf(x-2)/4-math.Exp(eps)*sf(x))
		}
		y, err := p.Delta(ctx, new(big.Rat).SetFloat64(eps))
		lo, _ := y.Lo().Float64()
		hi, _ := y.Hi().Float64()
		if err != nil || lo > 1.001*best || hi < best || lo < 0.95*best || hi > 1.5*best {
			t.Errorf("δ(%v) in %v, half-lines have %v (%v)", eps, y.Interval, best, err)
		}
	}
}

// TestNullRecordsAmongOthers: draws with replacement from three records are summed up, of which one is null or not, and
// the others are anywhere on a line: what is told in cells of the noisy sums is within the bounds in both directions.
func TestNullRecordsAmongOthers(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewSource(3))
	normal := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	laplace := func(x float64) float64 { return 0.5 - math.Copysign(math.Expm1(-math.Abs(x))/2, x) }
	for _, c := range []struct {
		size  int
		noise mechanism.Event
		scale float64
		tail  func(x float64) float64 // the probability that noise of scale 1 is above x
	}{
		{2, mechanism.Gaussian{NoiseMultiplier: rat("1")}, 1, normal},
		{3, mechanism.Laplace{NoiseMultiplier: rat("1/2")}, 0.5, laplace},
		{3, mechanism.Gaussian{NoiseMultiplier: rat("1/2")}, 0.5, normal},
		{4, mechanism.Gaussian{NoiseMultiplier: rat("2")}, 2, normal},
	}[:testkit.Draws(3, 4, 4)] {
		e := mechanism.SampledWithReplacement{SourceDatasetSize: 3, SampleSize: int64(c.size), Event: c.noise}
		cell := func(centers []float64, z float64) (sum float64) { // from z to z + 1/16, in units of the scale
			for _, x := range centers {
				sum += c.tail(z-x/c.scale) - c.tail(z+1./16-x/c.scale)
			}
			return sum / float64(len(centers))
		}
		for _, direction := range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
			p, err := Prepare(ctx, Question{Event: e, Relation: mechanism.ReplaceSpecial, Direction: direction}, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, eps := range []string{"-1", "-1/4", "0", "1/4", "1", "3"} {
				y, err := p.Delta(ctx, rat(eps))
				if err != nil {
					t.Fatal(err)
				}
				x, _ := rat(eps).Float64()
				hi, _ := y.Hi().Float64()
				for i := range testkit.Draws(4, 12, 200) {
					others := [][2]float64{{-1, -1}, {1, 1}, {0, 0}, {-1, 1}, {2*r.Float64() - 1, 2*r.Float64() - 1}}[min(i, 4)]
					p, q := drawnSums([]float64{1, others[0], others[1]}, c.size), drawnSums([]float64{0, others[0], others[1]}, c.size)
					if direction == mechanism.Add {
						p, q = q, p
					}
					least := 0.0
					for z := -12.0; z < 12; z += 1. / 16 {
						least += max(0, cell(p, z)-math.Exp(x)*cell(q, z))
					}
					if least > hi+1e-13 { // rounding in float64
						t.Errorf("%d draws, %s, %v: δ(%s) is at least %g with the others at %v, and at most %g",
							c.size, mechanism.EncodeEvent(c.noise), direction, eps, least, others, hi)
					}
				}
			}
		}
	}
}

// drawnSums are the sums of all draws with replacement, equally likely.
func drawnSums(records []float64, size int) []float64 {
	sums := []float64{0}
	for range size {
		var next []float64
		for _, s := range sums {
			for _, x := range records {
				next = append(next, s+x)
			}
		}
		sums = next
	}
	return sums
}
