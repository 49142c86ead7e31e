// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpverify/certify/evidence/coq"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// ThresholdBits is how many bits thresholds have after the point.
const ThresholdBits = 24

// MaxOutcomes is how many outcomes of a pair a checker takes.
const MaxOutcomes = 1000

// A kind says what (P, Q) of a part are.
type kind int

const (
	Gaussian      kind = iota // N(μ, 1) and N(0, 1), or a mixture of bumps and N(0, 1)
	Laplace                   // Lap(s, 1) and Lap(0, 1)
	LogisticNoise             // logistic noise at s and at 0
	Finite                    // atoms
	Discrete                  // masses of discrete Gaussian noise
)

// A Part is a pair of distributions (P, Q), composed count times.
type Part struct {
	name  string // of the event, which tells parts apart
	Kind  kind
	Shift *big.Rat // μ², or s
	Rate  *big.Rat // of a Poisson sample, ((1−γ)Q + γP, Q); nil if it is none
	Clamp *big.Rat // Laplace noise is clamped at so much below its median before it is shifted; nil if it is not
	Atoms []Atom
	Bumps []bump   // of a mixture
	rest  *big.Rat // the weight of N(0, 1) in it
	Count int64

	Eps, InfMass *big.Rat // of some finite pairs: the greatest finite loss, and the P-mass of infinite loss
	Lambda       *big.Rat // of discrete Laplace noise
	masses, sums []mass   // of discrete noise, and what they sum to from each one on
	losses       []float64
	response     bool // a guarantee or randomized response
	Sampled      bool // a finite pair that is a sample
	Mirrored     bool // a Poisson sample of Gaussian noise of which Q is P with its sign changed: ((1−γ)N(0, 1) + γN(±μ, 1))
	Bounded      bool // the pair bounds the mechanism from above only
}

// An Atom has the masses p·ep + mix·eq and q·eq; ep and eq are 1 where they are nil.
type Atom struct {
	P, Q, Mix        *big.Rat
	FactorP, FactorQ *Factor
}

// A bump is N(mean, 1) with a weight, both above 0, which w and m are about.
type bump struct {
	weight, mean *big.Rat
	w, m         float64
}

// A Factor of a mass is a real number with a name, and in closed form.
type Factor struct {
	name  string
	value fixed.Real
	Term  coq.Term
}

var Three fixed.Three

func (p *Part) IsGaussian() bool { return p.Kind == Gaussian && p.Rate == nil && p.Bumps == nil }

// IsLaplaces reports that p is several copies of Laplace noise.
func (p *Part) IsLaplaces() bool {
	return p.Kind == Laplace && p.Rate == nil && p.Clamp == nil && p.Count > 1
}

// selfDual reports that (Q, P) is (P, Q) with its outcomes renamed.
func (p *Part) selfDual() bool {
	if p.Kind == Discrete || p.Mirrored {
		return true
	} else if p.Kind != Finite {
		return p.Rate == nil && p.Clamp == nil && p.Bumps == nil
	}
	text := func(r *big.Rat, f *Factor) string {
		if f == nil {
			return r.RatString()
		}
		return r.RatString() + f.name
	}
	left := make(map[string]int)
	for _, a := range p.Atoms {
		if a.Mix != nil {
			return false
		}
		left[text(a.P, a.FactorP)+" "+text(a.Q, a.FactorQ)]++
		left[text(a.Q, a.FactorQ)+" "+text(a.P, a.FactorP)]--
	}
	for _, n := range left {
		if n != 0 {
			return false
		}
	}
	return true
}

// logistic is 1/(1 + e^x).
func logistic(x *big.Rat) *Factor {
	value := Three.Inv(Three.Add(fixed.Int(1), Three.Exp(Three.Rat(x))))
	return &Factor{name: "logistic " + x.RatString(), value: value}
}

// guarantee is the pair of approximate randomized response.
func guarantee(eps, delta *big.Rat) *Part {
	keep := new(big.Rat).Sub(RatOne, delta)
	zero := new(big.Rat)
	one, e := coq.Fraction(RatOne), coq.Exp(eps)
	most, least := logistic(new(big.Rat).Neg(eps)), logistic(eps)
	most.Term = coq.Operation('/', e, coq.Operation('+', one, e))
	least.Term = coq.Operation('/', one, coq.Operation('+', one, e))
	return &Part{Kind: Finite, response: true, Eps: eps, InfMass: delta, Atoms: []Atom{
		{P: delta, Q: zero},
		{P: keep, FactorP: most, Q: keep, FactorQ: least},
		{P: keep, FactorP: least, Q: keep, FactorQ: most},
		{P: zero, Q: delta},
	}}
}

// discreteLaplace is geometric noise on both sides, e^(−λ|x|), grouped by its losses.
func discreteLaplace(lambda *big.Rat, s int64) *Part {
	p := &Part{Kind: Finite, Eps: new(big.Rat).Mul(lambda, big.NewRat(s, 1)), InfMass: new(big.Rat), Lambda: lambda}
	less := new(big.Rat).Neg(lambda)
	r, one := Three.Exp(Three.Rat(less)), coq.Fraction(RatOne)
	at := func(j int64) *Factor {
		power := Three.Exp(Three.Rat(new(big.Rat).Mul(lambda, big.NewRat(-j, 1))))
		x := Three.Div(power, Three.Add(fixed.Int(1), r))
		var closed coq.Term = coq.Operation('/', coq.Power(coq.Exp(less), j), coq.Operation('+', one, coq.Exp(less)))
		if j != 0 && j != s {
			x = Three.Mul(x, Three.Sub(fixed.Int(1), r))
			closed = coq.Operation('*', closed, coq.Operation('-', one, coq.Exp(less)))
		}
		return &Factor{fmt.Sprintf("geometric %s %d %d", lambda.RatString(), s, j), x, closed}
	}
	for j := int64(0); j <= s; j++ {
		p.Atoms = append(p.Atoms, Atom{P: RatOne, FactorP: at(j), Q: RatOne, FactorQ: at(s - j)})
	}
	return p
}

type mass struct{ P, Q fixed.Real }

// Outcomes are the masses of the atoms in a direction.
func (p *Part) Outcomes(d mechanism.Direction) []mass {
	var out []mass
	for _, m := range p.masses {
		if d == mechanism.Add {
			m.P, m.Q = m.Q, m.P
		}
		out = append(out, m)
	}
	for _, a := range p.Atoms {
		value := func(r *big.Rat, f *Factor) fixed.Real {
			if f == nil {
				return Three.Rat(r)
			}
			return Three.Mul(Three.Rat(r), f.value)
		}
		m := mass{value(a.P, a.FactorP), value(a.Q, a.FactorQ)}
		if a.Mix != nil {
			m.P = Three.Add(m.P, value(a.Mix, a.FactorQ))
		}
		if d == mechanism.Add {
			m.P, m.Q = m.Q, m.P
		}
		out = append(out, m)
	}
	return out
}

// Profile is H(α) = ∫ (p − αq)₊ in a direction, very nearly, α being a power of e.
func (p *Part) Profile(d mechanism.Direction, alpha fixed.Real) fixed.Real {
	one := fixed.Int(1)
	switch {
	case p.Kind == Discrete:
		return p.listed(alpha)
	case p.Kind == Finite:
		sum := fixed.Int(0)
		for _, m := range p.Outcomes(d) {
			if d := Three.Sub(m.P, Three.Mul(alpha, m.Q)); d.Positive() == interval.True {
				sum = Three.Add(sum, d)
			}
		}
		return sum
	case p.Mirrored:
		x := new(big.Rat).SetFloat64(p.Outcome(LogOf(alpha))) // the error of δ is of second order in the error of x
		if x == nil {
			return fixed.Unknown()
		}
		m := p.above(Three.Rat(x))
		return Three.Sub(m.P, Three.Mul(alpha, m.Q))
	case d == mechanism.Add && !p.selfDual():
		inverse := Three.Inv(alpha)
		return Three.Add(Three.Sub(one, alpha), Three.Mul(alpha, p.Profile(mechanism.Remove, inverse)))
	}
	if p.Bumps != nil {
		return p.mixture(alpha)
	}
	if p.Rate == nil {
		return p.base(alpha)
	}
	rate := Three.Rat(p.Rate)
	inner := Three.Div(Three.Sub(alpha, Three.Sub(one, rate)), rate)
	if inner.Positive() != interval.True {
		return Three.Sub(one, alpha)
	}
	return Three.Mul(rate, p.base(inner))
}

// Listed reports that the outcomes of a part are a list.
func (p *Part) Listed() bool { return p.Kind == Finite || p.Kind == Discrete }

// listed is the profile of discrete noise, whose losses rise in the order of its masses.
func (p *Part) listed(alpha fixed.Real) fixed.Real {
	i, _ := slices.BinarySearch(p.losses, LogOf(alpha))
	h := Three.Sub(p.sums[i].P, Three.Mul(alpha, p.sums[i].Q))
	if h.Positive() == interval.True {
		return h
	}
	return fixed.Int(0)
}

// mixture is the profile of a mixture of Gaussians.
func (p *Part) mixture(alpha fixed.Real) fixed.Real {
	t := p.Outcome(LogOf(alpha))
	if math.IsInf(t, -1) {
		return Three.Sub(fixed.Int(1), alpha)
	}
	x := new(big.Rat).SetFloat64(t) // the error of δ is of second order in the error of x
	if x == nil {
		return fixed.Unknown()
	}
	m := p.above(Three.Rat(x))
	return Three.Sub(m.P, Three.Mul(alpha, m.Q))
}

// base is the profile of the pair that is sampled.
func (p *Part) base(alpha fixed.Real) fixed.Real {
	one := fixed.Int(1)
	s := Three.Rat(p.Shift)
	switch x := LogOf(alpha); {
	case p.Kind == Gaussian:
	case x < -number.Float64(p.Shift):
		return Three.Add(Three.Sub(one, alpha), p.atAtom(alpha))
	case x > number.Float64(p.Shift):
		return p.atAtom(Three.Exp(s))
	case p.Kind == Laplace:
		return Three.Add(Three.Sub(one, Three.Sqrt(Three.Mul(alpha, Three.Exp(s.Neg())))), p.atAtom(alpha))
	default:
		e := Three.Exp(s)
		return Three.Div(Three.Sqr(Three.Sub(Three.Sqrt(e), Three.Sqrt(alpha))), Three.Sub(e, one))
	}
	mu := Three.Sqrt(Three.Rat(p.Shift))
	x := new(big.Rat).SetFloat64(LogOf(alpha)) // the error of δ is of second order in the error of x
	if x == nil {
		return fixed.Unknown()
	}
	t := Three.Div(Three.Add(Three.Rat(x), Three.Scale(Three.Rat(p.Shift), -1)), mu)
	return Three.Sub(Three.NormalSF(Three.Sub(t, mu)), Three.Mul(alpha, Three.NormalSF(t)))
}

// atAtom is what the atom of clamped noise adds to the profile, of which x is min(α, e^s).
func (p *Part) atAtom(x fixed.Real) fixed.Real {
	if p.Clamp == nil {
		return fixed.Int(0)
	}
	return Three.Scale(Three.Mul(x, Three.Exp(Three.Rat(p.Clamp).Neg())), -1)
}

var RatOne = big.NewRat(1, 1)

// LogOf is about log x; −∞ for what is not positive.
func LogOf(x fixed.Real) float64 {
	if !x.Known() || x.Positive() != interval.True {
		return math.Inf(-1)
	}
	m := new(big.Float)
	e := x.Interval().Hi().MantExp(m)
	f, _ := m.Float64()
	return math.Log(f) + float64(e)*math.Ln2
}

// Float64 is about x.
func Float64(x fixed.Real) float64 {
	f, _ := x.Interval().Hi().Float64()
	return f
}

// Loss is log of the likelihood ratio at the outcome t, and outcome the t of a loss, in
// float64, for the direction remove of parts with a density.
func (p *Part) Loss(t float64) float64 {
	var x float64
	if p.Bumps != nil {
		r := number.Float64(p.rest)
		for _, b := range p.Bumps {
			r += b.w * math.Exp(b.m*(t-b.m/2))
		}
		return math.Log(r)
	}
	if p.Kind == Gaussian {
		mu := math.Sqrt(number.Float64(p.Shift))
		x = mu*t - mu*mu/2
	} else {
		s := number.Float64(p.Shift)
		x = math.Abs(t) - math.Abs(t-s)
	}
	if p.Rate == nil {
		return x
	}
	q := number.Float64(p.Rate)
	sampled := func(x float64) float64 {
		if x < 30 {
			return math.Log1p(q * math.Expm1(x))
		}
		return x + math.Log(q+(1-q)*math.Exp(-x))
	}
	if p.Mirrored {
		return sampled(x) - sampled(x-2*t*math.Sqrt(number.Float64(p.Shift)))
	}
	return sampled(x)
}

// threshold is the outcome of a loss where Q is P with its sign changed: the likelihood ratio
// (1−γ + γu)/(1−γ + γe^(−μ²)/u), with u = e^(μt − μ²/2), is e^x for the positive root u of a quadratic equation.
func (p *Part) threshold(x float64) float64 {
	if x < 0 {
		return -p.threshold(-x)
	}
	q, m := number.Float64(p.Rate), math.Sqrt(number.Float64(p.Shift))
	d := (1 - q) * -math.Expm1(-x)
	u := (d + math.Hypot(d, 2*q*math.Exp(-(x+m*m)/2))) / (2 * q)
	return (x+math.Log(u))/m + m/2
}

// Outcome is −∞ or ∞ for losses below or above all.
func (p *Part) Outcome(x float64) float64 {
	if p.Bumps != nil {
		// Newton's steps from where the first bump is enough: the sum is convex, and above from there on.
		want, t := math.Log(math.Exp(x)-number.Float64(p.rest)), math.Inf(1)
		if math.IsNaN(want) || math.IsInf(want, -1) {
			return math.Inf(-1)
		}
		for _, b := range p.Bumps {
			t = math.Min(t, (want-math.Log(b.w))/b.m+b.m/2)
		}
		for range 8 {
			r, slope := 0.0, 0.0
			for _, b := range p.Bumps {
				e := b.w * math.Exp(b.m*(t-b.m/2)-want)
				r, slope = r+e, slope+e*b.m
			}
			t -= (r - 1) / slope
		}
		return t
	}
	if p.Mirrored {
		return p.threshold(x)
	}
	if p.Rate != nil {
		q := number.Float64(p.Rate)
		y := 1 + math.Expm1(x)/q // e^x' = (e^x − (1−q))/q
		if x > 30 {
			x += math.Log1p(-(1-q)*math.Exp(-x)) - math.Log(q)
		} else if y <= 0 {
			return math.Inf(-1)
		} else {
			x = math.Log(y)
		}
	}
	if p.Kind == Gaussian {
		mu := math.Sqrt(number.Float64(p.Shift))
		return x/mu + mu/2
	}
	switch s := number.Float64(p.Shift); {
	case x < -s:
		return math.Inf(-1)
	case x >= s:
		return math.Inf(1)
	case p.Kind == LogisticNoise:
		g := math.Exp((x - s) / 2)
		return math.Log((g*math.Exp(s) - 1) / (1 - g))
	default:
		return (x + s) / 2
	}
}

// A Side is one distribution of a part.
type Side int

const (
	OfP Side = iota
	OfQ
)

// SF and cdf are P(X > t) and P(X ≤ t) of a side, in float64.
func (p *Part) SF(t float64, s Side) float64  { return p.mixed(t, s, p.sfAt) }
func (p *Part) CDF(t float64, s Side) float64 { return p.mixed(t, s, p.cdfAt) }

func (p *Part) mixed(t float64, s Side, at func(float64) float64) float64 {
	if p.Mirrored && s == OfQ {
		m, r := math.Sqrt(number.Float64(p.Shift)), number.Float64(p.Rate)
		return r*at(t+m) + (1-r)*at(t)
	} else if p.Bumps != nil && s == OfP {
		sum := number.Float64(p.rest) * at(t)
		for _, b := range p.Bumps {
			sum += b.w * at(t-b.m)
		}
		return sum
	} else if s == OfQ {
		return at(t)
	}
	shift := number.Float64(p.Shift)
	if p.Kind == Gaussian {
		shift = math.Sqrt(shift)
	}
	switch {
	case p.Rate == nil:
		return at(t - shift)
	}
	r := number.Float64(p.Rate)
	return r*at(t-shift) + (1-r)*at(t)
}

func (p *Part) sfAt(t float64) float64 {
	if p.Kind == Gaussian {
		return math.Erfc(t/math.Sqrt2) / 2
	} else if p.Kind == LogisticNoise {
		return 1 / (1 + math.Exp(t))
	}
	if t < 0 {
		return 1 - math.Exp(t)/2
	}
	return math.Exp(-t) / 2
}

func (p *Part) cdfAt(t float64) float64 { return p.sfAt(-t) }

// Between has the masses of the outcomes from a threshold to the next.
func (p *Part) Between(thresholds []int64, k int) mass {
	lo := p.beyond(thresholds[k])
	if k+1 == len(thresholds) {
		return lo
	}
	hi := p.beyond(thresholds[k+1])
	return mass{Three.Sub(lo.P, hi.P), Three.Sub(lo.Q, hi.Q)}
}

// beyond has P(X > t) and Q(X > t).
func (p *Part) beyond(threshold int64) mass {
	return p.above(Three.Rat(new(big.Rat).Mul(new(big.Rat).SetInt64(threshold), interval.Pow2(-ThresholdBits))))
}

func (p *Part) above(t fixed.Real) mass {
	var m mass
	if p.Bumps != nil {
		m.Q = Three.NormalSF(t)
		m.P = Three.Mul(Three.Rat(p.rest), m.Q)
		for _, b := range p.Bumps {
			m.P = Three.Add(m.P, Three.Mul(Three.Rat(b.weight), Three.NormalSF(Three.Sub(t, Three.Rat(b.mean)))))
		}
	} else if p.Kind == Gaussian {
		m = mass{Three.NormalSF(Three.Sub(t, Three.Sqrt(Three.Rat(p.Shift)))), Three.NormalSF(t)}
	} else {
		tail := func(t fixed.Real) fixed.Real {
			half := func(x fixed.Real) fixed.Real { return Three.Scale(Three.Exp(x), -1) }
			if t.Negative() == interval.True {
				return Three.Sub(fixed.Int(1), half(t))
			}
			return half(t.Neg())
		}
		m = mass{tail(Three.Sub(t, Three.Rat(p.Shift))), tail(t)}
	}
	if p.Rate != nil {
		rate := Three.Rat(p.Rate)
		keep := Three.Mul(Three.Sub(fixed.Int(1), rate), m.Q)
		m.P = Three.Add(Three.Mul(rate, m.P), keep)
		if p.Mirrored {
			m.Q = Three.Add(Three.Mul(rate, Three.NormalSF(Three.Add(t, Three.Sqrt(Three.Rat(p.Shift))))), keep)
		}
	}
	return m
}
