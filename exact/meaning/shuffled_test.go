// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/blanket"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A shuffle is the law of the multiset of reports of some inputs of a table, in rationals.
type shuffle map[string]*big.Rat

func shuffleOf(table [][]*big.Rat, inputs []int) shuffle {
	out := shuffle{string(make([]byte, len(table[0]))): ratOne}
	for _, i := range inputs {
		next := shuffle{}
		for counts, mass := range out {
			for y, p := range table[i] {
				to := []byte(counts)
				to[y]++
				if next[string(to)] == nil {
					next[string(to)] = new(big.Rat)
				}
				next[string(to)].Add(next[string(to)], new(big.Rat).Mul(mass, p))
			}
		}
		out = next
	}
	return out
}

// above is H_α of two laws.
func (p shuffle) above(q shuffle, alpha *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for counts, m := range p {
		d := new(big.Rat).Set(m)
		if x := q[counts]; x != nil {
			d.Sub(d, new(big.Rat).Mul(alpha, x))
		}
		if d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	return sum
}

// worstShuffle is the greatest H_α of any two neighbours: all values of the record and of all others.
func worstShuffle(table [][]*big.Rat, reports int, alpha *big.Rat) *big.Rat {
	most := new(big.Rat)
	var walk func(others []int)
	walk = func(others []int) {
		if len(others) < reports-1 {
			for i := range table {
				if len(others) == 0 || others[len(others)-1] <= i {
					walk(append(slices.Clone(others), i))
				}
			}
			return
		}
		for i := range table {
			for j := range table {
				d := shuffleOf(table, append(slices.Clone(others), i)).above(shuffleOf(table, append(slices.Clone(others), j)), alpha)
				if d.Cmp(most) > 0 {
					most = d
				}
			}
		}
	}
	walk(nil)
	return most
}

// profileAt is H_α of the greatest of some products, single discrete pairs.
func profileAt(t *testing.T, of []pair.Product, alpha *big.Rat) interval.Interval {
	const p interval.Prec = 96
	most := interval.Int(0)
	for _, x := range of {
		if hidden, ok := blanket.Blanketed(x); ok {
			x = hidden
		}
		os, _, ok := pair.ProductOutcomes(x, p, 1<<14)
		if !ok {
			t.Fatalf("no outcomes of %s", x)
		}
		sum := interval.Int(0)
		for _, o := range os {
			sum = p.Add(sum, interval.Max(interval.Int(0), p.Sub(o.P, p.Mul(p.Rat(alpha), o.Q))))
		}
		most = interval.Max(most, sum)
	}
	return most
}

// checkShuffled compares an event with what all neighbours show.
func checkShuffled(t *testing.T, e mechanism.Shuffled, table [][]*big.Rat) {
	t.Helper()
	prob, err := Resolve(e, mechanism.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	b, err := prob.Profile(mechanism.Both)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []string{"1/2", "1", "5/4", "2", "3"} {
		alpha := rat(a)
		worst := worstShuffle(table, int(e.Reports), alpha)
		above, below := profileAt(t, b.Upper, alpha), profileAt(t, b.Lower, alpha)
		if b.Attained {
			below = above
		}
		if above.LessRat(worst) == interval.True || below.LessEqRat(worst) == interval.False {
			t.Errorf("%v at α = %s: in [%v, %v], but %s", e, a, below, above, worst.FloatString(12))
		}
	}
}

// responseTable is randomized response as a table.
func responseTable(e mechanism.RandomizedResponse) (table [][]*big.Rat) {
	uniform := new(big.Rat).Quo(e.NoiseParameter, big.NewRat(e.NumBuckets, 1))
	for i := range e.NumBuckets {
		row := make([]*big.Rat, e.NumBuckets)
		for j := range row {
			row[j] = new(big.Rat).Set(uniform)
		}
		row[i].Add(row[i], new(big.Rat).Sub(ratOne, e.NoiseParameter))
		table = append(table, row)
	}
	return table
}

// TestShuffledByHand: what is shuffled is at most as visible as the bound says, and at least as the one from below:
// every value of the record and of all others, in rationals, of randomized response, as it is and as a table, and of
// tables at random, of which masses may be 0.
func TestShuffledByHand(t *testing.T) {
	for _, buckets := range []int64{2, 3, 4} {
		for reports := int64(1); reports <= 3; reports += 2 {
			local := mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: buckets}
			table := responseTable(local)
			checkShuffled(t, mechanism.Shuffled{Reports: reports, Event: local}, table)
			checkShuffled(t, mechanism.Shuffled{Reports: reports, Event: mechanism.LocalRandomizer{Table: table}}, table)
		}
	}
	r := rand.New(rand.NewSource(11))
	for range testkit.Draws(4, 12, 2000) {
		table := make([][]*big.Rat, 2+r.Intn(2))
		width := 2 + r.Intn(2)
		for i := range table {
			var sum int64
			xs := make([]int64, width)
			for y := range xs {
				xs[y] = int64(r.Intn(5))
				sum += xs[y]
			}
			if sum == 0 {
				xs[0], sum = 1, 1
			}
			for _, x := range xs {
				table[i] = append(table[i], big.NewRat(x, sum))
			}
		}
		e := mechanism.Shuffled{Reports: int64(1 + r.Intn(4)), Event: mechanism.LocalRandomizer{Table: table}}
		checkShuffled(t, e, table)
	}
}

// TestShuffledGuarantees: of any randomizer with a guarantee, at random, what all neighbours show is at most as visible
// as is said, and the ones from below have the guarantee.
func TestShuffledGuarantees(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for _, eps := range []string{"1/2", "1", "2"} {
		for reports := int64(2); reports <= 3; reports++ {
			e := mechanism.Shuffled{Reports: reports, Event: mechanism.EpsilonDelta{Epsilon: rat(eps), Delta: new(big.Rat)}}
			prob, err := Resolve(e, mechanism.ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := prob.Profile(mechanism.Both)
			const p = interval.Prec(96)
			factor, _, _ := p.Exp(p.Rat(rat(eps))).Rationals() // at most e^ε
			for _, w := range b.Lower {
				x, ok := pair.Single[pair.Reports](w)
				if !ok {
					continue
				}
				sums := [3]*big.Rat{new(big.Rat), new(big.Rat), new(big.Rat)}
				for _, c := range x.Cells {
					row := []*big.Rat{c.P, c.Q, c.Other}
					least, most := slices.MinFunc(row, (*big.Rat).Cmp), slices.MaxFunc(row, (*big.Rat).Cmp)
					if p.Mul(p.Exp(p.Rat(rat(eps))), p.Rat(least)).LessRat(most) == interval.True {
						t.Errorf("ε = %s: a report of %s has a greater ratio", eps, x)
					}
					for i, y := range row {
						sums[i].Add(sums[i], y)
					}
				}
				for i, s := range sums {
					if s.Cmp(ratOne) != 0 {
						t.Errorf("ε = %s: masses %d of %s sum up to %s", eps, i, x, s.RatString())
					}
				}
			}
			for range testkit.Draws(1, 3, 400) {
				table := extremeTable(r, factor)
				for _, a := range []string{"1", "6/5", "2"} {
					worst, above := worstShuffle(table, int(reports), rat(a)), profileAt(t, b.Upper, rat(a))
					if above.LessRat(worst) == interval.True {
						t.Errorf("ε = %s, α = %s: at most %v, but %s has %s", eps, a, above, table, worst.FloatString(12))
					}
				}
			}
		}
	}
}

// extremeTable draws a table of three inputs with ratios of at most e.
func extremeTable(r *rand.Rand, e *big.Rat) [][]*big.Rat {
	switch r.Intn(8) {
	case 0:
		return responseTable(mechanism.RandomizedResponse{NoiseParameter: noiseFor(e, 3), NumBuckets: 3})
	case 1:
		return responseTable(mechanism.RandomizedResponse{NoiseParameter: noiseFor(e, 2), NumBuckets: 2})
	}
	// Rows between m and e·m, from m up as far as it goes, report by report in some order.
	m, sum := make([]*big.Rat, 2+r.Intn(3)), new(big.Rat)
	for y := range m {
		m[y] = big.NewRat(int64(1+r.Intn(6)), 1)
		sum.Add(sum, m[y])
	}
	// Σm is between 1/e and 1.
	least := new(big.Rat).Inv(e)
	scale := new(big.Rat).Sub(ratOne, least)
	scale.Add(least, scale.Mul(scale, big.NewRat(int64(1+r.Intn(7)), 8)))
	scale.Quo(scale, sum)
	table := make([][]*big.Rat, 3)
	for i := range table {
		left, row := new(big.Rat).Set(ratOne), make([]*big.Rat, len(m))
		for y := range m {
			row[y] = new(big.Rat).Mul(m[y], scale)
			left.Sub(left, row[y])
		}
		for _, y := range r.Perm(len(m)) {
			more := new(big.Rat).Sub(e, ratOne)
			more.Mul(more, row[y])
			if more.Cmp(left) > 0 {
				more.Set(left)
			}
			row[y].Add(row[y], more)
			left.Sub(left, more)
		}
		table[i] = row
	}
	return table
}

// noiseFor is the probability of a uniform bucket of k at which masses differ by a factor of e: p/k·e = 1 − p + p/k.
func noiseFor(e *big.Rat, k int64) *big.Rat {
	x := new(big.Rat).Sub(e, ratOne)
	x.Quo(x, big.NewRat(k, 1))
	return x.Inv(x.Add(x, ratOne))
}

// TestShuffledRates: how often another report is from the blanket is what is left of the truth, which is rounded up.
func TestShuffledRates(t *testing.T) {
	e := mechanism.Shuffled{Reports: 10, Event: mechanism.EpsilonDelta{Epsilon: rat("2"), Delta: new(big.Rat)}}
	prob, err := Resolve(e, mechanism.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	hidden, _ := blanket.Blanketed(prob.Dominating())
	x := hidden[0].Pair.(pair.Reports)
	const p interval.Prec = 300
	truth := p.Inv(p.Add(interval.Int(1), p.Exp(p.Rat(rat("-2")))))
	covered, own := new(big.Rat), new(big.Rat)
	for _, c := range x.Cells {
		if c.P.Sign() > 0 {
			covered.Add(covered, c.Other)
		}
		if c.P.Cmp(own) > 0 {
			own = c.P
		}
	}
	if truth.LessEqRat(own) != interval.True || truth.LessRat(new(big.Rat).Sub(own, interval.Pow2(-120))) == interval.True {
		t.Errorf("the truth is %s, want just above e²/(1 + e²)", own.FloatString(20))
	}
	if two := big.NewRat(2, 1); covered.Cmp(two.Sub(two, new(big.Rat).Add(own, own))) > 0 {
		t.Errorf("others are like the own report with %s, want at most 2/(1 + e²)", covered.FloatString(20))
	}
}

// TestTheMostDifferIsWorst: of a randomizer whose ratios are at most e, what its blanket of three labels shows rises
// with the mass a where two inputs differ, at any α and for any number of others.
func TestTheMostDifferIsWorst(t *testing.T) {
	r := rand.New(rand.NewSource(23))
	for range testkit.Cases(60, 2000) {
		e := new(big.Rat).Add(ratOne, big.NewRat(int64(1+r.Intn(40)), int64(1+r.Intn(20))))
		most := new(big.Rat).Inv(new(big.Rat).Add(ratOne, e))
		others := int64(1 + r.Intn(6))
		shown := func(share *big.Rat, alpha *big.Rat) interval.Interval {
			a := new(big.Rat).Mul(most, share)
			ea := new(big.Rat).Mul(e, a)
			rest := new(big.Rat).Sub(new(big.Rat).Sub(ratOne, a), ea)
			thin := new(big.Rat).Quo(rest, e)
			left := new(big.Rat).Sub(new(big.Rat).Sub(ratOne, thin), new(big.Rat).Add(a, a))
			return profileAt(t, []pair.Product{pair.Copies(pair.NewReports(others, []pair.Report{{P: ea, Q: a, Other: a},
				{P: a, Q: ea, Other: a}, {P: rest, Q: rest, Other: thin}, {P: new(big.Rat), Q: new(big.Rat), Other: left}}), 1)}, alpha)
		}
		low := big.NewRat(int64(1+r.Intn(15)), 16)
		high := new(big.Rat).Add(low, big.NewRat(int64(r.Intn(16)), 16))
		if high.Cmp(ratOne) > 0 {
			high = ratOne
		}
		span := new(big.Rat).Sub(e, new(big.Rat).Inv(e))
		alpha := new(big.Rat).Inv(e)
		alpha.Add(alpha, span.Mul(span, big.NewRat(int64(r.Intn(33)), 32)))
		if x, y := shown(low, alpha), shown(high, alpha); y.Less(x) == interval.True {
			t.Errorf("e = %s, α = %s, %d others: %v where %s of the most differs, %v where %s", e.RatString(), alpha.RatString(),
				others, x, low.RatString(), y, high.RatString())
		}
	}
}
