// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path/filepath"

	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// maxFileBytes bounds a claims file.
const maxFileBytes = 64 << 20

// ReadFile reads the claims of a YAML or JSON file; see Read.
func ReadFile(ctx context.Context, path string) ([]*Claim, error) {
	data, err := document.FileContents(ctx, path, maxFileBytes)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, document.OpenIn(ctx, filepath.Dir(path)))
}

// ReadFiles reads the claims of files; - is stdin. A file that cannot be read is left out and handed to failed.
func ReadFiles(ctx context.Context, files []string, stdin io.Reader, failed func(error)) []*Claim {
	var all []*Claim
	for _, file := range files {
		var claims []*Claim
		var err error
		if file == "-" {
			claims, err = Read(ctx, stdin, "<stdin>", ".")
		} else {
			claims, err = ReadFile(ctx, file)
		}
		if err != nil {
			failed(err)
		}
		all = append(all, claims...)
	}
	return all
}

// Read reads claims in YAML or JSON. name is what errors call the source; the files that events name are relative to
// dir. What does not answer is read until ctx ends. A claim that is malformed is returned with its Err set; the error
// is about the source as a whole.
func Read(ctx context.Context, r io.Reader, name, dir string) ([]*Claim, error) {
	data, err := document.Contents(ctx, name, r, maxFileBytes)
	if err != nil {
		return nil, err
	}
	return Parse(name, data, document.OpenIn(ctx, dir))
}

// Parse reads claims from the contents of a file, which is JSON, or JSON Lines with a claim in each, if its name says
// so. open opens the files that events name.
func Parse(name string, data []byte, open func(string) (io.ReadCloser, error)) ([]*Claim, error) {
	var out []*Claim
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	lines := make(map[string]int) // of the first claim with an id
	list := func(root *document.Node) ([]*document.Node, error) { return claimList(name, root) }
	for n, err := range document.Elements(name, data, list) {
		if s, ok := err.(*document.SyntaxError); ok {
			err = &ClaimError{File: name, Line: s.Line, Err: fmt.Errorf("column %d: %s", s.Column, s.Msg)}
		}
		if err != nil {
			return nil, err
		}
		c := decodeClaim(name, n, open)
		c.SHA256 = sum
		if first, dup := lines[c.ID]; !dup {
			lines[c.ID] = c.Line
		} else if c.ID != "" && c.Err == nil {
			c.Err = &ClaimError{File: name, Line: c.Line, Claim: c.ID, Err: &document.FieldError{Field: "id",
				Value: show.Quote(c.ID), Want: fmt.Sprintf("an id not used before (line %d)", first)}}
		}
		out = append(out, c)
	}
	return out, nil
}

// claimList checks the outer mapping of a claims file and returns its claims.
func claimList(name string, root *document.Node) ([]*document.Node, error) {
	r := document.Reader{Node: root, About: func(e *document.FieldError) error {
		return &ClaimError{File: name, Line: e.Line, Err: e}
	}}
	if root.Kind != document.Mapping {
		return nil, r.Invalid("the document", root, "a mapping with version and claims")
	}
	r.Known([]string{"version", "claims"}, "version or claims")
	r.Required("version", "version: 1")
	r.Word("version", "1", func(s string) error {
		if s != "1" {
			return errors.New("another version")
		}
		return nil
	})
	// A file without a claim would succeed without saying anything.
	list := r.Required("claims", "a list of claims")
	if r.Err == nil && (list.Kind != document.Sequence || len(list.Items) == 0) {
		r.Fail(r.Invalid("claims", list, "a list of at least one claim"))
	}
	if r.Err != nil {
		return nil, r.Err
	}
	return list.Items, nil
}

// Keeps decides whether all events of a range keep (eps, delta), under the relation and in the direction of q, as Truth
// does. The error is Truth's, or says that the question has no meaning.
func Keeps(ctx context.Context, events mechanism.Range, q exact.Question, eps, delta *big.Rat,
	o Options) (*Outcome, error) {
	out, err := Truth(ctx, &Claim{
		MorePrivate: events.MorePrivate, LessPrivate: events.LessPrivate, Relation: q.Relation, Direction: q.Direction,
		Statement: Point{Epsilon: eps, Delta: delta, Written: [2]string{number.Format(eps), number.Format(delta)}},
	}, o)
	if err == nil && out.Verdict == Malformed {
		err = out.Err
	}
	return out, err
}

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
	entries := append(fields("id", "claim"), document.Entry{Key: "event", Value: s.Event},
		document.Entry{Key: "claim", Value: point})
	entries = append(entries, fields("relation", s.Relation, "direction", s.Direction, "number_format", format,
		"derivation", s.Derived)...)
	return decodeClaim("", &document.Node{Kind: document.Mapping, Entries: entries}, open)
}
