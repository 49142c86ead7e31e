// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"dpverify/internal/show"
)

// maxDenominatorBits bounds the common denominator of a list, apart from its
// factors 2 and 5. Decimals and float64 values have no others.
const maxDenominatorBits = 1 << 22

// A Fraction is num / (2^twos · 5^fives · rest), not in lowest terms: a greatest
// common divisor of long numbers takes quadratic time, so none is taken.
type Fraction struct {
	num         *big.Int
	twos, fives int
	rest        *big.Int // positive, neither 2 nor 5 divides it
}

// Sum adds up xs exactly. It stays near linear in the size of the numbers when
// all their denominators differ: equal denominators are added first, then those
// that differ by factors 2 and 5 only, then the others, each time neighbours in
// size in a balanced tree. A common denominator that is too long is a
// *Error.
func Sum(xs []*big.Rat) (Fraction, error) {
	terms := addSameDenominators(xs)
	slices.SortFunc(terms, func(a, b Fraction) int {
		return cmp.Or(a.rest.Cmp(b.rest), cmp.Compare(a.twos+a.fives, b.twos+b.fives), cmp.Compare(a.twos, b.twos))
	})
	var sums []Fraction
	bits := 0
	for len(terms) > 0 {
		rest := terms[0].rest
		n := slices.IndexFunc(terms, func(t Fraction) bool { return t.rest.Cmp(rest) != 0 })
		if n < 0 {
			n = len(terms)
		}
		sums = append(sums, addTree(terms[:n]))
		bits += rest.BitLen()
		terms = terms[n:]
	}
	if bits > maxDenominatorBits {
		return Fraction{}, &Error{"a list", fmt.Sprintf("a common denominator of at most %d bits", maxDenominatorBits)}
	}
	return addTree(sums), nil
}

// addSameDenominators returns one fraction per denominator in xs.
func addSameDenominators(xs []*big.Rat) []Fraction {
	var terms []Fraction
	position := map[string]int{}
	for _, x := range xs {
		key := string(x.Denom().Bytes())
		i, ok := position[key]
		if !ok {
			i = len(terms)
			position[key] = i
			rest, fives := splitFives(x.Denom())
			twos := int(rest.TrailingZeroBits())
			terms = append(terms, Fraction{new(big.Int), twos, fives, rest.Rsh(rest, uint(twos))})
		}
		terms[i].num.Add(terms[i].num, x.Num())
	}
	return terms
}

func addTree(terms []Fraction) Fraction {
	switch len(terms) {
	case 0:
		return Fraction{new(big.Int), 0, 0, big.NewInt(1)}
	case 1:
		return terms[0]
	}
	middle := len(terms) / 2
	return addTree(terms[:middle]).add(addTree(terms[middle:]))
}

func (a Fraction) add(b Fraction) Fraction {
	c := Fraction{twos: max(a.twos, b.twos), fives: max(a.fives, b.fives), rest: a.rest}
	x, y := a.scaled(c.twos, c.fives), b.scaled(c.twos, c.fives)
	if a.rest.Cmp(b.rest) != 0 {
		c.rest = new(big.Int).Mul(a.rest, b.rest)
		x.Mul(x, b.rest)
		y.Mul(y, a.rest)
	}
	c.num = x.Add(x, y)
	return c
}

// scaled returns the numerator over a denominator with that many factors.
func (a Fraction) scaled(twos, fives int) *big.Int {
	x := new(big.Int).Lsh(a.num, uint(twos-a.twos))
	if fives > a.fives {
		x.Mul(x, pow(5, fives-a.fives))
	}
	return x
}

// Num returns the numerator over Denom. The caller must not change it.
func (a Fraction) Num() *big.Int { return a.num }

// Denom returns a denominator.
func (a Fraction) Denom() *big.Int {
	d := new(big.Int).Mul(a.rest, pow(5, a.fives))
	return d.Lsh(d, uint(a.twos))
}

// IsOne reports whether the fraction is 1.
func (a Fraction) IsOne() bool { return a.num.Cmp(a.Denom()) == 0 }

// String describes the value for an error: exactly if that is cheap, else cut
// after 20 digits.
func (a Fraction) String() string {
	const cheap = 1 << 12 // bits
	den := a.Denom()
	if a.num.BitLen() <= cheap && den.BitLen() <= cheap {
		return show.Cut(Format(new(big.Rat).SetFrac(a.num, den)))
	}
	scale := pow(10, 20)
	cut := new(big.Int).Mul(a.num, scale)
	cut.Quo(cut, den)
	return "about " + Format(new(big.Rat).SetFrac(cut, scale))
}

// maxAttainableBits is the precision up to which e^ε is told from 1 − δ. A point that is
// nearer to the limit than that counts as attainable: what follows from it stays true.
const maxAttainableBits = 1 << 15

// Attainable reports whether some pair of distributions has δ(ε) ≤ delta: whether delta ≥ (1 − e^ε)₊. No
// profile is lower, because it is P(S) − e^ε·Q(S) or more for the set S of all outcomes.
//
// Requires: 0 ≤ delta ≤ 1.
func Attainable(eps, delta *big.Rat) bool {
	one := big.NewRat(1, 1)
	x := new(big.Rat).Neg(eps)
	c := new(big.Rat).Sub(one, delta)
	if x.Sign() <= 0 || c.Sign() <= 0 {
		return true
	}
	// c > 2^−m, so e^−x ≥ c takes x < m·log 2 < m.
	m := int64(c.Denom().BitLen() - c.Num().BitLen() + 1)
	if x.Cmp(new(big.Rat).SetInt64(m)) >= 0 {
		return false
	}
	limit := new(big.Rat).Inv(c) // e^x ≤ 1/c
	if new(big.Rat).Add(one, x).Cmp(limit) >= 0 {
		return false // 1 + x < e^x; a tiny x would take many bits below
	}
	for prec := uint(64); prec <= maxAttainableBits; prec *= 4 {
		if lo := expBound(x, prec, big.ToNegativeInf); lo.Cmp(bound(limit, prec, big.ToPositiveInf)) > 0 {
			return false
		}
		if hi := expBound(x, prec, big.ToPositiveInf); hi.Cmp(bound(limit, prec, big.ToNegativeInf)) <= 0 {
			return true
		}
	}
	return true
}

// bound rounds a number in a direction.
func bound(x *big.Rat, prec uint, mode big.RoundingMode) *big.Float {
	return new(big.Float).SetPrec(prec).SetMode(mode).SetRat(x)
}

// expBound returns a bound of e^x, x ≥ 0, on the side of mode.
//
// With y = x/2^k ≤ 1, e^y is Σ y^i/i! over i < n and a rest between 0 and 2·y^n/n!, since
// each later term is at most half of the one before it. All terms are positive: what is
// rounded to one side at each step stays there, and squaring k times keeps it there.
func expBound(x *big.Rat, prec uint, mode big.RoundingMode) *big.Float {
	k := new(big.Int).Quo(x.Num(), x.Denom()).BitLen()
	y := bound(new(big.Rat).Quo(x, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(k)))), prec, mode)
	float := func(i int64) *big.Float { return new(big.Float).SetPrec(prec).SetMode(mode).SetInt64(i) }
	sum, term := float(0), float(1)
	for i := int64(1); term.Sign() > 0 && term.MantExp(nil) > -int(prec); i++ {
		sum.Add(sum, term)
		term.Quo(term.Mul(term, y), float(i))
	}
	if mode == big.ToPositiveInf {
		sum.Add(sum, term.Add(term, term))
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum
}
