// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dpverify/internal/atomicfile"
)

const (
	worse = 1.5  // what became slower or wider by more is printed
	noise = 0.03 // seconds by which times of short processes differ anyway
	again = 2    // how often what seems slower is asked again, for the least time
)

// readTable reads answers by their names: lines of name, seconds, lo, hi and "complete" or "open", separated by tabs.
func readTable(file string) (map[string]answer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := make(map[string]answer)
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 5 || f[4] != "complete" && f[4] != "open" {
			return nil, fmt.Errorf("%s:%d: %q, want name, seconds, lo, hi, and complete or open, with tabs between", file,
				i+1, line)
		}
		seconds, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		out[f[0]] = answer{f[0], seconds, f[2], f[3], f[4] == "complete"}
	}
	return out, nil
}

// writeTable writes answers in the order of the questions.
func writeTable(file string, answers map[string]answer) error {
	var b bytes.Buffer
	for _, q := range questions() {
		if a, ok := answers[q.name]; ok {
			b.WriteString(a.String() + "\n")
		}
	}
	return atomicfile.Write(file, b.Bytes())
}

func (a answer) String() string {
	state := "open"
	if a.complete {
		state = "complete"
	}
	return fmt.Sprintf("%s\t%.3f\t%s\t%s\t%s", a.name, a.seconds, a.lo, a.hi, state)
}

// compare asks the questions whose names match, prints what is worse than before, and returns all answers.
func compare(ctx context.Context, ask asker, names *regexp.Regexp, before map[string]answer,
	out io.Writer) (map[string]answer, error) {
	after := make(map[string]answer)
	maps.Copy(after, before)
	var asked []answer
	var was, is float64
	var wrong error
	for _, q := range questions() {
		if !names.MatchString(q.name) {
			continue
		}
		a, err := ask.ask(ctx, q)
		if err != nil {
			return nil, err
		}
		old, known := before[q.name]
		for k := 0; known && slower(old, a) && k < again; k++ {
			b, err := ask.ask(ctx, q)
			if err != nil {
				return nil, err
			}
			if b.seconds < a.seconds {
				a = b
			}
		}
		after[q.name] = a
		asked = append(asked, a)
		if !known {
			fmt.Fprintf(out, "new       %v\n", a)
			continue
		}
		was, is = was+old.seconds, is+a.seconds
		if apart(old, a) {
			wrong = errors.Join(wrong, fmt.Errorf("%s: [%s, %s] was [%s, %s]: disjoint", q.name, a.lo, a.hi, old.lo, old.hi))
		}
		for _, bad := range []struct {
			is   bool
			what string
		}{{slower(old, a), "slower"}, {wider(old, a), "wider"}, {old.complete && !a.complete, "open"}} {
			if bad.is {
				fmt.Fprintf(out, "%-9s %v\n  was     %v\n  verify %s\n", bad.what, a, old, q.line)
			}
		}
	}
	open := 0
	for _, a := range asked {
		if !a.complete {
			open++
		}
	}
	fmt.Fprintf(out, "%d questions, %d not complete; those in the table took %.1f s, and take %.1f s\n", len(asked),
		open, was, is)
	slices.SortFunc(asked, func(a, b answer) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, a := range asked[:min(10, len(asked))] {
		fmt.Fprintf(out, "%8.2f s  [%s, %s]  %s\n", a.seconds, a.lo, a.hi, a.name)
	}
	return after, wrong
}

func slower(old, now answer) bool { return now.seconds > worse*old.seconds+noise }

// wider compares widths; what is not finite is wider than all that is.
func wider(old, now answer) bool {
	a, known := old.width()
	b, knows := now.width()
	if !known || !knows {
		return known && !knows
	}
	return b.Cmp(new(big.Float).Mul(a, big.NewFloat(worse))) > 0
}

func (a answer) width() (*big.Float, bool) {
	lo, ok := number(a.lo)
	hi, okay := number(a.hi)
	if !ok || !okay || lo.IsInf() || hi.IsInf() {
		return nil, false
	}
	return lo.Sub(hi, lo), true
}

// apart reports whether two enclosures have no number in common.
func apart(a, b answer) bool {
	below := func(x, y string) bool {
		u, ok := number(x)
		v, okay := number(y)
		return ok && okay && u.Cmp(v) < 0
	}
	return below(a.hi, b.lo) || below(b.hi, a.lo)
}

// number reads an end of an enclosure; 20,000 bits hold all digits that are printed.
func number(s string) (*big.Float, bool) {
	return new(big.Float).SetPrec(20_000).SetString(s)
}
