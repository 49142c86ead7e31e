// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"sync"

	"dpverify/exact/kernel"
)

// erfcPositive encloses erfc(√a), a > 0, with relative accuracy.
//
// Theorem (Chiarella & Reichel 1968, Hunter & Regan 1972, with an explicit
// remainder). Let x > 0, 0 < h ≤ 1, c₀ = π/h and
//
//	R = 1/x² + 2·Σ_{k≥1} e^(−k²h²)/(k²h² + x²).
//
// Then |erfc(x) − e^(−x²)·(h·x/π)·R + κ| ≤ 5·e^(−x²−c₀²), where
// κ = 2/(e^(2πx/h) − 1) if x ≤ c₀ + 1/10, and κ = 0 if x ≥ c₀ − 1/10 (both hold in
// between).
//
// Proof. f(z) = e^(−z²)/(z² + x²) has ∫_ℝ f = (π/x)e^(x²)erfc(x) =: I (A&S 7.4.11) and
// poles at ±ix with residues ±e^(x²)/(2ix). h·R = h·Σ_{k∈ℤ} f(kh) is the sum of the
// residues of f(z)·π·cot(πz/h) at the points kh. Integrate this function around
// the strip |Im z| < c, c ≠ x, where e^(−z²) makes the vertical sides vanish. With
// u = e^(2πiz/h) above and its inverse below, cot(πz/h) is −i(1 + 2u/(1−u)) on the
// upper line and i(1 + 2u/(1−u)) on the lower one, |u| = e^(−2πc/h). The parts ∓i
// give (1/2)∫f over either line, which is I for c < x and I − (π/x)e^(x²) for c > x;
// in the second case the residues at ±ix, −(π/2x)e^(x²)coth(πx/h) each, are to be
// subtracted. As coth y − 1 = 2/(e^(2y) − 1),
//
//	h·R = I + [c > x]·(π/x)e^(x²)·2/(e^(2πx/h) − 1) + E,
//	|E| ≤ 2·∫|f(t ± ic)|dt/(e^(2πc/h) − 1).
//
// On the lines |e^(−z²)| = e^(c²−t²) and |z² + x²| = |z − ix||z + ix| ≥ |c − x|(c + x).
// Take c = c₀ + 1/2 in the first case and c₀ − 1/2 in the second: |c − x| ≥ 2/5, c² −
// 2πc/h = (c − c₀)² − c₀² = 1/4 − c₀², and c·c₀ ≥ 2 gives 1/(1 − e^(−2c·c₀)) ≤ 1.02. So
// |E| ≤ 2√π·e^(1/4)·1.02·(5/2)·e^(−c₀²)/(c + x) ≤ 11.7·e^(−c₀²)/x. Multiply by
// (x/π)e^(−x²): 11.7/π < 5. ∎
//
// The node distance h = H/2^10 is chosen so that c₀² ≥ B·log 2 for a target of B
// bits, hence 5·e^(−c₀²) ≤ 5·2^−B.
func (p Prec) erfcPositive(g gauss) Interval {
	if g.a == nil {
		return Interval{zeroFloat, up.smallest()}
	}
	if g.a.MantExp(nil) < -1 { // a < 1/4
		return p.Sub(Int(1), (p + 4).erfSmall(g))
	}
	q := p + 10
	// R ≥ 1/a may be as small as 2^−30.
	t := gaussNodes(int(q) + max(0, g.a.MantExp(nil)) + 8)
	lo, hi := t.sum(g.a, -1)
	R := q.fromFixed(lo, hi, t.v)
	root := q.root(g)
	// h·x/π·R = H·x·R/(2^10·π)
	z := q.Mul(root, R)
	z = q.Scale(q.Div(q.Mul(z, Int(int64(t.H))), q.Pi()), -nodeBits)
	e := q.Scale(Int(5), -t.bits)
	z = q.Add(z, Interval{e.Neg().lo, e.hi})
	z = q.Mul(z, q.expPoint(new(big.Float).Neg(g.a)))
	if t.needsPole(g.a) {
		// 2πx/h = 2^11·π·x/H
		s := q.Div(q.Scale(q.Mul(q.Pi(), root), nodeBits+1), Int(int64(t.H)))
		z = q.Sub(z, q.Div(Int(2), q.Sub(q.Exp(s), Int(1))))
	}
	if z.l().Sign() < 0 {
		z.lo = zeroFloat
	}
	return p.Round(z)
}

const nodeBits = 10 // h is a multiple of 2^−nodeBits

// A nodeTable holds G[k] ≤ e^(−k²h²)·2^v ≤ G[k] + slack for k = 0, 1, … up to the
// first G[k] = 0, h = H·2^−nodeBits.
type nodeTable struct {
	bits  int // B: c₀² ≥ B·log 2
	H     int
	v     int
	g     []*big.Int
	slack int64
}

var nodeTables sync.Map // of bits → *nodeTable: immutable, a function of bits alone

// gaussNodes returns a table for at least the given number of bits.
func gaussNodes(bits int) *nodeTable {
	bits = (bits + 31) &^ 31
	if t, ok := nodeTables.Load(bits); ok {
		return t.(*nodeTable)
	}
	t, _ := nodeTables.LoadOrStore(bits, newNodeTable(bits))
	return t.(*nodeTable)
}

// newNodeTable computes the nodes by e^(−(k+1)²h²) = e^(−k²h²)·e^(−(2k+1)h²), rounding
// products down for one sequence and up for the other.
//
// H: c₀² = π²·2^20/H² ≥ B·log 2 ⟺ H² ≤ 2^20·π²/(B·log 2), and 2^20·π²/log 2 > 14930000.
// For 32 ≤ B: H ≤ 683, h < 1, c₀ > 4. Up to B = 2^19, H ≥ 5.
func newNodeTable(bits int) *nodeTable {
	H := new(big.Int).Sqrt(big.NewInt(14930000 / int64(bits)))
	t := &nodeTable{bits: bits, H: int(H.Int64()), v: bits + 8}
	guard := 2*big.NewInt(int64(bits)).BitLen() + 8
	w := t.v + guard
	p := Prec(w + 8)
	h2 := p.Scale(Int(int64(t.H*t.H)), -2*nodeBits)
	step := p.Exp(h2.Neg())             // e^(−h²)
	stepLo := kernel.Floor(step.l(), w) // e^(−(2k+1)h²), k = 0
	stepHi := kernel.Floor(step.h(), w) //
	stepHi.Add(stepHi, oneInt)          //
	square := p.Sqr(step)               // e^(−2h²)
	sqLo := kernel.Floor(square.l(), w) //
	sqHi := kernel.Floor(square.h(), w) //
	sqHi.Add(sqHi, oneInt)              //
	lo := new(big.Int).Lsh(oneInt, uint(w))
	hi := new(big.Int).Set(lo)
	mulDown := func(a, b *big.Int) { a.Rsh(a.Mul(a, b), uint(w)) }
	mulUp := func(a, b *big.Int) { mulDown(a, b); a.Add(a, oneInt) }
	for {
		G := new(big.Int).Rsh(lo, uint(guard))
		d := new(big.Int).Rsh(hi, uint(guard))
		d.Sub(d.Add(d, oneInt), G)
		t.slack = max(t.slack, d.Int64())
		t.g = append(t.g, G)
		if G.Sign() == 0 {
			return t
		}
		mulDown(lo, stepLo)
		mulUp(hi, stepHi)
		mulDown(stepLo, sqLo)
		mulUp(stepHi, sqHi)
	}
}

// stepInt returns h²·2^v, an integer.
func (t *nodeTable) stepInt() *big.Int {
	return new(big.Int).Lsh(big.NewInt(int64(t.H*t.H)), uint(t.v-2*nodeBits))
}

// needsPole reports whether κ is to be subtracted: true implies √a ≤ c₀ + 1/10 and
// false implies √a ≥ c₀ − 1/10.
//
// c₀² = π²·2^20/H² and 10349030 < π²·2^20 < 10349031. With A = ⌊a·2^10⌋, A·H² ≤
// 10349030·2^10 gives a < c₀² + 2^−10 + …, and the opposite a ≥ c₀²(1 − 2^−23); either
// is far closer to c₀² than c₀/5.
func (t *nodeTable) needsPole(a *big.Float) bool {
	A := kernel.Floor(a, 10) // < 2^40
	H := int64(t.H)
	return A.Int64()*H*H <= 10349030<<10
}

// sum returns lo ≤ R·2^v ≤ hi for R as in erfcPositive, from the nodes 0..K, K =
// degree or all that the table holds for degree < 0.
//
// Requires: a ≥ 1/4.
//
// With D_k = ⌊a·2^v⌋ + k²H²·2^(v−20), (k²h² + a)·2^v ∈ [D_k, D_k + 1), D_k ≥ 2^(v−2).
// Term k lies between ⌊G_k·2^v/(D_k + 1)⌋ and (G_k + s)·2^v/D_k (s the slack, 0 for k
// = 0), which differ by less than G_k·2^v/D_k² + s·2^v/D_k + 1 ≤ 16 + 4s + 1.
// The nodes beyond K: their numerators fall at least as a geometric series of
// ratio e^(−y), y = (2K+3)h², and 1/(1 − e^(−y)) ≤ 1 + 1/y; each denominator is at
// least 1/4. So they sum to at most 4(G_{K+1} + s)(1 + 1/y).
func (t *nodeTable) sum(a *big.Float, degree int) (lo, hi *big.Int) {
	K := len(t.g) - 2
	if degree >= 0 {
		K = min(K, degree)
	}
	base := kernel.Floor(a, t.v)
	base.Add(base, oneInt)
	step := t.stepInt()
	lo = new(big.Int)
	d, n, k2 := new(big.Int), new(big.Int), new(big.Int)
	var quotient, rest big.Int
	for k := 1; k <= K; k++ {
		d.Mul(step, k2.SetInt64(int64(k)*int64(k)))
		d.Add(d, base)
		n.Lsh(t.g[k], uint(t.v))
		quotient.QuoRem(n, d, &rest)
		lo.Add(lo, &quotient)
	}
	lo.Lsh(lo, 1)
	n.Lsh(oneInt, uint(2*t.v))
	lo.Add(lo, n.Quo(n, base))
	// tail = 4(G + s)(1 + 2^20/((2K+3)H²)), rounded up
	hi = new(big.Int).Add(t.g[K+1], d.SetInt64(t.slack))
	hi.Lsh(hi, 2)
	n.Lsh(hi, 2*nodeBits)
	n.Quo(n, d.SetInt64(int64(2*K+3)*int64(t.H)*int64(t.H)))
	hi.Add(hi, n.Add(n, oneInt))
	hi.Lsh(hi, 1)
	hi.Add(hi, lo)
	hi.Add(hi, d.SetInt64(17+2*int64(K)*(17+4*t.slack)))
	return lo, hi
}
