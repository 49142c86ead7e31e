// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/binomial"
	"dpverify/exact/blanket"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// drawLocal draws the rows of a local randomizer, of which any two differ by a factor of at most e at each value, the
// first two being those of the record: at random between a law and e times as much, put to 1 by a last value or two.
func drawLocal(r *rand.Rand, e *big.Rat, rows, width int) [][]*big.Rat {
	for {
		table := make([][]*big.Rat, rows)
		base := make([]int64, width)
		for y := range base {
			base[y] = int64(1 + r.Intn(4))
		}
		for i := range table {
			table[i] = make([]*big.Rat, width)
			sum := new(big.Rat)
			for y := range base {
				x := big.NewRat(base[y], 1)
				if r.Intn(2) == 0 {
					x.Mul(x, e)
				}
				table[i][y] = x
				sum.Add(sum, x)
			}
			for y := range base {
				table[i][y].Quo(table[i][y], sum)
			}
		}
		if withinFactor(table, e) {
			return table
		}
	}
}

func withinFactor(table [][]*big.Rat, e *big.Rat) bool {
	for _, p := range table {
		for _, q := range table {
			for y := range p {
				if p[y].Cmp(new(big.Rat).Mul(e, q[y])) > 0 {
					return false
				}
			}
		}
	}
	return true
}

// unlikeShuffle is H_α of the multisets of a report of p or of q and of one of each of the others.
func unlikeShuffle(p, q []*big.Rat, others [][]*big.Rat, alpha *big.Rat) *big.Rat {
	law := func(own []*big.Rat) map[string]*big.Rat {
		so := map[string]*big.Rat{fmt.Sprint(make([]int, len(own))): big.NewRat(1, 1)}
		counts := map[string][]int{fmt.Sprint(make([]int, len(own))): make([]int, len(own))}
		for _, row := range append([][]*big.Rat{own}, others...) {
			next := map[string]*big.Rat{}
			for key, mass := range so {
				for y, x := range row {
					c := append([]int(nil), counts[key]...)
					c[y]++
					k := fmt.Sprint(c)
					counts[k] = c
					if next[k] == nil {
						next[k] = new(big.Rat)
					}
					next[k].Add(next[k], new(big.Rat).Mul(mass, x))
				}
			}
			so = next
		}
		return so
	}
	sum, of := new(big.Rat), law(q)
	for k, x := range law(p) {
		if d := new(big.Rat).Sub(x, new(big.Rat).Mul(alpha, of[k])); d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	return sum
}

// TestSwapsShowMore: that the own report changes places with another one, drawn by f/r_j, shows at least what the
// multiset shows, in rationals: E(ΣX_j/Z_j)₊ of all reports one by one.
func TestSwapsShowMore(t *testing.T) {
	r := rand.New(rand.NewSource(21))
	one := big.NewRat(1, 1)
	for range testkit.Cases(40, 1000) {
		e, width, n := big.NewRat(int64(3+r.Intn(6)), 2), 2+r.Intn(2), 1+r.Intn(3)
		table := drawLocal(r, e, 2+n, width)
		p, q, others := table[0], table[1], table[2:]
		f, all := make([]*big.Rat, width), new(big.Rat)
		for y := range f {
			f[y] = p[y]
			if q[y].Cmp(f[y]) > 0 {
				f[y] = q[y]
			}
			all.Add(all, f[y])
		}
		for y := range f {
			f[y] = new(big.Rat).Quo(f[y], all)
		}
		for _, alpha := range []*big.Rat{big.NewRat(2, 3), one, big.NewRat(5, 4)} {
			sum := new(big.Rat)
			var walk func(v []int, mass *big.Rat)
			walk = func(v []int, mass *big.Rat) {
				if len(v) <= n {
					for y := range width {
						row := f
						if len(v) > 0 {
							row = others[len(v)-1]
						}
						walk(append(append([]int(nil), v...), y), new(big.Rat).Mul(mass, row[y]))
					}
					return
				}
				g := func(j, y int) *big.Rat { return new(big.Rat).Quo(f[y], others[j][y]) }
				w := new(big.Rat)
				for j := range n {
					w.Add(w, g(j, v[j+1]))
				}
				total := new(big.Rat)
				for j := range n {
					y := v[j+1]
					x := new(big.Rat).Sub(p[y], new(big.Rat).Mul(alpha, q[y]))
					z := new(big.Rat).Add(new(big.Rat).Sub(w, g(j, y)), g(j, v[0]))
					total.Add(total, x.Quo(x, z.Mul(z, others[j][y])))
				}
				if total.Sign() > 0 {
					sum.Add(sum, mass.Mul(mass, total))
				}
			}
			walk(nil, one)
			if want := unlikeShuffle(p, q, others, alpha); want.Cmp(sum) > 0 {
				t.Errorf("α = %s: of %v, swaps show %s, the multiset %s", alpha, table, sum.FloatString(9), want.FloatString(9))
			}
		}
	}
}

// drawApart draws p and q with the mass a of (p − q)₊/(e − 1), and a law that differs from both by at most e.
func drawApart(r *rand.Rand, e, a *big.Rat) (p, q, other []*big.Rat) {
	one := big.NewRat(1, 1)
	alike := new(big.Rat).Sub(one, new(big.Rat).Mul(a, new(big.Rat).Add(e, one)))
	var low, high []*big.Rat // of the law
	for label, mass := range []*big.Rat{a, a, alike} {
		cells := 1 + r.Intn(3)
		weights, all := make([]int64, cells), int64(0)
		for i := range weights {
			weights[i] = int64(1 + r.Intn(4))
			all += weights[i]
		}
		for _, w := range weights {
			s := new(big.Rat).Mul(mass, big.NewRat(w, all))
			more := new(big.Rat).Mul(s, e)
			row := [3][3]*big.Rat{{more, s, s}, {s, more, s}, {s, s, new(big.Rat).Quo(s, e)}}[label]
			p, q, low, high = append(p, row[0]), append(q, row[1]), append(low, row[2]), append(high, more)
		}
	}
	// Between both, at random, and then nearer to one of them, so that the mass is 1.
	sum := func(xs []*big.Rat) *big.Rat {
		y := new(big.Rat)
		for _, x := range xs {
			y.Add(y, x)
		}
		return y
	}
	between := func(x, y []*big.Rat, share func(i int) *big.Rat) (out []*big.Rat) {
		for i := range x {
			d := new(big.Rat).Sub(y[i], x[i])
			out = append(out, d.Add(d.Mul(d, share(i)), x[i]))
		}
		return out
	}
	other = between(low, high, func(int) *big.Rat { return big.NewRat(int64(r.Intn(3)), 2) })
	to := high
	if sum(other).Cmp(one) > 0 {
		to = low
	}
	if from := sum(other); from.Cmp(one) != 0 {
		c := new(big.Rat).Quo(new(big.Rat).Sub(one, from), new(big.Rat).Sub(sum(to), from))
		other = between(other, to, func(int) *big.Rat { return c })
	}
	return p, q, other
}

// TestKindsAreMost: to increasing convex functions, X′ of any other report is at most one of the four kinds.
func TestKindsAreMost(t *testing.T) {
	r := rand.New(rand.NewSource(22))
	up, down := big.NewRat(11, 10), big.NewRat(9, 10)
	for _, e := range []*big.Rat{big.NewRat(3, 2), big.NewRat(5, 2), big.NewRat(6, 1)} {
		x := pair.LocalReports{Others: 9, Ratio: e}
		least := new(big.Rat).Inv(new(big.Rat).Add(e, big.NewRat(2, 1)))
		l := anyLocal{ratio: e}
		for range testkit.Draws(12, 40, 400) {
			near := new(big.Rat).Sub(x.Apart(), least)
			near.Mul(near, big.NewRat(int64(r.Intn(5)), 4)).Add(near, least)
			a := new(big.Rat).Sub(x.Apart(), near)
			a.Mul(a, big.NewRat(int64(r.Intn(4)), 3)).Add(a, near)
			p, q, other := drawApart(r, e, a)
			if !withinFactor([][]*big.Rat{p, q}, e) || !withinFactor([][]*big.Rat{p, other}, e) ||
				!withinFactor([][]*big.Rat{q, other}, e) {
				t.Fatalf("%v, %v and %v differ by more than %s", p, q, other, e)
			}
			checkDensities(t, l, near, p, q, other)
			for _, alpha := range []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 1), big.NewRat(5, 4)} {
				var laws [][]atom
				for _, at := range []*big.Rat{near, x.Apart()} {
					k := l.kinds(at, alpha, up, down)
					laws = append(laws, k[0], k[1])
				}
				var own []atom
				for y := range p {
					if other[y].Sign() == 0 {
						continue
					}
					v := new(big.Rat).Sub(p[y], new(big.Rat).Mul(alpha, q[y]))
					if v.Quo(v, other[y]); v.Sign() > 0 {
						v.Mul(v, up)
					} else {
						v.Mul(v, down)
					}
					own = append(own, atom{v, other[y]})
				}
				excess := func(law []atom, k *big.Rat) *big.Rat {
					sum := new(big.Rat)
					for _, x := range law {
						if d := new(big.Rat).Sub(x.at, k); d.Sign() > 0 {
							sum.Add(sum, d.Mul(d, x.mass))
						}
					}
					return sum
				}
				for i := int64(-60); i < 60; i++ {
					k := new(big.Rat).Mul(big.NewRat(i, 48), e)
					most := new(big.Rat)
					for _, law := range laws {
						if y := excess(law, k); y.Cmp(most) > 0 {
							most = y
						}
					}
					if y := excess(own, k); y.Cmp(most) > 0 {
						t.Fatalf("α = %s, e = %s: of %v, %v and %v, E(X′ − %s)₊ is %s, of kinds %s",
							alpha, e, p, q, other, k, y.FloatString(9),
							most.FloatString(9))
					}
				}
			}
		}
	}
}

// checkDensities: the blanket relative to another report is within what is said.
func checkDensities(t *testing.T, l anyLocal, near *big.Rat, p, q, other []*big.Rat) {
	t.Helper()
	blanket, all := make([]*big.Rat, len(p)), new(big.Rat)
	for y := range p {
		if blanket[y] = p[y]; q[y].Cmp(p[y]) > 0 {
			blanket[y] = q[y]
		}
		all.Add(all, blanket[y])
	}
	least, kappa := l.densities(near, pair.LocalReports{Ratio: l.ratio}.Apart())
	for y := range p {
		if other[y].Sign() == 0 {
			continue
		}
		g := new(big.Rat).Quo(blanket[y], new(big.Rat).Mul(all, other[y]))
		if d := g.Sub(g, least); d.Sign() < 0 || d.Cmp(kappa) > 0 {
			t.Errorf("of %v, %v and %v: a density is not in %s + [0, %s]", p, q, other, least, kappa)
		}
	}
}

// TestHiddenIsTheBlanket: what hides a report is the greater of both inputs' probabilities over e, and laws sum up to
// 1.
func TestHiddenIsTheBlanket(t *testing.T) {
	one := big.NewRat(1, 1)
	for _, e := range []*big.Rat{big.NewRat(3, 2), big.NewRat(6, 1)} {
		x := pair.LocalReports{Others: 9, Ratio: e}
		for i := int64(1); i <= 4; i++ {
			sums := [3]*big.Rat{new(big.Rat), new(big.Rat), new(big.Rat)}
			for _, c := range blanket.Hidden(x, new(big.Rat).Mul(x.Apart(), big.NewRat(i, 4))).Cells {
				for k, y := range []*big.Rat{c.P, c.Q, c.Other} {
					sums[k].Add(sums[k], y)
				}
				most := c.P
				if c.Q.Cmp(most) > 0 {
					most = c.Q
				}
				if most.Sign() > 0 && most.Cmp(new(big.Rat).Mul(c.Other, e)) != 0 {
					t.Errorf("e = %s, %d quarters: %s is hidden by another density", e, i, c)
				}
			}
			for _, y := range sums {
				if y.Cmp(one) != 0 {
					t.Errorf("e = %s, %d quarters: a law sums up to %s", e, i, y)
				}
			}
		}
	}
}

// TestSwapFactors: what a swap divides by is bounded, of positive numbers and of negative ones.
func TestSwapFactors(t *testing.T) {
	kappa := big.NewRat(7, 4)
	for _, w0 := range []int64{2, 5, 100} {
		up, down := factors(kappa, w0)
		for _, w := range []int64{w0, w0 + 1, 3 * w0} {
			for _, d := range []*big.Rat{new(big.Rat).Neg(kappa), new(big.Rat), kappa} {
				inverse := new(big.Rat).Inv(new(big.Rat).Add(big.NewRat(w, 1), d))
				whole := new(big.Rat).Mul(inverse, big.NewRat(w, 1))
				if whole.Cmp(up) > 0 || whole.Cmp(down) < 0 {
					t.Errorf("w₀ = %d, W = %d, d = %s: %s is not in [%s, %s]", w0, w, d, whole, down, up)
				}
			}
		}
	}
}

// TestLeastAbove: blocks are above every sum, to increasing convex functions, and lie on each other's lattices.
func TestLeastAbove(t *testing.T) {
	r := rand.New(rand.NewSource(23))
	base, step := big.NewRat(-2, 1), big.NewRat(1, 3)
	for range testkit.Cases(20, 400) {
		var exact [][]atom
		var laws [][]int64
		for range 2 + r.Intn(2) {
			a, b := big.NewRat(int64(1+r.Intn(5)), 12), big.NewRat(int64(1+r.Intn(5)), 12)
			rest := new(big.Rat).Sub(new(big.Rat).Sub(big.NewRat(1, 1), a), b)
			law := []atom{{big.NewRat(int64(r.Intn(30)-20), 10), a}, {big.NewRat(int64(r.Intn(30)-20), 10), b}, {new(big.Rat), rest}}
			exact, laws = append(exact, law), append(laws, spreadUp(law, base, step, 9))
		}
		n := 1 + r.Intn(3)
		got := leastAbove(laws, n)
		above := func(k *big.Rat) *big.Rat {
			sum := new(big.Rat)
			for i, m := range got {
				if m < 0 {
					t.Fatalf("a mass of %d at %d", m, i)
				}
				at := new(big.Rat).Mul(step, big.NewRat(int64(i), 1))
				at.Add(at, new(big.Rat).Mul(base, big.NewRat(int64(n), 1)))
				if at.Sub(at, k).Sign() > 0 {
					sum.Add(sum, at.Mul(at, big.NewRat(m, 1<<unitBits)))
				}
			}
			return sum
		}
		sums := []atom{{new(big.Rat), big.NewRat(1, 1)}}
		for range n {
			law := exact[r.Intn(len(exact))]
			var next []atom
			for _, x := range sums {
				for _, y := range law {
					next = append(next, atom{new(big.Rat).Add(x.at, y.at), new(big.Rat).Mul(x.mass, y.mass)})
				}
			}
			sums = next
		}
		for i := int64(-30); i < 20; i++ {
			k, sum := big.NewRat(i, 7), new(big.Rat)
			for _, x := range sums {
				if d := new(big.Rat).Sub(x.at, k); d.Sign() > 0 {
					sum.Add(sum, d.Mul(d, x.mass))
				}
			}
			if got := above(k); got.Cmp(sum) < 0 || new(big.Rat).Sub(got, sum).Cmp(big.NewRat(2*int64(n), 1)) > 0 {
				t.Errorf("E(sum − %s)₊ is %s, of the block %s", k, sum.FloatString(9), got.FloatString(9))
			}
		}
	}
}

// TestLightSums: what is said of sums that are too small holds of those at the ends.
func TestLightSums(t *testing.T) {
	for _, c := range []struct {
		n            int64
		cut          int
		least, kappa *big.Rat
	}{
		{50, 3, big.NewRat(1, 4), big.NewRat(7, 4)},
		{400, 10, big.NewRat(1, 4), big.NewRat(7, 4)},
		{5000, 40, big.NewRat(1, 4), big.NewRat(7, 4)},
		{50, 60, big.NewRat(1, 10), big.NewRat(1, 1)},
		{20, 30, big.NewRat(1, 20), big.NewRat(1, 1)},
	} {
		w0, lost := light(c.n, c.cut, c.least, c.kappa)
		if w0 == 0 {
			t.Errorf("nothing is said of %d", c.n)
			continue
		}
		one := big.NewRat(1, 1)
		at := new(big.Rat).Add(big.NewRat(w0, 1), c.kappa) // W ≤ w₀ + κ is B ≤ (w₀ + κ − n·least)/κ
		at.Sub(at, new(big.Rat).Mul(c.least, big.NewRat(c.n, 1))).Quo(at, c.kappa)
		most := new(big.Int).Quo(at.Num(), at.Denom()).Int64()
		share := one.Sub(one, c.least)
		const w = interval.Prec(128)
		mass := w.Sub(interval.Int(1), binomial.AtLeast(w, c.n, most+1, share.Quo(share, c.kappa)))
		if lost.Less(mass) == interval.True || lost.LessRat(interval.Pow2(-c.cut)) != interval.True {
			t.Errorf("%d, 2^−%d: P(W < %d + κ) is %v, said to be at most %v", c.n, c.cut, w0, mass, lost)
		}
	}
}

// TestUnlikeReports: what is said of any local randomizer is at least what binary ones show, with every number of
// others that hold the one or the other input, as a count, and what random ones show whose others are alike.
func TestUnlikeReports(t *testing.T) {
	r := rand.New(rand.NewSource(24))
	ctx := context.Background()
	set := Settings{Points: 1 << 13, Fine: 12, Cut: 30}
	told, closedFar := 0, false
	for _, e := range testkit.Few(2, []*big.Rat{big.NewRat(5, 4), big.NewRat(2, 1), big.NewRat(11, 4), big.NewRat(8, 1)}) {
		const others = 799
		x := pair.LocalReports{Others: others, Ratio: e}
		for _, s := range testkit.Few(2, []float64{0.4, 2, 4.5}) {
			alpha := new(big.Rat).SetFloat64(1 + s*double.Near(new(big.Rat).Sub(e, big.NewRat(1, 1)))/40)
			if alpha.Cmp(e) >= 0 {
				continue
			}
			for _, alpha := range []*big.Rat{alpha, new(big.Rat).Inv(alpha)} {
				eps := func(p interval.Prec) interval.Interval { return p.Log(p.Rat(alpha)) }
				got, err := Local(x, set)(ctx, 96, eps)
				closed, failed := localFrom(x, set, 1)(ctx, 96, eps)
				if err != nil || failed != nil {
					t.Fatal(err, failed)
				}
				closedFar = closedFar || closed.Upper().LessEq(interval.Prec(64).Scale(got.Upper(), 3)) == interval.False
				got = interval.Min(got, closed)
				if got.Lo().Sign() != 0 {
					t.Errorf("%s: %v is from above", x, got)
				}
				if got.LessRat(big.NewRat(1, 1)) == interval.True {
					told++
				}
				for _, ones := range []int{0, 100, others / 2, others - 3, others} {
					if want := binaryUnlike(double.Near(e), double.Near(alpha), ones, others-ones); upperOf(got) < want*(1-1e-9) {
						t.Errorf("%s, α = %s: at most %v, but of %d ones %g", x, alpha.FloatString(4), got, ones, want)
					}
				}
				for range testkit.Draws(1, 3, 3) {
					table := drawLocal(r, e, 3, 2+r.Intn(4))
					var values []pair.Report
					for y := range table[0] {
						values = append(values, pair.Report{P: table[0][y], Q: table[1][y], Other: table[2][y]})
					}
					want, err := Shuffled(pair.NewReports(others, values), set)(ctx, 96, eps)
					if err != nil || got.Upper().Less(want.Lower()) == interval.True {
						t.Errorf("%s, α = %s: at most %v, but %v of %v", x, alpha.FloatString(4), got, want, table)
					}
				}
			}
		}
	}
	if told < testkit.Draws(4, 12, 12) || closedFar {
		t.Errorf("something is told %d times; closed forms are more than eight times as much: %v", told, closedFar)
	}
}

func upperOf(x interval.Interval) float64 {
	y, _ := x.Hi().Float64()
	return y
}

// binaryUnlike is H_α of the count of ones, of which the own report is one with probability t = e/(1 + e) or 1 − t,
// ones others with t, and zeros others with 1 − t.
func binaryUnlike(e, alpha float64, ones, zeros int) float64 {
	t := e / (1 + e)
	law := []float64{1}
	add := func(p float64) []float64 {
		next := make([]float64, len(law)+1)
		for k, m := range law {
			next[k] += m * (1 - p)
			next[k+1] += m * p
		}
		return next
	}
	for range ones {
		law = add(t)
	}
	for range zeros {
		law = add(1 - t)
	}
	p, q, sum := add(t), add(1-t), 0.0
	for k := range p {
		sum += max(p[k]-alpha*q[k], 0)
	}
	return sum
}
