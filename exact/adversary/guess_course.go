// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"cmp"
	"context"
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
	cells        []int     // in which the points of tables are
	rests        []float64 // and how much of a mass there goes on to the next point
	unit         float64   // from one to the next
}

// A stage are two steps, each of which stands for some steps: V before them, transformed, V after them, and how much ε
// grows where that does.
type stage struct {
	before         []complex128
	after, matters [2][]float64
	from           int64 // the earlier of the two: falls from stage to stage
}

// coursePoints are those of a course: the losses of one step are told apart that many steps have together.
const coursePoints = 1 << 13

// A leg is a few steps of a course, with one choice at each point.
type leg struct {
	from          int64
	ends          [2][]complex128 // of so many steps
	second        []bool          // the second end is the better one
	before, after []float64       // V and what one step makes of it, if that is kept
}

// legSteps is how many steps are before a leg for each of its own.
const legSteps = 32

// course follows so many steps, until ctx ends.
func (x *Records) course(ctx context.Context, g *grid, steps int64, delta float64, reach losses) (*course, error) {
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
	v := make([]float64, coursePoints)
	for i := range v {
		v[i] = max(0, -math.Expm1(float64(c.first-c.k+i)*c.delta)) * c.tilt[i]
	}
	one := [2][]complex128{c.transformed(c.sketch(corner{a: 4})), c.transformed(c.sketch(corner{b: 4}))}
	var legs []leg
	ends, size := one, int64(1)
	for j, next := int64(0), int64(0); j < steps; j += size {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if size > steps-j {
			ends, size = one, 1
		}
		if j >= legSteps*size && 2*size <= steps-j {
			ends, size = [2][]complex128{squares(ends[0]), squares(ends[1])}, 2*size
		}
		l := leg{from: j, ends: ends}
		before := c.spectrum(v)
		if j >= next {
			l.before = v
			l.after, _ = c.after(v, before, one)
			next = 2*j + 2
		}
		v, l.second = c.after(v, before, ends)
		legs = append(legs, l)
	}
	c.follow(legs, steps, c.found(v, delta))
	return c, nil
}

// squares are those of numbers.
func squares(x []complex128) (out []complex128) {
	for _, y := range x {
		out = append(out, double.Product(y, y))
	}
	return out
}

// after is V after steps that are the better one of the two ends at each point, and whether that is the second one.
func (c *course) after(old []float64, before []complex128, ends [2][]complex128) (v []float64, second []bool) {
	for i, b := range ends[1] {
		c.room[i] = ends[0][i] + complex(-imag(b), real(b))
	}
	double.Products(c.room, before, c.room)
	c.t.Backward(c.room)
	v, second = make([]float64, coursePoints), make([]bool, c.n)
	for i := range c.n {
		y := c.room[c.k+i] / coursePoints
		second[i] = imag(y) > real(y)
		v[c.k+i] = min(max(real(y), imag(y), old[c.k+i]), c.tilt[c.k+i])
	}
	low, high := v[c.k]/c.tilt[c.k], v[c.k+c.n-1]/c.tilt[c.k+c.n-1]
	for i := range c.k {
		v[i] = (1 - (1-low)*double.Exp64(float64(i-c.k)*c.delta)) * c.tilt[i]
		v[c.k+c.n+i] = high * c.tilt[c.k+c.n+i]
	}
	return v, second
}

// found finds the ε where V is δ, and returns by how much ε grows where V does.
func (c *course) found(v []float64, delta float64) []float64 {
	at := 1
	for at < c.n-2 && v[c.k+at]/c.tilt[c.k+at] > delta {
		at++
	}
	c.eps = float64(c.first+at) * c.delta
	slope := (double.Log64(v[c.k+at-1] / v[c.k+at+1] * c.tilt[c.k+at+1] / c.tilt[c.k+at-1])) / (2 * c.delta)
	p := make([]float64, c.n)
	p[at] = 1 / (v[c.k+at] * slope)
	return p
}

// follow goes back from what matters after all legs, and makes the stages of those of which V is kept.
func (c *course) follow(legs []leg, last int64, p []float64) {
	for _, l := range slices.Backward(legs) {
		if l.before != nil {
			m := make([]float64, c.n)
			for i, y := range p {
				m[i] = y * float64(last-l.from)
			}
			last = l.from
			spectrum, after := c.spectrum(l.before), l.after[c.k:c.k+c.n]
			if n := len(c.stages); n > 0 && c.stages[n-1].after[1] == nil {
				s := &c.stages[n-1]
				for i, y := range spectrum {
					s.before[i] += complex(-imag(y), real(y))
				}
				s.after[1], s.matters[1], s.from = after, m, l.from
			} else {
				s := stage{before: spectrum, from: l.from}
				s.after[0], s.matters[0] = after, m
				c.stages = append(c.stages, s)
			}
		}
		p = c.back(p, l)
	}
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

// back is how much V matters before a leg, from how much it does after: the two ends' parts are the real and the
// imaginary one.
func (c *course) back(p []float64, l leg) []float64 {
	clear(c.room)
	for i, x := range p {
		if l.second[i] {
			c.room[c.k+i] = complex(0, x)
		} else {
			c.room[c.k+i] = complex(x, 0)
		}
	}
	c.t.Forward(c.room)
	for i, a := range c.room {
		x, y := l.ends[0][i], l.ends[1][i] // of real numbers, which reversed have the conjugates
		c.room[i] = double.Product(a, complex(real(x)-imag(y), -imag(x)-real(y)))
	}
	c.t.Backward(c.room)
	out := make([]float64, c.n)
	for i := range out {
		out[i] = max(0, real(c.room[c.k+i])/coursePoints)
	}
	return out
}

// growsAll is about how much ε grows in some stages by a pair with these masses.
func (c *course) growsAll(mass []float64, stages []stage, keep bool) (sum float64) {
	of := c.transformed(mass)
	for i := range stages {
		sum += c.grows(of, &stages[i], keep)
	}
	return sum
}

// grows is about how much ε grows in a stage by a pair with masses that are transformed. If it is kept, then what grows
// by it does not grow again.
func (c *course) grows(of []complex128, s *stage, keep bool) (sum float64) {
	room := make([]complex128, coursePoints)
	double.Products(room, s.before, of)
	c.t.Backward(room)
	for k, after := range s.after {
		matters := s.matters[k]
		for i, old := range after {
			y := real(room[c.k+i]) / coursePoints
			if k == 1 {
				y = imag(room[c.k+i]) / coursePoints
			}
			if d := y - old; d > 0 {
				sum += d * matters[i]
				if keep {
					after[i] = y
				}
			}
		}
	}
	return sum
}

// line has tables on so many points from one on.
func (c *course) line(start, n int, delta float64) {
	c.unit = delta
	c.cells, c.rests = make([]int, n), make([]float64, n)
	for i := range n {
		c.cells[i], c.rests[i] = c.place(float64(start+i) * delta)
	}
}

// place is the number of the point before a loss, and how much of a mass there goes on to the next one.
func (c *course) place(loss float64) (int, float64) {
	x := loss / c.delta
	i := int(math.Floor(x))
	if i < -c.k || i >= c.k {
		return min(max(i+c.k, 0), 2*c.k), 0
	}
	return i + c.k, math.Expm1(-(x-float64(i))*c.delta) / math.Expm1(-c.delta)
}

// put adds a mass at a loss to those of the two points beside it.
func (c *course) put(mass []float64, loss, p float64) {
	i, far := c.place(loss)
	mass[i] += p * (1 - far)
	if far > 0 {
		mass[i+1] += p * far
	}
}

// of are the masses of a table on the line.
func (c *course) of(t Table) []float64 {
	mass := make([]float64, 2*c.k+2)
	for i, p := range t.mass {
		far := p * c.rests[i]
		mass[c.cells[i]] += p - far
		mass[c.cells[i]+1] += far
	}
	mass[2*c.k] += t.infinite
	return mass[:2*c.k+1]
}

// ofRow are about those of a table that has the profile. If it is sparse, there are chords between some points of what
// it makes of V: at most, that is what it makes if an eighth of each mass moves so far up, and about as much down.
func (c *course) ofRow(x profileRow, far bool) []float64 {
	n := len(x.h)
	t := Table{mass: make([]float64, n), infinite: x.h[n-1]}
	rho, next := double.Exp64(c.unit), 0.0
	down := double.Exp64(-sparse*c.unit) / 8
	put := func(i int, m float64) {
		if !far {
			t.mass[i] = m
			return
		}
		t.mass[max(i-sparse, 0)] += m * down
		t.mass[i] += m * (7./8 - down)
		t.mass[min(i+sparse, n-1)] += m / 8
	}
	for i := n - 1; i > 0; i-- {
		fall := x.h[i-1] - x.h[i]
		put(i, (rho*fall-next)/(rho-1))
		next = fall
	}
	put(0, 1-x.h[0]-next/(rho-1))
	return c.of(t)
}

// nearest is an order of rows: first that to which x is to be raised least.
func (c *course) nearest(x profileRow, rows []profileRow) []int {
	const skip = 4
	var weights []float64
	for i := 0; i < len(x.h); i += skip {
		weights = append(weights, double.Exp64(-float64(x.first+i)*c.unit/2))
	}
	order, raise := make([]int, len(rows)), make([]float64, len(rows))
	for k, y := range rows {
		order[k] = k
		for i, w := range weights {
			raise[k] += w * max(0, y.h[i*skip]-x.h[i*skip])
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
