// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/float"
	"dpverify/internal/efforts"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A Verdict says how an enclosure of the exact engine and a float value v ± err agree.
type Verdict int

const (
	// Inconclusive: they overlap, and that is all.
	Inconclusive Verdict = iota
	// Proved: the enclosure lies inside [v − err, v + err], so the value's claim about
	// its own error holds.
	Proved
	// Refuted: they are disjoint, so one of them is wrong.
	Refuted
)

func (v Verdict) String() string { return [...]string{"inconclusive", "proved", "refuted"}[v] }

// MarshalText writes a verdict, also as a key.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// A Comparison is δ(Eps) of one question by both engines.
type Comparison struct {
	Question exact.Question
	Eps      *big.Rat
	Float    float.Answer
	Exact    exact.Result
	Verdict  Verdict

	fast *float.Profile // nil: not prepared
}

// judge compares an enclosure [lo, hi] with v ± err, exactly.
func judge(lo, hi *big.Float, v float.Value) Verdict {
	if math.IsInf(v.Err, 1) {
		return Inconclusive // it claims nothing
	}
	rat := func(f *big.Float) *big.Rat {
		r, _ := f.Rat(nil)
		return r
	}
	m, e := new(big.Rat).SetFloat64(v.V), new(big.Rat).SetFloat64(v.Err)
	low, high := new(big.Rat).Sub(m, e), new(big.Rat).Add(m, e)
	l, h := rat(lo), rat(hi)
	switch {
	case h.Cmp(low) < 0 || l.Cmp(high) > 0:
		return Refuted
	case l.Cmp(low) >= 0 && h.Cmp(high) <= 0:
		return Proved
	}
	return Inconclusive
}

// Compare compares both engines at several ε. While a value is inconclusive, the exact
// engine tries the next effort, up to last. The error is a *Violation of profiles, a
// *float.UnsupportedError if the fast path does not cover the event, an error about the
// question, or ctx's; the comparisons that were made are returned with it.
func Compare(ctx context.Context, q exact.Question, epsilons []*big.Rat, last exact.Effort) ([]Comparison, error) {
	fast, err := prepare(ctx, q)
	if err != nil {
		return nil, err
	}
	return compare(ctx, q, fast, epsilons, last)
}

// Compare compares both engines at the case's ε, as the function does.
func (c Case) Compare(ctx context.Context, last exact.Effort) (Comparison, error) {
	fast := c.fast
	if fast == nil {
		var err error
		if fast, err = prepare(ctx, c.Question); err != nil {
			return Comparison{}, err
		}
	}
	cs, err := compare(ctx, c.Question, fast, []*big.Rat{c.Eps}, last)
	if len(cs) == 0 {
		return Comparison{}, err
	}
	return cs[0], err
}

func compare(ctx context.Context, q exact.Question, fast *float.Profile, epsilons []*big.Rat,
	last exact.Effort) ([]Comparison, error) {
	var out []Comparison
	for _, eps := range epsilons {
		a, err := fast.Delta(ctx, eps)
		if err != nil {
			return out, err
		}
		out = append(out, Comparison{Question: q, Eps: eps, Float: a, fast: fast})
	}
	err := efforts.UpTo(last).Climb(ctx, func(e exact.Effort) (bool, error) {
		p, err := exact.Prepare(ctx, q, e)
		if err != nil {
			return false, err
		}
		settled := true
		for i := range out {
			c := &out[i]
			if c.Verdict != Inconclusive {
				continue
			}
			if c.Exact, err = p.Delta(ctx, c.Eps); err != nil {
				return false, err
			}
			switch c.Verdict = judge(c.Exact.Lo(), c.Exact.Hi(), c.Float.Value); {
			case c.Verdict == Refuted:
				return false, &ProfileViolation{*c}
			case c.Float.Err >= 0.5:
				c.Verdict = Inconclusive // [0, 1] contains every δ
			}
			settled = settled && c.Verdict != Inconclusive
		}
		return settled, nil
	})
	return out, err
}

// CompareMethods judges each method of the fast path by itself against the enclosure of a
// comparison, also those that a better one makes unnecessary. The error is a
// *ProfileViolation, a *float.UnsupportedError, or ctx's.
func CompareMethods(ctx context.Context, c Comparison) (map[string]Verdict, error) {
	if c.fast == nil {
		var err error
		if c.fast, err = prepare(ctx, c.Question); err != nil {
			return nil, err
		}
	}
	out := make(map[string]Verdict)
	answers, ended := c.fast.Each(ctx, c.Eps)
	for _, a := range answers {
		c.Float, c.Verdict = a, judge(c.Exact.Lo(), c.Exact.Hi(), a.Value)
		if c.Verdict == Refuted {
			return out, &ProfileViolation{c}
		}
		if a.Err >= 0.5 {
			c.Verdict = Inconclusive
		}
		out[a.Method] = c.Verdict
	}
	return out, ended
}

// A ProfileViolation is a comparison of both engines that failed.
type ProfileViolation struct{ Comparison }

// Error says what disagrees, and how to see it again.
func (v *ProfileViolation) Error() string {
	lo, hi := v.Exact.Decimal(25)
	return fmt.Sprintf("crosscheck: δ(%s): the exact engine (%v, effort %d) says [%s, %s], the fast path (%s) says "+
		"%.17g ± %.3g; reproduce with: %s",
		v.Eps.RatString(), v.Exact.Methods, v.Exact.Effort, lo, hi, v.Float.Method, v.Float.V, v.Float.Err,
		Command(v.Question, v.Eps))
}

// Command returns the command line that repeats a comparison.
func Command(q exact.Question, eps *big.Rat) string {
	return fmt.Sprintf("verify selftest --relation %s --direction %s --epsilon %s '%s'", q.Relation, q.Direction,
		number.Format(eps), mechanism.EncodeEvent(q.Event))
}

// uncovered reports whether an error says that an engine does not cover an event.
func uncovered(err error) bool { return is[*float.UnsupportedError](err) }

// CompareDivergence compares R_α(P‖Q) of both engines at an order above 1. The error is a
// *DivergenceViolation, a *float.UnsupportedError, or about the question.
func CompareDivergence(q exact.Question, alpha *big.Rat) (Verdict, error) {
	fast, err := float.Divergence(float.Question{Event: q.Event, Relation: q.Relation, Direction: q.Direction}, alpha)
	if err != nil {
		return Inconclusive, err
	}
	y, err := exact.Renyi(q, renyi.At(alpha), 1)
	if err != nil || !y.IsFinite() {
		return Inconclusive, err
	}
	v := judge(y.Lo(), y.Hi(), fast)
	if v == Refuted {
		return v, &DivergenceViolation{q, alpha, fast, y.Interval}
	}
	return v, nil
}

// A DivergenceViolation is a Rényi divergence on which both engines disagree.
type DivergenceViolation struct {
	Question exact.Question
	Alpha    *big.Rat
	Float    float.Value
	Exact    interval.Interval
}

// Error says what disagrees, and where the exact value can be had.
func (v *DivergenceViolation) Error() string {
	lo, hi := v.Exact.Decimal(25)
	query := fmt.Sprintf(`{"event":%s,"relation":"%s","direction":"%s","quantity":"renyi","at":"%s"}`,
		mechanism.EncodeEvent(v.Question.Event), v.Question.Relation, v.Question.Direction, number.Format(v.Alpha))
	return fmt.Sprintf("crosscheck: R_%s: the exact engine says [%s, %s], the fast path %.17g ± %.3g; reproduce with: "+
		"echo '%s' | verify query", number.Format(v.Alpha), lo, hi, v.Float.V, v.Float.Err, query)
}
