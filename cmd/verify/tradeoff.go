package main

import (
	"context"
	"fmt"
	"math/big"

	"github.com/spf13/cobra"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

func newTradeoff() *cobra.Command {
	const want = "a number in [0, 1]"
	return askCommand{
		use:   "tradeoff --alpha X [--alpha X2 …] EVENT",
		short: "Enclose the trade-off function of a mechanism: the least type II error",
		long: `Enclose f(α), the least type II error of a test between a mechanism's outputs on
neighbouring data whose type I error is at most α. The null hypothesis is P: with the
record under --direction remove, without it under add; both is the smaller one.`,
		example: `  verify tradeoff --alpha 0.05 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify tradeoff --alpha 0.01 --alpha 0.1 --direction remove event.json`,
		flag: "alpha", usage: "the type I error", want: want, symbol: "f",
		quantity: func(s string, r request) (quantity, error) {
			alpha, err := parseNumber("alpha", s, r.binary64)
			if err == nil && !isProbability(alpha) {
				err = fmt.Errorf("--alpha = %s, want %s", mechanism.FormatNumber(alpha), want)
			}
			if err != nil {
				return quantity{}, err
			}
			return tradeoffAt(alpha, r.digits), nil
		},
	}.command()
}

func isProbability(x *big.Rat) bool { return x.Sign() >= 0 && x.Cmp(big.NewRat(1, 1)) <= 0 }

// tradeoffAt is the least type II error at a type I error, to the accuracy of digits. It
// can be 0 without being known to be.
func tradeoffAt(x *big.Rat, digits int) quantity {
	return quantity{
		at: x, command: "tradeoff --alpha", floor: 2 * digits,
		all: interval.Union(interval.Int(0), interval.Int(1)), trivial: trivialTradeoff(x),
		ask: func(ctx context.Context, p *exact.Profile) (exact.Result, error) { return p.TradeOff(ctx, x) },
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
