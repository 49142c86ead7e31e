// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package convert turns a table of points of a Rényi curve, a privacy profile or a trade-off
// function into any of the others: by the event that the table stands for, which the exact
// engine encloses from both sides, and by binary tests where these say more.
package convert

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/number"
)

// A Point is a point of a table.
type Point struct{ X, Y *big.Rat }

// A Form says what the points of a table are, by the names of its columns.
type Form struct{ X, Y string }

// The forms.
var (
	// Renyi is a guarantee: the Rényi divergence of order X > 1 is at most Y, in both
	// orientations.
	Renyi = Form{"order", "renyi"}
	// Profile is a guarantee: δ at ε = X is at most Y, in both orientations.
	Profile = Form{"epsilon", "delta"}
	// TradeOff is a trade-off function T[P, Q] that is linear between its points: the least
	// type II error Y of a test whose type I error is at most X.
	TradeOff = Form{"alpha", "tradeoff"}
)

// forms are all of them.
var forms = []Form{Renyi, Profile, TradeOff}

// wantHeader names the first lines that a table may have.
const wantHeader = "order,renyi, epsilon,delta or alpha,tradeoff"

// A Table is a list of points in rising order.
type Table struct {
	Form   Form
	Points []Point
}

// Read reads a table in CSV: a line with the names of the columns, then a point a line, X
// rising. name is what errors call the file.
func Read(name string, data []byte) (Table, error) {
	var t Table
	r := csv.NewReader(strings.NewReader(string(data)))
	r.FieldsPerRecord, r.TrimLeadingSpace = 2, true
	for first := true; ; first = false {
		record, err := r.Read()
		fault := func(field, value, want string) error {
			line, _ := r.FieldPos(0)
			return fmt.Errorf("%s:%d: %s = %s, want %s", name, line, field, show.Value(value), want)
		}
		var wrong *csv.ParseError
		switch {
		case errors.Is(err, io.EOF) && first:
			return t, fmt.Errorf("%s: no first line, want %s", name, wantHeader)
		case errors.Is(err, io.EOF) && len(t.Points) == 0:
			return t, fmt.Errorf("%s: no points, want one a line", name)
		case errors.Is(err, io.EOF):
			return t, nil
		case errors.As(err, &wrong):
			return t, fmt.Errorf("%s:%d: %w, want two columns", name, wrong.Line, wrong.Err)
		case err != nil:
			return t, fmt.Errorf("%s: %w", name, err)
		case first:
			i := slices.Index(forms, Form{record[0], record[1]})
			if i < 0 {
				return t, fault("the first line", strings.Join(record, ","), wantHeader)
			}
			t.Form = forms[i]
			continue
		}
		var p Point
		for i, into := range []**big.Rat{&p.X, &p.Y} {
			if *into, err = number.Parse(record[i]); err != nil {
				return t, fault([]string{t.Form.X, t.Form.Y}[i], record[i], "a number")
			}
		}
		if n := len(t.Points); n > 0 && p.X.Cmp(t.Points[n-1].X) <= 0 {
			return t, fault(t.Form.X, record[0], "more than in the line before")
		}
		t.Points = append(t.Points, p)
	}
}

// Event returns the event that a table stands for. The error is a *mechanism.ParamError.
func (t Table) Event() (mechanism.Event, error) {
	var e mechanism.Event
	switch t.Form {
	case Renyi:
		c := mechanism.RenyiCurve{}
		for _, p := range t.Points {
			c.Orders, c.Values = append(c.Orders, p.X), append(c.Values, p.Y)
		}
		e = c
	case Profile:
		c := mechanism.DominatingPair{}
		for _, p := range t.Points {
			c.Profile = append(c.Profile, mechanism.ProfilePoint{Epsilon: p.X, Delta: p.Y})
		}
		e = c
	case TradeOff:
		return t.pair()
	default:
		return nil, &mechanism.ParamError{Field: "form", Value: t.Form.X + "," + t.Form.Y, Want: wantHeader}
	}
	return e, mechanism.Validate(e)
}
