// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fraction

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand"
	"testing"

	"dpverify/internal/testkit"
)

// points returns how many points a test takes; DPVERIFY_LONG takes twenty times as many, and what is quick a third.
// They are the same in every run, and word prefers the ends, where bounds of rounding errors are nearly reached: more
// of them are much like these.
func points(n int) int {
	return testkit.Draws(max(1, n/3), n, 20*n)
}

func anyFrac(r *rand.Rand) Frac {
	return Frac{testkit.Word(r), testkit.Word(r), testkit.Word(r)}
}

// bigOf returns f·2^192.
func bigOf(f Frac) *big.Int {
	m := new(big.Int).SetUint64(f.Hi)
	m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(f.Mi))
	return m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(f.Lo))
}

// low fails unless computed ≤ true < computed + n, where true is num/2^shift ulps.
func low(t *testing.T, name string, computed Frac, n int64, num *big.Int, shift uint) {
	t.Helper()
	d := new(big.Int).Sub(num, new(big.Int).Lsh(bigOf(computed), shift))
	if d.Sign() < 0 || d.Cmp(new(big.Int).Lsh(big.NewInt(n), shift)) >= 0 {
		t.Fatalf("%s: %v·2^−%d ulps of error, want [0, %d)", name, d, shift, n)
	}
}

func TestFractionsAddSubtractAndShiftExactly(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	one := new(big.Int).Lsh(big.NewInt(1), 192)
	for range points(2000) {
		a, b := anyFrac(r), anyFrac(r)
		s, c := AddCarry(a, b)
		want := new(big.Int).Add(bigOf(a), bigOf(b))
		if got := new(big.Int).Add(bigOf(s), new(big.Int).Mul(one, new(big.Int).SetUint64(c))); got.Cmp(want) != 0 {
			t.Fatalf("%v + %v = %v, %d", a, b, s, c)
		}
		d, c := SubBorrow(a, b)
		want.Sub(bigOf(a), bigOf(b))
		if got := new(big.Int).Sub(bigOf(d), new(big.Int).Mul(one, new(big.Int).SetUint64(c))); got.Cmp(want) != 0 {
			t.Fatalf("%v − %v = %v, %d", a, b, d, c)
		}
		k := uint(r.Intn(260))
		if got := bigOf(a.Shr(k)); got.Cmp(want.Rsh(bigOf(a), k)) != 0 {
			t.Fatalf("%v >> %d = %x", a, k, got)
		}
		want.Lsh(bigOf(a), k)
		if got := bigOf(a.Shl(k)); got.Cmp(want.Mod(want, one)) != 0 {
			t.Fatalf("%v << %d = %x", a, k, got)
		}
		if got := a.LeadingZeros(); got != uint(192-bigOf(a).BitLen()) {
			t.Fatalf("%v has %d leading zeros", a, got)
		}
	}
	if z := (Frac{}).LeadingZeros(); z != 192 {
		t.Errorf("0 has %d leading zeros", z)
	}
}

// worstFactors make the words that mul leaves out as large as can be.
var worstFactors = [][2]Frac{
	{{1<<64 - 1, 1<<64 - 1, 1<<64 - 1}, {1<<64 - 1, 1<<64 - 1, 1<<64 - 1}},
	{{1 << 63, 1<<64 - 1, 1<<64 - 1}, {1 << 63, 1<<64 - 1, 1<<64 - 1}}, // a carry through the second word
	{{1<<63 + 1, 1<<64 - 1, 1<<64 - 1}, {1<<63 + 1, 1<<64 - 1, 1<<64 - 1}},
	{{1<<63 - 1, 1<<64 - 1, 1<<64 - 2}, {1<<64 - 3, 1<<64 - 1, 1<<64 - 1}},
}

func TestMulIsLowByLessThanSixUlps(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	check := func(a, b Frac) *big.Int {
		p := new(big.Int).Mul(bigOf(a), bigOf(b))
		low(t, fmt.Sprintf("%x·%x", a, b), Mul(a, b), 6, p, 192)
		return p.Sub(p, new(big.Int).Lsh(bigOf(Mul(a, b)), 192))
	}
	for range points(5000) {
		check(anyFrac(r), anyFrac(r))
	}
	for _, f := range worstFactors {
		check(f[0], f[1])
	}
	// The bound is no larger than it has to be.
	worst := new(big.Int)
	for range 5000 {
		a, b := anyFrac(r), anyFrac(r)
		a.Mi, b.Mi = ^(a.Mi >> 40), ^(b.Mi >> 40)
		a.Lo, b.Lo = ^(a.Lo >> 40), ^(b.Lo >> 40)
		if d := check(a, b); d.Cmp(worst) > 0 {
			worst = d
		}
	}
	if four := new(big.Int).Lsh(big.NewInt(4), 192); worst.Cmp(four) < 0 {
		t.Errorf("no product errs by four ulps: %x", worst)
	}
}

func TestMul2IsLowByLessThanThreeUnits(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	two := func(h, l uint64) *big.Int { return bigOf(Frac{0, h, l}) }
	for range points(5000) {
		ah, al, bh, bl := testkit.Word(r), testkit.Word(r), testkit.Word(r), testkit.Word(r)
		h, l := Mul2(ah, al, bh, bl)
		low(t, fmt.Sprintf("%x %x · %x %x", ah, al, bh, bl), Frac{0, h, l}, 3, new(big.Int).Mul(two(ah, al), two(bh, bl)), 128)
	}
}

func TestQuoIsTheFloor(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	check := func(a, b Frac) {
		if bigOf(a).Cmp(bigOf(b)) >= 0 {
			return
		}
		n := new(big.Int).Lsh(bigOf(a), 192)
		if want := n.Quo(n, bigOf(b)); bigOf(Quo(a, b)).Cmp(want) != 0 {
			t.Fatalf("%x/%x = %x, want %x", a, b, Quo(a, b), want)
		}
	}
	for range points(5000) {
		a, b := anyFrac(r), anyFrac(r)
		b.Hi |= 1 << 63
		check(a, b)
		// Leading words that are equal, and estimates that are too large.
		a.Hi = b.Hi
		check(a, b)
		a.Mi, b.Mi = b.Mi&^1, b.Mi|1
		check(a, b)
		check(Sub(b, Frac{Lo: 1}), b)
	}
	for range points(2000) { // Knuth's worst: a divisor just above 1/2, of large lower words
		b := Frac{1<<63 + uint64(r.Intn(2)), -uint64(r.Intn(3)), testkit.Word(r)}
		check(Frac{b.Hi - uint64(r.Intn(2)), testkit.Word(r), testkit.Word(r)}, b)
		check(Frac{b.Hi - 1, -uint64(r.Intn(3)), testkit.Word(r)}, b)
	}
}

func TestTimesIsLowByLessThanTwoUlps(t *testing.T) {
	ln2 := new(big.Int)
	for _, w := range Ln2 {
		ln2.Or(ln2.Lsh(ln2, 64), new(big.Int).SetUint64(w))
	}
	r := rand.New(rand.NewSource(5))
	for range points(2000) {
		q := testkit.Word(r) >> 2
		x := Times(q, &Ln2)
		got := new(big.Int).Lsh(new(big.Int).SetUint64(x.N), 192)
		got.Lsh(got.Add(got, bigOf(x.F)), 64)
		lo := new(big.Int).Mul(ln2, new(big.Int).SetUint64(q))
		hi := new(big.Int).Add(lo, new(big.Int).SetUint64(q)) // log 2 < (ln2 + 1)·2^−256
		limit := new(big.Int).Add(got, new(big.Int).Lsh(big.NewInt(2), 64))
		if got.Cmp(lo) > 0 || hi.Cmp(limit) >= 0 {
			t.Fatalf("%d·log 2 = %x", q, got)
		}
	}
	if bits.Len64(Ln2[0]) != 64 {
		t.Error("log 2 < 1/2")
	}
}
