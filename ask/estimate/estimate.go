// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package estimate answers questions by package float: a number and about how far it is off. Nothing is proved by it,
// and no verdict rests on it.
package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/float"
	"dpverify/internal/number"
	"dpverify/internal/shown"
	"dpverify/mechanism"
)

// Label is what stands beside every estimate that people see.
const Label = "estimated, not proved"

// Engine is the name of the engine that estimates, and Exact of the one that proves.
const (
	Engine = "float"
	Exact  = "exact"
)

// Want says which questions have estimates.
const Want = "delta, epsilon, tv, or renyi at a finite order above 1, of " + Engine

// Kinds are the names of the quantities that have estimates, beside tv.
var Kinds = []string{ask.KindDelta.Name, ask.KindEpsilon.Name, ask.KindRenyi.Name}

// ParseEngine reports whether a word names the engine that estimates; the error says what was wanted.
func ParseEngine(s string) (estimates bool, err error) {
	if s != Exact && s != Engine {
		return false, errors.New(Exact + " or " + Engine)
	}
	return s == Engine, nil
}

// A Question asks for a quantity of all events of a range.
type Question struct {
	Events    mechanism.Range
	Relation  mechanism.Relation
	Direction mechanism.Direction
	Kind      string   // the name of a quantity, or tv
	At        *big.Rat // where; nil for tv, and for ∞
}

// An Answer is an estimate in JSON. The truth is about within Error of Estimate.
type Answer struct {
	Estimate string `json:"estimate"`
	Error    string `json:"error"`
	Proved   bool   `json:"proved"` // false
	Method   string `json:"method"`
}

// Of answers a question. The error says that there is no estimate, or is ctx's.
func Of(ctx context.Context, q Question) (Answer, error) {
	a, err := q.of(ctx, q.Events.LessPrivate)
	if err != nil || q.Events.IsOne() {
		return a.answer(), err
	}
	b, err := q.of(ctx, q.Events.MorePrivate)
	if err != nil {
		return Answer{}, err
	}
	lo, hi := math.Min(a.V-a.Err, b.V-b.Err), math.Max(a.V+a.Err, b.V+b.Err)
	a.V = lo/2 + hi/2
	a.Err = (hi - lo) / 2 * (1 + 1e-15)
	return a.answer(), nil
}

// of answers for one event.
func (q Question) of(ctx context.Context, e mechanism.Event) (found, error) {
	asked := float.Question{Event: e, Relation: q.Relation, Direction: q.Direction}
	var a float.Answer
	var err error
	switch {
	case q.Kind == "tv":
		a, err = float.Delta(ctx, asked, new(big.Rat))
	case q.Kind == ask.KindDelta.Name:
		a, err = float.Delta(ctx, asked, q.At)
	case q.Kind == ask.KindEpsilon.Name && q.At.Cmp(big.NewRat(1, 1)) >= 0:
		return found{float.Answer{Value: float.Value{V: math.Inf(-1)}, Method: "definition"}}, nil
	case q.Kind == ask.KindEpsilon.Name:
		a, err = float.Epsilon(ctx, asked, q.At)
	case q.Kind == ask.KindRenyi.Name && q.At != nil:
		a.Method = "renyi"
		a.Value, err = float.Divergence(asked, q.At)
	default:
		at := "inf"
		if q.At != nil {
			at = number.Format(q.At)
		}
		err = fmt.Errorf("quantity = %s at %s, want %s", q.Kind, at, Want)
	}
	if err == nil && (math.IsInf(a.Err, 0) || math.IsNaN(a.V)) {
		err = float.ErrNoEstimate
	}
	return found{a}, err
}

// found is an estimate as numbers.
type found struct{ float.Answer }

// answer writes the estimate with the digits that its error leaves, and an error that covers what is left out.
func (f found) answer() Answer {
	a := Answer{Method: f.Method}
	if math.IsInf(f.V, 0) {
		a.Estimate, a.Error = strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f.V, 'g', -1, 64), "+")), "0"
		return a
	}
	digits := 17
	if f.Err > 0 && f.V != 0 {
		digits = int(math.Floor(math.Log10(math.Abs(f.V)))-math.Floor(math.Log10(f.Err))) + 1
	}
	if f.V == 0 && f.Err == 0 {
		digits = 1
	}
	text := strconv.FormatFloat(f.V, 'e', min(max(digits, 1), 17)-1, 64)
	shown, err := strconv.ParseFloat(text, 64)
	off := f.Err
	if err == nil && f.Err > 0 {
		off += math.Abs(shown-f.V) + 0x1p-53*math.Abs(f.V) // of V itself in 17 digits
	}
	a.Estimate, a.Error = plain(text), upward(off*(1+0x1p-50))
	return a
}

// upward writes a number ≥ 0 with two digits, rounded up.
func upward(x float64) string {
	switch {
	case x == 0:
		return "0"
	case !(x < math.Inf(1)):
		return "inf"
	}
	return number.In{Digits: 2}.RoundUp(new(big.Rat).SetFloat64(x))
}

// plain writes a number of strconv as all other numbers are written.
func plain(text string) string {
	x, err := number.Parse(text)
	if err != nil {
		return text
	}
	return number.Readable(number.Format(x))
}

// A Report is an answer with its question, in JSON.
type Report struct {
	Quantity string `json:"quantity"`
	At       string `json:"at"`
	Answer
}

// Reports are answers about one quantity at several numbers, in JSON.
type Reports struct {
	Version int      `json:"version"`
	Answers []Report `json:"answers"`
	shown.Training
}

// All answers one quantity at several numbers, which at has as they were written, within the budget of a goal. The
// event of asked is not used.
func All(ctx context.Context, asked exact.Question, r mechanism.Range, g ask.Goal, name string, at []string,
	qs []ask.Quantity) (Reports, error) {
	ctx, cancel := g.Limit(ctx)
	defer cancel()
	out := Reports{Version: 1, Training: shown.NewTraining(r, "")}
	for i, q := range qs {
		a, err := Of(ctx, Question{Events: r, Relation: asked.Relation, Direction: asked.Direction, Kind: name, At: q.At()})
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no estimate in %v", g.Budget)
		}
		if err != nil {
			return out, err
		}
		out.Answers = append(out.Answers, Report{Quantity: name, At: at[i], Answer: a})
	}
	return out, nil
}

// Text writes answers for people, a line each. The quantity is written as its symbol.
func (r Reports) Text(symbol string) string {
	var b strings.Builder
	for _, a := range r.Answers {
		fmt.Fprintf(&b, "%s(%s) %s\n", symbol, a.At, a.Answer.Text())
	}
	return b.String()
}

// Text writes an answer for people.
func (a Answer) Text() string {
	return fmt.Sprintf("≈ %s ± %s   (%s: %s)", a.Estimate, a.Error, Label, a.Method)
}
