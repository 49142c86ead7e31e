// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
)

// leastBound is the least bound that oneRun compares with the significance.
func leastBound(g Guesses, lines []line) interval.Interval {
	least := interval.Int(1)
	for _, top := range []int{len(lines) - 1, len(lines) * 3 / 4, len(lines) / 2} {
		if b, ok := newProposer(g, lines).certificate(top).bound(g, lines); ok {
			least = interval.Min(least, b.Upper())
		}
	}
	return least
}

// A table is the law of guesses t ∈ {0, 1}^m for each s ∈ {0, 1}^m, integers over a common sum.
type table struct {
	m    int
	rows [][]int64
	sum  int64
}

// delta is the mean over s of the greatest H_a between s and a neighbour that differs in the coin i, greatest over i.
func (x table) delta(a *big.Rat) *big.Rat {
	most := new(big.Rat)
	for i := range x.m {
		total := new(big.Rat)
		for s, row := range x.rows {
			for t, p := range row {
				d := new(big.Rat).Sub(big.NewRat(p, x.sum), new(big.Rat).Mul(a, big.NewRat(x.rows[s^1<<i][t], x.sum)))
				if d.Sign() > 0 {
					total.Add(total, d)
				}
			}
		}
		if total.Quo(total, big.NewRat(int64(len(x.rows)), 1)); total.Cmp(most) > 0 {
			most = total
		}
	}
	return most
}

// tail is P(W ≥ v) for uniform s.
func (x table) tail(v int) *big.Rat {
	total := int64(0)
	for s, row := range x.rows {
		for t, p := range row {
			if x.m-bits.OnesCount(uint(s^t)) >= v {
				total += p
			}
		}
	}
	return big.NewRat(total, x.sum*int64(len(x.rows)))
}

// withoutAllWrong guesses at random, but never all coins wrong.
func withoutAllWrong(m int) table {
	x := table{m: m, sum: 1<<m - 1}
	for s := range 1 << m {
		row := make([]int64, 1<<m)
		for t := range row {
			if t^s != 1<<m-1 {
				row[t] = 1
			}
		}
		x.rows = append(x.rows, row)
	}
	return x
}

// TestOneRunByEnumeration: the theorem holds of every law of guesses that can be written down, with the profile that it
// has: of random ones, of answers that favour a number of right guesses, and of one that avoids being wrong everywhere.
func TestOneRunByEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	slopes := []string{"3", "2", "3/2", "1.1", "1"}
	for n := range testkit.Draws(120, 400, 5000) {
		m := 1 + rng.IntN(4)
		x := withoutAllWrong(m)
		if n%4 != 0 {
			x = table{m: m, sum: 1 << 10}
			weights := make([]int64, m+1) // by the number of right guesses
			for i := range weights {
				weights[i] = rng.Int64N(20)
			}
			for s := range 1 << m {
				row, left := make([]int64, 1<<m), x.sum
				for k := range row {
					share := rng.Int64N(x.sum>>m + 1)
					if n%4 == 1 {
						share = weights[m-bits.OnesCount(uint(s^k))]
					}
					row[k], left = share, left-share
				}
				row[len(row)-1-s*(n%2)] += left
				x.rows = append(x.rows, row)
			}
		}
		var lines []line
		for _, a := range slopes {
			slope := testkit.Rat(a)
			lines = append(lines, line{workBits.Rat(slope).Upper(), workBits.Rat(x.delta(slope)).Upper()})
		}
		for v := 1; v <= m; v++ {
			b := leastBound(Guesses{int64(m), int64(m), int64(v)}, lines)
			if lo := x.tail(v); b.LessRat(lo) == interval.True {
				t.Fatalf("law %v: P(W ≥ %d) = %s, and the bound is %s", x.rows, v, lo.FloatString(12), b)
			}
		}
	}
}

// steinke is the p-value of [Steinke, Nasr & Jagielski 2023, Theorem 5.2] as their program has it.
func steinke(m, r, v int64, eps, delta float64) float64 {
	q := new(big.Rat).SetFloat64(1 / (1 + math.Exp(-eps)))
	tail := func(k int64) float64 {
		x, _ := binomial.AtLeast(60, r, k, q).Hi().Float64()
		return x
	}
	most := 0.0
	for i := int64(1); i <= v; i++ {
		most = max(most, (tail(v-i)-tail(v))/float64(i))
	}
	return tail(v) + 2*float64(m)*delta*most
}

// TestTheoremOfSteinkeFails: of 3 canaries, guesses that are never all wrong are (0, 1/7)-differentially private, and
// some guess is always right; their theorem says that this has at most the probability 55/56. Ours says 1.
func TestTheoremOfSteinkeFails(t *testing.T) {
	x := withoutAllWrong(3)
	if d := x.delta(big.NewRat(1, 1)); d.Cmp(big.NewRat(1, 7)) != 0 {
		t.Fatalf("δ(0) = %s, want 1/7", d)
	}
	if p := x.tail(1); p.Cmp(big.NewRat(1, 1)) != 0 {
		t.Fatalf("P(W ≥ 1) = %s, want 1", p)
	}
	if p := steinke(3, 3, 1, 0, 1.0/7); math.Abs(p-55.0/56) > 1e-12 {
		t.Errorf("their bound is %v, want 55/56", p)
	}
	lines, err := guarantee{new(big.Rat), big.NewRat(1, 7)}.lines(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if b := leastBound(Guesses{3, 3, 1}, lines); b.LessRat(big.NewRat(1, 1)) == interval.True {
		t.Errorf("our bound is %s", b)
	}
}

// TestOneRunIsSharp: with δ = 0 the bound is the binomial tail, with δ > 0 at most the bound of Steinke, Nasr &
// Jagielski where that is below 1/2, and for Gaussians at most the bound of Mahloujifar, Melis & Chaudhuri.
func TestOneRunIsSharp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range testkit.Draws(10, 25, 600) {
		m := 1 + rng.Int64N(200)
		r := 1 + rng.Int64N(m)
		eps := big.NewRat(rng.Int64N(300), 100)
		p := 1 / (1 + math.Exp(-number.Float64(eps)))
		v := min(r, max(1, int64(float64(r)*p+5*rng.Float64()*math.Sqrt(float64(r)*p*(1-p)))))
		for _, delta := range []string{"0", "1e-6", "1e-3"} {
			d := testkit.Rat(delta)
			lines, _ := guarantee{eps, d}.lines(t.Context(), nil)
			b, _ := leastBound(Guesses{m, r, v}, lines).Hi().Float64()
			if s := steinke(m, r, v, number.Float64(eps), number.Float64(d)); s < 0.5 && b > s*(1+1e-9)+1e-12 {
				t.Errorf("%d of %d of %d, ε = %s, δ = %s: %v, theirs %v", v, r, m, eps, d, b, s)
			} else if d.Sign() == 0 && b < s*(1-1e-9) {
				t.Errorf("%d of %d of %d, ε = %s: %v is below the tail %v", v, r, m, eps, b, s)
			}
		}
	}
	// Their recursion in float64, with f of μ = 1.
	for _, c := range []struct {
		g      Guesses
		theirs float64
	}{{Guesses{2, 2, 2}, 0.5202242576}, {Guesses{10, 10, 8}, 0.6031650014}, {Guesses{100, 100, 80}, 0.4709275704}, {Guesses{100, 100, 95}, 0.0305461612}, {Guesses{40, 20, 17}, 0.6495145643}} {
		lines, err := gaussian{big.NewRat(1, 1)}.lines(t.Context(), big.NewRat(1, 10000))
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := leastBound(c.g, lines).Hi().Float64(); b > c.theirs*1.002 || b < c.theirs*0.5 {
			t.Errorf("%+v: %v, theirs %v", c.g, b, c.theirs)
		}
	}
}

// TestOneRunBySimulation: of 100,000 runs of what the hypothesis allows, no more are refuted than the significance
// says, but for six standard deviations: of coins (the null), of randomized response, which is the worst case without
// δ, and of Gaussian noise on each canary, of which the quarter with the clearest outputs is guessed.
func TestOneRunBySimulation(t *testing.T) {
	if !testkit.Long() {
		t.Skip("100,000 runs take nine seconds: DPVERIFY_LONG=1 runs them; TestOneRunByEnumeration is exact for few canaries")
	}
	const runs, m, quarter = 100000, 200, 50
	significance := big.NewRat(1, 20)
	most := runs/20.0 + 6*math.Sqrt(runs*0.05*0.95)
	private, err := guarantee{big.NewRat(1, 1), new(big.Rat)}.lines(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	normal, err := gaussian{big.NewRat(1, 1)}.lines(t.Context(), big.NewRat(1, 10000))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 2))
	coins := func(p float64) func() int64 {
		return func() (w int64) {
			for range m {
				if rng.Float64() < p {
					w++
				}
			}
			return w
		}
	}
	for _, c := range []struct {
		name    string
		lines   []line
		guessed int64
		draw    func() int64
		sharp   bool // at least half of what the significance allows
	}{
		{"the null", private, m, coins(0.5), false},
		{"randomized response", private, m, coins(math.E / (1 + math.E)), true},
		{"the null against Gaussian noise", normal, m, coins(0.5), false},
		{"Gaussian noise", normal, quarter, func() (w int64) {
			scores := make([]float64, m) // towards what is right
			for i := range scores {
				scores[i] = 0.5 + rng.NormFloat64()
			}
			slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(math.Abs(b), math.Abs(a)) })
			for _, x := range scores[:quarter] {
				if x > 0 {
					w++
				}
			}
			return w
		}, false},
	} {
		least := c.guessed + 1 // right guesses that are refuted
		for least > 1 && oneRun(Guesses{m, c.guessed, least - 1}, c.lines, significance) {
			least--
		}
		refuted := 0
		for range runs {
			if c.draw() >= least {
				refuted++
			}
		}
		t.Logf("%s: %d of %d runs are refuted, from %d right guesses of %d on", c.name, refuted, runs, least, c.guessed)
		if float64(refuted) > most || c.sharp && refuted < runs/50 {
			t.Errorf("%s: %d of %d runs are refuted at a significance of 1/20", c.name, refuted, runs)
		}
	}
}
