// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/crosscheck"
	"dpverify/exact"
	"dpverify/internal/prose"
	"dpverify/internal/terminal"
)

// The limits of a self-test.
const (
	defaultSelftestSeconds = 60
	maxSelftestSeconds     = 7 * 24 * 3600
)

func newSelftest() *cobra.Command {
	var seconds, rounds int
	var seed int64
	var format string
	var neighbours neighbourFlags
	var epsilons []string
	c := &cobra.Command{
		Use:   "selftest [EVENT]",
		Short: "Check the engines against each other on this machine",
		Long: `Compare what is computed twice, on this machine: elementary functions against
github.com/ALTree/bigfloat, functions of package math against the exact engine, random
compositions through the exact engine and through an independent one in float64, and
all methods of the exact engine with each other. Equal seeds make equal comparisons.

With an EVENT, compare both engines on it at every --epsilon instead. "proved" means
that the exact enclosure lies inside the float value ± its error bound, "refuted" that
they are disjoint, "inconclusive" that they overlap.

Exit status: 0 no disagreement, 1 a disagreement, 2 the test could not run.

` + eventHelp,
		Example: `  verify selftest
  verify selftest --seconds 600 --seed 7
  verify selftest --epsilon 1 '{class_name: GaussianDpEvent, noise_multiplier: 1}'`,
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := parseFormat(format)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				return selftestEvent(c, args, neighbours, epsilons, asJSON)
			}
			for _, name := range []string{"relation", "direction", "epsilon"} {
				if c.Flags().Changed(name) {
					return fmt.Errorf("--%s is given, but no EVENT", name)
				}
			}
			if seconds < 1 || seconds > maxSelftestSeconds {
				return fmt.Errorf("--seconds = %d, want an integer in [1, %d]", seconds, maxSelftestSeconds)
			}
			if rounds < 0 {
				return fmt.Errorf("--rounds = %d, want an integer >= 0", rounds)
			}
			return selftest(c, time.Duration(seconds)*time.Second, rounds, seed, asJSON)
		},
	}
	fs := c.Flags()
	fs.IntVar(&seconds, "seconds", defaultSelftestSeconds, "how long to test, in seconds")
	fs.IntVar(&rounds, "rounds", 0, "end after so many rounds, if the time has not ended before (default: no limit)")
	fs.Int64Var(&seed, "seed", 1, "seed of the first round")
	neighbours.register(c)
	fs.StringArrayVar(&epsilons, "epsilon", nil, "ε in nats at which EVENT is compared; may be given more than once")
	fs.StringVar(&format, "format", "text", "text or json")
	return c
}

// selftest runs the random comparisons.
func selftest(c *cobra.Command, limit time.Duration, rounds int, seed int64, asJSON bool) error {
	ctx, cancel := context.WithTimeout(c.Context(), limit)
	defer cancel()
	p := terminal.NewProgress(c.ErrOrStderr(), -1)
	var s crosscheck.Summary
	var err error
	crash := ask.Guard(func() error {
		s, err = crosscheck.SelfTest(ctx, seed, rounds, func(s crosscheck.Summary) {
			p.Describe(fmt.Sprintf("round %d, %d comparisons", s.Rounds+1, s.Total()))
		})
		return nil
	})
	p.Close()
	if crash != nil {
		return crash
	}
	print := printSummaryText
	if asJSON {
		print = printSummaryJSON
	}
	if e := print(c.OutOrStdout(), s, err); e != nil {
		return e
	}
	switch {
	case disagrees(err):
		return statusError(statusWrong)
	case err != nil:
		return err
	case c.Context().Err() != nil:
		return errInterrupted
	case s.Total() == 0:
		return errors.New("selftest: nothing was compared in time")
	}
	return nil
}

// disagrees reports whether an error is a disagreement between two computations.
func disagrees(err error) bool {
	var elementary *crosscheck.Violation
	var function *crosscheck.FunctionViolation
	var engines *crosscheck.ProfileViolation
	var methods *crosscheck.MethodViolation
	var divergence *crosscheck.DivergenceViolation
	var inner *exact.InconsistencyError
	return errors.As(err, &divergence) || errors.As(err, &elementary) || errors.As(err, &function) || errors.As(err, &engines) || errors.As(err, &methods) || errors.As(err, &inner)
}

func printSummaryText(w io.Writer, s crosscheck.Summary, err error) error {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %d rounds, %d comparisons\n", s.Seed, s.Rounds, s.Total())
	fmt.Fprintf(&b, "\nelementary functions against bigfloat (skipped: where bigfloat is known to be wrong)\n")
	for _, k := range sortedKeys(s.Elementary.Checked) {
		fmt.Fprintf(&b, "  %-28s %8d agree", k, s.Elementary.Checked[k])
		if n := s.Elementary.Skipped[k]; n > 0 {
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
		vs := s.Engines[k]
		fmt.Fprintf(&b, "  %-28s %8d proved, %d inconclusive, %d refuted\n", k, vs[crosscheck.Proved], vs[crosscheck.Inconclusive], vs[crosscheck.Refuted])
	}
	if n := len(s.Divergences); n > 0 {
		vs := s.Divergences
		fmt.Fprintf(&b, "  %-28s %8d proved, %d inconclusive, %d refuted\n", "Rényi divergences", vs[crosscheck.Proved], vs[crosscheck.Inconclusive], vs[crosscheck.Refuted])
	}
	if s.Uncovered > 0 {
		fmt.Fprintf(&b, "  %-28s %8d\n", "not covered by float64", s.Uncovered)
	}
	fmt.Fprintf(&b, "\nthe same by every method of the float64 engine\n")
	for _, k := range sortedKeys(s.FastMethods) {
		vs := s.FastMethods[k]
		fmt.Fprintf(&b, "  %-28s %8d proved, %d inconclusive, %d refuted\n", k, vs[crosscheck.Proved], vs[crosscheck.Inconclusive], vs[crosscheck.Refuted])
	}
	fmt.Fprintf(&b, "\nmethods of the exact engine with each other\n")
	for _, k := range sortedKeys(s.Pairs) {
		fmt.Fprintf(&b, "  %-28s %8d agree\n", k, s.Pairs[k])
	}
	switch {
	case disagrees(err):
		fmt.Fprintf(&b, "\nDISAGREEMENT: %v\n", err)
	case err == nil:
		b.WriteString("\nno disagreement\n")
	}
	_, e := io.WriteString(w, b.String())
	return e
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func printSummaryJSON(w io.Writer, s crosscheck.Summary, err error) error {
	verdicts := func(vs map[crosscheck.Verdict]int) map[string]int {
		out := make(map[string]int)
		for v, n := range vs {
			out[v.String()] = n
		}
		return out
	}
	fast := make(map[string]map[string]int)
	for k, vs := range s.FastMethods {
		fast[k] = verdicts(vs)
	}
	engines := make(map[string]map[string]int)
	for k, vs := range s.Engines {
		engines[k] = verdicts(vs)
	}
	out := struct {
		Version      int                       `json:"version"`
		Seed         int64                     `json:"seed"`
		Rounds       int                       `json:"rounds"`
		Total        int                       `json:"comparisons"`
		Elementary   map[string]int            `json:"elementary"`
		Skipped      map[string]int            `json:"skipped"`
		Functions    map[string]int            `json:"functions"`
		Engines      map[string]map[string]int `json:"engines"`
		FastMethods  map[string]map[string]int `json:"fast_methods"`
		Divergences  map[string]int            `json:"divergences"`
		Uncovered    int                       `json:"uncovered"`
		Methods      map[string]int            `json:"methods"`
		Disagreement string                    `json:"disagreement,omitempty"`
	}{1, s.Seed, s.Rounds, s.Total(), s.Elementary.Checked, s.Elementary.Skipped, s.Functions, engines, fast, verdicts(s.Divergences), s.Uncovered, s.Pairs, ""}
	if disagrees(err) {
		out.Disagreement = err.Error()
	}
	return writeJSON(w, out)
}

// selftestEvent compares both engines on one event.
func selftestEvent(c *cobra.Command, args []string, neighbours neighbourFlags, epsilons []string, asJSON bool) error {
	if err := oneEvent(c, args); err != nil {
		return err
	}
	if len(epsilons) == 0 {
		return errors.New("--epsilon is missing, want a number; it may be given more than once")
	}
	var q exact.Question
	var err error
	if q.Relation, q.Direction, err = neighbours.parse(); err != nil {
		return err
	}
	if q.Event, err = decodeEvent(args[0], c.InOrStdin(), false); err != nil {
		return err
	}
	var at []*big.Rat
	for _, s := range epsilons {
		eps, err := parseNumber("epsilon", s, false)
		if err != nil {
			return err
		}
		at = append(at, eps)
	}
	var pairs map[string]int
	cs, err := crosscheck.Compare(c.Context(), q, at, 2)
	if err == nil {
		pairs, err = crosscheck.Methods(c.Context(), q, at, 0, 10)
	}
	if err != nil && !disagrees(err) {
		return err
	}
	print := printComparisonsText
	if asJSON {
		print = printComparisonsJSON
	}
	if e := print(c.OutOrStdout(), cs, epsilons, pairs, err); e != nil {
		return e
	}
	if err != nil {
		return statusError(statusWrong)
	}
	return nil
}

func printComparisonsText(w io.Writer, cs []crosscheck.Comparison, at []string, pairs map[string]int, err error) error {
	var b strings.Builder
	for i, x := range cs {
		if x.Exact.Methods == nil {
			continue // the run ended before it
		}
		lo, hi := x.Exact.Decimal(17)
		fmt.Fprintf(&b, "δ(%s) %s\n  exact  %s   (%s)\n  float  %.17g ± %.3g   (%s)\n", at[i], x.Verdict, prose.Member(lo, hi), strings.Join(x.Exact.Methods, ", "), x.Float.V, x.Float.Err, x.Float.Method)
	}
	for _, k := range sortedKeys(pairs) {
		fmt.Fprintf(&b, "%s: %d agree\n", k, pairs[k])
	}
	if err != nil {
		fmt.Fprintf(&b, "DISAGREEMENT: %v\n", err)
	}
	_, e := io.WriteString(w, b.String())
	return e
}

func printComparisonsJSON(w io.Writer, cs []crosscheck.Comparison, at []string, pairs map[string]int, err error) error {
	type comparison struct {
		Epsilon string   `json:"epsilon"`
		Verdict string   `json:"verdict"`
		Lo      string   `json:"lo"`
		Hi      string   `json:"hi"`
		Methods []string `json:"methods"`
		Value   float64  `json:"value"`
		Err     float64  `json:"err"`
		Method  string   `json:"float_method"`
	}
	out := struct {
		Version      int            `json:"version"`
		Comparisons  []comparison   `json:"comparisons"`
		Methods      map[string]int `json:"methods"`
		Disagreement string         `json:"disagreement,omitempty"`
	}{Version: 1, Methods: pairs}
	for i, x := range cs {
		if x.Exact.Methods == nil {
			continue
		}
		lo, hi := x.Exact.Decimal(17)
		out.Comparisons = append(out.Comparisons, comparison{at[i], x.Verdict.String(), lo, hi, x.Exact.Methods, x.Float.V, x.Float.Err, x.Float.Method})
	}
	if err != nil {
		out.Disagreement = err.Error()
	}
	return writeJSON(w, out)
}
