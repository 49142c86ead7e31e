// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestTransformThereAndBack: laws on a lattice → characteristic functions → masses, single
// and composed, with infinite losses.
func TestTransformThereAndBack(t *testing.T) {
	// Ratios 2, 1 and 1/2, and an infinite loss: losses in λℤ for λ = log 2.
	f := finite([]string{"2/5", "1/5", "1/10", "3/10", "0"}, []string{"1/5", "1/5", "1/5", "0", "2/5"})
	lambda := logOf(rat("2"))
	for _, p := range []interval.Prec{2, 8, 53, 128} {
		for _, k := range []int{1, 2, 3} {
			same := f
			for range k - 1 {
				same = product(same, f)
			}
			os, rest, _ := f.Outcomes(p+64, 16)
			ps, qs := Transform(os, rest).Pow(int64(k)).Masses(p, lambda, k)
			for j := -k; j <= k; j++ {
				wantP, wantQ := new(big.Rat), new(big.Rat)
				for _, m := range same.Masses {
					if m.P.Sign() > 0 && m.Q.Sign() > 0 && new(big.Rat).Quo(m.P, m.Q).Cmp(interval.Pow2(j)) == 0 {
						wantP, wantQ = m.P, m.Q
					}
				}
				for _, c := range []struct {
					got  interval.Interval
					want *big.Rat
				}{{ps[j+k], wantP}, {qs[j+k], wantQ}} {
					if !c.got.ContainsRat(c.want) || p >= 53 && !within(c.got, c.want, uint(p)-10) {
						t.Errorf("p = %d, k = %d: mass of %d·λ is %s, want %s", p, k, j, c.got, c.want.RatString())
					}
				}
			}
		}
	}
}

// TestProposition38AsPrinted [Zhu, Dong & Wang 2022]: the law of finite losses is not to be
// normalised. With e^ε = 5 and two copies, the printed one gives 1159/3600 < δ = 7/20.
func TestProposition38AsPrinted(t *testing.T) {
	f := finite([]string{"1/10", "3/5", "3/10", "0"}, []string{"0", "1/5", "3/5", "1/5"})
	alpha := rat("5")
	truth := product(f, f).Delta(alpha)
	leak := product(f, f).Inf()
	rest := finite([]string{"2/3", "1/3"}, []string{"1/4", "3/4"}) // conditioned on a finite loss
	printed := new(big.Rat).Add(leak, product(rest, rest).Delta(alpha))
	if truth.Cmp(rat("7/20")) != 0 || printed.Cmp(rat("1159/3600")) != 0 {
		t.Errorf("true %s, printed %s", truth.RatString(), printed.RatString())
	}
	// Corrected, through the characteristic functions: φ(0) is the mass of finite loss.
	os, none, _ := f.Outcomes(128, 8)
	phi, _ := Transform(os, none).Pow(2)(64, interval.Int(0))
	if finiteMass := new(big.Rat).Sub(ratOne, leak); !phi.Re.ContainsRat(finiteMass) {
		t.Errorf("φ(0) = %s, want %s", phi.Re, finiteMass.RatString())
	}
}

// TestLemma25 [ibid.]: φ(t) = ∫ e^(−it·log|f′(x)|) dx for the trade-off function of a finite pair, whose
// slopes are −Q/P over widths P.
func TestLemma25(t *testing.T) {
	const p = interval.Prec(64)
	for _, f := range []pair.Finite{lopsided, c5} {
		os, rest, _ := f.Outcomes(128, 8)
		for _, s := range []string{"0", "1/3", "-7"} {
			at := p.Rat(rat(s))
			phi, _ := Transform(os, rest)(p, at)
			sum := interval.Complex{}
			x := new(big.Rat)
			for i := len(f.Masses) - 1; i >= 0; i-- {
				m := f.Masses[i]
				if m.P.Sign() == 0 || m.Q.Sign() == 0 {
					x.Add(x, m.P)
					continue
				}
				// The slope from the two ends of the piece.
				y := new(big.Rat).Add(x, m.P)
				rise := new(big.Rat).Sub(neymanPearson(f, y), neymanPearson(f, x))
				slope := rise.Neg(rise.Quo(rise, m.P))
				sum = p.AddC(sum, p.ScaleC(p.Rat(m.P), p.ExpI(p.Mul(at, p.Log(p.Rat(slope))).Neg())))
				x = y
			}
			if _, ok := interval.Intersect(sum.Re, phi.Re); !ok {
				t.Errorf("%s: φ(%s) = %s, by the trade-off function %s", f, s, phi.Re, sum.Re)
			}
			if _, ok := interval.Intersect(sum.Im, phi.Im); !ok {
				t.Errorf("%s: φ(%s) = %s, by the trade-off function %s", f, s, phi.Im, sum.Im)
			}
		}
	}
}
