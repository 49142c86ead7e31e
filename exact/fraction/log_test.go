// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fraction

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/internal/testkit"
)

func TestNearLogIsBelowTheLogarithmAndNear(t *testing.T) {
	most := testkit.Scaled(big.NewInt(65), 30) // 2^−24·65/64
	check := func(h uint64) {
		y := Frac{Hi: nearLog(h)}
		if y.Hi<<24 != 0 {
			t.Fatalf("nearLog(%x) has more than 24 bits: %x", h, y.Hi)
		}
		for _, m := range []Frac{{Hi: h}, {h, 1<<64 - 1, 1<<64 - 1}} {
			x := minusLog(bigOf(m), 192)
			below := testkit.Scaled(bigOf(y), 192)
			if x.high().Cmp(below) < 0 || x.low().Sub(x.low(), below).Cmp(most) >= 0 {
				t.Fatalf("nearLog(%x) is %v, not below −log of %x by less than 2^−24·65/64", h, y, m)
			}
		}
	}
	r := rand.New(rand.NewSource(3))
	for i := range uint64(256) { // the ends of each entry of the table
		h := 1<<63 | i<<55
		check(h)
		check(h | 1<<55 - 1)
		check(h | r.Uint64()>>9)
	}
	for range points(300) {
		check(1<<63 | testkit.Word(r))
		check(-testkit.Word(r) | 1<<63)
	}
	// Logarithms just below a multiple of 2^−24, where y is to be the multiple before it, also next to an
	// entry of the table, where nothing makes up for a d that is too large.
	for i := range points(300) {
		k := r.Intn(11629079) + 1 // ⌊2^24·log 2⌋
		if i%2 == 0 {
			k = k&^(1<<16-1) + 1 + r.Intn(8)
		}
		m := justAbove(k)
		for h := m.Hi - 5; h != m.Hi+5; h++ {
			check(h)
		}
	}
}

// justAbove returns e^(−k·2^−24), rounded up to 192 bits.
func justAbove(k int) Frac {
	x := expOfScaled(big.NewInt(int64(-k)), 24)
	m := Of(new(big.Int).Rsh(x.hi, uint(x.v-192)))
	return Add(m, Frac{Lo: 2})
}

func TestLogIsHighByLessThan85AndLowByLessThanTenUlps(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	check := func(m Frac) {
		m.Hi |= 1 << 63
		within(t, "−log", Log(m), 0, LogErr, 10, minusLog(bigOf(m), 192))
	}
	for range points(1000) {
		check(some(r))
		check(Sub(Frac{}, anyFrac(r).Shr(uint(r.Intn(191)))))
		check(Make(testkit.FractionNear(r, 9)))
	}
	for range points(300) {
		check(justAbove(r.Intn(11629079) + 1))
	}
	check(Frac{})
	for k := range uint64(10) {
		check(Frac{Lo: k})
		check(Sub(Frac{}, Frac{Lo: k + 1}))
	}
}
