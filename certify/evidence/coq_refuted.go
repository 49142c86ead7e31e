// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"dpverify/certify/evidence/coq"
	"dpverify/certify/evidence/statement"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// coqRefutation is the evidence in proofs/theory/Refuted.v that a claim is false in a direction; empty if there is
// none.
func (t task) coqRefutation(ctx context.Context) (string, error) {
	g, bits, limit := (*grid)(nil), 0, new(big.Int)
	single := len(t.parts) == 1 && t.parts[0].Count == 1
	if t.delta.Sign() == 0 && !single {
		return "", nil
	}
	if single {
		l, ok := t.sharpest()
		if !ok {
			return "", nil
		}
		size := new(big.Float).SetRat(t.delta).MantExp(nil)
		bits = 100 - size + int(math.Max(0, 2*number.Float64(t.eps)))
		g = &grid{Bits: uint(bits), last: statement.RatOne, Leaves: []leaf{l}, Plan: []operation{{Op: "leaf"}}}
	} else {
		var err error
		if g, err = t.solve(ctx); err != nil {
			return "", ctx.Err()
		}
		bits = int(g.Bits)
	}
	if !single {
		n := new(big.Rat).Quo(t.eps, g.last)
		limit.Div(n.Num(), n.Denom())
	}
	prec := bits + 48
	finest, levels := g.finest()
	var leaves []string
	for i, l := range g.Leaves {
		text, ok := coqSplit(t.parts[i], l, levels-l.Levels, prec, bits+16)
		if !ok {
			return "", nil
		}
		leaves = append(leaves, text)
	}
	plan, ok := coqPlan(g.Plan)
	if !ok {
		return "", nil
	}
	return fmt.Sprintf("{|\n  against := %s; in_prec := %d; in_bits := %d; in_grid := %s; in_limit := %d;\n"+
		"  in_leaves := [\n%s\n  ];\n  in_plan := [%s] |}",
		coqDirection[t.direction], prec, bits, coq.Quotient(finest), limit, strings.Join(leaves, ";\n"), plan), nil
}

// coqSplit is a leaf of the lower side at a level from the finest: masses in units of 2^−prec, of which tails of
// Gaussians are known to so many bits; false if they are too far out.
func coqSplit(p *statement.Part, l leaf, level, prec, bits int) (string, bool) {
	shift := statement.RatOne
	base, _ := sampledAt(p.Pair)
	noise, isGaussian := base.(statement.Gaussian)
	if isGaussian {
		shift = coq.Inside(noise.Square, prec)
	}
	if noise, ok := base.(*statement.DiscreteGaussian); ok { // those that both have, none beyond
		shift = coqLargest(noise, prec)
		l.Index, l.Part = l.Index[noise.Shift:len(l.Index)-1], l.Part[noise.Shift:]
	}
	first, last := slices.Min(l.Index), slices.Max(l.Index)
	var cells []string
	for k, index := range l.Index {
		at, terms, ok := new(big.Rat), 0, true
		if l.Threshold != nil {
			at.SetFrac64(l.Threshold[k], 1<<statement.ThresholdBits)
		}
		if isGaussian {
			// Beyond, the tail is less than a unit: nearer is as good.
			far := new(big.Rat).SetFloat64(math.Round(math.Sqrt(1.4*float64(prec))) + 1)
			if least := new(big.Rat).Neg(far); at.Cmp(least) < 0 {
				at.Set(least)
			} else if most := far.Add(far, shift); at.Cmp(most) > 0 {
				at.Set(most)
			}
			t := number.Float64(at)
			terms, ok = coq.Terms(math.Max(math.Abs(t), math.Abs(t-number.Float64(shift))), bits)
		}
		if !ok {
			return "", false
		}
		cells = append(cells, fmt.Sprintf("((%d, %d), (%s, %d%%nat))", index, l.Part[k], coq.Quotient(at), terms))
	}
	return fmt.Sprintf("    {| split_level := %d%%nat; split_start := %d; split_size := %d%%nat; split_shift := %s;\n"+
		"       split_cells := [%s] |}",
		level, first, last-first+2, coq.Quotient(shift), strings.Join(cells, "; ")), true
}

// sharpest is the leaf of one copy with the index 1 on about the best set: what is above a threshold, or atoms; false
// if that is no such set.
func (t task) sharpest() (leaf, bool) {
	switch p := t.parts[0].Pair.(type) {
	case statement.Listed:
		var l leaf
		e := statement.Three.Exp(statement.Three.Rat(t.eps))
		for _, m := range p.Outcomes(t.direction) {
			index := int64(0)
			if statement.Float64(statement.Three.Sub(m.P, statement.Three.Mul(e, m.Q))) > 0 {
				index = 1
			}
			l.Index, l.Part = append(l.Index, index), append(l.Part, 0)
		}
		return l, true
	case statement.Clamped:
		return t.clamped(p), true
	case statement.Density:
		at := p.Outcome(number.Float64(t.eps))
		if t.direction == mechanism.Add && !statement.SelfDual(p) || math.IsNaN(at) || math.Abs(at) > 1e6 {
			return leaf{}, false
		}
		threshold := int64(math.Round(at * (1 << statement.ThresholdBits)))
		return leaf{Index: []int64{1}, Part: []int64{0}, Threshold: []int64{threshold}}, true
	}
	return leaf{}, false
}

// clamped is the best set of noise that is clamped before it is shifted: with the record, the value that the noise is
// clamped to and outputs up to a threshold; without it, its own value and outputs from one on.
func (t task) clamped(p statement.Clamped) (l leaf) {
	s, clamp, eps, add := number.Float64(p.Noise.Shift), number.Float64(p.Clamp), number.Float64(t.eps), int64(0)
	if t.direction == mechanism.Add {
		add = 1
	}
	l.Index, l.Threshold = []int64{1 - add, add}, []int64{0, 0}
	cell := func(index int64, at float64) {
		l.Index, l.Threshold = append(l.Index, index), append(l.Threshold, int64(math.Round(at*(1<<statement.ThresholdBits))))
	}
	some, all := eps < s, eps < -s // of the losses between the shifted densities
	switch {
	case add == 1 && all:
		cell(1, -clamp)
	case add == 1 && some:
		cell(1, (eps-s)/2)
	case add == 0:
		cell(1, -s-clamp)
		if some && !all {
			cell(0, -(eps+s)/2)
		} else if !all {
			cell(0, -clamp)
		}
	}
	l.Part = make([]int64, len(l.Index))
	return l
}
