// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dpverify/ask/measure"
	"dpverify/certify/fingerprint"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/internal/suggest"
	"dpverify/mechanism"
)

var claimFields = []string{"id", "event", "claim", "source", "note", "relation", "direction", "number_format",
	"derivation", "orders", "expect", "measured"}

// decodeClaim reads one claim. The fields that identify it are read first, so
// that a malformed one is still named and its expectation known.
func decodeClaim(file string, n *document.Node, open func(string) (io.ReadCloser, error)) *Claim {
	c := &Claim{File: file, Line: n.Line}
	open, files := fingerprint.Recorded(open)
	d := &claimDecoder{c: c, dec: mechanism.Decoder{Open: open}}
	d.Reader = document.Reader{Node: n, About: d.about}
	defer func() { c.Fingerprint, c.Asides, c.Err = fingerprint.Of(n, files), fingerprint.OfAsides(n), d.Err }()
	if n.Kind != document.Mapping {
		d.Fail(d.Invalid("claim", n, "a mapping with id, event and claim"))
		return c
	}
	// What can be read of a malformed claim is read: reports show its statement, and the files
	// that its event names belong to its fingerprint.
	// Each part says what is wrong with it, so that whoever mends a claim sees all of it.
	var all []error
	for _, read := range []func(){d.identity, d.known, d.options, d.claim, d.event, d.measured} {
		read()
		if d.Err != nil {
			all = append(all, d.Err)
		}
		d.Err = nil
	}
	switch len(all) {
	case 0:
	case 1:
		d.Err = all[0]
	default:
		slices.SortStableFunc(all, func(a, b error) int { return cmp.Compare(document.LineOf(a), document.LineOf(b)) })
		d.Err = errors.Join(all...)
	}
	return c
}

func (d *claimDecoder) known() { d.Known(claimFields, "one of "+strings.Join(claimFields, ", ")) }

func (d *claimDecoder) claim() {
	if v := d.Required("claim",
		"{epsilon: …, delta: …}, {rho: …}, {renyi: …}, {pld: …}, {mu: …} or {quantity: …}"); v != nil {
		d.statement(v)
	}
}

func (d *claimDecoder) event() {
	v := d.Required("event", "an event with a class_name")
	if v == nil {
		return
	}
	r, err := d.dec.EventRange(v, "event")
	d.c.MorePrivate, d.c.LessPrivate, d.c.notes = r.MorePrivate, r.LessPrivate, r.Notes()
	d.c.Written, d.c.Recounted = r.Written, r.Recounted
	if len(d.c.notes) > 0 {
		d.c.notes = append(d.c.notes, roundedNote)
	}
	if err != nil {
		d.Fail(d.in(err, cmp.Or(document.LineOf(err), v.Line)))
	}
}

// measured reads what an attack on the event has shown.
func (d *claimDecoder) measured() {
	if v := d.Node.Get("measured"); v != nil {
		var err error
		if d.c.Measured, err = measure.ReadStated(v, d.dec.Open, d.about); err != nil {
			d.Fail(err)
		}
	}
}

// identity reads the id and the expected verdict.
func (d *claimDecoder) identity() {
	d.c.ID = d.Text("id", "a name for the claim")
	document.Parsed(&d.Reader, "expect", wantVerdict, &d.c.Expect, parseVerdict)
}

// options reads everything that has a default.
func (d *claimDecoder) options() {
	keep := func(to *string) func(string) error {
		return func(s string) error { *to = s; return nil }
	}
	d.Word("source", "a string", keep(&d.c.Source))
	d.Word("note", "a string", keep(&d.c.Note))
	d.Word("derivation", "the name of a derivation", keep(&d.c.Derivation))
	document.Parsed(&d.Reader, "relation", "ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL", &d.c.Relation,
		mechanism.ParseRelation)
	document.Parsed(&d.Reader, "direction", "remove, add or both", &d.c.Direction, mechanism.ParseDirection)
	document.Parsed(&d.Reader, "number_format", "binary64 or decimal", &d.dec.Binary64, number.ParseFormat)
	d.c.binary64 = d.dec.Binary64
	if v := d.Node.Get("orders"); v != nil {
		d.orders(v)
	}
}

// roundedNote is the note on claims about all probabilities that rounded lists may stand for.
const roundedNote = "no certificate is written: it would state the numbers of one event"

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

// forms are all of them.
var forms = []form{pointForm, concentratedForm, renyiForm, dominatedForm, gaussianForm, valueForm}

// statementFields are those of all forms.
var statementFields = []string{"epsilon", "delta", "rho", "renyi", "pld", "mu", "alpha_min", "quantity", "at", "equals",
	"tolerance", "lower", "upper"}

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
		want += suggest.Perhaps(e.Key, statementFields)
	}
	d.Fail(d.InvalidText("claim", n, "{"+strings.Join(keys, ", ")+"}", want))
}
