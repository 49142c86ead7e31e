// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// Logistic is (Logistic(x, 1), Logistic(0, 1)) with x = Shift > 0, noise with the distribution function σ(y) = 1/(1 +
// e^−y).
//
// Claim. It dominates every pair of x-bounded range, log P/Q ∈ [t − x, t] for some t ∈ [0, x], and hence the
// exponential mechanism with ε = x:
//
//	H_α ≤ H_α(TwoPoint{t, x−t}) ≤ sup_y σ(y+x) − α·σ(y) = H_α(Logistic).
//
// Proof. P/Q has the mean 1 under Q and lies in [e^{t−x}, e^t]. H_α = E_Q[(P/Q − α)₊] is convex in P/Q, so it is
// greatest where all mass is on the two ends. These two points are a choice between two candidates, (σ(y+x), σ(−y−x))
// against (σ(y), σ(−y)), for the y with σ(y+x)/σ(y) = e^t. The logistic density is log-concave. So the sets L > ε of
// its shift are half-lines, which have these probabilities. ∎
//
// Attained: every 0 < t < x belongs to an exponential mechanism with two candidates. So the profile is attained, each
// ε by another t. The profile of a composition is not.
type Logistic struct {
	mirrored
	Shift *big.Rat
}

func (l Logistic) String() string { return fmt.Sprintf("Logistic(%s)", l.Shift.RatString()) }

// Reverse is the pair itself: for noise of a symmetric density f, x ↦ Δ − x maps f(x) to f(x − Δ) and back.
func (l Logistic) Reverse() Pair           { return l }
func (Logistic) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (l Logistic) reach() reach            { return upTo(RatLoss(l.Shift)) }
