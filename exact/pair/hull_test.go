// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// slowHull is the Q-mass at each α of a hull by the definition: every point against every other.
func slowHull(p interval.Prec, points []mechanism.ProfilePoint) map[string]interval.Interval {
	type vertex struct {
		eps      *big.Rat
		alpha, d interval.Interval
	}
	one, zero := interval.Int(1), interval.Int(0)
	least := map[string]vertex{}
	put := func(eps *big.Rat, d interval.Interval) {
		a := p.Exp(p.Rat(eps))
		v := vertex{eps, a, interval.Max(d, interval.Max(zero, p.Sub(one, a)))}
		if w, ok := least[eps.RatString()]; ok {
			v.d = interval.Min(v.d, w.d)
		}
		least[eps.RatString()] = v
	}
	for _, x := range points {
		d := p.Rat(x.Delta)
		put(x.Epsilon, d)
		m := new(big.Rat).Neg(x.Epsilon)
		e := p.Exp(p.Rat(m))
		put(m, p.Add(p.Sub(one, e), p.Mul(e, d)))
	}
	out := map[string]interval.Interval{}
	for key, v := range least {
		left, right := p.Div(p.Sub(v.d, one), v.alpha), zero
		for _, w := range least {
			c := w.eps.Cmp(v.eps)
			if c == 0 {
				continue
			}
			s := p.Div(p.Sub(w.d, v.d), p.Sub(w.alpha, v.alpha))
			if c > 0 {
				right = interval.Min(right, s)
			} else {
				left = interval.Max(left, s)
			}
		}
		out[key] = interval.Max(zero, p.Sub(right, left))
	}
	return out
}

// infinite is the mass of infinite loss of a hull: the least δ of a point or of its mirror image.
func infinite(p interval.Prec, points []mechanism.ProfilePoint) interval.Interval {
	one := interval.Int(1)
	least := one
	for _, x := range points {
		d, e := p.Rat(x.Delta), p.Exp(p.Rat(x.Epsilon))
		mirror := p.Div(p.Add(p.Sub(e, one), d), e) // 1 − e^−ε + e^−ε·δ
		least = interval.Min(least, interval.Min(d, mirror))
	}
	return interval.Max(interval.Int(0), least)
}

// TestHullAgainstAllSlopes: masses agree with the definition, also where points lie on one line, or next
// to it, and at few bits.
func TestHullAgainstAllSlopes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 60 {
		var ps []mechanism.ProfilePoint
		eps := big.NewRat(-r.Int64N(4), 4)
		d := big.NewRat(1, 1)
		for range 2 + r.IntN(9) {
			eps = new(big.Rat).Add(eps, big.NewRat(1+r.Int64N(8), 8))
			switch r.IntN(3) {
			case 0:
				d = new(big.Rat).Mul(d, big.NewRat(1+r.Int64N(8), 8))
			case 1: // a horizontal line, or next to it
				d = new(big.Rat).Sub(d, big.NewRat(r.Int64N(2), 1<<50))
			}
			if d.Sign() <= 0 {
				break
			}
			x := mechanism.ProfilePoint{Epsilon: eps, Delta: d}
			if low := new(big.Rat).Neg(eps); low.Cmp(d) > 0 { // ≥ 1 − e^ε
				if x.Delta = low; low.Cmp(ratOne) > 0 {
					x.Delta = ratOne
				}
			}
			ps = append(ps, x)
		}
		if len(ps) < 2 {
			continue
		}
		want := slowHull(300, ps)
		for _, p := range []interval.Prec{2, 8, 64, 150} {
			seen := map[string]bool{}
			for _, o := range (Hull{points: ps}).outcomes(p) {
				if o.P.IsZero() || o.Q.IsZero() {
					if _, ok := interval.Intersect(interval.Max(o.P, o.Q), infinite(300, ps)); !ok {
						t.Errorf("case %d, %d bits: infinite mass %s, %s, want %s", i, p, o.P, o.Q, infinite(300, ps))
					}
					continue
				}
				e, _ := o.Loss.Rat()
				seen[e.RatString()] = true
				m := want[e.RatString()]
				if _, ok := interval.Intersect(o.Q, m); !ok {
					t.Errorf("case %d, %d bits: mass %s at %s, want %s", i, p, o.Q, e.RatString(), m)
				}
				if _, ok := interval.Intersect(o.P, interval.Prec(300).Mul(interval.Prec(300).Exp(interval.Prec(300).Rat(e)), m)); !ok {
					t.Errorf("case %d, %d bits: P-mass %s at %s, Q-mass %s", i, p, o.P, e.RatString(), m)
				}
			}
			for key, m := range want {
				if !seen[key] && m.Positive() == interval.True {
					t.Errorf("case %d, %d bits: no mass at %s, want %s", i, p, key, m)
				}
			}
		}
	}
}

// TestHullRemembers: what is asked again, at another precision, is not computed again, and belongs to
// who asks.
func TestHullRemembers(t *testing.T) {
	h := NewHull(profilePoints("0", "3/10", "1", "29/100", "2", "1/100")).(Hull)
	for _, p := range []interval.Prec{32, 64, 128, leastPrec} {
		os, _, ok := h.Outcomes(p, 8)
		if !ok || h.known.prec != leastPrec || os[1].P.IsZero() || &os[0] == &h.known.out[0] {
			t.Errorf("%d bits: %v, remembered at %d", p, os, h.known.prec)
		}
		os[1] = Outcome{}
	}
	if _, _, ok := h.Outcomes(500, 8); !ok || h.known.prec != 500 {
		t.Errorf("remembered at %d, want 500", h.known.prec)
	}
}

// TestHullOfManyPoints: work grows with the points, not with their square.
func TestHullOfManyPoints(t *testing.T) {
	var ps []mechanism.ProfilePoint
	for i := range int64(2000) { // 1/(1 + i/100)² is convex
		x := big.NewRat(100, 100+i)
		ps = append(ps, mechanism.ProfilePoint{Epsilon: big.NewRat(i, 200), Delta: x.Mul(x, x)})
	}
	start := time.Now()
	os := Hull{points: ps}.outcomes(64)
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("%d outcomes took %v", len(os), d)
	}
}
