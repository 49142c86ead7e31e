// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"math/big"

	"dpverify/ask"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// pair returns the pair (P, Q) whose trade-off function is linear between the points, from α = 0
// to the first point at which it is 0, or to α = 1.
//
// Between neighbouring points it is the test that rejects P on one more outcome: of the P-mass
// α_{i+1} − α_i and the Q-mass f_i − f_{i+1}, so that f has the slope −Q/P there. By Neyman and
// Pearson the best tests reject where Q/P is largest first, hence the slopes rise: f is convex.
// What Q has beyond f(0) has no mass under P, and what P has after f = 0 has none under Q.
func (t Table) pair() (mechanism.Event, error) {
	one, ps := big.NewRat(1, 1), t.Points
	fail := func(i int, want string) (mechanism.Event, error) {
		p := ps[i]
		return nil, &mechanism.ParamError{Field: "tradeoff", Value: number.Format(p.Y) + " at alpha = " +
			number.Format(p.X), Want: want, Line: t.lineOf(i)}
	}
	if len(ps) == 0 || ps[0].X.Sign() != 0 {
		return nil, &mechanism.ParamError{Field: "alpha", Value: "nothing at 0", Want: "a first point at alpha = 0",
			Line: t.lineOf(0)}
	}
	if ps[0].Y.Sign() < 0 || ps[0].Y.Cmp(one) > 0 {
		return fail(0, "a number in [0, 1]")
	}
	e := mechanism.FinitePair{P: []*big.Rat{new(big.Rat)}, Q: []*big.Rat{new(big.Rat).Sub(one, ps[0].Y)}}
	for i, p := range ps[1:] {
		before := ps[i]
		dp, dq := new(big.Rat).Sub(p.X, before.X), new(big.Rat).Sub(before.Y, p.Y)
		switch {
		case p.X.Cmp(one) > 0:
			return nil, &mechanism.ParamError{Field: "alpha", Value: number.Format(p.X), Want: "a number in [0, 1]",
				Line: t.lineOf(i + 1)}
		case p.Y.Sign() < 0:
			return fail(i+1, "a number >= 0")
		case dq.Sign() < 0:
			return fail(i+1, "at most the value of the point before: a trade-off function falls")
		}
		// dq/dp ≤ the ratio before, or f is not convex.
		if n := len(e.P) - 1; new(big.Rat).Mul(dq, e.P[n]).Cmp(new(big.Rat).Mul(e.Q[n], dp)) > 0 {
			return fail(i, "at most what its neighbours have between them: a trade-off function is convex")
		}
		e.P, e.Q = append(e.P, dp), append(e.Q, dq)
	}
	last := ps[len(ps)-1]
	if last.Y.Sign() != 0 {
		return fail(len(ps)-1, "0 at the last point")
	}
	// f ≤ 1 − α, as it is convex, at most 1 at 0, and 0 at 1.
	e.P, e.Q = append(e.P, new(big.Rat).Sub(one, last.X)), append(e.Q, new(big.Rat))
	return e, mechanism.Validate(e)
}

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
