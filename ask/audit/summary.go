// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"

	"dpverify/exact/interval"
)

// A Summary sums up results, also in JSON.
type Summary struct {
	Asked     int `json:"asked"`
	Sound     int `json:"sound"` // of the answers, as are the next four
	Unsound   int `json:"unsound"`
	Rounding  int `json:"unsound_by_rounding_only"` // unsound, and leave out at most 10^−9 of the truth
	Undecided int `json:"undecided"`
	Unjudged  int `json:"not_judged"`
	// Failures counts everything that was no answer, by kind.
	Failures map[Kind]int `json:"failures"`
	Reasons  []Reason     `json:"reasons"`     // of these
	Stray    int          `json:"stray_lines"` // that answered nothing
	// Worst is the largest understatement; nil without any.
	Worst *Certain `json:"worst_understatement,omitempty"`
	// MedianSlack and WorstSlack are how much the sound upper bounds of ε exceed it,
	// in nats; nil without any. WorstCase is the case of the latter.
	MedianSlack *Certain `json:"median_slack,omitempty"`
	WorstSlack  *Certain `json:"worst_slack,omitempty"`
	WorstCase   string   `json:"worst_slack_case,omitempty"`
	// Seconds are the times of answers without the first one of a process; nil without any.
	Seconds *Times     `json:"seconds,omitempty"`
	CPU     *CPUReport `json:"cpu_seconds,omitempty"` // nil if it was not measured
}

// A CPUReport is the processor time of an audit, in seconds.
type CPUReport struct {
	Accountant float64 `json:"accountant"` // all of its processes
	Verify     float64 `json:"verify"`
}

// A Certain number is at least what is written of it.
type Certain struct{ interval.Interval }

// String is a lower bound, in three digits.
func (c Certain) String() string {
	lo, _ := interval.Point(c.Lo()).Decimal(3)
	return lo
}

// MarshalText writes the lower bound.
func (c Certain) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Times are the median and the longest time of answers, in seconds.
type Times struct {
	Median  float64 `json:"median"`
	Longest float64 `json:"longest"`
	Answers int     `json:"answers"`
}

// FailuresInWords counts the failures by kind: "3 refused", "1 crash".
func (s Summary) FailuresInWords() []string {
	var words []string
	for _, k := range Kinds {
		if n := s.Failures[k]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, k))
		}
	}
	return words
}

// Fault says why the accountant was not audited: its adapter made a mistake, or it never replied.
func (s Summary) Fault() error {
	replied := s.Asked
	for k, n := range s.Failures {
		if !k.Replied() {
			replied -= n
		}
	}
	switch {
	case s.Failures[Mistaken] > 0:
		return fmt.Errorf("the adapter made a mistake in %d of %d questions: the accountant was not asked them",
			s.Failures[Mistaken], s.Asked)
	case replied == 0:
		return errors.New("the accountant could not be audited: it replied to no question")
	}
	return nil
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
				if lo := interval.Point(u.Lo()); s.Worst == nil || s.Worst.Less(lo) == interval.True {
					s.Worst = &Certain{lo}
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
		last := slacks[len(slacks)-1]
		s.MedianSlack, s.WorstSlack, s.WorstCase = &Certain{interval.Point(slacks[(len(slacks)-1)/2].lo)},
			&Certain{interval.Point(last.lo)}, last.id
	}
	if n := len(seconds); n > 0 {
		slices.Sort(seconds)
		s.Seconds = &Times{seconds[(n-1)/2], seconds[n-1], n}
	}
	return s
}

// A Reason is why questions have no answer, and how many of them.
type Reason struct {
	Kind  Kind   `json:"kind"`
	Text  string `json:"text"` // of the first one
	Count int    `json:"count"`
	First string `json:"first"` // id of the first one
}

// aNumber matches what tells apart texts that give one reason.
var aNumber = regexp.MustCompile(`[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)

// Reasons groups the questions without an answer: by kind in the order of Kinds, the
// most frequent reason first. Texts that differ in numbers only are one reason.
func Reasons(rs []Result) []Reason {
	type key struct {
		kind Kind
		text string
	}
	out := []Reason{}
	at := make(map[key]int)
	for _, r := range rs {
		if r.Reply.Kind == Answered {
			continue
		}
		k := key{r.Reply.Kind, aNumber.ReplaceAllString(r.Reply.Text, "#")}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Reason{Kind: r.Reply.Kind, Text: r.Reply.Text, First: r.ID})
		}
		out[i].Count++
	}
	slices.SortStableFunc(out, func(a, b Reason) int {
		if a.Kind != b.Kind {
			return slices.Index(Kinds, a.Kind) - slices.Index(Kinds, b.Kind)
		}
		return b.Count - a.Count
	})
	return out
}
