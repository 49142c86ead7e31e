// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package adversary bounds compositions whose steps are chosen from a family, in view of all earlier outputs, by
// backward induction.
//
// Let each of n steps be one of the pairs (P_θ, Q_θ). The greatest δ of an adaptive choice is V_n(α), α = e^ε, with
//
//	V_0(α) = (1 − α)₊,  V_n(α) = max_θ E_{P_θ} V_{n−1}(α·Q_θ/P_θ),
//
// since after an output the ratio of the two masses so far is all that matters of it. V_n is convex and falls. See
// docs/theorems.md, *An adversary who chooses in each step*.
//
// # Grids
//
// Ratios are on a grid α_m = e^(mΔ). A pair on the grid has P-masses p_k at losses kΔ and p_∞ at infinite loss, and
// the profile f(α) = Σ p_k·(1 − α/α_k)₊ + p_∞. Of pairs on the grid V_n at a point of the grid is a convolution,
//
//	V_n(α_m) = max_θ Σ_k p_k·V_{n−1}(α_{m−k}) + p_∞.
//
// Above: each pair of the family is replaced by one on the grid whose profile is not below its own (the chords of its
// profile), and below by one whose profile is not above: E_P V(αQ/P) rises with the profile for every convex V that
// falls. See [Table].
//
// # Rounding
//
// Convolutions are by transforms in float64, with a bound of their error from docs/theorems.md, *Convolutions by
// transforms in float64*. Errors count against the greatest values; so that they are small against a small δ, values
// are multiplied by e^(λmΔ), for a λ that is about the best order of a moment.
package adversary
