package main

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/spf13/cobra"

	"dpverify/mechanism"
)

func newDelta() *cobra.Command {
	var f askFlags
	var format string
	var epsilons []string
	c := &cobra.Command{
		Use:   "delta --epsilon E [--epsilon E2 …] EVENT",
		Short: "Enclose δ(ε) of a mechanism",
		Long:  "Enclose δ(ε), the least δ for which a mechanism is (ε, δ)-differentially private,\nfor any real ε in nats.\n\n" + askHelp,
		Example: `  verify delta --epsilon 1 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify delta --epsilon 0.5 --epsilon 1 --digits 30 event.json
  verify delta --epsilon 0 --direction remove - < event.yaml`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			if len(epsilons) == 0 {
				return errors.New("--epsilon is missing, want a number; it may be given more than once")
			}
			asJSON, err := parseFormat(format)
			if err != nil {
				return err
			}
			r, err := f.parse(c, args[0])
			if err != nil {
				return err
			}
			var qs []quantity
			for _, s := range epsilons {
				eps, err := parseNumber("epsilon", s, r.binary64)
				if err != nil {
					return err
				}
				qs = append(qs, deltaAt(eps))
			}
			return ask(c, r, question{"delta", "δ", epsilons, qs}, asJSON)
		},
	}
	c.Flags().StringArrayVar(&epsilons, "epsilon", nil, "ε in nats; may be given more than once")
	registerFormat(c, &format)
	f.register(c, defaultDigits)
	return c
}

func newEpsilon() *cobra.Command {
	var f askFlags
	var format string
	var deltas []string
	c := &cobra.Command{
		Use:   "epsilon --delta D [--delta D2 …] EVENT",
		Short: "Enclose the least ε of a mechanism at δ",
		Long: "Enclose ε(δ) = inf{ε : δ(ε) ≤ δ} of a mechanism, in nats. It may be negative; it is inf\nwhere δ is below the probability of an infinite loss, and -inf for δ ≥ 1.\n\n" +
			askHelp,
		Example: `  verify epsilon --delta 1e-5 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify epsilon --delta 1e-6 --relation REPLACE_ONE event.json`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			if len(deltas) == 0 {
				return errors.New("--delta is missing, want a number >= 0; it may be given more than once")
			}
			asJSON, err := parseFormat(format)
			if err != nil {
				return err
			}
			r, err := f.parse(c, args[0])
			if err != nil {
				return err
			}
			var qs []quantity
			for _, s := range deltas {
				delta, err := parseDelta(s, r.binary64)
				if err != nil {
					return err
				}
				qs = append(qs, epsilonAt(delta, r.digits))
			}
			return ask(c, r, question{"epsilon", "ε", deltas, qs}, asJSON)
		},
	}
	c.Flags().StringArrayVar(&deltas, "delta", nil, "δ; may be given more than once")
	registerFormat(c, &format)
	f.register(c, defaultDigits)
	return c
}

// parseDelta reads the value of --delta.
func parseDelta(s string, binary64 bool) (*big.Rat, error) {
	delta, err := parseNumber("delta", s, binary64)
	if err == nil && delta.Sign() < 0 {
		err = fmt.Errorf("--delta = %s, want a number >= 0", mechanism.FormatNumber(delta))
	}
	return delta, err
}

func oneEvent(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%d arguments, want one EVENT (quote it, for the shell)", len(args))
	}
	return nil
}
