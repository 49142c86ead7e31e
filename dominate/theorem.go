// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dominate

import (
	"slices"

	"dpverify/document"
	"dpverify/exact/pair"
	"dpverify/mechanism"
	"dpverify/number"
)

// theorem returns the theorem by which a dominates b; empty if none of those known here does.
func theorem(a, b side) string {
	if mechanism.Equal(a.event, b.event) {
		return "the two events are the same"
	}
	if monotone(a.event, b.event) {
		return "the events differ in parameters in which privacy is monotone"
	}
	attained := a.attained()
	for _, q := range b.bounds.Upper {
		if !slices.ContainsFunc(attained, func(p pair.Product) bool { return p.Covers(q) }) {
			return ""
		}
	}
	return "each factor is dominated by factors of its own"
}

// monotone reports whether two events are the two ends of one whose parameters are intervals: those
// are admitted only where privacy is proved to be monotone in them, whatever the event is part of.
func monotone(a, b mechanism.Event) bool {
	x, err := document.ParseJSON(mechanism.EncodeContents(a))
	if err != nil {
		return false
	}
	y, err := document.ParseJSON(mechanism.EncodeContents(b))
	if err != nil {
		return false
	}
	n, ok := between(x, y)
	if !ok {
		return false
	}
	r, err := mechanism.Decoder{}.EventRange(n, "event")
	return err == nil && mechanism.Equal(r.LessPrivate, a) && mechanism.Equal(r.MorePrivate, b)
}

// between joins two trees of one shape, the numbers that differ to intervals.
func between(x, y *document.Node) (*document.Node, bool) {
	if x.Kind != y.Kind || len(x.Items) != len(y.Items) || len(x.Entries) != len(y.Entries) {
		return nil, false
	}
	out := *x
	out.Items, out.Entries = nil, nil
	for i := range x.Items {
		n, ok := between(x.Items[i], y.Items[i])
		if !ok {
			return nil, false
		}
		out.Items = append(out.Items, n)
	}
	for i, e := range x.Entries {
		if e.Key != y.Entries[i].Key {
			return nil, false
		}
		n, ok := between(e.Value, y.Entries[i].Value)
		if !ok {
			return nil, false
		}
		out.Entries = append(out.Entries, document.Entry{Key: e.Key, Line: e.Line, Value: n})
	}
	if x.Text == y.Text {
		return &out, true
	}
	p, err1 := number.Parse(x.Text)
	q, err2 := number.Parse(y.Text)
	if err1 != nil || err2 != nil {
		return nil, false
	}
	if p.Cmp(q) > 0 {
		x, y = y, x
	}
	return &document.Node{Kind: document.Mapping, Entries: []document.Entry{{Key: "lo", Value: x}, {Key: "hi", Value: y}}}, true
}
