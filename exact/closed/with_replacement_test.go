// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestChosenLevels: what is chosen for each number of copies keeps the condition of the theorem and uses up what there
// is; what does not keep it is not used, and the bound is then the one with equal α_k.
func TestChosenLevels(t *testing.T) {
	const w interval.Prec = 100
	for _, x := range []pair.WithReplacement{
		{Source: 20, Size: 8, Base: pair.Gaussian{Mu2: big.NewRat(4, 1)}},
		{Source: 6, Size: 12, Base: pair.Gaussian{Mu2: big.NewRat(1, 9)}},
		{Source: 20, Size: 8, Base: pair.Laplace{Shift: big.NewRat(1, 3)}},
	} {
		right, wrong := NewDraws(x), NewDraws(x)
		wrong.rise = func(int, float64) float64 { return 20 }
		c := right.copies(w)
		for _, eps := range []*big.Rat{new(big.Rat), big.NewRat(1, 100), big.NewRat(1, 2), big.NewRat(2, 1), big.NewRat(7, 1)} {
			e := interval.RealRat(eps)
			alpha := w.Exp(e(w))
			at, ok := right.chosen(w, c, e(w))
			if !ok {
				t.Errorf("%v: nothing is chosen at %v", x, eps)
				continue
			}
			used, have := c.masses[0], w.Mul(alpha, c.masses[0])
			for k := 1; k < len(at); k++ {
				used, have = w.Add(used, w.Mul(c.masses[k], w.Exp(at[k](w)))), w.Add(have, w.Mul(c.masses[k], alpha))
				if used.LessEq(have) != interval.True {
					t.Errorf("%v: up to %d copies use %v of %v at %v", x, k, used, have, eps)
				}
			}
			if _, gaussian := x.Base.(pair.Gaussian); gaussian && w.Scale(used, 30).Less(w.Mul(have, interval.Int(1<<30-1))) == interval.True {
				t.Errorf("%v: only %v of %v is used at %v", x, used, have, eps)
			}
			if _, ok := wrong.chosen(w, c, e(w)); ok {
				t.Errorf("%v: levels of e^20 are taken at %v", x, eps)
			}
			if best, y := right.Above(w, e), wrong.Above(w, e); y.Less(best) == interval.True {
				t.Errorf("%v: equal levels have %v at %v, the chosen ones %v", x, y, eps, best)
			}
		}
	}
}

// TestManyCopies: of a thousand draws from two records more copies than are counted one by one are certain, next to
// certainly, and the bound is next to 1.
func TestManyCopies(t *testing.T) {
	const w interval.Prec = 100
	x := pair.WithReplacement{Source: 2, Size: 1000, Base: pair.Gaussian{Mu2: big.NewRat(1, 100)}}
	if y := NewDraws(x).Above(w, interval.RealRat(big.NewRat(1, 1))); y.LessRat(big.NewRat(999, 1000)) != interval.False {
		t.Errorf("δ(1) ≤ %v, want about 1", y)
	}
}

// TestSharedParts: where a null record replaces another, the bound is at least what any half-line says of a record to
// which all others are opposite, and hardly more where records are drawn rarely. Parts that are chosen for other noise
// say more or nothing.
func TestSharedParts(t *testing.T) {
	const w interval.Prec = 80
	for _, x := range []pair.WithReplacement{
		{Source: 20, Size: 8, Base: pair.Gaussian{Mu2: big.NewRat(4, 1)}, Null: true},
		{Source: 6, Size: 12, Base: pair.Gaussian{Mu2: big.NewRat(1, 9)}, Null: true},
		{Source: 1000, Size: 10, Base: pair.Gaussian{Mu2: big.NewRat(16, 1)}, Null: true},
		{Source: 60000, Size: 256, Base: pair.Gaussian{Mu2: big.NewRat(27, 10)}, Null: true},
		{Source: 2, Size: 3, Base: pair.Gaussian{Mu2: big.NewRat(9, 1)}, Null: true},
	} {
		d := NewDraws(x)
		c := d.copies(w)
		mu := pair.SqrtBelow(x.Base.(pair.Gaussian).Mu2)
		mu.Mul(mu, big.NewRat(1, 2))
		mixture := func(unit *big.Rat, at float64) interval.Interval {
			all := interval.Int(0)
			for k, m := range c.masses {
				place := new(big.Rat).SetFloat64(at)
				place.Sub(place, new(big.Rat).Mul(unit, big.NewRat(int64(k), 1)))
				all = w.Add(all, w.Mul(m, w.NormalSF(w.Rat(place))))
			}
			return all
		}
		for _, eps := range []*big.Rat{big.NewRat(1, 100), big.NewRat(1, 2), big.NewRat(2, 1), big.NewRat(7, 1)} {
			e := interval.RealRat(eps)
			best := interval.Int(0)
			for at := 0.0; at < 10; at += 1. / 16 {
				p, q := mixture(new(big.Rat).Mul(mu, big.NewRat(2, 1)), at), mixture(mu, at)
				best = interval.Max(best, w.Sub(p, w.Mul(w.Exp(e(w)), q)).Lower())
			}
			y, ok := d.shared(w, c, e(w))
			if !ok || y.Less(best) == interval.True {
				t.Errorf("%v: at most %v at %v, and a half-line has %v", x, y, eps, best)
			}
			if x.Source == 60000 && w.Mul(best, w.Rat(big.NewRat(102, 100))).Less(y) == interval.True {
				t.Errorf("%v: at most %v at %v, and half-lines have %v", x, y, eps, best)
			}
			for _, other := range []float64{0.5, 0.99, 1.01, 2, 300} {
				wrong := NewDraws(x)
				wrong.half *= other
				if y, _ := wrong.shared(w, c, e(w)); y.Less(best) == interval.True {
					t.Errorf("%v: parts for %v times the distance have %v at %v, a half-line %v", x, other, y, eps, best)
				}
			}
			wrong := c
			wrong.logs = slices.Clone(c.logs)
			wrong.logs[0] += 3
			if y, ok := d.shared(w, wrong, e(w)); ok {
				t.Errorf("%v: there is no %v of what the parts have at %v, and a bound of %v", x, wrong.logs[0], eps, y)
			}
		}
	}
}
