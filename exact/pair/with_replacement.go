// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// WithReplacement stands for what is known from above of Size draws with replacement from Source records, two
// neighbours of which differ in one record, of additive noise: Base is the pair of one copy of the record
// exchanged, Gaussian or Laplace noise. 1 < Source.
//
// A record is drawn K ~ Bin(m, 1/n) times, w_k = P(K = k); let δ_k be the profile of k copies exchanged, as a function of α. For α ≥ 1 and
// any α_k ≥ 0, α₀ = 1, with Σ_{k≤i} w_k·α_k ≤ α·Σ_{k≤i} w_k for every i,
//
//	H_α ≤ Σ_{k≥1} w_k·δ_k(α_k).
//
// Proof. Let J be the draws that are the record, and Y_i what draw i is of the others if it is not: J and Y are independent. H_α is jointly convex,
// so that Y may be revealed. P and Q are Σ w_k·P_k and Σ w_k·Q_k, by the size of J. For j ≤ k, P_k and Q_j are k exchanges apart: let I be a
// random subset of J of j draws. Then P_k has x on J, and Q_j has x′ on I and Y on the rest of J; elsewhere both have Y. By convexity again,
// H_a(P_k‖Q_j) ≤ δ_k(a) for all a. The condition says that the αw_j·Q_j can be shared out, αw_j = Σ_{k≥j} w_k·c_kj at least, so that Σ_j c_kj = α_k: serve
// k = 0, 1, … in turn from all Q_j, j ≤ k, that are left. For every set S
//
//	P(S) − α·Q(S) ≤ Σ_k w_k·(P_k(S) − Σ_j c_kj·Q_j(S)) ≤ Σ_k w_k·δ_k(α_k),
//
// as P_k(S) − Σ_j c_kj·Q_j(S) is a mean of the P_k(S) − α_k·Q_j(S), and P₀ = Q₀. ∎
//
// α_k = 1 + (α − 1)/γ for all k ≥ 1, γ = 1 − w₀, is [Balle, Barthe & Gaboardi 2018, Theorem 10]. Where the slopes of all δ_k at α_k are one number, the bound is of
// Gaussian noise H_α(Σ w_k·N(kμ, 1)‖N(0, 1)): of a record x that replaces x′, where all others are x′.
type WithReplacement struct {
	mirrored
	Source, Size int64
	Base         Pair
}

func (x WithReplacement) String() string {
	return fmt.Sprintf("WithReplacement(%d of %d, %s)", x.Size, x.Source, x.Base)
}

// The bound is one for both orientations.
func (x WithReplacement) Reverse() Pair           { return x }
func (WithReplacement) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (WithReplacement) reach() reach              { return unknownReach() }

// Group returns the pair of k copies exchanged.
func (x WithReplacement) Group(k int64) Pair {
	p, _ := atDistance(x.Base, k)
	return p
}

// atDistance returns additive noise at k times the distance.
func atDistance(x Pair, k int64) (Pair, bool) {
	n := new(big.Rat).SetInt64(k)
	switch x := x.(type) {
	case Gaussian:
		return Gaussian{Mu2: n.Mul(x.Mu2, n.Mul(n, n))}, true
	case Laplace:
		return Laplace{Shift: n.Mul(n, x.Shift)}, true
	}
	return nil, false
}

// Copies encloses P(K = k) for k = 1 … most, and P(K > most).
func (x WithReplacement) Copies(p interval.Prec, most int64) (masses []interval.Interval, rest interval.Interval) {
	most = min(most, x.Size)
	q := big.NewRat(1, x.Source)
	for k := int64(1); k <= most; k++ {
		masses = append(masses, binomial.Mass(p, x.Size, k, q))
	}
	return masses, binomial.AtLeast(p, x.Size, most+1, q)
}

// Drawn encloses γ.
func (x WithReplacement) Drawn(p interval.Prec) interval.Interval {
	return binomial.AtLeast(p, x.Size, 1, big.NewRat(1, x.Source))
}

// maxCopies bounds the copies of a record that a witness counts.
const maxCopies = 24

// withReplacement resolves draws with replacement. A null record is a record: what is proved for two records that
// replace each other holds for a record and the null one. From below, all others are equal to what the record is replaced by: the mixture
// Σ P(K = k)·N(kμ) against N(0), with μ for two records that are replaced by each other, or for one and the null record.
// Probabilities are rounded down, and what is missing, or beyond maxCopies, counts as no copy, which is dominated. Of Laplace noise it is cut into
// cells.
func (r *resolver) withReplacement(e mechanism.SampledWithReplacement, path string) (meaning, error) {
	switch r.rel {
	case mechanism.ReplaceOne, mechanism.ReplaceSpecial:
	case mechanism.AddOrRemoveOne:
		return r.undefined(e, path, "sampling with replacement from a fixed number of records is not defined")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	base, err := r.sampled(e, e.Event, path)
	if err != nil || base.factors.empty() || base.traits.nonPrivate {
		return base, err
	}
	x, ok := onePair(base.factors)
	if ok {
		_, ok = atDistance(x, 1)
	}
	if !ok || base.traits.presence {
		return r.undefined(e, path, "sampling with replacement is proved for Gaussian and for Laplace noise")
	}
	if e.SourceDatasetSize == 1 { // the record, sample_size times
		x, _ = atDistance(x, e.SampleSize)
		return exactly(Product{{x, 1}}), nil
	}
	exchanged := x
	if r.rel == mechanism.ReplaceSpecial {
		exchanged, _ = atDistance(x, 2)
	}
	var lower Product
	switch g := x.(type) {
	case Gaussian:
		lower = copiesOfRecord(e, sqrtDown(g.Mu2))
	case Laplace:
		lower = copiesInCells(e, g.Shift)
	}
	return between(Product{{WithReplacement{Source: e.SourceDatasetSize, Size: e.SampleSize, Base: exchanged}, 1}}, lower), nil
}

// copiesInCells returns what is seen of the mixture Σ P(K = k)·Lap(ks, 1) against Lap(0, 1) by one who is told between which of some places the
// output is. Its ratios rise along the line, from the first cell on. All probabilities but the first are rounded, down under P and up under
// Q; the first cell has what is missing, and has no part in any best test but everything.
func copiesInCells(e mechanism.SampledWithReplacement, shift *big.Rat) Product {
	const bits, cells = 160, 64
	const w = interval.Prec(bits + 32)
	x := WithReplacement{Source: e.SourceDatasetSize, Size: e.SampleSize}
	masses, rest := x.Copies(w, maxCopies)
	most := int64(len(masses))
	for most > 1 && masses[most-1].LessRat(interval.Pow2(-48)) == interval.True {
		most--
	}
	none := interval.Max(interval.Int(0), w.Sub(interval.Int(1), w.Add(rest, sum(w, masses))))
	at := func(i int64) *big.Rat { return new(big.Rat).Mul(shift, big.NewRat(i*most, cells)) }
	above := func(place *big.Rat, k int64) interval.Interval { // the probability under Lap(ks, 1)
		d := new(big.Rat).Sub(place, new(big.Rat).Mul(shift, big.NewRat(k, 1)))
		tail := w.Scale(w.Exp(w.Rat(new(big.Rat).Neg(new(big.Rat).Abs(d)))), -1)
		if d.Sign() < 0 {
			return w.Sub(interval.Int(1), tail)
		}
		return tail
	}
	unit := new(big.Int).Lsh(big.NewInt(1), bits)
	p, q := []*big.Rat{big.NewRat(1, 1)}, []*big.Rat{big.NewRat(1, 1)}
	for i := range int64(cells + 1) {
		within := func(k int64) interval.Interval {
			if i == cells {
				return above(at(i), k)
			}
			return interval.Max(interval.Int(0), w.Sub(above(at(i), k), above(at(i+1), k)))
		}
		under := w.Mul(none, within(0))
		for k, m := range masses {
			under = w.Add(under, w.Mul(m, within(int64(k+1))))
		}
		p = append(p, new(big.Rat).SetFrac(interval.FloorScaled(under, bits), unit))
		q = append(q, new(big.Rat).SetFrac(interval.CeilScaled(within(0), bits), unit))
		p[0].Sub(p[0], p[i+1])
		q[0].Sub(q[0], q[i+1])
	}
	for i := range p {
		if p[0].Sign() < 0 || q[0].Sign() <= 0 || new(big.Rat).Mul(p[0], q[i]).Cmp(new(big.Rat).Mul(p[i], q[0])) > 0 {
			return nil
		}
	}
	return Product{{NewFinite(p, q), 1}}
}

func sum(w interval.Prec, xs []interval.Interval) interval.Interval {
	s := interval.Int(0)
	for _, x := range xs {
		s = w.Add(s, x)
	}
	return s
}

func copiesOfRecord(e mechanism.SampledWithReplacement, mu *big.Rat) Product {
	x := WithReplacement{Source: e.SourceDatasetSize, Size: e.SampleSize}
	const bits = 96
	masses, _ := x.Copies(bits, maxCopies)
	none := big.NewRat(1, 1)
	var cs []gaussianComponent
	for i, m := range masses {
		p := new(big.Rat).SetFrac(interval.FloorScaled(m, bits), new(big.Int).Lsh(big.NewInt(1), bits))
		if p.Sign() > 0 {
			cs = append(cs, gaussianComponent{new(big.Rat).Mul(mu, new(big.Rat).SetInt64(int64(i+1))), p})
			none.Sub(none, p)
		}
	}
	if p := mergeComponents(append(cs, gaussianComponent{new(big.Rat), none})); p != nil {
		return Product{{p, 1}}
	}
	return nil
}
