// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A shiftedNoise is additive noise, a shift that its sensitivity allows, and the direction asked
// for: neighbours may move a value either way, whichever of them has the record.
type shiftedNoise struct {
	Noise     mechanism.AdditiveNoise
	Shift     *big.Rat
	Direction mechanism.Direction
}

func (s shiftedNoise) String() string {
	return fmt.Sprintf("%s, shift %s", mechanism.EncodeEvent(s.Noise), s.Shift.RatString())
}

var shiftedNoises = generator[shiftedNoise]{
	draw: func(r *rand.Rand) shiftedNoise {
		s := shiftedNoise{Noise: drawAdditiveNoise(r), Direction: []mechanism.Direction{mechanism.Both, mechanism.Add, mechanism.Remove}[r.Intn(3)]}
		s.Shift = mul(s.Noise.Sensitivity, big.NewRat(r.Int63n(15)-7, 7))
		if s.Noise.Kind == mechanism.Lattice {
			steps := quo(s.Shift, s.Noise.Cell)
			s.Shift = mul(s.Noise.Cell, new(big.Rat).SetInt(new(big.Int).Quo(steps.Num(), steps.Denom())))
		}
		return s
	},
}

// model is the noise against itself shifted, by the definition: of a density the masses between
// any two neighbouring borders, of a lattice the masses of points.
func (s shiftedNoise) model() model {
	n := int64(len(s.Noise.Probabilities))
	steps := quo(s.Shift, s.Noise.Cell)
	var places []*big.Rat
	for i := range n + 1 {
		x := ratInt(i)
		places = append(places, x, add(x, steps))
	}
	slices.SortFunc(places, (*big.Rat).Cmp)
	places = slices.CompactFunc(places, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	height := func(x *big.Rat) *big.Rat {
		i := new(big.Int).Div(x.Num(), x.Denom()).Int64() // floor
		if i < 0 || i >= n {
			return zero
		}
		return s.Noise.Probabilities[i]
	}
	var m model
	for i, x := range places {
		width := one
		if s.Noise.Kind == mechanism.Density {
			if i+1 == len(places) {
				break
			}
			width = sub(places[i+1], x)
		}
		m.P = append(m.P, mul(width, height(x)))
		m.Q = append(m.Q, mul(width, height(sub(x, steps))))
	}
	return m
}

// Sommer et al. 2020, Lemma 14 and Theorem 15: no shift that the sensitivity allows, on the grid or
// off it, exceeds what noise is resolved to, at any α; and some shift of it attains that.
func TestLemma14EveryShift(t *testing.T) {
	forAll(t, 1400, shiftedNoises, func(s shiftedNoise) error {
		p, err := meaning.Resolve(s.Noise, mechanism.AddOrRemoveOne)
		if err != nil {
			return err
		}
		b, err := p.Profile(s.Direction)
		if err != nil || !b.Attained {
			return fmt.Errorf("attained: %v, %v", b.Attained, err)
		}
		m := s.model()
		as := alphas(m)
		for _, prod := range b.Upper {
			for _, t := range prod {
				for _, o := range t.Pair.(pair.Finite).Masses {
					if o.Q.Sign() > 0 {
						as = append(as, quo(o.P, o.Q))
					}
				}
			}
		}
		slices.SortFunc(as, (*big.Rat).Cmp)
		as = slices.CompactFunc(as, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
		p1, q1 := m.p(), m.q()
		var shifts []func(*big.Rat) *big.Rat
		for _, x := range gridShifts(s.Noise) {
			m := shiftedNoise{Noise: s.Noise, Shift: x}.model()
			shifts = append(shifts, m.deltas(), m.reverse().deltas())
		}
		for _, alpha := range as {
			most := sub(one, alpha) // equal distributions
			if most.Sign() < 0 {
				most = zero
			}
			for _, prod := range b.Upper {
				for _, t := range prod {
					if d := t.Pair.(pair.Finite).Delta(alpha); d.Cmp(most) > 0 {
						most = d
					}
				}
			}
			if d := divergence(p1, q1, alpha); d.Cmp(most) > 0 {
				return fmt.Errorf("H_%s of the shift is %s, and at most %s is resolved", alpha.RatString(), d.RatString(), most.RatString())
			}
			attained := divergence([]*big.Rat{one}, []*big.Rat{one}, alpha)
			for _, h := range shifts {
				attained = maxRat(attained, h(alpha))
			}
			if attained.Cmp(most) != 0 {
				return fmt.Errorf("H_%s: %s is resolved and %s attained", alpha.RatString(), most.RatString(), attained.RatString())
			}
		}
		return nil
	})
}

// gridShifts are all whole cells up to the sensitivity and, of a density, the sensitivity.
func gridShifts(e mechanism.AdditiveNoise) []*big.Rat {
	var out []*big.Rat
	x := new(big.Rat)
	for x = add(x, e.Cell); x.Cmp(e.Sensitivity) <= 0; x = add(x, e.Cell) {
		out = append(out, x)
	}
	if e.Kind == mechanism.Density {
		out = append(out, e.Sensitivity)
	}
	return out
}
