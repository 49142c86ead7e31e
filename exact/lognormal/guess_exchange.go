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
	lift        float64 // the angle by which Φ is bounded on the right
	inner       inner
	cut         float64 // c
	w           interval.Prec
	bits        interval.Prec // what it was chosen for,
	top         float64       // and the greatest |ε|
}

type inner struct {
	angle    int64 // ψ in units of π/32
	step     float64
	up, down float64 // a and b at most
	far      int64   // nodes are from −far·η to far·η: n
}

// angles is how many units of an angle are π.
const angles = 32

// maxExchange bounds how many products of nodes a price takes.
const maxExchange = 1 << 21

// chooseOuter finds rules for an error of about 2^−wanted of the price of one term, for |ε| and more; it reports false
// where they would be long.
func chooseOuter(square *big.Rat, terms int64, wanted interval.Prec, eps interval.Interval) (outer, bool) {
	o, size := outer{order: 1, bits: (wanted + 15) / 16 * 16, top: leastTop}, double.Of(eps).Hi
	for o.top < size && o.top < maxTop {
		if o.top *= 2; o.top < 1 {
			o.top *= 2
		}
	}
	mu2, t, g := number.Float64(square), float64(terms), math.Exp(o.top)
	mu, need := math.Sqrt(mu2), float64(o.bits)*math.Ln2+2
	if !(mu2 > 1e-6 && mu2 < 300) || o.top < size || t > 1<<40 {
		return outer{}, false
	}
	kappa := (o.top - mu2) / 2 // its logarithm
	second := math.Exp(mu2)*(1+g*g) + 2*g*math.Exp(-mu2) + (t-1)*(1+g)*(1+g)
	log := math.Log(t*second) / 2
	for i := 1; i <= 40; i++ {
		strip := 1.57 * float64(i) / 40
		turn := t * strip * strip / (2 * mu2)
		if step := 2 * math.Pi * strip / (need + turn + log + 3); step > o.step {
			o.strip, o.step = strip, step
		}
	}
	end := math.Inf(1)
	for i := 1; i <= 40; i++ {
		psi := 1.57 * float64(i) / 40
		if u := (need + max(kappa, 0) + t*psi*psi/(2*mu2) + 2) / (2 * t * math.Sin(psi)); u < end {
			o.lift, end = psi, u
		}
	}
	start := math.Inf(-1)
	moments := newSeries[fixed.Real](fixed.InWords{}, wordBits+72, square, maxOrder).moments(exactly(o.top), terms)
	for m := 1; m <= maxOrder; m++ {
		size := double.Of(low.Log(moments[2*m].Interval())).Mid()
		if y := (-need - kappa - size - 2) / float64(2*m-1); y > start {
			o.order, start = m, y
		}
	}
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

// guard is how many bits are wanted beyond the size of errors.
const guard = 40

// wordGuard is how many of the bits beyond errors words do not need: their squares lose two for each of a power.
const wordGuard = 32

// Tables are for |ε| up to leastTop, up to powers of 4 times that below 1, or up to powers of 2 to maxTop.
const (
	leastTop = 1.0 / 16
	maxTop   = 256
)

// serves reports whether the rules are for so many bits and |ε|, and not for far more.
func (o outer) serves(bits interval.Prec, eps interval.Interval) bool {
	size := double.Of(eps).Hi
	return o.bits >= bits && o.bits <= bits+64 && o.top >= size && o.top <= max(4*size, leastTop)
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
