// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math/big"

	"dpverify/ask"
	"dpverify/number"
)

func gdpCommand() askCommand {
	const want = "a number in (0, 1/2]"
	return askCommand{
		use:   "gdp --alpha-min A [--alpha-min A2 …] EVENT",
		short: "Enclose the μ of Gaussian differential privacy",
		long: `Enclose the least μ for which a test between a mechanism's outputs on neighbouring data is no
better than one between N(0, 1) and N(μ, 1): f(α) >= Φ(Φ⁻¹(1 − α) − μ) for all type I errors α in
[A, 1 − A]. Without a least α the μ of a sampled composition is that of its far tail. Under
--direction both it is the greater one of remove and add.`,
		example: `  verify gdp --alpha-min 1e-6 '{class_name: GaussianDpEvent, noise_multiplier: 2}'
  verify gdp --alpha-min 1e-12 --digits 6 event.json`,
		flag: "alpha-min", usage: "the least type I error", want: want, symbol: "μ",
		quantity: func(flag, s string, r request) (ask.Quantity, error) {
			alpha, err := parseNumber(flag, s, r.binary64)
			if err == nil && (alpha.Sign() <= 0 || alpha.Cmp(big.NewRat(1, 2)) > 0) {
				err = fmt.Errorf("--%s = %s, want %s", flag, number.Format(alpha), want)
			}
			if err != nil {
				return ask.Quantity{}, err
			}
			return ask.GaussianDP(alpha), nil
		},
	}
}
