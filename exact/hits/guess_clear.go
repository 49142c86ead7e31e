// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package hits

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/least"
)

// Clear returns the a of Delta for p bits of a δ near 2^−scale at ε, and the bits that it gives: p, or as many as there
// are. It chooses in float64, and bounds nothing.
//
// n·(u − v) is to be below 2^−p, or, where that is too little, below 2^−p of ε; n·m is to be below 2^−p·δ, by
// m ≤ e^{−y²/2} with y = μ/2 − a/μ. The larger p, the larger a the one wants, and the smaller the other.
func (s Steps) Clear(p interval.Prec, scale int, eps interval.Interval) (a *big.Rat, settled interval.Prec) {
	return s.clear(p, scale, double.Of(eps).Mid())
}

func (s Steps) clear(p interval.Prec, scale int, eps float64) (a *big.Rat, settled interval.Prec) {
	q, mu, n := double.Near(s.Q), math.Sqrt(double.Near(s.Mu2)), float64(s.N)
	unit := 0.0 // log of what ε may be shifted by, times 2^p
	wanted := func(p float64) float64 {
		return double.Log64(n) + double.Log64(q) - math.Log1p(-q) + (p+5)*math.Ln2 - unit
	}
	fits := func(p float64) bool {
		y := math.Sqrt(2 * max(0, (float64(scale)+p+2)*math.Ln2+double.Log64(n)))
		return wanted(p) <= mu*(mu/2-y)
	}
	bits := float64(p)
	if !fits(bits) {
		unit = double.Log64(max(1, math.Abs(eps)))
	}
	if !fits(bits) {
		bits, _ = least.Halved(0, bits, 12, fits)
	}
	x := wanted(bits)
	if s.Kind == Added && bits < float64(p) {
		x = s.nearEdge(scale)
	}
	if math.IsNaN(x) { // of an ε that is not finite
		x = 0
	}
	return big.NewRat(int64(math.Ceil(16*max(-1<<40, min(x, 1<<40)))), 16), interval.Prec(bits)
}

// nearEdge returns an a such that an ε near the largest loss is enclosed narrowly: it is off by about n·(u − v) and by
// δ/(1 − m)^n.
func (s Steps) nearEdge(scale int) (a float64) {
	q, mu, n := double.Near(s.Q), math.Sqrt(double.Near(s.Mu2)), float64(s.N)
	least := math.Inf(1)
	const tries = 64
	for i := range tries {
		x := mu * mu / 2 * float64(i) / tries
		m := math.Erfc((mu/2-x/mu)/math.Sqrt2) / 2
		off := n*math.Log1p(q/(1-q)*double.Exp64(-x)) + double.Exp64(-float64(scale)*math.Ln2-n*math.Log1p(-m))
		if off < least {
			least, a = off, x
		}
	}
	return a
}

// Serves reports whether there are so many bits of a δ near 2^−scale, at the ε of the usual number of hits or of one,
// and whether that takes a moderate number of terms.
func (s Steps) Serves(least interval.Prec, scale int) bool {
	const widest = 512 // a value has some tens of deviations as terms: .1 s at four digits
	usual := max(1, float64(s.N)*double.Near(s.Q)) * double.Near(s.Mu2) / 2
	_, settled := s.clear(least, scale, usual)
	return settled >= least && s.deviation() <= widest
}

// deviation is near the standard deviation of the number of hits.
func (s Steps) deviation() float64 {
	q := double.Near(s.Q)
	return math.Sqrt(float64(s.N) * q * (1 - q))
}

// Near returns a number near ε(δ), for a search to start from. It reports false if it has none.
func (s Steps) Near(delta *big.Rat) (*big.Rat, bool) {
	d, q, n := double.Near(delta), double.Near(s.Q), float64(s.N)
	if !(d > 1e-300 && d < 1) {
		return nil, false
	}
	if s.Kind == Added {
		return rounded(math.Log1p(-d) - n*math.Log1p(-q))
	}
	at, last := s.profile()
	mu2 := double.Near(s.Mu2)
	lo, hi := math.Log1p(-d), last*(mu2+16*math.Sqrt(mu2))-n*math.Log1p(-q)
	_, hi = least.Halved(lo, hi, 48, func(eps float64) bool { return at(eps) > d })
	return rounded(hi)
}

// profile is near δ(ε) where losses of misses are one, for other kinds than Added; last is the most hits that matter.
func (s Steps) profile() (at func(eps float64) float64, last float64) {
	q, n := double.Near(s.Q), float64(s.N)
	miss, hit := math.Log1p(-q), double.Log64(q)
	if s.Kind == Replaced {
		miss, hit = 0, hit-miss
	}
	const reach = 12 // standard deviations, and some hits
	first := math.Floor(max(0, n*q-reach*s.deviation()))
	last = math.Floor(min(n, n*q+reach*s.deviation()+64))
	masses := make([]float64, int64(last-first)+1)
	top, _ := math.Lgamma(n + 1)
	for i := range masses {
		k := first + float64(i)
		a, _ := math.Lgamma(k + 1)
		b, _ := math.Lgamma(n - k + 1)
		masses[i] = double.Exp64(max(top-a-b+k*double.Log64(q)+(n-k)*math.Log1p(-q), -700))
	}
	mu2 := double.Near(s.Mu2)
	return func(eps float64) (sum float64) {
		for i, m := range masses {
			k := first + float64(i)
			sum += m * gaussian(k*mu2, eps-(n-k)*miss-k*hit)
		}
		return sum
	}, last
}

// gaussian is near the profile of (N(√v, 1), N(0, 1)) at x.
func gaussian(v, x float64) float64 {
	if v == 0 {
		return max(0, -math.Expm1(x))
	}
	mu := math.Sqrt(v)
	t, y := x/mu-mu/2, x/mu+mu/2
	below := math.Erfc(t/math.Sqrt2) / 2
	if y < 8 {
		return max(0, below-double.Exp64(min(x, 700))*math.Erfc(y/math.Sqrt2)/2)
	}
	mills := (1 - 1/(y*y)*(1-3/(y*y))) / y
	return max(0, below-double.Exp64(max(-t*t/2, -740))*mills/math.Sqrt(2*math.Pi))
}

// rounded returns a number with fewer bits than machines may differ by.
func rounded(eps float64) (*big.Rat, bool) {
	if math.IsNaN(eps) || math.IsInf(eps, 0) {
		return nil, false
	}
	y, _, ok := interval.Prec(24).Round(double.Point(eps).Exact()).Rationals()
	return y, ok
}
