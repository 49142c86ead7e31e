// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact"
	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

// drawContinuous draws a pair without infinite losses in either order.
func drawContinuous(r *rand.Rand) model {
	m := drawModel(r)
	for i := range m.P {
		if m.P[i].Sign() == 0 || m.Q[i].Sign() == 0 {
			m.P[i], m.Q[i] = one, drawPositive(r, -8, 8)
		}
	}
	return m
}

// moment is Σ p^n·q^(1−n), exactly, for an integer order n.
func (m model) moment(n int) *big.Rat {
	p, q := m.p(), m.q()
	sum := new(big.Rat)
	for i := range p {
		sum.Add(sum, mul(p[i], powRat(quo(p[i], q[i]), n-1)))
	}
	return sum
}

// renyiUpper bounds R_n from above by a rational of few digits: log of the moment
// over n − 1.
func (m model) renyiUpper(n int) *big.Rat {
	const w = interval.Prec(128)
	x := w.Div(w.Log(w.Rat(m.moment(n))), interval.Int(int64(n-1)))
	hi := upperRat(x)
	if hi.Sign() < 0 {
		return zero
	}
	return hi
}

var continuousScenes = generator[scene]{
	draw: func(r *rand.Rand) scene {
		return scene{drawContinuous(r), drawContinuous(r), drawRate(r), 1 + r.Intn(3), drawPrec(r)}
	},
	shrink: func(s scene) []scene {
		var out []scene
		for _, c := range scenes.shrink(s) {
			ok := true
			for _, m := range []model{c.A, c.B} {
				for i := range m.P {
					ok = ok && m.P[i].Sign() > 0 && m.Q[i].Sign() > 0
				}
			}
			if ok {
				out = append(out, c)
			}
		}
		return out
	},
}

// The moment of a finite pair is the sum of its definition; the moments of products
// multiply (additivity of Rényi divergences).
func TestMomentsMultiply(t *testing.T) {
	forAll(t, 60, continuousScenes, func(s scene) error {
		prod := pair.Product{{Pair: s.A.finite(), Count: int64(s.K)}, {Pair: s.B.finite(), Count: 1}}
		f, ok := renyi.Moments(prod)
		if !ok {
			return fmt.Errorf("no moments")
		}
		for _, n := range []int{2, 3, 7} {
			want := mul(powRat(s.A.moment(n), s.K), s.B.moment(n))
			y := interval.Prec(400).Exp(f(s.Prec, ratInt(int64(n))))
			if err := refuteRat(y, want, "E_%d", n); err != nil {
				return err
			}
		}
		return nil
	})
}

// Canonne, Kamath & Steinke 2020, Proposition 12: δ(ε) ≤ m∞ + M(α)·e^(−(α−1)ε)·
// (1 − 1/α)^α/(α − 1) for every order α > 1, here on pairs that are self-dual and may
// have infinite losses, at every real ε.
func TestProposition12RenyiToDP(t *testing.T) {
	forAll(t, 7, scenes, func(s scene) error {
		f, g := s.A.finite().Symmetrise(), s.B.finite().Symmetrise()
		prod := pair.Product{{Pair: f, Count: int64(s.K)}, {Pair: g, Count: 1}}
		bound, ok := conversion.Bound(prod)
		if !ok {
			return fmt.Errorf("no bound")
		}
		truth := finiteModel(g)
		for range s.K {
			truth = finiteModel(product(truth, finiteModel(f)).finite())
		}
		for _, eps := range []*big.Rat{zero, rat("1/3"), rat("3"), rat("30"), rat("-1")} {
			y, err := bound(background, s.Prec, interval.RealRat(eps))
			if err != nil {
				return err
			}
			lo, hi := truth.blurred().delta(eps)
			if err := refute(y, lo, hi, "the bound at ε = %s", eps.RatString()); err != nil {
				return err
			}
		}
		return nil
	})
}

// A Rényi guarantee covers every pair that satisfies it, in both orientations and
// composed with others; zCDP likewise.
func TestRenyiGuaranteesCoverTheirPairs(t *testing.T) {
	forAll(t, 3, continuousScenes, func(s scene) error {
		orders := []int{2, 3, 8, 20}
		curve := func(m model) mechanism.RenyiCurve {
			var c mechanism.RenyiCurve
			for _, n := range orders {
				c.Orders = append(c.Orders, ratInt(int64(n)))
				c.Values = append(c.Values, maxRat(m.renyiUpper(n), m.reverse().renyiUpper(n)))
			}
			return c
		}
		a, b := curve(s.A), curve(s.B)
		e := mechanism.Composed{Events: []mechanism.Event{mechanism.SelfComposed{Event: a, Count: int64(s.K)}, b}}
		p, err := exact.Prepare(background, exact.Question{Event: e}, 0)
		if err != nil {
			return err
		}
		for _, eps := range []*big.Rat{zero, rat("1/3"), rat("5"), rat("-1/2")} {
			r, err := p.Delta(background, eps)
			if err != nil {
				return err
			}
			for _, x := range []model{s.A, s.A.reverse()} {
				truth := s.B
				for range s.K {
					truth = product(truth, x)
				}
				if lo, _ := truth.blurred().delta(eps); r.LessRat(lo) == interval.True {
					return fmt.Errorf("δ(%s) of the guarantee is at most %s, a pair that satisfies it has %s", eps.RatString(), text(r.Hi()), lo.FloatString(30))
				}
			}
		}
		return nil
	})
}

// A renyiGuarantee is zCDP and a Rényi curve.
type renyiGuarantee struct {
	Rho, Xi *big.Rat
	Values  []*big.Rat // at the orders below
}

var renyiOrders = []*big.Rat{rat("3/2"), rat("2"), rat("17"), rat("100")}

var renyiGuarantees = generator[renyiGuarantee]{
	draw: func(r *rand.Rand) renyiGuarantee {
		g := renyiGuarantee{Rho: drawWeight(r), Xi: drawEps(r)}
		for range renyiOrders {
			g.Values = append(g.Values, drawWeight(r))
		}
		return g
	},
}

// Witnesses satisfy the guarantees they stand for: the Gaussian has R_α = αμ²/2, and
// randomized response the moment of Theorem 3.5.
func TestWitnessesSatisfyTheirGuarantee(t *testing.T) {
	forAll(t, 80, renyiGuarantees, func(g renyiGuarantee) error {
		rho, xi := g.Rho, g.Xi
		zcdp := mechanism.ZCDP{Rho: rho, Xi: xi}
		curve := mechanism.RenyiCurve{Orders: renyiOrders, Values: g.Values}
		for _, c := range []struct {
			e      mechanism.Event
			orders []*big.Rat
			value  func(i int, alpha *big.Rat) *big.Rat
		}{
			{zcdp, []*big.Rat{rat("1.0001"), rat("3/2"), rat("2"), rat("11"), rat("1000")}, func(_ int, a *big.Rat) *big.Rat { return add(xi, mul(rho, a)) }},
			{curve, curve.Orders, func(i int, _ *big.Rat) *big.Rat { return curve.Values[i] }},
		} {
			prob, err := meaning.Resolve(c.e, mechanism.AddOrRemoveOne)
			if err != nil {
				return err
			}
			if c.e == mechanism.Event(zcdp) && rho.Sign() == 0 && xi.Sign() == 0 {
				if len(prob.Dominating()) != 0 {
					return fmt.Errorf("(0, 0)-zCDP is %s, want nothing", prob.Dominating())
				}
				continue
			}
			b, err := prob.Profile(mechanism.Remove)
			if err != nil || b.Attained || len(b.Lower) == 0 {
				return fmt.Errorf("%d witnesses: %v", len(b.Lower), err)
			}
			for _, w := range b.Lower {
				for i, alpha := range c.orders {
					// log of the moment, at most (α − 1)·value
					hi := new(big.Rat)
					for _, term := range w {
						var x *big.Rat
						switch y := term.Pair.(type) {
						case pair.Gaussian:
							x = mul(mul(half, y.Mu2), mul(alpha, sub(alpha, one)))
						case pair.Response:
							if y.Delta.Sign() != 0 {
								return fmt.Errorf("witness %s has infinite losses", w)
							}
							x = logMomentUpper(y.Eps, alpha)
						default:
							return fmt.Errorf("witness %s", w)
						}
						hi.Add(hi, mul(x, ratInt(term.Count)))
					}
					if limit := mul(sub(alpha, one), c.value(i, alpha)); hi.Cmp(limit) > 0 {
						return fmt.Errorf("witness %s of %s: (α−1)R_α = %s at α = %s, guaranteed %s", w, mechanism.EncodeEvent(c.e), hi.FloatString(30), alpha.RatString(), limit.FloatString(30))
					}
				}
			}
		}
		return nil
	})
}

// logMomentUpper bounds log((e^(αε) + e^((1−α)ε))/(1 + e^ε)) from above:
// (α−1)ε + log(1 + e^((1−2α)ε)) − log(1 + e^−ε), with 300 bits where terms nearly cancel.
func logMomentUpper(eps, alpha *big.Rat) *big.Rat {
	const w = interval.Prec(600)
	b := sub(alpha, one)
	x := w.Rat(mul(b, eps))
	u := w.Log1p(w.Exp(w.Rat(mul(sub(one, mul(two, alpha)), eps))))
	v := w.Log1p(w.Exp(w.Rat(neg(eps))))
	return upperRat(w.Add(x, w.Sub(u, v)))
}
