// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/fraction"
	"dpverify/exact/interval"
)

// signed returns the integer that a stands for in two's complement.
func signed(a frac) *big.Int {
	n := bigOf(a)
	if a.Hi>>63 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 192))
	}
	return n
}

// anyUnits returns an integer of at most bits bits, in two's complement.
func anyUnits(r *rand.Rand, bits int) frac {
	f := anyFrac(r).Shr(uint(192 - bits + r.Intn(2)*r.Intn(bits)))
	if r.Intn(2) == 0 {
		f = fraction.Sub(frac{}, f)
	}
	return f
}

// TestStepsErrByLessThanTheirCount: x_{j+1} is within stepErr of 2cos·x_j − x_{j−1}, on either side.
func TestStepsErrByLessThanTheirCount(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	limit := new(big.Int).Lsh(big.NewInt(stepErr), 191)
	for range points(5000) {
		v := wave{cos: anyFrac(r), flip: -uint64(r.Intn(2))}
		x0, x1, y0, y1 := anyUnits(r, 188), anyUnits(r, 188), anyUnits(r, 188), anyUnits(r, 188)
		var re, im [3]frac
		v.carry(re[:], im[:], x0, x1, y0, y1)
		if re[0] != x0 || re[1] != x1 || im[0] != y0 || im[1] != y1 {
			t.Fatal("the first two values are not those given")
		}
		for _, p := range [][3]frac{re, im} {
			d := new(big.Int).Mul(signed(p[1]), bigOf(v.cos))
			if v.flip != 0 {
				d.Neg(d)
			}
			d.Sub(d, new(big.Int).Lsh(new(big.Int).Add(signed(p[2]), signed(p[0])), 191))
			if d.CmpAbs(limit) >= 0 {
				t.Fatalf("2·%x·%x − %x errs by %x·2^−191", bigOf(v.cos), signed(p[1]), signed(p[0]), d)
			}
		}
	}
}

// TestFractionsEnclose: the modulus of every member of x that is at most 2^k is within the error of f·2^k.
func TestFractionsEnclose(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	one := new(big.Rat).SetInt64(1)
	for range points(3000) {
		err := uint64(r.Int63()) >> r.Intn(64) >> 2
		x := pack(r.Intn(2) == 0, anyFrac(r), err, 2-r.Intn(6))
		if r.Intn(4) == 0 { // next to 1
			x = pack(r.Intn(2) == 0, frac{Hi: 1 << 63, Lo: r.Uint64() >> r.Intn(64)}, err, 1)
		}
		f, e, ok := x.fraction(0)
		if !ok {
			continue
		}
		y := x.Interval()
		for _, end := range []*big.Float{y.Lo(), y.Hi()} {
			v, _ := end.Rat(nil)
			if v.Abs(v); v.Cmp(one) > 0 {
				v.Set(one)
			}
			if y.ContainsRat(new(big.Rat)) {
				continue // the modulus has another range
			}
			d := new(big.Rat).Sub(v, new(big.Rat).SetFrac(bigOf(f), new(big.Int).Lsh(big.NewInt(1), 192)))
			d.Mul(d, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 192)))
			if d.Abs(d).Cmp(new(big.Rat).SetInt(new(big.Int).SetUint64(e))) > 0 {
				t.Fatalf("|%v| is not within %d ulps of %x", y, e, bigOf(f))
			}
		}
	}
	if _, _, ok := Int(5).fraction(0); ok {
		t.Error("5 is a fraction")
	}
}

// inside reports that all of x is in y.
func inside(x, y interval.Interval) bool {
	return y.Lo().Cmp(x.Lo()) <= 0 && x.Hi().Cmp(y.Hi()) <= 0
}

// TestWavesEnclose: sums of waves, by exact/interval, of points and of enclosures; narrow, too.
func TestWavesEnclose(t *testing.T) {
	const w = interval.Prec(320)
	r := rand.New(rand.NewSource(2))
	angles := []string{"0", "1/1000000", "-1/3", "2", "-3", "22/7", "355/113", "1000", "-8000/7", "7/5"}
	for _, n := range []int{0, 1, waveBlock - 1, waveBlock, 3*waveBlock + 5} {
		for range points(4) {
			var a, theta []Real
			var wa, wt []interval.Interval
			for range 1 + r.Intn(5) {
				x := pack(false, anyFrac(r), uint64(r.Intn(2)*r.Intn(100)), r.Intn(8)-300)
				if x.err() >= tooMany { // by leading zeros of the fraction: not for words
					x = x.exact()
				}
				q, _ := new(big.Rat).SetString(angles[r.Intn(len(angles))])
				y := Three{}.Rat(q)
				a, theta = append(a, x), append(theta, y)
				// Any members: the ends of an amplitude, the angle itself.
				wa, wt = append(wa, interval.Point(x.Interval().Hi())), append(wt, w.Rat(q))
			}
			sums, ok, err := Waves(t.Context(), a, theta, n)
			if !ok || err != nil || len(sums) != n+1 {
				t.Fatalf("%v, %v", ok, err)
			}
			most := interval.Int(0)
			for _, x := range wa {
				most = w.Add(most, x)
			}
			for j, s := range sums {
				if n > 2*waveBlock && j%17 > 2 && j != n {
					continue
				}
				var re, im interval.Interval
				for k := range wa {
					z := w.ExpI(w.Mul(interval.Int(int64(j)), wt[k]).Neg())
					re, im = w.Add(re, w.Mul(wa[k], z.Re)), w.Add(im, w.Mul(wa[k], z.Im))
				}
				for i, p := range []struct{ got, want interval.Interval }{{s.Re.Interval(), re}, {s.Im.Interval(), im}} {
					if !inside(p.want, p.got) {
						t.Fatalf("n = %d: part %d of S_%d is %v, not %v", n, i, j, p.want, p.got)
					}
					if width := w.Sub(p.got.Upper(), p.got.Lower()); w.Scale(most, -150).Less(width) == interval.True {
						t.Fatalf("n = %d: S_%d = %v is wide", n, j, p.got)
					}
				}
			}
		}
	}
}

// TestWavesCarryTheErrorsOfTheirStarts: an amplitude known to few bits.
func TestWavesCarryTheErrorsOfTheirStarts(t *testing.T) {
	const w = interval.Prec(320)
	a := pack(false, frac{Hi: 1 << 63}, 1<<24, 0)
	theta := Three{}.Div(Int(1), Int(3))
	sums, ok, err := Waves(t.Context(), []Real{a}, []Real{theta}, 2*waveBlock)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	most := interval.Point(a.Interval().Hi())
	for j, s := range sums {
		if z := w.Mul(most, w.Cos(w.Rat(big.NewRat(int64(j), 3)))); !inside(z, s.Re.Interval()) {
			t.Fatalf("S_%d is %v, not %v", j, z, s.Re.Interval())
		}
	}
}

// TestWavesCarryTheErrorsOfTheirAngles: an angle known to few bits.
func TestWavesCarryTheErrorsOfTheirAngles(t *testing.T) {
	const w = interval.Prec(320)
	theta := pack(false, frac{Hi: 1 << 63}, 1<<20, -2)
	sums, ok, err := Waves(t.Context(), []Real{Int(1)}, []Real{theta}, 2*waveBlock)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	for _, end := range []*big.Float{theta.Interval().Lo(), theta.Interval().Hi()} {
		for j, s := range sums {
			x := w.Mul(interval.Int(int64(j)), interval.Point(end))
			if re, im := w.Cos(x), w.Sin(x).Neg(); !inside(re, s.Re.Interval()) || !inside(im, s.Im.Interval()) {
				t.Fatalf("S_%d is %v + %vi, not %v", j, re, im, s.Interval())
			}
		}
	}
}

func TestWavesThatWordsDoNotHold(t *testing.T) {
	one := []Real{Int(1)}
	for name, c := range map[string][2][]Real{
		"unknown amplitude": {{Unknown()}, one},
		"unknown angle":     {one, {Unknown()}},
		"wide angle":        {one, {pack(false, frac{Hi: 1 << 63}, 1<<50, 1)}},
		"great angle":       {one, {Int(1 << 20)}},
	} {
		if _, ok, err := Waves(t.Context(), c[0], c[1], 3); ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
	sums, ok, err := Waves(t.Context(), []Real{{}}, one, 2)
	if !ok || err != nil || len(sums) != 3 || !sums[2].Re.isZero() || !sums[2].Im.isZero() {
		t.Errorf("nothing: %v, %v, %v", sums, ok, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Waves(ctx, one, one, 3); err == nil {
		t.Error("not cancelled")
	}
}

// TestComplexEncloses: products, squares, powers and quotients, by exact/interval.
func TestComplexEncloses(t *testing.T) {
	const w = interval.Prec(500)
	r := rand.New(rand.NewSource(5))
	part := func() Real { return pack(r.Intn(2) == 0, anyFrac(r), uint64(r.Intn(2)*r.Intn(1000)), r.Intn(4)-2) }
	for range points(300) {
		x, y := Complex{part(), part()}, Complex{part(), part()}
		corner := func(z Complex) interval.Complex {
			i := z.Interval()
			return interval.Complex{Re: interval.Point(i.Re.Hi()), Im: interval.Point(i.Im.Lo())}
		}
		cx, cy := corner(x), corner(y)
		n := int64(r.Intn(9))
		for name, p := range map[string]struct {
			got  Complex
			want interval.Complex
		}{
			"x·y":                  {Three{}.MulC(x, y), w.MulC(cx, cy)},
			"x²":                   {Three{}.SqrC(x), w.SqrC(cx)},
			"x/y":                  {Three{}.DivC(x, y), w.DivC(cx, cy)},
			fmt.Sprintf("x^%d", n): {Three{}.PowIntC(x, n), w.PowIntC(cx, n)},
			"x":                    {FromComplex(x.Interval()), cx},
		} {
			got := p.got.Interval()
			if !inside(p.want.Re, got.Re) || !inside(p.want.Im, got.Im) {
				t.Fatalf("%s of %v and %v: %v, not %v", name, x.Interval(), y.Interval(), got, p.want)
			}
		}
	}
}

func BenchmarkWaves(b *testing.B) {
	const n = 1000
	a, theta := make([]Real, 100), make([]Real, 100)
	for k := range a {
		a[k], theta[k] = Int(int64(k+1)), Three{}.Div(Int(int64(k)), Int(77))
	}
	for b.Loop() {
		if _, ok, err := Waves(b.Context(), a, theta, n); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(a)*(n+1)), "ns/step")
}
