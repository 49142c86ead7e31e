// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"dpverify/ask"
	"dpverify/certify/decimal"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// Value is a claim about one quantity: that it is within Tolerance of Equals, or at least Lower, or at most Upper. What
// is nil is not claimed.
type Value struct {
	Quantity     string   // delta, epsilon, renyi, tradeoff, tv or gdp
	At           *big.Rat // nil for tv and gdp, and for the order ∞
	AlphaMin     *big.Rat // of gdp: where the range of type I errors starts
	Equals       *big.Rat
	Tolerance    *big.Rat // ≥ 0, of Equals
	Lower, Upper *big.Rat

	quantity  ask.Quantity
	writtenAt string
	written   string // of Upper
}

// symbols are the quantities in words.
var symbols = map[string]string{"delta": "δ", "epsilon": "ε", "renyi": "R", "tradeoff": "f",
	"tv": "total variation", "gdp": "μ"}

func (s Value) String() string {
	what := symbols[s.Quantity]
	if s.writtenAt != "" {
		what += "(" + s.writtenAt + ")"
	}
	number := func(x *big.Rat) string { return show.Cut(number.Format(x)) }
	switch {
	case s.Equals != nil:
		return fmt.Sprintf("%s = %s ± %s", what, number(s.Equals), number(s.Tolerance))
	case s.Lower != nil:
		return fmt.Sprintf("%s ≥ %s", what, number(s.Lower))
	}
	return fmt.Sprintf("%s ≤ %s", what, number(s.Upper))
}

var gaussianForm = form{
	keys: []string{"mu"}, optional: []string{"alpha_min"}, want: "{mu: …, alpha_min: …}",
	decode: func(d *claimDecoder, fields ...*document.Node) Statement {
		s := Value{Quantity: "gdp", Upper: d.number(fields[0], "claim.mu", number.NonNegative), written: fields[0].Text}
		q := ask.KindGaussianDP.Read(&d.Reader, "claim.alpha_min", fields[1])
		if d.Err != nil {
			return nil
		}
		s.asks(q)
		return s
	},
}

var valueForm = form{
	keys: []string{"quantity"}, optional: []string{"at", "alpha_min", "equals", "tolerance", "lower", "upper"},
	want: "{quantity: …, at: …, equals: …, tolerance: …}",
	decode: func(d *claimDecoder, fields ...*document.Node) Statement {
		d.Binary64 = d.dec.Binary64
		name, q := ask.ReadQuantity(&d.Reader, "claim.", fields[0], fields[1], fields[2])
		s := Value{Quantity: name}
		d.bounds(&s, fields[3], fields[4], fields[5], fields[6])
		if d.Err != nil {
			return nil
		}
		s.asks(q)
		return s
	},
}

// asks says which quantity is meant, and where.
func (s *Value) asks(q ask.Quantity) {
	s.quantity = q
	switch x := q.At(); {
	case s.Quantity == "tv":
	case x == nil:
		s.writtenAt = "inf"
	case s.Quantity == "gdp":
		s.AlphaMin, s.writtenAt = x, show.Cut(number.Format(x))
	default:
		s.At, s.writtenAt = x, show.Cut(number.Format(x))
	}
}

// bounds reads what is claimed of the quantity: one of the three.
func (d *claimDecoder) bounds(s *Value, equals, tolerance, lower, upper *document.Node) {
	const want = "one of equals (with a tolerance), lower and upper"
	given := 0
	for _, n := range []*document.Node{equals, lower, upper} {
		if n != nil {
			given++
		}
	}
	switch {
	case d.Err != nil:
		return
	case given != 1:
		d.Fail(d.InvalidText("claim", d.Node.Get("claim"), fmt.Sprintf("a quantity with %d bounds", given), want))
	case equals == nil && tolerance != nil:
		d.Fail(d.Invalid("claim.tolerance", tolerance, "no tolerance: only equals has one"))
	case equals != nil && tolerance == nil:
		d.Fail(d.Missing("claim.tolerance", "a number >= 0"))
	case equals != nil:
		s.Equals = d.number(equals, "claim.equals", number.Any)
		s.Tolerance = d.number(tolerance, "claim.tolerance", number.NonNegative)
	case lower != nil:
		s.Lower = d.number(lower, "claim.lower", number.Any)
	default:
		s.Upper, s.written = d.number(upper, "claim.upper", number.Any), upper.Text
	}
}

func (s Value) check() error {
	if symbols[s.Quantity] == "" || s.quantity.Empty() {
		return &mechanism.ParamError{Field: "claim.quantity", Value: show.Quote(s.Quantity), Want: "a claim that was read"}
	}
	if s.Equals == nil && s.Lower == nil && s.Upper == nil || s.Equals != nil && s.Tolerance == nil {
		return &mechanism.ParamError{Field: "claim", Value: "a quantity",
			Want: "one of equals (with a tolerance), lower and upper"}
	}
	return nil
}

// restates: an upper bound of δ, of ε or of a divergence may be what a guarantee states.
func (s Value) restates(g property) bool {
	switch {
	case s.Upper == nil || s.At == nil:
		return false
	case s.Quantity == "delta":
		return g.hasDelta(s.At, s.Upper)
	case s.Quantity == "epsilon":
		return g.hasDelta(s.Upper, s.At)
	case s.Quantity == "renyi":
		return s.At.Cmp(one) > 0 && g.hasRenyi(s.At, s.Upper)
	}
	return false
}

func (s Value) report(r *ClaimReport, o *Outcome) { r.Value = NewBounds(o.Value, s.border()) }

// border is a number that the enclosure is compared with.
func (s Value) border() *big.Rat {
	switch {
	case s.Equals != nil:
		return new(big.Rat).Add(s.Equals, s.Tolerance)
	case s.Lower != nil:
		return s.Lower
	}
	return s.Upper
}

// Band returns the least and the greatest value that are as claimed; nil is no limit.
func (s Value) Band() (least, most *big.Rat) {
	if s.Equals != nil {
		return new(big.Rat).Sub(s.Equals, s.Tolerance), s.border()
	}
	return s.Lower, s.Upper
}

// A side says where all values of an enclosure are.
type side int

const (
	open side = iota
	within
	under
	over
)

// of compares an enclosure with the band.
func (s Value) of(e exact.Enclosure) side {
	least, most := s.Band()
	below, above := interval.True, interval.True // of the ends
	if most != nil {
		below = e.LessEqRat(most)
	}
	if least != nil {
		above = e.LessRat(least).Not()
	}
	switch {
	case below == interval.False:
		return over
	case above == interval.False:
		return under
	case min(below, above) == interval.True:
		return within
	}
	return open
}

// decide encloses the quantity with rising efforts. The quantities move with privacy in one direction, so that the
// quantities of a range of events are between the quantities of its two ends.
func (s Value) decide(d decision) error {
	more, less := d.questions()
	same := mechanism.Equal(more.Event, less.Event)
	return d.ladder(exact.MaxEffort).Climb(d.limited, func(e exact.Effort) (bool, error) {
		ends := []exact.Question{less, more}
		if same {
			ends = ends[:1]
		}
		var sides []side
		var all exact.Enclosure
		ended := true
		for i, q := range ends {
			a, err := s.ask(d.limited, q, e)
			if err != nil {
				return false, err
			}
			if all, ended = a.Enclosure.Union(all), ended && errors.Is(a.Lacking, ask.ErrNotTight); i == 0 {
				all = a.Enclosure
				d.Methods, d.Notes = a.Methods, a.Notes
			}
			sides = append(sides, s.of(a.Enclosure))
		}
		d.Value, d.Effort, d.Verdict, d.Reason = &all, e, Undecided,
			fmt.Sprintf("the enclosure at effort %d contains both values that are as claimed and others", e)
		switch {
		case !slices.ContainsFunc(sides, func(x side) bool { return x != within }):
			d.Verdict, d.Reason = Verified, ""
		case (sides[0] == under || sides[0] == over) && !slices.ContainsFunc(sides, func(x side) bool {
			return x != sides[0]
		}):
			d.Verdict, d.Reason = Refuted, ""
		case !slices.Contains(sides, open):
			d.Reason = splitReason
			return true, nil
		}
		d.noteGuarantee()
		return d.Verdict != Undecided || ended && e > 1, nil
	})
}

// ask encloses the quantity at one effort.
func (s Value) ask(ctx context.Context, q exact.Question, e exact.Effort) (ask.Answer, error) {
	as, err := ask.For(ctx, q, Options{Fixed: &e, MaxMemory: q.MaxMemory}.goal(s.digits()), s.quantity)
	if err != nil {
		return ask.Answer{}, err
	}
	return as[0], nil
}

// digits are enough to tell the quantity from the border by a thousandth of the tolerance.
func (s Value) digits() int {
	digits := ask.DefaultDigits
	if s.Equals == nil || s.Tolerance.Sign() == 0 {
		return digits
	}
	ratio := new(big.Rat).Quo(new(big.Rat).Abs(s.Equals), s.Tolerance)
	n := len(new(big.Int).Quo(ratio.Num(), ratio.Denom()).String()) + 3
	return min(max(n, 4), 200)
}

// Decimal returns the ends of an enclosure of the quantity for people: they are on the side of the border on which it
// is.
func (s Value) Decimal(e exact.Enclosure, n int) (lo, hi string) {
	return decimal.Separating(e, s.border(), n)
}
