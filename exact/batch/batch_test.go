// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package batch

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// phi is the mass of a normal variable below y.
func phi(y float64) float64 { return math.Erfc(-y/math.Sqrt2) / 2 }

// TestLawBoundsMeans: the lemma of nodes, for sums of exponentials; the means are bounded from below by the right ends
// of small cells.
func TestLawBoundsMeans(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 60 {
		rate := 0.1 + 3*r.Float64()
		p, n := r.Float64(), 1+r.Intn(3)
		var weights, rates [3]float64
		for i := range n {
			weights[i], rates[i] = math.Exp(4*r.NormFloat64()), rate*math.Sqrt(r.Float64())
		}
		if r.Intn(4) == 0 {
			rates[0] = rate
		}
		value := func(y float64) float64 {
			x := p
			for i := range n {
				x -= weights[i] * math.Exp(rates[i]*y)
			}
			return max(0, x)
		}
		l := newLaw(prec, new(big.Rat).SetFloat64(rate), []int64{1, 2, 4}[r.Intn(3)], -9, 6)
		bound := l.below * p
		for i, y := range l.places {
			bound += l.weights[i] * value(y)
		}
		mean := 0.0
		for i := -9 * 512; i < 6*512; i++ {
			y := float64(i) / 512
			mean += (phi(y+1./512) - phi(y)) * value(y+1./512)
		}
		if !(mean <= bound) {
			t.Errorf("a mean of at least %g has the bound %g: %g, %v, %v", mean, bound, p, weights, rates)
		}
	}
}

// TestLawRoundsUp: less precision only makes weights greater, and with enough their sum is 1 or a little more.
func TestLawRoundsUp(t *testing.T) {
	exact := newLaw(prec, big.NewRat(3, 2), 2, -8, 6)
	sum := exact.below
	for i, x := range exact.weights {
		sum += x
		for w := interval.Prec(2); w <= 8; w++ {
			if y := newLaw(w, big.NewRat(3, 2), 2, -8, 6); !(y.weights[i] >= x) || !(y.below >= exact.below) {
				t.Errorf("with %d bits the weight %g is %g", w, x, y.weights[i])
			}
		}
	}
	if !(sum >= 1-0x1p-50) || sum > 1+0x1p-40 {
		t.Errorf("weights have the sum %g", sum)
	}
}

// A mixture has the weights of the places in the plane.
type mixture map[[2]float64]float64

// batches adds the sums of the values in the batch: all samples of records, cut to all subsets.
func (m mixture) batches(values [][2]float64, q float64, size int) {
	for sample := range 1 << len(values) {
		k := bits.OnesCount(uint(sample))
		w := math.Pow(q, float64(k)) * math.Pow(1-q, float64(len(values)-k))
		kept, ways := min(k, size), 0
		var subsets []int
		for batch := range 1 << len(values) {
			if batch&^sample == 0 && bits.OnesCount(uint(batch)) == kept {
				subsets = append(subsets, batch)
				ways++
			}
		}
		for _, batch := range subsets {
			var sum [2]float64
			for i, v := range values {
				if batch>>i&1 == 1 {
					sum[0], sum[1] = sum[0]+v[0], sum[1]+v[1]
				}
			}
			m[sum] += w / float64(ways)
		}
	}
}

// outside is about H_α of a record against others, in the plane, by cells: from below.
func outside(of pair.Batch, record [2]float64, others [][2]float64, alpha float64) float64 {
	q, _ := of.Rate.Float64()
	mu, _ := of.Mu.Float64()
	p, without := mixture{}, mixture{}
	p.batches(append([][2]float64{record}, others...), q, int(of.Size))
	if of.Null {
		others = append([][2]float64{{0, 0}}, others...)
	}
	without.batches(others, q, int(of.Size))
	for at, w := range without {
		p[at] -= alpha * w
	}
	const perUnit, reach = 6, 9
	const side = 2 * perUnit * reach
	masses := func(at float64) (out [side]float64) {
		for i := range out {
			y := float64(i-side/2)/perUnit - mu*at
			if out[i] = phi(y+1./perUnit) - phi(y); y > 0 {
				out[i] = phi(-y) - phi(-y-1./perUnit)
			}
		}
		return out
	}
	var cells [side][side]float64
	for at, w := range p {
		xs, ys := masses(at[0]), masses(at[1])
		for i, x := range xs {
			for j, y := range ys {
				cells[i][j] += w * x * y
			}
		}
	}
	sum := 0.0
	for i := range cells {
		for _, x := range cells[i] {
			sum += max(0, x)
		}
	}
	return sum
}

func batchOf(n int64, q *big.Rat, size int64, mu *big.Rat, null bool) pair.Batch {
	return pair.Batch{Records: n, Rate: q, Size: size, Mu: mu, Null: null}
}

var half, unit = big.NewRat(1, 2), big.NewRat(1, 1)

// TestNoPlacesAreWorse: no places of the others are worse than the bound, be they random or where it is about reached.
func TestNoPlacesAreWorse(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	angle := func(degrees float64) [2]float64 {
		return [2]float64{math.Cos(degrees * math.Pi / 180), math.Sin(degrees * math.Pi / 180)}
	}
	random := func() [2]float64 {
		a, s := angle(360*r.Float64()), math.Sqrt(min(1, 1.5*r.Float64()))
		return [2]float64{s * a[0], s * a[1]}
	}
	for _, of := range []pair.Batch{
		batchOf(3, half, 2, unit, false), batchOf(4, half, 2, unit, false), batchOf(3, half, 2, unit, true), batchOf(4, big.NewRat(4, 5), 3, unit, false),
		batchOf(4, big.NewRat(1, 3), 2, big.NewRat(5, 2), true), batchOf(5, half, 3, big.NewRat(1, 2), false),
	} {
		b, ok := New(of)
		if !ok {
			t.Fatalf("no bound of %v", of)
		}
		for _, loss := range []float64{0, 1, 2.5} {
			alpha := new(big.Rat).SetFloat64(math.Exp(loss))
			a, _ := alpha.Float64()
			bound, _ := b.Above(alpha, 30).Float64()
			for k := range testkit.Draws(2, 5, 5) {
				var others [][2]float64
				record := [2]float64{1, 0}
				for i := range of.Records - 1 {
					switch k {
					case 0: // above and below, against the record
						others = append(others, angle(110+140*float64(i%2)))
					case 1: // one opposite
						others = append(others, angle([]float64{180, 56}[i%2]))
					case 2: // all at one place
						others = append(others, angle(105))
					default:
						others = append(others, random())
					}
				}
				if k == 4 {
					record = random()
				}
				if y := outside(of, record, others, a); !(y <= bound) {
					t.Errorf("%v, ε = %g: %v has %g, above the bound %g", of, loss, others, y, bound)
				}
			}
		}
	}
}

// TestBoundIsNear: for two others, the bound is near to what places have that are known, and not just above everything.
func TestBoundIsNear(t *testing.T) {
	of := batchOf(3, half, 2, unit, false)
	b, _ := New(of)
	for _, c := range []struct{ loss, degrees float64 }{{1, 112}, {2, 106}, {3, 105}} {
		alpha := new(big.Rat).SetFloat64(math.Exp(c.loss))
		a, _ := alpha.Float64()
		at := [2]float64{math.Cos(c.degrees * math.Pi / 180), math.Sin(c.degrees * math.Pi / 180)}
		reached := outside(of, [2]float64{1, 0}, [][2]float64{at, {at[0], -at[1]}}, a)
		if y, _ := b.Above(alpha, 120).Float64(); !(y <= 1.3*reached) {
			t.Errorf("ε = %g: the bound %g, and %g is reached", c.loss, y, reached)
		}
	}
}

// TestCellsHoldTheirPlaces: the bound of a cell, with any shares, is above what each of its places has.
func TestCellsHoldTheirPlaces(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	of := batchOf(3, half, 2, unit, false)
	b, _ := New(of)
	for range 40 {
		loss := 3 * r.Float64()
		alpha := new(big.Rat).SetFloat64(math.Exp(loss))
		a, _ := alpha.Float64()
		s := search{b.weights(alpha), b.fine.newTable(), b.rough.newTable()}
		draw := func() (span, [2]float64) {
			width := math.Ldexp(2, -r.Intn(6))
			lo := -1 + width*float64(r.Intn(int(2/width)))
			along := lo + width*r.Float64()
			across := math.Sqrt(1-along*along) * math.Sqrt(r.Float64())
			if r.Intn(2) == 0 {
				across = -across
			}
			return span{lo, lo + width}, [2]float64{along, across}
		}
		var c cell
		var v, w [2]float64
		c.first, v = draw()
		c.second, w = draw()
		c.shares = shares{r.Float64(), r.Float64(), r.Float64()}
		if y, bound := outside(of, [2]float64{1, 0}, [][2]float64{v, w}, a), s.bound(s.fine, &c); !(y <= bound) {
			t.Errorf("ε = %g: %v, %v has %g, above the bound %g of %+v", loss, v, w, y, bound, c)
		}
	}
}

// TestWithoutBounds: of one place, of samples that are never full, of all records, of noise that is next to none and
// that hides all, and where batches are rarely full, there is no bound.
func TestWithoutBounds(t *testing.T) {
	for _, of := range []pair.Batch{
		batchOf(4, half, 1, unit, false), batchOf(4, half, 4, unit, false), batchOf(4, unit, 2, unit, false), batchOf(4, half, 2, big.NewRat(9, 1), false), batchOf(4, half, 2, big.NewRat(1, 1<<50), false),
		batchOf(60000, big.NewRat(1, 100), 900, unit, false),
	} {
		if _, ok := New(of); ok {
			t.Errorf("%v has a bound", of)
		}
	}
}

// TestPartsAreReached: with weights at two places only, shares of one weight are parts of one Gaussian against another,
// which is known: no bound is below it, and the one of a small cell is hardly above.
func TestPartsAreReached(t *testing.T) {
	b, _ := New(batchOf(3, half, 2, unit, false))
	known := func(kept, weight, distance float64) float64 {
		y := math.Log(kept/weight)/distance + distance/2
		return kept*phi(y) - weight*phi(y-distance)
	}
	const tiny = 0x1p-12
	opposite, same := span{-1, -1 + tiny}, span{1 - tiny, 1}
	wide, high := span{-1, -0.5}, span{0.5, 1}
	for _, c := range []struct {
		name          string
		weights       weights
		first, second span
		shares        shares
		want          float64
	}{
		{"opposite others in a full batch", weights{kept: 0.1, two: 0.7}, opposite, opposite, shares{two: 0.5}, known(0.2, 0.7, 2)},
		{"others at the record, and none", weights{kept: 0.1, zero: 0.7}, same, same, shares{zero: 0.5}, known(0.2, 0.7, 2)},
		{"another one alone", weights{kept: 0.2, single: 0.7, two: 9}, span{0, tiny}, span{0, tiny}, shares{}, known(0.2, 0.7, 1)},
		{"the record alone", weights{joins: 0.2, zero: 0.7}, same, same, shares{alone: 1}, known(0.2, 0.7, 1)},
		{"opposite others in a wide cell", weights{kept: 0.1, two: 0.7}, wide, wide, shares{two: 0.5}, known(0.2, 0.7, 2)},
		{"others at the record in a wide cell", weights{kept: 0.1, zero: 0.7}, high, high, shares{zero: 0.5}, known(0.2, 0.7, 2)},
		{"all for the first of two", weights{kept: 0.2, two: 0.7}, same, opposite, shares{two: 1}, known(0.2, 0.7, 2) + 0.2},
		{"all for one at a right angle", weights{kept: 0.2, two: 0.7}, span{0, tiny}, span{0, tiny}, shares{two: 1}, known(0.2, 0.7, math.Sqrt2) + 0.2},
	} {
		s := search{c.weights, b.fine.newTable(), b.rough.newTable()}
		x := cell{first: c.first, second: c.second, shares: c.shares}
		if y := s.bound(s.fine, &x); !(y >= c.want) || c.first.hi-c.first.lo == tiny && c.weights.single == 0 && !(y <= 1.02*c.want) {
			t.Errorf("%s: the bound is %g, and %g is reached", c.name, y, c.want)
		}
	}
	for _, c := range []struct {
		name    string
		weights weights
		want    float64
	}{
		{"opposite others", weights{kept: 0.1, two: 0.7}, known(0.2, 0.7, 2)},
		{"room for more", weights{rest: 0.2, restZero: 0.7}, known(0.2, 0.7, 1)},
	} {
		s := search{c.weights, b.fine.newTable(), b.rough.newTable()}
		if y := s.greatest(60); !(y >= c.want) || !(y <= 1.1*c.want) {
			t.Errorf("%s: the greatest bound is %g, and %g is reached", c.name, y, c.want)
		}
	}
}
