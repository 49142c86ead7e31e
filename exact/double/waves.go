// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package double

import "math"

const (
	// WavesTogether is the number of waves that are turned before their terms are added.
	WavesTogether = 128
	// Lanes is how many waves are taken at a time: every fourth term is added to the same sum, and the four sums are
	// added as (0 + 1) + (2 + 3).
	Lanes = 4
)

// Waves are up to WavesTogether terms a·e^{−ijθ}, a ≥ 0, whose sums are made in blocks j = c − J … c + J around centers
// c = J, J + B, J + 2B, …, B = 2J + 1. With E_j = e^{−ijθ} − 1, E_{c±j} = E_c + (1 + E_c)·E_{±j}, and E_{−j} is the
// conjugate of E_j: two points for four products of real numbers, of which E_1 … E_J serve all blocks.
type Waves struct {
	n              int
	weights        []float64
	cos, sin       [][]float64 // 1 − cos jθ and sin jθ, j = 1 … J
	turnRe, turnIm []float64   // τ′
	x, y           []float64   // E_c
	re, im         []float64   // a(1 + E_c)
}

// NewWaves returns no waves, for blocks of J.
func NewWaves(j int) *Waves {
	one := func() []float64 { return make([]float64, WavesTogether) }
	w := &Waves{weights: one(), turnRe: one(), turnIm: one(), x: one(), y: one(), re: one(), im: one()}
	for range j {
		w.cos, w.sin = append(w.cos, one()), append(w.sin, one())
	}
	return w
}

// Rise returns a number x + iy within rho of e^{−iθ} − 1 = −2s² − 2isc, s and c the sine and the cosine of θ/2.
//
// Let m be the middle of θ, t = |m|/2 ≤ 2^18, and v = t for t ≤ 0.7, 1 above: |s| ≤ v. Cis64's s and c are off by 8uv
// and 8u at most, u = 2^−53, see Cis. With one rounding each, −2s² is off by less than 2·8uv(2 + 8u)v + 2.1uv² < 35uv²,
// and −2sc by less than 2(8uv(1 + 8u) + 8uv) + 2.1uv < 35uv, together 35uv(1 + v); 36 covers what is rounded here, and
// tiny what is subnormal. And e^{−iθ} changes no faster than θ.
func Rise(theta Interval) (x, y, rho float64) {
	const u, tiny = 0x1p-53, 0x1p-1000
	m := theta.Mid()
	t := math.Abs(m) / 2
	if !(t <= 0x1p18) {
		return 0, 0, math.Inf(1)
	}
	c, s := Cis64(m / 2)
	v := 1.0
	if t <= 0.7 {
		v = t
	}
	known := max(up(theta.Hi-m), up(m-theta.Lo))
	return -2 * float64(s*s), -2 * float64(s*c), up(known + (float64(36*u*float64(v*(1+v))) + tiny))
}

// Add adds a wave by E_1 = x + iy and E_B = x2 + iy2, and says whether they are so many that they have to be turned.
func (w *Waves) Add(a, x, y, x2, y2 float64) (full bool) {
	k, re, im := w.n, x, y
	for j := range w.cos {
		if j > 0 {
			re, im = re+((float64(re*x)-float64(im*y))+x), im+((float64(re*y)+float64(im*x))+y)
		}
		w.cos[j][k], w.sin[j][k] = -re, -im
	}
	w.weights[k], w.x[k], w.y[k], w.turnRe[k], w.turnIm[k] = a, re, im, x2, y2
	w.n++
	return w.n == WavesTogether
}

// Turn adds a·E_j to re[j] + i·im[j], block by block, and forgets the waves. There are whole blocks. E_j is carried by
// y + (yτ + τ), τ = E_1, in a block, and its center from one to the next by τ = E_B.
func (w *Waves) Turn(re, im []float64) {
	if w.n == 0 {
		return
	}
	for w.n%Lanes != 0 {
		w.Add(0, 0, 0, 0, 0)
	}
	j := len(w.cos)
	for center := j; center < len(re); center += 2*j + 1 {
		sumRe, sumIm := w.move()
		re[center] += sumRe
		im[center] += sumIm
		for i := 0; i < j; i += 2 {
			two := min(i+1, j-1)
			p, q := w.crossed(i, two)
			p.addTo(re, im, center, i+1, sumRe, sumIm)
			if two > i {
				q.addTo(re, im, center, two+1, sumRe, sumIm)
			}
		}
	}
	w.n = 0
}

// move sets a(1 + E_c), returns the sum of aE_c, and goes on to the next center.
func (w *Waves) move() (sumRe, sumIm float64) {
	if vectors {
		var out [2]float64
		moveVectors(&out, &w.weights[0], &w.turnRe[0], &w.turnIm[0], &w.x[0], &w.y[0], &w.re[0], &w.im[0], w.n)
		return out[0], out[1]
	}
	var re, im [Lanes]float64
	n := w.n
	x, y, c, s, ur, ui := w.x[:n], w.y[:n], w.turnRe[:n], w.turnIm[:n], w.re[:n], w.im[:n]
	for k, a := range w.weights[:n] {
		p, q := float64(a*x[k]), float64(a*y[k])
		re[k%Lanes] += p
		im[k%Lanes] += q
		ur[k], ui[k] = a+p, q
		x[k], y[k] = x[k]+((float64(x[k]*c[k])-float64(y[k]*s[k]))+c[k]),
			y[k]+((float64(x[k]*s[k])+float64(y[k]*c[k]))+s[k])
	}
	return together(re), together(im)
}

// A cross is Σ of products of the parts of a(1 + E_c) and of −E_j: those of the real part of the first first.
type cross struct{ reCos, reSin, imCos, imSin float64 }

// crossed returns the crosses of two E_j: a processor keeps so many sums in registers.
func (w *Waves) crossed(one, two int) (p, q cross) {
	n := w.n
	ur, ui, c0, s0, c1, s1 := w.re[:n], w.im[:n], w.cos[one][:n], w.sin[one][:n], w.cos[two][:n], w.sin[two][:n]
	if vectors {
		var out [8]float64
		crossVectors(&out, &ur[0], &ui[0], &c0[0], &s0[0], &c1[0], &s1[0], n)
		return crossOf(out[:4]), crossOf(out[4:])
	}
	var sums [8][Lanes]float64
	for lane := range Lanes {
		var p, q cross
		for k := lane; k < n; k += Lanes {
			x, y := ur[k], ui[k]
			p.reCos += float64(x * c0[k])
			p.reSin += float64(x * s0[k])
			p.imCos += float64(y * c0[k])
			p.imSin += float64(y * s0[k])
			q.reCos += float64(x * c1[k])
			q.reSin += float64(x * s1[k])
			q.imCos += float64(y * c1[k])
			q.imSin += float64(y * s1[k])
		}
		for i, sum := range []float64{p.reCos, p.reSin, p.imCos, p.imSin, q.reCos, q.reSin, q.imCos, q.imSin} {
			sums[i][lane] = sum
		}
	}
	var all [8]float64
	for i := range sums {
		all[i] = together(sums[i])
	}
	return crossOf(all[:4]), crossOf(all[4:])
}

func crossOf(x []float64) cross { return cross{x[0], x[1], x[2], x[3]} }

// together adds the sums of lanes as the kernels do.
func together(x [Lanes]float64) float64 { return (x[0] + x[1]) + (x[2] + x[3]) }

// addTo adds to the sums at j to both sides of a center what they have beyond 0, if that of the center is given: with
// E_j = −cos − i·sin here.
func (p cross) addTo(re, im []float64, center, j int, sumRe, sumIm float64) {
	re[center+j] += sumRe + (p.imSin - p.reCos)
	im[center+j] += sumIm - (p.imCos + p.reSin)
	re[center-j] += sumRe - (p.imSin + p.reCos)
	im[center-j] += sumIm + (p.reSin - p.imCos)
}
