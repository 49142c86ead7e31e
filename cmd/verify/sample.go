// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"strconv"

	"github.com/spf13/cobra"

	"dpverify/mechanism"
	"dpverify/noise"
)

// maxSamples bounds what one call draws.
const maxSamples = 1 << 40

func newSample() *cobra.Command {
	var count int64
	var seed string
	c := &cobra.Command{
		Use:   "sample --count K EVENT",
		Short: "Draw from additive noise, exactly",
		Long: `Draw numbers from an AdditiveNoiseEvent, one a line: exact decimals, each with exactly the
probability that the event gives it. Masses have to be multiples of 2^-128, as those of
"verify learn" are. Of a density the place inside of a cell is one of 2^53, evenly: the
noise lives on a grid of cell/2^53. Round an answer to that grid before it is added,
exactly; sums in float64 leak, see docs/noise.md.

The bits are those of the operating system's cryptographic source. With --seed they
are not: the same seed gives the same numbers, for tests and for no release.

` + eventHelp,
		Example: `  verify sample --count 3 noise.yaml`,
		Args:    oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			if count < 1 || count > maxSamples {
				return fmt.Errorf("--count = %d, want an integer in [1, %d]", count, int64(maxSamples))
			}
			source := rand.Reader
			if seed != "" {
				n, err := strconv.ParseUint(seed, 10, 64)
				if err != nil {
					return fmt.Errorf("--seed = %q, want an integer in [0, 2^64)", seed)
				}
				var key [32]byte
				big.NewInt(0).SetUint64(n).FillBytes(key[:])
				source = mathrand.NewChaCha8(key)
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
			return draw(c, s, e.Cell, count)
		},
	}
	c.Flags().Int64Var(&count, "count", 1, "how many")
	c.Flags().StringVar(&seed, "seed", "", "an integer: repeatable numbers, for tests only")
	return c
}

// draw prints samples until there are enough or the command is interrupted.
func draw(c *cobra.Command, s *noise.Sampler, cell *big.Rat, count int64) (err error) {
	out := bufio.NewWriter(c.OutOrStdout())
	defer func() { err = errors.Join(err, out.Flush()) }()
	for i := range count {
		if i%1024 == 0 && c.Context().Err() != nil {
			return errInterrupted
		}
		x, err := s.Next()
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, x.Text(cell)+"\n"); err != nil {
			return err
		}
	}
	return nil
}
