// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package iterates

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// shifted is the least square of a path of shifts: z_k = c·z_{k−1} + s_k − a_k ≥ 0, z = 0 at the end, in rationals.
// With weights w_k = c^(T−k) it is the greatest convex function below what has come up, Σ w_k·s_k, over Σ w_k²: corner
// by corner, the least slope to any later point. c > 0.
func shifted(c, start *big.Rat, uses []bool) *big.Rat {
	steps := len(uses)
	type point struct{ x, y *big.Rat }
	weight := func(k int) *big.Rat { // c^(steps − k)
		w := big.NewRat(1, 1)
		for range steps - k {
			w.Mul(w, c)
		}
		return w
	}
	at := point{new(big.Rat), new(big.Rat).Mul(start, weight(0))}
	points := []point{{new(big.Rat), new(big.Rat)}}
	for k := 1; k <= steps; k++ {
		w := weight(k)
		y := new(big.Rat).Set(at.y)
		if uses[k-1] {
			y.Add(y, w)
		}
		at = point{new(big.Rat).Add(at.x, new(big.Rat).Mul(w, w)), y}
		points = append(points, at)
	}
	sum := new(big.Rat)
	for i := 0; i < steps; {
		var least *big.Rat
		next := i
		for j := i + 1; j <= steps; j++ {
			slope := new(big.Rat).Sub(points[j].y, points[i].y)
			if slope.Quo(slope, new(big.Rat).Sub(points[j].x, points[i].x)); least == nil || slope.Cmp(least) <= 0 {
				least, next = slope, j
			}
		}
		part := new(big.Rat).Mul(least, least)
		sum.Add(sum, part.Mul(part, new(big.Rat).Sub(points[next].x, points[i].x)))
		i = next
	}
	return sum
}

// schedule says in which steps a batch is used.
func schedule(steps, batches, batch int) []bool {
	out := make([]bool, steps)
	for k := range out {
		out[k] = k%batches == batch
	}
	return out
}

// TestShiftsAreTheBest: the distance is the least that any shifts prove, of the worst batch; where points are not
// constrained that is the whole of it, in rationals. With a diameter, it is at most what the best shifts prove from the
// start, and at least what the best ones prove from any step.
func TestShiftsAreTheBest(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range testkit.Cases(60, 2000) {
		c := []*big.Rat{rat("1"), rat("1/2"), rat("9/10"), rat("1/10"), rat("99/100")}[r.Intn(5)]
		e := mechanism.LastIterate{Contraction: c, Steps: int64(1 + r.Intn(9)), Batches: int64(1 + r.Intn(4)), NoiseMultiplier: rat("1")}
		worst := new(big.Rat)
		for batch := range int(e.Batches) {
			if x := shifted(c, new(big.Rat), schedule(int(e.Steps), int(e.Batches), batch)); x.Cmp(worst) > 0 {
				worst = x
			}
		}
		most, least := Distance(e, 1)
		if least.Cmp(worst) > 0 || most.Cmp(worst) < 0 || new(big.Rat).Sub(most, least).Cmp(rat("1e-60")) > 0 {
			t.Errorf("%+v: μ² in [%s, %s], want %s", e, least.FloatString(20), most.FloatString(20), worst.FloatString(20))
		}
		e.Diameter = []*big.Rat{rat("1/10"), rat("1"), rat("3"), rat("100")}[r.Intn(4)]
		for _, sensitivity := range []int64{1, 2} {
			z := new(big.Rat).Quo(e.Diameter, big.NewRat(sensitivity, 1))
			unit := big.NewRat(sensitivity*sensitivity, 1)
			proved := new(big.Rat)
			for batch := range int(e.Batches) {
				all := schedule(int(e.Steps), int(e.Batches), batch)
				best := shifted(c, new(big.Rat), all)
				for from := 1; from < len(all); from++ {
					if x := shifted(c, z, all[from:]); x.Cmp(best) < 0 {
						best = x
					}
				}
				if best.Cmp(proved) > 0 {
					proved = best
				}
			}
			most, least := Distance(e, sensitivity)
			if most.Cmp(new(big.Rat).Mul(unit, worst)) > 0 && new(big.Rat).Sub(most, new(big.Rat).Mul(unit, worst)).Cmp(rat("1e-60")) > 0 ||
				most.Cmp(proved.Mul(proved, unit)) < 0 || least.Cmp(unit) != 0 {
				t.Errorf("%+v: μ² in [%s, %s] where a record moves by %d, and shifts prove %s", e, least.FloatString(20), most.FloatString(20), sensitivity, proved.FloatString(20))
			}
		}
	}
}

// linear is μ² of the last point on a line, or in a plane where the last step turns, with steps that contract by c, in
// rationals. Before the first use all is forgotten.
func linear(c *big.Rat, n, batches int64, turn *big.Rat) *big.Rat {
	mean, noise := new(big.Rat), new(big.Rat)
	for k := range (n - 1) * batches {
		mean.Mul(mean, c)
		noise.Add(noise.Mul(noise, new(big.Rat).Mul(c, c)), rat("1"))
		if k%batches == 0 {
			mean.Add(mean, rat("1"))
		}
	}
	mean.Add(mean.Mul(mean, c), turn)
	noise.Add(noise.Mul(noise, new(big.Rat).Mul(c, c)), rat("1"))
	aside := new(big.Rat).Sub(rat("1"), new(big.Rat).Mul(turn, turn))
	return aside.Add(aside, mean.Mul(mean, mean).Quo(mean, noise))
}

// TestLinearStepsAttain: no turn of the last step shows more than what is said, and some shows as much.
func TestLinearStepsAttain(t *testing.T) {
	for _, c := range []string{"1", "1/2", "9/10", "0"} {
		for _, batches := range []int64{1, 2, 5} {
			for _, n := range []int64{1, 2, 4} {
				e := mechanism.LastIterate{Contraction: rat(c), Steps: (n-1)*batches + 1, Batches: batches, NoiseMultiplier: rat("1")}
				most, least := Distance(e, 1)
				best := new(big.Rat)
				for k := int64(0); k <= 400; k++ {
					x := linear(rat(c), n, batches, big.NewRat(k, 400))
					if x.Cmp(most) > 0 {
						t.Errorf("%+v: %s is more than %s", e, x.FloatString(12), most.FloatString(12))
					}
					if x.Cmp(best) > 0 {
						best = x
					}
				}
				if new(big.Rat).Sub(least, best).Cmp(rat("1/10000")) > 0 {
					t.Errorf("%+v: %s is said to be attained, but the best is %s", e, least.FloatString(12), best.FloatString(12))
				}
			}
		}
	}
}

// TestPublishedDistances: the closed forms of the paper, Theorems 4.1 to 4.3, of numbers that are not too long: full
// batches that contract, convex losses on a set, and batches in turn.
func TestPublishedDistances(t *testing.T) {
	for _, c := range []struct {
		e    mechanism.LastIterate
		want string
	}{
		{mechanism.LastIterate{Contraction: rat("1/2"), Steps: 3, Batches: 1, NoiseMultiplier: rat("2")}, "7/12"},                         // (1−c³)/(1+c³)·(1+c)/(1−c)/σ²
		{mechanism.LastIterate{Contraction: rat("1"), Steps: 1000, Batches: 1, NoiseMultiplier: rat("10"), Diameter: rat("9")}, "36/100"}, // 4D/σ²
		{mechanism.LastIterate{Contraction: rat("1/2"), Steps: 4, Batches: 2, NoiseMultiplier: rat("1")}, "6/5"},                          // 1 + (1/4)/(1 + 1/4)
	} {
		most, _ := Distance(c.e, 1)
		if d := new(big.Rat).Sub(most, rat(c.want)); d.Abs(d).Cmp(rat("1e-60")) > 0 {
			t.Errorf("%+v: μ² ≤ %s, want %s", c.e, most.FloatString(20), c.want)
		}
	}
	huge := mechanism.LastIterate{Contraction: rat("0.999999999999"), Steps: mechanism.MaxCount, Batches: 7, NoiseMultiplier: rat("3"), Diameter: rat("1e6")}
	if most, least := Distance(huge, 2); most.Cmp(least) <= 0 || most.Cmp(rat("1e12")) > 0 {
		t.Errorf("%+v: [%s, %s]", huge, least.FloatString(9), most.FloatString(9))
	}
}
