// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package mechanism says what is accounted: the events of a differentially
// private release, alone, composed and sampled, with exact rational parameters.
// It reads and writes them, and it computes nothing about privacy.
//
// The language is the tree form of dp_accounting's DpEvent (class_name, the
// class's own fields, nested events), extended by classes for what it lacks. A
// parameter is the decimal that was written: 0.1 is 1/10, not the nearest
// float64. Values of this package are immutable by convention: a *big.Rat
// inside an event is shared and must not be changed.
//
// Every error is typed: *ParamError, *UnsupportedError, *FileError,
// *number.Error, or *document.SyntaxError for malformed JSON.
package mechanism

import (
	"bytes"
	"dpverify/internal/document"
	"reflect"
	"strings"
)

// An Event is a mechanism, or a composition or sampling of events. The set of
// implementations is closed: they are the struct types of this package, used
// by value. Their MarshalJSON writes them as EncodeEvent does.
type Event interface {
	// ClassName is the event's class_name in the tree form.
	ClassName() string
	// encodeFields writes the fields of the class in their documented order.
	encodeFields(*encoder)
}

// Equal reports whether a and b are the same tree with the same parameters. A
// histogram pair counts as the finite pair of its masses: where numbers were read
// from does not matter.
func Equal(a, b Event) bool {
	return bytes.Equal(encodeWithContents(a), encodeWithContents(b))
}

// EncodeEvent writes e as JSON in its tree form: class_name, with module_name
// "dpverify" before it for the classes that dp_accounting does not have, and
// then the fields in their documented order. Real parameters are strings in the
// spelling of number.Format, integers are JSON numbers. Equal events have equal
// encodings, and decoding gives back an equal event.
func EncodeEvent(e Event) []byte {
	var w encoder
	w.event(e)
	return w.Bytes()
}

// EncodeContents is EncodeEvent, but writes what was read from files in place of their names:
// a histogram pair is the finite pair of its masses.
func EncodeContents(e Event) []byte { return encodeWithContents(e) }

// encodeWithContents writes what was read from files.
func encodeWithContents(e Event) []byte {
	w := encoder{contents: true}
	w.event(e)
	return w.Bytes()
}

// A filed event may name files. It has an equal one that does not.
type filed interface{ contents() Event }

type encoder struct {
	document.Writer
	contents bool
}

func (w *encoder) event(e Event) {
	if reflect.ValueOf(e).Kind() != reflect.Struct {
		w.Raw("null") // nothing, or a pointer: events are used by value
		return
	}
	if x, ok := e.(filed); ok && w.contents {
		e = x.contents()
	}
	w.Raw("{")
	if class := e.ClassName(); strings.HasSuffix(class, "DpEvent") {
		w.Raw(`"class_name":"`, class, `"`)
	} else {
		w.Raw(`"module_name":"dpverify","class_name":"`, class, `"`)
	}
	e.encodeFields(w)
	w.Raw("}")
}

// inner writes the event that another one is about.
func (w *encoder) inner(e Event) {
	w.Field("event")
	w.event(e)
}

func (w *encoder) events(name string, es []Event) {
	w.List(name, len(es), func(i int) { w.event(es[i]) })
}
