// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"slices"

	"dpverify/exact/exponential"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
)

// mixtureTails: two mixtures of Gaussians of variance 1. With the densities over that of N(0, 1),
//
//	L(x) > ε  ⟺  F(x) = Σ_i p_i·e^{m_i·x − m_i²/2} − e^ε·Σ_j q_j·e^{n_j·x − n_j²/2} > 0,
//
// a sum of exponentials: the two tails are the masses of where it is positive, see package exponential. Masses of gaps
// are between 0 and all of them.
//
// Where a mean is one of both, its coefficient is p − e^ε·q. Where the sign of that is open, F lies between the sums
// with either end of its enclosure, and so does where it is positive.
func mixtureTails(m pair.GaussianMixture) Tails {
	points := mixtureMeans(m)
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		unknown := interval.Union(zero, one)
		if !eps.IsFinite() {
			return unknown, unknown
		}
		lower, upper := mixtureRatio(w, points, eps)
		s, ok := signsOf(w, lower)
		if !ok {
			return unknown, unknown
		}
		p, q = positiveMass(w, s, m.P), positiveMass(w, s, m.Q)
		if upper == nil {
			return p, q
		}
		if s, ok = signsOf(w, upper); !ok {
			return unknown, unknown
		}
		p, q = interval.Union(p, positiveMass(w, s, m.P)), interval.Union(q, positiveMass(w, s, m.Q))
		return unitPart(p), unitPart(q)
	}
}

// A meanOfBoth is a mean with its probabilities under P and under Q; one of them may be 0.
type meanOfBoth struct{ mean, p, q *big.Rat }

// mixtureMeans returns the means of both, which rise.
func mixtureMeans(m pair.GaussianMixture) []meanOfBoth {
	var out []meanOfBoth
	for i, x := range m.P.Means {
		out = append(out, meanOfBoth{x, m.P.Probs[i], new(big.Rat)})
	}
	for i, x := range m.Q.Means {
		if k := slices.IndexFunc(out, func(o meanOfBoth) bool { return o.mean.Cmp(x) == 0 }); k >= 0 {
			out[k].q = m.Q.Probs[i]
		} else {
			out = append(out, meanOfBoth{x, new(big.Rat), m.Q.Probs[i]})
		}
	}
	slices.SortFunc(out, func(a, b meanOfBoth) int { return a.mean.Cmp(b.mean) })
	return out
}

// A ratio is F by its coefficients.
type ratio struct {
	coefficients []exponential.Coefficient
	rates        []*big.Rat
}

func (r *ratio) add(w interval.Prec, log interval.Interval, negative bool, mean *big.Rat) {
	half := w.Scale(w.Rat(new(big.Rat).Mul(mean, mean)), -1)
	r.coefficients = append(r.coefficients, exponential.Coefficient{Log: w.Sub(log, half), Negative: negative})
	r.rates = append(r.rates, mean)
}

// mixtureRatio returns F, or two sums between which it lies.
func mixtureRatio(w interval.Prec, points []meanOfBoth, eps Arg) (lower, upper *ratio) {
	lower, upper = new(ratio), new(ratio)
	open := false
	for _, o := range points {
		var d interval.Interval
		switch {
		case o.q.Sign() == 0:
			l := w.Log(w.Rat(o.p))
			lower.add(w, l, false, o.mean)
			upper.add(w, l, false, o.mean)
			continue
		case o.p.Sign() == 0:
			l := w.Add(eps.Interval, w.Log(w.Rat(o.q)))
			lower.add(w, l, true, o.mean)
			upper.add(w, l, true, o.mean)
			continue
		case eps.Rat != nil && eps.Rat.Sign() == 0:
			d = w.Rat(new(big.Rat).Sub(o.p, o.q))
		default:
			d = w.Sub(w.Rat(o.p), w.Mul(w.Exp(eps.Interval), w.Rat(o.q)))
		}
		ends := [2]interval.Interval{d, d}
		if d.Positive() != interval.True && d.Negative() != interval.True {
			ends = [2]interval.Interval{d.Lower(), d.Upper()}
			open = open || !d.IsPoint()
		}
		for i, r := range []*ratio{lower, upper} {
			if e := ends[i]; !e.IsZero() {
				r.add(w, w.Log(e.Abs()), e.Lo().Sign() < 0, o.mean)
			}
		}
	}
	if !open {
		return lower, nil
	}
	return lower, upper
}

func signsOf(w interval.Prec, r *ratio) (exponential.Signs, bool) {
	if len(r.rates) == 0 {
		return exponential.Signs{}, false
	}
	return exponential.SignsOf(w, r.coefficients, r.rates)
}

// positiveMass is the mass of a mixture where F is positive. A piece between two gaps has the difference of a tail at
// both: if these are taken for intervals, at least its mass, and at most that with the gaps.
func positiveMass(w interval.Prec, s exponential.Signs, n normals.Mixture) interval.Interval {
	sum := zero
	for i, m := range n.Means {
		mean, mass := w.Rat(m), zero
		from := interval.NegInf()
		for k, sign := range s.Of {
			to := interval.PosInf()
			if k < len(s.Gaps) {
				to = s.Gaps[k]
			}
			if sign > 0 {
				mass = w.Add(mass, normalMass(w, from, to, mean))
			}
			if k < len(s.Gaps) && sign <= 0 && s.Of[k+1] <= 0 {
				gap := interval.Max(zero, normalMass(w, to.Lower(), to.Upper(), mean))
				mass = w.Add(mass, interval.Union(zero, gap))
			}
			from = to
		}
		sum = w.Add(sum, w.Mul(w.Rat(n.Probs[i]), mass))
	}
	return unitPart(sum)
}

// normalMass is the mass of N(mean, 1) between two points, by the tail that is small there.
func normalMass(w interval.Prec, from, to, mean interval.Interval) interval.Interval {
	a, b := w.Sub(from, mean), w.Sub(to, mean)
	above := func(x interval.Interval) interval.Interval {
		if x.Lo().IsInf() {
			return zero
		}
		return fixed.NormalSF(w, x)
	}
	switch {
	case a.Negative() != interval.True:
		return w.Sub(above(a), above(b))
	case b.Positive() != interval.True:
		return w.Sub(above(b.Neg()), above(a.Neg()))
	}
	return w.Sub(w.Sub(one, above(a.Neg())), above(b))
}
