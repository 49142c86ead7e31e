// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package divisor bounds vectors of discrete Gaussian noise, shifted by an unknown vector of integers, by noise in one
// dimension.
//
// Let X have independent entries with masses ∝ e^(−x²/2σ²) on the integers, and let X + s be told from X, where s is an
// integer vector with |s|² = n and g is the greatest common divisor of its entries. The loss at x is (2T − n)/2σ² with
// T = Σ s_i·x_i. So only the law of T matters, and that of T + n.
//
// Theorem. For Λ* the projection of the integer vectors on the complement of s, and H = Σ_{w ∈ Λ*∖0} e^(−2π²σ²|w|²) <
// 1,
//
//	(1 − H)/(1 + H)·p(t) ≤ P(T = t) ≤ (1 + H)/(1 − H)·p(t),   t ∈ gℤ,
//
// where p is the law of g times a discrete Gaussian of variance nσ²/g². Which s it is matters no more than that:
// nearly all depends on its common divisor. Proof. Integer vectors x with Σ s_i·x_i = t are (t/n)·s + v, where v is
// in a coset of the lattice Λ of integer vectors orthogonal to s. So P(T = t) is a constant times e^(−t²/2σ²n)·Σ_v
// e^(−|v|²/2σ²). The dual of Λ is Λ*, and by Poisson's formula the sum is a constant times 1 + η, |η| ≤ H. ∎
//
// Lemma. For each s with |s|² ≤ n, and a = 2π²σ² ≥ b > 0, H ≤ √(an/π)·e^(−(a−b)/n)·θ(b)^n, θ(b) = Σ_j e^(−bj²).
// Proof. H is that of s/g, whose norm is no greater, and the bound rises with n; so let g = 1. Integer vectors z that
// are no multiples of s have a projection w ≠ 0 with |w|² = |z|² − ⟨z, s⟩²/n > 0, so that |w|² ≥ 1/n. Those with the
// same w are z + ms for integers m. So √(π/an)·e^(−a|w|²) is the integral of Σ_m e^(−a|z + ms + ys|²) over 0 ≤ y ≤ 1,
// and
//
//	H = √(an/π)·∫ Σ_z e^(−a|z + ys|²) dy ≤ √(an/π)·e^(−(a−b)/n)·∫ Π_i Σ_j e^(−b(j + y·s_i)²) dy,
//
// since |z + ys|² ≥ |w|² ≥ 1/n. By Poisson's formula each factor is greatest where y·s_i is an integer, and there are
// at most n of them. ∎
package divisor

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Under replaces factors that stand for vectors of discrete Gaussian noise of any length by pairs that dominate them
// and are attained but for a small probability. The greatest profile of the products is the bound. It reports false
// where there is no such factor, or no such pair.
//
// The law of T + n under s is at least (1 − H)/(1 + H) =: 1 − κ times its law in one dimension. So 1 − δ(ε), the mean
// of min(1, e^(ε−L)), is at least 1 − κ times that in one dimension, and δ(ε) ≤ κ + (1 − κ)·δ_g(ε) at every real ε.
// That is the profile of one-dimensional noise beside an output that names the data with probability κ.
func Under(prod pair.Product) ([]pair.Product, bool) {
	if z, ok := single(prod); ok {
		return classes(z)
	}
	out, some := make(pair.Product, len(prod)), false
	for i, t := range prod {
		out[i] = t
		x, changed, ok := under(t.Pair)
		if !ok {
			return nil, false
		}
		out[i].Pair, some = x, some || changed
	}
	return []pair.Product{out}, some
}

// single is the only factor of a product.
func single(prod pair.Product) (pair.ZCDP, bool) {
	if len(prod) != 1 || prod[0].Count != 1 {
		return pair.ZCDP{}, false
	}
	z, ok := prod[0].Pair.(pair.ZCDP)
	return z, ok
}

// under replaces a factor, and reports whether it has changed, and whether it could if it should.
func under(x pair.Pair) (_ pair.Pair, changed, ok bool) {
	switch x := x.(type) {
	case pair.ZCDP:
		of, ok := classes(x)
		return pair.Maximum{Of: of}, ok, ok
	case pair.Sampled:
		of, ok := Under(x.Base)
		if !ok {
			return x, false, true
		}
		if x.Base = of[0]; len(of) > 1 {
			x.Base = pair.Copies(pair.Maximum{Of: of}, 1)
		}
		return x, true, true
	}
	return x, false, true
}

const (
	// maxNorm bounds n: all its divisors are looked at.
	maxNorm = 1 << 36
	// leastDefect is 2^−leastDefect, the least κ that is told from less.
	leastDefect = 600
)

// classes are the pairs of vectors of one kind, by their common divisor, the ones with the greatest first.
func classes(z pair.ZCDP) (out []pair.Product, ok bool) {
	if z.Noise == nil {
		return nil, false
	}
	twice := new(big.Rat).Add(z.Noise, z.Noise)
	norm := new(big.Rat).Mul(z.Rho, twice)
	divisors := Squares(norm.Num())
	if !norm.IsInt() || len(divisors) == 0 {
		return nil, false
	}
	n := norm.Num().Int64()
	kappa, ok := defect(z.Noise, n)
	if !ok {
		return nil, false
	}
	for _, g := range divisors {
		square := big.NewRat(n/(g*g), 1)
		out = append(out, pair.Product{
			{Pair: pair.DiscreteGaussian{Sigma2: square.Mul(square, z.Noise), Sensitivity: n / g}, Count: 1},
			{Pair: pair.Response{Eps: new(big.Rat), Delta: kappa}, Count: 1},
		})
	}
	return out, true
}

// Squares are the g > 0 whose squares divide n, 1 first; none if n is not small.
func Squares(norm *big.Int) (out []int64) {
	if !norm.IsInt64() || norm.Int64() > maxNorm {
		return nil
	}
	n := norm.Int64()
	for g := int64(1); g*g <= n; g++ {
		if n%(g*g) == 0 {
			out = append(out, g)
		}
	}
	return out
}

// defect bounds κ = 1 − (1 − H)/(1 + H) ≤ 2H for all s with |s|² ≤ n, by the lemma at b = log 4n. It reports false
// where κ may be above 1/16, and nothing is gained.
func defect(sigma2 *big.Rat, n int64) (*big.Rat, bool) {
	const w = interval.Prec(96)
	a := w.Mul(w.Scale(w.Sqr(w.Pi()), 1), w.Rat(sigma2))
	b := w.Log(interval.Int(4 * n))
	if a.Less(b) != interval.False {
		return nil, false
	}
	// θ(b) ≤ 1 + 2e^(−b)/(1 − e^(−3b)), as j² ≥ 1 + 3(j − 1); e^(−b) = 1/4n.
	e := w.Rat(big.NewRat(1, 4*n))
	ratio := w.Sub(interval.Int(1), w.Mul(e, w.Sqr(e)))
	theta := w.Log1p(w.Scale(w.Div(e, ratio), 1))
	power := w.Sub(w.Mul(interval.Int(n), theta), w.Div(w.Sub(a, b), interval.Int(n)))
	root := w.Scale(w.Log(w.Div(w.Mul(a, interval.Int(n)), w.Pi())), -1)
	kappa := w.Scale(w.Exp(w.Add(power, root)), 1)
	if kappa.LessRat(big.NewRat(1, 16)) != interval.True {
		return nil, false
	}
	return rounded(kappa), true
}

// rounded is a number of few digits above y < 1, at least 2^−leastDefect.
func rounded(y interval.Interval) *big.Rat {
	exponent := max(y.Hi().MantExp(nil), -leastDefect)
	return interval.Pow2(exponent)
}
