// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"math/big"
	"slices"

	"dpverify/exact/interval"
)

// A Summary sums up results.
type Summary struct {
	Asked                               int
	Sound, Unsound, Undecided, Unjudged int // of the answers
	// Rounding counts unsound answers that leave out at most 10^−9 of the truth.
	Rounding int
	// Failures counts everything that was no answer, by kind.
	Failures map[Kind]int
	Reasons  []Reason // of these
	Stray    int      // lines that answered nothing
	// Worst is the largest understatement that is certain; nil without any.
	Worst *interval.Interval
	// MedianSlack and WorstSlack are how much the sound upper bounds of ε exceed it,
	// for certain, in nats; nil without any. WorstCase is the case of the latter.
	MedianSlack, WorstSlack *interval.Interval
	WorstCase               string
	// Median and longest time of an answer, in seconds, without the first one of a
	// process.
	MedianSeconds, WorstSeconds float64
	Timed                       int
}

// Summarize sums up results.
func Summarize(rs []Result) Summary {
	s := Summary{Asked: len(rs), Failures: make(map[Kind]int), Reasons: Reasons(rs)}
	type slackOf struct {
		lo *big.Float
		id string
	}
	var slacks []slackOf
	var seconds []float64
	for _, r := range rs {
		s.Stray += r.Reply.Stray
		if r.Reply.Kind != Answered {
			s.Failures[r.Reply.Kind]++
			continue
		}
		if !r.Reply.First {
			seconds = append(seconds, r.Reply.Seconds)
		}
		switch r.Verdict {
		case Sound:
			s.Sound++
		case Unsound:
			s.Unsound++
			if u := r.Judged.Understatement; u != nil {
				lo := interval.Point(u.Lo())
				if s.Worst == nil || s.Worst.Less(lo) == interval.True {
					s.Worst = &lo
				}
				if u.LessEqRat(big.NewRat(1, 1e9)) == interval.True {
					s.Rounding++
				}
			}
		case Open:
			s.Undecided++
		default:
			s.Unjudged++
		}
		if d := r.Judged.Slack; d != nil {
			slacks = append(slacks, slackOf{d.Lo(), r.ID})
		}
	}
	if len(slacks) > 0 {
		slices.SortStableFunc(slacks, func(a, b slackOf) int { return a.lo.Cmp(b.lo) })
		median, worst := interval.Point(slacks[(len(slacks)-1)/2].lo), interval.Point(slacks[len(slacks)-1].lo)
		s.MedianSlack, s.WorstSlack, s.WorstCase = &median, &worst, slacks[len(slacks)-1].id
	}
	if s.Timed = len(seconds); s.Timed > 0 {
		slices.Sort(seconds)
		s.MedianSeconds, s.WorstSeconds = seconds[(len(seconds)-1)/2], seconds[len(seconds)-1]
	}
	return s
}
