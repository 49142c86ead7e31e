// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/aliases"
	"dpverify/exact/inversion/likely"
	"dpverify/exact/inversion/remembered"
	"dpverify/exact/quadrature"
)

// A lineKey says which line is meant.
type lineKey struct {
	p      interval.Prec
	at     neighbourhoodKey
	double bool // in double precision
}

// minLinePrec is the least precision that is tried where a higher one has no line, as where atoms hold |M| up.
const minLinePrec = 24

// maxLines bounds the lines that are remembered.
const maxLines = 64

// A line is the transform along Re s = −λ, ready to be inverted.
type line struct {
	parameters
	values []interval.Complex // M(s_j)/(s_j(s_j − 1)), j = 0 … n, times W(jh) of a taper,
	words  []fixed.Complex    // or the same in words
	series *quadrature.Series // or in double precision
	finite interval.Interval  // an upper bound of d, as d ≤ P(L finite)
	// between bounds 2·Σ|M(s_j)/(s_j(s_j − 1))| over n < j ≤ far, plus the distances of values in words, from above.
	between interval.Interval
	// afterFar bounds |M(−λ + it)| for |t| ≥ far·h from above, or M(−λ) where there is a taper.
	afterFar interval.Interval
	markov   interval.Interval // an upper bound of M(−κ)
	infinite interval.Interval // P(L = ∞), and outcomes left out
}

// n is the index of the last value.
func (l *line) n() int {
	if l.series != nil {
		return l.series.N()
	}
	return max(len(l.values), len(l.words)) - 1
}

// epsPrec is the precision with which ε has to be known.
func (l *line) epsPrec() interval.Prec {
	if l.words != nil {
		return 224
	}
	return 0
}

// lineAt returns the line for the neighbourhood of ε: the one of the highest precision up to p
// for which there are parameters of moderate cost, and nil if there is none. If whole, it is none of less than p.
//
// A line that was made for one precision serves again wherever a higher one comes down to it.
func (x *Transform) lineAt(ctx context.Context, p interval.Prec, whole bool, eps interval.Interval) (*line, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.around(eps)
	if !ok {
		return nil, nil
	}
	for {
		l, err := x.keptLine(lineKey{p: p, at: at.key()}, func() (*line, error) { return x.newLineAt(ctx, p, at) })
		if err != nil {
			return nil, err
		}
		if l != nil || whole || p <= minLinePrec {
			return l, nil
		}
		cut := (p + 1) / 2
		if x.limited {
			cut = p / 4
		}
		p = max(p-cut, minLinePrec)
	}
}

// maxDoublePrec is the precision up to which lines are tried in double precision first.
const maxDoublePrec = interval.Prec(32)

// maxDoubleProducts bounds the products of a line in double precision: they take some 6 ms.
const maxDoubleProducts = 1 << 25

// inDouble encloses δ(ε) by a line in double precision. It reports false where that does not suffice.
func (x *Transform) inDouble(
	ctx context.Context, p interval.Prec, eps interval.Real,
) (y interval.Interval, ok bool, err error) {
	const rough, short = 20, 3 // so few bits may be some fewer
	if p > maxDoublePrec || !x.falls || x.truncates {
		return y, false, nil
	}
	l, err := x.doubleLineAt(p, eps(coarse))
	if l == nil || err != nil {
		return y, false, err
	}
	y, err = x.by(ctx, l, p, eps)
	return y, y.RelativeBits(int(p)) >= int(p)-1-short*min(1, rough/int(p)), err
}

// doubleLineAt is lineAt in double precision.
func (x *Transform) doubleLineAt(p interval.Prec, eps interval.Interval) (*line, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.around(eps)
	if !ok {
		return nil, nil
	}
	at.inDouble = true
	return x.keptLine(lineKey{p, at.key(), true}, func() (*line, error) {
		if c, ok := x.chooseAt(p, at); ok {
			return x.newDoubleLine(c), nil
		}
		return nil, nil
	})
}

// newDoubleLine is newLine in double precision. It is nil if that does not suffice.
func (x *Transform) newDoubleLine(c parameters) *line {
	h := double.Of(c.step(coarse))
	product := quadrature.NewProduct(h, c.far)
	for _, t := range x.terms {
		if r := keptRatio(t.f, c, h); !r.ok || !product.Times(r.value, t.count) {
			return nil
		}
	}
	n, between := x.trim(c, h, product.Logs)
	var weights []double.Interval
	if c.taper != nil {
		for _, w := range x.memo.tapers(c.taper.Kernel, fixed.FromInterval(c.step(224)), n) {
			weights = append(weights, double.Of(w.Interval()))
		}
	}
	series, distance, ok := product.Series(c.lambda, n, weights)
	l, _, _ := x.withoutValues(c)
	if l == nil || !ok {
		return nil
	}
	l.series, l.between = &series, upper(coarse.Mul(product.Base, coarse.Add(between, distance)))
	return l
}

// keptLine returns the line of a key, or else the one that f makes: nil if there is none.
func (x *Transform) keptLine(key lineKey, f func() (*line, error)) (*line, error) {
	if x.memo != nil {
		name := memoKey{method: "transform's line", pair: x.name, low: key}
		return remembered.Recall(&x.memo.kept, name, func() (*line, int, error) {
			l, err := f()
			size := 0
			if l != nil {
				size = l.n() * (1 + int(l.prec)/128)
			}
			return l, size, err
		})
	}
	return remembered.Of(&x.lines, key, maxLines, f)
}

// newLineAt returns a line for a neighbourhood and a precision, and nil if there are no parameters of moderate cost.
//
// The parameters rest on an estimate of δ.
// Where a tail of the loss is heavy, M(−λ) says little about the rest, and the estimate may be far too large.
// If the line settles fewer bits than asked for, it says how small δ is, and the next line is made for that.
func (x *Transform) newLineAt(ctx context.Context, p interval.Prec, at neighbourhood) (*line, error) {
	var l *line
	const attempts, bitsShort = 3, 6
	for range attempts {
		c, ok := x.chooseAt(p, at)
		if !ok || l != nil && c.prec > 4*p+256 {
			return l, nil
		}
		next, err := x.newLine(ctx, c)
		if next == nil || err != nil {
			return l, err
		}
		l = next
		y, err := l.invert(ctx, max(l.prec, l.epsPrec()).Rat(at.last()))
		if err != nil || y.RelativeBits(int(p)) >= int(p)-bitsShort || y.Hi().Sign() == 0 {
			return l, err
		}
		size := coarse.Scale(upper(y), -int(p)-64) // all that is known without a lower bound
		if y.Positive() == interval.True {
			size = interval.Point(y.Lo())
		}
		at.logDelta, at.corrected = min(at.logDelta, double.Of(coarse.Log(size)).Lo), true
	}
	return l, nil
}

// newLine evaluates the transform. It returns nil if a factor has no line of moderate cost.
//
// Claim. δ(ε) lies within Σ count·lost of d(ε) + m∞.
//
// Proof. An outcome of the product is left out if the transform of one of its factors leaves out its part.
// Such outcomes have a P-mass of at most Σ count·lost, and add at most that to δ.
// All other outcomes are in d, or have a factor of infinite loss.
// Without outcomes that are left out, the latter have the P-mass m∞ = 1 − Π(1 − inf)^count.
// With them, m∞ changes by at most the mass of those that are left out.
func (x *Transform) newLine(ctx context.Context, c parameters) (*line, error) {
	l, factors, base := x.withoutValues(c)
	if l == nil {
		return nil, nil
	}
	h, logs := double.Of(c.step(coarse)), x.sizes(c, factors)
	n, between := x.trim(c, h, logs)
	l.between = upper(coarse.Mul(base, between))
	if x.fitWords(c) {
		values, distance, ok, err := x.wordValues(ctx, c, factors, n)
		if err != nil || ok && values == nil {
			return nil, err
		}
		if ok {
			l.words, l.between = values, upper(coarse.Add(l.between, distance))
			return l, nil
		}
	}
	var err error
	if l.values, err = x.values(ctx, c, factors, logs[:n+1]); l.values == nil || err != nil {
		return nil, err
	}
	return l, nil
}

// withoutValues is newLine without values, with the factors and M(−λ).
func (x *Transform) withoutValues(c parameters) (l *line, factors []factor, base interval.Interval) {
	if !c.ordered() || c.period.Sign() <= 0 || c.far <= 0 { // the lemmas are not about it
		return nil, nil, base
	}
	l = &line{parameters: c, finite: one, markov: one}
	base = one
	factors = make([]factor, len(x.terms))
	for i, t := range x.terms {
		f := t.f.at(c.prec)
		factors[i] = f
		base = coarse.Mul(base, coarse.PowInt(f.moment(doublePrec, c.lambda), t.count))
		l.markov = upper(coarse.Mul(l.markov, coarse.PowInt(f.moment(doublePrec, c.kappa), t.count)))
	}
	inf, lost := x.infinite(c.prec)
	l.infinite = c.prec.Add(inf, interval.Union(lost.Neg(), lost))
	l.afterFar = upper(base)
	if c.taper == nil {
		l.afterFar = upper(coarse.Mul(base, coarse.Exp(double.Point(x.fall(c)).Exact())))
	}
	return l, factors, base
}

// values encloses M(s_j)/(s_j(s_j − 1)), j = 0 … n, where logs bound |M(s_j)|/M(−λ).
// It is nil if a factor has no line of moderate cost.
func (x *Transform) values(
	ctx context.Context, c parameters, factors []factor, logs []double.Interval,
) ([]interval.Complex, error) {
	const falling = 192 // bits, from which on values that are multiplied by little have fewer
	w, n := c.prec, len(logs)-1
	h := c.step(w + 32)
	product := make([]interval.Complex, n+1)
	for j := range product {
		product[j].Re = one
	}
	spared := func(j int) interval.Prec { // values far below the first need not have as many bits
		return quadrature.Spared(w-min(w, falling), -logs[j].Hi)
	}
	for i, t := range x.terms {
		f := factors[i]
		if m, ok := plain(f).(*mixture); ok && w > falling {
			other := *m
			other.lacks = quadrature.NewLacks(logs, f.sizes(c.lambda, double.Of(c.step(coarse)), c.far))
			f = &other
		}
		values, err := f.line(ctx, w, c.lambda, h, n)
		if values == nil || err != nil {
			return nil, err
		}
		for j := range product {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			w := w - spared(j)
			product[j] = w.MulC(product[j], w.PowIntC(values[j], t.count))
		}
	}
	for j := range product {
		s := interval.Complex{Re: w.Rat(c.lambda).Neg(), Im: w.Mul(interval.Int(int64(j)), h)}
		w := w - spared(j)
		product[j] = w.DivC(product[j], w.MulC(s, w.SubC(s, interval.Complex{Re: one})))
		if c.taper != nil {
			product[j] = w.ScaleC(c.taper.Value(w, s.Im), product[j])
		}
	}
	return product, nil
}

// sizes bounds log(|M(s_j)|/M(−λ)), j = 0 … far.
func (x *Transform) sizes(c parameters, factors []factor) []double.Interval {
	h, logs := double.Of(c.step(coarse)), make([]double.Interval, c.far+1)
	for i, t := range x.terms {
		for j, y := range factors[i].sizes(c.lambda, h, c.far) {
			logs[j] = logs[j].Add(double.Int(t.count).Mul(double.Point(y)))
		}
	}
	return logs
}

// trim returns n, the index of the last value that a line keeps, and an upper bound of
// 2·Σ|M(s_j)/(s_j(s_j − 1))|/M(−λ) over n < j ≤ far, by bounds of log(|M(s_j)|/M(−λ)). n is the least for which this is
// at most e^−tail·T.
//
// For s = −λ + it, |s(s − 1)|² = (λ² + t²)·((λ+1)² + t²) ≥ (λ(λ+1) + t²)².
func (x *Transform) trim(c parameters, h double.Interval, bounds []double.Interval) (n int, between interval.Interval) {
	l := double.Of(coarse.Rat(c.lambda))
	floor := l.Mul(l.Add(double.Int(1)))
	logs := slices.Clone(bounds)
	for j := range logs {
		t := h.Mul(double.Int(int64(j)))
		logs[j] = logs[j].Sub(t.Sqr().Add(floor).Log())
		if c.taper != nil {
			logs[j] = logs[j].Add(c.taper.LogSize(t))
		}
	}
	goal := -c.tail + double.Log64(double.Near(c.period)/2)
	n = x.memo.length(likely.Last(logs, goal), c.far) // values between are counted twice
	if n == c.far {
		return n, interval.Int(0)
	}
	sum := double.LogSum(logs[n+1:]).Add(double.Int(2).Log())
	return n, upper(coarse.Exp(sum.Upper().Exact()))
}

// fall bounds log(|M(−λ + it)|/M(−λ)) for |t| ≥ far·h: on the segments of c, and beyond them.
func (x *Transform) fall(c parameters) float64 {
	worst := math.Inf(-1)
	a := double.Of(c.step(coarse)).Mul(double.Int(int64(c.far))).Lo
	for _, b := range c.segments {
		if a < b {
			worst = max(worst, x.ratio(c.decays, a, b))
			a = b
		}
	}
	return max(worst, x.ratio(c.decays, a, math.Inf(1)))
}

// decaysAt returns the decays of the factors at one λ.
func (x *Transform) decaysAt(lambda *big.Rat) []decay {
	out := make([]decay, len(x.terms))
	for i, t := range x.terms {
		out[i] = t.f.at(coarse).decay(lambda)
	}
	return out
}

// quickDecaysAt is decaysAt with bounds of mixtures that take less time. It reports false if there are no mixtures.
func (x *Transform) quickDecaysAt(lambda *big.Rat) (out []decay, ok bool) {
	for _, t := range x.terms {
		switch f := t.f.at(coarse).(type) {
		case keptFactor:
			d, quick := f.quickDecay(lambda)
			out, ok = append(out, d), ok || quick
		case *mixture:
			out, ok = append(out, f.quickDecay(lambda, f.moment(doublePrec, lambda), 1)), true
		default:
			out = append(out, f.decay(lambda))
		}
	}
	return out, ok
}

// ratio bounds log(|M(−λ + it)|/M(−λ)) for |t| ∈ [a, b].
func (x *Transform) ratio(decays []decay, a, b float64) float64 {
	var y double.Interval
	for i, t := range x.terms {
		y = y.Add(double.Int(t.count).Mul(double.Point(decays[i](a, b))))
	}
	return y.Hi
}

// bounds holds the distances between the sum of invert and d(ε), for one ε.
type bounds struct {
	left   interval.Interval // an upper bound of the terms m < 0 of (1)
	shrink interval.Interval // d(ε) is at most this times S
	right  interval.Interval // an upper bound of the terms m > 0 of (1)
	cut    interval.Interval // an upper bound of the modulus of the terms j that the sum leaves out
}

// invert returns an enclosure of d(ε).
func (l *line) invert(ctx context.Context, eps interval.Interval) (interval.Interval, error) {
	s, err := l.sum(ctx, eps)
	if err != nil {
		return interval.Interval{}, err
	}
	w := l.prec
	b := l.bounds(eps)
	cut := interval.Union(b.cut.Neg(), b.cut)
	s = w.Add(s, cut)
	off := w.Add(b.left, b.right)
	lower, upper := w.Sub(s, off), w.Mul(s, b.shrink)
	if l.taper != nil {
		upper = w.Add(s, off) // they may have either sign
	}
	lo, hi := lower.Lo(), upper.Hi()
	if lo.Sign() < 0 {
		lo = new(big.Float)
	}
	return interval.Bounds(lo, hi), nil
}

// bounds returns the bounds for one ε. They are infinite where a taper is for other ε.
func (l *line) bounds(eps interval.Interval) bounds {
	w := l.prec
	left, shrink := aliases.Left(w, l.finite, l.lambda, l.period)
	if t := l.taper; t != nil {
		if eps.LessRat(t.first) != interval.False || eps.LessEqRat(t.last) != interval.True {
			return bounds{left: interval.PosInf()}
		}
		step := w.Rat(l.lambda)
		left = w.Add(w.Mul(left, t.Spread(w, step)), t.Blur(w, l.lambda, t.Rectangle))
		right := aliases.Right(w, l.markov, l.lambda, l.kappa, l.period, eps)
		end := w.Mul(w.Mul(l.afterFar, w.Exp(w.Mul(step, eps).Neg())), t.Cut(w, l.step(w), l.far))
		return bounds{
			left: upper(left), right: upper(w.Mul(right, t.Spread(w, w.Sub(w.Rat(l.kappa), step)))),
			cut: w.Add(aliases.LeftOut(w, l.between, l.lambda, l.period, eps), end),
		}
	}
	return bounds{
		left: left, shrink: shrink,
		right: aliases.Right(w, l.markov, l.lambda, l.kappa, l.period, eps),
		cut: w.Add(
			aliases.LeftOut(w, l.between, l.lambda, l.period, eps),
			aliases.Truncation(w, l.afterFar, l.lambda, l.step(w), l.far, eps)),
	}
}

// sum encloses (1/T)·Σ_{|j|≤n} e^{s_j ε}·M(s_j)/(s_j(s_j − 1)).
//
// M(s̄) is the conjugate of M(s), so this is real: the term j = 0 plus twice the real parts of the others.
func (l *line) sum(ctx context.Context, eps interval.Interval) (interval.Interval, error) {
	w := l.prec
	v := w + 32
	scale := w.Div(w.Exp(v.Mul(v.Rat(l.lambda), eps).Neg()), w.Rat(l.period))
	if l.series != nil {
		turn, ok := quadrature.Turn(interval.Prec(256).Div(eps, interval.Prec(256).Rat(l.period)))
		if !ok {
			return interval.Entire(), nil
		}
		return w.Mul(l.series.At(turn), scale), nil
	}
	values := l.values
	if l.words != nil {
		y, err := l.wordSum(ctx, words.Mul(fixed.FromInterval(l.step(224)), fixed.FromInterval(eps)))
		if err != nil || y.Known() {
			return w.Mul(y.Interval(), scale), err
		}
		for _, z := range l.words { // ε is not known well enough
			values = append(values, w.RoundC(z.Interval()))
		}
	}
	sum, err := quadrature.Turned(ctx, w, v.Mul(l.step(v), eps), values)
	return w.Mul(sum, scale), err
}
