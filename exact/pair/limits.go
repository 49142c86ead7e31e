// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import "math/big"

// InfMass returns the P-mass of infinite loss of a product, P(dP/dQ = ∞), when it is a rational of moderate length.
func InfMass(prod Product) (*big.Rat, bool) {
	stay := []*big.Rat{ratOne} // (1 − m)^count
	for _, t := range prod {
		m, ok := t.Pair.infMass()
		if !ok {
			return nil, false
		}
		if m.Sign() == 0 {
			continue
		}
		f := new(big.Rat).Sub(ratOne, m)
		const maxBits = 1 << 17
		if int64(f.Denom().BitLen())*t.Count > maxBits || t.Count > maxBits {
			if f.Sign() == 0 {
				return new(big.Rat).Set(ratOne), true
			}
			return nil, false
		}
		stay = append(stay, ratPow(f, t.Count))
	}
	for len(stay) > 1 { // the shortest first: one by one, long ones take the square of their number
		stay = append(stay[2:], new(big.Rat).Mul(stay[0], stay[1]))
	}
	return new(big.Rat).Sub(ratOne, stay[0]), true
}

// A reach says how far up the finite losses of positive P-mass go.
type reach struct {
	top   Loss
	known extremity
}

// An extremity says what the top of a reach is.
type extremity int

const (
	unknown extremity = iota
	none              // the losses are not bounded above
	bound             // an upper bound of the losses
	least             // their least upper bound
)

func unknownReach() reach { return reach{} }

// endless is the reach of losses that are not bounded above.
func endless() reach { return reach{known: none} }

// within is the reach of losses of which l is an upper bound.
func within(l Loss) reach { return reach{l, bound} }

// upTo is the reach of losses of which l is the least upper bound.
func upTo(l Loss) reach { return reach{l, least} }

// MaxLoss returns the least upper bound of the finite losses of a product that
// have positive P-mass, when it is known exactly. It reports false for unbounded
// losses and where no exact form is at hand.
func MaxLoss(prod Product) (Loss, bool) { return sumLosses(prod, maxLoss) }

// sumLosses adds up one loss of each factor, if all have one.
func sumLosses(prod Product, of func(Pair) (Loss, bool)) (Loss, bool) {
	var total Loss
	for _, t := range prod {
		l, ok := of(t.Pair)
		if !ok {
			return Loss{}, false
		}
		total = total.Add(l.Times(t.Count))
	}
	return total, true
}

func maxLoss(x Pair) (Loss, bool) {
	r := x.reach()
	return r.top, r.known == least
}

// LossBound returns an upper bound of the finite losses of a product, so that δ(ε) is
// the mass of infinite loss at every ε ≥ it. It is MaxLoss where that is known, and
// reports false for losses that are unbounded or not known to be bounded.
//
// A loss of the product is finite where all its factors' are. A pair without finite
// losses is bounded by any number.
func LossBound(prod Product) (Loss, bool) { return sumLosses(prod, lossBound) }

func lossBound(x Pair) (Loss, bool) {
	r := x.reach()
	if r.known == least {
		return r.top, true
	}
	if m, ok := x.infMass(); ok && m.Cmp(ratOne) == 0 {
		return Loss{}, true
	}
	return r.top, r.known == bound
}

// Unbounded reports whether the finite losses of a product are known to be
// unbounded above, so that δ(ε) exceeds the mass of infinite loss at every ε.
//
// A factor with unbounded finite losses makes the losses of the product unbounded if every
// other factor has finite losses at all. Where infMass does not know the mass of infinite
// loss, it is less than 1.
func Unbounded(prod Product) bool {
	for _, t := range prod {
		if m, ok := t.Pair.infMass(); ok && m.Cmp(ratOne) == 0 {
			return false // all losses are infinite
		}
	}
	for _, t := range prod {
		if t.Pair.reach().known == none {
			return true
		}
	}
	return false
}
