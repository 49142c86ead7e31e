// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"dpverify/exact/binomial"
	"dpverify/internal/show"
)

// A Design says how the canaries of Scores were run, and which thresholds are tried.
type Design int

const (
	AllThresholds Design = iota // independent runs; all thresholds at once
	Split                       // independent runs; one half of them chooses a threshold, the other is tested at it
	OneRun                      // all canaries in one run, each a member by a fair coin of its own
)

// Designs are the names of designs.
var Designs = []string{"all", "split", "one-run"}

// Scores are what an attack makes of canaries: the higher, the more it takes one for a member.
type Scores struct {
	rows   []scored // highest scores first, and others before members where they are equal
	design Design
	chosen bool // of Split: the rows are those at or above the threshold, or below, as two scores
}

type scored struct {
	score  float64
	member bool
}

// ReadScores reads a CSV file with a header of two columns, score and member: numbers, and 1 or 0. Scores are rounded
// to float64, which is still an attack. The error has a line.
func ReadScores(file io.Reader, d Design) (*Scores, error) {
	in := csv.NewReader(file)
	in.TrimLeadingSpace, in.ReuseRecord, in.FieldsPerRecord = true, true, -1
	var score, member int
	s := &Scores{design: d}
	counts := map[bool]int{}
	for first := true; ; first = false {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		if first {
			record[0] = strings.TrimPrefix(record[0], "\ufeff")
			score, member = slices.Index(record, "score"), slices.Index(record, "member")
			if len(record) != 2 || score < 0 || member < 0 {
				return nil, fmt.Errorf("line %d: header %s, want score,member", line, show.Value(strings.Join(record, ",")))
			}
			continue
		}
		if len(record) != 2 {
			return nil, fmt.Errorf("line %d: %d fields, want 2", line, len(record))
		}
		if len(s.rows) == maxTrials {
			return nil, fmt.Errorf("line %d: more than %d scores", line, maxTrials)
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(record[score]), 64)
		if err != nil || math.IsNaN(x) {
			return nil, fmt.Errorf("line %d: score = %s, want a number", line, show.Value(record[score]))
		}
		var is bool
		switch text := strings.TrimSpace(record[member]); text {
		case "1", "true":
			is = true
		case "0", "false":
		default:
			return nil, fmt.Errorf("line %d: member = %s, want 1 or 0", line, show.Value(text))
		}
		counts[is]++
		s.rows = append(s.rows, scored{x, is})
	}
	switch {
	case len(s.rows) == 0:
		return nil, errors.New("no scores, want lines below the header score,member")
	case counts[true] == 0:
		return nil, errors.New("member = 1: no such score, want at least one")
	case counts[false] == 0:
		return nil, errors.New("member = 0: no such score, want at least one")
	}
	return s.prepared()
}

// prepared sorts the rows, after what is drawn from their order.
func (s *Scores) prepared() (*Scores, error) {
	if s.design == Split {
		if err := s.split(); err != nil {
			return nil, err
		}
	}
	s.sort()
	return s, nil
}

func (s *Scores) sort() {
	slices.SortStableFunc(s.rows, func(a, b scored) int {
		switch {
		case a.score != b.score:
			return cmp.Compare(b.score, a.score)
		case a.member == b.member:
			return 0
		case b.member:
			return -1
		}
		return 1
	})
}

// split lets a half of the rows, drawn by position by a generator of fixed seed, choose a threshold and keeps the other
// half. The halves are independent where the order of rows does not depend on scores.
func (s *Scores) split() error {
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(s.rows), func(i, j int) { s.rows[i], s.rows[j] = s.rows[j], s.rows[i] })
	half := len(s.rows) / 2
	guide := &Scores{rows: slices.Clone(s.rows[:half])}
	guide.sort()
	s.rows = s.rows[half:]
	if p, n := s.totals(); p == 0 || n == 0 {
		return errors.New("one half of the scores has no member or nothing else, want more scores, or --design all")
	}
	threshold, best := math.Inf(1), math.Inf(-1)
	pos, neg := guide.totals()
	for c := range guide.thresholds() {
		tpr, fpr := (float64(c.tp)+0.5)/float64(pos+1), (float64(c.fp)+0.5)/float64(neg+1)
		spread := 2 * math.Sqrt(tpr*(1-tpr)/float64(pos+1)+fpr*(1-fpr)/float64(neg+1))
		if x := (tpr - fpr) / spread; x > best {
			threshold, best = c.at, x
		}
	}
	for i, r := range s.rows {
		s.rows[i].score = 0
		if r.score >= threshold {
			s.rows[i].score = 1
		}
	}
	s.chosen = true
	return nil
}

func (s *Scores) totals() (pos, neg int64) {
	for _, r := range s.rows {
		if r.member {
			pos++
		} else {
			neg++
		}
	}
	return pos, neg
}

// A threshold is a test: scores of at least at are taken for members.
type threshold struct {
	at     float64
	tp, fp int64
}

// thresholds lists the tests that differ on the scores, ties on the same side.
func (s *Scores) thresholds() func(func(threshold) bool) {
	return func(yield func(threshold) bool) {
		var c threshold
		for i, r := range s.rows {
			if r.member {
				c.tp++
			} else {
				c.fp++
			}
			if c.at = r.score; (i+1 == len(s.rows) || s.rows[i+1].score != r.score) && !yield(c) {
				return
			}
		}
	}
}

// Theorem implements Attack.
func (s *Scores) Theorem() string {
	switch s.design {
	case OneRun:
		return oneRunTheorem + ", here one of several, each at its share of the significance"
	case Split:
		return "Clopper & Pearson 1934, at a threshold that one half of the runs chose, tested on the other; runs must be " +
			"independent"
	}
	return "Clopper & Pearson 1934 at all thresholds, each rank at its share of the significance; runs must be independent"
}

// Size implements Attack.
func (s *Scores) Size() string {
	pos, neg := s.totals()
	text := fmt.Sprintf("scores of %d members and %d others", pos, neg)
	if s.chosen {
		text += ", the half that is tested"
	}
	return text
}

func (s *Scores) perfect() Attack {
	out := &Scores{rows: slices.Clone(s.rows), design: s.design}
	for i, r := range out.rows {
		out.rows[i].score = 0
		if r.member {
			out.rows[i].score = 1
		}
	}
	out.sort()
	return out
}

func (s *Scores) sized(n int64) Attack {
	var rows []scored
	for i := range 2 * n {
		rows = append(rows, scored{float64(i % 2), i%2 == 1})
	}
	out := &Scores{rows: rows, design: s.design}
	out.sort()
	return out
}

func (s *Scores) test(significance *big.Rat) test {
	if s.design == OneRun {
		return anyGuesses(s.guesses(), significance)
	}
	return anyBox(s.boxes(significance))
}

// boxes are confidence regions of tests, all of which hold at once but for a probability of significance.
//
// For a rank k fixed before, P(there is a threshold with at most k false positives among n others, and a rate of false
// positives above u_k) ≤ a for the bound u_k of k of n at the significance a. For the sets {score ≥ t} are nested: the
// union of the complements of those with a rate above u_k is the complement of their intersection, a set with a rate of
// at least u_k, and more than n − k − 1 scores lie outside of it, which has at most the probability a. So with one
// share a for each rank, bounds hold at all thresholds and all ranks, whichever thresholds the data have. Ranks between
// are rounded to the next one that has a share. True positives are the same from the other side.
func (s *Scores) boxes(significance *big.Rat) []box {
	pos, neg := s.totals()
	falses, trues := ranks(neg), ranks(pos)
	if s.chosen {
		// One threshold, fixed before: score 1.
		c := threshold{}
		for t := range s.thresholds() {
			if t.at == 1 {
				c = t
			}
		}
		falses, trues = []int64{c.fp}, []int64{pos - c.tp}
	}
	share := func(n int) *big.Rat { return new(big.Rat).Quo(significance, big.NewRat(2*int64(n), 1)) }
	// The greatest number of true positives with at most k false ones.
	reached := make(map[int64]int64)
	for c := range s.thresholds() {
		if s.chosen && c.at != 1 {
			continue
		}
		if i, ok := slices.BinarySearch(falses, c.fp); ok || i < len(falses) {
			reached[falses[i]] = max(reached[falses[i]], c.tp)
		}
	}
	var out []box
	done := int64(-1) // false negatives of the last box
	for _, k := range falses {
		i, _ := slices.BinarySearch(trues, pos-reached[k])
		if i == len(trues) || reached[k] == 0 || trues[i] == done {
			continue
		}
		done = trues[i]
		out = append(out, box{binomial.GreatestProbability(neg, k, share(len(falses))),
			binomial.LeastProbability(pos, pos-trues[i], share(len(trues)))})
	}
	return out
}

// ranks are numbers of errors among n, few between 0 and n, and most of them near the ends.
func ranks(n int64) []int64 {
	var out []int64
	for k := int64(0); k <= (n-1)/2; k += max(1, k/4) {
		out = append(out, k)
		if n-1-k != k {
			out = append(out, n-1-k)
		}
	}
	slices.Sort(out)
	return out
}

// minGuesses is how many guesses a test has at least.
const minGuesses = 16

// guesses are what the scores of one run guess: as many of the highest to be members as of the lowest not to be, and
// the highest alone, for fixed numbers of guesses. Of equal scores, the wrong ones count first.
func (s *Scores) guesses() []Guesses {
	m := len(s.rows)
	lowest := slices.Clone(s.rows) // from the end, members first among equals
	slices.Reverse(lowest)
	slices.SortStableFunc(lowest, func(a, b scored) int {
		if a.score != b.score || a.member == b.member {
			return cmp.Compare(a.score, b.score)
		}
		if a.member {
			return -1
		}
		return 1
	})
	correct := func(high, low int) int64 {
		var n int64
		for _, r := range s.rows[:high] {
			if r.member {
				n++
			}
		}
		for _, r := range lowest[:low] {
			if !r.member {
				n++
			}
		}
		return n
	}
	var out []Guesses
	for r := m; ; r /= 2 {
		out = append(out, Guesses{int64(m), int64(r), correct(r-r/2, r/2)})
		if 2*r <= m {
			out = append(out, Guesses{int64(m), int64(r), correct(r, 0)})
		}
		if r/2 < minGuesses {
			return out
		}
	}
}
