// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package rounded

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpverify/internal/number"
	"dpverify/internal/testkit"
)

// A pair of distributions on the same outcomes.
type pair struct{ P, Q []*big.Rat }

func cornerOf(c Corner, p, q Probabilities) pair {
	ps, qs := c.Pair(p, q)
	return pair{ps, qs}
}

func (p pair) String() string { return fmt.Sprintf("%v over %v", p.P, p.Q) }

// hockeyStick is Σ (P(x) − a·Q(x))₊.
func hockeyStick(p, q []*big.Rat, a *big.Rat) *big.Rat {
	total := new(big.Rat)
	for i := range p {
		if d := new(big.Rat).Sub(p[i], new(big.Rat).Mul(a, q[i])); d.Sign() > 0 {
			total.Add(total, d)
		}
	}
	return total
}

// product is the distribution of two independent outcomes.
func product(p []*big.Rat) []*big.Rat {
	var out []*big.Rat
	for _, x := range p {
		for _, y := range p {
			out = append(out, new(big.Rat).Mul(x, y))
		}
	}
	return out
}

// checkDominated checks that the profile of a pair is at most the profile of another one: both are
// convex and piecewise linear in e^ε, so that the bends of the greater one would do if the
// smaller one were linear between them; here it is asked at the bends of both.
func checkDominated(t *testing.T, about string, small, large pair) {
	t.Helper()
	for _, e := range []pair{small, large} {
		for i := range e.P {
			if e.Q[i].Sign() == 0 {
				continue
			}
			a := new(big.Rat).Quo(e.P[i], e.Q[i])
			if x, y := hockeyStick(small.P, small.Q, a), hockeyStick(large.P, large.Q, a); x.Cmp(y) > 0 {
				f, _ := new(big.Rat).Sub(x, y).Float64()
				t.Fatalf("%s: at e^ε = %s the profile is greater by %g:\n%s\n%s", about, a.FloatString(20), f, small, large)
			}
		}
	}
}

func ones(p []*big.Rat) bool {
	total, err := number.Sum(p)
	return err == nil && total.IsOne()
}

// randomRounded returns a list of n float64 values: a random distribution, rounded.
func randomRounded(r *rand.Rand, n int) []*big.Rat {
	weights := make([]int64, n)
	var total int64
	for i := range weights {
		if weights[i] = r.Int64N(5); r.IntN(6) == 0 {
			weights[i] *= 1 + r.Int64N(1e9)
		}
		total += weights[i]
	}
	if total == 0 {
		weights[0], total = 1, 1
	}
	out := make([]*big.Rat, n)
	for i, w := range weights {
		out[i], _ = number.Binary64(big.NewRat(w, total))
	}
	return out
}

// randomMember returns a distribution of the list: filled in a random order, or between two such.
func randomMember(r *rand.Rand, p Probabilities) []*big.Rat {
	a, b := p.filled(r.Perm(len(p.lo))), p.filled(r.Perm(len(p.lo)))
	w := big.NewRat(r.Int64N(5), 4)
	out := make([]*big.Rat, len(a))
	for i := range a {
		d := new(big.Rat).Sub(b[i], a[i])
		out[i] = d.Add(a[i], d.Mul(d, w))
	}
	return out
}

func box(t *testing.T, xs []*big.Rat) Probabilities {
	t.Helper()
	if ones(xs) {
		return Exactly(xs)
	}
	p, ok, err := Around(xs)
	if err != nil || !ok {
		t.Fatalf("%v: %v, %v", xs, ok, err)
	}
	return p
}

// TestLemmaRoundedPairs: the profile of every pair of distributions that two rounded lists stand
// for lies between the profiles of the corners, for one release and for two, in both orientations.
func TestLemmaRoundedPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 9))
	for range testkit.Draws(30, 100, 300) {
		n := 1 + r.IntN(6)
		ps := randomRounded(r, n)
		qs := slices.Clone(ps)
		if r.IntN(4) > 0 {
			r.Shuffle(n, func(i, j int) { qs[i], qs[j] = qs[j], qs[i] })
		}
		if r.IntN(3) == 0 {
			qs = randomRounded(r, n)
		}
		p, q := box(t, ps), box(t, qs)
		if p.exact && q.exact {
			continue
		}
		low, high := cornerOf(Private, p, q), cornerOf(Exposed, p, q)
		if !ones(low.P) || !ones(low.Q) || !ones(high.P) || !ones(high.Q) {
			t.Fatalf("corners are no distributions: %s, %s", low, high)
		}
		for range 4 {
			e := pair{randomMember(r, p), randomMember(r, q)}
			if !ones(e.P) || !ones(e.Q) {
				t.Fatalf("%s is no pair of distributions", e)
			}
			reverse := func(e pair) pair { return pair{e.Q, e.P} }
			checkDominated(t, "below", low, e)
			checkDominated(t, "above", e, high)
			checkDominated(t, "below, reversed", reverse(low), reverse(e))
			checkDominated(t, "above, reversed", reverse(e), reverse(high))
			if n <= 4 {
				twice := func(e pair) pair { return pair{product(e.P), product(e.Q)} }
				checkDominated(t, "below, twice", twice(low), twice(e))
				checkDominated(t, "above, twice", twice(e), twice(high))
			}
		}
	}
}

// TestLemmaRoundedMixtures: the corners have the least and the most weight above each
// sensitivity, of all weights that the list stands for.
func TestLemmaRoundedMixtures(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 10))
	above := func(p, c []*big.Rat, level *big.Rat) *big.Rat {
		total := new(big.Rat)
		for i := range p {
			if c[i].Cmp(level) >= 0 {
				total.Add(total, p[i])
			}
		}
		return total
	}
	for range 300 {
		n := 1 + r.IntN(6)
		p := box(t, randomRounded(r, n))
		c := make([]*big.Rat, n)
		for i := range c {
			c[i] = big.NewRat(r.Int64N(5), 1)
		}
		low, high := Private.Mixture(p, c), Exposed.Mixture(p, c)
		for range 4 {
			e := randomMember(r, p)
			for _, level := range c {
				x, y, z := above(low, c, level), above(e, c, level), above(high, c, level)
				if x.Cmp(y) > 0 || y.Cmp(z) > 0 {
					t.Fatalf("weights above %s: %s, %s, %s", level, x, y, z)
				}
			}
		}
	}
}

// TestHalfUnit: half of the larger gap to a neighbouring float64.
func TestHalfUnit(t *testing.T) {
	for _, test := range []struct {
		x    float64
		want int
	}{{1, -53}, {1.5, -53}, {0.75, -54}, {0.5, -54}, {0.1, -57}, {5e-324, -1075}, {2.2250738585072014e-308, -1075}, {1e300, 996 - 53}} {
		if got := halfUnit(new(big.Rat).SetFloat64(test.x)); got.Cmp(powerOfTwo(test.want)) != 0 {
			t.Errorf("%g: %s, want 2^%d", test.x, got, test.want)
		}
	}
	if halfUnit(new(big.Rat)).Sign() != 0 {
		t.Error("0 is moved by rounding")
	}
}

// TestManyEqualRatios: groups stay narrow, however many outcomes they have.
func TestManyEqualRatios(t *testing.T) {
	const n = 3000
	third, _ := number.Binary64(big.NewRat(1, n))
	xs := slices.Repeat([]*big.Rat{third}, n)
	p := box(t, xs)
	e := cornerOf(Exposed, p, p)
	if len(e.P) != 2 {
		t.Fatalf("%d outcomes, want 2", len(e.P))
	}
	ratio, _ := new(big.Rat).Quo(e.P[0], e.Q[0]).Float64()
	if ratio < 1 || ratio > 1+0x1p-49 {
		t.Errorf("the ratio is %v", ratio)
	}
}
