// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package response

import (
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
			// any λ, and any odd N that is long enough
			lambda := big.NewRat(int64(1+r.Intn(40)), 16)
			n := new(big.Int).Add(floorRat(new(big.Rat).Quo(new(big.Rat).Sub(x.total, eps), x.step())), big.NewInt(1))
			n.SetBit(n, 0, 1)
			tilted, err := x.newTilt(t.Context(), lambda, n)
			if err != nil || tilted == nil {
				continue
			}
			if y := x.invert(tilted, lambda, n, eps); y.Lo().Cmp(want.Lo()) > 0 || y.Hi().Cmp(want.Hi()) < 0 {
				t.Errorf("d(%s) with λ = %s, N = %s in %v, want %v", eps, lambda, n, y, want)
			}
		}
	}
	if known < 18*n/7 || 10*sharp < 9*known {
		t.Errorf("%d of %d are sharp", sharp, known)
	}
}

// TestPeriodFalls: at every node that is left out |ψ| is at most what it is said to be, and some nodes are left out.
func TestPeriodFalls(t *testing.T) {
	var gs []Guarantee
	for i := range int64(300) {
		gs = append(gs, Guarantee{big.NewRat(100+7*i, 1000), new(big.Rat), 1 + i%2})
	}
	x, _ := NewPeriod(gs)
	lambda, n := big.NewRat(1, 4), big.NewInt(40001)
	y, err := x.newTilt(t.Context(), lambda, n)
	if err != nil || y == nil {
		t.Fatal("no tilt", err)
	}
	kept := map[float64]bool{}
	for _, v := range y.nodes {
		kept[v.t.Lo] = true
	}
	step := double.Of(periodPrec.Rat(x.spacing))
	out := 0
	for j := int64(0); j <= n.Int64()/2; j += 7 {
		at := turn(j, n).Div(step)
		if kept[at.Lo] {
			continue
		}
		out++
		var log double.Interval
		for _, q := range x.parts {
			a := q.eps.Mul(double.Point(0.75))
			v := double.Int(4).Mul(a.Add(a).Neg().Exp()).Div(double.Int(1).Add(a.Add(a).Neg().Exp()).Sqr())
			_, sin := at.Mul(q.eps).Cis()
			log = log.Add(double.Int(q.k).Half().Mul(double.Int(1).Sub(v.Mul(sin.Sqr())).Log()))
		}
		if log.Lo > y.faint.Hi {
			t.Fatalf("node %d: log|ψ| in %v, left out below %v", j, log, y.faint)
		}
	}
	if out < 1000 || len(y.nodes) < 10 {
		t.Errorf("%d nodes are left out, and %d kept", out, len(y.nodes))
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
	if x.longEnough(big.NewInt(90), new(big.Rat)) || !x.longEnough(big.NewInt(91), new(big.Rat)) || x.longEnough(big.NewInt(89), new(big.Rat)) {
		t.Error("18 = 90·1/5 are covered by an odd number of steps")
	}
	if _, ok := NewPeriod([]Guarantee{{new(big.Rat), new(big.Rat), 5}}); ok {
		t.Error("a period of nothing")
	}
}
