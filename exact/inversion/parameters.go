// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"slices"
	"sort"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// parameters of a line. Whatever they are, if valid, the bounds hold; they decide how
// narrow. They are chosen in float64.
type parameters struct {
	lambda, farther *big.Rat      // λ and λ′ > λ, where M(−λ′) bounds the terms m > 0
	period          *big.Rat      // T
	tail            float64       // |M| is to fall to e^−tail·M(−λ)
	far             int           // from the index far on, analytic bounds know that it has
	prec            interval.Prec // working precision
	segments        []float64     // ends of segments of t on which |M| is bounded,
	decays          []decay       // by these
	taper           *taper        // or what cuts the sum off where it has not fallen
}

// valid reports whether the lemmas are about c: (1) is for Re s < 0 only.
func (c parameters) valid() bool {
	return c.lambda.Sign() > 0 && c.farther.Cmp(c.lambda) > 0 && c.period.Sign() > 0 && c.far > 0
}

// step encloses h = 2π/T.
func (c parameters) step(p interval.Prec) interval.Interval {
	return p.Div(p.Scale(p.Pi(), 1), p.Rat(c.period))
}

// Limits on what a line may cost.
const (
	maxTerms   = 1 << 16 // values of M
	maxWorking = 1 << 15 // bits
	// of reverses, whose λ may be as large as a δ is tiny: a bound of little cost does there
	mostReversed = 1 << 11
)

// guard is how many bits below the asked width each error is put.
const guard = 8

// logMoment is about log M(−λ), or no finite number.
func (x *Transform) logMoment(lambda float64) float64 {
	sum := 0.0
	for _, t := range x.terms {
		sum += float64(t.count) * t.f.logMoment(lambda)
	}
	return sum
}

// chooseQuantum returns k with 2^k about the scale of the losses: log M(−1) is the
// variance of a normal loss.
func (x *Transform) chooseQuantum() int {
	v := x.logMoment(1)
	if !(v > 0) || !isNumber(v) {
		return -2
	}
	_, e := math.Frexp(v)
	return min(max(e/2, -24), 8)
}

// A choice is what choose returns.
type choice struct {
	parameters
	ok bool
}

// chooseAt is choose, which is remembered: directions are compared by it before lines are made. x.mu is held.
func (x *Transform) chooseAt(p interval.Prec, at neighbourhood) (parameters, bool) {
	if at.corrected {
		return x.choose(p, at)
	}
	key := lineKey{p, at.key()}
	if c, known := x.chosen[key]; known {
		return c.parameters, c.ok
	}
	c, ok := x.choose(p, at)
	const most = 16 // decays are large
	if x.chosen == nil || len(x.chosen) >= most {
		x.chosen = make(map[lineKey]choice)
	}
	x.chosen[key] = choice{c, ok}
	return c, ok
}

// choose returns parameters for a neighbourhood, with δ near e^logDelta at its end.
//
// With B bits to spare, the left aliases want λT ≥ A = B·log 2 − log δ, and the right ones (λ′ − λ)T ≥ A′ = A + log M(−λ′) −
// λ′ε. So T = (A + A′)/λ′ and λ = A/T for the best λ′: the number of terms grows with T, and
// with the root of the bits that M must fall by, B and those that the sum cancels by,
// log M(−λ) − λε − log δ. Where losses are bounded, λ′ may be so large that there is room to
// choose λ at the saddle point, where nothing cancels.
//
// The larger λ, the more the ends of truncated Gaussians count, where |M| falls slowly: λ is halved until |M| falls early enough.
func (x *Transform) choose(p interval.Prec, at neighbourhood) (parameters, bool) {
	most := math.Inf(1)
	c, ok := x.chooseUpTo(p, at, most)
	if !x.cut {
		return c, ok
	}
	best, known := c, ok
	for range 6 {
		if c.lambda == nil || c.lambda.Sign() <= 0 {
			break
		}
		if most = float64Of(c.lambda) / 2; !(most > 0) {
			break
		}
		if c, ok = x.chooseUpTo(p, at, most); ok && (!known || c.far < best.far) {
			best, known = c, true
		}
	}
	return best, known
}

// chooseUpTo is choose for λ ≤ most.
func (x *Transform) chooseUpTo(p interval.Prec, at neighbourhood, most float64) (parameters, bool) {
	logDelta, saddle := at.logDelta, at.saddle
	e := float64Of(at.first()) // where e^{−λε} is largest
	bits := float64(p+guard) * math.Ln2
	need := bits - logDelta // A
	var c parameters
	var best, cancel, mid float64
	consider := func(farther, period, lambda, other float64) bool {
		if lambda > most {
			if !(farther > most) {
				return false
			}
			lambda, period = most, max(need/most, other/(farther-most))
		}
		if x.memo != nil {
			lambda = float64Of(x.memo.below(lambda))
			period = max(need/lambda, other/(farther-lambda))
		}
		k := x.logMoment(lambda)
		if !isNumber(k) || !(lambda > 0 && period > 0) || !isNumber(lambda*period*farther) {
			return false
		}
		lost := k - lambda*e - logDelta
		cost := period * period * (bits + max(lost, 0))
		if x.inWords {
			cost *= max(1, farther/(4*lambda)) // a taper is as wide as λ′ is large
			if (bits+max(lost, 0))/math.Ln2 > wordBits {
				cost *= 1 << 10
			}
		}
		if c.period == nil || cost < best {
			best, cancel, mid = cost, lost, farther
			c.lambda, c.farther, c.period = x.memo.below(lambda), shortAbove(farther), x.memo.above(period)
			return true
		}
		return false
	}
	try := func(farther float64) bool {
		k := x.logMoment(farther)
		if !isNumber(k) {
			return false
		}
		other := need + k - farther*e // A′
		if !(other > 0) {
			other = 1
		}
		period := (need + other) / farther
		better := consider(farther, period, need/period, other)
		if 2*saddle < farther {
			period = max(other/(farther-saddle), need/saddle)
			better = consider(farther, period, saddle, other) || better
		}
		return better
	}
	// A geometric grid of λ′, and a finer one about the best of it.
	worse := 0
	for i := -6; i <= 40 && worse < 3; i++ {
		if try(math.Ldexp(1, i)) {
			worse = 0
		} else if c.period != nil {
			worse++
		}
	}
	if c.period == nil {
		return c, false
	}
	for center, i := mid, 10; i <= 28; i += 2 {
		try(center * float64(i) / 16)
	}
	// (1) is for Re s < 0 only.
	if c.lambda.Sign() <= 0 || c.farther.Cmp(c.lambda) <= 0 {
		return c, false
	}
	// |M| is to fall by the bits asked for and those cancelled.
	c.tail = x.memo.nats(bits + max(cancel, 0))
	working := c.tail / math.Ln2
	if !(working < maxWorking) || x.inWords && working > mostReversed {
		return c, false
	}
	c.prec = interval.Prec(working) + 24
	for _, t := range x.terms {
		c.prec = max(c.prec, interval.Prec(working)+24+interval.Prec(2*bitLen(t.count)))
	}
	c.prec = x.memo.prec(c.prec)
	t, end, tapered := x.chooseTaper(c, at, bits)
	terms := math.Inf(1)
	if tapered {
		terms = end / double.Of(c.step(coarse)).Lo
	}
	if x.falls {
		c.decays = x.decaysAt(c.lambda)
		if x.chooseFar(&c, min(terms, maxTerms)) {
			return c, true
		}
	}
	if !(terms < maxTerms) {
		return c, false
	}
	c.taper, c.far = t, x.memo.length(int(terms)+2, maxTerms+1)
	return c, true
}

func bitLen(n int64) int {
	k := 0
	for ; n > 0; n >>= 1 {
		k++
	}
	return k
}

// shortBelow returns a number just below x, of 10 bits.
func shortBelow(x float64) *big.Rat { return short(x, 10, math.Floor) }

// shortAbove returns a number just above x, of 10 bits.
func shortAbove(x float64) *big.Rat { return short(x, 10, math.Ceil) }

// short rounds the mantissa of x to some bits.
func short(x float64, bits int, round func(float64) float64) *big.Rat {
	m, e := math.Frexp(x)
	return scaleRat(new(big.Rat).SetInt64(int64(round(math.Ldexp(m, bits)))), e-bits)
}

// roughDelta returns a number below log d(ε), but not by much: by the saddle point method, d is
// about the least e^{log M(−λ) − λε} over a polynomial in λ. It is at most 0, as log d is, which
// the least over some λ > 0 need not be.
//
// The λ of the least value is the saddle point, about.
func (x *Transform) roughDelta(eps float64) (logDelta, saddle float64, ok bool) {
	return leastDelta(x, eps)
}

// leastDelta is roughDelta by a law in float64.
func leastDelta(law floatLaw, eps float64) (logDelta, saddle float64, ok bool) {
	best, at, ok := leastMoment(law, eps)
	if !ok {
		return 0, 0, false
	}
	log := double.Log64(at + 2)
	margin := min(2*(log+2), log+10) // λ is 1 over the losses' scale, about, where it is large
	return min(best-margin, 0), at, true
}

// leastMoment returns about the least log M(−λ) − λε over λ > 0, and the λ of that.
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
	for i, worse := -10, 0; i <= 40 && worse < 2; i++ {
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

// chooseFar chooses an index from which on |M(−λ + it)| is below e^{−tail}·M(−λ) by its decays, and segments
// on which that is shown. It reports false if there are more terms before than a limit.
func (x *Transform) chooseFar(c *parameters, most float64) bool {
	h := double.Of(c.step(coarse)).Mid()
	enough := func(a, b float64) bool { return x.ratio(c.decays, a, b) < -c.tail }
	// t rises by factors 17/16. What is known of all beyond it falls, so that the first t beyond which |M| is small is found by halving; W is the end
	// of the last segment before on which it is not known to be.
	const grow, end = 17.0 / 16, 0x1p200
	ts := []float64{h / 2}
	for t := h / 2; t <= end; {
		t *= grow
		ts = append(ts, t)
	}
	k := sort.Search(len(ts), func(i int) bool { return enough(ts[i], math.Inf(1)) })
	if k == len(ts) {
		return false
	}
	w := ts[0]
	for ; k > 0; k-- {
		if !enough(ts[k-1], ts[k]) {
			w = ts[k]
			break
		}
		c.segments = append(c.segments, ts[k])
	}
	slices.Reverse(c.segments)
	if w > most*h {
		c.segments = nil
		return false
	}
	c.far = x.memo.length(int(w/h)+2, maxTerms+2)
	return true
}
