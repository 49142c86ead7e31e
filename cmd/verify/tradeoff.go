// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"

	"dpverify/ask"
	"dpverify/number"
)

func tradeoffCommand() askCommand {
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
		quantity: func(flag, s string, r request) (ask.Quantity, error) {
			alpha, err := parseNumber(flag, s, r.binary64)
			if err == nil && !number.Probability.Contains(alpha) {
				err = fmt.Errorf("--%s = %s, want %s", flag, number.Format(alpha), want)
			}
			if err != nil {
				return ask.Quantity{}, err
			}
			return ask.TradeOff(alpha), nil
		},
	}
}
