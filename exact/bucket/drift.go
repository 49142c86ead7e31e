// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"dpverify/exact/interval"
)

// drift describes the misplacement D(x) of the events of a tree (see the package
// comment) under A and under B: enclosures of its means, and upper bounds s with
//
//	E[exp(λ(D − E[D]))] ≤ exp(λ²s²/2) for all real λ,
//
// which says that D deviates from its mean by more than d with probability at most
// exp(−d²/2s²), to either side (Chernoff). The worst case D = uη is what Definition
// 9 reckons with, and it takes one event in every factor that is as misplaced as
// possible.
//
//   - Leaf: 0 ≤ D ≤ η, so s = η/2 (Hoeffding's lemma).
//   - compose: D = D₁ + D₂ of independent parts: means add, and so do the s².
//   - Square: D = D₁ + η·[ι₁ odd]. The second summand is within [0, η], hence has s = η/2;
//     for dependent variables the s add: by Hölder's inequality, with p = (s₁ + s₂)/s₁
//     and q = (s₁ + s₂)/s₂, E[e^(λX)e^(λY)] ≤ E[e^(pλX)]^(1/p)·E[e^(qλY)]^(1/q) ≤ e^(λ²(p·s₁² + q·s₂²)/2),
//     and p·s₁² + q·s₂² = (s₁ + s₂)².
//
// D is defined on all events, ∞ included, where it does not matter what it is:
// leaves say 0, compositions and squarings go on as above.
type drift struct {
	meanA, meanB interval.Interval
	s2           interval.Interval // a point: s², for A and B
}

// driftPrec is enough: drift is a small correction.
const driftPrec = interval.Prec(64)

func (d drift) plus(e drift) drift {
	const w = driftPrec
	return drift{w.Add(d.meanA, e.meanA), w.Add(d.meanB, e.meanB), w.Add(d.s2, e.s2).Upper()}
}
