// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package pld bounds privacy profiles by privacy-loss distributions: vectors of masses at
// equally spaced losses, composed by convolution. A product of pairs is put on one of two
// kinds of them.
//
// # Lattices
//
// New is for discrete pairs. Where all losses of a product are integer multiples of one
// number, up to a common offset (randomized response, discrete noise, many finite pairs),
// nothing is discretised: the steps of the lattices are found and compared exactly, and
// the only error is the rounding of masses. An entry v_i·2^−P is a lower bound of the true
// P-mass a_i of the loss x_i. With m∞ the mass of infinite loss,
// δ(ε) = m∞ + Σ a_i·(1 − e^(ε−x_i))₊ rises in every a_i and its weights are at most 1, so that
//
//	m∞ + Σ v_i·w_i  ≤  δ(ε)  ≤  m∞ + Σ v_i·w_i + (1 − m∞ − Σ v_i):
//
// one vector of masses rounded down serves both bounds, and what any rounding,
// truncation or dropping has lost is charged in full to the upper one, whatever
// the reason.
//
// # Grids
//
// NewGrid is for everything else. Each factor is a source: a pair with the tails of its loss in
// closed form, with finitely many outcomes, a sample of a product of sources, or an upper
// bound of a profile. It is cut into cells, the ranges of losses between points of a grid,
//
//	            cell     cell         cell
//	below |───────────|───────|───────────────| above | ∞
//	     x_lo                                x_hi
//
// and the cells are read twice. From above, the masses of a cell go to its two ends so that
// both the P- and the Q-mass are preserved: the original is a post-processing of that pair
// on the grid, which is composed like a lattice (leaf.upper), but bounds from above only: its masses, and
// those of products, are rounded by prefix sums (theorems.md, "Moving P-mass up"). From below, the cells
// themselves are the outcomes of a post-processing of the original, and what is composed
// is the two masses of groups of them (leaf.lower). Mass above the last point is kept
// apart.
package pld
