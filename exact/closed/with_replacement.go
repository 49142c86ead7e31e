// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math"
	"math/big"
	"sync"

	"dpverify/exact/binomial"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// groupsOfCopies bounds the copies that are counted one by one.
const groupsOfCopies = 256

// Draws bounds the profile of one sample with replacement from above, see [pair.WithReplacement].
type Draws struct {
	pair pair.WithReplacement
	rise levels

	mu   sync.Mutex
	laws map[interval.Prec]drawnCopies
}

// drawnCopies are P(K = k) from k = 0 on, their logarithms in float64, and the probability of more copies.
type drawnCopies struct {
	masses []interval.Interval
	logs   []float64
	rest   interval.Interval
}

// NewDraws prepares a bound of Gaussian or Laplace noise.
func NewDraws(x pair.WithReplacement) *Draws {
	d := &Draws{pair: x, laws: make(map[interval.Prec]drawnCopies)}
	switch g := x.Base.(type) {
	case pair.Gaussian:
		d.rise = gaussianLevels(double.Of(double64.Sqrt(double64.Rat(g.Mu2))).Mid())
	case pair.Laplace:
		d.rise = laplaceLevels(double.Of(double64.Rat(g.Shift)).Mid())
	}
	return d
}

// copies returns the law of K, up to where no more of it counts.
func (d *Draws) copies(w interval.Prec) drawnCopies {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c, ok := d.laws[w]; ok {
		return c
	}
	var c drawnCopies
	q := big.NewRat(1, d.pair.Source)
	least := interval.Pow2(-min(int(w)+64, 900))
	for k := int64(0); k <= min(groupsOfCopies, d.pair.Size); k++ {
		m := binomial.Mass(w, d.pair.Size, k, q)
		c.masses, c.logs = append(c.masses, m), append(c.logs, double.Of(double64.Log(m)).Mid())
		if float64(k) > float64(d.pair.Size)/float64(d.pair.Source) && m.LessRat(least) == interval.True {
			break
		}
	}
	c.rest = binomial.AtLeast(w, d.pair.Size, int64(len(c.masses)), q)
	d.laws[w] = c
	return c
}

// double64 is the precision of numbers that are to become float64.
const double64 interval.Prec = 64

// Above bounds the profile at ε ≥ 0: by equal α_k, and by those that are chosen.
func (d *Draws) Above(w interval.Prec, eps interval.Real) interval.Interval {
	c := d.copies(w)
	same := interval.Real(func(p interval.Prec) interval.Interval {
		v := p + 32
		return p.Log1p(v.Div(v.Expm1(eps(v)), d.pair.Drawn(v)))
	})
	best := d.sum(w, c, func(int) interval.Real { return same })
	if at, ok := d.chosen(w, c, eps(w)); ok {
		best = interval.Min(best, d.sum(w, c, func(k int) interval.Real { return at[k] }))
	}
	return best
}

// sum is Σ w_k·δ_k(α_k).
func (d *Draws) sum(w interval.Prec, c drawnCopies, at func(k int) interval.Real) interval.Interval {
	sum := c.rest
	for k := 1; k < len(c.masses); k++ {
		var delta interval.Interval
		switch g := d.pair.Group(int64(k)).(type) {
		case pair.Gaussian:
			delta = GaussianDelta(g.Mu2)(w, at(k))
		case pair.Laplace:
			delta = Laplace(w, g.Shift, at(k))
		default:
			delta = interval.Int(1)
		}
		sum = w.Add(sum, w.Mul(c.masses[k], delta))
	}
	return sum.Upper()
}

// chosen returns log α_k for k = 1, 2, …, chosen in float64, if the condition of the theorem is seen to hold: w₀ +
// Σ_{1≤k≤i} w_k·α_k is at most α·Σ_{k≤i} w_k for every i.
func (d *Draws) chosen(w interval.Prec, c drawnCopies, eps interval.Interval) ([]interval.Real, bool) {
	if d.rise == nil || eps.LessEqRat(big.NewRat(1<<10, 1)) != interval.True {
		return nil, false
	}
	logs := d.rise.choose(c.logs, double.Of(eps).Mid())
	alpha := w.Exp(eps)
	used := c.masses[0]
	have := w.Mul(alpha, used)
	at := make([]interval.Real, len(logs))
	for k := 1; k < len(logs); k++ {
		if !(math.Abs(logs[k]) <= math.MaxFloat64) {
			return nil, false
		}
		x, _, _ := double.Point(logs[k]).Exact().Rationals()
		used = w.Add(used, w.Mul(c.masses[k], w.Exp(w.Rat(x))))
		have = w.Add(have, w.Mul(c.masses[k], alpha))
		if used.LessEq(have) != interval.True {
			return nil, false
		}
		at[k] = interval.RealRat(x)
	}
	return at, true
}
