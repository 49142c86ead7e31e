package certify

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
	"dpverify/number"
)

// A DivergenceBound is a claimed bound of a Rényi divergence with an enclosure of it,
// over all interval parameters.
type DivergenceBound struct {
	mechanism.RenyiPoint
	Divergence exact.Enclosure
}

// divergenceEffort is the last rung for claims about Rényi divergences: 512 bits, and
// 65536 orders for a claim about all of them.
const divergenceEffort exact.Effort = 3

// orderSteps bounds the orders that are tried for a claim about all of them.
func orderSteps(e exact.Effort) int { return 1024 << (2 * min(e, divergenceEffort)) }

// decideDivergence answers a claim {rho} or {renyi}.
func (out *Outcome) decideDivergence(ctx, limited context.Context, o Options) (*Outcome, error) {
	c := out.Claim
	curves, err := c.curves()
	if err != nil {
		return out.finish(ctx, err)
	}
	err = ask.UpTo(divergenceEffort).Or(o.Fixed).Climb(limited, func(e exact.Effort) (bool, error) {
		r, err := ask.Within(limited, func(ctx context.Context) (divergenceRung, error) {
			if c.Statement.Rho != nil {
				return decideRho(ctx, c, curves, e)
			}
			return decideRenyi(ctx, c, curves, e)
		})
		if err != nil {
			return false, err
		}
		out.Verdict, out.Renyi, out.Effort, out.Reason = r.verdict, r.bounds, e, r.reason
		out.Methods, out.Notes = []string{"renyi"}, append(r.notes, curves.less.Notes...)
		return out.Verdict != Undecided || r.final, nil
	})
	if err != nil {
		return out.finish(ctx, err)
	}
	if out.Verdict == Refuted && mechanism.IsGuarantee(c.LessPrivate) {
		out.Notes = append(out.Notes, guaranteeNote)
	}
	return out, nil
}

// A divergenceRung is what one effort says.
type divergenceRung struct {
	verdict Verdict
	bounds  []DivergenceBound
	reason  string
	notes   []string
	final   bool // more effort does not help
}

// A curvePair has the Rényi curves of the two corner events.
type curvePair struct{ more, less *renyi.Curve }

func (c *Claim) curves() (curvePair, error) {
	var out []*renyi.Curve
	for _, e := range c.corners() {
		prob, err := pair.Resolve(e, c.Relation)
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

const (
	splitReason = "the claim is true for some values of the interval parameters and false for others"
	gapReason   = "the event is a guarantee, and the claim lies between what it states and what is known to attain it"
)

// decideRenyi compares the divergence with the claimed value at each order.
func decideRenyi(ctx context.Context, c *Claim, curves curvePair, e exact.Effort) (divergenceRung, error) {
	p := e.Bits()
	r := divergenceRung{verdict: Verified}
	for _, pt := range c.Statement.Renyi {
		at := renyi.At(pt.Order)
		worst, isTrue := divergenceAt(curves.less, p, pt)
		best, isBest := worst, isTrue
		if curves.more != curves.less {
			best, isBest = divergenceAt(curves.more, p, pt)
		}
		isFalse := isBest.Not()
		if err := ctx.Err(); err != nil {
			return r, err
		}
		r.bounds = append(r.bounds, DivergenceBound{pt, best.Union(worst)})
		switch {
		case isTrue == interval.True:
		case isFalse == interval.True:
			r.verdict, r.reason = Refuted, ""
			r.notes = append(r.notes, fmt.Sprintf("the divergence of order %s exceeds %s", at, number.Format(pt.Value)))
		case r.verdict == Refuted:
		case isTrue == interval.False && isFalse == interval.False:
			r.verdict, r.reason, r.final = Undecided, splitReason, true
		default:
			r.verdict, r.reason = Undecided, fmt.Sprintf("the enclosure of the divergence of order %s at effort %d contains the claimed value", at, e)
			if curves.less.Guarantee {
				r.reason, r.final = gapReason, true
			}
		}
	}
	return r, nil
}

// divergenceAt encloses a divergence and answers whether it is at most the claimed one.
func divergenceAt(c *renyi.Curve, p interval.Prec, pt mechanism.RenyiPoint) (exact.Enclosure, interval.Truth) {
	at := renyi.At(pt.Order)
	e := exact.Enclosure{Interval: c.At(p, at)}
	stated, ok := c.Rational(at)
	switch {
	case !ok:
	case !c.Guarantee:
		e.Value = stated
	case stated.Cmp(pt.Value) <= 0:
		return e, interval.True
	}
	return e, e.LessEqRat(pt.Value)
}

// decideRho compares the divergence with the claimed line at every order.
func decideRho(ctx context.Context, c *Claim, curves curvePair, e exact.Effort) (divergenceRung, error) {
	rho, p := c.Statement.Rho, e.Bits()
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
	switch {
	case worst == interval.True:
		return divergenceRung{verdict: Verified}, nil
	case best == interval.False:
		return divergenceRung{verdict: Refuted, notes: []string{exceedNote(curves.more, p, rho, at)}}, nil
	case worst == interval.False && best == interval.True:
		return divergenceRung{verdict: Undecided, reason: splitReason, final: true}, nil
	case curves.less.Guarantee:
		return divergenceRung{verdict: Undecided, reason: gapReason, final: true}, nil
	}
	return divergenceRung{verdict: Undecided, reason: fmt.Sprintf("the divergences at effort %d neither stay below the claimed line nor exceed it", e)}, nil
}

// exceedNote names an order that refutes a ρ.
func exceedNote(curve *renyi.Curve, p interval.Prec, rho *big.Rat, at renyi.Order) string {
	alpha, ok := at.Rat()
	if !ok {
		return ""
	}
	bound := new(big.Rat).Mul(alpha, rho)
	lo, _ := SeparatingDecimal(exact.Enclosure{Interval: curve.At(p, at)}, bound, 8)
	if alpha.Cmp(one) == 0 { // which is no order of a claim, but the limit of those that are
		return fmt.Sprintf("the divergence tends to at least %s where the order tends to 1, more than ρ = %s", lo, readableNumber(p, rho))
	}
	return fmt.Sprintf("the divergence of order %s is at least %s, more than ρα = %s", at, lo, readableNumber(p, bound))
}
