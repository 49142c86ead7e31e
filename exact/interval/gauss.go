// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"sync/atomic"

	"dpverify/exact/kernel"
)

// A gauss is the argument √a of an error function, √a = x·2^(−half/2) > 0.
type gauss struct {
	x    *big.Float
	half int
	a    *big.Float // a = x²·2^−half exactly; nil when x is too large
}

// tooLarge is the exponent of x from which e^−a is out of range: x ≥ 2^15 gives
// a ≥ 2^29.
const tooLarge = 16

func newGauss(x *big.Float, half int) gauss {
	g := gauss{x: x, half: half}
	if !x.IsInf() && x.MantExp(nil) < tooLarge {
		a := new(big.Float).SetPrec(2*x.Prec()).Mul(x, x)
		g.a = a.SetMantExp(a, -half)
	}
	return g
}

// root encloses √a.
func (p Prec) root(g gauss) Interval {
	x := Interval{g.x, g.x}
	if g.half == 0 {
		return x
	}
	return p.Div(x, p.kept(&keptRootTwo, func() Interval { return p.Sqrt(Int(2)) }))
}

var keptRootTwo [maxKept]atomic.Pointer[Interval]

// erfSmall encloses erf(√a) = (2/√π)·√a·e^−a·S(a) for a ≤ 1/4
// (Abramowitz & Stegun 7.1.6).
func (p Prec) erfSmall(g gauss) Interval {
	q := p + 8
	w := int(q) + 8
	lo, hi := erfSeries(g.a, w, -1)
	s := q.fromFixed(lo, hi, w)
	c := q.Div(Int(2), q.Sqrt(q.Pi()))
	return p.Mul(q.Mul(c, q.root(g)), q.Mul(s, q.expPoint(new(big.Float).Neg(g.a))))
}

// erfSeries returns lo ≤ S(a)·2^w ≤ hi for S(a) = Σ_{n≥0} (2a)^n/(2n+1)!!, from
// the sum of the given degree or, for degree < 0, of all terms that do not
// vanish.
//
// Requires: 0 ≤ a ≤ 1/4.
//
// Let A = ⌊2a·2^w⌋, α = A·2^−w/2 ≤ a, and τ_n = 2^w(2α)^n/(2n+1)!!. The computed
// T_n = ⌊T_{n−1}·A/(2^w(2n+1))⌋, T_0 = 2^w, fall short of τ_n by e_n with e_0 = 0 and
// 0 ≤ e_n < e_{n−1}·2α/(2n+1) + 1 ≤ e_{n−1}/6 + 1, so e_n < 6/5. The first N+1 terms
// together err by less than (6/5)N; the terms left out sum to at most
// τ_{N+1}(1 + 1/6 + …) = (6/5)τ_{N+1} < 2T_{N+1} + 2.
// From α to a: S′ ≤ S because n·2(2a)^(n−1)/(2n+1)!! ≤ (2a)^(n−1)/(2n−1)!!, and
// S ≤ e^a ≤ 4/3; as a − α < 2^−w/2, S(a) exceeds S(α) by less than one unit.
func erfSeries(a *big.Float, w, degree int) (lo, hi *big.Int) {
	A := kernel.Floor(a, w+1)
	term := new(big.Int).Lsh(oneInt, uint(w))
	lo = new(big.Int)
	t, d := new(big.Int), new(big.Int)
	n := 0 // terms summed
	for ; n == 0 || n <= degree || degree < 0 && term.Sign() > 0; n++ {
		lo.Add(lo, term)
		t.Rsh(t.Mul(term, A), uint(w))
		term.Quo(t, d.SetInt64(int64(2*n+3)))
	}
	// N = n − 1 and term = T_{N+1}.
	hi = t.Lsh(term, 1)
	hi.Add(hi, lo)
	return lo, hi.Add(hi, d.SetInt64(int64(2*(n-1)+3)))
}
