package pair

import (
	"math/big"
)

// InfMass returns the P-mass of infinite loss of a product, P(dP/dQ = ∞), when it
// is a rational number of moderate length.
func InfMass(prod Product) (*big.Rat, bool) {
	stay := new(big.Rat).Set(ratOne) // Π (1 − m)^count
	for _, t := range prod {
		m, ok := infMass(t.Pair)
		if !ok {
			return nil, false
		}
		if m.Sign() == 0 {
			continue
		}
		f := new(big.Rat).Sub(ratOne, m)
		const maxBits = 1 << 17
		if int64(f.Denom().BitLen())*t.Count > maxBits || t.Count > maxBits {
			if f.Sign() == 0 {
				return new(big.Rat).Set(ratOne), true
			}
			return nil, false
		}
		stay.Mul(stay, ratPow(f, t.Count))
	}
	return stay.Sub(ratOne, stay), true
}

func ratPow(r *big.Rat, n int64) *big.Rat {
	e := big.NewInt(n)
	return new(big.Rat).SetFrac(new(big.Int).Exp(r.Num(), e, nil), new(big.Int).Exp(r.Denom(), e, nil))
}

func infMass(x Pair) (*big.Rat, bool) {
	zero := new(big.Rat)
	switch x := x.(type) {
	case Gaussian, Laplace, Logistic, TwoPoint, LaplaceAbove, DiscreteLaplace, DiscreteGaussian, GaussianMixture, SampledReplaceGaussian:
		return zero, true
	case Response:
		return x.Delta, true
	case Finite:
		return x.Inf(), true
	case Binomial:
		return x.inf()
	case TruncatedGaussian:
		return ratOne, x.disjoint()
	case TruncatedLaplace:
		return ratOne, x.disjoint()
	case ClampedLaplace:
		return zero, x.ShiftFirst
	case Hull:
		// The last point of the hull is the lowest one. The mirror image of (e^ε, δ)
		// is not lower than it for ε ≥ 0, nor for δ = 1.
		least := big.NewRat(1, 1)
		for _, p := range x.points {
			if p.Epsilon.Sign() < 0 && p.Delta.Cmp(ratOne) < 0 {
				return nil, false
			}
			if p.Delta.Cmp(least) < 0 {
				least = p.Delta
			}
		}
		return least, true
	case Sampled:
		if x.Reversed {
			return zero, true // (1−γ)Q + γP > 0 wherever Q > 0
		}
		m, ok := InfMass(x.Base)
		if !ok {
			return nil, false
		}
		return new(big.Rat).Mul(x.Rate, m), true
	case Mixed:
		m, ok := InfMass(x.Base)
		if !ok {
			return nil, false
		}
		return new(big.Rat).Mul(x.Rate, m), true
	case Maximum: // δ(ε) for ε → ∞
		most := zero
		for _, p := range x.Of {
			m, ok := InfMass(p)
			if !ok {
				return nil, false
			}
			if m.Cmp(most) > 0 {
				most = m
			}
		}
		return most, true
	}
	return nil, false
}

// MaxLoss returns the least upper bound of the finite losses of a product that
// have positive P-mass, when it is known exactly. It reports false for unbounded
// losses and where no exact form is at hand.
func MaxLoss(prod Product) (Loss, bool) { return sumLosses(prod, maxLoss) }

// sumLosses adds up one loss of each factor, if all have one.
func sumLosses(prod Product, of func(Pair) (Loss, bool)) (Loss, bool) {
	var total Loss
	for _, t := range prod {
		l, ok := of(t.Pair)
		if !ok {
			return Loss{}, false
		}
		total = total.Add(l.Times(t.Count))
	}
	return total, true
}

func maxLoss(x Pair) (Loss, bool) {
	switch x := x.(type) {
	case Laplace:
		return RatLoss(x.Shift), true
	case Logistic:
		return RatLoss(x.Shift), true
	case TwoPoint:
		return RatLoss(x.Up), true
	case LaplaceAbove:
		return RatLoss(x.Shift), !x.Reversed && x.Threshold.Cmp(x.Shift) == 0
	case Response:
		return RatLoss(x.Eps), x.Delta.Cmp(ratOne) < 0
	case Finite:
		for _, m := range x.Masses {
			if m.Q.Sign() > 0 && m.P.Sign() > 0 {
				return LogLoss(new(big.Rat).Quo(m.P, m.Q)), true
			}
		}
		return Loss{}, false // disjoint supports
	case Hull:
		// The hull meets the line at its end first at the vertex there.
		m, ok := infMass(x)
		if !ok || m.Cmp(ratOne) == 0 {
			return Loss{}, false
		}
		var first *big.Rat
		for _, p := range x.points {
			if p.Delta.Cmp(m) == 0 && (first == nil || p.Epsilon.Cmp(first) < 0) {
				first = p.Epsilon
			}
		}
		return RatLoss(first), true
	case DiscreteLaplace:
		return RatLoss(new(big.Rat).Mul(x.A, new(big.Rat).SetInt64(x.Sensitivity))), true
	case TruncatedGaussian:
		// The loss s(s − 2x)/2σ² on [s − r, r] is largest at x = s − r.
		if x.disjoint() {
			return Loss{}, false
		}
		l := new(big.Rat).Add(x.Radius, x.Radius)
		l.Sub(l, x.Sensitivity)
		l.Mul(l, x.Sensitivity)
		s2 := new(big.Rat).Mul(x.Sigma, x.Sigma)
		return RatLoss(l.Quo(l, s2.Add(s2, s2))), true
	case TruncatedLaplace:
		// The loss (|x − s| − |x|)/b falls from min(s, 2r − s)/b at x = s − r.
		if x.disjoint() {
			return Loss{}, false
		}
		l := new(big.Rat).Add(x.Radius, x.Radius)
		l.Sub(l, x.Sensitivity)
		if l.Cmp(x.Sensitivity) > 0 {
			l.Set(x.Sensitivity)
		}
		return RatLoss(l.Quo(l, x.Scale)), true
	case ClampedLaplace:
		return x.maxLoss()
	case Binomial:
		return x.maxLoss()
	case Mixed:
		l, ok := MaxLoss(x.Base)
		if !ok {
			return Loss{}, false
		}
		if l.Cmp(new(big.Rat)) < 0 {
			l = Loss{} // "nothing" has loss 0
		}
		return l, true
	}
	return Loss{}, false
}

// LossBound returns an upper bound of the finite losses of a product, so that δ(ε) is
// the mass of infinite loss at every ε ≥ it. It is MaxLoss where that is known, and
// reports false for losses that are unbounded or not known to be bounded.
//
// A loss of the product is finite where all its factors' are. A pair without finite
// losses is bounded by any number.
func LossBound(prod Product) (Loss, bool) { return sumLosses(prod, lossBound) }

// lossBound: the losses of a hull are ±ε of its points and those of lines through (0, 1),
// hence at most the greatest |ε|. A sample has the losses log(1 − γ + γ·e^l) ≤ max(0, l),
// and −log(1 − γ + γ·e^l) ≤ −log(1 − γ) when reversed. A shift by t > 0 changes the loss
// of Laplace noise by at most t/b, clamped or seen through a threshold or not.
func lossBound(x Pair) (Loss, bool) {
	if l, ok := maxLoss(x); ok {
		return l, true
	}
	if m, ok := infMass(x); ok && m.Cmp(ratOne) == 0 {
		return Loss{}, true
	}
	switch x := x.(type) {
	case ClampedLaplace:
		return RatLoss(new(big.Rat).Quo(x.Shift, x.Scale)), true
	case LaplaceAbove:
		return RatLoss(x.Shift), true
	case Hull:
		top := new(big.Rat)
		for _, p := range x.points {
			if e := new(big.Rat).Abs(p.Epsilon); e.Cmp(top) > 0 {
				top = e
			}
		}
		return RatLoss(top), true
	case Sampled:
		if x.Reversed {
			return LogLoss(new(big.Rat).Inv(new(big.Rat).Sub(ratOne, x.Rate))), true
		}
		l, ok := LossBound(x.Base)
		if !ok {
			return Loss{}, false
		}
		if l.Cmp(new(big.Rat)) < 0 {
			l = Loss{}
		}
		return l, true
	}
	return Loss{}, false
}

// maxLoss: clamp-then-shift has the finite losses of x > t; the largest is at x = t
// for P against Q, (|µ| − |t − µ|)/b, and t/b for Q against P. Shift-then-clamp has
// losses up to t/b, but for P against Q with µ < 0, where the largest is that of the
// atom and no rational.
func (c ClampedLaplace) maxLoss() (Loss, bool) {
	l := new(big.Rat).Set(c.Shift)
	switch {
	case c.Reversed:
	case c.ShiftFirst && c.Location.Sign() < 0:
		return Loss{}, false
	case !c.ShiftFirst:
		l.Abs(c.Location)
		d := new(big.Rat).Sub(c.Shift, c.Location)
		l.Sub(l, d.Abs(d))
	}
	return RatLoss(l.Quo(l, c.Scale)), true
}

// disjoint reports whether the supports meet at most in a point.
func (t TruncatedGaussian) disjoint() bool { return disjoint(t.Sensitivity, t.Radius) }

// disjoint reports whether the supports meet at most in a point.
func (t TruncatedLaplace) disjoint() bool { return disjoint(t.Sensitivity, t.Radius) }

func disjoint(s, r *big.Rat) bool { return s.Cmp(new(big.Rat).Add(r, r)) >= 0 }

// Unbounded reports whether the finite losses of a product are known to be
// unbounded above, so that δ(ε) exceeds the mass of infinite loss at every ε.
//
// A factor with unbounded finite losses makes those of the product unbounded if every
// other factor has finite losses at all. Where infMass does not know the mass of infinite
// loss, it is less than 1.
func Unbounded(prod Product) bool {
	for _, t := range prod {
		if m, ok := infMass(t.Pair); ok && m.Cmp(ratOne) == 0 {
			return false // all losses are infinite
		}
	}
	for _, t := range prod {
		switch x := t.Pair.(type) {
		case Gaussian, DiscreteGaussian, SampledReplaceGaussian:
			return true
		case GaussianMixture:
			// With means on both sides of 0, or a mean 0, g = P/Q is bounded away from 0; else
			// it tends to 0 on one side, and log Q/P to ∞.
			if n := len(x.Means); !x.Reversed || x.Means[0].Sign() > 0 || x.Means[n-1].Sign() < 0 {
				return true
			}
		case Sampled:
			if !x.Reversed && Unbounded(x.Base) {
				return true
			}
		case Mixed:
			if Unbounded(x.Base) {
				return true
			}
		}
	}
	return false
}
