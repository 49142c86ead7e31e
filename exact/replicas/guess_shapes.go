// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package replicas

import (
	"math"

	"dpverify/exact/double"
)

// A choice is the best shape that was tried: by what it is about to give. Bounds by it are proved, whichever it is.
type choice struct {
	value float64 // the least
	shape
	end float64
}

func (b *choice) try(value float64, f shape, end float64) {
	if value < b.value {
		*b = choice{value, f, end}
	}
}

// spots tries numbers in (0, 1): a grid of them, and then nearer ones.
func spots(f func(x float64) float64) {
	best, at, width := math.Inf(1), 0.5, 0.1
	try := func(x float64) {
		if x > 0 && x < 1 {
			if y := f(x); y < best {
				best, at = y, x
			}
		}
	}
	for x := width / 2; x < 1; x += width {
		try(x)
	}
	for range 5 {
		width /= 3
		from := at
		try(from - width)
		try(from + width)
	}
}

// evens are the even numbers from 2 to n: higher moments are nearer, and known less well.
func evens(n int) (out []int) {
	for even := 2; even <= n; even += 2 {
		out = append(out, even)
	}
	return out
}

// wider keeps tangents on the side that is asked for.
const wider = 1 + 0x1p-30

// tryCallAbove tries shapes whose tangents are at g·e^x.
func (c cell) tryCallAbove(g float64) shape {
	best, n := choice{value: math.Inf(1)}, len(c.about)-1
	if !(g > 0) {
		return best.shape
	}
	if n < 2 {
		return best.shape
	}
	f := shape{power: n, at: float64(g*float64(n)/float64(n-1)) / wider}
	best.try(float64(c.guess(f, 1, 1)*f.at)/float64(n), f, 0)
	for _, even := range evens(n) {
		for _, power := range []int{0, n - even} {
			spots(func(x float64) float64 {
				f := shape{power: power, even: even, at: float64(g * double.Exp64(float64(float64(2.5*x)*x)))}
				rest := 1/(f.at-g) - float64(power)/f.at
				if !(rest > 0) {
					return math.Inf(1)
				}
				f.y = f.at - float64(float64(even)/rest)*wider
				value := float64(c.guess(f, 1, 1) * (f.at - g))
				best.try(value, f, 0)
				return value
			})
		}
	}
	return best.shape
}

// tryPutAbove tries shapes whose tangents are at g·(1 − x), and such that are g at 0.
func (c cell) tryPutAbove(g float64) shape {
	best := choice{value: math.Inf(1)}
	if len(c.about) < 3 {
		return best.shape
	}
	for _, even := range evens(len(c.about) - 1) {
		spots(func(x float64) float64 {
			a := g - float64(float64(g*x)*x)
			f := shape{even: even, at: a, y: a + float64(float64(float64(even)*(g-a))*wider)}
			value := float64(c.guess(f, 1, 1) * (g - a))
			best.try(value, f, 0)
			return value
		})
		spots(func(x float64) float64 {
			f := shape{even: even, y: float64(float64(float64(even)*g)*double.Exp64(float64(5*x))) * wider}
			value := float64(c.guess(f, 1, 1) * g)
			best.try(value, f, 0)
			return value
		})
	}
	return best.shape
}

// tryCallBelow tries shapes that end at g·e^x, and have their zero at 0 or below g.
func (c cell) tryCallBelow(g float64) (f shape, end float64) {
	best, n := choice{}, len(c.about)-3
	if !(g > 0) || n < 0 {
		return f, 0
	}
	for _, even := range append([]int{0}, evens(n)...) {
		if even > n {
			break
		}
		for _, y := range []float64{0, 0.5, 0.8, 1} {
			if even == 0 && y > 0 {
				break
			}
			f = shape{power: n - even, even: even, y: float64(y * g)}
			spots(func(x float64) float64 {
				end := float64(g * double.Exp64(float64(float64(3*x)*x)))
				f.at = greatest(f, g, end)
				value := -c.guess(f, -1, float64(-g*end), g+end, -1) / (end - f.at)
				best.try(value, f, end)
				return value
			})
		}
	}
	return best.shape, best.end
}

// greatest is about where s^power·(s − y)^even·(end − s) is greatest, between g and end: the slope of its logarithm has
// the sign of a polynomial of degree 2.
func greatest(f shape, g, end float64) float64 {
	// power·(s − y)·(end − s) + even·s·(end − s) = s·(s − y).
	p, e := float64(f.power), float64(f.even)
	a := p + e + 1
	b := float64(p*(end+f.y)) + float64(e*end) + f.y
	c := float64(float64(p*f.y) * end)
	at := (b + math.Sqrt(max(float64(b*b)-float64(4*float64(a*c)), 0))) / (2 * a)
	return max(at, g+float64(0x1p-20*(end-g)))
}

// tryPutBelow tries shapes with their zero at g or beyond.
func (c cell) tryPutBelow(g float64) shape {
	best := choice{}
	if len(c.about) < 4 {
		return best.shape
	}
	for _, even := range evens(len(c.about) - 2) {
		spots(func(x float64) float64 {
			f := shape{even: even, y: float64(g * double.Exp64(float64(2*x)))}
			f.at = 0
			value := -c.guess(f, -1, g, -1)
			best.try(value, f, 0)
			return value
		})
	}
	return best.shape
}

// guess is about mean, over the value of the shape at its place, and a little more or, below, less than that, as far as
// mean is wide. It bounds nothing.
func (c cell) guess(f shape, sign float64, factor ...float64) float64 {
	sum, all := 0.0, 0.0
	scale, y := f.at-f.y, f.y
	if f.even == 0 {
		scale = 1
	}
	term := 1.0 // binomial(even, k)·(−y)^(even−k), from k = even down, over scale^even
	for range f.even {
		term /= scale
	}
	for k := f.even; k >= 0; k-- {
		for d, a := range factor {
			x := float64(float64(term*a) * c.about[f.power+k+d])
			sum, all = sum+x, all+math.Abs(x)
		}
		term *= float64(-y*float64(k)) / float64(f.even-k+1)
	}
	out := sum + float64(float64(sign*c.wide)*all)
	for range f.power {
		out /= f.at
	}
	return out
}
