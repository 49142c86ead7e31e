// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"cmp"
	"math"
	"slices"

	"dpverify/exact/double"
)

// A course is about what a run of samples goes through whose steps are the two ends of records, if it ends at the δ of
// interest. So it says about how much ε grows by a further pair that steps may be. Pairs are chosen by it; bounds hold
// whatever it says.
type course struct {
	rate, radius float64 // radius is μ of a Gaussian at the radius of the ball
	delta, eps   float64 // of a grid, and where the run has the δ
	first, n, k  int     // its points; losses of a step are within k points
	tilt         []float64
	t            *double.Transform
	room         []complex128
	stages       []stage
}

// A stage are two steps, each of which stands for some steps: V before them, transformed, V after them, and how much ε
// grows where that does.
type stage struct {
	before         []complex128
	after, matters [2][]float64
	part           float64 // of all steps, before the later of the two: falls from stage to stage
}

// coursePoints are those of a course.
const coursePoints = 1 << 11

// course follows so many steps.
func (x *Records) course(g *grid, steps int64, delta float64, reach losses) *course {
	c := &course{rate: double.Of(wide.Rat(x.Rate)).Mid(), radius: math.Sqrt(double.Of(wide.Rat(x.Mu2)).Mid()) / 2}
	from, far := float64(g.first)*g.delta, max(reach.up, reach.down)
	c.delta = (float64(g.n)*g.delta + 2*far) / (coursePoints - 8)
	c.k = int(far/c.delta) + 1
	c.n = coursePoints - 2*c.k
	c.first = int(math.Floor(from / c.delta))
	c.t, c.room = double.NewTransform(coursePoints), make([]complex128, coursePoints)
	for i := range coursePoints {
		c.tilt = append(c.tilt, double.Exp64(g.tilt/g.delta*c.delta*float64(c.first-c.k+i)))
	}
	ends := [2][]complex128{c.transformed(c.sketch(corner{a: 4})), c.transformed(c.sketch(corner{b: 4}))}
	v := make([]float64, coursePoints)
	for i := range v {
		v[i] = max(0, -math.Expm1(float64(c.first-c.k+i)*c.delta)) * c.tilt[i]
	}
	second := make([][]bool, steps)
	type kept struct {
		step          int64
		before, after []float64
	}
	var known []kept
	for j, next := int64(0), int64(0); j < steps; j++ {
		before := c.spectrum(v)
		for i, a := range before {
			b := ends[1][i]
			c.room[i] = double.Product(a, ends[0][i]+complex(-imag(b), real(b)))
		}
		c.t.Backward(c.room)
		second[j] = make([]bool, c.n)
		old := v
		v = make([]float64, coursePoints)
		for i := range c.n {
			y := c.room[c.k+i] / coursePoints
			second[j][i] = imag(y) > real(y)
			v[c.k+i] = min(max(real(y), imag(y), old[c.k+i]), c.tilt[c.k+i])
		}
		low, high := v[c.k]/c.tilt[c.k], v[c.k+c.n-1]/c.tilt[c.k+c.n-1]
		for i := range c.k {
			v[i] = (1 - (1-low)*double.Exp64(float64(i-c.k)*c.delta)) * c.tilt[i]
			v[c.k+c.n+i] = high * c.tilt[c.k+c.n+i]
		}
		if j == next {
			known = append(known, kept{j, old, v})
			next = max(next+1, next*8/5)
		}
	}
	at := 1
	for at < c.n-2 && v[c.k+at]/c.tilt[c.k+at] > delta {
		at++
	}
	c.eps = float64(c.first+at) * c.delta
	slope := (double.Log64(v[c.k+at-1] / v[c.k+at+1] * c.tilt[c.k+at+1] / c.tilt[c.k+at-1])) / (2 * c.delta)
	p := make([]float64, c.n)
	p[at] = 1 / (v[c.k+at] * slope)
	last := steps
	for j := steps - 1; j >= 0 && len(known) > 0; j-- {
		if x := known[len(known)-1]; x.step == j {
			m := make([]float64, c.n)
			for i, y := range p {
				m[i] = y * float64(last-j)
			}
			last, known = j, known[:len(known)-1]
			spectrum := c.spectrum(x.before)
			if n := len(c.stages); n > 0 && c.stages[n-1].after[1] == nil {
				s := &c.stages[n-1]
				for i, y := range spectrum {
					s.before[i] += complex(-imag(y), real(y))
				}
				s.after[1], s.matters[1] = x.after[c.k:c.k+c.n], m
			} else {
				s := stage{before: spectrum, part: float64(j) / float64(steps)}
				s.after[0], s.matters[0] = x.after[c.k:c.k+c.n], m
				c.stages = append(c.stages, s)
			}
		}
		p = c.back(p, second[j], ends)
	}
	return c
}

// spectrum transforms values.
func (c *course) spectrum(v []float64) []complex128 {
	out := make([]complex128, coursePoints)
	for i, x := range v {
		out[i] = complex(x, 0)
	}
	c.t.Forward(out)
	return out
}

// transformed transforms masses at losses from −k to k points.
func (c *course) transformed(mass []float64) []complex128 {
	v := make([]float64, coursePoints)
	for i, m := range mass {
		l := i - c.k
		v[(l+coursePoints)%coursePoints] = m * c.tilt[coursePoints/2+l] / c.tilt[coursePoints/2]
	}
	return c.spectrum(v)
}

// back is how much V matters before a step, from how much it does after.
func (c *course) back(p []float64, second []bool, ends [2][]complex128) []float64 {
	var parts [2][]float64
	for i := range parts {
		parts[i] = make([]float64, coursePoints)
	}
	for i, x := range p {
		if second[i] {
			parts[1][c.k+i] = x
		} else {
			parts[0][c.k+i] = x
		}
	}
	a, b := c.spectrum(parts[0]), c.spectrum(parts[1])
	for i := range a {
		x, y := ends[0][i], ends[1][i]
		a[i] = double.Product(a[i], complex(real(x), -imag(x))) + double.Product(b[i], complex(real(y), -imag(y)))
	}
	c.t.Backward(a)
	out := make([]float64, c.n)
	for i := range out {
		out[i] = max(0, real(a[c.k+i])/coursePoints)
	}
	return out
}

// grows is about how much ε grows by a pair with these masses, in steps before which there are such a part of all.
func (c *course) grows(mass []float64, from float64) (sum float64) {
	of, room := c.transformed(mass), make([]complex128, coursePoints)
	for _, s := range c.stages {
		if s.part < from {
			break
		}
		for i, x := range s.before {
			room[i] = double.Product(x, of[i])
		}
		c.t.Backward(room)
		for i := range c.n {
			y := room[c.k+i] / coursePoints
			if d := real(y) - s.after[0][i]; d > 0 {
				sum += d * s.matters[0][i]
			}
			if s.after[1] != nil {
				if d := imag(y) - s.after[1][i]; d > 0 {
					sum += d * s.matters[1][i]
				}
			}
		}
	}
	return sum
}

// put adds a mass at a loss to those of the two points beside it.
func (c *course) put(mass []float64, loss, p float64) {
	x := loss / c.delta
	i := int(math.Floor(x))
	if i < -c.k || i >= c.k {
		mass[min(max(i+c.k, 0), 2*c.k)] += p
		return
	}
	far := math.Expm1(-(x-float64(i))*c.delta) / math.Expm1(-c.delta)
	mass[i+c.k] += p * (1 - far)
	mass[i+c.k+1] += p * far
}

// of are the masses of a table on a grid.
func (c *course) of(t Table, delta float64) []float64 {
	mass := make([]float64, 2*c.k+1)
	for i, p := range t.mass {
		c.put(mass, float64(t.first+i)*delta, p)
	}
	mass[2*c.k] += t.infinite
	return mass
}

// ofRow are about those of a table that has the profile.
func (c *course) ofRow(x profileRow, delta float64) []float64 {
	mass := make([]float64, 2*c.k+1)
	rho, n := double.Exp64(delta), len(x.h)
	next := 0.0
	for i := n - 1; i >= 0; i-- {
		m := 1 - x.h[0] - next/(rho-1)
		if i > 0 {
			fall := x.h[i-1] - x.h[i]
			m, next = (rho*fall-next)/(rho-1), fall
		}
		c.put(mass, float64(x.first+i)*delta, m)
	}
	mass[2*c.k] += x.h[n-1]
	return mass
}

// nearest are the numbers of profiles, the one first that is to be raised least to be nowhere below x.
func (x profileRow) nearest(of []profileRow, delta float64) []int {
	const skip = 4
	var weights []float64
	for i := 0; i < len(x.h); i += skip {
		weights = append(weights, double.Exp64(-float64(x.first+i)*delta/2))
	}
	raise, order := make([]float64, len(of)), make([]int, len(of))
	for k, y := range of {
		order[k] = k
		for i, w := range weights {
			raise[k] += w * max(0, x.h[i*skip]-y.h[i*skip])
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(raise[i], raise[j]) })
	return order
}

// sketch are about the masses of the pair of a corner.
func (c *course) sketch(x corner) []float64 {
	reversed := x.a < x.b
	if reversed {
		x.a, x.b = x.b, x.a
	}
	long := c.radius * math.Sqrt(x.a)
	along := c.radius * x.product / math.Sqrt(x.a)
	up := math.Sqrt(max(c.radius*c.radius*x.b-along*along, 0))
	h, k := min(0.08, 0.16/max(long, 0.1)), 0.4/max(up, 1)
	from, to := min(0, along)-7, max(long, along)+7
	heights, low := int((up+10)/k)+1, -5.0
	if up < 1e-6 {
		heights, low = 1, 0
	}
	ws, bs := make([]float64, heights), make([]float64, heights)
	total := 0.0
	for j := range ws {
		y := low + k*float64(j)
		ws[j], bs[j] = double.Exp64(-y*y/2), double.Exp64(up*(y-up/2))
		total += ws[j]
	}
	mass := make([]float64, 2*c.k+1)
	for z := from; z < to; z += h {
		a := c.rate * double.Exp64(min(long*(z-long/2), 600))
		b := c.rate * double.Exp64(min(along*(z-along/2), 600))
		w := double.Exp64(-z*z/2) * h / math.Sqrt(2*math.Pi) / total
		for j := range ws {
			u, v := 1-c.rate+a, 1-c.rate+b*bs[j]
			if reversed {
				u, v = v, u
			}
			c.put(mass, double.Log64(u/v), w*ws[j]*u)
		}
	}
	return mass
}
