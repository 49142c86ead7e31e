// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/likely"
	"dpverify/exact/inversion/remembered"
)

// chooseQuantum returns k with 2^k near the scale of the losses: log M(−1) is the variance of a normal loss.
func (x *Transform) chooseQuantum() int {
	const unknown, finest, widest = -2, -24, 8
	v := x.logMoment(1)
	if !(v > 0) || !isNumber(v) {
		return unknown
	}
	_, e := math.Frexp(v)
	if x.heldByAtoms() || x.littleNoise() {
		e -= 8 // |M| falls by so little, of atoms or few hits, that nothing is to cancel
	}
	return min(max(e/2, finest), widest)
}

// littleNoise reports whether all factors are samples whose hits are far from misses.
func (x *Transform) littleNoise() bool {
	return !slices.ContainsFunc(x.terms, func(t term) bool {
		m, ok := plain(t.f).(*mixture)
		return !ok || m.farthest().Hi < 3
	})
}

// maxChoices bounds the choices that are remembered, whose decays are large.
const maxChoices = 16

// chooseAt is choose with a memory: directions are compared by their parameters before lines are made. x.mu is held.
func (x *Transform) chooseAt(p interval.Prec, at neighbourhood) (parameters, bool) {
	if at.corrected {
		return x.choose(p, at)
	}
	c, _ := remembered.Of(&x.chosen, lineKey{p, at.key(), at.inDouble}, maxChoices, func() (tried[parameters], error) {
		c, ok := x.choose(p, at)
		return tried[parameters]{c, ok}, nil
	})
	return c.value, c.ok
}

// choose returns parameters for a neighbourhood, with δ near e^logDelta at its end.
//
// The larger λ, the more the ends of truncated Gaussians count, where |M| falls slowly.
// So λ is halved until |M| falls early enough.
func (x *Transform) choose(p interval.Prec, at neighbourhood) (parameters, bool) {
	const halvings = 6
	best, known := x.chooseUpTo(p, at, math.Inf(1))
	for c, i := best, 0; i < halvings && x.truncates && c.lambda != nil; i++ {
		maxLambda := double.Near(c.lambda) / 2
		if !(maxLambda > 0) {
			break
		}
		var ok bool
		if c, ok = x.chooseUpTo(p, at, maxLambda); ok && (!known || c.far < best.far) {
			best, known = c, true
		}
	}
	return best, known
}

// A search looks for the λ, κ and T of a line in float64.
//
// With B bits to spare, the left aliases want λT ≥ A = B·log 2 − log δ.
// The right aliases want (κ − λ)T ≥ A′ = A + log M(−κ) − κε.
// So T = (A + A′)/κ and λ = A/T, for the best κ.
//
// The number of terms grows with T and with the root of the bits that M must fall by.
// These are B and the bits that the sum cancels by, log M(−λ) − λε − log δ.
// Where losses are bounded, κ may be so large that λ can be chosen at the saddle point, where nothing cancels.
type search struct {
	*Transform
	eps              float64 // the first ε of the neighbourhood, where e^{−λε} is largest
	logDelta, saddle float64 // of the neighbourhood
	nats, need       float64 // B·log 2, and A
	inDouble         bool
	maxLambda        float64 // no λ is larger

	found     parameters // the best so far: its λ, κ and T, which are nil if there is none
	cost      float64    // of it, in proportion to its work
	cancelled float64    // the nats that its sum cancels by
	kappa     float64    // its κ before it was rounded
}

// chooseUpTo is choose for λ ≤ maxLambda.
func (x *Transform) chooseUpTo(p interval.Prec, at neighbourhood, maxLambda float64) (parameters, bool) {
	nats := float64(p+guard) * math.Ln2
	s := &search{
		Transform: x, eps: double.Near(at.first()), logDelta: at.logDelta, saddle: at.saddle,
		nats: nats, need: nats - at.logDelta, maxLambda: maxLambda, inDouble: at.inDouble,
	}
	c, ok := s.run(3, at)
	if !s.inDouble && !(ok && c.far < fewTerms) { // far beyond there may be another one
		if d, short := s.run(40, at); short && !(ok && c.far <= d.far) {
			return d, true
		}
	}
	return c, ok
}

// fewTerms is the number of terms of a line that takes next to no time.
const fewTerms = 1 << 12

// run tries a geometric grid of κ, of which so many may be worse one after the other, and a finer one about the best
// of it.
func (s *search) run(patience int, at neighbourhood) (parameters, bool) {
	const first, last = -6, 40 // powers of 2
	worse := 0
	for i := first; i <= last && worse < patience; i++ {
		if s.try(math.Ldexp(1, i)) {
			worse = 0
		} else if s.found.period != nil {
			worse++
		}
	}
	for center, i := s.kappa, 10; s.found.period != nil && i <= 28; i += 2 {
		s.try(center * float64(i) / 16)
	}
	if s.found.period == nil || !s.found.ordered() {
		return s.found, false
	}
	return s.end(at)
}

// try offers the lines of one κ, and reports whether one of them is the best so far.
func (s *search) try(kappa float64) bool {
	k := s.logMoment(kappa)
	if !isNumber(k) {
		return false
	}
	right := s.need + k - kappa*s.eps // A′
	if !(right > 0) {
		right = 1
	}
	period := (s.need + right) / kappa
	better := s.offer(kappa, period, s.need/period, right)
	if 2*s.saddle < kappa {
		period = max(right/(kappa-s.saddle), s.need/s.saddle)
		better = s.offer(kappa, period, s.saddle, right) || better
	}
	return better
}

// offer takes a line if it costs less than the best so far, and reports whether it did.
func (s *search) offer(kappa, period, lambda, right float64) bool {
	if lambda > s.maxLambda {
		if !(kappa > s.maxLambda) {
			return false
		}
		lambda, period = s.maxLambda, max(s.need/s.maxLambda, right/(kappa-s.maxLambda))
	}
	if s.memo != nil {
		lambda = likely.Rounded(lambda, keptBits, math.Floor) // as s.memo.below does
		period = max(s.need/lambda, right/(kappa-lambda))
	}
	if s.found.period != nil && !(float64(period*period)*s.nats < s.cost) {
		return false // costOf is at least that
	}
	k := s.logMoment(lambda)
	if !isNumber(k) || !(lambda > 0 && period > 0) || !isNumber(lambda*period*kappa) {
		return false
	}
	lost := k - lambda*s.eps - s.logDelta
	cost := s.costOf(lambda, kappa, period, s.nats+max(lost, 0))
	if s.inDouble || s.heldByAtoms() {
		cost *= double.Exp64(max(0, lost-freeNats) / 2) // it has no bits to spare, or |M| no fall
	}
	if s.found.period != nil && !(cost < s.cost) {
		return false
	}
	s.cost, s.cancelled, s.kappa = cost, lost, kappa
	s.found.lambda, s.found.kappa, s.found.period = s.memo.below(lambda), likely.Above(kappa), s.memo.above(period)
	return true
}

// freeNats may be cancelled by a sum in double precision.
const freeNats = 4

// What is left out beyond t is at most |M|/(πt): where a line ends at π·t = e^less, |M| may fall by so much less, up to
// mostFree. Where that does not suffice, it falls by fewerNats less than wanted: a value then has a few bits fewer.
const (
	mostFree  = 12
	fewerNats = 6
)

// costOf estimates the cost of a line on which |M| has to fall by so many nats.
func (s *search) costOf(lambda, kappa, period, nats float64) float64 {
	const (
		free        = 4       // a κ of so many λ makes no taper wider
		beyondWords = 1 << 10 // how much more a line costs that words cannot hold
	)
	cost := period * period * nats
	if s.inWords {
		cost *= max(1, kappa/(free*lambda)) // a taper is as wide as κ is large
		if nats/math.Ln2 > wordBits {
			cost *= beyondWords
		}
	}
	return cost
}

// end chooses the working precision and where the line ends:
// |M| is to fall by the bits asked for and by those cancelled.
func (s *search) end(at neighbourhood) (parameters, bool) {
	const spare = 24 // bits
	c := s.found
	c.tail = s.nats + max(s.cancelled, 0)
	if !s.littleNoise() && s.memo != nil {
		c.tail = math.Ceil(c.tail/(16*math.Ln2)) * (16 * math.Ln2) // whole words of 16 bits
	}
	working := c.tail / math.Ln2
	if !(working < maxWorking) || s.inWords && working > max(maxReversedWorking, 2*s.nats/math.Ln2) {
		return c, false
	}
	c.prec = interval.Prec(working) + spare
	for _, t := range s.terms {
		c.prec = max(c.prec, interval.Prec(working)+spare+interval.Prec(2*bits.Len64(uint64(t.count))))
	}
	c.prec = s.memo.prec(c.prec)
	var quick []decay
	ok := false
	if s.falls {
		if s.heldByAtoms() && s.logAtoms(c.lambda) > mostFree+fewerNats-c.tail {
			return c, false
		}
		quick, ok = s.quickDecaysAt(c.lambda)
	}
	if c.decays = quick; ok && s.chooseFar(&c, maxDirectTerms, 0) {
		return c, true // no taper is worth its cost
	}
	t, end, tapered := s.newTaper(c, at, s.nats)
	terms := math.Inf(1)
	if tapered {
		terms = end / double.Of(c.step(coarse)).Lo
	}
	if s.falls {
		direct := float64(maxDirectTerms) // up to which a line is not compared with others
		if s.inDouble {
			direct = 1 << 11
		}
		if ok && s.chooseFar(&c, min(terms, direct), 0) {
			return c, true
		}
		if ok {
			c.decays = s.decaysAt(c.lambda)
		}
		free := []float64{0} // how much less |M| may fall
		switch {
		case s.heldByAtoms():
			free = []float64{0, 3, 6, 9, mostFree}
		case s.littleNoise():
			free = []float64{0, 3}
		}
		for _, less := range free {
			if s.chooseFar(&c, min(terms, maxTerms), less) {
				return c, true
			}
		}
		if s.heldByAtoms() {
			if c.tail -= fewerNats; s.chooseFar(&c, min(terms, maxTerms), mostFree) {
				return c, true
			}
		}
	}
	if !(terms < maxTerms) {
		return c, false
	}
	c.taper, c.far = t, s.memo.length(int(terms)+2, maxTerms+1)
	return c, true
}

// chooseFar chooses an index from which on |M(−λ + it)| is below e^{−tail}·M(−λ) by its decays,
// and segments on which that is shown. It reports false if there are more terms before than a limit.
// Where π·t is e^less, |M| may fall by so much less.
func (x *Transform) chooseFar(c *parameters, limit, less float64) bool {
	h := double.Of(c.step(coarse)).Mid()
	enough := func(a, b float64) bool { return x.ratio(c.decays, a, b) < less-c.tail }
	// t rises by factors 17/16. The bound for all beyond t falls with t.
	// So the first t beyond which |M| is small is found by halving.
	// w is the end of the last segment before it on which |M| is not known to be small.
	const grow, end = 17.0 / 16, 0x1p200
	ts := append(make([]float64, 0, 256), h/2)
	beyond := func(i int) bool {
		for i >= len(ts) {
			ts = append(ts, ts[len(ts)-1]*grow)
		}
		return enough(ts[i], math.Inf(1))
	}
	from, to := 0, 32 // it is not before ts[from]
	for ; !beyond(to); to *= 2 {
		if from = to + 1; !(ts[to] <= end) {
			return false
		}
	}
	k := from + sort.Search(to-from, func(i int) bool { return beyond(from + i) })
	w := ts[0]
	for ; k > 0; k-- {
		if !enough(ts[k-1], ts[k]) {
			w = ts[k]
			break
		}
		c.segments = append(c.segments, ts[k])
	}
	slices.Reverse(c.segments)
	if less > 0 {
		w = max(w, double.Exp64(less)/math.Pi)
	}
	if w > limit*h {
		c.segments = nil
		return false
	}
	c.far = x.memo.length(int(w/h)+2, maxTerms+2)
	return true
}
