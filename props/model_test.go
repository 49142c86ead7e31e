// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"strings"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A model is a pair of distributions on finitely many outcomes: the obviously right
// side of the properties. P and Q are weights, as drawn; p and q are normalised.
type model struct{ P, Q []*big.Rat }

func normalised(w []*big.Rat) []*big.Rat {
	sum := new(big.Rat)
	for _, x := range w {
		sum.Add(sum, x)
	}
	out := make([]*big.Rat, len(w))
	for i, x := range w {
		out[i] = quo(x, sum)
	}
	return out
}

func (m model) p() []*big.Rat { return normalised(m.P) }
func (m model) q() []*big.Rat { return normalised(m.Q) }

func (m model) reverse() model { return model{m.Q, m.P} }

func (m model) finite() pair.Finite { return pair.NewFinite(m.p(), m.q()) }

func (m model) event() mechanism.FinitePair { return mechanism.FinitePair{P: m.p(), Q: m.q()} }

func (m model) String() string {
	list := func(xs []*big.Rat) string {
		parts := make([]string, len(xs))
		for i, x := range xs {
			parts[i] = x.RatString()
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return "P = " + list(m.p()) + " against Q = " + list(m.q())
}

// divergence is the definition H_α(P‖Q) = Σ (p − αq)₊.
func divergence(p, q []*big.Rat, alpha *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i := range p {
		if d := sub(p[i], mul(alpha, q[i])); d.Sign() > 0 {
			sum.Add(sum, d)
		}
	}
	return sum
}

func (m model) delta(alpha *big.Rat) *big.Rat { return m.deltas()(alpha) }

// deltas is H_α as a function of α: the definition over common denominators, since
// Σ (v/V − (a/b)·w/W)₊ = Σ (v·W·b − a·w·V)₊ / (V·W·b) needs no fraction but one.
func (m model) deltas() func(alpha *big.Rat) *big.Rat {
	v, V := integers(m.P)
	w, W := integers(m.Q)
	for i := range v {
		v[i].Mul(v[i], W)
		w[i].Mul(w[i], V)
	}
	VW := V.Mul(V, W)
	return func(alpha *big.Rat) *big.Rat {
		sum, x, y := new(big.Int), new(big.Int), new(big.Int)
		for i := range v {
			if x.Sub(x.Mul(v[i], alpha.Denom()), y.Mul(w[i], alpha.Num())); x.Sign() > 0 {
				sum.Add(sum, x)
			}
		}
		return new(big.Rat).SetFrac(sum, y.Mul(VW, alpha.Denom()))
	}
}

// integers returns weights in the proportions of w, and their sum.
func integers(w []*big.Rat) (out []*big.Int, sum *big.Int) {
	d := big.NewInt(1)
	for _, x := range w {
		g := new(big.Int).GCD(nil, nil, d, x.Denom())
		d = new(big.Int).Mul(d, g.Quo(x.Denom(), g))
	}
	sum = new(big.Int)
	for _, x := range w {
		n := new(big.Int).Quo(d, x.Denom())
		out = append(out, n.Mul(n, x.Num()))
		sum.Add(sum, n)
	}
	return out, sum
}

// product is the product pair, outcome by outcome.
func product(ms ...model) model {
	out := model{[]*big.Rat{one}, []*big.Rat{one}}
	for _, m := range ms {
		var p, q []*big.Rat
		for i := range out.P {
			for j := range m.P {
				p, q = append(p, mul(out.P[i], m.P[j])), append(q, mul(out.Q[i], m.Q[j]))
			}
		}
		out = model{p, q}
	}
	return out
}

// sample is the pair ((1−γ)Q + γP, Q).
func (m model) sample(rate *big.Rat) model {
	p, q := m.p(), m.q()
	out := model{make([]*big.Rat, len(p)), q}
	keep := sub(one, rate)
	for i := range p {
		out.P[i] = add(mul(keep, q[i]), mul(rate, p[i]))
	}
	return out
}

// alphas returns all points at which the piecewise linear profiles of the models
// and of their reverses bend, and points between and beyond them: two such
// profiles that agree at all of them are equal, and one that is nowhere larger
// there is nowhere larger.
func alphas(ms ...model) []*big.Rat {
	out := []*big.Rat{zero, one, rat("1/1000000000000000000000")}
	for _, m := range ms {
		p, q := m.p(), m.q()
		for i := range p {
			if q[i].Sign() > 0 {
				out = append(out, quo(p[i], q[i]))
			}
			if p[i].Sign() > 0 {
				out = append(out, quo(q[i], p[i]))
			}
		}
	}
	slices.SortFunc(out, (*big.Rat).Cmp)
	out = slices.CompactFunc(out, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	for i := len(out) - 1; i > 0; i-- {
		out = append(out, mul(half, add(out[i], out[i-1])))
	}
	last := out[0]
	for _, a := range out {
		last = maxRat(last, a)
	}
	out = append(out, add(last, one), mul(last, rat("1000000000000000000000")))
	slices.SortFunc(out, (*big.Rat).Cmp)
	return out
}

// drawModel draws pairs of all kinds: free ones, ones with equal ratios, with
// disjoint supports, self-dual, on a lattice of ratios, randomized responses, and
// pairs of equal distributions.
func drawModel(r *rand.Rand) model {
	n := 1 + r.Intn(5)
	m := model{make([]*big.Rat, n), make([]*big.Rat, n)}
	for {
		for i := range n {
			m.P[i], m.Q[i] = drawWeight(r), drawWeight(r)
		}
		switch r.Intn(8) {
		case 0: // equal ratios
			f := drawWeight(r)
			for i := range n {
				if r.Intn(2) == 0 {
					m.P[i] = mul(m.Q[i], f)
				}
			}
		case 1: // some outcomes on one side only
			for i := range n {
				if r.Intn(2) == 0 {
					m.P[i] = zero
				} else {
					m.Q[i] = zero
				}
			}
		case 2: // self-dual
			for i := range n {
				m.Q[i] = m.P[n-1-i]
			}
		case 3, 4: // all ratios powers of one number, up to a common factor
			base := []*big.Rat{two, rat("3/2"), rat("4"), rat("9007199254740993/9007199254740992")}[r.Intn(4)]
			for i := range n {
				m.P[i] = mul(m.Q[i], powRat(base, r.Intn(6)))
			}
		case 5: // randomized response
			p := drawRate(r)
			m = model{[]*big.Rat{p, sub(one, p)}, []*big.Rat{sub(one, p), p}}
		case 6:
			if r.Intn(4) == 0 {
				copy(m.Q, m.P)
			}
		}
		if positive(m.P) && positive(m.Q) {
			return m
		}
	}
}

func positive(w []*big.Rat) bool {
	return slices.ContainsFunc(w, func(x *big.Rat) bool { return x.Sign() > 0 })
}

// shrinkModel drops an outcome or makes a weight simpler.
func shrinkModel(m model) []model {
	var out []model
	keep := func(x model) {
		if positive(x.P) && positive(x.Q) {
			out = append(out, x)
		}
	}
	for i := range m.P {
		keep(model{slices.Delete(slices.Clone(m.P), i, i+1), slices.Delete(slices.Clone(m.Q), i, i+1)})
	}
	for i := range m.P {
		for _, side := range []bool{false, true} {
			w := m.P
			if side {
				w = m.Q
			}
			for _, x := range simplerRat(w[i], "1", "2", "0", "1/2", "3") {
				v := slices.Clone(w)
				v[i] = x
				if side {
					keep(model{m.P, v})
				} else {
					keep(model{v, m.Q})
				}
			}
		}
	}
	return out
}

// A scene is what most lemmas are about: two pairs, a sampling rate, a number of
// copies and a precision.
type scene struct {
	A, B model
	Rate *big.Rat
	K    int
	Prec interval.Prec
}

func (s scene) String() string {
	return fmt.Sprintf("A: %s; B: %s; rate %s; k = %d; %d bits", s.A, s.B, s.Rate.RatString(), s.K, s.Prec)
}

var scenes = generator[scene]{
	draw: func(r *rand.Rand) scene {
		return scene{drawModel(r), drawModel(r), drawRate(r), 1 + r.Intn(3), drawPrec(r)}
	},
	shrink: func(s scene) []scene {
		var out []scene
		for _, a := range shrinkModel(s.A) {
			out = append(out, scene{a, s.B, s.Rate, s.K, s.Prec})
		}
		for _, b := range shrinkModel(s.B) {
			out = append(out, scene{s.A, b, s.Rate, s.K, s.Prec})
		}
		for _, r := range simplerRat(s.Rate, "1/2", "1/4") {
			out = append(out, scene{s.A, s.B, r, s.K, s.Prec})
		}
		if s.K > 1 {
			out = append(out, scene{s.A, s.B, s.Rate, s.K - 1, s.Prec})
		}
		for _, p := range precisions {
			if p < s.Prec {
				out = append(out, scene{s.A, s.B, s.Rate, s.K, p})
			}
		}
		return out
	},
}

// refute returns an error unless x can contain a number between lo and hi: the
// truth lies in both.
func refute(x interval.Interval, lo, hi *big.Rat, format string, args ...any) error {
	if x.LessRat(lo) == interval.True || x.LessEqRat(hi) == interval.False {
		return fmt.Errorf("%s = [%s, %s] misses [%s, %s]", fmt.Sprintf(format, args...), text(x.Lo()), text(x.Hi()), lo.FloatString(40), hi.FloatString(40))
	}
	return nil
}

// refuteRat is refute for a number that is known exactly.
func refuteRat(x interval.Interval, want *big.Rat, format string, args ...any) error {
	return refute(x, want, want, format, args...)
}

// text formats a float without the code under test.
func text(f *big.Float) string { return f.Text('g', 30) }
