// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
)

// A floatLine is a line in complex128.
type floatLine struct {
	lambda, period float64
	values         []complex128 // M(s_j)/(s_j(s_j − 1)) times e^−log
	log            float64
}

// newFloatLine returns a line for ε, with errors of about 2^−16 of δ.
func newFloatLine(ctx context.Context, law floatLaw, saddle, eps, logDelta float64) (*floatLine, bool) {
	l, lambda := chooseFloatLine(law, saddle, eps, logDelta)
	return l, lambda != nil && l.fill(ctx, law, lambda)
}

// chooseFloatLine chooses λ and T for newFloatLine, and returns a nil λ if there is none.
//
// λ is left of the saddle point where that makes the line short.
// It is no further left than where the sum cancels by a factor of e^7: beyond it, M may grow so fast that no κ is near.
func chooseFloatLine(law floatLaw, saddle, eps, logDelta float64) (l *floatLine, at *big.Rat) {
	const (
		nats   = 16 * math.Ln2 // of accuracy
		cancel = 7             // nats
		slower = 8             // λ that are tried, from the saddle point down to 3/10 of it
		others = 16            // κ that are tried for each
	)
	l = new(floatLine)
	memo := law.rounding()
	best := law.logMoment(saddle) - saddle*eps
	for i := range slower {
		rat := memo.below(saddle * (1 - float64(i)/10))
		lambda := float64Of(rat)
		log := law.logMoment(lambda)
		if !isNumber(log) || i > 0 && log-lambda*eps > best+cancel {
			break
		}
		for k := range others { // T by the best κ
			kappa := lambda * (1 + math.Ldexp(float64(2+k%2), k/2-4))
			right := nats - logDelta + law.logMoment(kappa) - kappa*eps
			period := max((nats-logDelta)/lambda, right/(kappa-lambda))
			if period > 0 {
				period = memo.up(period)
			}
			if isNumber(period) && period > 0 && (at == nil || period < l.period) {
				at, l.lambda, l.period, l.log = rat, lambda, period, log
			}
		}
	}
	return l, at
}

// fill evaluates the line at λ, to where its values are small. It reports false if that is too far.
func (l *floatLine) fill(ctx context.Context, law floatLaw, at *big.Rat) bool {
	const shortest, longest, small = 64, 1 << 16, 0x1p-20
	h := double.Point(2 * math.Pi / l.period)
	for n := shortest; n <= longest; n *= 2 {
		values, ok := law.logLine(ctx, at, h, n)
		if !ok {
			return false
		}
		for j, z := range values {
			size := double.Exp64(real(z))
			c, s := double.Cis64(math.Remainder(imag(z), 2*math.Pi))
			p := complex(-l.lambda, float64(j)*h.Lo)
			values[j] = complex(size*c, size*s) / (p * (p - 1))
		}
		last := 0.0
		for _, z := range values[n-n/4:] {
			last += math.Hypot(real(z), imag(z))
		}
		if last < real(values[0])*small {
			l.values = values
			return true
		}
	}
	return false
}

// logLine implements floatLaw.
func (x *Transform) logLine(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
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

// logDelta is near log δ(ε), or no number.
func (l *floatLine) logDelta(eps float64) float64 {
	theta := 2 * math.Pi / l.period * eps
	sum := real(l.values[0])
	for j, z := range l.values[1:] {
		c, s := double.Cis64(math.Remainder(float64(j+1)*theta, 2*math.Pi))
		sum += 2 * (real(z)*c - imag(z)*s)
	}
	if !(sum > 0) {
		return math.NaN()
	}
	return l.log - l.lambda*eps + double.Log64(sum/l.period)
}

// solve returns an ε whose log δ is near the given one, by secants.
// It goes no further from the given ε than the line is good for, and may stop on the way.
func (l *floatLine) solve(eps, logDelta float64) float64 {
	reach := 1 / l.lambda
	at := func(x float64) float64 {
		y := l.logDelta(x) - logDelta
		if !isNumber(y) {
			return -1 // too small to be told from errors
		}
		return y
	}
	x0, y0 := eps, at(eps)
	x1 := min(max(eps+y0/l.lambda, eps-reach), eps+reach)
	for range 20 {
		y1 := at(x1)
		if y1 == y0 || x1 == x0 {
			break
		}
		next := min(max(x1-y1*(x1-x0)/(y1-y0), eps-reach), eps+reach)
		x0, y0, x1 = x1, y1, next
		if math.Abs(x1-x0) <= math.Abs(x1)*0x1p-40 {
			break
		}
	}
	return x1
}
