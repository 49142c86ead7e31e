// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/rand"
	"testing"
)

// anyPart returns an integer of at most TurnBits bits, of either sign.
func anyPart(r *rand.Rand) *big.Int {
	n := anyFrac(r).shr(uint(192 - TurnBits + r.Intn(2)*r.Intn(TurnBits))).big()
	if r.Intn(2) == 0 {
		n.Neg(n)
	}
	return n
}

func TestMulSignedIsLowByLessThan24Units(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range points(5000) {
		a, b := anyPart(r), anyPart(r)
		got := mulSigned(twosComplement(a), twosComplement(b)).signed()
		d := new(big.Int).Mul(a, b)
		d.Sub(d, got.Lsh(got, TurnBits))
		if d.Sign() < 0 || d.Cmp(new(big.Int).Lsh(big.NewInt(24), TurnBits)) >= 0 {
			t.Fatalf("%d·%d errs by %x·2^−%d", a, b, d, TurnBits)
		}
	}
	if x := twosComplement(big.NewInt(-5)).signed(); x.Int64() != -5 {
		t.Error(x)
	}
}

// TestTurnsStayWithinTheirError: every term is near the product of the one before and the turn, and sums
// are sums of terms.
func TestTurnsStayWithinTheirError(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	limit := new(big.Int).Lsh(big.NewInt(TurnErr*TurnErr), 2*TurnBits)
	const n = 50
	sum := NewTurns(n)
	var re, im [n + 1]big.Int
	for i := range points(40) {
		x := new(big.Int).Rsh(anyPart(r), 6) // 40 of them are within the limit, 2000 are not
		_, c := Three{}.SinCos(fromFixed(r.Intn(2) == 0, uint64(r.Intn(4)), anyFrac(r), 0))
		// cos and ±√(1 − cos²), rounded
		zr := c.m.shr(uint(2 - c.exp())).big()
		if c.neg() {
			zr.Neg(zr)
		}
		zi := new(big.Int).Lsh(big.NewInt(1), 2*TurnBits)
		zi.Sqrt(zi.Sub(zi, new(big.Int).Mul(zr, zr)))
		if r.Intn(2) == 0 {
			zi.Neg(zi)
		}
		one := NewTurns(n)
		one.Add(x, zr, zi)
		if a, b := one.At(0); a.Cmp(x) != 0 || b.Sign() != 0 {
			t.Fatalf("the first term is %d + %di, want %d", a, b, x)
		}
		for j := range n {
			a, b := one.At(j)
			c, d := one.At(j + 1)
			for _, p := range []*big.Int{c, d} {
				p.Lsh(p, TurnBits)
			}
			c.Sub(c, new(big.Int).Sub(new(big.Int).Mul(a, zr), new(big.Int).Mul(b, zi)))
			d.Sub(d, new(big.Int).Add(new(big.Int).Mul(a, zi), new(big.Int).Mul(b, zr)))
			if c.Mul(c, c).Add(c, d.Mul(d, d)).Cmp(limit) > 0 {
				t.Fatalf("term %d of %d at (%d, %d) errs by more than %d", j+1, x, zr, zi, TurnErr)
			}
		}
		if i < 40 {
			sum.Add(x, zr, zi)
			for j := range n + 1 {
				a, b := one.At(j)
				re[j].Add(&re[j], a)
				im[j].Add(&im[j], b)
			}
		}
	}
	for j := range n + 1 {
		if a, b := sum.At(j); a.Cmp(&re[j]) != 0 || b.Cmp(&im[j]) != 0 {
			t.Errorf("S_%d = %d + %di, want %d + %di", j, a, b, &re[j], &im[j])
		}
	}
}

func BenchmarkTurns(b *testing.B) {
	t := NewTurns(1000)
	x, z := new(big.Int).Lsh(big.NewInt(1), 100), new(big.Int).Lsh(big.NewInt(3), TurnBits-2)
	for b.Loop() {
		t.Add(x, z, z)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1001, "ns/turn")
}
