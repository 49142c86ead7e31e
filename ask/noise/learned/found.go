// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"dpverify/ask/noise"
	"dpverify/exact"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/shown"
	"dpverify/mechanism"
)

// A Found is noise that was learned. All of it but Baselines and Gradients is certified.
type Found struct {
	Noise         mechanism.AdditiveNoise
	Event         mechanism.Event // the composition
	Delta         exact.Result    // of the composition, at Epsilon
	First, Second *big.Rat        // E|X| and E X²
	Optimum       *Optimum        // nil where nothing is proved
	Baselines     []Baseline
	Gradients     int
	Interrupted   bool
	Took          time.Duration
}

// A NoneError says why there is no noise.
type NoneError struct{ Reason string }

func (e *NoneError) Error() string { return "no noise was found: " + e.Reason }

// L1 encloses E|X|.
func (f Found) L1() shown.Bounds { return ends(precision.Rat(f.First)) }

// L2 encloses (E X²)^½.
func (f Found) L2() shown.Bounds { return ends(precision.Sqrt(precision.Rat(f.Second))) }

// A Baseline is what learned noise is compared with: noise of one family on the same cells, with
// the parameter that gives it the same utility loss or the same δ. Estimated in float64.
type Baseline struct {
	Name      string  `json:"name"`
	Equal     string  `json:"equal"` // "utility" or "delta"
	Parameter float64 `json:"parameter"`
	Delta     float64 `json:"delta"`
	Utility   float64 `json:"utility"`
}

// baselines are those at the utility loss and at the δ of learned noise.
func (s *search) baselines(half []float64, delta exact.Result) []Baseline {
	var out []Baseline
	same := *s
	same.goal.Delta, same.goal.Most = 0, s.grid.Utility(s.wish.Norm, half)
	hi, _ := delta.Hi().Float64()
	less := *s
	less.goal.Delta = math.Max(hi, 1e-300)
	for _, at := range []struct {
		equal string
		search
	}{{"utility", same}, {"delta", less}} {
		for _, x := range noise.Families {
			if scale, ok := at.scale(x); ok {
				p := x.Half(s.grid, s.goal.Eps, scale)
				out = append(out, Baseline{x.Name, at.equal, scale, s.delta(p), s.grid.Utility(s.wish.Norm, p)})
			}
		}
	}
	return out
}

// Text writes for people what was found for a wish, and to which files: csv is empty if there is one.
func (f Found) Text(w Wish, path, csv string) string {
	var b strings.Builder
	lo, hi := f.Delta.Decimal(Digits)
	l1, l2 := f.L1(), f.L2()
	fmt.Fprintf(&b, "δ(%s) %s\nE|X| %s\n(E X²)^½ %s\n", number.Format(w.Epsilon), prose.Member(lo, hi),
		prose.Member(l1.Lo, l1.Hi), prose.Member(l2.Lo, l2.Hi))
	if f.Optimum != nil {
		least := "δ(" + number.Format(w.Epsilon) + ")"
		if w.Delta != nil {
			least = w.Norm.String()
		}
		fmt.Fprintf(&b, "certified: no symmetric falling noise of the range has %s < %s\n", least, f.Optimum.Lo)
	}
	if f.Interrupted {
		b.WriteString("interrupted: the best so far\n")
	}
	for _, equal := range []string{"utility", "delta"} {
		first := true
		for _, x := range f.Baselines {
			if x.Equal != equal {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\nestimated, at equal %-8s parameter        δ             %s\n", equal, w.Norm)
				first = false
			}
			fmt.Fprintf(&b, "  %-25s %-16.6g %-13.6g %.6g\n", x.Name, x.Parameter, x.Delta, x.Utility)
		}
	}
	fmt.Fprintf(&b, "\nwritten to %s", path)
	if csv != "" {
		fmt.Fprintf(&b, " and %s", csv)
	}
	b.WriteByte('\n')
	return b.String()
}

// A Report is what was found, as JSON.
type Report struct {
	Delta       shown.Bounds            `json:"delta"`
	Utility     map[string]shown.Bounds `json:"utility"`
	Optimum     *Optimum                `json:"optimum,omitempty"`
	Baselines   []Baseline              `json:"baselines"`
	Iterations  int                     `json:"iterations"`
	Interrupted bool                    `json:"interrupted,omitempty"`
	Seconds     float64                 `json:"seconds"`
}

// NewReport returns the report of what was found.
func NewReport(f Found) Report {
	return Report{
		Delta: shown.BoundsOf(f.Delta.Decimal(Digits)), Utility: map[string]shown.Bounds{"l1": f.L1(), "l2": f.L2()},
		Optimum: f.Optimum, Baselines: append([]Baseline{}, f.Baselines...),
		Iterations: f.Gradients, Interrupted: f.Interrupted, Seconds: f.Took.Seconds(),
	}
}
