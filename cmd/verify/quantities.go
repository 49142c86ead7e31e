// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import "dpverify/ask"

// quantityCommands are the commands that ask for one quantity of an event.
var quantityCommands = []askCommand{
	{
		kind:  ask.KindDelta,
		use:   "delta --epsilon E [--epsilon E2 …] EVENT",
		short: "Enclose δ(ε) of a mechanism",
		long:  "Enclose δ(ε), the least δ for which a mechanism is (ε, δ)-differentially private,\nfor any real ε in nats.",
		example: `  verify delta --epsilon 1 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify delta --epsilon 0.5 --epsilon 1 --digits 30 event.json
  verify delta --epsilon 0 --direction remove - < event.yaml`,
		flag: "epsilon", usage: "ε in nats",
	},
	{
		kind:  ask.KindEpsilon,
		use:   "epsilon --delta D [--delta D2 …] EVENT",
		short: "Enclose the least ε of a mechanism at δ",
		long: `Enclose ε(δ) = inf{ε : δ(ε) ≤ δ} of a mechanism, in nats. It may be negative; it is inf
where δ is below the probability of an infinite loss, and -inf for δ ≥ 1.`,
		example: `  verify epsilon --delta 1e-5 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify epsilon --delta 1e-6 --relation REPLACE_ONE event.json`,
		flag: "delta", usage: "δ",
	},
	{
		kind:  ask.KindGaussianDP,
		use:   "gdp --alpha-min A [--alpha-min A2 …] EVENT",
		short: "Enclose the μ of Gaussian differential privacy",
		long: `Enclose the least μ for which a test between a mechanism's outputs on neighbouring data is no
better than one between N(0, 1) and N(μ, 1): f(α) >= Φ(Φ⁻¹(1 − α) − μ) for all type I errors α in
[A, 1 − A]. Without a least α the μ of a sampled composition comes from its far tail. Under
--direction both it is the greater one of remove and add.`,
		example: `  verify gdp --alpha-min 1e-6 '{class_name: GaussianDpEvent, noise_multiplier: 2}'
  verify gdp --alpha-min 1e-12 --digits 6 event.json`,
		flag: "alpha-min", usage: "the least type I error",
	},
	{
		kind:  ask.KindRenyi,
		use:   "renyi --order A [--order A2 …] EVENT",
		short: "Enclose the Rényi divergence of a mechanism at an order",
		long: `Enclose R_α, the Rényi divergence of a mechanism's outputs on neighbouring data, in
nats: for any order α > 0, the Kullback-Leibler divergence at α = 1 and the greatest
privacy loss at α = inf. It is inf for α ≥ 1 where an infinite loss has a positive
probability. A guarantee stands for the worst mechanism that it allows.`,
		example: `  verify renyi --order 2 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify renyi --order 1.5 --order 32 --order inf --digits 30 event.json`,
		flag: "order", usage: "α > 0, or inf",
	},
	{
		kind:  ask.KindTradeOff,
		use:   "tradeoff --alpha X [--alpha X2 …] EVENT",
		short: "Enclose the trade-off function of a mechanism: the least type II error",
		long: `Enclose f(α), the least type II error of a test between a mechanism's outputs on
neighbouring data whose type I error is at most α. The null hypothesis is P: with the
record under --direction remove, without it under add; both is the smaller one.`,
		example: `  verify tradeoff --alpha 0.05 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify tradeoff --alpha 0.01 --alpha 0.1 --direction remove event.json`,
		flag: "alpha", usage: "the type I error",
	},
}
