// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"context"
	"math/big"
	"math/bits"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Period is the composition of many unequal guarantees by inversion over one period of its transform, good to some
// 10 digits.
//
// Let ε_i = n_i·g, k_i copies of it, E = Σ k_i·ε_i, G = 2g. Without what is infinite, all losses of the composition are
// L_m = −E + mG. With s = −λ + it, λ > 0, b_i = ε_i·t and a_i = ε_i·(½ + λ),
//
//	M(s) = E_P[e^{−sL}] = Π (cosh(a_i − i·b_i)/cosh(ε_i/2))^{k_i} = M(−λ)·ψ(t),
//	ψ(t) = Π (cos b_i − i·tanh a_i·sin b_i)^{k_i}.
//
// For T = NG, t_j = 2πj/T, and the least L₀ = L_m above ε, let
//
//	W_j = Σ_{L_m > ε} e^{(−λ + it_j)·L_m}·(1 − e^{ε − L_m}),  S = (M(−λ)/N)·Σ_{j mod N} ψ(t_j)·W_j.
//
// Claim. S = Σ_{m∈ℤ} e^{λmT}·d(ε + mT) for d(ε) = E_P[(1 − e^{ε−L})₊]. So if T ≥ E − ε,
//
//	S − e^{−λT}/(1 − e^{−λT}) ≤ d(ε) ≤ S.
//
// Proof. With the masses p_l of L_l under P, (1/N)·Σ_j M(s_j)·e^{it_j·L_m} = Σ p_l·e^{λL_l} over l ≡ m mod N. So S is
// the sum of p_l·e^{λL_l}·e^{−λL_m}·(1 − e^{ε−L_m}) over all l and all L_m > ε that are L_l − kT for some k ∈ ℤ. It
// is Σ_k e^{λkT}·d(ε + kT). All terms are ≥ 0. Those of k > 0 are 0, as no loss exceeds E ≤ ε + T; those of k < 0 are
// at most e^{−λ|k|T}.
//
// W_j is a geometric series: with γ = L₀ − ε and z = e^{(−λ + it_j)G},
//
//	W_j = e^{(−λ + it_j)L₀}·[(1 − e^{−γ}) + z·(e^{−γ} − e^{−G})]/((1 − z)(1 − z·e^{−G})),
//
// and |W_j| ≤ W₀.
//
// What falls. |ψ(t)|² = Π (1 − v_i·sin² b_i)^{k_i}, v_i = 1/cosh² a_i. With polynomials h of minorant, log|ψ| ≤ −F/2,
//
//	F(t) = Σ k_i·h_i(2b_i) = Σ k_i·Σ_j h_{ij}·cos 2jb_i.
//
// F has the period π/g, in which t has N nodes. One Fourier transform has its values at R points: at the nodes if
// N = R. Otherwise |F′| ≤ g·D, D = Σ k_i·n_i·Σ_j 2j·|h_{ij}|, says how far it is from these in between: by at most
// Dπ/2R. Nodes next to points where F is large are left out, and together add at most M(−λ)·W₀·(1/N)·Σ e^{−F/2}.
type Period struct {
	parts    []part
	spacing  *big.Rat // g
	total    *big.Rat // E
	infinite interval.Interval

	mu        sync.Mutex
	last      *tilt
	transform *double.Transform
}

// Limits of what a Period may cost.
const (
	maxPeriodParts  = 1 << 14
	maxPeriodCopies = 1 << 30
	maxPeriodPoints = 1 << 20 // R
	periodPrec      = interval.Prec(96)
)

// NewPeriod reports false if the ε_i have no common spacing that is long enough.
func NewPeriod(gs []Guarantee) (*Period, bool) {
	x := &Period{total: new(big.Rat)}
	if len(gs) > maxPeriodParts {
		return nil, false
	}
	denominator := big.NewInt(1)
	for _, g := range gs {
		d := g.Eps.Denom()
		denominator.Mul(denominator, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, denominator, d)))
		const maxDenominator = 256 // bits
		if g.Eps.Sign() < 0 || denominator.BitLen() > maxDenominator {
			return nil, false
		}
	}
	numerator := new(big.Int)
	for _, g := range gs {
		n := new(big.Int).Mul(g.Eps.Num(), new(big.Int).Quo(denominator, g.Eps.Denom()))
		numerator.GCD(nil, nil, numerator, n)
	}
	if numerator.Sign() == 0 {
		return nil, false
	}
	x.spacing = new(big.Rat).SetFrac(numerator, denominator)
	copies := int64(0)
	for _, g := range gs {
		n := new(big.Rat).Quo(g.Eps, x.spacing).Num()
		const maxSteps = 40 // bits of n
		if copies += g.Count; n.BitLen() > maxSteps || g.Count > maxPeriodCopies || copies > maxPeriodCopies {
			return nil, false
		}
		x.total.Add(x.total, new(big.Rat).Mul(g.Eps, new(big.Rat).SetInt64(g.Count)))
		if n.Sign() > 0 {
			eps := double.Of(periodPrec.Rat(g.Eps))
			x.parts = append(x.parts, part{n.Int64(), g.Count, eps, eps.Mid()})
		}
	}
	x.infinite = infinite(periodPrec, gs)
	return x, true
}

// Serves reports whether few nodes count about the mean of the losses, and where they seldom are.
func (x *Period) Serves() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, eps := range usual(x.parts, x.total) {
		lambda, n := choose(x.parts, x.total, x.step(), eps)
		if lambda == nil {
			return false
		}
		_, squares, _ := x.tilted(lambda)
		if _, _, ok := x.large(squares, n, min(n, maxPeriodPoints)); !ok {
			return false
		}
	}
	return true
}

// Near returns a number near ε(delta), which bounds nothing. It reports false if it has none.
func (x *Period) Near(delta *big.Rat) (*big.Rat, bool) {
	return near(x.parts, x.total, x.infinite, delta)
}

// Delta returns an enclosure of δ(ε); it may be [0, 1]. It is a profile.Func.
//
// δ falls, so that its values at the ends of ε bound it between them. All is symmetric in P and Q, so that
// d(ε) = 1 − e^ε + e^ε·d(−ε) for ε < 0.
func (x *Period) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	w := max(p, periodPrec)
	e := eps(w)
	first, last, ok := e.Rationals()
	if !ok {
		return unit, nil
	}
	hi, err := x.at(ctx, w, first)
	if err != nil {
		return unit, err
	}
	lo := hi
	if first.Cmp(last) != 0 {
		if lo, err = x.at(ctx, w, last); err != nil {
			return unit, err
		}
	}
	y := interval.Bounds(lo.Lo(), hi.Hi())
	return interval.Clamp(p.Round(w.Add(x.infinite, w.Mul(w.Sub(one, x.infinite), y))), 0, 1), nil
}

// at encloses d at one ε.
func (x *Period) at(ctx context.Context, w interval.Prec, eps *big.Rat) (interval.Interval, error) {
	if eps.Sign() >= 0 {
		return x.positive(ctx, eps)
	}
	y, err := x.positive(ctx, new(big.Rat).Neg(eps))
	e := w.Rat(eps)
	return interval.Clamp(w.Sub(w.Mul(w.Exp(e), y), w.Expm1(e)), 0, 1), err
}

// A tilt is what does not depend on ε but through λ and T: the nodes at which |ψ| may not be small, and ψ there.
type tilt struct {
	lambda string // as a key
	n      int64
	nodes  []node
	moment double.Interval // log M(−λ)
	faint  double.Interval // (1/N)·Σ|ψ| over all other nodes, from above
}

// A node is ψ at t_j, within err of value in modulus.
type node struct {
	t     double.Interval
	alone bool // j = 0 or N/2, which is its own mirror image
	value complex128
	err   float64
}

// positive is at for ε ≥ 0: no loss is above E.
func (x *Period) positive(ctx context.Context, eps *big.Rat) (interval.Interval, error) {
	if eps.Cmp(x.total) >= 0 {
		return zero, nil
	}
	lambda, n := choose(x.parts, x.total, x.step(), eps)
	if lambda == nil || lambda.Sign() <= 0 || !x.longEnough(n, eps) {
		return unit, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.last == nil || x.last.lambda != lambda.RatString() || x.last.n != n {
		y, err := x.newTilt(ctx, lambda, n)
		if err != nil || y == nil {
			return unit, err
		}
		x.last = y
	}
	return x.invert(x.last, lambda, n, eps), nil
}

// longEnough reports whether N is a power of two and NG ≥ E − ε.
func (x *Period) longEnough(n int64, eps *big.Rat) bool {
	period := new(big.Rat).Mul(new(big.Rat).SetInt64(n), x.step())
	return n >= 2 && n&(n-1) == 0 && period.Cmp(new(big.Rat).Sub(x.total, eps)) >= 0
}

// step is G.
func (x *Period) step() *big.Rat { return new(big.Rat).Add(x.spacing, x.spacing) }

// tilted encloses tanh a_i, v_i and log M(−λ).
func (x *Period) tilted(lambda *big.Rat) (tanhs, squares []double.Interval, moment double.Interval) {
	l, half := double.Of(periodPrec.Rat(lambda)), double.Point(0.5)
	for _, q := range x.parts {
		a := q.eps.Mul(half.Add(l))
		fall := a.Add(a).Neg().Exp() // e^{−2a}
		sum := double.Int(1).Add(fall)
		tanhs = append(tanhs, double.Int(1).Sub(fall).Div(sum))
		squares = append(squares, double.Int(4).Mul(fall).Div(sum.Sqr()))
		// log cosh a − log cosh(ε/2) = λε + log((1 + e^{−2a})/(1 + e^{−ε}))
		log := l.Mul(q.eps).Add(sum.Div(double.Int(1).Add(q.eps.Neg().Exp())).Log())
		moment = moment.Add(double.Int(q.k).Mul(log))
	}
	return tanhs, squares, moment
}

// newTilt finds the nodes that count, and evaluates ψ there. It is nil if there are too many. x.mu is held.
func (x *Period) newTilt(ctx context.Context, lambda *big.Rat, n int64) (*tilt, error) {
	tanhs, squares, moment := x.tilted(lambda)
	y := &tilt{lambda: lambda.RatString(), n: n, moment: moment}
	near, faint, ok := x.large(squares, n, min(n, maxPeriodPoints))
	if !ok {
		return nil, nil
	}
	y.faint = faint
	step, least := double.Of(periodPrec.Rat(x.spacing)), turn(1, n)
	for _, j := range near {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v := node{t: turn(j, n).Div(step), alone: j == 0 || j == n/2, value: 1}
		var off double.Interval
		for i, q := range x.parts {
			// b_i = π·n_i·j/N, and whole turns count nothing: n_i·j is needed modulo 2N, which divides 2^64.
			cos, sin := least.Mul(double.Int((q.n*j+n)&(2*n-1) - n)).Cis()
			sin = tanhs[i].Mul(sin)
			z := complex(cos.Mid(), -sin.Mid())
			v.value = double.Product(v.value, power(z, q.k))
			rho := cos.Upper().Sub(cos.Lower()).Add(sin.Upper().Sub(sin.Lower()))
			off = off.Add(double.Int(q.k).Mul(rho.Add(double.Point(8 * 0x1p-53))))
		}
		if v.err = double.Int(4).Mul(off).Add(double.Point(0x1p-900)).Hi; !(v.err < 0x1p-4) {
			return nil, nil
		}
		y.nodes = append(y.nodes, v)
	}
	return y, nil
}

// power is near z^k, for |z| ≤ 1 about.
//
// Errors of node. The factors z_i of ψ have |z_i| ≤ 1, and computed ones are within ρ_i of them, so their moduli are
// at most 1 + ρ_i. A product of two computed numbers is off by at most 4u of itself, u = 2^−53, besides what is below
// 2^−1022. In the product of all copies each factor counts k_i times, as does each rounding at most: a square doubles
// what was there. So it is off by at most exp(Σ k_i(ρ_i + 8u)) − 1 ≤ 2Σ k_i(ρ_i + 8u) if that sum is at most 1/2, and
// twice as much is taken.
func power(z complex128, k int64) complex128 {
	y := complex(1, 0)
	for i := bits.Len64(uint64(k)) - 1; i >= 0; i-- {
		y = double.Product(y, y)
		if k>>i&1 == 1 {
			y = double.Product(y, z)
		}
	}
	return y
}

// digits are how much left out nodes are to be less than all, as a logarithm, and how many values of factors that may
// take: some 10 digits or, where these take more, 4.
var digits = []struct {
	nats   float64
	values int64
}{{28, 1 << 19}, {14, 1 << 21}}

// large returns the j, 0 ≤ j ≤ N/2, of nodes at which |ψ| may not be small, and (1/N)·Σ|ψ| over all others from above.
// It reports false if there are too many.
//
// Rounding. The transform adds up terms c·e^{iα} on ways of log₂ R additions and products with roots that are within
// 7u of those meant; each way is off by a factor within (1 + 12u)^{log₂ R} of 1, and so are sums of them by at most
// 16u·log₂ R·Σ|c|. Coefficients are added up before, one of each part and each j, and each sum is off by u·Σ|c|. Twice
// as much is taken.
func (x *Period) large(squares []double.Interval, n, points int64) (near []int64, faint double.Interval, ok bool) {
	falls := newMinorant(3)
	if points < n {
		falls = newMinorant(1) // which moves less between points
	}
	var rounded, size, speed double.Interval // of coefficients, Σ|c| and D
	values := make([]complex128, points)
	for i, q := range x.parts {
		k := double.Int(q.k)
		for j, h := range falls.of(squares[i].Lower().AtLeastZero()) {
			h = k.Mul(h)
			values[int64(j)*q.n&(points-1)] += complex(h.Mid(), 0)
			rounded = rounded.Add(h.Upper().Sub(h.Lower()))
			size = size.Add(h.Abs())
			speed = speed.Add(h.Abs().Mul(double.Int(q.n)).Mul(double.Int(int64(2 * j))))
		}
	}
	levels := bits.Len64(uint64(points)) - 1
	sums := int64(16*levels + falls.n*len(x.parts))
	off := rounded.Add(size.Mul(double.Int(sums)).Mul(double.Point(0x1p-52)))
	if points < n {
		off = off.Add(speed.Mul(pi).Div(double.Int(2 * points)))
	}
	// Where F is no more than that on average, too many nodes count.
	if some := 2 * digits[len(digits)-1].nats; !off.IsFinite() || points < n && real(values[0])-off.Hi < some {
		return nil, faint, false
	}
	if x.transform == nil || int64(x.transform.Length()) != points {
		x.transform = double.NewTransform(int(points))
	}
	x.transform.Forward(values)
	var tally [mostFalls]int64 // of points u ≤ R/2, which stand for N/R nodes j ≤ N/2 at most and their mirror images
	fall := func(z complex128) int { return int(min(max(double.Point(real(z)).Sub(off).Lo, 0), mostFalls-1)) }
	for i, z := range values {
		if reversed(i, levels) <= points/2 {
			tally[fall(z)]++
		}
	}
	for _, d := range digits {
		cut, kept, faint := cutOff(tally[:], points, d.nats)
		if kept > d.values/int64(len(x.parts))*points/n {
			continue
		}
		for i, z := range values {
			if u := reversed(i, levels); u <= points/2 && fall(z) < cut {
				for j := max(nodesAt(2*u-1, n, points)+1, 0); j <= min(nodesAt(2*u+1, n, points), n/2); j++ {
					near = append(near, j)
				}
			}
		}
		return near, faint, true
	}
	return nil, faint, false
}

// mostFalls bounds F, as it is told apart.
const mostFalls = 256

// cutOff returns the F from which on points are left out, how many are not, and (2/R)·Σ e^{−F/2} over those that are,
// from above: less than e^{−nats} of what it is over all.
func cutOff(tally []int64, points int64, nats float64) (cut int, kept int64, faint double.Interval) {
	sums := make([]double.Interval, len(tally)+1) // over the points of that F and beyond
	for f := len(tally) - 1; f >= 0; f-- {
		part := double.Int(2 * tally[f]).Mul(double.Int(-int64(f)).Half().Exp()).Div(double.Int(points))
		sums[f] = sums[f+1].Add(part)
	}
	most := sums[0].Mul(double.Point(-nats).Exp()).Lo
	for ; cut < len(tally) && sums[cut].Hi > most; cut++ {
		kept += tally[cut]
	}
	return cut, kept, sums[cut].Upper()
}

// reversed is the u of the value that a transform has at i.
func reversed(i, levels int) int64 { return int64(bits.Reverse64(uint64(i)) >> (64 - levels)) }

// nodesAt is ⌊vN/2R⌋: the nodes in (⌊(2u−1)N/2R⌋, ⌊(2u+1)N/2R⌋] are those of u, each of one u only, N/R at most, with
// |jR/N − u| ≤ ½.
func nodesAt(v, n, points int64) int64 { return v * (n / points) >> 1 }

// invert encloses d(ε).
func (x *Period) invert(y *tilt, lambda *big.Rat, n int64, eps *big.Rat) interval.Interval {
	const w = periodPrec
	step := x.step()
	m := new(big.Rat).Quo(new(big.Rat).Add(eps, x.total), step)
	m.SetInt(floorRat(m))
	next := new(big.Rat).Add(new(big.Rat).Sub(new(big.Rat).Mul(m, step), x.total), step) // L₀ > ε
	gap := new(big.Rat).Sub(next, eps)                                                   // γ
	above := double.Of(w.Expm1(w.Rat(gap).Neg()).Neg())                                  // 1 − e^{−γ}
	rest := new(big.Rat).Sub(step, gap)
	between := double.Of(w.Mul(w.Exp(w.Rat(step).Neg()), w.Expm1(w.Rat(rest)))) // e^{−γ} − e^{−G}
	l := w.Rat(lambda)
	slow := newGeometric(w.Mul(l, w.Rat(step)))
	fast := newGeometric(w.Mul(w.Add(l, one), w.Rat(step)))
	at, g := double.Of(w.Rat(next)), double.Of(w.Rat(step))
	weight := func(t double.Interval) (re, im double.Interval) { // W_j·e^{λL₀}
		cos, sin := t.Mul(at).Cis()
		halfCos, halfSin := t.Mul(g).Half().Cis()
		re, im = slow.power(halfCos, halfSin)
		re, im = above.Add(re.Mul(between)), im.Mul(between)
		re, im = times(re, im, cos, sin)
		re, im = over(re, im, slow, halfCos, halfSin)
		return over(re, im, fast, halfCos, halfSin)
	}
	var sum double.Interval
	for _, v := range y.nodes {
		re, im := weight(v.t)
		part := double.Point(real(v.value)).Mul(re).Sub(double.Point(imag(v.value)).Mul(im))
		off := double.Point(v.err).Mul(re.Abs().Upper().Add(im.Abs().Upper())).Hi
		part = part.Add(double.Interval{Lo: -off, Hi: off})
		if !v.alone {
			part = part.Add(part)
		}
		sum = sum.Add(part)
	}
	most, _ := weight(double.Interval{}) // W₀
	lost := most.Mul(y.faint).Upper().Hi
	sum = sum.Div(double.Int(n)).Add(double.Interval{Lo: -lost, Hi: lost})
	scale := y.moment.Sub(double.Of(w.Mul(l, w.Rat(next)))).Exp()
	s := sum.Mul(scale)
	period := new(big.Rat).Mul(new(big.Rat).SetInt64(n), step)
	alias := w.Inv(w.Expm1(w.Rat(period.Mul(period, lambda)))) // e^{−λT}/(1 − e^{−λT})
	d := interval.Bounds(w.Sub(double.Point(s.Lo).Exact(), alias).Lo(), double.Point(s.Hi).Exact().Hi())
	return interval.Clamp(d, 0, 1)
}

// A geometric is the ratio z of a geometric series, up to its angle: |z| and 1 − |z|.
type geometric struct{ size, rest double.Interval }

// newGeometric is for |z| = e^{−x}.
func newGeometric(x interval.Interval) geometric {
	const w = periodPrec
	return geometric{double.Of(w.Exp(x.Neg())), double.Of(w.Expm1(x.Neg()).Neg())}
}

// power encloses z from cos and sin of half of its angle.
func (z geometric) power(cos, sin double.Interval) (re, im double.Interval) {
	return z.size.Mul(double.Int(1).Sub(double.Int(2).Mul(sin.Sqr()))), z.size.Mul(double.Int(2).Mul(sin.Mul(cos)))
}

// over divides by 1 − z = (1 − |z|) + |z|·(2sin²(θ/2) − i·sin θ).
func over(re, im double.Interval, z geometric, cos, sin double.Interval) (outRe, outIm double.Interval) {
	a := z.rest.Add(z.size.Mul(double.Int(2).Mul(sin.Sqr())))
	b := z.size.Mul(double.Int(2).Mul(sin.Mul(cos))).Neg()
	norm := a.Sqr().Add(b.Sqr())
	outRe, outIm = times(re, im, a, b.Neg())
	return outRe.Div(norm), outIm.Div(norm)
}

// times multiplies (a + ib)(c + id).
func times(a, b, c, d double.Interval) (re, im double.Interval) {
	return a.Mul(c).Sub(b.Mul(d)), a.Mul(d).Add(b.Mul(c))
}
