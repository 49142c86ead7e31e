// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/internal/cells"
	"dpverify/internal/field"
	"dpverify/internal/show"
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

func (e AdditiveNoise) describe() description {
	where := "cells"
	if e.Kind == Lattice {
		where = "points"
	}
	return description{
		value: &e,
		about: "Noise added to an answer: an even number 2N of cells [i cell, (i+1) cell), i = -N ... N-1, uniform " +
			"inside of each, or an odd number of points of a lattice. The worst over every shift of at most sensitivity.",
		bound:   "finite pair, exactly: of the worst shift if the noise falls on both sides, otherwise of each",
		example: `"probabilities":["0.05","0.2","0.25","0.25","0.2","0.05"],"cell":"1","sensitivity":"1"`,
		sentence: say("an answer with noise that a table of %s probabilities gives, on %s %s apart; one record moves "+
			"the answer by at most %s", int64(len(e.Probabilities)), where, e.Cell, e.Sensitivity),
		fields: []field.Field{
			// A smaller sensitivity is more private: the worst of fewer shifts.
			e.probabilities(),
			e.hash(),
			field.Positive(0.1, 1).Number("cell", &e.Cell, field.Unproved),
			field.NonNegative(1, 2).Number("sensitivity", &e.Sensitivity, field.LessPrivate),
			field.Word("kind", &e.Kind, Density, Lattice).Or(func() {}).First(),
			field.Rule(func() (name, value, want string) {
				parity, want := 0, "an even number of cells"
				if e.Kind == Lattice {
					parity, want = 1, "an odd number of points"
				}
				if n := len(e.Probabilities); n%2 != parity {
					return "probabilities", fmt.Sprintf("a list of %d", n), want
				}
				return "", "", ""
			}),
		},
	}
}

func (e AdditiveNoise) contents() Event {
	e.File, e.SHA256 = "", ""
	return e
}

// A NoiseKind says what a probability of additive noise belongs to.
type NoiseKind int

const (
	Density NoiseKind = iota
	Lattice
)

// String returns the kind as it is written in an event.
func (k NoiseKind) String() string { return show.Word(k, "NoiseKind", "density", "lattice") }

// probabilities is the field of that name: a list, or the path of a file with them.
func (e *AdditiveNoise) probabilities() field.Field {
	const name = "probabilities"
	return field.Field{
		Name: name,
		Schema: func() string {
			return `"anyOf": [{` + field.ListOf(field.Ref("nonNegative"), 1, MaxListLen) +
				`, "description": "With sum exactly 1."}, {"type": "string", "minLength": 1, ` +
				`"description": "The path of a CSV file with the header cell,probability and consecutive integers."}]`
		},
		Read: func(r *field.Reader) { e.File, e.SHA256, e.Probabilities = field.ReadNoise(r, name) },
		Write: func(w *field.Writer) {
			if e.File != "" {
				w.Text(name, e.File)
			} else {
				w.Numbers(name, e.Probabilities)
			}
		},
		Valid: func(v *field.Validation) bool { return v.Distribution(e.Probabilities) },
		Draw:  func(d *field.Drawing) { e.Probabilities = d.Distribution() },
	}
}

// hash is the field of the SHA-256, which is read with the probabilities.
func (e *AdditiveNoise) hash() field.Field {
	return field.Field{
		Name: "sha256", Optional: true,
		Schema: field.Known(`"type": "string", "pattern": "^[0-9A-Fa-f]{64}$", ` +
			`"description": "Of that file: one with other contents is an error."`),
		Write: func(w *field.Writer) {
			if e.File != "" && e.SHA256 != "" {
				w.Text("sha256", e.SHA256)
			}
		},
	}
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
