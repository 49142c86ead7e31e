// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math/big"

	"dpverify/ask"
	"dpverify/number"
)

func deltaCommand() askCommand {
	return askCommand{
		use:   "delta --epsilon E [--epsilon E2 …] EVENT",
		short: "Enclose δ(ε) of a mechanism",
		long:  "Enclose δ(ε), the least δ for which a mechanism is (ε, δ)-differentially private,\nfor any real ε in nats.",
		example: `  verify delta --epsilon 1 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify delta --epsilon 0.5 --epsilon 1 --digits 30 event.json
  verify delta --epsilon 0 --direction remove - < event.yaml`,
		flag: "epsilon", usage: "ε in nats", want: "a number", symbol: "δ",
		quantity: func(flag, s string, r request) (ask.Quantity, error) {
			eps, err := parseNumber(flag, s, r.binary64)
			if err != nil {
				return ask.Quantity{}, err
			}
			return ask.Delta(eps), nil
		},
	}
}

func epsilonCommand() askCommand {
	return askCommand{
		use:   "epsilon --delta D [--delta D2 …] EVENT",
		short: "Enclose the least ε of a mechanism at δ",
		long: `Enclose ε(δ) = inf{ε : δ(ε) ≤ δ} of a mechanism, in nats. It may be negative; it is inf
where δ is below the probability of an infinite loss, and -inf for δ ≥ 1.`,
		example: `  verify epsilon --delta 1e-5 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify epsilon --delta 1e-6 --relation REPLACE_ONE event.json`,
		flag: "delta", usage: "δ", want: "a number >= 0", symbol: "ε",
		quantity: func(flag, s string, r request) (ask.Quantity, error) {
			delta, err := parseDelta(flag, s, r.binary64)
			if err != nil {
				return ask.Quantity{}, err
			}
			return ask.Epsilon(delta), nil
		},
	}
}

// parseDelta reads the value of a flag that is a δ.
func parseDelta(flag, s string, binary64 bool) (*big.Rat, error) {
	delta, err := parseNumber(flag, s, binary64)
	if err == nil && delta.Sign() < 0 {
		err = fmt.Errorf("--%s = %s, want a number >= 0", flag, number.Format(delta))
	}
	return delta, err
}
