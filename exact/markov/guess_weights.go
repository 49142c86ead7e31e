// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"

	"dpverify/exact/double"
	"dpverify/exact/least"
)

// A sampler draws V ~ N(0, G) where the mean of exp(V_i − G_ii/2) is near e^target, from a mixture of tilts by
// windows of bins. What it finds serves to choose, and bounds nothing.
type sampler struct {
	g      [][]float64
	root   [][]float64 // L·Lᵀ is about G
	tilts  []window
	images [][]float64 // G times the tilts
	half   []float64   // half of their product with the tilts
}

// A window is a multiple of the sum of the bins from lo on, before hi.
type window struct {
	lo, hi int
	times  float64
}

// newSampler tilts upwards where target is above 0, otherwise all bins downwards.
func newSampler(g [][]float64, target float64) *sampler {
	s := &sampler{g: g, root: factorOf(g)}
	n := len(g)
	if target <= 0 {
		s.put(s.tilted(0, n, target, -1e3, 10))
		return s
	}
	for _, w := range []int{1, 2, 3, 5, 8, 12, 20, 40} {
		if w >= n {
			break
		}
		middle := s.tilted((n-w)/2, (n-w)/2+w, target, 0, 1e4)
		for i := 0; i+w <= n; i += max(1, w/3) {
			s.put(window{i, i + w, middle.times})
		}
	}
	s.put(s.tilted(0, n, target, 0, 1e4))
	for i := range n {
		s.put(window{i, i + 1, 1})
	}
	return s
}

// tilted is the multiple of a window, between two of them, whose image has the mean e^target.
func (s *sampler) tilted(from, to int, target, lo, hi float64) window {
	v, z := s.image(window{from, to, 1}), make([]float64, len(s.g))
	lo, hi = least.Halved(lo, hi, 50, func(t float64) bool {
		for i := range z {
			z[i] = float64(t*v[i]) - s.g[i][i]/2
		}
		return logMean(z) < target
	})
	return window{from, to, (lo + hi) / 2}
}

func (s *sampler) image(w window) []float64 {
	out := make([]float64, len(s.g))
	for i, row := range s.g {
		for _, x := range row[w.lo:w.hi] {
			out[i] += float64(x * w.times)
		}
	}
	return out
}

func (s *sampler) put(w window) {
	v := s.image(w)
	product := 0.0
	for _, x := range v[w.lo:w.hi] {
		product += float64(x * w.times)
	}
	s.tilts, s.images, s.half = append(s.tilts, w), append(s.images, v), append(s.half, product/2)
}

// draw calls use with n samples of V and their weights.
func (s *sampler) draw(ctx context.Context, n int, use func(v []float64, weight float64)) {
	r := rand.New(rand.NewPCG(33, 1))
	d := len(s.g)
	z, v, sums := make([]float64, d+1), make([]float64, d), make([]float64, d+1)
	e := make([]float64, len(s.tilts))
	for i := range n {
		if i%64 == 0 && ctx.Err() != nil {
			return
		}
		for j := 0; j < d; j += 2 { // Box and Muller
			radius := math.Sqrt(-2 * double.Log64(1-r.Float64()))
			c, sine := double.Cis64(2 * math.Pi * r.Float64())
			z[j], z[j+1] = radius*c, radius*sine
		}
		image := s.images[i%len(s.images)]
		for j := range v {
			v[j] = image[j] + inner(s.root[j][:j+1], z)
			sums[j+1] = sums[j] + v[j]
		}
		for k, w := range s.tilts {
			e[k] = float64(w.times*(sums[w.hi]-sums[w.lo])) - s.half[k]
		}
		use(v, double.Exp64(-logMean(e)))
	}
}

// logS is log of the mean of exp(V_i − G_ii/2).
func (s *sampler) logS(v, into []float64) float64 {
	for i := range v {
		into[i] = v[i] - s.g[i][i]/2
	}
	return logMean(into)
}

// about estimates δ at e^eps, eps > 0, in the direction remove or, reversed, add.
func about(ctx context.Context, g [][]float64, eps float64, reversed bool, samples int) float64 {
	target := eps
	if reversed {
		target = -eps
	}
	s := newSampler(g, target)
	sum, z := 0.0, make([]float64, len(g))
	s.draw(ctx, samples, func(v []float64, w float64) {
		x := s.logS(v, z)
		if reversed {
			sum += float64(w * max(1-double.Exp64(eps+x), 0))
		} else {
			sum += float64(w * max(double.Exp64(x)-double.Exp64(eps), 0))
		}
	})
	return sum / float64(samples)
}

// near returns about the ε > 0 at which δ is e^logDelta.
func near(ctx context.Context, g [][]float64, logDelta float64, reversed bool) float64 {
	lo, hi := least.Halved(math.Log(0.01), math.Log(100), 14, func(log float64) bool {
		d := about(ctx, g, double.Exp64(log), reversed, 800)
		return d > 0 && double.Log64(d) > logDelta
	})
	return double.Exp64((lo + hi) / 2)
}

// weights returns about E[A_i·A_j; S near e^target], A_i = exp(V_i − G_ii/2), S their mean, in all 1: the derivative
// of E(S − e^target)₊ by the entries of G, up to a factor. It is smoothed along diagonals.
func weights(ctx context.Context, g [][]float64, target float64, samples int) [][]float64 {
	n := len(g)
	s := newSampler(g, target)
	width := 0.15 * min(1, math.Abs(target))
	out := square(n)
	z := make([]float64, n)
	total := 0.0
	s.draw(ctx, samples, func(v []float64, w float64) {
		d := (s.logS(v, z) - target) / width
		if d = 1 - float64(d*d); d <= 0 {
			return
		}
		w *= d
		for i := range z {
			z[i] = double.Exp64(z[i])
		}
		for i := range z {
			for j := range z {
				x := float64(float64(w*z[i]) * z[j])
				out[i][j] += x
				total += x
			}
		}
	})
	if total <= 0 { // nothing was drawn there: all bins alike
		for i := range out {
			for j := range out {
				out[i][j], total = 1, total+1
			}
		}
	}
	smooth := square(n)
	for d := range n {
		mean := 0.0
		for i := 0; i+d < n; i++ {
			mean += (out[i][i+d] + out[i+d][i]) / 2
		}
		mean /= float64(n - d)
		for i := 0; i+d < n; i++ {
			x := (float64(0.5*(out[i][i+d]+out[i+d][i])) + mean) / 2 / total
			smooth[i][i+d], smooth[i+d][i] = x, x
		}
	}
	return smooth
}

// factorOf returns about the root of a positive semidefinite matrix.
func factorOf(g [][]float64) [][]float64 {
	l := square(len(g))
	for i := range l {
		for j := range i + 1 {
			x := g[i][j] - inner(l[i][:j], l[j])
			switch {
			case i == j:
				l[i][i] = math.Sqrt(max(x, 0))
			case l[j][j] > 1e-6:
				l[i][j] = x / l[j][j]
			}
		}
	}
	return l
}

// logMean is about log of the mean of e^x.
func logMean(x []float64) float64 {
	most := x[0]
	for _, y := range x {
		most = max(most, y)
	}
	sum := 0.0
	for _, y := range x {
		sum += double.Exp64(y - most)
	}
	return most + double.Log64(sum/float64(len(x)))
}

// inner is about the inner product of x with the beginning of y.
func inner(x, y []float64) float64 {
	sum := 0.0
	for i, a := range x {
		sum += float64(a * y[i])
	}
	return sum
}

func square(n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
	}
	return out
}

// simplex looks for the least value of f near x, by the method of Nelder and Mead.
func simplex(f func([]float64) float64, x []float64, step float64, evaluations int) ([]float64, float64) {
	type point struct {
		x []float64
		f float64
	}
	at := func(x []float64) point { return point{x, f(x)} }
	ps := []point{at(x)}
	for i := range x {
		y := append([]float64(nil), x...)
		y[i] += step
		ps = append(ps, at(y))
	}
	n := len(x)
	for used := n + 1; used < evaluations; {
		sort.SliceStable(ps, func(i, j int) bool { return ps[i].f < ps[j].f })
		centre := make([]float64, n)
		for _, p := range ps[:n] {
			for i := range centre {
				centre[i] += p.x[i] / float64(n)
			}
		}
		towards := func(s float64) point {
			y := make([]float64, n)
			for i := range y {
				y[i] = centre[i] + float64(s*(ps[n].x[i]-centre[i]))
			}
			used++
			return at(y)
		}
		switch r := towards(-1); {
		case r.f < ps[0].f:
			if e := towards(-2); e.f < r.f {
				r = e
			}
			ps[n] = r
		case r.f < ps[n-1].f:
			ps[n] = r
		default:
			if c := towards(0.5); c.f < ps[n].f {
				ps[n] = c
				continue
			}
			for k := 1; k <= n; k++ {
				y := make([]float64, n)
				for i := range y {
					y[i] = (ps[0].x[i] + ps[k].x[i]) / 2
				}
				ps[k] = at(y)
				used++
			}
		}
	}
	sort.SliceStable(ps, func(i, j int) bool { return ps[i].f < ps[j].f })
	return ps[0].x, ps[0].f
}
