// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"io"
	"math/big"

	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

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
