// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package pair holds dominating pairs of distributions: what an event means.
//
// A pair (P, Q) stands for the privacy profile H_α(P‖Q) = sup_S P(S) − αQ(S), α ≥ 0. It dominates a mechanism M for an
// ordered neighbouring relation when H_α(M(D)‖M(D′)) ≤ H_α(P‖Q) for every α ≥ 0 and all neighbours (D, D′) [Zhu, Dong
// & Wang 2022, Definition 7]; dominating pairs compose by products [ibid., Theorem 10].
//
// # Words of this package
//
//   - profile: α ↦ H_α(P‖Q), so that δ(ε) is the profile at e^ε; loss: log P/Q of an outcome, drawn from P.
//   - outcome: a point with its masses under P and Q; atom: an outcome of positive mass; rest: the mass of the outcomes
//     that a list leaves out.
//   - infinite mass: the P-mass of the outcomes that Q does not have; reach: how far up the finite losses go.
//   - reverse: (Q, P); self-dual: a pair with the profile of its reverse; oriented: written for one of the two.
//   - to cover: to dominate, by a theorem that needs no number; to merge: to write equal factors as one with a count.
//   - product: independent pairs with counts; factor, or term: one of them with its count; part: a product inside of a
//     pair, such as the base of a sample.
//   - guarantee: no pair but a promise about all pairs that keep it, so that it bounds from above only.
//   - hull: the greatest pair below given points of a trade-off function; corner: a point where that function bends.
//   - base: what is sampled; visible: it is seen whether the record was sampled; clones: reports of others that look
//     like the record's; place: where an output stands in the order of the outputs of several runs.
package pair
