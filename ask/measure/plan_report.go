// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"fmt"
	"strings"

	"dpverify/internal/number"
	"dpverify/internal/prose"
)

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
