// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/certify/mended"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism/argument"
)

// Concentrated is the claim R_α ≤ Rho·α for all α > 1: Rho-zCDP.
type Concentrated struct {
	Rho *big.Rat

	written string
	in      mended.Format
}

func (s Concentrated) String() string { return "ρ = " + show.Cut(number.Format(s.Rho)) }

var concentratedForm = form{
	keys: []string{"rho"}, want: "{rho: …}",
	decode: func(d *claimDecoder, fields ...*document.Node) Statement {
		rho := d.number(fields[0], "claim.rho", number.NonNegative)
		if rho == nil {
			return nil
		}
		return Concentrated{rho, fields[0].Text, mended.Format{Binary64: d.dec.Binary64}}
	},
}

func (s Concentrated) check() error { return argument.Number("rho", s.Rho, nil, nil) }

func (s Concentrated) scale() *big.Rat { return nil }

func (s Concentrated) restates(g property) bool { return g.hasRho(s.Rho) }

func (s Concentrated) decide(d decision) error { return d.decideDivergence(s.at) }

func (s Concentrated) report(*ClaimReport, *Outcome) {}

// orderSteps bounds the orders that are tried for a claim about all of them.
func orderSteps(e exact.Effort) int { return 1024 << (2 * min(e, divergenceEffort)) }

// at compares the divergence with the claimed line at every order.
func (s Concentrated) at(ctx context.Context, curves curvePair, e exact.Effort) (divergenceRung, error) {
	rho, p := s.Rho, e.Bits()
	worst, at, err := curves.less.Concentrated(ctx, p, rho, orderSteps(e))
	if err != nil {
		return divergenceRung{}, err
	}
	best := worst
	if curves.more != curves.less {
		if best, at, err = curves.more.Concentrated(ctx, p, rho, orderSteps(e)); err != nil {
			return divergenceRung{}, err
		}
	}
	switch v, split := compared(worst, best); {
	case v == Verified:
		return divergenceRung{verdict: v}, nil
	case v == Refuted:
		return divergenceRung{verdict: v, notes: []string{mended.Exceeds(curves.more, p, rho, at)},
			mended: s.in.Rho(ctx, curves.less, p, at, orderSteps(e), s.written)}, nil
	case split:
		return divergenceRung{verdict: Undecided, reason: splitReason, final: true}, nil
	case curves.less.Gap:
		return divergenceRung{verdict: Undecided, reason: gapReason, final: true}, nil
	}
	return divergenceRung{verdict: Undecided,
		reason: fmt.Sprintf("the divergences at effort %d neither stay below the claimed line nor exceed it", e)}, nil
}
