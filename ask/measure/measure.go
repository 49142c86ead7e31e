// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package measure says what attacks show about a mechanism: lower bounds of its privacy loss with a stated confidence,
// and whether their success is compatible with an event or a claim.
//
// An attack guesses of canaries, records of the auditor's own, whether they were members of the data. Guesses of
// independent runs give a confidence region for the two rates of errors, by Clopper and Pearson; guesses about all
// canaries of one run are bounded by OneRun. What is tested is a hypothesis: a guarantee (ε, δ), a Gaussian μ, or the
// trade-off function of an event. It is contradicted only if data as extreme have at most the probability 1 −
// confidence under every mechanism that satisfies it. Nothing here says that a mechanism is private.
package measure

import (
	"context"
	"math/big"

	"dpverify/ask"
	"dpverify/exact"
)

// DefaultConfidence is the confidence of a request that names none.
var DefaultConfidence = big.NewRat(999, 1000)

// A Verdict is what an attack says about hypotheses.
type Verdict int

const (
	Uninformative Verdict = iota // no attack with so many canaries could contradict them
	Consistent                   // the attack does not contradict them
	Contradicted                 // one of them
)

func (v Verdict) String() string {
	return [...]string{"UNINFORMATIVE", "CONSISTENT", "CONTRADICTED"}[v]
}

// A Claim is a guarantee (ε, δ).
type Claim struct{ Epsilon, Delta *big.Rat }

// A Request asks what an attack shows.
type Request struct {
	Attack     Attack
	Confidence *big.Rat        // in (0, 1)
	Event      *exact.Question // or nil; its direction is not used
	Claim      *Claim          // or nil
	Delta      *big.Rat        // at which the lower bound of ε is wanted; nil is 0
	ask.Goal                   // of what the event takes
}

// A Finding is what an attack says about one hypothesis.
type Finding struct {
	Verdict Verdict
	// Needed is a number of canaries of which an attack without errors contradicts the hypothesis, if Verdict is
	// Uninformative; 0 if none was found.
	Needed int64
}

// An Answer is what an attack shows.
type Answer struct {
	Request
	Verdict Verdict
	// Epsilon, Mu and DeltaAt are lower bounds, each with the confidence of the request by itself: of ε at Delta, of μ
	// of Gaussian differential privacy, and of δ at the claimed ε (nil without a claim).
	Epsilon, Mu, DeltaAt *big.Rat
	OfEvent, OfClaim     *Finding // nil without an event or a claim
	// Accounted is ε of the event at Delta; nil without an event.
	Accounted *ask.Answer
}

// Compute answers a request. The error is about the request or the event, or the end of ctx.
func Compute(ctx context.Context, r Request) (*Answer, error) {
	if r.Delta == nil {
		r.Delta = new(big.Rat)
		if r.Claim != nil {
			r.Delta = r.Claim.Delta
		}
	}
	significance := new(big.Rat).Sub(big.NewRat(1, 1), r.Confidence)
	t := tester{ctx, significance}
	measured := r.Attack.test(significance)
	out := &Answer{Request: r, Verdict: Uninformative}
	var err error
	if out.Epsilon, err = leastRefuted(func(eps *big.Rat) (bool, error) {
		return t.refuted(measured, guarantee{eps, r.Delta})
	}, maxEpsilon); err != nil {
		return nil, err
	}
	if out.Mu, err = leastRefuted(func(mu *big.Rat) (bool, error) { return t.refuted(measured, gaussian{mu}) },
		maxMu); err != nil {
		return nil, err
	}
	if c := r.Claim; c != nil {
		if out.DeltaAt, err = leastRefuted(func(delta *big.Rat) (bool, error) {
			return t.refuted(measured, guarantee{c.Epsilon, delta})
		}, 1); err != nil {
			return nil, err
		}
		if out.OfClaim, err = t.find(r.Attack, guarantee{c.Epsilon, c.Delta}); err != nil {
			return nil, err
		}
		out.Verdict = max(out.Verdict, out.OfClaim.Verdict)
	}
	if r.Event != nil {
		e := newEvent(*r.Event, r.Goal)
		if out.OfEvent, err = t.find(r.Attack, e); err != nil {
			return nil, err
		}
		out.Verdict = max(out.Verdict, out.OfEvent.Verdict)
		if out.Accounted, err = e.epsilon(ctx, r.Delta); err != nil {
			return nil, err
		}
	}
	if r.Event == nil && r.Claim == nil && (out.Epsilon.Sign() > 0 || out.Mu.Sign() > 0) {
		out.Verdict = Consistent
	}
	return out, nil
}

// A tester tests hypotheses at a significance.
type tester struct {
	ctx          context.Context
	significance *big.Rat
}

func (t tester) refuted(by test, h hypothesis) (bool, error) {
	if err := t.ctx.Err(); err != nil {
		return false, err
	}
	return by(t.ctx, h)
}

// find says what an attack says about a hypothesis.
func (t tester) find(a Attack, h hypothesis) (*Finding, error) {
	refuted, err := t.refuted(a.test(t.significance), h)
	if err != nil || refuted {
		return &Finding{Verdict: Contradicted}, err
	}
	if refuted, err = t.refuted(a.perfect().test(t.significance), h); err != nil || refuted {
		return &Finding{Verdict: Consistent}, err
	}
	n, err := t.enough(func(n int64) (Attack, error) { return a.sized(n), nil }, h)
	return &Finding{Uninformative, n}, err
}

// maxCanaries bounds the number of canaries that is looked for.
const maxCanaries = 1 << 17

// enough returns a number of canaries with which attacks refute a hypothesis, next to the least one; 0 if none of those
// that are tried is enough.
func (t tester) enough(attack func(int64) (Attack, error), h hypothesis) (int64, error) {
	last, err := lastLow(1, 2, 2, maxCanaries, func(n int64) (bool, error) {
		a, err := attack(n)
		if err != nil || a == nil {
			return true, err
		}
		ok, err := t.refuted(a.test(t.significance), h)
		return !ok, err
	})
	if err != nil || last == maxCanaries {
		return 0, err
	}
	return last + 1, nil
}

// lastLow returns a number that low says yes to, as to lo, and no to the next: it tries hi, then twice as much each
// time, but at least least and at most most, and halves what is between a yes and a no. It is most if low says yes to
// that.
func lastLow(lo, hi, least, most int64, low func(int64) (bool, error)) (int64, error) {
	for n, found := hi, false; hi-lo > 1 || !found; {
		switch ok, err := low(n); {
		case err != nil:
			return lo, err
		case !ok:
			hi, found = n, true
		case n == most:
			return most, nil
		default:
			lo = n
		}
		if n = (lo + hi) / 2; !found {
			n = min(max(2*lo, least), most)
		}
	}
	return lo, nil
}

const (
	maxEpsilon = 256
	maxMu      = 32
	parts      = 1 << 20 // of 1, in which lower bounds are multiples
)

// leastRefuted returns x ≥ 0, next to the greatest one that refuted says yes to, and at most most; 0 if there is none.
// refuted is about hypotheses each of which follows from those before it.
//
// Let x₀ be the least parameter of the mechanism, and x > x₀ the answer. The mechanism satisfies the hypothesis of x as
// well, which is refuted. For the attacks of this package, the data that refute some hypothesis that follows from that
// of x₀ are among those of which the probability is at most the significance under all mechanisms that satisfy that of
// x₀.
func leastRefuted(refuted func(*big.Rat) (bool, error), most int64) (*big.Rat, error) {
	n, err := lastLow(-1, 0, parts/64, most*parts, func(n int64) (bool, error) { return refuted(big.NewRat(n, parts)) })
	return big.NewRat(max(n, 0), parts), err
}
