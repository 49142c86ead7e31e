// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package hits

import (
	"math"
	"math/big"
	"math/bits"
	"sort"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/least"
)

// A shape is the pair of a step in float64.
type shape struct {
	q, mu float64
	two   float64 // 1 where B is a mixture, too, or 0
}

// log is near log A at x, or near log B at −x.
func (s shape) log(x float64) float64 {
	e := s.mu * (x - s.mu/2)
	if y := e + double.Log64(s.q); y > 30 {
		return y
	}
	return math.Log1p(s.q * math.Expm1(min(e, 700)))
}

// density is near log(√(2π)·F), without g and h.
func (s shape) density(lambda, x float64) float64 {
	y := (1+lambda)*s.log(x) - x*x/2
	if s.two > 0 {
		y -= lambda * s.log(-x)
	}
	return y
}

// logCDF is near log Φ(u).
func logCDF(u float64) float64 {
	if u > -30 {
		return double.Log64(math.Erfc(-u/math.Sqrt2) / 2)
	}
	return -u*u/2 - double.Log64(-u) - math.Log(2*math.Pi)/2
}

// A cut is a split in float64.
type cut struct{ center, width float64 }

// of is near log(√(2π)·F) of a part.
func (s shape) of(p part, c cut, lambda, x float64) float64 {
	y := s.density(lambda, x)
	switch u := (x - c.center) / c.width; p {
	case clear:
		y += logCDF(-u)
	case hit:
		y += logCDF(u)
	}
	return y
}

// ends returns where F of a part is small beside its greatest value, by so many nats, and falls, in steps of some size.
func (s shape) ends(p part, c cut, lambda, nats, step float64) (first, last float64) {
	vary := 1 / (c.width * c.width)
	reach := s.mu*(1+lambda+s.two*lambda) + 1
	right, left := reach, -1.0
	switch p {
	case clear:
		if y := (reach + c.center*vary) / (1 + vary); y > c.center {
			right = min(right, y)
		}
	case hit:
		if y := (c.center*vary - 1) / (1 + vary); y < c.center {
			left = max(left, y)
		}
	}
	top := math.Inf(-1)
	for i := range 65 {
		top = max(top, s.of(p, c, lambda, left+(right-left)*float64(i)/64))
	}
	const most = 1 << 14
	for i := 0; i < most && !(s.of(p, c, lambda, right) < top-nats); i++ {
		right += step
	}
	for i := 0; i < most && !(s.of(p, c, lambda, left) < top-nats); i++ {
		left -= step
	}
	return left, right
}

// logMoment is near the logarithm of the transform of a part at −λ.
func (s shape) logMoment(p part, c cut, lambda float64) float64 {
	step := .6 / s.mu
	if p != whole {
		step = min(step, c.width/2)
	}
	first, last := s.ends(p, c, lambda, 40, 8*step)
	n := int(min((last-first)/step, 1<<14))
	logs := make([]float64, n+1)
	top := math.Inf(-1)
	for i := range logs {
		logs[i] = s.of(p, c, lambda, first+step*float64(i))
		top = max(top, logs[i])
	}
	sum := 0.0
	for _, y := range logs {
		sum += double.Exp64(max(y-top, -700))
	}
	return top + double.Log64(sum*step/math.Sqrt(2*math.Pi))
}

// strip returns the b and the longest step of a rule, for errors of e^−nats.
func (s shape) strip(p part, c cut, lambda, t, nats float64) (b, step float64) {
	vary := 1.0
	if p != whole {
		vary += 1 / (c.width * c.width)
	}
	for i := 1; i < 32; i++ {
		y := math.Pi / s.mu * float64(i) / 32
		grow := y*y*vary/2 + t*y*(1+s.two)*s.mu - lambda*double.Log64(math.Cos(s.two*s.mu*y/2))
		if h := 2 * math.Pi * y / (nats + 2 + grow); h > step {
			b, step = y, h
		}
	}
	return b, step
}

// layout chooses that of a rule, for errors of 2^−bits.
func (s step) layout(p part, c split, lambda *big.Rat, t interval.Interval, bits int) (lay layout) {
	x := shape{q: double.Of(s.q).Mid(), mu: double.Of(s.mu).Mid()}
	if s.two {
		x.two = 1
	}
	at, nats := cut{double.Near(c.center), double.Near(c.width)}, float64(bits)*math.Ln2
	b, h := x.strip(p, at, double.Near(lambda), double.Of(t).Hi, nats)
	first, last := x.ends(p, at, double.Near(lambda), nats+4, h)
	lay.step, lay.strip = short(h, math.Floor), short(b, math.Floor)
	h = double.Near(lay.step)
	lay.first, lay.last = int64(math.Floor(first/h))-1, int64(math.Ceil(last/h))+1
	return lay
}

// short rounds x > 0 to few bits.
func short(x float64, round func(float64) float64) *big.Rat {
	frac, e := math.Frexp(x)
	y, _, ok := double.Point(math.Ldexp(round(math.Ldexp(frac, 12)), e-12)).Exact().Rationals()
	if !ok {
		return new(big.Rat)
	}
	return y
}

// markov is near log c_κ.
func markov(kappa float64) float64 {
	return kappa*double.Log64(kappa) - (1+kappa)*math.Log1p(kappa)
}

// neighbourhood returns the number of the ε that have a line in common with ε: those that round to the same multiple
// of some unit. It reports false where there is none.
func (s Steps) neighbourhood(eps interval.Interval) (center int64, ok bool) {
	y := math.Round(double.Of(eps).Mid() / s.unit())
	return int64(max(-1<<40, min(y, 1<<40))), math.Abs(y) < 1<<40
}

// unit is a power of 2 next to a part of the scale of a hit's losses.
func (s Steps) unit() float64 {
	_, e := math.Frexp(math.Sqrt(double.Near(s.Mu2)) / 2)
	return math.Ldexp(1, e-1)
}

// chooseAt is choose for a neighbourhood, with the δ that profile says.
func (s Steps) chooseAt(p interval.Prec, center int64) (parameters, bool) {
	eps := float64(center) * s.unit()
	at, _ := s.profile()
	return s.choose(p, eps, double.Log64(max(at(eps+s.unit()/2), 0x1p-1000)))
}

// choose returns parameters for so many bits of a δ near e^logDelta at ε. It reports false if there are none.
func (s Steps) choose(p interval.Prec, eps, logDelta float64) (c parameters, ok bool) {
	x, n := shape{q: double.Near(s.Q), mu: math.Sqrt(double.Near(s.Mu2))}, float64(s.N)
	if s.Kind == Replaced {
		x.two = 1
	}
	const guard = 6
	nats := float64(p+guard) * math.Ln2
	need := nats - logDelta
	var none cut
	moment := func(lambda float64) float64 { return n * x.logMoment(whole, none, lambda) }
	lo, hi := -14.0, 3.0
	for hi-lo > 0.05 {
		a, b := lo+(hi-lo)*.4, lo+(hi-lo)*.6
		if u, v := math.Exp2(a), math.Exp2(b); moment(u)-u*eps < moment(v)-v*eps {
			hi = b
		} else {
			lo = a
		}
	}
	saddle := math.Exp2((lo + hi) / 2)
	best, lambda, kappa, period, lost := math.Inf(1), 0.0, 0.0, 0.0, 0.0
	for i := 1; i <= 24; i++ { // next to the saddle closely: of few hits the moment rises late, and fast
		k := saddle * math.Exp2(float64(i*i)/72)
		right := max(1, need+moment(k)-k*eps)
		for _, l := range []float64{need * k / (need + right), saddle} {
			t := max(need/l, right/(k-l))
			away := max(0, moment(l)-l*eps-logDelta)
			if cost := t * math.Sqrt(nats+away); l < k && cost < best {
				best, lambda, kappa, period, lost = cost, l, k, t, away
			}
		}
	}
	if !(best < math.Inf(1)) {
		return c, false
	}
	c = parameters{lambda: short(lambda, math.Floor), kappa: short(kappa, math.Ceil), period: short(period, math.Ceil)}
	c.bits = int((nats+lost)/math.Ln2) + bits.Len64(uint64(s.N)) + guard
	c.prec = interval.Prec(c.bits + 2*bits.Len64(uint64(s.N)) + 32)
	const words = 140
	if c.bits > words {
		return c, false
	}
	lambda = double.Near(c.lambda)
	return c, s.chooseSplit(&c, x, saddle, eps, logDelta-nats, logDelta-nats+lambda*eps)
}

// chooseSplit chooses the split, x₁, W and the κ of the rest: W·R at W is to be below e^goal, and the rest below
// e^small. It reports false if there are none.
//
// The greater c, the fewer nodes and terms, and the greater the rest: c is next to the greatest one for each w.
func (s Steps) chooseSplit(c *parameters, x shape, saddle, eps, small, goal float64) bool {
	n, lambda, best := float64(s.N), double.Near(c.lambda), math.Inf(1)
	const centers, widths, beside = 16, 12, 3
	lowest, highest := max(0, x.crossing()-2/x.mu), x.mu*(1+lambda)+1
	for j := range widths {
		at := func(i int) cut {
			return cut{lowest + (highest-lowest)*float64(i+1)/centers, math.Exp2(-float64(j) / 2)}
		}
		end := sort.Search(centers, func(i int) bool { return s.restRate(x, at(i), saddle, eps, small) == 0 })
		for i := max(0, end-beside); i < end; i++ {
			a := at(i)
			misses := x.logMoment(clear, a, lambda)
			target := min(goal-(n-1)*misses, misses) - double.Log64(n) - 1 // (φ₀ + |φ₁|)^(n−1) is to be near φ₀^(n−1)
			from, far := x.shifted(a, lambda, target)
			_, step := x.strip(hit, a, lambda, far, float64(c.bits)*math.Ln2)
			terms := math.Ceil(far*double.Near(c.period)/2/math.Pi) + 1
			const most = 1 << 12
			if cost := terms / step; cost < best && terms <= most {
				best = cost
				c.split = split{short(a.center, math.Round), short(a.width, math.Round)}
				c.rate = short(s.restRate(x, a, saddle, eps, small), math.Round)
				c.from, c.terms = short(from, math.Floor), int(terms)
			}
		}
	}
	return best < math.Inf(1)
}

// restRate returns a κ for which the rest is below e^small, or 0 if there is none.
func (s Steps) restRate(x shape, a cut, saddle, eps, small float64) float64 {
	lo, hi := -1.0, 6.0 // of log₂(κ/saddle): what counts is convex in κ
	for hi-lo > .2 {
		var y, rate [2]float64
		for i := range y {
			rate[i] = saddle * math.Exp2(lo+(hi-lo)*(.4+.2*float64(i)))
			y[i] = float64(s.N)*x.logMoment(clear, a, rate[i]) + markov(rate[i]) - rate[i]*eps
			if y[i] < small {
				return rate[i]
			}
		}
		if y[0] < y[1] {
			hi = lo + (hi-lo)*.6
		} else {
			lo += (hi - lo) * .4
		}
	}
	return 0
}

// crossing is the x from which on a hit is likelier than a miss.
func (s shape) crossing() float64 { return (math.Log1p(-s.q)-double.Log64(s.q))/s.mu + s.mu/2 }

// shifted returns the greatest x₁ of fall for which what does not fall is below e^target, and the W from which on the
// transform of hits is.
func (s shape) shifted(a cut, lambda, target float64) (from, far float64) {
	vary, wide := 1+1/(a.width*a.width), 1+a.width*a.width
	v := 1 / math.Sqrt(vary)
	fits := func(y float64) bool {
		left := (1+lambda)*s.log(y) - lambda*s.two*s.log(-y) - a.center*a.center/2/wide + double.Log64(v)
		left += logCDF((y - a.center/wide) / v)
		return max(left, s.of(hit, a, lambda, y)) < target-1
	}
	from, _ = least.Halved(from, a.center, 20, fits)
	nats := max(0, s.logMoment(hit, a, lambda)-target) + 1
	r := double.Exp64(min(s.mu*(from-s.crossing()), 40))
	if r > 1 {
		return from, max(math.Sqrt(2*vary*nats), 1) / s.mu * (1 + 1/r)
	}
	const theta, cos = 7. / 8, .641
	nu, deep := s.mu*(r*r+r*cos)/(1+2*r*cos+r*r), theta/s.mu
	return from, max(math.Sqrt(2*vary*nats), (nats+deep*deep*vary/2)/deep, 1) / nu
}
