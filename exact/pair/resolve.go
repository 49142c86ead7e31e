package pair

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/mechanism"
)

// A Problem is what has to be bounded for an event under a relation: the
// profile of Product, in the `remove` orientation as written and in the `add`
// orientation reversed.
type Problem struct {
	// Product dominates the event. Unless Witnesses is set it is also attained,
	// so that its profile is the answer.
	Product Product
	// Witnesses, when not nil, are pairs that the event attains or, for a
	// guarantee, that satisfy it: each bounds the answer from below. Product then
	// bounds from above only.
	Witnesses []Product
	// BothOnly says that only the maximum of the two orientations is defined.
	BothOnly bool
	// Notes are assumptions that the answer rests on, for people.
	Notes []string
}

// A RelationError says that an event is not defined, or not proved, under a
// neighbouring relation.
type RelationError struct {
	Path, Class string
	Relation    mechanism.Relation
	Reason      string
}

func (e *RelationError) Error() string {
	place := "mechanism: "
	if e.Path != "event" && e.Path != "" {
		place += e.Path + ": "
	}
	return fmt.Sprintf("%s%s: %s under %s", place, e.Class, e.Reason, e.Relation)
}

// A DirectionError says that a direction is not defined.
type DirectionError struct{ Direction mechanism.Direction }

func (e *DirectionError) Error() string {
	return fmt.Sprintf("direction = %s, want both: under REPLACE_ONE each factor may be oriented either way, and some factor is not self-dual", e.Direction)
}

// Orientations returns the products whose profiles' maximum answers the
// direction, for a p.Product or one of p.Witnesses.
func (p Problem) Orientations(prod Product, d mechanism.Direction) ([]Product, error) {
	if p.BothOnly && d != mechanism.Both {
		return nil, &DirectionError{d}
	}
	if prod.SelfDual() {
		return []Product{prod}, nil
	}
	switch d {
	case mechanism.Remove:
		return []Product{prod}, nil
	case mechanism.Add:
		return []Product{prod.Reverse()}, nil
	}
	return []Product{prod, prod.Reverse()}, nil
}

// Resolve returns the pairs that e stands for under a neighbouring relation.
// docs/relations.md has the table with its sources. The error is a
// *RelationError or one of package mechanism.
func Resolve(e mechanism.Event, rel mechanism.Relation) (Problem, error) {
	r := resolver{rel: rel}
	m, err := r.composition(e, "event")
	if err != nil {
		return Problem{}, err
	}
	p := Problem{Product: m.upper, Notes: r.notes}
	if m.guarantee {
		p.Witnesses = m.witnesses[:]
	}
	if rel == mechanism.ReplaceOne {
		p.orientFreely()
	}
	return p, nil
}

// orientFreely accounts for factors that are not self-dual under REPLACE_ONE: the
// two records may be exchanged in any factor. A single factor is as it is, with the
// maximum of its orientations; of several, each is replaced by the least pair that
// dominates both of its orientations (docs/errata.md, C3, has the counterexample
// against doing less). The factors as they stand, and with every other copy
// reversed, are what some mechanism attains.
func (p *Problem) orientFreely() {
	if p.Product.SelfDual() {
		return
	}
	p.BothOnly = true
	if len(p.Product) == 1 && p.Product[0].Count == 1 {
		return
	}
	if p.Witnesses == nil {
		p.Witnesses = []Product{p.Product, p.Product.alternate()}
	}
	symmetric := make(Product, len(p.Product))
	for i, t := range p.Product {
		switch x := t.Pair.(type) {
		case Finite:
			t.Pair = x.Symmetrise()
		default:
			if !x.SelfDual() {
				t.Pair = Symmetric{x}
			}
		}
		symmetric[i] = t
	}
	p.Product = symmetric.normalise()
}

// alternate reverses every other copy of each factor.
func (p Product) alternate() Product {
	var out Product
	for _, t := range p {
		if n := t.Count / 2; n > 0 {
			out = append(out, Term{t.Pair.Reverse(), n})
		}
		out = append(out, Term{t.Pair, t.Count - t.Count/2})
	}
	return out.normalise()
}

// A meaning is what a composition stands for: a product that dominates it and,
// if it has guarantees among its factors, two products that satisfy them all.
type meaning struct {
	upper     Product
	guarantee bool
	witnesses [2]Product
}

// add adds count copies of a product and of its witnesses.
func (m *meaning) add(p Product, witnesses [2]Product, count int64) {
	m.upper = append(m.upper, p.times(count)...)
	for i, w := range witnesses {
		m.witnesses[i] = append(m.witnesses[i], w.times(count)...)
	}
}

func (m *meaning) normalise() {
	m.upper = m.upper.normalise()
	for i, w := range m.witnesses {
		m.witnesses[i] = w.normalise()
	}
}

// times returns count copies of p; counts saturate at tooMany.
func (p Product) times(count int64) Product {
	out := make(Product, len(p))
	for i, t := range p {
		n := int64(tooMany)
		if t.Count <= tooMany/count {
			n = t.Count * count
		}
		out[i] = Term{t.Pair, n}
	}
	return out
}

// tooMany exceeds mechanism.MaxCount by far, and sums of many such counts fit.
const tooMany = mechanism.MaxCount << 10

type resolver struct {
	rel   mechanism.Relation
	notes []string
}

func (r *resolver) note(s string) {
	for _, n := range r.notes {
		if n == s {
			return
		}
	}
	r.notes = append(r.notes, s)
}

// composition resolves every factor of e.
func (r *resolver) composition(e mechanism.Event, path string) (meaning, error) {
	var m meaning
	factors, err := mechanism.Factors(e)
	if err != nil {
		return m, err
	}
	for _, f := range factors {
		fp := path + f.Path[len("event"):]
		if err := r.factor(&m, f.Event, f.Count, fp); err != nil {
			return m, err
		}
	}
	m.normalise()
	for _, t := range m.upper {
		// Package mechanism bounds counts, but for samples of everything, which are
		// only seen through here.
		if t.Count > mechanism.MaxCount {
			return m, &mechanism.ParamError{Path: strings.TrimPrefix(path, "event"), Field: "count of all factors", Value: fmt.Sprintf("more than %d", mechanism.MaxCount),
				Want: fmt.Sprintf("at most %d", mechanism.MaxCount)}
		}
	}
	return m, nil
}

// factor adds count copies of a basic event to m.
func (r *resolver) factor(m *meaning, e mechanism.Event, count int64, path string) error {
	exact := func(p Pair) error {
		q := Product{{p, 1}}
		m.add(q, [2]Product{q, q}, count)
		return nil
	}
	undefined := func(reason string) error {
		return &RelationError{path, e.ClassName(), r.rel, reason}
	}
	one := big.NewRat(1, 1)
	if equalDistributions(e) {
		return nil
	}
	switch e := e.(type) {
	case mechanism.NonPrivate:
		return exact(Response{new(big.Rat), one})
	case mechanism.Gaussian:
		// μ = c/σ: one record of norm ≤ C moves the mean by up to c·C.
		mu := new(big.Rat).Quo(r.sensitivity(), e.NoiseMultiplier)
		return exact(Gaussian{mu.Mul(mu, mu)})
	case mechanism.Laplace:
		return exact(Laplace{new(big.Rat).Quo(r.sensitivity(), e.NoiseMultiplier)})
	case mechanism.DiscreteLaplace:
		return exact(DiscreteLaplace{e.NoiseParameter, e.Sensitivity * r.sensitivity().Num().Int64()})
	case mechanism.DiscreteGaussian:
		return exact(DiscreteGaussian{new(big.Rat).Mul(e.Sigma, e.Sigma), e.Sensitivity * r.sensitivity().Num().Int64()})
	case mechanism.RandomizedResponse:
		switch r.rel {
		case mechanism.ReplaceOne:
			return r.exactUnlessTrivial(exact, replaceOneResponse(e))
		case mechanism.ReplaceSpecial:
			return r.exactUnlessTrivial(exact, replaceSpecialResponse(e))
		}
		return undefined("randomized response has no neighbour with a record more or less; it is not defined")
	case mechanism.MixtureOfGaussians:
		if r.rel == mechanism.ReplaceOne {
			return undefined("no dominating pair is proved for a mixture of Gaussians")
		}
		if p := newGaussianMixture(e); p != nil {
			return exact(p)
		}
		return nil
	case mechanism.EpsilonDelta:
		return exact(Response{e.Epsilon, e.Delta})
	case mechanism.ExponentialMechanism:
		return exact(Response{e.Epsilon, new(big.Rat)})
	case mechanism.PermuteAndFlip:
		return exact(Response{e.Epsilon, new(big.Rat)})
	case mechanism.ZCDP:
		if e.Rho.Sign() == 0 && e.Xi.Sign() == 0 {
			return nil // no divergence at all: P = Q
		}
		m.guarantee = true
		m.add(Product{{ZCDP{e.Rho, e.Xi}, 1}}, zcdpWitnesses(e), count)
		return nil
	case mechanism.RenyiCurve:
		m.guarantee = true
		m.add(Product{{RenyiCurve{e.Orders, e.Values}, 1}}, renyiWitnesses(e), count)
		return nil
	case mechanism.DominatingPair:
		return exact(newHull(e.Profile))
	case mechanism.FinitePair:
		return r.exactUnlessTrivial(exact, NewFinite(e.P, e.Q))
	case mechanism.HistogramPair:
		return r.exactUnlessTrivial(exact, NewFinite(e.P, e.Q))
	case mechanism.TruncatedGaussian:
		return exact(TruncatedGaussian{e.Sigma, e.Sensitivity, e.Radius})
	case mechanism.TruncatedLaplace:
		return exact(TruncatedLaplace{e.Scale, e.Sensitivity, e.Radius})
	case mechanism.ClampedLaplace:
		return exact(ClampedLaplace{Location: e.Location, Scale: e.Scale, Shift: e.Shift, ShiftFirst: e.Order == mechanism.ShiftThenClamp})
	case mechanism.Binomial:
		return exact(newBinomial(e))
	case mechanism.PoissonSampled:
		return r.poisson(m, e, count, path)
	case mechanism.SampledWithoutReplacement:
		return r.subset(m, e, count, path)
	}
	return &mechanism.UnsupportedError{Path: path, Class: e.ClassName()}
}

// equalDistributions reports a sensitivity of 0: a neutral factor.
func equalDistributions(e mechanism.Event) bool {
	switch e := e.(type) {
	case mechanism.DiscreteLaplace:
		return e.Sensitivity == 0
	case mechanism.DiscreteGaussian:
		return e.Sensitivity == 0
	case mechanism.Binomial:
		return e.Sensitivity == 0
	case mechanism.TruncatedGaussian:
		return e.Sensitivity.Sign() == 0
	case mechanism.TruncatedLaplace:
		return e.Sensitivity.Sign() == 0
	case mechanism.ClampedLaplace:
		return e.Shift.Sign() == 0
	}
	return false
}

// exactUnlessTrivial drops a pair of equal distributions: a neutral factor.
func (r *resolver) exactUnlessTrivial(exact func(Pair) error, f Finite) error {
	if len(f.Masses) == 1 && f.Masses[0].P.Cmp(f.Masses[0].Q) == 0 {
		return nil
	}
	return exact(f)
}

// sensitivity is the factor c by which one record moves an answer, in units of
// the clipping norm C: noise multipliers are σ/C, and replacing a record of norm
// ≤ C by another moves the sum by up to 2C.
func (r *resolver) sensitivity() *big.Rat {
	if r.rel == mechanism.ReplaceOne {
		return big.NewRat(2, 1)
	}
	return big.NewRat(1, 1)
}

// poisson resolves Poisson sampling.
func (r *resolver) poisson(m *meaning, e mechanism.PoissonSampled, count int64, path string) error {
	if r.rel == mechanism.ReplaceOne {
		return r.poissonReplaceOne(m, e, count, path)
	}
	base, err := r.composition(e.Event, path+".event")
	if err != nil {
		return err
	}
	m.guarantee = m.guarantee || base.guarantee
	sample := func(p Product) Product { return samplePoisson(e.SamplingProbability, p) }
	m.add(sample(base.upper), [2]Product{sample(base.witnesses[0]), sample(base.witnesses[1])}, count)
	return nil
}

// samplePoisson returns the sampled product: again a finite pair when the base
// is one.
func samplePoisson(rate *big.Rat, base Product) Product {
	switch {
	case len(base) == 0:
		return nil
	case len(base) == 1 && base[0].Count == 1:
		if f, ok := base[0].Pair.(Finite); ok {
			return Product{{f.Sample(rate), 1}}
		}
	}
	return Product{{Sampled{Rate: rate, Base: base}, 1}}
}

// poissonReplaceOne: the pair of the Gaussian is the one that dp_accounting
// uses; that it is the worst case is observed, not proved. A guarantee that
// holds for replacing a record says nothing about the presence of a record, so
// sampling does not amplify ε; δ ≤ q·δ₀ is attained by a mechanism that reveals
// whether the record was sampled.
func (r *resolver) poissonReplaceOne(m *meaning, e mechanism.PoissonSampled, count int64, path string) error {
	factors, err := mechanism.Factors(e.Event)
	if err != nil {
		return err
	}
	if g, ok := factors[0].Event.(mechanism.Gaussian); ok && len(factors) == 1 && factors[0].Count == 1 {
		r.note("Poisson sampling of a Gaussian under REPLACE_ONE: that (1−q)N(0)+qN(1) against (1−q)N(0)+qN(−1) is the worst case is assumed, as in dp_accounting, not proved")
		mu := new(big.Rat).Inv(g.NoiseMultiplier)
		p := Product{{SampledReplaceGaussian{e.SamplingProbability, mu.Mul(mu, mu)}, 1}}
		m.add(p, [2]Product{p, p}, count)
		return nil
	}
	for _, f := range factors {
		switch f.Event.(type) {
		case mechanism.EpsilonDelta, mechanism.ZCDP, mechanism.RenyiCurve, mechanism.DominatingPair,
			mechanism.ExponentialMechanism, mechanism.PermuteAndFlip, mechanism.NonPrivate:
		default:
			return &RelationError{path, e.ClassName(), r.rel, "Poisson sampling of " + f.Event.ClassName() + " is not defined"}
		}
	}
	base, err := r.composition(e.Event, path+".event")
	if err != nil {
		return err
	}
	m.guarantee = m.guarantee || base.guarantee
	mix := func(p Product) Product { return Product{{Mixed{e.SamplingProbability, p}, 1}} }
	m.add(mix(base.upper), [2]Product{mix(base.witnesses[0]), mix(base.witnesses[1])}, count)
	return nil
}

// samplesRecords reports whether a factor is a Poisson sample under REPLACE_ONE.
func (p Product) samplesRecords() bool {
	for _, t := range p {
		switch t.Pair.(type) {
		case Mixed, SampledReplaceGaussian:
			return true
		}
	}
	return false
}

// subset resolves sampling without replacement: with rate γ = sample/source and
// a self-dual base pair (P, Q) for replacing a record, H_α is at most
// H_α((1−γ)Q + γP‖Q) for α ≥ 1 and H_α(P‖(1−γ)P + γQ) for α ≤ 1
// [Zhu, Dong & Wang 2022, Proposition 30]. By self-duality the second is
// H_α(Q‖(1−γ)Q + γP), so the two are the orientations of one sampled pair, which
// is attained; the maximum of the two is exact for a single factor.
//
// It is attained by data in which all other records are the one that replaces: a sample
// without the record has Q, too. That is not so if the base is a Poisson sample, whose
// worst pair has no other records; with t of m ≥ 2 records left, only γ·t/m of what
// is left is the record. For guarantees of (log 3, 0)-DP, γ = 2/3, m = 2, q = 1/2, α = 2 the
// sampled pair has H_α = 1/24, and no mechanism more than 1/48: t = 1 and 2 contribute at most
// q_t·θ·H_{1+(α−1)/θ}(3/4, 1/4 ‖ 1/4, 3/4), θ = γt/m, with the probability q_t of t.
func (r *resolver) subset(m *meaning, e mechanism.SampledWithoutReplacement, count int64, path string) error {
	if r.rel != mechanism.ReplaceOne {
		return &RelationError{path, e.ClassName(), r.rel, "sampling without replacement is not defined"}
	}
	base, err := r.composition(e.Event, path+".event")
	if err != nil {
		return err
	}
	if !base.upper.SelfDual() {
		return &RelationError{path, e.ClassName(), r.rel, "sampling without replacement of a pair that is not self-dual is not proved"}
	}
	if e.SampleSize == e.SourceDatasetSize {
		m.guarantee = m.guarantee || base.guarantee
		m.add(base.upper, base.witnesses, count)
		return nil
	}
	rate := big.NewRat(e.SampleSize, e.SourceDatasetSize)
	sample := func(p Product) Product { return samplePoisson(rate, p) }
	if e.SampleSize > 1 && base.upper.samplesRecords() {
		m.guarantee = true
		m.add(sample(base.upper), [2]Product{}, count) // nothing is known to be attained
		return nil
	}
	m.guarantee = m.guarantee || base.guarantee
	m.add(sample(base.upper), [2]Product{sample(base.witnesses[0]), sample(base.witnesses[1])}, count)
	return nil
}
