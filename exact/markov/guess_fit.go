// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"context"
	"math"

	"dpverify/exact/double"
)

// A fit looks for a chain whose Gram matrix is at most G, or at least G, in the copositive order, and near it where
// that counts. Nothing rests on it: what it finds is tried by atMost.
type fit struct {
	side  side
	cycle bool
	g, w  [][]float64 // G, and the derivative of δ by its entries
	most  float64     // the greatest entry of the diagonal of G
	load  []float64   // of each bin
}

func newFit(s side, cycle bool, g, w [][]float64) *fit {
	f := &fit{side: s, cycle: cycle, g: g, w: w}
	for i := range g {
		f.most = max(f.most, g[i][i])
	}
	y := s.sign() * 0.12 * f.most
	for i := range g {
		f.load = append(f.load, math.Sqrt(max((g[i][i]+y)/(f.most+y), 0.01)))
	}
	return f
}

// A shape is a chain before its diagonal is chosen: covariances lag·(1 + rho)²·rho^(d−1)·loads at distance d on a
// path, a link of a cycle that is weaker by a factor, the share of what is above G beside the diagonal that helps on
// it, and what is common.
type shape struct{ rho, lag, share, link, common float64 }

// shape reads numbers without limits.
func (f *fit) shape(x []float64) (s shape, ok bool) {
	e := double.Exp64(2 * min(max(x[0], -1), 2))
	s.rho = (e - 1) / (e + 1)
	s.lag = f.most * double.Exp64(min(x[1], 2))
	s.share = 1 / (1 + double.Exp64(-min(max(x[2], -20), 20)))
	s.link = 1 - double.Exp64(min(max(x[3], -20), -0.1))
	s.common = 0
	if len(x) > 4 {
		s.common = f.most * double.Exp64(min(max(x[4], -20), 0))
	}
	return s, s.rho > -0.3 && s.rho < 0.95 && (!f.cycle || s.link > 0.3)
}

// hidden returns the covariances of u_first … u_T; on a cycle scaled by 1 − ρ².
func (f *fit) hidden(s shape) [][]float64 {
	n := len(f.g)
	if !f.cycle {
		n++
	}
	powers := make([]float64, n+1)
	powers[0] = 1
	for i := range n {
		powers[i+1] = powers[i] * s.rho
	}
	c := square(n)
	for i := range c {
		for j := range c {
			d := max(i-j, j-i)
			c[i][j] = powers[d]
			if f.cycle {
				c[i][j] = (powers[d] + powers[n-d]) / (1 - powers[n])
			}
		}
	}
	if !f.cycle {
		return c
	}
	// The precision matrix of the cycle, over 1 − ρ², loses k at the link of 0 and n − 1: (C⁻¹ + kJ)⁻¹, J having 1 there.
	k := (1 - s.link) * s.rho / (1 - s.rho*s.rho)
	a, b := c[0][0], c[0][n-1]
	// (I + kJC)⁻¹kJ on the two places, by symmetry.
	p, m := k/(1+float64(k*(a+b))), -k/(1-float64(k*(a-b))) // for the sum and the difference
	out := square(n)
	for i := range c {
		for j := range c {
			up := float64((c[i][0]+c[i][n-1])*(c[0][j]+c[n-1][j])) / 2
			down := float64((c[i][0]-c[i][n-1])*(c[0][j]-c[n-1][j])) / 2
			out[i][j] = c[i][j] - float64(p*up) - float64(m*down)
		}
	}
	return out
}

// emitted returns the covariances of load_i·(now·u_i + before·u_{i−1}), of bins in order.
func (f *fit) emitted(s shape, u [][]float64, now, before float64) [][]float64 {
	n := len(f.g)
	out := square(n)
	at := func(i int) (a, b int, x, y float64) {
		switch {
		case !f.cycle:
			return i + 1, i, now, before
		case i == 0:
			return 0, n - 1, now, before * s.link
		}
		return i, i - 1, now, before
	}
	for i := range n {
		a, b, x, y := at(i)
		for j := range i + 1 {
			c, d, z, w := at(j)
			first := float64(z*u[a][c]) + float64(w*u[a][d])
			second := float64(z*u[b][c]) + float64(w*u[b][d])
			v := float64(x*first) + float64(y*second)
			out[i][j] = float64(v*f.load[i]) * f.load[j]
			out[j][i] = out[i][j]
		}
	}
	return out
}

// needed returns how much the diagonal has to be beyond that of G, on the side, for entries beside it.
func (f *fit) needed(o [][]float64, share float64, rounds int) float64 {
	n, sign := len(o), f.side.sign()
	r := square(n)
	for i := range r {
		for j := range r {
			if i == j {
				continue
			}
			x := float64(sign * (o[i][j] - f.g[i][j]))
			if x > 0 {
				x *= share
			}
			r[i][j] = -x
		}
	}
	return max(greatestEigenvalue(r, rounds), 0)
}

// greatestEigenvalue is about that, by the method of Lanczos.
func greatestEigenvalue(r [][]float64, rounds int) float64 {
	n := len(r)
	v, last := make([]float64, n), make([]float64, n)
	for i := range v {
		v[i] = 1 + 0.1*float64(i%3) + 0.01*float64(i%7)
	}
	var diagonal, beside []float64
	norm := math.Sqrt(inner(v, v))
	for range min(rounds, n) {
		for i := range v {
			v[i] /= norm
		}
		y := times(r, v)
		a := inner(v, y)
		for i := range y {
			y[i] -= float64(a*v[i]) + float64(norm*last[i])
		}
		diagonal = append(diagonal, a)
		last, v = v, y
		norm = math.Sqrt(inner(v, v))
		beside = append(beside, norm)
		if norm < 1e-12 {
			break
		}
	}
	// The tridiagonal matrix minus x has only pivots below 0 where x is above all eigenvalues.
	lo, hi := diagonal[0], diagonal[0]
	for i, a := range diagonal {
		reach := beside[i]
		if i > 0 {
			reach += beside[i-1]
		}
		lo, hi = max(lo, a), max(hi, a+reach)
	}
	for range 45 {
		x, pivot, above := (lo+hi)/2, 0.0, true
		for i, a := range diagonal {
			pivot2 := a - x
			if i > 0 {
				pivot2 -= float64(beside[i-1]*beside[i-1]) / pivot
			}
			if pivot = pivot2; !(pivot < 0) {
				above = false
				break
			}
		}
		if above {
			hi = x
		} else {
			lo = x
		}
	}
	return hi
}

// wanted returns the diagonal, over the loads squared, that the side needs, and the least one that the shape can have.
func (f *fit) wanted(s shape, least [][]float64, rounds int) (d, can float64) {
	n, sign := len(f.g), f.side.sign()
	o := square(n)
	for i := range o {
		for j := range o {
			o[i][j] = least[i][j] + s.common
		}
	}
	more := f.needed(o, s.share, rounds)
	for i := range o {
		l2 := float64(f.load[i] * f.load[i])
		x := (f.g[i][i] + float64(sign*more) - s.common) / l2
		if i == 0 || float64(sign*(x-d)) > 0 {
			d = x
		}
		can = max(can, least[i][i]/l2)
	}
	return d, can
}

// loss is about how much more, or less, δ is by the shape, up to a factor.
func (f *fit) loss(x []float64) float64 {
	const far = 1e3
	s, ok := f.shape(x)
	if !ok {
		return far
	}
	root := math.Sqrt(s.lag)
	least := f.emitted(s, f.hidden(s), root, root)
	d, can := f.wanted(s, least, 25)
	penalty := 0.0
	if d < can {
		if f.side == below {
			penalty = 30 * (can - d)
		}
		d = can
	}
	sum := 0.0
	for i := range least {
		for j := range least {
			e := least[i][j] + s.common
			if i == j {
				e = float64(float64(d*f.load[i])*f.load[i]) + s.common
			}
			sum += float64(f.w[i][j] * (e - f.g[i][j]))
			if i == j {
				sum += float64(float64(f.w[i][i]*penalty) * f.side.sign())
			}
		}
	}
	return float64(f.side.sign()*sum) / f.most
}

// mostCommon is the number of bins up to which a part is tried that all have in common.
const mostCommon = 24

// search returns a chain that atMost accepts, or nil.
func (f *fit) search(ctx context.Context, enclosed [][]double.Interval) *Chain {
	var best []float64
	least := math.Inf(1)
	for _, rho := range []float64{0.1, 0.45} {
		for _, common := range []bool{false, true} {
			if common && len(f.g) > mostCommon {
				continue // what many bins have in common is little
			}
			x := []float64{math.Atanh(rho), -1.2, 0, -2.3}
			if common {
				x = append(x, -6)
			}
			for range 2 {
				if ctx.Err() != nil {
					return nil
				}
				x, _ = simplex(f.loss, x, 0.3, 200)
			}
			if y := f.loss(x); y < least-1e-6 {
				best, least = x, y
			}
		}
	}
	s, ok := f.shape(best)
	if !ok {
		return nil
	}
	// The diagonal is moved until the chain is accepted.
	root := math.Sqrt(s.lag)
	d, can := f.wanted(s, f.emitted(s, f.hidden(s), root, root), 200)
	if f.side == above {
		d = max(d, can)
	} else if d < can {
		s.lag *= float64(d/can) * 0.999
		if d, can = f.wanted(s, f.emitted(s, f.hidden(s), math.Sqrt(s.lag), math.Sqrt(s.lag)), 200); d < can {
			return nil
		}
	}
	for step := 1e-7 * f.most; step < f.most; step *= 1.6 {
		c := f.realise(s, d)
		if c == nil {
			return nil
		}
		gram := c.Gram()
		if f.side == above && atMost(enclosed, gram, s.share) || f.side == below && atMost(gram, enclosed, s.share) {
			return c
		}
		d += float64(f.side.sign() * step)
	}
	return nil
}

// realise returns the chain of a shape with the diagonal d, over the loads squared, without what is common; nil if
// there is none.
func (f *fit) realise(s shape, d float64) *Chain {
	// now² + before² + 2·now·before·ρ = d, (now + before·ρ)(now·ρ + before) = lag·(1 + ρ)².
	product := float64(s.lag*(1+s.rho)) * (1 + s.rho)
	square1 := 1 - float64(s.rho*s.rho)
	plus, minus := float64(d*square1)+float64(2*(1+s.rho)*product), float64(d*square1)-float64(2*(1-s.rho)*product)
	if !(plus > 0) || minus < -1e-9*d {
		return nil
	}
	sum, difference := math.Sqrt(plus), math.Sqrt(max(minus, 0))
	now, before := (sum+difference)/2, (sum-difference)/2 // now + before·ρ, and now·ρ + before
	now, before = (now-float64(s.rho*before))/square1, (before-float64(s.rho*now))/square1
	n := len(f.g)
	if !f.cycle {
		c := &Chain{Common: s.common, Rho: make([]float64, n+1), First: make([]float64, n+1), Variance: make([]float64, n+1),
			Now: make([]float64, n+1), Before: make([]float64, n+1)}
		for t := 1; t <= n; t++ {
			c.Rho[t], c.Variance[t] = s.rho, square1
			c.Now[t], c.Before[t] = now*f.load[t-1], before*f.load[t-1]
		}
		return c
	}
	c := &Chain{Cycle: true, Common: s.common,
		Rho: make([]float64, n), First: make([]float64, n), Variance: make([]float64, n),
		Now: make([]float64, n), Before: make([]float64, n)}
	u := f.hidden(s)
	sd := make([]float64, n)
	for i := range sd {
		sd[i] = math.Sqrt(u[i][i])
	}
	for i := range u {
		for j := range u {
			u[i][j] /= float64(sd[i] * sd[j])
		}
	}
	for t := 1; t < n; t++ {
		// u_t given u_{t−1} and u_0.
		a, x, y := u[0][t-1], u[t-1][t], u[0][t]
		rest := 1 - float64(a*a)
		if t == 1 {
			c.Rho[t], c.Variance[t] = x, 1-float64(x*x)
		} else {
			c.Rho[t], c.First[t] = (x-float64(a*y))/rest, (y-float64(a*x))/rest
			c.Variance[t] = 1 - float64(c.Rho[t]*x) - float64(c.First[t]*y)
		}
		c.Now[t], c.Before[t] = now*f.load[t]*sd[t], before*f.load[t]*sd[t-1]
	}
	c.Now[0], c.Before[0] = now*f.load[0]*sd[0], before*f.load[0]*s.link*sd[n-1]
	if f.side == above {
		// The weaker link takes from the diagonal of bin 0, which u_0 gives back.
		y, x := c.Before[0], u[0][n-1]
		if rest := float64(float64(d*f.load[0])*f.load[0]) - float64(float64(y*y)*(1-float64(x*x))); rest > 0 {
			c.Now[0] = max(c.Now[0], math.Sqrt(rest)-float64(y*x))
		}
	}
	return c
}

// Nearby is one of few ε > 0, near eps, to choose chains for.
func Nearby(eps float64) float64 {
	const least, most = 0.02, 80
	steps := math.Floor(double.Log64(min(max(eps, least), most))/double.Log64(1.5) + 0.5)
	return double.Exp64(float64(steps * double.Log64(1.5)))
}

// isCycle reports whether the first and the last bin are correlated as neighbours are.
func isCycle(g [][]float64) bool {
	n := len(g)
	return n > 2 && g[0][n-1] > g[0][1]/4
}

// A kind is what chains are looked for.
type kind struct {
	side  side
	cycle bool
}

// kindsOf are those that are worth their work: on a path u_0 takes no layers, so that its lattices are finer, and all
// that it costs from below is the correlation of the last bins with the first ones. From above that would be moved to
// the diagonal, where it is too much.
func kindsOf(g [][]float64) []kind {
	const few = 12 // bins: of more, the ends do not count
	path := kind{below, false}
	switch {
	case !isCycle(g):
		return []kind{path, {above, false}}
	case len(g) < few:
		return []kind{path, {below, true}, {above, true}}
	}
	return []kind{path, {above, true}}
}
