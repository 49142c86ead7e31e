// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"math/big"
	"math/rand/v2"
	"os"
	"testing"
)

func aboveAt(z iv) iv { return above(z, density(z)) }

var precisions = []uint{64, 128, 256, 1024}

func parsed(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// encloses reports that x holds the number of which s has the first 45 digits, and is not wider than
// it should be.
func encloses(t *testing.T, what string, x iv, s string, width uint) {
	t.Helper()
	want := parsed(s)
	slack := new(big.Rat).Mul(new(big.Rat).Abs(want), parsed("1e-44"))
	if x.low().Cmp(new(big.Rat).Add(want, slack)) > 0 || x.high().Cmp(new(big.Rat).Sub(want, slack)) < 0 {
		t.Errorf("%s at %d bits is in [%s, %s], want %s", what, W, x.low().FloatString(50), x.high().FloatString(50), s)
	}
	if gap := new(big.Int).Sub(x.hi, x.lo); gap.BitLen() > int(width) {
		t.Errorf("%s at %d bits has a width of %d bits, want %d", what, W, gap.BitLen(), width)
	}
}

// Values by mpmath 1.3.0, 60 digits.
func TestEnclosuresContainOutsideValues(t *testing.T) {
	for _, bits := range precisions {
		setPrecision(bits)
		encloses(t, "π", pi(), "3.1415926535897932384626433832795028841971693993751", 16)
		for _, c := range [][2]string{
			{"0.001", "1.0010005001667083416680557539930583115630762"},
			{"1", "2.71828182845904523536028747135266249775724709"},
			{"-1", "0.367879441171442321595523770161460867445811131"},
			{"-40.5", "2.57675710915498094812440394748645151336049362e-18"},
			{"39.25", "111188127061827021.032065299871519926442773155"},
			{"0.6931471805599453", "1.99999999999999998116553575708364695253326056"},
		} {
			encloses(t, "exp "+c[0], rational(parsed(c[0])).exp(), c[1], 90)
		}
		for _, c := range [][2]string{
			{"0", "0.5"},
			{"0.5", "0.308537538725986896362295389391662260116397824"},
			{"1", "0.158655253931457051414767454367962077522087033"},
			{"-2.25", "0.987775527344955296847376068700258507475835217"},
			{"7.5", "0.0000000000000319089167291089622776728834472635531287563678"},
			{"9.25", "1.1224633591327982659521479720631590005208656e-20"},
			{"13", "6.11716439954987968227520977254407114511289153e-39"},
			{"20", "2.75362411860623369507562278085746533280749773e-89"},
			{"70", "5.42303960930139932867578667087759716518976172e-1067"},
		} {
			encloses(t, "P(N > "+c[0]+")", aboveAt(rational(parsed(c[0]))), c[1], 330)
		}
		encloses(t, "√2", integer(2).sqrt(), "1.41421356237309504880168872420969807856967188", 2)
		encloses(t, "1.5^21", rational(parsed("1.5")).pow(21), "4987.885095119476318359375", 20)
	}
}

// TestWideArgumentsAreEnclosed: the values at both ends of a wide argument are within; the normal distribution refuses
// what is too wide.
func TestWideArgumentsAreEnclosed(t *testing.T) {
	setPrecision(128)
	refused := 0
	for _, c := range [][2]string{{"-0.25", "0.5"}, {"1", "1.125"}, {"-3", "-2.9375"}, {"0.001", "0.002"}, {"-3", "70"}} {
		lo, hi := rational(parsed(c[0])), rational(parsed(c[1]))
		x := iv{lo.lo, hi.hi}
		normal := func(x iv) (y iv) {
			defer func() {
				if recover() != nil {
					refused++
					y = iv{new(big.Int), unit}
				}
			}()
			return aboveAt(x)
		}
		for _, f := range []func(iv) iv{iv.exp, normal, func(x iv) iv { return x.mul(x) }, func(x iv) iv { return x.max(integer(0)) }, iv.sqrt} {
			y := f(x)
			for _, z := range []iv{f(lo), f(hi)} {
				if y.lo.Cmp(z.hi) > 0 || y.hi.Cmp(z.lo) < 0 {
					t.Errorf("[%s, %s]: [%v, %v] does not meet [%v, %v]", c[0], c[1], y.lo, y.hi, z.lo, z.hi)
				}
			}
		}
	}
	if refused != 1 {
		t.Errorf("%d are refused, want 1", refused)
	}
}

// TestRoundingIsOutward at so few bits that every rounding shows: the enclosures of products,
// quotients and sums contain the exact rationals.
func TestRoundingIsOutward(t *testing.T) {
	setPrecision(64)
	rs := []*big.Rat{parsed("1/3"), parsed("-2/7"), parsed("0"), parsed("1e-19"), parsed("-3e-20"), parsed("1000000000/7"), parsed("1")}
	for _, a := range rs {
		for _, b := range rs {
			x, y := rational(a), rational(b)
			check := func(what string, z iv, want *big.Rat) {
				if z.low().Cmp(want) > 0 || z.high().Cmp(want) < 0 {
					t.Errorf("%v %s %v: not enclosed", a, what, b)
				}
			}
			check("·", x.mul(y), new(big.Rat).Mul(a, b))
			check("−", x.sub(y), new(big.Rat).Sub(a, b))
			if b.Cmp(parsed("1e-10")) > 0 {
				check("/", x.div(y), new(big.Rat).Quo(a, b))
			}
			check("/7", x.over(7), new(big.Rat).Quo(a, big.NewRat(7, 1)))
		}
	}
}

// TestSeriesEnclosesExactSums: with few bits, where each rounding shows, and factors that are wide.
func TestSeriesEnclosesExactSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 1))
	rounds := 500
	if os.Getenv("DPVERIFY_LONG") != "" {
		rounds = 20_000
	}
	refused := 0 // with too few bits
	for range rounds {
		work = 0
		setPrecision(uint(2 + rng.IntN(20)))
		unit = new(big.Int).Lsh(oneUnit, W)
		lo := rng.Int64N(6 << W)
		width := rng.Int64N(4) // few units, or up to 3
		if rng.IntN(2) == 0 {
			width = rng.Int64N(3 << W)
		}
		x, d, step := iv{big.NewInt(lo), big.NewInt(lo + width)}, 1+rng.Int64N(3), 1+rng.Int64N(2)
		var got iv
		if err := func() (err error) { defer recovered(&err); got = series(x, d, step); return }(); err != nil {
			refused++
			continue
		}
		for _, end := range []struct{ x, bound *big.Int }{{x.lo, got.lo}, {x.hi, got.hi}} {
			term := new(big.Rat).SetInt(unit) // in units of 2^−W
			sum := new(big.Rat).Set(term)
			for k := range int64(40) {
				term.Mul(term, new(big.Rat).SetFrac(end.x, new(big.Int).Mul(unit, big.NewInt(d+k*step))))
				sum.Add(sum, term)
			}
			if c := sum.Cmp(new(big.Rat).SetInt(end.bound)); end.bound == got.lo && c < 0 || end.bound == got.hi && c > 0 {
				t.Fatalf("W = %d: Σ of %v^k/(%d, +%d) is in [%v, %v], but %s", W, x, d, step, got.lo, got.hi, sum.FloatString(3))
			}
		}
	}
	if refused > rounds*3/4 {
		t.Errorf("%d of %d are refused", refused, rounds)
	}
}
