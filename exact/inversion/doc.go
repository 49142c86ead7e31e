// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package inversion computes privacy profiles by certified Laplace inversion of the moment transform,
// to any number of digits.
//
// For a pair (P, Q) with loss L = log dP/dQ let
//
//	M(s) = Σ_{p,q>0} p^{1−s}q^s = E_P[e^{−sL}; L finite],  d(ε) = E_P[(1 − e^{ε−L})₊; L finite],
//
// so that δ(ε) = d(ε) + P(L = ∞). For Re s < 0,
//
//	∫ e^{−sε}·d(ε) dε = M(s)/(s(s − 1)),
//
// because ∫_{−∞}^L e^{−sε}(1 − e^{ε−L}) dε = e^{−sL}·(−1/s + 1/(s−1)).
//
// Let s_j = −λ + ijh with λ > 0 and T = 2π/h.
// The function e^{λε}·d(ε) is continuous and falls exponentially on both sides.
// Its Fourier transform M(s)/(s(s−1)) is summable. So Poisson's summation formula says
//
//	S := (1/T)·Σ_{j∈ℤ} e^{s_j ε}·M(s_j)/(s_j(s_j − 1)) = Σ_{m∈ℤ} e^{λmT}·d(ε + mT)    (1)
//
// [Zhu, Dong & Wang 2022, Algorithm 1 and Chourasia et al. 2024, (37), made rigorous].
// The transform of a product is the product of the transforms of its factors.
//
// A computed sum differs from d(ε) by the terms m < 0 of (1), by the terms m > 0, and by the terms of the sum that
// are left out. Package aliases bounds these. The values of M are enclosures.
//
// # Choosing and bounding
//
// Files named guess_*.go choose parameters and starts of searches in float64, and bound nothing.
// Whatever they choose, parameters.valid holds, and the bounds are about the parameters that come out.
//
// # Words of this package
//
//   - factor: a pair, through its transform; term: a factor with the number of its copies.
//   - line: M(s_j)/(s_j(s_j − 1)) at j = 0 … n, for one λ and one T.
//   - far: the index from which on decays show that |M| is small; the terms between n and far are bounded one by one.
//   - decay: a bound of |M(−λ + it)|/M(−λ) over a range of t; sizes: such bounds at the points of a line.
//   - lost: the P-mass of outcomes that a transform leaves out.
//   - row: a number x = i/8; window: the rows outside of which an integrand is small; reach: a bound of its slope.
//   - strip: |Im z| ≤ b, where an integrand is analytic; shifted: integrated along Im z = ±b in place of the real line.
//   - taper: weights that end a line whose |M| falls late; edge: the end of the losses of a product, where d is not
//     analytic; continuation: d as an analytic function away from the edge.
//   - mirror: the transform of the reversed product, where δ(ε) is computed by δ(−ε) of (Q, P).
//   - limited: atoms keep |M| from falling below some number, so δ has so many digits and no more.
//   - coarse: the 64 bits at which errors are bounded; double: in intervals of float64;
//     words: in three words of package fixed.
//   - neighbourhood: a range of ε that has a line in common; quantum: the logarithm of its length;
//     steep: δ falls by too much over it for one line.
//   - saddle point: the λ at which log M(−λ) − λε is least; near: about a wanted ε.
//   - bulk: a product without outcomes too rare to matter at a δ; jump: a rare loss so large that it alone exceeds ε.
package inversion
