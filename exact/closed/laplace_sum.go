package closed

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// MaxLaplaceTerms bounds k in LaplaceSum, whose cost grows as k².
const MaxLaplaceTerms = 200

// LaplaceSum returns the privacy profile of k copies of (Lap(x, 1), Lap(0, 1)),
// x = shift > 0, 1 ≤ k ≤ MaxLaplaceTerms, as a finite sum.
//
// Derivation. The loss L of one copy has under P an atom 1/2 at x, an atom e^(−x)/2
// at −x and the density e^((l−x)/2)/4 between. Multiplied by e^(−L/2) this is
// e^(−x/2)/2 times a symmetric measure: unit atoms at ±x and the density 1/2 on
// (−x, x). So with S the sum of k independent variables,
//
//	δ_k(ε) = e^(−kx/2)·2^−k·∫ (e^(t/2) − e^(ε−t/2))₊ dν^{*k}(t),  ν = atoms + density.
//
// The transform ∫ e^(−ts) dν is e^(xs) + e^(−xs) + (e^(xs) − e^(−xs))/(2s). In its k-th
// power, the term with c densities and k − c pairs of atoms is, with z = e^(−2xs),
// e^(kxs)·(1 + z)^(k−c)·(1 − z)^c/(2s)^c = Σ_m K_m(c)·e^(−τ_m s)/(2s)^c, where τ_m = (2m − k)x
// and K_m(c) = [z^m](1−z)^c(1+z)^(k−c). These are atoms at τ_m for c = 0, and for c ≥ 1
// the functions 2^−c·(t − τ_m)₊^(c−1)/(c−1)!, whose sum over m vanishes beyond kx.
// Integrating each up to kx,
//
//	δ_k(ε) = e^(−kx/2)·2^−k·Σ_c C(k,c)·2^−c·Σ_m K_m(c)·J_{c,m},
//	J_{0,m} = (e^(τ/2) − e^(ε−τ/2))₊,
//	J_{c,m} = ∫_lo^{kx} (t−τ)^(c−1)/(c−1)!·(e^(t/2) − e^(ε−t/2)) dt, lo = max(ε, τ),
//
// and with y = (t − τ)/2, ∫ y^(c−1)/(c−1)!·e^(±y) dy in terms of
//
//	R_c(y) = e^y·Σ_{i<c}(−y)^i/i!,   S_c(y) = e^(−y)·Σ_{i<c} y^i/i!,
//	J_{c,m} = 2^c·{ (−1)^(c−1)·e^(τ/2)·[R_c(U) − R_c(u)] − e^(ε−τ/2)·[S_c(u) − S_c(U)] },
//	u = (lo − τ)/2, U = (kx − τ)/2.
//
// The sum over m alternates and loses one to two bits per copy, which Refine
// restores. The partial sums R_c, S_c are carried from c to c+1 for all m at once,
// and so are the K_m(c), so that the cost is O(k²) operations.
func LaplaceSum(ctx context.Context, p interval.Prec, shift *big.Rat, k int64, eps interval.Real) (interval.Interval, error) {
	return LaplaceSumFew(ctx, p, shift, k, k+1, eps)
}

// LaplaceSumFew returns the terms of LaplaceSum with fewer than few densities, c < few: what
// the outcomes with at most few − 1 losses other than ±x add to the profile. Its cost
// grows as k·few, and k may be larger than MaxLaplaceTerms.
//
// Requires: 1 ≤ few ≤ k + 1.
func LaplaceSumFew(ctx context.Context, p interval.Prec, shift *big.Rat, k, few int64, eps interval.Real) (interval.Interval, error) {
	var err error
	y := p.Refine(p+interval.Prec(2*few)+64, limit(p)+interval.Prec(8*k), func(w interval.Prec) interval.Interval {
		z, e := laplaceSum(ctx, w, shift, k, few, eps(w))
		if e != nil {
			err = e
		}
		return z
	})
	return y, err
}

// laplaceState is what is carried along c for one m.
type laplaceState struct {
	scaleR, scaleS interval.Interval // e^(τ/2) and e^(ε−τ/2)
	lower, upper   partialSums       // at u and at U
}

// partialSums of R and S: the sums without their factors e^(±y), and the last
// term y^(c−1)/(c−1)!.
type partialSums struct {
	y, ey, emy interval.Interval
	r, s, term interval.Interval
}

func newPartialSums(w interval.Prec, y interval.Interval) partialSums {
	return partialSums{y: y, ey: w.Exp(y), emy: w.Exp(y.Neg()), r: one, s: one, term: one}
}

// next goes from c to c+1.
func (p *partialSums) next(w interval.Prec, c int64) {
	p.term = w.Div(w.Mul(p.term, p.y), interval.Int(c))
	p.s = w.Add(p.s, p.term)
	if c&1 == 1 {
		p.r = w.Sub(p.r, p.term)
	} else {
		p.r = w.Add(p.r, p.term)
	}
}

func laplaceSum(ctx context.Context, w interval.Prec, shift *big.Rat, k, few int64, e interval.Interval) (interval.Interval, error) {
	x := w.Rat(shift)
	kx := w.Mul(interval.Int(k), x)
	unit := interval.Union(zero, one)
	if e.Less(kx) == interval.Unknown {
		// ε is next to the largest loss kx; no loss L ≤ kx weighs more than 1 − e^(ε−kx).
		return interval.Max(zero, w.Expm1(w.Sub(e, kx)).Neg()), nil
	}
	if e.Less(kx) == interval.False {
		return zero, nil
	}
	states := make([]laplaceState, k+1)
	sum := zero          // over c of C(k,c)·Σ_m K_m(c)·J_{c,m}/2^c
	kraw := binomials(k) // K_m(0) = C(k, m)
	for m := range states {
		tau := w.Mul(interval.Int(2*int64(m)-k), x)
		st := &states[m]
		st.scaleR = w.Exp(w.Scale(tau, -1))
		st.scaleS = w.Exp(w.Sub(e, w.Scale(tau, -1)))
		j := interval.Max(zero, w.Sub(st.scaleR, st.scaleS))
		sum = w.Add(sum, w.Mul(w.BigInt(kraw[m]), j))
		lo := interval.Max(e, tau)
		st.lower = newPartialSums(w, w.Scale(w.Sub(lo, tau), -1).AtLeastZero())
		st.upper = newPartialSums(w, w.Scale(w.Sub(kx, tau), -1).AtLeastZero())
	}
	choose := big.NewInt(1)
	for c := int64(1); c < few; c++ {
		if err := ctx.Err(); err != nil {
			return unit, err
		}
		choose.Mul(choose, big.NewInt(k-c+1))
		choose.Quo(choose, big.NewInt(c))
		krawtchoukStep(kraw)
		row := zero
		for m := range states {
			st := &states[m]
			if kraw[m].Sign() != 0 {
				r := w.Sub(w.Mul(st.upper.ey, st.upper.r), w.Mul(st.lower.ey, st.lower.r))
				s := w.Sub(w.Mul(st.lower.emy, st.lower.s), w.Mul(st.upper.emy, st.upper.s))
				j := w.Mul(st.scaleR, r)
				if c&1 == 0 {
					j = j.Neg()
				}
				j = w.Sub(j, w.Mul(st.scaleS, s))
				row = w.Add(row, w.Mul(w.BigInt(kraw[m]), j))
			}
			st.lower.next(w, c)
			st.upper.next(w, c)
		}
		sum = w.Add(sum, w.Mul(w.BigInt(choose), row))
	}
	d := w.Mul(sum, w.Exp(w.Scale(kx, -1).Neg()))
	d = w.Scale(d, int(-k))
	z, ok := interval.Intersect(d, unit)
	if !ok {
		panic("closed: internal error: LaplaceSum outside [0, 1]")
	}
	return z, nil
}

// binomials returns C(k, m) for m = 0 … k.
func binomials(k int64) []*big.Int {
	out := make([]*big.Int, k+1)
	for m := range out {
		out[m] = new(big.Int).Binomial(k, int64(m))
	}
	return out
}

// krawtchoukStep turns the coefficients of (1−z)^c(1+z)^(k−c) into those for c+1, by
// an exact division by 1 + z and a multiplication by 1 − z: with a = b·(1 + z), b_m =
// a_m − b_{m−1}, and the new coefficient is b_m − b_{m−1}.
func krawtchoukStep(a []*big.Int) {
	prev := new(big.Int) // b_{m−1}
	for _, x := range a {
		b := new(big.Int).Sub(x, prev)
		x.Sub(b, prev)
		prev = b
	}
}
