// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"bytes"
	"iter"
	"path/filepath"
)

// Elements yields the elements of a list that a file holds: JSON Lines with one in each line, JSON, or YAML, as its
// name says. list returns those of a document that is no JSON Lines. The first error ends it; it is a *SyntaxError,
// or of list.
func Elements(name string, data []byte, list func(root *Node) ([]*Node, error)) iter.Seq2[*Node, error] {
	if filepath.Ext(name) == ".jsonl" {
		return jsonLines(data)
	}
	return func(yield func(*Node, error) bool) {
		parse := Parse
		if filepath.Ext(name) == ".json" {
			parse = func(data []byte) (*Node, error) { return ParseJSON(data) }
		}
		root, err := parse(data)
		var nodes []*Node
		if err == nil {
			nodes, err = list(root)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, n := range nodes {
			if !yield(n, nil) {
				return
			}
		}
	}
}

// jsonLines yields the values of JSON Lines, and holds one at a time. Lines of blanks hold nothing, but one has to hold
// something.
func jsonLines(data []byte) iter.Seq2[*Node, error] {
	return func(yield func(*Node, error) bool) {
		line, found := 0, false
		for text := range bytes.Lines(data) {
			if line++; len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			found = true
			if n, err := ParseJSON(text, FirstLine(line)); !yield(n, err) || err != nil {
				return
			}
		}
		if !found {
			yield(nil, &SyntaxError{Line: 1, Column: 1, Msg: "no line with JSON"})
		}
	}
}
