// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/curve"
	"dpverify/figure"
	"dpverify/internal/atomicfile"
	"dpverify/internal/show"
	"dpverify/internal/terminal"
	"dpverify/mechanism"
)

// isSheet reports whether more than one band is asked for, or another kind of curve.
func (f *plotFlags) isSheet(c *cobra.Command, events []string) bool {
	set := c.Flags().Changed
	return len(events) > 1 || f.of != "delta" || f.methods || f.epsilon != "" || set("log-y") || set("name") || f.logX && !set("compositions") ||
		strings.Contains(f.neighbours.relation+f.neighbours.direction, ",")
}

// sheet reads the flags of a graph of several curves.
func (f *plotFlags) sheet(c *cobra.Command, events []string) (s curve.Sheet, err error) {
	set := c.Flags().Changed
	over, name := set("compositions"), f.of
	switch {
	case f.mark != "":
		return s, errors.New("--mark is for one curve of δ")
	case over && f.of != "delta":
		return s, fmt.Errorf("--of %s is not over compositions", show.Value(f.of))
	case over && (f.delta == "") == (f.epsilon == ""):
		return s, errors.New("--compositions has ε at --delta, or δ at --epsilon, want one of the two")
	case over && f.epsilon != "":
		name = "delta-compositions"
	case over:
		name = "epsilon-compositions"
	case f.delta != "" || f.epsilon != "":
		return s, errors.New("--delta and --epsilon are for --compositions")
	}
	var ok bool
	if s.Kind, s.LogY, ok = curve.KindNamed(name); !ok || !over && s.Compositions() {
		return s, fmt.Errorf("--of = %s, want delta, renyi, tradeoff, roc or loss", show.Value(f.of))
	}
	if over && f.compositions < 2 {
		return s, fmt.Errorf("--compositions = %d, want 2 or more to draw", f.compositions)
	}
	if set("log-y") {
		s.LogY = f.logY
	}
	relations, directions := strings.Split(f.neighbours.relation, ","), strings.Split(f.neighbours.direction, ",")
	for _, event := range events {
		for _, relation := range relations {
			for _, direction := range directions {
				g := f.askFlags
				g.neighbours = neighbourFlags{strings.TrimSpace(relation), strings.TrimSpace(direction)}
				r, err := g.parse(c, event)
				if err != nil {
					return s, err
				}
				if !mechanism.Equal(r.events.MorePrivate, r.events.LessPrivate) {
					return s, fmt.Errorf("%s: want exact probabilities to draw several curves", show.Name(show.Cut(event)))
				}
				s.Questions, s.Goal = append(s.Questions, r.Question), r.Goal
			}
		}
	}
	binary64 := f.numberFormat == "binary64"
	if s.At, err = parseOptional("delta", f.delta, binary64); err == nil && s.At == nil {
		s.At, err = parseOptional("epsilon", f.epsilon, binary64)
	}
	if err == nil && s.At != nil && s.At.Sign() < 0 {
		err = errors.New("--delta and --epsilon want a number >= 0")
	}
	if err == nil && set("from") {
		s.From, err = parseNumber("from", f.from, binary64)
	}
	if err == nil {
		s.To, err = parseOptional("to", f.to, binary64)
	}
	s.Names, s.Methods, s.Count, s.Points, s.LogX, s.Title = f.names, f.methods, f.compositions, f.points, f.logX, f.title
	s.Size = figure.Centimetres(f.width, f.height)
	return s, err
}

// drawSheet draws several curves.
func (f *plotFlags) drawSheet(c *cobra.Command, events []string) error {
	if f.output == "" {
		return errors.New("--output is missing, want the name of a file to draw into")
	}
	format, err := figureFormat("output", f.output)
	if err != nil {
		return err
	}
	if err := f.checkSize(); err != nil {
		return err
	}
	s, err := f.sheet(c, events)
	if err != nil {
		return err
	}
	p := terminal.NewProgress(c.ErrOrStderr(), -1)
	s.Step = p.Describe
	var b bytes.Buffer
	missing, err := s.Draw(c.Context(), &b, format)
	p.Close()
	for _, m := range missing {
		fmt.Fprintf(c.ErrOrStderr(), "verify: not drawn: %s\n", m)
	}
	if err == nil {
		err = atomicfile.Write(f.output, b.Bytes())
	}
	return err
}

// parseOptional reads the value of a flag that is a number, nil if it is empty.
func parseOptional(flag, s string, binary64 bool) (*big.Rat, error) {
	if s == "" {
		return nil, nil
	}
	return parseNumber(flag, s, binary64)
}
