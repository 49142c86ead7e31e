// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package testkit has what the tests of many packages need: numbers, written and drawn.
// It imports no other package of the module, so that every test may use it.
package testkit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand"
	"os"
	"testing"
)

// Rat reads a decimal or a fraction of integers with the standard library,
// independently of package number.
func Rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(fmt.Sprintf("testkit: bad number %q in a test", s))
	}
	return r
}

// Hard are numbers that a decimal, a float64 or a shortcut gets wrong.
var Hard = []string{
	"0", "1", "1/3", "2/3", "1/10", "3602879701896397/36028797018963968", "9007199254740993/9007199254740992",
	"1/1000000000000000000000",
	"709", "745", "999999999999", "1/1024", "1/3125", "1000000007/998244353", "123456789123456789/1000000000",
}

// RandomRat is half hard numbers, half log-uniform ones, of either sign.
func RandomRat(rng *rand.Rand) *big.Rat {
	if rng.Intn(2) == 0 {
		return Rat(Hard[rng.Intn(len(Hard))])
	}
	r := new(big.Rat).SetFloat64(math.Exp(60*rng.Float64()-30) * float64(1-2*rng.Intn(2)))
	if rng.Intn(2) == 0 {
		// Factors that the decimal notation absorbs, or nearly.
		scale := new(big.Int).Mul(pow(2, rng.Intn(300)), pow(5, rng.Intn(300)))
		r.Mul(r, new(big.Rat).SetFrac(scale, pow(10, rng.Intn(300))))
	}
	return r
}

func pow(base int64, exp int) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(exp)), nil)
}

// Distribution returns n probabilities with sum 1, some of them 0. draw returns a number in [0, n).
func Distribution(draw func(n int64) int64, n int) []*big.Rat {
	out, weights, total := make([]*big.Rat, n), make([]int64, n), int64(0)
	for i := range weights {
		if weights[i] = draw(40); draw(6) == 0 {
			weights[i] = 0
		}
		total += weights[i]
	}
	if total == 0 {
		weights[0], total = 1, 1
	}
	for i, w := range weights {
		out[i] = big.NewRat(w, total)
	}
	return out
}

// Word returns a word that is uniform, of few bits, or next to an end or a power of two.
func Word(r *rand.Rand) uint64 {
	switch r.Intn(6) {
	case 0:
		return r.Uint64() << r.Intn(64)
	case 1:
		return r.Uint64() >> r.Intn(64)
	case 2:
		return 1<<r.Intn(64) - uint64(r.Intn(3)) + 1
	case 3:
		return -(uint64(1) << r.Intn(64)) + uint64(r.Intn(3))
	}
	return r.Uint64()
}

// Fraction returns three words, the highest first: a fraction of 2^192 that is next to a multiple of 2^−8, 2^−16 or
// 2^−24, of one word, or of three.
func Fraction(r *rand.Rand) (hi, mi, lo uint64) {
	switch k := r.Intn(5); k {
	case 0, 1, 2:
		return FractionNear(r, uint(8*(k+1)))
	case 3:
		return Word(r), 0, 0
	}
	return Word(r), Word(r), Word(r)
}

// FractionNear returns three words of a fraction next to a multiple of 2^−k, modulo 1.
func FractionNear(r *rand.Rand, k uint) (hi, mi, lo uint64) {
	hi = r.Uint64() >> (64 - k) << (64 - k)
	switch by := uint64(r.Intn(3)); r.Intn(4) {
	case 0:
		return hi, 0, by
	case 1:
		lo, c := bits.Sub64(0, by, 0)
		mi, c = bits.Sub64(0, 0, c)
		return hi - c, mi, lo
	case 2:
		return hi - 1, 0, 0
	}
	return hi, 0, 0
}

// Table compares the words of a file with those that are computed now, or writes it anew.
func Table(t *testing.T, file string, held []byte, words []uint64, update bool) {
	t.Helper()
	var b []byte
	for _, x := range words {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	if update {
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(b, held) {
		t.Errorf("%s is not what is computed: run with -update", file)
	}
}
