// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"

	"dpverify/ask"
	"dpverify/exact/renyi"
	"dpverify/internal/show"
	"dpverify/number"
)

func renyiCommand() askCommand {
	return askCommand{
		use:   "renyi --order A [--order A2 …] EVENT",
		short: "Enclose the Rényi divergence of a mechanism at an order",
		long: `Enclose R_α, the Rényi divergence of a mechanism's outputs on neighbouring data, in
nats: for any order α > 0, the Kullback-Leibler divergence at α = 1 and the greatest
privacy loss at α = inf. It is inf for α ≥ 1 where an infinite loss has a positive
probability. A guarantee stands for the worst mechanism that it allows.`,
		example: `  verify renyi --order 2 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify renyi --order 1.5 --order 32 --order inf --digits 30 event.json`,
		flag: "order", usage: "α > 0, or inf", want: wantOrder, symbol: "R",
		quantity: func(flag, s string, r request) (ask.Quantity, error) {
			order, err := parseOrder(flag, s, r.binary64)
			if err != nil {
				return ask.Quantity{}, err
			}
			return ask.Renyi(order), nil
		},
	}
}

const wantOrder = "a number > 0 or inf"

// parseOrder reads the value of a flag that is an order.
func parseOrder(flag, s string, binary64 bool) (renyi.Order, error) {
	if s == "inf" {
		return renyi.Infinity, nil
	}
	x, err := parseNumber(flag, s, binary64)
	if err != nil {
		return renyi.Order{}, fmt.Errorf("--%s = %s, want %s", flag, show.Value(s), wantOrder)
	}
	if x.Sign() <= 0 {
		return renyi.Order{}, fmt.Errorf("--%s = %s, want %s", flag, number.Format(x), wantOrder)
	}
	return renyi.At(x), nil
}
