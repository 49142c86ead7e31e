// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pld"
)

// A factor is a discrete pair with its model.
type factor struct {
	Pair  pair.Pair
	Model blurred
	Count int
}

// A gridCase is a product, the size and precision of vectors, and a ε.
type gridCase struct {
	Factors []factor
	Points  int
	Prec    uint
	Cut     int
	Eps     *big.Rat
	Reverse bool
}

func (c gridCase) String() string {
	return fmt.Sprintf("%s; %d points, %d bits, cut %d; ε = %s", c.product(), c.Points, c.Prec, c.Cut, c.Eps.RatString())
}

func (c gridCase) product() pair.Product {
	var prod pair.Product
	for _, f := range c.Factors {
		prod = append(prod, pair.Term{Pair: f.Pair, Count: int64(f.Count)})
	}
	if c.Reverse {
		prod = prod.Reverse()
	}
	return prod
}

func (c gridCase) model() blurred {
	out := equalBlurred
	for _, f := range c.Factors {
		out = timesBlurred(out, f.Model.power(f.Count))
	}
	if c.Reverse {
		out = out.reverse()
	}
	return out
}

var vectorBits = []uint{2, 3, 4, 6, 8, 12, 16, 24, 61, 64, 125}

// drawFactor draws discrete pairs: of one lattice if exact is set.
func drawFactor(r *rand.Rand, unit *big.Rat, exact bool) factor {
	f := factor{Count: 1 + r.Intn(3)}
	eps := mul(unit, ratInt(int64(1+r.Intn(4))))
	if !exact {
		eps = drawEps(r)
	}
	n := 4
	if !exact {
		n = 6
	}
	switch r.Intn(n) {
	case 0:
		d := drawDelta(r)
		f.Pair, f.Model = pair.Response{Eps: eps, Delta: d}, responseModel(eps, d)
	case 1:
		s := int64(1 + r.Intn(3))
		a := maxRat(eps, rat("1/10"))
		f.Pair, f.Model = pair.DiscreteLaplace{A: a, Sensitivity: s}, discreteLaplaceModel(a, s)
	case 2, 3:
		m := drawModel(r)
		if exact {
			base := two
			for i := range m.P {
				m.P[i] = mul(m.Q[i], powRat(base, r.Intn(5)))
			}
			if !positive(m.P) {
				m.P[0], m.Q[0] = one, one
			}
		}
		f.Pair, f.Model = m.finite(), m.blurred()
	case 4: // losses that are known by enclosures only
		m, rate := drawModel(r), drawRate(r)
		base := pair.Product{{Pair: m.finite(), Count: 2}}
		f.Pair, f.Model = pair.Sampled{Rate: rate, Base: base, Reversed: r.Intn(2) == 0}, sampleBlurred(rate, m.blurred().power(2))
		if f.Pair.(pair.Sampled).Reversed {
			f.Model = f.Model.reverse()
		}
		f.Count = 1
	case 5:
		d, rate := drawDelta(r), drawRate(r)
		f.Pair = pair.Mixed(rate, pair.Product{{Pair: pair.Response{Eps: eps, Delta: d}, Count: 1}})
		f.Model = mixBlurred(rate, responseModel(eps, d))
	}
	return f
}

func gridCases(exact bool) generator[gridCase] {
	return generator[gridCase]{
		draw: func(r *rand.Rand) gridCase {
			c := gridCase{Points: 1 << (1 + r.Intn(7)), Prec: vectorBits[r.Intn(len(vectorBits))], Eps: drawReal(r), Reverse: r.Intn(2) == 0}
			c.Cut = 2 + r.Intn(int(c.Prec))
			unit := maxRat(drawEps(r), rat("1/10"))
			size := 1
			for range 1 + r.Intn(3) {
				f := drawFactor(r, unit, exact)
				for range f.Count {
					size *= len(f.Model)
				}
				if size > 400 {
					break
				}
				c.Factors = append(c.Factors, f)
			}
			if len(c.Factors) == 0 {
				c.Factors = []factor{{pair.Response{Eps: unit, Delta: zero}, responseModel(unit, zero), 1}}
			}
			if r.Intn(3) == 0 {
				c.Eps = mul(unit, ratInt(int64(r.Intn(5)-2)))
			}
			return c
		},
		shrink: func(c gridCase) []gridCase {
			var out []gridCase
			for i, f := range c.Factors {
				if len(c.Factors) > 1 {
					d := c
					d.Factors = slices.Delete(slices.Clone(c.Factors), i, i+1)
					out = append(out, d)
				}
				if f.Count > 1 {
					d := c
					d.Factors = slices.Clone(c.Factors)
					d.Factors[i].Count--
					out = append(out, d)
				}
			}
			if c.Reverse {
				d := c
				d.Reverse = false
				out = append(out, d)
			}
			for _, e := range simplerRat(c.Eps, "0", "1", "-1") {
				d := c
				d.Eps = e
				out = append(out, d)
			}
			return out
		},
	}
}

// Masses rounded down, on a lattice of losses, bound the profile from below; with
// everything that they fall short of 1 counted as infinite loss, from above: at 2
// bits as at 125.
func TestLatticeBounds(t *testing.T) {
	forAll(t, 18, gridCases(true), func(c gridCase) error {
		d, ok, err := pld.New(background, c.product(), c.Prec, pld.Limits{Points: 1 << 10, Words: 1 << 16, Terms: 1 << 10})
		if err != nil || !ok {
			return err
		}
		m := c.model()
		for _, eps := range []*big.Rat{c.Eps, zero, rat("-1"), rat("1/3")} {
			y, err := d.Delta(background, 64, interval.RealRat(eps))
			if err != nil {
				return err
			}
			lo, hi := m.delta(eps)
			if err := refute(y, lo, hi, "δ(%s)", eps.RatString()); err != nil {
				return err
			}
		}
		// log 2 is a loss of the finite pairs.
		y, err := d.Delta(background, 64, logReal(two))
		if err != nil {
			return err
		}
		lo, hi := m.deltaAt(two, two)
		return refute(y, lo, hi, "δ(log 2)")
	})
}

// A dominating pair on a grid of losses (Doroshenko et al. 2022) bounds the profile of
// any product from above, and a post-processing from below, whatever the spacing,
// the precision and the tails that are cut off.
func TestGridBounds(t *testing.T) {
	forAll(t, 10, gridCases(false), func(c gridCase) error {
		var leaves pld.Leaves
		m := c.model()
		for _, reverse := range []bool{false, true} {
			prod := c.product()
			if reverse { // the leaves that are shared by both orientations
				prod, m = prod.Reverse(), m.reverse()
			}
			g, ok, err := pld.NewGrid(background, prod, pld.Settings{Points: c.Points, Prec: c.Prec, Cut: c.Cut, Limit: 1 << 14, Leaves: &leaves})
			if err != nil || !ok {
				return err
			}
			for _, eps := range []*big.Rat{c.Eps, zero, rat("-1"), rat("1/3"), rat("4")} {
				y, err := g.Delta(background, 64, interval.RealRat(eps))
				if err != nil {
					return err
				}
				lo, hi := m.delta(eps)
				if err := refute(y, lo, hi, "reversed %v: δ(%s)", reverse, eps.RatString()); err != nil {
					return err
				}
			}
			y, err := g.Delta(background, 64, logReal(two))
			if err != nil {
				return err
			}
			lo, hi := m.deltaAt(two, two)
			if err := refute(y, lo, hi, "reversed %v: δ(log 2)", reverse); err != nil {
				return err
			}
		}
		return nil
	})
}

// Grids of continuous losses: k Laplace pairs against the finite sum of closed form 5,
// and sampled, truncated and clamped noise at a coarse grid against a fine one.
func TestGridOfContinuousLosses(t *testing.T) {
	forAll(t, 2, noises(6), func(c noise) error {
		coarse := pld.Settings{Points: 24, Prec: 12, Cut: 10, Limit: 1 << 14}
		fine := pld.Settings{Points: 160, Prec: 125, Cut: 60, Limit: 1 << 14}
		k := c.Count + 1
		var x pair.Pair
		switch c.Kind {
		case 0, 1:
			x = pair.Laplace{Shift: c.X}
		case 2:
			x = pair.Sampled{Rate: c.Rate, Base: pair.Product{{Pair: pair.Gaussian{Mu2: c.X}, Count: 1}}}
		case 3:
			x = pair.Truncated{Noise: pair.GaussianNoise, Width: c.Y, Sensitivity: c.X, Radius: add(c.X, c.Y)}
		case 4:
			x = pair.Clamped{Noise: pair.LaplaceNoise, Location: sub(c.X, one), Width: one, Shift: c.Y, ShiftFirst: c.Count == 2}
		case 5:
			x = pair.Sampled{Rate: c.Rate, Base: pair.Product{{Pair: pair.Laplace{Shift: c.X}, Count: 1}}}
		}
		prod := pair.Product{{Pair: x, Count: k}}
		for _, o := range []pair.Product{prod, prod.Reverse()} {
			for _, eps := range []*big.Rat{c.Eps, zero, c.X} {
				var ys []interval.Interval
				for _, set := range []pld.Settings{coarse, fine} {
					g, ok, err := pld.NewGrid(background, o, set)
					if err != nil || !ok {
						return fmt.Errorf("no grid: %v", err)
					}
					y, err := g.Delta(background, 64, interval.RealRat(eps))
					if err != nil {
						return err
					}
					ys = append(ys, y)
				}
				if c.Kind < 2 {
					y, err := closed.LaplaceSum(background, 64, c.X, k, interval.RealRat(eps))
					if err != nil {
						return err
					}
					ys = append(ys, y)
				}
				for _, y := range ys[1:] {
					if _, ok := interval.Intersect(ys[0], y); !ok {
						return fmt.Errorf("δ(%s) of %s: [%s, %s] and [%s, %s] are disjoint", eps.RatString(), o, text(ys[0].Lo()), text(ys[0].Hi()), text(y.Lo()), text(y.Hi()))
					}
				}
			}
		}
		return nil
	})
}
