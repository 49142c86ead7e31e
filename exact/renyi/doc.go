// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package renyi works on Rényi divergences: enclosures of R_α(P‖Q) for every order, and curves of them.
//
// The moment of order α of a pair is M(α) = E_P[e^((α−1)L); L < ∞] = Σ p^α·q^(1−α) over
// outcomes with p, q > 0, so that M(α) = e^((α−1)R_α) where no loss is infinite.
// Moments of a product multiply.
//
// # Words of this package
//
//   - order: α ∈ (0, ∞]; R_α rises with it, and (α − 1)·R_α = log M(α) is convex in it.
//   - moment: M(α); log-moment: its logarithm, which adds up over a product.
//   - curve: α ↦ R_α of a product, with what is known of every order.
//   - stated: what a guarantee says of an order, by the orders that it names; linear: R_α = ρα.
//   - cell: the outcomes with a loss from one number to the next, of which only both masses are used.
//   - greatest loss: R_∞ where no loss is infinite, the limit of R_α.
//   - sampled: (1−γ)Q + γP against Q, or with the two exchanged.
//   - repeated: the best of several runs; ordered: the same with the losses of a run as its scores, a bound from below.
//   - coins: the reports of others that look like the record's; block: numbers of coins that share a bound.
//   - wave: a term of a theta function, a Fourier series in the place of a sum over integers.
//   - slow: known by a long sum or an integral, so that whatever else bounds a product is tried first.
package renyi
