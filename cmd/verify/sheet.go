// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/ask/curve"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/figure"
	"dpverify/internal/show"
	"dpverify/internal/source"
	"dpverify/mechanism"
)

// isSheet reports whether more than one band is asked for, or another kind of curve.
func (f *plotFlags) isSheet(c *cobra.Command, events []string) bool {
	set := c.Flags().Changed
	return len(events) > 1 || f.of != "delta" || len(f.methods) > 0 || f.epsilon.X != nil || set("log-y") || set("name") ||
		f.logX && !set("compositions") || len(f.Neighbours.Relations)+len(f.Neighbours.Directions) > 2
}

// checkSheet refuses flags that do not belong together.
func (f *plotFlags) checkSheet(over bool) error {
	switch {
	case f.mark.X != nil && (f.of != "delta" || over):
		return errors.New("--mark is a δ on the axis of δ, want --of delta and no --compositions")
	case over && f.of != "delta":
		return fmt.Errorf("--of %s is not over compositions", show.Value(f.of))
	case over && (f.delta.X == nil) == (f.epsilon.X == nil):
		return errors.New("--compositions has ε at --delta, or δ at --epsilon, want one of the two")
	case !over && (f.delta.X != nil || f.epsilon.X != nil):
		return errors.New("--delta and --epsilon are for --compositions")
	case over && f.compositions < 2:
		return fmt.Errorf("--compositions = %d, want 2 or more to draw", f.compositions)
	}
	return nil
}

// sheet reads the events of a graph of several curves.
func (f *plotFlags) sheet(c *cobra.Command, events []string) (s curve.Sheet, err error) {
	if err := f.checkSheet(c.Flags().Changed("compositions")); err != nil {
		return s, err
	}
	delta, err := f.delta.Rounded(f.Binary64)
	if err != nil {
		return s, err
	}
	epsilon, err := f.epsilon.Rounded(f.Binary64)
	if err != nil {
		return s, err
	}
	s = curve.NewSheet(f.of, delta, epsilon)
	if c.Flags().Changed("log-y") {
		s.LogY, s.Linear = f.logY, !f.logY
	}
	if c.Flags().Changed("from") {
		if s.From, err = f.from.Rounded(f.Binary64); err != nil {
			return s, err
		}
	}
	if s.To, err = f.to.Rounded(f.Binary64); err != nil {
		return s, err
	}
	r := f.Request()
	ctx, cancel := r.Limit(c.Context())
	defer cancel()
	var asked []mechanism.Range
	for _, event := range events {
		e, err := source.One(ctx, event, c.InOrStdin(), f.Binary64)
		if err != nil {
			return s, err
		}
		asked = append(asked, e)
	}
	s.Goal = r.Goal
	s.Questions, s.Titles = curve.Questions(r.Question, asked, f.Neighbours.Relations, f.Neighbours.Directions)
	s.Names, s.Methods, s.Count, s.Points, s.LogX, s.Title = f.names, f.methods, f.compositions, f.points, f.logX, f.title
	if !c.Flags().Changed("title") {
		s.Title = s.Heading()
	}
	s.Size = figure.Centimetres(f.width, f.height)
	s.Mark, err = f.mark.Rounded(f.Binary64)
	return s, err
}

// drawSheet draws several curves.
func (f *plotFlags) drawSheet(c *cobra.Command, events []string, format string) error {
	s, err := f.sheet(c, events)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	width := 0.0
	missing, err := cli.Watched(c, func(show func(string)) (missing []string, err error) {
		s.Step = show
		missing, width, err = s.Draw(c.Context(), &b, format)
		return missing, err
	})
	for _, m := range missing {
		fmt.Fprintf(c.ErrOrStderr(), "verify: not drawn: %s\n", m)
	}
	if err == nil {
		remarkWidth(c, width)
		err = atomicfile.Write(f.output, b.Bytes())
	}
	return err
}
