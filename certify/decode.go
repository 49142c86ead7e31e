package certify

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"dpverify/document"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/number"
)

var claimFields = []string{"id", "event", "claim", "source", "note", "relation", "direction", "number_format", "derivation", "orders", "expect"}

// A claimDecoder reads one claim. Its first error is kept in the claim.
type claimDecoder struct {
	c   *Claim
	n   *document.Node
	dec mechanism.Decoder
}

// decodeClaim reads one claim. The fields that identify it are read first, so
// that a malformed one is still named and its expectation known.
func decodeClaim(file string, n *document.Node, open func(string) (io.ReadCloser, error)) *Claim {
	c := &Claim{File: file, Line: n.Line}
	open, files := recorded(open)
	defer func() { c.Fingerprint = fingerprint(n, files) }()
	d := claimDecoder{c: c, n: n, dec: mechanism.Decoder{Open: open}}
	if n.Kind != document.Mapping {
		d.invalid(n, "claim", "a mapping with id, event and claim")
		return c
	}
	d.identity()
	for _, e := range n.Entries {
		if !slices.Contains(claimFields, e.Key) {
			d.fail(&ClaimError{Line: e.Line, Field: fmt.Sprintf("unknown field %s", show.Quote(e.Key)), Want: "one of " + strings.Join(claimFields, ", ")})
		}
	}
	d.options()
	if v := n.Get("claim"); v == nil {
		d.missing("claim", "{epsilon: …, delta: …}, {rho: …}, {renyi: …} or {pld: …}")
	} else {
		d.statement(v)
	}
	if v := n.Get("event"); v == nil {
		d.missing("event", "an event with a class_name")
	} else {
		r, err := d.dec.EventRange(v, "event")
		c.MorePrivate, c.LessPrivate, c.notes = r.MorePrivate, r.LessPrivate, r.Notes()
		if len(c.notes) > 0 {
			c.notes = append(c.notes, roundedNote)
		}
		if err != nil {
			line := document.LineOf(err)
			if line == 0 {
				line = v.Line
			}
			d.fail(&ClaimError{Line: line, Err: err})
		}
	}
	return c
}

// identity reads the id and the expected verdict.
func (d *claimDecoder) identity() {
	if id := d.n.Get("id"); id == nil {
		d.missing("id", "a name for the claim")
	} else if s, ok := d.text(id, "id"); ok {
		if strings.TrimSpace(s) == "" {
			d.invalid(id, "id", "a name that is not empty")
		}
		d.c.ID = s
	}
	d.word("expect", wantVerdict, func(s string) (err error) {
		d.c.Expect, err = ParseVerdict(s)
		return err
	})
}

// options reads everything that has a default.
func (d *claimDecoder) options() {
	keep := func(to *string) func(string) error {
		return func(s string) error { *to = s; return nil }
	}
	d.word("source", "a string", keep(&d.c.Source))
	d.word("note", "a string", keep(&d.c.Note))
	d.word("derivation", "the name of a derivation", keep(&d.c.Derivation))
	d.word("relation", "ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL", func(s string) (err error) {
		d.c.Relation, err = mechanism.ParseRelation(s)
		return err
	})
	d.word("direction", "remove, add or both", func(s string) (err error) {
		d.c.Direction, err = mechanism.ParseDirection(s)
		return err
	})
	d.word("number_format", "binary64 or decimal", func(s string) (err error) {
		d.dec.Binary64, err = number.ParseFormat(s)
		return err
	})
	if v := d.n.Get("orders"); v != nil {
		d.orders(v)
	}
}

// roundedNote is the note on claims about all probabilities that rounded lists may stand for.
const roundedNote = "no certificate is written: it would state the numbers of one event"

// fail keeps the first error.
func (d *claimDecoder) fail(e *ClaimError) {
	if d.c.Err == nil {
		e.File, e.Claim = d.c.File, d.c.ID
		d.c.Err = e
	}
}

func (d *claimDecoder) missing(field, want string) {
	d.fail(&ClaimError{Line: d.n.Line, Field: field + " is missing", Want: want})
}

func (d *claimDecoder) invalid(n *document.Node, field, want string) {
	d.fail(&ClaimError{Line: n.Line, Field: field, Value: document.Shown(n), Want: want})
}

// text reads a string; a bare number is taken as its text.
func (d *claimDecoder) text(n *document.Node, field string) (string, bool) {
	if n.Kind != document.String && n.Kind != document.Number {
		d.invalid(n, field, "a string")
		return "", false
	}
	return n.Text, true
}

// word reads a string that parse understands, if the field is there.
func (d *claimDecoder) word(field, want string, parse func(string) error) {
	n := d.n.Get(field)
	if n == nil {
		return
	}
	if s, ok := d.text(n, field); ok && parse(s) != nil {
		d.invalid(n, field, want)
	}
}

// number reads a number of a domain; nil if there is none.
func (d *claimDecoder) number(n *document.Node, field string, in number.Domain) *big.Rat {
	r, err := d.dec.Number(n, field)
	var param *mechanism.ParamError
	switch {
	case errors.As(err, &param):
		want := in.String()
		if n.Kind != document.Mapping && param.Want != number.Any.String() {
			want = param.Want // a limit of all numbers
		}
		d.invalid(n, field, want)
		return nil
	case err != nil:
		d.fail(&ClaimError{Line: n.Line, Err: err})
		return nil
	case !in.Contains(r):
		d.invalid(n, field, in.String())
		return nil
	}
	return r
}
