// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/least"
)

const (
	// margin is how many nats errors are kept below what is wanted.
	margin = 3
	// longer is the ratio of periods that are tried, and higher the step of thresholds.
	longer = 1.2
	higher = 12
	// maxTilt bounds a.
	maxTilt = 1 << 40
	// manyNodes are enough to try several tilts.
	manyNodes = 1 << 16
	// guardBits are for what many nodes add up.
	guardBits = 24
	// mostCancels are bits that a line may lose beside eight times what is wanted: where ρ is many hundreds and ε below
	// it, a convolution of masses is faster.
	mostCancels = 1024
	// maxLast bounds the nodes that are looked at.
	maxLast = 1 << 50
)

// choose returns parameters for about p bits of a δ(eps) of about e^estimate. Where a period has many nodes, it is of
// the tilts about the best one the one with the fewest, if words hold its numbers: a larger tilt has a shorter period,
// and more that cancels.
func (x *law) choose(p interval.Prec, eps, estimate float64) (choice, bool) {
	a := x.bestTilt(eps)
	best, ok := x.tilted(p, eps, estimate, a)
	if !ok || best.partial() || best.last < manyNodes {
		return best, ok
	}
	cost := func(c choice) float64 { return double.Near(c.period) * math.Sqrt(float64(c.sieve)) }
	for more := 1.; more <= 2; more++ {
		if c, ok := x.tilted(p, eps, estimate, a+more); ok && c.prec <= maxWords && cost(c) < cost(best) {
			best = c
		}
	}
	return best, true
}

// bestTilt returns the integer a ≥ 1 for which about E e^(a(L − eps)) is least, but not less than a line needs.
func (x *law) bestTilt(eps float64) float64 {
	a := math.Max((eps/x.mean-1)/2, 1/math.Sqrt(2*x.mean))
	if len(x.steps) > 0 {
		a, _ = least.Halved(1/math.Sqrt(2*x.mean), maxTilt, 100, func(a float64) bool {
			return x.logMoment(a+0.5)-x.logMoment(a-0.5) < eps
		})
	}
	return math.Max(1, math.Round(a))
}

// logMoment is about log E e^(aL).
func (x *law) logMoment(a float64) float64 {
	y := a * (a + 1) * double.Near(x.rho)
	for _, f := range x.steps {
		y += float64(f.count) * f.rough.logMoment(a)
	}
	return y
}

// tilted is choose with the tilt a.
func (x *law) tilted(p interval.Prec, eps, estimate, a float64) (choice, bool) {
	rho := double.Near(x.moments)
	wanted := float64(p)*math.Ln2 + margin
	below := wanted - estimate // nats, of errors
	if !(a < maxTilt) || !(below < 1e6) {
		return choice{}, false
	}
	// Aliases: aA ≥ below, and (ε + A − ρ)²/4ρ − aA ≥ below, which is b² − 4ρa·b − 4ρ(below − a(ε − ρ)) ≥ 0 for b = ε +
	// A − ρ.
	length := below / a
	half := 2 * rho * a
	beyond := half + math.Sqrt(math.Max(0, half*half+4*rho*(below-a*(eps-rho))))
	length = math.Max(length, math.Max(beyond-(eps-rho), rho-eps)*1.02+1/a)
	// Dropped nodes.
	fine := double.Near(x.fine)
	scale := x.logMoment(a) - a*eps
	short := wanted + scale - estimate // nats, of what nodes contribute to the sum
	if fine > 0 {
		short += math.Min((2*a+1)/(2*fine), 3+math.Log(1+fine))
	}
	height := math.Min((short+0.7-math.Log(double.Near(x.rho))/2)/2, 650) // log U: Σ Φ(u_j)/A is about √(π/ρ)/2π
	sieve := short + math.Log(2+math.Max(height, 0)+1/(a*a))
	if !(sieve < 1e6) || !(length > 0) {
		return choice{}, false
	}
	// Few periods, heights and thresholds, so that a line serves many ε.
	height = math.Ceil(height/math.Log(longer)) * math.Log(longer)
	c := choice{tilt: int64(a), sieve: higher * int64(math.Ceil(math.Max(sieve, 1)/higher))}
	if c.period = x.longPeriod(length, longer); c.period == nil {
		return choice{}, false
	}
	c.nodes = new(big.Int).Set(new(big.Rat).Mul(c.period, x.fine).Num())
	length = double.Near(c.period)
	c.last = maxLast
	if last := math.Exp(height) * length / (2 * math.Pi); last < maxLast {
		c.last = int64(last) + 1
	}
	if half := new(big.Int).Rsh(c.nodes, 1); half.IsInt64() {
		c.last = min(c.last, half.Int64())
	}
	// Precision: what cancels between terms of size e^scale and δ.
	c.prec = p + 8*interval.Prec(math.Max(0, (scale-estimate)/math.Ln2)/8+1) + guardBits
	return c, c.prec <= 8*p+mostCancels
}

// longPeriod returns a period A with a whole number AM of nodes: a power of ratio that is at least about a length; nil
// if that is not finite.
func (x *law) longPeriod(length, ratio float64) *big.Rat {
	length = math.Pow(ratio, math.Ceil(math.Log(length)/math.Log(ratio)*(1-0x1p-40)))
	n, _, ok := double.Point(length).Exact().Rationals()
	if !ok {
		return nil
	}
	n.Mul(n, x.fine)
	nodes := new(big.Int).Quo(n.Num(), n.Denom())
	return n.Quo(n.SetInt(nodes.Add(nodes, big.NewInt(1))), x.fine)
}

// serves reports whether a line of c has errors as small as those of want, and no more nodes than a few times as many.
func (c choice) serves(want choice) bool {
	if c.sieve < want.sieve || c.prec < want.prec || c.sieve > 2*want.sieve+20 || c.prec > 2*want.prec+32 ||
		c.partial() && c.last < want.last {
		return false
	}
	ratio := double.Near(new(big.Rat).Quo(c.period, want.period))
	return ratio >= 1 && ratio <= 3
}

// levelOf is about the ε ≥ 0 at which log δ is log ≤ 0, 0 where it is below.
func (x *law) levelOf(log float64) float64 {
	most := x.mean + 12*math.Sqrt(2*x.mean*(1-log))
	eps, _ := least.Halved(0, most, 50, func(eps float64) bool { return x.logProfile(eps) > log })
	return eps
}

// Near returns a number near ε(δ), to start a search from. It reports false if that is below 0.
func (x *law) Near(delta *big.Rat) (*big.Rat, bool) {
	const w = interval.Prec(64)
	named := new(big.Rat).Sub(big.NewRat(1, 1), x.finite)
	alone := new(big.Rat).Sub(delta, named)
	if alone.Sign() <= 0 {
		return nil, false
	}
	log := double.Of(w.Log(w.Rat(alone.Quo(alone, x.finite)))).Mid()
	if !(log < x.logProfile(0)) {
		return nil, false
	}
	eps, _, ok := w.Round(double.Point(x.levelOf(log)).Exact()).Rationals()
	return eps, ok
}

// Points is about how many points of the lattice have masses above 2^−64.
func (x *law) Points() float64 {
	return 20*math.Sqrt(2*x.mean)*double.Near(x.fine) + 1
}

// logProfile is about log δ(eps), eps ≥ 0, of N(√2ρ, 1) against N(0, 1), which has the divergences of the product at
// whole orders.
func (x *law) logProfile(eps float64) float64 {
	mu := math.Sqrt(2 * x.mean)
	z := eps/mu - mu/2
	// δ = φ(z)·(R(z) − R(z + μ)) with Mills' ratio R.
	d := mills(z) - mills(z+mu)
	if !(d > 0) {
		d = mu * math.Max(1-z*mills(z), 1e-300)
	}
	return -z*z/2 - 0.9189385332046727 + math.Log(d)
}

// mills is about P(N > z)/φ(z).
func mills(z float64) float64 {
	if z < 10 {
		return math.Erfc(z/math.Sqrt2) / 2 * math.Sqrt(2*math.Pi) * math.Exp(z*z/2)
	}
	q := 1 / (z * z)
	return (1 - q*(1-3*q*(1-5*q*(1-7*q)))) / z
}

// widened is a choice that serves what c does, and is the same for many c. A sum that stops at some U stays what it is.
func (x *law) widened(c choice) choice {
	if c.partial() {
		return c
	}
	out := c
	for out.tilt = 4; out.tilt < c.tilt; {
		out.tilt *= 4
	}
	out.period = x.longPeriod(double.Near(c.period), wider)
	nodes := new(big.Rat).Mul(out.period, x.fine)
	out.nodes = new(big.Int).Set(nodes.Num())
	out.last = new(big.Int).Rsh(out.nodes, 1).Int64()
	out.sieve = (c.sieve + sharedSieve - 1) / sharedSieve * sharedSieve
	if out.prec = (c.prec + sharedBits - 1) / sharedBits * sharedBits; c.prec <= maxWords {
		out.prec = min(out.prec, maxWords)
	}
	return out
}

const (
	// wider is the ratio of periods that are shared, sharedSieve the step of thresholds, and sharedBits of precisions.
	wider       = longer * longer * longer
	sharedSieve = 3 * higher
	sharedBits  = 32
)
