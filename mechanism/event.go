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

import "bytes"

// An Event is a mechanism, or a composition or sampling of events. The set of
// implementations is closed: they are the struct types of this package, used
// by value.
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

// Validate reports whether e could have been decoded. It is meant for events
// that were built in Go: those that come from a Decoder are valid. The error,
// if any, is the decoder's.
func Validate(e Event) error {
	_, err := DecodeEvent(encodeWithContents(e))
	return err
}
