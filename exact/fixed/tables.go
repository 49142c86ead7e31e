// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	_ "embed" // the tables
	"math/bits"
	"sync/atomic"

	"dpverify/exact/fraction"
)

// tablesBin is tables.bin, which holds the words of the tables below in their order, least significant byte
// first, each number most significant word first and rounded down. TestTables computes it
// again by exact/interval; with -update it writes it.
//
//go:embed tables.bin
var tablesBin []byte

// erfcxNodes is the number of nodes of erfcx: x < 12.
const erfcxNodes = 768

// A node holds t_n = b_n/2 for erfcx(x₀ − h/64) = Σ b_n·h^n at x₀ = (i + 1)/64, i its index: ten coefficients in three
// words, nine in the lower two, eight in the lowest, each rounded down.
type node struct {
	a [10]frac
	b [9][2]uint64
	c [8]uint64
}

// octants is the number of entries of the first tables of sine and cosine: π/4 + 2^−17 < octants/256.
const octants = 202

// A turn is the sine and 1 − cosine of an angle, or halves of the sine and cosine.
type turn struct{ sin, cos frac }

var (
	rootHalf        frac          // 1/√2
	quarterPi       [4]uint64     // π/4, to 2^−256
	turnTable       [octants]turn // sin(i/2^8)/2 and cos(i/2^8)/2
	smallTurns      [256]turn     // sin(i/2^16) and 1 − cos(i/2^16)
	sinCoefficients [4]frac       // 1/9!, 1/7!, 1/5!, 1/3!
	cosCoefficients [5]frac       // 1/10!, 1/8!, 1/6!, 1/4!, 1/2!
	rootPi          wide          // 1/(64·√π)
)

func init() {
	if rest := fraction.Read(tablesBin, forTables); len(rest) != erfcxNodes*len(wide{})*8 {
		panic("fixed: internal error: the length of tables.bin")
	}
}

// nodes are those asked for so far: few of them are, and computing all takes longer than a whole answer may.
var nodes [erfcxNodes]atomic.Pointer[node]

// nodeAt returns the node of an index. tables.bin has t₀ only, to 2^−256, rounded down.
//
// Theorem. With y = erfcx, y′ = 2xy − 2/√π and y″ = 2xy′ + 2y, so that t₁ = 1/(64·√π) − (i + 1)·t₀/2048 and
// t_n = (t_(n−2) − (i + 1)·t_(n−1))/(2048·n), n ≥ 2: all are positive, as the signs of the derivatives alternate.
//
// Rounding: in units of 2^−256, t₀ errs by < 1, t₁ by < 1 + 768·(1 + 1) + 1 < 2^11, and t_n by less than
// (e_(n−2) + 768·e_(n−1))/4096 + 1 < 2^11 again. TestNodes shows that no digit that is kept is lost by it.
func nodeAt(i uint64) *node {
	n := nodes[i].Load()
	if n != nil {
		return n
	}
	n = new(node)
	var p, q wide
	fraction.Read(tablesBin[len(tablesBin)-int(erfcxNodes-i)*len(p)*8:], func(visit func(*uint64)) {
		for k := range p {
			visit(&p[k])
		}
	})
	n.set(0, p)
	q = rootPi.minus(p.over(2048), i+1)
	n.set(1, q)
	for k := uint64(2); k < 27; k++ {
		p, q = q, p.minus(q, i+1).over(2048*k)
		n.set(k, q)
	}
	nodes[i].Store(n)
	return n
}

// set sets the coefficient k.
func (n *node) set(k uint64, t wide) {
	switch {
	case k < 10:
		n.a[k] = fraction.Make(t[0], t[1], t[2])
	case k < 19:
		n.b[k-10] = [2]uint64{t[1], t[2]}
	default:
		n.c[k-19] = t[2]
	}
}

// A wide is a number in [0, 1) in units of 2^−256, most significant word first.
type wide [4]uint64

// minus returns x − k·y.
//
// Requires: 0 ≤ x − k·y, k·y < 1.
func (x wide) minus(y wide, k uint64) wide {
	var carry, borrow uint64
	for j := len(x) - 1; j >= 0; j-- {
		hi, lo := bits.Mul64(y[j], k)
		lo, c := bits.Add64(lo, carry, 0)
		carry = hi + c
		x[j], borrow = bits.Sub64(x[j], lo, borrow)
	}
	return x
}

// over returns x/d, rounded down.
func (x wide) over(d uint64) wide {
	var rest uint64
	for j := range x {
		x[j], rest = bits.Div64(rest, x[j], d)
	}
	return x
}

// forTables visits the words of all tables but those of the nodes, which are last in tables.bin, in its order.
func forTables(visit func(*uint64)) {
	rootHalf.Words(visit)
	for i := range quarterPi {
		visit(&quarterPi[i])
	}
	for _, t := range [][]turn{turnTable[:], smallTurns[:]} {
		for i := range t {
			t[i].sin.Words(visit)
			t[i].cos.Words(visit)
		}
	}
	for _, c := range [][]frac{sinCoefficients[:], cosCoefficients[:]} {
		for i := range c {
			c[i].Words(visit)
		}
	}
	for i := range rootPi {
		visit(&rootPi[i])
	}
}
