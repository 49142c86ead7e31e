// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bent

import (
	"math/big"

	"dpverify/exact/interval"
)

// A Part is a normal distribution of variance 1 with its probability in a mixture.
type Part struct {
	Prob *big.Rat
	Mean func(interval.Prec) interval.Interval
}

// Logs enclose log Σ p_i·e^{m_i·x − m_i²/2} at one x after the other.
// At points iη the terms are carried from one to the next by e^{m_i·η}, and made anew before they get wide.
type Logs struct {
	p     interval.Prec
	cs    []Part
	means []interval.Interval
	terms []interval.Interval
	grow  []interval.Interval
	left  int // steps until they are made anew
	fresh int // steps for which they are carried
}

// NewLogs returns logarithms of a mixture, whose terms are carried along for so many steps.
func NewLogs(p interval.Prec, cs []Part, step interval.Interval, fresh int) *Logs {
	w := &Logs{p: p, cs: cs, terms: make([]interval.Interval, len(cs)), fresh: fresh}
	for _, c := range cs {
		mean := c.Mean(p)
		w.means, w.grow = append(w.means, mean), append(w.grow, p.Exp(p.Mul(mean, step)))
	}
	return w
}

// At encloses the logarithm at x, with so many bits. It is to be called with consecutive iη if terms are carried.
func (w *Logs) At(bits interval.Prec, x interval.Interval) interval.Interval {
	if len(w.cs) == 1 && w.means[0].IsZero() {
		return interval.Int(0) // of probability 1
	}
	p := w.p
	if w.fresh == 0 {
		p = bits
	}
	sum := interval.Int(0)
	for k, c := range w.cs {
		if w.left == 0 {
			w.terms[k] = p.Mul(p.Rat(c.Prob), p.Exp(p.Mul(w.means[k], p.Sub(x, p.Scale(w.means[k], -1)))))
		} else {
			w.terms[k] = p.Mul(w.terms[k], w.grow[k])
		}
		sum = p.Add(sum, w.terms[k])
	}
	if w.left--; w.left < 0 {
		w.left = w.fresh
	}
	return bits.Log(sum)
}
