// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"math/big"

	"dpverify/ask"
	"dpverify/ask/measure"
	"dpverify/certify/derive"
	"dpverify/certify/measured"
	"dpverify/certify/mended"
	"dpverify/exact"
	"dpverify/exact/domination"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// Claims, statements and outcomes: a statement decides and reports a claim that states it, and so their types are about
// each other.

// A Claim is one entry of a claims file.
type Claim struct {
	File string
	Line int
	// SHA256 is the hash of the file, in hexadecimal; empty if there was none.
	SHA256 string
	// Fingerprint is a hash of the claim itself, also of a malformed one, in
	// hexadecimal: claims with the same one say the same.
	Fingerprint string
	// Asides is a hash of what else a report depends on: the derivation, its orders, the expected verdict; empty if
	// none of these is stated.
	Asides string

	ID, Source, Note string
	// MorePrivate and LessPrivate are the corner events of published, rounded
	// parameters; they are equal where all parameters are plain numbers.
	MorePrivate, LessPrivate mechanism.Event
	notes                    []string         // on what the two corners cover
	Written                  string           // the short form that the event was read from; empty for none
	Recounted                *mechanism.Range // as in mechanism.Range
	Relation                 mechanism.Relation
	Direction                mechanism.Direction
	Statement                Statement       // nil if it could not be read
	binary64                 bool            // its numbers are read as float64
	Derivation               string          // empty if none is stated
	Orders                   []*big.Rat      // of a Rényi derivation; nil for the default
	RealOrders               bool            // all α > 1
	Expect                   Verdict         // empty if nothing is expected
	Measured                 *measure.Stated // nil if nothing was measured

	// Err says why the claim is malformed.
	Err error
}

// Corners returns the events of a claim: two for interval parameters.
func (c *Claim) Corners() []mechanism.Event {
	if mechanism.Equal(c.MorePrivate, c.LessPrivate) {
		return []mechanism.Event{c.LessPrivate}
	}
	return []mechanism.Event{c.MorePrivate, c.LessPrivate}
}

// Counted says how many steps a training has; empty for other events.
func (c *Claim) Counted() string {
	if c.LessPrivate == nil {
		return ""
	}
	return ask.CountedIn(mechanism.Range{LessPrivate: c.LessPrivate, Written: c.Written}).Text
}

// Says is the statement of a claim in words; empty if it could not be read.
func (c *Claim) Says() string {
	if c.Statement == nil {
		return ""
	}
	return c.Statement.String()
}

// check returns a *mechanism.ParamError if a number of the statement is missing.
func (c *Claim) check() error {
	if c.Statement == nil {
		return nil
	}
	return c.Statement.check()
}

// A Statement is what is claimed: a Point, Concentrated, Renyi, Dominated or Value.
type Statement interface {
	// String is the statement in words, its numbers as they are written.
	String() string

	// check returns a *mechanism.ParamError if a number is missing.
	check() error
	// decide answers a claim that states it. The error is about the event, a bug of the
	// engine, or the error of a context.
	decide(d decision) error
	// restates reports whether all inequalities that make it up are among the inequalities of p, or weaker.
	restates(p property) bool
	// report adds to a report the fields that only statements of its form have.
	report(r *ClaimReport, o *Outcome)
}

// An Outcome is the answer to a claim.
type Outcome struct {
	Claim   *Claim
	Verdict Verdict
	// Delta encloses δ at the claimed ε, Epsilon the least ε at the claimed δ; nil
	// where they do not apply or were not reached. Over interval parameters they
	// enclose the whole range.
	Delta, Epsilon *exact.Enclosure
	// Renyi encloses the divergences of a claim about them.
	Renyi []DivergenceBound
	// Domination is the answer to a claim {pld}; nil for others, or if none was reached.
	Domination *domination.Result
	// Value encloses the quantity of a claim about one; nil for others, or if none was reached.
	Value  *exact.Enclosure
	mended []mended.Number // of a refuted ρ
	// Measured says what the stated attack shows; nil if none is stated, or it was not tested.
	Measured *measure.Answer
	// draft says that a first answer decided: no certificate repeats it.
	draft bool
	// Methods names what bounds the event, at Effort, the rung that Delta is from.
	Methods []string
	Effort  exact.Effort
	// MaxMemory is the limit of Options that it was reached with.
	MaxMemory int64
	// Derivation says what the stated derivation gives; nil if none is stated.
	Derivation *Derivation
	// Notes are what the answer rests on, for people.
	Notes []string
	// Reason says why a claim is undecided.
	Reason string
	// Err says why a claim is malformed.
	Err error
}

// Repeatable reports whether deciding the claim again at Effort gives the outcome, and the events of the claim are all
// that it is about: no first answer decided, and no list of probabilities stands for all that it may be rounded from.
func (o *Outcome) Repeatable() bool { return !o.draft && len(o.Claim.notes) == 0 }

// AsExpected reports whether the verdict is the expected one; where nothing is expected, whether the claim is VERIFIED,
// or STATED: then there was nothing to decide. What does not fit a measurement is never as expected.
func (o *Outcome) AsExpected() bool {
	return asExpected(o.Verdict, o.Claim.expected()) && o.Fits()
}

// asExpected reports whether a verdict is the expected one; where nothing is expected, whether a claim is VERIFIED, or
// STATED: then there was nothing to decide.
func asExpected(v Verdict, expect *Verdict) bool {
	if expect != nil {
		return v == *expect
	}
	return v == Verified || v == Stated
}

// Fits reports that no measurement contradicts the event, or a claim that was not refuted.
func (o *Outcome) Fits() bool {
	return measured.Fits(measured.Report(o.Measured), o.Verdict == Refuted)
}

// expected is the verdict that a claim names; nil if it names none.
func (c *Claim) expected() *Verdict {
	if c.Expect == "" {
		return nil
	}
	return &c.Expect
}

// LeastEpsilon encloses max(0, ε) at the claimed δ, which is what a claim with ε ≥ 0 can be compared with; nil where
// Epsilon is.
func (o *Outcome) LeastEpsilon() *exact.Enclosure {
	if o.Epsilon == nil {
		return nil
	}
	return new(o.Epsilon.OrZero())
}

// A decision is an outcome in the making.
type decision struct {
	*Outcome
	ctx, limited context.Context // the caller's, and what ends with the budget
	o            Options
}

var one = big.NewRat(1, 1)

// A Derivation says what the stated derivation of a claim gives at the claimed δ.
// It never changes the verdict: a true claim may have a derivation that does not
// yield it, and a false one a derivation that does.
type Derivation struct {
	Name string
	// Claimed is the claimed ε.
	Claimed *big.Rat
	// NotModelled says why nothing is known about the derivation; everything below
	// is then empty.
	NotModelled string
	// Epsilon encloses the derived ε, max(0, ·), but the least ε as it is where the claim is
	// below 0; over interval parameters, all of its values.
	Epsilon *exact.Enclosure
	// Implies answers derived ε ≤ claimed ε.
	Implies interval.Truth
	// Reproduces answers whether the claimed ε is the derived one, rounded to the
	// digits of the claim, and Rounding says how: see Rounding.
	Reproduces interval.Truth
	Rounding   derive.Rounding
	// Digits is how many leading digits of the claim agree with the derived value.
	Digits int
	// Note is for people.
	Note string
}

// A DivergenceBound is a claimed bound of a Rényi divergence with an enclosure of it,
// over all interval parameters.
type DivergenceBound struct {
	mechanism.RenyiPoint
	Divergence exact.Enclosure
}
