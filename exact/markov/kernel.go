// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"math"

	"dpverify/exact/double"
)

// A bell encloses the masses that a normal law of variance v has on a lattice of spacing h: by weighing h·φ(d) at the
// distance d from its mean, φ its density; by spreading ∫(1 − |t|/h)·φ(d + t)dt over |t| ≤ h, which is h·φ(d)·Σ_a
// C_a·y^(2a), y = dh/v,
//
//	C_a = 1/(2a)!·Σ_b (−z)^b/b!·2/((2a + 2b + 1)(2a + 2b + 2)),  z = h²/2v,
//
// since ∫₀¹ 2(1 − t)·t^n dt = 2/((n + 1)(n + 2)). In cells it is ∫φ(d + t)dt over |t| ≤ h/2, which is the same with h/2
// in y and z and ∫₀¹ t^n dt = 1/(n + 1). For z ≤ 1 the sum over b is between any two of its partial sums that follow
// each other.
type bell struct {
	norm, half double.Interval // h/√(2πv), −1/2v
	perV       float64         // about h/v, or half of it
	c          []float64       // the C_a, each up to a relative error
	widest     double.Interval // the greatest |t|, over v
	err        float64         // that bounds all of them, what is after the last one, and the rounding of the sum
}

// lastTerm bounds how many C_a there are.
const lastTerm = 40

// newBell serves distances up to reach.
func newBell(r rounding, v, h, reach float64) *bell {
	vs, hs := double.Point(v), double.Point(h)
	b := &bell{norm: hs.Div(vs.Add(vs).Mul(pi).Sqrt()), half: double.Point(-1).Div(vs.Add(vs)), perV: h / v}
	moment := func(n int64) double.Interval { return double.Point(2).Div(double.Int((n + 1) * (n + 2))) }
	b.widest = hs.Div(vs)
	switch r {
	case weigh:
		b.widest = double.Point(0)
		return b
	case cells:
		moment = func(n int64) double.Interval { return double.Point(1).Div(double.Int(n + 1)) }
		hs, b.perV, b.widest = hs.Half(), b.perV/2, b.widest.Half()
	}
	z := hs.Sqr().Mul(b.half) // −h²/2v
	y2 := double.Point(reach).Mul(hs).Div(vs).Sqr().Upper()
	if !(z.Lo >= -1) {
		b.err = math.Inf(1)
		return b
	}
	factorial, power := double.Point(1), double.Point(1) // (2a)!, and y^(2a) at the reach
	for a := range int64(lastTerm) {
		sum, term := double.Point(0), double.Point(1)
		for k := range int64(24) {
			sum = sum.Add(term.Mul(moment(2*a + 2*k)))
			term = term.Mul(z).Div(double.Int(k + 1))
		}
		sum = sum.Add(double.Interval{Lo: -term.Abs().Hi, Hi: term.Abs().Hi})
		c := sum.Div(factorial)
		b.c = append(b.c, c.Mid())
		b.err = max(b.err, (c.Hi-c.Lo)/c.Lo)
		// What follows is at most the next term, at z = 0, over 1 − y²/((2a + 3)(2a + 4)); the sum is at least C_0. In
		// cells that ratio is smaller by less than 1.
		next := double.Int((2*a + 1) * (2*a + 2))
		factorial, power = factorial.Mul(next), power.Mul(y2)
		ratio := y2.Div(double.Int((2*a + 3) * (2*a + 4)))
		rest := power.Div(factorial).Mul(moment(2*a + 2)).Div(double.Point(1).Sub(ratio))
		if rest = rest.Div(double.Point(b.c[0] / 2)); ratio.Hi < 1 && rest.Hi < 0x1p-60 {
			b.err += rest.Hi + float64(float64(4*len(b.c)+16)*ulp)
			return b
		}
	}
	b.err = math.Inf(1)
	return b
}

// at returns about the mass at a distance, and a bound of its relative error.
func (b *bell) at(d double.Interval) (w, err float64) {
	x := d.Sqr().Mul(b.half).Exp().Mul(b.norm)
	w, err = x.Mid(), (x.Hi-x.Lo)/x.Lo
	if b.c == nil {
		return w, err + b.err
	}
	// The sum is a mean of cosh(ty), 0 ≤ t ≤ 1, but for a factor: its logarithm changes by less than y does.
	y := float64(d.Mid() * b.perV)
	y2, sum := float64(y*y), 0.0
	for a := len(b.c) - 1; a >= 0; a-- {
		sum = b.c[a] + float64(sum*y2)
	}
	off := float64((d.Hi-d.Lo)*b.perV) + float64(8*ulp*math.Abs(y))
	return float64(w * sum), err + b.err + float64(off*generous) + 4*ulp
}

// A table has the masses of a bell at the distances k·step. Between two of them log w + d²/2v is taken for linear: it
// is convex, as the logarithm of a mean of exp(−td/v) is, but for a constant, and its second derivative is at most the
// greatest (t/v)². So what is linear is above it, by at most (step·|t|/v)²/8.
type table struct {
	step, inverse float64 // powers of two
	mass, slope   []float64
	half          float64 // about −1/2v
	err, steepest float64 // a bound of the relative errors, and of |d/dd log w|
}

// newTable serves distances up to reach.
func newTable(r rounding, v, h, reach float64) *table {
	b := newBell(r, v, h, reach+math.Sqrt(v))
	t := &table{half: b.half.Mid(), steepest: (float64(reach+h) / v) * generous}
	t.step = math.Ldexp(1, int(math.Floor(double.Log64(min(math.Sqrt(v)/128, 1/(8*t.steepest), 0.5))/math.Ln2)))
	t.inverse = 1 / t.step
	var nodes, logs, farthest float64 // errors, and the greatest exponent
	for k := range int(reach/t.step) + 3 {
		w, err := b.at(double.Point(float64(k) * t.step))
		t.mass, nodes = append(t.mass, w), max(nodes, err)
	}
	for k, w := range t.mass[1:] {
		x := double.Point(w).Div(double.Point(t.mass[k])).Log()
		slope := float64(x.Mid()*t.inverse) - float64(t.half*t.step)
		t.slope, logs = append(t.slope, slope), max(logs, x.Hi-x.Lo)
		farthest = max(farthest, float64((math.Abs(slope)-float64(t.half*t.step))*t.step))
	}
	bent := double.Point(t.step).Mul(b.widest).Sqr()
	// The exponential series misses at most e^7/5040·exp(|e|), relatively times exp(|e|) more.
	f2 := float64(farthest * farthest)
	t.err = bent.Hi/8 + 4*nodes + 2*logs + float64(float64(f2*f2)*f2)*farthest/1000 + 128*ulp
	if !(farthest <= 0.5) {
		t.err = math.Inf(1)
	}
	return t
}

// at is about the mass at a distance d, |d| ≤ reach + step.
func (t *table) at(d float64) float64 {
	d = math.Abs(d)
	k := int(d * t.inverse)
	x := d - float64(float64(k)*t.step)
	e := float64(x * (t.slope[k] + float64(t.half*x)))
	sum := 1.0 / 120
	sum += float64(e * (1.0 / 720))
	sum = float64(sum*e) + 1.0/24
	sum = float64(sum*e) + 1.0/6
	sum = float64(sum*e) + 0.5
	sum = float64(sum*e) + 1
	sum = float64(sum*e) + 1
	return float64(t.mass[k] * sum)
}

// off bounds the relative error of masses at distances that are off by that much.
func (t *table) off(by float64) float64 { return t.err + float64(t.steepest*by)*2 }
