// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package field has what the fields of events are made of: each is stated once, and by that statement read, written,
// checked, drawn at random, and described in the schema. What an event is it does not know.
package field

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/number"
)

// A Field is a field of an event's tree form, bound to the variable that has its value. Without a name it is a rule
// about several of them, or one of two. Functions that are nil do nothing.
type Field struct {
	Name     string
	Schema   Text // of its value: the inside of a JSON object
	Optional bool // there is a default
	turn     int  // fields are read and drawn by their turns, and then in order; they are written in order
	either   []Field

	Read  func(*Reader)
	Write func(*Writer)
	Valid func(*Validation) bool // whether the variable has a value that can be read
	Draw  func(*Drawing)
}

// A Text is made where somebody reads it: fields are stated for every event, and few are described.
type Text func() string

// Known is a text that is there.
func Known(s string) Text { return func() string { return s } }

// A Writer writes fields.
type Writer struct {
	document.Writer
	Contents bool // what was read from files is written in place of their names
}

// Named returns the fields that have names, both of two that exclude each other.
func Named(fs []Field) (out []Field) {
	for _, f := range fs {
		if f.Name != "" {
			out = append(out, f)
		}
		out = append(out, f.either...)
	}
	return out
}

// Names are those of all fields.
func Names(fs []Field) (out []string) {
	for _, f := range Named(fs) {
		out = append(out, f.Name)
	}
	return out
}

// inTurn calls do with each field in the order of reading, until it returns false.
func inTurn(fs []Field, do func(Field) bool) bool {
	for turn := -1; turn <= 1; turn++ {
		for _, f := range fs {
			if f.turn == turn && !do(f) {
				return false
			}
		}
	}
	return true
}

// Read reads fields.
func Read(r *Reader, fs []Field) {
	inTurn(fs, func(f Field) bool {
		if f.Read != nil {
			f.Read(r)
		}
		return r.Err == nil
	})
}

// Write writes fields.
func Write(w *Writer, fs []Field) {
	for _, f := range fs {
		if f.Write != nil {
			f.Write(w)
		}
	}
}

// Valid reports whether fields have values that can be read.
func Valid(v *Validation, fs []Field) bool {
	return inTurn(fs, func(f Field) bool { return f.Valid == nil || f.Valid(v) })
}

// Draw draws the values of fields.
func Draw(d *Drawing, fs []Field) {
	inTurn(fs, func(f Field) bool {
		if f.Draw != nil {
			f.Draw(d)
		}
		return !d.Failed
	})
}

// Means describes a field in the schema.
func (f Field) Means(text string) Field {
	before := f.Schema
	f.Schema = func() string { return before() + `, "description": ` + strconv.Quote(text) }
	return f
}

// First is a field that is read and drawn before all others.
func (f Field) First() Field { f.turn = -1; return f }

// Last is a field that is read and drawn after all others.
func (f Field) Last() Field { f.turn = 1; return f }

// Or is a field that may be missing: byDefault then sets its variable.
func (f Field) Or(byDefault func()) Field {
	read := f.Read
	f.Optional = true
	f.Read = func(r *Reader) {
		if r.Node.Get(f.Name) == nil {
			byDefault()
			return
		}
		read(r)
	}
	return f
}

// OneOf is one of two fields, of which there is exactly one: the second unless isFirst.
func OneOf(first, second Field, isFirst func() bool) Field {
	chosen := func() Field {
		if isFirst() {
			return first
		}
		return second
	}
	return Field{
		either: []Field{first, second},
		Read: func(r *Reader) {
			switch n := r.Node.Get(first.Name); {
			case r.Node.Get(second.Name) == nil:
				first.Read(r)
			case n != nil:
				r.Err = r.Invalid(first.Name, n, "nothing, beside "+second.Name)
			default:
				second.Read(r)
			}
		},
		Write: func(w *Writer) { chosen().Write(w) },
		Valid: func(v *Validation) bool { return chosen().Valid(v) },
		Draw:  func(d *Drawing) { []Field{first, second}[d.Rand.IntN(2)].Draw(d) },
	}
}

// OneNumberOf is one of two real parameters, of which exactly one is set.
func OneNumberOf(first, second Field, x, y **big.Rat) Field {
	f := OneOf(first, second, func() bool { return *y == nil })
	read, draw, valid := f.Read, f.Draw, f.Valid
	f.Read = func(r *Reader) { *x, *y = nil, nil; read(r) }
	f.Draw = func(d *Drawing) { *x, *y = nil, nil; draw(d) }
	write := f.Write
	f.Write = func(w *Writer) {
		if *x != nil && *y != nil { // which nothing reads
			first.Write(w)
		}
		write(w)
	}
	f.Valid = func(v *Validation) bool { return (*x == nil || *y == nil) && valid(v) }
	return f
}

// Rule is a condition that fields have together. check returns the field that breaks it, its value, and what is wanted,
// which is empty where the rule holds. An element of a list is named with its index, and its value left empty.
func Rule(check func() (name, value, want string)) Field {
	return Field{
		Read: func(r *Reader) {
			name, value, want := check()
			list, element, isElement := strings.Cut(name, "[")
			n := r.Node.Get(list)
			switch {
			case want == "":
			case isElement:
				i, _ := strconv.Atoi(strings.TrimSuffix(element, "]"))
				r.Err = r.Invalid(name, n.Items[i], want)
			default:
				r.Err = r.InvalidText(name, n, value, want)
			}
		},
		Valid: func(*Validation) bool {
			_, _, want := check()
			return want == ""
		},
	}
}

// SameLength demands that list b has as many elements as list a.
func SameLength(a string, xs *[]*big.Rat, b string, ys *[]*big.Rat) Field {
	return Rule(func() (name, value, want string) {
		if n, m := len(*xs), len(*ys); n != m {
			return b, fmt.Sprintf("a list of %d", m), fmt.Sprintf("a list of %d, as many as %s", n, a)
		}
		return "", "", ""
	})
}

// Increasing demands that the numbers of a list are strictly increasing.
func Increasing(name string, xs *[]*big.Rat) Field {
	f := Rule(func() (string, string, string) {
		for i, x := range *xs {
			if i > 0 && x.Cmp((*xs)[i-1]) <= 0 {
				return Index(name, i), "", "more than " + Index(name, i-1)
			}
		}
		return "", "", ""
	})
	f.Draw = func(*Drawing) { slices.SortFunc(*xs, (*big.Rat).Cmp) }
	return f
}

// ReadObject reads a mapping with fields that stands in a field. want is what else may stand there.
func ReadObject(r *Reader, name string, n *document.Node, want string, fs []Field) {
	in := *r
	in.Node = n
	in.About = func(e *document.FieldError) error {
		e.Field = name + "." + e.Field
		return r.About(e)
	}
	in.Known(Names(fs), want)
	Read(&in, fs)
	r.Err = in.Err
}

// WriteObject writes what ReadObject reads.
func WriteObject(w *Writer, name string, fs []Field) {
	w.Field(name)
	var in Writer
	Write(&in, fs)
	w.Raw("{", string(in.Bytes()[1:]), "}") // without the comma before the first field
}

// ObjectSchema is a mapping with fields in the schema; part and property stand before each of its parts and of its
// properties.
func ObjectSchema(fs []Field, part, property string) string {
	var properties, required, choices []string
	for _, f := range Named(fs) {
		properties = append(properties, property+strconv.Quote(f.Name)+": {"+f.Schema()+"}")
	}
	for _, f := range fs {
		if f.Name != "" && !f.Optional {
			required = append(required, strconv.Quote(f.Name))
		}
		for _, x := range f.either {
			choices = append(choices, `{"required": ["`+x.Name+`"]}`)
		}
	}
	parts := []string{`"type": "object"`, `"properties": {` + strings.Join(properties, ",") + part + `}`,
		`"required": [` + strings.Join(required, ", ") + `]`}
	if choices != nil {
		parts = append(parts, `"oneOf": [`+strings.Join(choices, ", ")+`]`)
	}
	return part + strings.Join(append(parts, `"additionalProperties": false`), ","+part)
}

// A Validation looks at one event as a decoding does at its document. It accepts nothing that would not be read back.
type Validation struct {
	Depth   int
	Digits  int  // left of MaxDigits
	Shallow bool // events inside and sums are taken for what they should be
}

// plainBits is a size, in bits, up to which the text of a number keeps all limits of one.
const plainBits = 4096

// Number reports whether x is a number of the domain that has a text. With b bits it has no more
// than 2b + 4 digits and powers of ten.
func (v *Validation) Number(x *big.Rat, in number.Domain) bool {
	if x == nil || !in.Contains(x) {
		return false
	}
	bits := x.Num().BitLen() + x.Denom().BitLen()
	if v.Digits -= 2*bits + 4; v.Digits < 0 {
		return false
	}
	if bits <= plainBits {
		return true
	}
	_, err := number.Parse(number.Format(x))
	return err == nil
}

// Numbers is Number for each element of a list.
func (v *Validation) Numbers(xs []*big.Rat, in number.Domain) bool {
	return IsListLength(len(xs)) && !slices.ContainsFunc(xs, func(x *big.Rat) bool { return !v.Number(x, in) })
}

// IsListLength reports whether a list may have n elements.
func IsListLength(n int) bool { return 1 <= n && n <= MaxListLen }

// Distribution reports whether numbers are probabilities with sum 1.
func (v *Validation) Distribution(ps []*big.Rat) bool {
	if !v.Numbers(ps, number.NonNegative) {
		return false
	}
	if v.Shallow {
		return true
	}
	total, err := number.Sum(ps)
	return err == nil && total.IsOne()
}
