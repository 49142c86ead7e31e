// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// A scout is a law in float64.
type scout struct{ mean, mu float64 }

func (s step) scout() scout {
	q, mu2 := number.Float64(s.q), number.Float64(s.mu2)
	return scout{math.Log(q/(1-q)) - mu2/2, math.Sqrt(mu2)}
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

// nodesPerBit bounds points and nodes: some 12 are usual, and 40 where hits are rare.
const nodesPerBit = 64

// chooseLayout chooses a layout for z from 2^size on, whose errors are about 2^−bits. It reports false if it would have
// too many nodes.
func chooseLayout(steps []step, bits interval.Prec, size int) (c layout, ok bool) {
	const widest, below = 16, 20
	need := float64(bits) * math.Ln2
	z := math.Ldexp(1, size)
	edge := 0.0
	for _, s := range steps {
		edge += float64(s.count) * math.Log1p(-number.Float64(s.q))
	}
	angle, best, most := int64(0), 0.0, 0.0
	for i := int64(widest); i > 0; i-- {
		d := float64(i) / 64
		all, one := 0.0, 0.0
		for _, s := range steps {
			l := s.scout()
			all += float64(s.count) * l.log(2*d, 0)
			one = max(one, l.log(3*d, 1)+math.Log(float64(s.count))+2)
		}
		off := max(all, z-edge/2) + 4 // e^{2z/2} at most
		if h := 2 * math.Pi * d / (need + max(one, off)); h > best {
			angle, best, most = i, h, all
		}
	}
	if !(best > 0x1p-12) {
		return c, false
	}
	m, e := math.Frexp(best)
	best = math.Ldexp(math.Floor(m*64)/64, e)
	c.angle = big.NewRat(angle, 64)
	c.step = new(big.Rat).Mul(big.NewRat(int64(m*64), 64), interval.Pow2(e))
	c.first = int64(math.Floor(-below * math.Ln2 / best))
	c.order = int((need+z-edge/2+8)/((below-1)*math.Ln2)) + 1
	far := max((need+most)/(z*math.Sin(float64(angle)/64)), 1)
	c.last = int64(math.Ceil(math.Log(far) / best))
	for _, s := range steps {
		l := s.scout()
		alpha := float64(angle) / 32
		tan, cos := math.Tan(alpha), math.Cos(alpha)
		t := l.mean + math.Log(cos) - math.Sqrt(2*l.mu*l.mu*(need+4)+alpha*alpha)
		first := math.Log(math.Log1p(math.Exp(t))/cos) / best
		p := max(1, l.mean+1)
		for ; p < 1<<20; p *= 1 + 1.0/64 {
			far, turn := p-0.5-l.mean, alpha+p*tan
			slope := (far-tan*turn)/(l.mu*l.mu) - 1/cos
			if far > 0 && p*slope > 1 && (far*far-turn*turn)/(2*l.mu*l.mu)-p/cos > need+4 {
				break
			}
		}
		last := math.Log(p/cos) / best
		if !(last-first < nodesPerBit*float64(bits)) {
			return c, false
		}
		c.nodes = append(c.nodes, [2]int64{int64(math.Floor(first)), int64(math.Ceil(last))})
	}
	return c, c.last-c.first < nodesPerBit*int64(bits)
}
