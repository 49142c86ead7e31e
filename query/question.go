// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"dpverify/ask"
	"dpverify/document"
	"dpverify/exact"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
	"dpverify/number"
)

// fields are the fields of a question.
var fields = []string{"id", "event", "relation", "direction", "number_format", "quantity", "at", "alpha_min", "digits", "timeout"}

// A question is what a line asks.
type question struct {
	exact.Question // but for the event
	ask.Goal
	ask.Quantity
	events mechanism.Range
	name   string          // of the quantity
	at     json.RawMessage // as given; nil for tv
}

// decode reads a line. The id is returned with an error too, if it can be
// read.
func decode(l line) (q question, id json.RawMessage, err error) {
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
	r := reader{Reader: document.Reader{Node: n, About: func(e *document.FieldError) error { return fmt.Errorf("query: %w", e) }}}
	q = r.question()
	return q, id, r.Err
}

// A reader reads the fields of a question.
type reader struct {
	document.Reader
	dec mechanism.Decoder
}

func (r *reader) question() question {
	var q question
	r.Known(fields, strings.Join(fields, ", "))
	r.dec.Open = document.OpenIn(".")
	r.Word("number_format", "binary64 or decimal", func(s string) (err error) {
		r.dec.Binary64, err = number.ParseFormat(s)
		return err
	})
	r.Word("relation", "ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL", func(s string) (err error) {
		q.Relation, err = mechanism.ParseRelation(s)
		return err
	})
	r.Word("direction", "remove, add or both", func(s string) (err error) {
		q.Direction, err = mechanism.ParseDirection(s)
		return err
	})
	q.Digits = r.digits()
	q.Budget = r.timeout()
	q.name, q.Quantity = r.quantity()
	if at := r.Node.Get("at"); at != nil {
		q.at = at.JSON()
	}
	if v := r.Required("event", "an event with a class_name"); v != nil {
		q.events, r.Err = r.dec.RoundedEvent(v, "event")
	}
	return q
}

// quantity reads what is asked, and where.
func (r *reader) quantity() (name string, q ask.Quantity) {
	const want = "delta, epsilon, renyi, tradeoff, tv or gdp"
	r.Required("quantity", want)
	r.Word("quantity", want, func(s string) error {
		name = s
		switch s {
		case "delta":
			if eps := r.at(number.Any); eps != nil {
				q = ask.Delta(eps)
			}
		case "epsilon":
			if delta := r.at(number.NonNegative); delta != nil {
				q = ask.Epsilon(delta)
			}
		case "tv":
			if at := r.Node.Get("at"); at != nil {
				r.Fail(r.Invalid("at", at, "no at: tv is δ(0)"))
			}
			q = ask.TotalVariation()
		case "gdp":
			a := ask.DefaultAlphaMin
			if at := r.Node.Get("at"); at != nil {
				r.Fail(r.Invalid("at", at, "no at: gdp has alpha_min"))
			}
			if v := r.Node.Get("alpha_min"); v != nil {
				r.Binary64 = r.dec.Binary64
				a = r.Number("alpha_min", v, anAlphaMin)
				r.Binary64 = false
			}
			if a != nil {
				q = ask.GaussianDP(a)
			}
		case "renyi":
			if order, ok := r.order(); ok {
				q = ask.Renyi(order)
			}
		case "tradeoff":
			if x := r.at(number.Probability); x != nil {
				q = ask.TradeOff(x)
			}
		default:
			return errors.New(want)
		}
		return nil
	})
	return name, q
}

// anOrder are the Rényi orders, which may be infinite.
var anOrder = number.Domain{Want: "> 0 or inf", Contains: number.Positive.Contains}

// anAlphaMin is where a range of type I errors may start.
var anAlphaMin = number.Domain{Want: "in (0, 1/2]", Contains: func(x *big.Rat) bool { return x.Sign() > 0 && x.Cmp(big.NewRat(1, 2)) <= 0 }}

// order reads a Rényi order.
func (r *reader) order() (renyi.Order, bool) {
	if v := r.Node.Get("at"); v != nil && v.Kind == document.String && v.Text == "inf" {
		return renyi.Infinity, true
	}
	x := r.at(anOrder)
	if x == nil {
		return renyi.Order{}, false
	}
	return renyi.At(x), true
}

// at reads where the quantity is asked for, in the number format of the question.
func (r *reader) at(in number.Domain) *big.Rat {
	v := r.Required("at", in.String())
	r.Binary64 = r.dec.Binary64
	defer func() { r.Binary64 = false }()
	return r.Number("at", v, in)
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
