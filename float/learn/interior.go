// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Solution of a program. Of noise that falls Phi, one number in [0, 1] a cell, and Price are its dual: with any φ and
// w, δ + wU has a lower bound for all noise.
type Solution struct {
	Half  []float64
	Phi   []float64
	Price float64
	Gap   float64 // of primal and dual, relative
}

// An interior point of the linear program
//
//	least cost·x with Gx ≥ 0, equations·x = right
//
// with slacks s > 0 and prices y > 0 of the inequalities, and v of the equations.
type interior struct {
	rows
	x, s, y, v  []float64
	cost, right []float64
	equations   [][]float64
}

// start begins at x, which need not satisfy anything, with slacks of at least its own Gx.
func (p *interior) start(inequalities int) {
	p.s, p.y, p.v = make([]float64, inequalities), make([]float64, inequalities), make([]float64, len(p.equations))
	p.slacks(p.s, p.x)
	for i := range p.y {
		p.y[i] = 0.5
	}
}

// run is Mehrotra's predictor and corrector. It returns the solution with the least gap, which extract
// reads from the point. The error says that it did not converge.
func (p *interior) run(ctx context.Context, extract func() Solution) (Solution, error) {
	const steps, enough, patience = 120, 1e-10, 6
	best, worse := Solution{Gap: math.Inf(1)}, 0
	for range steps {
		if err := ctx.Err(); err != nil && best.Half == nil {
			return best, err
		}
		if sol := extract(); sol.Gap < best.Gap {
			best, worse = sol, 0
		} else {
			worse++
		}
		if best.Gap < enough || best.Gap < 1e-8 && worse > patience || ctx.Err() != nil || !p.step() {
			break
		}
	}
	if best.Gap > 1e-6 {
		return best, errors.New("learn: the linear program did not converge")
	}
	return best, nil
}

// gap is the relative gap between primal and dual, and what is missing to the equations and the slacks.
func (p *interior) gap() float64 {
	_, slack, equal := p.residuals()
	value := dot(p.cost, p.x)
	gap := math.Abs(value-dot(p.v, p.right)) / (math.Abs(value) + 1e-300)
	for e, x := range equal {
		if p.right[e] != 0 {
			x /= p.right[e]
		}
		gap += math.Abs(x)
	}
	for _, x := range slack {
		gap = math.Max(gap, math.Abs(x))
	}
	return gap
}

// residuals are the residuals of stationarity, of the slacks and of the equations.
func (p *interior) residuals() (dual, slack, equal []float64) {
	dual = make([]float64, len(p.x))
	p.prices(dual, p.y)
	for i := range dual {
		dual[i] = p.cost[i] - dual[i]
	}
	slack = make([]float64, len(p.s))
	p.slacks(slack, p.x)
	for i := range slack {
		slack[i] -= p.s[i]
	}
	equal = make([]float64, len(p.equations))
	for e, row := range p.equations {
		equal[e] = p.right[e]
		for i, a := range row {
			equal[e] -= a * p.x[i]
			dual[i] -= p.v[e] * a
		}
	}
	return dual, slack, equal
}

// step moves to the next interior point. It reports false where that is not possible any more.
func (p *interior) step() bool {
	weight := make([]float64, len(p.s))
	for i := range weight {
		weight[i] = p.y[i] / p.s[i]
	}
	if !p.factorise(weight) {
		return false
	}
	dual, slack, equal := p.residuals()
	columns := make([][]float64, len(p.equations)) // H⁻¹ of the equations' rows
	schur := mat.NewSymDense(len(p.equations), nil)
	for e := range columns {
		columns[e] = p.solve(p.equations[e])
		for f := range e + 1 {
			schur.SetSym(e, f, dot(p.equations[f], columns[e]))
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(schur) {
		return false
	}
	// direction of the Newton system with complementarity s·dy + y·ds = c:
	// dy = (c − y·ds)/s, ds = G·dx + slack, hence H·dx = Gᵀ((c − y·slack)/s) − dual + Aᵀdv.
	direction := func(c []float64) (dx, ds, dy, dv []float64) {
		ratio := make([]float64, len(p.s))
		for i := range ratio {
			ratio[i] = (c[i] - p.y[i]*slack[i]) / p.s[i]
		}
		r := make([]float64, len(p.x))
		p.prices(r, ratio)
		for i := range r {
			r[i] -= dual[i]
		}
		dx = p.solve(r)
		q := mat.NewVecDense(len(p.equations), nil)
		for e := range p.equations {
			q.SetVec(e, equal[e]-dot(p.equations[e], dx))
		}
		var z mat.VecDense
		solveInto(&z, &factor, q)
		dv = z.RawVector().Data
		for e, column := range columns {
			for i := range dx {
				dx[i] += dv[e] * column[i]
			}
		}
		ds = make([]float64, len(p.s))
		p.slacks(ds, dx)
		dy = make([]float64, len(p.s))
		for i := range ds {
			ds[i] += slack[i]
			dy[i] = (c[i] - p.y[i]*ds[i]) / p.s[i]
		}
		return dx, ds, dy, dv
	}
	mu := dot(p.s, p.y) / float64(len(p.s))
	c := make([]float64, len(p.s))
	for i := range c {
		c[i] = -p.s[i] * p.y[i]
	}
	_, ds, dy, _ := direction(c)
	a, b := reach(p.s, ds, 1), reach(p.y, dy, 1)
	after := 0.0
	for i := range c {
		after += (p.s[i] + a*ds[i]) * (p.y[i] + b*dy[i])
	}
	centre := math.Pow(after/float64(len(p.s))/mu, 3) * mu
	for i := range c {
		c[i] += centre - ds[i]*dy[i]
	}
	dx, ds, dy, dv := direction(c)
	a, b = reach(p.s, ds, 0.995), reach(p.y, dy, 0.995)
	if math.IsNaN(a) || math.IsNaN(b) || math.Max(a, b) < 1e-10 {
		return false
	}
	for i := range p.x {
		p.x[i] += a * dx[i]
	}
	for i := range p.s {
		p.s[i] += a * ds[i]
		p.y[i] += b * dy[i]
	}
	for e := range p.v {
		p.v[e] += b * dv[e]
	}
	return true
}

// reach returns the part, up to 1, of the longest step along d that leaves x positive.
func reach(x, d []float64, part float64) float64 {
	a := 1.0
	for i := range x {
		if d[i] < 0 {
			a = math.Min(a, -part*x[i]/d[i])
		}
		if math.IsNaN(d[i]) {
			return math.NaN()
		}
	}
	return a
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}
