package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/spf13/cobra"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

func newTradeoff() *cobra.Command {
	var f askFlags
	var format string
	var alphas []string
	c := &cobra.Command{
		Use:   "tradeoff --alpha X [--alpha X2 …] EVENT",
		Short: "Enclose the trade-off function of a mechanism: the least type II error",
		Long: `Enclose f(α), the least type II error of a test between a mechanism's outputs on
neighbouring data whose type I error is at most α. The null hypothesis is P: with the
record under --direction remove, without it under add; both is the smaller one.

` + askHelp,
		Example: `  verify tradeoff --alpha 0.05 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify tradeoff --alpha 0.01 --alpha 0.1 --direction remove event.json`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			if len(alphas) == 0 {
				return errors.New("--alpha is missing, want a number in [0, 1]; it may be given more than once")
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
			for _, s := range alphas {
				alpha, err := parseNumber("alpha", s, r.binary64)
				if err != nil {
					return err
				}
				if !isProbability(alpha) {
					return fmt.Errorf("--alpha = %s, want a number in [0, 1]", mechanism.FormatNumber(alpha))
				}
				qs = append(qs, tradeoffAt(alpha, r.digits))
			}
			return ask(c, r, question{"tradeoff", "f", alphas, qs}, asJSON)
		},
	}
	c.Flags().StringArrayVar(&alphas, "alpha", nil, "the type I error; may be given more than once")
	registerFormat(c, &format)
	f.register(c, defaultDigits)
	return c
}

func isProbability(x *big.Rat) bool { return x.Sign() >= 0 && x.Cmp(big.NewRat(1, 1)) <= 0 }

// tradeoffAt is the least type II error at a type I error, to the accuracy of digits. It
// can be 0 without being known to be.
func tradeoffAt(x *big.Rat, digits int) quantity {
	return quantity{
		at: x, command: "tradeoff --alpha", floor: 2 * digits,
		all: interval.Union(interval.Int(0), interval.Int(1)),
		direct: func(ctx context.Context, q exact.Question, e exact.Effort) (exact.Result, error) {
			return tradeoff(ctx, q, e, x)
		},
	}
}

// tradeoff encloses f(x), at the scale of x.
func tradeoff(ctx context.Context, q exact.Question, e exact.Effort, x *big.Rat) (exact.Result, error) {
	if x.Sign() > 0 && q.Scale == nil {
		q.Scale = x
	}
	p, err := exact.Prepare(ctx, q, e)
	if err != nil {
		return exact.Result{Effort: e}, err
	}
	return p.TradeOff(ctx, x)
}
