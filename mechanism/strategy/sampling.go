// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package strategy

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/field"
	"dpverify/internal/number"
)

// A MatrixSampling says in which steps of a matrix mechanism a record takes part: by its own coins, which depend on
// nothing.
type MatrixSampling struct {
	Kind        SamplingKind
	Size        int64    // bands, bins, separation or steps, in [1, MaxSteps]
	Probability *big.Rat // of PoissonCyclic, MinSeparation and RandomShift, in [0, 1]
}

// A SamplingKind is how a record is sampled.
type SamplingKind int

const (
	// PoissonCyclic: the records are in Size groups, however chosen; step t takes each record of the group t mod Size with
	// a probability.
	PoissonCyclic SamplingKind = iota
	// BallsInBins: each record is in one of Size bins, each with the same probability, and takes part in the steps that
	// are the number of its bin modulo Size.
	BallsInBins
	// MinSeparation: after a step that it takes part in, a record takes part in none of the next Size − 1 ones; otherwise
	// in any with a probability. It starts as it would be after many steps.
	MinSeparation
	// RandomShift: each record is in one of Size groups, each with the same probability; step t takes each record of the
	// group t mod Size with a probability.
	RandomShift
	// RandomSteps: each record takes part in Size of all steps, each set of so many with the same probability.
	RandomSteps
)

// samplingWords are the words of each kind, and of its size.
var samplingWords = [...]struct{ name, size string }{
	PoissonCyclic: {"poisson_cyclic", "bands"},
	BallsInBins:   {"balls_in_bins", "bins"},
	MinSeparation: {"min_separation", "separation"},
	RandomShift:   {"random_shift", "bands"},
	RandomSteps:   {"allocation", "select"},
}

// String returns the kind as it is written in an event.
func (k SamplingKind) String() string {
	if k < 0 || int(k) >= len(samplingWords) {
		return "unknown sampling"
	}
	return samplingWords[k].name
}

// hasProbability reports whether coins of the kind have a probability that is stated.
func (k SamplingKind) hasProbability() bool {
	return k == PoissonCyclic || k == MinSeparation || k == RandomShift
}

const wantSampling = "{poisson_cyclic: {bands, probability}}, {balls_in_bins: {bins}}, " +
	"{min_separation: {separation, probability}}, {random_shift: {bands, probability}} or {allocation: {select}}"

// fields are those of a kind.
func (s *MatrixSampling) fields(k SamplingKind) []field.Field {
	out := []field.Field{field.Integer(samplingWords[k].size, &s.Size, 1, MaxSteps, 1, 5)}
	if k.hasProbability() {
		out = append(out, field.Probability(0.01, 0.3).Number("probability", &s.Probability, field.Unproved))
	}
	return out
}

// SamplingField is the field of that name, whose value is at s, nil for none.
func SamplingField(name string, s **MatrixSampling) field.Field {
	of := func(k SamplingKind) []field.Field { return (*s).fields(k) }
	return field.Field{
		Name: name,
		Schema: func() string {
			var schemas []string
			for k, w := range samplingWords {
				fs := (&MatrixSampling{}).fields(SamplingKind(k))
				schemas = append(schemas, fmt.Sprintf(`{"type": "object", "properties": {"%s": {%s}}, `+
					`"required": ["%[1]s"], "additionalProperties": false}`, w.name, field.ObjectSchema(fs, " ", " ")))
			}
			return `"oneOf": [` + strings.Join(schemas, ", ") + `]`
		},
		Read: func(r *field.Reader) {
			n := r.Required(name, wantSampling)
			if r.Err != nil {
				return
			}
			k := -1
			if n.Kind == document.Mapping && len(n.Entries) == 1 {
				k = slices.IndexFunc(samplingWords[:], func(w struct{ name, size string }) bool { return n.Get(w.name) != nil })
			}
			if k < 0 || n.Get(samplingWords[k].name).Kind != document.Mapping {
				r.Err = r.Invalid(name, n, wantSampling)
				return
			}
			*s = &MatrixSampling{Kind: SamplingKind(k)}
			kind := samplingWords[k].name
			field.ReadObject(r, name+"."+kind, n.Get(kind), wantSampling, of((*s).Kind))
		},
		Write: func(w *field.Writer) {
			kind := field.Field{Write: func(in *field.Writer) {
				field.WriteObject(in, (*s).Kind.String(), of((*s).Kind))
			}}
			field.WriteObject(w, name, []field.Field{kind})
		},
		Valid: func(v *field.Validation) bool {
			k := (*s).Kind
			return k >= 0 && int(k) < len(samplingWords) && field.Valid(v, of(k)) &&
				(k.hasProbability() && v.Number((*s).Probability, number.Any) || (*s).Probability == nil)
		},
		Draw: func(d *field.Drawing) {
			*s = &MatrixSampling{Kind: SamplingKind(d.Rand.IntN(len(samplingWords)))}
			field.Draw(d, of((*s).Kind))
		},
	}
}
