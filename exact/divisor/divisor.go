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
//
// Few vectors are looked at one by one. With ψ(y) = Σ_j e^(−a(j + y)²) and any N ≥ 1,
//
//	1 + H ≤ √(2πn)·σ·(1/gN)·Σ_{0 ≤ j < N} Π_i ψ(s_i·j/N):
//
// by Poisson's formula √(2π)σ·ψ(y) is Σ_x e^(−x²/2σ²)·cos 2πxy, so that the sum, times (√(2π)σ)^k for k entries, is Σ
// e^(−|x|²/2σ²) over the integer vectors x for which N divides Σ s_i·x_i. Those with Σ s_i·x_i = 0 are Λ, and have
// (√(2π)σ)^(k−1)·g·(1 + H)/√n of it.
package divisor

import (
	"math/big"
	"slices"

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
	if z, ok := pair.Single[pair.ZCDP](prod); ok {
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
	if one, better := listed(z.Noise, n); better && (!ok || one.Cmp(kappa) < 0) {
		kappa, ok = one, true
	}
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

const (
	// maxListed bounds the vectors that are looked at one by one, and maxNodes N.
	maxListed = 100
	maxNodes  = 4096
	// listedBits is the precision for that.
	listedBits = interval.Prec(160)
)

// listed bounds κ by the greatest H of all s with |s|² = n. It reports false where that are many, or κ may be above
// 1/16.
func listed(sigma2 *big.Rat, n int64) (*big.Rat, bool) {
	const w = listedBits
	noise := new(big.Rat).Mul(sigma2, big.NewRat(n, 1))
	if n > maxNodes || sigma2.Cmp(big.NewRat(1, 8)) < 0 || noise.Cmp(big.NewRat(maxNodes*maxNodes>>8, 1)) > 0 {
		return nil, false
	}
	var vectors [][]int64
	if !squares(nil, n, n, func(s []int64) bool {
		vectors = append(vectors, slices.Clone(s))
		return len(vectors) <= maxListed
	}) {
		return nil, false
	}
	root := w.Sqrt(w.Rat(noise))
	nodes := int64(2)
	// N ≥ 16σ√n, so that little else is a multiple of N.
	for w.Sub(interval.Int(nodes), w.Scale(root, 4)).Negative() != interval.False {
		nodes *= 2
	}
	psi := make([]interval.Interval, nodes/2+1)
	for j := range psi {
		psi[j] = newPsi(w, sigma2, big.NewRat(int64(j), nodes))
	}
	greatest := interval.Int(0)
	for _, s := range vectors {
		g := new(big.Int)
		for _, x := range s {
			g.GCD(nil, nil, g, big.NewInt(x))
		}
		sum := interval.Int(0)
		for j := range nodes/2 + 1 { // N − j has the same
			term := interval.Int(1)
			if j != 0 && j != nodes/2 {
				term = interval.Int(2)
			}
			for i := 0; i < len(s); {
				k := i
				for ; i < len(s) && s[i] == s[k]; i++ {
				}
				at := s[k] * j % nodes
				term = w.Mul(term, w.PowInt(psi[min(at, nodes-at)], int64(i-k)))
			}
			sum = w.Add(sum, term)
		}
		scale := w.Div(w.Mul(w.Sqrt(w.Scale(w.Pi(), 1)), root), interval.Int(g.Int64()*nodes))
		greatest = interval.Max(greatest, w.Sub(w.Mul(scale, sum), interval.Int(1)))
	}
	kappa := w.Scale(greatest, 1).Upper()
	if kappa.LessRat(big.NewRat(1, 16)) != interval.True {
		return nil, false
	}
	return rounded(kappa), true
}

// newPsi encloses ψ(y), 0 ≤ y ≤ 1/2, for a = 2π²σ² ≥ 2. Terms from |j| = 4 on come to less than 3e^(−12a): |j + y| ≥
// 7/2, and each is less than e^(−2) of the one before on its side.
func newPsi(w interval.Prec, sigma2, y *big.Rat) interval.Interval {
	a := w.Mul(w.Scale(w.Sqr(w.Pi()), 1), w.Rat(sigma2)).Neg()
	sum := interval.Union(interval.Int(0), w.Mul(interval.Int(3), w.Exp(w.Mul(interval.Int(12), a))))
	for j := int64(-3); j <= 3; j++ {
		at := new(big.Rat).Add(y, big.NewRat(j, 1))
		sum = w.Add(sum, w.Exp(w.Mul(a, w.Rat(at.Mul(at, at)))))
	}
	return sum
}

// squares calls f with all falling vectors of integers > 0 whose squares sum to left and whose entries are at most
// most, each after the entries of s, until f returns false, and reports whether it never did.
func squares(s []int64, left, most int64, f func([]int64) bool) bool {
	if left == 0 {
		return f(s)
	}
	for x := min(most, left); x >= 1; x-- {
		if x*x <= left && !squares(append(s, x), left-x*x, x, f) {
			return false
		}
	}
	return true
}

// rounded is a number of few digits above y < 1, at least 2^−leastDefect.
func rounded(y interval.Interval) *big.Rat {
	exponent := max(y.Hi().MantExp(nil), -leastDefect)
	return interval.Pow2(exponent)
}
