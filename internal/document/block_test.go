// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dpverify/internal/document"
)

func TestYAML(t *testing.T) {
	const source = `{"version": 1, "claims": [{"id": "2024", "note": "yes", "empty": {}, "none": null, "list": [], "on": true,
		"event": {"class_name": "ComposedDpEvent", "events": [{"noise_multiplier": 1.10}, {"p": [0.5, 5e-1], "x": [[1, 2], ["a: b"]]}]}}]}`
	n, err := document.ParseJSON([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	const want = `version: 1
claims:
  - id: "2024"
    note: "yes"
    empty: {}
    none: null
    list: []
    "on": true
    event:
      class_name: ComposedDpEvent
      events:
        - noise_multiplier: 1.10
        - p: [0.5, 5e-1]
          x:
            - [1, 2]
            - - "a: b"
`
	if got := string(n.YAML()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := string((*document.Node)(nil).YAML()); got != "null\n" {
		t.Errorf("nil is %q", got)
	}
}

// What is written is read as the same tree.
func TestYAMLReadsBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"word", "ε", "#", ": ", "- ", "\n", "'", `"`, "\\", "  ", "\x7f", "\u0085", "\u2028", "\ufeff", "\U0001f600", "{", "]", ">-", "&a", "*a",
		"!!x", "%", "@", "`", "|", "0x1", "1e5", "~", "true", "No", "2024-01-01", "=", "<<", "?", "---", "\t", strings.Repeat("long prose ", 12) + "end", "a # b"}
	text := func() string {
		s := ""
		for range r.IntN(4) {
			s += pieces[r.IntN(len(pieces))]
		}
		return s
	}
	var tree func(depth int) *document.Node
	tree = func(depth int) *document.Node {
		switch k := r.IntN(6); {
		case depth > 0 && k == 0:
			n := &document.Node{Kind: document.Mapping}
			for i := range r.IntN(4) {
				n.Entries = append(n.Entries, document.Entry{Key: fmt.Sprint(text(), i), Value: tree(depth - 1)})
			}
			return n
		case depth > 0 && k <= 2:
			n := &document.Node{Kind: document.Sequence}
			for range r.IntN(4) {
				n.Items = append(n.Items, tree(depth-1))
			}
			return n
		case k == 3:
			return &document.Node{Kind: document.Number, Text: []string{"0", "-1.50", "1e-5", ".5"}[r.IntN(4)]}
		case k == 4:
			return []*document.Node{{Kind: document.Null, Text: "null"}, {Kind: document.Bool, Text: "true"}}[r.IntN(2)]
		}
		return &document.Node{Kind: document.String, Text: text()}
	}
	for range 3000 {
		n := &document.Node{Kind: document.Mapping, Entries: []document.Entry{{Key: "a", Value: tree(4)}}}
		written := n.YAML()
		back, err := document.Parse(written)
		if err != nil {
			t.Fatalf("%v of\n%s", err, written)
		}
		if got, want := string(back.JSON()), string(n.JSON()); got != want {
			t.Fatalf("%s\nis read as %s, want %s", written, got, want)
		}
	}
}
