// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"math"
	"math/big"
	"sort"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// A transform computes φ(s) = E e^{−sY}, log Y being normal with mean −μ²/2 and variance μ².
//
// For s of argument β in [0, π), and any angle ψ with |β − ψ| < π/2, Cauchy's theorem moves the normal variable to
// z − iψ/μ:
//
//	φ(s) = ∫ f(z) dz,  f(z) = exp(−s·e^{−iψ}·e^{μz−μ²/2})·exp(−(z − iψ/μ)²/2)/√(2π).
//
// For β ≥ π/2 that is what continues φ. f is entire, and where β − ψ + μv is in [−π/2, π/2],
// |f(z + iv)| ≤ exp(−z²/2 + (v − ψ/μ)²/2)/√(2π). So the trapezoidal rule of step η is off by at most
//
//	e^{(a−ψ/μ)²/2}/(e^{2πa/η} − 1) + e^{(b+ψ/μ)²/2}/(e^{2πb/η} − 1),  0 < a ≤ (π/2 − β + ψ)/μ, 0 < b ≤ (π/2 + β − ψ)/μ,
//
// one term for what is above the line and one for what is below. Beyond a node z > 0, the sum is at most
// e^{ψ²/2μ²}·P(N > z), times e^{−x·e^{μz−μ²/2}} on the right, x being the real part of s·e^{−iψ}.
//
// For the same reason |φ(s)| ≤ e^{ψ²/2μ²}·φ(x) if x ≥ 0.
type transform struct {
	mu2   *big.Rat
	terms int64
	w     interval.Prec
	need  float64 // errors are about e^−need
	mu    float64
	rules map[int]*rule
}

// A rule is a step, an angle, and what does not depend on s at its nodes.
type rule struct {
	psi, step   float64
	above, down float64 // a and b at most
	z           []interval.Interval
	growth      []interval.Interval // e^{μz−μ²/2}
	weight      []interval.Complex  // η·exp(−(z − iψ/μ)²/2)/√(2π)

	growth3 []fixed.Real // the same in three words
	weight3 []fixed.Complex
	sizes   []float64 // about the growth
	penalty float64   // about ψ²/2μ²
}

// leastBits is the precision that three words want of arguments, and wordBits what they have for sums.
const (
	leastBits = 160
	wordBits  = 184
)

// last is the index of a node beyond 0 from which on the terms for s·e^{−iψ} of the real part x are about e^−need.
func (r *rule) last(x, need float64) int {
	middle := len(r.sizes) / 2
	return middle + 1 + sort.Search(len(r.sizes)-middle-2, func(j int) bool {
		return x*r.sizes[middle+1+j] > need+r.penalty+4
	})
}

// sum is the sum over the nodes up to the last one.
func (r *rule) sum(w interval.Prec, turned interval.Complex, last int) (sum interval.Complex) {
	for j, e := range r.growth[:last+1] {
		size := w.Exp(w.Mul(turned.Re, e).Neg())
		wave := w.ExpI(w.Mul(turned.Im, e).Neg())
		sum = w.AddC(sum, w.MulC(w.ScaleC(size, wave), r.weight[j]))
	}
	return sum
}

// sumThree is sum in three words; it reports false where that has no answer.
func (r *rule) sumThree(w interval.Prec, turned interval.Complex, last int) (interval.Complex, bool) {
	var three fixed.Three
	s, sum := fixed.FromComplex(turned), fixed.Complex{Re: fixed.Int(0), Im: fixed.Int(0)}
	loose := interval.Int(0)
	for j, e := range r.growth3[:last+1] {
		size := three.Exp(three.Mul(s.Re, e).Neg())
		sin, cos := three.SinCos(three.Mul(s.Im, e))
		if !sin.Known() || !cos.Known() { // of an angle beyond 2^20: they are at most 1
			loose = low.Add(loose, low.Mul(size.Interval(), low.AbsC(r.weight[j])).Upper())
			continue
		}
		term := three.MulC(fixed.Complex{Re: three.Mul(size, cos), Im: three.Mul(size, sin).Neg()}, r.weight3[j])
		sum = fixed.Complex{Re: three.Add(sum.Re, term.Re), Im: three.Add(sum.Im, term.Im)}
	}
	out, miss := sum.Interval(), interval.Union(loose.Neg(), loose)
	known := sum.Known() && double.Of(loose).Hi < math.Ldexp(1, -wordBits)
	return interval.Complex{Re: w.Add(out.Re, miss), Im: w.Add(out.Im, miss)}, known
}

// directions is how many rules there are for arguments from 0 to π.
const directions = 8

// low is the precision of bounds of errors.
const low = interval.Prec(64)

func newTransform(mu2 *big.Rat, terms int64, w interval.Prec, need float64) *transform {
	return &transform{mu2, terms, w, need, math.Sqrt(number.Float64(mu2)), make(map[int]*rule)}
}

// at encloses φ(s) for Im s ≥ 0; it reports false where s may be 0, or too near to the negative half axis.
func (t *transform) at(s interval.Complex) (interval.Complex, bool) {
	w := t.w
	beta := low.ArgC(s)
	about := double.Of(beta).Mid()
	i := int(math.Ceil(about * directions / math.Pi))
	if !(about >= 0 && i < directions) {
		return s, false
	}
	r := t.rules[i]
	if r == nil {
		if r = t.choose(float64(i) * math.Pi / directions); r == nil {
			return s, false
		}
		t.prepare(r)
		t.rules[i] = r
	}
	psi, mu := double.Exactly(r.psi), low.Sqrt(low.Rat(t.mu2))
	half := low.Scale(low.Pi(), -1)
	turned := w.MulC(s, w.ExpI(psi.Neg()))
	x := interval.Point(turned.Re.Lo())
	if x.Negative() == interval.True {
		return s, false
	}
	last := r.last(double.Of(x).Mid(), t.need)
	sum, ok := r.sumThree(w, turned, last)
	if w > wordBits || !ok {
		sum = r.sum(w, turned, last)
	}
	eta, share := double.Exactly(r.step), low.Div(psi, mu)
	room := low.Sub(half, low.Sub(beta, psi))
	aliases := low.Add(aliased(r.above, room, mu, eta, share.Neg()),
		aliased(r.down, low.Sub(low.Pi(), room), mu, eta, share))
	tails := low.Add(low.NormalSF(r.z[0].Neg()),
		low.Mul(low.NormalSF(r.z[last]), low.Exp(low.Mul(x, r.growth[last]).Neg())))
	err := low.Add(aliases, low.Mul(tails, low.Exp(low.Scale(low.Sqr(share), -1)))).Upper()
	miss := interval.Union(err.Neg(), err)
	return interval.Complex{Re: w.Add(sum.Re, miss), Im: w.Add(sum.Im, miss)}, err.IsFinite()
}

// aliased is e^{(v+shift)²/2}/(e^{2πv/η} − 1) for the v that is at most wanted and at most room/μ.
func aliased(wanted float64, room, mu, eta, shift interval.Interval) interval.Interval {
	v := interval.Min(double.Exactly(wanted), interval.Point(low.Div(room, mu).Lo()))
	if v.Positive() != interval.True {
		return low.Inv(interval.Int(0))
	}
	cycles := low.Div(low.Mul(low.Scale(low.Pi(), 1), v), eta)
	return low.Div(low.Exp(low.Scale(low.Sqr(low.Add(v, shift)), -1)), low.Expm1(cycles))
}

// choose finds the rule for arguments up to beta, and not much less, that costs least; nil if there is none.
func (t *transform) choose(beta float64) *rule {
	var best *rule
	most := math.Inf(1)
	for i := range 33 {
		psi := beta * float64(i) / 32
		above, down := (math.Pi/2-beta+psi)/t.mu, (math.Pi/2+max(beta-math.Pi/directions, 0)-psi)/t.mu
		if min(above, down) < 0.05/t.mu {
			continue
		}
		shift := psi / t.mu
		wish := math.Sqrt(2*t.need + shift*shift)
		above, down = min(above, wish), min(down, wish)
		step := min(2*math.Pi*above/(t.need+4+(above-shift)*(above-shift)/2),
			2*math.Pi*down/(t.need+4+(down+shift)*(down+shift)/2))
		reach := math.Sqrt(2 * (t.need + shift*shift/2))
		if cost := reach / step * (t.need + shift*shift/2); cost < most {
			best, most = &rule{psi: psi, step: step, above: above, down: down}, cost
		}
	}
	return best
}

// reach is the number of nodes on either side of 0.
func (t *transform) reach(r *rule) int64 {
	return int64(math.Ceil(math.Sqrt(2*(t.need+r.psi*r.psi/(2*t.mu*t.mu)))/r.step)) + 1
}

// prepare computes nodes, the first and the last of which are on either side of 0.
func (t *transform) prepare(r *rule) {
	w := t.w
	mu2 := w.Rat(t.mu2)
	mu, eta := w.Sqrt(mu2), double.Exactly(r.step)
	share := w.Div(double.Exactly(r.psi), mu)
	front := w.Mul(w.Div(eta, w.Sqrt(w.Scale(w.Pi(), 1))), w.Exp(w.Scale(w.Sqr(share), -1)))
	far := t.reach(r)
	for j := -far; j <= far; j++ {
		z := w.Mul(interval.Int(j), eta)
		size := w.Mul(front, w.Exp(w.Scale(w.Sqr(z), -1).Neg()))
		r.z = append(r.z, z)
		r.growth = append(r.growth, w.Exp(w.Sub(w.Mul(mu, z), w.Scale(mu2, -1))))
		r.weight = append(r.weight, w.ScaleC(size, w.ExpI(w.Mul(z, share))))
	}
	for j, e := range r.growth {
		r.growth3, r.weight3 = append(r.growth3, fixed.FromInterval(e)), append(r.weight3, fixed.FromComplex(r.weight[j]))
		r.sizes = append(r.sizes, double.Of(e).Mid())
	}
	r.penalty = r.psi * r.psi / (2 * t.mu * t.mu)
}

// power bounds |φ|^t for all s whose s·e^{−iψ} has a real part of at least x ≥ 0.
func (t *transform) power(psi float64, x interval.Interval) (interval.Interval, bool) {
	phi, ok := t.at(interval.Complex{Re: interval.Point(x.Lo())})
	if !ok || x.Positive() != interval.True {
		return x, false
	}
	share := low.Div(low.Sqr(double.Exactly(psi)), low.Scale(low.Rat(t.mu2), 1))
	return low.PowInt(low.Mul(low.Exp(share), phi.Re).Upper(), t.terms), true
}
