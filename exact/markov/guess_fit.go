// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"context"
	"math"

	"dpverify/exact/double"
	"dpverify/exact/least"
)

// A fit looks for a chain whose Gram matrix is at least G in the copositive order, and near it where that counts.
// Nothing rests on it: what it finds is tried by atMost.
type fit struct {
	cycle bool
	g, w  [][]float64 // G, and the derivative of δ by its entries
	most  float64     // the greatest entry of the diagonal of G
	load  []float64   // of each bin
	share [][]float64 // of what is above G beside the diagonal, what helps on it
	band  int         // the least distance at which G has next to nothing
}

func newFit(cycle bool, g, w [][]float64) *fit {
	f := &fit{cycle: cycle, g: g, w: w}
	for i := range g {
		f.most = max(f.most, g[i][i])
	}
	f.carry(0.05 * f.most)
	near := func(d int) bool { return d < len(g)/2 && g[0][d] > f.most/50 }
	for f.band = 1; near(f.band); f.band++ {
	}
	return f
}

// carry chooses the loads for a diagonal that is that of G and more.
func (f *fit) carry(more float64) {
	f.load = nil
	for i := range f.g {
		f.load = append(f.load, math.Sqrt(max((f.g[i][i]+more)/(f.most+more), 0.01)))
	}
}

// A shape is a chain before its diagonal is chosen: covariances lag·(1 + rho)²·rho^(d−1)·loads at distance d on a
// path, a link of a cycle that is weaker by a factor, and what is common.
type shape struct{ rho, lag, link, common float64 }

// nothing is what a logarithm is of next to nothing.
const nothing = -20

// byDistance chooses shares by numbers without limits: within the band, next to it, and beyond.
func (f *fit) byDistance(x []float64) {
	n := len(f.g)
	f.share = square(n)
	for i := range f.share {
		for j := range f.share {
			d := max(i-j, j-i)
			if f.cycle {
				d = min(d, n-d)
			}
			k := 0
			if d == f.band {
				k = 1
			} else if d > f.band {
				k = 2
			}
			f.share[i][j] = 1 / (1 + double.Exp64(-min(max(x[k], nothing), -nothing)))
		}
	}
}

// shape reads numbers without limits.
func (f *fit) shape(x []float64) (s shape, ok bool) {
	e := double.Exp64(2 * min(max(x[0], -1), 2))
	s.rho = (e - 1) / (e + 1)
	s.lag = f.most * double.Exp64(min(x[1], 2))
	s.link = 1 - double.Exp64(min(max(x[2], -20), -0.1))
	s.common = f.most * double.Exp64(min(x[3], 0))
	if x[3] <= nothing {
		s.common = 0
	}
	return s, s.rho > -0.3 && s.rho < 0.95 && (!f.cycle || s.link > 0.3)
}

// hidden returns the covariances of u_first … u_T, each of variance 1.
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
	sd := make([]float64, n)
	for i := range sd {
		sd[i] = math.Sqrt(out[i][i])
	}
	for i := range out {
		for j := range out {
			out[i][j] /= float64(sd[i] * sd[j])
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

// needed returns how much the diagonal has to be above that of G, for entries beside it.
func (f *fit) needed(o [][]float64, rounds int) float64 {
	n := len(o)
	r := square(n)
	for i := range r {
		for j := range r {
			if i != j {
				r[i][j] = f.helped(o, i, j)
			}
		}
	}
	return max(greatestEigenvalue(r, rounds), 0)
}

// helped is how much less than G an entry beside the diagonal is, or what is above G that helps on the diagonal.
func (f *fit) helped(o [][]float64, i, j int) float64 {
	x := f.g[i][j] - o[i][j]
	if x < 0 {
		x *= f.share[i][j]
	}
	return x
}

// divide chooses shares for entries beside the diagonal, such that little is needed on it: it takes steps along the
// eigenvector of the greatest eigenvalue, which it finds on the way.
func (f *fit) divide(o [][]float64) {
	n := len(o)
	v, before := make([]float64, n), f.share
	for i := range v {
		v[i] = 1 + 0.1*float64(i%3) + 0.01*float64(i%7)
	}
	mean := square(n)
	const steps, tries = 600, 6
	for k := range steps {
		for range tries {
			y, norm := make([]float64, n), 0.0
			for i := range y {
				y[i] = 0.5 * f.most * v[i] // so that it is the greatest in absolute value, too
				for j := range y {
					if i != j {
						y[i] += float64(f.helped(o, i, j) * v[j])
					}
				}
				norm += float64(y[i] * y[i])
			}
			for i := range v {
				v[i] = y[i] / math.Sqrt(norm)
			}
		}
		next, step := square(n), 4/(1+float64(k)/40)*float64(n)
		for i := range next {
			for j := range next {
				next[i][j] = f.share[i][j]
				if x := o[i][j] - f.g[i][j]; i != j && x > 0 {
					next[i][j] = min(max(next[i][j]+float64(float64(step*x/f.most)*float64(v[i]*v[j])), 0), 1)
				}
				if k >= steps/2 {
					mean[i][j] += next[i][j] / (steps / 2)
				}
			}
		}
		f.share = next
	}
	f.share = before
	was := f.needed(o, 100)
	if f.share = mean; f.needed(o, 100) > was {
		f.share = before
	}
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
		y := make([]float64, len(r))
		for i := range r {
			y[i] = inner(r[i], v)
		}
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
	_, hi = least.Halved(lo, hi, 45, func(x float64) bool {
		pivot := 0.0
		for i, a := range diagonal {
			pivot2 := a - x
			if i > 0 {
				pivot2 -= float64(beside[i-1]*beside[i-1]) / pivot
			}
			if pivot = pivot2; !(pivot < 0) {
				return true
			}
		}
		return false
	})
	return hi
}

// wanted returns the diagonal, over the loads squared, that is needed, or the least one that the shape can have, and
// how much it is above that of G.
func (f *fit) wanted(s shape, least [][]float64, rounds int) (d, more float64) {
	o := f.beside(s, least)
	more = f.needed(o, rounds)
	for i := range o {
		l2 := float64(f.load[i] * f.load[i])
		d = max(d, (f.g[i][i]+more-s.common)/l2, least[i][i]/l2)
	}
	return d, more
}

// beside adds what is common.
func (f *fit) beside(s shape, least [][]float64) [][]float64 {
	o := square(len(f.g))
	for i := range o {
		for j := range o {
			o[i][j] = least[i][j] + s.common
		}
	}
	return o
}

// loss is about how much more δ is by the shape, up to a factor.
func (f *fit) loss(x []float64) float64 {
	const far = 1e3
	s, ok := f.shape(x)
	if !ok {
		return far
	}
	root := math.Sqrt(s.lag)
	least := f.emitted(s, f.hidden(s), root, root)
	if len(x) > 4 {
		f.byDistance(x[4:])
	}
	d, _ := f.wanted(s, least, 25)
	sum := 0.0
	for i := range least {
		for j := range least {
			e := least[i][j] + s.common
			if i == j {
				e = float64(float64(d*f.load[i])*f.load[i]) + s.common
			}
			sum += float64(f.w[i][j] * (e - f.g[i][j]))
		}
	}
	return sum / f.most
}

// mostCommon is the number of bins up to which a part is tried that all have in common.
const mostCommon = 24

// search returns a chain that atMost accepts, or nil.
func (f *fit) search(ctx context.Context, enclosed [][]double.Interval) *Chain {
	var best fit
	var at []float64
	least := math.Inf(1)
	leastOf := func(s shape) [][]float64 { return f.emitted(s, f.hidden(s), math.Sqrt(s.lag), math.Sqrt(s.lag)) }
	// improve looks near x, and adapts the loads to what it finds.
	improve := func(x []float64) []float64 {
		x, _ = simplex(f.loss, x, 0.5, 250)
		if s, ok := f.shape(x); ok {
			_, more := f.wanted(s, leastOf(s), 25)
			f.carry(more)
		}
		if y := f.loss(x); y < least {
			best, at, least = *f, x, y
		}
		return x
	}
	rounds := 4
	if len(f.g) > mostCommon { // each of which takes long, and the later ones find little
		rounds = 2
	}
	for _, rho := range []float64{0.1, 0.45} {
		for _, common := range []float64{nothing, -6} {
			if common > nothing && len(f.g) > mostCommon {
				continue // what many bins have in common is little
			}
			x := []float64{math.Atanh(rho), -1.2, -2.3, common, 0, 0, 0}
			for range rounds {
				if ctx.Err() != nil {
					return nil
				}
				x = improve(x)
			}
		}
	}
	for range 3 {
		if at == nil || ctx.Err() != nil {
			return nil
		}
		*f = best
		s, _ := f.shape(at)
		f.divide(f.beside(s, leastOf(s)))
		improve(at[:4])
	}
	if at == nil {
		return nil
	}
	*f = best
	s, _ := f.shape(at)
	// The diagonal is moved until the chain is accepted.
	d, _ := f.wanted(s, leastOf(s), 200)
	for step := 1e-7 * f.most; step < f.most; step *= 1.6 {
		c := f.realise(s, d)
		if c == nil {
			return nil
		}
		if atMost(enclosed, c.Gram(), f.share) {
			return c
		}
		d += step
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
		c.Now[t], c.Before[t] = now*f.load[t], before*f.load[t]
	}
	c.Now[0], c.Before[0] = now*f.load[0], before*f.load[0]*s.link
	// The weaker link takes from the diagonal of bin 0, which u_0 gives back.
	y, x := c.Before[0], u[0][n-1]
	if rest := float64(float64(d*f.load[0])*f.load[0]) - float64(float64(y*y)*(1-float64(x*x))); rest > 0 {
		c.Now[0] = max(c.Now[0], math.Sqrt(rest)-float64(y*x))
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
