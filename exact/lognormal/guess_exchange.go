// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"math"
	"math/big"

	"dpverify/exact/double"
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
	w           interval.Prec
}

type inner struct {
	angle    int64 // ψ in units of π/32
	step     float64
	up, down float64 // a and b at most
	far      int64   // nodes are from −far·η to far·η
}

// angles is how many units of an angle are π.
const angles = 32

// maxOrder bounds M.
const maxOrder = 4

// maxExchange bounds how many products of nodes a price takes.
const maxExchange = 1 << 21

// chooseOuter finds rules for an error of about 2^−bits of the price of one term; it reports false where they would
// be long.
func chooseOuter(square *big.Rat, terms int64, bits interval.Prec, gamma interval.Interval,
	moments []interval.Interval) (outer, bool) {
	mu2, t, g := number.Float64(square), float64(terms), double.Of(gamma).Mid()
	mu, need := math.Sqrt(mu2), float64(bits)*math.Ln2+2
	if !(mu2 > 1e-6 && mu2 < 300 && g > 0x1p-400 && g < 0x1p400) || t > 1<<40 {
		return outer{}, false
	}
	second := math.Exp(mu2)*(1+g*g) + 2*g*math.Exp(-mu2) + (t-1)*(1+g)*(1+g)
	log := math.Log(t*second) / 2
	o := outer{order: 1}
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
		if u := (need + t*psi*psi/(2*mu2) + 2) / (2 * t * math.Sin(psi) * math.Sqrt(g) * math.Exp(-mu2/2)); u < end {
			o.lift, end = psi, u
		}
	}
	start := math.Inf(-1)
	for m := 1; m <= maxOrder; m++ {
		size := double.Of(low.Log(moments[2*m])).Mid()
		if y := (-need - size - 2) / float64(2*m-1); y > start {
			o.order, start = m, y
		}
	}
	o.first, o.last = int64(math.Floor(start/o.step)), int64(math.Ceil(math.Log(end)/o.step))
	most := need - start + math.Log(t) + 4
	o.inner = chooseInner(mu, most)
	nodes := float64(o.last-o.first+1) * float64(2*o.inner.far+1)
	if !(nodes > 0 && nodes < maxExchange) || o.inner.far == 0 {
		return outer{}, false
	}
	psi := math.Pi * float64(o.inner.angle) / angles
	o.w = interval.Prec((most+psi*psi/(2*mu2))/math.Ln2) + 40
	return o, true
}

// longest is about the longest step that is off by e^−need, for a strip of width v on a side whose bound is
// e^{(v+shift)²/2}.
func longest(v, shift, need float64) float64 {
	return 2 * math.Pi * v / (need + 3 + (v+shift)*(v+shift)/2)
}

// chooseInner finds the rule for φ that costs least for errors of about e^−need.
func chooseInner(mu, need float64) inner {
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
		reach := math.Sqrt(2*(need+shift*shift/2)) + 1
		cost := reach / r.step * (1 + (need+shift*shift/2)/100)
		if 2*angle == angles {
			cost /= 2 // no waves
		}
		if cost < most && reach/r.step < 1<<14 {
			most = cost
			r.far = int64(math.Ceil(reach / r.step))
			best = r
		}
	}
	return best
}
