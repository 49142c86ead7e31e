// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package line

import (
	"math"
	"math/cmplx"

	"dpverify/float/value"
)

// A path is where x is integrated, in place of the real line, on which A^a neither falls nor settles: y = μx − μ²/2 has
// the imaginary part shift, and more where hits are: up to far, on which e^(−x²/2 + ay) has its saddle.
type path struct{ shift, far float64 }

// at is the imaginary part of y at a node, and its derivative in the real part.
func (p path) at(n *node) (y, dy float64) {
	if p.far <= p.shift || n.rise < 1e-18 {
		return p.shift, 0
	}
	b := p.far - p.shift
	r := b / math.Sqrt(n.rise*n.rise+b*b)
	return p.shift + n.rise*r, n.slope * r * r * r
}

// complexLog is the logarithm of 1 − q + q·e^(y + i·angle), whose sine and cosine are given, as real and imaginary
// part. It is 0 at y = edge, angle = ±π alone, and continued from an angle of 0 below these on their left.
func (s *sample) complexLog(o odds, angle, sin, cos float64) (re, im float64) {
	if o.hit {
		sin = -sin
	}
	x, y := o.size*cos, o.size*sin
	size := 2*x + x*x + y*y
	if re, im = 0, math.Atan2(y, 1+x); size > 0.5 {
		re = math.Log(1+size) / 2
	} else {
		re = math.Log1p(size) / 2
	}
	if o.hit {
		return re + math.Log(s.q) + o.y, im + angle
	}
	return re + math.Log1p(-s.q), im
}

// power is log E_Q[A^a], or log E_Q[A^a·B^(1−a)], Im a ≥ 0, along p, with an estimate of the relative error: of the
// rule, and of roundings.
func (s *sample) power(a complex128, p path) (log complex128, off float64) {
	ar, ai := real(a), imag(a)
	peak := s.hits(a)
	sin, cos := math.Sincos(p.shift)
	var re, im [4]float64 // of every fourth node, over e^base
	best, base, rounding := math.Inf(-1), 0.0, 0.0
	for k := 0; ; k++ {
		n := s.node(k)
		x := n.x
		y, dy := p.at(n)
		c, d := cos, sin
		if y != p.shift {
			d, c = math.Sincos(y)
		}
		logA, angle := s.complexLog(n.a, y, d, c)
		size, turn := ar*logA-ai*angle-(x*x-y*y/(s.mu*s.mu))/2, ar*angle+ai*logA-x*y/s.mu
		if s.replaced {
			logB, angle := s.complexLog(n.b, -y, -d, c)
			size, turn = size+(1-ar)*logB+ai*angle, turn+(1-ar)*angle-ai*logB
		}
		if size < best-reach {
			if x > 0 && (peak < best-reach || x > ar*s.mu) {
				break
			}
			continue
		}
		if k == maxNodes {
			return 0, math.Inf(1)
		}
		best = math.Max(best, size)
		if size > base+30 {
			f := math.Exp(base - size)
			for i := range re {
				re[i], im[i] = re[i]*f, im[i]*f
			}
			rounding *= f
			base = size
		}
		w := math.Exp(size-base) * n.weight
		v, u := math.Sincos(turn)
		re[k&3] += w * (u - dy*v)
		im[k&3] += w * (v + dy*u)
		rounding += w * (2 + math.Abs(size-base) + (math.Abs(ar)+ai)*math.Abs(logA) + x*x/2)
	}
	x, y := re[0]+re[1]+re[2]+re[3], im[0]+im[1]+im[2]+im[3]
	half := math.Hypot(re[0]+re[2]-re[1]-re[3], im[0]+im[2]-im[1]-im[3])
	quarter := 2 * math.Hypot(re[0]-re[2], im[0]-im[2])
	sum := math.Hypot(x, y)
	// Steps that are halved square the error, or more, where the sum is resolved; where it is not, it stays.
	off = (half*half/(half+quarter+1e-300) + value.U*rounding) / sum
	return complex(base+math.Log(sum/math.Sqrt(2*math.Pi)), math.Atan2(y, x)), off
}

// transform is log M(z), Im z ≥ 0, with an estimate of the relative error of M. The contour is bent by at most bend.
func (l law) transform(z complex128, bend float64) (log complex128, off float64) {
	log = complex(l.mu2/2, 0) * z * (z - 1)
	for _, s := range l.samples {
		a := 1 - cmplx.Conj(z)
		turn := cmplx.Phase(a) / (math.Pi/2 - bend)
		if s.reversed {
			a = z
			turn = (math.Pi - cmplx.Phase(a)) / (math.Pi/2 + bend)
		}
		one, o := s.power(a, path{
			shift: s.shift(bend) * math.Min(turn, 1),
			far:   s.mu * s.mu * imag(a),
		})
		if !s.reversed {
			one = cmplx.Conj(one)
		}
		log += complex(s.count, 0) * one
		off += s.count * o
	}
	return log, off
}

// little is the μ from which on losses of hits are apart from all others.
const little = 3

// jumps are the mean loss of a hit at λ, and a number of hits that have a loss of ε; false where a hit is nothing
// apart.
func (s *sample) jumps(lambda, eps float64) (mean, number float64, ok bool) {
	mean = math.Log(s.q) + s.mu*s.mu*(lambda+0.5)
	return mean, math.Max(1, eps/mean), !s.reversed && mean > 0
}

// revivals of M: losses of hits have a standard deviation of about μ, and where that is much less than their mean, M is
// nearly periodic. end is the imaginary part of s up to which M may become large again, first the first period, and
// size how large M is there, relative to M(−λ).
func (l law) revivals(lambda, eps float64) (end, first, size float64) {
	first = math.Inf(1)
	for _, s := range l.samples {
		if mean, n, ok := s.jumps(lambda, eps); ok {
			w := 2 * math.Pi / mean
			end = math.Max(end, 7.5/s.mu/math.Sqrt(n))
			if s.mu > little {
				first = math.Min(first, w)
				size = math.Max(size, math.Exp(-w*w*s.mu*s.mu*n/2))
			}
		}
	}
	return end, first, size
}

// shift is the imaginary part of y on the path of a large z: above bend, from which on A^a falls, below π, where A is
// 0, and so small that e^(−x²/2) does not grow by much.
func (s *sample) shift(bend float64) float64 { return math.Min((0.7*math.Pi+bend)/2, 3*s.mu) }

// bend is the largest angle of contours. Periods of M grow on the left, if its deviation of all is not that of hits.
func (l law) bend(at saddle) float64 {
	out := 0.5
	for _, s := range l.samples {
		out = math.Min(out, s.shift(0)/2)
		if _, n, ok := s.jumps(at.lambda, at.eps); ok && s.mu > little {
			out = math.Min(out, 0.7*s.mu*math.Sqrt(n)*at.width)
		}
	}
	return out
}
