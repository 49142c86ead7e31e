// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"

	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A Case is one question to the accountant.
type Case struct {
	ID       string
	About    string // why it is asked; for people
	Event    mechanism.Event
	Relation mechanism.Relation
	Quantity Quantity
	At       *big.Rat
	// Binary64 says that each number stands for the nearest float64.
	Binary64 bool
}

// questions returns the profiles that the case may be about, and where they are asked for:
// one, or the two ends of a range where probabilities sum to 1 only up to their rounding.
// The error says that a parameter has no value in binary64.
func (c Case) questions() (qs []exact.Question, at *big.Rat, err error) {
	events, at := []mechanism.Event{c.Event}, c.At
	if c.Binary64 {
		if at, err = number.Binary64(at); err != nil {
			return nil, at, err
		}
		n, err := document.ParseJSON(mechanism.EncodeEvent(c.Event))
		if err != nil {
			return nil, at, err
		}
		r, err := mechanism.Decoder{Binary64: true}.RoundedEvent(n, "event")
		if err != nil {
			return nil, at, err
		}
		events = []mechanism.Event{r.LessPrivate}
		if len(r.Rounded) > 0 {
			events = append(events, r.MorePrivate)
		}
	}
	for _, e := range events {
		q := exact.Question{Event: e, Relation: c.Relation}
		if (c.Quantity == Epsilon || c.Quantity == TradeOff) && at.Sign() > 0 {
			q.Scale = at
		}
		qs = append(qs, q)
	}
	return qs, at, nil
}

// Request returns the line that is sent, without its end. Numbers are strings that
// mean exactly what they spell.
func (c Case) Request() []byte {
	id, err := json.Marshal(c.ID)
	if err != nil {
		panic("audit: internal error: a string does not encode: " + err.Error())
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"id":%s,%s}`, id, c.key())
	return b.Bytes()
}

// key is the question without its id.
func (c Case) key() string {
	relation := ""
	if c.Relation != mechanism.AddOrRemoveOne {
		relation = fmt.Sprintf(`"relation":"%s",`, c.Relation)
	}
	if c.Binary64 {
		relation += `"number_format":"binary64",`
	}
	return fmt.Sprintf(`"event":%s,%s"quantity":"%s","at":"%s"`, mechanism.EncodeEvent(c.Event), relation, c.Quantity,
		number.Format(c.At))
}

// Command returns a command that prints the truth.
func (c Case) Command() string {
	relation := ""
	if c.Relation != mechanism.AddOrRemoveOne {
		relation = fmt.Sprintf("--relation %s ", c.Relation)
	}
	if c.Binary64 {
		relation += "--number-format binary64 "
	}
	return fmt.Sprintf("verify %s %s--%s=%s '%s'", c.Quantity, relation, quantities[c.Quantity].flag,
		number.Format(c.At), mechanism.EncodeEvent(c.Event))
}
