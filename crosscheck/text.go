// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dpverify/internal/prose"
)

// Text writes a summary for people, with the error that the self-test ended with.
func (s *Summary) Text(err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %d rounds, %d comparisons\n", s.Seed, s.Rounds, s.Total())
	if len(s.Classes) > 0 {
		count := make(map[Verdict]int)
		for _, v := range s.Classes {
			count[v]++
		}
		b.WriteString("\none event of each class, against float64 or an event that is known to be the same\n")
		writeVerdicts(&b, "classes", count)
	}
	fmt.Fprintf(&b, "\nelementary functions against bigfloat (skipped: where bigfloat is known to be wrong)\n")
	for _, k := range sortedKeys(s.Elementary) {
		fmt.Fprintf(&b, "  %-28s %8d agree", k, s.Elementary[k])
		if n := s.Skipped[k]; n > 0 {
			fmt.Fprintf(&b, ", %d skipped", n)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\nfloat64 functions within their error bounds\n")
	for _, k := range sortedKeys(s.Functions) {
		fmt.Fprintf(&b, "  %-28s %8d\n", k, s.Functions[k])
	}
	fmt.Fprintf(&b, "\nrandom compositions: exact engine against float64 engine\n")
	for _, k := range sortedKeys(s.Engines) {
		writeVerdicts(&b, k, s.Engines[k])
	}
	if len(s.Divergences) > 0 {
		writeVerdicts(&b, "Rényi divergences", s.Divergences)
	}
	if s.Uncovered > 0 {
		fmt.Fprintf(&b, "  %-28s %8d\n", "not covered by float64", s.Uncovered)
	}
	fmt.Fprintf(&b, "\nthe same by every method of the float64 engine\n")
	for _, k := range sortedKeys(s.FastMethods) {
		writeVerdicts(&b, k, s.FastMethods[k])
	}
	fmt.Fprintf(&b, "\nmethods of the exact engine with each other\n")
	for _, k := range sortedKeys(s.Pairs) {
		fmt.Fprintf(&b, "  %-28s %8d agree\n", k, s.Pairs[k])
	}
	switch {
	case IsDisagreement(err):
		fmt.Fprintf(&b, "\nDISAGREEMENT: %v\n", err)
	case err == nil:
		b.WriteString("\nno disagreement\n")
	}
	return b.String()
}

// writeVerdicts writes a line that counts verdicts.
func writeVerdicts(b *strings.Builder, of string, vs map[Verdict]int) {
	fmt.Fprintf(b, "  %-28s %8d proved, %d inconclusive, %d refuted\n", of, vs[Proved], vs[Inconclusive], vs[Refuted])
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Text writes a check for people.
func (c Check) Text() string {
	var b strings.Builder
	for i, x := range c.Comparisons {
		if x.Exact.Methods == nil {
			continue // the run ended before it
		}
		lo, hi := x.Exact.Decimal(17)
		fmt.Fprintf(&b, "δ(%s) %s\n  exact  %s   (%s)\n  float  %.17g ± %.3g   (%s)\n", c.At[i], x.Verdict,
			prose.Member(lo, hi), strings.Join(x.Exact.Methods, ", "), x.Float.V, x.Float.Err, x.Float.Method)
	}
	for _, k := range sortedKeys(c.Pairs) {
		fmt.Fprintf(&b, "%s: %d agree\n", k, c.Pairs[k])
	}
	if c.Err != nil {
		fmt.Fprintf(&b, "DISAGREEMENT: %v\n", c.Err)
	}
	return b.String()
}

// A SummaryReport is a summary in JSON.
type SummaryReport struct {
	Version int   `json:"version"`
	Seed    int64 `json:"seed"`
	Rounds  int   `json:"rounds"`
	Total   int   `json:"comparisons"`
	Counts
	Disagreement string `json:"disagreement,omitempty"`
}

// NewSummaryReport returns a summary in JSON, with the error that the self-test ended with.
func NewSummaryReport(s Summary, err error) SummaryReport {
	out := SummaryReport{Version: 1, Seed: s.Seed, Rounds: s.Rounds, Total: s.Total(), Counts: s.Counts}
	if IsDisagreement(err) {
		out.Disagreement = err.Error()
	}
	return out
}

// A CheckReport is a check in JSON.
type CheckReport struct {
	Version      int                `json:"version"`
	Comparisons  []ComparisonReport `json:"comparisons"`
	Methods      map[string]int     `json:"methods"`
	Disagreement string             `json:"disagreement,omitempty"`
}

// A ComparisonReport is a comparison in JSON.
type ComparisonReport struct {
	Epsilon string   `json:"epsilon"`
	Verdict string   `json:"verdict"`
	Lo      string   `json:"lo"`
	Hi      string   `json:"hi"`
	Methods []string `json:"methods"`
	Value   float64  `json:"value"`
	Err     float64  `json:"err"`
	Method  string   `json:"float_method"`
}

// NewCheckReport returns a check in JSON.
func NewCheckReport(c Check) CheckReport {
	out := CheckReport{Version: 1, Methods: c.Pairs}
	for i, x := range c.Comparisons {
		if x.Exact.Methods == nil {
			continue
		}
		lo, hi := x.Exact.Decimal(17)
		out.Comparisons = append(out.Comparisons, ComparisonReport{c.At[i], x.Verdict.String(), lo, hi, x.Exact.Methods,
			x.Float.V, x.Float.Err, x.Float.Method})
	}
	if c.Err != nil {
		out.Disagreement = c.Err.Error()
	}
	return out
}
