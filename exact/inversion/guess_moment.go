// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/inversion/likely"
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
	return likely.LogSum(len(d.outcomes), func(i int) float64 { return d.outcomes[i].logP + lambda*d.outcomes[i].l })
}

func (g gaussian) logMoment(lambda float64) float64 {
	return double.Of(g.half(coarse)).Mid() * lambda * (lambda + 1)
}

func (l laplace) logMoment(lambda float64) float64 {
	x, u := double.Near(l.x), lambda+0.5
	fall := double.Exp64(-2 * u * x)
	return lambda*x + double.Log64((1+fall)/2+missing(2*u*x)/(4*u))
}

func (l logistic) logMoment(lambda float64) float64 {
	x, u := double.Near(l.x), lambda+0.5
	return lambda*x + double.Log64(missing(2*u*x)/missing(x)/(2*u))
}

// logMoment is the trapezoidal sum over the table.
// For weak mechanisms log M is tiny and is multiplied by the count, so the sum is kept to full float64 accuracy.
func (m *mixture) logMoment(lambda float64) float64 {
	const digits = 56 // more than float64 has
	w, t, ok := m.windowAt(lambda, digits, 0)
	if !ok {
		return math.NaN()
	}
	sum, stride := 0.0, 1
	if _, step := m.stripStep(lambda, 36); !m.thinning.Thins() {
		for stride < tableStep && 2*stride <= int(min(step*tableStep, tableStep)) {
			stride *= 2
		}
	}
	for k := w.from - t.First; k <= w.to-t.First; k += stride {
		x := t.Point(k)
		if y := (1+lambda)*t.A[k] - lambda*t.B[k] - x*x/2 - t.G[k] - w.peak; y > negligible {
			sum += double.Exp64(y)
		}
	}
	return w.peak + double.Log64(float64(stride)*sum/(tableStep*rootTwoPi64))
}

// stripStep returns the b at which the step η of quickMoment is nearly longest for errors of e^−nats, and that step.
func (m *mixture) stripStep(lambda, nats float64) (b, step float64) {
	other := meanRange(m.doubleB).Abs().Hi
	widest := math.Pi * (31.0 / 64) / max(other, meanRange(m.doubleA).Abs().Hi)
	b = min(widest, math.Sqrt(2*nats/(1+lambda*other*other)))
	cos, _ := double.Cis64(other * b)
	return b, 2 * math.Pi * b / (nats + math.Ln2 + b*b/2 - lambda*double.Log64(cos))
}

// fineStrip chooses the strip and the step of fineRule.
func (m *mixture) fineStrip(lambda, t float64, bits int) (best, step float64) {
	nats := float64(bits) * math.Ln2
	a, b := meanRange(m.doubleA).Abs().Hi, meanRange(m.doubleB).Abs().Hi
	widest := math.Pi * (31.0 / 64) / max(a, b)
	for i := range 24 {
		y := math.Ldexp(widest*float64(8-i%4)/8, -i/4)
		cos, _ := double.Cis64(b * y)
		h := 2 * math.Pi * y / (nats + math.Ln2 + y*y/2 + t*y*(a+b) - lambda*double.Log64(cos))
		if h > step {
			best, step = y, h
		}
	}
	return best, roundDown(step)
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
		masses, logs := s.Nodes(coarse, nodes)
		for i, m := range masses {
			s.guess.masses = append(s.guess.masses, double.Of(coarse.Log(m)).Mid())
			s.guess.logs = append(s.guess.logs, double.Of(logs[i]).Mid())
		}
	})
	k := 1 + lambda
	if s.Reversed {
		k = -lambda
	}
	return likely.LogSum(len(s.guess.masses), func(i int) float64 { return s.guess.masses[i] + k*s.guess.logs[i] })
}

// logAtoms is near the log of what Laplace pairs and samples of them let |M(−λ + it)|/M(−λ) fall to.
func (x *Transform) logAtoms(lambda *big.Rat) (sum float64) {
	for _, t := range x.terms {
		var s *sampledLaplace
		switch f := plain(t.f).(type) {
		case *sampledLaplace:
			s = f
		case closedForm:
			if l, ok := f.law.(laplace); ok {
				s = l.sampled()
			}
		}
		if s != nil {
			atoms := coarse.Log(s.AtomsMoment(s.Tilt(coarse, coarse.Rat(lambda))))
			sum += float64(t.count) * (double.Of(atoms).Mid() - s.logMoment(double.Near(lambda)))
		}
	}
	return sum
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

// rootTwoPi64 is √(2π).
const rootTwoPi64 = 2.5066282746310002

// missing is near 1 − e^{−y}, y ≥ 0.
func missing(y float64) float64 {
	if y < 0x1p-10 {
		return y * (1 - y/2*(1-y/3))
	}
	return 1 - double.Exp64(-y)
}

// isNumber reports whether x is finite.
func isNumber(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// guessDelta returns a number somewhat below log d(ε), and the saddle point.
//
// By the saddle point method, d is near the least e^{log M(−λ) − λε} over a polynomial in λ.
// The number is at most 0, as log d is, which the least over some λ > 0 need not be.
func (x *Transform) guessDelta(eps float64) (logDelta, saddle float64, ok bool) {
	return likely.LeastDelta(x.law(), eps)
}

// A transformLaw is a transform as a law in float64.
type transformLaw struct{ *Transform }

func (x *Transform) law() likely.Source { return transformLaw{x} }

// LogMoment implements likely.Source.
func (x transformLaw) LogMoment(lambda float64) float64 { return x.logMoment(lambda) }

// Below implements likely.Source.
func (x transformLaw) Below(lambda float64) *big.Rat { return x.memo.below(lambda) }

// Up implements likely.Source.
func (x transformLaw) Up(period float64) float64 { return x.memo.up(period) }

// LogLine implements likely.Source.
func (x transformLaw) LogLine(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	values := make([]complex128, n+1)
	for _, t := range x.terms {
		points, ok := t.f.points(ctx, lambda, h, n)
		if !ok {
			return nil, false
		}
		// The products are around e^log.
		norm, count := real(points[0]), float64(t.count)
		for j, z := range points {
			values[j] += complex(count*double.Log64(math.Hypot(real(z), imag(z))/norm),
				count*math.Atan2(imag(z), real(z)))
		}
	}
	return values, true
}
