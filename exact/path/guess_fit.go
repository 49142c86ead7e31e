// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package path

import (
	"math"

	"dpverify/exact/double"
)

// degree is the degree of W, and ridge what keeps its coefficients small.
const (
	degree = 5
	ridge  = 1e-5
)

// fit chooses W, with about the least bound: the sum over some knots of the greatest h at some nodes, made smooth and
// convex in the coefficients, is made least by Newton's method, with less and less smoothing.
func (x *Bound) fit(order float64) polynomial {
	type term struct{ i, j int }
	var terms []term
	for i := range degree + 1 {
		for j := range degree + 1 - i {
			if i+j > 0 {
				terms = append(terms, term{i, j})
			}
		}
	}
	n := len(terms)
	const apart = pathCells / 32
	var nodes []node
	basis := make([]polynomial, n)
	for k, t := range terms {
		basis[k] = newPolynomial(degree)
		basis[k].c[t.i][t.j] = 1
	}
	for i := 0; i <= pathCells; i += apart {
		from, to := x.near(i)
		for j := from; ; j = min(to, (j/apart+1)*apart) {
			d := node{phi: double.Exp64(order*x.logs[i].Mid() + (1-order)*x.logs[j].Mid())}
			for _, b := range basis {
				d.u = append(d.u, x.slope[i].Mid()*b.along(0).at(x.nodes[i], x.nodes[j]))
				d.v = append(d.v, x.slope[j].Mid()*b.along(1).at(x.nodes[i], x.nodes[j]))
			}
			nodes = append(nodes, d)
			if j == to {
				break
			}
		}
	}
	knots := x.guessKnots(order, nodes[0].phi)
	coefficients := make([]float64, n)
	hs := make([]float64, len(nodes))
	row := make([]float64, n)
	value := func(c []float64, heat float64, gradient []float64, hessian [][]float64) float64 {
		sum := 0.0
		for k, t := range terms {
			sum += ridge * c[k] * c[k]
			if (t.i+t.j)%2 == 1 {
				sum -= 2 * c[k]
			}
			if gradient != nil {
				clear(hessian[k])
				gradient[k], hessian[k][k] = 2*ridge*c[k], 2*ridge
				if (t.i+t.j)%2 == 1 {
					gradient[k] -= 2
				}
			}
		}
		us, vs := make([]float64, len(nodes)), make([]float64, len(nodes))
		for m, d := range nodes {
			for k := range c {
				us[m] += d.u[k] * c[k]
				vs[m] += d.v[k] * c[k]
			}
		}
		mean := make([]float64, n)
		for _, s := range knots {
			tau := s.scale * heat
			if s.weight <= 0 {
				continue
			}
			high := math.Inf(-1)
			for m, d := range nodes {
				hs[m] = d.phi*s.power + us[m]*s.l + vs[m]
				high = max(high, hs[m])
			}
			total := 0.0
			for m := range hs {
				hs[m] = math.Exp((hs[m] - high) / tau)
				total += hs[m]
			}
			sum += s.weight * (high + tau*math.Log(total))
			if gradient == nil {
				continue
			}
			clear(mean)
			for m, d := range nodes {
				share := hs[m] / total
				if share < 1e-9 {
					continue
				}
				for k := range row {
					row[k] = d.u[k]*s.l + d.v[k]
					mean[k] += share * row[k]
				}
				for k := range row {
					f := s.weight / tau * share * row[k]
					for l := range k + 1 {
						hessian[k][l] += f * row[l]
					}
				}
			}
			for k := range mean {
				gradient[k] += s.weight * mean[k]
				for l := range k + 1 {
					hessian[k][l] -= s.weight / tau * mean[k] * mean[l]
				}
			}
		}
		return sum
	}
	gradient, hessian := make([]float64, n), make([][]float64, n)
	for k := range hessian {
		hessian[k] = make([]float64, n)
	}
	for heat := 0.1; heat > 2e-4; heat /= 3 {
		for range 12 {
			now := value(coefficients, heat, gradient, hessian)
			step := newton(hessian, gradient)
			slope := 0.0
			for k := range step {
				slope += step[k] * gradient[k]
			}
			if !(slope < -1e-6) {
				break
			}
			next := make([]float64, n)
			size := 1.0
			for range 20 {
				for k := range next {
					next[k] = coefficients[k] + size*step[k]
				}
				if value(next, heat, nil, nil) < now+size*slope/4 {
					copy(coefficients, next)
					break
				}
				size /= 2
			}
		}
	}
	w := newPolynomial(degree)
	for k, t := range terms {
		w.c[t.i][t.j] = coefficients[k]
	}
	return w
}

// A node is a place of h with what each coefficient has of U and V.
type node struct {
	phi  float64
	u, v []float64
}

// A knot is a ratio with its power, the weight of the greatest h there and about how great that is.
type knot struct{ l, power, weight, scale float64 }

// guessKnots are knots about evenly spaced where losses are, and what chords between them weigh: 1 in all, and in the
// mean 1, or what a W gains by that would have no end.
func (x *Bound) guessKnots(order, top float64) []knot {
	const apart = 5
	n := len(x.knots)
	var out []knot
	last := 0
	var p, q float64
	add := func(l float64) {
		power := math.Pow(l, order)
		out = append(out, knot{l, power, 0, top * (power + l/8 + 1.0/8)})
	}
	add(0)
	for k := 1; k < n; k++ {
		p, q = p+double.Of(x.cells[k-1].p).Mid(), q+double.Of(x.cells[k-1].q).Mid()
		left, right := x.knots[last], x.knots[k]
		if k+1 < n && (k-last < apart || q*top*(math.Pow(right, order)+1) < 1e-9) {
			continue
		}
		add(right)
		m := len(out)
		out[m-2].weight += (right*q - p) / (right - left)
		out[m-1].weight += (p - left*q) / (right - left)
		last, p, q = k, 0, 0
	}
	return out
}

// newton solves H·x = −g, with a little more on the diagonal of H, of which the lower half is given, by Cholesky.
func newton(h [][]float64, g []float64) []float64 {
	n := len(g)
	most := 0.0
	for k := range h {
		most = max(most, h[k][k])
	}
	for k := range h {
		h[k][k] += most*1e-11 + 1e-12
		for l := range k + 1 {
			sum := h[k][l]
			for m := range l {
				sum -= h[k][m] * h[l][m]
			}
			if k == l {
				h[k][k] = math.Sqrt(max(sum, most*1e-13+1e-300))
			} else {
				h[k][l] = sum / h[l][l]
			}
		}
	}
	x := make([]float64, n)
	for k := range x {
		x[k] = -g[k]
		for m := range k {
			x[k] -= h[k][m] * x[m]
		}
		x[k] /= h[k][k]
	}
	for k := n - 1; k >= 0; k-- {
		for m := k + 1; m < n; m++ {
			x[k] -= h[m][k] * x[m]
		}
		x[k] /= h[k][k]
	}
	return x
}
