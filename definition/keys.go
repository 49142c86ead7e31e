// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"math"
	"math/big"
	"strings"

	"dpverify/definition/masses"
	"dpverify/mechanism"
)

// A counter releases noisy counts by key, each if it is at least a threshold. A record has a few keys, and adds to the
// count of each of them. A key that no record has does not exist.
type counter struct {
	reading
	site
	keys  int
	add   *big.Rat // what a record adds to a count
	noise func(mean *big.Rat) masses.Distribution
	least masses.Cut
	cuts  []masses.Cut
	crowd *big.Rat // the count of a key that many others have, who never leave
}

// law is that of the counts of the keys that record 0 has, one after the other. Each of them is its own, or shared with
// some of the others, or with a crowd.
func (m *counter) law(d data) masses.Law {
	law, n := masses.Certain(0), len(m.cuts)+2
	for k := range m.keys {
		count, exists := m.count(d.present(), m.at(k))
		shown := masses.Certain(0)
		if exists {
			cuts := append([]masses.Cut{m.least}, m.shifted(k)...)
			shown = masses.Cells(m.noise(count), cuts)
		}
		law = product(law, shown, func(i, j int) int { return i*n + j })
	}
	return law
}

// shifted are cuts of counts near those of a key, above the threshold.
func (m *counter) shifted(k int) []masses.Cut {
	var out []masses.Cut
	for _, x := range m.cuts {
		y := new(big.Rat).Set(x.At)
		if m.crowded(m.at(k)) {
			y.Add(y, m.crowd)
		}
		if y.Cmp(m.least.At) > 0 {
			out = append(out, masses.Cut{At: y})
		}
	}
	return out
}

// crowded says whether a key has a crowd: samples have none.
func (m *counter) crowded(s site) bool { return !m.sampled && s.pick(3) == 1 }

func (m *counter) count(d data, s site) (count *big.Rat, exists bool) {
	count = new(big.Rat)
	if m.crowded(s) {
		count.Set(m.crowd)
		exists = true
	}
	for _, r := range []byte(d) {
		if m.first(r) || s.pick(3) == 2 && s.at(int(r)).pick(2) == 0 {
			count.Add(count, m.add)
			exists = true
		}
	}
	return count, exists
}

func (m *counter) words(ds []data) string {
	return "keys have the counts " + onEach(ds, func(d data) string {
		var counts []string
		for k := range m.keys {
			if n, exists := m.count(d.present(), m.at(k)); exists {
				counts = append(counts, n.RatString())
			} else {
				counts = append(counts, "none")
			}
		}
		return "(" + strings.Join(counts, ", ") + ")"
	})
}

func (m *counter) label(y int) string {
	n := len(m.cuts) + 2
	parts := make([]string, m.keys)
	for k := m.keys - 1; k >= 0; k-- {
		parts[k] = "hidden"
		if i := y % n; i > 0 {
			parts[k] = masses.CellName(append([]masses.Cut{m.least}, m.shifted(k)...), i)
		}
		y /= n
	}
	return strings.Join(parts, " × ")
}

func (c reading) thresholded(e mechanism.ThresholdedNoise, s site) mech {
	keys := min(int(e.Keys), 3)
	m := &counter{reading: c, site: s.at(0), keys: max(1, (keys+s.at(1).pick(keys))%(keys+1)), add: big.NewRat(1, 1),
		least: masses.Cut{At: e.Threshold}}
	unit, lattice := big.NewRat(1, 1), false
	switch e := e.Event.(type) {
	case mechanism.Gaussian:
		m.noise = func(mean *big.Rat) masses.Distribution { return c.NormalOf(mean, e.Variance()) }
		unit = masses.Near(e.Variance())
	case mechanism.Laplace:
		m.noise = func(mean *big.Rat) masses.Distribution { return c.Laplace(mean, e.NoiseMultiplier) }
		unit = e.NoiseMultiplier
	case mechanism.DiscreteLaplace:
		m.add = big.NewRat(e.Sensitivity-int64(s.at(2).pick(2))*min(e.Sensitivity, 1), 1)
		m.noise = func(mean *big.Rat) masses.Distribution {
			return c.DiscreteLaplace(mean.Num().Int64(), e.NoiseParameter)
		}
		unit, lattice = new(big.Rat).Inv(e.NoiseParameter), true
	case mechanism.DiscreteGaussian:
		whole := new(big.Int).Quo(e.Sensitivity.Num(), e.Sensitivity.Denom())
		m.add = new(big.Rat).SetInt(whole)
		if whole.Sign() > 0 {
			m.add.Sub(m.add, big.NewRat(int64(s.at(2).pick(2)), 1))
		}
		m.noise = func(mean *big.Rat) masses.Distribution { return c.DiscreteNormal(mean.Num().Int64(), e.Sigma2()) }
		unit, lattice = masses.Near(e.Sigma2()), true
	}
	width, _ := unit.Float64()
	move, _ := m.add.Float64()
	if lattice {
		m.least.At = big.NewRat(2*masses.Ceil(e.Threshold)-1, 2)
	}
	// A crowd is so great that its key is hidden hardly ever.
	above, _ := e.Threshold.Float64()
	m.crowd = big.NewRat(int64(math.Ceil(max(0, above)+12*width+1)), 1)
	if lattice {
		m.cuts = c.points(s.at(3), m.keys, move+width)
	} else {
		m.cuts = c.cuts(s.at(3), m.keys, min(width, 1), 8*width+2, c.threshold(width))
	}
	return m
}
