// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package exact is the rigorous engine: privacy profiles of composed mechanisms
// as enclosures that provably contain the truth.
//
// Delta, Epsilon and Prepare are the front door to the packages below it. A
// question is resolved into dominating pairs (package pair), every applicable
// method bounds the profile of their product, and the answer is the intersection
// of all enclosures. Disjoint enclosures prove a bug and are reported as an
// *InconsistencyError.
//
// Numerical difficulty shows as a wide enclosure, at worst [0, 1], never as an
// error. Raising the effort narrows it.
package exact

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/profile"
	"dpverify/internal/number"
	"dpverify/mechanism"
	"dpverify/mechanism/argument"
)

// A Question names a privacy profile.
type Question struct {
	Event     mechanism.Event
	Relation  mechanism.Relation
	Direction mechanism.Direction
	// Scale is a δ of interest, or nil. It steers how many bits masses get, and
	// so the width of answers; it never changes what they enclose.
	Scale *big.Rat
	// MaxMemory bounds the bytes that one step of a method may take; 0 means no
	// limit. A method that needs more is left out, and the Result says so.
	MaxMemory int64
	// Memo is what questions about compositions of the same events share, or nil. It
	// never changes what answers enclose, and they do not depend on what it holds.
	Memo *Memo
}

// limit returns a context for methods to run in.
func (q Question) limit(ctx context.Context) context.Context {
	if q.MaxMemory > 0 {
		return convolve.WithMemory(ctx, q.MaxMemory)
	}
	return ctx
}

// An Enclosure of a quantity, with rational ends where they are known.
type Enclosure = interval.Enclosure

// A Result is an answer of the engine; δ is a probability, ε is in nats.
type Result struct {
	Enclosure
	// Methods names what contributed, in order of cost.
	Methods []string
	// Effort is the rung that was reached.
	Effort Effort
	// Notes are assumptions that the answer rests on.
	Notes []string
	// Refused names the methods that were left out for Question.MaxMemory.
	Refused []Refusal
}

// A Profile is a privacy profile prepared at one effort: a question at many ε
// or δ.
type Profile struct {
	question Question
	prepared
}

// Prepare does the work that does not depend on ε. The error is about the
// question (*pair.RelationError, *pair.DirectionError, or one of package
// mechanism) or ctx's.
func Prepare(ctx context.Context, q Question, e Effort) (*Profile, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	s := method.NewSolver(method.All, e, q.Scale)
	s.Memo = q.Memo
	return prepare(ctx, q, s)
}

func prepare(ctx context.Context, q Question, s *method.Solver) (*Profile, error) {
	if _, err := mechanism.ParseDirection(q.Direction.String()); err != nil {
		return nil, err
	}
	prob, bs, err := meaning.ResolveProfile(q.Event, q.Relation, q.Direction)
	if err != nil {
		return nil, err
	}
	p := &Profile{q, prepared{event: q.Event, direction: q.Direction, problem: prob, solver: s}}
	for _, r := range eventRoutes {
		set, err := r.of(q.limit(ctx), &p.prepared, bs)
		if err != nil {
			return nil, err
		}
		if r.ceiling && len(set) > 0 {
			p.ceilings = append(p.ceilings, set)
		}
		if r.ceiling {
			continue
		}
		for _, b := range set {
			p.methods = append(p.methods, slices.DeleteFunc(b.Sol.Names(),
				func(n string) bool { return slices.Contains(p.methods, n) })...)
		}
		p.bounds = append(p.bounds, set...)
	}
	return p, nil
}

// maxBits bounds the leading bits that can be asked for, far above what an effort
// settles.
const maxBits = 1 << 20

func checkBits(bits int) error { return argument.Integer("bits", int64(bits), 0, maxBits) }

// Delta returns an enclosure of δ(eps) for any real eps, in nats: the least δ for
// which the event is (eps, δ)-DP in the direction asked.
func Delta(ctx context.Context, q Question, eps *big.Rat, e Effort) (Result, error) {
	p, err := Prepare(ctx, q, e)
	if err != nil {
		return Result{}, err
	}
	return p.Delta(ctx, eps)
}

// Delta is the function Delta on a prepared profile.
func (p *Profile) Delta(ctx context.Context, eps *big.Rat) (Result, error) {
	return p.DeltaTo(ctx, eps, maxBits)
}

// DeltaTo is Delta with about bits settled leading bits, where more cost more.
func (p *Profile) DeltaTo(ctx context.Context, eps *big.Rat, bits int) (Result, error) {
	if err := cmp.Or(argument.Number("epsilon", eps, nil, nil), checkBits(bits)); err != nil {
		return Result{}, err
	}
	ctx = p.question.limit(ctx)
	r := p.result()
	command := "delta --epsilon=" + number.Format(eps)
	y, err := p.enclose(ctx, interval.RealRat(eps), bits)
	if err != nil {
		return r, p.reproducible(err, command)
	}
	r.Interval = y
	if p.chosen != nil {
		policy, err := p.chosen.Policy(ctx, eps)
		if err != nil {
			return r, err
		}
		r.Notes = append(slices.Clone(r.Notes), "each vector is shifted in view of the outputs before, by: "+policy)
	}
	if v, ok := p.value(eps); ok {
		r.Value = v
		w := p.solver.Effort.Bits()
		z, ok := interval.Intersect(y, w.Rat(v))
		if !ok {
			return r, p.reproducible(p.contradiction("the methods", y, "exact rational value", w.Rat(v), eps.RatString()),
				command)
		}
		r.Interval = z
	}
	return r, nil
}

// DeltaReal encloses δ(ε) at a real number, such as the logarithm of a rational.
func (p *Profile) DeltaReal(ctx context.Context, eps interval.Real) (interval.Interval, error) {
	y, err := p.enclose(p.question.limit(ctx), eps, maxBits)
	near, _ := eps(64).Decimal(20)
	return y, p.reproducible(err, "delta --epsilon="+near)
}

func (p *Profile) result() Result {
	return Result{Enclosure: Enclosure{Interval: profile.Unit()}, Methods: p.methods, Effort: p.solver.Effort,
		Notes: p.problem.Notes, Refused: p.solver.Refused}
}

// enclose returns an enclosure of δ(ε): the largest lower bound and, over the
// orientations, the largest upper bound. A method whose precision has a price is first asked for as many bits as are
// wanted.
func (p *Profile) enclose(ctx context.Context, eps interval.Real, bits int) (interval.Interval, error) {
	full, none := p.solver.Effort.Bits(), interval.Int(0)
	return p.greatest(p.bounds, none, "", eps, func(b method.Bound, lower interval.Interval) (interval.Interval, error) {
		if above := b.Sol.Short.Above; above != nil && above(eps).LessEq(interval.Point(lower.Lo())) == interval.True {
			return none, nil // less than another one for certain
		}
		deep := b.Sol.Short.Deep && bits <= method.MaxDeep
		if b.Sol.Short.Near != nil && bits < int(full) || deep {
			const tolerable = 6 // bits short
			y, err := p.solver.Delta(ctx, b.Sol, max(interval.Prec(bits), interval.MinPrec), eps)
			if err != nil || y.RelativeBits(bits) >= bits-tolerable || bits >= int(full) {
				return y, err
			}
			z, err := p.solver.Delta(ctx, b.Sol, full, eps)
			if both, agree := interval.Intersect(y, z); agree {
				z = both
			}
			return z, err
		}
		return p.solver.Delta(ctx, b.Sol, full, eps)
	})
}

// greatest encloses a quantity that rises with the profile and is nowhere below a number: it is at least its greatest
// value for the products that bound the profile from below, and at most the greatest for all that do from above, and
// the greatest of each set of ceilings. of encloses it for one of them, given what it is at least; what is below that
// for certain may be given as the number. For a contradiction, the quantity has a name, as " of ε", and eps may say
// where.
func (p *Profile) greatest(bounds []method.Bound, least interval.Interval, name string, eps interval.Real,
	of func(b method.Bound, lower interval.Interval) (interval.Interval, error)) (interval.Interval, error) {
	lower, upper := least, interval.PosInf()
	for _, set := range append([][]method.Bound{bounds}, p.ceilings...) {
		ceiling := least
		for _, b := range set {
			y, err := of(b, lower)
			if err != nil {
				return profile.Unit(), err
			}
			if b.Lower {
				lower = interval.Max(lower, y)
			}
			if b.Upper {
				ceiling = interval.Max(ceiling, y)
			}
		}
		upper = interval.Min(upper, ceiling)
	}
	if lower.Lo().Cmp(upper.Hi()) > 0 {
		at := ""
		if eps != nil {
			at = method.About(eps)
		}
		return profile.Unit(), p.contradiction("lower bounds"+name, lower, "upper bounds"+name, upper, at)
	}
	return interval.Bounds(lower.Lo(), upper.Hi()), nil
}

// value returns δ(ε) where it is known to be a rational number: the greatest value of the
// bounds from above, if all are known, where one from below, or 0, meets it.
func (p *Profile) value(eps *big.Rat) (*big.Rat, bool) {
	var low, high *big.Rat
	for _, b := range p.bounds {
		v, ok := method.ExactDelta(p.solver.Effort.Bits(), b.Prod, eps)
		if b.Upper && !ok {
			return nil, false
		}
		if b.Upper && (high == nil || v.Cmp(high) > 0) {
			high = v
		}
		if b.Lower && ok && (low == nil || v.Cmp(low) > 0) {
			low = v
		}
	}
	return high, high != nil && (high.Sign() == 0 || low != nil && low.Cmp(high) == 0)
}

// contradiction reports two enclosures of a number of this profile that have nothing in common.
func (p *Profile) contradiction(first string, x interval.Interval, second string, y interval.Interval,
	eps string) error {
	e := Contradiction(first, x, second, y)
	e.Product, e.Eps, e.Effort = p.problem.Dominating().String(), eps, p.solver.Effort
	return e
}

// reproducible adds a command to the report of an inconsistency: the one of verify that asks
// the same, with its number.
func (p *Profile) reproducible(err error, command string) error {
	if e, ok := err.(*InconsistencyError); ok && e.Reproduce == "" {
		e.Reproduce = fmt.Sprintf("verify %s --effort %d --relation %s --direction %s '%s'",
			command, p.solver.Effort, p.question.Relation, p.question.Direction, mechanism.EncodeEvent(p.question.Event))
	}
	return err
}

// PrepareDraft is Prepare for a first answer.
func PrepareDraft(ctx context.Context, q Question, d Draft) (*Profile, error) {
	if err := argument.Integer("draft", int64(d), int64(Instant), int64(Coarse)); err != nil {
		return nil, err
	}
	s := method.NewSolver(method.All, 0, q.Scale)
	s.Draft, s.Memo = d, q.Memo
	return prepare(ctx, q, s)
}

// Enough returns the next effort at which values may have so many bits: the next of all where that is not known.
func (p *Profile) Enough(bits int) Effort {
	next := p.solver.Effort + 1
	enough := next
	for _, b := range p.bounds {
		e := next
		for of := b.Sol.Bits; of != nil && e < MaxEffort && int(of(e)) < bits; {
			e++
		}
		if b.Sol.Bits == nil {
			return next
		}
		enough = max(enough, e)
	}
	return enough
}

// Slow reports whether each effort above costs several times as much and brings less than a digit, of some bound.
func (p *Profile) Slow() bool {
	return slices.ContainsFunc(p.bounds, func(b method.Bound) bool { return b.Sol.Slow })
}

// Tight reports whether the enclosures shrink to points as the effort rises:
// every product is attained, and some method bounds it from both sides.
func (p *Profile) Tight() bool {
	for _, b := range p.bounds {
		if !b.Lower || !b.Upper || !b.Sol.TwoSided {
			return false
		}
	}
	return true
}
