// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"math/big"
	"slices"
	"strings"
)

// A reader turns an event into the pairs of distributions that have to be covered. It is the
// only place where relations are interpreted.
type reader struct {
	relation string
	binary64 bool
	factors  []*factor
	events   int // so far: an alias may stand for many
}

const (
	maxEvents   = 20_000
	maxCount    = 1 << 40
	maxOutcomes = 1000
)

// classes have a name in statements, fields that are numbers, and other fields.
var classes = map[string]struct{ name, numbers, others string }{
	"NoOpDpEvent":                 {"noop", "", ""},
	"ComposedDpEvent":             {"composed", "", "events"},
	"SelfComposedDpEvent":         {"self-composed", "count", "event"},
	"PoissonSampledDpEvent":       {"sampled", "sampling_probability", "event"},
	"GaussianDpEvent":             {"gaussian", "noise_multiplier", ""},
	"LaplaceDpEvent":              {"laplace", "noise_multiplier", ""},
	"PermuteAndFlipDpEvent":       {"permute-and-flip", "epsilon", ""},
	"ExponentialMechanismDpEvent": {"exponential", "epsilon", ""},
	"ClampedLaplaceEvent":         {"clamped", "location scale shift", "order"},
	"DiscreteLaplaceDpEvent":      {"discrete-laplace", "noise_parameter sensitivity", ""},
	"RandomizedResponseDpEvent":   {"randomized-response", "noise_parameter num_buckets", ""},
	"MixtureOfGaussiansDpEvent":   {"mixture", "standard_deviation", "sensitivities sampling_probs"},
	"EpsilonDeltaDpEvent":         {"guarantee", "epsilon delta", ""},
	"FinitePairEvent":             {"finite", "", "p q"},
}

// event reads n, composed count times, adds its factors and returns it in one form.
func (r *reader) event(n *node, count int64) string {
	r.events++
	rejectIf(n == nil || n.kind != 'm' || r.events > maxEvents, "want an event, and not too many")
	name := n.get("class_name")
	rejectIf(name == nil, "an event without class_name")
	class, known := classes[name.text]
	rejectIf(!known, "%s is not understood", name.text)
	allowed(n, "class_name module_name "+class.numbers+" "+class.others)
	var x []*big.Rat
	var text []string
	for i, key := range strings.Fields(class.numbers) {
		x = append(x, r.number(n, key))
		text = append(text, x[i].RatString())
	}
	positive := func(x *big.Rat) *big.Rat {
		rejectIf(x.Sign() <= 0, "%s of %s is not above 0", x.RatString(), name.text)
		return x
	}
	// The noise multiplier is σ/C for records of norm at most C: one more record moves a sum
	// by C, another one by 2C.
	distance := big.NewRat(1, 1)
	if r.relation == "REPLACE_ONE" {
		distance.SetInt64(2)
	}
	var f *factor
	switch class.name {
	case "composed":
		list := n.get("events")
		rejectIf(list == nil || list.kind != 'l', "events is no list")
		for _, e := range list.items {
			text = append(text, r.event(e, count))
		}
	case "self-composed":
		text = append(text, r.event(n.get("event"), count*whole(x[0], maxCount/count)))
	case "sampled":
		rejectIf(!within(positive(x[0]), 0, 1), "sampling_probability is above 1")
		inner := reader{relation: r.relation, binary64: r.binary64, events: r.events}
		text = append(text, inner.event(n.get("event"), 1))
		r.events = inner.events
		rejectIf(len(inner.factors) != 1, "a sample of this is not understood")
		f = r.sample(inner.factors[0], x[0])
	case "gaussian":
		mu := new(big.Rat).Quo(distance, positive(x[0]))
		f = &factor{kind: "gaussian", weights: []*big.Rat{big.NewRat(1, 1)}, squares: []*big.Rat{mu.Mul(mu, mu)}, symmetric: true}
	case "mixture":
		f = &factor{kind: "gaussian"}
		moves, weights := r.list(n.get("sensitivities")), r.masses(n.get("sampling_probs"))
		rejectIf(len(moves) != len(weights) || positive(x[0]) == nil, "sensitivities and sampling_probs differ in length")
		for i, s := range moves {
			text = append(text, s.RatString()+":"+weights[i].RatString())
			rejectIf(s.Sign() < 0, "a sensitivity below 0")
			if mu := s.Quo(s, x[0]); mu.Sign() > 0 && weights[i].Sign() > 0 {
				f.weights, f.squares = append(f.weights, weights[i]), append(f.squares, mu.Mul(mu, mu))
			}
		}
		rejectIf(f.weights == nil, "a mixture of nothing is not understood")
	case "laplace":
		f = noise("laplace", new(big.Rat).Quo(distance, positive(x[0])))
	case "permute-and-flip", "exponential": // dominated by noise: docs/checker.md
		f = noise(map[string]string{"permute-and-flip": "laplace", "exponential": "logistic"}[class.name], positive(x[0]))
		f.bounded = true
	case "clamped":
		class.name = word(n, "order", "none clamp-then-shift shift-then-clamp")
		f = noise("laplace", new(big.Rat).Quo(positive(x[2]), positive(x[1])))
		f.bounded = true // clamping what is shifted is post-processing of Laplace noise
		if class.name != "shift-then-clamp" {
			rejectIf(class.name == "none" || x[0].Cmp(x[2]) < 0, "clamped noise that is not understood")
			f = &factor{kind: "laplace", shift: f.shift, clamp: new(big.Rat).Quo(x[0], x[1])}
		}
	case "discrete-laplace":
		f = discreteLaplace(positive(x[0]), whole(x[1], maxOutcomes/2)*distance.Num().Int64())
	case "randomized-response":
		rejectIf(!within(x[0], 0, 1), "noise_parameter is no probability")
		f = r.response(x[0], whole(x[1], 1<<30))
		f.response = true
	case "guarantee":
		rejectIf(!within(x[0], 0, 100_000) || !within(x[1], 0, 1), "a guarantee that is not understood")
		f = guarantee(x[0], x[1])
	case "finite":
		p, q := r.masses(n.get("p")), r.masses(n.get("q"))
		rejectIf(len(p) != len(q), "p and q differ in length")
		for i := range p {
			text = append(text, p[i].RatString()+":"+q[i].RatString())
		}
		f = finitePair(p, q)
	}
	form := class.name + "(" + strings.Join(text, " ") + ")"
	if f != nil {
		f.name = form
		r.add(f, count)
	}
	return form
}

// whole is an integer from 1 to most.
func whole(x *big.Rat, most int64) int64 {
	rejectIf(!x.IsInt() || !x.Num().IsInt64() || x.Num().Int64() < 1 || x.Num().Int64() > most, "%s is no whole number from 1 to %d", x.RatString(), most)
	return x.Num().Int64()
}

func (r *reader) list(n *node) (out []*big.Rat) {
	rejectIf(n == nil || n.kind != 'l' || len(n.items) > maxOutcomes, "want a list of numbers")
	for _, v := range n.items {
		out = append(out, r.value(v, "a number"))
	}
	return out
}

func (r *reader) masses(n *node) []*big.Rat {
	out, sum := r.list(n), new(big.Rat)
	for _, x := range out {
		sum.Add(sum, x)
		rejectIf(x.Sign() < 0 || sum.Denom().BitLen() > 1<<16, "a negative mass, or one that is not understood")
	}
	rejectIf(sum.Cmp(big.NewRat(1, 1)) != 0, "masses do not add up to 1")
	return out
}

// add adds count copies of a factor, to those of an equal event where there are some. Gaussians that are
// not sampled are one Gaussian, whose μ² is the sum.
func (r *reader) add(f *factor, count int64) {
	f.count = count
	if f.kind == "gaussian" && f.symmetric {
		f.name, f.count = "gaussian", 1
		f.squares[0].Mul(f.squares[0], big.NewRat(count, 1))
	}
	i := slices.IndexFunc(r.factors, func(g *factor) bool { return g.name == f.name })
	if i < 0 {
		r.factors = append(r.factors, f)
	} else if g := r.factors[i]; f.name == "gaussian" {
		g.squares[0].Add(g.squares[0], f.squares[0])
	} else {
		g.count += count
		rejectIf(g.count > maxCount, "too many compositions")
	}
}

// sample is the pair of a Poisson sample of a base pair (P, Q). Its direction remove is
// ((1−γ)Q + γP, Q) where the output of the mechanism without the record is its output with a null
// record, a sum with noise. Where it may be the output of any mechanism, as a guarantee allows, or
// under REPLACE_ONE, the base pair is seen with probability γ, otherwise nothing.
func (r *reader) sample(base *factor, rate *big.Rat) *factor {
	understood := base.count == 1 && base.rate == nil && !base.bounded && base.clamp == nil && (r.relation != "REPLACE_ONE" || base.response)
	rejectIf(!understood, "a sample of this is not understood under %s", r.relation)
	if base.kind != "finite" {
		f := &factor{kind: base.kind, shift: base.shift, rate: rate, eps: base.eps, inf: base.inf, squares: base.squares}
		for _, w := range base.weights {
			f.weights = append(f.weights, new(big.Rat).Mul(w, rate))
		}
		return f
	}
	f := &factor{kind: "finite", rate: rate}
	visible := base.response && r.relation != "ADD_OR_REMOVE_ONE"
	f.symmetric = visible && base.symmetric
	if visible && base.eps != nil {
		f.eps, f.inf = base.eps, new(big.Rat).Mul(rate, base.inf)
	}
	f.masses = func() (out []mass) {
		seen, keep := rational(rate), rational(new(big.Rat).Sub(big.NewRat(1, 1), rate))
		if visible {
			out = append(out, mass{keep, keep})
		}
		for _, m := range base.masses() {
			if visible {
				out = append(out, mass{seen.mul(m.p), seen.mul(m.q)})
			} else {
				out = append(out, mass{seen.mul(m.p).add(keep.mul(m.q)), m.q})
			}
		}
		return out
	}
	return f
}

// noise is Laplace or logistic noise of scale 1 that is shifted by s, its greatest loss.
func noise(kind string, s *big.Rat) *factor {
	return &factor{kind: kind, shift: s, eps: s, inf: new(big.Rat), symmetric: true}
}

// finitePair has the masses p and q.
func finitePair(p, q []*big.Rat) *factor {
	var ways, back []string
	for i := range p {
		ways = append(ways, p[i].RatString()+":"+q[i].RatString())
		back = append(back, q[i].RatString()+":"+p[i].RatString())
	}
	slices.Sort(ways)
	slices.Sort(back)
	return &factor{kind: "finite", symmetric: slices.Equal(ways, back), masses: func() (out []mass) {
		for i := range p {
			out = append(out, mass{rational(p[i]), rational(q[i])})
		}
		return out
	}}
}

// response is the pair of randomized response with k answers: the truth with probability
// 1 − p + p/k. A null record answers uniformly.
func (r *reader) response(p *big.Rat, k int64) *factor {
	rejectIf(k < 2 || r.relation == "ADD_OR_REMOVE_ONE", "randomized response with %d answers has no meaning under %s", k, r.relation)
	one := big.NewRat(1, 1)
	each := new(big.Rat).Mul(p, big.NewRat(1, k))
	truth := new(big.Rat).Sub(one, new(big.Rat).Mul(each, big.NewRat(k-1, 1)))
	u, rest := big.NewRat(1, k), new(big.Rat).Mul(each, big.NewRat(k-2, 1))
	if r.relation == "REPLACE_SPECIAL" {
		return finitePair([]*big.Rat{truth, new(big.Rat).Sub(one, truth)}, []*big.Rat{u, new(big.Rat).Sub(one, u)})
	}
	return finitePair([]*big.Rat{truth, each, rest}, []*big.Rat{each, truth, rest})
}

// guarantee is the pair of approximate randomized response, which dominates every mechanism
// with the guarantee and has it: (1 − δ)·e^ε/(1 + e^ε) and (1 − δ)/(1 + e^ε), or infinite loss.
func guarantee(eps, delta *big.Rat) *factor {
	return &factor{kind: "finite", response: true, symmetric: true, eps: eps, inf: delta, masses: func() []mass {
		least := rational(eps).exp().add(integer(1)).inv()
		most := integer(1).sub(least)
		lost, none, keep := rational(delta), integer(0), rational(new(big.Rat).Sub(big.NewRat(1, 1), delta))
		most, least = most.mul(keep), least.mul(keep)
		return []mass{{lost, none}, {most, least}, {least, most}, {none, lost}}
	}}
}

// discreteLaplace is P(x) ∝ e^(−λ|x|) against the same shifted by s, grouped by its losses
// λ(s − 2j), 0 ≤ j ≤ s. With r = e^−λ, the ends have mass 1/(1 + r), a tail, and a point at
// distance j has r^j·(1 − r)/(1 + r).
func discreteLaplace(lambda *big.Rat, s int64) *factor {
	f := &factor{kind: "finite", symmetric: true, eps: new(big.Rat).Mul(lambda, big.NewRat(s, 1)), inf: new(big.Rat)}
	f.masses = func() []mass {
		r, out := rational(new(big.Rat).Neg(lambda)).exp(), make([]mass, s+1)
		for j, x := int64(0), integer(1).add(r).inv(); j <= s; j, x = j+1, x.mul(r) {
			m := x // Σ_{i ≥ j} r^i·(1 − r)/(1 + r)
			if j != 0 && j != s {
				m = x.mul(integer(1).sub(r))
			}
			out[j].p, out[s-j].q = m, m
		}
		return out
	}
	return f
}
