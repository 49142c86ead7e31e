// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"

	"dpverify/certify/mended"
	"dpverify/exact"
	"dpverify/exact/meaning"
	"dpverify/exact/renyi"
	"dpverify/internal/guard"
)

// divergenceEffort is the last rung for claims about Rényi divergences: 512 bits, and
// 65536 orders for a claim about all of them.
const divergenceEffort exact.Effort = 3

// decideDivergence answers a claim about Rényi divergences.
func (d decision) decideDivergence(at func(context.Context, curvePair, exact.Effort) (divergenceRung, error)) error {
	curves, err := d.Claim.curves()
	if err != nil {
		return err
	}
	err = d.ladder(divergenceEffort).Climb(d.limited, func(e exact.Effort) (bool, error) {
		r, err := guard.Within(d.limited, func(ctx context.Context) (divergenceRung, error) { return at(ctx, curves, e) })
		if err != nil {
			return false, err
		}
		d.Verdict, d.Renyi, d.Effort, d.Reason, d.mended = r.verdict, r.bounds, e, r.reason, r.mended
		d.Methods, d.Notes = []string{"renyi"}, append(r.notes, curves.less.Notes...)
		return d.Verdict != Undecided || r.final, nil
	})
	if err != nil {
		return err
	}
	d.noteGuarantee()
	return nil
}

// A divergenceRung is the answer of one effort.
type divergenceRung struct {
	verdict Verdict
	bounds  []DivergenceBound
	reason  string
	notes   []string
	mended  []mended.Number
	final   bool // more effort does not help
}

// A curvePair has the Rényi curves of the two corner events.
type curvePair struct{ more, less *renyi.Curve }

func (c *Claim) curves() (curvePair, error) {
	var out []*renyi.Curve
	for _, e := range c.Corners() {
		prob, err := meaning.Resolve(e, c.Relation)
		if err != nil {
			return curvePair{}, err
		}
		curve, err := renyi.NewCurve(prob, c.Direction)
		if err != nil {
			return curvePair{}, err
		}
		out = append(out, curve)
	}
	return curvePair{out[0], out[len(out)-1]}, nil
}

// gapReason is why claims about guarantees, or samples whose bound may not be attained, are undecided at every effort.
const gapReason = "the claim lies between what is proved from above and what some mechanism is known to attain"
