// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/cli"
	"dpverify/internal/show"
	"dpverify/internal/size"
	"dpverify/mechanism"
	"dpverify/number"
)

// neighbourFlags say what an event is asked about.
type neighbourFlags struct{ relation, direction string }

func (f *neighbourFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.relation, "relation", mechanism.AddOrRemoveOne.String(), "which datasets are neighbours: ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL")
	fs.StringVar(&f.direction, "direction", mechanism.Both.String(), "remove is δ(P‖Q), add is δ(Q‖P), both their maximum")
}

func (f *neighbourFlags) parse() (r mechanism.Relation, d mechanism.Direction, err error) {
	if r, err = mechanism.ParseRelation(f.relation); err != nil {
		return r, d, flagError("relation", err)
	}
	if d, err = mechanism.ParseDirection(f.direction); err != nil {
		return r, d, flagError("direction", err)
	}
	return r, d, nil
}

// askFlags are the flags of the commands that ask about one event.
type askFlags struct {
	neighbours   neighbourFlags
	numberFormat string
	digits       int
	effort       string
	timeout      time.Duration
	memory       size.Bytes
}

func (f *askFlags) register(c *cobra.Command, digits int) {
	fs := c.Flags()
	f.neighbours.register(c)
	fs.StringVar(&f.numberFormat, "number-format", "decimal", "decimal takes numbers as written, binary64 rounds them to the nearest float64 first")
	fs.IntVar(&f.digits, "digits", digits, "significant digits to aim at")
	registerEffort(c, &f.effort)
	fs.DurationVar(&f.timeout, "timeout", ask.DefaultBudget, "answer with what was reached after this time")
	registerMemory(c, &f.memory)
}

func registerMemory(c *cobra.Command, m *size.Bytes) {
	c.Flags().Var(m, "max-memory", "leave out methods of which one step needs more, for example 300MB or 2GiB (default: no limit)")
}

func registerEffort(c *cobra.Command, effort *string) {
	c.Flags().StringVar(effort, "effort", "", fmt.Sprintf("try this rung of the ladder of refinements only, 0 to %d (default: as many as it takes)", exact.MaxEffort))
}

// parseEffort reads the value of --effort; nil if it is empty.
func parseEffort(s string) (*exact.Effort, error) {
	if s == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > int(exact.MaxEffort) {
		return nil, fmt.Errorf("--effort = %s, want an integer in [0, %d]", show.Value(s), exact.MaxEffort)
	}
	e := exact.Effort(n)
	return &e, nil
}

func registerFormat(c *cobra.Command, format *string) {
	c.Flags().StringVar(format, "format", "text", "text or json")
}

func parseFormat(s string) (json bool, err error) {
	return oneOf("format", s, "text or json", false, true)
}

// oneOf returns the value of a flag that has a few: those that want names, in its order.
func oneOf[T any](flag, s, want string, values ...T) (v T, err error) {
	if i := slices.Index(cli.Names(want), s); i >= 0 {
		return values[i], nil
	}
	return v, fmt.Errorf("--%s = %s, want %s", flag, show.Value(s), want)
}

func parseNumberFormat(s string) (binary64 bool, err error) {
	if binary64, err = number.ParseFormat(s); err != nil {
		err = fmt.Errorf("--number-format = %s, want binary64 or decimal", show.Value(s))
	}
	return binary64, err
}

// A request is a question with a goal, read from the command line.
type request struct {
	exact.Question
	events mechanism.Range // whose least private one is the event of the question
	ask.Goal
	binary64 bool
}

// parse reads the flags and the event.
func (f *askFlags) parse(c *cobra.Command, event string) (request, error) {
	r, err := f.parseFlags()
	if err == nil {
		r.events, err = decodeRange(event, c.InOrStdin(), r.binary64)
		r.Event = r.events.LessPrivate
	}
	return r, err
}

// parseFlags reads the flags.
func (f *askFlags) parseFlags() (request, error) {
	var r request
	var err error
	if r.Relation, r.Direction, err = f.neighbours.parse(); err != nil {
		return r, err
	}
	if r.binary64, err = parseNumberFormat(f.numberFormat); err != nil {
		return r, err
	}
	if r.Fixed, err = parseEffort(f.effort); err != nil {
		return r, err
	}
	if f.digits < 1 || f.digits > ask.MaxDigits {
		return r, fmt.Errorf("--digits = %d, want an integer in [1, %d]", f.digits, ask.MaxDigits)
	}
	if f.timeout <= 0 || f.timeout > ask.MaxBudget {
		return r, fmt.Errorf("--timeout = %v, want more than 0 and at most %v", f.timeout, time.Duration(ask.MaxBudget))
	}
	r.Digits, r.Budget = f.digits, f.timeout
	r.Question.MaxMemory = int64(f.memory)
	return r, nil
}

// flagError names the flag in an error of package mechanism.
func flagError(name string, err error) error {
	var p *mechanism.ParamError
	if errors.As(err, &p) {
		return fmt.Errorf("--%s = %s, want %s", name, p.Value, p.Want)
	}
	return fmt.Errorf("--%s: %w", name, err)
}

// parseNumbers reads the values of a flag that are numbers.
func parseNumbers(flag string, values []string, binary64 bool) ([]*big.Rat, error) {
	var xs []*big.Rat
	for _, s := range values {
		x, err := parseNumber(flag, s, binary64)
		if err != nil {
			return nil, err
		}
		xs = append(xs, x)
	}
	return xs, nil
}

// parseNumber reads the value of a flag that is a number.
func parseNumber(flag, s string, binary64 bool) (*big.Rat, error) {
	x, err := number.Parse(s)
	if err == nil && binary64 {
		x, err = number.Binary64(x)
	}
	if err != nil {
		return nil, numberFault(flag, err)
	}
	return x, nil
}

// parseDelta reads the value of a flag that is a δ.
func parseDelta(flag, s string, binary64 bool) (*big.Rat, error) {
	return parseIn(flag, s, number.NonNegative, binary64)
}

// parseIn reads the value of a flag that is a number of a domain.
func parseIn(flag, s string, in number.Domain, binary64 bool) (*big.Rat, error) {
	x, err := parseNumber(flag, s, binary64)
	if err == nil && !in.Contains(x) {
		err = fmt.Errorf("--%s = %s, want %s", flag, number.Format(x), in)
	}
	return x, err
}

// numberFault names the flag in an error of package number.
func numberFault(flag string, err error) error {
	var n *number.Error
	if errors.As(err, &n) {
		return fmt.Errorf("--%s = %s, want %s", flag, n.Value, n.Want)
	}
	return err
}
