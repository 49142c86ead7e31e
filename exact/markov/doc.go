// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package markov bounds the privacy profile of means over bins of N(m_i, I) against N(0, I), as balls in bins with
// correlated noise are, by means whose Gram matrix is that of a hidden Markov chain, and by statistics.
//
// With V ~ N(0, G), G_ij = ⟨m_i, m_j⟩, and S the mean of A_i = exp(V_i − G_ii/2), δ_remove = E(S − e^ε)₊ and δ_add =
// E(1 − e^ε·S)₊: convex functions of S.
//
// Above. If xᵀ(G′ − G)x ≥ 0 for all x ≥ 0, then E g(S) is no less for G′ than for G, for every convex g:
// docs/theorems.md, Correlation that is moved. A Chain has a matrix G′ that is at least G in this order; atMost proves
// it, and what guesses such chains proves nothing.
//
// S is a sum along the chain, so that its law follows from a programme over the state u_t and the partial sum, both on
// lattices. How u_t is rounded is a rounding: see docs/theorems.md, Sums along a hidden Markov chain. Partial sums are
// spread onto two places each, such that their mean stays: this is in the convex order, since what follows is convex in
// the partial sum, for every u_t.
//
// Below. The place that a sum along a chain reaches is a statistic, whose masses are computed under all bins: see
// docs/theorems.md, A statistic along a chain.
//
// Rounding. Places of sums are integers in units of a power of two: they and their sums are exact, and a term is an
// integer near what it stands for. Masses are ≥ 0 and only added and multiplied, and small ones are left out: every
// one is within a factor e^±slack of what it stands for.
package markov
