// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"math"
	"math/big"
	"math/rand"
	"slices"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

func rat(s string) *big.Rat { return testkit.Rat(s) }

var (
	zero = new(big.Rat)
	one  = big.NewRat(1, 1)
	two  = big.NewRat(2, 1)
	half = big.NewRat(1, 2)
)

func add(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }
func sub(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
func mul(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
func quo(x, y *big.Rat) *big.Rat { return new(big.Rat).Quo(x, y) }
func neg(x *big.Rat) *big.Rat    { return new(big.Rat).Neg(x) }
func ratInt(n int64) *big.Rat    { return new(big.Rat).SetInt64(n) }

func maxRat(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) >= 0 {
		return x
	}
	return y
}

func minRat(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) <= 0 {
		return x
	}
	return y
}

func pow2(k int) *big.Rat {
	n := new(big.Int).Lsh(big.NewInt(1), uint(max(k, -k)))
	if k >= 0 {
		return new(big.Rat).SetInt(n)
	}
	return new(big.Rat).SetFrac(big.NewInt(1), n)
}

func powRat(x *big.Rat, n int) *big.Rat {
	out := big.NewRat(1, 1)
	for range n {
		out.Mul(out, x)
	}
	return out
}

// hardWeights are numbers that a decimal, a float64 or a shortcut gets wrong.
var hardWeights = []*big.Rat{
	rat("0"), rat("1"), rat("1/3"), rat("2/3"), rat("1/10"), rat("3602879701896397/36028797018963968"),
	rat("9007199254740993/9007199254740992"), rat("1/1000000000000000000000"), rat("1/2"), rat("2"), rat("709"), rat("1/1024"),
}

// drawWeight is half a hard number, half a log-uniform one; never negative.
func drawWeight(r *rand.Rand) *big.Rat {
	if r.Intn(2) == 0 {
		return hardWeights[r.Intn(len(hardWeights))]
	}
	return drawPositive(r, -12, 12)
}

// drawPositive is log-uniform between 2^lo and 2^hi, with at most 53 bits.
func drawPositive(r *rand.Rand, lo, hi float64) *big.Rat {
	return new(big.Rat).SetFloat64(math.Exp2(lo + (hi-lo)*r.Float64()))
}

// drawRate is a sampling rate strictly between 0 and 1.
func drawRate(r *rand.Rand) *big.Rat {
	if r.Intn(2) == 0 {
		return []*big.Rat{rat("1/2"), rat("1/3"), rat("1/10"), rat("3602879701896397/36028797018963968"), rat("256/60000"),
			rat("1/1000000000000000000000"), rat("9007199254740991/9007199254740992"), rat("999/1000")}[r.Intn(8)]
	}
	x := drawPositive(r, -40, 0)
	if x.Cmp(one) >= 0 {
		return half
	}
	if r.Intn(4) == 0 {
		return sub(one, x)
	}
	return x
}

// drawEps is an ε of a guarantee, ≥ 0, moderate.
func drawEps(r *rand.Rand) *big.Rat {
	if r.Intn(2) == 0 {
		return []*big.Rat{rat("0"), rat("1"), rat("1/2"), rat("1/3"), rat("1/10"), rat("2"), rat("3602879701896397/36028797018963968"), rat("1/1000000"), rat("10")}[r.Intn(9)]
	}
	x := drawPositive(r, -12, 3)
	x, _ = new(big.Rat).SetString(x.FloatString(6)) // few digits: exponents are multiplied later
	return x
}

// drawDelta is a δ of a guarantee, in [0, 1].
func drawDelta(r *rand.Rand) *big.Rat {
	if r.Intn(2) == 0 {
		return []*big.Rat{rat("0"), rat("0"), rat("1/10"), rat("1/3"), rat("1/100000"), rat("1"), rat("1/1000000000000000000000")}[r.Intn(7)]
	}
	return drawPositive(r, -60, -1)
}

// drawReal is any real ε to ask about.
func drawReal(r *rand.Rand) *big.Rat {
	x := drawEps(r)
	if r.Intn(8) == 0 {
		x = rat("40")
	}
	if r.Intn(3) == 0 {
		return neg(x)
	}
	return x
}

// precisions are the working precisions of the properties.
var precisions = []interval.Prec{2, 3, 8, 24, 53, 64, 65, 113, 128, 256}

func drawPrec(r *rand.Rand) interval.Prec { return precisions[r.Intn(len(precisions))] }

// simplerRat proposes simpler rationals than x between lo and hi, exclusive of x.
func simplerRat(x *big.Rat, candidates ...string) []*big.Rat {
	var out []*big.Rat
	for _, c := range candidates {
		y := rat(c)
		if y.Cmp(x) == 0 {
			break
		}
		out = append(out, y)
	}
	return out
}

func sortRats(xs []*big.Rat) { slices.SortFunc(xs, (*big.Rat).Cmp) }
