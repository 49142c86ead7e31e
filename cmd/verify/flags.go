// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/cli"
	"dpverify/internal/size"
	"dpverify/internal/source"
	"dpverify/mechanism"
)

// neighbourFlags say what an event is asked about.
type neighbourFlags struct {
	relations  []mechanism.Relation
	directions []mechanism.Direction
	several    bool // lists with commas are read
}

func (f *neighbourFlags) register(c *cobra.Command) {
	cli.Word(c.Flags(), &f.relations, "relation", mechanism.AddOrRemoveOne.String(), "which datasets are neighbours: ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL", cli.ListOf(f.several, mechanism.ParseRelation))
	cli.Word(c.Flags(), &f.directions, "direction", mechanism.Both.String(), "remove is δ(P‖Q), add is δ(Q‖P), both their maximum", cli.ListOf(f.several, mechanism.ParseDirection))
}

// first returns the only relation and direction, or the first ones.
func (f *neighbourFlags) first() (mechanism.Relation, mechanism.Direction) {
	return f.relations[0], f.directions[0]
}

// askFlags are the flags of the commands that ask about one event.
type askFlags struct {
	neighbours neighbourFlags
	binary64   bool
	digits     int
	effort     *exact.Effort
	timeout    time.Duration
	memory     size.Bytes
}

func (f *askFlags) register(c *cobra.Command, digits int) {
	f.neighbours.register(c)
	registerNumberFormat(c, &f.binary64)
	cli.Integer(c.Flags(), &f.digits, "digits", digits, 1, ask.MaxDigits, "significant digits to aim at")
	registerEffort(c, &f.effort)
	cli.Duration(c.Flags(), &f.timeout, "timeout", ask.DefaultBudget, ask.MaxBudget, "answer with what was reached after this time")
	registerMemory(c, &f.memory)
}

func registerNumberFormat(c *cobra.Command, binary64 *bool) {
	cli.Choice(c.Flags(), binary64, "number-format", "decimal", "decimal takes numbers as written, binary64 rounds them to the nearest float64 first", "binary64 or decimal", true, false)
}

func registerMemory(c *cobra.Command, m *size.Bytes) {
	c.Flags().Var(m, "max-memory", "leave out methods of which one step needs more, for example 300MB or 2GiB (default: no limit)")
}

func registerEffort(c *cobra.Command, effort **exact.Effort) {
	usage := fmt.Sprintf("try this rung of the ladder of refinements only, 0 to %d (default: as many as it takes)", exact.MaxEffort)
	cli.Parsed(c.Flags(), effort, "effort", "string", "", usage, func(s string) (*exact.Effort, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > int(exact.MaxEffort) {
			return nil, cli.Want(fmt.Sprintf("an integer in [0, %d]", exact.MaxEffort))
		}
		e := exact.Effort(n)
		return &e, nil
	})
}

func registerFormat(c *cobra.Command, json *bool) {
	cli.Choice(c.Flags(), json, "format", "text", "text or json", "text or json", false, true)
}

// A request is a question with a goal, read from the command line.
type request struct {
	exact.Question
	events mechanism.Range // whose least private one is the event of the question
	ask.Goal
	binary64 bool
}

// parse returns the request for an event.
func (f *askFlags) parse(c *cobra.Command, event string) (request, error) {
	r := f.request()
	var err error
	ctx, cancel := r.Limit(c.Context())
	defer cancel()
	r.events, err = source.Range(ctx, event, c.InOrStdin(), r.binary64)
	r.Event = r.events.LessPrivate
	return r, err
}

// request returns the request of the flags.
func (f *askFlags) request() request {
	r := request{binary64: f.binary64, Goal: ask.Goal{Fixed: f.effort, Digits: f.digits, Budget: f.timeout}}
	r.Relation, r.Direction = f.neighbours.first()
	r.Question.MaxMemory = int64(f.memory)
	return r
}
