// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"math"
	"math/big"
	"strings"

	"dpverify/definition/masses"
	"dpverify/mechanism"
)

// noisy is a vector of so many entries with independent noise on every one, each cut into the same cells.
func noisy(answer func(data) []*big.Rat, sizes sizes, entries int, cuts []masses.Cut,
	noise func(mean *big.Rat) masses.Distribution) mech {
	n, all, kept := len(cuts)+1, 1, map[string]masses.Law{}
	for range entries {
		all *= n
	}
	return visible{sizes, all, func(d data) masses.Law {
		law := masses.Certain(0)
		for _, mean := range answer(d) {
			cells, ok := kept[mean.RatString()]
			if !ok {
				cells = masses.Cells(noise(mean), cuts)
				kept[mean.RatString()] = cells
			}
			law = product(law, cells, func(i, j int) int { return i*n + j })
		}
		return law
	}, func(y int) string { return cellNames(cuts, entries, y) }, "noise is added to ",
		func(d data) string { return tuple(answer(d)) }}
}

// cellNames says in which cells so many entries are, all of them with the same cuts, of which y is the number.
func cellNames(cuts []masses.Cut, entries, y int) string {
	n, parts := len(cuts)+1, make([]string, entries)
	for i := range parts {
		parts[entries-1-i] = masses.CellName(cuts, y%n)
		y /= n
	}
	return strings.Join(parts, " × ")
}

// product is the law of two independent outcomes.
func product(a, b masses.Law, place func(i, j int) int) masses.Law {
	var s masses.Sum
	for i := range a.Len() {
		s.Add(a, i, b, func(j int) int { return place(i, j) })
	}
	return s.Law()
}

// total is a function that adds up a vector for each record that is not null.
func (c reading) total(s site, options [][]*big.Rat) func(data) []*big.Rat {
	return func(d data) []*big.Rat {
		answer := make([]*big.Rat, len(options[0]))
		for i := range answer {
			answer[i] = new(big.Rat)
		}
		for _, r := range []byte(d.present()) {
			first := 2 // nothing
			if c.first(r) {
				first = value(r)
			}
			for i, x := range options[(first+s.at(int(r)).pick(len(options)))%len(options)] {
				answer[i].Add(answer[i], x)
			}
		}
		return answer
	}
}

// vectors are values of records within a norm of 1, the first and the second of them opposite to each other, the third
// nothing.
var (
	numbers  = vectors("1", "-1", "0", "1/2", "-1/2")
	circle   = vectors("1 0", "-1 0", "0 0", "3/5 4/5", "-3/5 4/5", "0 1")
	rhombus  = vectors("1 0", "-1 0", "0 0", "1/2 1/2", "-1/2 1/2", "0 1")
	straight = vectors("1", "-1", "0")
)

func vectors(texts ...string) [][]*big.Rat {
	out := make([][]*big.Rat, len(texts))
	for i, text := range texts {
		for x := range strings.FieldsSeq(text) {
			r, ok := new(big.Rat).SetString(x)
			if !ok {
				panic("definition: internal error: " + x)
			}
			out[i] = append(out[i], r)
		}
	}
	return out
}

func scaled(vs [][]*big.Rat, by *big.Rat) [][]*big.Rat {
	out := make([][]*big.Rat, len(vs))
	for i, v := range vs {
		for _, x := range v {
			out[i] = append(out[i], new(big.Rat).Mul(x, by))
		}
	}
	return out
}

// gaussian adds N(0, σ²) to every entry of a sum of vectors with a norm of at most 1.
func (c reading) gaussian(e mechanism.Gaussian, s site) mech {
	options := numbers
	if c.cells >= 4 && s.at(0).pick(8) == 7 {
		options = circle
	}
	sigma, _ := masses.Near(e.Variance()).Float64()
	return noisy(c.total(s.at(1), options), sizes{}, len(options[0]),
		c.cuts(s.at(2), len(options[0]), sigma, 8*sigma+2, c.threshold(sigma*sigma)),
		func(mean *big.Rat) masses.Distribution { return c.NormalOf(mean, e.Variance()) })
}

// laplaceSum adds Laplace noise to every entry of a sum of vectors with an L1 norm of at most 1.
func (c reading) laplaceSum(e mechanism.Laplace, s site) mech {
	options := numbers
	if c.cells >= 4 && s.at(0).pick(8) == 7 {
		options = rhombus
	}
	scale, _ := e.NoiseMultiplier.Float64()
	return noisy(c.total(s.at(1), options), sizes{}, len(options[0]),
		c.cuts(s.at(2), len(options[0]), min(scale, 1), 1.75, c.threshold(scale)),
		func(mean *big.Rat) masses.Distribution { return c.Laplace(mean, e.NoiseMultiplier) })
}

// discreteLaplaceSum adds discrete Laplace noise to every entry of a sum of integer vectors with an L1 norm of at most
// Sensitivity.
func (c reading) discreteLaplaceSum(e mechanism.DiscreteLaplace, s site) mech {
	options := scaled(straight, big.NewRat(e.Sensitivity, 1))
	if e.Sensitivity > 1 {
		options = append(options, []*big.Rat{big.NewRat(e.Sensitivity-1, 1)})
		if c.cells >= 4 && s.at(0).pick(8) == 7 {
			n := e.Sensitivity
			options = [][]*big.Rat{{big.NewRat(n, 1), new(big.Rat)}, {big.NewRat(-n, 1), new(big.Rat)},
				{new(big.Rat), new(big.Rat)}, {big.NewRat(n-1, 1), big.NewRat(1, 1)}}
		}
	}
	a, _ := e.NoiseParameter.Float64()
	return noisy(c.total(s.at(1), options), sizes{}, len(options[0]),
		c.points(s.at(2), len(options[0]), float64(e.Sensitivity)+min(1/a, 50)),
		func(mean *big.Rat) masses.Distribution {
			return c.DiscreteLaplace(mean.Num().Int64(), e.NoiseParameter)
		})
}

// discreteGaussian adds discrete Gaussian noise to every entry of a vector of integers, which is any function that
// moves between neighbours by at most Sensitivity in the 2-norm. Each entry of the vector is a function with a bound of
// its own.
func (c reading) discreteGaussian(e mechanism.DiscreteGaussian, s site) mech {
	norm := new(big.Rat).Mul(e.Sensitivity, e.Sensitivity)
	left := new(big.Int).Quo(norm.Num(), norm.Denom()).Int64()
	most := int64(4)
	if e.Dimension > 0 {
		most = min(most, e.Dimension)
	}
	if c.cells < 4 {
		most = 1
	}
	greatest := s.at(0).pick(3) // the whole, or ones, or one less than the whole
	var entries []*bounded
	for int64(len(entries)) < most {
		step := int64(math.Sqrt(float64(left)))
		if greatest > 0 && len(entries) == 0 {
			step = max(min(1, step), (step-1)*int64(greatest-1))
		}
		if step == 0 {
			break
		}
		left -= step * step
		entries = append(entries, &bounded{reading: c, site: s.at(3 + len(entries)), step: int(step)})
	}
	if len(entries) == 0 {
		entries = append(entries, &bounded{reading: c, site: s.at(3)})
	}
	sigma, _ := masses.Near(e.Sigma2()).Float64()
	reach, _ := e.Sensitivity.Float64()
	return noisy(func(d data) []*big.Rat {
		v := make([]*big.Rat, len(entries))
		for i, f := range entries {
			v[i] = big.NewRat(int64(f.of(d)), 1)
		}
		return v
	}, c.sizes(s.at(1)), len(entries), c.points(s.at(2), len(entries), reach+sigma),
		func(mean *big.Rat) masses.Distribution { return c.DiscreteNormal(mean.Num().Int64(), e.Sigma2()) })
}

// threshold is where the likelihood ratio of noise about the two values of record 0 is e^ε, if its logarithm is linear
// between them: half of their difference there, and e^ε is reached after unit·ε per difference.
func (c reading) threshold(unit float64) float64 {
	difference := 1.0
	if c.relation == mechanism.ReplaceOne {
		difference = 2
	}
	middle := 1 - difference/2
	return middle + min(unit*math.Abs(c.hint), 40*unit)/difference
}

// manyCells are so many that they need not be where they matter most.
const manyCells = 1000

// cuts are between cells, in each of so many entries: around a threshold, or around what is its mirror image, at some
// distance. Where there are many they go as far as reach.
func (c reading) cuts(s site, entries int, width, reach, threshold float64) []masses.Cut {
	n := c.each(entries)
	mirror := 1 - threshold
	if c.relation == mechanism.ReplaceOne {
		mirror = -threshold
	}
	center := []float64{threshold, mirror, 0, 0.5, -threshold, 1}[s.pick(6)]
	step := width * []float64{6, 3, 12}[s.at(0).pick(3)] / float64(n)
	if n >= manyCells { // all that tells the values of record 0 apart
		center, step = 0.5, 2*reach/float64(n)
	}
	places := []float64{center}
	for i := 1; len(places) < n-1; i++ {
		places = append(places, center+step*float64(i/2+1)*float64(1-2*(i%2)))
	}
	out := make([]masses.Cut, 0, len(places))
	for _, x := range places {
		out = append(out, masses.Cut{At: rounded(x, step)})
	}
	return masses.Sorted(out)
}

// rounded is x, or a short number near it, as seen from a distance of step.
func rounded(x, step float64) *big.Rat {
	unit := math.Exp2(math.Floor(math.Log2(step) - 6))
	return new(big.Rat).Mul(new(big.Rat).SetFloat64(math.Round(x/unit)), new(big.Rat).SetFloat64(unit))
}

// points are cuts between integers.
func (c reading) points(s site, entries int, reach float64) []masses.Cut {
	n := c.each(entries)
	stride := int64(max(1, math.Round(3*reach/float64(n))))
	if s.pick(3) == 1 {
		stride = 1
	}
	first := int64(s.at(0).pick(5)/2) - stride*int64(n/2)
	if s.at(1).pick(2) == 1 {
		first += int64(math.Round(reach/2)) * int64(1-2*(s.at(1).pick(4)/2))
	}
	var out []masses.Cut
	for i := range n - 1 {
		out = append(out, masses.Cut{At: big.NewRat(2*(first+stride*int64(i))+1, 2)})
	}
	return out
}

// each is how many cells there are in each of so many entries, at least two.
func (c reading) each(entries int) int {
	return max(2, int(math.Round(math.Pow(float64(c.cells), 1/float64(entries)))))
}
