// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package afa

import (
	"context"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/integrate/quad"

	"dpverify/float/pair"
	"dpverify/float/value"
)

// Nodes is the number of points of the inner rule of double quadrature [Appendix E.2].
const Nodes = 700

// functions are the logarithms of the two characteristic functions of one pair.
type functions struct {
	log, logReverse func(t float64) complex128
	cost            int
}

// closed returns the functions of a pair, in closed form or, for samples, by quadrature.
func closed(x pair.Pair) (functions, bool) {
	switch x := x.(type) {
	case pair.Gaussian:
		// Lemma 35: φ(t) = φ′(t) = e^(−(t² − it)μ²/2).
		mu2 := value.Rat(x.Mu2).V
		f := func(t float64) complex128 { return complex(-t*t*mu2/2, t*mu2/2) }
		return functions{f, f, 1}, true
	case pair.Laplace:
		// Lemma 34: ½(e^(itx) + e^(−(it+1)x) + (e^(itx) − e^(−(it+1)x))/(1 + 2it)).
		shift := value.Rat(x.Shift).V
		f := func(t float64) complex128 {
			up, down := cmplx.Exp(complex(0, t*shift)), cmplx.Exp(complex(-shift, -t*shift))
			return cmplx.Log((up + down + (up-down)/complex(1, 2*t)) / 2)
		}
		return functions{f, f, 1}, true
	case pair.Discrete:
		return discrete(x), true
	case pair.Sampled:
		d, ok := densityOf(x)
		if !ok {
			return functions{}, false
		}
		return d.doubleQuadrature(), true
	}
	return functions{}, false
}

// weighted returns the logarithm of Σ w·e^(itl).
func weighted(ws, ls []float64) func(float64) complex128 {
	return func(t float64) complex128 {
		var re, im float64
		for i, l := range ls {
			s, c := math.Sincos(t * l)
			re += ws[i] * c
			im += ws[i] * s
		}
		return cmplx.Log(complex(re, im))
	}
}

// discrete is Definition 36: outcomes of infinite loss are in neither sum.
func discrete(x pair.Discrete) functions {
	var p, q, up, down []float64
	for _, o := range x.Outcomes {
		if o.P.V == 0 || o.Q.V == 0 {
			continue
		}
		p, q = append(p, o.P.V), append(q, o.Q.V)
		up, down = append(up, o.Loss.V), append(down, -o.Loss.V)
	}
	return functions{weighted(p, up), weighted(q, down), len(p)}
}

// A density is a pair on the real line with distribution functions and a loss that does not fall.
type density struct {
	loss       func(o float64) float64
	p, q       func(o float64) float64 // densities
	cdfP, cdfQ func(o float64) float64
	// 1 − cdf, without cancellation
	beyondP, beyondQ func(o float64) float64
	lo, hi           float64   // beyond which there is next to nothing
	breaks           []float64 // where the densities bend
	reversed         bool      // (Q, P) is meant
}

// densityOf returns a pair on the line; false if it is not known here.
func densityOf(x pair.Pair) (density, bool) {
	switch x := x.(type) {
	case pair.Gaussian:
		return gaussianDensity(math.Sqrt(value.Rat(x.Mu2).V)), true
	case pair.Laplace:
		return laplaceDensity(value.Rat(x.Shift).V), true
	case pair.Sampled:
		if len(x.Base) != 1 || x.Base[0].Count != 1 {
			return density{}, false
		}
		if _, again := x.Base[0].Pair.(pair.Sampled); again {
			return density{}, false
		}
		d, ok := densityOf(x.Base[0].Pair)
		return d.sample(value.Rat(x.Rate).V, x.Reversed), ok
	}
	return density{}, false
}

func gaussianDensity(mu float64) density {
	normal := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	const far = 38 // e^(−38²/2) is below what float64 has
	return density{
		loss: func(o float64) float64 { return mu*o - mu*mu/2 },
		p:    func(o float64) float64 { return normal(o - mu) }, q: normal,
		cdfP: func(o float64) float64 { return cdf(o - mu) }, cdfQ: cdf,
		beyondP: func(o float64) float64 { return cdf(mu - o) }, beyondQ: func(o float64) float64 { return cdf(-o) },
		lo: -far, hi: far + mu,
	}
}

func laplaceDensity(x float64) density {
	pdf := func(o float64) float64 { return math.Exp(-math.Abs(o)) / 2 }
	cdf := func(o float64) float64 {
		if o < 0 {
			return math.Exp(o) / 2
		}
		return 1 - math.Exp(-o)/2
	}
	return density{
		loss: func(o float64) float64 { return math.Abs(o) - math.Abs(o-x) },
		p:    func(o float64) float64 { return pdf(o - x) }, q: pdf,
		cdfP: func(o float64) float64 { return cdf(o - x) }, cdfQ: cdf,
		beyondP: func(o float64) float64 { return cdf(x - o) }, beyondQ: func(o float64) float64 { return cdf(-o) },
		lo: -700, hi: 700 + x, breaks: []float64{0, x},
	}
}

// sample is Poisson sampling: P becomes (1 − γ)Q + γP.
func (d density) sample(rate float64, reversed bool) density {
	if d.loss == nil {
		return d
	}
	mix := func(p, q func(float64) float64) func(float64) float64 {
		return func(o float64) float64 { return (1-rate)*q(o) + rate*p(o) }
	}
	loss := d.loss
	d.loss = func(o float64) float64 {
		if l := loss(o); l < 30 {
			return math.Log1p(rate * math.Expm1(l))
		} else {
			return l + math.Log(rate+(1-rate)*math.Exp(-l))
		}
	}
	d.p, d.cdfP, d.beyondP, d.reversed = mix(d.p, d.q), mix(d.cdfP, d.cdfQ), mix(d.beyondP, d.beyondQ), reversed
	return d
}

// oriented exchanges the two functions if (Q, P) is meant.
func (d density) oriented(f functions) functions {
	if d.reversed {
		f.log, f.logReverse = f.logReverse, f.log
	}
	return f
}

// doubleQuadrature integrates both characteristic functions by one Gaussian rule of Nodes points, in pieces between the
// places where a density bends.
func (d density) doubleQuadrature() functions {
	ends := append(append([]float64{d.lo}, d.breaks...), d.hi)
	var p, q, up, down []float64
	n := Nodes / (len(ends) - 1)
	xs, ws := make([]float64, n), make([]float64, n)
	for i := range len(ends) - 1 {
		quad.Legendre{}.FixedLocations(xs, ws, ends[i], ends[i+1])
		for j, x := range xs {
			l := d.loss(x)
			p, q = append(p, ws[j]*d.p(x)), append(q, ws[j]*d.q(x))
			up, down = append(up, l), append(down, -l)
		}
	}
	return d.oriented(functions{weighted(whole(p), up), weighted(whole(q), down), len(p)})
}

// whole divides weights by their sum, which is 1 but for rounding that the copies multiply.
func whole(ws []float64) []float64 {
	sum := 0.0
	for _, w := range ws {
		sum += w
	}
	for i := range ws {
		ws[i] /= sum
	}
	return ws
}

// The rule of 15 points of Gauss and Kronrod on [−1, 1]: every second one, from the second on, is of the
// rule of Gauss with 7.
var (
	kronrodX = [8]float64{0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
		0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
		0.586087235467691130294144691238259, 0.405845151377397166906606412076961, 0.207784955007898467600689403773245, 0}
	kronrodW = [8]float64{0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
		0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
		0.169004726639267902826583426598550, 0.190350578064785409913256402421014, 0.204432940075298892414161999234649,
		0.209482141084727828012999174891714}
	gaussW = [4]float64{0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
		0.381830050505118944950369775488975, 0.417959183673469387755102040816327}
)

// A panel is a part of the range with its integral and what is guessed of its error.
type panel struct{ lo, hi, sum, err float64 }

// maxPanels bounds the panels of an integral.
const maxPanels = 2000

// integrate integrates f over [0, 1] until the sum of what is guessed of the errors of all panels is at most tol, or
// there are so many panels, or ctx ends. It returns the number of points at which f was evaluated.
func integrate(ctx context.Context, f func(float64) float64, tol float64, most int) (sum, err float64, points int) {
	rule := func(lo, hi float64) panel {
		c, h := (lo+hi)/2, (hi-lo)/2
		kronrod, gauss := 0.0, 0.0
		for i, x := range kronrodX {
			y := f(c + h*x)
			if x != 0 {
				y += f(c - h*x)
			}
			kronrod += kronrodW[i] * y
			if i%2 == 1 {
				gauss += gaussW[i/2] * y
			}
		}
		points += 15
		return panel{lo, hi, h * kronrod, math.Abs(h * (kronrod - gauss))}
	}
	ps := []panel{rule(0, 1)}
	for {
		sum, err = 0, 0
		worst := 0
		for i, p := range ps {
			sum, err = sum+p.sum, err+p.err
			if p.err > ps[worst].err {
				worst = i
			}
		}
		if err <= tol || len(ps) >= most || ctx.Err() != nil {
			return sum, err, points
		}
		p := ps[worst]
		mid := (p.lo + p.hi) / 2
		ps[worst] = rule(p.lo, mid)
		ps = append(ps, rule(mid, p.hi))
	}
}
