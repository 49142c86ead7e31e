// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"
	"math/cmplx"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// A movedRule is a trapezoidal rule for M(−λ + it) of a mixture on one side, along the line of integration that shifted moves
// to: it is good for all t ≥ 0 at once, where the real line needs nodes in proportion to t.
//
// Lemma. Let 2b·max |m_i| < π over the means of A and B, and let y be −b where shifted moves down, and b where it moves up. At x + iy the
// integrand is f = φ·A^{1+λ}·B^{−λ}·(A/B)^{−it}, with the principal powers. By shifted it is analytic where 0 ≤ |Im z| ≤ 2b on that side, and there
//
//	|f(z)| ≤ φ(x)·e^{|Im z|²/2}·|A(z)|^{1+λ}·|B(z)|^{−λ}·e^{−t(|arg A(z)| + |arg B(z)|)} ≤ the same without the last factor,
//
// of which shifted bounds the integrals N(0) and N(2b) over the lines Im z = 0 and Im z = 2y. By the residues of newQuadrature, about the line in
// the middle, a rule of step η is off by at most (N(0) + N(2b))/(e^{2πb/η} − 1) for every t ≥ 0. Terms beyond the nodes, which begin and end outside
// of the window, add at most what shifted bounds the integral over Im z = y beyond the window by.
type movedRule struct {
	weights []interval.Complex  // η·φ·A^{1+λ}·B^{−λ} at the nodes
	losses  []interval.Interval // log|A/B|
	turns   []interval.Interval // |arg A| + |arg B|
	err     interval.Interval
}

// A movedPlan is how a rule is laid out.
type movedPlan struct {
	window
	b, step float64
	err     interval.Interval
}

// planMoved returns a rule with an error of about 2^−p of M(−λ), with as few nodes as may be.
func (m *mixture) planMoved(p interval.Prec, lambda *big.Rat) (movedPlan, bool) {
	if _, ok := m.apart(); !ok {
		return movedPlan{}, false
	}
	w, ok := m.steepWindow(lambda, int(p)+16, turned*float64Of(lambda))
	if !ok {
		return movedPlan{}, false
	}
	s := m.newStrip(lambda, w)
	unit := double.Int(1)
	real, ok := s.shift(0, unit)
	if !ok {
		return movedPlan{}, false
	}
	most := m.farthest().Hi
	base := total(real.weights)
	target := float64(p+8) * math.Ln2
	best := movedPlan{window: w}
	for i := 1; i < 16; i++ {
		b := math.Pi / 2 * float64(i) / 16 / most
		far, ok := s.shift(2*b, unit)
		if !ok {
			continue
		}
		n := base.Add(total(far.weights))
		step := roundDown(2 * math.Pi * b / (target + n.Div(base).Log().Hi))
		if !(step > best.step) {
			continue
		}
		middle, ok := s.shift(b, unit)
		if !ok {
			continue
		}
		ends := total(middle.weights[len(middle.weights)-len(s.ends):])
		fall := double.Int(2).Mul(double.Of(coarse.Pi())).Mul(double.Point(b)).Div(double.Point(step))
		rule := coarse.Div(n.Upper().Exact(), coarse.Expm1(fall.Lower().Exact()))
		best.b, best.step = b, step
		best.err = upper(coarse.Mul(coarse.Add(rule, ends.Upper().Exact()), scaleOf(w.peak)))
	}
	return best, best.step > 0
}

// nodes is how many nodes the rule has, about.
func (r movedPlan) nodes() float64 { return (point(r.last) - point(r.first)) / r.step }

// newMoved lays the rule out.
func (m *mixture) newMoved(p interval.Prec, lambda *big.Rat, plan movedPlan) movedRule {
	w := p + 32
	y := point64(plan.b)
	if up, _ := m.apart(); up {
		y = y.Neg()
	}
	l, eta := w.Rat(lambda), point64(plan.step)
	scale := w.Div(eta, rootTwoPi(w))
	a, b := newTurnedSum(w, m.a, y), newTurnedSum(w, m.b, y)
	r := movedRule{err: plan.err}
	i0, i1 := int64(math.Ceil(point(plan.first)/plan.step)), int64(math.Ceil(point(plan.last)/plan.step))
	for i := i0 - 1; i <= i1; i++ {
		x := w.Mul(interval.Int(i), eta)
		la, lb := a.log(w, x), b.log(w, x)
		half := interval.Complex{ // −z²/2
			Re: w.Scale(w.Sub(w.Sqr(y), w.Sqr(x)), -1),
			Im: w.Mul(x, y).Neg(),
		}
		power := w.SubC(w.ScaleC(w.Add(l, one), la), w.ScaleC(l, lb))
		r.weights = append(r.weights, w.ScaleC(scale, w.ExpC(w.AddC(half, power))))
		r.losses = append(r.losses, w.Sub(la.Re, lb.Re))
		r.turns = append(r.turns, interval.Max(interval.Int(0), w.Add(la.Im.Abs(), lb.Im.Abs())))
	}
	return r
}

// A turnedSum is A or B on a line Im z = y.
type turnedSum struct {
	means, probs []interval.Interval
	turns        []interval.Complex
}

func newTurnedSum(w interval.Prec, cs []component, y interval.Interval) turnedSum {
	var s turnedSum
	for _, c := range cs {
		mean := c.mean(w)
		s.means, s.probs = append(s.means, mean), append(s.probs, w.Rat(c.prob))
		s.turns = append(s.turns, w.ExpI(w.Mul(mean, y)))
	}
	return s
}

// log encloses the logarithm at x + iy: all terms are on one side of the real axis, and not below 0.
func (s turnedSum) log(w interval.Prec, x interval.Interval) interval.Complex {
	var sum interval.Complex
	for k, mean := range s.means {
		size := w.Mul(s.probs[k], w.Exp(w.Mul(mean, w.Sub(x, w.Scale(mean, -1)))))
		sum = w.AddC(sum, w.ScaleC(size, s.turns[k]))
	}
	return w.LogC(sum)
}

// movedPoints returns numbers near M(−λ + ijh), j = 0 … n, up to a common factor, by a rule in complex128: without bounds.
func (m *mixture) movedPoints(ctx context.Context, lambda *big.Rat, plan movedPlan, h float64, n int) ([]complex128, bool) {
	const most = 1 << 25 // products
	if plan.nodes()*float64(n) > most {
		return nil, false
	}
	y, l := plan.b, complex(float64Of(lambda), 0)
	if up, _ := m.apart(); up {
		y = -y
	}
	values := make([]complex128, n+1)
	for i := math.Floor(point(plan.first) / plan.step); i <= math.Ceil(point(plan.last)/plan.step); i++ {
		if ctx.Err() != nil {
			return nil, false
		}
		z := complex(i*plan.step, y)
		la, lb := turnedLog(m.roughA, z), turnedLog(m.roughB, z)
		weight := cmplx.Exp((1+l)*la - l*lb - z*z/2 - complex(plan.peak, 0))
		rate := complex(0, -h) * (la - lb)
		grow := cmplx.Exp(rate)
		const fresh = 64
		for j := 0; j <= n; j += fresh {
			x := weight * cmplx.Exp(complex(float64(j), 0)*rate)
			if math.Abs(real(x))+math.Abs(imag(x)) < 0x1p-80 {
				break // and ever less
			}
			for k := j; k < min(j+fresh, n+1); k++ {
				values[k] += x
				x *= grow
			}
		}
	}
	return values, real(values[0]) > 0
}

// turnedLog is about log A or log B at z.
func turnedLog(cs []roughComponent, z complex128) complex128 {
	exponents := make([]complex128, len(cs))
	shift := math.Inf(-1)
	for k, c := range cs {
		mean := c.mean.Mid()
		exponents[k] = complex(c.logProb.Mid(), 0) + complex(mean, 0)*(z-complex(mean/2, 0))
		shift = max(shift, real(exponents[k]))
	}
	var sum complex128
	for _, e := range exponents {
		sum += cmplx.Exp(e - complex(shift, 0))
	}
	return cmplx.Log(sum) + complex(shift, 0)
}

// wordLine returns numbers within err of M(−λ + ijh), j = 0 … n: a_k·e^{−jh(θ_k + iL_k)}, by products of two from short tables. Where
// a term is below 2^−bits of all of them it is left out, and counts as an error.
func (r movedRule) wordLine(ctx context.Context, bits int, h fixed.Real, n int) (wordLine, bool, error) {
	const block = 64
	values := make([]fixed.Complex, n+1)
	var sum double.Interval
	sizes := make([]double.Interval, len(r.weights))
	for k, a := range r.weights {
		sizes[k] = double.Of(coarse.AbsC(a)).Upper()
		sum = sum.Add(sizes[k])
	}
	least := double.Of(coarse.Scale(sum.Upper().Exact(), -bits)).Log().Hi
	err := r.err
	var small [block]fixed.Complex
	for k, a := range r.weights {
		if e := ctx.Err(); e != nil {
			return wordLine{}, false, e
		}
		turn := words.Mul(h, fixed.FromInterval(r.turns[k])).Neg()
		theta := words.Mul(h, fixed.FromInterval(r.losses[k])).Neg()
		at := func(j int) fixed.Complex {
			size := words.Exp(words.Mul(fixed.Int(int64(j)), turn))
			z := wordTurn(j, theta)
			return fixed.Complex{Re: words.Mul(size, z.Re), Im: words.Mul(size, z.Im)}
		}
		small[0], small[1] = at(0), at(1)
		for j := 2; j < block; j++ {
			small[j] = words.MulC(small[j-1], small[1])
		}
		weight := fixed.FromComplex(a)
		log, fall := sizes[k].Log(), double.Of(turn.Interval())
		for j := 0; j <= n; j += block {
			// A bound of all that is to come.
			if now := log.Add(fall.Mul(double.Int(int64(j)))); now.Hi < least {
				err = coarse.Add(err, coarse.Exp(now.Upper().Exact()))
				break
			}
			far := words.MulC(weight, at(j))
			for i := 0; i < block && j+i <= n; i++ {
				z := words.MulC(far, small[i])
				values[j+i].Re = words.Add(values[j+i].Re, z.Re)
				values[j+i].Im = words.Add(values[j+i].Im, z.Im)
			}
		}
	}
	return wordLine{values, upper(err)}, err.IsFinite(), nil
}

// line encloses M(−λ + ijh), j = 0 … n, as quadrature.line does.
func (r movedRule) line(ctx context.Context, p interval.Prec, h interval.Interval, n int) ([]interval.Complex, error) {
	const fresh = 64
	w := p + 48
	values := make([]interval.Complex, n+1)
	for k, a := range r.weights {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := func(j int) interval.Complex { // a·e^{−jh(θ + iL)}
			t := w.Mul(interval.Int(int64(j)), h).Neg()
			return w.MulC(a, w.ScaleC(w.Exp(w.Mul(t, r.turns[k])), w.ExpI(w.Mul(t, r.losses[k]))))
		}
		step := w.ScaleC(w.Exp(w.Mul(h.Neg(), r.turns[k])), w.ExpI(w.Mul(h.Neg(), r.losses[k])))
		var z interval.Complex
		for j := range values {
			if j%fresh == 0 {
				z = at(j)
			} else {
				z = w.MulC(z, step)
			}
			values[j] = w.AddC(values[j], z)
		}
	}
	e := interval.Union(r.err.Neg(), r.err)
	for j := range values {
		values[j] = p.AddC(values[j], interval.Complex{Re: e, Im: e})
	}
	return values, nil
}
