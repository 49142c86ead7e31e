// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"time"

	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
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

// A Quantity is what a case asks for.
type Quantity string

const (
	Delta    Quantity = "delta"    // δ(At), for At in nats
	Epsilon  Quantity = "epsilon"  // the least ε at δ = At, in nats
	Renyi    Quantity = "renyi"    // the Rényi divergence of order At, in nats
	TradeOff Quantity = "tradeoff" // the least type II error of a test of type I error at most At
)

// A Side says which bound a number is.
type Side string

const (
	Lower Side = "lower"
	Upper Side = "upper"
)

// traits are what tells quantities apart.
type traits struct {
	symbol string
	flag   string // of the command that prints the truth
	wanted string // of At, for an error
	within func(at *big.Rat) bool
	// promise is the side that a guarantee states, and so what a bare value is.
	promise Side
}

var one = big.NewRat(1, 1)

var quantities = map[Quantity]traits{
	Delta:   {"δ", "epsilon", "an ε", func(*big.Rat) bool { return true }, Upper},
	Epsilon: {"ε", "delta", "a δ in [0, 1)", func(x *big.Rat) bool { return x.Sign() >= 0 && x.Cmp(one) < 0 }, Upper},
	Renyi:   {"R", "order", "an order > 0", func(x *big.Rat) bool { return x.Sign() > 0 }, Upper},
	TradeOff: {"f", "alpha", "a type I error in [0, 1]", func(x *big.Rat) bool {
		return x.Sign() >= 0 && x.Cmp(one) <= 0
	}, Lower},
}

const wantQuantity = "delta, epsilon, renyi or tradeoff"

// Symbol returns the letter that the quantity has in formulas.
func (q Quantity) Symbol() string { return quantities[q].symbol }

// check says what is wrong with a quantity or with where it is asked for.
func (q Quantity) check(at *big.Rat) error {
	t, ok := quantities[q]
	switch {
	case !ok:
		return fmt.Errorf("quantity = %s, want %s", show.Value(string(q)), wantQuantity)
	case at == nil:
		return fmt.Errorf("at is missing, want %s", t.wanted)
	case !t.within(at):
		return fmt.Errorf("at = %s, want %s", number.Format(at), t.wanted)
	}
	return nil
}

// Options say how to audit.
type Options struct {
	Command []string // the accountant and its arguments
	Cases   []Case
	// Estimates says that a bare value is an estimate: it is not judged as a bound.
	Estimates bool

	Timeout   time.Duration // for one answer
	Startup   time.Duration // added to the first answer of every process
	Memory    int64         // bytes that the accountant may use; 0: no limit
	Processes int           // of the accountant, which are asked in turn; 0 for one
	Patience  int           // failures in a row after which the accountant is asked no more
	Effort    exact.Effort  // the last rung of the ladder on which an answer is judged
	Budget    time.Duration // for judging one answer

	ShrinkQuestions int           // questions that shrinking one case may ask
	ShrinkTime      time.Duration // and time that it may take

	// Progress, if not nil, is called after every case.
	Progress func()
	// Shrinking, if not nil, is called before an unsound answer is shrunk.
	Shrinking func(id string)
	// Spent, if not nil, is called for every process of the accountant that has ended, with
	// its processor time.
	Spent func(cpu time.Duration)
}
