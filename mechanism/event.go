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
	"math/big"
	"reflect"
	"strings"

	"dpverify/internal/field"
)

const (
	// MaxCount bounds every count and size of an event, and the number of factors
	// of a composition with their multiplicities.
	MaxCount = field.MaxCount
	// MaxNesting is how deep events may nest, the outermost being 1 deep.
	MaxNesting = 64
	// MaxListLen is how many elements a list may have.
	MaxListLen = field.MaxListLen
)

// An Event is a mechanism, or a composition or sampling of events. The set of
// implementations is closed: they are the struct types of this package, used
// by value. Their MarshalJSON writes them as EncodeEvent does.
type Event interface {
	// ClassName is the event's class_name in the tree form.
	ClassName() string
	// describe is what the event's file says about it.
	describe() description
}

// A description is all that a file of this package says about the events of its class, bound to one of them.
type description struct {
	value     any        // a pointer to the event that the fields are bound to
	about     string     // what the class is, for the schema
	bound     string     // how it is bounded, for the help
	relations []Relation // under which it has a meaning; nil stands for all
	example   string     // the fields of an event in its tree form, which has a meaning under all the relations
	sentence  field.Sentence
	fields    []field.Field // in their documented order, and rules about them
}

// event is the event that the fields are bound to, as they are now.
func (d description) event() Event { return reflect.ValueOf(d.value).Elem().Interface().(Event) }

// Equal reports whether a and b are the same tree with the same parameters. A
// histogram pair counts as the finite pair of its masses: where numbers were read
// from does not matter.
func Equal(a, b Event) bool {
	return bytes.Equal(EncodeContents(a), EncodeContents(b))
}

// EncodeEvent writes e as JSON in its tree form: class_name, with module_name
// "dpverify" before it for the classes that dp_accounting does not have, and
// then the fields in their documented order. Real parameters are strings in the
// spelling of number.Format, integers are JSON numbers. Equal events have equal
// encodings, and decoding gives back an equal event.
func EncodeEvent(e Event) []byte {
	var w field.Writer
	writeEvent(&w, e)
	return w.Bytes()
}

// EncodeContents is EncodeEvent, but writes what was read from files in place of their names:
// a histogram pair is the finite pair of its masses.
func EncodeContents(e Event) []byte {
	w := field.Writer{Contents: true}
	writeEvent(&w, e)
	return w.Bytes()
}

// isValue reports whether e is an event, used by value.
func isValue(e Event) bool { return reflect.ValueOf(e).Kind() == reflect.Struct }

// A filed event may name files. It has an equal one that does not.
type filed interface{ contents() Event }

// writeEvent writes an event in its tree form. What is none, or a pointer, is null: events are used by value.
func writeEvent(w *field.Writer, e Event) {
	if !isValue(e) {
		w.Raw("null")
		return
	}
	if x, ok := e.(filed); ok && w.Contents {
		e = x.contents()
	}
	w.Raw("{", head(e))
	field.Write(w, e.describe().fields)
	w.Raw("}")
}

// isValid reports whether an event can be read.
func isValid(v *field.Validation, e Event) bool {
	if v.Shallow {
		return true
	}
	if !isValue(e) || v.Depth == MaxNesting {
		return false
	}
	if x, ok := e.(filed); ok {
		e = x.contents()
	}
	v.Depth++
	defer func() { v.Depth-- }()
	return field.Valid(v, e.describe().fields)
}

// Phrase is an event as the end of a sentence, for people who do not know the field; numeral writes its numbers.
func Phrase(e Event, numeral func(*big.Rat) string) string {
	return e.describe().sentence.Write(numeral)
}

// say makes a sentence, which may have events and lists of events as parts.
func say(format string, parts ...any) field.Sentence {
	for i, x := range parts {
		switch x := x.(type) {
		case Event:
			parts[i] = func() field.Sentence { return x.describe().sentence }
		case []Event:
			parts[i] = field.Each(x, "; ", func(i int, e Event) field.Sentence { return say("(%s) %s", int64(i+1), e) })
		}
	}
	return field.Say(format, parts...)
}

// head is how an event begins in its tree form.
func head(e Event) string {
	name := e.ClassName()
	if strings.HasSuffix(name, "DpEvent") {
		return `"class_name":"` + name + `"`
	}
	return `"module_name":"dpverify","class_name":"` + name + `"`
}

var one = big.NewRat(1, 1)
