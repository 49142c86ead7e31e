// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
)

// aliases bounds S − δ(ε) for the sum (1) over all nodes:
//
//	0 ≤ S − δ(ε) ≤ Σ_{t≥1} e^(−atA) + Σ_{t≥1} e^(atA − (ε + tA − ρ′)²/4ρ′),   if ε + A ≥ ρ′.
//
// Proof. (1/N)·Σ_j e^(iu_j·k/M) is 1 if N divides k, and otherwise 0. So S = Σ_t e^(atA)·Σ_{l ≥ l₁} w(l)·P(L = l +
// tA). The term t = 0 is δ(ε), and the others are at least 0. For t < 0 the inner sum is at most 1. For t > 0 it is
// at most P(L ≥ ε + tA), which by Chernoff's bound with E e^(λL) ≤ e^(λ(λ+1)ρ′), λ ≥ 0, is at most e^(−(ε + tA −
// ρ′)²/4ρ′). That bound of the moment holds for discrete Gaussians with ρ, since Σ_k e^(−ρ_i(k − z)²/2) is a cosine
// series in z with positive coefficients (Poisson), which is greatest at z = 0, and for a pair whose losses are at
// most η in modulus with η²/2 [BS16, Proposition 3.3]. ∎
//
// The terms of the second sum have ratios that fall: the first is e^(aA − A(2(ε + A − ρ′) + A)/4ρ′) = r. If r < 1/2,
// the sum is at most twice its first term; otherwise the bound is ∞.
func (x *law) aliases(w interval.Prec, a int64, period *big.Rat, e interval.Interval) interval.Interval {
	rho, length, tilt := w.Rat(x.moments), w.Rat(period), interval.Int(a)
	if w.Sub(w.Add(e, length), rho).Negative() != interval.False {
		return interval.PosInf()
	}
	fall := w.Mul(tilt, length)
	first := w.Exp(fall.Neg())
	if first.LessRat(big.NewRat(1, 2)) != interval.True {
		return interval.PosInf()
	}
	four := w.Scale(rho, 2)
	beyond := w.Sub(w.Add(e, length), rho)
	ratio := w.Sub(fall, w.Div(w.Mul(length, w.Add(w.Scale(beyond, 1), length)), four))
	if w.Exp(ratio).LessRat(big.NewRat(1, 2)) != interval.True {
		return interval.PosInf()
	}
	right := w.Exp(w.Sub(fall, w.Div(w.Sqr(beyond), four)))
	return w.Add(w.Scale(first, 1), w.Scale(right, 1))
}

// scale encloses e^(a(a+1)ρ + a(Λ − l₁))·ΠW_k^(m_k), the factor of the sum (1).
func (x *law) scale(w interval.Prec, a int64, level *big.Rat) interval.Interval {
	power := new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(a), big.NewInt(a+1)))
	power.Mul(power, x.rho)
	y := w.Exp(w.Rat(power.Add(power, new(big.Rat).Mul(big.NewRat(a, 1), new(big.Rat).Sub(x.least, level)))))
	for _, f := range x.steps {
		_, total := f.weights(w, a)
		y = w.Mul(y, w.PowInt(total, f.count))
	}
	return y
}

// dropped bounds what the nodes with |u_j| ≤ U contribute to (1)/scale that a sieve for T leaves out, which have Φ(u_j)
// ≤ e^(−T)·max(1, |u_j|).
//
// Let B be the bracket. |1 − g + x(g − e^(−1/M))| ≤ 1 − e^(−1/M) ≤ 1/M for |x| ≤ 1, as e^(−1/M) < g ≤ 1, is its
// numerator over the common denominator (1 − x)(1 − y). Two bounds follow, with G = e^((2a+1)/2M) and bracket:
//
//	|B| ≤ bracket;
//	|B| ≤ Gπ²M/4u²,      as |1 − re^(iθ)|² ≥ 4r·sin²(θ/2) ≥ 4rθ²/π² for |θ| ≤ π, and |u_j/M| ≤ π.
//
// At most A/π + 1 nodes have |u_j| < 1: they contribute at most e^(−T)·bracket·(A/π + 1)/N. The others contribute at
// most
//
//	e^(−T)·(Gπ²/4A)·Σ 1/|u_j| ≤ e^(−T)·(Gπ²/4A)·2(1 + (A/2π)·ln U) = e^(−T)·G·(π²/2A + (π/4)·ln U)
//
// if U ≥ 1, and nothing otherwise. On a coarse lattice, where G is large, the sum of all Φ in droppedSum times
// bracket/N is less. ∎
func (x *law) dropped(w interval.Prec, c choice) interval.Interval {
	length, pi := w.Rat(c.period), w.Pi()
	share := w.Div(x.bracket(w, c.tilt), w.BigInt(c.nodes))
	near := w.Mul(share, w.Add(w.Div(length, pi), interval.Int(1)))
	far := w.Scale(w.Div(w.Sqr(pi), length), -1)
	if reach := w.Log(c.height(w)); reach.Negative() != interval.True {
		far = w.Add(far, w.Mul(w.Scale(pi, -2), reach))
	}
	each := w.Mul(w.Exp(interval.Int(-c.sieve)), w.Add(near, w.Mul(x.growth(w, c.tilt), far)))
	return interval.Min(each, w.Mul(share, droppedSum(w, c)))
}

// bracket bounds |B|, which is greatest at u = 0, being a sum of positive terms there, and for the least g: by
//
//	b = (1 − e^(−1/M))/((1 − e^(−a/M))·(1 − e^(−(a+1)/M))).
func (x *law) bracket(w interval.Prec, a int64) interval.Interval {
	below := func(n int64) interval.Interval { // 1 − e^(−n/M)
		return w.Expm1(w.Rat(new(big.Rat).Quo(big.NewRat(-n, 1), x.fine))).Neg()
	}
	return w.Div(below(1), w.Mul(below(a), below(a+1))).Upper()
}

// growth encloses G = e^((2a+1)/2M).
func (x *law) growth(w interval.Prec, a int64) interval.Interval {
	return w.Exp(w.Rat(new(big.Rat).Quo(big.NewRat(2*a+1, 2), x.fine)))
}

// beyond bounds what all nodes with |u_j| > U contribute to (1)/scale, for 0 < U < πM, by the sum Σ of (1 −
// |u_j|/U)·Φ(u_j) over all nodes with |u_j| ≤ U:
//
//	5.6·G·(1 + 1/(1 − z²/6)²)·Σ/(A·U²),   z = U/2M, which is 11.2·G·Σ/(A·U²) on a fine lattice.
//
// So an error that is quadratic in 1/U takes no more than what is known up to U, however fine the lattice is.
//
// Proof. Let S = L − ρ, without a tilt: Φ(u) = E e^(iuS) > 0, and S is on ℤ/M. By what dropped says of the bracket, its
// modulus is at most G/(4M·sin²(u/2M)).
//
//  1. Let r = e^(−U/M) and P(u) = Σ_k r^|k|·e^(−iuk/M) = (1 − r²)/((1 − r)² + 4r·sin²(u/2M)) ≥ 0, Poisson's kernel. For
//     |u| ≥ U the ratio of 1/(4M·sin²(u/2M)) to P(u) is greatest at U, where it is (tanh(z)/sin²(z) +
//     2/sinh(2z))/4M. As tanh z ≤ z, sinh 2z ≥ 2z and sin z ≥ z − z³/6 > 0 for 0 < z ≤ π/2, it is at most C/U with
//     C = (1 + 1/(1 − z²/6)²)/2. So the nodes contribute at most
//
//     (G·C/U)·(1/N)·Σ_j Φ(u_j)·P(u_j) = (G·C/U)·Σ_k r^|k|·P(SM ≡ k mod N) = (G·C/U)·E Σ_m e^(−U·|S − mA|).
//
//  2. g(t) = (sin(Ut/2)/(Ut/2))² is at least 0, and at least (sin(π/4)/(π/4))² > 0.81 for |t| ≤ π/2U. By Poisson's
//     formula Σ_m g(t + mA) = (1/A)·Σ_{|u_j| ≤ U} (2π/U)·(1 − |u_j|/U)·e^(iu_j·t). As Φ > 0, the expected number of
//     m with |S − mA − t| ≤ π/2U is at most (1/0.81)·(2π/AU)·Σ, for every t: intervals of length π/U, one of them
//     about 0, have e^(−U|t|) ≤ 1, and e^(−(k − 1/2)π) on both sides for k ≥ 1, and 1 + 2e^(−π/2)/(1 − e^(−π)) < 1.435.
//
// Together (G·C/U)·1.435·(1/0.81)·(2π/AU)·Σ < 11.2·G·C·Σ/(AU²). ∎
func (x *law) beyond(w interval.Prec, c choice, sum interval.Interval) interval.Interval {
	if !c.partial() {
		return interval.Int(0)
	}
	u := c.height(w)
	ratio := poissonRatio(w, w.Scale(w.Div(u, w.Rat(x.fine)), -1))
	y := w.Mul(w.Mul(x.growth(w, c.tilt), ratio), w.Mul(w.Rat(big.NewRat(112, 10)), sum))
	return w.Div(y, w.Mul(w.Rat(c.period), w.Sqr(u)))
}

// poissonRatio encloses C of beyond, 0 < z ≤ π/2.
func poissonRatio(w interval.Prec, z interval.Interval) interval.Interval {
	one := interval.Int(1)
	least := w.Sub(one, w.Div(w.Sqr(z), interval.Int(6)))
	return w.Scale(w.Add(one, w.Div(one, w.Sqr(least))), -1)
}

// droppedSum bounds the sum of Φ(u_j) over the nodes with |u_j| ≤ U that a sieve for T leaves out: at most AU/π + 1,
// with at most e^(−T)·max(1, U).
func droppedSum(w interval.Prec, c choice) interval.Interval {
	u := c.height(w)
	count := w.Add(w.Div(w.Mul(w.Rat(c.period), u), w.Pi()), interval.Int(1))
	return w.Mul(w.Mul(count, interval.Max(u, interval.Int(1))), w.Exp(interval.Int(-c.sieve)))
}

// cut says down to which 2^−cut terms of theta functions are added up.
func (x *law) cut(c choice) int {
	copies := int64(0)
	for _, r := range x.releases {
		copies += r.count
	}
	return int(c.prec) + 8 + bits.Len64(uint64(copies))
}

// rounded bounds what the terms of theta functions that are left out contribute to (1)/scale, by twice the sum of all
// Φ(u_j) as they are computed.
//
// Each of the factors of Φ, and of the product of their values at 0 by which they are divided, lacks less than
// 2^(2−cut) of itself. With k copies and k·2^(2−cut) ≤ 2^−6 the quotient of the products is off by less than
// 2^(4−cut)·k ≤ 2^(−4−prec) of itself. The bound of the bracket does the rest.
func (x *law) rounded(w interval.Prec, c choice, sum interval.Interval) interval.Interval {
	return w.Scale(w.Div(w.Mul(x.bracket(w, c.tilt), sum), w.BigInt(c.nodes)), -4-int(c.prec))
}

// tail bounds δ(ε), which is at most P(L > ε), by Chernoff's bound: see aliases.
func (x *law) tail(e interval.Interval) interval.Interval {
	const w = interval.Prec(64)
	above := w.Sub(e, w.Rat(x.moments))
	if above.Negative() != interval.False {
		return interval.Int(1)
	}
	return w.Exp(w.Div(w.Sqr(above), w.Scale(w.Rat(x.moments), 2)).Neg())
}

// lack bounds 1 − δ(ε), ε ≥ 0. It is E_P min(1, e^(ε−L)) ≤ e^(θε)·E_P e^(−θL) for 0 ≤ θ ≤ 1, and E_P e^(−θL) is at most
// e^(−θ(1−θ)ρ) of discrete Gaussians (see aliases: the bound holds for any real λ), and at most 1 of what stands beside
// them, by Hölder's inequality. At θ = (1 − ε/ρ)/2, where ε ≤ ρ, that is e^(−(ρ−ε)²/4ρ).
func (x *law) lack(e interval.Interval) interval.Interval {
	const w = interval.Prec(64)
	under := w.Sub(w.Rat(x.rho), e)
	if under.Positive() != interval.True {
		return interval.Int(1)
	}
	return w.Exp(w.Div(w.Sqr(under), w.Scale(w.Rat(x.rho), 2)).Neg())
}
