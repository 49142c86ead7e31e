// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import "encoding/json"
import "math/big"

// A certificate is evidence for a verdict: docs/certificate.md. It is one line of JSON, and has
// one text: the one that Go writes for this type.
type certificate struct {
	Version int     `json:"version"`
	Claim   string  `json:"claim"` // SHA-256 of the statement
	Verdict string  `json:"verdict"`
	Chains  []chain `json:"chains"`
}

// A chain is the evidence for one direction. Without a grid, the checker computes δ itself. Promises have pairs.
type chain struct {
	Direction direction `json:"direction"`
	Pair      []string  `json:"pair,omitempty"`
	Grid      *grid     `json:"grid,omitempty"`
}

type grid struct {
	Bits   uint        `json:"bits"` // masses are multiples of 2^−Bits
	Step   string      `json:"step"` // the last one
	Leaves []leaf      `json:"leaves"`
	Plan   []operation `json:"plan"`

	step *big.Rat
}

// A leaf is the evidence for one copy of a factor, on a grid with the step of the chain
// times 2^−Levels.
//
// On the upper side, it has masses at index·step. On the lower side, a cell of outcomes from
// Threshold·2^−24 to the next one, or an atom, which has no threshold, goes to the group index;
// Part of 2^16 parts go to index + 1.
type leaf struct {
	Levels    int        `json:"levels"`
	Index     []int64    `json:"index"`
	Mass      []*big.Int `json:"mass,omitempty"`
	Part      []int64    `json:"part,omitempty"`
	Threshold []int64    `json:"threshold,omitempty"`

	step *big.Rat
}

// An operation is a step of the plan, a program for a stack of vectors: leaf pushes the leaf X at
// the level Y, dup what is on top; times composes the upper two, coarsen doubles a step, and cut
// keeps the entries from X to Y − 1.
type operation struct {
	Op string `json:"op"`
	X  int    `json:"x,omitempty"`
	Y  int    `json:"y,omitempty"`
}

const (
	thresholdBits = 24
	partBits      = 16

	maxFile     = 16 << 20
	maxLength   = 1 << 20 // of a vector
	maxEntries  = 1 << 24 // of all vectors
	maxIndex    = 1 << 40
	maxCount    = 1e12
	maxEvents   = 20_000 // written out
	maxNested   = 64
	maxOutcomes = 1000
	maxTerms    = 200_000 // outcomes of a composition that are written out
	maxBits     = 1 << 15
	maxDepth    = 100  // of lists and mappings
	maxWork     = 6e10 // in about nanoseconds
)

var maxStep = big.NewRat(1<<12, 1)

func readCertificate(data []byte) *certificate {
	c := new(certificate)
	err := json.Unmarshal(data, c)
	rejectIf(err != nil, "%v", err)
	again, err := json.Marshal(c)
	rejectIf(err != nil || string(again)+"\n" != string(data), "not in the only form that says this")
	rejectIf(c.Version != 1, "version %d", c.Version)
	return c
}

// reduced reads a reduced fraction.
func reduced(text string) *big.Rat {
	x := new(reader).number(&node{kind: 's', text: text}, "a fraction")
	rejectIf(x.RatString() != text, "%q is no reduced fraction", text)
	return x
}

// read rejects what is out of range.
func (g *grid) read(verdict string) {
	g.step = reduced(g.Step)
	rejectIf(g.step.Sign() <= 0 || g.step.Cmp(maxStep) > 0 || g.Bits < 16 || g.Bits > 250, "a grid that is not understood")
	for i := range g.Leaves {
		l := &g.Leaves[i]
		n := len(l.Index)
		upper := len(l.Mass) == n && l.Part == nil && l.Threshold == nil
		groups := l.Mass == nil && len(l.Part) == n && (l.Threshold == nil || len(l.Threshold) == n)
		fits := upper && verdict == "VERIFIED" || groups && verdict == "REFUTED"
		rejectIf(l.Levels < 0 || l.Levels > 40 || n < 1 || !fits, "a leaf that is not understood")
		l.step = new(big.Rat).Quo(g.step, big.NewRat(1<<l.Levels, 1))
		for k, i := range l.Index {
			rejectIf(i < -maxIndex || i > maxIndex || upper && (l.Mass[k] == nil || l.Mass[k].Sign() < 1) ||
				groups && (l.Part[k] < 0 || l.Part[k] >= 1<<partBits), "a point that is not understood")
		}
	}
}
