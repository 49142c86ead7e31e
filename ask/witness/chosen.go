// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package witness

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"dpverify/exact"
	"dpverify/exact/adversary"
	"dpverify/exact/pair"
)

// chosen is for compositions of steps that are chosen in view of earlier outputs: the policy of the greatest excess.
func chosen(ctx context.Context, r Request) (*Witness, error) {
	q := exact.Question{Event: r.Event, Relation: r.Relation, Direction: r.Direction, Scale: r.Delta}
	p, err := exact.PolicyAt(ctx, q, r.Epsilon, 0)
	if p == nil || err != nil {
		return nil, err
	}
	excess, ok := rangeOf(p.Delta)
	if !ok {
		return nil, nil
	}
	if excess.Lo.Sign() <= 0 {
		return nil, nil
	}
	w := &Witness{
		Mechanism: fmt.Sprintf("%d steps, each any one of %d, chosen in view of the outputs before", len(p.Steps),
			len(p.Choices)),
		Set:    Set{Words: "the outputs of which the privacy loss log P/Q, of all steps of the policy, is above ε"},
		Excess: excess, Policy: p,
	}
	if len(p.After) > 0 {
		w.Mechanism += "; then " + p.After.String()
	}
	return w, nil
}

// names are those of the choices.
func names(choices []pair.Product) (out []string) {
	for _, c := range choices {
		out = append(out, c.String())
	}
	return out
}

// letter names a choice in a drawing.
func letter(choice int) string { return string(rune('A' + choice)) }

// shownSteps are about so many steps of a policy, the first and the last ones among them.
const shownSteps = 12

// policyLines say in words what a policy does, and draw it.
func policyLines(p *exact.Policy) (out []Line) {
	for i, n := range names(p.Choices) {
		out = append(out, Line{"choice " + letter(i), n})
	}
	n := len(p.Steps)
	var picked []int
	for i := range n {
		if n <= shownSteps || i < shownSteps/2 || i%(n/(shownSteps/2)) == 0 || i == n-1 {
			picked = append(picked, i)
		}
	}
	for _, i := range picked {
		out = append(out, Line{fmt.Sprintf("step %d", i+1), stepWords(p.Steps[i])})
	}
	return append(out, drawing(p.Policy, picked)...)
}

// stepWords says what a step is.
func stepWords(runs []adversary.Run) string {
	const most = 8
	var b strings.Builder
	b.WriteString(letter(runs[0].Choice))
	for k, x := range runs[1:] {
		if k == most {
			fmt.Fprintf(&b, ", and %d more changes", len(runs)-1-most)
			break
		}
		fmt.Fprintf(&b, ", from a loss of %.4g on %s", x.From, letter(x.Choice))
	}
	return b.String()
}

// drawing has a line for each step, and a letter for what it is after each of some losses.
func drawing(p adversary.Policy, steps []int) []Line {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, i := range steps {
		for _, x := range p.Steps[i][1:] {
			lo, hi = min(lo, x.From), max(hi, x.From)
		}
	}
	if lo > hi { // no step looks at the loss
		return nil
	}
	const columns = 48
	margin := max((hi-lo)/8, 1e-3)
	lo, hi = lo-margin, hi+margin
	out := []Line{{"drawn", fmt.Sprintf("the choice by the loss of the outputs before, from %.3g to %.3g", lo, hi)}}
	for _, i := range steps {
		var b strings.Builder
		for c := range columns {
			b.WriteString(letter(p.Choice(i, lo+(hi-lo)*(float64(c)+0.5)/columns)))
		}
		out = append(out, Line{fmt.Sprintf("%4d", i+1), b.String()})
	}
	return out
}

// A policyReport is a policy in JSON: for each step what it is from which loss on, of the outputs before.
type policyReport struct {
	Choices []string      `json:"choices"`
	After   string        `json:"after,omitempty"`
	Steps   [][]runReport `json:"steps"`
}

// A runReport is a choice from a loss on, null for −∞.
type runReport struct {
	From   *string `json:"from"`
	Choice int     `json:"choice"`
}

func newPolicyReport(p *exact.Policy) *policyReport {
	out := &policyReport{Choices: names(p.Choices)}
	if len(p.After) > 0 {
		out.After = p.After.String()
	}
	for _, runs := range p.Steps {
		var step []runReport
		for _, x := range runs {
			y := runReport{Choice: x.Choice}
			if !math.IsInf(x.From, -1) {
				y.From = new(strconv.FormatFloat(x.From, 'g', 12, 64))
			}
			step = append(step, y)
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}
