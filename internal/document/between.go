// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"slices"

	"dpverify/internal/number"
)

// Between returns a with the interval {lo, hi} for every number that is different in b; false if the two differ in
// anything else.
func Between(a, b *Node) (*Node, bool) {
	if a.Kind != b.Kind || len(a.Items) != len(b.Items) || len(a.Entries) != len(b.Entries) {
		return nil, false
	}
	out := *a
	out.Items, out.Entries = slices.Clone(a.Items), slices.Clone(a.Entries)
	ok := true
	for i := range out.Items {
		if out.Items[i], ok = Between(a.Items[i], b.Items[i]); !ok {
			return nil, false
		}
	}
	for i, e := range out.Entries {
		if e.Key != b.Entries[i].Key {
			return nil, false
		}
		if out.Entries[i].Value, ok = Between(e.Value, b.Entries[i].Value); !ok {
			return nil, false
		}
	}
	if a.Text == b.Text {
		return &out, true
	}
	x, err1 := number.Parse(a.Text)
	y, err2 := number.Parse(b.Text)
	if err1 != nil || err2 != nil {
		return nil, false
	}
	lo, hi := a, b
	if x.Cmp(y) > 0 {
		lo, hi = b, a
	}
	return &Node{Kind: Mapping, Line: a.Line, Entries: []Entry{{Key: "lo", Value: lo}, {Key: "hi", Value: hi}}}, true
}
