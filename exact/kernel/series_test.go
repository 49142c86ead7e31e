// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/internal/testkit"
)

// TestExpSeriesContainsExpAtEveryDegree: each sum of a class alone, too.
func TestExpSeriesContainsExpAtEveryDegree(t *testing.T) {
	for _, v := range []int{14, 17, 20, 40, 700} {
		limit := new(big.Int).Lsh(oneInt, uint(v-14)) // u ≤ 2^−14
		for i := int64(0); i <= 64; i += int64(64 / testkit.Draws(16, 64, 64)) {
			U := new(big.Int).Mul(limit, big.NewInt(i))
			U.Rsh(U, 6)
			u := testkit.Scaled(U, v)
			tlo, thi := testkit.Exp(u, 2*v+20)
			for _, d := range testkit.Degrees {
				if d >= 0 && v > 55 {
					continue
				}
				lo, e := expSeries(U, v, d)
				testkit.CheckFixed(t, fmt.Sprintf("expSeries(%v, %d, %d)", U, v, d), lo, addTo(lo, e), v, tlo, thi)
				sums, e := expSums(U, v, d, 4)
				for r, lo := range sums {
					tlo, thi := ratExpClass(u, r, 2*v+20)
					testkit.CheckFixed(t, fmt.Sprintf("class %d of expSums(%v, %d, %d)", r, U, v, d), lo, addTo(lo, e), v, tlo, thi)
				}
			}
		}
	}
}

func addTo(x *big.Int, e uint64) *big.Int {
	z := new(big.Int).SetUint64(e)
	return z.Add(z, x)
}

// ratExpClass encloses Σ u^k/k! over k ≡ r mod 4.
func ratExpClass(u *big.Rat, r, bits int) (lo, hi *big.Rat) {
	t := big.NewRat(1, 1)
	next := 0
	return testkit.Series(bits, func(i int) *big.Rat {
		for ; next < 4*i+r; next++ {
			t.Mul(t, u)
			t.Mul(t, big.NewRat(1, int64(next+1)))
		}
		return new(big.Rat).Set(t)
	})
}

func TestExpFixedContainsExpAtEveryDegree(t *testing.T) {
	for _, w := range []int{8, 14, 30} {
		for i := int64(-70); i <= 70; i++ {
			if i == 0 {
				continue
			}
			x := new(big.Float).Quo(big.NewFloat(float64(i)), big.NewFloat(16))
			r, _ := x.Rat(nil)
			tlo, thi := testkit.Exp(r, 2*w+60)
			for _, d := range testkit.Degrees {
				lo, hi, n, v := Exp(x, w, d)
				testkit.CheckFixed(t, fmt.Sprintf("Exp(%v, %d, %d)", x, w, d), lo, hi, v-n, tlo, thi)
			}
		}
	}
}

func TestLogSeriesContainsLogAtEveryDegree(t *testing.T) {
	const k = 8
	for _, w := range []int{6, 12, 40} {
		for M := int64(171); M <= 341; M++ { // 2/3 … 4/3
			m := big.NewInt(M)
			tlo, thi := testkit.Log(testkit.Scaled(m, k), 2*w+20)
			for _, d := range testkit.Degrees {
				lo, hi := logSeries(m, k, w, d)
				testkit.CheckFixed(t, fmt.Sprintf("logSeries(%d/256, %d, %d)", M, w, d), lo, hi, w, tlo, thi)
			}
		}
	}
}

func TestLogNearOneContainsLogAtEveryDegree(t *testing.T) {
	for _, w := range []int{6, 12, 40} {
		one := new(big.Int).Lsh(oneInt, uint(w))
		for i := int64(-15); i <= 15; i++ {
			d := new(big.Int).Mul(one, big.NewInt(i))
			d.Rsh(d, 6)
			rlo := new(big.Int).Add(one, d)
			for _, gap := range []int64{0, 1, 5} {
				rhi := new(big.Int).Add(rlo, big.NewInt(gap))
				tlo, _ := testkit.Log(testkit.Scaled(rlo, w), 2*w+20)
				_, thi := testkit.Log(testkit.Scaled(rhi, w), 2*w+20)
				for _, deg := range testkit.Degrees {
					lo, hi := logNearOne(rlo, rhi, w, deg)
					testkit.CheckFixed(t, fmt.Sprintf("logNearOne(%v, %v, %d, %d)", rlo, rhi, w, deg), lo, hi, w, tlo, thi)
				}
			}
		}
	}
}

// The recursion of logFixed must agree with the series it reduces to.
func TestLogFixedMeetsLogSeries(t *testing.T) {
	const k = 12
	for _, w := range []int{logSplit + 1, 300, 1000} {
		for M := int64(2731); M <= 5461; M += 39 {
			m := big.NewInt(M)
			alo, ahi := logFixed(m, k, w, -1)
			blo, bhi := logSeries(m, k, w, -1)
			if alo.Cmp(bhi) > 0 || blo.Cmp(ahi) > 0 {
				t.Fatalf("logFixed(%d/4096, %d) = [%v, %v], logSeries = [%v, %v]", M, w, alo, ahi, blo, bhi)
			}
			for _, d := range testkit.Degrees {
				clo, chi := logFixed(m, k, w, d)
				if clo.Cmp(bhi) > 0 || blo.Cmp(chi) > 0 {
					t.Fatalf("logFixed(%d/4096, %d, degree %d) = [%v, %v] misses [%v, %v]", M, w, d, clo, chi, blo, bhi)
				}
			}
		}
	}
}

// Next to 1 the step of logFixed is from y = 0, and the series is all there is.
func TestLogFixedNextToOne(t *testing.T) {
	const k, w = 300, 300
	one := new(big.Int).Lsh(oneInt, k)
	for _, d := range []int64{-3, -1, 0, 1, 5} {
		lo, hi := logFixed(new(big.Int).Add(one, big.NewInt(d)), k, w, -1)
		if lo.Cmp(big.NewInt(d)) > 0 || hi.Cmp(big.NewInt(d)) < 0 { // 2^w·log(1 + d/2^k) = d, but for d²/2^301
			t.Errorf("2^300·log(1 + %d/2^300) ∈ [%v, %v]", d, lo, hi)
		}
	}
}

// TestLogarithmsNeedANumberNextToOne: others are states that cannot be.
func TestLogarithmsNeedANumberNextToOne(t *testing.T) {
	for _, shift := range []uint{63, 65} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("2^%d·2^−64: no panic", shift)
				}
			}()
			r := new(big.Int).Lsh(oneInt, shift)
			logNearOne(r, r, 64, -1)
		}()
	}
}
