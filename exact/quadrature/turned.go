// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"context"

	"dpverify/exact/interval"
)

// together is how many values share a factor e^{ijθ}.
const together = 64

// Turned encloses v_0 + 2·Re Σ_{0<j≤n} v_j·e^{ijθ}, with errors of about 2^−p of the greatest |v_j|, if θ and the v_j
// are known as well.
//
// A v_j that is far below the greatest is multiplied with so many bits fewer, and of e^{ijθ}, j = 64k + i, the part
// e^{64ikθ} is multiplied with a sum over i.
func Turned(ctx context.Context, p interval.Prec, theta interval.Interval,
	values []interval.Complex) (interval.Interval, error) {
	const spare = 32
	w := p + spare
	small := turns(w, theta, min(together, len(values)))
	large := turns(w, w.Mul(interval.Int(together), theta), (len(values)-1)/together+1)
	bits, top := make([]int, len(values)), -interval.MaxExp
	for j, v := range values {
		bits[j] = max(exponentOf(v.Re), exponentOf(v.Im))
		top = max(top, bits[j])
	}
	with := func(bits int) interval.Prec { // for a number below 2^bits
		return interval.Prec(max(int(w)-(top-bits), spare))
	}
	sum := interval.Int(0)
	for k := range large {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		var s interval.Complex
		most := -interval.MaxExp
		for i, v := range values[k*together : min(k*together+together, len(values))] {
			j := k*together + i
			q := with(bits[j])
			if most = max(most, bits[j]); j == 0 {
				v = interval.Complex{Re: q.Scale(v.Re, -1), Im: q.Scale(v.Im, -1)}
			}
			s = w.AddC(s, q.MulC(v, small[i]))
		}
		q := with(most)
		sum = w.Add(sum, q.Sub(q.Mul(s.Re, large[k].Re), q.Mul(s.Im, large[k].Im)))
	}
	return p.Scale(sum, 1), nil
}

// turns encloses e^{ijθ}, 0 ≤ j < n: each is a product of two at half the way, so that errors grow with the logarithm
// of j.
func turns(p interval.Prec, theta interval.Interval, n int) []interval.Complex {
	out := make([]interval.Complex, n)
	for j := range out {
		switch j {
		case 0:
			out[j].Re = interval.Int(1)
		case 1:
			out[j] = p.ExpI(theta)
		default:
			out[j] = p.MulC(out[j/2], out[j-j/2])
		}
	}
	return out
}
