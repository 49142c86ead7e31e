// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"encoding/json"
	"math/big"
	"strconv"

	"dpverify/internal/number"
)

// A Writer writes compact JSON piece by piece, with numbers as a Reader reads them: real ones are strings in the
// spelling of number.Format, integers are JSON numbers. Each field begins with a comma, as another one stands before
// it.
type Writer struct{ buf []byte }

// Bytes returns what was written.
func (w *Writer) Bytes() []byte { return w.buf }

// Raw writes texts as they are.
func (w *Writer) Raw(parts ...string) {
	for _, s := range parts {
		w.buf = append(w.buf, s...)
	}
}

// Field writes the name of a field, whose value follows.
func (w *Writer) Field(name string) { w.Raw(`,"`, name, `":`) }

// Rat writes a number; null stands for one that is not set.
func (w *Writer) Rat(x *big.Rat) {
	if x == nil {
		w.Raw("null")
		return
	}
	w.Raw(`"`, number.Format(x), `"`)
}

// Number writes a field with a number.
func (w *Writer) Number(name string, x *big.Rat) {
	w.Field(name)
	w.Rat(x)
}

// Integer writes a field with an integer.
func (w *Writer) Integer(name string, i int64) {
	w.Field(name)
	w.buf = strconv.AppendInt(w.buf, i, 10)
}

// Text writes a field with a string.
func (w *Writer) Text(name, s string) {
	w.Field(name)
	quoted, err := json.Marshal(s)
	if err != nil {
		panic("document: internal error: a string does not encode: " + err.Error())
	}
	w.buf = append(w.buf, quoted...)
}

// List writes a field with a list of n elements.
func (w *Writer) List(name string, n int, element func(i int)) {
	w.Field(name)
	w.elements(n, element)
}

// elements writes a list.
func (w *Writer) elements(n int, element func(i int)) {
	w.Raw("[")
	for i := range n {
		if i > 0 {
			w.Raw(",")
		}
		element(i)
	}
	w.Raw("]")
}

// Numbers writes a field with a list of numbers.
func (w *Writer) Numbers(name string, xs []*big.Rat) {
	w.List(name, len(xs), func(i int) { w.Rat(xs[i]) })
}

// Rows writes a field with a list of lists of numbers.
func (w *Writer) Rows(name string, rows [][]*big.Rat) {
	w.List(name, len(rows), func(i int) {
		w.elements(len(rows[i]), func(j int) { w.Rat(rows[i][j]) })
	})
}

// Pairs writes a field with a list of n pairs of numbers.
func (w *Writer) Pairs(name string, n int, pair func(i int) (x, y *big.Rat)) {
	w.List(name, n, func(i int) {
		x, y := pair(i)
		w.Raw("[")
		w.Rat(x)
		w.Raw(",")
		w.Rat(y)
		w.Raw("]")
	})
}
