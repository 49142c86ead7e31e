// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"
	"strconv"

	"dpverify/internal/document"
	"dpverify/internal/number"
)

// MaxSteps bounds the steps of a matrix mechanism.
const MaxSteps = 1 << 20

// MatrixMechanism releases C·G + Z: the rows of G are the values of each step, sums over the records that take part in it,
// each of norm at most C, and Z has Gaussian noise on every entry. A record takes part in at most MaxParticipations
// steps, any two of which are MinSeparation apart or more.
type MatrixMechanism struct {
	Strategy          Strategy
	MinSeparation     int64    // in [1, MaxCount]
	MaxParticipations int64    // in [1, MaxCount]
	NoiseMultiplier   *big.Rat // σ / C > 0
}

// A Strategy is a lower-triangular matrix: a Toeplitz one, or entries.
type Strategy struct {
	File     string     // where it was read from, as written in the event, or ""
	Steps    int64      // rows and columns, in [1, MaxSteps]
	Toeplitz []*big.Rat // the first column, without zeros at its end; nil for entries
	Entries  []Entry    // not 0, by rows
}

// An Entry is a number of a matrix; rows and columns count from 0.
type Entry struct {
	Row, Column int64
	Value       *big.Rat
}

func (MatrixMechanism) ClassName() string              { return "MatrixMechanismEvent" }
func (e MatrixMechanism) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e MatrixMechanism) encodeFields(w *encoder) {
	if e.Strategy.File != "" {
		w.Text("strategy", e.Strategy.File)
	} else {
		w.Field("strategy")
		e.Strategy.encode(w)
	}
	w.Integer("min_separation", e.MinSeparation)
	w.Integer("max_participations", e.MaxParticipations)
	w.Number("noise_multiplier", e.NoiseMultiplier)
}

func (s Strategy) encode(w *encoder) {
	w.Raw("{\"steps\":", strconv.FormatInt(s.Steps, 10))
	if s.Toeplitz != nil {
		w.Numbers("toeplitz", s.Toeplitz)
		w.Raw("}")
		return
	}
	w.List("entries", len(s.Entries), func(i int) {
		x := s.Entries[i]
		w.Raw("[", strconv.FormatInt(x.Row, 10), ",", strconv.FormatInt(x.Column, 10), ",")
		w.Rat(x.Value)
		w.Raw("]")
	})
	w.Raw("}")
}

func (e MatrixMechanism) contents() Event {
	e.Strategy.File = ""
	return e
}

// More noise is post-processing, as for Gaussian.
func decodeMatrixMechanism(r *reader) Event {
	return MatrixMechanism{
		Strategy:          r.strategy("strategy"),
		MinSeparation:     r.Integer("min_separation", 1, MaxCount),
		MaxParticipations: r.Integer("max_participations", 1, MaxCount),
		NoiseMultiplier:   r.number("noise_multiplier", number.Positive, morePrivate),
	}
}

// strategy reads the path of a CSV file, {toeplitz: […], steps: n}, or {entries: [[row, column, value], …], steps: n}.
func (r *reader) strategy(field string) Strategy {
	const want = "the path of a CSV file, {toeplitz, steps} or {entries, steps}"
	n := r.Required(field, want)
	switch {
	case r.Err != nil:
		return Strategy{}
	case n.Kind == document.String:
		return r.strategyFile(field, n.Text)
	case n.Kind != document.Mapping:
		r.Err = r.Invalid(field, n, want)
		return Strategy{}
	}
	in := *r
	in.Node = n
	in.About = func(e *document.FieldError) error {
		e.Field = field + "." + e.Field
		return r.about(e)
	}
	s := in.strategyFields(want)
	r.Err = in.Err
	return s
}

func (r *reader) strategyFields(want string) Strategy {
	r.Known([]string{"toeplitz", "entries", "steps"}, want)
	s := Strategy{Steps: r.Integer("steps", 1, MaxSteps)}
	if r.Err != nil {
		return s
	}
	if r.Node.Get("entries") == nil {
		s.Toeplitz = r.numbers("toeplitz", number.Any, unproved)
		if r.Err == nil && int64(len(s.Toeplitz)) > s.Steps {
			r.Err = r.InvalidText("toeplitz", r.Node.Get("toeplitz"), fmt.Sprintf("a list of %d", len(s.Toeplitz)), fmt.Sprintf("at most %d numbers, as many as steps", s.Steps))
		}
		for n := len(s.Toeplitz); n > 1 && s.Toeplitz[n-1].Sign() == 0; n-- {
			s.Toeplitz = s.Toeplitz[:n-1]
		}
		return s
	}
	if n := r.Node.Get("toeplitz"); n != nil {
		r.Err = r.Invalid("toeplitz", n, "nothing, beside entries")
		return s
	}
	for i, n := range r.entries() {
		e := r.entry(index("entries", i), n, s.Steps)
		if r.Err != nil {
			return s
		}
		if k := len(s.Entries); k > 0 && !s.Entries[k-1].before(e) {
			r.Err = r.Invalid(index("entries", i), n, "entries by rows, and by columns within a row")
			return s
		}
		if e.Value.Sign() != 0 {
			s.Entries = append(s.Entries, e)
		}
	}
	return s
}

// entries may be none: a matrix of zeros.
func (r *reader) entries() []*document.Node {
	n := r.Node.Get("entries")
	if n.Kind == document.Sequence && len(n.Items) == 0 {
		return nil
	}
	return r.list("entries", "[row, column, value]")
}

func (e Entry) before(f Entry) bool { return e.Row < f.Row || e.Row == f.Row && e.Column < f.Column }

func (r *reader) entry(element string, n *document.Node, steps int64) Entry {
	want := fmt.Sprintf("[row, column, value], 0 <= column <= row < %d", steps)
	if n.Kind != document.Sequence || len(n.Items) != 3 {
		r.Err = r.Invalid(element, n, want)
		return Entry{}
	}
	row := r.integerIn(element, n.Items[0], steps-1, want)
	column := r.integerIn(element, n.Items[1], row, want)
	return Entry{row, column, r.Number(element, n.Items[2], number.Any)}
}

// strategyFile reads a CSV file with a row for each step.
func (r *reader) strategyFile(field, path string) Strategy {
	return once(r, path, func() Strategy {
		s := Strategy{File: path}
		file := r.open(field, path)
		if r.Err != nil {
			return s
		}
		defer file.Close()
		steps, err := r.s.numbers().Triangle(file, MaxSteps, func(row, column int64, value *big.Rat) {
			s.Entries = append(s.Entries, Entry{row, column, value})
		})
		if err != nil {
			r.Err = r.inFile(field, path, int(steps), err)
		}
		s.Steps = steps
		return s
	})
}
