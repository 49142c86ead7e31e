// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"math/big"

	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A claimDecoder reads one claim.
type claimDecoder struct {
	document.Reader
	c   *Claim
	dec mechanism.Decoder
}

// about says which claim an error is about.
func (d *claimDecoder) about(e *document.FieldError) error { return d.in(e, e.Line) }

// in says in which claim an error is.
func (d *claimDecoder) in(err error, line int) error {
	return &ClaimError{File: d.c.File, Claim: d.c.ID, Line: line, Err: err}
}

// number reads a number of a domain in the number format of the claim; nil if there is none.
func (d *claimDecoder) number(n *document.Node, field string, in number.Domain) *big.Rat {
	d.Binary64 = d.dec.Binary64
	return d.Number(field, n, in)
}

// A form is a way to write a statement: the keys of the mapping, and what reads their values.
// decode returns nil if they are not what is wanted.
type form struct {
	keys     []string
	optional []string // decode gets their values after the values of the keys, nil for what is not there
	want     string
	decode   func(d *claimDecoder, fields ...*document.Node) Statement
}

// fields returns the values of the keys of a form; nil if n has others.
func (f form) fields(n *document.Node) []*document.Node {
	var out []*document.Node
	for _, k := range f.keys {
		v := n.Get(k)
		if v == nil {
			return nil
		}
		out = append(out, v)
	}
	known := len(f.keys)
	for _, k := range f.optional {
		v := n.Get(k)
		if v != nil {
			known++
		}
		out = append(out, v)
	}
	if len(n.Entries) != known {
		return nil
	}
	return out
}
