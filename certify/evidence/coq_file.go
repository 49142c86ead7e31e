// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"dpverify/certify"
)

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
