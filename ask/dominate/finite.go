// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dominate

import (
	"context"
	"math/big"
	"slices"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

const (
	// maxOutcomes bounds the outcomes of finite pairs that are compared in rationals.
	maxOutcomes = 1 << 12
	// maxKinks bounds the kinks of a discrete pair at whose losses another profile is enclosed.
	maxKinks = 400
)

// greatest returns the finite pair whose profile is the greatest of some products'.
func greatest(ps []pair.Product) (pair.Finite, bool) {
	var out pair.Finite
	for i, p := range ps {
		f, ok := p.Expand(maxOutcomes)
		if !ok {
			return out, false
		}
		if i > 0 {
			f = out.Max(f)
		}
		out = f
	}
	return out, len(ps) > 0
}

// finite decides between events that are finite pairs, in rationals, and reports whether they are.
func finite(a, b side, out *Answer) bool {
	if !a.bounds.Attained || !b.bounds.Attained {
		return false
	}
	f, ok := greatest(a.bounds.Upper)
	if !ok {
		return false
	}
	g, ok := greatest(b.bounds.Upper)
	if !ok {
		return false
	}
	out.By = "the profiles at all kinks, in rationals"
	alpha, excess := f.Excess(g)
	out.Points = len(f.Masses)
	if excess.Sign() <= 0 {
		out.Verdict = Proved
		return true
	}
	const w = interval.Prec(256)
	out.Verdict, out.Gap = Refuted, w.Rat(excess)
	out.At = &Place{w.Log(w.Rat(alpha)), w.Rat(f.Delta(alpha)), w.Rat(g.Delta(alpha))}
	return true
}

// kinks decides where the profile above is of one discrete pair whose losses are known: with α = e^ε it
// is affine between them and constant beyond the last, and the profile below is convex and
// falls. So their difference is greatest at 0 or at a loss above 0. It returns nil where that does not apply.
func kinks(ctx context.Context, a, b profile) (*Answer, error) {
	if !a.bounds.Attained || len(a.bounds.Upper) != 1 {
		return nil, nil
	}
	bits := a.effort.Bits()
	os, rest, ok := pair.ProductOutcomes(a.bounds.Upper[0], bits, maxKinks)
	if !ok || !rest.IsZero() {
		return nil, nil
	}
	at := []pair.Loss{pair.RatLoss(new(big.Rat))}
	for _, o := range os {
		if o.P.IsZero() || o.Q.IsZero() {
			continue
		}
		if !o.Exact {
			return nil, nil
		}
		if o.Loss.Cmp(new(big.Rat)) > 0 {
			at = append(at, o.Loss)
		}
	}
	out := &Answer{Verdict: Proved, By: "the profiles at all kinks of the first"}
	for _, l := range at {
		p, below, err := compareAt(ctx, a, b, l)
		if err != nil {
			return nil, err
		}
		out.Points++
		d := interval.Max(interval.Int(0), bits.Sub(p.Below, p.Above))
		switch {
		case below == interval.True:
			continue
		case below == interval.False && (out.Verdict != Refuted || d.Lo().Cmp(out.Gap.Lo()) > 0):
			out.Verdict, out.At = Refuted, p
		case below == interval.Unknown && out.Verdict == Proved:
			out.Verdict, out.At = Undecided, p
		}
		out.Gap = interval.Max(out.Gap, d)
	}
	if out.more = out.Verdict == Undecided; out.more {
		out.By = "the profiles are too close to tell at a kink of the first"
	}
	return out, nil
}

// compareAt encloses both profiles at a loss, and says whether the second is at most the first there.
func compareAt(ctx context.Context, a, b profile, l pair.Loss) (*Place, interval.Truth, error) {
	eps, rational := l.Rat()
	if !rational {
		x, err := a.DeltaReal(ctx, l.Enclose)
		if err != nil {
			return nil, interval.Unknown, err
		}
		y, err := b.DeltaReal(ctx, l.Enclose)
		return &Place{l.Enclose(a.effort.Bits()), x, y}, y.LessEq(x), err
	}
	x, y, err := deltas(ctx, a, b, eps)
	if err != nil {
		return nil, interval.Unknown, err
	}
	p := &Place{a.effort.Bits().Rat(eps), x.Interval, y.Interval}
	if x.Value != nil && y.Value != nil {
		if y.Value.Cmp(x.Value) <= 0 {
			return p, interval.True, nil
		}
		return p, interval.False, nil
	}
	return p, y.LessEq(x.Interval), nil
}

// deltas encloses both profiles at an ε.
func deltas(ctx context.Context, a, b profile, eps *big.Rat) (x, y exact.Result, err error) {
	if x, err = a.Delta(ctx, eps); err == nil {
		y, err = b.Delta(ctx, eps)
	}
	return x, y, err
}

// leastInfinite returns a lower bound of the mass of infinite loss of the profile, a rational.
func (p profile) leastInfinite() *big.Rat {
	most := new(big.Rat)
	ps := p.bounds.Upper
	if !p.bounds.Attained {
		ps = p.bounds.Lower
	}
	for _, prod := range ps {
		if m, ok := pair.InfMass(prod); ok && !prod.IsGuarantee() && m.Cmp(most) > 0 {
			most = m
		}
	}
	return most
}

// tail returns an upper bound of the profile at every ε ≥ eps: its value there, and the mass of
// infinite loss where no finite loss is greater.
func (p profile) tail(eps *big.Rat, at interval.Interval) interval.Interval {
	most := new(big.Rat)
	beyond := func(prod pair.Product) bool {
		l, ok := pair.LossBound(prod)
		m, known := pair.InfMass(prod)
		if !ok || !known || prod.IsGuarantee() || l.Cmp(eps) > 0 {
			return false
		}
		if m.Cmp(most) > 0 {
			most = m
		}
		return true
	}
	if slices.ContainsFunc(p.bounds.Upper, func(q pair.Product) bool { return !beyond(q) }) {
		return at
	}
	return interval.Min(at, p.effort.Bits().Rat(most))
}
