// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import (
	"math/big"
	"sync"
)

// A constant C is known by fixed-point numbers: integers c with c ≤ C·2^w < c + 1 up to the stated
// error. They are computed once per size class and kept; the class depends on w
// alone, so the digits that a caller sees never depend on what was computed
// before.
type constant struct {
	mu      sync.Mutex
	byClass map[int]*big.Int
	compute func(w int) *big.Int // c with c ≤ C·2^w < c + 2^16
}

// constantGuard is the number of bits dropped from a computed constant: 2^16
// units of error become less than one.
const constantGuard = 16

// fixed returns c with c ≤ C·2^w < c + 2: the computed value errs by less than
// 2^16 units of its own, that is one unit here, and the shift by another.
func (k *constant) fixed(w int) *big.Int {
	class := (w + constantGuard + 255) &^ 255
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.byClass[class]
	if !ok {
		c = k.compute(class)
		if k.byClass == nil {
			k.byClass = make(map[int]*big.Int)
		}
		k.byClass[class] = c
	}
	return new(big.Int).Rsh(c, uint(class-w))
}

// Ln2 returns c with c ≤ log 2·2^w < c + 2.
func Ln2(w int) *big.Int { return ln2Constant.fixed(w) }

// Pi returns c with c ≤ π·2^w < c + 2.
func Pi(w int) *big.Int { return piConstant.fixed(w) }

var (
	ln2Constant = constant{compute: computeLn2}
	piConstant  = constant{compute: computePi}
)

// atanhInverse returns s with s ≤ 2^w·atanh(1/n) < s + 2w + 4, n ≥ 2: see inverseSeries.
func atanhInverse(n int64, w int) *big.Int { return inverseSeries(n, w, 1) }

// atanInverse returns s with |s − 2^w·atan(1/n)| < 2w + 4, n ≥ 2: see inverseSeries.
func atanInverse(n int64, w int) *big.Int { return inverseSeries(n, w, -1) }

// inverseSeries sums the series of both, whose terms at odd i have the sign given.
//
// Both are Σ_{i≥0} (±1)^i / ((2i+1)·n^(2i+1)). Let t_i = ⌊t_{i−1}/n²⌋, t_0 =
// ⌊2^w/n⌋: the true 2^w/n^(2i+1) exceeds t_i by less than 1/(1 − 1/n²) ≤ 4/3,
// and ⌊t_i/(2i+1)⌋ errs by less than 4/3 + 1 < 7/3 from the term for i ≥ 1 (at
// most (4/3)/3 + 1 < 3/2) and by less than 1 for i = 0. The loop ends at the
// first t_i = 0, when the true terms left sum to less than (4/3)²/3 < 1. There
// are at most w/2 + 1 terms because n² ≥ 4; in total the error is less than
// (3/2)(w/2 + 1) + 1 < 2w + 4.
func inverseSeries(n int64, w, sign int) *big.Int {
	t := new(big.Int).Lsh(oneInt, uint(w))
	t.Quo(t, big.NewInt(n))
	n2 := big.NewInt(n * n)
	sum, term, odd := new(big.Int), new(big.Int), new(big.Int)
	for i := int64(0); t.Sign() > 0; i++ {
		term.Quo(t, odd.SetInt64(2*i+1))
		if sign < 0 && i&1 == 1 {
			sum.Sub(sum, term)
		} else {
			sum.Add(sum, term)
		}
		t.Quo(t, n2)
	}
	return sum
}

// computeLn2 uses log 2 = 18 atanh(1/26) − 2 atanh(1/4801) + 8 atanh(1/8749).
// The three sums err by less than 28·(2w + 4) units together, on either side;
// the constant is lowered by that bound and then errs by less than twice it,
// 112w + 224 < 2^26 for w ≤ 2^19. The result is computed with 16 bits more than
// asked, so that it errs by less than 2^10 + 1 < 2^16 units.
func computeLn2(w int) *big.Int {
	const extra = 16
	v := w + extra
	s := new(big.Int).Mul(atanhInverse(26, v), big.NewInt(18))
	s.Sub(s, new(big.Int).Lsh(atanhInverse(4801, v), 1))
	s.Add(s, new(big.Int).Lsh(atanhInverse(8749, v), 3))
	s.Sub(s, big.NewInt(28*(2*int64(v)+4)))
	return s.Rsh(s, extra)
}

// computePi uses Machin's π = 16 atan(1/5) − 4 atan(1/239); the error is bounded
// as in computeLn2, with 20 in place of 28.
func computePi(w int) *big.Int {
	const extra = 16
	v := w + extra
	s := new(big.Int).Lsh(atanInverse(5, v), 4)
	s.Sub(s, new(big.Int).Lsh(atanInverse(239, v), 2))
	s.Sub(s, big.NewInt(20*(2*int64(v)+4)))
	return s.Rsh(s, extra)
}
