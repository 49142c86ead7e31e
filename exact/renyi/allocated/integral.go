// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocated

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// integral encloses log E S^r, for one of t steps of Gaussian noise or of a finite base, by the trapezoidal rule. For
// an integer k ≥ 0 with b = k − r > 0, by the integral of Γ,
//
//	Γ(b)·E S^r = ∫ I(s) ds, I(s) = e^(bs)·E[S^k·exp(−e^s·S)], and Γ(b) is that integral for S = 1 and k = 0.
//
// The rule. |exp(−e^(s+ia)·S)| = exp(−e^s·cos(a)·S), so that on the lines Im s = ±a, a < π/2, the integral of |I| is at
// most cos(a)^(−b)·Γ(b)·E S^r: with the step h the sum over all s = s₀ + mh, times h, is wrong by a share of at most
// 2·cos(a)^(−b)/(e^(2πa/h) − 1), of both integrals.
//
// The ends. I(s) ≤ e^(bs)·E S^k. For c ≥ 0, x^(k+c)·e^(−ux) ≤ ((k+c)/(eu))^(k+c), and E S^(−c) ≤ (E Y^(−c/t))^t, as S
// is at least the geometric mean of the Y: I(s) ≤ ((k+c)/e)^(k+c)·(E Y^(−c/t))^t·e^((b−k−c)s), which falls for c > −r.
// Both are geometric series.
//
// The values. E[S^k·e^(−uS)] = t^(−k)·k!·[z^k] (Σ_j m_j z^j/j!)^t with m_j = E[Y^j·e^(−uY/t)].
//
// It reports false where there is no such base, or too much to do.
func (a *Moment) integral(p interval.Prec, r *big.Rat) (interval.Interval, bool) {
	const least = interval.Prec(40)
	rf := double.Near(r)
	if rf > maxIntegral || rf < -maxNegative {
		return zero, false
	}
	for w := p + 12; ; w -= max(w/4, 8) {
		g := a.newGamma(w, r)
		if s := a.source(g); s != nil {
			y := s.log()
			return y, y.IsFinite()
		}
		if w < least {
			return zero, false
		}
	}
}

// maxIntegral and maxNegative bound the orders of an integral.
const (
	maxIntegral = 48
	maxNegative = 4096
	maxWork     = 3 << 20 // terms
)

// A gamma is one integral: what is chosen in float64 proves nothing, and costs accuracy only.
type gamma struct {
	a        *Moment
	w        interval.Prec // bits that are aimed at
	k        int64
	b        *big.Rat
	bf       float64
	c        *big.Rat // of the tail on the right
	h        *big.Rat // step of s
	from, to float64  // range of s
}

func nearest(x interval.Interval) float64 { return double.Of(x).Mid() }

// newGamma chooses the range of s and the step.
func (a *Moment) newGamma(w interval.Prec, r *big.Rat) *gamma {
	g := &gamma{a: a, w: w}
	// b ≥ 1/2, or the left tail would be long
	above := new(big.Rat).Add(r, big.NewRat(3, 2))
	if k := new(big.Int).Div(above.Num(), above.Denom()); k.Sign() > 0 {
		g.k = k.Int64()
		if back := new(big.Rat).Sub(new(big.Rat).SetInt64(g.k-1), r); back.Cmp(big.NewRat(1, 2)) >= 0 {
			g.k--
		}
	}
	g.b = new(big.Rat).Sub(new(big.Rat).SetInt64(g.k), r)
	g.bf = double.Near(g.b)
	const q = interval.Prec(64)
	bits := float64(w) * math.Ln2
	rough := a.roughly(q, r)
	value := 0.0
	if rough.IsFinite() {
		value = nearest(rough.Lower())
	}
	top := 0.0
	if g.k > 0 {
		top = nearest(a.power(q, g.k))
	}
	g.from = (value - bits - top - 8) / g.bf
	g.to, g.c = math.Inf(1), new(big.Rat)
	for i := -1; i < 48; i++ {
		c := new(big.Rat)
		if i >= 0 {
			c = big.NewRat(int64(math.Ceil(16*math.Exp2(float64(i)/4))), 16)
		}
		cf := double.Near(c)
		kc := float64(g.k) + cf
		if kc-g.bf < 1.0/32 {
			continue
		}
		e := a.inverse(q, c)
		if !e.IsFinite() {
			break
		}
		if s := (kc*(math.Log(kc)-1) + nearest(e) + bits - value + 8) / (kc - g.bf); s < g.to {
			g.to, g.c = s, c
		}
	}
	g.h = stepFor(g.bf, bits)
	return g
}

// stepFor returns a step with which the share that is lost is about e^−bits.
func stepFor(b, bits float64) *big.Rat {
	h := math.Pi * math.Pi / bits
	for h*b > 0 && share(h, b) < bits {
		h *= 0.96
	}
	return coarseRat(h)
}

// share is −log of what is lost, at about the best line.
func share(h, b float64) float64 {
	a := math.Atan(2 * math.Pi / (h * b))
	return 2*math.Pi*a/h + b*math.Log(math.Cos(a)) - math.Ln2
}

// coarseRat rounds x > 0 down to 20 bits.
func coarseRat(x float64) *big.Rat {
	m, e := math.Frexp(x)
	y := big.NewRat(int64(math.Floor(m*(1<<20))), 1)
	return y.Mul(y, interval.Pow2(e-20))
}

// lost encloses the share that the rule with step h is wrong by, [−x, x].
func (g *gamma) lost(p interval.Prec, h *big.Rat) interval.Interval {
	hf := double.Near(h)
	a := p.Rat(coarseRat(math.Atan(2 * math.Pi / (hf * g.bf))))
	if a.Less(p.Scale(p.Pi(), -1)) != interval.True {
		return interval.Entire()
	}
	up := p.Exp(p.Mul(p.Rat(g.b), p.Log(p.Cos(a))).Neg())
	x := p.Div(p.Scale(up, 1), p.Expm1(p.Div(p.Mul(p.Scale(p.Pi(), 1), a), p.Rat(h))))
	if x.LessRat(big.NewRat(1, 2)) != interval.True {
		return interval.Entire()
	}
	return interval.Union(x.Neg(), x)
}

// A source has the values of E[S^k·e^(−uS)] at s = start + m·step.
type source struct {
	*gamma
	p        interval.Prec     // to compute with
	start    interval.Interval // of s
	step     *big.Rat
	from, to int64                                                          // m
	inverse  interval.Interval                                              // log of E S^−c from above
	at       func(m int64, s interval.Interval) ([]interval.Interval, bool) // m_0 … m_k
}

// source returns the source of the base, or nil.
func (a *Moment) source(g *gamma) *source {
	if math.IsInf(g.to, 0) || math.IsNaN(g.from) || math.IsInf(g.from, 0) {
		return nil
	}
	s := &source{gamma: g}
	prepared := false
	if noise, ok := a.gaussian(); ok {
		prepared = s.gaussian(noise.Mu2)
	} else {
		prepared = s.listed()
	}
	if !prepared {
		return nil
	}
	s.inverse = a.inverse(s.p, g.c).Upper()
	return s
}

// listed prepares a base of finitely many outcomes.
func (s *source) listed() bool {
	const most = 1 << 10
	s.p = s.w + 32 + interval.Prec(4*s.k)
	os, rest, ok := s.a.X.Base.Outcomes(s.p, most)
	hf := double.Near(s.h)
	nodes := (s.gamma.to - s.gamma.from) / hf
	if !ok || !rest.IsZero() || !(nodes*float64(len(os))*float64(8+s.k) < maxWork) {
		return false
	}
	type node struct{ q, y interval.Interval }
	var ns []node
	w := s.p
	for _, o := range os {
		switch {
		case o.Q.IsZero():
		case o.Q.Positive() != interval.True:
			return false
		case o.Exact && !o.P.IsZero():
			ns = append(ns, node{o.Q, w.Exp(o.Loss.Enclose(w))})
		default:
			ns = append(ns, node{o.Q, w.Div(o.P, o.Q)})
		}
	}
	s.start, s.step = zero, s.h
	s.from, s.to = int64(math.Floor(s.gamma.from/hf)), int64(math.Ceil(s.gamma.to/hf))
	s.at = func(_ int64, x interval.Interval) ([]interval.Interval, bool) {
		v := w.Div(w.Exp(x), interval.Int(s.a.X.Steps))
		out := make([]interval.Interval, s.k+1)
		for _, n := range ns {
			e := w.Mul(n.q, w.Exp(w.Mul(v, n.y).Neg()))
			for j := range out {
				out[j] = w.Add(out[j], e)
				e = w.Mul(e, n.y)
			}
		}
		return out, true
	}
	return true
}

// gaussian prepares Gaussian noise, for which m_j is an integral as well, over x = l/μ with Y = e^(l − μ²/2): by the
// rule with the points l = ih. With s = log t + μ²/2 + m·step and a step that is a multiple of h, uY/t = e^(l + m·step)
// is the exponential of a multiple of h, so that a table of exp(−e^(nh)) has all values.
//
// On the lines Im x = ±a/μ, a ≤ π/2, |φ(x)| is e^(a²/2μ²) times as large, Y^j is the same in modulus and |e^(−uY/t)| ≤
// 1: the rule is wrong by at most 2e^(a²/2μ²)·E Y^j/(e^(2πa/h) − 1). What is left out on either side is a geometric
// series.
func (s *source) gaussian(mu2 *big.Rat) bool {
	mf := double.Near(mu2)
	t := float64(s.a.X.Steps)
	if mf < 1e-280 || mf > 1e6 {
		return false
	}
	bits := float64(s.w)*math.Ln2 + math.Log(t) + 16
	bits += (bits + s.bf*math.Max(s.gamma.to, 0)) / t // where m_0 is small
	hs := double.Near(s.h)
	h := math.Min(hs, math.Pi*math.Sqrt(2*mf/bits))
	if a := 2 * math.Pi * mf / h; a > math.Pi/2 {
		h = math.Min(hs, math.Pi*math.Pi/(bits+math.Pi*math.Pi/(8*mf)))
	}
	fine := coarseRat(h)
	h = double.Near(fine)
	times := max(1, int64(hs/h))
	kf := float64(s.k)
	right := int64(math.Ceil((kf*mf+math.Sqrt(2*mf*bits))/h)) + 1
	left := int64(math.Ceil(math.Sqrt(2*mf*bits)/h)) + 1
	s.step = new(big.Rat).Mul(fine, new(big.Rat).SetInt64(times))
	shift := math.Log(t) + mf/2
	sf := h * float64(times)
	if n := (s.gamma.to - s.gamma.from) / sf * float64(left+right) * (1.5 + kf); !(n < maxWork) {
		return false
	}
	s.from, s.to = int64(math.Floor((s.gamma.from-shift)/sf)), int64(math.Ceil((s.gamma.to-shift)/sf))
	s.p = s.w + 48 + interval.Prec((bits-float64(s.w)*math.Ln2)*1.45) + interval.Prec(4*s.k)
	w := s.p
	s.start = w.Add(w.Log(interval.Int(s.a.X.Steps)), w.Scale(w.Rat(mu2), -1))

	// weights of the points, and what is wrong with a sum of them
	n := left + right + 1
	weight, ratio := make([]interval.Interval, n), make([]interval.Interval, n)
	norm := w.Div(w.Rat(fine), w.Sqrt(w.Mul(w.Scale(w.Pi(), 1), w.Rat(mu2))))
	half := new(big.Rat).Mul(mu2, big.NewRat(1, 2))
	y, rise := w.Exp(w.Rat(new(big.Rat).Sub(new(big.Rat).Mul(fine, big.NewRat(-left, 1)), half))), w.Exp(w.Rat(fine))
	density := func(i int64) interval.Interval {
		x := new(big.Rat).Mul(fine, big.NewRat(i, 1))
		x.Mul(x, x)
		return w.Mul(norm, w.Exp(w.Rat(x.Quo(x, new(big.Rat).Add(mu2, mu2))).Neg()))
	}
	for i := range n {
		weight[i], ratio[i] = density(i-left), y
		y = w.Mul(y, rise)
	}
	wrong := make([]interval.Interval, s.k+1)
	for j := range wrong {
		wrong[j] = wrongOf(s.p, mu2, int64(j), fine, left, right, density)
	}
	table := make(map[int64]interval.Interval)
	value := func(i int64) interval.Interval {
		x, ok := table[i]
		if !ok {
			x = w.Exp(w.Exp(w.Rat(new(big.Rat).Mul(fine, big.NewRat(i, 1)))).Neg())
			table[i] = x
		}
		return x
	}
	s.at = func(m int64, _ interval.Interval) ([]interval.Interval, bool) {
		out := append([]interval.Interval(nil), wrong...)
		for i := range n {
			e := value(i - left + m*times)
			if e.Hi().Sign() == 0 {
				continue
			}
			e = w.Mul(e, weight[i])
			out[0] = w.Add(out[0], e)
			for j := 1; j < len(out); j++ {
				e = w.Mul(e, ratio[i])
				out[j] = w.Add(out[j], e)
			}
		}
		for j := range out {
			out[j] = interval.Max(zero, out[j])
		}
		return out, out[0].Positive() == interval.True
	}
	return true
}

// wrongOf encloses what a sum over the points −left … right lacks of m_j.
func wrongOf(w interval.Prec, mu2 *big.Rat, j int64, h *big.Rat, left, right int64,
	density func(int64) interval.Interval) interval.Interval {
	hf := double.Near(h)
	mf := double.Near(mu2)
	a := coarseRat(math.Min(math.Pi/2, 2*math.Pi*mf/hf)) // below π/2
	up := new(big.Rat).Mul(a, a)
	up.Quo(up, new(big.Rat).Add(mu2, mu2))
	up.Add(up, new(big.Rat).Mul(new(big.Rat).Mul(mu2, big.NewRat(1, 2)), big.NewRat(j*(j-1), 1)))
	rule := w.Div(w.Scale(w.Exp(w.Rat(up)), 1), w.Expm1(w.Div(w.Mul(w.Scale(w.Pi(), 1), w.Rat(a)), w.Rat(h))))
	y := interval.Union(rule.Neg(), rule)
	half := new(big.Rat).Mul(mu2, big.NewRat(1, 2))
	// The points from i on, in the direction of sign, where each is at most a share of the one before.
	tail := func(i, sign int64) interval.Interval {
		l := new(big.Rat).Mul(h, big.NewRat(i*sign, 1))
		first := w.Mul(density(i), w.Exp(w.Rat(new(big.Rat).Mul(new(big.Rat).Sub(l, half), big.NewRat(j, 1)))))
		e := new(big.Rat).Mul(new(big.Rat).Mul(h, h), big.NewRat(2*i+1, 2))
		e.Quo(e, mu2)
		e.Sub(new(big.Rat).Mul(h, big.NewRat(j*sign, 1)), e)
		if e.Sign() >= 0 {
			return interval.PosInf()
		}
		return w.Div(first, w.Expm1(w.Rat(e)).Neg())
	}
	return w.Add(y, interval.Union(zero, w.Add(tail(right+1, 1), tail(left+1, -1))))
}

// log encloses log E S^r.
func (s *source) log() interval.Interval {
	w := s.p
	b, step := w.Rat(s.b), w.Rat(s.step)
	steps := interval.Int(s.a.X.Steps)
	scale := w.PowInt(steps, s.k)
	fact := one
	facts := make([]interval.Interval, s.k+1)
	for j := range facts {
		if j > 0 {
			fact = w.Mul(fact, interval.Int(int64(j)))
		}
		facts[j] = fact
	}
	sum := zero
	for m := s.from; m <= s.to; m++ {
		x := w.Add(s.start, w.Mul(interval.Int(m), step))
		g, ok := s.at(m, x)
		if !ok {
			sum = w.Add(sum, interval.Union(zero, s.right(x)))
			continue
		}
		for j := range g {
			g[j] = w.Div(g[j], facts[j])
		}
		y := w.Div(w.Mul(fact, seriesPower(w, g, s.a.X.Steps)), scale)
		sum = w.Add(sum, w.Mul(w.Exp(w.Mul(b, x)), y))
	}
	// left: h·Σ_{m<from} e^(bs)·E S^k
	top := one
	if s.k > 0 {
		top = w.Exp(s.a.power(w, s.k))
	}
	end := w.Add(s.start, w.Mul(interval.Int(s.from-1), step))
	left := w.Div(w.Mul(top, w.Exp(w.Mul(b, end))), w.Expm1(w.Mul(b, step).Neg()).Neg())
	end = w.Add(s.start, w.Mul(interval.Int(s.to+1), step))
	fall := w.Sub(w.Rat(new(big.Rat).Add(new(big.Rat).SetInt64(s.k), s.c)), b)
	right := w.Div(s.right(end), w.Expm1(w.Mul(fall, step).Neg()).Neg())
	sum = w.Mul(step, w.Add(sum, interval.Union(zero, w.Add(left, right))))
	sum = w.Div(sum, w.Add(one, s.lost(w, s.step)))
	return w.Log(w.Div(sum, s.value(w)))
}

// right bounds I(s) from above.
func (s *source) right(x interval.Interval) interval.Interval {
	w := s.p
	kc := new(big.Rat).Add(new(big.Rat).SetInt64(s.k), s.c)
	y := s.inverse
	if kc.Sign() > 0 {
		y = w.Add(y, w.Mul(w.Rat(kc), w.Sub(w.Sub(w.Log(w.Rat(kc)), one), x)))
	}
	return w.Exp(w.Add(y, w.Mul(w.Rat(s.b), x))).Upper()
}

// value encloses Γ(b): the same integral for S = 1 and k = 0.
func (g *gamma) value(w interval.Prec) interval.Interval {
	bits := float64(g.w) * math.Ln2
	h := g.h
	hf := double.Near(h)
	from := int64(math.Floor(-(bits + 8) / (g.bf * hf)))
	c := new(big.Rat).Add(g.b, new(big.Rat).SetInt64(int64(math.Ceil(bits/4+g.bf))))
	cf := double.Near(c)
	to := int64(math.Ceil((cf*(math.Log(cf)-1) + bits + 8) / ((cf - g.bf) * hf)))
	b, step := w.Rat(g.b), w.Rat(h)
	sum := zero
	for m := from; m <= to; m++ {
		x := w.Mul(interval.Int(m), step)
		sum = w.Add(sum, w.Exp(w.Sub(w.Mul(b, x), w.Exp(x))))
	}
	end := w.Mul(interval.Int(from-1), step)
	left := w.Div(w.Exp(w.Mul(b, end)), w.Expm1(w.Mul(b, step).Neg()).Neg())
	end = w.Mul(interval.Int(to+1), step)
	rc := w.Rat(c)
	last := w.Exp(w.Add(w.Mul(rc, w.Sub(w.Sub(w.Log(rc), one), end)), w.Mul(b, end)))
	right := w.Div(last, w.Expm1(w.Mul(w.Sub(rc, b), step).Neg()).Neg())
	sum = w.Mul(step, w.Add(sum, interval.Union(zero, w.Add(left, right))))
	return w.Div(sum, w.Add(one, g.lost(w, h)))
}
