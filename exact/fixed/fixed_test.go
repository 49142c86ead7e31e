// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	_ "dpverify/internal/testkit" // less garbage collection
)

// reference is the precision of the slow side: exact/interval, literally.
const reference = interval.Prec(320)

// value returns m·2^e as a point.
func (a frac) value(e int) interval.Interval {
	f := new(big.Float).SetInt(a.big())
	return interval.Point(f.SetMantExp(f, e-192))
}

// within fails unless computed − above < truth < computed + below, in ulps of 2^(e−192); above = 0 stands for
// computed ≤ truth.
func within(t *testing.T, name string, computed frac, e int, above, below int64, truth interval.Interval) {
	t.Helper()
	d := reference.Scale(reference.Sub(truth, computed.value(e)), 192-e)
	if above == 0 && d.Negative() == interval.True || above > 0 && interval.Int(-above).Less(d) != interval.True ||
		d.Less(interval.Int(below)) != interval.True {
		t.Fatalf("%s: off by %v ulps, want (−%d, %d)", name, d, above, below)
	}
}

// ends returns fractions next to multiples of 2^−k.
func ends(r *rand.Rand, k uint) frac {
	f := frac{hi: r.Uint64() >> (64 - k) << (64 - k)}
	switch r.Intn(4) {
	case 0:
		return add(f, frac{lo: uint64(r.Intn(3))})
	case 1:
		return sub(f, frac{lo: uint64(r.Intn(3))})
	case 2:
		return sub(f, frac{hi: 1})
	}
	return f
}

// some returns fractions of all kinds.
func some(r *rand.Rand) frac {
	switch r.Intn(5) {
	case 0:
		return ends(r, 8)
	case 1:
		return ends(r, 16)
	case 2:
		return ends(r, 24)
	case 3:
		return frac{hi: word(r)}
	}
	return anyFrac(r)
}

func TestSeriesIsLowByLessThanTenUlps(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	limit := frac{hi: 33 << 35} // 2^−24·(1 + 2^−5)
	check := func(u frac) {
		x := u.value(0)
		within(t, "e^u − 1", expSeries.eval(u), 0, 0, seriesErr, reference.Expm1(x))
		within(t, "−log(1 − u)", logSeries.eval(u), 0, 0, seriesErr, reference.Log1p(x.Neg()).Neg())
	}
	check(sub(limit, frac{lo: 1}))
	for k := range uint(1000) {
		check(sub(limit, frac{hi: uint64(k) << 20, lo: r.Uint64()}))
	}
	for range points(500) {
		check(some(r).shr(24))
		check(anyFrac(r).shr(uint(24 + r.Intn(168))))
	}
}

func TestExpErrsByLessThan26Ulps(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	check := func(n int64, f frac) {
		m, e := exp(n, f)
		within(t, "exp", m, e, expErr, expErr, reference.Exp(reference.Add(interval.Int(n), f.value(0))))
		if m.hi < 1<<62-1 || m.hi>>56 > 0x82 {
			t.Fatalf("exp(%d + %v): m = %v", n, f, m)
		}
	}
	for range points(800) {
		check(int64(r.Intn(200)-100), some(r))
		check(int64(r.Intn(2<<20)-1<<20), some(r))
	}
	// Next to multiples of log 2, where the reduced argument is next to an end.
	for k := range int64(400) {
		q := uint64(k)
		if k > 200 {
			q = uint64(r.Intn(1 << 20))
		}
		x := times(q, &ln2Words)
		for d := range uint64(8) {
			for _, f := range []frac{add(x.f, frac{lo: d}), sub(x.f, frac{lo: d}), add(x.f, frac{hi: d << 22}), sub(x.f, frac{hi: d << 22})} {
				if d != 0 && r.Intn(8) > 0 {
					continue
				}
				check(int64(x.n), f)
				if !f.isZero() {
					check(-int64(x.n)-1, sub(frac{}, f))
				}
			}
		}
	}
	for _, f := range []frac{{}, {lo: 1}, {1<<64 - 1, 1<<64 - 1, 1<<64 - 1}} {
		for _, n := range []int64{-1 << 20, -1, 0, 1, 1<<20 - 1} {
			check(n, f)
		}
	}
}

func TestNearLogIsBelowTheLogarithmAndNear(t *testing.T) {
	most := reference.Mul(interval.Point(new(big.Float).SetMantExp(big.NewFloat(1), -24)), reference.Rat(big.NewRat(65, 64)))
	check := func(h uint64) {
		y := frac{hi: nearLog(h)}
		if y.hi<<24 != 0 {
			t.Fatalf("nearLog(%x) has more than 24 bits: %x", h, y.hi)
		}
		for _, m := range []frac{{hi: h}, {h, 1<<64 - 1, 1<<64 - 1}} {
			g := reference.Sub(reference.Log(m.value(0)).Neg(), y.value(0))
			if g.Negative() != interval.False || g.Less(most) != interval.True {
				t.Fatalf("nearLog(%x) is %v below −log of %x", h, g, m)
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
		check(1<<63 | word(r))
		check(-word(r) | 1<<63)
	}
	// Logarithms just below a multiple of 2^−24, where y is to be the multiple before it, also next to an
	// entry of the table, where nothing makes up for a d that is too large.
	for i := range points(300) {
		k := r.Intn(11629079) + 1 // ⌊2^24·log 2⌋
		if i%2 == 0 {
			k = k&^(1<<16-1) + 1 + r.Intn(8)
		}
		m := justAbove(k)
		for h := m.hi - 5; h != m.hi+5; h++ {
			check(h)
		}
	}
}

// justAbove returns e^(−k·2^−24), rounded up to 192 bits.
func justAbove(k int) frac {
	y := reference.Exp(reference.Rat(big.NewRat(int64(-k), 1<<24)))
	n, _ := new(big.Float).SetMantExp(y.Hi(), 192).Int(nil)
	m := fracOf(n.Add(n, big.NewInt(1)))
	m.hi |= 1 << 63
	return m
}

func TestLogIsHighByLessThan85AndLowByLessThanTenUlps(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	check := func(m frac) {
		m.hi |= 1 << 63
		within(t, "−log", log(m), 0, logErr, 10, reference.Log(m.value(0)).Neg())
	}
	for range points(1000) {
		check(some(r))
		check(sub(frac{}, anyFrac(r).shr(uint(r.Intn(191)))))
		check(ends(r, 9))
	}
	for range points(300) {
		check(justAbove(r.Intn(11629079) + 1))
	}
	check(frac{})
	for k := range uint64(10) {
		check(frac{lo: k})
		check(sub(frac{}, frac{lo: k + 1}))
	}
}

func TestErfcxIsLowByLessThan140Ulps(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	check := func(f frac) {
		x := f.value(4)
		w := reference
		truth := w.Scale(w.Mul(w.Exp(w.Sqr(x)), w.Erfc(x)), -1)
		within(t, "erfcx/2", erfcx(f), 0, 0, erfcxErr, truth)
		m, err, e := erfc(f)
		within(t, "erfc", m, e, int64(err), int64(err), w.Erfc(x))
		if m.hi>>56 == 0 {
			t.Fatalf("erfc(%v): m < 2^−8", f)
		}
	}
	for i := range uint64(erfcxNodes) { // an end of each node, in turn
		f := frac{hi: i << 54}
		switch i % 3 {
		case 1:
			f = add(f, frac{1<<54 - 1, 1<<64 - 1, 1<<64 - 1})
		case 2:
			f = add(f, frac{r.Uint64() >> 10, r.Uint64(), r.Uint64()})
		}
		check(f)
	}
	for range points(200) {
		f := some(r)
		if f.hi>>62 < 3 {
			check(f)
		}
		check(anyFrac(r).shr(uint(5 + r.Intn(187))))
	}
}
