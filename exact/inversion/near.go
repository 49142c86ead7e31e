// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// Near returns a number near ε(δ) for δ = delta, for a search to start from: it bounds nothing. It reports
// false if it has none.
//
// The saddle point method gives a first number; then (1) is summed in complex128 along a line
// close to the saddle point, where little cancels, and solved for ε. What comes out is rounded to
// fewer bits than machines may differ by.
func (x *Transform) Near(ctx context.Context, delta *big.Rat) (*big.Rat, bool) {
	d := coarse.Rat(delta)
	inf, _ := x.infinite(coarse)
	d = coarse.Sub(d, inf)
	if d.Positive() != interval.True {
		return nil, false
	}
	eps, ok := x.near(ctx, double.Of(coarse.Log(d)).Mid())
	if !ok {
		return nil, false
	}
	y, _, ok := interval.Prec(24).Round(double.Point(eps).Exact()).Rationals()
	return y, ok
}

// A floatLaw is a loss in float64, without bounds.
type floatLaw interface {
	// logMoment is about log M(−λ), or no finite number.
	logMoment(lambda float64) float64
	// logLine is about log M(−λ + ijh) − log M(−λ), j = 0 … n.
	logLine(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool)
	// rounding is how parameters of its lines are rounded; it may be nil.
	rounding() *Memo
}

func (x *Transform) rounding() *Memo { return x.memo }

func (x *Transform) near(ctx context.Context, logDelta float64) (eps float64, ok bool) {
	if y := double.Exp64(logDelta); y > math.Ldexp(4, x.quantum) && y < 1 {
		return math.Log1p(-y), true // below all but few losses, where δ(ε) is next to 1 − e^ε
	}
	if b, ok := x.newBulk(logDelta); ok {
		if eps, ok := x.nearBelow(ctx, b, double.Exp64(logDelta)); ok {
			return eps, true
		}
		if eps, ok := b.jump(logDelta); ok {
			if better, ok := x.nearMirrored(ctx, eps, logDelta); ok {
				return better, true
			}
			const few = 1 << 10 // steps, of which a jump is nearer
			if _, ok := x.mirrors(rough, double.Point(eps).Exact()); ok && x.continued.copies < few {
				return eps, true // a direct line is long, and no good in float64
			}
			if _, saddle, ok := leastMoment(x, eps); ok {
				if better, ok := nearFrom(ctx, x, eps, saddle, logDelta); ok {
					return better, true
				}
			}
			return eps, true
		}
	}
	if b, ok := x.bulkAt(logDelta); ok {
		if eps, ok := nearOf(ctx, b, logDelta); ok {
			return eps, true
		}
		eps, _ := b.jump(logDelta)
		if eps < 0x1p-39 {
			eps, _ = saddlePoint(b, logDelta)
		}
		for k := range 3 {
			if eps, ok := x.nearMirrored(ctx, math.Ldexp(eps, -2*k), logDelta); ok {
				return eps, true
			}
		}
	}
	return nearOf(ctx, x, logDelta)
}

// nearBelow is near for δ so large that ε is at most a few times the losses' scale: there, the profile of pairs (1, C) has a line with
// a λ of 1 over the scale, on which little cancels, and of pairs (C, 1) it is had by the reverse.
func (x *Transform) nearBelow(ctx context.Context, b bulk, delta float64) (eps float64, ok bool) {
	scale := math.Sqrt(b.variance())
	const far = 32
	if x.continued == nil || !(scale > 0) || delta < scale/far {
		return 0, false
	}
	hi := 4 * scale
	eps, ok = x.nearBetween(ctx, x, 1/scale, math.Log1p(-delta), hi, delta, double.Log64(scale)-5)
	return eps, ok && eps < hi
}

// nearMirrored is near for pairs (C, 1) and ε > 0 by the reverse, from a number that is off by a factor. What δ is less than 1 − e^−ε is lost
// of 53 bits: the larger λ, the shorter is the line, and e^λε is lost, too. A large ε is made of losses between which the table has few rows.
func (x *Transform) nearMirrored(ctx context.Context, eps, logDelta float64) (better float64, ok bool) {
	if x.mirror == nil || !(0 < eps && eps < 1 && logDelta > math.Log(eps)-40*math.Ln2) {
		return 0, false
	}
	b, _ := x.mirror.newBulk(logDelta)
	lost := max(1, min(5, 34*math.Ln2+logDelta))
	for range 6 {
		better, ok = x.nearBetween(ctx, b, lost/eps, 0, 2*eps, double.Exp64(logDelta), logDelta)
		if !ok || math.Abs(better-eps) < eps/8 {
			return better, ok
		}
		eps = better
	}
	return 0, false
}

// nearBetween is near by the profile of pairs (1, C), those of the product or of its reverse, with one line for a range of ε: its end where
// ε is beyond.
func (x *Transform) nearBetween(ctx context.Context, law floatLaw, lambda, lo, hi, delta, logSize float64) (eps float64, ok bool) {
	sign := 1.0
	if !x.continued.reversed {
		sign = -1
	}
	if law == floatLaw(x) && sign < 0 {
		law = x.mirror
	}
	l, ok := newFloatLine(ctx, law, lambda, sign*(lo+hi)/2, logSize)
	if !ok {
		return 0, false
	}
	at := func(e float64) float64 {
		y := double.Exp64(l.logDelta(sign * e))
		if sign > 0 {
			return y
		}
		return double.Exp64(e)*y - math.Expm1(e)
	}
	if !(at(lo) > delta) {
		return 0, false
	}
	for range 40 {
		if mid := (lo + hi) / 2; at(mid) < delta {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, true
}

func nearOf(ctx context.Context, law floatLaw, logDelta float64) (eps float64, ok bool) {
	eps, saddle := saddlePoint(law, logDelta)
	return nearFrom(ctx, law, eps, saddle, logDelta)
}

// nearFrom solves for ε from a first number and its saddle point on.
func nearFrom(ctx context.Context, law floatLaw, eps, saddle, logDelta float64) (float64, bool) {
	for range 12 {
		if !isNumber(eps) || !(saddle > 0) {
			return 0, false
		}
		l, ok := newFloatLine(ctx, law, saddle, eps, logDelta)
		if !ok {
			return 0, false
		}
		next := l.solve(eps, logDelta)
		step := math.Abs(next - eps)
		eps = next
		if step <= 0.5/saddle {
			return eps, true
		}
		if _, saddle, ok = leastMoment(law, eps); !ok {
			return 0, false
		}
	}
	return 0, false
}

// saddlePoint returns an ε with log δ(ε) about logDelta, and the λ at which log M(−λ) − λε is least:
//
//	log δ ≈ K − λK′ − log(λ(λ+1)) − log(2πK″)/2,  ε = K′,  K = log M(−λ).
func saddlePoint(law floatLaw, logDelta float64) (eps, saddle float64) {
	at := func(l float64) (logDelta, eps float64) {
		h := l / 512
		a, b, c := law.logMoment(l-h), law.logMoment(l), law.logMoment(l+h)
		slope, bend := (c-a)/(2*h), (c-2*b+a)/(h*h)
		return b - l*slope - double.Log64(l*(l+1)) - double.Log64(max(2*math.Pi*bend, 1e-300))/2, slope
	}
	lo, hi := -12.0, 24.0 // of log2 λ
	eps = math.NaN()
	for range 20 {
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

// A floatLine is a line in complex128, without bounds.
type floatLine struct {
	lambda, period float64
	values         []complex128 // M(s_j)/(s_j(s_j − 1)) times e^−log
	log            float64
}

// newFloatLine returns a line for ε, with errors of about 2^−16 of δ. It is left of the saddle point,
// where that makes it short, but no further than where the sum cancels by a factor of e^7: beyond it,
// M may grow so fast that there is no λ′ near.
func newFloatLine(ctx context.Context, law floatLaw, saddle, eps, logDelta float64) (*floatLine, bool) {
	bits := 16 * math.Ln2
	l, memo := new(floatLine), law.rounding()
	var at *big.Rat // λ
	least := law.logMoment(saddle) - saddle*eps
	for i := range 8 {
		rat := memo.below(saddle * (1 - float64(i)/10))
		lambda := float64Of(rat)
		log := law.logMoment(lambda)
		if !isNumber(log) || i > 0 && log-lambda*eps > least+7 {
			break
		}
		for k := range 16 { // T by the best λ′
			farther := lambda * (1 + math.Ldexp(float64(2+k%2), k/2-4))
			other := bits - logDelta + law.logMoment(farther) - farther*eps
			period := max((bits-logDelta)/lambda, other/(farther-lambda))
			if isNumber(period) && period > 0 && memo != nil {
				period = float64Of(memo.above(period))
			}
			if isNumber(period) && period > 0 && (at == nil || period < l.period) {
				at, l.lambda, l.period, l.log = rat, lambda, period, log
			}
		}
	}
	if at == nil {
		return nil, false
	}
	h := double.Point(2 * math.Pi / l.period)
	for n := 32; n <= 1<<16; n *= 2 {
		values, ok := law.logLine(ctx, at, h, n)
		if !ok {
			return nil, false
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
		if last < real(values[0])*0x1p-20 {
			l.values = values
			return l, true
		}
	}
	return nil, false
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
			values[j] += complex(count*double.Log64(math.Hypot(real(z), imag(z))/norm), count*math.Atan2(imag(z), real(z)))
		}
	}
	return values, true
}

// logDelta is about log δ(ε), or no number.
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

// solve returns an ε with about the given log δ, by secants: or one on the way there, no further
// from the given one than the line is good for.
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

// points returns numbers near M(−λ + ijh), j = 0 … n, up to a common factor.
func (q roughQuadrature) points(h double.Interval, n int) ([]complex128, bool) {
	const most = 1 << 25 // products
	if n > most/len(q.weights) {
		return nil, false
	}
	values, _ := q.sweep(h, n)
	return values, values != nil
}

func (m *mixture) points(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	q, ok := m.roughQuadrature(lambda, h.Mul(double.Int(int64(n))).Hi)
	const cheap = 1 << 22 // products
	if ok && len(q.weights)*n <= cheap {
		return q.points(h, n)
	}
	if plan, ok := m.planMoved(rough, lambda); ok {
		return m.movedPoints(ctx, lambda, plan, h.Lo, n)
	}
	if !ok {
		return nil, false
	}
	return q.points(h, n)
}

func (s *sampledLaplace) points(_ context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	q, ok := s.newQuadrature(rough, lambda, h.Mul(double.Int(int64(n))).Hi)
	if !ok {
		return nil, false
	}
	return q.rough().points(h, n)
}

// costlyPoints is from where on points that are made one by one take longer than a start is worth.
const costlyPoints = 256

func (c closedForm) points(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	if n > costlyPoints {
		return nil, false
	}
	return middles(c.line(ctx, 50, lambda, h.Exact(), n))
}

func (d discrete) points(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	if n > costlyPoints {
		return nil, false
	}
	return middles(d.line(ctx, 50, lambda, h.Exact(), n))
}

// middles rounds the values of a line, in units of the first.
func middles(values []interval.Complex, err error) ([]complex128, bool) {
	if err != nil || len(values) == 0 {
		return nil, false
	}
	norm := coarse.Inv(values[0].Re)
	out := make([]complex128, len(values))
	for j, z := range values {
		z = coarse.ScaleC(norm, z)
		out[j] = complex(double.Of(z.Re).Mid(), double.Of(z.Im).Mid())
	}
	return out, true
}
