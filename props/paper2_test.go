package props

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// sumOutcomes encloses Σ (P − αQ)₊ over outcomes, and what outcomes left out may add.
func sumOutcomes(os []pair.Outcome, rest, alpha interval.Interval) interval.Interval {
	const w = interval.Prec(400)
	sum := interval.Union(interval.Int(0), rest)
	for _, o := range os {
		sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(o.P, w.Mul(alpha, o.Q))))
	}
	return sum
}

func ratInterval(lo, hi *big.Rat) interval.Interval {
	const w = interval.Prec(400)
	return interval.Union(w.Rat(lo), w.Rat(hi))
}

// finiteModel returns a finite pair as a model.
func finiteModel(f pair.Finite) model {
	var m model
	for _, x := range f.Masses {
		m.P, m.Q = append(m.P, x.P), append(m.Q, x.Q)
	}
	return m
}

// checkFinite verifies that f is a pair of distributions.
func checkFinite(f pair.Finite) error {
	p, q := new(big.Rat), new(big.Rat)
	for _, m := range f.Masses {
		if m.P.Sign() < 0 || m.Q.Sign() < 0 {
			return fmt.Errorf("%s has a negative mass", f)
		}
		p.Add(p, m.P)
		q.Add(q, m.Q)
	}
	if p.Cmp(one) != 0 || q.Cmp(one) != 0 {
		return fmt.Errorf("%s: masses sum to %s and %s", f, p.RatString(), q.RatString())
	}
	return nil
}

// Zhu, Dong & Wang 2022, Lemma 5(3): δ(ε) = P(L > ε) − e^ε·Q(L > ε), where outcomes with
// Q = 0 have L = ∞. The losses of a finite pair tell exactly which outcomes count.
func TestLemma5TailsOfTheLoss(t *testing.T) {
	forAll(t, 150, scenes, func(s scene) error {
		os, rest, ok := pair.Outcomes(s.A.finite(), s.Prec, 100)
		if !ok || !rest.IsZero() {
			return fmt.Errorf("no outcomes")
		}
		for _, alpha := range alphas(s.A) {
			if alpha.Sign() == 0 {
				continue
			}
			const w = interval.Prec(400)
			p, q := interval.Int(0), interval.Int(0)
			for _, o := range os {
				above := o.Q.IsZero()
				if !above && !o.P.IsZero() {
					above = o.Loss.Add(pair.LogLoss(alpha).Neg()).Cmp(zero) > 0
				}
				if above {
					p, q = w.Add(p, o.P), w.Add(q, o.Q)
				}
			}
			if err := refuteRat(w.Sub(p, w.Mul(w.Rat(alpha), q)), s.A.delta(alpha), "H_%s", alpha.RatString()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Proposition 8 and Lemma 9: every convex falling H with
// H(0) = 1 and H ≥ (1 − α)₊ is the profile of a pair. Symmetrise constructs it for the
// maximum of both orientations of a finite pair.
func TestProposition8Symmetrise(t *testing.T) {
	forAll(t, 150, scenes, func(s scene) error {
		f := s.A.finite()
		g := f.Symmetrise()
		if err := checkFinite(g); err != nil {
			return err
		}
		if !g.SelfDual() {
			return fmt.Errorf("%s is not self-dual", g)
		}
		for _, alpha := range alphas(s.A, finiteModel(g)) {
			want := maxRat(s.A.delta(alpha), s.A.reverse().delta(alpha))
			if got := finiteModel(g).delta(alpha); got.Cmp(want) != 0 {
				return fmt.Errorf("H_%s = %s, want the maximum %s", alpha.RatString(), got.RatString(), want.RatString())
			}
		}
		return nil
	})
}

// A hullCase is a pair, points of ε and how much of the rest to 1 is added to the
// pair's δ there: 0 for a tight bound.
type hullCase struct {
	A     model
	Eps   []*big.Rat
	Slack []*big.Rat
	Prec  interval.Prec
}

func (c hullCase) String() string {
	s := c.A.String() + "; points"
	for i := range c.Eps {
		s += fmt.Sprintf(" (ε = %s, slack %s)", c.Eps[i].RatString(), c.Slack[i].RatString())
	}
	return fmt.Sprintf("%s; %d bits", s, c.Prec)
}

var hullCases = generator[hullCase]{
	draw: func(r *rand.Rand) hullCase {
		c := hullCase{A: drawModel(r), Prec: drawPrec(r)}
		for range 1 + r.Intn(4) {
			c.Eps = append(c.Eps, drawReal(r))
		}
		slices.SortFunc(c.Eps, (*big.Rat).Cmp)
		c.Eps = slices.CompactFunc(c.Eps, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
		for range c.Eps {
			x := zero
			if r.Intn(2) == 0 {
				x = drawRate(r)
			}
			c.Slack = append(c.Slack, x)
		}
		return c
	},
	shrink: func(c hullCase) []hullCase {
		var out []hullCase
		for _, a := range shrinkModel(c.A) {
			out = append(out, hullCase{a, c.Eps, c.Slack, c.Prec})
		}
		if len(c.Eps) > 1 {
			for i := range c.Eps {
				out = append(out, hullCase{c.A, slices.Delete(slices.Clone(c.Eps), i, i+1), slices.Delete(slices.Clone(c.Slack), i, i+1), c.Prec})
			}
		}
		return out
	},
}

// event returns the bound on the profile that A satisfies by construction.
func (c hullCase) event() mechanism.DominatingPair {
	var e mechanism.DominatingPair
	for i, eps := range c.Eps {
		d := c.A.guarantee(eps)
		d = add(d, mul(c.Slack[i], sub(one, d)))
		// Rounded up to few digits, so that it can be written.
		n := new(big.Int).Quo(mul(d, pow2(80)).Num(), mul(d, pow2(80)).Denom())
		d = minRat(one, mul(new(big.Rat).SetInt(n.Add(n, big.NewInt(1))), pow2(-80)))
		e.Profile = append(e.Profile, mechanism.ProfilePoint{Epsilon: eps, Delta: d})
	}
	return e
}

// Zhu, Dong & Wang 2022, Lemma 9 and Corollary 26: the hull of bounds on a profile
// is the profile of a pair that respects them, in both orientations, and dominates
// every pair that does; its products dominate products.
func TestCorollary26Hull(t *testing.T) {
	forAll(t, 10, hullCases, func(c hullCase) error {
		e := c.event()
		prob, err := pair.Resolve(e, mechanism.AddOrRemoveOne)
		if err != nil {
			return err
		}
		points := append([]*big.Rat{zero, rat("-3"), rat("3"), rat("60")}, c.Eps...)
		for _, k := range []int64{1, 2} {
			prod := pair.Product{{Pair: prob.Product[0].Pair, Count: k}}
			truth := c.A.blurred().power(int(k))
			for _, o := range []pair.Product{prod, prod.Reverse()} {
				os, rest, ok := pair.ProductOutcomes(o, c.Prec, 1000)
				if !ok {
					return fmt.Errorf("%s is not enumerated", o)
				}
				for _, eps := range points {
					y := sumOutcomes(os, rest, ratInterval(expRat(eps)))
					for _, b := range []blurred{truth, truth.reverse()} {
						if lo, _ := b.delta(eps); y.LessRat(lo) == interval.True {
							return fmt.Errorf("%d copies: δ(%s) of the hull is at most %s, that of the pair at least %s", k, eps.RatString(), text(y.Hi()), lo.FloatString(30))
						}
					}
				}
				if k > 1 {
					continue
				}
				for _, pt := range e.Profile {
					if y := sumOutcomes(os, rest, ratInterval(expRat(pt.Epsilon))); y.LessEqRat(pt.Delta) == interval.False {
						return fmt.Errorf("δ(%s) of the hull is at least %s, bounded by %s", pt.Epsilon.RatString(), text(y.Lo()), pt.Delta.FloatString(30))
					}
				}
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Theorem 10: the product of dominating pairs dominates the
// composition. Its outcomes have the product's masses and losses, and what is
// post-processed in one factor is dominated by the whole.
func TestTheorem10Products(t *testing.T) {
	forAll(t, 30, scenes, func(s scene) error {
		factors := []model{s.B}
		prod := pair.Product{{Pair: s.B.finite(), Count: 1}, {Pair: s.A.finite(), Count: int64(s.K)}}
		for range s.K {
			factors = append(factors, s.A)
		}
		truth := finiteModel(product(factors...).finite()) // merged: few ratios
		os, rest, ok := pair.ProductOutcomes(prod, s.Prec, 10000)
		if !ok {
			return fmt.Errorf("not enumerated")
		}
		for _, o := range os {
			if !o.Exact || o.P.IsZero() || o.Q.IsZero() {
				continue
			}
			r, ok := o.Loss.Log()
			if !ok {
				return fmt.Errorf("loss %s is no logarithm", o.Loss)
			}
			const w = interval.Prec(400)
			if y := w.Div(o.P, o.Q); !y.ContainsRat(r) {
				return fmt.Errorf("an outcome of loss log %s has ratio %s", r.RatString(), y)
			}
		}
		for _, alpha := range alphas(truth) {
			y := sumOutcomes(os, rest, ratInterval(alpha, alpha))
			if err := refuteRat(y, truth.delta(alpha), "H_%s of the product", alpha.RatString()); err != nil {
				return err
			}
		}
		// Merge the first two outcomes of A: a post-processing.
		if len(s.A.P) < 2 {
			return nil
		}
		merged := model{slices.Clone(s.A.p()[1:]), slices.Clone(s.A.q()[1:])}
		merged.P[0], merged.Q[0] = add(merged.P[0], s.A.p()[0]), add(merged.Q[0], s.A.q()[0])
		less := product(merged, s.B).finite()
		more := product(s.A, s.B).finite()
		for _, alpha := range alphas(finiteModel(less), finiteModel(more)) {
			if less.Delta(alpha).Cmp(more.Delta(alpha)) > 0 {
				return fmt.Errorf("H_%s of the post-processed product exceeds that of the product", alpha.RatString())
			}
		}
		return nil
	})
}

// A kernel is a random map from outcomes to outcomes: rows sum to 1.
type kernel [][]*big.Rat

func drawKernel(r *rand.Rand, from, to int) kernel {
	k := make(kernel, from)
	for i := range k {
		row := make([]*big.Rat, to)
		for j := range row {
			row[j] = ratInt(int64(r.Intn(4)))
		}
		row[r.Intn(to)] = one
		k[i] = normalised(row)
	}
	return k
}

func (k kernel) apply(p []*big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(k[0]))
	for j := range out {
		out[j] = new(big.Rat)
		for i := range p {
			out[j].Add(out[j], mul(p[i], k[i][j]))
		}
	}
	return out
}

func mix(weights []*big.Rat, ps [][]*big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(ps[0]))
	for j := range out {
		out[j] = new(big.Rat)
		for i := range ps {
			out[j].Add(out[j], mul(weights[i], ps[i][j]))
		}
	}
	return out
}

// A sampling is a mechanism on samples: whatever else is in the sample (a context),
// it sees K_context·P with the record and K_context·Q without it, so that (P, Q) = A
// dominates it for removing the record.
type sampling struct {
	scene
	Weights  []*big.Rat // of contexts
	Contexts []kernel
}

func (s sampling) String() string {
	return fmt.Sprintf("%s; contexts %v with weights %v", s.scene, s.Contexts, s.Weights)
}

var samplings = generator[sampling]{
	draw: func(r *rand.Rand) sampling {
		s := sampling{scene: scenes.draw(r)}
		n := 1 + r.Intn(3)
		w := make([]*big.Rat, n)
		for i := range w {
			w[i] = ratInt(int64(1 + r.Intn(4)))
			s.Contexts = append(s.Contexts, drawKernel(r, len(s.A.P), 3))
		}
		s.Weights = normalised(w)
		return s
	},
	shrink: func(s sampling) []sampling {
		var out []sampling
		if len(s.Contexts) > 1 {
			for i := range s.Contexts {
				out = append(out, sampling{s.scene, normalised(slices.Delete(slices.Clone(s.Weights), i, i+1)), slices.Delete(slices.Clone(s.Contexts), i, i+1)})
			}
		}
		for _, c := range scenes.shrink(s.scene) {
			if len(c.A.P) == len(s.A.P) {
				out = append(out, sampling{c, s.Weights, s.Contexts})
			}
		}
		return out
	},
}

// Zhu, Dong & Wang 2022, Theorem 11(1), with the removal rule corrected: if (P, Q)
// dominates for removing a record, then ((1−γ)Q + γP, Q) dominates the Poisson
// sampled mechanism for removing it and (Q, (1−γ)Q + γP) for adding it. The theorem
// gives a pair that the identity mechanism attains.
func TestTheorem11PoissonSampling(t *testing.T) {
	forAll(t, 80, samplings, func(s sampling) error {
		prob, err := pair.Resolve(mechanism.PoissonSampled{SamplingProbability: s.Rate, Event: s.A.event()}, mechanism.AddOrRemoveOne)
		if err != nil {
			return err
		}
		// The sampled mechanism, from the definition.
		var with, without [][]*big.Rat
		for _, k := range s.Contexts {
			with, without = append(with, k.apply(s.A.p())), append(without, k.apply(s.A.q()))
		}
		in, out := mix(s.Weights, with), mix(s.Weights, without)
		sampled := model{mix([]*big.Rat{s.Rate, sub(one, s.Rate)}, [][]*big.Rat{in, out}), out}
		for _, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
			truth, attained := sampled, s.A.sample(s.Rate)
			if d == mechanism.Add {
				truth, attained = truth.reverse(), attained.reverse()
			}
			os, err := prob.Orientations(prob.Product, d)
			if err != nil {
				return err
			}
			if len(os) == 0 || len(os[0]) == 0 { // equal distributions
				os = []pair.Product{{{Pair: model{[]*big.Rat{one}, []*big.Rat{one}}.finite(), Count: 1}}}
			}
			f, ok := os[0][0].Pair.(pair.Finite)
			if !ok {
				return fmt.Errorf("resolved to %s", os[0])
			}
			for _, alpha := range alphas(truth, attained) {
				got := f.Delta(alpha)
				if want := attained.delta(alpha); got.Cmp(want) != 0 {
					return fmt.Errorf("%s: H_%s = %s, the identity mechanism has %s", d, alpha.RatString(), got.RatString(), want.RatString())
				}
				if got.Cmp(truth.delta(alpha)) < 0 {
					return fmt.Errorf("%s: H_%s = %s, the mechanism has %s", d, alpha.RatString(), got.RatString(), truth.delta(alpha).RatString())
				}
			}
		}
		return nil
	})
}

// The printed removal rule of Theorem 11(1), ((1−γ)Q + γP, Q) for a pair (P, Q) that
// dominates for *adding* a record, fails: M(S) = (1, 0), M(S + x) = (1/2, 1/2), γ = 1/2,
// α = 2 has H = 1/4, and the rule gives 0. Ours takes the removal's own pair.
func TestTheorem11PrintedRemovalFails(t *testing.T) {
	without, with := []*big.Rat{one, zero}, []*big.Rat{half, half}
	truth := model{mix([]*big.Rat{half, half}, [][]*big.Rat{with, without}), without}
	if d := truth.delta(two); d.Cmp(rat("1/4")) != 0 {
		t.Fatalf("H_2 = %s", d.RatString())
	}
	add := model{without, with} // dominates for adding: H(M(S)‖M(S + x))
	if d := add.sample(half).delta(two); d.Sign() != 0 {
		t.Errorf("the printed rule gives %s", d.RatString())
	}
	prob, err := pair.Resolve(mechanism.PoissonSampled{SamplingProbability: half, Event: add.reverse().event()}, mechanism.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	os, err := prob.Orientations(prob.Product, mechanism.Remove)
	if err != nil {
		t.Fatal(err)
	}
	if d := os[0][0].Pair.(pair.Finite).Delta(two); d.Cmp(rat("1/4")) != 0 {
		t.Errorf("our removal pair has H_2 = %s, want 1/4", d.RatString())
	}
}

// A subsetCase is a mechanism on all samples of m of the records {x, 1, 2} and
// {x′, 1, 2}, given by its output distributions.
type subsetCase struct {
	M   int
	Out map[string][]*big.Rat // by the sample's records in order
}

func (c subsetCase) String() string { return fmt.Sprintf("m = %d, outputs %v", c.M, c.Out) }

// samplesOf lists the samples of m of the given records.
func samplesOf(records string, m int) []string {
	var out []string
	for set := range 1 << len(records) {
		s := ""
		for i := range records {
			if set>>i&1 == 1 {
				s += records[i : i+1]
			}
		}
		if len(s) == m {
			out = append(out, s)
		}
	}
	return out
}

var subsetCases = generator[subsetCase]{
	draw: func(r *rand.Rand) subsetCase {
		c := subsetCase{1 + r.Intn(2), map[string][]*big.Rat{}}
		n := 2 + r.Intn(2)
		for _, records := range []string{"x12", "y12"} {
			for _, s := range samplesOf(records, c.M) {
				if c.Out[s] == nil {
					w := make([]*big.Rat, n)
					for i := range w {
						w[i] = drawWeight(r)
					}
					w[r.Intn(n)] = one
					c.Out[s] = normalised(w)
				}
			}
		}
		return c
	},
	shrink: func(c subsetCase) []subsetCase { return nil },
}

// neighbours reports whether two samples differ in one record, which is replaced.
func neighbours(s, t string) bool {
	common := 0
	for _, r := range s {
		if slices.Contains([]rune(t), r) {
			common++
		}
	}
	return common == len(s)-1
}

// Zhu, Dong & Wang 2022, Proposition 30: with f(α) the least bound of H_α over
// samples that differ in one record, sampling without replacement at rate γ has
// H_α at most γ·f(1 + (α−1)/γ) for α ≥ 1 and β·f(αγ/β), β = 1 − α(1−γ), for α < 1.
func TestProposition30Subsets(t *testing.T) {
	forAll(t, 40, subsetCases, func(c subsetCase) error {
		f := func(alpha *big.Rat) *big.Rat {
			worst := new(big.Rat)
			for s, p := range c.Out {
				for u, q := range c.Out {
					if neighbours(s, u) {
						worst = maxRat(worst, divergence(p, q, alpha))
					}
				}
			}
			return worst
		}
		gamma := big.NewRat(int64(c.M), 3)
		average := func(records string) []*big.Rat {
			ss := samplesOf(records, c.M)
			var ps [][]*big.Rat
			var w []*big.Rat
			for _, s := range ss {
				ps, w = append(ps, c.Out[s]), append(w, big.NewRat(1, int64(len(ss))))
			}
			return mix(w, ps)
		}
		truth := model{average("x12"), average("y12")}
		for _, m := range []model{truth, truth.reverse()} {
			for _, alpha := range alphas(truth) {
				if bound := proposition30(gamma, alpha, f); m.delta(alpha).Cmp(bound) > 0 {
					return fmt.Errorf("H_%s = %s exceeds %s", alpha.RatString(), m.delta(alpha).RatString(), bound.RatString())
				}
			}
		}
		return nil
	})
}

// proposition30 is the bound of the proposition for a profile f.
func proposition30(gamma, alpha *big.Rat, f func(*big.Rat) *big.Rat) *big.Rat {
	if alpha.Cmp(one) >= 0 {
		return mul(gamma, f(add(one, quo(sub(alpha, one), gamma))))
	}
	beta := sub(one, mul(alpha, sub(one, gamma)))
	return mul(beta, f(quo(mul(alpha, gamma), beta)))
}

// Zhu, Dong & Wang 2022, Proposition 30 and Corollary 32, as used: of a self-dual
// base pair, the greater of the two orientations of the sampled pair is the bound
// of the proposition; a composition is dominated by the pair of that maximum,
// however its copies are oriented, and attains what it is bounded from below by.
func TestCorollary32SamplingWithoutReplacement(t *testing.T) {
	forAll(t, 30, scenes, func(s scene) error {
		base := s.A.finite().Symmetrise()
		m := finiteModel(base)
		n, k := int64(2+len(s.A.P)), int64(1+s.K%2)
		e := mechanism.SampledWithoutReplacement{SourceDatasetSize: n, SampleSize: k, Event: m.event()}
		gamma := big.NewRat(k, n)
		f := func(alpha *big.Rat) *big.Rat { return m.delta(alpha) }
		prob, err := pair.Resolve(e, mechanism.ReplaceOne)
		if err != nil || len(prob.Product) == 0 {
			return err
		}
		os, err := prob.Orientations(prob.Product, mechanism.Both)
		if err != nil {
			return err
		}
		if prob.Witnesses != nil {
			return fmt.Errorf("a single factor is not taken as it is: %+v", prob)
		}
		sampled := m.sample(gamma)
		for _, alpha := range alphas(sampled) {
			got := new(big.Rat)
			for _, o := range os {
				got = maxRat(got, o[0].Pair.(pair.Finite).Delta(alpha))
			}
			if want := proposition30(gamma, alpha, f); got.Cmp(want) != 0 {
				return fmt.Errorf("H_%s = %s, the proposition gives %s", alpha.RatString(), got.RatString(), want.RatString())
			}
		}
		prob, err = pair.Resolve(mechanism.SelfComposed{Event: e, Count: 2}, mechanism.ReplaceOne)
		if err != nil {
			return err
		}
		return freelyOriented(prob, []model{sampled, sampled})
	})
}

// freelyOriented checks a problem of finite factors that may each be oriented
// either way: the product dominates all choices, and every witness is one.
func freelyOriented(prob pair.Problem, factors []model) error {
	var choices []model
	for set := range 1 << len(factors) {
		var ms []model
		for i, m := range factors {
			if set>>i&1 == 1 {
				m = m.reverse()
			}
			ms = append(ms, m)
		}
		choices = append(choices, product(ms...))
	}
	os, err := prob.Orientations(prob.Product, mechanism.Both)
	if err != nil {
		return err
	}
	var upper []model
	for _, o := range os {
		upper = append(upper, finiteProduct(o))
	}
	var points []*big.Rat
	for _, c := range choices {
		points = append(points, alphas(finiteModel(c.finite()))...) // few ratios
	}
	slices.SortFunc(points, (*big.Rat).Cmp)
	points = slices.CompactFunc(points, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	if len(points) > 120 { // enough: the profiles are convex
		step := len(points)/120 + 1
		var few []*big.Rat
		for i := 0; i < len(points); i += step {
			few = append(few, points[i])
		}
		points = few
	}
	most := func(ms []model) func(alpha *big.Rat) *big.Rat {
		var ds []func(*big.Rat) *big.Rat
		for _, m := range ms {
			ds = append(ds, m.deltas())
		}
		return func(alpha *big.Rat) *big.Rat {
			x := new(big.Rat)
			for _, d := range ds {
				x = maxRat(x, d(alpha))
			}
			return x
		}
	}
	var lower []model
	for _, w := range prob.Witnesses {
		lower = append(lower, finiteProduct(w))
	}
	truth, above, below := most(choices), most(upper), most(lower)
	for _, alpha := range points {
		best := truth(alpha)
		if up := above(alpha); up.Cmp(best) < 0 {
			return fmt.Errorf("H_%s: upper bound %s, some orientation has %s", alpha.RatString(), up.RatString(), best.RatString())
		}
		if low := below(alpha); low.Cmp(best) > 0 {
			return fmt.Errorf("H_%s: a witness has %s, no orientation has more than %s", alpha.RatString(), low.RatString(), best.RatString())
		}
	}
	return nil
}

// finiteProduct multiplies finite pairs out.
func finiteProduct(prod pair.Product) model {
	var ms []model
	for _, t := range prod {
		for range t.Count {
			ms = append(ms, finiteModel(t.Pair.(pair.Finite)))
		}
	}
	return product(ms...)
}

// Composition under REPLACE_ONE: the two records may be exchanged in any round, so
// both orientations of every factor are to be dominated (Zhu, Dong & Wang 2022,
// Definition 7: for all α ≥ 0 and all neighbours).
func TestDefinition7FreeOrientation(t *testing.T) {
	forAll(t, 60, scenes, func(s scene) error {
		e := mechanism.Composed{Events: []mechanism.Event{s.A.event(), s.B.event()}}
		prob, err := pair.Resolve(e, mechanism.ReplaceOne)
		if err != nil {
			return err
		}
		if prob.Product.SelfDual() && prob.Witnesses == nil {
			return nil // nothing to orient
		}
		return freelyOriented(prob, []model{s.A, s.B})
	})
}

// Meiser & Mohammadi 2018, Definition 11 and Corollary 1, take the worst-case inputs
// of one round for those of all rounds. P = (1/6, 1/6, 2/3), Q = (5/11, 1/2, 1/22): P‖Q
// is worse than Q‖P at every α ≥ 1, and yet P×Q against Q×P is worse than both P×P
// against Q×Q and the reverse.
func TestCorollary1PrintedFails(t *testing.T) {
	m := model{[]*big.Rat{rat("1/6"), rat("1/6"), rat("2/3")}, []*big.Rat{rat("5/11"), rat("1/2"), rat("1/22")}}
	for _, alpha := range alphas(m) {
		if alpha.Cmp(one) >= 0 && m.delta(alpha).Cmp(m.reverse().delta(alpha)) < 0 {
			t.Fatalf("at α = %s the reverse is worse", alpha.RatString())
		}
	}
	alpha := rat("242/45")
	mixed := product(m, m.reverse()).delta(alpha)
	same := maxRat(product(m, m).delta(alpha), product(m, m).reverse().delta(alpha))
	if mixed.Cmp(rat("824/1485")) != 0 || same.Cmp(rat("13/30")) != 0 {
		t.Fatalf("mixed %s, same %s", mixed.RatString(), same.RatString())
	}
	q := exact.Question{Event: mechanism.SelfComposed{Event: m.event(), Count: 2}, Relation: mechanism.ReplaceOne}
	prob, err := pair.Resolve(q.Event, q.Relation)
	if err != nil {
		t.Fatal(err)
	}
	if d := finiteProduct(prob.Product).delta(alpha); d.Cmp(mixed) < 0 {
		t.Errorf("our bound %s is below %s", d.RatString(), mixed.RatString())
	}
	// The front door, at ε just below log(242/45) and just above.
	for _, c := range []struct{ eps, lo, hi string }{{"1.682", "824/1485", "1"}, {"1.683", "0.55", "1"}} {
		r, err := exact.Delta(context.Background(), q, rat(c.eps), 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.LessRat(rat(c.lo)) == interval.True {
			t.Errorf("δ(%s) ≤ %s, want at least %s", c.eps, text(r.Hi()), c.lo)
		}
	}
}
