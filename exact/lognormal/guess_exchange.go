// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"math"
	"math/big"
	"math/bits"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// An outer rule is the trapezoidal rule for f, and inner the one for φ.
type outer struct {
	strip, step float64 // Θ and h
	first, last int64   // nodes are jh
	order       int     // M
	taylor      int     // L, or 0 where aliases are not of many terms
	lift        float64 // the angle by which Φ is bounded on the right
	inner       inner
	cut         float64 // c
	w           interval.Prec
	bits        interval.Prec // what it was chosen for,
	top, least  float64       // and the greatest |ε|, which was the least there is or more
}

type inner struct {
	angle    int64 // ψ in units of π/32
	step     float64
	up, down float64 // a and b at most
	far      int64   // nodes are from −far·η to far·η: n
}

// angles is how many units of an angle are π.
const angles = 32

// widest is next to π/2.
const widest = 1.57

// maxExchange bounds how many products of nodes a price takes.
const maxExchange = 1 << 21

// chooseOuter finds rules for an error of about 2^−wanted of the price of one term, for |ε| and more; it reports false
// where they would be long.
func chooseOuter(square *big.Rat, terms int64, wanted interval.Prec, eps interval.Interval) (outer, bool) {
	mu2, t := number.Float64(square), float64(terms)
	mu := math.Sqrt(mu2)
	o, size := outer{order: 1, bits: (wanted + 15) / 16 * 16, least: leastTop}, double.Of(eps).Hi
	for o.least > 8*mu/math.Sqrt(t) {
		o.least /= 4
	}
	o.top = o.least
	for o.top < size && o.top < maxTop {
		if o.top *= 2; o.top < 1 {
			o.top *= 2
		}
	}
	g, need := math.Exp(o.top), float64(o.bits)*math.Ln2+2
	if !(mu2 > 1e-6 && mu2 < 300) || o.top < size || t > 1<<40 {
		return outer{}, false
	}
	kappa := (o.top - mu2) / 2 // its logarithm
	second := math.Exp(mu2)*(1+g*g) + 2*g*math.Exp(-mu2) + (t-1)*(1+g)*(1+g)
	log := math.Log(t*second) / 2
	for strip := widest; strip > 1e-6; strip /= 1.1 {
		turn := t * strip * strip / (2 * mu2)
		if step := 2 * math.Pi * strip / (need + turn + log + 3); step > o.step {
			o.strip, o.step = strip, step
		}
	}
	end := math.Inf(1)
	for psi := widest; psi > 1e-6; psi /= 1.1 {
		if u := (need + max(kappa, 0) + t*psi*psi/(2*mu2) + 2) / (2 * t * math.Sin(psi)); u < end {
			o.lift, end = psi, u
		}
	}
	start := math.Inf(-1)
	moments := newSeries[fixed.Real](fixed.InWords{}, wordBits+72, square, maxOrder).moments(double.Exactly(o.top), terms)
	for m := 1; m <= maxOrder; m++ {
		size := double.Of(low.Log(moments[2*m].Interval())).Mid()
		if y := (-need - kappa - size - 2) / float64(2*m-1); y > start {
			o.order, start = m, y
		}
	}
	o.manyTerms(mu2, t, need, kappa, &end, start, single(square, o.top))
	o.first, o.last = int64(math.Floor(start/o.step)), int64(math.Ceil(math.Log(end)/o.step))
	most := need + kappa - start + math.Log(t) + 4
	o.inner = chooseInner(mu, most, o.top/(2*mu), float64(wordBits+wordGuard-guard-bits.Len64(uint64(terms)))*math.Ln2-2)
	nodes := float64(o.last-o.first+1) * float64(o.inner.far+1)
	if !(nodes > 0 && nodes < maxExchange) || o.inner.far == 0 {
		return outer{}, false
	}
	psi := math.Pi * float64(o.inner.angle) / angles
	o.cut = most + psi*psi/(2*mu2) + 2
	o.w = interval.Prec(o.cut/math.Ln2) + guard
	return o, true
}

// single are about b_k of ofMany at the greatest |ε|.
func single(square *big.Rat, top float64) (b []float64) {
	s := newSeries[fixed.Real](fixed.InWords{}, wordBits+72, square, maxOrder)
	for _, x := range s.moments(double.Exactly(top), 1) {
		b = append(b, double.Of(x.Interval()).Mid())
	}
	return b
}

// manyTerms chooses a wider strip, and a node beyond which less is left, if that takes fewer nodes.
func (o *outer) manyTerms(mu2, t, need, kappa float64, end *float64, start float64, b []float64) {
	need += max(kappa, 0) + 2
	most := (math.Log(*end) - start) / o.step
	b1, b2 := math.Abs(b[1]), b[2]
	for strip := widest / 2; strip > 1e-3; strip /= 1.1 {
		sin, cos, turn := math.Sin(strip), math.Cos(2*strip), math.Exp(min(strip*strip/(2*mu2), 600))
		for u := max(math.Sqrt(need/(t*b2*cos)), *end); ; u *= 1.08 {
			linear, square := u*b1, u*u*b2
			r, order := math.Inf(1), 0
			for l := 2; l <= maxOrder; l++ {
				if y := remainderAbout(b, u, 4*sin*sin, turn, l); y < r {
					r, order = y, l
				}
			}
			over := (linear*linear+square*square)/2 + linear*square*sin + r*math.Exp(linear+square)
			if !(t*over < need) {
				break
			}
			if t*(linear*sin-square*cos+over) > -need-math.Log(strip/u) {
				continue
			}
			g := t * (b1*sin*b1*sin/(4*b2*cos) + over)
			d := b1 + u*(b2+r/(u*u))
			log := math.Log(t*(b2+r/(u*u))+t*(t-1)/2*d*d)/2 + g
			step := 2 * math.Pi * strip / (need + max(log, 0) + 3)
			if nodes := (math.Log(u) - start) / step; nodes < most {
				most, o.strip, o.step, o.taylor, *end = nodes, strip, step, order, u
			}
			break
		}
	}
}

// remainderAbout is about remainder.
func remainderAbout(b []float64, u, s, turn float64, order int) float64 {
	sum, power := 0.0, 1.0
	for k := 1; k <= 2*order; k++ {
		power *= u
		if 3 <= k && k < 2*order {
			sum += power * math.Abs(b[k])
		}
	}
	share, last := 1.0, 0.0
	for j := 0; j <= order; j++ {
		n := order - j
		last += share * b[2*n]
		share *= s * float64(n) / float64((j+1)*max(2*n*(2*n-1), 1))
	}
	return sum + turn*power*last
}

// guard is how many bits are wanted beyond the size of errors.
const guard = 40

// wordGuard is how many of the bits beyond errors words do not need: their squares lose two for each of a power.
const wordGuard = 32

// Tables are for |ε| up to leastTop, or less where that is many standard deviations of X, up to powers of 4 times that
// below 1, or up to powers of 2 to maxTop.
const (
	leastTop = 1.0 / 16
	maxTop   = 256
)

// serves reports whether the rules are for so many bits and |ε|, and not for far more.
func (o outer) serves(bits interval.Prec, eps interval.Interval) bool {
	size := double.Of(eps).Hi
	return o.bits >= bits && o.bits <= bits+64 && o.top >= size && o.top <= max(4*size, o.least)
}

// longest is about the longest step that is off by e^−need, for a strip of width v on a side whose bound is
// e^{(v+shift)²/2}.
func longest(v, shift, need float64) float64 {
	return 2 * math.Pi * v / (need + 3 + (v+shift)*(v+shift)/2)
}

// chooseInner finds the rule for φ that costs least for errors of about e^−need, for normal variables of means up to
// from. Words hold errors of about e^−words.
func chooseInner(mu, need, from, words float64) inner {
	var best inner
	most := math.Inf(1)
	for angle := int64(1); 2*angle <= angles; angle++ {
		psi := math.Pi * float64(angle) / angles
		shift := psi / mu
		r := inner{angle: angle}
		for i := 1; i <= 32; i++ {
			a, b := (math.Pi-psi)/mu*float64(i)/32, shift*float64(i)/32
			if longest(a, shift, need) > longest(r.up, shift, need) {
				r.up = a
			}
			if longest(b, -shift, need) > longest(r.down, -shift, need) {
				r.down = b
			}
		}
		r.step = min(longest(r.up, shift, need), longest(r.down, -shift, need))
		reach := math.Sqrt(2*(need+shift*shift/2)) + 1 + from
		cost := reach / r.step
		if 2*angle == angles {
			cost /= 2 // no waves
		}
		if need+shift*shift/2 > words {
			cost *= 64 // in intervals
		}
		if cost < most && reach/r.step < 1<<14 {
			most = cost
			r.far = int64(math.Ceil(reach / r.step))
			best = r
		}
	}
	return best
}
