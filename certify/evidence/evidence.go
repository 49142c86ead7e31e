// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package evidence writes certificates that a small, separate program checks: the module in
// checker/. docs/certificate.md has their form, docs/checker.md why they are enough.
//
// Nothing here is a bound: grids, masses and thresholds are chosen, most of them in float64, and
// the checker proves what they show. A wrong choice makes a certificate that it rejects.
package evidence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"dpverify/certify"
	"dpverify/certify/evidence/statement"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// New returns the evidence for the verdict of an outcome. The error is ctx's, or wraps ErrNone.
func New(ctx context.Context, o *certify.Outcome) ([]byte, error) {
	c := o.Claim
	if text, ok := divergenceText(c.Statement); ok && decidedOne(o) {
		return newDivergences(ctx, o, text)
	}
	p, r, err := decided(o)
	if err != nil {
		return nil, err
	}
	cert := newCertificate(r, c.Direction, statement.PointText(p.Epsilon, p.Delta), o.Verdict)
	directions := r.Directions(c.Direction)
	if o.Verdict == certify.Refuted {
		if directions, err = refutes(ctx, o, p, directions); err != nil {
			return nil, err
		}
	}
	promised, err := promisedPair(r.Parts, p.Epsilon)
	if err != nil {
		return nil, err
	}
	for _, d := range directions {
		ch := chain{Direction: d.String(), Pair: promised}
		t := task{parts: r.Parts, direction: d, lower: o.Verdict == certify.Refuted, eps: p.Epsilon, delta: p.Delta,
			gap: gap(o, p), distinct: separated(o, p)}
		if o.Delta != nil {
			t.truth, _ = o.Delta.Hi().Float64()
		}
		if t.lower && t.bounded() || !t.lower && t.attained() || !r.Ordinary(p.Epsilon, p.Delta) && (t.lower || !t.basic()) {
			return nil, ErrNone
		}
		if t.written() && !t.attained() && (t.lower || !t.basic()) {
			if ch.Grid, err = t.exactly(ctx); err != nil {
				return nil, err
			} else if ch.Grid != nil {
				cert.Chains = append(cert.Chains, ch)
				continue
			}
		}
		if t.gridded() {
			if ch.Grid, err = t.solve(ctx); ctx.Err() != nil {
				return nil, err
			} else if ch.Grid != nil {
				cert.Chains = append(cert.Chains, ch)
				continue
			}
		}
		if !t.closed() || t.summed() && !t.basic() && !separated(o, p) {
			if p.Delta.Sign() == 0 {
				return nil, ErrNone
			}
			if ch.Grid, err = t.solve(ctx); err != nil && (ctx.Err() == nil || errors.Is(err, errTooFine)) {
				return nil, fmt.Errorf("%w: %w", ErrNone, err)
			} else if err != nil {
				return nil, err
			}
		} else if t.attained() && t.atMost(1) != interval.False ||
			t.single() && t.bounded() && !t.basic() && t.atMost(-1) != interval.True ||
			!t.attained() && !t.basic() && !separated(o, p) {
			return nil, ErrNone
		}
		cert.Chains = append(cert.Chains, ch)
	}
	return cert.encode()
}

// decided returns the claim (ε, δ) of an outcome that is decided, about one event, and what is read of that.
func decided(o *certify.Outcome) (certify.Point, *statement.Reading, error) {
	c := o.Claim
	p, ok := c.Statement.(certify.Point)
	if !ok || !decidedOne(o) {
		return p, nil, ErrNone
	}
	r, err := statement.Read(c.LessPrivate, c.Relation)
	if err != nil {
		return p, nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return p, r, nil
}

// decidedOne reports that a claim is decided, about one event.
func decidedOne(o *certify.Outcome) bool {
	return (o.Verdict == certify.Verified || o.Verdict == certify.Refuted) &&
		mechanism.Equal(o.Claim.MorePrivate, o.Claim.LessPrivate)
}

// gap is about how far δ at the claimed ε is from the claimed one, in parts of it, from 2^−30 to 1/8.
func gap(o *certify.Outcome, p certify.Point) float64 {
	if o.Delta == nil || p.Delta.Sign() == 0 {
		return 1. / 8
	}
	d, _ := o.Delta.Hi().Float64()
	if o.Verdict == certify.Refuted {
		d, _ = o.Delta.Lo().Float64()
	}
	return min(max(math.Abs(d/number.Float64(p.Delta)-1), 0x1p-30), 1./8)
}

// separated reports that δ at the claimed ε is so far from the claimed one that the checker,
// which knows closed forms to some 60 bits, and a δ from 2^−2000 on from 0, tells them apart.
func separated(o *certify.Outcome, p certify.Point) bool {
	if o.Delta == nil {
		return false
	}
	gap := new(big.Rat).Mul(p.Delta, interval.Pow2(-60))
	if o.Delta.LessEqRat(new(big.Rat).Sub(p.Delta, gap)) == interval.True {
		return true
	}
	if least := interval.Pow2(-2000); gap.Cmp(least) < 0 {
		gap = least
	}
	return o.Delta.LessEqRat(new(big.Rat).Add(p.Delta, gap)) == interval.False
}

// refutes returns a direction in which the claim is false.
func refutes(ctx context.Context, o *certify.Outcome, p certify.Point, ds []mechanism.Direction) ([]mechanism.Direction,
	error) {
	if len(ds) == 1 {
		return ds, nil
	}
	for _, d := range ds {
		q := exact.Question{Event: o.Claim.LessPrivate, Relation: o.Claim.Relation, Direction: d, Scale: p.Delta}
		x, err := exact.Delta(ctx, q, p.Epsilon, o.Effort)
		if err != nil {
			return nil, err
		}
		if x.LessEqRat(p.Delta) == interval.False {
			return []mechanism.Direction{d}, nil
		}
	}
	return nil, ErrNone
}

// maxTerms is the number of terms up to which the checker writes out compositions.
const maxTerms = 200_000

// closed reports that the checker can compute δ itself.
func (t task) closed() bool {
	if !t.lower && t.basic() || len(t.parts) == 0 {
		return true
	}
	return t.single() || t.written() || t.summed()
}

// single reports that there is one copy of one pair that is not finite.
func (t task) single() bool {
	if len(t.parts) != 1 || t.parts[0].Count != 1 {
		return false
	}
	_, isFinite := t.parts[0].Pair.(statement.Finite)
	return !isFinite
}

// written reports that the checker can write out a composition of finite pairs, and sooner than it checks a
// grid: coefficients have up to count·log kinds bits, and so has what is computed with them.
func (t task) written() bool {
	terms, bits, steps := t.terms(maxTerms), 256., 1.
	for _, p := range t.parts {
		pair, ok := p.Pair.(statement.Finite)
		if !ok {
			return false
		}
		bits += float64(p.Count) * math.Log2(float64(len(pair.List())))
		steps += math.Log2(float64(p.Count))
	}
	work := float64(terms) * steps * (1000 + bits*bits/100) // about, in nanoseconds
	return terms <= maxTerms && bits < 1<<14 && (work < 1e9 || work < 3e10 && (t.gap < 1./256 || t.delta.Sign() == 0))
}

// summed reports that the checker can compute δ of copies of Laplace noise, and sooner than it checks a
// grid: where there are few, or the claim is sharp.
func (t task) summed() bool {
	noise, ok := only[statement.Laplace](t.parts)
	if !ok {
		return false
	}
	k, s := float64(t.parts[0].Count), number.Float64(noise.Shift)
	return k <= 200 && k*s <= 1000 || k <= 2048 && k*s <= 2048 && t.gap < 1./256
}

// gridded reports that δ of many copies of Laplace noise may have a grid, which the theory in Coq follows: it has no
// closed form for them.
func (t task) gridded() bool {
	return t.summed() && !t.basic() && !t.lower && t.parts[0].Count > 200 && t.gap > 0x1p-18
}

// terms is the number of terms of a composition of finite pairs that is written out, if it is at most a limit.
func (t task) terms(limit int64) int64 {
	terms := int64(1)
	for _, p := range t.parts {
		pair, ok := p.Pair.(statement.Finite)
		if !ok || p.Count > limit {
			return limit + 1
		}
		k := int64(0)
		for _, m := range pair.Outcomes(t.direction) {
			if statement.Float64(m.P) > 0 && statement.Float64(m.Q) > 0 {
				k++
			}
		}
		n := new(big.Int).Binomial(p.Count+max(k, 1)-1, max(k, 1)-1)
		if n.Cmp(big.NewInt(limit/terms)) > 0 {
			return limit + 1
		}
		terms *= n.Int64()
	}
	return terms
}

// basic reports that basic composition gives the claim.
func (t task) basic() bool {
	loss, kept := new(big.Rat), big.NewRat(1, 1)
	for _, p := range t.parts {
		e, m := p.Greatest()
		if e == nil || m.Sign() > 0 && (p.Count > 1000 || int64(m.Denom().BitLen())*p.Count > 1<<17) {
			return false
		}
		loss.Add(loss, new(big.Rat).Mul(e, big.NewRat(p.Count, 1)))
		for range p.Count {
			if m.Sign() == 0 {
				break
			}
			kept.Mul(kept, new(big.Rat).Sub(statement.RatOne, m))
		}
	}
	return loss.Cmp(t.eps) <= 0 && kept.Sub(statement.RatOne, kept).Cmp(t.delta) <= 0
}

func (t task) bounded() bool {
	return slices.ContainsFunc(t.parts, func(p *statement.Part) bool {
		_, clamped := p.Pair.(statement.Clamped)
		return p.Bounded || clamped && !t.closed()
	})
}

func (t task) attained() bool {
	return slices.ContainsFunc(t.parts, func(p *statement.Part) bool { return p.Attained })
}

// atMost is whether one pair has a δ of at most the claimed one and so many 2^−60 of it: False for 1 says that it is
// larger, by 60 bits, and True for −1 that it is smaller.
func (t task) atMost(gaps int64) interval.Truth {
	if len(t.parts) != 1 || t.parts[0].Count != 1 {
		return interval.Unknown
	}
	h := t.parts[0].Profile(t.direction, statement.Three.Exp(statement.Three.Rat(t.eps)))
	gap := new(big.Rat).Mul(t.delta, new(big.Rat).Mul(interval.Pow2(-60), big.NewRat(gaps, 1)))
	return h.Interval().LessEqRat(gap.Add(gap, t.delta))
}

var unusual = regexp.MustCompile(`[^0-9A-Za-z_-]`)

// FileName is the name of the evidence for a claim.
func FileName(id string) string { return Escaped(id) + ".evidence" }

// Escaped is an id with bytes other than letters, digits, - and _ as % and two hexadecimal digits, cut to 100 of them:
// a part of the name of a file.
func Escaped(id string) string {
	name := unusual.ReplaceAllStringFunc(id, func(s string) string {
		return "%" + strings.ReplaceAll(fmt.Sprintf("% x", s), " ", "%")
	})
	return name[:min(len(name), 100)]
}
