// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// byConvolution is d(ε) of guarantees with δ_i = 0 and ε_i = n_i·g, in intervals of 200 bits, outcome by outcome.
func byConvolution(gs []Guarantee, g *big.Rat, eps *big.Rat) interval.Interval {
	const w = interval.Prec(200)
	law := map[int64]interval.Interval{0: interval.Int(1)}
	for _, x := range gs {
		n := new(big.Rat).Quo(x.Eps, g).Num().Int64()
		up := w.Inv(w.Add(interval.Int(1), w.Exp(w.Rat(x.Eps).Neg())))
		for range x.Count {
			next := map[int64]interval.Interval{}
			for k, p := range law {
				next[k+n] = w.Add(next[k+n], w.Mul(p, up))
				next[k-n] = w.Add(next[k-n], w.Mul(p, w.Sub(interval.Int(1), up)))
			}
			law = next
		}
	}
	sum := interval.Int(0)
	for k, p := range law {
		l := new(big.Rat).Mul(new(big.Rat).SetInt64(k), g)
		if l.Cmp(eps) > 0 {
			sum = w.Add(sum, w.Mul(p, w.Expm1(w.Rat(new(big.Rat).Sub(eps, l))).Neg()))
		}
	}
	return sum
}

// TestPeriodAgainstConvolution: on lattices, at their points and between them, and whatever λ, N and the bound of what
// falls, an enclosure holds d(ε); most of them know 8 digits.
func TestPeriodAgainstConvolution(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	known, sharp := 0, 0
	n := testkit.Draws(3, 7, 7)
	for range n {
		g := big.NewRat(int64(1+r.Intn(3)), int64(10+r.Intn(200)))
		var gs []Guarantee
		for range 20 + r.Intn(30) {
			n := int64(1 + r.Intn(8))
			gs = append(gs, Guarantee{new(big.Rat).Mul(big.NewRat(n, 1), g), new(big.Rat), int64(1 + r.Intn(3))})
		}
		x, ok := NewPeriod(gs)
		if !ok {
			t.Fatal("no period")
		}
		for range 3 {
			eps := new(big.Rat).Mul(big.NewRat(int64(r.Intn(150)), 2), g)
			if eps.Cmp(x.total) >= 0 {
				continue
			}
			want := byConvolution(gs, g, eps)
			y, err := x.at(t.Context(), periodPrec, eps)
			if err != nil {
				t.Fatal(err)
			}
			if y.Lo().Cmp(want.Lo()) > 0 || y.Hi().Cmp(want.Hi()) < 0 {
				t.Errorf("d(%s) in %v, want %v", eps, y, want)
			}
			known++
			if y.RelativeBits(40) >= 27 {
				sharp++
			}
			// any λ, and any N that is long enough
			lambda := big.NewRat(int64(1+r.Intn(40)), 16)
			n := int64(1) << floorRat(new(big.Rat).Quo(new(big.Rat).Sub(x.total, eps), x.step())).BitLen()
			tilted, err := x.newTilt(t.Context(), lambda, n)
			if err != nil || tilted == nil {
				continue
			}
			if y := x.invert(tilted, lambda, n, eps); y.Lo().Cmp(want.Lo()) > 0 || y.Hi().Cmp(want.Hi()) < 0 {
				t.Errorf("d(%s) with λ = %s, N = %d in %v, want %v", eps, lambda, n, y, want)
			}
		}
	}
	if known < 18*n/7 || 10*sharp < 9*known {
		t.Errorf("%d of %d are sharp", sharp, known)
	}
}

// TestPeriodFalls: at all nodes that are left out |ψ| adds up to what is said at most, whether nodes are points or lie
// between them, and most nodes are left out.
func TestPeriodFalls(t *testing.T) {
	var gs []Guarantee
	for i := range int64(60) {
		gs = append(gs, Guarantee{big.NewRat(20+7*i, 1000), new(big.Rat), 5 + i%2})
	}
	x, _ := NewPeriod(gs)
	const n = int64(1 << 14)
	for _, l := range []float64{0.55, 0.75, 1} { // λ + ½
		var squares []double.Interval
		for _, q := range x.parts {
			fall := q.eps.Mul(double.Point(-2 * l)).Exp()
			squares = append(squares, double.Int(4).Mul(fall).Div(double.Int(1).Add(fall).Sqr()))
		}
		logs := make([]double.Interval, n/2+1) // log|ψ|
		for j := range logs {
			for i, q := range x.parts {
				_, sin := turn(q.n*int64(j)%n, n).Cis() // sin² has the period π
				logs[j] = logs[j].Add(double.Int(q.k).Half().Mul(double.Int(1).Sub(squares[i].Mul(sin.Sqr())).Log()))
			}
		}
		for _, points := range []int64{n, n / 2, n / 4, n / 64} {
			near, faint, ok := x.large(squares, n, points)
			if !ok {
				if points >= n/4 {
					t.Errorf("λ + ½ = %g: no nodes of %d points", l, points)
				}
				continue
			}
			kept := map[int64]bool{}
			for _, j := range near {
				kept[j] = true
			}
			var sum double.Interval
			for j, log := range logs {
				if !kept[int64(j)] {
					sum = sum.Add(log.Exp())
				}
				if again := int64(j) != 0 && int64(j) != n/2; again && !kept[int64(j)] {
					sum = sum.Add(log.Exp())
				}
			}
			if sum = sum.Div(double.Int(n)); sum.Lo > faint.Hi {
				t.Errorf("λ + ½ = %g, %d points: %v is left out, %v said", l, points, sum, faint)
			}
			if len(kept) != len(near) || len(near) < 10 || len(near) > 100 {
				t.Errorf("λ + ½ = %g, %d points: %d nodes", l, points, len(near))
			}
		}
	}
}

// TestCutOff: all points from some F on are left out and add up to no more than what is said, twice e^{−F/2}/R each,
// and to as little of all as is wanted; one F fewer would be too much.
func TestCutOff(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	const w, points = interval.Prec(100), 1 << 12
	for range 20 {
		tally := make([]int64, mostFalls)
		for range 500 {
			tally[r.Intn(mostFalls)]++
		}
		from := func(f int) interval.Interval {
			sum := interval.Int(0)
			for ; f < mostFalls; f++ {
				each := w.Exp(w.Rat(big.NewRat(int64(-f), 2)))
				sum = w.Add(sum, w.Mul(w.Rat(big.NewRat(2*tally[f], points)), each))
			}
			return sum
		}
		cut, kept, faint := cutOff(tally, points, 20)
		most := w.Mul(from(0), w.Exp(interval.Int(-20)))
		left := int64(0)
		for _, n := range tally[cut:] {
			left += n
		}
		if from(cut).Lo().Cmp(faint.Exact().Hi()) > 0 || from(cut).Less(most) != interval.True ||
			from(cut-1).Less(most) == interval.True && tally[cut-1] > 0 || kept+left != 500 {
			t.Errorf("from %d on %v are left out, %v said, %v wanted, %d + %d points", cut, from(cut), faint, most, kept, left)
		}
	}
}

// TestMinorant: h ≤ f everywhere, and h = f at 0 and at θ_k.
func TestMinorant(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for m := range 5 {
		h := newMinorant(m)
		for range testkit.Draws(200, 2000, 20000) {
			v := double.Point(1 - r.Float64()*r.Float64()*r.Float64())
			touching := r.Intn(2) == 0
			theta := double.Point(2 * math.Pi * r.Float64())
			if touching {
				theta = turn(int64(2*r.Intn(h.n)), int64(h.n))
			}
			var sum double.Interval
			for j, c := range h.of(v) {
				cos, _ := theta.Mul(double.Int(int64(j))).Cis()
				sum = sum.Add(c.Mul(cos))
			}
			_, sin := theta.Half().Cis()
			f := double.Int(1).Sub(v.Mul(sin.Sqr())).Log().Neg()
			if sum.Lo > f.Hi || touching && sum.Hi < f.Lo || sum.Hi-sum.Lo > 1e-9 {
				t.Fatalf("m = %d, v = %g, θ = %v: %v and f in %v", m, v.Lo, theta, sum, f)
			}
		}
	}
}

// TestPeriodOfAll: negative ε, ε beyond all losses, infinite losses, and ε_i without a common spacing.
func TestPeriodOfAll(t *testing.T) {
	var gs []Guarantee
	for i := range int64(60) {
		gs = append(gs, Guarantee{big.NewRat(1+i%5, 10), big.NewRat(1, 1000), 1})
	}
	x, _ := NewPeriod(gs)
	zeroDelta := make([]Guarantee, len(gs))
	for i, g := range gs {
		zeroDelta[i] = Guarantee{g.Eps, new(big.Rat), g.Count}
	}
	const w = interval.Prec(200)
	for _, e := range []string{"-40", "-18", "-3", "-1/2", "0", "1/7", "2", "17", "18", "40"} {
		eps, _ := new(big.Rat).SetString(e)
		m := infinite(w, gs)
		want := w.Add(m, w.Mul(w.Sub(interval.Int(1), m), byConvolution(zeroDelta, big.NewRat(1, 10), eps)))
		y, err := x.Delta(t.Context(), 100, interval.RealRat(eps))
		if err != nil || y.Lo().Cmp(want.Lo()) > 0 || y.Hi().Cmp(want.Hi()) < 0 || y.RelativeBits(40) < 25 {
			t.Errorf("δ(%s) in %v, want %v (%v)", e, y, want, err)
		}
	}
	eps := big.NewRat(26, 5) // E = 18, G = 1/5, and E − ε = 64·G
	if !x.longEnough(64, eps) || x.longEnough(64, big.NewRat(51, 10)) || x.longEnough(66, eps) || x.longEnough(32, eps) {
		t.Error("64 steps cover a distance of 64 steps, and no more")
	}
	if _, ok := NewPeriod([]Guarantee{{new(big.Rat), new(big.Rat), 5}}); ok {
		t.Error("a period of nothing")
	}
}
