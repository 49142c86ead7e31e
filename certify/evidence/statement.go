// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"dpverify/certify"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// errNoForm reports an event of which the form of evidence knows nothing.
var errNoForm = errors.New("evidence: no form of evidence for this event")

// Limits of the checker.
const (
	maxCount    = 1 << 40
	maxParts    = 64
	maxOutcomes = 1000
)

// A reading is what a claim's event stands for, in the form of docs/certificate.md: its text, and
// its parts in their order.
type reading struct {
	relation mechanism.Relation
	text     string
	parts    []*part
	bases    []*part // what samples are of
}

// read returns the reading of an event under a relation.
func read(e mechanism.Event, rel mechanism.Relation) (*reading, error) {
	r := &reading{relation: rel}
	var err error
	if r.text, err = r.event(e, 1); err != nil {
		return nil, err
	}
	for _, p := range r.parts {
		if rulesOf(rel).free && !p.selfDual() {
			return nil, errNoForm
		}
	}
	return r, nil
}

// A rule is what a relation means for noise and samples.
type rule struct {
	distance int64 // by how much a record moves a sum, in units of the norm of one
	free     bool  // either record may be on either side
	visible  bool  // a mechanism may show whether a record was sampled
}

func rulesOf(rel mechanism.Relation) rule {
	switch rel {
	case mechanism.ReplaceOne:
		return rule{distance: 2, free: true, visible: true}
	case mechanism.ReplaceSpecial:
		return rule{distance: 1, visible: true}
	case mechanism.AddOrRemoveOne:
		return rule{distance: 1}
	}
	panic(fmt.Sprintf("evidence: internal error: relation %v", rel))
}

// event adds count copies of an event and returns its text. An event that it does not name has no
// evidence, which is always right; so the switch is over names, and a new event needs no entry.
func (r *reading) event(e mechanism.Event, count int64) (string, error) {
	text, p, err := r.read(e, count)
	if err != nil || p == nil {
		return text, err
	}
	p.name = text
	return text, r.add(p, count)
}

// read returns the text of an event and its part. The part is nil where there is none, or where the parts of other events stand for
// it, which read adds.
func (r *reading) read(e mechanism.Event, count int64) (string, *part, error) {
	distance := big.NewRat(rulesOf(r.relation).distance, 1)
	switch e.ClassName() {
	case "NoOpDpEvent":
		return "noop()", nil, nil
	case "ComposedDpEvent":
		e := e.(mechanism.Composed)
		var texts []string
		for _, x := range e.Events {
			s, err := r.event(x, count)
			if err != nil {
				return "", nil, err
			}
			texts = append(texts, s)
		}
		return "composed(" + strings.Join(texts, " ") + ")", nil, nil
	case "SelfComposedDpEvent":
		e := e.(mechanism.SelfComposed)
		if e.Count > maxCount/count {
			return "", nil, errNoForm
		}
		s, err := r.event(e.Event, count*e.Count)
		return fmt.Sprintf("self-composed(%d %s)", e.Count, s), nil, err
	case "PoissonSampledDpEvent":
		e := e.(mechanism.PoissonSampled)
		inner := reading{relation: r.relation}
		s, err := inner.event(e.Event, 1)
		if err != nil {
			return "", nil, err
		}
		if e.SamplingProbability.Sign() == 0 || len(inner.parts) != 1 || inner.parts[0].count != 1 || inner.parts[0].rate != nil || inner.parts[0].sampled {
			return "", nil, errNoForm
		}
		r.bases = append(r.bases, inner.parts[0])
		p, err := r.sample(inner.parts[0], e.SamplingProbability)
		if err != nil {
			return "", nil, err
		}
		return fmt.Sprintf("sampled(%s %s)", e.SamplingProbability.RatString(), s), p, nil
	case "GaussianDpEvent":
		e := e.(mechanism.Gaussian)
		noise := "gaussian-variance(" + e.Variance().RatString() + ")"
		if e.NoiseVariance == nil {
			noise = "gaussian(" + e.NoiseMultiplier.RatString() + ")"
		}
		return noise, &part{kind: gaussian, shift: new(big.Rat).Quo(distance.Mul(distance, distance), e.Variance())}, nil
	case "LaplaceDpEvent":
		e := e.(mechanism.Laplace)
		return "laplace(" + e.NoiseMultiplier.RatString() + ")", &part{kind: laplace, shift: new(big.Rat).Quo(distance, e.NoiseMultiplier)}, nil
	case "PermuteAndFlipDpEvent":
		e := e.(mechanism.PermuteAndFlip)
		if e.Epsilon.Sign() == 0 {
			return "", nil, errNoForm
		}
		return "permute-and-flip(" + e.Epsilon.RatString() + ")", &part{kind: laplace, shift: e.Epsilon, bounded: true}, nil
	case "ExponentialMechanismDpEvent":
		e := e.(mechanism.ExponentialMechanism)
		if e.Epsilon.Sign() == 0 {
			return "", nil, errNoForm
		}
		return "exponential(" + e.Epsilon.RatString() + ")", &part{kind: logisticNoise, shift: e.Epsilon, bounded: true}, nil
	case "ClampedLaplaceEvent":
		e := e.(mechanism.ClampedLaplace)
		p := &part{kind: laplace, shift: new(big.Rat).Quo(e.Shift, e.Scale)}
		switch {
		case e.Shift.Sign() == 0:
			return "", nil, errNoForm
		case e.Order == mechanism.ShiftThenClamp:
			p.bounded = true
		case e.Location.Cmp(e.Shift) >= 0:
			p.clamp = new(big.Rat).Quo(e.Location, e.Scale)
		default:
			return "", nil, errNoForm
		}
		return fmt.Sprintf("%s(%s %s %s)", e.Order, e.Location.RatString(), e.Scale.RatString(), e.Shift.RatString()), p, nil
	case "DiscreteLaplaceDpEvent":
		e := e.(mechanism.DiscreteLaplace)
		if e.Sensitivity < 1 || e.Sensitivity > maxOutcomes/2 {
			return "", nil, errNoForm
		}
		return fmt.Sprintf("discrete-laplace(%s %d)", e.NoiseParameter.RatString(), e.Sensitivity),
			discreteLaplace(e.NoiseParameter, e.Sensitivity*distance.Num().Int64()), nil
	case "MixtureOfGaussiansDpEvent":
		e := e.(mechanism.MixtureOfGaussians)
		text, p := []string{e.StandardDeviation.RatString()}, &part{kind: gaussian, rest: new(big.Rat).Set(ratOne)}
		for i, s := range e.Sensitivities {
			text = append(text, s.RatString()+":"+e.SamplingProbs[i].RatString())
			if s.Sign() > 0 && e.SamplingProbs[i].Sign() > 0 {
				weight, mean := e.SamplingProbs[i], new(big.Rat).Quo(s, e.StandardDeviation)
				p.bumps = append(p.bumps, bump{weight, mean, number.Float64(weight), number.Float64(mean)})
				p.rest.Sub(p.rest, weight)
			}
		}
		if p.bumps == nil || len(e.Sensitivities) > maxOutcomes {
			return "", nil, errNoForm
		}
		return "mixture(" + strings.Join(text, " ") + ")", p, nil
	case "RandomizedResponseDpEvent":
		e := e.(mechanism.RandomizedResponse)
		p, err := r.response(e)
		if err != nil {
			return "", nil, err
		}
		return fmt.Sprintf("randomized-response(%s %d)", e.NoiseParameter.RatString(), e.NumBuckets), p, nil
	case "EpsilonDeltaDpEvent":
		e := e.(mechanism.EpsilonDelta)
		return fmt.Sprintf("guarantee(%s %s)", e.Epsilon.RatString(), e.Delta.RatString()), guarantee(e.Epsilon, e.Delta), nil
	case "FinitePairEvent":
		e := e.(mechanism.FinitePair)
		if len(e.P) > maxOutcomes {
			return "", nil, errNoForm
		}
		p := &part{kind: finite}
		var texts []string
		for i := range e.P {
			p.atoms = append(p.atoms, atom{p: e.P[i], q: e.Q[i]})
			texts = append(texts, e.P[i].RatString()+":"+e.Q[i].RatString())
		}
		return "finite(" + strings.Join(texts, " ") + ")", p, nil
	}
	return "", nil, errNoForm
}

// add adds copies of a part, to the copies of an equal event where there are some. Gaussians that are not sampled
// are one, whose μ² is the sum.
func (r *reading) add(p *part, count int64) error {
	p.count = count
	times := big.NewRat(count, 1)
	for _, o := range r.parts {
		switch {
		case p.isGaussian() && o.isGaussian():
			o.shift = new(big.Rat).Add(o.shift, times.Mul(times, p.shift))
			return nil
		case p.name == o.name:
			if o.count += count; o.count > maxCount {
				return errNoForm
			}
			return nil
		}
	}
	if p.isGaussian() {
		p.shift, p.count = times.Mul(times, p.shift), 1
	}
	if len(r.parts) == maxParts {
		return errNoForm
	}
	r.parts = append(r.parts, p)
	return nil
}

// sample is a Poisson sample of a part; docs/relations.md has what it is under each relation.
func (r *reading) sample(base *part, rate *big.Rat) (*part, error) {
	rules := rulesOf(r.relation)
	switch {
	case base.bounded || base.clamp != nil || base.bumps != nil || rules.free && !base.response:
		return nil, errNoForm
	case base.kind != finite:
		return &part{kind: base.kind, shift: base.shift, rate: rate}, nil
	}
	visible := base.response && rules.visible
	keep := new(big.Rat).Sub(ratOne, rate)
	p := &part{kind: finite, response: base.response, sampled: true}
	if visible {
		p.atoms = append(p.atoms, atom{p: keep, q: keep})
		if base.eps != nil {
			p.eps, p.inf = base.eps, new(big.Rat).Mul(rate, base.inf)
		}
	}
	for _, a := range base.atoms {
		b := atom{p: new(big.Rat).Mul(rate, a.p), q: a.q, ep: a.ep, eq: a.eq}
		if visible {
			b.q = new(big.Rat).Mul(rate, a.q)
		} else {
			b.mix = new(big.Rat).Mul(keep, a.q)
		}
		p.atoms = append(p.atoms, b)
	}
	return p, nil
}

// response is randomized response.
func (r *reading) response(e mechanism.RandomizedResponse) (*part, error) {
	k := e.NumBuckets
	if k < 2 || k > 1<<30 {
		return nil, errNoForm
	}
	each := new(big.Rat).Mul(e.NoiseParameter, big.NewRat(1, k))
	truth := new(big.Rat).Sub(ratOne, new(big.Rat).Mul(each, big.NewRat(k-1, 1)))
	p := &part{kind: finite, response: true}
	switch r.relation {
	case mechanism.ReplaceOne:
		rest := new(big.Rat).Mul(each, big.NewRat(k-2, 1))
		p.atoms = []atom{{p: truth, q: each}, {p: each, q: truth}, {p: rest, q: rest}}
	case mechanism.ReplaceSpecial:
		u := big.NewRat(1, k)
		p.atoms = []atom{{p: truth, q: u}, {p: new(big.Rat).Sub(ratOne, truth), q: new(big.Rat).Sub(ratOne, u)}}
	case mechanism.AddOrRemoveOne: // it has no output without a record
		return nil, errNoForm
	}
	return p, nil
}

// directions are those that have to be bounded for a direction asked.
func (r *reading) directions(d mechanism.Direction) []mechanism.Direction {
	if d != mechanism.Both {
		return []mechanism.Direction{d}
	}
	for _, p := range r.parts {
		if !p.selfDual() {
			return []mechanism.Direction{mechanism.Remove, mechanism.Add}
		}
	}
	return []mechanism.Direction{mechanism.Remove}
}

// statement is what the hash of a certificate is of, for a claim that says text.
func (r *reading) statement(d mechanism.Direction, text string) string {
	return fmt.Sprintf("relation %s\ndirection %s\n%sevent %s\n", r.relation, d, text, r.text)
}

// certificate is one without chains, for a claim that says text.
func (r *reading) certificate(d mechanism.Direction, text string, v certify.Verdict) certificate {
	sum := sha256.Sum256([]byte(r.statement(d, text)))
	return certificate{Version: version, Claim: hex.EncodeToString(sum[:]), Verdict: strings.ToUpper(string(v))}
}

func pointText(eps, delta *big.Rat) string {
	return fmt.Sprintf("epsilon %s\ndelta %s\n", eps.RatString(), delta.RatString())
}
