// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"

	"dpverify/ask"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// Targets names what can be wanted.
const Targets = "delta, epsilon, renyi, tradeoff, phi or loss"

// kindOf returns the quantity of an event that a target is; the others are transforms of one pair.
func kindOf(to string) (ask.Kind, bool) {
	k, ok := ask.KindNamed(to)
	return k, ok && to != ask.KindGaussianDP.Name
}

// WantAt says where a target can be asked for.
func WantAt(to string) string {
	if k, ok := kindOf(to); ok {
		return k.Want()
	}
	return number.Any.String()
}

// KindOf returns the quantity that a target is; false for a transform. A Rényi divergence is one at a complex order,
// or below 0.
func KindOf(to string, at []string) (ask.Kind, bool) {
	k, ok := kindOf(to)
	complexOrder := func(s string) bool { return strings.Contains(s, "i") && s != "inf" || strings.HasPrefix(s, "-") }
	return k, ok && (to != ask.KindRenyi.Name || !slices.ContainsFunc(at, complexOrder))
}

// maxTableBytes bounds the file of a table.
const maxTableBytes = 64 << 20

// A Source is what is converted: a table, or any event.
type Source struct {
	Events mechanism.Range
	table  *Table
}

// Open reads the table of a file that ends in .csv, for answers with so many digits about a target, if ctx does not end
// before it, and otherwise the events that event returns.
func Open(ctx context.Context, path, to string, digits int, binary64 bool,
	event func() (mechanism.Range, error)) (Source, error) {
	if !strings.EqualFold(filepath.Ext(path), ".csv") {
		events, err := event()
		return Source{Events: events}, err
	}
	data, err := document.FileContents(ctx, path, maxTableBytes)
	if err != nil {
		return Source{}, err
	}
	t, err := Read(show.Name(path), data, binary64)
	if err != nil {
		return Source{}, err
	}
	events, err := t.Events(bitsOf(digits))
	var wrong *mechanism.ParamError
	switch {
	case errors.Is(err, errPhi) && to == targetPhi:
		err = nil // what is in the table needs no event
	case errors.As(err, &wrong) && wrong.Class == "": // of the table, and not of its event
		at := show.Name(path)
		if wrong.Line > 0 {
			at += fmt.Sprintf(":%d", wrong.Line)
		}
		return Source{}, fmt.Errorf("%s: %w", at, &document.FieldError{Field: wrong.Field, Value: wrong.Value,
			Want: wrong.Want})
	}
	if err != nil {
		return Source{}, fmt.Errorf("%s: %w", show.Name(path), err)
	}
	return Source{events, &t}, nil
}

// Compute answers about a transform: of the pair that an event stands for, and what a table says of it.
func (s Source) Compute(ctx context.Context, t Transform) ([]Transformed, error) {
	if s.table != nil && s.table.transforms(t.Of) {
		return s.table.Compute(ctx, t)
	}
	if len(s.Events.Rounded) > 0 {
		return nil, errors.New("want probabilities that sum to exactly 1: a transform is of one pair")
	}
	t.Event = s.Events.LessPrivate
	return t.Compute(ctx)
}

// Sharpener returns what narrows the answers about a target at numbers; nil if nothing does. The error is a
// *number.Error.
func (s Source) Sharpener(to string, at []string, binary64 bool) (func(ctx context.Context, i int,
	a ask.Answer) (ask.Answer, error), error) {
	if s.table == nil || to != ask.KindTradeOff.Name {
		return nil, nil
	}
	var xs []*big.Rat
	for _, text := range at {
		x, err := parsed(text, binary64)
		if err != nil {
			return nil, err
		}
		xs = append(xs, x)
	}
	return func(ctx context.Context, i int, a ask.Answer) (ask.Answer, error) {
		return s.table.SharpenTradeOff(ctx, a, xs[i])
	}, nil
}
