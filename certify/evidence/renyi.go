// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpverify/certify"
	"dpverify/certify/evidence/statement"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// Limits within which a checker with logarithms of some 500 bits tells divergences from claimed ones.
const (
	maxDivergenceTerms = 8000 // outcomes times orders
	maxOrderBits       = 40   // of α − 1 and 1/(α − 1)
	minLogMass         = -200 // log of a mass, if it is not 0
)

// divergenceText returns the text of a claim of Rényi divergences, in the form of docs/certificate.md.
func divergenceText(s certify.Statement) (text string, ok bool) {
	switch s := s.(type) {
	case certify.Concentrated:
		return "rho " + s.Rho.RatString() + "\n", true
	case certify.Renyi:
		for _, p := range s.Points {
			text += "renyi " + p.Order.RatString() + " " + p.Value.RatString() + "\n"
		}
		return text, len(s.Points) <= statement.MaxOutcomes
	}
	return "", false
}

// newDivergences returns the evidence for a claim of Rényi divergences: none but the claim's hash, as a checker
// computes divergences of finite pairs itself.
func newDivergences(ctx context.Context, o *certify.Outcome, text string) ([]byte, error) {
	c := o.Claim
	r, err := statement.Read(c.LessPrivate, c.Relation)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	} else if !r.Ordinary(new(big.Rat), nil) {
		return nil, ErrNone
	}
	cert := newCertificate(r, c.Direction, text, o.Verdict)
	for _, d := range r.Directions(c.Direction) {
		decides, err := decidesDivergences(ctx, r, o, d)
		if err != nil {
			return nil, err
		}
		if decides {
			cert.Chains = append(cert.Chains, chain{Direction: d.String()})
		}
		if decides == (o.Verdict == certify.Refuted) {
			break // refuted in one direction, or not shown in one
		}
	}
	if want := len(r.Directions(c.Direction)); len(cert.Chains) == 0 || o.Verdict == certify.Verified &&
		len(cert.Chains) < want {
		return nil, ErrNone
	}
	return cert.encode()
}

// decidesDivergences reports that a checker finds the verdict in a direction.
func decidesDivergences(ctx context.Context, r *statement.Reading, o *certify.Outcome,
	d mechanism.Direction) (bool, error) {
	losses, ok := lossesOf(r, d)
	if !ok {
		return false, nil
	}
	n := 0
	for _, l := range losses {
		n += len(l.x)
	}
	if s, ok := o.Claim.Statement.(certify.Concentrated); ok {
		return everyOrder(losses, number.Float64(s.Rho), maxDivergenceTerms/max(n, 1)) == o.Verdict, ctx.Err()
	}
	points := o.Claim.Statement.(certify.Renyi).Points
	if n*len(points) > maxDivergenceTerms {
		return false, nil
	}
	refuted, verified := false, true
	for _, p := range points {
		if more := number.Float64(p.Order) - 1; more < math.Ldexp(1, -maxOrderBits) || more > math.Ldexp(1, maxOrderBits) {
			return false, nil
		}
		x, err := exact.Renyi(exact.Question{Event: o.Claim.LessPrivate, Relation: o.Claim.Relation, Direction: d},
			renyi.At(p.Order), o.Effort)
		if err != nil {
			return false, err
		}
		gap := new(big.Rat).Add(p.Value, statement.RatOne)
		gap.Mul(gap, interval.Pow2(-300))
		verified = verified && x.LessEqRat(new(big.Rat).Sub(p.Value, gap)) == interval.True
		refuted = refuted || x.LessEqRat(new(big.Rat).Add(p.Value, gap)) == interval.False
	}
	return o.Verdict == certify.Refuted && refuted || o.Verdict == certify.Verified && verified, ctx.Err()
}

// losses of one copy of each part, with the logarithms of their masses: the infinite one alone where
// there is one.
type losses struct {
	x, log []float64
	count  float64
}

// lossesOf reports false for parts of which a checker computes no divergence.
func lossesOf(r *statement.Reading, d mechanism.Direction) (out []losses, ok bool) {
	for _, p := range r.Parts {
		pair, ok := p.Pair.(statement.Finite)
		if !ok {
			return nil, false
		}
		_, sampled := pair.(statement.SampledFinite)
		l := losses{count: float64(p.Count)}
		for _, m := range pair.Outcomes(d) {
			a, b := statement.LogOf(m.P), statement.LogOf(m.Q)
			if math.Min(a, b) < minLogMass &&
				(sampled || a > math.Inf(-1) && a < minLogMass || b > math.Inf(-1) && b < minLogMass) {
				return nil, false // the product of a rate and 0 is not known to be 0
			}
			if a > math.Inf(-1) {
				l.x, l.log = append(l.x, a-b), append(l.log, a)
			}
		}
		out = append(out, l)
	}
	return out, true
}

// divergenceOf is D_α of a composition in float64, D_∞ for α = ∞.
func divergenceOf(ls []losses, alpha float64) float64 {
	total := 0.0
	for _, l := range ls {
		most, sum := math.Inf(-1), 0.0
		for _, x := range l.x {
			most = math.Max(most, x)
		}
		if math.IsInf(most, 1) {
			return most
		}
		for i, x := range l.x {
			sum += math.Exp(l.log[i] + (alpha-1)*(x-most))
		}
		if !math.IsInf(alpha, 1) {
			most += math.Log(sum) / (alpha - 1)
		}
		total += l.count * most
	}
	return total
}

// everyOrder walks along the orders of a checker, and returns what it finds of D_α ≤ ρα for all α > 1, if that is
// clear in float64.
func everyOrder(ls []losses, rho float64, steps int) certify.Verdict {
	const clear = 1e-9
	verdict, most, a := certify.Verified, divergenceOf(ls, math.Inf(1)), 1.0
	if math.IsInf(most, 1) {
		return certify.Refuted
	}
	for range min(steps, 1000) {
		if most < rho*a*(1-clear) {
			return verdict
		}
		line := rho * a
		a *= 33. / 32
		d := divergenceOf(ls, a)
		if d*(1-clear) > rho*a {
			return certify.Refuted
		}
		if d > line*(1-clear) {
			verdict = certify.Undecided
		}
	}
	return certify.Undecided
}
