// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
)

// TestDampedStepsErrByLessThanTheirCount: a step beside the same step in integers.
func TestDampedStepsErrByLessThanTheirCount(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range points(4000) {
		v := wave{cos: anyFrac(r), flip: -uint64(r.Intn(2)), square: anyFrac(r)}
		x0, x1 := anyUnits(r, waveScale), anyUnits(r, waveScale)
		re, im := make([]frac, 3), make([]frac, 3)
		v.carryDamped(re, im, x0, x1, x1, x0)
		c, q := new(big.Int).Lsh(bigOf(v.cos), 1), bigOf(v.square)
		if v.flip != 0 {
			c.Neg(c)
		}
		for part, p := range []struct{ got, x, before frac }{{re[2], x1, x0}, {im[2], x0, x1}} {
			want := new(big.Int).Mul(signed(p.x), c)
			want.Sub(want, new(big.Int).Mul(signed(p.before), q))
			got := new(big.Int).Lsh(signed(p.got), 192)
			off := got.Sub(got, want)
			if off.CmpAbs(new(big.Int).Lsh(big.NewInt(dampedStepErr), 192)) >= 0 {
				t.Fatalf("part %d: %v·%v − %v·%v is off by %v·2^−192", part, p.x, v.cos, p.before, v.square, off)
			}
		}
	}
}

// TestDampedWavesEnclose: sums of waves that fall not at all, slowly, and at once, by exact/interval; narrow, too.
func TestDampedWavesEnclose(t *testing.T) {
	const w = interval.Prec(320)
	r := rand.New(rand.NewSource(6))
	angles := []string{"0", "1/1000000", "-1/3", "2", "-3", "22/7", "355/113", "1000", "7/5"}
	falls := []string{"0", "1e-30", "1/1000000", "1/300", "1/77", "1/9", "1", "5", "1000"}
	for _, n := range []int{0, 1, waveBlock - 1, waveBlock, 3*waveBlock + 5} {
		for range points(6) {
			var a []Complex
			var theta, fall []Real
			var wa []interval.Complex
			var wt, wf []interval.Interval
			most := interval.Int(0)
			for range 1 + r.Intn(4) {
				x := Complex{pack(r.Intn(2) == 0, anyFrac(r), uint64(r.Intn(2)*r.Intn(100)), r.Intn(8)-300), pack(r.Intn(2) == 0, anyFrac(r), 0, r.Intn(8)-300)}
				if x.Re.err() >= tooMany { // by leading zeros of the fraction: not for words
					x.Re = x.Re.exact()
				}
				if x.Im.err() >= tooMany {
					x.Im = x.Im.exact()
				}
				q, _ := new(big.Rat).SetString(angles[r.Intn(len(angles))])
				f, _ := new(big.Rat).SetString(falls[r.Intn(len(falls))])
				a, theta, fall = append(a, x), append(theta, Three{}.Rat(q)), append(fall, Three{}.Rat(f))
				z := interval.Complex{Re: interval.Point(x.Re.Interval().Hi()), Im: interval.Point(x.Im.Interval().Lo())}
				wa, wt, wf = append(wa, z), append(wt, w.Rat(q)), append(wf, w.Rat(f))
				most = w.Add(most, w.Add(z.Re.Abs(), z.Im.Abs()))
			}
			sums, ok, err := DampedWaves(t.Context(), a, theta, fall, n)
			if !ok || err != nil || len(sums) != n+1 {
				t.Fatalf("%v, %v", ok, err)
			}
			for j, s := range sums {
				if n > 2*waveBlock && j%17 > 2 && j != n {
					continue
				}
				var want interval.Complex
				for k := range wa {
					by := w.Mul(interval.Int(int64(-j)), wf[k])
					turn := w.ScaleC(w.Exp(by), w.ExpI(w.Mul(interval.Int(int64(-j)), wt[k])))
					want = w.AddC(want, w.MulC(wa[k], turn))
				}
				for i, p := range []struct{ got, want interval.Interval }{{s.Re.Interval(), want.Re}, {s.Im.Interval(), want.Im}} {
					if !inside(p.want, p.got) {
						t.Fatalf("n = %d: part %d of S_%d is %v, not %v", n, i, j, p.want, p.got)
					}
					if width := w.Sub(p.got.Upper(), p.got.Lower()); w.Scale(most, -140).Less(width) == interval.True {
						t.Fatalf("n = %d: S_%d = %v is wide", n, j, p.got)
					}
				}
			}
		}
	}
}

// TestDampedWavesCarryTheErrorsOfTheirArguments: amplitudes, angles and falls known to few bits.
func TestDampedWavesCarryTheErrorsOfTheirArguments(t *testing.T) {
	const w, n = interval.Prec(320), 200
	wide := func(x string) interval.Interval {
		q, _ := new(big.Rat).SetString(x)
		y := w.Rat(q)
		return interval.Union(y, w.Add(y, w.Scale(interval.Int(1), -153)))
	}
	point := func(x string) interval.Interval { return wide(x).Lower() }
	for _, args := range [][3]interval.Interval{
		{wide("1"), point("1/3"), point("1/500")}, {point("1"), wide("1/3"), point("1/500")}, {point("1"), point("1/3"), wide("1/500")},
		{point("1"), point("1/1000000"), wide("1/1000000")}, {point("1"), wide("1/1000000"), point("0")},
	} {
		sums, ok, err := DampedWaves(t.Context(), []Complex{{Re: FromInterval(args[0])}}, []Real{FromInterval(args[1])}, []Real{FromInterval(args[2])}, n)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		for j, s := range sums {
			for end := range 2 {
				at := func(x interval.Interval) interval.Interval {
					if end == 0 {
						return x.Lower()
					}
					return x.Upper()
				}
				size := w.Mul(at(args[0]), w.Exp(w.Mul(interval.Int(int64(-j)), at(args[2]))))
				want := w.ScaleC(size, w.ExpI(w.Mul(interval.Int(int64(-j)), at(args[1]))))
				if !inside(want.Re, s.Re.Interval()) || !inside(want.Im, s.Im.Interval()) {
					t.Fatalf("%v: S_%d is %v, not %v", args, j, want, s)
				}
			}
		}
	}
}

// TestDampedWavesThatAreLeftOut: what is left of a wave that is left out counts as an error.
func TestDampedWavesThatAreLeftOut(t *testing.T) {
	const w, n = interval.Prec(320), 140
	for f := range 60 { // near 2^−160 at the second block
		fall := big.NewRat(int64(830+f), 1000)
		one := Complex{Re: Int(1)}
		sums, ok, err := DampedWaves(t.Context(), []Complex{one, one}, []Real{Int(0), Int(0)}, []Real{Int(0), Three{}.Rat(fall)}, n)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		for j, s := range sums {
			want := w.Add(interval.Int(1), w.Exp(w.Mul(interval.Int(int64(-j)), w.Rat(fall))))
			if !inside(want, s.Re.Interval()) {
				t.Fatalf("fall %v: S_%d is %v, not %v", fall, j, want, s.Re)
			}
		}
	}
}

// TestDampedWavesThatWordsDoNotHold: what grows, or is not known, is refused.
func TestDampedWavesThatWordsDoNotHold(t *testing.T) {
	one := Complex{Re: Int(1)}
	for _, args := range []struct{ theta, fall Real }{
		{Int(1), Int(-1)}, {Int(1), Three{}.Rat(big.NewRat(-1, 1<<60))}, {Unknown(), Int(1)}, {Int(1), Unknown()}, {Int(1 << 21), Int(1)},
	} {
		if _, ok, err := DampedWaves(t.Context(), []Complex{one}, []Real{args.theta}, []Real{args.fall}, 3); ok || err != nil {
			t.Errorf("%v, %v: %v, %v", args.theta, args.fall, ok, err)
		}
	}
	if _, ok, _ := DampedWaves(t.Context(), []Complex{{Re: Unknown()}}, []Real{Int(1)}, []Real{Int(1)}, 3); ok {
		t.Error("an unknown amplitude is taken")
	}
	if sums, ok, _ := DampedWaves(t.Context(), nil, nil, nil, 3); !ok || len(sums) != 4 {
		t.Error("no waves have no sum")
	}
}
