// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"math/cmplx"

	"dpverify/exact/double"
	"dpverify/exact/inversion/likely"
)

// newTables returns tables of m for choices of parameters.
func (m *mixture) newTables() likely.Tables {
	normals := func(cs []doubleComponent) (out []likely.Normal) {
		for _, c := range cs {
			out = append(out, likely.Normal{Mean: c.mean.Mid(), LogProb: c.logProb.Mid()})
		}
		return out
	}
	var g func(x float64) float64
	if m.thinning.Thins() {
		g = func(x float64) float64 { return real(m.thinning.About(complex(x, 0))) }
	}
	return likely.NewTables(normals(m.doubleA), normals(m.doubleB), g)
}

// windowAt is windowBeyond without the certainty about its ends, and a table that has its rows.
func (m *mixture) windowAt(lambda float64, bits int, nats float64) (w window, t *likely.Table, ok bool) {
	for _, of := range m.tables {
		t = of()
		if w, ok = m.windowIn(t, lambda, bits, nats); ok {
			break
		}
	}
	return w, t, ok
}

// windowIn is windowAt by a table, which has to hold all rows that it looks at.
func (m *mixture) windowIn(t *likely.Table, lambda float64, bits int, nats float64) (window, bool) {
	left, right := m.reach(double.Point(lambda))
	const longReach = 8 // from there on leftReach is worth its cost
	sharper := left >= longReach && meanRange(m.doubleB).Lo >= 0
	least := float64((1 + lambda) * meanRange(m.doubleA).Lo)
	within := func(i int) bool {
		x := -t.Point(i)
		return x <= left+1 && (!sharper || x <= max(0, float64(lambda*t.Slopes()[i])-least)+1)
	}
	weight := func(k int) float64 {
		x := t.Point(k)
		return (1+lambda)*t.A[k] - lambda*t.B[k] - x*x/2 - t.G[k]
	}
	i, j := len(t.A)/2, len(t.A)/2
	peak := weight(i)
	for ; i >= 0 && within(i); i-- {
		peak = max(peak, weight(i))
	}
	for ; j < len(t.A) && t.Point(j) <= right+1-m.thinning.Rate()*t.G[j]/2; j++ { // −(log g)′ is ρ·log g on the right
		peak = max(peak, weight(j))
	}
	low := peak - float64(bits)*math.Ln2
	for i >= 0 && !(weight(i)+t.G[i]/2 < low) {
		i--
	}
	for j < len(t.A) && !(weight(j)+t.G[j]/2 < low-nats) {
		j++
	}
	if i < 0 || j >= len(t.A) || !isNumber(peak) {
		return window{}, false
	}
	from, to := i, j
	for from < to && weight(from+1)+t.G[from+1]/2 < low {
		from++
	}
	for from < to && weight(to-1)+t.G[to-1]/2 < low-nats {
		to--
	}
	return window{first: t.First + i, last: t.First + j, from: t.First + from, to: t.First + to, peak: peak}, true
}

// widerWindow is window for bounds that count what is outside by the worst of it, which may be e^nats larger.
// Where λ is so large that A^{1+λ}·B^{−λ} falls like e^{−e^x} on the right, a few more rows make up for that.
// Elsewhere more rows gain nothing.
func (m *mixture) widerWindow(lambda *big.Rat, bits int, nats float64) (window, bool) {
	const longReach = 64
	left, _ := m.reach(double.Of(coarse.Rat(lambda)))
	if left > longReach && meanRange(m.doubleB).Lo >= 0 && isNumber(nats) {
		if w, ok := m.windowBeyond(lambda, bits, nats); ok {
			return w, true
		}
	}
	return m.window(lambda, bits)
}

// shiftedTerms is about the number of terms that shiftedPlan.wordLine takes: those of a node fall with j, and are
// left out once they are small.
func (m *mixture) shiftedTerms(lambda *big.Rat, plan shiftedPlan, h float64, n int) float64 {
	const block, bits = 128, 160
	y, l := plan.b, complex(double.Near(lambda), 0)
	if up, _ := m.apart(); up {
		y = -y
	}
	var sizes, turns []float64
	top := math.Inf(-1)
	for i := math.Floor(point(plan.first) / plan.step); i <= math.Ceil(point(plan.last)/plan.step); i++ {
		z := complex(i*plan.step, y)
		la, lb := shiftedLog(m.doubleA, z), shiftedLog(m.doubleB, z)
		size := real((1+l)*la - l*lb - z*z/2 - m.thinning.About(z))
		top = max(top, size)
		sizes, turns = append(sizes, size), append(turns, h*(math.Abs(imag(la))+math.Abs(imag(lb))))
	}
	terms := 0.0
	for k, size := range sizes {
		if left := size - top + bits*math.Ln2; left > 0 {
			terms += min(left/turns[k]+block, float64(n+1))
		}
	}
	return terms
}

// shiftedLog is near log A or log B at z.
func shiftedLog(cs []doubleComponent, z complex128) complex128 {
	exponents := make([]complex128, len(cs))
	shift := math.Inf(-1)
	for k, c := range cs {
		mean := c.mean.Mid()
		exponents[k] = complex(c.logProb.Mid(), 0) + complex(mean, 0)*(z-complex(mean/2, 0))
		shift = max(shift, real(exponents[k]))
	}
	var sum complex128
	for _, e := range exponents {
		sum += cmplx.Exp(e - complex(shift, 0))
	}
	return cmplx.Log(sum) + complex(shift, 0)
}

// about is near logBound, by one cell of four.
func (s *strip) about(t, b float64) float64 {
	const every = 4
	circles := func(cs []doubleComponent) (cos, sin []float64) {
		for _, c := range cs {
			x, y := double.Cis64(c.mean.Mid() * b)
			cos, sin = append(cos, x), append(sin, math.Abs(y))
		}
		return cos, sin
	}
	dot := func(terms []double.Interval, by []float64) (sum float64) {
		for i, x := range terms {
			sum += x.Hi * by[i]
		}
		return sum
	}
	cosA, sinA := circles(s.doubleA)
	cosB, sinB := circles(s.doubleB)
	lambda, maxTurn := s.lambda.Hi, s.maxTurn(double.Point(b)).Hi
	cells := s.between(maxStep)
	var logs []float64
	for i := every / 2; i < len(cells); i += every {
		c := cells[i]
		real := dot(c.b, cosB)
		turn := min(maxTurn, dot(c.a, sinA)/dot(c.a, cosA)+dot(c.b, sinB)/real)
		logs = append(logs, c.log.Hi-lambda*(double.Log64(real)+c.shift.Hi)+t*turn)
	}
	sum := likely.LogSum(len(logs), func(i int) float64 { return logs[i] })
	return sum + double.Log64(float64(every)/tableStep) + b*b/2
}
