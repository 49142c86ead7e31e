// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/exact/interval"
	"dpverify/internal/cli"
	"dpverify/mechanism"
	"dpverify/noise"
	"dpverify/noise/optimum"
	"dpverify/number"
)

// maxSamples bounds what one call draws.
const maxSamples = 1 << 40

func newSample() *cobra.Command {
	var count int64
	var seed string
	var epsilon cli.Number
	var dimension int
	c := &cobra.Command{
		Use:   "sample --count K EVENT",
		Short: "Draw from additive noise, exactly",
		Long: `Draw numbers from an AdditiveNoiseEvent, one a line: exact decimals, each with exactly the
probability that the event gives it. Masses have to be multiples of 2^-128, as
"verify learn" writes them. Of a density the place inside of a cell is one of 2^53, evenly: the
noise lives on a grid of cell/2^53. Round an answer to that grid before it is added,
exactly; sums in float64 leak, see docs/noise.md.

With --dimension D a line has the D entries of a vector of even direction, whose length is
a sample: float64 numbers, for experiments. What is certified of the noise does not hold of
such vectors, see docs/noise.md; with --epsilon E standard error has a bound that their δ(E)
is not below.

The bits come from the operating system's cryptographic source. With --seed they
are not: the same seed gives the same numbers, for tests and for no release.

` + eventHelp,
		Example: `  verify sample --count 3 noise.yaml`,
		Args:    oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			source, err := noise.Source(seed)
			if err != nil {
				return fmt.Errorf("--%w", err)
			}
			event, err := decodeEvent(args[0], c.InOrStdin(), false)
			if err != nil {
				return err
			}
			e, ok := event.(mechanism.AdditiveNoise)
			if !ok {
				return fmt.Errorf("EVENT: a %s, want an AdditiveNoiseEvent", event.ClassName())
			}
			s, err := noise.NewSampler(e, source)
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
		},
	}
	cli.Integer(c.Flags(), &count, "count", 1, 1, maxSamples, "how many")
	c.Flags().IntVar(&dimension, "dimension", 1, "draw vectors of so many entries, of even direction: for experiments only")
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
func drawVectors(c *cobra.Command, s *noise.Sampler, e mechanism.AdditiveNoise, dimension int, epsilon cli.Number, count int64) error {
	r, err := noise.NewRotation(s, e.Cell, dimension)
	if err != nil {
		return err
	}
	note := "what is certified of the noise does not hold of vectors, see docs/noise.md"
	if epsilon.X != nil {
		least, err := optimum.Rotated(e, dimension, epsilon.X)
		if err != nil {
			return err
		}
		lo, _ := interval.Prec(64).Rat(least).Decimal(4) // rounded down
		note += fmt.Sprintf("; of one vector δ(%s) ≥ %s", epsilon.Text, lo)
	}
	if _, err := fmt.Fprintln(c.ErrOrStderr(), "verify: note: "+note); err != nil {
		return err
	}
	return noise.WriteLines(c.Context(), c.OutOrStdout(), count, func() (string, error) {
		x, err := r.Next()
		var entries []string
		for _, y := range x {
			entries = append(entries, strconv.FormatFloat(y, 'g', -1, 64))
		}
		return strings.Join(entries, " "), err
	})
}
