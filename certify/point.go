// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"errors"
	"fmt"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism/argument"
)

// A Point is the claim δ(Epsilon) ≤ Delta.
type Point struct {
	Epsilon, Delta *big.Rat
	Written        [2]string // as they are written
}

func (p Point) String() string {
	return fmt.Sprintf("(ε, δ) = (%s, %s)", show.Cut(p.Written[0]), show.Cut(p.Written[1]))
}

var pointForm = form{
	keys: []string{"epsilon", "delta"}, want: "{epsilon: …, delta: …}",
	decode: func(d *claimDecoder, fields ...*document.Node) Statement {
		p := Point{Written: [2]string{fields[0].Text, fields[1].Text}}
		p.Epsilon = d.number(fields[0], "claim.epsilon", number.Any)
		p.Delta = d.number(fields[1], "claim.delta", number.Probability)
		if p.Epsilon == nil || p.Delta == nil {
			return nil
		}
		return p
	},
}

func (p Point) check() error {
	return errors.Join(argument.Number("epsilon", p.Epsilon, nil, nil), argument.Number("delta", p.Delta, nil, nil))
}

func (p Point) restates(g property) bool { return g.hasDelta(p.Epsilon, p.Delta) }

// report adds the enclosures of δ at the claimed ε and of the least ε at the claimed δ.
func (p Point) report(r *ClaimReport, o *Outcome) {
	r.Delta, r.Epsilon = NewBounds(o.Delta, p.Delta), NewBounds(o.LeastEpsilon(), p.Epsilon)
}

// Point returns the statement of a claim (ε, δ); false for others.
func (c *Claim) Point() (Point, bool) {
	p, ok := c.Statement.(Point)
	return p, ok && p.Epsilon != nil && p.Delta != nil
}

// Slack encloses how far the claimed ε is from the least one at the claimed δ:
// the excess of a VERIFIED claim, the shortfall of a REFUTED one. Both are ≥ 0:
// δ(ε) ≤ δ holds from the least ε on, and nowhere below it. The upper end may be
// ∞, where no ε is enough. It reports false for every other outcome.
func (o *Outcome) Slack() (interval.Interval, bool) {
	s, ok := o.Claim.Point()
	if o.Epsilon == nil || !ok || s.Epsilon.Sign() < 0 {
		return interval.Interval{}, false
	}
	claimed := s.Epsilon
	const p = interval.Prec(128)
	least := o.LeastEpsilon()
	if least.Value != nil {
		least.Interval = p.Rat(least.Value)
	}
	d := p.Sub(p.Rat(claimed), least.Interval)
	switch {
	case o.Verdict == Refuted:
		d = d.Neg()
	case o.Verdict != Verified:
		return interval.Interval{}, false
	}
	if least.Value != nil && least.Value.Cmp(claimed) == 0 {
		return interval.Int(0), true
	}
	return interval.Max(d, interval.Int(0)), true
}
