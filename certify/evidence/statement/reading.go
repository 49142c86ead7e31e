// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package statement reads what a claim's event stands for, in the form of docs/certificate.md: its text, and its parts,
// pairs of distributions that are composed. Numbers about parts in float64 are for choices; the checker proves its own.
package statement

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/internal/number"
	"dpverify/mechanism"
)

// errNoForm reports an event of which the form of evidence knows nothing.
var errNoForm = errors.New("evidence: no form of evidence for this event")

// Limits of the checker.
const (
	maxCount = 1 << 40
	maxParts = 64
)

// A Reading is what a claim's event stands for, in the form of docs/certificate.md: its text, and
// its parts in their order.
type Reading struct {
	relation mechanism.Relation
	text     string
	Parts    []*Part
	bases    []*Part // what samples are of
}

// Read returns the reading of an event under a relation.
func Read(e mechanism.Event, rel mechanism.Relation) (*Reading, error) {
	r := &Reading{relation: rel}
	var err error
	if r.text, err = r.event(e, 1); err != nil {
		return nil, err
	}
	if rulesOf(rel).free && slices.ContainsFunc(r.Parts, oriented) {
		return nil, errNoForm
	}
	return r, nil
}

func oriented(p *Part) bool { return !SelfDual(p.Pair) }

// SelfDual reports that (Q, P) is (P, Q) with its outcomes renamed: atoms by their text, and noise mirrored. A pair is
// not of which only P is a mixture, or of which the atoms of P and Q are at different places.
func SelfDual(p Pair) bool {
	switch p := p.(type) {
	case Finite:
		return renamed(p.List())
	case Sampled, SampledDiscrete, Mixture, Truncated, Clamped:
		return false
	}
	return true
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
func (r *Reading) event(e mechanism.Event, count int64) (string, error) {
	text, p, err := r.read(e, count)
	if err != nil || p == nil {
		return text, err
	}
	p.name = text
	return text, r.add(p, count*max(p.Count, 1))
}

// read returns the text of an event and its part. The part is nil where there is none, or where the parts of other
// events stand for it, which read adds.
func (r *Reading) read(e mechanism.Event, count int64) (string, *Part, error) {
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
		s, base, p, err := r.sample(e.Event, e.SamplingProbability)
		if err != nil {
			return "", nil, err
		}
		r.bases = append(r.bases, base)
		return fmt.Sprintf("sampled(%s %s)", e.SamplingProbability.RatString(), s), p, nil
	case "GaussianDpEvent":
		e := e.(mechanism.Gaussian)
		noise := "gaussian-variance(" + e.Variance().RatString() + ")"
		if e.NoiseVariance == nil {
			noise = "gaussian(" + e.NoiseMultiplier.RatString() + ")"
		}
		return noise, &Part{Pair: Gaussian{Square: new(big.Rat).Quo(distance.Mul(distance, distance), e.Variance())}}, nil
	case "SampledWithoutReplacementDpEvent":
		e := e.(mechanism.SampledWithoutReplacement)
		s, base, p, err := r.sample(e.Event, big.NewRat(e.SampleSize, e.SourceDatasetSize))
		if err != nil {
			return "", nil, err
		}
		if _, ok := p.Pair.(Mirrored); !ok || base.Attained {
			return "", nil, errNoForm
		}
		p.Attained = true
		return fmt.Sprintf("without-replacement(%d %d %s)", e.SourceDatasetSize, e.SampleSize, s), p, nil
	case "ZCDpEvent":
		e := e.(mechanism.ZCDP)
		if e.Rho.Sign() == 0 || e.Xi.Sign() != 0 {
			return "", nil, errNoForm
		}
		return "zcdp(" + e.Rho.RatString() + ")", &Part{Pair: Promise{Rho: e.Rho}, Attained: true}, nil
	case "LaplaceDpEvent":
		e := e.(mechanism.Laplace)
		noise := Laplace{shifted{new(big.Rat).Quo(distance, e.NoiseMultiplier)}}
		return "laplace(" + e.NoiseMultiplier.RatString() + ")", &Part{Pair: noise}, nil
	case "PermuteAndFlipDpEvent":
		e := e.(mechanism.PermuteAndFlip)
		if e.Epsilon.Sign() == 0 {
			return "", nil, errNoForm
		}
		return "permute-and-flip(" + e.Epsilon.RatString() + ")", &Part{Pair: Laplace{shifted{e.Epsilon}}, Bounded: true},
			nil
	case "ExponentialMechanismDpEvent":
		e := e.(mechanism.ExponentialMechanism)
		if e.Epsilon.Sign() == 0 {
			return "", nil, errNoForm
		}
		return "exponential(" + e.Epsilon.RatString() + ")", &Part{Pair: Logistic{shifted{e.Epsilon}}, Bounded: true},
			nil
	case "ClampedLaplaceEvent":
		e := e.(mechanism.Clamped)
		noise := Laplace{shifted{new(big.Rat).Quo(e.Shift, e.Width)}}
		p, clamp := &Part{Pair: noise}, new(big.Rat).Quo(e.Location, e.Width)
		switch {
		case e.Shift.Sign() == 0:
			return "", nil, errNoForm
		case e.Order == mechanism.ShiftThenClamp:
			p.Bounded, p.Clamp = true, clamp
		case e.Location.Cmp(e.Shift) >= 0:
			p.Pair = Clamped{noise, clamp}
		default:
			return "", nil, errNoForm
		}
		return fmt.Sprintf("%s(%s %s %s)", e.Order, e.Location.RatString(), e.Width.RatString(), e.Shift.RatString()), p, nil
	case "DiscreteLaplaceDpEvent":
		e := e.(mechanism.DiscreteLaplace)
		if e.Sensitivity < 1 || e.Sensitivity > MaxOutcomes/2 {
			return "", nil, errNoForm
		}
		return fmt.Sprintf("discrete-laplace(%s %d)", e.NoiseParameter.RatString(), e.Sensitivity),
			&Part{Pair: newDiscreteLaplace(e.NoiseParameter, e.Sensitivity*distance.Num().Int64())}, nil
	case "DiscreteGaussianDpEvent":
		e := e.(mechanism.DiscreteGaussian)
		s, whole := number.Integer(e.Sensitivity, 1, MaxOutcomes)
		if e.Dimension > 1 || !whole {
			return "", nil, errNoForm
		}
		name, scale := "discrete-gaussian", e.Variance
		if scale == nil {
			name, scale = "discrete-gaussian-sigma", e.Sigma
		}
		text := scale.RatString() + " " + e.Sensitivity.RatString()
		shift, ones := s, int64(1)
		if e.Dimension == 1 {
			text += " 1"
		} else { // any vector of the norm s, and so s² ones
			shift, ones = 1, s*s
		}
		p, ok := newDiscreteGaussian(e.Sigma2(), shift)
		if !ok || count > maxCount/ones {
			return "", nil, errNoForm
		}
		return name + "(" + text + ")", &Part{Pair: p, Count: ones, Attained: ones > 1}, nil
	case "MixtureOfGaussiansDpEvent":
		e := e.(mechanism.MixtureOfGaussians)
		text, p := []string{e.StandardDeviation.RatString()}, Mixture{rest: new(big.Rat).Set(RatOne)}
		for i, s := range e.Sensitivities {
			text = append(text, s.RatString()+":"+e.SamplingProbs[i].RatString())
			if s.Sign() > 0 && e.SamplingProbs[i].Sign() > 0 {
				weight, mean := e.SamplingProbs[i], new(big.Rat).Quo(s, e.StandardDeviation)
				p.Bumps = append(p.Bumps, bump{weight, mean, number.Float64(weight), number.Float64(mean)})
				p.rest.Sub(p.rest, weight)
			}
		}
		if p.Bumps == nil || len(e.Sensitivities) > MaxOutcomes {
			return "", nil, errNoForm
		}
		return "mixture(" + strings.Join(text, " ") + ")", &Part{Pair: p}, nil
	case "TruncatedSubsampledGaussianDpEvent":
		e := e.(mechanism.TruncatedSubsampledGaussian)
		p, ok := newTruncated(e)
		if rulesOf(r.relation).visible || !ok { // a record that is replaced may keep its place
			return "", nil, errNoForm
		}
		return fmt.Sprintf("truncated(%d %s %d %s)", e.DatasetSize, e.SamplingProbability.RatString(), e.TruncatedBatchSize,
			e.NoiseMultiplier.RatString()), &Part{Pair: p, Bounded: true}, nil
	case "RandomizedResponseDpEvent":
		e := e.(mechanism.RandomizedResponse)
		p, err := r.response(e)
		if err != nil {
			return "", nil, err
		}
		return fmt.Sprintf("randomized-response(%s %d)", e.NoiseParameter.RatString(), e.NumBuckets), &Part{Pair: p}, nil
	case "EpsilonDeltaDpEvent":
		e := e.(mechanism.EpsilonDelta)
		p := newGuarantee(e.Epsilon, e.Delta)
		return fmt.Sprintf("guarantee(%s %s)", e.Epsilon.RatString(), e.Delta.RatString()), &Part{Pair: p}, nil
	case "FinitePairEvent":
		e := e.(mechanism.FinitePair)
		if len(e.P) > MaxOutcomes {
			return "", nil, errNoForm
		}
		var p Atoms
		var texts []string
		for i := range e.P {
			p = append(p, Atom{P: e.P[i], Q: e.Q[i]})
			texts = append(texts, e.P[i].RatString()+":"+e.Q[i].RatString())
		}
		return "finite(" + strings.Join(texts, " ") + ")", &Part{Pair: p}, nil
	}
	return "", nil, errNoForm
}

// add adds copies of a part, to the copies of an equal event where there are some. Gaussians that are not sampled
// are one, whose μ² is the sum.
func (r *Reading) add(p *Part, count int64) error {
	p.Count = count
	noise, isGaussian := p.Pair.(Gaussian)
	if isGaussian {
		noise.Square, p.Count = new(big.Rat).Mul(noise.Square, big.NewRat(count, 1)), 1
		p.Pair = noise
	}
	for _, o := range r.Parts {
		if other, ok := o.Pair.(Gaussian); ok && isGaussian {
			o.Pair = Gaussian{Square: new(big.Rat).Add(other.Square, noise.Square)}
			return nil
		} else if p.name == o.name {
			if o.Count += count; o.Count > maxCount {
				return errNoForm
			}
			return nil
		}
	}
	if len(r.Parts) == maxParts {
		return errNoForm
	}
	r.Parts = append(r.Parts, p)
	return nil
}

// sample returns the text of an event and its part, and the part of a Poisson sample of it.
func (r *Reading) sample(e mechanism.Event, rate *big.Rat) (text string, base, sample *Part, err error) {
	inner := Reading{relation: r.relation}
	if text, err = inner.event(e, 1); err != nil {
		return "", nil, nil, err
	}
	if rate.Sign() == 0 || len(inner.Parts) != 1 || inner.Parts[0].Count != 1 {
		return "", nil, nil, errNoForm
	}
	sample, err = r.sampled(inner.Parts[0], rate)
	return text, inner.Parts[0], sample, err
}

// sampled is a Poisson sample of a part; docs/relations.md has what it is under each relation.
func (r *Reading) sampled(base *Part, rate *big.Rat) (*Part, error) {
	rules := rulesOf(r.relation)
	if noise, ok := base.Pair.(Gaussian); ok && rules.free {
		quarter := new(big.Rat).Mul(noise.Square, big.NewRat(1, 4))
		return &Part{Pair: Mirrored{Gaussian{Square: quarter}, rate}}, nil
	}
	if base.Bounded || base.Attained {
		return nil, errNoForm
	}
	switch p := base.Pair.(type) {
	case Mirrored:
		return &Part{Pair: Mirrored{p.Gaussian, new(big.Rat).Mul(p.Rate, rate)}}, nil
	case Sampled:
		return &Part{Pair: Sampled{p.Divisible, new(big.Rat).Mul(p.Rate, rate)}}, nil
	case *DiscreteGaussian:
		if !rules.visible { // its function may depend on the number of records
			return &Part{Pair: p.sample(rate)}, nil
		}
	case Guarantee, Response:
		return &Part{Pair: sampleFinite(p.(Finite), rate, rules.visible)}, nil
	case Gaussian, Laplace:
		if !rules.free {
			return &Part{Pair: Sampled{p.(Divisible), rate}}, nil
		}
	case Atoms, DiscreteLaplace:
		if !rules.free {
			return &Part{Pair: sampleFinite(p.(Finite), rate, false)}, nil
		}
	}
	return nil, errNoForm
}

// response is randomized response.
func (r *Reading) response(e mechanism.RandomizedResponse) (p Response, err error) {
	k := e.NumBuckets
	if k < 2 || k > 1<<30 {
		return p, errNoForm
	}
	each := new(big.Rat).Mul(e.NoiseParameter, big.NewRat(1, k))
	truth := new(big.Rat).Sub(RatOne, new(big.Rat).Mul(each, big.NewRat(k-1, 1)))
	switch r.relation {
	case mechanism.ReplaceOne:
		rest := new(big.Rat).Mul(each, big.NewRat(k-2, 1))
		p.Atoms = Atoms{{P: truth, Q: each}, {P: each, Q: truth}, {P: rest, Q: rest}}
	case mechanism.ReplaceSpecial:
		u := big.NewRat(1, k)
		p.Atoms = Atoms{{P: truth, Q: u}, {P: new(big.Rat).Sub(RatOne, truth), Q: new(big.Rat).Sub(RatOne, u)}}
	case mechanism.AddOrRemoveOne: // it has no output without a record
		return p, errNoForm
	}
	return p, nil
}

// Directions are those that have to be bounded for a direction asked.
func (r *Reading) Directions(d mechanism.Direction) []mechanism.Direction {
	if d != mechanism.Both {
		return []mechanism.Direction{d}
	}
	if slices.ContainsFunc(r.Parts, oriented) {
		return []mechanism.Direction{mechanism.Remove, mechanism.Add}
	}
	return []mechanism.Direction{mechanism.Remove}
}

// Statement is what the hash of a certificate is of, for a claim that says text.
func (r *Reading) Statement(d mechanism.Direction, text string) string {
	return fmt.Sprintf("relation %s\ndirection %s\n%sevent %s\n", r.relation, d, text, r.text)
}

func PointText(eps, delta *big.Rat) string {
	return fmt.Sprintf("epsilon %s\ndelta %s\n", eps.RatString(), delta.RatString())
}
