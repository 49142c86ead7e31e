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
	"dpverify/exact/least"
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
	losses, whole, ok := lossesOf(r, d)
	if !ok || !whole && o.Verdict != certify.Refuted {
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
		if !whole {
			refuted = refuted || divergenceOf(losses, number.Float64(p.Order)) > number.Float64(p.Value)*(1+1e-9)
			continue
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

// lossesOf reports ok = false for parts of which a checker computes no divergence. They are whole where the parts are
// finite; else a checker has those of a part of the outcomes, or of cells of them, which have no larger divergences.
func lossesOf(r *statement.Reading, d mechanism.Direction) (out []losses, whole, ok bool) {
	whole = true
	for _, p := range r.Parts {
		outcomes, all, ok := outcomesOf(p, d)
		if !ok {
			return nil, false, false
		}
		whole = whole && all
		_, sampled := p.Pair.(statement.SampledFinite)
		l := losses{count: float64(p.Count)}
		for _, m := range outcomes {
			a, b := statement.LogOf(m.P), statement.LogOf(m.Q)
			if !all && math.Min(a, b) < minLogMass/2 {
				continue
			}
			if math.Min(a, b) < minLogMass &&
				(sampled || a > math.Inf(-1) && a < minLogMass || b > math.Inf(-1) && b < minLogMass) {
				return nil, false, false // the product of a rate and 0 is not known to be 0
			}
			if a > math.Inf(-1) {
				l.x, l.log = append(l.x, a-b), append(l.log, a)
			}
		}
		if l.x == nil {
			return nil, false, false
		}
		out = append(out, l)
	}
	return out, whole, true
}

// outcomesOf are the outcomes of a part that a checker takes for a divergence, whether these are all, and whether there
// are any: of a density, quarters from −14 to 14.
func outcomesOf(p *statement.Part, d mechanism.Direction) (out []statement.Mass, all, ok bool) {
	switch pair := p.Pair.(type) {
	case statement.Promise:
		return nil, false, false
	case statement.Finite:
		return pair.Outcomes(d), true, true
	case statement.Listed:
		return pair.Outcomes(d), false, true
	case statement.Divisible:
		const cells, least = 4, -14
		var thresholds []int64
		for k := int64(least * cells); k <= -least*cells; k++ {
			thresholds = append(thresholds, k<<(statement.ThresholdBits-2))
		}
		for k := range thresholds {
			out = append(out, statement.Between(pair, thresholds, k).In(d))
		}
		return out, false, !p.Bounded
	}
	return nil, false, false
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
// clear in float64: orders 1 + h, h = 2^−10·(17/16)^k, at which the checker asks for ρ(1 + h − h/1024), at the first
// for ρ.
func everyOrder(ls []losses, rho float64, steps int) certify.Verdict {
	const clear = 1e-9
	verdict, most, enough := certify.Verified, divergenceOf(ls, math.Inf(1)), rho
	if math.IsInf(most, 1) {
		return certify.Refuted
	}
	h := 0x1p-10
	for range min(steps, 1000) {
		d := divergenceOf(ls, 1+h)
		if d*(1-clear) > rho*(1+h) {
			return certify.Refuted
		}
		if d > enough*(1-clear) {
			verdict = certify.Undecided
		}
		if most < rho*(1+h)*(1-clear) {
			return verdict
		}
		h *= 17. / 16
		enough = rho * (1 + h - h/1024)
	}
	return certify.Undecided
}

// promisedPair chooses a pair for each promise of parts, and returns the first masses of all, in their order: of two
// outcomes, the first of which has the loss l > ε and as much mass as ρ-zCDP allows, for the l that makes δ(ε) most.
// No more outcomes are needed: to see only whether an output is in the best set for ε keeps δ(ε) and the promise.
func promisedPair(parts []*statement.Part, eps *big.Rat) (masses []string, err error) {
	for _, p := range parts {
		promise, ok := p.Pair.(statement.Promise)
		if !ok {
			continue
		}
		rho, e := number.Float64(promise.Rho), number.Float64(eps)/float64(p.Count)
		best, value := [2]*big.Rat{}, 0.0
		for l, step := math.Max(e, 0), math.Sqrt(rho)/64; l < math.Max(e, 0)+64*step; l += step {
			most := mostMass(rho, l)
			if v := most * -math.Expm1(e-l); v > value {
				value, best = v, [2]*big.Rat{digits(most), digits(most * math.Exp(-l))}
			}
		}
		if value == 0 {
			return nil, ErrNone
		}
		less := func(x *big.Rat) *big.Rat { return new(big.Rat).Sub(statement.RatOne, x) }
		promise.Atoms = statement.Atoms{{P: best[0], Q: best[1]}, {P: less(best[0]), Q: less(best[1])}}
		p.Pair = promise
		masses = append(masses, best[0].RatString(), best[1].RatString())
	}
	return masses, nil
}

// mostMass is about the greatest p for which (p, 1 − p) and (q, 1 − q), with q = p·e^(−l), are known to keep ρ-zCDP.
func mostMass(rho, l float64) float64 {
	kept := func(p float64) bool {
		q := p * math.Exp(-l)
		for _, x := range [][2]float64{{p, q}, {q, p}} {
			a, b := math.Log(x[0]), math.Log1p(-x[0])
			ls := []losses{{count: 1, log: []float64{a, b}, x: []float64{a - math.Log(x[1]), b - math.Log1p(-x[1])}}}
			if everyOrder(ls, rho*(1-1e-6), maxDivergenceTerms) != certify.Verified {
				return false
			}
		}
		return true
	}
	lo, _ := least.Halved(-700, 0, 40, func(log float64) bool { return kept(math.Exp(log)) })
	return math.Exp(lo)
}

// digits is a number with eight digits about x.
func digits(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(fmt.Sprintf("%.8e", x))
	return r
}
