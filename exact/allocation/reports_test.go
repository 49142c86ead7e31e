// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// randomReports draws reports with up to four values, of which some have no mass under P, Q or of others.
func randomReports(r *rand.Rand, others int64) pair.Reports {
	width := 2 + r.Intn(3)
	draw := func() []*big.Rat {
		var sum int64
		xs := make([]int64, width)
		for i := range xs {
			xs[i] = int64(r.Intn(6))
			sum += xs[i]
		}
		if sum == 0 {
			xs[0], sum = 1, 1
		}
		out := make([]*big.Rat, width)
		for i, x := range xs {
			out[i] = big.NewRat(x, sum)
		}
		return out
	}
	p, q, other := draw(), draw(), draw()
	values := make([]pair.Report, width)
	for i := range values {
		values[i] = pair.Report{P: p[i], Q: q[i], Other: other[i]}
	}
	return pair.NewReports(others, values)
}

// byOrder is H_α of shuffled reports, of all sequences of reports one by one: the place of the own report is drawn.
func byOrder(x pair.Reports, alpha *big.Rat) *big.Rat {
	type two struct{ p, q *big.Rat }
	at := map[[4]int]*two{}
	n := int(x.Others) + 1
	var walk func(left int, own bool, counts [4]int, p, q *big.Rat)
	walk = func(left int, own bool, counts [4]int, p, q *big.Rat) {
		if p.Sign() == 0 && q.Sign() == 0 {
			return
		}
		if left == 0 {
			if own {
				y := at[counts]
				if y == nil {
					y = &two{new(big.Rat), new(big.Rat)}
					at[counts] = y
				}
				y.p.Add(y.p, p)
				y.q.Add(y.q, q)
			}
			return
		}
		for i, c := range x.Cells {
			next := counts
			next[i]++
			if own || left > 1 {
				walk(left-1, own, next, new(big.Rat).Mul(p, c.Other), new(big.Rat).Mul(q, c.Other))
			}
			if !own {
				share := func(x, y *big.Rat) *big.Rat {
					z := new(big.Rat).Mul(x, y)
					return z.Mul(z, big.NewRat(1, int64(n)))
				}
				walk(left-1, true, next, share(p, c.P), share(q, c.Q))
			}
		}
	}
	walk(n, false, [4]int{}, big.NewRat(1, 1), big.NewRat(1, 1))
	sum := new(big.Rat)
	for _, y := range at {
		if d := new(big.Rat).Sub(y.p, new(big.Rat).Mul(alpha, y.q)); d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	return sum
}

// TestShuffledOneByOne: the profile of shuffled reports, by lattices fine and coarse, windows wide and narrow, and by
// its outcomes, against all orders of reports in rationals.
func TestShuffledOneByOne(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	ctx := context.Background()
	near, all := 0, 0
	for range testkit.Draws(20, 60, 2000) {
		x := randomReports(r, int64(1+r.Intn(4)))
		for _, a := range []string{"1/2", "1", "4/3", "5/2"} {
			alpha, _ := new(big.Rat).SetString(a)
			want := byOrder(x, alpha)
			os, _, ok := x.Outcomes(96, 1<<12)
			const w = interval.Prec(96)
			sum := interval.Int(0)
			for _, o := range os {
				sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(o.P, w.Mul(w.Rat(alpha), o.Q))))
			}
			if !ok || !sum.ContainsRat(want) {
				t.Fatalf("%s: H at %s is %v by outcomes (%v), want %s", x, a, sum, ok, want)
			}
			eps := func(p interval.Prec) interval.Interval { return p.Log(p.Rat(alpha)) }
			for _, set := range []Settings{{Points: 1 << 12, Fine: 64, Cut: 60}, {Points: 64, Fine: 3, Cut: 20},
				{Points: 4, Fine: 1, Cut: 1}} {
				got, err := Shuffled(x, set)(ctx, 96, eps)
				if err != nil || !got.ContainsRat(want) {
					t.Errorf("%s: δ at %s is %v (%v), want %s", x, a, got, err, want.FloatString(20))
				}
				if set.Fine == 64 {
					all++
					if w.Sub(got.Upper(), got.Lower()).LessRat(big.NewRat(1, 200)) == interval.True {
						near++
					}
				}
			}
		}
	}
	if near < all*9/10 {
		t.Errorf("%d of %d are within 0.005", near, all)
	}
}

// TestShuffledOfTwoValues: two values lie on a lattice, so that only rounding remains; against the outcomes.
func TestShuffledOfTwoValues(t *testing.T) {
	x := pair.NewReports(700, []pair.Report{{P: big.NewRat(3, 4), Q: big.NewRat(1, 4), Other: big.NewRat(1, 3)},
		{P: big.NewRat(1, 4), Q: big.NewRat(3, 4), Other: big.NewRat(2, 3)}})
	const w = interval.Prec(96)
	os, _, _ := x.Outcomes(w, 1<<12)
	for _, e := range []string{"-0.05", "0", "0.02", "0.1"} {
		eps, _ := new(big.Rat).SetString(e)
		got, err := Shuffled(x, Settings{Points: 1 << 12, Fine: 2, Cut: 80})(context.Background(), w, interval.RealRat(eps))
		sum := interval.Int(0)
		for _, o := range os {
			sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(o.P, w.Mul(w.Exp(w.Rat(eps)), o.Q))))
		}
		if both, ok := interval.Intersect(got, sum); err != nil || !ok || w.Sub(got.Upper(), got.Lower()).LessRat(
			interval.Pow2(-50)) != interval.True {
			t.Errorf("δ(%s) is %v (%v), by outcomes %v: %v", e, got, err, sum, both)
		}
	}
}

// TestManyReports: 10^12 reports are bounded, too.
func TestManyReports(t *testing.T) {
	half, zero := big.NewRat(1, 2), new(big.Rat)
	for _, n := range []int64{1_000_000, 1_000_000_000_000} {
		x := pair.NewReports(n, []pair.Report{{P: half, Q: zero, Other: half}, {P: half, Q: big.NewRat(1, 1), Other: half}})
		got, err := Shuffled(x, Settings{Points: 1 << 10, Fine: 2, Cut: 32})(context.Background(), 64,
			interval.RealRat(zero))
		if err != nil || got.LessRat(big.NewRat(1, 1000)) != interval.True || got.Lo().Sign() == 0 {
			t.Errorf("%d reports: %v, %v", n, got, err)
		}
		got, err = Shuffled(x, Settings{Points: 1 << 10, Fine: 2, Cut: 32})(context.Background(), 64,
			interval.RealRat(big.NewRat(1, 2)))
		if err != nil || got.LessRat(big.NewRat(1, 1_000_000)) != interval.True {
			t.Errorf("%d reports, far from their mean: %v, %v", n, got, err)
		}
	}
}

// TestChernoff: it bounds E(ΣX)₊ of any choice of the laws, one of each variable, and a Gaussian by not much more.
func TestChernoff(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range testkit.Cases(60, 2000) {
		n := 1 + r.Intn(9)
		laws := make([][]atom, 1+r.Intn(3))
		for i := range laws {
			left := int64(16)
			for k := 0; left > 0; k++ {
				m := 1 + r.Int63n(left)
				laws[i] = append(laws[i], atom{big.NewRat(r.Int63n(41)-26, 8), big.NewRat(m, 16)})
				left -= m
			}
		}
		sum := map[string]*big.Rat{"0": big.NewRat(1, 1)}
		for range n {
			next := make(map[string]*big.Rat)
			law := laws[r.Intn(len(laws))]
			for at, m := range sum {
				from, _ := new(big.Rat).SetString(at)
				for _, x := range law {
					key := new(big.Rat).Add(from, x.at).RatString()
					if next[key] == nil {
						next[key] = new(big.Rat)
					}
					next[key].Add(next[key], new(big.Rat).Mul(m, x.mass))
				}
			}
			sum = next
		}
		want := new(big.Rat)
		for at, m := range sum {
			if x, _ := new(big.Rat).SetString(at); x.Sign() > 0 {
				want.Add(want, x.Mul(x, m))
			}
		}
		if got := chernoff(laws, int64(n)); got.LessRat(want) != interval.False {
			t.Errorf("E(ΣX)₊ of %d of %v is %v, at most %v", n, laws, want, got)
		}
	}
	coin := [][]atom{{{big.NewRat(1, 1), big.NewRat(1, 2)}, {big.NewRat(-1, 1), big.NewRat(1, 2)}}}
	if got := chernoff(coin, 1_000_000); got.LessRat(big.NewRat(610, 1)) != interval.True { // 1000/√e
		t.Errorf("E(ΣX)₊ of 10^6 coins is at most %v", got)
	}
}

// TestClosedFormsOfReports: without laws on lattices, bounds contain what laws say, and are not far from it.
func TestClosedFormsOfReports(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	near := 0
	for range testkit.Cases(40, 400) {
		cells := make([]pair.Report, 2+r.Intn(4))
		var whole [3]int64
		masses := make([][3]int64, len(cells))
		for i := range cells {
			for j := range whole {
				masses[i][j] = r.Int63n(9)
				whole[j] += masses[i][j]
			}
		}
		if whole[0] == 0 || whole[1] == 0 || whole[2] == 0 {
			continue
		}
		for i, m := range masses {
			cells[i] = pair.Report{P: big.NewRat(m[0], whole[0]), Q: big.NewRat(m[1], whole[1]), Other: big.NewRat(m[2], whole[2])}
		}
		x := pair.NewReports(1+r.Int63n(300), cells)
		alpha := big.NewRat(16+r.Int63n(20), 16)
		set := Settings{Points: 1 << 12, Fine: 8, Cut: 60}
		want, err := sumOfReports{x, set, manyReports}.between(context.Background(), alpha, alpha)
		got, failed := sumOfReports{x, set, 1}.between(context.Background(), alpha, alpha)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		const w = interval.Prec(64)
		if got.Lower().LessEq(want.Upper()) != interval.True || want.Lower().LessEq(got.Upper()) != interval.True {
			t.Errorf("%s at α = %v: %v, by laws %v", x, alpha, got, want)
		}
		if got.Upper().LessEq(w.Scale(want.Upper(), 1)) == interval.True && want.Lower().LessEq(w.Scale(got.Lower(), 2)) == interval.True {
			near++
		}
	}
	if near < 10 {
		t.Errorf("%d bounds are near", near)
	}
}

// TestTailAbove: it is at least the sum of masses, and next to it above the mean.
func TestTailAbove(t *testing.T) {
	const w = interval.Prec(64)
	for _, n := range testkit.Few(3, []int64{1, 3, 20, 500, 40_000}) {
		for _, r := range []*big.Rat{big.NewRat(1, 7), big.NewRat(1, 2), big.NewRat(9, 10)} {
			mean := new(big.Rat).Mul(r, new(big.Rat).SetInt64(n))
			for c := n / 2; c <= n; c += n/40 + 1 {
				got, want := tailAbove(w, n, c, r), binomial.AtLeast(w, n, c, r)
				if want.LessEq(got) == interval.False || got.LessEq(want) == interval.False && mean.Cmp(new(big.Rat).SetInt64(c)) < 0 &&
					got.LessEq(w.Mul(want, w.Rat(big.NewRat(101, 100)))) == interval.False {
					t.Errorf("P(Bin(%d, %v) ≥ %d) ≤ %v, want %v", n, r, c, got, want)
				}
			}
		}
	}
}
