// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"context"
	"math"

	"dpverify/float/cells"
	"dpverify/float/pair"
	"dpverify/float/value"
)

// A Discretised is the analytical Fourier accountant with discretised characteristic
// functions, for mechanisms that have none in closed form [Zhu, Dong & Wang 2022,
// Algorithm 2, as corrected].
//
// Every factor is replaced by two lattices of losses ih, see package cells: one of masses
// of P whose pair dominates the factor, and one of masses of P and of Q that is a
// post-processing of it. All masses are rounded towards their side: the lattices are exact
// bounds, and nothing is charged for them afterwards. For a product, with M the product of
// the transforms of the lattices and κ a kernel,
//
//	δ(ε) ≤ m⁺ + Σ_{x≥ε} p⁺(x)·(1 − e^(ε−x)),  δ(ε) ≥ m + Σ_{x≥ε} p⁻(x) − e^ε·Σ_{x≥ε} q⁻(x),
//	Σ_{x≥j₀h} p(x)·k(x) = (h/π)·∫_0^{π/h} Re M(γ + iw)·e^((γ+iw)j₀h)·κ(γ + iw) dw, γ < 0:
//
// M has the period 2πi/h but for a factor of modulus 1, so that one period is the whole
// inverse. The paper's Riemann sums p(o)Δ are not masses, and its δ_min and δ_max are no
// bounds; those above are, for every h. They are second order in h, and h does not grow
// with the number of copies, as it must in a transform of the whole product by FFT.
//
// Err is half of the distance of both bounds, whose own errors are added to them:
// quadrature and rounding, as in Accountant, and truncation (see periodic.tail). Where |M|
// does not fall on the line, for few copies, no answer is reached.
type Discretised struct {
	h           float64
	upper, a, b []lattice
	inf         float64 // m⁺
	lowInf      float64 // m
}

const (
	// leastCells and mostCells bound the number of cells of the widest factor.
	leastCells, mostCells = 1 << 12, 1 << 16
	// leastCopies: the transform of fewer does not fall far enough, and a transform of the
	// whole product has as many cells.
	leastCopies = 24
	// maxCellWork bounds the work of one of the three integrals.
	maxCellWork = 24 << 20
	// cellAccuracy is the relative error from truncation that is aimed at, as a power of 2:
	// below what the cells cost.
	cellAccuracy = -34
)

// Discretises reports whether every factor of a product has the closed forms of its cells,
// and there are enough of them.
func Discretises(p pair.Product) bool {
	copies := 0.0
	for _, t := range p {
		copies += float64(t.Count)
	}
	return copies >= leastCopies && cells.Applies(p)
}

// Discretise returns the accountant for a product; false if it does not discretise, or ctx
// ends.
//
// Of the losses of a copy, width w in n cells, the cells cost about λ²(w/n)²/8 of δ, λ the
// order of the moment that matters, some 10; the rounding of n masses 32un. The number of
// cells that balances both is taken.
func Discretise(ctx context.Context, p pair.Product) (*Discretised, bool) {
	return discretise(ctx, p, func(width float64) int {
		return int(min(max(math.Cbrt(100*width*width/(256*value.U)), leastCells), mostCells))
	})
}

// discretise takes the number of cells as a function of the width of the widest factor.
func discretise(ctx context.Context, p pair.Product, number func(width float64) int) (*Discretised, bool) {
	if !Discretises(p) {
		return nil, false
	}
	widest := 0.0
	var sources []cells.Source
	for _, t := range p {
		s, ok := cells.Of(ctx, t.Pair)
		if !ok || t.Count > 1<<32 {
			return nil, false
		}
		sources = append(sources, s)
		widest = math.Max(widest, s.Hi-s.Lo)
	}
	d := &Discretised{h: cells.Spacing(widest / float64(number(widest)))}
	if !(d.h > 1e-9 && d.h < 1) {
		return nil, false
	}
	// Of log Π T, T the total mass of a factor's upper lattice, log Π(1 − m) from above
	// and from below.
	var excess, stay, lowStay float64
	for i, s := range sources {
		c, ok := s.Cells(ctx, d.h)
		k := float64(p[i].Count)
		if !ok || c.UpperInf >= 1 {
			return nil, false
		}
		up, total := make([]float64, len(c.Upper)), 0.0
		a, b := make([]float64, len(c.A)), make([]float64, len(c.B))
		for j, m := range c.Upper {
			if m > 0 || c.UpperErr[j] > 0 {
				up[j] = math.Max(leastMass, math.Nextafter(m+c.UpperErr[j], 2))
			}
			total += up[j]
			if low := math.Nextafter(c.A[j]-c.AErr[j], -1); low >= leastMass {
				a[j] = low
			}
			if c.B[j] > 0 {
				b[j] = math.Max(leastMass, math.Nextafter(c.B[j]+c.BErr[j], 2))
			}
		}
		total = (total + c.UpperInf) * (1 + float64(len(up)+4)*value.U)
		excess += k * math.Max(0, math.Log(total)*(1+8*value.U)+4*value.U)
		stay += k * math.Log1p(-c.UpperInf) * (1 + 8*value.U)
		lowStay += k * math.Log1p(-math.Max(0, c.Inf.Lo())) * (1 - 8*value.U)
		d.upper = append(d.upper, lattice{c.First, d.h, up, k})
		d.a = append(d.a, lattice{c.First, d.h, a, k})
		d.b = append(d.b, lattice{c.First, d.h, b, k})
	}
	// The measure of all losses minus the measure of the finite ones: Π(m + S) − Π S with S the
	// total of finite masses, m + S ≥ 1.
	d.inf = -math.Expm1(stay*(1+1e-12)) * math.Exp(excess) * (1 + 1e-12)
	d.lowInf = math.Max(0, -math.Expm1(lowStay*(1-1e-12))*(1-1e-12))
	return d, true
}

// Delta returns δ(ε): a value between both bounds. Where ctx ends, they are trivial.
func (d *Discretised) Delta(ctx context.Context, eps value.Value) value.Value {
	lo, hi := d.lower(ctx, eps), d.bound(ctx, eps)
	return value.Between(math.Min(lo, hi), hi).Clamp(0, 1)
}

// bound returns an upper bound of δ(ε): it falls with ε, and the lowest ε is meant.
func (d *Discretised) bound(ctx context.Context, eps value.Value) float64 {
	e := eps.Lo()
	j := math.Ceil(e / d.h)
	for j*d.h < e { // both are exact
		j++
	}
	gap := math.Min(d.h, (j*d.h-e)*(1+2*value.U)) // a larger gap has larger weights
	x := periodic{terms: d.upper, h: d.h, first: j, kernel: lossKernel{d.h, math.Max(0, gap)}}
	gamma, _ := x.saddle(ctx)
	v := x.integrate(ctx, gamma)
	return math.Min(1, (math.Max(0, v.Hi())+d.inf)*(1+4*value.U))
}

// lower returns a lower bound of δ(ε): the test that rejects where some loss is infinite
// or the sum is at least jh, for whatever j.
func (d *Discretised) lower(ctx context.Context, eps value.Value) float64 {
	j := math.Ceil(eps.V / d.h)
	p := periodic{terms: d.a, h: d.h, first: j, kernel: tailKernel{d.h}}
	gamma, ok := p.saddle(ctx)
	if !ok {
		return d.lowInf
	}
	a := p.integrate(ctx, gamma)
	// Q has the density e^−x with respect to P, nearly: its saddle is next to γ − 1.
	q := periodic{terms: d.b, h: d.h, first: j, kernel: tailKernel{d.h}}
	b := q.integrate(ctx, gamma-1)
	if math.IsInf(a.Err, 1) || math.IsInf(b.Err, 1) {
		return d.lowInf
	}
	return math.Max(0, a.Sub(eps.Exp().Mul(b)).Lo()) + d.lowInf*(1-4*value.U)
}

// A periodic is Σ_{x≥first·h} p(x)·k(x), p the product of lattices, k of a kernel.
type periodic struct {
	terms []lattice
	h     float64
	first float64
	kernel
}

// exponent returns the logarithm of e^(γ·first·h)·M(γ).
func (x *periodic) exponent(gamma float64) value.Value {
	sum := value.Exact(x.first * x.h).Scale(gamma)
	for i := range x.terms {
		sum = sum.Add(x.terms[i].log(gamma).Scale(x.terms[i].count))
	}
	return sum
}

// saddle returns a γ < 0 next to the minimum of the integrand on the negative axis. Any γ
// is valid; a bad one only costs accuracy.
func (x *periodic) saddle(ctx context.Context) (gamma float64, ok bool) {
	f := func(t float64) float64 {
		if ctx.Err() != nil {
			return math.Inf(1)
		}
		g := -math.Exp(t)
		e := x.exponent(g)
		if math.IsInf(e.Err, 1) {
			return math.Inf(1)
		}
		return e.V + x.kernel.log(g)
	}
	y, least := value.Minimum(f, math.Log(1e-4), math.Log(math.Min(1e4, 0.25/x.h)), 0.1)
	return -math.Exp(y), !math.IsInf(least, 0)
}

// integrate returns the sum by quadrature along Re s = γ < 0, unless it is empty; nothing is
// known of it where ctx ends.
func (x *periodic) integrate(ctx context.Context, gamma float64) value.Value {
	last := 0.0
	for i := range x.terms {
		last += x.terms[i].count * float64(x.terms[i].first+len(x.terms[i].masses)-1)
	}
	if x.first > last {
		return value.Exact(0)
	}
	unknown := value.Value{Err: math.Inf(1)}
	peak := x.exponent(gamma)
	if math.IsInf(peak.Err, 1) {
		return unknown
	}
	left := &budget{ctx, maxCellWork}
	in := periodicLine{periodic: x, gamma: gamma}
	shift := x.first
	variance := 0.0
	for i := range x.terms {
		if !left.spend(0) {
			return unknown
		}
		l := x.terms[i].line(gamma, left)
		in.lines = append(in.lines, l)
		shift -= l.count * float64(l.centre)
		variance += l.count * l.sd * l.sd
	}
	in.shift = shift
	// b is how far the ellipses reach to the left and to the right.
	b := math.Min(1.7/math.Sqrt(math.Max(variance, 1e-12)), -gamma/2)
	r := 2 * b / (rho - 1/rho)
	growth := math.Max(x.exponent(gamma-b).Hi(), x.exponent(gamma+b).Hi()) - peak.Lo()
	if !(growth < 60) {
		return unknown
	}
	in.growth = math.Exp(growth) * (1 + 1e-9)
	// The integral has the size of its value at γ over the deviation: if the bound of what
	// is left out cannot get that small, no panel is worth its work.
	start := 6 / math.Sqrt(math.Max(variance, 1e-12))
	if start*x.h > 1 || in.outside(math.Pi/x.h)+math.Log(in.kernel.bound(gamma, gamma, start,
		math.Pi/x.h)*math.Pi/x.h) >
		in.kernel.log(gamma)+math.Log(start)+cellAccuracy*math.Ln2 {
		return unknown
	}
	sum, err := 0.0, 0.0
	tried := 0.0
	for n := range maxPanels {
		w := 2 * float64(n+1) * r
		if !left.spend(0) || (w+2*r)*x.h > math.Pi {
			break
		}
		v, e, size := panel(&in, (2*float64(n)+1)*r, r, b)
		sum, err = sum+v, err+e+4*value.U*math.Abs(sum)
		// The rest is at most (π/h)·sup, and h/π times the sum is the result.
		scale := math.Log(math.Pi/x.h) + math.Log(in.kernel.bound(gamma, gamma, w, math.Pi/x.h))
		goal := math.Log(math.Max(math.Ldexp(math.Abs(sum), cellAccuracy), err/4)) - scale
		if size > goal-1 || w < 1.2*tried {
			continue
		}
		tried = w
		if in.tail(w, goal) {
			err += math.Exp(goal+scale) * (1 + 1e-9)
			factor := peak.Exp().Scale(x.h).Div(value.Within(math.Pi, 0))
			return value.Within(sum, err*(1+1e-9)).Mul(factor)
		}
	}
	return unknown
}

// A periodicLine is the integrand on a line, relative to the exponential of the exponent
// at γ.
type periodicLine struct {
	*periodic
	gamma  float64
	lines  []*latticeLine
	shift  float64 // first − Σ count·centre, exactly
	growth float64
}

// bound implements integrable: |M(s)| ≤ M(Re s), and |e^(s·first·h)| = e^(Re s·first·h).
func (in *periodicLine) bound(b, low, high float64) float64 {
	return in.growth * in.kernel.bound(in.gamma-b, in.gamma+b, low, high) * (1 + 1e-9)
}

// at implements integrable.
func (in *periodicLine) at(w float64) (f complex128, err, size float64) {
	y := w * in.h * in.shift
	e := (4*math.Abs(y) + 8) * value.U
	z := complex(0, y)
	known := true
	for _, l := range in.lines {
		zi, ei := l.at(w)
		if math.IsInf(ei, 1) {
			known = false
			zi = complex(real(zi), 0)
		} else {
			e += l.count*ei + 4*value.U*l.count*magnitude(zi)
		}
		z += complex(l.count, 0) * zi
	}
	k, ke := in.kernel.at(complex(in.gamma, w))
	size = real(z)
	if !known || e > 0.5 {
		return 0, math.Exp(size+math.Min(e, 50)) * (magnitude(k) + ke) * (1 + 1e-9), size
	}
	sin, cos := math.Sincos(imag(z))
	num := complex(math.Exp(size)*cos, math.Exp(size)*sin)
	return num * k, math.Exp(size)*((math.Expm1(e)+16*value.U)*(magnitude(k)+ke)+ke) + 0x1p-1000, size
}

// outside returns an upper bound of log Π|R|^count from v to π/h, by the variation of the
// weights (see latticeLine.far).
func (in *periodicLine) outside(v float64) float64 {
	sum := 0.0
	for _, l := range in.lines {
		sum += l.count * math.Log(l.far(v))
	}
	return sum * (1 - 1e-9)
}

// tail reports whether Π|R(v)|^count ≤ e^goal for w ≤ v ≤ π/h.
//
// Far out that follows from outside. In between, with m the mean loss and S(v) = e^(ivm)·R(v), |S″| ≤ E(L − m)², which
// is at most sd², so between points at distance d, S is within sd²·d²/8 of its chord, and |R| is at most that above the
// larger of its values at both.
func (in *periodicLine) tail(w, goal float64) bool {
	end := math.Pi / in.h
	if in.outside(end) > goal {
		return false
	}
	near, far := w, end
	for far-near > 0.01*near {
		if mid := math.Sqrt(near * far); in.outside(mid) <= goal {
			far = mid
		} else {
			near = mid
		}
	}
	sizes := func(v float64) []float64 {
		s := make([]float64, len(in.lines))
		for i, l := range in.lines {
			s[i] = l.size(v)
		}
		return s
	}
	widest := 0.0
	for _, l := range in.lines {
		widest = math.Max(widest, l.sd)
	}
	v, last, d := w, sizes(w), 0.1/widest
	for range maxTailPoints {
		if v >= far {
			return true
		}
		next := sizes(v + d)
		sum := 0.0
		for i, l := range in.lines {
			sum += l.count * math.Log(math.Min(1, math.Max(last[i], next[i])+l.sd*l.sd*d*d/8*(1+1e-9)))
		}
		switch {
		case sum*(1-1e-9) <= goal:
			v, last, d = v+d, next, d*1.3
		case d < 1e-3/widest:
			return false
		default:
			d /= 2
		}
	}
	return false
}
