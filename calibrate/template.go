// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"fmt"
	"math/big"

	"dpverify/document"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/number"
)

// A Template is an event of which one field is unknown. It must not be used by several
// goroutines at once.
type Template struct {
	Field string // the name of the field

	name        string // of the document
	decoder     mechanism.Decoder
	root        *document.Node
	of, unknown *document.Node // the mapping that has the field, and the value
}

// Parse reads an event in which one field is "?", JSON or YAML; name is what errors call the
// document.
func Parse(name string, data []byte, d mechanism.Decoder) (*Template, error) {
	root, err := document.Parse(data)
	if err != nil {
		return nil, document.Locate(name, err)
	}
	t := &Template{name: name, decoder: d, root: root}
	switch n := t.find(root, "", nil); {
	case n != 1:
		return nil, document.Locate(name, fmt.Errorf(`%d fields are "?", want one`, n))
	}
	_, err = t.scale(1)
	return t, err
}

// find finds the unknown from a node on, which is the value of a field of a mapping, and
// returns how many there are.
func (t *Template) find(n *document.Node, field string, of *document.Node) (found int) {
	if n == nil {
		return 0
	}
	if n.Kind == document.String && n.Text == "?" {
		t.Field, t.of, t.unknown = field, of, n
		found++
	}
	for _, x := range n.Items {
		found += t.find(x, field, of)
	}
	for _, e := range n.Entries {
		found += t.find(e.Value, e.Key, n)
	}
	return found
}

// scale returns the values to try.
func (t *Template) scale(digits int) (scale, error) {
	s, ok := scaleOf(t.Field, t.of, digits)
	if !ok {
		return s, document.Locate(t.name, fmt.Errorf(`%s = "?", want one of noise_multiplier, standard_deviation, count, sampling_probability, sample_size and epsilon`, show.Name(t.Field)))
	}
	return s, nil
}

// event returns the event with a value in the place of the unknown.
func (t *Template) event(x *big.Rat) (mechanism.Event, error) {
	t.unknown.Kind, t.unknown.Text = document.String, number.Format(x)
	e, err := t.decoder.Event(t.root, "event")
	if err != nil {
		return nil, document.Locate(t.name, err)
	}
	return e, nil
}
