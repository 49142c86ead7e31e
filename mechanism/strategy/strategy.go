// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package strategy reads and writes the matrices of matrix mechanisms: by their first column, by entries, or from a
// file.
package strategy

import (
	"fmt"
	"math/big"
	"strconv"

	"dpverify/internal/document"
	"dpverify/internal/field"
	"dpverify/internal/number"
)

// MaxSteps bounds the steps of a matrix mechanism.
const MaxSteps = 1 << 20

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

const wantStrategy = "the path of a CSV file, {toeplitz, steps} or {entries, steps}"

// Field is the path of a CSV file, {toeplitz: […], steps: n}, or {entries: [[row, column, value], …], steps: n}.
func (s *Strategy) Field(name string) field.Field {
	fs := s.fields()
	return field.Field{
		Name: name,
		Schema: func() string {
			return `"anyOf": [{"type": "string", "description": "The path of a CSV file: ` +
				`a row of numbers for each step, those right of the diagonal 0 or left out."}, {` +
				field.ObjectSchema(fs, " ", " ") + `}]`
		},
		Read: func(r *field.Reader) {
			switch n := r.Required(name, wantStrategy); {
			case r.Err != nil:
			case n.Kind == document.String:
				*s = readStrategy(r, name, n.Text)
			case n.Kind != document.Mapping:
				r.Err = r.Invalid(name, n, wantStrategy)
			default:
				field.ReadObject(r, name, n, wantStrategy, fs)
			}
		},
		Write: func(w *field.Writer) {
			if s.File != "" {
				w.Text(name, s.File)
			} else {
				field.WriteObject(w, name, fs)
			}
		},
		Valid: func(v *field.Validation) bool { return field.Valid(v, fs) },
		Draw:  func(d *field.Drawing) { field.Draw(d, fs) },
	}
}

// fields are those of a strategy that is no file.
func (s *Strategy) fields() []field.Field {
	column := field.Real(0.1, 1).Numbers("toeplitz", &s.Toeplitz, field.Unproved)
	column.Schema = func() string { return field.ListOf(field.Ref("real"), 1, MaxSteps) }
	read, draw := column.Read, column.Draw
	column.Read = func(r *field.Reader) {
		read(r)
		if n := len(s.Toeplitz); r.Err == nil && int64(n) > s.Steps {
			r.Err = r.InvalidText("toeplitz", r.Node.Get("toeplitz"), fmt.Sprintf("a list of %d", n),
				fmt.Sprintf("at most %d numbers, as many as steps", s.Steps))
		}
		s.trim()
	}
	column.Valid = func(v *field.Validation) bool {
		return int64(len(s.Toeplitz)) <= s.Steps && v.Numbers(s.Toeplitz, number.Any)
	}
	column.Draw = func(d *field.Drawing) {
		draw(d)
		s.trim()
	}
	return []field.Field{
		field.Integer("steps", &s.Steps, 1, MaxSteps, 10, 1000),
		field.OneOf(column.Means("The first column; 0 where it ends before the steps do."), s.entries(),
			func() bool { return s.Toeplitz != nil }),
	}
}

// trim leaves out zeros at the end of the first column.
func (s *Strategy) trim() {
	for n := len(s.Toeplitz); n > 1 && s.Toeplitz[n-1].Sign() == 0; n-- {
		s.Toeplitz = s.Toeplitz[:n-1]
	}
}

// entries is the field of that name.
func (s *Strategy) entries() field.Field {
	const name = "entries"
	return field.Field{
		Name: name,
		Schema: func() string {
			return fmt.Sprintf(`"type": "array", "items": {"type": "array", "prefixItems": [{%s}, {%[1]s}, {%s}], `+
				`"items": false, "minItems": 3}, "maxItems": %d, "description": "[row, column, value], counted from 0, by rows."`,
				field.Ref("size"), field.Ref("real"), field.MaxListLen)
		},
		Read: func(r *field.Reader) {
			for i, n := range entryNodes(r) {
				e := readEntry(r, field.Index(name, i), n, s.Steps)
				if r.Err != nil {
					return
				}
				if k := len(s.Entries); k > 0 && !s.Entries[k-1].before(e) {
					r.Err = r.Invalid(field.Index(name, i), n, "entries by rows, and by columns within a row")
					return
				}
				if e.Value.Sign() != 0 {
					s.Entries = append(s.Entries, e)
				}
			}
		},
		Write: func(w *field.Writer) {
			w.List(name, len(s.Entries), func(i int) {
				x := s.Entries[i]
				w.Raw("[", strconv.FormatInt(x.Row, 10), ",", strconv.FormatInt(x.Column, 10), ",")
				w.Rat(x.Value)
				w.Raw("]")
			})
		},
		Valid: func(v *field.Validation) bool {
			for i, x := range s.Entries {
				if x.Column < 0 || x.Column > x.Row || x.Row >= s.Steps || !v.Number(x.Value, number.Any) ||
					i > 0 && !s.Entries[i-1].before(x) {
					return false
				}
			}
			return len(s.Entries) <= field.MaxListLen
		},
		Draw: func(d *field.Drawing) {
			for i := range min(s.Steps, int64(d.Length)) {
				s.Entries = append(s.Entries, Entry{i, d.Rand.Int64N(i + 1), d.Usual(0.1, 1)})
			}
		},
	}
}

// entryNodes may be none: a matrix of zeros.
func entryNodes(r *field.Reader) []*document.Node {
	n := r.Node.Get("entries")
	if n.Kind == document.Sequence && len(n.Items) == 0 {
		return nil
	}
	return r.List("entries", "[row, column, value]", field.MaxListLen)
}

func (e Entry) before(f Entry) bool { return e.Row < f.Row || e.Row == f.Row && e.Column < f.Column }

func readEntry(r *field.Reader, element string, n *document.Node, steps int64) Entry {
	want := fmt.Sprintf("[row, column, value], 0 <= column <= row < %d", steps)
	if n.Kind != document.Sequence || len(n.Items) != 3 {
		r.Err = r.Invalid(element, n, want)
		return Entry{}
	}
	row := r.IntegerIn(element, n.Items[0], steps-1, want)
	column := r.IntegerIn(element, n.Items[1], row, want)
	return Entry{row, column, r.Number(element, n.Items[2], number.Any)}
}

// readStrategy reads a CSV file with a row for each step.
func readStrategy(r *field.Reader, name, path string) Strategy {
	return field.Once(r, path, func() Strategy {
		s := Strategy{File: path}
		file := r.Open(name, path)
		if r.Err != nil {
			return s
		}
		defer file.Close()
		steps, err := r.Pass.Numbers().Triangle(file, MaxSteps, func(row, column int64, value *big.Rat) {
			s.Entries = append(s.Entries, Entry{row, column, value})
		})
		if err != nil {
			r.Err = r.InFile(name, path, int(steps), err)
		}
		s.Steps = steps
		return s
	})
}
