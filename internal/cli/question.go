// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/cost"
	"dpverify/internal/size"
	"dpverify/internal/source"
	"dpverify/mechanism"
)

// NeighbourFlags say what an event is asked about.
type NeighbourFlags struct {
	Relations  []mechanism.Relation
	Directions []mechanism.Direction
	Several    bool // lists with commas are read
}

// Register adds the flags --relation and --direction to a command.
func (f *NeighbourFlags) Register(c *cobra.Command) {
	Parsed(c.Flags(), &f.Relations, "relation", "string", mechanism.AddOrRemoveOne.String(),
		"which datasets are neighbours: ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL",
		ListOf(f.Several, mechanism.ParseRelation))
	Parsed(c.Flags(), &f.Directions, "direction", "string", mechanism.Both.String(),
		"remove is δ(P‖Q), add is δ(Q‖P), both their maximum", ListOf(f.Several, mechanism.ParseDirection))
}

// First returns the only relation and direction, or the first ones.
func (f *NeighbourFlags) First() (mechanism.Relation, mechanism.Direction) {
	return f.Relations[0], f.Directions[0]
}

// AskFlags are the flags of the commands that ask about one event.
type AskFlags struct {
	Neighbours NeighbourFlags
	Binary64   bool
	Digits     int
	effort     *exact.Effort
	Timeout    time.Duration
	Memory     size.Bytes
	estimates  bool
}

// Register adds the flags to a command that shows so many digits by default, and has numbers of its own.
func (f *AskFlags) Register(c *cobra.Command, digits int, numbers ...Rounder) {
	f.Neighbours.Register(c)
	RegisterNumberFormat(c, &f.Binary64, numbers...)
	Integer(c.Flags(), &f.Digits, "digits", digits, 1, ask.MaxDigits, "significant digits to aim at")
	RegisterEffort(c, &f.effort)
	Duration(c.Flags(), &f.Timeout, "timeout", ask.DefaultBudget, ask.MaxBudget,
		"answer with what was reached after this time")
	RegisterMemory(c, &f.Memory)
}

// A Rounder is a [Number] or [Numbers].
type Rounder interface{ round() error }

// RegisterNumberFormat adds the flag --number-format, by which other flags of the command are rounded before it runs.
func RegisterNumberFormat(c *cobra.Command, binary64 *bool, numbers ...Rounder) {
	Choice(c.Flags(), binary64, "number-format", "decimal",
		"decimal takes numbers as written, binary64 rounds them to the nearest float64 first",
		"binary64 or decimal", true, false)
	c.PreRunE = func(*cobra.Command, []string) error {
		var errs []error
		for _, n := range numbers {
			if *binary64 {
				errs = append(errs, n.round())
			}
		}
		return cmp.Or(errs...)
	}
}

// RegisterMemory adds the flag --max-memory. Its default is half of the memory that there is, as two steps may run at
// once: a method that is left out makes an answer wider, and a process that is killed gives none.
func RegisterMemory(c *cobra.Command, m *size.Bytes) {
	c.Flags().Var(m, "max-memory", "leave out methods that need more in one step, for example 300MB or 2GiB "+
		"(default: half of the memory of the machine, where that is known)")
	*m = size.Bytes(cost.Machine() / 2)
}

// RegisterEffort adds the flag --effort.
func RegisterEffort(c *cobra.Command, effort **exact.Effort) {
	usage := fmt.Sprintf("try this rung of the ladder of refinements only, 0 to %d (default: as many as it takes)",
		exact.MaxEffort)
	Parsed(c.Flags(), effort, "effort", "string", "", usage, func(s string) (*exact.Effort, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > int(exact.MaxEffort) {
			return nil, Want(fmt.Sprintf("an integer in [0, %d]", exact.MaxEffort))
		}
		return new(exact.Effort(n)), nil
	})
}

// RegisterEngine adds the flag --engine to a command that has estimates.
func (f *AskFlags) RegisterEngine(c *cobra.Command, has bool) {
	if has {
		Choice(c.Flags(), &f.estimates, "engine", "exact",
			"exact proves what it answers, float estimates in float64: an answer says about how far it is off",
			"exact or float", false, true)
	}
}

// refuse fails if there is a flag that an estimate does not take.
func (f *AskFlags) refuse(c *cobra.Command) error {
	for _, name := range []string{"digits", "effort", "max-memory"} {
		if f.estimates && c.Flags().Changed(name) {
			return Fault(name, Want("no --"+name+": --engine float says how far an estimate is off"))
		}
	}
	return nil
}

// RegisterFormat adds the flag --format of an answer.
func RegisterFormat(c *cobra.Command, json *bool) {
	Choice(c.Flags(), json, "format", "text", "text or json", "text or json", false, true)
}

// A Request is a question with a goal, read from the command line.
type Request struct {
	exact.Question
	Events mechanism.Range // whose least private one is the event of the question
	ask.Goal
	Binary64  bool
	Estimates bool // by the engine float
}

// Parse returns the request for an event.
func (f *AskFlags) Parse(c *cobra.Command, event string) (Request, error) {
	r := f.Request()
	if err := f.refuse(c); err != nil {
		return r, err
	}
	var err error
	ctx, cancel := r.Limit(c.Context())
	defer cancel()
	r.Events, err = source.Range(ctx, event, c.InOrStdin(), r.Binary64)
	r.Event = r.Events.LessPrivate
	return r, err
}

// Request returns the request of the flags.
func (f *AskFlags) Request() Request {
	r := Request{Binary64: f.Binary64, Estimates: f.estimates,
		Goal: ask.Goal{Fixed: f.effort, Digits: f.Digits, Budget: f.Timeout}}
	r.Relation, r.Direction = f.Neighbours.First()
	r.Question.MaxMemory = int64(f.Memory)
	return r
}
