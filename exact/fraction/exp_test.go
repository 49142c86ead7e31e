// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fraction

import (
	"math/big"
	"math/rand"
	"testing"
)

func TestSeriesIsLowByLessThanTenUlps(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	limit := Frac{Hi: 33 << 35} // 2^−24·(1 + 2^−5)
	check := func(u Frac) {
		within(t, "e^u − 1", ExpSeries.Eval(u), 0, 0, seriesErr, expm1Of(bigOf(u), 192))
		within(t, "−log(1 − u)", LogSeries.Eval(u), 0, 0, seriesErr, minusLog(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 192), bigOf(u)), 192))
	}
	check(Sub(limit, Frac{Lo: 1}))
	for k := range uint(1000) {
		check(Sub(limit, Frac{Hi: uint64(k) << 20, Lo: r.Uint64()}))
	}
	for range points(500) {
		check(some(r).Shr(24))
		check(anyFrac(r).Shr(uint(24 + r.Intn(168))))
	}
}

func TestExpErrsByLessThan26Ulps(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	check := func(n int64, f Frac) {
		m, e := Exp(n, f)
		within(t, "exp", m, e, ExpErr, ExpErr, expOf(n, f))
		if m.Hi < 1<<62-1 || m.Hi>>56 > 0x82 {
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
		x := Times(q, &Ln2)
		for d := range uint64(8) {
			for _, f := range []Frac{Add(x.F, Frac{Lo: d}), Sub(x.F, Frac{Lo: d}), Add(x.F, Frac{Hi: d << 22}), Sub(x.F, Frac{Hi: d << 22})} {
				if d != 0 && r.Intn(8) > 0 {
					continue
				}
				check(int64(x.N), f)
				if !f.IsZero() {
					check(-int64(x.N)-1, Sub(Frac{}, f))
				}
			}
		}
	}
	for _, f := range []Frac{{}, {Lo: 1}, {1<<64 - 1, 1<<64 - 1, 1<<64 - 1}} {
		for _, n := range []int64{-1 << 20, -1, 0, 1, 1<<20 - 1} {
			check(n, f)
		}
	}
}
