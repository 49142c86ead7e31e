// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package inversion computes privacy profiles by certified Laplace inversion of the
// moment transform, to any number of digits.
//
// For a pair (P, Q) with loss L = log dP/dQ let M(s) = Σ_{p,q>0} p^{1−s}q^s = E_P[e^{−sL}; L finite] and
// d(ε) = E_P[(1 − e^{ε−L})₊; L finite], so that δ(ε) = d(ε) + P(L = ∞). For Re s < 0,
//
//	∫ e^{−sε}·d(ε) dε = M(s)/(s(s − 1)),
//
// because ∫_{−∞}^L e^{−sε}(1 − e^{ε−L}) dε = e^{−sL}·(−1/s + 1/(s−1)). With s_j = −λ + ijh, λ > 0 and T =
// 2π/h, Poisson's summation formula for the function e^{λε}·d(ε), which is continuous and
// falls exponentially on both sides, and whose Fourier transform M(s)/(s(s−1)) is summable,
// says
//
//	S := (1/T)·Σ_{j∈ℤ} e^{s_j ε}·M(s_j)/(s_j(s_j − 1)) = Σ_{m∈ℤ} e^{λmT}·d(ε + mT)    (1)
//
// [Zhu, Dong & Wang 2022, Algorithm 1 and Chourasia et al. 2024, (37), made rigorous]. The
// transform of a product is the product of the transforms. What separates a computed
// sum from d(ε) is bounded in four lemmas, see bounds.go: the terms m < 0 of (1), those m > 0, the
// terms of the sum that are left out, and what M is known to, by enclosures.
package inversion

import (
	"context"
	"math"
	"math/big"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Transform is the moment transform of a product of pairs. It may be used by several
// goroutines.
type Transform struct {
	memo      *Memo
	terms     []term
	limited   bool          // see Limited
	falls     bool          // |M| is known to fall fast
	cut       bool          // there are truncated Gaussians
	continued *continuation // nil if it is not known
	quantum   int           // ε is rounded to multiples of 2^quantum to choose a line, or of less
	inWords   bool          // λ is chosen so that words do
	mirror    *Transform    // of the reverse, or nil

	mu             sync.Mutex
	neighbourhoods map[neighbourhoodKey]neighbourhood
	lines          map[lineKey]*line
	mirrored       map[lineKey]interval.Prec // bits more that the reverse takes, 0 where it is not asked
	chosen         map[lineKey]choice
}

type term struct {
	f     factor
	count int64
}

type lineKey struct {
	p  interval.Prec
	at neighbourhoodKey
}

// New returns the transform of a product, and reports false if a factor's transform is
// not known, or if neither |M| of the product is known to fall fast along vertical lines nor d to be analytic. A nil Memo is for
// one product, any other one for several that share factors.
func (m *Memo) New(prod pair.Product) (*Transform, bool) {
	x, ok := m.newTransform(prod)
	if !ok {
		return nil, false
	}
	x.quantum = x.chooseQuantum()
	x.mirror = x.newMirror(prod)
	return x, true
}

// Applies reports whether New will return a transform, at little cost.
func (m *Memo) Applies(prod pair.Product) bool {
	_, ok := m.newTransform(prod)
	return ok
}

// Integrals counts the factors whose transform is an integral, which makes a line costly.
func Integrals(prod pair.Product) int {
	n := 0
	for _, t := range prod {
		if _, ok := newMixture(t.Pair); ok {
			n++
		}
	}
	return n
}

func (m *Memo) newTransform(prod pair.Product) (*Transform, bool) {
	x := &Transform{memo: m, neighbourhoods: make(map[neighbourhoodKey]neighbourhood), lines: make(map[lineKey]*line)}
	for _, t := range prod {
		f, ok := m.factor(t.Pair)
		if !ok {
			return nil, false
		}
		x.terms = append(x.terms, term{f, t.Count})
	}
	x.falls, x.limited = x.decays()
	x.continued = x.newContinuation()
	x.inWords = x.continued != nil && x.continued.reversed
	return x, x.falls || x.continued.tapers()
}

// leastCopies is the number of copies of a mixture of Gaussians from which on its |M| falls
// fast: |M| of one copy falls faster than any power of t, but late, and where the loss
// has a stationary point, like 1/√t. |M| of a logistic pair falls like 1/t.
const leastCopies = 16

// leastShifted is that number for mixtures of which |M| is bounded by a shifted line.
const leastShifted = 2

// leastTruncated is that number for truncated Gaussians, where |M| falls like |M| of a Gaussian until what their ends add is left, and
// then like 1/t.
const leastTruncated = 2

// leastFall is the number of bits from which on a fall of |M| is worth a line.
const leastFall = 48

// decays reports whether |M| is known to fall fast: there is a Gaussian factor, or there
// are enough copies of mixtures of Gaussians or of logistic pairs; or enough of Laplace pairs and samples of
// them, whose atoms then hold little of the mass, but limit the fall.
func (x *Transform) decays() (ok, limited bool) {
	var smooth, shifted, cut int64 // copies of pairs without atoms, of mixtures with shifted lines, and of truncated Gaussians
	fall := interval.Int(0)
	atoms := func(s *sampledLaplace, count int64) {
		fall = coarse.Sub(fall, coarse.Mul(interval.Int(count), coarse.Log(s.plateau())))
	}
	for _, t := range x.terms {
		switch f := plain(t.f).(type) {
		case closedForm:
			switch f := f.law.(type) {
			case gaussian:
				return true, false
			case logistic:
				smooth += t.count
			case laplace:
				atoms(f.sampled(), t.count)
			}
		case *mixture:
			if _, ok := f.apart(); ok {
				shifted += t.count
			}
			if f.monotone() {
				smooth += t.count
			}
		case truncated:
			x.cut = true
			cut += t.count
		case *sampledLaplace:
			atoms(f, t.count)
		}
	}
	if cut >= leastTruncated || shifted >= leastShifted {
		return true, false
	}
	if smooth >= leastCopies {
		return true, false
	}
	return coarse.Mul(interval.Int(leastFall), coarse.Ln2()).Less(fall) == interval.True, true
}

// Limited reports whether δ is settled to so many bits only, whatever the precision:
// those by which atoms let |M| fall.
func (x *Transform) Limited() bool { return x.limited }

// Delta returns an enclosure of δ(ε) for any real ε. It is [0, 1] where no parameters of
// moderate cost are found.
//
// Width: about 2^−p relative to δ(ε) if that exceeds 2^−maxScale and ε is given to more
// bits than that; tested, not proved.
func (x *Transform) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	unit := interval.Union(interval.Int(0), one)
	if y, ok := x.beyondEdge(p, eps); ok {
		return y, nil
	}
	if extra, ok := x.mirrors(p, eps(coarse)); ok {
		return x.throughMirror(ctx, p, extra, eps)
	}
	l, err := x.lineAt(ctx, p, eps(coarse))
	if l == nil || err != nil {
		return unit, err
	}
	w := l.prec
	d, err := l.invert(ctx, eps(max(w, l.leastPrec())))
	if err != nil {
		return unit, err
	}
	d = interval.Clamp(w.Add(d, l.infinite), 0, 1)
	if d.Positive() != interval.True {
		d = interval.Min(d, x.Above(eps)) // both are upper bounds
	}
	return (p + guard).Round(d), nil
}

// scaleRat returns r·2^k.
func scaleRat(r *big.Rat, k int) *big.Rat {
	f := new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k)))
	if k < 0 {
		return new(big.Rat).Quo(r, new(big.Rat).SetInt(f))
	}
	return new(big.Rat).Mul(r, new(big.Rat).SetInt(f))
}

// lineAt returns the line for the neighbourhood of ε: the one of the highest precision, up to p, for which there
// are parameters of moderate cost; nil if there is none.
//
// What was made for one precision serves wherever another one comes down to it.
func (x *Transform) lineAt(ctx context.Context, p interval.Prec, eps interval.Interval) (*line, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.around(eps)
	if !ok {
		return nil, nil
	}
	for {
		key := lineKey{p, at.key()}
		l, known := x.lines[key]
		if !known {
			var err error
			if l, err = x.newLineAt(ctx, p, at); err != nil {
				return nil, err
			}
			const most = 64
			if len(x.lines) >= most {
				clear(x.lines)
			}
			x.lines[key] = l
		}
		if l != nil || p <= leastPrec {
			return l, nil
		}
		if x.limited {
			p = max(p-p/4, leastPrec)
		} else {
			p = max(p/2, leastPrec)
		}
	}
}

// leastPrec is the least precision that is tried in place of one at which there is no
// line: atoms keep |M| from falling below any bound.
const leastPrec = 24

// newLineAt returns a line for a neighbourhood and a precision; nil if there are no parameters of moderate
// cost. The parameters rest on an estimate of δ, which may be far too large where a tail of the loss is heavy:
// M(−λ) then says little about the rest. If the line settles fewer bits than asked for, it says how small δ is,
// and the next one is made for that.
func (x *Transform) newLineAt(ctx context.Context, p interval.Prec, at neighbourhood) (*line, error) {
	var l *line
	const attempts = 3
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
		y, err := l.invert(ctx, max(l.prec, l.leastPrec()).Rat(at.last()))
		const tolerable = 6 // bits short
		if err != nil || y.RelativeBits(int(p)) >= int(p)-tolerable || y.Hi().Sign() == 0 {
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

// A line is the transform along Re s = −λ, ready to be inverted.
type line struct {
	parameters
	values   []interval.Complex // M(s_j)/(s_j(s_j − 1)), j = 0 … n, times W(jh) of a taper,
	words    []fixed.Complex    // or the same in words
	finite   interval.Interval  // an upper bound of d, as d ≤ P(L finite)
	between  interval.Interval  // an upper bound of 2·Σ|M(s_j)/(s_j(s_j − 1))| over n < j ≤ far, and of distances of words
	beyond   interval.Interval  // an upper bound of |M(−λ + it)| for |t| ≥ far·h, or of M(−λ) where there is a taper
	markov   interval.Interval  // an upper bound of M(−λ′)
	infinite interval.Interval  // P(L = ∞), and outcomes left out
}

// n is the index of the last value.
func (l *line) n() int { return max(len(l.values), len(l.words)) - 1 }

// leastPrec is the precision that ε is to be known with.
func (l *line) leastPrec() interval.Prec {
	if l.words != nil {
		return 224
	}
	return 0
}

// newLine evaluates the transform. It returns nil if a factor has no line of moderate cost.
//
// Outcomes of a product with a factor that its transform leaves out have the P-mass Σ count·lost
// at most, and add at most that to δ. All others are in d, or have a factor of infinite loss:
// the P-mass of these is m∞ = 1 − Π(1 − inf)^count, also but for those with a factor left out.
// So δ(ε) lies within Σ count·lost of d(ε) + m∞.
func (x *Transform) newLine(ctx context.Context, c parameters) (*line, error) {
	if !c.valid() {
		return nil, nil
	}
	w := c.prec
	l := &line{parameters: c, finite: one, markov: one}
	base := one
	factors := make([]factor, len(x.terms))
	for i, t := range x.terms {
		f := t.f.at(w)
		factors[i] = f
		base = coarse.Mul(base, coarse.PowInt(f.moment(rough, c.lambda), t.count))
		l.markov = upper(coarse.Mul(l.markov, coarse.PowInt(f.moment(rough, c.farther), t.count)))
	}
	inf, lost := infiniteOf(w, x.terms, factors)
	l.infinite = w.Add(inf, interval.Union(lost.Neg(), lost))
	n, between := x.length(c, factors)
	n = x.memo.length(n, c.far) // what is between is counted twice
	l.between = upper(coarse.Mul(base, between))
	l.beyond = upper(base)
	if c.taper == nil {
		l.beyond = upper(coarse.Mul(base, coarse.Exp(double.Point(x.fall(c)).Exact())))
	}
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
	if l.values, err = x.values(ctx, c, factors, n); l.values == nil || err != nil {
		return nil, err
	}
	return l, nil
}

// values encloses M(s_j)/(s_j(s_j − 1)), j = 0 … n; nil if a factor has no line of moderate cost.
func (x *Transform) values(ctx context.Context, c parameters, factors []factor, n int) ([]interval.Complex, error) {
	w := c.prec
	h := c.step(w + 32)
	product := make([]interval.Complex, n+1)
	for j := range product {
		product[j].Re = one
	}
	for i, t := range x.terms {
		values, err := factors[i].line(ctx, w, c.lambda, h, n)
		if values == nil || err != nil {
			return nil, err
		}
		for j := range product {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			product[j] = w.MulC(product[j], w.PowIntC(values[j], t.count))
		}
	}
	for j := range product {
		s := interval.Complex{Re: w.Rat(c.lambda).Neg(), Im: w.Mul(interval.Int(int64(j)), h)}
		product[j] = w.DivC(product[j], w.MulC(s, w.SubC(s, interval.Complex{Re: one})))
		if c.taper != nil {
			product[j] = w.ScaleC(c.taper.value(w, s.Im), product[j])
		}
	}
	return product, nil
}

// infiniteOf returns the P-mass m∞ of infinite loss of a product of factors, and the one that
// is left out, Σ count·lost.
func infiniteOf(p interval.Prec, terms []term, factors []factor) (inf, lost interval.Interval) {
	for i, t := range terms {
		m, out := factors[i].infinite()
		inf = pair.Union(p, inf, pair.UnionPower(p, m, t.count))
		lost = p.Add(lost, p.Mul(interval.Int(t.count), out))
	}
	return inf, interval.Min(one, upper(lost))
}

// infinite is infiniteOf at a precision.
func (x *Transform) infinite(p interval.Prec) (inf, lost interval.Interval) {
	factors := make([]factor, len(x.terms))
	for i, t := range x.terms {
		factors[i] = t.f.at(p)
	}
	return infiniteOf(p, x.terms, factors)
}

// Above returns an upper bound of δ(ε), at little cost: by Markov's inequality, see markov, for the
// λ at which it is least, about, and the mass of infinite loss and of what is left out.
func (x *Transform) Above(eps interval.Real) interval.Interval {
	if y, ok := x.beyondEdge(coarse, eps); ok {
		return upper(y)
	}
	e := eps(coarse)
	_, saddle, ok := x.roughDelta(double.Of(e).Mid())
	if !ok || !e.IsFinite() {
		return one
	}
	lambda := shortBelow(saddle)
	moment := one
	for _, t := range x.terms {
		moment = coarse.Mul(moment, coarse.PowInt(t.f.at(coarse).moment(rough, lambda), t.count))
	}
	inf, lost := x.infinite(coarse)
	return interval.Min(one, upper(coarse.Add(markov(coarse, upper(moment), lambda, e), coarse.Add(inf, lost))))
}

// length returns how many values a line keeps, and an upper bound of 2·Σ|M(s_j)/(s_j(s_j − 1))|/M(−λ) over
// those from there to far: n is the least for which that is e^−tail·T.
//
// For s = −λ + it, |s(s − 1)|² = (λ² + t²)·((λ+1)² + t²) ≥ (λ(λ+1) + t²)².
func (x *Transform) length(c parameters, factors []factor) (n int, between interval.Interval) {
	h, l := double.Of(c.step(coarse)), double.Of(coarse.Rat(c.lambda))
	logs := make([]double.Interval, c.far+1)
	for i, t := range x.terms {
		for j, y := range factors[i].sizes(c.lambda, h, c.far) {
			logs[j] = logs[j].Add(double.Int(t.count).Mul(double.Point(y)))
		}
	}
	least := l.Mul(l.Add(double.Int(1)))
	for j := range logs {
		t := h.Mul(double.Int(int64(j)))
		logs[j] = logs[j].Sub(t.Sqr().Add(least).Log())
		if c.taper != nil {
			logs[j] = logs[j].Add(c.taper.logSize(t))
		}
	}
	goal := -c.tail + double.Log64(float64Of(c.period)/2)
	share := 0.0 // of e^goal
	for n = c.far; n > 1; n-- {
		if share += double.Exp64(logs[n].Hi - goal); !(share <= 1) {
			break
		}
	}
	if n == c.far {
		return n, interval.Int(0)
	}
	sum := logSum(logs[n+1:]).Add(double.Int(2).Log())
	return n, upper(coarse.Exp(sum.Upper().Exact()))
}

// fall bounds log(|M(−λ + it)|/M(−λ)) for |t| ≥ far·h: on the segments of c and beyond them.
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

func (x *Transform) decaysAt(lambda *big.Rat) []decay {
	out := make([]decay, len(x.terms))
	for i, t := range x.terms {
		out[i] = t.f.at(coarse).decay(lambda)
	}
	return out
}

// ratio bounds log(|M(−λ + it)|/M(−λ)) for |t| ∈ [a, b].
func (x *Transform) ratio(decays []decay, a, b float64) float64 {
	var y double.Interval
	for i, t := range x.terms {
		y = y.Add(double.Int(t.count).Mul(double.Point(decays[i](a, b))))
	}
	return y.Hi
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
	aliases := w.Add(b.left, b.right)
	lower, upper := w.Sub(s, aliases), w.Mul(s, b.shrink)
	if l.taper != nil {
		upper = w.Add(s, aliases) // they may have either sign
	}
	lo, hi := lower.Lo(), upper.Hi()
	if lo.Sign() < 0 {
		lo = new(big.Float)
	}
	return interval.Bounds(lo, hi), nil
}

// sum encloses (1/T)·Σ_{|j|≤n} e^{s_j ε}·M(s_j)/(s_j(s_j − 1)). M(s̄) is the conjugate of M(s), so this is
// real: the term j = 0 plus twice the real parts of the others.
//
// The rotations e^{ijhε} are products of two from short tables.
func (l *line) sum(ctx context.Context, eps interval.Interval) (interval.Interval, error) {
	w := l.prec
	v := w + 32
	scale := w.Div(w.Exp(v.Mul(v.Rat(l.lambda), eps).Neg()), w.Rat(l.period))
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
	theta := v.Mul(l.step(v), eps)
	const block = 64
	var small [block]interval.Complex
	for j := range small {
		small[j] = w.ExpI(v.Mul(interval.Int(int64(j)), theta))
	}
	sum := interval.Int(0)
	var far interval.Complex
	for j := l.n(); j > 0; j-- {
		if j%block == block-1 || j == l.n() {
			if err := ctx.Err(); err != nil {
				return sum, err
			}
			far = w.ExpI(v.Mul(interval.Int(int64(j/block*block)), theta))
		}
		sum = w.Add(sum, w.MulC(w.MulC(far, small[j%block]), values[j]).Re)
	}
	return w.Mul(w.Add(w.Scale(sum, 1), values[0].Re), scale), nil
}
