// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// fullBatchTails: L > log α is X > y, by the cases of [pair.FullBatch]. With z = e^(μy), c = e^(−μ²/2), and A, B, C the
// weights of P − αQ at a, 0 and x, the density of P − αQ has the sign of
//
//	c·A + B·z + c·C·z² where a = −x, A, B ≤ 0 < C, hence one root z = (−B + √(B² − 4c²AC))/2cC,
//	B + c·(A + C)·z where a = x, A, C > 0 ≥ B.
//
// Between the cases, at α = P₀/Q₀, the loss has an atom: Q₀ moves from one place to the other.
// Where it is not known which case α is in, both are taken. Reversed, it is L < −ε.
func fullBatchTails(f pair.FullBatch) Tails {
	kink := new(big.Rat).Quo(f.P[0], f.Q[0])
	least := new(big.Rat).Quo(f.P[1], f.Q[1])
	all := interval.Union(zero, one)
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		level := eps.Interval
		if f.Reversed {
			level = level.Neg()
		}
		alpha := w.Exp(level)
		if !alpha.IsFinite() {
			return all, all
		}
		mu := w.Rat(f.Mu)
		c := w.Exp(w.Scale(w.Sqr(mu), -1).Neg())
		weight := func(i int) interval.Interval { return w.Sub(w.Rat(f.P[i]), w.Mul(alpha, w.Rat(f.Q[i]))) }
		// masses returns the masses of X > y, or X < y, under P and Q with a at −μ or μ.
		masses := func(z interval.Interval, side int) (p, q interval.Interval) {
			t := [3]interval.Interval{all, all, all} // of N(−μ), N(0), N(μ)
			for i := range t {
				switch {
				case z.Positive() == interval.True:
					x := w.Sub(w.Div(w.Log(z), mu), w.Mul(mu, interval.Int(int64(i)-1)))
					if t[i] = fixed.NormalSF(w, x); f.Reversed {
						t[i] = fixed.NormalCDF(w, x)
					}
				case z.IsZero():
					if t[i] = one; f.Reversed {
						t[i] = zero
					}
				}
			}
			q = w.Add(w.Mul(w.Rat(f.Q[0]), t[1+side]), w.Mul(w.Rat(f.Q[1]), t[1]))
			p = w.Add(w.Mul(w.Rat(f.P[0]), t[1+side]), w.Mul(w.Rat(f.P[1]), t[1]))
			return unitPart(w.Add(p, w.Mul(w.Rat(f.P[2]), t[2]))), unitPart(q)
		}
		found := false
		add := func(a, b interval.Interval) {
			if found {
				a, b = interval.Union(p, a), interval.Union(q, b)
			}
			p, q, found = a, b, true
		}
		opposed, inside := w.Rat(kink).LessEq(alpha), w.Rat(least).LessEq(alpha)
		down := interval.Max(weight(1).Neg(), zero) // −B
		if opposed != interval.False {
			cc := w.Mul(c, w.Rat(f.P[2]))
			ac := w.Mul(w.Mul(c, cc), interval.Max(weight(0).Neg(), zero))
			root := w.Add(down, w.Sqrt(w.Add(w.Sqr(down), w.Scale(ac, 2))))
			add(masses(w.Div(root, w.Scale(cc, 1)), -1))
		}
		if opposed != interval.True && inside != interval.False {
			rise := w.Mul(c, w.Add(interval.Max(weight(0), zero), w.Rat(f.P[2])))
			add(masses(w.Div(down, rise), 1))
		}
		if inside != interval.True {
			add(masses(zero, 1))
		}
		if f.Reversed {
			return q, p
		}
		return p, q
	}
}
