// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"dpverify/ask"
	"dpverify/mechanism"
)

// bitsOf is a precision for so many digits of what may be far below 1.
func bitsOf(digits int) int { return 4*max(digits, ask.DefaultDigits) + 320 }

// Events returns the event that a table stands for, or two of which one has at most and the other at least its
// profile, which are known to so many bits at least. The error is a *mechanism.ParamError or says what does not follow.
func (t Table) Events(bits int) (mechanism.Range, error) {
	switch t.Form {
	case LossMass:
		return t.masses(bits)
	case LossTail:
		return t.tails(bits)
	case Phi:
		return t.infinite()
	}
	e, err := t.event()
	return mechanism.Range{MorePrivate: e, LessPrivate: e}, err
}

// event returns the event that a table stands for, of a form that determines one.
func (t Table) event() (mechanism.Event, error) {
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
