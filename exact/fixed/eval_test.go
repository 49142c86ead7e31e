// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/interval"
)

// TestEvaluationEndsWhereWordsDo: beyond their precision and range exact/interval answers, to the
// precision asked for.
func TestEvaluationEndsWhereWordsDo(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, p := range []interval.Prec{2, 24, 64, 128, 160, 192, 300} {
		for i := range 40 {
			q := big.NewRat(r.Int63()-1<<62, 1<<uint(r.Intn(20)+43))
			if i%8 == 0 {
				q.SetInt64(1 << 21) // beyond the range of words
			}
			y, v := Exp(p, q), reference.Exp(reference.Rat(q))
			if y.Lo().Cmp(v.Hi()) > 0 || v.Lo().Cmp(y.Hi()) > 0 || y.RelativeBits(int(p)) < int(p)-26 {
				t.Fatalf("e^%v = %v at %d bits, want %v", q, y, p, v)
			}
			x := reference.Rat(q.Abs(q))
			y, v = Log(p, x), reference.Log(x)
			if y.Lo().Cmp(v.Hi()) > 0 || v.Lo().Cmp(y.Hi()) > 0 || y.RelativeBits(int(p)) < int(p)-4 {
				t.Fatalf("log %v = %v at %d bits, want %v", q, y, p, v)
			}
		}
	}
}
