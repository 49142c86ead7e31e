// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/fraction"
	"dpverify/exact/interval"
)

// randomReal returns a Real with any error, sign and number of leading zeros, near the unit interval most times.
func randomReal(r *rand.Rand) Real {
	m := fraction.Make(r.Uint64(), r.Uint64(), r.Uint64())
	switch r.Intn(6) {
	case 0:
		m = fraction.Make(^uint64(0), ^uint64(0), ^uint64(r.Intn(1<<12))) // next to a carry
	case 1:
		m = fraction.Make(r.Uint64()&(1<<r.Intn(64)-1), 0, 0)
	case 2:
		m = fraction.Make(0, 0, r.Uint64())
	case 3:
		m = frac{Hi: 1 << 63}
	}
	err := uint64(0)
	if r.Intn(3) > 0 {
		err = r.Uint64() >> (3 + r.Intn(61))
	}
	exp := -r.Intn(200)
	if r.Intn(2) == 0 {
		exp = 3 - r.Intn(6)
	}
	return pack(r.Intn(5) == 0, m, err, exp)
}

func scaledUnits(a Scaled) *big.Int { return bigOf(a.n) }

// TestScaledAreFloorsAndCeilings: Floor and Ceil are interval's of the same enclosure, for any number of bits.
func TestScaledAreFloorsAndCeilings(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	one := interval.Int(1)
	for i := range 40_000 {
		x := randomReal(r)
		switch i {
		case 0:
			x = Unknown()
		case 1:
			x = Real{}
		case 2:
			x = Int(1)
		case 3:
			x = Int(-1)
		}
		prec := []uint{2, 3, 4, 5, 6, 7, 8, 61, 123, 160, MaxScaled}[r.Intn(11)]
		y := x.Interval()
		if got, want := scaledUnits(x.Floor(prec)), interval.FloorScaled(y, prec); got.Cmp(want) != 0 {
			t.Fatalf("%d bits of %v: floor %v, want %v", prec, y, got, want)
		}
		n, ok := x.Ceil(prec)
		if want := interval.CeilScaled(y, prec); scaledUnits(n).Cmp(want) != 0 || ok != (y.Upper().LessEq(one) == interval.True) {
			t.Fatalf("%d bits of %v: ceiling %v, %v, want %v", prec, y, scaledUnits(n), ok, want)
		}
	}
}

// TestEndsOfReals: Lower is the lower end; Upper is not below the upper one, by less than an ulp.
func TestEndsOfReals(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	zero := new(big.Float)
	for range 20_000 {
		x := randomReal(r)
		y := x.Interval()
		lo, hi := y.Lo(), y.Hi()
		if lo.Sign() < 0 {
			lo = zero
		}
		if hi.Sign() < 0 {
			hi = zero
		}
		a, b := x.Lower().Interval(), x.Upper().Interval()
		if !a.IsPoint() || a.Lo().Cmp(lo) != 0 {
			t.Fatalf("the lower end of %v is %v", y, a)
		}
		most := interval.Prec(300).Mul(interval.Point(hi), interval.Prec(300).Add(interval.Int(1), interval.Prec(300).Scale(interval.Int(1), -191))).Hi()
		if !b.IsPoint() || b.Lo().Cmp(hi) < 0 || b.Hi().Cmp(most) > 0 {
			t.Fatalf("the upper end of %v is %v", y, b)
		}
	}
	if Unknown().Upper().Known() || !Unknown().Lower().isZero() {
		t.Error("the ends of everything are known")
	}
}

// TestTimesIntegers: products hold what they are of, and are points where they fit.
func TestTimesIntegers(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 20_000 {
		x := randomReal(r)
		n := r.Int63() >> r.Intn(63)
		if r.Intn(2) == 0 {
			n = -n
		}
		if r.Intn(2) == 0 {
			x = x.exact()
		}
		got := Three{}.Times(x, n).Interval()
		const w = interval.Prec(400)
		want := w.Mul(x.Interval(), interval.Int(n)) // exact
		if got.Lo().Cmp(want.Lo()) > 0 || got.Hi().Cmp(want.Hi()) < 0 {
			t.Fatalf("%v times %d is %v", x.Interval(), n, got)
		}
		if x.err() == 0 && want.Lo().MinPrec() <= 192 && !got.IsPoint() {
			t.Fatalf("%v times %d is %v, no point", x.Interval(), n, got)
		}
	}
	if (Three{}).Times(Unknown(), 2).Known() {
		t.Error("twice everything is known")
	}
}

// TestPartsOfScaled: floors and ceilings of a·f/2^k.
func TestPartsOfScaled(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for range 20_000 {
		k := uint(r.Intn(31))
		f := r.Uint64() & (1<<k - 1)
		a := Scaled{fraction.Make(r.Uint64(), r.Uint64(), r.Uint64()).Shr(32 + uint(r.Intn(160)))}
		want := new(big.Int).Mul(scaledUnits(a), new(big.Int).SetUint64(f))
		rest := new(big.Int).And(want, new(big.Int).SetUint64(1<<k-1))
		want.Rsh(want, k)
		if got := scaledUnits(a.PartFloor(f, k)); got.Cmp(want) != 0 {
			t.Fatalf("%v·%d/2^%d: %v, want %v", scaledUnits(a), f, k, got, want)
		}
		if rest.Sign() > 0 {
			want.Add(want, big.NewInt(1))
		}
		if got := scaledUnits(a.PartCeil(f, k)); got.Cmp(want) != 0 {
			t.Fatalf("%v·%d/2^%d: %v rounded up, want %v", scaledUnits(a), f, k, got, want)
		}
		b := Scaled{fraction.Make(0, r.Uint64(), r.Uint64())}
		if got, want := scaledUnits(a.Add(b)), new(big.Int).Add(scaledUnits(a), scaledUnits(b)); got.Cmp(want) != 0 {
			t.Fatalf("a sum is %v, want %v", got, want)
		}
		if a.Less(b) != (scaledUnits(a).Cmp(scaledUnits(b)) < 0) || a.Add(b).Sub(b) != a || scaledUnits(a.Rsh(k)).Cmp(new(big.Int).Rsh(scaledUnits(a), k)) != 0 {
			t.Fatalf("%v and %v", scaledUnits(a), scaledUnits(b))
		}
		if hi, mi, lo := a.Words(); ScaledOf(hi, mi, lo) != a {
			t.Fatal("words of a are not a")
		}
	}
}

// TestTruncIsOfTheMiddle: the integer part of x·2^k, to the bits of a word.
func TestTruncIsOfTheMiddle(t *testing.T) {
	for _, c := range []struct {
		x    string
		k    int
		want int64
	}{
		{"0", 30, 0}, {"7/2", 0, 3}, {"-7/2", 0, -3}, {"7/2", 1, 7}, {"1/3", 30, 1 << 30 / 3}, {"-1/3", 30, -(1 << 30 / 3)},
		{"1/4", 1, 0}, {"1", 62, 1 << 62}, {"1", 63, 1<<63 - 1}, {"-1", 63, -(1<<63 - 1)}, {"1000000", 60, 1<<63 - 1}, {"1/1024", -300, 0},
	} {
		x, _ := new(big.Rat).SetString(c.x)
		if got := (Three{}).Rat(x).Trunc(c.k); got != c.want {
			t.Errorf("%s·2^%d: %d, want %d", c.x, c.k, got, c.want)
		}
	}
	if Unknown().Trunc(3) != 0 {
		t.Error("everything has a middle")
	}
}
