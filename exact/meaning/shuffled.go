// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// shuffled resolves shuffled reports. Two neighbours differ in one record, which has one report: there is no number of
// reports that is one more.
//
// Above, of any ε-DP local randomizer R [Feldman, McMillan & Talwar 2021, Theorem 3.1, whose proof this is]: with x and
// x′ the two values of the record, R(x) = t·S + (1 − t)·S′ and R(x′) = (1 − t)·S + t·S′ for some S and S′, t = e^ε/(1 +
// e^ε) (approximate randomized response has every ε-DP pair as a post-processing), and S + S′ = R(x) + R(x′). Any R(y)
// ≥ e^−ε·max(R(x), R(x′)) ≥ e^−ε·(S + S′)/2: with probability e^−ε it draws from S or S′ by a fair coin, and otherwise
// from what is left. Reveal who does not toss a coin, and their reports; of the others only how many of S there are
// remains, by the shuffling. e^−ε is rounded down and t up: fewer coins and more truth are less private.
//
// Randomized response over k buckets, uniform with probability p: a uniform report is in one of the two buckets of x
// and x′ with probability 2/k, and then by a fair coin. The record's own is in one of them with probability s = 1 − p +
// 2p/k, in the bucket of x with 1 − p + p/k; otherwise it is the same for both.
//
// Below, all others have the value x′, and the reports of x are counted. Of a guarantee, randomized response with two
// buckets has it.
func (r *resolver) shuffled(e mechanism.Shuffled, path string) (meaning, error) {
	switch r.rel {
	case mechanism.ReplaceOne:
	case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
		return r.undefined(e, path,
			"the number of reports is fixed, and the guarantee of a report is for replacing its record; it is not defined")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	others := e.Reports - 1
	switch local := e.Event.(type) {
	case mechanism.EpsilonDelta:
		if local.Epsilon.Sign() == 0 {
			return neutral(), nil
		}
		if others == 0 {
			return exactly(pair.Copies(pair.Response{Eps: local.Epsilon, Delta: local.Delta}, 1)), nil
		}
		const p = interval.Prec(batchBits)
		x := p.Exp(p.Rat(local.Epsilon).Neg())
		rate, _ := ends(x)
		low, high := ends(p.Inv(p.Add(interval.Int(1), x)))
		if rate.Sign() == 0 || high.Cmp(ratOne) >= 0 { // too great an ε to be hidden
			return between(pair.Copies(pair.Response{Eps: local.Epsilon, Delta: local.Delta}, 1), nil), nil
		}
		var lower pair.Product
		if low.Cmp(big.NewRat(1, 2)) > 0 {
			lower = pair.Copies(pair.Reported{Others: others, Noise: new(big.Rat).Sub(ratOne, low), Truth: low}, 1)
		}
		return between(pair.Copies(pair.Clones{Others: others, Rate: rate, Truth: high}, 1), lower), nil
	case mechanism.RandomizedResponse:
		k := new(big.Rat).SetInt64(local.NumBuckets)
		uniform := new(big.Rat).Quo(local.NoiseParameter, k) // p/k
		truth := new(big.Rat).Add(new(big.Rat).Sub(ratOne, local.NoiseParameter), uniform)
		switch {
		case local.NumBuckets == 1 || local.NoiseParameter.Cmp(ratOne) == 0:
			return neutral(), nil
		case local.NoiseParameter.Sign() == 0: // all else is known
			return nonPrivate(), nil
		case others == 0:
			return exactUnlessTrivial(replaceOneResponse(local))
		}
		either := new(big.Rat).Add(truth, uniform) // s
		rate := new(big.Rat).Add(uniform, uniform)
		var upper pair.Pair = pair.Clones{Others: others, Rate: rate, Truth: new(big.Rat).Quo(truth, either)}
		if either.Cmp(ratOne) < 0 {
			upper = pair.Mixed{Rate: either, Base: pair.Copies(upper, 1)}
		}
		return between(pair.Copies(upper, 1), pair.Copies(pair.Reported{Others: others, Noise: uniform,
			Truth: truth}, 1)), nil
	}
	return meaning{}, &mechanism.UnsupportedError{Path: path, Class: e.ClassName()}
}
