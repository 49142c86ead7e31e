// Package pld composes privacy-loss distributions on a grid in float64, by Fourier
// transforms, with bounds from both sides and a bound of every error.
//
// The upper bound connects the dots [Doroshenko et al. 2022]: the pair whose profile
// interpolates δ at the grid points, linearly in e^ε, dominates the mechanism. The lower
// bound regroups: the mass of a cell goes to its two end points in shares that keep its
// mean loss, the same shares for P and Q, which is a post-processing. Both are off by
// second order of the spacing where the profile is smooth.
//
// Masses are multiplied by e^(λx) before they are transformed and divided by it after
// (exponential tilting), with λ next to the saddle point of the ε that is asked: the
// rounding of the transform, which is relative to the largest value, is then relative to
// δ(ε) itself. Every ε has its own λ, so all tails keep their accuracy.
package pld

import (
	"math"

	"dpverify/float/closed"
	"dpverify/float/pair"
	"dpverify/float/value"
)

// A leaf is one factor on the grid: point i is (first + i)·spacing.
type leaf struct {
	count float64
	first int

	upper, upperErr []float64 // P-masses at the dots, and bounds of their errors
	upperInf        float64   // an upper bound of what is above the last point

	a, aErr, b, bErr []float64 // regrouped masses of P and Q
	inf              value.Value
}

// An Accountant is a product on a grid.
type Accountant struct {
	spacing float64
	leaves  []leaf
}

// The sizes of a grid.
const (
	leafPoints = 1 << 14 // of one factor
	maxLength  = 1 << 18 // of a transform
)

// Applies reports whether every factor of a product has the closed forms that New needs.
func Applies(p pair.Product) bool {
	for _, t := range p {
		if _, _, ok := closed.TailsOf(t.Pair); !ok {
			return false
		}
	}
	return len(p) > 0
}

// New puts a product on a grid; false if a factor has no closed form.
func New(p pair.Product) (*Accountant, bool) {
	type source struct {
		profile closed.Profile
		tails   closed.Tails
		inf     value.Value
		lo, hi  float64
		sd      float64
		count   float64
	}
	var sources []source
	variance, widest := 0.0, 0.0
	for _, t := range p {
		f, ok := closed.Of(pair.Product{{Pair: t.Pair, Count: 1}})
		if !ok || t.Count > 1<<40 {
			return nil, false
		}
		tails, inf, ok := closed.TailsOf(t.Pair)
		if !ok || inf.Hi() >= 1 {
			return nil, false
		}
		s := source{profile: f, tails: tails, inf: inf, count: float64(t.Count)}
		if s.lo, s.hi, ok = extent(tails, inf); !ok {
			return nil, false
		}
		s.sd = deviation(tails, s.lo, s.hi)
		variance += s.count * s.sd * s.sd
		widest = math.Max(widest, s.hi-s.lo)
		sources = append(sources, s)
	}
	if len(sources) == 0 {
		return nil, false
	}
	// As fine as one factor's points allow, and as the transform of the product does.
	h := math.Max(widest/leafPoints, 40*math.Sqrt(variance)/maxLength)
	h = math.Ldexp(math.Ceil(math.Ldexp(h, 20-math.Ilogb(h))), math.Ilogb(h)-20)
	if !(h > 1e-12 && h < 1) {
		return nil, false
	}
	a := &Accountant{spacing: h}
	for _, s := range sources {
		l := leaf{count: s.count, first: int(math.Floor(s.lo / h)), inf: s.inf}
		n := int(math.Ceil(s.hi/h)) - l.first
		l.connect(s.profile, h, n)
		l.regroup(s.tails, h, n)
		a.leaves = append(a.leaves, l)
	}
	return a, true
}

// extent returns losses outside of which a factor has next to no mass: what is above
// counts in full, once for each copy, what is below is nearly irrelevant.
func extent(t closed.Tails, inf value.Value) (lo, hi float64, ok bool) {
	const above, below = 1e-50, 1e-30
	find := func(sign float64, small func(x float64) bool) float64 {
		x := 1e-6
		for ; !small(sign * x); x *= 2 {
			if x > 1e5 {
				return math.Inf(1)
			}
		}
		// Within 2% of the least such x.
		l, r := x/2, x
		for range 6 {
			if m := (l + r) / 2; small(sign * m) {
				r = m
			} else {
				l = m
			}
		}
		return r
	}
	hi = find(1, func(x float64) bool {
		p, _ := t(value.Exact(x))
		return p.Sub(inf).V <= above
	})
	lo = -find(-1, func(x float64) bool {
		_, q := t(value.Exact(x))
		p, _ := t(value.Exact(x))
		return 1-p.V <= below && 1-q.V <= 0.5 || 1-p.V <= 0
	})
	return lo, hi, !math.IsInf(lo-hi, 0)
}

// deviation estimates the standard deviation of the finite losses.
func deviation(t closed.Tails, lo, hi float64) float64 {
	const n = 400
	h := (hi - lo) / n
	before, _ := t(value.Exact(lo))
	var mass, mean, square float64
	for i := 1; i <= n; i++ {
		x := lo + float64(i)*h
		p, _ := t(value.Exact(x))
		m := math.Max(0, before.V-p.V)
		before = p
		mass, mean, square = mass+m, mean+m*x, square+m*x*x
	}
	if mass == 0 {
		return h
	}
	mean /= mass
	return math.Sqrt(math.Max(square/mass-mean*mean, h*h/12))
}

// connect fills in the dots. A line from the dot D at x to the dot D′ at x′ has the
// slope (D′ − D)/(e^x′ − e^x) in α = e^x, and P has the mass e^x·(slope after − slope
// before) at x:
//
//	(D′ − D)/(e^(x′−x) − 1) − (D − D″)/(1 − e^(x″−x)),  x″ the dot before.
//
// The line to the first dot starts from 1 at α = 0, and after the last one it is level.
//
// Dots are placed at upper bounds of the profile, and only those of their lower convex
// hull are kept: it is at least every convex function below the dots, so the profile.
// Differences of neighbouring dots are exact, or nearly, so a mass is off by a few u of
// the two quotients; 64u covers also what dots add that are on the hull but for rounding.
func (l *leaf) connect(f closed.Profile, h float64, n int) {
	d := make([]float64, n+1)
	for i := range d {
		d[i] = math.Min(1, math.Max(0, f(value.Exact(float64(l.first+i)*h)).Hi()))
	}
	mass := func(before, i, after int) (m, err float64) {
		behind := 1 - d[i]
		if before >= 0 {
			behind = (d[before] - d[i]) / -math.Expm1(float64(before-i)*h)
		}
		ahead := 0.0
		if after <= n {
			ahead = (d[i] - d[after]) / math.Expm1(float64(after-i)*h)
		}
		m = behind - ahead
		return m, 64 * value.U * (math.Abs(behind) + math.Abs(ahead))
	}
	hull := []int{0}
	for i := 1; i <= n; i++ {
		for len(hull) > 1 {
			m, _ := mass(hull[len(hull)-2], hull[len(hull)-1], i)
			if m > 0 {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, i)
	}
	l.upper, l.upperErr = make([]float64, n+1), make([]float64, n+1)
	for k, i := range hull {
		before, after := -1, n+1
		if k > 0 {
			before = hull[k-1]
		}
		if k+1 < len(hull) {
			after = hull[k+1]
		}
		m, err := mass(before, i, after)
		l.upper[i], l.upperErr[i] = math.Max(0, m), err
	}
	l.upperInf = d[n]
}

// regroup splits the masses (a, b) of each cell onto its ends in the shares that keep
// the mean loss log a/b; any shares are sound. What is outside of the grid, and cells
// whose masses are not known to a factor of two, are left out.
func (l *leaf) regroup(t closed.Tails, h float64, n int) {
	l.a, l.aErr = make([]float64, n+1), make([]float64, n+1)
	l.b, l.bErr = make([]float64, n+1), make([]float64, n+1)
	p0, q0 := t(value.Exact(float64(l.first) * h))
	for i := range n {
		x := float64(l.first+i) * h
		p1, q1 := t(value.Exact(x + h))
		a, b := p0.Sub(p1), q0.Sub(q1)
		p0, q0 = p1, q1
		if !(a.V > 2*a.Err) || !(b.V > 2*b.Err) {
			continue
		}
		up := math.Min(1, math.Max(0, (math.Log(a.V/b.V)-x)/h))
		up = math.Round(up*0x1p20) / 0x1p20 // so that 1 − up is exact
		for j, share := range [2]float64{1 - up, up} {
			k := i + j
			l.a[k] += share * a.V
			l.b[k] += share * b.V
			l.aErr[k] += share*a.Err*(1+4*value.U) + 3*value.U*l.a[k]
			l.bErr[k] += share*b.Err*(1+4*value.U) + 3*value.U*l.b[k]
		}
	}
}
