// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/fraction"
	"dpverify/exact/kernel"
	"dpverify/internal/testkit"
)

// threePrecs are precisions next to those where a word more is kept, and few bits, where all is rounding.
var threePrecs = []Prec{2, 3, 4, 5, 6, 7, 8, 24, 53, 63, 64, 65, 113, 127, 128, 129, 150, maxThree - 1, maxThree}

// slow is the precision of the other side, which three words do not have.
const slow = Prec(maxThree + 400)

// threeFunctions have the integers of exact/kernel beside them: the simple method, rounded to p bits.
var threeFunctions = []struct {
	name    string
	f       func(Prec, Interval) Interval
	words   func(s *threeWords, x *big.Float, p Prec) (near, bool)
	inverse func(Prec, Interval) Interval
	simple  func(p Prec, x *big.Float) Interval
}{
	{"e^x", Prec.Exp, (*threeWords).exp, Prec.Log, func(p Prec, x *big.Float) Interval {
		lo, hi, n, v := kernel.Exp(x, int(p)+12, -1)
		return p.fromFixed(lo, hi, v-n)
	}},
	{"log x", Prec.Log, (*threeWords).log, Prec.Exp, func(p Prec, x *big.Float) Interval {
		m, k := mantissa(x)
		e := k + m.BitLen()
		if k = m.BitLen(); new(big.Int).Mul(m, big.NewInt(3)).BitLen() <= k+1 {
			e, k = e-1, k-1
		}
		lo, hi := kernel.Log(m, k, e, int(p)+12)
		return p.fromFixed(lo, hi, int(p)+12)
	}},
}

// threeArguments are numbers of few and many bits, small, large, next to where functions begin or end, next to
// multiples of log 2 and to powers of two, and such that the value is next to a number of p bits.
func threeArguments(rng *rand.Rand, p Prec, inverse func(Prec, Interval) Interval) (xs []*big.Float) {
	add := func(x *big.Float) { xs = append(xs, x, new(big.Float).Neg(x)) }
	number := func(prec uint, e int) *big.Float {
		x := new(big.Float).SetPrec(prec).SetUint64(rng.Uint64() | 1)
		for x.MinPrec() < prec && rng.IntN(8) > 0 {
			x.SetPrec(prec).Add(new(big.Float).SetMantExp(x, 64), new(big.Float).SetUint64(rng.Uint64()|1))
		}
		return x.SetMantExp(x, e-x.MantExp(nil))
	}
	for _, e := range []int{-MaxExp, -int(p) - 5, -int(p) - 4, -193, -192, -64, -1, 0, 1, 2, 19, 20, 21, 29, 30, 31, MaxExp} {
		for _, prec := range []uint{1, 53, 64, 128, 192, 193, 256, 700} {
			add(number(prec, e))
		}
		ones := new(big.Float).SetPrec(400).SetMantExp(oneFloat, e)
		add(ones.Sub(ones, new(big.Float).SetMantExp(oneFloat, e-300)))
		add(new(big.Float).SetMantExp(oneFloat, e))
	}
	for range 12 {
		n := Int(1 + rng.Int64N(1<<rng.IntN(21)))
		add(slow.Mul(n, slow.Ln2()).l())
		add(slow.Mul(n, slow.Ln2()).h())
		// Next to 1, and next to numbers whose value has p bits.
		add(slow.Add(Int(1), Point(number(60, -rng.IntN(190)))).l())
		add(slow.Sub(Int(1), Point(number(60, -rng.IntN(190)))).l())
		y := number(uint(p), rng.IntN(6)-3)
		for _, x := range []Interval{inverse(slow, Point(y)), inverse(slow, Point(new(big.Float).SetMantExp(oneFloat, rng.IntN(12)-8)))} {
			add(x.l())
			add(x.h())
		}
	}
	return append(xs, new(big.Float), down.infinity(), up.infinity())
}

// TestThreeWordsEnclose: exp and log of points and of intervals hold the values at both ends, whatever the argument
// and however few the bits.
func TestThreeWordsEnclose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, f := range threeFunctions {
		inWords, all := 0, 0
		for _, p := range threePrecs {
			xs := threeArguments(rng, p, f.inverse)
			type value struct{ y, truth Interval }
			values := make([]value, len(xs))
			for i, x := range xs {
				point := Interval{x, x}
				values[i] = value{f.f(p, point), f.f(slow, point)}
				y, truth := values[i].y, values[i].truth
				if y.l().Cmp(truth.h()) > 0 || y.h().Cmp(truth.l()) < 0 {
					t.Fatalf("%s in %d bits is %v at %v, want %v", f.name, p, y, x, truth)
				}
				if y.l().MinPrec() > uint(p) || y.h().MinPrec() > uint(p) {
					t.Fatalf("%s in %d bits at %v has more bits: %v", f.name, p, x, y)
				}
				all++
				if _, ok := p.inWords(point, f.words); ok {
					inWords++
				}
			}
			for range 2 * len(xs) {
				i, j := rng.IntN(len(xs)), rng.IntN(len(xs))
				if xs[i].Cmp(xs[j]) > 0 {
					i, j = j, i
				}
				y := f.f(p, Interval{xs[i], xs[j]})
				for _, k := range []int{i, j} {
					if f.name == "log x" && xs[k].Sign() < 0 {
						continue
					}
					if truth := values[k].truth; y.l().Cmp(truth.h()) > 0 || y.h().Cmp(truth.l()) < 0 {
						t.Fatalf("%s in %d bits is %v on [%v, %v], want %v", f.name, p, y, xs[i], xs[j], truth)
					}
				}
			}
		}
		if inWords < all/4 {
			t.Errorf("%s: %d of %d values come from words", f.name, inWords, all)
		}
	}
}

// TestThreeWordsAreAsNarrowAsSeries: an enclosure in words is one of the series, or inside of it but for a last bit
// in a hundred.
func TestThreeWordsAreAsNarrowAsSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for _, f := range threeFunctions {
		wider, all := 0, 0
		for _, p := range threePrecs {
			for range testkit.Draws(100, 400, 4000) {
				x := new(big.Float).SetPrec(128).SetMantExp(new(big.Float).SetUint64(rng.Uint64()|1<<63), rng.IntN(10)-5-64)
				y, ok := p.inWords(Interval{x, x}, f.words)
				if !ok {
					continue
				}
				all++
				if z := f.simple(p, x); y.l().Cmp(z.l()) < 0 || y.h().Cmp(z.h()) > 0 {
					wider++
				}
			}
		}
		if wider > all/100 || all < 1000 {
			t.Errorf("%s: %d of %d enclosures are not inside of those of series", f.name, wider, all)
		}
	}
}

// TestEndsAreThoseOfTheNumberRounded: the ends of m ± err, also where that carries or is below 1/2, are rounded
// outwards to p bits, and no farther unless m − err has lost its leading bit.
func TestEndsAreThoseOfTheNumberRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	s := new(threeWords)
	word := func() uint64 {
		switch rng.IntN(4) {
		case 0:
			return 0
		case 1:
			return 1<<64 - 1
		case 2:
			return 1<<64 - 1 - rng.Uint64N(300)
		}
		return rng.Uint64()
	}
	for range testkit.Draws(20000, 60000, 600000) {
		m := fraction.Make(word()|1<<63, word(), word())
		if rng.IntN(8) == 0 {
			m = fraction.Make(1<<63, 0, rng.Uint64N(200))
		}
		y := near{rng.IntN(2) == 0, m, rng.Uint64N(1 << rng.IntN(50)), rng.IntN(400) - 200}
		p := threePrecs[rng.IntN(len(threePrecs))]
		n := new(big.Int).SetUint64(m.Hi)
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(m.Mi))
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(m.Lo))
		e := new(big.Int).SetUint64(y.err)
		if y.negative {
			n.Neg(n)
		}
		for _, to := range []direction{down, up} {
			exact := new(big.Int).Add(n, e)
			if to == down {
				exact.Sub(n, e)
			}
			got, want := s.end(new(big.Float), p, to, &y), p.fixed(to, exact, 192-y.exp)
			switch c := got.Cmp(want); {
			case c*int(to) < 0:
				t.Fatalf("%+v is rounded to %v in %d bits, want %v", y, got, p, want)
			case c != 0 && exact.BitLen() >= 192 || got.MinPrec() > uint(p):
				t.Fatalf("%+v is rounded to %v in %d bits, farther than %v", y, got, p, want)
			}
		}
	}
}
