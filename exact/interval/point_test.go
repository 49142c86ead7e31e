// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"bufio"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpverify/internal/testkit"
)

// TestTinyArguments: exp, expm1, log and log1p next to where they are 1 or 0, on both
// sides of the thresholds below which two terms of their series take over, against
// exact rationals.
func TestTinyArguments(t *testing.T) {
	one := big.NewRat(1, 1)
	for _, p := range []Prec{2, 3, 8, 24, 53} {
		for k := 3; k <= int(p)+12; k++ {
			for _, m := range []int64{3, 5, -3, -5} {
				r := new(big.Rat).Mul(big.NewRat(m, 8), testkit.PowerOfTwo(-k))
				x := Prec(8).Rat(r) // a point
				elo, ehi := testkit.Exp(r, 4*int(p)+60)
				llo, lhi := testkit.Log(new(big.Rat).Add(one, r), 4*int(p)+60)
				minus := func(x *big.Rat) *big.Rat { return new(big.Rat).Sub(x, one) }
				for _, c := range []struct {
					name     string
					y        Interval
					tlo, thi *big.Rat
				}{
					{"exp", p.Exp(x), elo, ehi},
					{"expm1", p.Expm1(x), minus(elo), minus(ehi)},
					{"log1p", p.Log1p(x), llo, lhi},
					{"log(1 + x)", p.Log(Prec(int(k)+20).Add(Int(1), x)), llo, lhi},
				} {
					if cmpRat(c.y.l(), c.tlo) > 0 || cmpRat(c.y.h(), c.thi) < 0 {
						t.Errorf("%d bits: %s at %s is %s", p, c.name, r.RatString(), c.y)
					}
				}
			}
		}
	}
}

// TestEndpoints: the enclosure of a monotone function on an interval contains those at
// both of its ends.
func TestEndpoints(t *testing.T) {
	numbers := []string{"1/1000", "1/3", "1", "5/2", "20"}
	for _, f := range elementary {
		for _, p := range []Prec{3, 24, 64} {
			for i, a := range numbers {
				for _, b := range numbers[i:] {
					x, _ := new(big.Rat).SetString(a)
					y, _ := new(big.Rat).SetString(b)
					u, v := Point(p.Rat(x).l()), Point(p.Rat(y).l())
					whole := f.f(p, Union(u, v))
					for _, end := range []Interval{u, v} {
						if z := f.f(p, end); !whole.Encloses(z) {
							t.Errorf("%d bits: %s on [%s, %s] is %s, at %s %s", p, f.name, a, b, whole, end, z)
						}
					}
				}
			}
		}
	}
}

// TestOracleSample: a twenty-fifth of the outside values of TestOracle, at few bits and
// at many.
func TestOracleSample(t *testing.T) {
	for _, fn := range elementary {
		f, err := os.Open(filepath.Join(oracleDir, fn.name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		checked := 0
		s := bufio.NewScanner(f)
		s.Buffer(nil, 1<<20)
		for line := 1; s.Scan(); line++ {
			arg, value, ok := strings.Cut(s.Text(), " ")
			if !ok || arg[0] == '#' || line%25 != 0 {
				continue
			}
			x, err1 := parseDyadic(arg)
			want, err2 := parseTruncated(value, 320)
			if err1 != nil || err2 != nil {
				t.Fatalf("%s:%d: %v, %v", fn.name, line, err1, err2)
			}
			for _, p := range []Prec{2, 5, 24, 128} {
				if y := fn.f(p, Point(x)); func() bool { _, ok := Intersect(y, want); return !ok }() {
					t.Fatalf("%s:%d: at %d bits %s misses %s", fn.name, line, p, y, want)
				}
			}
			checked++
		}
		if checked < 300 {
			t.Errorf("%s: %d values", fn.name, checked)
		}
	}
}

// TestEndsOfTheRange: what is too large or too small for an exponent is bounded from
// the right side, on either side of 0.
func TestEndsOfTheRange(t *testing.T) {
	huge, tiny := pow2(MaxExp+5), pow2(-MaxExp-5)
	negative := func(f *big.Float) *big.Float { return new(big.Float).Neg(f) }
	for _, f := range []*big.Float{huge, tiny, negative(huge), negative(tiny)} {
		if lo := clip(down, new(big.Float).Copy(f)); lo.Cmp(f) > 0 {
			t.Errorf("clip(down, 2^%d) = 2^%d", f.MantExp(nil)-1, lo.MantExp(nil)-1)
		}
		if hi := clip(up, new(big.Float).Copy(f)); hi.Cmp(f) < 0 {
			t.Errorf("clip(up, 2^%d) = 2^%d", f.MantExp(nil)-1, hi.MantExp(nil)-1)
		}
	}
	if r, ok := Point(pow2(-1 << 20)).UpperRat(); !ok || r.Sign() <= 0 {
		t.Errorf("UpperRat of a tiny number is %v", r)
	}
}

// TestShrinkMovesOutward: an operand that is too small to matter is replaced by one in
// the direction of rounding.
func TestShrinkMovesOutward(t *testing.T) {
	const p = Prec(8)
	for _, x := range []int64{1, -1} {
		for _, y := range []int64{1, -1} {
			for _, k := range []int{10, 70, 80, 200} {
				a, b := Int(x), p.Scale(Int(y), -k)
				sum := new(big.Rat).Add(big.NewRat(x, 1), new(big.Rat).Mul(big.NewRat(y, 1), testkit.PowerOfTwo(-k)))
				if z := p.Add(a, b); !z.ContainsRat(sum) {
					t.Errorf("%d + %d·2^−%d = %s", x, y, k, z)
				}
			}
		}
	}
}
