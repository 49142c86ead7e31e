// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// A scout is a law in float64, with about log E e^{|X|/2} of all copies, and the rate of weights of X < 0 or X > 0.
type scout struct{ mean, mu, grown, rate float64 }

func (s step) scout() scout {
	q, mu2, n := number.Float64(s.q), number.Float64(s.mu2), float64(s.count)
	l := scout{mean: math.Log(q/(1-q)) - mu2/2, mu: math.Sqrt(mu2), grown: -n * math.Log1p(-q) / 2, rate: 1}
	if s.replaced {
		l.grown, l.rate = n*q*(1+math.Exp(l.mean/2+mu2*5/8)), 2
	}
	return l
}

// nats is about the logarithm of the greatest Π|N_i|^{T_i}·|e^{sz}| where arg s = π/2 + alpha, by pivots.
func nats(steps []step, of []pivots, alpha, z float64) (most float64) {
	sin := math.Sin(alpha)
	for r := sin / 2; ; r *= 1.125 {
		sum, limit := -r*z, 0.0
		for i, s := range steps {
			_, size := of[i].near.choose(r * 1.125)
			sum += float64(s.count) * math.Log(size)
			limit += float64(s.count) * math.Log(of[i].near.all)
		}
		most = max(most, sum)
		if !(limit-r*z > most) {
			return most
		}
	}
}

// log is about log K(α).
func (l scout) log(alpha, rate float64) float64 {
	tan, cos := math.Tan(alpha), math.Cos(alpha)
	kappa, sum := -math.Log(cos), 0.0
	const fine, reach, most = 4, 8, 1 << 12
	for i := range most {
		t := l.mean - kappa + (float64(i)/fine-reach)*l.mu
		p := math.Log1p(math.Exp(t))
		c := alpha + p*tan
		d := max(0, t-l.mean, l.mean-kappa-t)
		y := math.Exp((c*c-d*d)/(2*l.mu*l.mu) + rate*p/cos)
		sum += y / fine
		if t > l.mean && y < 0x1p-20*sum {
			return math.Log(sum / math.Sqrt(2*math.Pi) / cos)
		}
	}
	return math.Inf(1)
}

// mostNodes bounds points and nodes: some 12 for each bit are usual, and 40 where hits are rare. Of replaced records
// the nodes next to 0 take as many again, and for many bits nothing else serves.
func mostNodes(bits interval.Prec) float64 {
	const few, many, from = 64, 128, 160
	if bits < from {
		return few * float64(bits)
	}
	return many * float64(bits)
}

// chooseLayout chooses a layout for z from 2^size on, whose errors are about 2^−bits. It reports false if it would have
// too many nodes.
func chooseLayout(steps []step, bits interval.Prec, size int) (c layout, ok bool) {
	const below = 20
	need := float64(bits) * math.Ln2
	z := math.Ldexp(1, size)
	grown, limit, best, most := z, 0.0, 0.0, 0.0 // grown is e^{2z/2} at most
	for _, s := range steps {
		grown += s.scout().grown
	}
	angle := int64(0)
	for _, i := range []int64{16, 14, 12, 10, 8, 6, 4, 3, 2, 1} {
		d := float64(i) / 64
		of, one, known, ends := make([]pivots, len(steps)), 0.0, true, 0.0
		for k, s := range steps {
			l := s.scout()
			one = max(one, l.log(3*d, l.rate)+math.Log(float64(s.count))+2)
			var ok bool
			of[k], ok = s.law(coarse).pivots(coarse.Scale(coarse.Rat(big.NewRat(i, 64)), 1))
			known = known && ok
			ends += float64(s.count) * math.Log(of[k].near.all)
		}
		if !known {
			continue
		}
		all := nats(steps, of, 2*d, z)
		off := max(all, grown) + 4
		if h := 2 * math.Pi * d / (need + max(one, off)); h > best {
			angle, best, most, limit = i, h, all, ends
		}
	}
	if !(best > 0x1p-12) {
		return c, false
	}
	m, e := math.Frexp(best)
	best = math.Ldexp(math.Floor(m*64)/64, e)
	d := float64(angle) / 64
	c.angle = big.NewRat(angle, 64)
	c.step = new(big.Rat).Mul(big.NewRat(int64(m*64), 64), interval.Pow2(e))
	c.first = int64(math.Floor(-below * math.Ln2 / best))
	c.order = int((need+grown+8)/((below-1)*math.Ln2)) + 1
	end := min(math.Log(max((need+most)/(z*math.Sin(d)), 1)), need+most) // |g| falls with 1/|s| where z is 0
	c.last = int64(math.Ceil(end / best))
	far := math.Exp(min(end, 700))
	c.falls[0] = fallSteps(0.5, (need+limit)/(z*math.Sin(2*d)))
	c.falls[1] = fallSteps(far, (need+limit)/(z*math.Sin(d)))
	for _, s := range steps {
		l := s.scout()
		alpha := 2 * d
		tan, cos := math.Tan(alpha), math.Cos(alpha)
		t := l.mean + math.Log(cos) - math.Sqrt(2*l.mu*l.mu*(need+4)+alpha*alpha)
		first := math.Log(math.Log1p(math.Exp(t)) / cos)
		if s.replaced {
			first = l.mean + math.Log(l.mu) - need - 4 - alpha*alpha/(2*l.mu*l.mu)
		}
		p := max(1, l.mean+1)
		for ; p < 1<<20; p *= 1 + 1.0/64 {
			far, turn := p-1-l.mean, alpha+p*tan
			slope := (far-tan*turn)/(l.mu*l.mu) - l.rate/cos
			if far > 0 && p*slope > 1 && (far*far-turn*turn)/(2*l.mu*l.mu)-l.rate*p/cos > need+4 {
				break
			}
		}
		first /= best
		last := math.Log(p/cos) / best
		if !(last-first < mostNodes(bits)) {
			return c, false
		}
		c.nodes = append(c.nodes, [2]int64{int64(math.Floor(first)), int64(math.Ceil(last))})
	}
	return c, float64(c.last-c.first) < mostNodes(bits)
}
