// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package selection

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"sync"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Base is a pair of distributions of finitely many outputs, by falling ratio P/Q, none of them of more than a small
// mass.
type Base struct {
	law    Law
	p, q   []interval.Interval
	fp, fq []float64

	mu     sync.Mutex // of orders
	orders map[int]Order
}

// pieces an output of a great mass is cut into: an output with a random mark is another mechanism with the same
// profile, and its parts have places of their own.
const (
	pieceMass = 1.0 / 32
	halvings  = 24 // of the first output of finite ratio
)

// NewBase returns the base with the outcomes of a pair, those that are left out apart.
func NewBase(law Law, outcomes []pair.Outcome) *Base {
	b := &Base{law: law, orders: make(map[int]Order)}
	w := law.prec
	os := slices.Clone(outcomes)
	slices.SortStableFunc(os, func(x, y pair.Outcome) int { return cmp.Compare(ratio(y), ratio(x)) })
	add := func(p, q interval.Interval) {
		b.p, b.q = append(b.p, p), append(b.q, q)
		b.fp, b.fq = append(b.fp, near(p)), append(b.fq, near(q))
	}
	first := true
	for _, o := range os {
		p, q := o.P, o.Q
		if first && !q.IsZero() {
			for range halvings {
				p, q = w.Scale(p, -1), w.Scale(q, -1)
				add(p, q)
			}
			first = false
		}
		n := max(1, int64(math.Ceil(max(near(p), near(q))/pieceMass)))
		part := w.Rat(big.NewRat(1, n))
		for range n {
			add(w.Mul(p, part), w.Mul(q, part))
		}
	}
	return b
}

func ratio(o pair.Outcome) float64 {
	if o.Q.IsZero() {
		return math.Inf(1)
	}
	const p interval.Prec = 64
	return near(p.Div(o.P.Upper(), o.Q.Upper()))
}

// An Order lists the outputs, the best first.
type Order []int

// walk visits the outputs, the best first, with their probabilities under P and Q in float64.
func (b *Base) walk(o Order, visit func(i int, p, q float64)) {
	y, z := 0.0, 0.0
	for _, i := range o {
		visit(i, b.law.more(y, b.fp[i]), b.law.more(z, b.fq[i]))
		y, z = y+b.fp[i], z+b.fq[i]
	}
}

// more is the difference of Better at y + d and at y in float64.
func (l Law) more(y, d float64) float64 {
	if l.shape == nil {
		return -math.Exp(-l.fm*y) * math.Expm1(-l.fm*d)
	}
	x, step := math.Log1p(l.frho*y), math.Log1p(l.frho*d/(1+l.frho*y))
	if l.feta == 0 {
		return step / l.ft
	}
	return math.Exp(-l.feta*x) * math.Expm1(-l.feta*step) / math.Expm1(-l.feta*l.ft)
}

// Best returns an order for about e^eps. It is looked for once in a while only. Several goroutines may ask.
func (b *Base) Best(eps interval.Interval) Order {
	const apart = 1.0 / 16
	key := int(math.Round(near(eps) / apart))
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.orders[key]
	if !ok {
		alpha := math.Exp(float64(key) * apart)
		o = b.search(func(p, q float64) float64 { return max(0, p-float64(alpha*q)) })
		b.orders[key] = o
	}
	return o
}

// BestMoment returns an order for the moment of order 1 + t.
func (b *Base) BestMoment(t float64) Order {
	const far = 600 // a loss times t, of which the exponential is a number
	return b.search(func(p, q float64) float64 {
		if !(p > 0) {
			return 0
		}
		return p * math.Exp(min(t*math.Log(p/max(q, math.SmallestNonzeroFloat64)), far))
	})
}

// maxGroups bounds the outputs that an order is looked for by: neighbours are taken together.
const maxGroups = 256

// search looks for the order whose outputs have the greatest sum of gains, by what the best run has of them under P and
// Q. It chooses; what it chooses is bounded by others.
//
// Each place is given to what is left with the greatest ratio, or with the least: those of least ratio, where they come
// first, make f′(1 − y)/f′(1 − y′) greater for what comes after them. What is left after i of the first and j of the
// others is all that matters, so that the best choice is found by going backward from all outputs.
func (b *Base) search(gain func(p, q float64) float64) Order {
	n := len(b.p)
	m := min(n, maxGroups)
	start := func(g int) int { return g * n / m }
	type masses struct{ p, q float64 }
	plus := func(x, y masses) masses { return masses{x.p + y.p, x.q + y.q} }
	of := make([]masses, m)
	for g := range of {
		for i := start(g); i < start(g+1); i++ {
			of[g] = plus(of[g], masses{b.fp[i], b.fq[i]})
		}
	}
	up, down := make([]masses, m+1), make([]masses, m+1) // of the first groups, and of the last ones
	for g := range m {
		up[g+1], down[g+1] = plus(up[g], of[g]), plus(down[g], of[m-1-g])
	}
	low := make([][]bool, m) // by how many are taken, and of these the first ones: the next is the last that is left
	after := make([]float64, m+1)
	for s := m - 1; s >= 0; s-- {
		now := make([]float64, s+1)
		low[s] = make([]bool, s+1)
		for i := range s + 1 {
			at := plus(up[i], down[s-i])
			next := func(x masses) float64 { return gain(b.law.more(at.p, x.p), b.law.more(at.q, x.q)) }
			first, last := next(of[i])+after[i+1], next(of[m-1-s+i])+after[i]
			now[i], low[s][i] = max(first, last), last > first
		}
		after = now
	}
	out := make(Order, 0, n)
	for i, j := 0, 0; i+j < m; {
		g := i
		if low[i+j][i] {
			g = m - 1 - j
			j++
		} else {
			i++
		}
		for k := start(g); k < start(g+1); k++ {
			out = append(out, k)
		}
	}
	return out
}

// Delta encloses from below H_α of the best run by an order: of one set of outputs, for which P − αQ is
// greatest as far as float64 tells.
func (b *Base) Delta(o Order, alpha interval.Interval) interval.Interval {
	w := b.law.prec
	a := near(alpha)
	sum := interval.Int(0)
	y, z := interval.Int(0), interval.Int(0)
	inside := false
	edge := func(enter bool) {
		d := w.Sub(b.law.Better(interval.Clamp(y, 0, 1)), w.Mul(alpha, b.law.Better(interval.Clamp(z, 0, 1))))
		if enter {
			d = d.Neg()
		}
		sum = w.Add(sum, d)
	}
	b.walk(o, func(i int, p, q float64) {
		if wanted := p > a*q; wanted != inside {
			edge(wanted)
			inside = wanted
		}
		y, z = w.Add(y, b.p[i]), w.Add(z, b.q[i])
	})
	if inside {
		edge(false)
	}
	return interval.Max(interval.Int(0), sum.Lower())
}

// Pair returns a pair that the best run by an order dominates, in rationals.
//
// Its outputs have the probabilities a_i and b_i. The probabilities of P are rounded down and the probabilities of Q
// up, but for one output, which has what is missing: the one of least ratio, after rounding, together with others if it
// is too small. For each α the best set is without it, so that it has less of P and more of Q, or it is everything.
func (b *Base) Pair(o Order) (pair.Finite, bool) {
	const bits = 160
	w := b.law.prec
	unit := new(big.Int).Lsh(big.NewInt(1), bits)
	var ps, qs []*big.Rat
	y, z := interval.Int(0), interval.Int(0)
	better, other := interval.Int(0), interval.Int(0)
	for _, i := range o {
		y, z = w.Add(y, b.p[i]), w.Add(z, b.q[i])
		u, v := b.law.Better(interval.Clamp(y, 0, 1)), b.law.Better(interval.Clamp(z, 0, 1))
		p := interval.FloorScaled(interval.Max(interval.Int(0), w.Sub(u, better)), bits)
		q := interval.CeilScaled(interval.Max(interval.Int(0), w.Sub(v, other)), bits)
		better, other = u, v
		if p.Sign() > 0 || q.Sign() > 0 {
			ps, qs = append(ps, new(big.Rat).SetFrac(p, unit)), append(qs, new(big.Rat).SetFrac(q, unit))
		}
	}
	return roundedPair(ps, qs)
}

// roundedPair gives one output what is missing from 1.
func roundedPair(ps, qs []*big.Rat) (pair.Finite, bool) {
	type output struct{ p, q *big.Rat }
	outputs := make([]output, len(ps))
	for i := range ps {
		outputs[i] = output{ps[i], qs[i]}
	}
	less := func(a, b output) int { // by falling ratio
		return new(big.Rat).Mul(b.p, a.q).Cmp(new(big.Rat).Mul(a.p, b.q))
	}
	slices.SortStableFunc(outputs, less)
	one := big.NewRat(1, 1)
	for n := len(outputs) - 1; n > 0; n-- {
		last := output{new(big.Rat).Set(one), new(big.Rat).Set(one)}
		for _, x := range outputs[:n] {
			last.p.Sub(last.p, x.p)
			last.q.Sub(last.q, x.q)
		}
		if last.p.Sign() < 0 || last.q.Sign() <= 0 || less(outputs[n-1], last) > 0 {
			continue
		}
		var p, q []*big.Rat
		for _, x := range append(outputs[:n:n], last) {
			p, q = append(p, x.p), append(q, x.q)
		}
		return pair.NewFinite(p, q), true
	}
	return pair.Finite{}, false
}
