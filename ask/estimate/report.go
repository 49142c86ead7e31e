// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package estimate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/shown"
	"dpverify/mechanism"
)

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
