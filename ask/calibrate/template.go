// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/shorthand"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// A Template is an event of which one field is unknown. It must not be used by several
// goroutines at once.
type Template struct {
	Field string // the name of the field
	// Before is composed with the event; its zero value is nothing.
	Before mechanism.Range

	name        string // of the document
	decoder     mechanism.Decoder
	root        *document.Node
	of, unknown *document.Node // the mapping that has the field, and the value

	copied mechanism.Event // of which the number of copies is unknown, in place of a document
}

// Parse reads an event in which one field is "?", JSON, YAML or a short form; name is what errors call the
// document.
func Parse(name string, data []byte, d mechanism.Decoder) (*Template, error) {
	t, unknown, err := find(name, data, d)
	if err == nil && unknown == 0 {
		err = document.Locate(name, errors.New(`0 fields are "?", want one`))
	}
	return t, err
}

// ParseOrCopies is Parse, but where no field is "?" the number of copies of the event is unknown.
func ParseOrCopies(name string, data []byte, d mechanism.Decoder) (*Template, error) {
	t, unknown, err := find(name, data, d)
	if err != nil || unknown > 0 {
		return t, err
	}
	if t.copied, err = d.Event(t.root, "event"); err != nil {
		return nil, document.Locate(name, err)
	}
	t.Field = "count"
	return t, nil
}

// Copied returns the event of which the number of copies is unknown; false if something else is.
func (t *Template) Copied() (mechanism.Event, bool) { return t.copied, t.copied != nil }

// find reads a template and returns how many fields are unknown, at most one.
func find(name string, data []byte, d mechanism.Decoder) (t *Template, unknown int, err error) {
	root, err := document.Parse(data)
	if err != nil {
		return nil, 0, document.Locate(name, err)
	}
	t = &Template{name: name, decoder: d, root: root}
	if err := expand(root); err != nil {
		return nil, 0, document.Locate(name, err)
	}
	switch unknown = t.find(root, "", nil); unknown {
	case 0:
	case 1:
		_, err = t.scale(1)
	default:
		err = document.Locate(name, fmt.Errorf(`%d fields are "?", want one`, unknown))
	}
	return t, unknown, err
}

// expand puts events in the place of the short forms that leave a number unknown.
func expand(n *document.Node) error {
	if n == nil {
		return nil
	}
	if n.Kind == document.String && strings.Contains(n.Text, shorthand.Unknown) && shorthand.Looks(n.Text) {
		long, err := shorthand.Expand(n)
		if err != nil {
			return fmt.Errorf("%s: %w", show.Value(n.Text), err)
		}
		*n = *long
	}
	for _, x := range n.Items {
		if err := expand(x); err != nil {
			return err
		}
	}
	for _, e := range n.Entries {
		if err := expand(e.Value); err != nil {
			return err
		}
	}
	return nil
}

// find finds the unknown from a node on, which is the value of a field of a mapping, and
// returns how many there are.
func (t *Template) find(n *document.Node, field string, of *document.Node) (found int) {
	if n == nil {
		return 0
	}
	if n.Kind == document.String && n.Text == shorthand.Unknown {
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

// fields are those that have a scale.
const fields = "noise_multiplier, noise_variance, noise_parameter, standard_deviation, sigma, variance, scale, " +
	"count, sampling_probability, sample_size, epsilon and rho"

// scale returns the values to try.
func (t *Template) scale(digits int) (scale, error) {
	s, ok := scaleOf(t.Field, t.of, digits)
	if !ok {
		r := document.Reader{Node: t.of}
		return s, document.Locate(t.name, r.Invalid(cmp.Or(show.Name(t.Field), "event"), t.unknown, "one of "+fields))
	}
	return s, nil
}

// monotone reports whether privacy is proved to be monotone in the unknown, in the whole event. For a real number it is
// where an interval may stand for it; copies add losses, and more of as many records are sampled more often.
func (t *Template) monotone(s scale) bool {
	if s.digits == 0 {
		class := t.of.Get("class_name")
		return t.Field == "count" || class != nil && class.Text == mechanism.SampledWithoutReplacement{}.ClassName()
	}
	unknown := *t.unknown
	defer func() { *t.unknown = unknown }()
	end := &document.Node{Kind: document.String, Text: number.Format(s.at(s.start(false)))}
	*t.unknown = document.Node{Kind: document.Mapping,
		Entries: []document.Entry{{Key: "lo", Value: end}, {Key: "hi", Value: end}}}
	_, err := t.decoder.EventRange(t.root, "event")
	return err == nil
}

// event returns the event with a value in the place of the unknown, after what is before it.
func (t *Template) event(x *big.Rat) (mechanism.Range, error) {
	e, err := t.last(x)
	if err != nil || t.Before.LessPrivate == nil {
		return mechanism.Range{MorePrivate: e, LessPrivate: e}, err
	}
	after := func(first mechanism.Event) mechanism.Event {
		return mechanism.Composed{Events: []mechanism.Event{first, e}}
	}
	return mechanism.Range{MorePrivate: after(t.Before.MorePrivate), LessPrivate: after(t.Before.LessPrivate),
		Rounded: t.Before.Rounded}, nil
}

// last returns the event itself.
func (t *Template) last(x *big.Rat) (mechanism.Event, error) {
	if t.copied != nil {
		return mechanism.SelfComposed{Event: t.copied, Count: x.Num().Int64()}, nil
	}
	t.unknown.Kind, t.unknown.Text = document.String, number.Format(x)
	e, err := t.decoder.Event(t.root, "event")
	if err != nil {
		return nil, document.Locate(t.name, err)
	}
	return e, nil
}
