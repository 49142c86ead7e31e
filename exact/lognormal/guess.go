// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lognormal

import (
	"math"
	"math/bits"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/least"
)

// A scout knows log φ on the positive half axis, about, and chooses contours by it.
type scout struct {
	mu, terms float64
	logs      []float64 // log φ(x)/x for x = 2^(j/4), j from first on
	octave    float64   // how many numbers K in a ratio of 2 have contours of their own
}

const (
	firstLog, lastLog = -200, 600
	maxNodes          = 1 << 12
)

// wordCost is about the seconds that a term of a transform takes in words, and bitCost for each bit in intervals.
const wordCost, bitCost = 3e-6, 2e-7

func newScout(mu, terms float64) *scout {
	deviation := math.Sqrt(math.Expm1(mu*mu) / terms) // of S/t
	s := &scout{mu: mu, terms: terms, octave: math.Exp2(math.Ceil(math.Log2(max(4, math.Ln2/deviation))))}
	for j := firstLog; j <= lastLog; j++ {
		x := math.Exp2(float64(j) / 4)
		s.logs = append(s.logs, logTransform(x, mu)/x)
	}
	return s
}

// inWords says whether three words are enough along a contour.
func inWords(c contour) bool {
	w, _ := c.precision()
	return w <= wordBits
}

// logTransform is about log φ(x), by a sum around the greatest exponent −x·e^{μz−μ²/2} − z²/2, where −z =
// xμ·e^{μz−μ²/2}.
func logTransform(x, mu float64) float64 {
	lo, _ := least.Halved(-2/mu*math.Log1p(x*mu+1)-mu, 0, 60, func(z float64) bool {
		return -z > x*mu*math.Exp(mu*z-mu*mu/2)
	})
	exponent := func(z float64) float64 { return -x*math.Exp(mu*z-mu*mu/2) - z*z/2 }
	const step = 1.0 / 8
	top, sum := exponent(lo), 0.0
	for i := -80; i <= 80; i++ {
		sum += math.Exp(exponent(lo+float64(i)*step) - top)
	}
	return top + math.Log(sum*step/math.Sqrt(2*math.Pi))
}

// log is about log φ(x).
func (s *scout) log(x float64) float64 {
	at := 4*math.Log2(x) - firstLog
	switch i := int(at); {
	case !(at > 0):
		return -x
	case i+1 >= len(s.logs):
		return s.logs[len(s.logs)-1] * math.Exp2(float64(lastLog)/4)
	default:
		return x * (s.logs[i] + (at-float64(i))*(s.logs[i+1]-s.logs[i]))
	}
}

// quantized is about the next power of 2^(1/4) above K, or of a number that is nearer to 1, as far as deviations of S
// go: contours for numbers that are near are the same.
func (s *scout) quantized(k interval.Interval) float64 {
	return math.Exp2(math.Ceil(s.octave*math.Log2(double.Of(k).Mid())+1e-9) / s.octave)
}

// choose finds the contour that costs least for errors of about t·e^−digits.
func (s *scout) choose(digits, k float64) (best contour, ok bool) {
	if !(k > 0) || math.IsInf(k, 1) {
		return nil, false
	}
	most := math.Inf(1)
	consider := func(c contour, nodes, loss float64) {
		if w, _ := c.precision(); w > wordBits {
			nodes *= float64(w) * bitCost / wordCost
		}
		if cost := nodes * (1 + loss/digits); cost < most {
			best, most = c, cost
		}
	}
	// The saddle point of e^{xK}·φ(x)^t/x².
	saddle, least := 1.0, math.Inf(1)
	for j := firstLog; j <= lastLog; j++ {
		x := math.Exp2(float64(j) / 4)
		if y := x*k + s.terms*s.log(x) - 2*math.Log(x); y < least {
			saddle, least = x, y
		}
	}
	size := math.Log(s.terms)
	tolerance := size - digits
	for j := -6; j <= 10; j++ {
		c := math.Exp2(math.Round(2*math.Log2(saddle)+float64(j)) / 2)
		level := c*k + s.terms*s.log(c)
		w, relative := s.precision(level-2*math.Log(c), tolerance, c)
		if l, nodes := s.line(c, k, level, tolerance); l.n > 0 {
			l.w, l.relative = w, relative
			consider(l, nodes, max(level, 0))
		}
		for theta := 0.05; theta <= 0.75; theta += 0.05 {
			y, nodes := s.hyperbola(c, theta, k, tolerance)
			if y.n > 0 {
				y.w, y.relative = w, relative
				consider(y, nodes, max(level, 0))
			}
		}
	}
	return best, best != nil
}

// precision is for an integrand of about e^level at its greatest, and φ relative to φ(c).
func (s *scout) precision(level, tolerance, c float64) (w interval.Prec, relative float64) {
	need := max(level-tolerance, 20)/math.Ln2 + float64(bits.Len64(uint64(s.terms))) + 24
	relative = need*math.Ln2 - s.log(c)
	if need = max(math.Ceil(need/8)*8, leastBits); relative > (wordBits-16)*math.Ln2 {
		need = max(need, wordBits+8) // words are absolute
	}
	return interval.Prec(need), relative
}

// line is the line through c.
func (s *scout) line(c, k, level, tolerance float64) (line, float64) {
	least, period, before := max(math.Log(k+1/c)-tolerance+8, 8)/c, 1.01*k, 0.0
	for j := 1; j <= 40; j++ {
		b := c * math.Exp2(float64(j)/4)
		if p := (b*k + s.terms*s.log(b) - math.Log(b) - tolerance + 3) / (b - c); p < period {
			period, before = p, b
		}
	}
	l := line{c: c, h: 2 * math.Pi / max(period, least), b: before}
	if before > 0 {
		l.deep = math.Log(s.terms) + 4 - s.log(before)
	}
	for i := 0; i < 400; i++ {
		y := c * math.Exp2(float64(i)/8)
		if y > maxNodes*l.h {
			break
		}
		for j := 0; j <= 8; j++ {
			psi := float64(j) * math.Pi / 16
			if j == 0 {
				psi = min(s.mu*s.mu*y, math.Pi/2)
			}
			b := psi*psi/(2*s.mu*s.mu) + s.log(c*math.Cos(psi)+y*math.Sin(psi))
			if level-s.terms*s.log(c)+s.terms*b-math.Log(y) < tolerance-3 {
				l.psi, l.n = psi, int64(math.Ceil(y/l.h))
				return l, float64(l.n)
			}
		}
	}
	return l, 0
}

// hyperbola is the one of an angle whose right border passes through c.
func (s *scout) hyperbola(c, theta, k, tolerance float64) (hyperbola, float64) {
	y := hyperbola{theta: theta, d: 0.9 * theta}
	y.lambda = c / (1 - math.Sin(theta-y.d))
	bound := func(angle float64) float64 {
		sin, cos := math.Sincos(angle)
		x := y.lambda * (1 - sin)
		a := math.Log((math.Pi+2*angle)/cos*math.Sqrt((1+sin)/(1-sin))) - math.Log(y.lambda)
		return max(0, x*k+s.terms*s.log(x)) + s.terms*angle*angle/(2*s.mu*s.mu) + a
	}
	cycles := max(max(bound(theta-y.d), bound(theta+y.d))-tolerance+2, 8)
	y.h = 2 * math.Pi * y.d / cycles
	fall := bound(theta) - tolerance + 3
	cosh := (1 + max(fall, 0)/(k*y.lambda)) / math.Sin(theta)
	y.n = int64(math.Ceil(math.Acosh(max(cosh, 1))/y.h)) + 1
	if !(float64(y.n) < maxNodes) {
		y.n = 0
	}
	return y, float64(y.n)
}
