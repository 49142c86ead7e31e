// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/big"

	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

//go:embed suite.jsonl
var suite []byte

// inFiles is the class whose events name files, which an accountant need not have.
const inFiles = "HistogramPairEvent"

// Suite returns the fixed, published cases, and one about the example of each class that is in none of them.
func Suite() []Case {
	cases, err := ReadCases("suite.jsonl", suite)
	for _, c := range mechanism.Descriptions() {
		if err == nil && c.Class != inFiles && !bytes.Contains(suite, []byte(`"`+c.Class+`"`)) {
			example := Case{ID: "example-" + c.Class, About: "the example of the help", Relation: c.Relations[0],
				Quantity: Epsilon, At: big.NewRat(1, 100000)}
			example.Event, err = mechanism.DecodeEvent([]byte(c.Example))
			cases = append(cases, example)
		}
	}
	if err != nil {
		panic("audit: internal error: " + err.Error())
	}
	return cases
}

// maxSuite bounds a file of cases.
const maxSuite = 64 << 20

// ReadFile reads the cases of a file.
func ReadFile(ctx context.Context, path string) ([]Case, error) {
	data, err := document.FileContents(ctx, path, maxSuite)
	if err != nil {
		return nil, err
	}
	return ReadCases(show.Name(path), data)
}

// ReadCases reads cases, one JSON object a line: a question of `verify query`, with
// `about` for people. Lines that begin with # are comments.
func ReadCases(name string, data []byte) ([]Case, error) {
	var out []Case
	seen := make(map[string]bool)
	row := 0
	for line := range bytes.Lines(data) {
		row++
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		c, err := readCase(line)
		if err == nil && seen[c.ID] {
			err = fmt.Errorf("id = %s, want one not used before", show.Quote(c.ID))
		}
		var syntax *document.SyntaxError
		switch {
		case errors.As(err, &syntax):
			return nil, fmt.Errorf("%s:%d: column %d: %s", name, row, syntax.Column, syntax.Msg)
		case err != nil:
			return nil, fmt.Errorf("%s:%d: %w", name, row, err)
		}
		seen[c.ID] = true
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no cases, want at least one", name)
	}
	return out, nil
}

func readCase(line []byte) (c Case, err error) {
	n, err := document.ParseJSON(line)
	if err != nil {
		return c, err
	}
	if n.Kind != document.Mapping {
		return c, fmt.Errorf("the case is %s, want an object", n.Kind)
	}
	r := document.Reader{Node: n}
	r.Known([]string{"id", "about", "event", "relation", "quantity", "at"}, "id, about, event, relation, quantity or at")
	c.ID = r.Text("id", "a name for the case")
	r.Word("about", "a string", func(s string) error { c.About = s; return nil })
	document.Parsed(&r, "relation", "ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL", &c.Relation,
		mechanism.ParseRelation)
	r.Word("quantity", wantQuantity, func(s string) error { c.Quantity = Quantity(s); return nil })
	if at := n.Get("at"); at != nil {
		c.At = r.Number("at", at, number.Any)
	}
	if v := r.Required("event", "an event with a class_name"); v != nil {
		c.Event, r.Err = mechanism.Decoder{}.Event(v, "event")
	}
	if r.Err != nil {
		return c, r.Err
	}
	return c, c.Quantity.check(c.At)
}
