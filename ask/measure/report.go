// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/shown"
)

// digits is how many digits bounds are printed with.
const digits = 6

// lower is a lower bound for people, rounded down.
func lower(x *big.Rat) string {
	lo, _ := workBits.Rat(x).Decimal(digits)
	return lo
}

// Corners are the corners of an audit in one line: measured, true, claimed.
func (a *Answer) Corners() string {
	text := "measured ε ≥ " + lower(a.Epsilon)
	if a.Accounted != nil {
		text += ", accounted ε " + prose.Member(a.Accounted.Decimal(digits))
	}
	if a.Claim != nil {
		text += ", claimed ε ≤ " + number.Format(a.Claim.Epsilon)
	}
	return text + " at δ = " + number.Format(a.Delta)
}

// Text writes an answer for people.
func (a *Answer) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(prose.Paragraph("  ", fmt.Sprintf(format, args...))) }
	fmt.Fprintf(&b, "%s at confidence %s\n", a.Verdict, number.Format(a.Confidence))
	line("%s", a.Corners())
	line("measured μ ≥ %s", lower(a.Mu))
	if a.DeltaAt != nil {
		line("measured δ(%s) ≥ %s", number.Format(a.Claim.Epsilon), lower(a.DeltaAt))
	}
	for _, f := range []struct {
		name string
		*Finding
	}{{"the event", a.OfEvent}, {"the claim", a.OfClaim}} {
		switch {
		case f.Finding == nil:
		case f.Verdict == Contradicted:
			line("%s: CONTRADICTED. Under every mechanism that satisfies it, data as extreme have at most the probability %s",
				f.name, number.Format(new(big.Rat).Sub(big.NewRat(1, 1), a.Confidence)))
		case f.Verdict == Consistent:
			line("%s: CONSISTENT. The attack does not contradict it, and does not show that it holds", f.name)
		case f.Needed > 0:
			line("%s: UNINFORMATIVE. Not even an attack without errors contradicts it with so many canaries; %d (of each "+
				"kind) would do", f.name, f.Needed)
		default:
			line("%s: UNINFORMATIVE. Not even an attack without errors contradicts it, with so many canaries or with %d", f.name,
				maxCanaries)
		}
	}
	line("data: %s", a.Attack.Size())
	line("by: %s", a.Attack.Theorem())
	return b.String()
}

// A Report is an answer in JSON.
type Report struct {
	Version    int            `json:"version"`
	Verdict    string         `json:"verdict"`
	Confidence string         `json:"confidence"`
	At         string         `json:"delta"` // at which ε is bounded
	Epsilon    Lower          `json:"epsilon"`
	Mu         Lower          `json:"mu"`
	Delta      *Lower         `json:"delta_at_claim,omitempty"`
	Theorem    string         `json:"theorem"`
	Data       string         `json:"data"`
	Event      *FindingReport `json:"event,omitempty"`
	Claim      *ClaimReport   `json:"claim,omitempty"`
	Accounted  *shown.Bounds  `json:"accounted,omitempty"`
}

// A Lower is a lower bound with the confidence of its report.
type Lower struct {
	Lo string `json:"lo"`
}

// A FindingReport is a verdict about one hypothesis.
type FindingReport struct {
	Verdict string `json:"verdict"`
	Needed  int64  `json:"canaries_needed,omitempty"`
}

// A ClaimReport is a claim and the verdict about it.
type ClaimReport struct {
	Epsilon string `json:"epsilon"`
	Delta   string `json:"delta"`
	FindingReport
}

// Report returns the answer in JSON.
func (a *Answer) Report() Report {
	out := Report{Version: 1, Verdict: a.Verdict.String(), Confidence: number.Format(a.Confidence),
		At:      number.Format(a.Delta),
		Epsilon: Lower{lower(a.Epsilon)}, Mu: Lower{lower(a.Mu)}, Theorem: a.Attack.Theorem(), Data: a.Attack.Size()}
	finding := func(f *Finding) FindingReport { return FindingReport{f.Verdict.String(), f.Needed} }
	if a.OfEvent != nil {
		out.Event = new(finding(a.OfEvent))
	}
	if c := a.Claim; c != nil {
		out.Claim = &ClaimReport{number.Format(c.Epsilon), number.Format(c.Delta), finding(a.OfClaim)}
		out.Delta = &Lower{lower(a.DeltaAt)}
	}
	if a.Accounted != nil {
		out.Accounted = new(shown.BoundsOf(a.Accounted.Decimal(digits)))
	}
	return out
}

// Text writes a plan for people.
func (p *Plan) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(prose.Paragraph("  ", fmt.Sprintf(format, args...))) }
	fmt.Fprintf(&b, "To be CONTRADICTED with probability %s at confidence %s:\n", number.Format(p.Power),
		number.Format(p.Confidence))
	if p.Runs > 0 {
		line("%d independent runs with the canary and %d without it, with an attack of type I error %s", p.Runs, p.Runs,
			number.Format(p.TypeI))
	} else {
		line("independent runs: none of at most %d of each kind was found to be enough", maxCanaries)
	}
	if p.Canaries > 0 {
		line("one run: %d canaries, each a member by a fair coin, all of them guessed", p.Canaries)
	} else {
		line("one run: no number of at most %d canaries, all of them guessed, was found to be enough", maxCanaries)
	}
	if p.Truth == nil {
		line("for an attack without errors; --truth EVENT says what runs instead")
	} else {
		line("for the best attack on %s; a weaker one takes more", prose.Event(p.Truth.Event))
	}
	return b.String()
}

// A PlanReport is a plan in JSON.
type PlanReport struct {
	Version    int    `json:"version"`
	Power      string `json:"power"`
	Confidence string `json:"confidence"`
	Runs       int64  `json:"runs_of_each_kind"` // 0: not found, as below
	TypeI      string `json:"type_i_error,omitempty"`
	Canaries   int64  `json:"canaries_of_one_run"`
}

// Report returns the plan in JSON.
func (p *Plan) Report() PlanReport {
	out := PlanReport{Version: 1, Power: number.Format(p.Power), Confidence: number.Format(p.Confidence), Runs: p.Runs,
		Canaries: p.Canaries}
	if p.TypeI != nil {
		out.TypeI = number.Format(p.TypeI)
	}
	return out
}
