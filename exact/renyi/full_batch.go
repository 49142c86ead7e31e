// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// fullBatch bounds the moment of the greatest of two profiles, as maximum does. In the first, the last of the other
// records is opposite to the record; in the second, both are at one place. Each profile is that of two mixtures on a
// line.
func fullBatch(x pair.FullBatch) LogMoment {
	at := func(side int64) interval.Real {
		return interval.RealRat(new(big.Rat).Mul(x.Mu, new(big.Rat).SetInt64(side)))
	}
	line := []interval.Real{at(-1), at(0), at(1)}
	opposed := [2]blend{{line, x.P[:]}, {line[:2], x.Q[:]}}
	together := [2]blend{{line[1:], []*big.Rat{x.P[1], new(big.Rat).Add(x.P[0], x.P[2])}},
		{line[1:], []*big.Rat{x.Q[1], x.Q[0]}}}
	moment := func(p interval.Prec, alpha *big.Rat, g [2]blend) interval.Interval {
		beta := new(big.Rat).Neg(minusOne(alpha))
		if x.Reversed {
			alpha, beta = beta, alpha
		}
		return gaussianMean(p, []power{{g[0], alpha}, {g[1], beta}})
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 32
		return p.Round(maximumMoment(w, alpha, moment(w, alpha, opposed), moment(w, alpha, together)))
	}
}
