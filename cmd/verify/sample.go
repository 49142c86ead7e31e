// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/ask/noise"
	"dpverify/ask/noise/optimum"
	"dpverify/internal/cli"
	"dpverify/internal/number"
	"dpverify/internal/source"
	"dpverify/mechanism"
)

// maxSamples bounds what one call draws.
const maxSamples = 1 << 40

func newSample() *cobra.Command {
	var count int64
	var seed string
	var epsilon cli.Number
	var dimension int
	c := command("sample", oneEvent, func(c *cobra.Command, args []string) error {
		bits, err := noise.Source(seed)
		if err != nil {
			return fmt.Errorf("--%w", err)
		}
		event, err := source.Event(c.Context(), args[0], c.InOrStdin(), false)
		if err != nil {
			return err
		}
		e, ok := event.(mechanism.AdditiveNoise)
		if !ok {
			return fmt.Errorf("EVENT: a %s, want an AdditiveNoiseEvent", event.ClassName())
		}
		s, err := noise.NewSampler(e, bits)
		if err != nil {
			return err
		}
		if c.Flags().Changed("dimension") {
			return drawVectors(c, s, e, dimension, epsilon, count)
		}
		if epsilon.X != nil {
			return errors.New("--epsilon is for --dimension, want both or neither")
		}
		return draw(c, s, e.Cell, count)
	})
	cli.Integer(c.Flags(), &count, "count", 1, 1, maxSamples, "how many")
	c.Flags().IntVar(&dimension, "dimension", 1,
		"draw vectors of this many entries, uniform in direction: for experiments only")
	epsilon.Register(c.Flags(), "epsilon", number.Any, "", "with --dimension: bound δ of one vector at this ε from below")
	c.Flags().StringVar(&seed, "seed", "", "an integer: repeatable numbers, for tests only")
	return c
}

// draw prints samples.
func draw(c *cobra.Command, s *noise.Sampler, cell *big.Rat, count int64) error {
	return noise.WriteLines(c.Context(), c.OutOrStdout(), count, func() (string, error) {
		x, err := s.Next()
		return x.Text(cell), err
	})
}

// drawVectors prints vectors whose lengths are samples.
func drawVectors(c *cobra.Command, s *noise.Sampler, e mechanism.AdditiveNoise, dimension int, epsilon cli.Number,
	count int64) error {
	r, err := noise.NewRotation(s, e.Cell, dimension)
	if err != nil {
		return err
	}
	note, err := optimum.RotatedNote(e, dimension, epsilon.X, epsilon.Text)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.ErrOrStderr(), "verify: note: "+note)
	return noise.WriteLines(c.Context(), c.OutOrStdout(), count, func() (string, error) {
		x, err := r.Next()
		var entries []string
		for _, y := range x {
			entries = append(entries, strconv.FormatFloat(y, 'g', -1, 64))
		}
		return strings.Join(entries, " "), err
	})
}
