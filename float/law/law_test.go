// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package law

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A brute is a pair as masses of outcomes, multiplied out.
type brute struct{ p, q []*big.Rat }

func (b brute) times(c brute) brute {
	var out brute
	for i := range b.p {
		for j := range c.p {
			out.p = append(out.p, new(big.Rat).Mul(b.p[i], c.p[j]))
			out.q = append(out.q, new(big.Rat).Mul(b.q[i], c.q[j]))
		}
	}
	return out
}

// delta is H_α = Σ(p − αq)₊.
func (b brute) delta(alpha *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i := range b.p {
		if d := new(big.Rat).Sub(b.p[i], new(big.Rat).Mul(alpha, b.q[i])); d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	return sum
}

func contains(v value.Value, x *big.Rat) bool {
	d := new(big.Rat).SetFloat64(v.V)
	d.Sub(d, x)
	return d.Abs(d).Cmp(new(big.Rat).SetFloat64(v.Err)) <= 0
}

// resolve returns the product that an event stands for.
func resolve(t *testing.T, e mechanism.Event) pair.Product {
	t.Helper()
	ps, err := pair.Resolve(e, mechanism.ReplaceSpecial, mechanism.Remove)
	if err != nil {
		t.Fatal(err)
	}
	return ps[0]
}

func randomMasses(r *rand.Rand, n int) []*big.Rat {
	total := int64(0)
	ws := make([]int64, n)
	for i := range ws {
		if r.Intn(5) > 0 {
			ws[i] = 1 + r.Int63n(50)
		}
		total += ws[i]
	}
	if total == 0 {
		ws[0], total = 1, 1
	}
	out := make([]*big.Rat, n)
	for i, w := range ws {
		out[i] = big.NewRat(w, total)
	}
	return out
}

// TestDeltaAgainstBruteForce: random products of finite pairs, multiplied out in
// rational arithmetic, lie within Err of V, and Err is small.
func TestDeltaAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range testkit.Draws(100, 300, 300) {
		n := 1 + r.Intn(3)
		var event mechanism.Composed
		truth := brute{[]*big.Rat{big.NewRat(1, 1)}, []*big.Rat{big.NewRat(1, 1)}}
		for range n {
			m, k := 2+r.Intn(2), 1+r.Intn(3)
			b := brute{randomMasses(r, m), randomMasses(r, m)}
			event.Events = append(event.Events, mechanism.SelfComposed{Event: mechanism.FinitePair{P: b.p, Q: b.q}, Count: int64(k)})
			for range k {
				truth = truth.times(b)
			}
		}
		l, ok := Of(t.Context(), resolve(t, event))
		if !ok {
			t.Fatalf("no law of %s", mechanism.EncodeEvent(event))
		}
		for _, alpha := range []*big.Rat{big.NewRat(1, 100), big.NewRat(1, 2), big.NewRat(1, 1), big.NewRat(3, 2), big.NewRat(7, 1), big.NewRat(1000, 1)} {
			d := l.Delta(value.Rat(alpha).Log())
			if want := truth.delta(alpha); !contains(d, want) || d.Err > 1e-12 {
				f, _ := want.Float64()
				t.Fatalf("α = %s of %s: %v ± %v, want %v", alpha.RatString(), mechanism.EncodeEvent(event), d.V, d.Err, f)
			}
		}
	}
}

// TestLatticeAgreesWithSquaring: both ways to a power give laws of the same profile.
func TestLatticeAgreesWithSquaring(t *testing.T) {
	p := resolve(t, mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 3), Delta: new(big.Rat)})
	base, _ := Of(t.Context(), p)
	l, ok := base.latticePower(23)
	if !ok {
		t.Fatal("ε and −ε are no lattice")
	}
	want := Law{Loss: []float64{0}, P: []float64{1}}
	for range 23 {
		want, _ = want.times(t.Context(), base)
	}
	for _, eps := range []float64{-3, -0.5, 0, 0.7, 2, 9} {
		a, b := l.Delta(value.Exact(eps)), want.Delta(value.Exact(eps))
		if math.Abs(a.V-b.V) > a.Err+b.Err || a.Err > 1e-11 {
			t.Errorf("ε = %v: %v and %v", eps, a, b)
		}
	}
}

// TestManyCopies: a tail far below the rounding of its bulk keeps its relative accuracy:
// of k copies of pure randomized response, all k point the same way with probability
// (e^ε/(1 + e^ε))^k, and δ just below kε is that times 1 − e^(ε′−kε).
func TestManyCopies(t *testing.T) {
	const k = 200
	e := mechanism.SelfComposed{Event: mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 10), Delta: new(big.Rat)}, Count: k}
	l, _ := Of(t.Context(), resolve(t, e))
	eps := value.Exact(19.875) // the next loss below 20 is 19.8
	d := l.Delta(eps)
	one := value.Exact(1)
	p := one.Div(one.Add(value.Exact(-0.1).Exp())).Log().Scale(k).Exp()
	want := p.Mul(eps.Sub(value.Exact(20)).Expm1().Neg())
	if math.Abs(d.V-want.V) > d.Err+want.Err+1e-13*want.V || d.Rel() > 1e-10 {
		t.Errorf("%v, want %v", d, want)
	}
}
