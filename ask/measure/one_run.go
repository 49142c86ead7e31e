// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package measure

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/least"
)

// oneRun reports that guesses about one run have at most the probability significance, these or more of them right,
// under each mechanism that satisfies lines.
//
// Let m canaries be members by fair coins s ∈ {±1}^m, let the mechanism with all that follows it give guesses t ∈ {−1,
// 0, 1}^m of which at most r are not 0, and let W = #{i: tᵢ = sᵢ}. For each neighbour, s with its i-th coin turned
// over, and each k let P(S) ≤ a_k·Q(S) + d_k on average over s.
//
// Theorem. Let κ_k(w) ≥ 0, w = 1 … r, K_k ≥ κ_k(w), κ_k(r+1) = 0, and
//
//	ν ≥ 1[w ≥ v] − (w/m)·Σ_k κ_k(w) + ((r−w)/m)·Σ_k a_k·κ_k(w+1)   for w = 0 … r.
//
// Then P(W ≥ v) ≤ ν + Σ_k d_k·K_k.
//
// Proof. Fix i and k. The function φ(t) = κ_k(W(t, s)) where tᵢ = sᵢ, and 0 elsewhere, is in [0, K_k], so that its mean
// under the mechanism at s is at most a_k times its mean at the neighbour, plus d_k·K_k, on average over s. Sum over i,
// divide by m, and take the mean over s. On the left there is E[(W/m)·κ_k(W)]. On the right, the neighbour s′ of a
// uniform s is uniform, and tᵢ = sᵢ means that the guess i is wrong about s′ and W(t, s) = W(t, s′) + 1: there are at
// most r − W of such i, hence a_k·E[((r−W)/m)·κ_k(W+1)] + d_k·K_k at most. So E[−(W/m)·κ_k(W) + ((r−W)/m)·a_k·κ_k(W+1)]
// + d_k·K_k ≥ 0. Add this over all k to E 1[W ≥ v]. ∎
//
// With one line and d = 0 the best κ give the tail of Bin(r, a/(1+a)) [Steinke, Nasr & Jagielski 2023, Theorem 5.1],
// and where κ_k rises with w and is constant from v on, the bound of [Mahloujifar, Melis & Chaudhuri 2025]. Their
// second theorem about (ε, δ) is not used: see docs/measure.md.
//
// What is proposed is computed in float64; the theorem is applied to it with enclosures.
func oneRun(g Guesses, lines []line, significance *big.Rat) bool {
	if g.Correct == 0 {
		return false
	}
	p := newProposer(g, lines)
	s, _ := significance.Float64()
	for _, top := range []int{len(lines) - 1, len(lines) * 3 / 4, len(lines) / 2} {
		if c := p.proposal(top, s); c != nil {
			if bound, ok := c.bound(g, lines); ok && bound.LessEqRat(significance) == interval.True {
				return true
			}
		}
		if len(lines) == 1 {
			break
		}
	}
	return false
}

// A certificate has the κ of the theorem.
type certificate struct {
	v int
	// steps[j] is by how much κ of the line line[j] exceeds its value at j − 1, for 1 ≤ j ≤ v.
	steps []float64
	line  []int
	// above[w − v − 1] has the κ of all lines at w > v.
	above [][]float64
	about float64 // the bound in float64
}

// bound is ν + Σ d·K, an enclosure whose upper end bounds the probability.
func (c *certificate) bound(g Guesses, lines []line) (interval.Interval, bool) {
	w := workBits
	m, r := interval.Int(g.Canaries), int(g.Guessed)
	greatest := make([]interval.Interval, len(lines)) // K
	var nu, sum, sloped interval.Interval             // Σ κ(x) and Σ a·κ(x)
	for x := 0; x <= r; x++ {
		before := sum
		if x == 0 {
			before = interval.Int(0)
		}
		// The sums at x + 1.
		switch next := x + 1; {
		case next > r:
			sum, sloped = interval.Int(0), interval.Int(0)
		case next <= c.v:
			k, step := c.line[next], c.steps[next]
			if math.IsNaN(step) || math.IsInf(step, 0) || step < 0 {
				return interval.Interval{}, false
			}
			s := interval.Point(big.NewFloat(step))
			sum, sloped = w.Add(sum, s), w.Add(sloped, w.Mul(s, lines[k].slope))
			greatest[k] = w.Add(greatest[k], s)
		default:
			sum, sloped = interval.Int(0), interval.Int(0)
			for k, y := range c.above[next-c.v-1] {
				if math.IsNaN(y) || math.IsInf(y, 0) || y < 0 {
					return interval.Interval{}, false
				}
				if y > 0 {
					s := interval.Point(big.NewFloat(y))
					sum, sloped = w.Add(sum, s), w.Add(sloped, w.Mul(s, lines[k].slope))
					greatest[k] = interval.Max(greatest[k], s)
				}
			}
		}
		at := w.Div(w.Sub(w.Mul(interval.Int(int64(r-x)), sloped), w.Mul(interval.Int(int64(x)), before)), m)
		if x >= c.v {
			at = w.Add(interval.Int(1), at)
		}
		nu = interval.Max(nu, at)
	}
	for k, l := range lines {
		nu = w.Add(nu, w.Mul(l.intercept, greatest[k]))
	}
	return nu, true
}

// A proposer looks for κ, in float64.
type proposer struct {
	m, r, v   int
	slopes    []float64
	intercept []float64
}

func newProposer(g Guesses, lines []line) *proposer {
	p := &proposer{m: int(g.Canaries), r: int(g.Guessed), v: int(g.Correct)}
	for _, l := range lines {
		a, _ := l.slope.Hi().Float64()
		d, _ := l.intercept.Hi().Float64()
		p.slopes, p.intercept = append(p.slopes, a), append(p.intercept, d)
	}
	return p
}

// proposal is the certificate of a line, or nil where float64 finds it in vain: where even a tail of four times the
// significance leaves the law that has it below a sum of 1, or the bound is beyond the significance.
func (p *proposer) proposal(top int, significance float64) *certificate {
	if tail := 4 * significance; tail < 1 {
		if total, _, _ := p.worst(tail, top); total <= 1 {
			return nil
		}
	}
	c := p.certificate(top)
	if c.about > 1.001*significance {
		return nil
	}
	return c
}

// certificate proposes κ. Let q_w be the law of W in the worst case. Above v, κ of the line top is neither 0 nor at its
// greatest, and q falls by that line's slope. Below, the tails {W ≥ j} are as probable as one line each allows, which
// gives q and the lines, from v downward, for each q_v. The right q_v is the one whose law sums to 1. Then κ follows
// from the inequalities for ν, which hold with equality below v: upward for steps, with all of them in proportion to ν,
// and downward from r, with the least Σ a·κ.
func (p *proposer) certificate(top int) *certificate {
	_, hi := least.Halved(-690, 0, 50, func(log float64) bool { // ln P(W ≥ v)
		total, _, _ := p.worst(math.Exp(log), top)
		return !(total > 1)
	})
	_, line, start := p.worst(math.Exp(hi), top)
	c := &certificate{v: p.v, steps: make([]float64, p.v+1), line: line}
	steps, base := p.below(line, start)
	caps := make([]float64, len(p.slopes))
	sum := 0.0
	for j, s := range steps {
		caps[line[j]] += s
		sum += s
	}
	if !(sum > 0) {
		c.above = make([][]float64, p.r-p.v)
		return c
	}
	scaled := func(scale float64, keep func(w int, ks []float64)) (need float64) {
		return p.aboveV(caps, scale, 1-scale*base/float64(p.m), keep)
	}
	drop := func(int, []float64) {}
	low, most := 0.0, float64(p.m)/sum
	for range 60 {
		if most*sum >= scaled(most, drop) || most*base >= float64(p.m) {
			break
		}
		most *= 2
	}
	_, most = least.Halved(low, most, 60, func(x float64) bool { return !(x*sum >= scaled(x, drop)) })
	for j, s := range steps {
		c.steps[j] = most * s
	}
	c.about = most * base / float64(p.m)
	for k, x := range caps {
		c.about += most * x * p.intercept[k]
	}
	c.above = make([][]float64, p.r-p.v)
	scaled(most, func(w int, ks []float64) { c.above[w-p.v-1] = slices.Clone(ks) })
	return c
}

// worst returns the sum of the law of W with P(W ≥ v) = tail, at most 1000, for each j the line that bounds {W ≥ j},
// and until which j no line does.
func (p *proposer) worst(tail float64, top int) (total float64, line []int, start int) {
	m, r := float64(p.m), float64(p.r)
	var sum, right, wrong float64
	for q, w := 1.0, p.v; ; {
		sum, right, wrong = sum+q, right+float64(w)*q/m, wrong+(r-float64(w))*q/m
		if w == p.r || q < 1e-18*sum {
			break
		}
		w++
		q *= p.slopes[top] * (r - float64(w) + 1) / float64(w)
	}
	total, right, wrong = tail, right*tail/sum, wrong*tail/sum
	line = make([]int, p.v+1)
	k := 0
	need := func(k int) float64 { return (right - p.intercept[k]) / p.slopes[k] }
	for j := p.v; j > 0; j-- {
		for k+1 < len(p.slopes) && need(k+1) >= need(k) {
			k++
		}
		x := need(k)
		if x <= wrong {
			return total, line, j
		}
		line[j] = k
		q := (x - wrong) * m / (r - float64(j) + 1)
		total, right, wrong = total+q, right+float64(j-1)*q/m, x
		if total > 1000 {
			return total, line, 0
		}
	}
	return total, line, 0
}

// below returns steps up to v, of which the inequalities at w < v hold with equality if ν is base/m.
func (p *proposer) below(line []int, start int) (steps []float64, base float64) {
	steps, base = make([]float64, p.v+1), 1
	var sum, sloped float64
	for w := start; w < p.v; w++ {
		a := p.slopes[line[w+1]]
		x := base
		if w > start {
			x = sloped + sum + float64(w-1)*steps[w]
		}
		x /= float64(p.r-w) * a
		steps[w+1], sum, sloped = x, sum+x, sloped+x*a
		if sloped+sum > 1e200 {
			const shrink = 1e-200
			base, sum, sloped = base*shrink, sum*shrink, sloped*shrink
			for i := range steps {
				steps[i] *= shrink
			}
		}
	}
	return steps, base
}

// aboveV returns the Σ κ that the inequality at v needs, if above v it holds with equality, in which each line has at
// most caps times scale and those of least slope come first; infinite if that is not enough. rest is 1 − ν. keep is
// called with the κ of all lines at w, which change after it.
func (p *proposer) aboveV(caps []float64, scale, rest float64, keep func(w int, ks []float64)) (need float64) {
	sloped := 0.0
	ks := make([]float64, len(p.slopes))
	for w := p.r; w > p.v; w-- {
		left := max(0, (float64(p.m)*rest+float64(p.r-w)*sloped)/float64(w))
		all := left
		sloped = 0
		for k := len(ks) - 1; k >= 0; k-- {
			ks[k] = min(left, caps[k]*scale)
			sloped += ks[k] * p.slopes[k]
			left -= ks[k]
		}
		keep(w, ks)
		if left > 1e-12*all {
			return math.Inf(1)
		}
	}
	return (float64(p.m)*rest + float64(p.r-p.v)*sloped) / float64(p.v)
}

// maxTrials bounds the canaries of an attack.
const maxTrials = 1 << 22

// Guesses are the guesses about the canaries of one run: each of Canaries was a member or not by the throw of a fair
// coin of its own, Guessed of them were guessed to be or not to be, and Correct of the guesses were right.
type Guesses struct{ Canaries, Guessed, Correct int64 }

// NewGuesses returns guesses that are possible.
func NewGuesses(m, guessed, correct int64) (Guesses, error) {
	switch {
	case m < 1 || m > maxTrials:
		return Guesses{}, fmt.Errorf("canaries = %d, want an integer in [1, %d]", m, maxTrials)
	case guessed < 1 || guessed > m:
		return Guesses{}, fmt.Errorf("guessed = %d, want an integer in [1, %d], the canaries", guessed, m)
	case correct < 0 || correct > guessed:
		return Guesses{}, fmt.Errorf("correct = %d, want an integer in [0, %d], the guesses", correct, guessed)
	}
	return Guesses{m, guessed, correct}, nil
}
