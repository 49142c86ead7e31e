// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"math/cmplx"
	"sync"

	"dpverify/exact/double"
)

// A table holds log A and log B at the points i/tableStep, |i| ≤ size, for choices of parameters.
type table struct {
	first  int              // the row of its first entry
	la, lb []float64        // one a row
	lg     []float64        // −log g, see thinning
	masses func() []float64 // φ·A/tableStep
	slopes func() []float64 // B′/B
}

// nearSize is the size of the tables that most questions need. Others take tableSize.
const nearSize = 32 * tableStep

// newTables returns tables of either size, which are made when they are asked for.
func (m *mixture) newTables() [2]func() *table {
	near := sync.OnceValue(func() *table { return m.newTable(nearSize, nil) })
	return [2]func() *table{near, sync.OnceValue(func() *table { return m.newTable(tableSize, near()) })}
}

// newTable returns a table that begins with the entries of a smaller one.
func (m *mixture) newTable(size int, inner *table) *table {
	n := 2*size + 1
	t := &table{first: tableSize - size, la: make([]float64, n), lb: make([]float64, n), lg: make([]float64, n)}
	for i := 0; i < n; i++ {
		if inner != nil && t.first+i == inner.first {
			copy(t.la[i:], inner.la)
			copy(t.lb[i:], inner.lb)
			copy(t.lg[i:], inner.lg)
			i += len(inner.la) - 1
			continue
		}
		x := t.point(i)
		t.la[i], t.lb[i] = logSumNear(m.doubleA, x), logSumNear(m.doubleB, x)
		if m.thinning.Thins() {
			t.lg[i] = real(m.thinning.About(complex(x, 0)))
		}
	}
	t.masses = sync.OnceValue(func() []float64 {
		out := make([]float64, n)
		for i := range out {
			x := t.point(i)
			out[i] = double.Exp64(t.la[i]-x*x/2) / (tableStep * rootTwoPi64)
		}
		return out
	})
	t.slopes = sync.OnceValue(func() []float64 {
		out := make([]float64, n)
		for i := range out {
			x := t.point(i)
			for _, c := range m.doubleB {
				mean := c.mean.Mid()
				out[i] += mean * double.Exp64(c.logProb.Mid()+float64(mean*(x-float64(mean/2)))-t.lb[i])
			}
		}
		return out
	})
	return t
}

// point returns the number of entry i.
func (t *table) point(i int) float64 { return point(t.first + i) }

// logSumNear is near log Σ p_i·e^{m_i·x − m_i²/2}.
func logSumNear(cs []doubleComponent, x float64) float64 {
	const few = 8
	var room [few]float64
	at, top := room[:0], math.Inf(-1)
	for i := range cs {
		mean := cs[i].mean.Mid()
		y := cs[i].logProb.Mid() + float64(mean*(x-float64(mean/2)))
		at, top = append(at, y), max(top, y)
	}
	if len(at) == 1 || math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	sum := 0.0
	for _, y := range at {
		if y -= top; y == 0 {
			sum++
		} else if y > negligible {
			sum += double.Exp64(y)
		}
	}
	return top + double.Log64(sum)
}

// windowAt is windowBeyond without the certainty about its ends, and a table that has its rows.
func (m *mixture) windowAt(lambda float64, bits int, nats float64) (w window, t *table, ok bool) {
	for _, of := range m.tables {
		t = of()
		if w, ok = m.windowIn(t, lambda, bits, nats); ok {
			break
		}
	}
	return w, t, ok
}

// windowIn is windowAt by a table, which has to hold all rows that it looks at.
func (m *mixture) windowIn(t *table, lambda float64, bits int, nats float64) (window, bool) {
	left, right := m.reach(double.Point(lambda))
	const longReach = 8 // from there on leftReach is worth its cost
	sharper := left >= longReach && meanRange(m.doubleB).Lo >= 0
	least := float64((1 + lambda) * meanRange(m.doubleA).Lo)
	within := func(i int) bool {
		x := -t.point(i)
		return x <= left+1 && (!sharper || x <= max(0, float64(lambda*t.slopes()[i])-least)+1)
	}
	weight := func(k int) float64 {
		x := t.point(k)
		return (1+lambda)*t.la[k] - lambda*t.lb[k] - x*x/2 - t.lg[k]
	}
	i, j := len(t.la)/2, len(t.la)/2
	peak := weight(i)
	for ; i >= 0 && within(i); i-- {
		peak = max(peak, weight(i))
	}
	for ; j < len(t.la) && t.point(j) <= right+1-m.thinning.Rate()*t.lg[j]/2; j++ { // −(log g)′ is ρ·log g on the right
		peak = max(peak, weight(j))
	}
	low := peak - float64(bits)*math.Ln2
	for i >= 0 && !(weight(i)+t.lg[i]/2 < low) {
		i--
	}
	for j < len(t.la) && !(weight(j)+t.lg[j]/2 < low-nats) {
		j++
	}
	if i < 0 || j >= len(t.la) || !isNumber(peak) {
		return window{}, false
	}
	from, to := i, j
	for from < to && weight(from+1)+t.lg[from+1]/2 < low {
		from++
	}
	for from < to && weight(to-1)+t.lg[to-1]/2 < low-nats {
		to--
	}
	return window{first: t.first + i, last: t.first + j, from: t.first + from, to: t.first + to, peak: peak}, true
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

// shiftedTerms is about the number of terms that shiftedRule.wordLine takes: those of a node fall with j, and are
// left out once they are small.
func (m *mixture) shiftedTerms(lambda *big.Rat, plan shiftedPlan, h float64, n int) float64 {
	const block, bits = 128, 160
	y, l := plan.b, complex(float64Of(lambda), 0)
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

// about is near the bound of N for the strip |Im z| ≤ b and |t| ≤ t, by one cell of four.
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
	sum := 0.0
	cells := s.between(maxStep)
	for i := every / 2; i < len(cells); i += every {
		c := cells[i]
		real := dot(c.b, cosB)
		turn := min(maxTurn, dot(c.a, sinA)/dot(c.a, cosA)+dot(c.b, sinB)/real)
		sum += double.Exp64(c.log.Hi - lambda*(double.Log64(real)+c.shift.Hi) + t*turn)
	}
	return sum * every / tableStep * double.Exp64(b*b/2)
}
