// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// A reader turns an event into the pairs of distributions that have to be covered. It is the
// only place where relations are interpreted.
type reader struct {
	relation string
	binary64 bool
	factors  []*factor
	total    int64 // of all factors

	events, depth int  // events so far, of which an alias may stand for many, and of those in each other
	oneWay        bool // a pair is not its own reverse, though what bounds it is
}

// classes have a name in statements and fields: numbers, of which those with + are above 0, those with % from 0 to 1
// and those with ? may be left out, and are 1; two lists of as many numbers, of which the name and the statement have
// pairs; and others.
var classes = map[string]struct{ name, numbers, lists, others string }{
	"NoOpDpEvent":                 {name: "noop"},
	"ComposedDpEvent":             {name: "composed", others: "events"},
	"SelfComposedDpEvent":         {name: "self-composed", numbers: "count", others: "event"},
	"PoissonSampledDpEvent":       {name: "sampled", numbers: "sampling_probability+%", others: "event"},
	"GaussianDpEvent":             {name: "gaussian", numbers: "noise_multiplier+"},
	"LaplaceDpEvent":              {name: "laplace", numbers: "noise_multiplier+"},
	"PermuteAndFlipDpEvent":       {name: "permute-and-flip", numbers: "epsilon+"},
	"ExponentialMechanismDpEvent": {name: "exponential", numbers: "epsilon+"},
	"ClampedLaplaceEvent":         {name: "clamped", numbers: "location scale+ shift+", others: "order"},
	"DiscreteLaplaceDpEvent":      {name: "discrete-laplace", numbers: "noise_parameter+ sensitivity"},
	"DiscreteGaussianDpEvent":     {name: "discrete-gaussian", numbers: "variance+ sensitivity? dimension"},
	"RandomizedResponseDpEvent":   {name: "randomized-response", numbers: "noise_parameter% num_buckets"},
	"MixtureOfGaussiansDpEvent": {
		name: "mixture", numbers: "standard_deviation+", lists: "sensitivities sampling_probs"},
	"EpsilonDeltaDpEvent": {name: "guarantee", numbers: "epsilon delta%"},
	"FinitePairEvent":     {name: "finite", lists: "p q"},
}

// identifier is a name, and never a number.
var identifier = regexp.MustCompile(`^[A-Za-z_][0-9A-Za-z_.]*$`)

// event reads n, composed count times, adds its factors and returns it in one form.
func (r *reader) event(n *node, count int64) string {
	r.events, r.depth = r.events+1, r.depth+1
	defer func() { r.depth-- }()
	name := n.get("class_name").text
	class, known := classes[name]
	known = known && r.events <= maxEvents && r.depth <= maxNested
	rejectIf(!known, "%q is no event that is understood, or one too many", name)
	module := n.get("module_name")
	named := module.kind == 0 || module.kind == 's' && identifier.MatchString(module.text)
	rejectIf(!named, "module_name is no name")
	if n.get("noise_variance").kind != 0 && class.name == "gaussian" {
		class.name, class.numbers = "gaussian-variance", "noise_variance+"
	}
	words := "class_name module_name " + class.lists + " " + class.others
	x, text := []*big.Rat{}, []string{}
	for i, field := range strings.Fields(class.numbers) {
		key := strings.Trim(field, "+%?")
		words += " " + key
		v := n.get(key)
		if v.kind == 0 && strings.Contains(field, "?") {
			v = &node{kind: 's', text: "1"}
		}
		x = append(x, r.number(v, key))
		text = append(text, x[i].RatString())
		known := !(strings.Contains(field, "+") && x[i].Sign() <= 0 || strings.Contains(field, "%") && !within(x[i], 0, 1))
		rejectIf(!known, "%s of %s is out of range", key, name)
	}
	allowed(n, words)
	var lists [2][]*big.Rat
	for i, key := range strings.Fields(class.lists) {
		lists[i] = r.list(n.get(key))
	}
	p, q := lists[0], lists[1]
	rejectIf(len(p) != len(q), "lists of %s differ in length", name)
	for i := range p {
		text = append(text, p[i].RatString()+":"+q[i].RatString())
	}
	// The noise multiplier is σ/C for records of norm at most C: one more record moves a sum
	// by C, another one by 2C.
	distance := map[string]int64{"ADD_OR_REMOVE_ONE": 1, "REPLACE_SPECIAL": 1, "REPLACE_ONE": 2}[r.relation]
	var f *factor
	switch class.name {
	case "composed":
		list := n.get("events")
		rejectIf(list.kind != 'l', "events is no list")
		for _, e := range list.items {
			text = append(text, r.event(e, count))
		}
	case "self-composed":
		text = append(text, r.event(n.get("event"), count*whole(x[0], maxCount/count)))
	case "sampled":
		inner := reader{relation: r.relation, binary64: r.binary64, events: r.events, depth: r.depth}
		text = append(text, inner.event(n.get("event"), 1))
		r.events = inner.events
		rejectIf(len(inner.factors) != 1, "a sample of this is not understood")
		f = r.sample(inner.factors[0], x[0])
		if oneLess(x[0]).Sign() == 0 { // as if it was none
			rejectIf(inner.total > maxCount/count, "too many compositions")
			r.total += (inner.total - 1) * count
		}
	case "gaussian", "gaussian-variance":
		variance := map[string]*big.Rat{"gaussian": new(big.Rat).Mul(x[0], x[0]), "gaussian-variance": x[0]}[class.name]
		square := variance.Quo(big.NewRat(distance*distance, 1), variance)
		f = &factor{pair: gaussian{[]*big.Rat{big.NewRat(1, 1)}, []*big.Rat{square}}, symmetric: true}
	case "mixture":
		f = &factor{pair: gaussians(p, distribution(q), x[0])}
	case "laplace":
		s := new(big.Rat).Quo(big.NewRat(distance, 1), x[0])
		f = noise(laplace{s}, s)
	case "permute-and-flip", "exponential": // dominated by noise: docs/checker.md
		f = noise(map[string]pair{"permute-and-flip": laplace{x[0]}, "exponential": logistic{x[0]}}[class.name], x[0])
		f.bounded = true
	case "clamped":
		class.name = word(n, "order", "none clamp-then-shift shift-then-clamp")
		s, clamp, before := new(big.Rat).Quo(x[2], x[1]), new(big.Rat).Quo(x[0], x[1]), class.name == "shift-then-clamp"
		// The shift before the clamp: post-processing of Laplace noise.
		f = map[bool]*factor{true: noise(laplace{s}, s), false: {pair: clamped{s, clamp}}}[before]
		f.bounded, r.oneWay = before, true
		rejectIf(class.name == "none" || !before && clamp.Cmp(s) < 0, "clamped noise that is not understood")
		f.words = coqPart("ClampedLaplace", s, fmt.Sprintf("%s %t", coqNumber(clamp), before))
	case "discrete-laplace":
		f = discreteLaplace(x[0], whole(x[1], maxOutcomes/2)*distance)
	case "discrete-gaussian":
		f = discreteGaussian(x[0], whole(x[1], maxOutcomes)*whole(x[2], 1))
	case "randomized-response":
		f = r.randomizedResponse(x[0], whole(x[1], 1<<30))
	case "guarantee":
		rejectIf(!within(x[0], 0, 100_000), "a guarantee that is not understood")
		f = guarantee(x[0], x[1])
	case "finite":
		f = finitePair(distribution(p), distribution(q))
	}
	form := class.name + "(" + strings.Join(text, " ") + ")"
	spend(300 * float64(len(form)))
	if f != nil {
		f.name = form
		r.add(f, count)
	}
	return form
}

// whole is an integer from 1 to most.
func whole(x *big.Rat, most int64) int64 {
	rejectIf(!x.IsInt() || !within(x, 1, most), "%s is no whole number from 1 to %d", x.RatString(), most)
	return x.Num().Int64()
}

// list reads numbers that are not negative.
func (r *reader) list(n *node) (out []*big.Rat) {
	rejectIf(n.kind != 'l' || len(n.items) > maxOutcomes, "want a list of numbers")
	for i, v := range n.items {
		out = append(out, r.number(v, "a number"))
		rejectIf(out[i].Sign() < 0, "a number of a list is negative")
	}
	return out
}

// distribution is a list of masses.
func distribution(masses []*big.Rat) []*big.Rat {
	sum := new(big.Rat)
	for _, x := range masses {
		spendProduct(sum.Denom().BitLen(), sum.Denom().BitLen())
		sum.Add(sum, x)
		rejectIf(sum.Denom().BitLen() > 1<<16, "masses that are not understood")
	}
	rejectIf(!sum.IsInt() || !within(sum, 1, 1), "masses do not add up to 1")
	return masses
}

// add adds count copies of a factor, to those of an equal event where there are some. Gaussians that are
// not sampled are one Gaussian, whose μ² is the sum.
func (r *reader) add(f *factor, count int64) {
	r.total += count
	rejectIf(r.total > maxCount, "too many compositions")
	f.count = count
	g, isGaussian := f.pair.(gaussian)
	if isGaussian && f.symmetric {
		f.name, f.count = "gaussian", 1
		g.squares[0].Mul(g.squares[0], big.NewRat(count, 1))
	}
	i := slices.IndexFunc(r.factors, func(g *factor) bool { return g.name == f.name })
	if i < 0 {
		r.factors = append(r.factors, f)
	} else if f.name == "gaussian" {
		all := r.factors[i].pair.(gaussian).squares[0]
		all.Add(all, g.squares[0])
	} else {
		r.factors[i].count += count
	}
}

// sample is a Poisson sample of a base pair (P, Q). Its direction remove is
// ((1−γ)Q + γP, Q) where the output of the mechanism without the record is its output with a null
// record, a sum with noise. Where it may be the output of any mechanism, as a guarantee allows, or
// under REPLACE_ONE, the base pair is seen with probability γ, otherwise nothing. Sums with Gaussian
// noise, of which records are replaced, move by half of the base pair's μ either way.
func (r *reader) sample(base *factor, rate *big.Rat) *factor {
	whole, replaced := oneLess(rate).Sign() == 0, r.relation == "REPLACE_ONE"
	f, known := &factor{guarantee: base.guarantee && whole}, whole // whether its losses are those of the base pair
	switch p := base.pair.(type) {
	case gaussian:
		g := gaussian{nil, p.squares}
		for _, w := range p.weights {
			g.weights = append(g.weights, new(big.Rat).Mul(w, rate))
		}
		f.pair = sampledGaussian{g}
		if replaced && base.symmetric {
			g.squares = []*big.Rat{new(big.Rat).Mul(p.squares[0], big.NewRat(1, 4))}
			f.pair, f.symmetric, replaced = mirrored{g}, true, false
		}
	case laplace:
		f.pair, known = sampled{p.shift, rate}, true
	case *finite:
		visible := p.reveals && r.relation != "ADD_OR_REMOVE_ONE"
		f.symmetric, known, replaced = visible && base.symmetric, whole || visible, replaced && !p.reveals
		if !p.endless && !p.isSampled {
			f.pair = p.sample(rate, visible)
		}
	}
	understood := f.pair != nil && !replaced && base.count == 1 && !base.bounded
	rejectIf(!understood, "a sample of this is not understood under %s", r.relation)
	if base.eps != nil && known {
		f.eps, f.inf = base.eps, new(big.Rat).Mul(rate, base.inf)
	}
	return f
}

// sample is seen with probability γ, or else, not visibly, Q.
func (f *finite) sample(rate *big.Rat, visible bool) *finite {
	words := coqPart("sample", rate, fmt.Sprintf("%t (%s)", visible, f.words))
	return &finite{isSampled: true, words: words, masses: func() (out []mass) {
		seen, keep := rational(rate), rational(oneLess(rate))
		if visible {
			out = append(out, mass{keep, keep})
		}
		for _, m := range f.masses() {
			s := mass{seen.mul(m.p), seen.mul(m.q)}
			if !visible {
				s = mass{s.p.add(keep.mul(m.q)), m.q}
			}
			out = append(out, s)
		}
		return out
	}}
}

// gaussians is N(0, 1) that moves by some of these over the standard deviation, with probabilities.
func gaussians(moves, weights []*big.Rat, deviation *big.Rat) (g gaussian) {
	for i, w := range weights {
		if mu := new(big.Rat).Quo(moves[i], deviation); mu.Sign() > 0 && w.Sign() > 0 {
			g.weights, g.squares = append(g.weights, w), append(g.squares, mu.Mul(mu, mu))
		}
	}
	rejectIf(g.weights == nil, "a mixture of nothing is not understood")
	return g
}

// noise is a pair of noise that is shifted, and its greatest loss.
func noise(p pair, loss *big.Rat) *factor {
	return &factor{pair: p, symmetric: true, eps: loss, inf: new(big.Rat)}
}

// finitePair has the masses p and q. Exchanged, it may have the same ones.
func finitePair(p, q []*big.Rat) *factor {
	var there, back []string
	for i := range p {
		x, y := p[i].RatString(), q[i].RatString()
		there, back = append(there, x+":"+y), append(back, y+":"+x)
	}
	slices.Sort(there)
	slices.Sort(back)
	return &factor{symmetric: slices.Equal(there, back), pair: &finite{words: coqFinite(p, q), masses: func() []mass {
		out := make([]mass, len(p))
		for i := range p {
			out[i] = mass{rational(p[i]), rational(q[i])}
		}
		return out
	}}}
}

// oneLess is 1 − x.
func oneLess(x *big.Rat) *big.Rat { return new(big.Rat).Sub(big.NewRat(1, 1), x) }

// randomizedResponse has k answers: the truth with probability 1 − p + p/k. A null record answers uniformly.
func (r *reader) randomizedResponse(p *big.Rat, k int64) (f *factor) {
	known := k >= 2 && r.relation != "ADD_OR_REMOVE_ONE"
	rejectIf(!known, "randomized response with %d answers has no meaning under %s", k, r.relation)
	u, each := big.NewRat(1, k), new(big.Rat).Mul(p, big.NewRat(1, k))
	truth := new(big.Rat).Add(oneLess(p), each)
	f = finitePair([]*big.Rat{truth, oneLess(truth)}, []*big.Rat{u, oneLess(u)})
	if r.relation == "REPLACE_ONE" {
		rest := new(big.Rat).Sub(oneLess(truth), each)
		f = finitePair([]*big.Rat{truth, each, rest}, []*big.Rat{each, truth, rest})
	}
	f.pair.(*finite).reveals = true
	return f
}

// guarantee is the pair of approximate randomized response, which dominates every mechanism
// with the guarantee and has it: (1 − δ)·e^ε/(1 + e^ε) and (1 − δ)/(1 + e^ε), or infinite loss.
func guarantee(eps, delta *big.Rat) *factor {
	f := noise(&finite{reveals: true, words: coqPart("guarantee", eps, coqNumber(delta)), masses: func() []mass {
		least := rational(eps).exp().add(integer(1)).inv()
		most := integer(1).sub(least)
		lost, none, keep := rational(delta), integer(0), rational(oneLess(delta))
		most, least = most.mul(keep), least.mul(keep)
		return []mass{{lost, none}, {most, least}, {least, most}, {none, lost}}
	}}, eps)
	f.inf, f.guarantee = delta, true
	return f
}

// discreteLaplace is P(x) ∝ e^(−λ|x|) against the same shifted by s, grouped by its losses
// λ(s − 2j), 0 ≤ j ≤ s. With r = e^−λ, the ends have mass 1/(1 + r), a tail, and a point at
// distance j has r^j·(1 − r)/(1 + r).
func discreteLaplace(lambda *big.Rat, s int64) *factor {
	return noise(&finite{words: coqPart("discrete_laplace", lambda, s), masses: func() []mass {
		r, out := rational(new(big.Rat).Neg(lambda)).exp(), make([]mass, s+1)
		for j, x := int64(0), integer(1).add(r).inv(); j <= s; j, x = j+1, x.mul(r) {
			m := x // Σ_{i ≥ j} r^i·(1 − r)/(1 + r)
			if j != 0 && j != s {
				m = x.mul(integer(1).sub(r))
			}
			out[j].p, out[s-j].q = m, m
		}
		return out
	}}, new(big.Rat).Mul(lambda, big.NewRat(s, 1)))
}

// discreteGaussian is P(x) ∝ g(x) = e^(−x²/2σ²) against the same shifted by s: the integers up to last + s, and all
// beyond as one outcome, whose masses are from 0 to 2Σ_{x > last} g(x) ≤ 2·∫_last^∞ e^(−x²/2σ²) dx ≤ 2σ²·g(last).
func discreteGaussian(variance *big.Rat, s int64) *factor {
	size, _ := variance.Float64()
	last := int64(math.Sqrt(200*min(size, 1e6))) + 2 // g(last) < e^−100
	rejectIf(2*(last+s) >= maxOutcomes, "discrete noise with too many outcomes")
	return &factor{symmetric: true, pair: &finite{endless: true, masses: func() (out []mass) {
		g := func(x int64) iv { return rational(new(big.Rat).Quo(big.NewRat(-x*x, 2), variance)).exp() }
		rest := iv{new(big.Int), rational(variance).mul(g(last)).times(big.NewInt(2)).hi}
		sum := rest
		for x := -last - s; x <= last+s; x++ {
			out = append(out, mass{g(x - s), g(x)})
			sum = sum.add(g(x))
		}
		out = append(out, mass{rest, rest})
		for i, m := range out {
			out[i] = mass{m.p.div(sum), m.q.div(sum)}
		}
		return out
	}, words: coqPart("DiscreteGaussian", variance, s)}}
}
