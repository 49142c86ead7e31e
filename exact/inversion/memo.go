// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"
	"math/bits"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/likely"
	"dpverify/exact/inversion/remembered"
	"dpverify/exact/inversion/tapering"
	"dpverify/exact/pair"
	"dpverify/exact/quadrature"
)

// A Memo keeps what the transforms of different products share: their factors, and the values of these along lines.
// It may be used by several goroutines. A nil Memo keeps nothing.
//
// Products that differ by a few copies have nearly the same parameters.
// With a Memo these are rounded so far that most of them are the same, whatever it holds.
// So answers depend on the question, and not on earlier questions.
type Memo struct{ kept remembered.Store[memoKey] }

// A memoKey says what is kept: a method of a factor, and its arguments.
type memoKey struct {
	method   string
	pair     string
	prec, p  interval.Prec // of the factor, see at, and asked for
	lambda   string
	low, top any // ends of a step
	n        int
}

// factor is newFactor with a memory.
func (m *Memo) factor(x pair.Pair) (factor, bool) {
	if m == nil {
		return newFactor(x)
	}
	key := memoKey{method: "factor", pair: x.String()}
	f, _ := remembered.Recall(&m.kept, key, func() (y tried[factor], size int, err error) {
		if made, ok := newFactor(x); ok {
			y = tried[factor]{keptFactor{factor: made, memo: m, key: memoKey{pair: key.pair}}, true}
			size = numbersOf(made)
		}
		return y, size + len(key.pair)/64, nil
	})
	return f.value, f.ok
}

// numbersOf is about how many numbers a factor holds.
func numbersOf(f factor) int {
	switch f := f.(type) {
	case discrete:
		return 4 * len(f.outcomes)
	case *mixture:
		return tableSize
	}
	return 1 << 6
}

// newFactor returns the transform of a pair, and reports false if it is not known.
func newFactor(x pair.Pair) (factor, bool) {
	switch x := x.(type) {
	case pair.Gaussian:
		return closedForm{gaussian{x.Mu2}}, true
	case pair.Laplace:
		return closedForm{laplace{x.Shift}}, true
	case pair.Truncated:
		if t, ok := newTruncated(x); ok {
			return t, true
		}
	case pair.Logistic:
		return closedForm{logistic{x.Shift}}, true
	case pair.Sampled:
		if m, ok := newMixture(x); ok {
			return m, true
		}
		if s, ok := sampledLaplaceOf(x); ok {
			return s, true
		}
	case pair.GaussianMixture, pair.SampledReplaceGaussian:
		if m, ok := newMixture(x); ok {
			return m, true
		}
	}
	return newDiscrete(x, coarse)
}

// recall returns the value that is kept for a key, or else the value of f. size is how many numbers that is.
func recall[T any](m *Memo, key memoKey, size int, f func() (T, error)) (T, error) {
	return remembered.Recall(&m.kept, key, func() (T, int, error) {
		y, err := f()
		return y, size, err
	})
}

// A keptFactor is a factor whose values a Memo keeps.
type keptFactor struct {
	factor
	memo *Memo
	key  memoKey // with the pair, and the precision of at
}

// plain is the factor itself.
func plain(f factor) factor {
	if k, ok := f.(keptFactor); ok {
		return k.factor
	}
	return f
}

// of is the key of a call at λ.
func (k keptFactor) of(method string, lambda *big.Rat) memoKey {
	key := k.key
	key.method, key.lambda = method, lambda.RatString()
	return key
}

// keep is recall for an f that has no error.
func keep[T any](k keptFactor, key memoKey, size int, f func() T) T {
	y, _ := recall(k.memo, key, size, func() (T, error) { return f(), nil })
	return y
}

func (k keptFactor) logMoment(lambda float64) float64 {
	key := k.key
	key.method, key.low = "logMoment", math.Float64bits(lambda)
	return keep(k, key, 1, func() float64 { return k.factor.logMoment(lambda) })
}

func (k keptFactor) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	key := k.of("moment", lambda)
	key.p = p
	return keep(k, key, 1, func() interval.Interval { return k.factor.moment(p, lambda) })
}

func (k keptFactor) line(
	ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int,
) ([]interval.Complex, error) {
	key := k.of("line", lambda)
	key.p, key.low, key.top, key.n = p, rationalText(h.Lo()), rationalText(h.Hi()), n
	return recall(k.memo, key, n*(1+int(p)/128), func() ([]interval.Complex, error) {
		return k.factor.line(ctx, p, lambda, h, n)
	})
}

// rationalText writes a number as the fraction that it is.
func rationalText(x *big.Float) string {
	if x.IsInf() {
		return "∞"
	}
	r, _ := x.Rat(nil)
	return r.RatString()
}

func (k keptFactor) decay(lambda *big.Rat) decay {
	return keep(k, k.of("decay", lambda), 1<<10, func() decay {
		if m, ok := k.factor.(*mixture); ok {
			return m.decayBy(lambda, k.moment(doublePrec, lambda))
		}
		return k.factor.decay(lambda)
	})
}

// quickDecay is decay, and that of a mixture is the quick one: it reports whether this is one.
func (k keptFactor) quickDecay(lambda *big.Rat) (decay, bool) {
	m, ok := k.factor.(*mixture)
	if !ok {
		return k.decay(lambda), false
	}
	return keep(k, k.of("quick decay", lambda), 1<<10, func() decay {
		return m.quickDecay(lambda, k.moment(doublePrec, lambda), 1)
	}), true
}

func (k keptFactor) sizes(lambda *big.Rat, h double.Interval, n int) []float64 {
	key := k.of("sizes", lambda)
	key.low, key.top, key.n = h.Lo, h.Hi, n
	return keep(k, key, n/8, func() []float64 { return k.factor.sizes(lambda, h, n) })
}

func (k keptFactor) points(ctx context.Context, lambda *big.Rat, h double.Interval, n int) ([]complex128, bool) {
	key := k.of("points", lambda)
	key.low, key.top, key.n = h.Lo, h.Hi, n
	y, _ := recall(k.memo, key, n/4, func() (y tried[[]complex128], err error) {
		y.value, y.ok = k.factor.points(ctx, lambda, h, n)
		return y, ctx.Err()
	})
	return y.value, y.ok
}

func (k keptFactor) at(p interval.Prec) factor {
	if _, ok := k.factor.(*mixture); ok {
		return k // of all precisions
	}
	key := k.key
	key.method, key.p = "at", p
	k.factor, _ = remembered.Recall(&k.memo.kept, key, func() (factor, int, error) {
		f := k.factor.at(p)
		return f, numbersOf(f), nil
	})
	k.key.prec = p
	return k
}

// A tried value is one that may not exist.
type tried[T any] struct {
	value T
	ok    bool
}

// keptWords is wordLineOf of a factor that may be kept.
func keptWords(
	ctx context.Context, f factor, c parameters, p interval.Prec, h fixed.Real, n int,
) (wordLine, bool, error) {
	k, ok := f.(keptFactor)
	if !ok {
		return wordLineOf(ctx, f, c, p, h, n)
	}
	key := k.of("words", c.lambda)
	key.p, key.low, key.n = p, h, n
	l, err := recall(k.memo, key, n, func() (l tried[wordLine], err error) {
		l.value, l.ok, err = wordLineOf(ctx, k.factor, c, p, h, n)
		return l, err
	})
	return l.value, l.ok, err
}

// keptRatio is ratio of a factor that may be kept: copies of it differ by the power alone.
func keptRatio(f factor, c parameters, h double.Interval) (r tried[quadrature.Ratio]) {
	m, ok := plain(f).(*mixture)
	if !ok {
		return r
	}
	k, ok := f.(keptFactor)
	if !ok {
		return m.ratio(c, h)
	}
	key := k.of("ratio", c.lambda)
	key.low, key.n = h, c.far
	return keep(k, key, 3*c.far, func() tried[quadrature.Ratio] { return m.ratio(c, h) })
}

// tapers is t.InWords with a memory.
func (m *Memo) tapers(t tapering.Kernel, h fixed.Real, n int) []fixed.Real {
	if m == nil {
		return t.InWords(h, n)
	}
	key := memoKey{method: "taper", low: t, top: h, n: n}
	out, _ := recall(m, key, n, func() ([]fixed.Real, error) { return t.InWords(h, n), nil })
	return out
}

// keptBits are the leading bits of λ and T with a Memo.
// Rounding is a choice: the bounds are about the parameters that come out.
const keptBits = 3

// below returns a number just below a λ.
func (m *Memo) below(x float64) *big.Rat {
	if m == nil {
		return likely.Below(x)
	}
	return likely.Short(x, keptBits, math.Floor)
}

// above returns a number just above a period.
func (m *Memo) above(x float64) *big.Rat {
	if m == nil {
		return likely.Above(x)
	}
	return likely.Short(x, keptBits, math.Ceil)
}

// up rounds a number x > 0 up.
func (m *Memo) up(x float64) float64 {
	if m == nil || !isNumber(x) {
		return x
	}
	return likely.Rounded(x, keptBits, math.Ceil)
}

// prec rounds a precision up to a multiple of 16.
func (m *Memo) prec(p interval.Prec) interval.Prec {
	if m == nil {
		return p
	}
	return (p + 15) / 16 * 16
}

// length rounds a number of values up, but not beyond a limit.
func (m *Memo) length(n, limit int) int {
	if m == nil {
		return n
	}
	unit := 1 << max(bits.Len(uint(n))-keptBits, 0)
	return min((n+unit-1)/unit*unit, limit)
}
