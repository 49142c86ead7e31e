// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package replicas bounds the privacy profile of matrix mechanisms whose records take part in steps at random, by
// moments of the ratio given a sum.
//
// P is the mean over patterns π of N(Σ_{t∈π} c_t, I), Q is N(0, I). With S = dP/dQ, δ_remove = E(S − e^ε)₊ and δ_add =
// E(1 − e^ε·S)₊ under Q. Replicas are independent copies π_1 … π_j of the pattern:
//
//	E S^j = E exp(Σ_{i<k} ⟨Σ_{t∈π_i} c_t, Σ_{t∈π_k} c_t⟩),
//
// a sum along the steps over how many replicas are where in their walk. A normal variable X that moves by τ with each
// step of the record, |π|·τ in all, is seen with the rest: E[S^j; X near x] needs the same sum by the number of steps
// of all replicas. In each cell of X, (S − γ)₊ is at most a polynomial of S, and at least another one.
//
// See docs/theorems.md, Moments of replicas given a sum.
package replicas
