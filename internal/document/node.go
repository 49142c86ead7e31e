// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package document holds parsed JSON and YAML as one neutral tree that stays
// faithful to its source: every node knows its line and column, and a number
// is kept as the text that was written. Nothing here passes through float64,
// so 0.1 in a file can later be read as exactly 1/10.
package document

import (
	"slices"

	"dpverify/internal/number"
	"dpverify/internal/show"
)

// Kind says what a node is.
type Kind int

const (
	Null Kind = iota
	Bool
	Number
	String
	Sequence
	Mapping
)

// String names the kind as it reads in an error message.
func (k Kind) String() string {
	return show.Word(k, "Kind", "null", "a boolean", "a number", "a string", "a list", "a mapping")
}

// A Node is one value of a document.
type Node struct {
	Kind Kind
	// Text is the source text of a number or boolean, "null" for Null, and
	// the decoded content of a string. It is empty for sequences and mappings.
	Text string
	// Items are the elements of a sequence.
	Items []*Node
	// Entries are the entries of a mapping, in source order.
	Entries []Entry
	// Line and Column locate the first character of the value, counted from 1,
	// columns in characters. 0 means unknown.
	Line, Column int
}

// An Entry is one key of a mapping with its value.
type Entry struct {
	Key   string
	Line  int // line of the key
	Value *Node
}

// Get returns the value of key in the mapping n. It returns nil when n is nil,
// is not a mapping or has no such key; of repeated keys the first counts.
func (n *Node) Get(key string) *Node {
	if n == nil || n.Kind != Mapping {
		return nil
	}
	for i := range n.Entries {
		if n.Entries[i].Key == key {
			return n.Entries[i].Value
		}
	}
	return nil
}

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
