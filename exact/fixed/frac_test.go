// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

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

// word returns a word that is uniform, of few bits, or next to an end or a power of two.
func word(r *rand.Rand) uint64 {
	switch r.Intn(6) {
	case 0:
		return r.Uint64() << r.Intn(64)
	case 1:
		return r.Uint64() >> r.Intn(64)
	case 2:
		return 1<<r.Intn(64) - uint64(r.Intn(3)) + 1
	case 3:
		return -(uint64(1) << r.Intn(64)) + uint64(r.Intn(3))
	}
	return r.Uint64()
}

func anyFrac(r *rand.Rand) frac { return frac{word(r), word(r), word(r)} }

// big returns f·2^192.
func (a frac) big() *big.Int {
	m := new(big.Int).SetUint64(a.hi)
	m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(a.mi))
	return m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(a.lo))
}

// low fails unless computed ≤ true < computed + n, where true is num/2^shift ulps.
func low(t *testing.T, name string, computed frac, n int64, num *big.Int, shift uint) {
	t.Helper()
	d := new(big.Int).Sub(num, new(big.Int).Lsh(computed.big(), shift))
	if d.Sign() < 0 || d.Cmp(new(big.Int).Lsh(big.NewInt(n), shift)) >= 0 {
		t.Fatalf("%s: %v·2^−%d ulps of error, want [0, %d)", name, d, shift, n)
	}
}

func TestFractionsAddSubtractAndShiftExactly(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	one := new(big.Int).Lsh(big.NewInt(1), 192)
	for range points(2000) {
		a, b := anyFrac(r), anyFrac(r)
		s, c := addCarry(a, b)
		want := new(big.Int).Add(a.big(), b.big())
		if got := new(big.Int).Add(s.big(), new(big.Int).Mul(one, new(big.Int).SetUint64(c))); got.Cmp(want) != 0 {
			t.Fatalf("%v + %v = %v, %d", a, b, s, c)
		}
		d, c := subBorrow(a, b)
		want.Sub(a.big(), b.big())
		if got := new(big.Int).Sub(d.big(), new(big.Int).Mul(one, new(big.Int).SetUint64(c))); got.Cmp(want) != 0 {
			t.Fatalf("%v − %v = %v, %d", a, b, d, c)
		}
		k := uint(r.Intn(260))
		if got := a.shr(k).big(); got.Cmp(want.Rsh(a.big(), k)) != 0 {
			t.Fatalf("%v >> %d = %x", a, k, got)
		}
		want.Lsh(a.big(), k)
		if got := a.shl(k).big(); got.Cmp(want.Mod(want, one)) != 0 {
			t.Fatalf("%v << %d = %x", a, k, got)
		}
		if got := a.leadingZeros(); got != uint(192-a.big().BitLen()) {
			t.Fatalf("%v has %d leading zeros", a, got)
		}
	}
	if z := (frac{}).leadingZeros(); z != 192 {
		t.Errorf("0 has %d leading zeros", z)
	}
}

// worstFactors make the words that mul leaves out as large as can be.
var worstFactors = [][2]frac{
	{{1<<64 - 1, 1<<64 - 1, 1<<64 - 1}, {1<<64 - 1, 1<<64 - 1, 1<<64 - 1}},
	{{1 << 63, 1<<64 - 1, 1<<64 - 1}, {1 << 63, 1<<64 - 1, 1<<64 - 1}}, // a carry through the second word
	{{1<<63 + 1, 1<<64 - 1, 1<<64 - 1}, {1<<63 + 1, 1<<64 - 1, 1<<64 - 1}},
	{{1<<63 - 1, 1<<64 - 1, 1<<64 - 2}, {1<<64 - 3, 1<<64 - 1, 1<<64 - 1}},
}

func TestMulIsLowByLessThanSixUlps(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	check := func(a, b frac) *big.Int {
		p := new(big.Int).Mul(a.big(), b.big())
		low(t, fmt.Sprintf("%x·%x", a, b), mul(a, b), 6, p, 192)
		return p.Sub(p, new(big.Int).Lsh(mul(a, b).big(), 192))
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
		a.mi, b.mi = ^(a.mi >> 40), ^(b.mi >> 40)
		a.lo, b.lo = ^(a.lo >> 40), ^(b.lo >> 40)
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
	two := func(h, l uint64) *big.Int { return frac{0, h, l}.big() }
	for range points(5000) {
		ah, al, bh, bl := word(r), word(r), word(r), word(r)
		h, l := mul2(ah, al, bh, bl)
		low(t, fmt.Sprintf("%x %x · %x %x", ah, al, bh, bl), frac{0, h, l}, 3, new(big.Int).Mul(two(ah, al), two(bh, bl)), 128)
	}
}

func TestQuoIsTheFloor(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	check := func(a, b frac) {
		if a.big().Cmp(b.big()) >= 0 {
			return
		}
		n := new(big.Int).Lsh(a.big(), 192)
		if want := n.Quo(n, b.big()); quo(a, b).big().Cmp(want) != 0 {
			t.Fatalf("%x/%x = %x, want %x", a, b, quo(a, b), want)
		}
	}
	for range points(5000) {
		a, b := anyFrac(r), anyFrac(r)
		b.hi |= 1 << 63
		check(a, b)
		// Leading words that are equal, and estimates that are too large.
		a.hi = b.hi
		check(a, b)
		a.mi, b.mi = b.mi&^1, b.mi|1
		check(a, b)
		check(sub(b, frac{lo: 1}), b)
	}
	for range points(2000) { // Knuth's worst: a divisor just above 1/2, of large lower words
		b := frac{1<<63 + uint64(r.Intn(2)), -uint64(r.Intn(3)), word(r)}
		check(frac{b.hi - uint64(r.Intn(2)), word(r), word(r)}, b)
		check(frac{b.hi - 1, -uint64(r.Intn(3)), word(r)}, b)
	}
}

func TestTimesIsLowByLessThanTwoUlps(t *testing.T) {
	ln2 := new(big.Int)
	for _, w := range ln2Words {
		ln2.Or(ln2.Lsh(ln2, 64), new(big.Int).SetUint64(w))
	}
	r := rand.New(rand.NewSource(5))
	for range points(2000) {
		q := word(r) >> 2
		x := times(q, &ln2Words)
		got := new(big.Int).Lsh(new(big.Int).SetUint64(x.n), 192)
		got.Lsh(got.Add(got, x.f.big()), 64)
		lo := new(big.Int).Mul(ln2, new(big.Int).SetUint64(q))
		hi := new(big.Int).Add(lo, new(big.Int).SetUint64(q)) // log 2 < (ln2 + 1)·2^−256
		limit := new(big.Int).Add(got, new(big.Int).Lsh(big.NewInt(2), 64))
		if got.Cmp(lo) > 0 || hi.Cmp(limit) >= 0 {
			t.Fatalf("%d·log 2 = %x", q, got)
		}
	}
	if bits.Len64(ln2Words[0]) != 64 {
		t.Error("log 2 < 1/2")
	}
}
