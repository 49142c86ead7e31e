// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"
	"sync"

	"dpverify/exact/double"
)

// logMoment is near log M(−λ), or no finite number.
func (x *Transform) logMoment(lambda float64) float64 {
	sum := 0.0
	for _, t := range x.terms {
		sum += float64(t.count) * t.f.logMoment(lambda)
	}
	return sum
}

func (d discrete) logMoment(lambda float64) float64 {
	return logSum64(len(d.outcomes), func(i int) float64 { return d.outcomes[i].logP + lambda*d.outcomes[i].l })
}

func (g gaussian) logMoment(lambda float64) float64 {
	return double.Of(g.half(coarse)).Mid() * lambda * (lambda + 1)
}

func (l laplace) logMoment(lambda float64) float64 {
	x, u := float64Of(l.x), lambda+0.5
	fall := double.Exp64(-2 * u * x)
	return lambda*x + double.Log64((1+fall)/2+missing(2*u*x)/(4*u))
}

func (l logistic) logMoment(lambda float64) float64 {
	x, u := float64Of(l.x), lambda+0.5
	return lambda*x + double.Log64(missing(2*u*x)/missing(x)/(2*u))
}

// logMoment is the trapezoidal sum over the table.
// For weak mechanisms log M is tiny and is multiplied by the count, so the sum is kept to full float64 accuracy.
func (m *mixture) logMoment(lambda float64) float64 {
	const digits = 56 // more than float64 has
	w, ok := m.windowAt(lambda, digits, 0)
	if !ok {
		return math.NaN()
	}
	t := m.table()
	sum, stride := 0.0, 1
	if _, step := m.stripStep(lambda, 36); !m.thinning.Thins() {
		for stride < tableStep && 2*stride <= int(min(step*tableStep, tableStep)) {
			stride *= 2
		}
	}
	for k := w.first; k <= w.last; k += stride {
		x := point(k)
		if y := (1+lambda)*t.la[k] - lambda*t.lb[k] - x*x/2 - t.lg[k] - w.peak; y > negligible {
			sum += double.Exp64(y)
		}
	}
	return w.peak + double.Log64(float64(stride)*sum/(tableStep*rootTwoPi64))
}

// chooseMomentRule chooses the strip and the step of quickMoment.
func (m *mixture) chooseMomentRule(lambda *big.Rat) (b, step float64) {
	b, step = m.stripStep(float64Of(lambda), float64(doublePrec+8)*math.Ln2)
	return b, roundDown(step)
}

// stripStep returns the b at which the step η of quickMoment is nearly longest for errors of e^−nats, and that step.
func (m *mixture) stripStep(lambda, nats float64) (b, step float64) {
	other := meanRange(m.doubleB).Abs().Hi
	widest := math.Pi * (31.0 / 64) / max(other, meanRange(m.doubleA).Abs().Hi)
	b = min(widest, math.Sqrt(2*nats/(1+lambda*other*other)))
	cos, _ := double.Cis64(other * b)
	return b, 2 * math.Pi * b / (nats + math.Ln2 + b*b/2 - lambda*double.Log64(cos))
}

// A guessLaw holds outcomes with about the law ν.
type guessLaw struct {
	once         sync.Once
	masses, logs []float64 // logarithms of the masses, and log R
}

// logMoment takes a few nodes for all outcomes of ν.
func (s *sampledLaplace) logMoment(lambda float64) float64 {
	const nodes = 40
	s.guess.once.Do(func() {
		masses, logs := s.law(coarse, nodes)
		for i, m := range masses {
			s.guess.masses = append(s.guess.masses, double.Of(coarse.Log(m)).Mid())
			s.guess.logs = append(s.guess.logs, double.Of(logs[i]).Mid())
		}
	})
	k := 1 + lambda
	if s.reversed {
		k = -lambda
	}
	return logSum64(len(s.guess.masses), func(i int) float64 { return s.guess.masses[i] + k*s.guess.logs[i] })
}

func (t truncated) logMoment(lambda float64) float64 {
	l := double.Point(lambda).Exact()
	if !l.IsFinite() || !(lambda >= 0) {
		return math.NaN()
	}
	r, _, ok := l.Rationals()
	if !ok {
		return math.NaN()
	}
	return double.Of(coarse.Log(t.moment(coarse, r))).Mid()
}

// negligible is the logarithm of a share that is not added to sums.
const negligible = -40

// logSum64 is near log Σ e^x(i) over i < n.
func logSum64(n int, x func(int) float64) float64 {
	top := math.Inf(-1)
	for i := range n {
		top = max(top, x(i))
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	sum := 0.0
	for i := range n {
		if y := x(i) - top; y > negligible {
			sum += double.Exp64(y)
		}
	}
	return top + double.Log64(sum)
}

// rootTwoPi64 is √(2π).
const rootTwoPi64 = 2.5066282746310002

// missing is near 1 − e^{−y}, y ≥ 0.
func missing(y float64) float64 {
	if y < 0x1p-10 {
		return y * (1 - y/2*(1-y/3))
	}
	return 1 - double.Exp64(-y)
}

// float64Of is near r.
func float64Of(r *big.Rat) float64 { return double.Of(coarse.Rat(r)).Mid() }

// isNumber reports whether x is finite.
func isNumber(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// A floatLaw is a law of losses in float64.
type floatLaw interface {
	// logMoment is near log M(−λ), or no finite number.
	logMoment(lambda float64) float64
	// logLine is near log M(−λ + ijh) − log M(−λ), j = 0 … n.
	logLine(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool)
	// rounding rounds parameters of its lines; it may be nil.
	rounding() *Memo
}

func (x *Transform) rounding() *Memo { return x.memo }

// guessDelta returns a number somewhat below log d(ε), and the saddle point.
//
// By the saddle point method, d is near the least e^{log M(−λ) − λε} over a polynomial in λ.
// The number is at most 0, as log d is, which the least over some λ > 0 need not be.
func (x *Transform) guessDelta(eps float64) (logDelta, saddle float64, ok bool) {
	return leastDelta(x, eps)
}

// leastDelta is guessDelta by a law in float64.
func leastDelta(law floatLaw, eps float64) (logDelta, saddle float64, ok bool) {
	best, at, ok := leastMoment(law, eps)
	if !ok {
		return 0, 0, false
	}
	log := double.Log64(at + 2)
	margin := min(2*(log+2), log+10) // a large λ is 1 over the losses' scale, about
	return min(best-margin, 0), at, true
}

// leastMoment returns a number near the least log M(−λ) − λε over λ > 0, and its λ.
func leastMoment(law floatLaw, eps float64) (best, at float64, ok bool) {
	best = math.Inf(1)
	try := func(lambda float64) bool {
		y := law.logMoment(lambda) - lambda*eps
		if !isNumber(y) || y >= best {
			return false
		}
		best, at = y, lambda
		return true
	}
	const first, last, patience = -10, 40, 2 // powers of 2, and how many may be worse
	for i, worse := first, 0; i <= last && worse < patience; i++ {
		if !try(math.Ldexp(1, i)) && at > 0 {
			worse++
		}
	}
	if at == 0 {
		return 0, 0, false
	}
	for mid, i := at, 11; i <= 27; i += 2 {
		try(mid * float64(i) / 16)
	}
	return best, at, true
}

// saddlePoint returns an ε at which log δ(ε) is near logDelta, and the λ at which log M(−λ) − λε is least:
//
//	log δ ≈ K − λK′ − log(λ(λ+1)) − log(2πK″)/2,  ε = K′,  K = log M(−λ).
func saddlePoint(law floatLaw, logDelta float64) (eps, saddle float64) {
	at := func(l float64) (logDelta, eps float64) {
		h := l / 512
		a, b, c := law.logMoment(l-h), law.logMoment(l), law.logMoment(l+h)
		slope, bend := (c-a)/(2*h), (c-2*b+a)/(h*h)
		return b - l*slope - double.Log64(l*(l+1)) - double.Log64(max(2*math.Pi*bend, 1e-300))/2, slope
	}
	const halvings = 14
	lo, hi := -12.0, 24.0 // of log2 λ
	eps = math.NaN()
	for range halvings {
		mid := (lo + hi) / 2
		l := double.Exp64(mid * math.Ln2)
		d, e := at(l)
		if d > logDelta {
			lo = mid
		} else {
			hi = mid // also where there is no number
		}
		if isNumber(d) && isNumber(e) {
			eps, saddle = e, l
		}
	}
	return eps, saddle
}
