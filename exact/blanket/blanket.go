// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package blanket has the pairs of shuffled reports: a local randomizer makes a report of each record, of which one may
// be replaced, and the reports are shuffled.
//
// Above, of a local randomizer R that is known: with the value y any other report is R(y) ≥ b, pointwise, for the least
// b of all values, the privacy blanket. So it draws from b with probability Σb, and otherwise from what is left,
// whatever y is. Reveal who does not draw from b, and their reports: the record's own and those from b remain, by the
// shuffling [Balle, Bell, Gascón & Nissim 2019, Section 5]. Others may know all but that, and choose y by earlier
// outputs.
//
// Above, of any ε-DP local randomizer: let p = R(x) and q = R(x′) of the two values of the record, e = e^ε, s₁ = (p −
// q)₊/(e − 1) and s₂ = (q − p)₊/(e − 1). What is left, s₃, is at least 0, p = e·s₁ + s₂ + s₃, q = s₁ + e·s₂ + s₃, and
// any R(y) ≥ max(p, q)/e = s₁ + s₂ + s₃/e: three labels, whose masses are those of a = Σs₁ = Σs₂ and (1 + e)·a + Σs₃ =
// 1. The greatest a = 1/(1 + e) is the worst: see docs/theorems.md, *Shuffled reports of a guarantee*. e^ε is rounded
// up: what is (ε, 0)-DP has any greater ε.
//
// Below, all others have the same value, so that their reports are independent and of one distribution, and the
// multiset is known exactly: see [pair.Reports]. Of a guarantee, the randomizers of worst have it. For divergences of
// many reports, the reports of x are counted.
package blanket

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

var ratOne = big.NewRat(1, 1)

// A Below is what is attained by data in which all others have one value: the one that replaces the record's, or one of
// their own.
type Below struct{ Replacing, Own []pair.Product }

// OfGuarantee is of any local randomizer that is (ε, 0)-DP, ε > 0. It returns nil if next to nothing is hidden.
func OfGuarantee(eps *big.Rat, others int64) (upper pair.Product, lower Below) {
	const p = interval.Prec(128)
	low, high, ok := p.Inv(p.Add(interval.Int(1), p.Exp(p.Rat(eps).Neg()))).Rationals()
	if !ok || high.Cmp(ratOne) >= 0 {
		return nil, Below{}
	}
	lie := new(big.Rat).Sub(ratOne, high)
	upper = pair.Copies(pair.LocalReports{Others: others, Ratio: new(big.Rat).Quo(high, lie)}, 1)
	if low.Cmp(big.NewRat(1, 2)) > 0 {
		noise := new(big.Rat).Sub(ratOne, low)
		lower.Replacing = []pair.Product{pair.Copies(pair.Reported{Others: others, Noise: noise, Truth: low}, 1)}
		lower.Own = []pair.Product{pair.Copies(worst(new(big.Rat).Quo(low, noise), others), 1)}
	}
	return upper, lower
}

// worst is shuffled reports of a local randomizer whose probabilities differ by a factor of at most e, where all others
// have a third value. Of many reports it is the worst there is, among those where all others have the same value: H_α
// is then about that of normal sums, and falls with the square of the deviation over their variance, χ² = Σ(p − q)²/r,
// which is linear in the masses of the values with (p, q, r) ∝ (1 or e, 1 or e, 1 or e), of which all are made. By p +
// q and r summing up to 2 and to 1, two kinds have mass: from e = 2 on 3-ary randomized response.
func worst(e *big.Rat, others int64) pair.Reports {
	two := big.NewRat(2, 1)
	values := [][3]bool{{true, false, false}, {false, true, false}, {false, false, true}}
	whole := new(big.Rat).Add(e, two)
	if e.Cmp(two) < 0 {
		values = [][3]bool{{true, false, false}, {true, false, true}, {false, true, false}, {false, true, true}}
		whole = new(big.Rat).Add(e, ratOne)
		whole.Mul(whole, two)
	}
	var reports []pair.Report
	for _, v := range values {
		mass := func(likely bool) *big.Rat {
			if likely {
				return new(big.Rat).Quo(e, whole)
			}
			return new(big.Rat).Inv(whole)
		}
		reports = append(reports, pair.Report{P: mass(v[0]), Q: mass(v[1]), Other: mass(v[2])})
	}
	return pair.NewReports(others, reports)
}

// OfResponse is of randomized response over k ≥ 2 buckets, neither always true nor always uniform. The buckets that are
// nobody's are one value of a report.
func OfResponse(local mechanism.RandomizedResponse, others int64) (upper pair.Product, lower Below) {
	k := new(big.Rat).SetInt64(local.NumBuckets)
	uniform := new(big.Rat).Quo(local.NoiseParameter, k) // p/k
	lie := new(big.Rat).Sub(ratOne, local.NoiseParameter)
	truth := new(big.Rat).Add(lie, uniform)
	times := func(n int64) *big.Rat { return new(big.Rat).Mul(uniform, new(big.Rat).SetInt64(n)) }
	reports := func(forX, forX2, forY, nobody *big.Rat, left *big.Rat) pair.Product {
		rest := times(local.NumBuckets - 2)
		rest.Sub(rest, nobody)
		return pair.Copies(pair.NewReports(others, []pair.Report{{P: truth, Q: uniform, Other: forX},
			{P: uniform, Q: truth, Other: forX2}, {P: nobody, Q: nobody, Other: forY}, {P: rest, Q: rest, Other: rest},
			{P: new(big.Rat), Q: new(big.Rat), Other: left}}), 1)
	}
	zero := new(big.Rat)
	lower.Replacing = []pair.Product{pair.Copies(pair.Reported{Others: others, Noise: uniform, Truth: truth}, 1)}
	if local.NumBuckets > 2 {
		lower.Own = []pair.Product{reports(uniform, uniform, truth, uniform, zero)}
	} else {
		lower.Own = []pair.Product{reports(uniform, truth, zero, zero, zero)}
	}
	return reports(uniform, uniform, zero, zero, lie), lower
}

// maxLower is how many choices of three inputs are looked at from below.
const maxLower = 3

// OfTable is of a table, a row of probabilities for each input: above, for any two inputs of the record, all others
// being hidden by the blanket of all inputs; below, for some two inputs of the record and one of all others. Which ones
// does not matter for what is true: those of the greatest χ², see worst. It returns nil if all rows are the same.
func OfTable(table [][]*big.Rat, others int64) (upper []pair.Product, lower Below) {
	width := len(table[0])
	blanket, left := make([]*big.Rat, width), new(big.Rat).Set(ratOne)
	for y := range width {
		blanket[y] = table[0][y]
		for _, row := range table {
			if row[y].Cmp(blanket[y]) < 0 {
				blanket[y] = row[y]
			}
		}
		left.Sub(left, blanket[y])
	}
	reports := func(p, q, other []*big.Rat, left *big.Rat) pair.Reports {
		values := []pair.Report{{P: new(big.Rat), Q: new(big.Rat), Other: left}}
		for y := range width {
			values = append(values, pair.Report{P: p[y], Q: q[y], Other: other[y]})
		}
		return pair.NewReports(others, values)
	}
	for i, p := range table {
		for j, q := range table {
			if x := reports(p, q, blanket, left); i != j && !x.Trivial() {
				upper = append(upper, pair.Copies(x, 1))
			}
		}
	}
	if upper == nil {
		return nil, Below{}
	}
	have := make(map[string]bool)
	for _, c := range mostVisible(table, 16*maxLower) {
		x := reports(table[c.x], table[c.x2], table[c.other], new(big.Rat))
		if len(lower.Own) < maxLower && !have[x.String()] && !have[x.Reverse().String()] && !x.Trivial() {
			lower.Own = append(lower.Own, pair.Copies(x, 1))
			have[x.String()] = true
		}
	}
	if x, ok := counted(table, others); ok {
		lower.Replacing = []pair.Product{pair.Copies(x, 1)}
	}
	return upper, lower
}

// counted is a count of the reports that are more likely for one input than for another one, which all others have, of
// the two that it tells apart best. For divergences of many reports.
func counted(table [][]*big.Rat, others int64) (best pair.Reported, ok bool) {
	for _, p := range table {
		for _, q := range table {
			truth, noise := new(big.Rat), new(big.Rat)
			for y := range p {
				if p[y].Cmp(q[y]) > 0 {
					truth.Add(truth, p[y])
					noise.Add(noise, q[y])
				}
			}
			if noise.Sign() == 0 || truth.Cmp(ratOne) >= 0 || noise.Cmp(truth) >= 0 {
				continue
			}
			if x := (pair.Reported{Others: others, Noise: noise, Truth: truth}); !ok || better(x, best) {
				best, ok = x, true
			}
		}
	}
	return best, ok
}
