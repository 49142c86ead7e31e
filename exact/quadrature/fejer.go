// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
)

// Fejer returns the nodes and weights of Fejér's first rule for ∫_{−1}^1 f(y) dy, n ≥ 1.
// With θ_k = (k + 1/2)π/n, k = 0 … n − 1,
//
//	y_k = cos θ_k, w_k = (2/n)·(1 − 2·Σ_{1≤i<(n+1)/2} cos(2iθ_k)/(4i² − 1)).
//
// The rule integrates the polynomial of degree < n through the f(y_k).
// Its Chebyshev coefficients are (2/n)·Σ_k f(y_k)·cos(jθ_k), and half of that for j = 0.
// ∫T_j is 2/(1 − j²) for even j and 0 for odd j.
//
// The weights are positive and add up to 2.
// As 2/(4i² − 1) = 1/(2i−1) − 1/(2i+1), less than 1 is subtracted in w_k; and f = 1 is integrated exactly.
//
// Errors: about 2^−p each. The sums are taken in fixed point, with integers I_i and C_m for which
// |I_i − 2^v·2/(4i²−1)| ≤ 1 and |C_m − 2^v·cos| ≤ e. In units of 2^−2v
//
//	|Σ I_i·C_m − 2^2v·Σ …| ≤ Σ (I_i·e + 2^v) ≤ (2^v + n)·e + n·2^v,
//
// as there are at most n terms, which without the cosines add up to less than 1.
func Fejer(p interval.Prec, n int) (nodes, weights []interval.Interval) {
	return fixedFejer(p, n, int(p)+2*bits.Len(uint(n))+8)
}

// fixedFejer is Fejer in scale v.
func fixedFejer(p interval.Prec, n, v int) (nodes, weights []interval.Interval) {
	w := p + interval.Prec(2*bits.Len(uint(n))) + 8
	cos, fixedCos := make([]interval.Interval, 2*n), make([]*big.Int, 4*n) // cos(mπ/2n), C_m
	quarter := (w + 8).Div((w + 8).Pi(), interval.Int(int64(2*n)))
	worst := new(big.Int)
	for m := range cos {
		cos[m] = w.Cos((w + 8).Mul(interval.Int(int64(m)), quarter))
		c, e := Integer(cos[m], v)
		fixedCos[m], fixedCos[m+2*n] = c, new(big.Int).Neg(c) // cos is odd about m = 2n
		if e.Cmp(worst) > 0 {
			worst = e
		}
	}
	inverse := make([]*big.Int, (n+1)/2) // I_i
	for i := range inverse {
		inverse[i] = new(big.Int).Lsh(big.NewInt(2), uint(v))
		inverse[i].Div(inverse[i], big.NewInt(int64(4*i*i-1)))
	}
	size, unit := big.NewInt(int64(n)), new(big.Int).Lsh(big.NewInt(1), uint(v))
	err := new(big.Int).Mul(new(big.Int).Add(unit, size), worst)
	err.Add(err, size.Mul(size, unit))
	scale := w.Rat(big.NewRat(2, int64(n)))
	nodes, weights = make([]interval.Interval, n), make([]interval.Interval, n)
	var term big.Int
	for k := range nodes {
		nodes[k] = p.Round(cos[2*k+1])
		if mirror := n - 1 - k; mirror < k {
			weights[k] = weights[mirror]
			continue
		}
		sum := new(big.Int)
		for i := 1; i < len(inverse); i++ {
			sum.Add(sum, term.Mul(inverse[i], fixedCos[2*i*(2*k+1)%(4*n)]))
		}
		weights[k] = p.Mul(scale, w.Sub(interval.Int(1), w.FromFixed(sum, err, 2*v)))
	}
	return nodes, weights
}

// FejerError bounds the error of the rule with n nodes for a function that is analytic on and inside the ellipse
// y = (z + 1/z)/2, |z| = ρ > 1, and at most sup in modulus there.
//
// Lemma. The error is at most 8·sup·ρ^−n/(1 − 1/ρ).
//
// Proof. The function is Σ a_j·T_j with |a_j| ≤ 2·sup·ρ^−j for j ≥ 1 [Bernstein 1912; Trefethen 2013, Theorem 8.1].
// The rule is exact for j < n. For the others, |∫T_j| ≤ 2.
// The value of the rule for T_j is also at most 2, because the weights are positive and add up to 2.
// So the error is at most Σ_{j≥n} 4·|a_j| ≤ 8·sup·Σ_{j≥n} ρ^−j.
func FejerError(sup, rho interval.Interval, n int) interval.Interval {
	y := coarse.Div(coarse.Scale(sup, 3), coarse.PowInt(rho, int64(n)))
	return upper(coarse.Div(y, coarse.Sub(interval.Int(1), coarse.Inv(rho))))
}

// FejerNodes returns about the number of nodes with which FejerError is at most goal.
func FejerNodes(sup, rho, goal interval.Interval) int64 {
	n, _ := coarse.Div(coarse.Log(coarse.Div(FejerError(sup, rho, 0), goal)), coarse.Log(rho)).Hi().Int64()
	return max(n, 1) + 1
}
