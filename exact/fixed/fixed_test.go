// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/fraction"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// reference is the precision of the slow side: exact/interval, literally.
const reference = interval.Prec(320)

// points returns how many points a test takes; DPVERIFY_LONG takes twenty times as many, and what is quick a third.
// They are the same in every run, and testkit.Word prefers the ends, where bounds of rounding errors are nearly
// reached: more of them are much like these.
func points(n int) int {
	return testkit.Draws(max(1, n/3), n, 20*n)
}

func anyFrac(r *rand.Rand) frac {
	return fraction.Make(testkit.Word(r), testkit.Word(r), testkit.Word(r))
}

// bigOf returns f·2^192.
func bigOf(f frac) *big.Int {
	m := new(big.Int).SetUint64(f.Hi)
	m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(f.Mi))
	return m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(f.Lo))
}

// value returns m·2^e as a point.
func value(a frac, e int) interval.Interval {
	f := new(big.Float).SetInt(bigOf(a))
	return interval.Point(f.SetMantExp(f, e-192))
}

// within fails unless computed − above < truth < computed + below, in ulps of 2^(e−192); above = 0 stands for
// computed ≤ truth.
func within(t *testing.T, name string, computed frac, e int, above, below int64, truth interval.Interval) {
	t.Helper()
	d := reference.Scale(reference.Sub(truth, value(computed, e)), 192-e)
	if above == 0 && d.Negative() == interval.True || above > 0 && interval.Int(-above).Less(d) != interval.True ||
		d.Less(interval.Int(below)) != interval.True {
		t.Fatalf("%s: off by %v ulps, want (−%d, %d)", name, d, above, below)
	}
}

// some returns fractions of all kinds.
func some(r *rand.Rand) frac { return fraction.Make(testkit.Fraction(r)) }

func TestErfcxIsLowByLessThan140Ulps(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	check := func(f frac) {
		x := value(f, 4)
		w := reference
		truth := w.Scale(w.Mul(w.Exp(w.Sqr(x)), intervalErfc(w, x)), -1)
		within(t, "erfcx/2", erfcx(f), 0, 0, erfcxErr, truth)
		m, err, e := erfc(f)
		within(t, "erfc", m, e, int64(err), int64(err), intervalErfc(w, x))
		if m.Hi>>56 == 0 {
			t.Fatalf("erfc(%v): m < 2^−8", f)
		}
	}
	for i := range uint64(erfcxNodes) { // an end of each node, in turn
		f := frac{Hi: i << 54}
		switch i % 3 {
		case 1:
			f = fraction.Add(f, fraction.Make(1<<54-1, 1<<64-1, 1<<64-1))
		case 2:
			f = fraction.Add(f, fraction.Make(r.Uint64()>>10, r.Uint64(), r.Uint64()))
		}
		check(f)
	}
	for range points(200) {
		f := some(r)
		if f.Hi>>62 < 3 {
			check(f)
		}
		check(anyFrac(r).Shr(uint(5 + r.Intn(187))))
	}
}
