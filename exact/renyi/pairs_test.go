// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

var (
	lopsided = pair.NewFinite([]*big.Rat{rat("1/6"), rat("1/6"), rat("2/3")}, []*big.Rat{rat("5/11"), rat("1/2"), rat("1/22")})
	leaky    = pair.NewFinite([]*big.Rat{rat("1/10"), rat("3/5"), rat("3/10"), rat("0")}, []*big.Rat{rat("0"), rat("1/5"), rat("1/2"), rat("3/10")})
)

func finitePair(p, q []string) pair.Finite {
	var a, b []*big.Rat
	for i := range p {
		a, b = append(a, rat(p[i])), append(b, rat(q[i]))
	}
	return pair.NewFinite(a, b)
}

// copies is k copies of a finite pair, exactly.
func copies(f pair.Finite, k int) pair.Finite {
	out := pair.NewFinite([]*big.Rat{ratOne}, []*big.Rat{ratOne})
	for range k {
		var p, q []*big.Rat
		for _, a := range out.Masses {
			for _, b := range f.Masses {
				p, q = append(p, new(big.Rat).Mul(a.P, b.P)), append(q, new(big.Rat).Mul(a.Q, b.Q))
			}
		}
		out = pair.NewFinite(p, q)
	}
	return out
}

func near(x, y interval.Interval, bits int) bool {
	z, ok := interval.Intersect(x, y)
	return ok && narrow(x, bits) && narrow(y, bits) && z.IsFinite()
}

func narrow(x interval.Interval, bits int) bool {
	const p = interval.Prec(64)
	width := p.Sub(interval.Point(x.Hi()), interval.Point(x.Lo()))
	return width.LessEq(p.Scale(interval.Max(one, x.Abs()), -bits)) == interval.True
}

func once(x pair.Pair) pair.Product { return pair.Product{{Pair: x, Count: 1}} }
