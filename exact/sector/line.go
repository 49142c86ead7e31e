// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"context"

	"dpverify/exact/interval"
)

// A line is Φ(s_j)/(1 + s_j), j = j₀ … j₁, and Φ next to 0.
type line struct {
	layout
	w      interval.Prec
	points []interval.Complex // s_j
	values []interval.Complex
	near   []interval.Interval // coefficients of Φ at 0
	grown  interval.Interval   // at least Π(E e^{|X|/2})^T
	border fall                // of |g| on the left border of the strip, from |s| = ½ on
	end    fall                // of |g| behind the last point
}

// newLine returns the line of a layout, or nil if that has none.
//
// As s_j·X_k = e^{(j+k)h}·ie^{−id}, the rule of a kind of steps is a correlation with e_m = exp(−e^{mh}·(sin d + i·cos
// d)), at all points at once. For X < 0, e^{s_j·X_k} is the conjugate of e_{j+k}, and a_k is real.
func newLine(ctx context.Context, steps []step, w interval.Prec, c layout) (*line, error) {
	if !c.valid() || len(c.nodes) != len(steps) {
		return nil, nil
	}
	l := &line{layout: c, w: w, grown: one, near: []interval.Interval{one}}
	from, to := int64(0), int64(0)
	for _, k := range c.nodes {
		from, to = min(from, k[0]), max(to, k[1])
	}
	sin, cos := w.SinCos(w.Rat(c.angle))
	falls, up := interval.Complex{Re: sin.Neg(), Im: cos.Neg()}, interval.Complex{Re: sin.Neg(), Im: cos}
	waves := make([]interval.Complex, c.last-c.first+to-from+1)
	for i := range waves {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		waves[i] = w.ExpC(w.ScaleC(c.at(w, c.first+from+int64(i)), falls))
	}
	for j := c.first; j <= c.last; j++ {
		s := w.ScaleC(c.at(w, j), up)
		l.points = append(l.points, s)
		l.values = append(l.values, w.InvC(w.AddC(interval.Complex{Re: one}, s)))
	}
	var all []pivots
	for i, s := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		first, last := c.nodes[i][0], c.nodes[i][1]
		rules := []rule{s.rule(w, c, first, last)}
		if s.replaced {
			rules = append(rules, s.mirror(w, c, first, last))
		}
		sums, own := make([]interval.Complex, len(l.points)), make([]interval.Interval, c.order+1)
		for _, r := range rules {
			part, ok := correlate(w, r.weights, waves[first-from:last-from+c.last-c.first+1])
			if !ok {
				return nil, nil
			}
			miss := interval.Union(r.err.Neg(), r.err)
			for j, z := range part {
				if r.sign < 0 {
					z = z.Conj()
				}
				sums[j] = w.AddC(sums[j], w.AddC(z, interval.Complex{Re: miss, Im: miss}))
			}
			for n, y := range r.coefficients(w, c.order) {
				own[n] = w.Add(own[n], y)
			}
		}
		for j, z := range sums {
			l.values[j] = w.MulC(l.values[j], w.PowIntC(z, s.count))
		}
		for n := s.count; n > 0; n >>= 1 {
			if n&1 == 1 {
				l.near = times(w, l.near, own, c.order)
			}
			own = times(w, own, own, c.order)
		}
		rough := s.law(coarse)
		l.grown = coarse.Mul(l.grown, coarse.PowInt(rough.grown(s), s.count)).Upper()
		y, ok := rough.pivots(coarse.Scale(coarse.Rat(c.angle), 1))
		if !ok {
			return nil, nil
		}
		all = append(all, y)
	}
	d := coarse.Rat(c.angle)
	l.border = newFall(steps, all, coarse.Scale(d, 1), coarse.Scale(one, -1), c.falls[0])
	l.end = newFall(steps, all, d, l.at(coarse, l.last), c.falls[1])
	return l, nil
}

// times multiplies two series, up to an order.
func times(w interval.Prec, a, b []interval.Interval, order int) []interval.Interval {
	out := make([]interval.Interval, order+1)
	for i, x := range a {
		for j, y := range b[:min(len(b), order+1-i)] {
			out[i+j] = w.Add(out[i+j], w.Mul(x, y))
		}
	}
	return out
}

// integral encloses I for z ≥ 0, by claims 2 and 3.
func (l *line) integral(ctx context.Context, z interval.Interval) (sum interval.Interval, err error) {
	w := l.w
	if z.Negative() != interval.False {
		return interval.Entire(), nil
	}
	for j, s := range l.points {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		sum = w.Add(sum, w.MulC(w.ExpC(w.ScaleC(z, s)), l.values[j]).Im)
	}
	h, d := w.Rat(l.step), w.Rat(l.angle)
	beta := w.Add(w.Scale(w.Pi(), -1), d)
	most := coarse.Scale(coarse.Mul(coarse.Exp(coarse.Scale(z, -1)), l.grown), 1) // M
	sum = w.Add(sum, l.left(z, beta, most))
	sum = w.Div(w.Add(beta, w.Mul(h, sum)), w.Pi())

	off := coarse.Add(l.border.integral(z), coarse.Add(coarse.Scale(most, 1), interval.Int(4)))
	off = coarse.Mul(off, l.beside())
	off = coarse.Add(off, l.end.terms(z, coarse.Rat(l.step)))
	off = coarse.Div(off, coarse.Pi()).Upper()
	return w.Add(sum, interval.Union(off.Neg(), off)), nil
}

// left encloses the terms before the first point.
func (l *line) left(z, beta, most interval.Interval) (sum interval.Interval) {
	w, m := l.w, l.order
	h := w.Rat(l.step)
	other := make([]interval.Interval, m+1) // of e^{sz}/(1+s)
	power := one                            // z^n/n!
	for n := range other {
		other[n] = power
		if n > 0 {
			other[n] = w.Sub(power, other[n-1])
		}
		power = w.Div(w.Mul(power, z), interval.Int(int64(n)+1))
	}
	// over is Σ_{j<j₀} e^{njh}.
	over := func(w interval.Prec, n int) interval.Interval {
		h, count := w.Rat(l.step), interval.Int(int64(n))
		return w.Div(w.Exp(w.Mul(count, w.Mul(h, interval.Int(l.first)))), w.Expm1(w.Mul(count, h)))
	}
	for n, y := range times(w, l.near, other, m)[1:] {
		sum = w.Add(sum, w.Mul(y, w.Mul(w.Sin(w.Mul(interval.Int(int64(n)+1), beta)), over(w, n+1))))
	}
	y := coarse.Scale(l.at(coarse, l.first-1), 1)
	if y.Less(one) != interval.True {
		return interval.Entire()
	}
	rest := coarse.Expm1(coarse.Mul(interval.Int(int64(m)+1), coarse.Round(h)).Neg()).Neg()
	rest = coarse.Div(coarse.PowInt(y, int64(m)+1), coarse.Mul(rest, coarse.Sub(one, y)))
	rest = coarse.Mul(rest, most).Upper()
	return w.Add(sum, interval.Union(rest.Neg(), rest))
}
