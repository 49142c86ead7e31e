// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dominate

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/shown"
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

// Text writes an answer for people, with so many digits.
func (a *Answer) Text(digits int) string {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(prose.Paragraph("  ", fmt.Sprintf(format, args...))) }
	in := func(x interval.Interval) string { return prose.Member(x.Decimal(digits)) }
	switch a.Verdict {
	case Proved:
		b.WriteString("PROVED: δ of the first is at least δ of the second at every ε\n")
		line("by: %s", a.By)
	case Refuted:
		b.WriteString("REFUTED: at some ε, δ of the second is greater\n")
		line("by: %s", a.By)
		line("the worst ε found %s", in(a.At.Epsilon))
		line("there, δ of the first %s, of the second %s", in(a.At.Above), in(a.At.Below))
		line("the greatest excess over all ε %s", in(a.Gap))
	default:
		b.WriteString("UNDECIDED\n")
		line("because: %s", a.By)
		if a.UpTo != nil {
			lo, _ := interval.Prec(64).Rat(a.UpTo).Decimal(digits)
			line("proved for 0 ≤ ε ≤ %s", lo)
		}
		if a.At != nil {
			line("open at ε %s: δ of the first %s, of the second %s", in(a.At.Epsilon), in(a.At.Above), in(a.At.Below))
		}
		line("the excess over all ε is at most %s", prose.Readable(second(a.Gap.Decimal(digits))))
	}
	if x := a.Simulation; x != nil {
		in := func(r *big.Rat) string { return prose.Range(interval.Prec(64).Rat(r).Decimal(digits)) }
		list := func(rs []*big.Rat) string {
			var parts []string
			for _, r := range rs {
				parts = append(parts, in(r))
			}
			return strings.Join(parts, ", ")
		}
		line("simulated, outcome by outcome in falling order of P/Q: randomized response of e^ε %s shows the right secret: "+
			"%s; the wrong one: %s", in(x.Growth), list(x.A), list(x.B))
		if x.RestP != nil {
			line("where it reveals all: %s; and %s", list(x.RestP), list(x.RestQ))
		}
	}
	for _, n := range a.Notes {
		line("note: %s", n)
	}
	return b.String()
}

func second(_, s string) string { return s }

// A Report is an answer in JSON.
type Report struct {
	Version int           `json:"version"`
	Verdict string        `json:"verdict"`
	By      string        `json:"by"`
	At      *PlaceReport  `json:"at,omitempty"`
	Excess  *shown.Bounds `json:"excess,omitempty"`
	UpTo    string        `json:"proved_up_to,omitempty"`
	Points  int           `json:"points"`
	Notes   []string      `json:"notes,omitempty"`
	// Simulation is exact: fractions.
	Simulation *SimulationReport `json:"simulation,omitempty"`
}

// A SimulationReport is how randomized response is processed, in fractions, outcome by outcome.
type SimulationReport struct {
	Growth string   `json:"growth"`
	Delta  string   `json:"delta"`
	A      []string `json:"right"`
	B      []string `json:"wrong"`
	RestP  []string `json:"shown_p,omitempty"`
	RestQ  []string `json:"shown_q,omitempty"`
}

// A PlaceReport is an ε with both profiles.
type PlaceReport struct {
	Epsilon shown.Bounds `json:"epsilon"`
	First   shown.Bounds `json:"first"`
	Second  shown.Bounds `json:"second"`
}

// Report returns an answer in JSON, with so many digits.
func (a *Answer) Report(digits int) Report {
	bounds := func(x interval.Interval) shown.Bounds { return shown.BoundsOf(x.Decimal(digits)) }
	r := Report{Version: 1, Verdict: a.Verdict.String(), By: a.By, Points: a.Points, Notes: a.Notes}
	if a.At != nil {
		r.At = &PlaceReport{bounds(a.At.Epsilon), bounds(a.At.Above), bounds(a.At.Below)}
	}
	if a.Verdict != Proved {
		r.Excess = new(bounds(a.Gap))
	}
	if a.UpTo != nil {
		r.UpTo = number.Format(a.UpTo)
	}
	if x := a.Simulation; x != nil {
		list := func(rs []*big.Rat) []string {
			var out []string
			for _, x := range rs {
				out = append(out, x.RatString())
			}
			return out
		}
		r.Simulation = &SimulationReport{x.Growth.RatString(), x.Delta.RatString(), list(x.A), list(x.B), list(x.RestP),
			list(x.RestQ)}
	}
	return r
}
