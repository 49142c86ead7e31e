// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"

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

// squared returns the drift of Square(t), given the sums of B and R over odd indices.
//
// From below, B and R (where R* ≤ P_B) count the masses of odd indices; from above,
// what is left of 1 without the masses of even ones and, for A, the known part of bucket ∞.
func (d drift) squared(t *Tree, oddB, oddR *big.Int) drift {
	const w = driftPrec
	prec := t.Prec()
	between := func(odd, sum *big.Int) interval.Interval {
		most := one(prec)
		most.Add(most.Sub(most, sum), odd)
		x := interval.Bounds(w.BigInt(odd).Lo(), w.BigInt(most).Hi())
		return w.Scale(x, -int(prec))
	}
	sum := t.b.v.Sum()
	a, b := between(oddB, sum.Add(sum, t.known())), between(oddR, t.r.v.Sum())
	eta := w.Rat(t.eta)
	s := w.Add(w.Sqrt(d.s2), w.Scale(eta, -1))
	return drift{w.Add(d.meanA, w.Mul(eta, a)), w.Add(d.meanB, w.Mul(eta, b)), w.Sqr(s).Upper()}
}

// leafDrift returns the drift of a leaf whose vectors are complete but for R(−n).
//
// For an event of bucket i > −n whose D is ιη − L, E = P_B − P_A/f^i is its virtual EC term,
// and P_A = ∫e^L dB = f^i·∫e^−D dB over the event, so that
//
//	E = ∫(1 − e^−D) dB,   f^i·E = ∫(e^D − 1) dA,
//
// and 0 ≤ D ≤ η gives D − D²/2 ≤ 1 − e^−D ≤ D and D ≤ e^D − 1 ≤ D + e^η·D²/2. With sums over
// events in i > −n,
//
//	ΣE ≤ E_B[D] ≤ ΣE + η²/2,   Σf^i·E − e^η·η²/2 ≤ E_A[D] ≤ Σf^i·E.
//
// An event with D = 0 instead has E ≥ 0, which keeps the bounds from above; for those
// from below its R = P_A/f^i stands for P_B, and counts 0. So V bounds ΣE and Σf^i·E from above and R
// from below, where P_A lies above B by no more in all than the finite buckets lack,
// 1 − ΣB − B(∞), in some bucket.
func (t *Tree) leafDrift() drift {
	const w = driftPrec
	zero := interval.Int(0)
	if t.u.Sign() == 0 {
		return drift{zero, zero, zero}
	}
	n, prec := t.n, t.Prec()
	v := workingPrec(prec) + 64
	// Σ m_i·e^(−siη) over i > −n
	weighted := func(m *masses, s int) interval.Interval {
		from, to := max(1-n, m.first), m.last()+1
		i := from
		if s < 0 {
			i = to - 1
		}
		if from >= to {
			return zero
		}
		return v.Mul(m.discounted(t.eta, from, to, s), power(v, times(-s*i, t.eta)))
	}
	lack := one(prec)
	lack.Sub(lack, t.b.v.Sum())
	lack.Sub(lack, t.known())
	lost := interval.Union(zero, v.BigInt(lack))
	// ΣE = ΣP_B − ΣP_A/f^i and Σf^i·E = Σf^i·P_B − ΣP_A
	between := func(lo, hi interval.Interval) interval.Interval { return interval.Bounds(lo.Lo(), hi.Hi()) }
	p, q := v.BigInt(t.b.sum(1-n, n+1)), between(v.BigInt(t.r.sum(1-n, n+1)), v.BigInt(t.v.sum(1-n, n+1)))
	pf := v.Add(weighted(t.b, 1), v.Mul(lost, power(v, times(n, t.eta))))
	qf := between(weighted(t.r, -1), weighted(t.v, -1))
	eB := w.Scale(w.Round(v.Sub(q, pf)), -int(prec))
	eA := w.Scale(w.Round(v.Sub(qf, v.Add(p, lost))), -int(prec))

	eta := w.Rat(t.eta)
	half := w.Scale(w.Sqr(eta), -1)
	// 0 ≤ D ≤ η, whatever the sums say.
	within := func(x interval.Interval) interval.Interval { return interval.Max(zero, interval.Min(x, eta.Upper())) }
	meanB := within(w.Add(eB, interval.Union(zero, half)))
	meanA := within(w.Sub(eA, interval.Union(zero, w.Mul(half, power(w, t.eta)))))
	return drift{meanA, meanB, w.Scale(w.Sqr(eta), -2).Upper()}
}
