// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"encoding/json"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"dpverify/number"
)

// EncodeEvent writes e as JSON in its tree form: class_name, with module_name
// "dpverify" before it for the classes that dp_accounting does not have, and
// then the fields in their documented order. Real parameters are strings in the
// spelling of number.Format, integers are JSON numbers. Equal events have equal
// encodings, and decoding gives back an equal event.
func EncodeEvent(e Event) []byte {
	var w encoder
	w.event(e)
	return w.buf
}

// EncodeContents is EncodeEvent, but writes what was read from files in place of their names:
// a histogram pair is the finite pair of its masses.
func EncodeContents(e Event) []byte { return encodeWithContents(e) }

// encodeWithContents writes what was read from files.
func encodeWithContents(e Event) []byte {
	w := encoder{contents: true}
	w.event(e)
	return w.buf
}

// A filed event may name files. It has an equal one that does not.
type filed interface{ contents() Event }

type encoder struct {
	buf      []byte
	contents bool
}

func (w *encoder) event(e Event) {
	if reflect.ValueOf(e).Kind() != reflect.Struct {
		w.raw("null") // nothing, or a pointer: events are used by value
		return
	}
	if x, ok := e.(filed); ok && w.contents {
		e = x.contents()
	}
	w.raw("{")
	if class := e.ClassName(); strings.HasSuffix(class, "DpEvent") {
		w.raw(`"class_name":"`, class, `"`)
	} else {
		w.raw(`"module_name":"dpverify","class_name":"`, class, `"`)
	}
	e.encodeFields(w)
	w.raw("}")
}

func (w *encoder) raw(parts ...string) {
	for _, s := range parts {
		w.buf = append(w.buf, s...)
	}
}

func (w *encoder) field(name string) { w.raw(`,"`, name, `":`) }

func (w *encoder) number(name string, x *big.Rat) {
	w.field(name)
	w.rat(x)
}

// rat writes a number; null stands for one that is not set, which no decoded
// event contains.
func (w *encoder) rat(x *big.Rat) {
	if x == nil {
		w.raw("null")
		return
	}
	w.raw(`"`, number.Format(x), `"`)
}

func (w *encoder) numbers(name string, xs []*big.Rat) {
	w.list(name, len(xs), func(i int) { w.rat(xs[i]) })
}

// list writes a list of n elements.
func (w *encoder) list(name string, n int, element func(i int)) {
	w.field(name)
	w.raw("[")
	for i := range n {
		if i > 0 {
			w.raw(",")
		}
		element(i)
	}
	w.raw("]")
}

func (w *encoder) integer(name string, i int64) {
	w.field(name)
	w.buf = strconv.AppendInt(w.buf, i, 10)
}

func (w *encoder) text(name, s string) {
	w.field(name)
	quoted, err := json.Marshal(s)
	if err != nil {
		panic("mechanism: internal error: a string does not encode: " + err.Error())
	}
	w.buf = append(w.buf, quoted...)
}

func (w *encoder) events(name string, es []Event) {
	w.list(name, len(es), func(i int) { w.event(es[i]) })
}
