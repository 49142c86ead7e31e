// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// The hyper-parameters of Sommer, Abfalterer, Zingg & Mohammadi 2021, §4.1: of Adam, and of
// the weight of the utility loss, which halves again and again.
const (
	epochs       = 15000
	rateAtFirst  = 1e-2
	rateFalls    = 0.99995
	weightFirst  = 0.5
	weightHalves = 2500.0
	weightLeast  = 1e-7
	refreshEvery = 500
	// epochsMA is of the moments accountant, whose λ is the square of what is learned and a little more.
	epochsMA       = 100000
	weightHalvesMA = 16666.0
	rootOfLambda   = 5.0
	leastLambda    = 1e-4
	// judgeEvery is how often δ(ε) is computed where it is not the loss.
	judgeEvery = 50
)

// slopeOfCell is the slope of a sigmoid, 500 on cells of 1/60, in cells: it is a step that a few cells see.
const slopeOfCell = 500.0 / 60

// reachOfCell is how many cells from its middle a sigmoid is 0 or 1 up to rounding.
const reachOfCell = 6

// A stack is the model of §3.3, for distances x ≥ 0 from 0 in cells:
//
//	p_k = S_k/(2ΣS), S_k = A² + Σ_j B_j²·σ(C·(F_j − x_k)), x_k = k + 1/2.
//
// The parameters are A, B_1 …, F_1 … in one list. Where the paper prints a SoftMax that begins at r_0, this
// is one over the cells that there are, centred (docs/errata.md).
type stack struct {
	cells, steps int
	theta        []float64
}

func newStack(cells, steps int, seed uint64) *stack {
	r := rand.New(rand.NewPCG(seed, 3))
	s := &stack{cells, steps, make([]float64, 1+2*steps)}
	s.theta[0] = 10
	for j := range steps {
		s.theta[1+j] = r.Float64()
		s.theta[1+steps+j] = (float64(j) + 0.5) * float64(cells) / float64(steps)
	}
	return s
}

// window is where the sigmoid at f is neither 0 nor 1.
func (s *stack) window(f float64) (lo, hi int) {
	c := int(math.Floor(math.Min(math.Max(f, -1e6), 1e6)))
	return min(max(c-reachOfCell, 0), s.cells), min(max(c+reachOfCell+1, 0), s.cells)
}

// half returns the half masses and ΣS.
func (s *stack) half() (p []float64, sum float64) {
	p = make([]float64, s.cells+1)
	p[0] = s.theta[0] * s.theta[0]
	for j := range s.steps {
		b, f := s.theta[1+j], s.theta[1+s.steps+j]
		lo, hi := s.window(f)
		// Differences: b² up to lo, and then the sigmoid's own.
		p[0] += b * b
		last := 1.0
		for k := lo; k < hi; k++ {
			x := sigmoid(slopeOfCell * (f - float64(k) - 0.5))
			p[k] -= b * b * (last - x)
			last = x
		}
		p[hi] -= b * b * last
	}
	p = p[:s.cells]
	for k := range p {
		if k > 0 {
			p[k] = math.Min(p[k]+p[k-1], p[k-1]) // falls; rounding may not say so
		}
		p[k] = math.Max(p[k], 1e-12)
		sum += p[k]
	}
	out := slices.Clone(p)
	for k := range out {
		out[k] /= 2 * sum
	}
	return out, sum
}

// back returns the gradient by the parameters from g = ∂/∂p at p.
func (s *stack) back(p, g []float64, sum float64) []float64 {
	mean := 0.0
	for k := range p {
		mean += 2 * p[k] * g[k]
	}
	h := make([]float64, s.cells)        // ∂/∂S
	before := make([]float64, s.cells+1) // sums of h
	for k := range h {
		h[k] = (g[k] - mean) / (2 * sum)
		before[k+1] = before[k] + h[k]
	}
	out := make([]float64, len(s.theta))
	out[0] = 2 * s.theta[0] * before[s.cells]
	for j := range s.steps {
		b, f := s.theta[1+j], s.theta[1+s.steps+j]
		lo, hi := s.window(f)
		value, slope := before[lo], 0.0
		for k := lo; k < hi; k++ {
			x := sigmoid(slopeOfCell * (f - float64(k) - 0.5))
			value += h[k] * x
			slope += h[k] * x * (1 - x) * slopeOfCell
		}
		out[1+j] = 2 * b * value
		out[1+s.steps+j] = b * b * slope
	}
	return out
}

// Sigmoid learns as the paper does, with one of its losses: the parameters of a stack of sigmoids, by Adam, for
// loss + w_t·U with a weight that halves again and again, so that it passes from noise that
// disturbs little to noise that promises much. Two things are ours: the weight grows again while the noise disturbs
// more than the goal allows, or promises more than it asks for, and the steps shrink to 0 in the last quarter. It
// returns the best on the way that meets the goal; width is the width of a cell. For comparison: the program and Learn
// find better.
func Sigmoid(ctx context.Context, goal Goal, loss Loss, width float64, seed uint64, report func(State)) State {
	s := newStack(goal.N, 2*goal.N, seed)
	soft := &search{Goal: goal, splitting: Splitting, soft: true}
	search := &search{Goal: goal, splitting: Splitting}
	last, halves := epochs, weightHalves
	if loss == LossMA {
		last, halves = epochsMA, weightHalvesMA
	}
	n := len(s.theta) + 1
	steps := &adam{one: make([]float64, n), two: make([]float64, n), decay1: 1, decay2: 1}
	root := rootOfLambda
	var best State
	rate := rateAtFirst
	age, judged := 0.0, math.Inf(1) // of the weight, which stands where the constraint binds; the last δ
	for t := range last {
		p, sum := s.half()
		if goal.Count > 1 && t%refreshEvery == 0 {
			search.refresh(p)
			if loss == LossPDP {
				soft.refresh(p)
			}
		}
		logU, du := goal.utility(p)
		var g []float64
		byRoot := 0.0
		now := State{Half: p, Utility: math.Exp(logU), Gradients: t + 1}
		switch loss {
		case LossMA:
			var byLambda float64
			_, g, byLambda = goal.moments(p, root*root+leastLambda)
			byRoot = 2 * root * byLambda
		case LossPDP:
			_, g = soft.value(p)
		default:
			now.Delta, g = search.value(p)
		}
		if loss == LossADP || t%judgeEvery == 0 {
			if loss != LossADP {
				now.Delta, _ = search.value(p)
			}
			judged = now.Delta
			if goal.prefers(now, best) {
				best = now
			}
			if t%refreshEvery == 0 {
				report(now)
			}
		}
		if t%refreshEvery == 0 && ctx.Err() != nil {
			break
		}
		weight := math.Max(weightFirst/math.Exp2(age/halves), weightLeast)
		if goal.Delta > 0 && judged > goal.Delta || goal.Delta == 0 && now.Utility <= goal.Most {
			age++
		} else {
			age = math.Max(age-1, 0)
		}
		for k := range g {
			g[k] += weight * now.Utility * du[k]
		}
		d := steps.steps(append(s.back(p, g, sum), byRoot))
		for i := range s.theta {
			step := rate * math.Min(1, 4*float64(last-t)/float64(last)) * d[i] // to 0 in the last quarter
			if i > s.steps {
				step /= width // of distances, which the paper has in its units
			}
			s.theta[i] -= step
		}
		root = math.Max(root-rate*d[len(d)-1], 0)
		rate *= rateFalls
	}
	return best
}

// value returns δ, or LossPDP, in the worse order and its gradient by the half masses.
func (s *search) value(p []float64) (worst float64, gradient []float64) {
	switch {
	case s.Count == 1 && s.soft:
		return s.pdp(p)
	case s.Count == 1:
		return s.single(p)
	}
	for _, e := range s.profiles {
		if e == nil {
			continue
		}
		if d, g := e.Gradient(p); gradient == nil || d > worst {
			worst, gradient = d, g
		}
	}
	return worst, gradient
}

// prefers reports whether x keeps the constraint, and is better than y, if there is one.
func (g Goal) prefers(x, y State) bool {
	if g.Delta > 0 {
		return x.Delta <= g.Delta && (y.Half == nil || x.Utility < y.Utility)
	}
	return x.Utility <= g.Most && (y.Half == nil || x.Delta < y.Delta)
}
