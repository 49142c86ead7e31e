// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"iter"

	"dpverify/exact"
	"dpverify/exact/interval"
)

// A Result is what became of one case.
type Result struct {
	Case
	Reply   Reply
	Verdict Verdict
	Judged  Judgement
	// Shrunk is the smallest unsound case that was found from an unsound one.
	Shrunk *Result
}

// A Verdict says what an answer is worth.
type Verdict string

const (
	Sound    Verdict = "sound"
	Unsound  Verdict = "unsound"   // a bound on the wrong side of the truth, for certain
	Open     Verdict = "undecided" // the enclosure of the truth does not tell
	Unjudged Verdict = ""          // there is nothing to judge
)

// A Judgement compares an answer with the truth.
type Judgement struct {
	// Truth encloses the quantity; nil if it was not computed.
	Truth   *exact.Enclosure
	Methods []string
	Effort  exact.Effort
	// Claimed is the number that was judged, and Side which bound it is.
	Claimed *Number
	Side    Side
	// Understatement encloses, for an unsound answer, how much of the truth it leaves
	// out: (truth − upper)/truth, or (lower − truth)/truth.
	Understatement *interval.Interval
	// Slack encloses upper − truth of a sound upper bound of ε, in nats.
	Slack *interval.Interval
	// Reason says why an answer is undecided.
	Reason string
}

// Findings iterates over the results that are unsound, each in its smallest form,
// the first of those that shrank to the same question.
func Findings(rs []Result) iter.Seq2[Result, Result] {
	return func(yield func(original, smallest Result) bool) {
		seen := make(map[string]bool)
		for _, r := range rs {
			if r.Verdict != Unsound {
				continue
			}
			small := r
			if r.Shrunk != nil {
				small = *r.Shrunk
			}
			if key := small.Case.key(); !seen[key] {
				seen[key] = true
				if !yield(r, small) {
					return
				}
			}
		}
	}
}
