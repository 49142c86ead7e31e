// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"math/big"
	"slices"
	"strconv"

	"dpverify/definition/masses"
	"dpverify/mechanism"
)

// An outright pair is P on some data sets and Q on all others.
type outright struct {
	p, q   masses.Law
	isP    func(data) bool
	labels []string
}

func (m outright) law(d data) masses.Law {
	if m.isP(d) {
		return m.p
	}
	return m.q
}

func (m outright) label(y int) string {
	if y < len(m.labels) {
		return m.labels[y]
	}
	return "outcome " + strconv.Itoa(y+1)
}

func (m outright) words(ds []data) string {
	return onEach(ds, func(d data) string {
		return map[bool]string{true: "the first distribution", false: "the second one"}[m.isP(d)]
	})
}

// side says on which data sets a pair is P. Where a record is there or not, P is with it: of some records at least so
// many have to be there that are not null. Under REPLACE_ONE any data sets may have P.
func (c reading) side(s site) func(data) bool {
	if c.relation == mechanism.ReplaceOne {
		return func(d data) bool {
			if k := s.on(d).pick(3); k > 0 {
				return k == 1
			}
			return slices.ContainsFunc([]byte(d), func(r byte) bool { return c.first(r) && value(r) == 0 })
		}
	}
	others, least := s.at(0), 1+s.at(1).pick(2)*s.at(2).pick(3)
	return func(d data) bool {
		n := 0
		for _, r := range []byte(d.present()) {
			if c.first(r) || others.at(number(r)).pick(3) == 1 {
				n++
			}
		}
		return n >= least
	}
}

// densities is a pair of distributions on cells: the given ones, and those of a grid that is cut between lo and hi.
func (c reading) densities(s site, p, q masses.Distribution, cuts []masses.Cut, lo, hi *big.Rat) mech {
	length := new(big.Rat).Sub(hi, lo)
	n := max(2, int64(c.cells)-int64(len(cuts)))
	for i := range n - 1 { // not quite even, by choice
		x := new(big.Rat).Mul(length, big.NewRat(4*(i+1)+int64(s.at(int(i)).pick(3)%3)-1, 4*n))
		cuts = append(cuts, masses.Cut{At: x.Add(x, lo)})
	}
	cuts = masses.Sorted(cuts)
	m := outright{p: masses.Cells(p, cuts), q: masses.Cells(q, cuts), isP: c.side(s.at(-1))}
	for i := range len(cuts) + 1 {
		m.labels = append(m.labels, masses.CellName(cuts, i))
	}
	return m
}

// mixtures is a pair of mixtures of normal laws of one standard deviation.
func (c reading) mixtures(s site, sigma *big.Rat, p, q mechanism.WeightedMeans) mech {
	reach := new(big.Rat).Mul(sigma, big.NewRat(3, 1))
	lo, hi := q.Means[0], q.Means[0]
	law := func(m mechanism.WeightedMeans) masses.Distribution {
		var parts []masses.Distribution
		for _, x := range m.Means {
			parts = append(parts, c.Normal(x, sigma))
			if x.Cmp(lo) < 0 {
				lo = x
			}
			if x.Cmp(hi) > 0 {
				hi = x
			}
		}
		return masses.Mixture(m.Weights, parts)
	}
	return c.densities(s, law(p), law(q), nil, new(big.Rat).Sub(lo, reach), new(big.Rat).Add(hi, reach))
}

// finite is a pair of lists of masses.
func (c reading) finite(s site, p, q []*big.Rat) mech {
	return outright{p: masses.Exactly(p), q: masses.Exactly(q), isP: c.side(s)}
}

// noise is what is truncated or clamped, about a location.
func (c reading) noise(n mechanism.Noise, location, width *big.Rat) masses.Distribution {
	if n == mechanism.GaussianNoise {
		return c.Normal(location, width)
	}
	return c.Laplace(location, width)
}

func (c reading) truncated(s site, e mechanism.Truncated) mech {
	least, shift := new(big.Rat).Neg(e.Radius), e.Sensitivity
	noise := c.noise(e.Noise, new(big.Rat), e.Width).Within(e.Radius)
	var cuts []masses.Cut
	for _, x := range []*big.Rat{least, e.Radius} {
		cuts = append(cuts, masses.Cut{At: x}, masses.Cut{At: new(big.Rat).Add(x, shift)})
	}
	return c.densities(s, noise, noise.Shifted(shift), cuts, least, new(big.Rat).Add(e.Radius, shift))
}

func (c reading) clamped(s site, e mechanism.Clamped, reach *big.Rat) mech {
	noise, shift := c.noise(e.Noise, e.Location, e.Width), e.Shift
	p := noise.Clamped()
	q := p.Shifted(shift)
	if e.Order == mechanism.ShiftThenClamp {
		q = noise.Shifted(shift).Clamped()
	}
	var cuts []masses.Cut
	for _, x := range []*big.Rat{new(big.Rat), shift} {
		cuts = append(cuts, masses.Cut{At: x}, masses.Cut{At: x, After: true})
	}
	return c.densities(s, p, q, cuts, new(big.Rat), new(big.Rat).Add(reach, shift))
}

// binomial is Bin(n, p), and the same with a number added.
func (c reading) binomial(s site, e mechanism.Binomial) mech {
	n, shift := int(e.Trials), int(e.Sensitivity)
	p, q := make([]*big.Rat, n+shift+1), make([]*big.Rat, n+shift+1)
	for i := range p {
		p[i], q[i] = new(big.Rat), new(big.Rat)
	}
	for k := range n + 1 {
		mass := chance(n, k, e.Probability)
		p[k], q[k+shift] = mass, mass
	}
	return c.finite(s, p, q)
}

// chance returns the probability that k of n coins fall on the side that has the probability p.
func chance(n, k int, p *big.Rat) *big.Rat {
	x := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
	rest := new(big.Rat).Sub(big.NewRat(1, 1), p)
	for i := range n {
		if i < k {
			x.Mul(x, p)
		} else {
			x.Mul(x, rest)
		}
	}
	return x
}

// additive is noise on cells or points, added to a function with the sensitivity of the event: a multiple of unit, of
// which the cell and the sensitivity are multiples, too. An absent record and a null one have one value.
type additive struct {
	f       *bounded
	masses  []*big.Rat // of intervals or points that are one unit apart
	present bool
}

func (c reading) additiveNoise(s site, e mechanism.AdditiveNoise) mech {
	steps, per := int64(0), int64(1) // of a unit in the sensitivity, and in a cell
	ratio := new(big.Rat).Quo(e.Sensitivity, e.Cell)
	switch e.Kind {
	case mechanism.Lattice:
		steps = new(big.Int).Quo(ratio.Num(), ratio.Denom()).Int64()
	case mechanism.Density:
		steps, per = ratio.Num().Int64(), ratio.Denom().Int64()
	}
	m := additive{f: &bounded{reading: c, site: s, step: int(steps)}, present: c.relation == mechanism.ReplaceSpecial}
	if m.present {
		m.f.relation = mechanism.AddOrRemoveOne
	}
	for _, p := range e.Probabilities {
		for range per {
			m.masses = append(m.masses, new(big.Rat).Quo(p, big.NewRat(per, 1)))
		}
	}
	return m
}

func (m additive) law(d data) masses.Law {
	if m.present {
		d = d.present()
	}
	move := m.f.of(d) + far*m.f.step
	return masses.Exactly(m.masses).Placed(func(i int) int { return i + move })
}

func (m additive) label(y int) string { return "cell " + strconv.Itoa(y-far*m.f.step) }

func (m additive) words(ds []data) string {
	return "noise is moved by " + onEach(ds, func(d data) string {
		if m.present {
			d = d.present()
		}
		return strconv.Itoa(m.f.of(d))
	}) + ", in parts of a cell"
}

// far is more steps than there are between any two of the data sets that are listed.
const far = 32
