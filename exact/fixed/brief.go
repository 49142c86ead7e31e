// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "math/bits"

// A briefTerm has the first word of each number of a pencilTerm: in units of 2^(top−60), rounded down.
type briefTerm struct{ x, y [2]int64 }

// A briefPoint has z and g of Pencil.Sum in units of 2^−briefPlaces, rounded to 0.
type briefPoint struct{ re, im, share int64 }

const (
	// briefPlaces are the binary places of z and g.
	briefPlaces = 62
	// briefErr bounds the rounding of a term, in units.
	briefErr = 10
)

// shorten returns a fraction of modulus f, rounded to 0.
func shorten(f frac, neg bool) int64 {
	n := int64(f.hi >> (64 - briefPlaces))
	if neg {
		return -n
	}
	return n
}

// briefSum adds up terms as a block of Pencil.Sum does: in units of 2^(top−60), with an error of less than briefErr
// each.
//
// Rounding. x and y are low by less than 1.1 units, as are products with z and g, which are rounded down. With g ≤ 1 a
// step is off by at most 1.1 + 2.1 + 2 < 5.3 units in both parts, 5.3·√2 < 8; in a block less than 8·33/32 each, as for
// Sum, since the modulus of what stands for z is at most 1 + δ. z is off by less than 2^−61 beside what it has from
// Sum, and g by 2^−62: a block of n terms changes by less than 2^top·(n·2^−61 + 2^−62), 3n/4 units. ∎
//
// No number reaches 2^62 units: partial sums are at most 2^60 units and their errors.
func briefSum(terms []briefTerm, top int, z briefPoint) Complex {
	var re, im int64
	for k := len(terms) - 1; k >= 0; k-- {
		t := &terms[k]
		a, b := briefly(re, z.re)-briefly(im, z.im), briefly(re, z.im)+briefly(im, z.re)
		re, im = t.x[0]-briefly(t.y[0], z.share)+a, t.x[1]-briefly(t.y[1], z.share)+b
	}
	err := uint64(len(terms)) * briefErr
	return Complex{Around(re, err, top-60), Around(im, err, top-60)}
}

// briefly returns a·c·2^−briefPlaces, rounded down, for |a| < 2^62 and |c| ≤ 2^62.
func briefly(a, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(c))
	hi -= uint64(a>>63)&uint64(c) + uint64(c>>63)&uint64(a) // a·c, of signed numbers
	return int64(hi<<(64-briefPlaces) | lo>>briefPlaces)
}

// Around encloses the numbers x with |x − n·2^exp| ≤ err·2^exp.
func Around(n int64, err uint64, exp int) Real {
	u := uint64(n)
	if n < 0 {
		u = -u
	}
	return pack(n < 0, frac{lo: u}, err, exp+192)
}
