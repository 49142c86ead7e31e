// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dominate

import (
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Verdict is what was decided.
type Verdict int

const (
	Undecided Verdict = iota
	Proved
	Refuted
)

func (v Verdict) String() string { return [...]string{"UNDECIDED", "PROVED", "REFUTED"}[v] }

// An Answer is what was found.
type Answer struct {
	Verdict Verdict
	By      string // what decided
	// At is where the profile of Below exceeds the profile of Above most of all ε that were looked at, if
	// Verdict is Refuted, or where it is not known which is greater. It is nil otherwise.
	At *Place
	// Gap encloses how much δ of Below exceeds δ of Above at most, over all ε; it is 0 if it nowhere does.
	Gap interval.Interval
	// UpTo is an ε until which domination is proved if Verdict is Undecided; nil if there is none.
	UpTo   *big.Rat
	Points int // at which the profiles were enclosed
	Effort exact.Effort
	Notes  []string
	// Simulation is how the first event, a guarantee (ε, δ), is processed to give the second, a finite pair,
	// if Verdict is Proved; nil for other events.
	Simulation *pair.Simulation

	more bool // more effort may help
}

// A Place is an ε with enclosures of both profiles.
type Place struct {
	Epsilon      interval.Interval
	Above, Below interval.Interval
}

// and joins what was found for two orientations, the second one about ε < 0: there, δ(ε) is
// 1 − e^ε + e^ε·δ′(−ε) of the reverse profile δ′.
func (x *Answer) and(y *Answer, negative bool) *Answer {
	if negative {
		y.mirror()
	}
	if x == nil {
		return y
	}
	out := *x
	if y.Verdict == Refuted && (x.Verdict != Refuted || x.Gap.Lo().Cmp(y.Gap.Lo()) < 0) || x.Verdict == Proved {
		out = *y
	}
	out.Gap = interval.Max(x.Gap, y.Gap)
	out.more = out.Verdict == Undecided && (x.more || y.more)
	out.UpTo = nil
	out.Points = x.Points + y.Points
	return &out
}

// mirror makes what was found about a reverse profile an answer about ε < 0.
func (x *Answer) mirror() {
	if x.At == nil {
		return
	}
	const w = interval.Prec(128)
	scale := w.Exp(x.At.Epsilon.Neg())
	back := func(d interval.Interval) interval.Interval {
		return w.Add(w.Sub(interval.Int(1), scale), w.Mul(scale, d))
	}
	// A difference of δ′ at ε counts e^−ε ≤ 1 times at −ε.
	low := interval.Int(0)
	if x.Verdict == Refuted {
		low = interval.Max(low, w.Mul(scale, w.Sub(x.At.Below, x.At.Above)))
	}
	x.Gap = interval.Bounds(low.Lo(), interval.Max(low, x.Gap).Hi())
	x.At = &Place{x.At.Epsilon.Neg(), back(x.At.Above), back(x.At.Below)}
}
