// Package pair holds dominating pairs of distributions: what an event means.
//
// A pair (P, Q) stands for the privacy profile H_α(P‖Q) = sup_S P(S) − αQ(S),
// α ≥ 0. It dominates a mechanism M for an ordered neighbouring relation when
// H_α(M(D)‖M(D′)) ≤ H_α(P‖Q) for every α ≥ 0 and all neighbours (D, D′)
// [Zhu, Dong & Wang 2022, Definition 7]; dominating pairs compose by products
// [ibid., Theorem 10]. Whether an event attains what dominates it, its Problem
// says.
//
// Resolve turns an event and a neighbouring relation into pairs; it is the only
// place where relations are interpreted.
package pair

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/mechanism"
)

// A Pair is an ordered pair of distributions (P, Q). The set of implementations
// is closed; values are immutable.
type Pair interface {
	// Reverse returns the pair (Q, P).
	Reverse() Pair
	// SelfDual reports whether H_α(P‖Q) = H_α(Q‖P) for all α ≥ 0.
	SelfDual() bool
	// String describes the pair for people and identifies it: equal strings mean
	// equal pairs.
	fmt.Stringer
	isPair()
}

// A Term is Count independent copies of a pair, Count ≥ 1.
type Term struct {
	Pair  Pair
	Count int64
}

// A Product is the product of its terms, in no particular order. The empty
// product is a pair of equal distributions.
type Product []Term

// Reverse returns the product of the reversed pairs.
func (p Product) Reverse() Product {
	q := make(Product, len(p))
	for i, t := range p {
		q[i] = Term{t.Pair.Reverse(), t.Count}
	}
	return q
}

// SelfDual reports whether every factor is self-dual, hence the product is.
func (p Product) SelfDual() bool {
	for _, t := range p {
		if !t.Pair.SelfDual() {
			return false
		}
	}
	return true
}

func (p Product) String() string {
	parts := make([]string, len(p))
	for i, t := range p {
		parts[i] = t.Pair.String()
		if t.Count != 1 {
			parts[i] += fmt.Sprintf("^%d", t.Count)
		}
	}
	return "(" + strings.Join(parts, " × ") + ")"
}

// normalise merges equal pairs, in order of first appearance.
func (p Product) normalise() Product {
	var out Product
	index := make(map[string]int)
	for _, t := range p {
		key := t.Pair.String()
		if i, ok := index[key]; ok {
			out[i].Count = min(out[i].Count+t.Count, tooMany)
			continue
		}
		index[key] = len(out)
		out = append(out, t)
	}
	return out
}

// Gaussian is (N(μ, 1), N(0, 1)), μ² = Mu2 > 0. A product of Gaussians is the
// Gaussian with the sum of their Mu2.
type Gaussian struct{ Mu2 *big.Rat }

// Laplace is (Lap(x, 1), Lap(0, 1)) with x = Shift > 0, the sensitivity over the
// scale.
type Laplace struct{ Shift *big.Rat }

// Response is approximate randomized response, the pair of Kairouz, Oh &
// Viswanath 2015: with probability Delta the outcome reveals the input, and
// otherwise it is right with probability e^ε/(1 + e^ε), ε = Eps ≥ 0. It dominates
// every (ε, δ)-DP mechanism, and is one.
type Response struct{ Eps, Delta *big.Rat }

// DiscreteLaplace is (DLap(a), Sensitivity + DLap(a)): masses ∝ e^(−a|x|) on the
// integers, a > 0.
type DiscreteLaplace struct {
	A           *big.Rat
	Sensitivity int64
}

// DiscreteGaussian is (DN(σ²), Sensitivity + DN(σ²)): masses ∝ e^(−x²/2σ²) on the
// integers, σ² = Sigma2 > 0.
type DiscreteGaussian struct {
	Sigma2      *big.Rat
	Sensitivity int64
}

// TruncatedGaussian is N(0, σ²) conditioned on [−Radius, Radius], and the same
// shifted by Sensitivity > 0.
type TruncatedGaussian struct{ Sigma, Sensitivity, Radius *big.Rat }

// TruncatedLaplace is Lap(0, Scale) conditioned on [−Radius, Radius], and the
// same shifted by Sensitivity > 0.
type TruncatedLaplace struct{ Scale, Sensitivity, Radius *big.Rat }

// ClampedLaplace is a Laplace variable clamped at 0 from below, against itself
// shifted before or after the clamping; Reversed swaps the two.
type ClampedLaplace struct {
	Location, Scale, Shift *big.Rat
	ShiftFirst             bool // shift-then-clamp; otherwise clamp-then-shift
	Reversed               bool
}

// GaussianMixture is (Σ_i Probs[i]·N(Means[i], 1), N(0, 1)); Reversed swaps the
// two.
type GaussianMixture struct {
	Means, Probs []*big.Rat
	Reversed     bool
}

// Sampled is Poisson sampling at Rate γ ∈ (0, 1) of the product (P, Q) = Base:
// ((1−γ)Q + γP, Q), the record removed, or (Q, (1−γ)Q + γP) when Reversed
// [Zhu, Dong & Wang 2022, Theorem 11, corrected: either direction starts from
// the base pair of the same direction].
type Sampled struct {
	Rate     *big.Rat
	Base     Product
	Reversed bool
}

// Mixed is the base pair with probability Rate and nothing, visibly so,
// otherwise: ((1−q)·δ_⊥ + qP, (1−q)·δ_⊥ + qQ), hence H_α = (1−q)(1−α)₊ + q·H_α(P‖Q).
// It is what Poisson sampling makes of a guarantee that holds for replacing a
// record only.
type Mixed struct {
	Rate *big.Rat
	Base Product
}

// SampledReplaceGaussian is ((1−q)N(0,1) + qN(μ,1), (1−q)N(0,1) + qN(−μ,1)), q =
// Rate, μ² = Mu2.
type SampledReplaceGaussian struct{ Rate, Mu2 *big.Rat }

// ZCDP stands for every pair of (ξ, ρ)-zCDP in both orientations: R_α ≤ ξ + ρα for
// all α > 1. It is a guarantee, not a pair: only bounds from above apply to it.
type ZCDP struct{ Rho, Xi *big.Rat }

// RenyiCurve stands for every pair with R_α ≤ Values[i] at α = Orders[i] > 1 in both
// orientations. It is a guarantee, not a pair. The values do not fall.
type RenyiCurve struct{ Orders, Values []*big.Rat }

// newRenyiCurve lowers each value to the least one of a later order: R_α rises with α [van Erven
// & Harremoës 2014, Theorem 3], so that R_α ≤ R_β ≤ Values[j] at β = Orders[j] ≥ α.
func newRenyiCurve(e mechanism.RenyiCurve) RenyiCurve {
	values := slices.Clone(e.Values)
	for i := len(values) - 2; i >= 0; i-- {
		if values[i+1].Cmp(values[i]) < 0 {
			values[i] = values[i+1]
		}
	}
	return RenyiCurve{e.Orders, values}
}

// IsGuarantee reports whether a product has a factor that is not a pair but
// stands for all pairs with a Rényi guarantee.
func (p Product) IsGuarantee() bool {
	for _, t := range p {
		switch t.Pair.(type) {
		case ZCDP, RenyiCurve, BoundedRange:
			return true
		}
		if slices.ContainsFunc(Parts(t.Pair), Product.IsGuarantee) {
			return true
		}
	}
	return false
}

// Parts returns the products that a pair is made of: the base of a sample, those that a
// maximum is taken of. Other pairs have none.
func Parts(x Pair) []Product {
	switch x := x.(type) {
	case Sampled:
		return []Product{x.Base}
	case Mixed:
		return []Product{x.Base}
	case Maximum:
		return x.Of
	}
	return nil
}

func (Gaussian) isPair()               {}
func (Laplace) isPair()                {}
func (Response) isPair()               {}
func (DiscreteLaplace) isPair()        {}
func (DiscreteGaussian) isPair()       {}
func (TruncatedGaussian) isPair()      {}
func (TruncatedLaplace) isPair()       {}
func (ClampedLaplace) isPair()         {}
func (GaussianMixture) isPair()        {}
func (Sampled) isPair()                {}
func (Mixed) isPair()                  {}
func (SampledReplaceGaussian) isPair() {}
func (ZCDP) isPair()                   {}
func (RenyiCurve) isPair()             {}

// Additive noise with a symmetric density f: x ↦ Δ − x maps f(x) to f(x − Δ) and
// back. Response, guarantees: both orientations by definition. The sampled
// Gaussian of REPLACE_ONE: x ↦ −x.

func (g Gaussian) Reverse() Pair               { return g }
func (l Laplace) Reverse() Pair                { return l }
func (r Response) Reverse() Pair               { return r }
func (d DiscreteLaplace) Reverse() Pair        { return d }
func (d DiscreteGaussian) Reverse() Pair       { return d }
func (t TruncatedGaussian) Reverse() Pair      { return t }
func (t TruncatedLaplace) Reverse() Pair       { return t }
func (s SampledReplaceGaussian) Reverse() Pair { return s }
func (z ZCDP) Reverse() Pair                   { return z }
func (r RenyiCurve) Reverse() Pair             { return r }
func (m Mixed) Reverse() Pair                  { return Mixed{m.Rate, m.Base.Reverse()} }

func (c ClampedLaplace) Reverse() Pair {
	c.Reversed = !c.Reversed
	return c
}

func (m GaussianMixture) Reverse() Pair {
	m.Reversed = !m.Reversed
	return m
}

func (s Sampled) Reverse() Pair {
	s.Reversed = !s.Reversed
	return s
}

func (Gaussian) SelfDual() bool               { return true }
func (Laplace) SelfDual() bool                { return true }
func (Response) SelfDual() bool               { return true }
func (DiscreteLaplace) SelfDual() bool        { return true }
func (DiscreteGaussian) SelfDual() bool       { return true }
func (TruncatedGaussian) SelfDual() bool      { return true }
func (TruncatedLaplace) SelfDual() bool       { return true }
func (SampledReplaceGaussian) SelfDual() bool { return true }
func (ZCDP) SelfDual() bool                   { return true }
func (RenyiCurve) SelfDual() bool             { return true }
func (ClampedLaplace) SelfDual() bool         { return false }
func (GaussianMixture) SelfDual() bool        { return false }
func (Sampled) SelfDual() bool                { return false }
func (m Mixed) SelfDual() bool                { return m.Base.SelfDual() }

func (g Gaussian) String() string { return fmt.Sprintf("Gaussian(μ²=%s)", g.Mu2.RatString()) }
func (l Laplace) String() string  { return fmt.Sprintf("Laplace(%s)", l.Shift.RatString()) }
func (r Response) String() string {
	return fmt.Sprintf("Response(ε=%s, δ=%s)", r.Eps.RatString(), r.Delta.RatString())
}
func (d DiscreteLaplace) String() string {
	return fmt.Sprintf("DiscreteLaplace(%s, %d)", d.A.RatString(), d.Sensitivity)
}
func (d DiscreteGaussian) String() string {
	return fmt.Sprintf("DiscreteGaussian(σ²=%s, %d)", d.Sigma2.RatString(), d.Sensitivity)
}
func (t TruncatedGaussian) String() string {
	return fmt.Sprintf("TruncatedGaussian(%s, %s, %s)", t.Sigma.RatString(), t.Sensitivity.RatString(), t.Radius.RatString())
}
func (t TruncatedLaplace) String() string {
	return fmt.Sprintf("TruncatedLaplace(%s, %s, %s)", t.Scale.RatString(), t.Sensitivity.RatString(), t.Radius.RatString())
}
func (c ClampedLaplace) String() string {
	return fmt.Sprintf("ClampedLaplace(%s, %s, %s, %v)%s", c.Location.RatString(), c.Scale.RatString(), c.Shift.RatString(), c.ShiftFirst, reversedMark(c.Reversed))
}
func (m GaussianMixture) String() string {
	return fmt.Sprintf("GaussianMixture(%s; %s)%s", ratList(m.Means), ratList(m.Probs), reversedMark(m.Reversed))
}
func (s Sampled) String() string {
	return fmt.Sprintf("Sampled(%s, %s)%s", s.Rate.RatString(), s.Base, reversedMark(s.Reversed))
}
func (m Mixed) String() string { return fmt.Sprintf("Mixed(%s, %s)", m.Rate.RatString(), m.Base) }
func (s SampledReplaceGaussian) String() string {
	return fmt.Sprintf("SampledReplaceGaussian(%s, μ²=%s)", s.Rate.RatString(), s.Mu2.RatString())
}
func (z ZCDP) String() string {
	return fmt.Sprintf("ZCDP(ρ=%s, ξ=%s)", z.Rho.RatString(), z.Xi.RatString())
}
func (r RenyiCurve) String() string {
	return fmt.Sprintf("RenyiCurve(%s; %s)", ratList(r.Orders), ratList(r.Values))
}

func reversedMark(r bool) string {
	if r {
		return "ᵀ"
	}
	return ""
}

func ratList(rs []*big.Rat) string {
	parts := make([]string, len(rs))
	for i, r := range rs {
		parts[i] = r.RatString()
	}
	return strings.Join(parts, " ")
}
