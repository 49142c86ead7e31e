// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/certify"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/source"
)

// A SingleClaim is a claim (ε, δ) that is given by flags.
type SingleClaim struct {
	epsilon, delta Number
	neighbours     NeighbourFlags
	binary64       bool
	derivation     string
}

// singleFlags are about the one claim.
var singleFlags = []string{"relation", "direction", "number-format", "derivation"}

// Register adds the flags to a command.
func (s *SingleClaim) Register(c *cobra.Command) {
	fs := c.Flags()
	s.epsilon.Register(fs, "epsilon", number.Any, "",
		"decide the claim with this ε and --delta about the EVENT that is the argument")
	s.delta.Register(fs, "delta", number.Any, "", "the δ of that claim")
	s.neighbours.Register(c)
	RegisterNumberFormat(c, &s.binary64)
	fs.StringVar(&s.derivation, "derivation", "", "how the ε of that claim was derived, such as rdp-mironov")
}

// Given reports whether a claim is given by flags.
func (s *SingleClaim) Given() bool { return s.epsilon.X != nil || s.delta.X != nil }

// OnlyWithNumbers refuses flags that belong to a claim of which there is none.
func (s *SingleClaim) OnlyWithNumbers(c *cobra.Command) error {
	for _, name := range singleFlags {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--%s is for a claim of --epsilon and --delta; claims of files say it themselves", name)
		}
	}
	return nil
}

// Claim reads the claim about an EVENT argument.
func (s *SingleClaim) Claim(c *cobra.Command, event string) (*certify.Claim, error) {
	switch {
	case s.epsilon.X == nil:
		return nil, errors.New("--epsilon is missing, want both --epsilon and --delta")
	case s.delta.X == nil:
		return nil, errors.New("--delta is missing, want both --epsilon and --delta")
	}
	if c.Flags().Changed("shard") {
		return nil, errors.New("--shard is for claims of files")
	}
	src, err := source.Argument(c.Context(), event, c.InOrStdin())
	if err != nil {
		return nil, err
	}
	node, err := document.Parse(src.Data)
	if err != nil {
		return nil, src.Locate(err)
	}
	// The event has an error of its own place, not one of a claim that is in no file.
	if _, err := src.DecoderIn(c.Context(), s.binary64).EventRange(node, "event"); err != nil {
		return nil, src.Locate(err)
	}
	relation, direction := s.neighbours.First()
	claim := certify.Single{
		Event: node, Epsilon: s.epsilon.Text, Delta: s.delta.Text,
		Relation: relation.String(), Direction: direction.String(), Binary64: s.binary64, Derived: s.derivation,
	}.Claim(document.OpenIn(c.Context(), src.Dir))
	if malformed, ok := errors.AsType[*certify.ClaimError](claim.Err); ok {
		return nil, malformed.Err
	}
	return claim, claim.Err
}
