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
	factors  []*factor
	total    int64 // of all factors

	events, depth    int  // events so far, of which an alias may stand for many, and of those in each other
	binary64, oneWay bool // how numbers are read; a pair is not its own reverse, though what bounds it is
}

// classes have a name in statements and fields: numbers, of which those with + are above 0, those with % from 0 to 1,
// those with ? may be left out, and are 1, and of those with ² the square counts; two lists of as many numbers, of
// which the name and the statement have pairs; and others.
var classes = map[string]struct{ name, numbers, lists, others string }{
	"NoOpDpEvent":                      {"noop", "", "", ""},
	"ComposedDpEvent":                  {"composed", "", "", "events"},
	"SelfComposedDpEvent":              {"self-composed", "count", "", "event"},
	"PoissonSampledDpEvent":            {"sampled", "sampling_probability+%", "", "event"},
	"GaussianDpEvent":                  {"gaussian", "noise_multiplier+²", "", ""},
	"LaplaceDpEvent":                   {"laplace", "noise_multiplier+", "", ""},
	"PermuteAndFlipDpEvent":            {"permute-and-flip", "epsilon+", "", ""},
	"ExponentialMechanismDpEvent":      {"exponential", "epsilon+", "", ""},
	"ClampedLaplaceEvent":              {"clamped", "location scale+ shift+", "", "order"},
	"DiscreteLaplaceDpEvent":           {"discrete-laplace", "noise_parameter+ sensitivity", "", ""},
	"DiscreteGaussianDpEvent":          {"discrete-gaussian", "variance+ sensitivity?", "", "dimension"},
	"SampledWithoutReplacementDpEvent": {"without-replacement", "source_dataset_size sample_size", "", "event"},
	"ZCDpEvent":                        {"zcdp", "rho+", "", ""},
	"RandomizedResponseDpEvent":        {"randomized-response", "noise_parameter% num_buckets", "", ""},
	"MixtureOfGaussiansDpEvent":        {"mixture", "standard_deviation+", "sensitivities sampling_probs", ""},
	"EpsilonDeltaDpEvent":              {"guarantee", "epsilon delta%", "", ""},
	"FinitePairEvent":                  {"finite", "", "p q", ""},
	"TruncatedSubsampledGaussianDpEvent": {"truncated",
		"dataset_size sampling_probability+% truncated_batch_size noise_multiplier+²", "", ""},
}

// identifier is a name, and never a number.
var identifier = regexp.MustCompile(`^[A-Za-z_][0-9A-Za-z_.]*$`)

// event reads n, composed count times, adds its factors and returns it in one form.
func (r *reader) event(n *node, count int64) string {
	r.events, r.depth = r.events+1, r.depth+1
	defer func() { r.depth-- }()
	name := n.get("class_name").text
	class, known := classes[name]
	rejectIf(!known || r.events > maxEvents || r.depth > maxNested, "%q is no event that is understood, or too many", name)
	module := n.get("module_name")
	rejectIf(module.kind != 0 && !(module.kind == 's' && identifier.MatchString(module.text)), "module_name is no name")
	if n.get("noise_variance").kind != 0 && class.name == "gaussian" {
		class.name, class.numbers = "gaussian-variance", "noise_variance+"
	} else if n.get("sigma").kind != 0 && class.name == "discrete-gaussian" {
		class.name, class.numbers = "discrete-gaussian-sigma", "sigma+² sensitivity?"
	}
	words := "class_name module_name " + class.lists + " " + class.others
	x, text := []*big.Rat{}, []string{}
	for i, field := range strings.Fields(class.numbers) {
		key := strings.Trim(field, "+%?²")
		words += " " + key
		v := n.get(key)
		if v.kind == 0 && strings.Contains(field, "?") {
			v = &node{kind: 's', text: "1"}
		}
		x = append(x, r.number(v, key))
		text = append(text, x[i].RatString())
		known := !(strings.Contains(field, "+") && x[i].Sign() <= 0 || strings.Contains(field, "%") && !within(x[i], 0, 1))
		rejectIf(!known, "%s of %s is out of range", key, name)
		if strings.Contains(field, "²") {
			x[i].Mul(x[i], x[i])
		}
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
	case "sampled", "without-replacement":
		rate, only := x[0], ""
		if class.name != "sampled" {
			rate, only = big.NewRat(whole(x[1], whole(x[0], maxCount)), x[0].Num().Int64()), "REFUTED"
		}
		inner := reader{relation: r.relation, binary64: r.binary64, events: r.events, depth: r.depth}
		text = append(text, inner.event(n.get("event"), 1))
		r.events = inner.events
		rejectIf(len(inner.factors) != 1, "a sample of this is not understood")
		f = r.sample(inner.factors[0], rate)
		// Of a fixed size, it is what others that are all 0 leave; they may show more of the record.
		_, replaced := f.pair.(mirrored)
		f.only = only
		rejectIf(only != "" && !replaced, "a sample of fixed size of this is not understood under %s", r.relation)
		if oneLess(rate).Sign() == 0 { // as if it was none
			rejectIf(inner.total > maxCount/count, "too many compositions")
			r.total += (inner.total - 1) * count
		}
	case "gaussian", "gaussian-variance":
		square := x[0].Quo(big.NewRat(distance*distance, 1), x[0])
		f = &factor{pair: gaussian{[]*big.Rat{big.NewRat(1, 1)}, []*big.Rat{square}}, symmetric: true}
	case "truncated": // dominated by a mean of samples: docs/checker.md
		n := whole(x[0], 1<<20)
		rejectIf(oneLess(x[1]).Sign() == 0 || r.relation != "ADD_OR_REMOVE_ONE", "a truncated sample that is not known")
		f = &factor{pair: truncated{x[1], x[3].Inv(x[3]), often(n, whole(x[2], n), x[1])}, only: "VERIFIED"}
	case "mixture":
		var g gaussian // N(0, 1) that moves by some of these, with probabilities
		for i, w := range distribution(q) {
			if mu := new(big.Rat).Quo(p[i], x[0]); mu.Sign() > 0 && w.Sign() > 0 {
				g.weights, g.squares = append(g.weights, w), append(g.squares, mu.Mul(mu, mu))
			}
		}
		rejectIf(g.weights == nil, "a mixture of nothing is not understood")
		f = &factor{pair: g}
	case "laplace":
		f = laplaceNoise(x[0].Quo(big.NewRat(distance, 1), x[0]))
	case "permute-and-flip", "exponential": // dominated by noise: docs/checker.md
		f = map[string]*factor{"permute-and-flip": laplaceNoise(x[0]), "exponential": noise(logistic{x[0]}, x[0])}[class.name]
		f.only = "VERIFIED"
	case "clamped":
		class.name = word(n, "order", "none clamp-then-shift shift-then-clamp")
		s, clamp, before := new(big.Rat).Quo(x[2], x[1]), new(big.Rat).Quo(x[0], x[1]), class.name == "shift-then-clamp"
		// The shift before the clamp: post-processing of Laplace noise.
		f = map[bool]*factor{true: laplaceNoise(s), false: {pair: clamped{s, clamp}}}[before]
		f.only, r.oneWay = map[bool]string{true: "VERIFIED"}[before], true
		rejectIf(class.name == "none" || !before && clamp.Cmp(s) < 0, "clamped noise that is not understood")
		f.words = coqPart("ClampedLaplace", s, fmt.Sprintf("%s %t", coqNumber(clamp), before))
	case "discrete-laplace":
		f = discreteLaplace(x[0], whole(x[1], maxOutcomes/2)*distance)
	case "discrete-gaussian", "discrete-gaussian-sigma":
		s, ones := whole(x[1], maxOutcomes), int64(1)
		if d := n.get("dimension"); d.kind != 0 {
			text = append(text, fmt.Sprint(whole(r.number(d, "dimension"), 1)))
		} else { // any vector of norm s, and so s² ones
			s, ones = 1, s*s
		}
		f, count = discreteGaussian(x[0], s), count*ones
		f.only = map[bool]string{true: "REFUTED"}[ones > 1]
	case "randomized-response":
		f = r.randomizedResponse(x[0], whole(x[1], 1<<30))
	case "guarantee":
		rejectIf(!within(x[0], 0, 100_000), "a guarantee that is not understood")
		f = guarantee(x[0], x[1])
	case "zcdp":
		f = &factor{symmetric: true, only: "REFUTED", promise: x[0]}
	case "finite":
		f = finitePair(distribution(p), distribution(q))
	}
	form := class.name + "(" + strings.Join(text, " ") + ")"
	spend(300 * float64(len(form)))
	if f != nil {
		r.add(f, form, count)
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

// add adds count copies of a factor with a name, to those of an equal event where there are some. Gaussians that are
// not sampled are one Gaussian, whose μ² is the sum.
func (r *reader) add(f *factor, name string, count int64) {
	r.total += count
	rejectIf(r.total > maxCount, "too many compositions")
	f.name, f.count = name, count
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
		g := p.sample(rate)
		if f.pair = g; replaced && base.symmetric {
			g.squares = []*big.Rat{new(big.Rat).Mul(p.squares[0], big.NewRat(1, 4))}
			f.pair, f.symmetric, replaced = mirrored{g}, true, false
		}
	case mirrored:
		f.pair, f.symmetric, replaced = mirrored{p.sample(rate)}, true, false
	case laplace:
		f.pair, known = laplace{p.shift, new(big.Rat).Mul(p.rate, rate)}, true
	case *finite:
		visible := p.reveals && r.relation != "ADD_OR_REMOVE_ONE"
		f.symmetric, known, replaced = visible && base.symmetric, whole || visible, replaced && !p.reveals
		if alone := r.relation == "ADD_OR_REMOVE_ONE" || !p.endless; alone && !p.isSampled {
			f.pair = p.sample(rate, visible)
		}
	}
	rejectIf(f.pair == nil || replaced || base.count != 1 || base.only != "", "no sample of this for %s", r.relation)
	if base.eps != nil && known {
		f.eps, f.inf = base.eps, new(big.Rat).Mul(rate, base.inf)
	}
	return f
}

// sample is seen with probability γ, or else, not visibly, Q.
func (f *finite) sample(rate *big.Rat, visible bool) *finite {
	words := map[bool]string{false: coqPart("sample", rate, fmt.Sprintf("%t (%s)", visible, f.words))}[f.endless]
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

// often is at least P(K ≥ b) for K ~ Bin(n, q), where b is at least about the mean. In units of P(K = b), what is above
// is at most a geometric sum, as its ratios fall, and of what is below some terms are enough.
func often(n, b int64, q *big.Rat) *big.Rat {
	setPrecision(256)
	odds, term := rational(new(big.Rat).Quo(q, oneLess(q))), integer(1)
	above := integer(1).sub(odds.times(big.NewInt(n - b)).over(b + 1)).inv()
	all := above
	for k := b; k > max(0, b-maxOutcomes); k-- {
		term = term.times(big.NewInt(k)).over(n - k + 1).div(odds)
		all = all.add(term)
	}
	return above.div(all).min(integer(1)).high()
}

// noise is a pair of noise that is shifted, and its greatest loss.
func noise(p pair, loss *big.Rat) *factor {
	return &factor{pair: p, symmetric: true, eps: loss, inf: new(big.Rat)}
}
func laplaceNoise(s *big.Rat) *factor { return noise(laplace{s, big.NewRat(1, 1)}, s) }

// finitePair has the masses p and q. Exchanged, it may have the same ones.
func finitePair(p, q []*big.Rat) *factor {
	var here, back []string
	for i := range p {
		x, y := p[i].RatString(), q[i].RatString()
		here, back = append(here, x+":"+y), append(back, y+":"+x)
	}
	slices.Sort(here)
	slices.Sort(back)
	return &factor{symmetric: slices.Equal(here, back), pair: &finite{words: coqFinite(p, q), masses: func() (out []mass) {
		for i := range p {
			out = append(out, mass{rational(p[i]), rational(q[i])})
		}
		return out
	}}}
}

// oneLess is 1 − x.
func oneLess(x *big.Rat) *big.Rat { return new(big.Rat).Sub(big.NewRat(1, 1), x) }

// randomizedResponse has k answers: the truth with probability 1 − p + p/k. A null record answers uniformly.
func (r *reader) randomizedResponse(p *big.Rat, k int64) (f *factor) {
	rejectIf(k < 2 || r.relation == "ADD_OR_REMOVE_ONE", "%d answers have no meaning under %s", k, r.relation)
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
		lost, none, keep := rational(delta), integer(0), rational(oneLess(delta))
		least := keep.div(rational(eps).exp().add(integer(1)))
		most := keep.sub(least)
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
