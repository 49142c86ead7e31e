// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/remembered"
)

// A neighbourhood is a range of ε that have a line in common.
// These are the ε that are rounded to center, a multiple of 2^quantum, and are less than 2^quantum from it.
//
// Answers depend on the question alone, not on the lines that other questions left behind.
type neighbourhood struct {
	center  *big.Rat
	quantum int

	logDelta, saddle float64 // at last, see guessDelta and bulkDelta
	known            bool    // whether they are
	corrected        bool    // whether a line has said more about logDelta
	inDouble         bool    // whether lines are to be in double precision
}

// first and last are the ends of the range. δ is largest at first and smallest at last.
func (a neighbourhood) first() *big.Rat {
	return new(big.Rat).Sub(a.center, interval.Pow2(a.quantum))
}

func (a neighbourhood) last() *big.Rat {
	return new(big.Rat).Add(a.center, interval.Pow2(a.quantum))
}

// steep reports whether δ falls by so much over the range that one line for all of it is costly.
// Such a line needs the precision that the smallest δ demands, and suffers the cancellation that the largest permits.
//
// log δ is near the least of log M(−λ) − λε over λ, which is concave in ε and has the slope −λ at the saddle point.
// So over the range it falls by about 2λ·2^quantum at most.
//
// The scale of all losses is too long where they come in groups, as the losses of little noise beside a discrete
// mechanism do: next to the largest group, δ falls within the width of the group.
func (a neighbourhood) steep() bool {
	const costly = 32 // nats
	return costly-a.logDelta/2 < math.Ldexp(a.saddle, a.quantum+1)
}

// maxRefinements bounds how often a range is halved.
const maxRefinements = 40

// maxNeighbourhoods bounds the neighbourhoods that are remembered.
const maxNeighbourhoods = 1024

type neighbourhoodKey struct {
	center  string
	quantum int
}

func (a neighbourhood) key() neighbourhoodKey {
	return neighbourhoodKey{a.center.RatString(), a.quantum}
}

// around returns the neighbourhood of ε, and false if it has no line. x.mu is held.
func (x *Transform) around(eps interval.Interval) (neighbourhood, bool) {
	e := coarse.Mid(eps)
	if !e.IsFinite() || e.Lo().MantExp(nil) > 60 {
		return neighbourhood{}, false
	}
	for k := x.quantum; ; k-- {
		scaled := coarse.Add(coarse.Scale(e, -k), coarse.Scale(one, -1))
		n, rounded := scaled.Lo().Int(nil)
		if rounded == big.Above {
			n.Sub(n, big.NewInt(1)) // Int rounds to 0
		}
		center := new(big.Rat).Mul(new(big.Rat).SetInt(n), interval.Pow2(k))
		a := neighbourhood{center: center, quantum: k}
		key := a.key()
		if known, ok := x.neighbourhoods[key]; ok {
			a = known
		} else {
			last := double.Near(a.last())
			if a.logDelta, a.saddle, a.known = x.guessDelta(last); a.known {
				a.logDelta = x.bulkDelta(last, a.logDelta)
			}
			remembered.Put(&x.neighbourhoods, key, a, maxNeighbourhoods)
		}
		if !a.known || k == x.quantum-maxRefinements || !a.steep() && !x.nearEdge(a) {
			return a, a.known
		}
	}
}

// isShort reports whether there is a line for ε of at most so many terms.
func (x *Transform) isShort(p interval.Prec, eps interval.Interval, most int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	a, ok := x.around(eps)
	if !ok {
		return false
	}
	c, ok := x.chooseAt(p, a)
	return ok && c.far <= most
}
