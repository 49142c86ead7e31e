// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/internal/cells"
	"dpverify/internal/number"
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
	SHA256        string     // of that file, if the event states it: a file with other contents is an error
	Probabilities []*big.Rat // ≥ 0, with sum exactly 1; an even number of cells or an odd one of points
	Cell          *big.Rat   // > 0
	Sensitivity   *big.Rat   // >= 0; less than one cell of a lattice: equal distributions
	Kind          NoiseKind
}

func (AdditiveNoise) ClassName() string              { return "AdditiveNoiseEvent" }
func (e AdditiveNoise) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e AdditiveNoise) encodeFields(w *encoder) {
	if e.File != "" {
		w.Text("probabilities", e.File)
		if e.SHA256 != "" {
			w.Text("sha256", e.SHA256)
		}
	} else {
		w.Numbers("probabilities", e.Probabilities)
	}
	w.Number("cell", e.Cell)
	w.Number("sensitivity", e.Sensitivity)
	w.Text("kind", e.Kind.String())
}

func (e AdditiveNoise) contents() Event {
	e.File, e.SHA256 = "", ""
	return e
}

// A smaller sensitivity is more private: the worst of fewer shifts.
func decodeAdditiveNoise(r *reader) Event {
	e := AdditiveNoise{Kind: r.noiseKind("kind")}
	e.File, e.SHA256, e.Probabilities = r.noise("probabilities")
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
	return word(r, field, "density or lattice", Density, Lattice)
}

// Symmetric reports whether the noise and its mirror image about 0 are the same.
func (e AdditiveNoise) Symmetric() bool { return cells.Symmetric(e.Probabilities) }

// Falling reports whether the noise falls on both sides of 0, in the wide sense.
func (e AdditiveNoise) Falling() bool { return cells.Falling(e.Probabilities) }

// Shifted returns the noise and the noise shifted by x ≥ 0 as distributions on one list of
// outcomes, in increasing order. Of a lattice x is a multiple of Cell.
func (e AdditiveNoise) Shifted(x *big.Rat) (p, q []*big.Rat) {
	return cells.Shifted(e.Probabilities, new(big.Rat).Quo(x, e.Cell))
}
