// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"math"

	"dpverify/exact/double"
)

// Settings affect width and cost, not soundness.
type Settings struct {
	Work float64 // about how many products of two numbers a law may take
	Cut  int     // what has a mass of about 2^−Cut may be left out
}

// A lattice has the numbers k·h, first ≤ k < first + n: h has few bits, so that they are exact.
type lattice struct {
	h        float64
	first, n int
}

// at is the number with an index from 0 on.
func (l lattice) at(k int) float64 { return float64(l.first+k) * l.h }

// from is the least lattice of that spacing with all numbers between lo and hi.
func from(h, lo, hi float64) lattice {
	first := int(math.Floor(lo / h))
	return lattice{h, first, int(math.Ceil(hi/h)) - first + 1}
}

// A plan is a chain on lattices: the law of u_t given those before is, in place of a normal one, h times its density
// on the numbers of a lattice, with the variance moved by a multiple of h².
type plan struct {
	*Chain
	rounding
	target   float64 // the logarithm of the ratio of interest
	set      Settings
	us, zs   lattice   // of u_1 … u_T, and of u_0
	v        []float64 // the variances on the lattices, by step
	reach    []float64 // how far a step may be from its centre
	waves    double.Interval
	variance []double.Interval   // of V_i on the lattices, without what is common
	tails    [][]double.Interval // covariances of normal laws whose tails are no less than those of u_t
	gone     [2]float64          // bounds of the Q- and the P-mass of what leaves the lattices
	bell0    *bell               // of u_0,
	tables   []*table            // and of steps
	places   []float64           // of the sum of all exp(V_i − variance/2), in units: integers below 2^51
	over     []float64           // 1 over the distance to the next one
	unit     float64             // a power of two
}

// mostPlaces bounds the places of sums, of which terms of small deviations would take the more the smaller these are.
const mostPlaces = 1 << 16

// widening is by how much variances are moved where laws are weighed, in units of h².
const widening = 0.58

// newPlan chooses lattices of which the work is about what is allowed. It returns nil if there are none.
func newPlan(c *Chain, r rounding, target float64, set Settings) *plan {
	if !c.valid() {
		return nil
	}
	var p *plan
	for scale := 2.5; scale > 0x1p-6; scale *= 0.93 {
		q := &plan{Chain: c, rounding: r, target: target, set: set}
		if !q.lay(scale) {
			continue
		}
		if p != nil && q.work() > set.Work {
			break
		}
		p = q
	}
	if p != nil {
		p.fill()
	}
	return p
}

// work is about how many products the plan takes.
func (p *plan) work() float64 {
	per, layers := 0.0, 1.0
	if p.Cycle {
		layers = float64(p.zs.n)
	}
	for t := 1; t <= p.steps(); t++ {
		per += min(2*p.reach[t]/p.us.h, float64(p.us.n))
	}
	return per * float64(p.us.n) * layers * float64(len(p.places)) * 0.3
}

// lay chooses the lattices at a scale of their spacings. It reports false if the variances do not allow them.
func (p *plan) lay(scale float64) bool {
	least := 1.0
	for _, x := range p.Variance[1:] {
		least = min(least, x)
	}
	h, h0 := dyadic(0.3*scale*math.Sqrt(least)), 0.37*scale
	if p.Cycle {
		h0 = max(h0, min(float64(h0*(1+float64(p.bins())/40)), 0.9)) // few of many bins see u_0
	}
	h0 = dyadic(h0)
	if p.v = p.variances(h, h0); p.v == nil {
		return false
	}
	own := p.v // of the normal laws whose exponentials have the mean 1
	tails := p.v
	if p.rounding == spread {
		own = append([]float64{1}, p.Variance[1:]...)
		tails = []float64{float64((1 + float64(h0*h0)/4) * generous)}
		for _, x := range p.Variance[1:] {
			tails = append(tails, float64((x+float64(h*h)/4)*generous)) // v + h²/4 or more
		}
	}
	u := p.covariances(tails)
	with := p.covariances(own)
	// How far the tails reach: exp(−z²/2) is what a Gaussian beyond z has, but for a factor.
	z := math.Sqrt(2 * (float64(float64(p.set.Cut)*math.Ln2) + double.Log64(float64(p.steps()+1))))
	var deviation, widest float64
	p.variance = make([]double.Interval, p.steps()+1)
	for i := p.first(); i <= p.steps(); i++ {
		p.variance[i] = p.Chain.variance(with, i)
		widest = max(widest, p.variance[i].Hi)
	}
	if !(widest <= mostVariance) {
		return false
	}
	var shifts [2]float64 // of u_0, and of the others, where the record is in some bin
	for t := range u {
		for i := p.first(); i <= p.steps(); i++ {
			shifts[min(t, 1)] = max(shifts[min(t, 1)], p.seen(u, t, i).Hi)
		}
		deviation = max(deviation, math.Sqrt(u[t][t].Hi))
	}
	p.us = from(h, -z*deviation, float64(z*deviation)+shifts[1])
	far := float64(z * math.Sqrt(u[0][0].Hi))
	p.zs = from(h0, -far, far+shifts[0])
	p.reach = []float64{0}
	for t := 1; t <= p.steps(); t++ {
		p.reach = append(p.reach, math.Sqrt(p.v[t])*(z+math.Sqrt(widest)))
	}
	p.layPlaces(scale, z, widest)
	if p.rounding == weigh {
		p.waves = p.wavesOf(h, h0)
	}
	p.tails = u
	return true
}

// fill computes the masses of u_0 and of steps.
func (p *plan) fill() {
	p.gone = p.leaving(p.tails)
	p.bell0 = newBell(p.rounding, p.v[0], p.zs.h, max(math.Abs(p.zs.at(0)), p.zs.at(p.zs.n-1))+p.zs.h)
	p.tables = make([]*table, len(p.v))
	for t := 1; t <= p.steps(); t++ {
		if t > 1 && p.v[t] == p.v[t-1] && p.reach[t] == p.reach[t-1] {
			p.tables[t] = p.tables[t-1]
			continue
		}
		p.tables[t] = newTable(p.rounding, p.v[t], p.us.h, p.reach[t]+p.us.h)
	}
}

// variances returns those of the normal laws that are rounded to lattices of spacing h, and h0 for u_0; nil if they are
// too coarse.
func (p *plan) variances(h, h0 float64) (out []float64) {
	for t := range p.steps() + 1 {
		v, step := 1.0, h0
		if t > 0 {
			v, step = p.Variance[t], h
		}
		if p.rounding == weigh {
			v += float64(float64(widening*step) * step)
		}
		if step*step > 1.99*v { // newBell wants 2
			return nil
		}
		out = append(out, v)
	}
	return out
}

// dyadic is a number near x > 0 of few bits.
func dyadic(x float64) float64 { return math.Ceil(x*0x1p12) * 0x1p-12 }

// layPlaces chooses the places of sums: evenly spaced where they are small, then in proportion to them, as far as sums
// make a difference at the ratio of interest.
func (p *plan) layPlaces(scale, z, widest float64) {
	bins := float64(p.bins())
	most := bins + float64(2*double.Exp64(min(widest/2+float64(z*math.Sqrt(widest)), 300)))
	p.unit = math.Ldexp(1, int(math.Ceil(double.Log64(most)/math.Ln2))-49)
	// The law of the sum is smooth at about the deviation of a term over the root of their number.
	step := 0.09 * scale * min(1, math.Sqrt(widest))
	ratio := double.Exp64(min(p.target, 300))
	about := float64(bins / 2 * min(ratio, 1))
	most = min(most, float64(bins*4*ratio))
	n := int(min(double.Log64(float64(4*most/about))/step, mostPlaces))
	n = max(n, 16)
	// about·sinh(x) for x = 0 … log(2·most/about).
	ratio = double.Exp64(double.Log64(2*most/about) / float64(n))
	e := 1.0
	for range n + 1 {
		x := math.Floor(float64(about/2*(e-1/e)) / p.unit)
		if k := len(p.places); k == 0 || x > p.places[k-1] {
			p.places = append(p.places, x)
		}
		e *= ratio
	}
	for i, x := range p.places[1:] {
		p.over = append(p.over, 1/(x-p.places[i]))
	}
}

// wavesOf encloses how far from 1 the sums of h·(a normal density) over shifted lattices are, which the proof meets,
// for the step where they are farthest: at most 2Σ q^(n²) ≤ 2q/(1 − q³), q = exp(−2π²·ω), ω the variance over h².
func (p *plan) wavesOf(h, h0 float64) double.Interval {
	most := double.Point(0)
	for t, v := range p.v {
		h, was := h, 1.0
		if t == 0 {
			h = h0
		} else {
			was = p.Variance[t]
		}
		omega := double.Point(v).Sub(double.Point(was))
		omega = omega.Div(double.Point(h).Sqr())
		q := omega.Mul(pi.Sqr()).Mul(double.Point(-2)).Exp()
		most = double.Max(most, q.Add(q).Div(double.Point(1).Sub(q.Mul(q).Mul(q))))
	}
	return most.Upper()
}

// leaving bounds the Q- and the P-mass of runs in which some u_t leaves its lattice, or a step goes farther than its
// reach.
//
// Where laws are weighed, E exp(θx) of any linear form of the steps under bin i, or under Q, is that of normal laws
// of the variances on the lattices, but for a factor of at most (1 + waves)^(T+1). Where they are spread, a step has
// E exp(θ(x − centre)) ≤ exp(θ²(τ² + h²/4)/2) [Hoeffding], so that E exp(V_i − var V_i/2 + θx) ≤ exp((W − var
// V_i)/2)·exp(θm + θ²s²/2), W, m and s² of normal laws with variances of at least τ² + h²/4. In both cases what is
// beyond d from the mean m has at most the factor times exp(−d²/2s²).
func (p *plan) leaving(u [][]double.Interval) (out [2]float64) {
	tail := func(distance, variance double.Interval) double.Interval {
		if distance.Lo <= 0 {
			return double.Point(1)
		}
		return distance.Sqr().Div(variance).Half().Neg().Exp()
	}
	mass := func(seen func(t int) double.Interval) double.Interval {
		sum := double.Point(0)
		for t := range u {
			l := p.us
			if t == 0 {
				l = p.zs
			}
			m := seen(t)
			sum = sum.Add(tail(double.Point(l.at(l.n-1)).Sub(m), u[t][t])).Add(tail(m.Sub(double.Point(l.at(0))), u[t][t]))
			if t > 0 {
				m = m.Sub(double.Point(p.Rho[t]).Mul(seen(t - 1))).Sub(double.Point(p.First[t]).Mul(seen(0)))
				r := double.Point(p.reach[t] - 0x1p-20) // for the rounding of ends
				// The variance of the step alone.
				own := u[t][t].Sub(double.Point(p.Rho[t]).Mul(u[t][t-1])).Sub(double.Point(p.First[t]).Mul(u[t][0])).Upper()
				sum = sum.Add(tail(r.Sub(m), own)).Add(tail(r.Add(m), own))
			}
		}
		return sum
	}
	all := p.wavesPower(p.waves)
	out[0] = mass(func(int) double.Interval { return double.Point(0) }).Mul(all).Hi
	sum := double.Point(0)
	for i := p.first(); i <= p.steps(); i++ {
		more := double.Point(1)
		if p.rounding == spread {
			more = p.Chain.variance(u, i).Sub(p.variance[i]).Half().Exp()
		}
		sum = sum.Add(mass(func(t int) double.Interval { return p.seen(u, t, i) }).Mul(more))
	}
	out[1] = sum.Div(double.Int(int64(p.bins()))).Mul(all).Hi
	return out
}

// wavesPower encloses (1 + x)^(T+1).
func (p *plan) wavesPower(x double.Interval) double.Interval {
	return double.Point(1).Add(x).Log().Mul(double.Int(int64(p.steps() + 1))).Exp()
}
