// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/certify"
	"dpverify/document"
	"dpverify/internal/source"
)

// A singleClaim is a claim (ε, δ) that is given by flags.
type singleClaim struct {
	epsilon, delta           string
	neighbours               neighbourFlags
	numberFormat, derivation string
}

// singleFlags are about the one claim.
var singleFlags = []string{"relation", "direction", "number-format", "derivation"}

func (s *singleClaim) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&s.epsilon, "epsilon", "", "decide the claim with this ε and --delta about the EVENT that is the argument")
	fs.StringVar(&s.delta, "delta", "", "the δ of that claim")
	s.neighbours.register(c)
	fs.StringVar(&s.numberFormat, "number-format", "decimal", "decimal takes numbers as written, binary64 rounds them to the nearest float64 first")
	fs.StringVar(&s.derivation, "derivation", "", "how the ε of that claim was derived, such as rdp-mironov")
}

// given reports whether a claim is given by flags.
func (s *singleClaim) given() bool { return s.epsilon != "" || s.delta != "" }

// onlyWithNumbers refuses flags that belong to a claim of which there is none.
func (s *singleClaim) onlyWithNumbers(c *cobra.Command) error {
	for _, name := range singleFlags {
		if c.Flags().Changed(name) {
			return fmt.Errorf("--%s is for a claim of --epsilon and --delta; claims of files say it themselves", name)
		}
	}
	return nil
}

// claim reads the claim about an EVENT argument.
func (s *singleClaim) claim(c *cobra.Command, event string) (*certify.Claim, error) {
	for _, f := range []struct{ name, value string }{{"epsilon", s.epsilon}, {"delta", s.delta}} {
		if f.value == "" {
			return nil, fmt.Errorf("--%s is missing, want both --epsilon and --delta", f.name)
		}
		if _, err := parseNumber(f.name, f.value, false); err != nil {
			return nil, err
		}
	}
	if c.Flags().Changed("shard") {
		return nil, errors.New("--shard is for claims of files")
	}
	src, err := source.Argument(event, c.InOrStdin())
	if err != nil {
		return nil, err
	}
	node, err := document.Parse(src.Data)
	if err != nil {
		return nil, src.Locate(err)
	}
	// The event has an error of its own place, not one of a claim that is in no file.
	d := src.Decoder()
	d.Binary64 = s.numberFormat == "binary64"
	if _, err := d.EventRange(node, "event"); err != nil {
		return nil, src.Locate(err)
	}
	claim := certify.Single{
		Event: node, Epsilon: s.epsilon, Delta: s.delta,
		Relation: s.neighbours.relation, Direction: s.neighbours.direction, NumberFormat: s.numberFormat, Derived: s.derivation,
	}.Claim(document.OpenIn(src.Dir))
	var malformed *certify.ClaimError
	if errors.As(claim.Err, &malformed) {
		return nil, malformed.Err
	}
	return claim, claim.Err
}
