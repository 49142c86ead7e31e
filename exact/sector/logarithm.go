// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// logarithm encloses log z, by a number y next to it.
//
// Claim. If r = z·e^{−y} − 1 and |r| ≤ ½, the sum y + Σ_{m≤n} (−1)^{m+1}·r^m/m is off by at most 2·|r|^{n+1} from a
// logarithm of z, which is the principal one if |Im| of it is below π.
//
// Proof. y + log(1 + r) is a logarithm of z, and what is left out of the series is at most Σ_{m>n} |r|^m. ∎
func logarithm(w interval.Prec, z interval.Complex) interval.Complex {
	const most = 16
	y := nearLog(z)
	sum := interval.Complex{Re: double.Point(real(y)).Exact(), Im: double.Point(imag(y)).Exact()}
	r := w.SubC(w.MulC(z, w.ExpC(sum.Neg())), interval.Complex{Re: one})
	size := coarse.Add(r.Re.Abs(), r.Im.Abs()).Upper()
	power, rest := r, size // r^m, and |r|^m
	for m := int64(1); m <= most && size.LessRat(big.NewRat(1, 2)) == interval.True; m++ {
		over := w.Rat(big.NewRat(1-2*(1-m%2), m))
		sum = w.AddC(sum, w.ScaleC(over, power))
		if rest = coarse.Mul(rest, size); rest.LessEq(coarse.Scale(one, -int(w))) == interval.True {
			off := coarse.Scale(rest, 1).Upper()
			off = interval.Union(off.Neg(), off)
			sum = interval.Complex{Re: w.Add(sum.Re, off), Im: w.Add(sum.Im, off)}
			if sum.Im.Abs().LessRat(big.NewRat(3, 1)) == interval.True {
				return sum
			}
			break
		}
		power = w.MulC(power, r)
	}
	return w.LogC(z)
}
