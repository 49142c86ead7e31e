// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package vector composes masses on grids as a checker of evidence does, to choose grids and cuts: nothing rests on it.
package vector

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/convolve"
)

// A Vector is one that a checker has when it follows a plan: what is left after the roundings tells where
// to cut, and whether the claim is decided. Where it differs from the checker, in float64 and
// in what is carried, a certificate is larger than need be, or rejected; never accepted wrongly.
type Vector struct {
	first int64
	bits  uint
	a, b  []*big.Int // b is nil on the upper side
}

func floorHalf(i int64) int64 { return i >> 1 }

func zeros(n int) []*big.Int {
	values, out := make([]big.Int, n), make([]*big.Int, n)
	for i := range out {
		out[i] = &values[i]
	}
	return out
}

// MoreBits are those of the masses of cells, which are rounded together.
const MoreBits = 32

// Len is the number of entries.
func (v *Vector) Len() int { return len(v.a) }

// First is the index of the first entry.
func (v *Vector) First() int64 { return v.first }

// Lower reports that v is of the lower side.
func (v *Vector) Lower() bool { return v.b != nil }

// A Leaf is masses at indices, or else cells, of which so many of 2^PartBits parts go to the next index.
type Leaf struct {
	Index []int64
	Mass  []*big.Int
	Part  []int64
}

// PartBits are those of the parts of cells.
const PartBits = 16

// New puts a leaf on its grid. Masses of cells are in units of 2^−(bits + MoreBits).
func New(l Leaf, bits uint, masses func(k int) (a, b *big.Int)) *Vector {
	first, last := l.Index[0], l.Index[0]
	for _, i := range l.Index {
		first, last = min(first, i), max(last, i)
	}
	v := &Vector{first: first, bits: bits}
	if l.Mass != nil {
		v.a = zeros(int(last-first) + 1)
		for k, i := range l.Index {
			v.a[i-first] = l.Mass[k]
		}
		return v
	}
	v.a, v.b = zeros(int(last-first)+2), zeros(int(last-first)+2)
	for k, i := range l.Index {
		a, b := masses(k)
		part := big.NewInt(l.Part[k])
		for _, side := range []struct {
			to   []*big.Int
			mass *big.Int
		}{{v.a[i-first:], a}, {v.b[i-first:], b}} {
			more := new(big.Int).Mul(side.mass, part)
			more.Rsh(more, PartBits)
			side.to[1].Add(side.to[1], more)
			side.to[0].Add(side.to[0], more.Sub(side.mass, more))
		}
	}
	v.shorten(MoreBits)
	return v
}

// shorten takes bits off all entries. What is cut off goes to the next entry, for a of the lower side to the one below;
// the last entry of b has one unit more.
func (v *Vector) shorten(bits uint) {
	carry := new(big.Int)
	shift := func(x *big.Int) {
		x.Add(x, carry)
		carry.Sub(x, new(big.Int).Lsh(carry.Rsh(x, bits), bits))
		x.Rsh(x, bits)
	}
	if v.b == nil {
		for _, x := range v.a {
			shift(x)
		}
		return
	}
	for _, x := range slices.Backward(v.a) {
		shift(x)
	}
	carry.SetInt64(0)
	for _, x := range v.b {
		shift(x)
	}
	last := v.b[len(v.b)-1]
	last.Add(last, big.NewInt(1))
}

// Coarsen doubles a step.
func (v *Vector) Coarsen(step float64) *Vector {
	n := int(floorHalf(v.first+int64(len(v.a)))-floorHalf(v.first)) + 1
	c := &Vector{first: floorHalf(v.first), bits: v.bits, a: zeros(n)}
	if v.b != nil {
		c.b = zeros(n)
	}
	const scale = 62
	share := new(big.Int).SetUint64(uint64(math.Exp2(scale) / (1 + math.Exp(step))))
	halve := func(from, to []*big.Int, round int64) {
		low := new(big.Int)
		for k, x := range from {
			i := v.first + int64(k)
			y := to[floorHalf(i)-c.first:]
			if i&1 == 0 {
				y[0].Add(y[0], x)
				continue
			}
			low.Rsh(low.Add(low.Mul(x, share), big.NewInt(round)), scale)
			y[0].Add(y[0], low)
			y[1].Add(y[1], low.Sub(x, low))
		}
	}
	if v.b == nil {
		halve(v.a, c.a, 0)
	} else {
		halve(v.a, c.a, 1<<scale-1)
		halve(v.b, c.b, 0)
	}
	return c
}

// Times composes two vectors.
func (v *Vector) Times(ctx context.Context, w *Vector) (*Vector, error) {
	c := &Vector{first: v.first + w.first, bits: v.bits}
	x, err := product(ctx, v.a, w.a, v.bits)
	if err != nil {
		return nil, err
	}
	c.a = x
	if v.b != nil {
		if c.b, err = product(ctx, v.b, w.b, v.bits); err != nil {
			return nil, err
		}
	}
	c.shorten(v.bits)
	return c, nil
}

// product is the exact product, in units of 2^(−2·bits): with one more bit than that, nothing is
// rounded.
func product(ctx context.Context, a, b []*big.Int, bits uint) ([]*big.Int, error) {
	load := func(a []*big.Int) convolve.Vector {
		v := convolve.NewVector(len(a), 2*bits+1)
		t := new(big.Int)
		for i, x := range a {
			v.Set(i, t.Lsh(x, bits+1))
		}
		return v
	}
	x := load(a)
	y := x
	if &a[0] != &b[0] || len(a) != len(b) {
		y = load(b)
	}
	z, err := convolve.Window(ctx, x, y, 0, len(a)+len(b)-1, convolve.Down)
	if err != nil {
		return nil, err
	}
	out := zeros(z.Len())
	for i := range out {
		z.Load(out[i], i)
		out[i].Rsh(out[i], 1)
	}
	return out, nil
}

// Within is the range that stays when a mass of at most budget is cut off at the upper end, and at the lower one what
// is at most low if the mass up to an entry is weighted with weight of its index.
func (v *Vector) Within(budget, low float64, weight func(index int64) float64) (lo, hi int) {
	hi = len(v.a)
	a := floats(v.a, v.bits)
	for sum := 0.; hi-lo > 1; lo++ {
		if sum += a[lo]; sum*weight(v.first+int64(lo)+1) > low {
			break
		}
	}
	weighted := 0.
	for sum := 0.; hi-lo > 1; hi-- {
		sum += a[hi-1]
		weighted += a[hi-1] * weight(v.first+int64(hi)-1)
		if sum > budget && (v.b == nil || weighted > low) {
			break
		}
	}
	return lo, hi
}

// Cut keeps the entries from lo to hi − 1; what is cut off moves to an end, or is lost.
func (v *Vector) Cut(lo, hi int) *Vector {
	keep := func(x []*big.Int, k int, more []*big.Int) []*big.Int {
		sum := new(big.Int).Set(x[lo+k])
		for _, m := range more {
			sum.Add(sum, m)
		}
		x = slices.Clone(x[lo:hi])
		x[k] = sum
		return x
	}
	c := &Vector{first: v.first + int64(lo), bits: v.bits}
	if v.b == nil {
		c.a = keep(v.a, 0, v.a[:lo])
	} else {
		c.a, c.b = keep(v.a, hi-lo-1, v.a[hi:]), keep(v.b, hi-lo-1, v.b[hi:])
	}
	return c
}

// floats are entries times 2^−bits.
func floats(a []*big.Int, bits uint) []float64 {
	out := make([]float64, len(a))
	for i, x := range a {
		f, _ := new(big.Float).SetInt(x).Float64()
		out[i] = math.Ldexp(f, -int(bits))
	}
	return out
}

// Delta is about the bound of δ(ε) that two vectors give.
func Delta(v, w *Vector, step, eps float64) float64 {
	a, b := floats(v.a, v.bits), floats(w.a, w.bits)
	if v.b != nil {
		return lower(v, w, step, eps)
	}
	high, plain := make([]float64, len(b)+1), make([]float64, len(b)+1)
	for j := len(b) - 1; j >= 0; j-- {
		plain[j] = plain[j+1] + b[j]
		high[j] = high[j+1] + b[j]*math.Exp(-step*float64(w.first+int64(j)))
	}
	limit := int64(math.Floor(eps/step*(1+1e-15))) - v.first - w.first
	sum := 0.0
	for i, x := range a {
		k := min(max(limit-int64(i)+1, 0), int64(len(b)))
		sum += x * math.Max(0, plain[k]-math.Exp(eps-step*float64(v.first+int64(i)))*high[k])
	}
	return sum + missing(v, w)
}

// missing is 1 − Σa·Σb.
func missing(v, w *Vector) float64 {
	total := func(v *Vector) *big.Int {
		sum := new(big.Int)
		for _, x := range v.a {
			sum.Add(sum, x)
		}
		return sum
	}
	x := new(big.Int).Mul(total(v), total(w))
	x.Sub(new(big.Int).Lsh(big.NewInt(1), 2*v.bits), x)
	f, _ := new(big.Float).SetInt(x).Float64()
	return math.Ldexp(f, -2*int(v.bits))
}

func lower(v, w *Vector, step, eps float64) float64 {
	a, b, c, d := floats(v.a, v.bits), floats(w.a, w.bits), floats(v.b, v.bits), floats(w.b, w.bits)
	sums := func(x []float64) []float64 {
		s := make([]float64, len(x)+1)
		for j := len(x) - 1; j >= 0; j-- {
			s[j] = s[j+1] + x[j]
		}
		return s
	}
	sb, sd := sums(b), sums(d)
	limit := int64(math.Floor(eps/step*(1+1e-15))) - v.first - w.first
	sum := 0.0
	for i := range a {
		k := min(max(limit-int64(i)+1, 0), int64(len(b)))
		sum += a[i]*sb[k] - math.Exp(eps)*c[i]*sd[k]
	}
	return sum
}
