package closed

import (
	"math/big"

	"dpverify/exact/interval"
)

// truncated is the profile of noise conditioned on [−r, r] against the same
// shifted by s, from the distribution function C of the untruncated noise:
//
//	δ(ε) = [C(o) − C(−r) − e^ε·(C(o−s) − C(−r))] / (C(r) − C(−r)),
//
// where the likelihood ratio exceeds e^ε exactly on x < o; o = clip(o*, s−r, r) with
// o* its crossing for the untruncated noise, and what is left of s − r has no mass
// under Q. δ = 1 where s ≥ 2r.
func truncated(w interval.Prec, s, r *big.Rat, e, o interval.Interval, cdf func(interval.Prec, interval.Interval) interval.Interval) interval.Interval {
	shift, radius := w.Rat(s), w.Rat(r)
	left := w.Rat(new(big.Rat).Sub(s, r))
	o = interval.Min(interval.Max(o, left), radius)
	low := cdf(w, radius.Neg())
	norm := w.Sub(cdf(w, radius), low)
	p := w.Sub(cdf(w, o), low)
	q := w.Sub(cdf(w, w.Sub(o, shift)), low)
	return w.Div(w.Sub(p, w.Mul(w.Exp(e), q)), norm)
}

// overlap reports whether the shifted supports meet in more than a point.
func overlap(s, r *big.Rat) bool { return s.Cmp(new(big.Rat).Add(r, r)) < 0 }

// TruncatedGaussian returns the privacy profile of N(0, σ²) conditioned on [−r, r]
// against the same shifted by s > 0. The loss s(s − 2x)/2σ² crosses ε at
// o* = s/2 − σ²ε/s.
func TruncatedGaussian(p interval.Prec, sigma, s, r *big.Rat, eps interval.Real) interval.Interval {
	if !overlap(s, r) {
		return one
	}
	cdf := func(w interval.Prec, x interval.Interval) interval.Interval {
		return w.NormalCDF(w.Div(x, w.Rat(sigma)))
	}
	slope := new(big.Rat).Mul(sigma, sigma)
	slope.Quo(slope, s)
	return clampUnit(p.Refine(p+32, limit(p), func(w interval.Prec) interval.Interval {
		e := eps(w)
		o := w.Sub(w.Scale(w.Rat(s), -1), w.Mul(w.Rat(slope), e))
		return truncated(w, s, r, e, o, cdf)
	}))
}

// TruncatedLaplace returns the privacy profile of Lap(0, b) conditioned on [−r, r]
// against the same shifted by s > 0. The loss (|x − s| − |x|)/b is s/b on x ≤ 0, −s/b
// on x ≥ s and crosses ε between at o* = (s − bε)/2. For ε ≥ s/b nothing exceeds e^ε
// (o* = −∞), for ε < −s/b everything does (o* = +∞).
//
// Where it is open on which side of ±s/b the number ε lies, δ is enclosed by its
// values on both sides: it falls with ε.
func TruncatedLaplace(p interval.Prec, b, s, r *big.Rat, eps interval.Real) interval.Interval {
	if !overlap(s, r) {
		return one
	}
	cdf := func(w interval.Prec, x interval.Interval) interval.Interval { return laplaceCDF(w, w.Div(x, w.Rat(b))) }
	edge := new(big.Rat).Quo(s, b)
	return p.Refine(p+32, limit(p), func(w interval.Prec) interval.Interval {
		// at evaluates at a number e that is certainly on one side of each edge.
		at := func(e interval.Interval, side int) interval.Interval {
			var o interval.Interval
			switch side {
			case +1:
				o = w.Rat(new(big.Rat).Neg(r)) // clipped to s − r
			case -1:
				o = w.Rat(r)
			default:
				o = w.Scale(w.Sub(w.Rat(s), w.Mul(w.Rat(b), e)), -1)
			}
			return clampUnit(truncated(w, s, r, e, o, cdf))
		}
		e := eps(w)
		x := w.Rat(edge)
		right, left := x.LessEq(e), e.Less(x.Neg())
		switch {
		case right == interval.True:
			return at(e, 1)
		case left == interval.True:
			return at(e, -1)
		case right == interval.False && left == interval.False:
			return at(e, 0)
		case right == interval.Unknown && left == interval.Unknown:
			return interval.Union(at(e, 1), at(e, -1)) // ε may be anything
		case right == interval.Unknown:
			return interval.Union(at(e, 1), at(interval.Min(e, x), 0))
		}
		return interval.Union(at(interval.Max(e, x.Neg()), 0), at(e, -1))
	})
}

// laplaceCDF returns the distribution function of Lap(0, 1): e^x/2 for x ≤ 0 and
// 1 − e^−x/2 for x ≥ 0, rising and continuous.
func laplaceCDF(w interval.Prec, x interval.Interval) interval.Interval {
	neg := w.Scale(w.Exp(interval.Min(x, interval.Int(0))), -1)
	pos := w.Scale(w.Exp(interval.Max(x, interval.Int(0)).Neg()), -1)
	switch {
	case x.Positive() == interval.False:
		return neg
	case x.Negative() == interval.False:
		return w.Sub(one, pos)
	}
	return interval.Union(neg, w.Sub(one, pos))
}
