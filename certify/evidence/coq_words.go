// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"dpverify/certify"
	"dpverify/certify/evidence/coq"
	"dpverify/certify/evidence/statement"
	"dpverify/mechanism"
)

// coqPart is a part in the vocabulary of proofs/theory/Part.v; empty if that has no word for it.
func coqPart(p *statement.Part) string {
	if p.Clamp != nil {
		return coqClamped(p.Pair.(statement.Laplace).Shift, p.Clamp, true)
	} else if p.Bounded {
		return ""
	}
	return coqPair(p.Pair)
}

func coqPair(pair statement.Pair) string {
	base, rate := sampledAt(pair)
	switch p := base.(type) {
	case statement.Gaussian:
		return fmt.Sprintf("Gaussian %s %s", coq.Quotient(p.Square), coq.Quotient(rate))
	case statement.Laplace:
		return fmt.Sprintf("LaplaceNoise %s %s", coq.Quotient(p.Shift), coq.Quotient(rate))
	case statement.Clamped:
		return coqClamped(p.Noise.Shift, p.Clamp, false)
	case statement.DiscreteLaplace:
		return fmt.Sprintf("discrete_laplace %s %d", coq.Quotient(p.Lambda), p.Shift)
	case *statement.DiscreteGaussian:
		return fmt.Sprintf("DiscreteGaussian %s %d", coq.Quotient(p.Variance), p.Shift)
	case statement.SampledFinite:
		return fmt.Sprintf("sample %s %t (%s)", coq.Quotient(p.Rate), p.Visible, coqPair(p.Base))
	case statement.Guarantee:
		return fmt.Sprintf("guarantee %s %s", coq.Quotient(p.Eps), coq.Quotient(p.Delta))
	case statement.Response:
		return coqFinite(p.Atoms)
	case statement.Atoms:
		return coqFinite(p)
	}
	return ""
}

// coqClamped is Laplace noise that is clamped at so much below its median, before the shift or after it.
func coqClamped(shift, clamp *big.Rat, before bool) string {
	return fmt.Sprintf("ClampedLaplace %s %s %t", coq.Quotient(shift), coq.Quotient(clamp), before)
}

// coqLosses are the greatest losses of parts, for basic composition; empty where the theory does not know them.
func coqLosses(parts []*statement.Part) string {
	var out []string
	for _, p := range parts {
		base, _ := sampledAt(p.Pair)
		switch base.(type) {
		case statement.Guarantee, statement.Laplace:
		default:
			return ""
		}
		loss, infinite := p.Greatest()
		if loss == nil {
			loss, infinite = base.Greatest()
		}
		out = append(out, fmt.Sprintf("(%s, %s)", coq.Quotient(loss), coq.Quotient(infinite)))
	}
	return "  Losses [" + strings.Join(out, "; ") + "]"
}

// sampledAt is what a pair of noise is a sample of, and the rate; the pair itself and 1 if it is none.
func sampledAt(p statement.Pair) (statement.Pair, *big.Rat) {
	if s, ok := p.(statement.Sampled); ok {
		return s.Divisible, s.Rate
	}
	return p, statement.RatOne
}

// coqLargest is a number that is not below the shift of a Gaussian, and up to where a discrete one is summed.
func coqLargest(p statement.Pair, bits int) *big.Rat {
	switch p := p.(type) {
	case statement.Gaussian:
		return coq.Largest(p.Square, bits)
	case *statement.DiscreteGaussian:
		return big.NewRat(p.Reach, 1)
	}
	return statement.RatOne
}

// coqFinite is a pair of rational masses.
func coqFinite(list statement.Atoms) string {
	weight := func(r *big.Rat) string {
		if r.Sign() == 0 {
			return "nil"
		}
		return fmt.Sprintf("[(%s, 0%%Q)]", coq.Quotient(r))
	}
	var atoms []string
	for _, a := range list {
		atoms = append(atoms, fmt.Sprintf("(%s, %s)", weight(a.P), weight(a.Q)))
	}
	return "Finite [" + strings.Join(atoms, "; ") + "]"
}

// maxCoqEntries is up to where vectors are cut that coqc multiplies in seconds.
const maxCoqEntries = 20_000

// coqDirections are those of a claim.
func coqDirections(d mechanism.Direction) []mechanism.Direction {
	if d == mechanism.Both {
		return []mechanism.Direction{mechanism.Remove, mechanism.Add}
	}
	return []mechanism.Direction{d}
}

// coqDirection has the words of the theory.
var coqDirection = map[mechanism.Direction]string{mechanism.Remove: "Remove", mechanism.Add: "Add"}

// coqPlan is a plan in the words of proofs/theory/Vector.v; false if its vectors are too long.
func coqPlan(plan []operation) (string, bool) {
	var out []string
	for _, o := range plan {
		switch o.Op {
		case "leaf":
			out = append(out, fmt.Sprintf("Leaf %d", o.X))
			out = append(out, slices.Repeat([]string{"Coarsen"}, o.Y)...)
		case "cut":
			if o.Y > maxCoqEntries {
				return "", false
			}
			out = append(out, fmt.Sprintf("Cut %d %d", o.X, o.Y))
		default:
			out = append(out, map[string]string{"dup": "Dup", "times": "Times", "coarsen": "Coarsen"}[o.Op])
		}
	}
	return strings.Join(out, "; "), true
}

// Limits of what coqc gets through in minutes.
const (
	maxCoqTerms = 2_000 // of a composition that is written out
	maxCoqCount = 5_000
)

// A coqFile is what has been written of a file.
type coqFile struct {
	strings.Builder
	task
	exact     bool // basic composition gives the claim
	separated bool // δ is not too close to the claimed one
	size      int  // log2 of the claimed δ, or of δ where none is claimed, about
}

func (f *coqFile) linef(format string, args ...any) { fmt.Fprintf(f, format+"\n", args...) }

const withInterval = "CoqInterval 4.6 (Debian: coq, libcoq-interval) accepts this file: coqc FILE"

func (f *coqFile) header(o *certify.Outcome, said, needs string) {
	id := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"*`, r) {
			return '_'
		}
		return r
	}, o.Claim.ID)
	f.linef("(* The claim %s is %s:\n", id, map[bool]string{false: "true", true: "false"}[f.lower])
	for line := range strings.Lines(said) {
		f.linef("     %s", strings.TrimSuffix(line, "\n"))
	}
	f.linef("\n   What has to be believed is that the pairs below are the pairs of the event, as docs/relations.md has " +
		"it.")
	for _, p := range f.parts {
		if p.Bounded {
			f.linef("   Of some it only dominates what is run, by docs/theorems.md.")
			break
		}
	}
	f.linef("   Coq 8.16 with %s *)\n", needs)
}

// digits is the precision that tells δ from the claimed one.
func (f *coqFile) digits() int {
	x := 60 - math.Log2(f.gap)
	if f.gap <= 0x1p-30 {
		x = 130
	}
	return int(x) - f.size
}

// size is about log2 of the claimed δ, or of δ if that is 0; 0 if both are.
func size(o *certify.Outcome, p certify.Point) int {
	x := new(big.Float).SetRat(p.Delta)
	if x.Sign() == 0 && o.Delta != nil {
		x = o.Delta.Lo()
	}
	return x.MantExp(nil)
}
