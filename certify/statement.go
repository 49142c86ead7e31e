// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/document"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/number"
)

// A Statement is what is claimed: a Point, Concentrated, Renyi, Dominated or Value.
type Statement interface {
	// String is the statement in words, its numbers as they are written.
	String() string

	// check returns a *mechanism.ParamError if a number is missing.
	check() error
	// decide answers a claim that states it. The error is about the event, a bug of the
	// engine, or the error of a context.
	decide(d decision) error
	// restates reports whether all inequalities that make it up are among the inequalities of p, or weaker.
	restates(p property) bool
	// scale is the δ of interest, or nil.
	scale() *big.Rat
	// report adds to a report the fields that only statements of its form have.
	report(r *ClaimReport, o *Outcome)
}

// A form is a way to write a statement: the keys of the mapping, and what reads their values.
// decode returns nil if they are not what is wanted.
type form struct {
	keys     []string
	optional []string // decode gets their values after the values of the keys, nil for what is not there
	want     string
	decode   func(d *claimDecoder, fields ...*document.Node) Statement
}

// forms are all of them.
var forms = []form{pointForm, concentratedForm, renyiForm, dominatedForm, gaussianForm, valueForm}

// statement reads what is claimed.
func (d *claimDecoder) statement(n *document.Node) {
	var wants []string
	for _, f := range forms {
		wants = append(wants, f.want)
	}
	want := prose.Joined(wants, "or")
	if n.Kind != document.Mapping {
		d.Fail(d.Invalid("claim", n, want))
		return
	}
	for _, f := range forms {
		if fields := f.fields(n); fields != nil {
			d.c.Statement = f.decode(d, fields...)
			return
		}
	}
	var keys []string
	for _, e := range n.Entries {
		keys = append(keys, show.Name(show.Cut(e.Key)))
	}
	d.Fail(d.InvalidText("claim", n, "{"+strings.Join(keys, ", ")+"}", want))
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

// orders reads `real` or a list of orders.
func (d *claimDecoder) orders(n *document.Node) {
	if n.Kind == document.String && n.Text == "real" {
		d.c.RealOrders = true
		return
	}
	if n.Kind != document.Sequence || len(n.Items) == 0 {
		d.Fail(d.Invalid("orders", n, "real or a list of numbers > 1"))
		return
	}
	for i, item := range n.Items {
		d.c.Orders = append(d.c.Orders, d.number(item, fmt.Sprintf("orders[%d]", i), number.AboveOne))
	}
}

var one = big.NewRat(1, 1)
