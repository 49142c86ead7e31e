// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"context"
	"math"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
)

// A row is the masses of sums at the places from lo on.
type row struct {
	lo           int
	mass         []float64
	total, whole float64 // about all masses, and all masses times their sums
}

// count fills in what a row has in all. These are sums of fewer than 2^20 numbers ≥ 0: where they are left out they
// count for as much as the masses themselves, and generous covers their rounding.
func (r *row) count(p *plan) {
	r.total, r.whole = 0, 0
	for i, m := range r.mass {
		r.total += m
		r.whole += float64(m * p.places[r.lo+i])
	}
}

// A state is the masses by the number of u_t, and by layer, which is the number of u_0 on a cycle.
type state [][]row

// A law bounds the law of the sum of all exp(V_i − variance/2) from above: masses at places. A mass is within a factor
// e^±slack of what it stands for; sums are within the factor 1 ± bent, and miss units.
type law struct {
	*plan
	mass      []float64
	slack     float64
	bent      float64
	lost, far float64    // the Q-mass, and the P-mass, of what is left out,
	over      [2]float64 // and of sums beyond the last place, with what they have yet to come
}

// share is about the mass that a step t to a number of u_t has from a centre, 0 beyond the reach.
func (p *plan) share(t int, x, centre float64) float64 {
	d := x - centre
	if d < -p.reach[t] || d > p.reach[t] {
		return 0
	}
	return p.tables[t].at(d)
}

// centres are about those of a step t, by the number of u_{t−1} and the layer, and a bound of how far distances from
// them are off.
func (p *plan) centres(t int) (out [][]float64, off float64) {
	out = make([][]float64, p.sources(t).n)
	for k := range out {
		x := double.Point(p.Rho[t]).Mul(double.Point(p.sources(t).at(k)))
		for z := range p.layers() {
			c := x.Add(double.Point(p.First[t]).Mul(double.Point(p.layer(z))))
			out[k] = append(out[k], c.Mid())
			off = max(off, c.Hi-c.Lo)
		}
	}
	return out, off + float64(4*ulp*p.reach[t])
}

// start returns the masses of u_0, and a bound of their relative errors.
func (p *plan) start() ([]float64, float64) {
	out, err := make([]float64, p.zs.n), 0.0
	for k := range out {
		var e float64
		out[k], e = p.bell0.at(double.Point(p.zs.at(k)))
		err = max(err, e)
	}
	return out, err
}

// term is exp(V_i − variance/2) in units, an integer, where V_i = Now_i·x + Before_i·y: and how far that may be from
// it, relatively, but for a unit.
func (p *plan) term(i int, x, y float64) (units, err float64) {
	now, before := double.Point(p.Now[i]).Mul(double.Point(x)), double.Point(p.Before[i]).Mul(double.Point(y))
	e := now.Add(before).Sub(p.variance[i].Half()).Exp()
	if e.Hi < p.unit {
		return 0, 0
	}
	return math.Floor(float64(e.Mid()/p.unit) + 0.5), (e.Hi-e.Lo)/e.Lo + 8*ulp
}

// sources is the lattice of u_{t−1}.
func (p *plan) sources(t int) lattice {
	if t == 1 {
		return p.zs
	}
	return p.us
}

// layers is how many states run side by side, and layer the number of u_0 in one.
func (p *plan) layers() int {
	if p.Cycle {
		return p.zs.n
	}
	return 1
}

func (p *plan) layer(z int) float64 {
	if p.Cycle {
		return p.zs.at(z)
	}
	return 0
}

// rests returns what the sum has yet to come on average, by step, the number of u_t and the layer, in units: of what
// stays on the lattices.
func (p *plan) rests(ctx context.Context) ([][][]float64, error) {
	out := make([][][]float64, p.steps()+1)
	for t := p.steps(); t > 0; t-- {
		out[t] = make([][]float64, p.us.n)
		var centres [][]float64
		if t < p.steps() {
			centres, _ = p.centres(t + 1)
		}
		err := convolve.Parallel(ctx, p.us.n, func(k int) {
			rest := make([]float64, p.layers())
			out[t][k] = rest
			if t == p.steps() {
				for z := range rest {
					if p.Cycle {
						rest[z], _ = p.term(0, p.zs.at(z), p.us.at(k))
					}
				}
				return
			}
			for j := range p.us.n {
				term, _ := p.term(t+1, p.us.at(j), p.us.at(k))
				for z, c := range centres[k] {
					rest[z] += float64(p.share(t+1, p.us.at(j), c) * (term + out[t+1][j][z]))
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lawOf runs the chain.
func (p *plan) lawOf(ctx context.Context) (*law, error) {
	l := &law{plan: p}
	first, err := p.start()
	l.slack += err
	now := make(state, p.zs.n)
	for k, m := range first {
		now[k] = make([]row, p.layers())
		z := 0
		if p.Cycle {
			z = k
		}
		now[k][z] = row{mass: []float64{m}}
		now[k][z].count(p)
	}
	rests, stop := p.rests(ctx)
	if stop != nil {
		return nil, stop
	}
	// What is left out is small against 2^−Cut, all together.
	tiny := math.Ldexp(1, -p.set.Cut) / (float64(p.layers()*p.us.n) * float64(p.steps()))
	for t := 1; t <= p.steps(); t++ {
		next, err, stop := l.step(ctx, t, now, rests[t], tiny)
		if stop != nil {
			return nil, stop
		}
		l.slack += err + float64(float64(p.sources(t).n*2*len(p.places)+8)*ulp)
		now = next
	}
	l.close(now)
	l.slack = l.slack*generous + float64(float64(p.layers()*p.us.n*2*len(p.places)+8)*ulp)
	l.lost, l.far = float64(l.lost*generous)+p.gone[0], float64(l.far*generous)+p.gone[1]
	return l, nil
}

// A move is where the masses of places go when a term is added: to a place and the next one, with shares.
type move struct {
	to       []int32
	low, top []float64
	last     int // the places from here on go beyond the last one
}

func newMove(n int) *move {
	return &move{to: make([]int32, n), low: make([]float64, n), top: make([]float64, n)}
}

// by fills a move for a term.
func (m *move) by(p *plan, term float64) {
	j, n := 0, len(p.places)
	for i, x := range p.places {
		y := x + term
		for j+1 < n && p.places[j+1] <= y {
			j++
		}
		m.last = i
		if j+1 == n {
			return
		}
		m.to[i] = int32(j)
		m.low[i], m.top[i] = float64((p.places[j+1]-y)*p.over[j]), float64((y-p.places[j])*p.over[j])
	}
	m.last = n
}

// step adds the terms of a step. It returns a bound of the relative errors of shares, too.
func (l *law) step(ctx context.Context, t int, now state, rest [][]float64, tiny float64) (state, float64, error) {
	p := l.plan
	// So that all entries of a row, and all pairs of numbers, make tiny for each number.
	entry, pair := tiny/float64(len(p.places)), tiny/float64(p.us.n)
	from := p.sources(t)
	centres, off := p.centres(t)
	next := make(state, p.us.n)
	lost, far := make([]float64, p.us.n), make([]float64, p.us.n)
	over := make([][2]float64, p.us.n)
	bent := make([]float64, p.us.n)
	scale := p.unit / float64(p.bins())
	stop := convolve.Parallel(ctx, p.us.n, func(j int) {
		m := newMove(len(p.places))
		into := make([]row, p.layers())
		next[j] = into
		for k, rows := range now {
			made := false
			term, e := p.term(t, p.us.at(j), from.at(k))
			bent[j] = max(bent[j], e)
			for z, from := range rows {
				if len(from.mass) == 0 {
					continue
				}
				w := p.share(t, p.us.at(j), centres[k][z])
				if w == 0 {
					continue
				}
				left := rest[j][z]
				q := float64(w * from.total)
				f := float64(float64(w*(from.whole+float64(from.total*(term+left)))) * scale)
				if q < pair && f < pair {
					lost[j] += q
					far[j] += f
					continue
				}
				if !made {
					m.by(p, term)
					made = true
				}
				to := &into[z]
				if to.mass == nil {
					to.mass = make([]float64, len(p.places))
				}
				m.add(to, from, w)
				for i := max(m.last-from.lo, 0); i < len(from.mass); i++ {
					r := float64(w * from.mass[i])
					over[j][0] += r
					over[j][1] += float64(float64(r*(p.places[from.lo+i]+term+left)) * scale)
				}
			}
		}
		for z := range into {
			a, b := into[z].trim(p, rest[j][z], scale, entry)
			lost[j], far[j] = lost[j]+a, far[j]+b
			into[z].count(p)
		}
	})
	for j := range lost {
		l.lost += lost[j]
		l.far += far[j]
		l.over[0] += over[j][0]
		l.over[1] += over[j][1]
		l.bent = max(l.bent, bent[j])
	}
	return next, p.tables[t].off(off), stop
}

// add splits each mass onto two places, such that its mean stays.
func (m *move) add(to *row, from row, w float64) {
	n := min(len(from.mass), max(m.last-from.lo, 0))
	at, low, top := m.to[from.lo:from.lo+n], m.low[from.lo:from.lo+n], m.top[from.lo:from.lo+n]
	for i, x := range from.mass[:n] {
		x = float64(x * w)
		out := to.mass[at[i] : at[i]+2]
		out[0] += float64(x * low[i])
		out[1] += float64(x * top[i])
	}
}

// trim leaves out masses at both ends that are small, P-mass and Q-mass alike, and returns both.
func (r *row) trim(p *plan, rest, scale, tiny float64) (lost, far float64) {
	small := func(i int) bool {
		s := float64((p.places[min(i+1, len(p.places)-1)] + rest) * scale)
		if r.mass[i] >= tiny || float64(r.mass[i]*s) >= tiny {
			return false
		}
		lost += r.mass[i]
		far += float64(r.mass[i] * s)
		r.mass[i] = 0
		return true
	}
	lo, hi := 0, len(r.mass)
	for lo < hi && small(lo) {
		lo++
	}
	for lo < hi && small(hi-1) {
		hi--
	}
	for i := lo; i < hi; i++ {
		small(i)
	}
	r.lo, r.mass = lo, r.mass[lo:hi]
	return lost * generous, far * generous
}

// close adds the last term of a cycle, and forgets the layers and u_T.
func (l *law) close(now state) {
	p := l.plan
	all := row{mass: make([]float64, len(p.places))}
	m := newMove(len(p.places))
	scale := p.unit / float64(p.bins())
	for k, rows := range now {
		for z, from := range rows {
			if len(from.mass) == 0 {
				continue
			}
			term := 0.0
			if p.Cycle {
				var err float64
				term, err = p.term(0, p.zs.at(z), p.us.at(k))
				l.bent = max(l.bent, err)
			}
			m.by(p, term)
			m.add(&all, from, 1)
			for i := max(m.last-from.lo, 0); i < len(from.mass); i++ {
				l.over[0] += from.mass[i]
				l.over[1] += float64(float64(from.mass[i]*(p.places[from.lo+i]+term)) * scale)
			}
		}
	}
	l.mass = all.mass
}

// factor is e^{±slack}.
func (l *law) factor() double.Interval { return double.Interval{Lo: -l.slack, Hi: l.slack}.Exp() }
