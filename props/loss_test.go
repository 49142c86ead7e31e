// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A lossCase is r + Σ n_i·log(b_i), compared with At.
type lossCase struct {
	Rat, At *big.Rat
	Bases   []*big.Rat
	N       []int64
}

func (c lossCase) String() string {
	s := c.Rat.RatString()
	for i, b := range c.Bases {
		s += fmt.Sprintf(" + %d·log(%s)", c.N[i], b.RatString())
	}
	return s + " against " + c.At.RatString()
}

// Half of the cases are built such that Π b_i^n_i = 1, or nearly.
var lossCases = generator[lossCase]{
	draw: func(r *rand.Rand) lossCase {
		c := lossCase{Rat: drawReal(r)}
		if c.At = c.Rat; r.Intn(2) == 0 {
			c.At = drawReal(r)
		}
		small := func() *big.Rat { return big.NewRat(1+r.Int63n(12), 1+r.Int63n(12)) }
		product := one
		for range 1 + r.Intn(3) {
			b, n := small(), r.Int63n(7)-3
			if r.Intn(4) == 0 {
				b = rat("9007199254740993/9007199254740992")
			}
			c.Bases, c.N = append(c.Bases, b), append(c.N, n)
			if n >= 0 {
				product = mul(product, powRat(b, int(n)))
			} else {
				product = quo(product, powRat(b, int(-n)))
			}
		}
		if r.Intn(2) == 0 {
			if r.Intn(4) == 0 {
				product = mul(product, rat("1000000000000000000001/1000000000000000000000"))
			}
			c.Bases, c.N = append(c.Bases, product), append(c.N, -1)
		}
		return c
	},
	shrink: func(c lossCase) []lossCase {
		var out []lossCase
		for i := range c.Bases {
			d := lossCase{Rat: c.Rat, At: c.At}
			for j := range c.Bases {
				if j != i {
					d.Bases, d.N = append(d.Bases, c.Bases[j]), append(d.N, c.N[j])
				}
			}
			out = append(out, d)
		}
		for _, x := range simplerRat(c.Rat, "0", "1") {
			out = append(out, lossCase{x, c.At, c.Bases, c.N})
		}
		return out
	},
}

// Lindemann's theorem and unique factorisation, as pair.Loss uses them: r + Σ n·log b
// equals a rational s only if r = s and Π b^n = 1.
func TestLindemannLossComparison(t *testing.T) {
	forAll(t, 300, lossCases, func(c lossCase) error {
		l := pair.RatLoss(c.Rat)
		product := one
		for i, b := range c.Bases {
			l = l.Add(pair.LogLoss(b).Times(c.N[i]))
			if n := int(c.N[i]); n >= 0 {
				product = mul(product, powRat(b, n))
			} else {
				product = quo(product, powRat(b, -n))
			}
		}
		d := sub(c.At, c.Rat)
		var want int
		if d.Sign() == 0 {
			want = product.Cmp(one)
		} else {
			lo, hi := expRat(d) // sign of Π b^n − e^d
			switch {
			case product.Cmp(hi) > 0:
				want = 1
			case product.Cmp(lo) < 0:
				want = -1
			default:
				return fmt.Errorf("the model cannot tell")
			}
		}
		if got := l.Cmp(c.At); got != want {
			return fmt.Errorf("Cmp = %d, want %d", got, want)
		}
		if got := l.Neg().Cmp(neg(c.At)); got != -want {
			return fmt.Errorf("Cmp of the negatives = %d, want %d", got, -want)
		}
		// The enclosure agrees at every precision, and with the exact logarithm.
		for _, p := range []interval.Prec{2, 8, 64, 300} {
			x := l.Enclose(p)
			if t := x.LessRat(c.At); t == interval.True && want >= 0 || t == interval.False && want < 0 {
				return fmt.Errorf("enclosed in %s at %d bits", x, p)
			}
		}
		if r, ok := l.Log(); ok && (c.Rat.Sign() != 0 || r.Cmp(product) != 0) {
			return fmt.Errorf("Log = %s, want %s", r.RatString(), product.RatString())
		}
		if _, ok := l.Rat(); ok && cmp.Compare(l.Cmp(c.At), 0) != c.Rat.Cmp(c.At) {
			return fmt.Errorf("Rat and Cmp disagree")
		}
		return nil
	})
}
