// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package query

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/big"
	"strings"
	"time"

	"dpverify/ask"
	"dpverify/ask/estimate"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// fields are the fields of a question.
var fields = []string{"id", "event", "relation", "direction", "number_format", "quantity", "at", "alpha_min",
	"digits", "timeout", "engine"}

// A question is what a line asks.
type question struct {
	exact.Question // but for the event
	ask.Goal
	ask.Quantity
	events mechanism.Range
	name   string          // of the quantity
	at     json.RawMessage // as given; nil for tv
	where  *big.Rat        // the same; nil for tv, and for ∞
	// estimates says that the engine is float.
	estimates bool
}

// decode reads a line. The id is returned with an error too, if it can be
// read.
func decode(ctx context.Context, l line) (q question, id json.RawMessage, err error) {
	n, err := document.ParseJSON(l.text, document.FirstLine(l.number))
	if err != nil {
		return q, nil, err
	}
	if n.Kind != document.Mapping {
		return q, nil, fmt.Errorf("line %d: the question = %s, want an object", l.number, n.Kind)
	}
	if v := n.Get("id"); v != nil {
		id = v.JSON()
	}
	r := reader{Reader: document.Reader{Node: n, About: func(e *document.FieldError) error {
		return fmt.Errorf("query: %w", e)
	}}}
	q = r.question(ctx)
	return q, id, r.Err
}

// A reader reads the fields of a question.
type reader struct {
	document.Reader
	dec mechanism.Decoder
}

func (r *reader) question(ctx context.Context) question {
	var q question
	r.Known(fields, strings.Join(fields, ", "))
	document.Parsed(&r.Reader, "number_format", "binary64 or decimal", &r.dec.Binary64, number.ParseFormat)
	document.Parsed(&r.Reader, "relation", "ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL", &q.Relation,
		mechanism.ParseRelation)
	document.Parsed(&r.Reader, "direction", "remove, add or both", &q.Direction, mechanism.ParseDirection)
	q.Digits = r.digits()
	q.Budget = r.timeout()
	document.Parsed(&r.Reader, "engine", "exact or float", &q.estimates, estimate.ParseEngine)
	if v := r.Node.Get("digits"); v != nil && q.estimates {
		r.Fail(r.Invalid("digits", v, "no digits: an estimate says how far it is off"))
	}
	at := r.Node.Get("at")
	r.Binary64 = r.dec.Binary64
	q.name, q.Quantity = ask.ReadQuantity(&r.Reader, "", r.Node.Get("quantity"), at, r.Node.Get("alpha_min"))
	if q.name != "tv" {
		q.where = q.Quantity.At()
	}
	if at != nil {
		q.at = at.JSON()
	}
	ctx, cancel := q.Limit(ctx)
	defer cancel()
	r.dec.Open = document.OpenIn(ctx, ".")
	if v := r.Required("event", "an event with a class_name"); v != nil {
		q.events, r.Err = r.dec.RoundedEvent(v, "event")
	}
	return q
}

// digits reads the accuracy to aim at.
func (r *reader) digits() int {
	if r.Node.Get("digits") == nil {
		return ask.DefaultDigits
	}
	return int(r.Integer("digits", 1, ask.MaxDigits))
}

// seconds are what an answer may take.
var seconds = number.Domain{
	Want: fmt.Sprintf("in (0, %.0f], seconds", ask.MaxBudget.Seconds()),
	Contains: func(x *big.Rat) bool {
		return x.Sign() > 0 && x.Cmp(new(big.Rat).SetFrac64(int64(ask.MaxBudget), int64(time.Second))) <= 0
	},
}

// timeout reads the seconds that an answer may take.
func (r *reader) timeout() time.Duration {
	v := r.Node.Get("timeout")
	if v == nil {
		return ask.DefaultBudget
	}
	x := r.Number("timeout", v, seconds)
	if x == nil {
		return ask.DefaultBudget
	}
	x.Mul(x, new(big.Rat).SetInt64(int64(time.Second)))
	ns := new(big.Int).Quo(x.Num(), x.Denom()).Int64()
	return max(time.Duration(ns), 1)
}

// maxLine bounds a line of a query.
const maxLine = 16 << 20

// A line is one line of input.
type line struct {
	number  int
	text    []byte
	tooLong bool  // longer than maxLine: the text is left out
	err     error // of reading, instead of a line
}

// lines reads lines until the input or ctx ends. Blank lines are skipped; the
// last line need not end in a newline. A reading that blocks does not outlive ctx.
func lines(ctx context.Context, r io.Reader) iter.Seq[line] {
	return func(yield func(line) bool) {
		next := make(chan line)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			defer close(next)
			b := bufio.NewReaderSize(r, 1<<16)
			for n := 1; ; n++ {
				l, err := readLine(b, n)
				if len(bytes.TrimSpace(l.text)) > 0 || l.tooLong {
					select {
					case next <- l:
					case <-stop:
						return
					}
				}
				if err == nil {
					continue
				}
				if !errors.Is(err, io.EOF) {
					select {
					case next <- line{number: n, err: err}:
					case <-stop:
					}
				}
				return
			}
		}()
		for {
			select {
			case l, ok := <-next:
				if !ok || !yield(l) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// readLine reads one line and drops what is too long to keep.
func readLine(b *bufio.Reader, n int) (line, error) {
	l := line{number: n}
	for {
		part, err := b.ReadSlice('\n')
		if len(l.text)+len(bytes.TrimRight(part, "\r\n")) > maxLine {
			l.text, l.tooLong = nil, true
		}
		if !l.tooLong {
			l.text = append(l.text, bytes.TrimRight(part, "\r\n")...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}
