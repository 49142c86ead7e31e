// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"fmt"
	"math"
	"math/big"

	"dpverify/certify/evidence/coq"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A kind says what (P, Q) of a part are.
type kind int

const (
	gaussian      kind = iota // N(μ, 1) and N(0, 1), or a mixture of bumps and N(0, 1)
	laplace                   // Lap(s, 1) and Lap(0, 1)
	logisticNoise             // logistic noise at s and at 0
	finite                    // atoms
)

// A part is a pair of distributions (P, Q), composed count times.
type part struct {
	name  string // of the event, which tells parts apart
	kind  kind
	shift *big.Rat // μ², or s
	rate  *big.Rat // of a Poisson sample, ((1−γ)Q + γP, Q); nil if it is none
	clamp *big.Rat // Laplace noise is clamped at so much below its median before it is shifted; nil if it is not
	atoms []atom
	bumps []bump   // of a mixture
	rest  *big.Rat // the weight of N(0, 1) in it
	count int64

	eps, inf *big.Rat // of some finite pairs: the greatest finite loss, and the P-mass of infinite loss
	lambda   *big.Rat // of discrete Laplace noise
	response bool     // a guarantee or randomized response
	sampled  bool     // a finite pair that is a sample
	bounded  bool     // the pair bounds the mechanism from above only
}

// An atom has the masses p·ep + mix·eq and q·eq; ep and eq are 1 where they are nil.
type atom struct {
	p, q, mix *big.Rat
	ep, eq    *factor
}

// A bump is N(mean, 1) with a weight, both above 0, which w and m are about.
type bump struct {
	weight, mean *big.Rat
	w, m         float64
}

// A factor of a mass is a real number with a name, and in closed form.
type factor struct {
	name  string
	value fixed.Real
	term  coq.Term
}

var three fixed.Three

func (p *part) isGaussian() bool { return p.kind == gaussian && p.rate == nil && p.bumps == nil }

// isLaplaces reports that p is several copies of Laplace noise.
func (p *part) isLaplaces() bool {
	return p.kind == laplace && p.rate == nil && p.clamp == nil && p.count > 1
}

// selfDual reports that (Q, P) is (P, Q) with its outcomes renamed.
func (p *part) selfDual() bool {
	if p.kind != finite {
		return p.rate == nil && p.clamp == nil && p.bumps == nil
	}
	text := func(r *big.Rat, f *factor) string {
		if f == nil {
			return r.RatString()
		}
		return r.RatString() + f.name
	}
	left := make(map[string]int)
	for _, a := range p.atoms {
		if a.mix != nil {
			return false
		}
		left[text(a.p, a.ep)+" "+text(a.q, a.eq)]++
		left[text(a.q, a.eq)+" "+text(a.p, a.ep)]--
	}
	for _, n := range left {
		if n != 0 {
			return false
		}
	}
	return true
}

// logistic is 1/(1 + e^x).
func logistic(x *big.Rat) *factor {
	value := three.Inv(three.Add(fixed.Int(1), three.Exp(three.Rat(x))))
	return &factor{name: "logistic " + x.RatString(), value: value}
}

// guarantee is the pair of approximate randomized response.
func guarantee(eps, delta *big.Rat) *part {
	keep := new(big.Rat).Sub(ratOne, delta)
	zero := new(big.Rat)
	one, e := coq.Fraction(ratOne), coq.Exp(eps)
	most, least := logistic(new(big.Rat).Neg(eps)), logistic(eps)
	most.term = coq.Operation('/', e, coq.Operation('+', one, e))
	least.term = coq.Operation('/', one, coq.Operation('+', one, e))
	return &part{kind: finite, response: true, eps: eps, inf: delta, atoms: []atom{
		{p: delta, q: zero},
		{p: keep, ep: most, q: keep, eq: least},
		{p: keep, ep: least, q: keep, eq: most},
		{p: zero, q: delta},
	}}
}

// discreteLaplace is geometric noise on both sides, e^(−λ|x|), grouped by its losses.
func discreteLaplace(lambda *big.Rat, s int64) *part {
	p := &part{kind: finite, eps: new(big.Rat).Mul(lambda, big.NewRat(s, 1)), inf: new(big.Rat), lambda: lambda}
	less := new(big.Rat).Neg(lambda)
	r, one := three.Exp(three.Rat(less)), coq.Fraction(ratOne)
	at := func(j int64) *factor {
		power := three.Exp(three.Rat(new(big.Rat).Mul(lambda, big.NewRat(-j, 1))))
		x := three.Div(power, three.Add(fixed.Int(1), r))
		var closed coq.Term = coq.Operation('/', coq.Power(coq.Exp(less), j), coq.Operation('+', one, coq.Exp(less)))
		if j != 0 && j != s {
			x = three.Mul(x, three.Sub(fixed.Int(1), r))
			closed = coq.Operation('*', closed, coq.Operation('-', one, coq.Exp(less)))
		}
		return &factor{fmt.Sprintf("geometric %s %d %d", lambda.RatString(), s, j), x, closed}
	}
	for j := int64(0); j <= s; j++ {
		p.atoms = append(p.atoms, atom{p: ratOne, ep: at(j), q: ratOne, eq: at(s - j)})
	}
	return p
}

type mass struct{ p, q fixed.Real }

// outcomes are the masses of the atoms in a direction.
func (p *part) outcomes(d mechanism.Direction) []mass {
	var out []mass
	for _, a := range p.atoms {
		value := func(r *big.Rat, f *factor) fixed.Real {
			if f == nil {
				return three.Rat(r)
			}
			return three.Mul(three.Rat(r), f.value)
		}
		m := mass{value(a.p, a.ep), value(a.q, a.eq)}
		if a.mix != nil {
			m.p = three.Add(m.p, value(a.mix, a.eq))
		}
		if d == mechanism.Add {
			m.p, m.q = m.q, m.p
		}
		out = append(out, m)
	}
	return out
}

// profile is H(α) = ∫ (p − αq)₊ in a direction, very nearly, α being a power of e.
func (p *part) profile(d mechanism.Direction, alpha fixed.Real) fixed.Real {
	one := fixed.Int(1)
	switch {
	case p.kind == finite:
		sum := fixed.Int(0)
		for _, m := range p.outcomes(d) {
			if d := three.Sub(m.p, three.Mul(alpha, m.q)); d.Positive() == interval.True {
				sum = three.Add(sum, d)
			}
		}
		return sum
	case d == mechanism.Add && !p.selfDual():
		inverse := three.Inv(alpha)
		return three.Add(three.Sub(one, alpha), three.Mul(alpha, p.profile(mechanism.Remove, inverse)))
	}
	if p.bumps != nil {
		return p.mixture(alpha)
	}
	if p.rate == nil {
		return p.base(alpha)
	}
	rate := three.Rat(p.rate)
	inner := three.Div(three.Sub(alpha, three.Sub(one, rate)), rate)
	if inner.Positive() != interval.True {
		return three.Sub(one, alpha)
	}
	return three.Mul(rate, p.base(inner))
}

// mixture is the profile of a mixture of Gaussians.
func (p *part) mixture(alpha fixed.Real) fixed.Real {
	t := p.outcome(logOf(alpha))
	if math.IsInf(t, -1) {
		return three.Sub(fixed.Int(1), alpha)
	}
	x := new(big.Rat).SetFloat64(t) // the error of δ is of second order in the error of x
	if x == nil {
		return fixed.Unknown()
	}
	m := p.above(three.Rat(x))
	return three.Sub(m.p, three.Mul(alpha, m.q))
}

// base is the profile of the pair that is sampled.
func (p *part) base(alpha fixed.Real) fixed.Real {
	one := fixed.Int(1)
	s := three.Rat(p.shift)
	switch x := logOf(alpha); {
	case p.kind == gaussian:
	case x < -number.Float64(p.shift):
		return three.Add(three.Sub(one, alpha), p.atAtom(alpha))
	case x > number.Float64(p.shift):
		return p.atAtom(three.Exp(s))
	case p.kind == laplace:
		return three.Add(three.Sub(one, three.Sqrt(three.Mul(alpha, three.Exp(s.Neg())))), p.atAtom(alpha))
	default:
		e := three.Exp(s)
		return three.Div(three.Sqr(three.Sub(three.Sqrt(e), three.Sqrt(alpha))), three.Sub(e, one))
	}
	mu := three.Sqrt(three.Rat(p.shift))
	x := new(big.Rat).SetFloat64(logOf(alpha)) // the error of δ is of second order in the error of x
	if x == nil {
		return fixed.Unknown()
	}
	t := three.Div(three.Add(three.Rat(x), three.Scale(three.Rat(p.shift), -1)), mu)
	return three.Sub(three.NormalSF(three.Sub(t, mu)), three.Mul(alpha, three.NormalSF(t)))
}

// atAtom is what the atom of clamped noise adds to the profile, of which x is min(α, e^s).
func (p *part) atAtom(x fixed.Real) fixed.Real {
	if p.clamp == nil {
		return fixed.Int(0)
	}
	return three.Scale(three.Mul(x, three.Exp(three.Rat(p.clamp).Neg())), -1)
}

var ratOne = big.NewRat(1, 1)

// logOf is about log x; −∞ for what is not positive.
func logOf(x fixed.Real) float64 {
	if !x.Known() || x.Positive() != interval.True {
		return math.Inf(-1)
	}
	m := new(big.Float)
	e := x.Interval().Hi().MantExp(m)
	f, _ := m.Float64()
	return math.Log(f) + float64(e)*math.Ln2
}

// realFloat is about x.
func realFloat(x fixed.Real) float64 {
	f, _ := x.Interval().Hi().Float64()
	return f
}

// loss is log of the likelihood ratio at the outcome t, and outcome the t of a loss, in
// float64, for the direction remove of parts with a density.
func (p *part) loss(t float64) float64 {
	var x float64
	if p.bumps != nil {
		r := number.Float64(p.rest)
		for _, b := range p.bumps {
			r += b.w * math.Exp(b.m*(t-b.m/2))
		}
		return math.Log(r)
	}
	if p.kind == gaussian {
		mu := math.Sqrt(number.Float64(p.shift))
		x = mu*t - mu*mu/2
	} else {
		s := number.Float64(p.shift)
		x = math.Abs(t) - math.Abs(t-s)
	}
	if p.rate == nil {
		return x
	}
	if q := number.Float64(p.rate); x < 30 {
		return math.Log1p(q * math.Expm1(x))
	} else {
		return x + math.Log(q+(1-q)*math.Exp(-x))
	}
}

// outcome is −∞ or ∞ for losses below or above all.
func (p *part) outcome(x float64) float64 {
	if p.bumps != nil {
		// Newton's steps from where the first bump is enough: the sum is convex, and above from there on.
		want, t := math.Log(math.Exp(x)-number.Float64(p.rest)), math.Inf(1)
		if math.IsNaN(want) || math.IsInf(want, -1) {
			return math.Inf(-1)
		}
		for _, b := range p.bumps {
			t = math.Min(t, (want-math.Log(b.w))/b.m+b.m/2)
		}
		for range 8 {
			r, slope := 0.0, 0.0
			for _, b := range p.bumps {
				e := b.w * math.Exp(b.m*(t-b.m/2)-want)
				r, slope = r+e, slope+e*b.m
			}
			t -= (r - 1) / slope
		}
		return t
	}
	if p.rate != nil {
		q := number.Float64(p.rate)
		y := 1 + math.Expm1(x)/q // e^x' = (e^x − (1−q))/q
		if x > 30 {
			x += math.Log1p(-(1-q)*math.Exp(-x)) - math.Log(q)
		} else if y <= 0 {
			return math.Inf(-1)
		} else {
			x = math.Log(y)
		}
	}
	if p.kind == gaussian {
		mu := math.Sqrt(number.Float64(p.shift))
		return x/mu + mu/2
	}
	switch s := number.Float64(p.shift); {
	case x < -s:
		return math.Inf(-1)
	case x >= s:
		return math.Inf(1)
	case p.kind == logisticNoise:
		g := math.Exp((x - s) / 2)
		return math.Log((g*math.Exp(s) - 1) / (1 - g))
	default:
		return (x + s) / 2
	}
}

// A side is one distribution of a part.
type side int

const (
	ofP side = iota
	ofQ
)

// sf and cdf are P(X > t) and P(X ≤ t) of a side, in float64.
func (p *part) sf(t float64, s side) float64  { return p.mixed(t, s, p.sfAt) }
func (p *part) cdf(t float64, s side) float64 { return p.mixed(t, s, p.cdfAt) }

func (p *part) mixed(t float64, s side, at func(float64) float64) float64 {
	if p.bumps != nil && s == ofP {
		sum := number.Float64(p.rest) * at(t)
		for _, b := range p.bumps {
			sum += b.w * at(t-b.m)
		}
		return sum
	} else if s == ofQ {
		return at(t)
	}
	shift := number.Float64(p.shift)
	if p.kind == gaussian {
		shift = math.Sqrt(shift)
	}
	switch {
	case p.rate == nil:
		return at(t - shift)
	}
	r := number.Float64(p.rate)
	return r*at(t-shift) + (1-r)*at(t)
}

func (p *part) sfAt(t float64) float64 {
	if p.kind == gaussian {
		return math.Erfc(t/math.Sqrt2) / 2
	} else if p.kind == logisticNoise {
		return 1 / (1 + math.Exp(t))
	}
	if t < 0 {
		return 1 - math.Exp(t)/2
	}
	return math.Exp(-t) / 2
}

func (p *part) cdfAt(t float64) float64 { return p.sfAt(-t) }

// between has the masses of the outcomes from a threshold to the next.
func (p *part) between(thresholds []int64, k int) mass {
	lo := p.beyond(thresholds[k])
	if k+1 == len(thresholds) {
		return lo
	}
	hi := p.beyond(thresholds[k+1])
	return mass{three.Sub(lo.p, hi.p), three.Sub(lo.q, hi.q)}
}

// beyond has P(X > t) and Q(X > t).
func (p *part) beyond(threshold int64) mass {
	return p.above(three.Rat(new(big.Rat).Mul(new(big.Rat).SetInt64(threshold), interval.Pow2(-thresholdBits))))
}

func (p *part) above(t fixed.Real) mass {
	var m mass
	if p.bumps != nil {
		m.q = three.NormalSF(t)
		m.p = three.Mul(three.Rat(p.rest), m.q)
		for _, b := range p.bumps {
			m.p = three.Add(m.p, three.Mul(three.Rat(b.weight), three.NormalSF(three.Sub(t, three.Rat(b.mean)))))
		}
	} else if p.kind == gaussian {
		m = mass{three.NormalSF(three.Sub(t, three.Sqrt(three.Rat(p.shift)))), three.NormalSF(t)}
	} else {
		tail := func(t fixed.Real) fixed.Real {
			half := func(x fixed.Real) fixed.Real { return three.Scale(three.Exp(x), -1) }
			if t.Negative() == interval.True {
				return three.Sub(fixed.Int(1), half(t))
			}
			return half(t.Neg())
		}
		m = mass{tail(three.Sub(t, three.Rat(p.shift))), tail(t)}
	}
	if p.rate != nil {
		rate := three.Rat(p.rate)
		m.p = three.Add(three.Mul(rate, m.p), three.Mul(three.Sub(fixed.Int(1), rate), m.q))
	}
	return m
}
