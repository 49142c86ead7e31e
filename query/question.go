package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"dpverify/ask"
	"dpverify/document"
	"dpverify/exact"
	"dpverify/exact/renyi"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/number"
)

// fields are those of a question.
var fields = []string{"id", "event", "relation", "direction", "number_format", "quantity", "at", "digits", "timeout"}

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
	r := reader{n: n}
	q = r.question()
	return q, id, r.err
}

// A reader reads the fields of a question. Its first error stays.
type reader struct {
	n   *document.Node
	dec mechanism.Decoder
	err error
}

func (r *reader) question() question {
	var q question
	for _, e := range r.n.Entries {
		if !slices.Contains(fields, e.Key) {
			r.fail(fmt.Errorf("query: unknown field %s, want %s", show.Quote(e.Key), strings.Join(fields, ", ")))
		}
	}
	r.dec.Open = document.OpenIn(".")
	r.word("number_format", "binary64 or decimal", func(s string) (err error) {
		r.dec.Binary64, err = number.ParseFormat(s)
		return err
	})
	r.word("relation", "ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL", func(s string) (err error) {
		q.Relation, err = mechanism.ParseRelation(s)
		return err
	})
	r.word("direction", "remove, add or both", func(s string) (err error) {
		q.Direction, err = mechanism.ParseDirection(s)
		return err
	})
	q.Digits = r.digits()
	q.Budget = r.timeout()
	q.name, q.Quantity = r.quantity()
	if at := r.n.Get("at"); at != nil {
		q.at = at.JSON()
	}
	if v := r.n.Get("event"); v == nil {
		r.fail(errors.New("query: event is missing, want an event with a class_name"))
	} else if r.err == nil {
		q.events, r.err = r.dec.RoundedEvent(v, "event")
	}
	return q
}

// quantity reads what is asked, and where.
func (r *reader) quantity() (name string, q ask.Quantity) {
	const want = "delta, epsilon, renyi, tradeoff or tv"
	if r.n.Get("quantity") == nil {
		r.fail(errors.New("query: quantity is missing, want " + want))
		return "", q
	}
	r.word("quantity", want, func(s string) error {
		name = s
		switch s {
		case "delta":
			if eps := r.at("a number"); eps != nil {
				q = ask.Delta(eps)
			}
		case "epsilon":
			delta := r.at("a number >= 0")
			if delta != nil && delta.Sign() < 0 {
				r.invalid("at", r.n.Get("at"), "a number >= 0")
			} else if delta != nil {
				q = ask.Epsilon(delta)
			}
		case "tv":
			if at := r.n.Get("at"); at != nil {
				r.invalid("at", at, "no at: tv is δ(0)")
			}
			q = ask.TotalVariation()
		case "renyi":
			if order, ok := r.order(); ok {
				q = ask.Renyi(order)
			}
		case "tradeoff":
			x := r.at("a number in [0, 1]")
			if x != nil && !number.Probability.Contains(x) {
				r.invalid("at", r.n.Get("at"), "a number in [0, 1]")
			} else if x != nil {
				q = ask.TradeOff(x)
			}
		default:
			return errors.New(want)
		}
		return nil
	})
	return name, q
}

const wantOrder = "a number > 0 or inf"

// order reads a Rényi order.
func (r *reader) order() (renyi.Order, bool) {
	v := r.n.Get("at")
	if v != nil && v.Kind == document.String && v.Text == "inf" {
		return renyi.Infinity, true
	}
	x := r.at(wantOrder)
	switch {
	case x == nil:
		return renyi.Order{}, false
	case x.Sign() <= 0:
		r.invalid("at", v, wantOrder)
		return renyi.Order{}, false
	}
	return renyi.At(x), true
}

// at reads where the quantity is asked for.
func (r *reader) at(want string) *big.Rat {
	v := r.n.Get("at")
	if v == nil {
		r.fail(errors.New("query: at is missing, want " + want))
		return nil
	}
	return r.number("at", v, want)
}

// digits reads the accuracy to aim at.
func (r *reader) digits() int {
	v := r.n.Get("digits")
	if v == nil {
		return ask.DefaultDigits
	}
	want := fmt.Sprintf("an integer in [1, %d]", ask.MaxDigits)
	x := r.exactly("digits", v, want)
	if x == nil {
		return ask.DefaultDigits
	}
	if !x.IsInt() || x.Sign() <= 0 || x.Cmp(big.NewRat(ask.MaxDigits, 1)) > 0 {
		r.invalid("digits", v, want)
		return ask.DefaultDigits
	}
	return int(x.Num().Int64())
}

// timeout reads the seconds that an answer may take.
func (r *reader) timeout() time.Duration {
	v := r.n.Get("timeout")
	if v == nil {
		return ask.DefaultBudget
	}
	want := fmt.Sprintf("a number of seconds > 0 and at most %.0f", ask.MaxBudget.Seconds())
	x := r.exactly("timeout", v, want)
	if x == nil {
		return ask.DefaultBudget
	}
	x.Mul(x, new(big.Rat).SetInt64(int64(time.Second)))
	if x.Sign() <= 0 || x.Cmp(new(big.Rat).SetInt64(int64(ask.MaxBudget))) > 0 {
		r.invalid("timeout", v, want)
		return ask.DefaultBudget
	}
	ns := new(big.Int).Quo(x.Num(), x.Denom()).Int64()
	return max(time.Duration(ns), 1)
}

// number reads a number in the number format of the question.
func (r *reader) number(field string, v *document.Node, want string) *big.Rat {
	return r.numberOf(r.dec, field, v, want)
}

// exactly reads a number that does not belong to the mechanism.
func (r *reader) exactly(field string, v *document.Node, want string) *big.Rat {
	return r.numberOf(mechanism.Decoder{}, field, v, want)
}

func (r *reader) numberOf(dec mechanism.Decoder, field string, v *document.Node, want string) *big.Rat {
	x, err := dec.Number(v, field)
	if err == nil {
		return x
	}
	var p *mechanism.ParamError
	if errors.As(err, &p) && v.Kind != document.Mapping && p.Want != "a number" {
		want = p.Want // a limit of all numbers
	}
	r.invalid(field, v, want)
	return nil
}

// word reads a string that parse understands, if the field is there.
func (r *reader) word(field, want string, parse func(string) error) {
	v := r.n.Get(field)
	if v == nil {
		return
	}
	if v.Kind != document.String || parse(v.Text) != nil {
		r.invalid(field, v, want)
	}
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) invalid(field string, v *document.Node, want string) {
	r.fail(fmt.Errorf("query: %s = %s, want %s", field, document.Shown(v), want))
}
