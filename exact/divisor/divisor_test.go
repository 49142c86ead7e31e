// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package divisor_test

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/divisor"
	"dpverify/exact/interval"
	"dpverify/exact/lattice"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
)

func rat(s string) *big.Rat { return testkit.Rat(s) }

// vector is the pair of a shift.
func vector(sigma2 string, s ...int64) (out pair.Product) {
	for _, x := range s {
		out = append(out, pair.Term{Pair: pair.DiscreteGaussian{Sigma2: rat(sigma2), Sensitivity: x}, Count: 1})
	}
	return out.Merged()
}

// partitions are the falling s > 0 with |s|² = n.
func partitions(n, most int64) (out [][]int64) {
	if n == 0 {
		return [][]int64{nil}
	}
	for x := min(most, n); x >= 1; x-- {
		if x*x > n {
			continue
		}
		for _, rest := range partitions(n-x*x, x) {
			out = append(out, append([]int64{x}, rest...))
		}
	}
	return out
}

// unknown stands for all vectors with |s|² = n.
func unknown(sigma2 string, n int64) pair.ZCDP {
	rho := new(big.Rat).Quo(big.NewRat(n, 2), rat(sigma2))
	return pair.ZCDP{Rho: rho, Xi: new(big.Rat), Noise: rat(sigma2)}
}

func delta(t *testing.T, prod pair.Product, eps *big.Rat) interval.Interval {
	t.Helper()
	x, ok := lattice.New(prod)
	if !ok {
		t.Fatalf("no inversion of %s", prod)
	}
	y, err := x.Delta(t.Context(), 80, interval.RealRat(eps))
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// TestEveryShiftIsBelowItsClass: δ of every vector is at most the greatest δ of the classes at every ε, also below 0,
// and where what is added is little, as much.
func TestEveryShiftIsBelowItsClass(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for _, c := range []struct {
		n      int64
		sigma2 string
	}{{4, "3/2"}, {5, "3/2"}, {8, "1"}, {9, "9/2"}, {12, "2"}, {13, "4"}, {16, "20"}} {
		prods, ok := divisor.Under(pair.Copies(unknown(c.sigma2, c.n), 1))
		if !ok {
			t.Fatalf("no classes for n = %d, σ² = %s", c.n, c.sigma2)
		}
		for range testkit.Cases(12, 200) {
			eps := big.NewRat(rng.Int63n(12000)-2000, 1000)
			greatest, of := interval.Int(0), interval.Int(0)
			for _, p := range prods {
				greatest = interval.Max(greatest, delta(t, p, eps))
			}
			for _, s := range partitions(c.n, c.n) {
				d := delta(t, vector(c.sigma2, s...), eps)
				if greatest.Less(d) == interval.True {
					t.Errorf("σ² = %s, ε = %s: δ of %v is %v, above %v", c.sigma2, eps.RatString(), s, d, greatest)
				}
				of = interval.Max(of, d)
			}
			kappa := prods[0][1].Pair.(pair.Response).Delta
			twice := interval.Prec(80).Rat(new(big.Rat).Add(kappa, kappa))
			if interval.Prec(80).Add(of, twice).Less(greatest) == interval.True {
				t.Errorf("σ² = %s, ε = %s: at most %v, the classes say %v", c.sigma2, eps.RatString(), of, greatest)
			}
		}
	}
}

// TestListedVectors: κ of few vectors is 2H of the worst one, rounded up to a power of 2, where another program found
// H, and next to nothing for n = 36, σ = 3, where the bound of all vectors at once says nothing.
func TestListedVectors(t *testing.T) {
	for _, c := range []struct {
		n           int64
		sigma2      string
		least, most string // of H
	}{{5, "4", "2.75e-7", "2.85e-7"}, {13, "9", "2.25e-6", "2.35e-6"}, {36, "9", "0", "1e-9"}} {
		prods, ok := divisor.Under(pair.Copies(unknown(c.sigma2, c.n), 1))
		if !ok {
			t.Fatalf("no classes for n = %d, σ² = %s", c.n, c.sigma2)
		}
		kappa := prods[0][1].Pair.(pair.Response).Delta
		if two, four := big.NewRat(2, 1), big.NewRat(4, 1); kappa.Cmp(two.Mul(two, rat(c.least))) < 0 ||
			kappa.Cmp(four.Mul(four, rat(c.most))) > 0 {
			t.Errorf("n = %d, σ² = %s: κ = %s", c.n, c.sigma2, kappa.FloatString(20))
		}
	}
}

// TestClassesAreTheDivisors: one for each common divisor that vectors can have.
func TestClassesAreTheDivisors(t *testing.T) {
	for _, n := range []int64{1, 2, 12, 36, 100} {
		found := make(map[int64]bool)
		for _, s := range partitions(n, n) {
			g := new(big.Int)
			for _, x := range s {
				g.GCD(nil, nil, g, big.NewInt(x))
			}
			found[g.Int64()] = true
		}
		got := divisor.Squares(big.NewInt(n))
		for _, g := range got {
			if !found[g] {
				t.Errorf("n = %d: no vector has the divisor %d", n, g)
			}
		}
		if len(got) != len(found) {
			t.Errorf("n = %d: %d, want %d", n, len(got), len(found))
		}
	}
}

// TestFactorsThatAreReplaced: alone, composed, sampled; and not where nothing is gained, or nothing known.
func TestFactorsThatAreReplaced(t *testing.T) {
	z := unknown("400", 100)
	plain := pair.ZCDP{Rho: z.Rho, Xi: z.Xi}
	other := pair.Term{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 2}
	sampled := pair.Sampled{Rate: rat("1/10"), Base: pair.Copies(z, 1)}
	for _, c := range []struct {
		prod pair.Product
		n    int // products
	}{
		{pair.Copies(z, 1), 4}, {pair.Copies(z, 3), 1}, {pair.Product{{Pair: z, Count: 1}, other}, 1},
		{pair.Copies(sampled, 1), 1},
		{pair.Copies(plain, 1), 0}, {pair.Product{{Pair: z, Count: 1}, {Pair: plain, Count: 1}}, 0}, {pair.Product{other}, 0},
		{pair.Copies(unknown("1", 40), 1), 0}, {pair.Copies(unknown("400000000000000000000", 1<<40), 1), 0},
	} {
		of, ok := divisor.Under(c.prod)
		if ok != (c.n > 0) || ok && len(of) != c.n {
			t.Errorf("%s: %d products, %v, want %d", c.prod, len(of), ok, c.n)
		}
	}
}

// TestOnesAreLeastInRenyiOrder: of the vectors with |s|² = n the vector of ones has the least Rényi divergence, and
// all have at most αn/2σ². No other order is kept: (3, 1, 1, 1) is above (2, 2, 2) near whole orders, and below near
// half of one.
func TestOnesAreLeastInRenyiOrder(t *testing.T) {
	at := func(sigma2 string, alpha *big.Rat, s ...int64) interval.Interval {
		return renyi.Of(vector(sigma2, s...))(96, renyi.At(alpha))
	}
	rng := rand.New(rand.NewSource(5))
	for range testkit.Cases(10, 200) {
		sigma2, n := []string{"1/9", "1/4", "1", "4"}[rng.Intn(4)], 4+rng.Int63n(10)
		alpha := big.NewRat(21+rng.Int63n(100), 20)
		ones := make([]int64, n)
		for i := range ones {
			ones[i] = 1
		}
		least := at(sigma2, alpha, ones...)
		most := new(big.Rat).Mul(alpha, unknown(sigma2, n).Rho)
		for _, s := range partitions(n, n) {
			d := at(sigma2, alpha, s...)
			if d.Less(least) == interval.True || d.LessEqRat(most) == interval.False {
				t.Errorf("σ² = %s, order %s: %v has %v, ones %v", sigma2, alpha.RatString(), s, d, least)
			}
		}
	}
	crossing := map[string]interval.Truth{"2.2": interval.True, "2.5": interval.False, "2.85": interval.True}
	for alpha, above := range crossing {
		if got := at("1", rat(alpha), 2, 2, 2).Less(at("1", rat(alpha), 3, 1, 1, 1)); got != above {
			t.Errorf("order %s: (3, 1, 1, 1) above (2, 2, 2): %v, want %v", alpha, got, above)
		}
	}
}

// TestShiftsFromOutside: values by direct convolution, which show that no vector is the worst everywhere, and that a
// smaller norm can be.
func TestShiftsFromOutside(t *testing.T) {
	for _, c := range []struct {
		sigma2   string
		s        []int64
		eps      string
		from, to string
	}{
		{"1", []int64{2}, "1", "0.54029361767248361368", "0.54029361767248361369"},
		{"1", []int64{1, 1, 1, 1}, "1", "0.49511550558171800716", "0.49511550558171800717"},
		{"1", []int64{2}, "4", "0.051169750570259066530", "0.051169750570259066531"},
		{"1", []int64{1, 1, 1, 1}, "4", "0.075289552845657491636", "0.075289552845657491637"},
		{"1", []int64{2, 2}, "39/2", "1.29116e-8", "1.29118e-8"},
		{"1", []int64{3}, "39/2", "5.78249e-9", "5.78251e-9"},
	} {
		y := delta(t, vector(c.sigma2, c.s...), rat(c.eps))
		if y.LessRat(rat(c.from)) != interval.False || y.LessRat(rat(c.to)) != interval.True {
			t.Errorf("σ² = %s, s = %v: δ(%s) in %v, want [%s, %s]", c.sigma2, c.s, c.eps, y, c.from, c.to)
		}
	}
}
