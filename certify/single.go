// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"io"

	"dpverify/document"
)

// A Single is a claim (ε, δ) that stands in no file. What is empty is left out.
type Single struct {
	Event                        *document.Node
	Epsilon, Delta               string
	Relation, Direction, Derived string
	Binary64                     bool
}

// Claim reads it as a file with the one claim "claim" would be read. open opens the files
// that the event names.
func (s Single) Claim(open func(string) (io.ReadCloser, error)) *Claim {
	text := func(s string) *document.Node { return &document.Node{Kind: document.String, Text: s} }
	fields := func(pairs ...string) []document.Entry {
		var out []document.Entry
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i+1] != "" {
				out = append(out, document.Entry{Key: pairs[i], Value: text(pairs[i+1])})
			}
		}
		return out
	}
	format := ""
	if s.Binary64 {
		format = "binary64"
	}
	point := &document.Node{Kind: document.Mapping, Entries: fields("epsilon", s.Epsilon, "delta", s.Delta)}
	entries := append(fields("id", "claim"), document.Entry{Key: "event", Value: s.Event}, document.Entry{Key: "claim", Value: point})
	entries = append(entries, fields("relation", s.Relation, "direction", s.Direction, "number_format", format, "derivation", s.Derived)...)
	return decodeClaim("", &document.Node{Kind: document.Mapping, Entries: entries}, open)
}
