// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math/big"
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
	maxFactors  = 64
	maxOutcomes = 1000
)

// event reads n, composed count times, adds its factors and returns it in one form.
func (r *reader) event(n *node, count int64) string {
	r.events++
	rejectIf(n == nil || n.kind != 'm' || r.events > maxEvents, "want an event, and not too many")
	name := n.get("class_name")
	rejectIf(name == nil, "an event without class_name")
	fields := func(words string) {
		allowed(n, "class_name module_name "+words)
	}
	number := func(key string) *big.Rat { return r.number(n, key) }
	above0 := func(key string) *big.Rat {
		x := number(key)
		rejectIf(x.Sign() <= 0, "%s is not above 0", key)
		return x
	}
	// The noise multiplier is σ/C for records of norm at most C: one more record moves a sum
	// by C, another one by 2C.
	distance := big.NewRat(1, 1)
	if r.relation == "REPLACE_ONE" {
		distance.SetInt64(2)
	}
	switch name.text {
	case "NoOpDpEvent":
		fields("")
		return "noop"
	case "ComposedDpEvent":
		fields("events")
		list := n.get("events")
		rejectIf(list == nil || list.kind != 'l', "events is no list")
		var parts []string
		for _, e := range list.items {
			parts = append(parts, r.event(e, count))
		}
		return "composed(" + strings.Join(parts, " ") + ")"
	case "SelfComposedDpEvent":
		fields("event count")
		k := r.whole(n, "count", maxCount/count)
		return fmt.Sprintf("self-composed(%d %s)", k, r.event(n.get("event"), count*k))
	case "PoissonSampledDpEvent":
		fields("sampling_probability event")
		rate := above0("sampling_probability")
		rejectIf(!within(rate, 0, 1), "sampling_probability is above 1")
		inner := reader{relation: r.relation, binary64: r.binary64, events: r.events}
		text := inner.event(n.get("event"), 1)
		r.events = inner.events
		rejectIf(len(inner.factors) != 1 || inner.factors[0].count != 1 || inner.factors[0].rate != nil || inner.factors[0].sampled, "a sample of this is not understood")
		r.add(r.sample(inner.factors[0], rate), count)
		return fmt.Sprintf("sampled(%s %s)", rate.RatString(), text)
	case "GaussianDpEvent":
		fields("noise_multiplier")
		sigma := above0("noise_multiplier")
		mu := new(big.Rat).Quo(distance, sigma)
		r.add(&factor{kind: "gaussian", shift: mu.Mul(mu, mu)}, count)
		return "gaussian(" + sigma.RatString() + ")"
	case "LaplaceDpEvent":
		fields("noise_multiplier")
		b := above0("noise_multiplier")
		r.add(&factor{kind: "laplace", shift: new(big.Rat).Quo(distance, b)}, count)
		return "laplace(" + b.RatString() + ")"
	case "PermuteAndFlipDpEvent", "ExponentialMechanismDpEvent": // dominated by noise: docs/checker.md
		fields("epsilon")
		eps, kind, word := above0("epsilon"), "laplace", "permute-and-flip("
		if name.text == "ExponentialMechanismDpEvent" {
			kind, word = "logistic", "exponential("
		}
		r.add(&factor{kind: kind, shift: eps, bounded: true}, count)
		return word + eps.RatString() + ")"
	case "ClampedLaplaceEvent":
		fields("location scale shift order")
		b, s, at := above0("scale"), above0("shift"), number("location")
		order := word(n, "order", "none clamp-then-shift shift-then-clamp")
		f := &factor{kind: "laplace", shift: new(big.Rat).Quo(s, b)}
		switch { // clamping what is shifted is post-processing of Laplace noise
		case order == "shift-then-clamp":
			f.bounded = true
		case order == "clamp-then-shift" && at.Cmp(s) >= 0:
			f.clamp = new(big.Rat).Quo(at, b)
		default:
			reject("clamped noise that is not understood")
		}
		r.add(f, count)
		return fmt.Sprintf("%s(%s %s %s)", order, at.RatString(), b.RatString(), s.RatString())
	case "DiscreteLaplaceDpEvent":
		fields("noise_parameter sensitivity")
		lambda := above0("noise_parameter")
		s := r.whole(n, "sensitivity", maxOutcomes/2)
		r.add(discreteLaplace(lambda, s*distance.Num().Int64()), count)
		return fmt.Sprintf("discrete-laplace(%s %d)", lambda.RatString(), s)
	case "RandomizedResponseDpEvent":
		fields("noise_parameter num_buckets")
		p, k := number("noise_parameter"), r.whole(n, "num_buckets", 1<<30)
		rejectIf(!within(p, 0, 1) || k < 2, "randomized response that is not understood")
		r.add(r.response(p, k), count)
		return fmt.Sprintf("randomized-response(%s %d)", p.RatString(), k)
	case "EpsilonDeltaDpEvent":
		fields("epsilon delta")
		eps, delta := number("epsilon"), number("delta")
		rejectIf(!within(eps, 0, 100_000) || !within(delta, 0, 1), "a guarantee that is not understood")
		r.add(guarantee(eps, delta), count)
		return fmt.Sprintf("guarantee(%s %s)", eps.RatString(), delta.RatString())
	case "FinitePairEvent":
		fields("p q")
		p, q := r.masses(n.get("p")), r.masses(n.get("q"))
		rejectIf(len(p) != len(q), "p and q differ in length")
		text := "finite("
		for i := range p {
			text += p[i].RatString() + ":" + q[i].RatString() + " "
		}
		r.add(finitePair(p, q), count)
		return strings.TrimSuffix(text, " ") + ")"
	}
	reject("%s is not understood", name.text)
	return ""
}

// whole reads an integer from 1 to most.
func (r *reader) whole(n *node, key string, most int64) int64 {
	x := r.number(n, key)
	rejectIf(!x.IsInt() || !x.Num().IsInt64() || x.Num().Int64() < 1 || x.Num().Int64() > most, "%s is no whole number from 1 to %d", key, most)
	return x.Num().Int64()
}

func (r *reader) masses(n *node) []*big.Rat {
	rejectIf(n == nil || n.kind != 'l' || len(n.items) > maxOutcomes, "want a list of probabilities")
	var out []*big.Rat
	sum := new(big.Rat)
	for _, v := range n.items {
		x := r.number(&node{kind: 'm', keys: []string{"mass"}, items: []*node{v}}, "mass")
		rejectIf(x.Sign() < 0, "a negative mass")
		out, sum = append(out, x), sum.Add(sum, x)
		rejectIf(sum.Denom().BitLen() > 1<<16, "masses that are not understood")
	}
	rejectIf(sum.Cmp(big.NewRat(1, 1)) != 0, "masses do not add up to 1")
	return out
}

// add adds count copies of a factor, to an equal one where there is one. Gaussians that are
// not sampled are one Gaussian, whose μ² is the sum.
func (r *reader) add(f *factor, count int64) {
	f.count = count
	for _, g := range r.factors {
		switch {
		case f.kind == "gaussian" && g.kind == "gaussian" && f.rate == nil && g.rate == nil:
			g.shift = new(big.Rat).Add(g.shift, new(big.Rat).Mul(f.shift, big.NewRat(count, 1)))
			return
		case f.key() == g.key():
			g.count += count
			rejectIf(g.count > maxCount, "too many compositions")
			return
		}
	}
	if f.kind == "gaussian" && f.rate == nil {
		f.shift, f.count = f.shift.Mul(f.shift, big.NewRat(count, 1)), 1
	}
	rejectIf(len(r.factors) == maxFactors, "more than %d different parts", maxFactors)
	r.factors = append(r.factors, f)
}

// sample is the pair of a Poisson sample of a base pair (P, Q). Its direction remove is
// ((1−γ)Q + γP, Q) where the output of the mechanism without the record is its output with a null
// record, a sum with noise. Where it may be the output of any mechanism, as a guarantee allows, or
// under REPLACE_ONE, the base pair is seen with probability γ, otherwise nothing.
func (r *reader) sample(base *factor, rate *big.Rat) *factor {
	revealing := base.response
	switch {
	case base.bounded || base.clamp != nil || r.relation == "REPLACE_ONE" && !revealing:
		reject("a sample of this is not understood under %s", r.relation)
	case base.kind != "finite":
		return &factor{kind: base.kind, shift: base.shift, rate: rate}
	}
	visible := revealing && r.relation != "ADD_OR_REMOVE_ONE"
	keep := new(big.Rat).Sub(big.NewRat(1, 1), rate)
	f := &factor{kind: "finite", response: base.response, sampled: true}
	if visible {
		f.atoms = []atom{{constant(keep), constant(keep)}}
		if base.eps != nil {
			f.eps, f.inf = base.eps, new(big.Rat).Mul(rate, base.inf)
		}
	}
	for _, a := range base.atoms {
		if visible {
			f.atoms = append(f.atoms, atom{a.p.times(rate), a.q.times(rate)})
		} else {
			f.atoms = append(f.atoms, atom{a.p.times(rate).plus(a.q.times(keep)), a.q})
		}
	}
	return f
}

// response is the pair of randomized response with k answers: the truth with probability
// 1 − p + p/k. A null record answers uniformly.
func (r *reader) response(p *big.Rat, k int64) *factor {
	one := big.NewRat(1, 1)
	each := new(big.Rat).Mul(p, big.NewRat(1, k))
	truth := new(big.Rat).Sub(one, new(big.Rat).Mul(each, big.NewRat(k-1, 1)))
	u, rest := big.NewRat(1, k), new(big.Rat).Mul(each, big.NewRat(k-2, 1))
	rejectIf(r.relation == "ADD_OR_REMOVE_ONE", "randomized response has no meaning under %s", r.relation)
	f := finitePair([]*big.Rat{truth, each, rest}, []*big.Rat{each, truth, rest})
	if r.relation == "REPLACE_SPECIAL" {
		f = finitePair([]*big.Rat{truth, new(big.Rat).Sub(one, truth)}, []*big.Rat{u, new(big.Rat).Sub(one, u)})
	}
	f.response = true
	return f
}

// guarantee is the pair of approximate randomized response, which dominates every mechanism
// with the guarantee and has it.
func guarantee(eps, delta *big.Rat) *factor {
	keep := new(big.Rat).Sub(big.NewRat(1, 1), delta)
	most := logistic(new(big.Rat).Neg(eps)).times(keep) // (1 − δ)·e^ε/(1 + e^ε)
	least := logistic(eps).times(keep)
	lost, none := constant(delta), constant(new(big.Rat))
	return &factor{kind: "finite", response: true, eps: eps, inf: delta, atoms: []atom{{lost, none}, {most, least}, {least, most}, {none, lost}}}
}

// discreteLaplace is P(x) ∝ e^(−λ|x|) against the same shifted by s, grouped by its losses
// λ(s − 2j), 0 ≤ j ≤ s. With r = e^−λ, the ends have mass 1/(1 + r), a tail, and a point at
// distance j has r^j·(1 − r)/(1 + r).
func discreteLaplace(lambda *big.Rat, s int64) *factor {
	f := &factor{kind: "finite", eps: new(big.Rat).Mul(lambda, big.NewRat(s, 1)), inf: new(big.Rat)}
	at := func(j int64) value {
		return value{fmt.Sprintf("geometric %s %d %d", lambda.RatString(), s, j), func() iv {
			r := rational(new(big.Rat).Neg(lambda)).exp()
			x := r.pow(j).div(integer(1).add(r))
			if j == 0 || j == s {
				return x // Σ_{i ≥ j} r^i·(1 − r)/(1 + r)
			}
			return x.mul(integer(1).sub(r))
		}}
	}
	for j := int64(0); j <= s; j++ {
		f.atoms = append(f.atoms, atom{at(j), at(s - j)})
	}
	return f
}
