// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package likely

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/least"
)

// A Source is a law of losses in float64.
type Source interface {
	// LogMoment is near log M(−λ), or no finite number.
	LogMoment(lambda float64) float64
	// LogLine is near log M(−λ + ijh) − log M(−λ), j = 0 … n.
	LogLine(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool)
	// Below and Up round parameters of its lines: λ down, and the period up.
	Below(lambda float64) *big.Rat
	Up(period float64) float64
}

// A Line is a line in complex128.
type Line struct {
	lambda, period float64
	values         []complex128 // M(s_j)/(s_j(s_j − 1)) times e^−log
	log            float64
}

// NewLine returns a line for ε, with errors of about 2^−16 of δ.
func NewLine(ctx context.Context, law Source, saddle, eps, logDelta float64) (*Line, bool) {
	l, lambda := chooseLine(law, saddle, eps, logDelta)
	return l, lambda != nil && l.fill(ctx, law, lambda)
}

// LineOf returns the line of values M(s_j)/(s_j(s_j − 1)) times e^−log.
func LineOf(lambda, period, log float64, values []complex128) *Line {
	return &Line{lambda: lambda, period: period, log: log, values: values}
}

// chooseLine chooses λ and T for NewLine, and returns a nil λ if there is none.
//
// λ is left of the saddle point where that makes the line short.
// It is no further left than where the sum cancels by a factor of e^7: beyond it, M may grow so fast that no κ is near.
func chooseLine(law Source, saddle, eps, logDelta float64) (l *Line, at *big.Rat) {
	const (
		nats   = 16 * math.Ln2 // of accuracy
		cancel = 7             // nats
		slower = 8             // λ that are tried, from the saddle point down to 3/10 of it
		others = 16            // κ that are tried for each
	)
	l = new(Line)
	best := law.LogMoment(saddle) - saddle*eps
	for i := range slower {
		rat := law.Below(saddle * (1 - float64(i)/10))
		lambda := double.Of(interval.Prec(64).Rat(rat)).Mid()
		log := law.LogMoment(lambda)
		if !isNumber(log) || i > 0 && log-lambda*eps > best+cancel {
			break
		}
		for k := range others { // T by the best κ
			kappa := lambda * (1 + math.Ldexp(float64(2+k%2), k/2-4))
			right := nats - logDelta + law.LogMoment(kappa) - kappa*eps
			period := max((nats-logDelta)/lambda, right/(kappa-lambda))
			if period > 0 {
				period = law.Up(period)
			}
			if isNumber(period) && period > 0 && (at == nil || period < l.period) {
				at, l.lambda, l.period, l.log = rat, lambda, period, log
			}
		}
	}
	return l, at
}

// fill evaluates the line at λ, to where its values are small. It reports false if that is too far.
func (l *Line) fill(ctx context.Context, law Source, at *big.Rat) bool {
	const shortest, longest, small = 64, 1 << 16, 0x1p-20
	h := double.Point(2 * math.Pi / l.period)
	for n := shortest; n <= longest; n *= 2 {
		values, ok := law.LogLine(ctx, at, h, n)
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

// LogDelta is near log δ(ε), or no number.
func (l *Line) LogDelta(eps float64) float64 {
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

// Solve returns an ε whose log δ is near the given one, by secants.
// It goes no further from the given ε than the line is good for, and may stop on the way.
func (l *Line) Solve(eps, logDelta float64) float64 {
	reach := 1 / l.lambda
	at := func(x float64) float64 {
		y := l.LogDelta(x) - logDelta
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

// NearOf is a number near the ε at which log δ is so large, by a law alone.
func NearOf(ctx context.Context, law Source, logDelta float64) (eps float64, ok bool) {
	eps, saddle := SaddlePoint(law, logDelta)
	return NearFrom(ctx, law, eps, saddle, logDelta)
}

// NearFrom solves for ε from a first number and its saddle point on.
func NearFrom(ctx context.Context, law Source, eps, saddle, logDelta float64) (float64, bool) {
	last := saddle
	for range 12 {
		if !isNumber(eps) || !(saddle > 0) {
			return 0, false
		}
		l, ok := NewLine(ctx, law, saddle, eps, logDelta)
		if !ok { // below the mean of all losses the least moment is that of 0
			saddle = last
			l, ok = NewLine(ctx, law, saddle, eps, logDelta)
		}
		if !ok {
			return 0, false
		}
		last = saddle
		next := l.Solve(eps, logDelta)
		step := math.Abs(next - eps)
		eps = next
		if step <= 0.5/saddle {
			return eps, true
		}
		if _, saddle, ok = LeastMoment(law, eps); !ok {
			return 0, false
		}
	}
	return 0, false
}

// LeastDelta is guessDelta of inversion, by a law in float64.
func LeastDelta(law Source, eps float64) (logDelta, saddle float64, ok bool) {
	best, at, ok := LeastMoment(law, eps)
	if !ok {
		return 0, 0, false
	}
	log := double.Log64(at + 2)
	margin := min(2*(log+2), log+10) // a large λ is 1 over the losses' scale, about
	return min(best-margin, 0), at, true
}

// LeastMoment returns a number near the least log M(−λ) − λε over λ > 0, and its λ.
func LeastMoment(law Source, eps float64) (best, at float64, ok bool) {
	best = math.Inf(1)
	try := func(lambda float64) bool {
		y := law.LogMoment(lambda) - lambda*eps
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

// SaddlePoint returns an ε at which log δ(ε) is near logDelta, and the λ at which log M(−λ) − λε is least:
//
//	log δ ≈ K − λK′ − log(λ(λ+1)) − log(2πK″)/2,  ε = K′,  K = log M(−λ).
func SaddlePoint(law Source, logDelta float64) (eps, saddle float64) {
	moments := func(l float64) (log, slope, bend float64) {
		h := l / 512
		a, b, c := law.LogMoment(l-h), law.LogMoment(l), law.LogMoment(l+h)
		return b, (c - a) / (2 * h), (c - 2*b + a) / (h * h)
	}
	if exact, ok := law.(interface {
		LogMoments(lambda float64) (log, slope, bend float64)
	}); ok {
		moments = exact.LogMoments
	}
	at := func(l float64) (logDelta, eps float64) {
		b, slope, bend := moments(l)
		return b - l*slope - double.Log64(l*(l+1)) - double.Log64(max(2*math.Pi*bend, 1e-300))/2, slope
	}
	const halvings = 14
	eps = math.NaN()
	least.Halved(-12, 24, halvings, func(log2 float64) bool { // of λ
		l := double.Exp64(log2 * math.Ln2)
		d, e := at(l)
		if isNumber(d) && isNumber(e) {
			eps, saddle = e, l
		}
		return d > logDelta // not where there is no number
	})
	return eps, saddle
}

// isNumber reports whether x is finite.
func isNumber(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// LogSum is near log Σ e^x(i) over i < n.
func LogSum(n int, x func(int) float64) float64 {
	const negligible = -40 // the logarithm of a share that is not added
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

// Last is the least n ≥ 1 beyond which values with such logarithms add up to no more than e^goal.
func Last(logs []double.Interval, goal float64) int {
	n, share := len(logs)-1, 0.0 // of e^goal
	for ; n > 1; n-- {
		if share += double.Exp64(logs[n].Hi - goal); !(share <= 1) {
			break
		}
	}
	return n
}
