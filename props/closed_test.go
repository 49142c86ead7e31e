// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact"
	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/mechanism"
)

// The closed forms are compared with finite pairs that bound them from both sides.
// For a partition of the line into cells with exact masses a, b and all likelihood
// ratios of a cell in [e^l₀, e^l₁]:
//
//   - the pair of the cells is a post-processing: Σ(a − αb)₊ is a lower bound;
//   - splitting each cell onto two outcomes of ratio e^l₀ and e^l₁ with the same masses
//     dominates: an upper bound. Where ratios have no bound, the mass a counts as
//     infinite loss.
//
// Products of such pairs bound products. The masses come from distribution
// functions, the ratios from densities; no formula for δ is used.

// cellBits is the precision of masses.
const cellBits = interval.Prec(200)

// A line is a pair of distributions on the real line whose log density ratio
// log p/q is monotone between the listed points.
type line struct {
	points []*big.Rat // of the partition, rising
	// cdf returns the masses of (−∞, x] under P and under Q.
	cdf func(x *big.Rat) (p, q interval.Interval)
	// loss returns log p/q just right and just left of x, and reports false where it
	// is infinite or has no bound.
	loss func(x *big.Rat) (right, left interval.Interval, ok bool)
	// atoms at points that the cdf includes: their masses, which form outcomes of
	// their own.
	atoms []atom
}

type atom struct {
	at   *big.Rat
	p, q interval.Interval
}

// A cellPair is a finite pair of enclosed masses; loss is infinite where q is 0.
type cellPair []struct{ p, q interval.Interval }

func (c *cellPair) add(p, q interval.Interval) {
	*c = append(*c, struct{ p, q interval.Interval }{p, q})
}

// bounds returns the pair of the cells and one that dominates.
func (l line) bounds() (lower, upper cellPair) {
	const w = cellBits
	one, zero := interval.Int(1), interval.Int(0)
	lastP, lastQ := zero, zero
	for i := 0; i <= len(l.points); i++ {
		p, q := one, one
		if i < len(l.points) {
			p, q = l.cdf(l.points[i])
		}
		a, b := interval.Max(zero, w.Sub(p, lastP)), interval.Max(zero, w.Sub(q, lastQ))
		lastP, lastQ = p, q
		for _, t := range l.atoms { // in the cell (x_{i−1}, x_i]
			if (i == 0 || l.points[i-1].Cmp(t.at) < 0) && (i == len(l.points) || t.at.Cmp(l.points[i]) <= 0) {
				lower.add(t.p, t.q)
				upper.add(t.p, t.q)
				a, b = interval.Max(zero, w.Sub(a, t.p)), interval.Max(zero, w.Sub(b, t.q))
			}
		}
		lower.add(a, b)
		if i == 0 || i == len(l.points) {
			upper.add(a, zero)
			continue
		}
		_, x0, ok0 := l.loss(l.points[i-1])
		x1, _, ok1 := l.loss(l.points[i])
		if !ok0 || !ok1 {
			upper.add(a, zero)
			continue
		}
		// x0 is the loss right of the left end, x1 left of the right end; outward.
		l0, l1 := interval.Point(interval.Min(x0, x1).Lo()), interval.Point(interval.Max(x0, x1).Hi())
		e0, e1 := w.Exp(l0), w.Exp(l1)
		if nearly := w.Scale(one, -100); w.Sub(l1, l0).Less(nearly) == interval.True {
			// All ratios are within a factor 1 + 2^−99 of a/b: (a, b·(1 − 2^−99)) dominates.
			upper.add(a, w.Mul(b, w.Sub(one, w.Scale(one, -99))))
			continue
		}
		// masses of P at the two ratios: e₀(e₁b − a)/(e₁ − e₀) and e₁(a − e₀b)/(e₁ − e₀)
		d := w.Sub(e1, e0)
		a0 := interval.Max(zero, w.Div(w.Mul(e0, w.Sub(w.Mul(e1, b), a)), d))
		a1 := interval.Max(zero, w.Div(w.Mul(e1, w.Sub(a, w.Mul(e0, b))), d))
		upper.add(a0, w.Div(a0, e0))
		upper.add(a1, w.Div(a1, e1))
	}
	return lower, upper
}

// times is the product of two finite pairs.
func (c cellPair) times(d cellPair) cellPair {
	var out cellPair
	for _, x := range c {
		for _, y := range d {
			out.add(cellBits.Mul(x.p, y.p), cellBits.Mul(x.q, y.q))
		}
	}
	return out
}

// delta encloses Σ(p − e^ε·q)₊.
func (c cellPair) delta(eps *big.Rat) interval.Interval {
	alpha := ratInterval(expRat(eps))
	sum := interval.Int(0)
	for _, o := range c {
		sum = cellBits.Add(sum, interval.Max(interval.Int(0), cellBits.Sub(o.p, cellBits.Mul(alpha, o.q))))
	}
	return sum
}

// between checks lower ≤ y ≤ upper for a δ that both pairs bound, and that the two
// are close enough to say something: within tenth + 1/10 of the lower one.
func between(y interval.Interval, lower, upper cellPair, eps, slack *big.Rat) error {
	lo, hi := lower.delta(eps), upper.delta(eps)
	if y.Less(lo) == interval.True {
		return fmt.Errorf("δ(%s) in [%s, %s], a post-processing has at least %s", eps.RatString(), text(y.Lo()), text(y.Hi()), text(lo.Lo()))
	}
	if hi.Less(y) == interval.True {
		return fmt.Errorf("δ(%s) in [%s, %s], a dominating pair has at most %s", eps.RatString(), text(y.Lo()), text(y.Hi()), text(hi.Hi()))
	}
	if gap := sub(upperRat(hi), lowerRat(lo)); gap.Cmp(slack) > 0 {
		return fmt.Errorf("δ(%s): the bounds %s and %s are too far apart for a test", eps.RatString(), text(lo.Lo()), text(hi.Hi()))
	}
	return nil
}

// grid returns n + 1 points between lo and hi.
func grid(lo, hi *big.Rat, n int64) []*big.Rat {
	out := make([]*big.Rat, n+1)
	for i := range out {
		out[i] = add(lo, mul(sub(hi, lo), big.NewRat(int64(i), n)))
	}
	return out
}

func normalCDF(x *big.Rat) interval.Interval { return cellBits.NormalCDF(cellBits.Rat(x)) }

// gaussianLine is (N(μ, 1), N(0, 1)).
func gaussianLine(mu *big.Rat, n int64) line {
	return line{
		points: grid(rat("-9"), add(mu, rat("9")), n),
		cdf:    func(x *big.Rat) (p, q interval.Interval) { return normalCDF(sub(x, mu)), normalCDF(x) },
		loss: func(x *big.Rat) (r, l interval.Interval, ok bool) {
			y := cellBits.Rat(sub(mul(mu, x), mul(half, mul(mu, mu))))
			return y, y, true
		},
	}
}

// laplaceCDF is the distribution function of Lap(0, 1).
func laplaceCDF(x *big.Rat) interval.Interval {
	const w = cellBits
	if x.Sign() <= 0 {
		return w.Scale(w.Exp(w.Rat(x)), -1)
	}
	return w.Sub(interval.Int(1), w.Scale(w.Exp(w.Rat(neg(x))), -1))
}

// laplaceLine is (Lap(0, 1), Lap(s, 1)), the loss |x − s| − |x|; s must be a point of
// the partition, and 0.
func laplaceLine(s *big.Rat, n int64) line {
	points := append([]*big.Rat{rat("-30"), zero}, grid(zero, s, n)[1:]...)
	return line{
		points: append(points, add(s, rat("30"))),
		cdf:    func(x *big.Rat) (p, q interval.Interval) { return laplaceCDF(x), laplaceCDF(sub(x, s)) },
		loss: func(x *big.Rat) (r, l interval.Interval, ok bool) {
			y := cellBits.Rat(sub(new(big.Rat).Abs(sub(x, s)), new(big.Rat).Abs(x)))
			return y, y, true
		},
	}
}

// truncatedLine is noise conditioned on [−r, r] against the same shifted by s.
func truncatedLine(cdf func(*big.Rat) interval.Interval, loss func(*big.Rat) *big.Rat, s, r *big.Rat, n int64) line {
	low := cdf(neg(r))
	norm := cellBits.Sub(cdf(r), low)
	part := func(x *big.Rat) interval.Interval {
		switch {
		case x.Cmp(neg(r)) <= 0:
			return interval.Int(0)
		case x.Cmp(r) >= 0:
			return interval.Int(1)
		}
		return cellBits.Div(cellBits.Sub(cdf(x), low), norm)
	}
	points := append([]*big.Rat{neg(r)}, grid(minRat(sub(s, r), r), maxRat(r, sub(s, r)), n)...)
	return line{
		points: append(points, add(s, r)),
		cdf:    func(x *big.Rat) (p, q interval.Interval) { return part(x), part(sub(x, s)) },
		loss: func(x *big.Rat) (right, left interval.Interval, ok bool) {
			// Finite inside the overlap [s − r, r] only: losses at its ends are the losses of
			// the inside, which the cells outside must not use.
			if x.Cmp(sub(s, r)) < 0 || x.Cmp(r) > 0 {
				return right, left, false
			}
			y := cellBits.Rat(loss(x))
			return y, y, true
		},
	}
}

// A noise is the parameters of the closed forms.
type noise struct {
	Kind  int
	X, Y  *big.Rat // kind by kind
	Rate  *big.Rat
	Eps   *big.Rat
	Count int64
}

func (c noise) String() string {
	return fmt.Sprintf("kind %d: x = %s, y = %s, rate %s, ε = %s, k = %d", c.Kind, c.X.RatString(), c.Y.RatString(), c.Rate.RatString(), c.Eps.RatString(), c.Count)
}

// drawScale is a parameter of noise of the order of 1.
func drawScale(r *rand.Rand) *big.Rat {
	return []*big.Rat{rat("1"), rat("1/3"), rat("1/10"), rat("3602879701896397/36028797018963968"), rat("2"), rat("3/2"), rat("1/2"), rat("7/5")}[r.Intn(8)]
}

func noises(kinds int) generator[noise] {
	return generator[noise]{
		draw: func(r *rand.Rand) noise {
			return noise{r.Intn(kinds), drawScale(r), drawScale(r), []*big.Rat{rat("1/2"), rat("1/10"), rat("9/10")}[r.Intn(3)],
				[]*big.Rat{zero, rat("1/10"), rat("-1/10"), rat("1"), rat("-1"), rat("1/3"), rat("5/2"), rat("-5/2")}[r.Intn(8)], int64(1 + r.Intn(3))}
		},
		shrink: func(c noise) []noise {
			var out []noise
			for _, x := range simplerRat(c.X, "1", "2") {
				d := c
				d.X = x
				out = append(out, d)
			}
			for _, x := range simplerRat(c.Y, "1", "2") {
				d := c
				d.Y = x
				out = append(out, d)
			}
			for _, x := range simplerRat(c.Eps, "0", "1") {
				d := c
				d.Eps = x
				out = append(out, d)
			}
			if c.Count > 1 {
				d := c
				d.Count--
				out = append(out, d)
			}
			return out
		},
	}
}

func frontDoor(e mechanism.Event, d mechanism.Direction, rel mechanism.Relation, eps *big.Rat) (interval.Interval, error) {
	r, err := exact.Delta(background, exact.Question{Event: e, Direction: d, Relation: rel}, eps, 0)
	return r.Interval, err
}

// Closed form 1: Gaussians compose to the Gaussian with μ² = Σμ_i², here as a product
// of two, one of them shifted by twice the sensitivity.
func TestClosedForm1GaussianComposition(t *testing.T) {
	forAll(t, 2, noises(1), func(c noise) error {
		y, err := frontDoor(mechanism.Composed{Events: []mechanism.Event{
			mechanism.Gaussian{NoiseMultiplier: quo(one, c.X)}, mechanism.Gaussian{NoiseMultiplier: quo(one, c.Y)},
		}}, mechanism.Both, mechanism.AddOrRemoveOne, c.Eps)
		if err != nil {
			return err
		}
		la, ua := gaussianLine(c.X, 60).bounds()
		lb, ub := gaussianLine(c.Y, 60).bounds()
		if err := between(y, la.times(lb), ua.times(ub), c.Eps, rat("1/25")); err != nil {
			return err
		}
		// Replacing a record doubles the shift.
		y, err = frontDoor(mechanism.Gaussian{NoiseMultiplier: quo(one, c.X)}, mechanism.Both, mechanism.ReplaceOne, c.Eps)
		if err != nil {
			return err
		}
		la, ua = gaussianLine(mul(two, c.X), 200).bounds()
		return between(y, la, ua, c.Eps, rat("1/25"))
	})
}

// Closed forms 3 to 5: Laplace noise, alone and k-fold.
func TestClosedForm5LaplaceSum(t *testing.T) {
	forAll(t, 8, noises(1), func(c noise) error {
		e := mechanism.SelfComposed{Event: mechanism.Laplace{NoiseMultiplier: quo(one, c.X)}, Count: c.Count}
		y, err := frontDoor(e, mechanism.Both, mechanism.AddOrRemoveOne, c.Eps)
		if err != nil {
			return err
		}
		n := []int64{0, 400, 60, 12}[c.Count]
		lower, upper := laplaceLine(c.X, n).bounds()
		l, u := lower, upper
		for range c.Count - 1 {
			l, u = l.times(lower), u.times(upper)
		}
		return between(y, l, u, c.Eps, rat("1/20"))
	})
}

// LaplaceSum against LaplaceSum: conditioning on the first of k copies, whose loss has
// the atoms and the density of one copy, gives δ_k from δ_{k−1} between its sums over a
// partition, because δ_{k−1} falls.
func TestClosedForm5Recursion(t *testing.T) {
	forAll(t, 4, noises(1), func(c noise) error {
		k := 2 + 3*c.Count
		const w, p = cellBits, interval.Prec(64)
		rest := func(eps interval.Real) (interval.Interval, error) {
			return closed.LaplaceSum(background, p, c.X, k-1, eps)
		}
		y, err := closed.LaplaceSum(background, p, c.X, k, interval.RealRat(c.Eps))
		if err != nil {
			return err
		}
		const n = 100
		points := grid(neg(c.X), c.X, n)
		// P(L ≤ l) = e^((l−x)/2)/2 on [−x, x), with the atom at −x.
		cdf := func(l *big.Rat) interval.Interval { return w.Scale(w.Exp(w.Rat(mul(half, sub(l, c.X)))), -1) }
		lo, hi := interval.Int(0), interval.Int(0)
		var last interval.Interval
		for i, l := range points {
			d, err := rest(interval.RealRat(sub(c.Eps, l)))
			if err != nil {
				return err
			}
			if i == 0 { // the atom at −x
				a := w.Mul(cdf(l), d)
				lo, hi = a, a
			} else {
				m := w.Sub(cdf(l), cdf(points[i-1]))
				lo, hi = w.Add(lo, w.Mul(m, last)), w.Add(hi, w.Mul(m, d)) // δ(ε − l) rises with l
			}
			last = d
		}
		atom := w.Scale(last, -1) // 1/2 at x
		lo, hi = w.Add(lo, atom), w.Add(hi, atom)
		if y.Less(lo) == interval.True || hi.Less(y) == interval.True {
			return fmt.Errorf("δ_%d = %s, from δ_%d: [%s, %s]", k, y, k-1, lo, hi)
		}
		if gap := sub(upperRat(hi), lowerRat(lo)); gap.Cmp(rat("1/50")) > 0 {
			return fmt.Errorf("the sums %s and %s are too far apart for a test", lo, hi)
		}
		return nil
	})
}

// Closed form 7: truncated Gaussian and Laplace noise.
func TestClosedForm7TruncatedNoise(t *testing.T) {
	forAll(t, 8, noises(2), func(c noise) error {
		s, r := c.X, c.Y
		var e mechanism.Event
		var l line
		if c.Kind == 0 {
			e = mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: c.Rate, Sensitivity: s, Radius: r}
			l = truncatedLine(func(x *big.Rat) interval.Interval { return normalCDF(quo(x, c.Rate)) },
				func(x *big.Rat) *big.Rat { // s(s − 2x)/2σ²
					return quo(mul(s, sub(s, mul(two, x))), mul(two, mul(c.Rate, c.Rate)))
				}, s, r, 400)
		} else {
			e = mechanism.Truncated{Width: c.Rate, Sensitivity: s, Radius: r}
			l = truncatedLine(func(x *big.Rat) interval.Interval { return laplaceCDF(quo(x, c.Rate)) },
				func(x *big.Rat) *big.Rat {
					return quo(sub(new(big.Rat).Abs(sub(x, s)), new(big.Rat).Abs(x)), c.Rate)
				}, s, r, 401)
		}
		y, err := frontDoor(e, mechanism.Remove, mechanism.AddOrRemoveOne, c.Eps)
		if err != nil {
			return err
		}
		lower, upper := l.bounds()
		return between(y, lower, upper, c.Eps, rat("1/10"))
	})
}

// Clamped Laplace noise, both orders of clamping and shifting, both directions.
func TestClampedLaplace(t *testing.T) {
	forAll(t, 16, noises(4), func(c noise) error {
		const w = cellBits
		mu, shift := sub(c.X, one), c.Y // scale 1, locations of both signs
		e := mechanism.Clamped{Location: mu, Width: one, Shift: shift, Order: mechanism.ClampThenShift}
		f := func(x *big.Rat) interval.Interval { return laplaceCDF(sub(x, mu)) }
		z := interval.Int(0)
		l := line{loss: func(x *big.Rat) (right, left interval.Interval, ok bool) {
			// |x − t − µ| − |x − µ|
			y := w.Rat(sub(new(big.Rat).Abs(sub(sub(x, shift), mu)), new(big.Rat).Abs(sub(x, mu))))
			return y, y, true
		}}
		// Bends of the densities, and what lies between.
		for _, x := range append(grid(zero, add(shift, rat("6")), 300), mu, add(mu, shift), shift) {
			if x.Sign() > 0 {
				l.points = append(l.points, x)
			}
		}
		l.points = append(l.points, zero, rat("40"))
		sortRats(l.points)
		if c.Kind&1 == 0 {
			clamp := func(x *big.Rat, from *big.Rat) interval.Interval { // max(0, X) + from
				if x.Cmp(from) < 0 {
					return z
				}
				return f(sub(x, from))
			}
			l.cdf = func(x *big.Rat) (p, q interval.Interval) { return clamp(x, zero), clamp(x, shift) }
			finite := l.loss
			l.loss = func(x *big.Rat) (right, left interval.Interval, ok bool) {
				if x.Cmp(shift) < 0 {
					return right, left, false
				}
				return finite(x)
			}
			l.atoms = []atom{{zero, f(zero), z}, {shift, z, f(zero)}}
		} else {
			e.Order = mechanism.ShiftThenClamp
			l.cdf = func(x *big.Rat) (p, q interval.Interval) {
				if x.Sign() < 0 {
					return z, z
				}
				return f(x), f(sub(x, shift))
			}
			l.atoms = []atom{{zero, f(zero), f(neg(shift))}}
		}
		d := mechanism.Remove
		if c.Kind >= 2 {
			d = mechanism.Add
			l = l.reverse()
		}
		y, err := frontDoor(e, d, mechanism.AddOrRemoveOne, c.Eps)
		if err != nil {
			return err
		}
		lower, upper := l.bounds()
		return between(y, lower, upper, c.Eps, rat("1/10"))
	})
}

func (l line) reverse() line {
	r := l
	r.cdf = func(x *big.Rat) (p, q interval.Interval) {
		q, p = l.cdf(x)
		return p, q
	}
	r.loss = func(x *big.Rat) (right, left interval.Interval, ok bool) {
		right, left, ok = l.loss(x)
		return right.Neg(), left.Neg(), ok
	}
	r.atoms = nil
	for _, a := range l.atoms {
		r.atoms = append(r.atoms, atom{a.at, a.q, a.p})
	}
	return r
}

// Mixtures of Gaussians, a Poisson-sampled Gaussian among them, and the sampled
// Gaussian of REPLACE_ONE: the ratio of mixture densities rises in x.
func TestGaussianMixtures(t *testing.T) {
	forAll(t, 2, noises(4), func(c noise) error {
		const w = cellBits
		type component struct{ mean, weight *big.Rat }
		var ps, qs []component
		var e mechanism.Event
		rel := mechanism.AddOrRemoveOne
		zeroMean := []component{{zero, one}}
		switch c.Kind {
		case 0, 1: // three components, with and without the mean 0
			first := zero
			if c.Kind == 1 {
				first = half
			}
			rest := mul(half, sub(one, c.Rate))
			ps, qs = []component{{first, c.Rate}, {c.X, rest}, {add(c.X, c.Y), rest}}, zeroMean
			m := mechanism.MixtureOfGaussians{StandardDeviation: one}
			for _, p := range ps {
				m.Sensitivities, m.SamplingProbs = append(m.Sensitivities, p.mean), append(m.SamplingProbs, p.weight)
			}
			e = m
		case 2:
			ps, qs = []component{{zero, sub(one, c.Rate)}, {c.X, c.Rate}}, zeroMean
			e = mechanism.PoissonSampled{SamplingProbability: c.Rate, Event: mechanism.Gaussian{NoiseMultiplier: quo(one, c.X)}}
		case 3:
			ps, qs = []component{{zero, sub(one, c.Rate)}, {c.X, c.Rate}}, []component{{zero, sub(one, c.Rate)}, {neg(c.X), c.Rate}}
			e = mechanism.PoissonSampled{SamplingProbability: c.Rate, Event: mechanism.Gaussian{NoiseMultiplier: quo(one, c.X)}}
			rel = mechanism.ReplaceOne
		}
		cdf := func(cs []component, x *big.Rat) interval.Interval {
			sum := interval.Int(0)
			for _, c := range cs {
				sum = w.Add(sum, w.Mul(w.Rat(c.weight), normalCDF(sub(x, c.mean))))
			}
			return sum
		}
		density := func(cs []component, x *big.Rat) interval.Interval { // over the density of N(0, 1)
			sum := interval.Int(0)
			for _, c := range cs {
				sum = w.Add(sum, w.Mul(w.Rat(c.weight), w.Exp(w.Rat(sub(mul(c.mean, x), mul(half, mul(c.mean, c.mean)))))))
			}
			return sum
		}
		l := line{
			points: grid(rat("-10"), rat("14"), 120),
			cdf:    func(x *big.Rat) (p, q interval.Interval) { return cdf(ps, x), cdf(qs, x) },
			loss: func(x *big.Rat) (right, left interval.Interval, ok bool) {
				y := w.Log(w.Div(density(ps, x), density(qs, x)))
				return y, y, true
			},
		}
		for _, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
			if rel == mechanism.ReplaceOne && d == mechanism.Add {
				continue
			}
			if d == mechanism.Add {
				l = l.reverse()
			}
			if rel == mechanism.ReplaceOne {
				d = mechanism.Both
			}
			y, err := frontDoor(e, d, rel, c.Eps)
			if err != nil {
				return err
			}
			lower, upper := l.bounds()
			if err := between(y, lower, upper, c.Eps, rat("1/10")); err != nil {
				return fmt.Errorf("%s: %w", d, err)
			}
		}
		return nil
	})
}

// Tails are enclosures at every precision: at 2 bits they meet the tails of 200, also at
// an ε that is an atom of the loss.
func TestTailsAtLowPrecision(t *testing.T) {
	forAll(t, 14, noises(7), func(c noise) error {
		var x pair.Pair
		s, r := c.X, add(c.X, c.Y)
		switch c.Kind {
		case 0:
			x = pair.Gaussian{Mu2: c.X}
		case 1:
			x = pair.Laplace{Shift: c.X}
		case 2:
			x = pair.Truncated{Noise: pair.GaussianNoise, Width: c.Y, Sensitivity: s, Radius: r}
		case 3:
			x = pair.Truncated{Noise: pair.LaplaceNoise, Width: c.Y, Sensitivity: s, Radius: r}
		case 4:
			x = pair.Clamped{Noise: pair.LaplaceNoise, Location: sub(c.X, one), Width: one, Shift: c.Y, ShiftFirst: c.Count == 1, Reversed: c.Count == 2}
		case 5:
			x = pair.GaussianMixture{P: normals.Mixture{Means: []*big.Rat{zero, c.X, add(c.X, c.Y)}, Probs: []*big.Rat{c.Rate, mul(half, sub(one, c.Rate)), mul(half, sub(one, c.Rate))}}, Q: normals.Standard()}
			if c.Count == 2 {
				x = x.Reverse()
			}
		case 6:
			x = pair.Sampled{Rate: c.Rate, Base: pair.Product{{Pair: pair.Laplace{Shift: c.X}, Count: 1}}, Reversed: c.Count == 2}
		}
		tails, ok := closed.PairTails(x)
		if !ok {
			return fmt.Errorf("%s has no tails", x)
		}
		for _, eps := range []*big.Rat{c.Eps, c.X, neg(c.X), quo(c.X, c.Y), zero} {
			fp, fq := tails(200, closed.RatArg(200, eps))
			fd := tails.Delta(64, interval.RealRat(eps))
			for _, w := range []interval.Prec{2, 3, 5, 8, 24, 64} {
				p, q := tails(w, closed.RatArg(w, eps))
				ip, iq := tails(w, closed.Arg{Interval: w.Rat(eps)})
				for _, m := range []struct {
					what        string
					coarse, ref interval.Interval
				}{
					{"P(L > ε)", p, fp}, {"Q(L > ε)", q, fq}, {"P(L > ε), ε enclosed", ip, fp}, {"Q(L > ε), ε enclosed", iq, fq},
					{"δ", tails.Delta(w, interval.RealRat(eps)), fd},
				} {
					if _, ok := interval.Intersect(m.coarse, m.ref); !ok {
						return fmt.Errorf("%s of %s at ε = %s: at %d bits [%s, %s], at 200 bits [%s, %s]", m.what, x, eps.RatString(), w,
							text(m.coarse.Lo()), text(m.coarse.Hi()), text(m.ref.Lo()), text(m.ref.Hi()))
					}
				}
			}
		}
		return nil
	})
}
