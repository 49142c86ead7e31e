// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
)

// An Attack is what guesses about members have achieved: Counts, Guesses or Scores.
type Attack interface {
	// Theorem is by which theorem it bounds, and under which conditions, in words.
	Theorem() string
	// Size is how many canaries there were, in words.
	Size() string
	// test returns what reports that a hypothesis is refuted: data that refute it, or a hypothesis that follows from it,
	// have at most the probability significance under each mechanism that satisfies it.
	test(significance *big.Rat) test
	// perfect is an attack of the same size without errors.
	perfect() Attack
	// sized is an attack by n canaries (of each kind) without errors.
	sized(n int64) Attack
}

// A test tests hypotheses by data. What it takes of the data alone is computed once.
type test func(ctx context.Context, h hypothesis) (refuted bool, err error)

// Counts are the guesses of independent runs: of POS runs with the canary, TruePositives were taken for such; of NEG
// runs without it, FalsePositives were.
type Counts struct{ TruePositives, FalsePositives, Positives, Negatives int64 }

// NewCounts returns counts that are possible.
func NewCounts(tp, fp, pos, neg int64) (Counts, error) {
	for _, c := range []struct {
		name, total string
		n, of       int64
	}{{"true positives", "positives", tp, pos}, {"false positives", "negatives", fp, neg}} {
		switch {
		case c.of < 1 || c.of > maxTrials:
			return Counts{}, fmt.Errorf("%s = %d, want an integer in [1, %d]", c.total, c.of, maxTrials)
		case c.n < 0 || c.n > c.of:
			return Counts{}, fmt.Errorf("%s = %d, want an integer in [0, %d], the %s", c.name, c.n, c.of, c.total)
		}
	}
	return Counts{tp, fp, pos, neg}, nil
}

// Theorem implements Attack.
func (c Counts) Theorem() string {
	return "Clopper & Pearson 1934, each rate at half of the significance; runs must be independent, and the attack " +
		"chosen before them"
}

// Size implements Attack.
func (c Counts) Size() string {
	return fmt.Sprintf("%d of %d members and %d of %d others taken for members", c.TruePositives, c.Positives,
		c.FalsePositives, c.Negatives)
}

func (c Counts) perfect() Attack      { return Counts{c.Positives, 0, c.Positives, c.Negatives} }
func (c Counts) sized(n int64) Attack { return Counts{n, 0, n, n} }

func (c Counts) test(significance *big.Rat) test {
	half := new(big.Rat).Quo(significance, big.NewRat(2, 1))
	return anyBox([]box{{binomial.GreatestProbability(c.Negatives, c.FalsePositives, half),
		binomial.LeastProbability(c.Positives, c.TruePositives, half)}})
}

// A box bounds the rates of one test, confidently: false positives are at most a share most, true positives at least a
// share least.
type box struct{ most, least *big.Rat }

// anyBox tests whether the hypothesis contradicts one of boxes, all of which hold at once: a test of type I error at
// most α has a type II error of at least f(α), and f falls, so that 1 − least < f(most) cannot be.
func anyBox(bs []box) test {
	return func(ctx context.Context, h hypothesis) (bool, error) {
		for _, b := range bs {
			f, err := h.typeII(ctx, b.most)
			if err != nil {
				return false, err
			}
			if workBits.Rat(new(big.Rat).Sub(big.NewRat(1, 1), b.least)).Less(f.Lower()) == interval.True {
				return true, nil
			}
		}
		return false, nil
	}
}

const oneRunTheorem = "guesses about one run, from Steinke, Nasr & Jagielski 2023 and Mahloujifar, Melis & Chaudhuri " +
	"2025, proved anew " +
	"and sharpened; each canary must be a member by a fair coin of its own, and the number of guesses fixed before"

// Theorem implements Attack.
func (g Guesses) Theorem() string { return oneRunTheorem }

// Size implements Attack.
func (g Guesses) Size() string {
	return fmt.Sprintf("%d of %d guesses about %d canaries of one run right", g.Correct, g.Guessed, g.Canaries)
}

func (g Guesses) perfect() Attack      { return Guesses{g.Canaries, g.Guessed, g.Guessed} }
func (g Guesses) sized(n int64) Attack { return Guesses{n, n, n} }

func (g Guesses) test(significance *big.Rat) test {
	return anyGuesses([]Guesses{g}, significance)
}

// anyGuesses tests whether the hypothesis contradicts some of guesses, each at its share of the significance.
// Requires: there are guesses.
func anyGuesses(gs []Guesses, significance *big.Rat) test {
	share := new(big.Rat).Quo(significance, big.NewRat(int64(len(gs)), 1))
	least := new(big.Rat).Set(share)
	for _, g := range gs {
		if x := new(big.Rat).Mul(share, big.NewRat(g.Guessed, g.Canaries)); x.Cmp(least) < 0 {
			least = x
		}
	}
	least.Quo(least, big.NewRat(50, 1))
	return func(ctx context.Context, h hypothesis) (bool, error) {
		lines, err := h.lines(ctx, least)
		if err != nil {
			return false, err
		}
		for _, g := range gs {
			if oneRun(g, lines, share) {
				return true, nil
			}
		}
		return false, nil
	}
}
