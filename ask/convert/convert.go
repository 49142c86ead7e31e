// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package convert turns a table of points of a Rényi curve, a privacy profile, a trade-off function, a
// characteristic function or the distribution of the privacy loss into any of the others: by the
// event that the table stands for, or the two events between which it leaves it open, which the exact
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

	"dpverify/internal/number"
	"dpverify/internal/show"
)

// A Point is a line of a table. X is nil for an infinite loss; Z is of φ alone, its imaginary part.
type Point struct{ X, Y, Z *big.Rat }

// A Form says what the points of a table are, by the names of its columns.
type Form struct{ X, Y, Z string }

// The forms.
var (
	// Renyi is a guarantee: the Rényi divergence of order X > 1 is at most Y, in both
	// orientations.
	Renyi = Form{X: "order", Y: "renyi"}
	// Profile is a guarantee: δ at ε = X is at most Y, in both orientations.
	Profile = Form{X: "epsilon", Y: "delta"}
	// TradeOff is a trade-off function T[P, Q] that is linear between its points: the least
	// type II error Y of a test whose type I error is at most X.
	TradeOff = Form{X: "alpha", Y: "tradeoff"}
	// LossMass is the distribution of the privacy loss L = log P/Q under P, of one pair (P, Q): the loss
	// is X with probability Y. What Q has beside Y·e^−X has no mass under P.
	LossMass = Form{X: "loss", Y: "mass"}
	// LossTail is points of it: the loss of (P, Q) is above X with probability Y, under P.
	LossTail = Form{X: "loss", Y: "tail"}
	// Phi is points of the characteristic function of the loss of (P, Q): φ(X) = Y + Z·i, of finite
	// losses.
	Phi = Form{"t", "re", "im"}
)

// forms are all of them.
var forms = []Form{Renyi, Profile, TradeOff, LossMass, LossTail, Phi}

// wantHeader names the first lines that a table may have.
const wantHeader = "order,renyi, epsilon,delta, alpha,tradeoff, loss,mass, loss,tail or t,re,im"

func (f Form) columns() []string {
	if f.Z == "" {
		return []string{f.X, f.Y}
	}
	return []string{f.X, f.Y, f.Z}
}

// A Table is a list of points in rising order.
type Table struct {
	Form   Form
	Points []Point

	lines []int // of the points, where they were read
}

// lineOf returns the line of the i-th point; 0 if the table was not read.
func (t Table) lineOf(i int) int {
	if i >= len(t.lines) {
		return 0
	}
	return t.lines[i]
}

// Read reads a table in CSV: a line with the names of the columns, then a point a line, X
// rising; with binary64 each number is the float64 next to it. name is what errors call the file.
func Read(name string, data []byte, binary64 bool) (Table, error) {
	var t Table
	r := csv.NewReader(strings.NewReader(string(data)))
	r.FieldsPerRecord, r.TrimLeadingSpace = 0, true // as many as the first line has
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
			want := wantHeader
			if t.Form != (Form{}) {
				want = "the columns " + strings.Join(t.Form.columns(), ",")
			}
			return t, fmt.Errorf("%s:%d: %w, want %s", name, wrong.Line, wrong.Err, want)
		case err != nil:
			return t, fmt.Errorf("%s: %w", name, err)
		case first:
			i := slices.IndexFunc(forms, func(f Form) bool { return slices.Equal(f.columns(), record) })
			if i < 0 {
				return t, fault("the first line", strings.Join(record, ","), wantHeader)
			}
			t.Form = forms[i]
			continue
		}
		var p Point
		for i, into := range []**big.Rat{&p.X, &p.Y, &p.Z}[:len(record)] {
			if t.Form == LossMass && i == 0 && record[0] == "inf" {
				continue
			}
			if *into, err = parsed(record[i], binary64); err != nil {
				return t, fault(t.Form.columns()[i], record[i], number.Wanted(err, "a number"))
			}
		}
		if n := len(t.Points); n > 0 && !before(t.Points[n-1].X, p.X) {
			return t, fault(t.Form.X, record[0], "more than in the line before")
		}
		if i, want := t.admits(p); want != "" {
			return t, fault(t.Form.columns()[i], record[i], want)
		}
		line, _ := r.FieldPos(0)
		t.Points, t.lines = append(t.Points, p), append(t.lines, line)
	}
}

// parsed reads a number as it is written, or as the float64 next to that. The error is a *number.Error.
func parsed(text string, binary64 bool) (*big.Rat, error) {
	x, err := number.Parse(text)
	if err == nil && binary64 {
		return number.Binary64(x)
	}
	return x, err
}

// before reports x < y; nil is ∞.
func before(x, y *big.Rat) bool { return x != nil && (y == nil || x.Cmp(y) < 0) }

// domains are where the columns of a form have their numbers.
func (f Form) domains() (x, y number.Domain) {
	switch f {
	case Renyi:
		return number.Positive, number.NonNegative
	case Profile, LossMass, LossTail:
		return number.Any, number.Probability
	case TradeOff:
		return number.Probability, number.Probability
	}
	return number.Any, number.Any
}

// admits says which column of a point is not as it is wanted after the points of the table, and what is; nothing if it
// is.
func (t Table) admits(p Point) (column int, want string) {
	x, y := t.Form.domains()
	switch {
	case p.X != nil && !x.Contains(p.X):
		return 0, x.String()
	case !y.Contains(p.Y):
		return 1, y.String()
	case len(t.Points) > 0 && t.Form == LossTail && p.Y.Cmp(t.Points[len(t.Points)-1].Y) > 0:
		return 1, "at most the tail of the line before: P(L > x) falls"
	case t.Form != Phi:
	case p.X.Sign() == 0 && (p.Z.Sign() != 0 || !number.Probability.Contains(p.Y)):
		return 1, "a real number in [0, 1] at t = 0, the probability of finite losses"
	case square(p).Cmp(ratOne) > 0:
		return 1, "a complex number of size at most 1"
	}
	return 0, ""
}

// square is |φ|².
func square(p Point) *big.Rat {
	re, im := new(big.Rat).Mul(p.Y, p.Y), new(big.Rat).Mul(p.Z, p.Z)
	return re.Add(re, im)
}

var ratOne = big.NewRat(1, 1)
