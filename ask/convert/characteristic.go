// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"errors"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/transform"
	"dpverify/mechanism"
)

const fromPhi = "φ at finitely many points bounds nothing from above: a loss that is larger by 2πk/h, of which every " +
	"t of the table is a multiple, has the same φ there"

// errPhi says what is missing where a table of φ says nothing.
var errPhi = errors.New(fromPhi + "; and from below it says that a loss is infinite with probability 1 − φ(0): want " +
	"a point at t = 0 with re < 1")

// infinite returns pairs on both sides of every pair (P, Q) whose φ has the values of a table, which say that a
// loss is infinite with probability 1 − φ(0).
//
// From above they say nothing. Let every t be a multiple of h > 0, as rational numbers are, and c = 2πk/h. Leave Q e^−c
// times what it has of each outcome, and give the rest to an outcome that P does not have. Then each loss ℓ is now ℓ +
// c, and e^(it(ℓ+c)) = e^(itℓ) at all t of the table, while δ(ε) = E_P[(1 − e^(ε−ℓ−c))₊] tends to 1 as k grows, at
// every ε.
//
// From below: a pair whose finite losses have the probability m = φ(0) has at least the profile (m − α)₊ + 1 − m, by
// the convexity of x ↦ (1 − αx)₊; it is that of a pair with a constant finite loss.
func (t Table) infinite() (mechanism.Range, error) {
	for _, p := range t.Points {
		if p.X.Sign() == 0 && p.Y.Cmp(ratOne) < 0 {
			return mechanism.Range{
				MorePrivate: mechanism.FinitePair{P: []*big.Rat{p.Y, new(big.Rat).Sub(ratOne, p.Y)},
					Q: []*big.Rat{ratOne, new(big.Rat)}},
				LessPrivate: mechanism.FinitePair{P: []*big.Rat{ratOne, new(big.Rat)}, Q: []*big.Rat{new(big.Rat), ratOne}},
				Reason:      fromPhi,
			}, nil
		}
	}
	return mechanism.Range{}, errPhi
}

// phi encloses φ at a real number that is a point of a table of it, or the negative of one: φ(−t) is the conjugate of
// φ(t).
func (t Table) phi(w interval.Prec, at transform.Number) (interval.Complex, error) {
	for _, p := range t.Points {
		if at.Im.Sign() != 0 {
			break
		}
		z := interval.Complex{Re: w.Rat(p.Y), Im: w.Rat(p.Z)}
		switch {
		case at.Re.Cmp(p.X) == 0:
			return z, nil
		case at.Re.Cmp(new(big.Rat).Neg(p.X)) == 0:
			return z.Conj(), nil
		}
	}
	return interval.Complex{}, errors.New("φ is known at the points of the table, and what it is elsewhere does not " +
		"follow: want one of them")
}
