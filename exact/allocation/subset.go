// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math"
	"math/big"
	"sync"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// A Subset bounds an allocation to several steps by a statistic that is a sum over steps.
//
// Number the ratios of a step, the same way in all steps, and let T be the sum of the numbers. With q, p and r the
// Q-mass, the P-mass and E[Y²; ·] of a number, and * for convolution, by symmetry
//
//	Q(s) = Pr[T = s] = q^{*t},  P(s) = E[S; T = s] = p^{*k} * q^{*(t−k)},
//	W(s) = E[S²; T = s] = Σ_j H(j)·r^{*j} * p^{*(2k−2j)} * q^{*(t−2k+j)},  H(j) = C(k, j)·C(t−k, k−j)/C(t, k),
//
// where j is how many steps two sets have in common. Below: T is a post-processing, any numbers are sound.
//
// Above. For y < γ = e^ε and U ≥ S, a·(s − y)² ≥ (s − γ)₊ for 0 ≤ s ≤ U, where a is 1/(4(γ − y)) if 2γ − y ≤ U, and (U
// − γ)/(U − y)² otherwise. It is ≥ 0 for all s. So E[(S − γ)₊; T = s, S ≤ U] ≤ a·(W − 2yP + y²Q) for any y; it is ≤
// P·(1 − γ/U), too, the chord, and 0 if U ≤ γ. Where S exceeds U it has the mean beta of an envelope at most.
//
// The statistic. With p_i = xY_i/(1 + xY_i), N the sum of independent coins of these probabilities, and V its variance,
// S = x^{−k}·Π(1 + xY_i)·Pr[N = k]/C(t, k), and Pr[N = k] is about (2πV)^{−1/2} where the mean of N is k: the number of
// a ratio is about log(1 + xY) − p(1 − p)/(2V₀), the tangent of −½ log V at V₀, over a spacing. Then the variance of S
// given T is small.
type Subset struct {
	base *base
	k, t int64
	set  Settings
	mu   sync.Mutex
	plan *sketch
	made map[design]*statistic
	// Masses of outcomes of which the ratio of some step is infinite, or next to it.
	special, without interval.Interval
}

// maxSelected and maxSteps bound what is computed.
const (
	maxSelected = 1 << 10
	maxSteps    = 1 << 20
)

// NewSubset bounds an allocation to selected of steps steps, 1 < selected < steps. It reports false if the base has no
// tails, or if there are too many steps.
func NewSubset(ctx context.Context, base pair.Pair, selected, steps int64, set Settings) (*Subset, bool, error) {
	b, ok := newBase(base, interval.Prec(set.Prec)+32)
	if !ok || b.tails == nil || selected > maxSelected || steps > maxSteps {
		return nil, false, nil
	}
	return subsetOf(ctx, b, selected, steps, set), true, ctx.Err()
}

func subsetOf(ctx context.Context, b *base, selected, steps int64, set Settings) *Subset {
	s := &Subset{base: b, k: selected, t: steps, set: set, plan: newSketch(ctx, b, selected, steps, set),
		made: make(map[design]*statistic)}
	w := interval.Prec(set.Prec) + 32
	p, q := b.above(w, nil)
	s.special = pair.UnionPower(w, p, selected)
	most := interval.Min(interval.Int(1), w.Mul(interval.Int(steps), q.Upper()))
	s.without = interval.Union(interval.Int(0), most)
	s.special = interval.Union(s.special, interval.Min(interval.Int(1), w.Add(s.special, most)))
	return s
}

// A statistic is the law of T by one design: cells in ascending order.
type statistic struct {
	d     design
	first int64
	q, p  []double.Interval
	gone  double.Interval // bounds E[S] of what is in no cell
	one   *step
	// What bounds δ_remove from above, nil before it is asked for.
	w   []double.Interval
	env envelope
}

// at returns the statistic that was designed for about log S = target: for what is likely, near it, or one of a ladder,
// so that answers do not depend on the order of questions.
func (s *Subset) at(ctx context.Context, target float64, reversed bool) (*statistic, error) {
	likely := s.plan.ratios[0]
	if reversed {
		likely = s.plan.ratios[1]
	}
	switch a := math.Abs(target); {
	case math.Abs(target-likely) <= math.Abs(likely)/16:
		target = likely
	case a > 1.0/32:
		target = math.Copysign(math.Exp2(math.Round(16*math.Log2(min(a, 1<<20)))/16), target)
	default:
		target = 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.plan.choose(target, s.set.Fine)
	x, err := s.made[d], error(nil)
	if x == nil {
		if x, err = s.newStatistic(ctx, d); err != nil {
			return nil, err
		}
		s.made[d] = x
	}
	if !reversed && x.w == nil {
		err = s.addMoments(ctx, x)
	}
	return x, err
}

// copies are a power of a sum.
type copies struct {
	of sum
	n  int64
}

// product multiplies powers.
func product(ctx context.Context, ps ...copies) (sum, error) {
	out, err := ps[0].of.power(ctx, ps[0].n)
	for _, p := range ps[1:] {
		var x sum
		if err == nil {
			x, err = p.of.power(ctx, p.n)
		}
		if err == nil {
			out, err = out.times(ctx, x)
		}
	}
	return out, err
}

// newStatistic computes the laws of T.
func (s *Subset) newStatistic(ctx context.Context, d design) (*statistic, error) {
	one, err := newStep(ctx, s.base, d, s.set)
	if err != nil {
		return nil, err
	}
	k, t := s.k, s.t
	q, p := sum{0, one.q}, sum{0, one.p}
	qs, err := product(ctx, copies{q, t})
	if err != nil {
		return nil, err
	}
	ps, err := product(ctx, copies{p, k}, copies{q, t - k})
	if err != nil {
		return nil, err
	}
	out := &statistic{d: d, one: one, first: min(qs.first, ps.first)}
	last := max(qs.first+int64(qs.v.Len()), ps.first+int64(ps.v.Len()))
	out.gone = ps.missing(one.inCells(k, t-k))
	out.q, out.p = qs.between(out.first, last, qs.missing(one.inCells(0, t))), ps.between(out.first, last, out.gone)
	return out, nil
}

// addMoments computes E[S²; T] of a statistic, and its envelope.
func (s *Subset) addMoments(ctx context.Context, x *statistic) error {
	k, t, one := s.k, s.t, x.one
	q, p, r := sum{0, one.q}, sum{0, one.p}, sum{0, one.r}
	common, from, rest, second := s.common(one.second)
	rq, err := r.times(ctx, q)
	if err != nil {
		return err
	}
	pp, err := p.times(ctx, p)
	if err != nil {
		return err
	}
	// Σ_i common[i]·(r*q)^{*i} * (p*p)^{*(n−i)} by Horner's rule.
	n := len(common) - 1
	acc := sum{0, convolve.NewVector(1, s.set.Prec)}
	acc.v.Set(0, common[n])
	pw := acc.one()
	for i := n - 1; i >= 0 && err == nil; i-- {
		if pw, err = pw.times(ctx, pp); err == nil {
			if acc, err = acc.times(ctx, rq); err == nil {
				acc = acc.plus(pw, common[i])
			}
		}
	}
	if err != nil {
		return err
	}
	tail, err := product(ctx, copies{r, from}, copies{p, 2*k - 2*from - 2*int64(n)}, copies{q, t - 2*k + from})
	if err != nil {
		return err
	}
	ws, err := acc.times(ctx, tail)
	if err != nil {
		return err
	}
	const w = interval.Prec(256)
	ofW := rest
	for i, x := range common {
		j := from + int64(i)
		ofW = w.Add(ofW, w.Mul(w.Scale(w.BigInt(new(big.Int).Add(x, big.NewInt(1))), -int(s.set.Prec)),
			one.inCells(2*k-2*j, t-2*k+j)))
	}
	x.w = ws.between(x.first, x.first+int64(len(x.q)), ws.missing(ofW))
	for i := range x.w {
		x.w[i] = x.w[i].Mul(second).Upper()
	}
	logShare := double.Int(2).Log().Mul(double.Int(int64(-s.set.Cut - 8)))
	x.env = one.newEnvelope(k, t, logShare)
	return nil
}

// common returns H(j)·second^j for j from from on, over their total, in fixed point, rounded down; what is left out of
// it, and the total.
func (s *Subset) common(second interval.Interval) (masses []*big.Int, from int64, rest interval.Interval,
	total double.Interval) {
	const w = interval.Prec(256)
	k, t := s.k, s.t
	from = max(0, 2*k-t)
	var xs []interval.Interval
	all, sum := new(big.Int).Binomial(t, k), interval.Int(0)
	for j := from; j <= k; j++ {
		h := new(big.Int).Mul(new(big.Int).Binomial(k, j), new(big.Int).Binomial(t-k, k-j))
		x := w.Mul(w.Rat(new(big.Rat).SetFrac(h, all)), w.PowInt(second.Upper(), j))
		xs, sum = append(xs, x), w.Add(sum, x)
	}
	n := len(xs)
	for rest = interval.Int(0); n > 1; n-- {
		more := w.Add(rest, w.Div(xs[n-1], sum))
		if more.LessEq(w.Scale(interval.Int(1), int(spare)-int(s.set.Prec))) != interval.True {
			break
		}
		rest = more
	}
	for _, x := range xs[:n] {
		masses = append(masses, interval.FloorScaled(w.Div(x, sum), s.set.Prec))
	}
	return masses, from, rest, double.Of(sum).Upper()
}

// plus adds weight times b, rounded down.
func (a sum) plus(b sum, weight *big.Int) sum {
	first := min(a.first, b.first)
	last := max(a.first+int64(a.v.Len()), b.first+int64(b.v.Len()))
	out := sum{first, convolve.NewVector(int(last-first), a.v.Prec())}
	x := new(big.Int)
	for i := range a.v.Len() {
		out.v.Set(int(a.first-first)+i, a.v.Load(x, i))
	}
	for i := range b.v.Len() {
		b.v.Load(x, i)
		out.v.Add(int(b.first-first)+i, x.Rsh(x.Mul(x, weight), a.v.Prec()))
	}
	return out
}

// between encloses the true entries from first on and before last, where missing bounds all that is lacking.
func (a sum) between(first, last int64, missing double.Interval) []double.Interval {
	out := make([]double.Interval, last-first)
	for i := range out {
		var x double.Interval
		if j := first + int64(i) - a.first; 0 <= j && j < int64(a.v.Len()) {
			if w, e := a.v.Lead(int(j)); w > 0 {
				e += 11 - int(a.v.Prec())
				x = double.Interval{Lo: math.Ldexp(float64(w>>11), e), Hi: math.Ldexp(float64(w>>11+1), e)}
				if e < -1022 { // rounded, to either side
					x = x.Mul(double.Int(1))
				}
			}
		}
		out[i] = double.Interval{Lo: x.Lo, Hi: x.Add(missing).Hi}
	}
	return out
}

// Profile returns the profile of the allocation, or a lower bound of its reverse.
func (s *Subset) Profile(reversed bool) profile.Func {
	// A search asks for the same α with more bits, which values do not have.
	var mu sync.Mutex
	var last, value double.Interval
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		e := eps(p + 64)
		alpha := double.Of((p + 64).Exp(e))
		if !alpha.IsFinite() || alpha.Lo <= 0 {
			return profile.Unit(), nil
		}
		mu.Lock()
		known, y := last == alpha, value
		mu.Unlock()
		if known {
			return p.Round(y.Exact()), nil
		}
		target := double.Of(e).Mid()
		if reversed {
			target = -target
		}
		x, err := s.at(ctx, target, reversed)
		if err != nil {
			return profile.Unit(), err
		}
		var low, high double.Interval
		for i, q := range x.q {
			d := x.p[i].Lower().Sub(alpha.Mul(q.Upper()))
			if reversed {
				d = q.Lower().Sub(alpha.Mul(x.p[i].Upper()))
			}
			low = low.Add(d.AtLeastZero().Lower()).AtLeastZero()
		}
		if !reversed {
			low = low.Add(double.Of(s.special).Lower().Sub(alpha.Mul(double.Of(s.without))).AtLeastZero().Lower()).AtLeastZero()
		}
		high = double.Int(1)
		if !reversed {
			high = x.above(alpha).Upper()
		}
		lo, hi := min(low.Lo, 1), min(high.Hi, 1)
		if lo > hi {
			return profile.Unit(), errCrossed
		}
		y = double.Interval{Lo: lo, Hi: hi}
		mu.Lock()
		last, value = alpha, y
		mu.Unlock()
		return p.Round(y.Exact()), nil
	}
}

// above bounds δ_remove, γ = e^ε.
func (x *statistic) above(gamma double.Interval) double.Interval {
	total := x.env.beta.Add(x.gone)
	for i, q := range x.q {
		u := double.Int(x.first + int64(i)).Mul(double.Point(x.d.spacing)).Add(x.env.above).Exp().Upper()
		if u.Hi <= gamma.Lo {
			continue
		}
		total = total.Add(x.cell(q, x.p[i], x.w[i], u, gamma).Upper())
	}
	return total
}

// cell bounds the part of a cell: the lesser one of the chord and a parabola about a y that is chosen from the moments.
func (x *statistic) cell(q, p, w, u, gamma double.Interval) double.Interval {
	zero := double.Interval{}
	best := p.Mul(double.Int(1).Sub(gamma.Lower().Div(u)).AtLeastZero()).Upper()
	if !u.IsFinite() {
		best = p.Upper()
	}
	if q.Lo <= 0 {
		return best
	}
	mean := p.Lo / q.Lo
	v := max(w.Hi/q.Lo-mean*mean, 0)
	r := math.Sqrt((mean-gamma.Lo)*(mean-gamma.Lo) + v)
	y := gamma.Lo - r
	if gamma.Lo+r > u.Hi && u.Hi > mean {
		y = mean - v/(u.Hi-mean)
	}
	for _, y := range []float64{y, gamma.Lo - r} {
		at := double.Point(y)
		if !(y < gamma.Lo) || math.IsInf(y, 0) {
			continue
		}
		a := double.Int(1).Div(double.Int(4).Mul(gamma.Lower().Sub(at)))
		if gamma.Lower().Add(gamma.Lower()).Sub(at).Lo > u.Hi {
			a = u.Sub(gamma.Lower()).Div(u.Sub(at).Sqr())
		}
		square := w.Sub(double.Int(2).Mul(at).Mul(p)).Add(at.Sqr().Mul(q)).AtLeastZero()
		if bound := a.Upper().Mul(square); bound.Hi < best.Hi {
			best = bound.Upper()
		}
	}
	return double.Union(zero, best)
}

// Near returns a number near ε(delta), which bounds nothing.
func (s *Subset) Near(delta *big.Rat, reversed bool) (*big.Rat, bool) {
	if delta.Sign() <= 0 {
		return nil, false
	}
	eps := s.plan.near(double.Of(interval.Prec(64).Log(interval.Prec(64).Rat(delta))).Mid(), reversed)
	if !(math.Abs(eps) < 1<<20) {
		return nil, false
	}
	return double.Rat(eps), true
}

// Dominated returns the outcomes of a post-processing: the values of T, by the design for what is likely where the
// record takes part.
func (s *Subset) Dominated(ctx context.Context) ([]pair.Outcome, error) {
	x, err := s.newStatistic(ctx, s.plan.tilted(1, s.set.Fine))
	if err != nil {
		return nil, err
	}
	var out []pair.Outcome
	for i, q := range x.q {
		if p := x.p[i]; p.Lo > 0 && q.Lo > 0 {
			out = append(out, pair.Outcome{P: p.Exact(), Q: q.Exact()})
		}
	}
	if s.special.Positive() == interval.True {
		out = append(out, pair.Outcome{P: s.special, Q: s.without})
	}
	return out, nil
}
