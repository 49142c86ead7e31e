// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

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
