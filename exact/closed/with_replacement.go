// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math"
	"math/big"
	"slices"
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
	pair   pair.WithReplacement
	halves int64   // what a copy is away from what is drawn in its place, in halves of the distance of an exchange
	half   float64 // μ of one half, for Gaussian noise
	rise   levels

	mu   sync.Mutex
	laws map[interval.Prec]drawnCopies
}

// drawnCopies are P(K = k) from k = 0 on, their logarithms in float64, the probability of more copies, and of any.
type drawnCopies struct {
	masses      []interval.Interval
	logs        []float64
	rest, drawn interval.Interval
}

// NewDraws prepares a bound of Gaussian or Laplace noise.
func NewDraws(x pair.WithReplacement) *Draws {
	d := &Draws{pair: x, halves: 2, laws: make(map[interval.Prec]drawnCopies)}
	if x.Reversed {
		d.halves = 1
	}
	switch g := x.Base.(type) {
	case pair.Gaussian:
		d.half = double.Of(double64.Sqrt(double64.Rat(g.Mu2))).Mid() / 2
		d.rise = gaussianLevels(d.half * float64(d.halves))
	case pair.Laplace:
		d.rise = laplaceLevels(double.Of(double64.Rat(g.Shift)).Mid() / 2 * float64(d.halves))
	}
	return d
}

// at bounds the profile at so many halves of the distance of an exchange.
func (d *Draws) at(w interval.Prec, halves int64, eps interval.Real) interval.Interval {
	half := big.NewRat(halves, 2)
	switch g := d.pair.Base.(type) {
	case pair.Gaussian:
		return GaussianDelta(half.Mul(g.Mu2, half.Mul(half, half)))(w, eps)
	case pair.Laplace:
		return Laplace(w, half.Mul(half, g.Shift), eps)
	}
	return interval.Int(1)
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
	c.rest, c.drawn = binomial.AtLeast(w, d.pair.Size, int64(len(c.masses)), q), d.pair.Drawn(w)
	d.laws[w] = c
	return c
}

// double64 is the precision of numbers that are to become float64.
const double64 interval.Prec = 64

// Above bounds the profile at ε ≥ 0: by c_kj and t_kj that are chosen, by α_k that are, or by equal α_k.
func (d *Draws) Above(w interval.Prec, eps interval.Real) interval.Interval {
	c := d.copies(w)
	_, gaussian := d.pair.Base.(pair.Gaussian)
	if d.pair.Null && !d.pair.Reversed && gaussian {
		if y, ok := d.shared(w, c, eps(w)); ok {
			return y
		}
	}
	best := interval.Int(1)
	at, ok := d.chosen(w, c, eps(w))
	if ok {
		best = interval.Min(best, d.sum(w, c, at))
	}
	// What is chosen is a little less than it may be, which matters next to 0 and beyond all losses of Laplace noise.
	if !ok || !gaussian || eps(w).LessRat(big.NewRat(1, 256)) != interval.False {
		same := w.Log1p(w.Div(w.Expm1(eps(w)), c.drawn)).Lower()
		at = slices.Repeat([]interval.Real{func(interval.Prec) interval.Interval { return same }}, len(c.masses))
		best = interval.Min(best, d.sum(w, c, at))
	}
	return best
}

// sum is Σ w_k·δ_k(α_k).
func (d *Draws) sum(w interval.Prec, c drawnCopies, at []interval.Real) interval.Interval {
	sum := c.rest
	for k := 1; k < len(c.masses); k++ {
		sum = w.Add(sum, w.Mul(c.masses[k], d.at(w, int64(k)*d.halves, at[k])))
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

// shared bounds the profile where Q has the null record, with Gaussian noise, if the conditions for all c_kj and t_kj
// are seen to hold.
func (d *Draws) shared(w interval.Prec, c drawnCopies, eps interval.Interval) (bound interval.Interval, ok bool) {
	if eps.LessEqRat(big.NewRat(1<<10, 1)) != interval.True {
		return interval.Int(1), false
	}
	alpha := w.Exp(eps)
	left := []interval.Interval{w.Mul(w.Sub(alpha, interval.Int(1)), c.masses[0])}
	for _, m := range c.masses[1:] {
		left = append(left, w.Mul(alpha, m))
	}
	sum := c.rest
	for k, parts := range share(c.logs, d.half, double.Of(eps).Mid()) {
		if k == 0 {
			continue
		}
		all, mean := interval.Int(0), interval.Int(0)
		for _, x := range parts {
			if !(math.Abs(x.c) <= math.MaxFloat64 && 0 < x.t && x.t <= 2) {
				return interval.Int(1), false
			}
			log, t := double.Point(x.c).Exact(), double.Point(x.t).Exact()
			left[x.j] = w.Sub(left[x.j], w.Mul(c.masses[k], w.Exp(log)))
			all = w.Add(all, t)
			at := func(p interval.Prec) interval.Interval { return p.Sub(log, p.Log(t)) }
			mean = w.Add(mean, w.Mul(t, d.at(w, int64(2*k-x.j), at)))
		}
		if all.LessRat(big.NewRat(1, 1)) != interval.False {
			return interval.Int(1), false
		}
		sum = w.Add(sum, w.Mul(c.masses[k], mean))
	}
	for _, l := range left {
		if l.Lo().Sign() < 0 {
			return interval.Int(1), false
		}
	}
	return sum.Upper(), true
}
