// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/number"
)

// AdditiveNoise is noise that is added to an answer on the real line: P is the noise, Q the noise
// shifted by any x with |x| ≤ Sensitivity, whichever is worst. In units of Cell the noise has
//
//	Density: uniform distributions on the cells [i, i+1), i = −N … N−1,
//	Lattice: the points i = −N … N; only shifts by multiples of Cell are possible,
//
// with the given Probabilities, in this order.
type AdditiveNoise struct {
	File          string     // where the probabilities were read from, as written in the event, or ""
	Probabilities []*big.Rat // ≥ 0, with sum exactly 1; an even number of cells or an odd one of points
	Cell          *big.Rat   // > 0
	Sensitivity   *big.Rat   // >= 0; less than one cell of a lattice: equal distributions
	Kind          NoiseKind
}

// ClassName returns "AdditiveNoiseEvent".
func (AdditiveNoise) ClassName() string { return "AdditiveNoiseEvent" }
func (AdditiveNoise) isEvent()          {}

// MarshalJSON writes the event as EncodeEvent does.
func (e AdditiveNoise) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e AdditiveNoise) encodeFields(w *encoder) {
	if e.File != "" {
		w.text("probabilities", e.File)
	} else {
		w.numbers("probabilities", e.Probabilities)
	}
	w.number("cell", e.Cell)
	w.number("sensitivity", e.Sensitivity)
	w.text("kind", e.Kind.String())
}

func (e AdditiveNoise) contents() Event {
	e.File = ""
	return e
}

// A smaller sensitivity is more private: the worst of fewer shifts.
func decodeAdditiveNoise(r *reader) Event {
	e := AdditiveNoise{Kind: r.noiseKind("kind")}
	e.File, e.Probabilities = r.noise("probabilities")
	e.Cell = r.number("cell", number.Positive, unproved)
	e.Sensitivity = r.number("sensitivity", number.NonNegative, lessPrivate)
	if r.Err != nil {
		return nil
	}
	if n, want := len(e.Probabilities), e.Kind.want(); n%2 != e.Kind.parity() {
		r.Err = r.InvalidText("probabilities", r.Node.Get("probabilities"), fmt.Sprintf("a list of %d", n), want)
	}
	return e
}

// A NoiseKind says what a probability of additive noise belongs to.
type NoiseKind int

const (
	Density NoiseKind = iota
	Lattice
)

// String returns the kind as it is written in an event.
func (k NoiseKind) String() string {
	switch k {
	case Density:
		return "density"
	case Lattice:
		return "lattice"
	}
	return "unknown kind"
}

func (k NoiseKind) parity() int {
	if k == Lattice {
		return 1
	}
	return 0
}

func (k NoiseKind) want() string {
	if k == Lattice {
		return "an odd number of points"
	}
	return "an even number of cells"
}

func (r *reader) noiseKind(field string) NoiseKind {
	if r.Node.Get(field) == nil {
		return Density
	}
	const want = "density or lattice"
	word := r.Text(field, want)
	for _, k := range []NoiseKind{Density, Lattice} {
		if word == k.String() {
			return k
		}
	}
	if r.Err == nil {
		r.Err = r.Invalid(field, r.Node.Get(field), want)
	}
	return 0
}

// Symmetric reports whether the noise and its mirror image about 0 are the same.
func (e AdditiveNoise) Symmetric() bool {
	n := len(e.Probabilities)
	for i := range n / 2 {
		if e.Probabilities[i].Cmp(e.Probabilities[n-1-i]) != 0 {
			return false
		}
	}
	return true
}

// Falling reports whether the noise falls on both sides of 0, in the wide sense.
func (e AdditiveNoise) Falling() bool {
	n := len(e.Probabilities)
	for i := 1; i <= (n-1)/2; i++ {
		if e.Probabilities[i].Cmp(e.Probabilities[i-1]) < 0 || e.Probabilities[n-1-i].Cmp(e.Probabilities[n-i]) < 0 {
			return false
		}
	}
	return true
}

// Shifted returns the noise and the noise shifted by x ≥ 0 as distributions on one list of
// outcomes, in increasing order. Of a lattice x is a multiple of Cell.
//
// With x = (k + θ)·Cell, 0 ≤ θ < 1, the borders of shifted cells cut the cells [j, j+1) at j + θ:
// the first part holds shifted noise of cell j − k − 1, the second of cell j − k.
func (e AdditiveNoise) Shifted(x *big.Rat) (p, q []*big.Rat) {
	n := int64(len(e.Probabilities))
	steps := new(big.Rat).Quo(x, e.Cell)
	whole := new(big.Int).Quo(steps.Num(), steps.Denom())
	if !whole.IsInt64() || whole.Int64() > n {
		whole.SetInt64(n) // apart
		steps.SetInt(whole)
	}
	k := whole.Int64()
	zero := new(big.Rat)
	at := func(j int64) *big.Rat {
		if j < 0 || j >= n {
			return zero
		}
		return e.Probabilities[j]
	}
	part := new(big.Rat).Sub(steps, new(big.Rat).SetInt(whole))
	if part.Sign() == 0 {
		for j := range n + k {
			p, q = append(p, at(j)), append(q, at(j-k))
		}
		return p, q
	}
	rest := new(big.Rat).Sub(one, part)
	for j := range n + k + 1 {
		p = append(p, new(big.Rat).Mul(part, at(j)), new(big.Rat).Mul(rest, at(j)))
		q = append(q, new(big.Rat).Mul(part, at(j-k-1)), new(big.Rat).Mul(rest, at(j-k)))
	}
	return p, q
}
