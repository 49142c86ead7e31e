package pair

import (
	"math/big"

	"dpverify/exact/interval"
)

// An Outcome is one value of the likelihood ratio with its probabilities, not both
// of which are the point 0. Q is the point 0 for infinite loss, P for loss −∞;
// otherwise, when Exact, Loss is log(P/Q), exactly.
type Outcome struct {
	P, Q  interval.Interval
	Loss  Loss
	Exact bool
}

// reverse returns the outcome for the pair (Q, P).
func (o Outcome) reverse() Outcome {
	o.P, o.Q = o.Q, o.P
	if o.Exact {
		o.Loss = o.Loss.Neg()
	}
	return o
}

// Outcomes returns the outcomes of a discrete pair with enclosures of relative
// accuracy about 2^−p, and an upper bound of the P-mass and of the Q-mass of the
// outcomes left out, which is below 2^−p. It reports false for pairs that are not
// discrete or would have more than limit outcomes.
func Outcomes(x Pair, p interval.Prec, limit int) (out []Outcome, rest interval.Interval, ok bool) {
	switch x := x.(type) {
	case Response:
		return x.outcomes(p), rest, true
	case TwoPoint:
		return x.outcomes(p), rest, limit >= 2
	case LaplaceAbove:
		return x.outcomes(p), rest, limit >= 2
	case Finite:
		return x.outcomes(p), rest, len(x.Masses) <= limit
	case DiscreteLaplace:
		if x.Sensitivity >= int64(limit) {
			return nil, rest, false
		}
		return x.outcomes(p), rest, true
	case DiscreteGaussian:
		return x.outcomes(p, limit)
	case Binomial:
		return x.outcomes(p, limit)
	case Hull:
		if n := 2*len(x.points) + 2; n > limit {
			return nil, rest, false
		}
		return x.remembered(p), rest, true
	case Sampled:
		base, rest, ok := ProductOutcomes(x.Base, p+16, limit)
		if !ok {
			return nil, rest, false
		}
		return x.outcomes(p, base), rest, true
	case Mixed:
		base, rest, ok := ProductOutcomes(x.Base, p+16, limit-1)
		if !ok {
			return nil, rest, false
		}
		return x.outcomes(p, base), rest, true
	}
	return nil, rest, false
}

// outcomes of approximate randomized response (P has the true bit).
func (r Response) outcomes(p interval.Prec) []Outcome {
	q := p + 16
	e := q.Exp(q.Rat(r.Eps))
	keep := q.Rat(new(big.Rat).Sub(ratOne, r.Delta))
	low := q.Div(keep, q.Add(interval.Int(1), e)) // (1 − δ)/(1 + e^ε)
	high := q.Mul(low, e)
	var out []Outcome
	if r.Delta.Sign() > 0 {
		d := p.Rat(r.Delta)
		out = append(out, Outcome{P: d}, Outcome{Q: d})
	}
	if keep.IsZero() {
		return out
	}
	if r.Eps.Sign() == 0 {
		k := p.Round(keep)
		return append(out, Outcome{P: k, Q: k, Exact: true})
	}
	return append(out,
		Outcome{P: p.Round(high), Q: p.Round(low), Loss: RatLoss(r.Eps), Exact: true},
		Outcome{P: p.Round(low), Q: p.Round(high), Loss: RatLoss(new(big.Rat).Neg(r.Eps)), Exact: true})
}

func (f Finite) outcomes(p interval.Prec) []Outcome {
	out := make([]Outcome, len(f.Masses))
	for i, m := range f.Masses {
		out[i] = Outcome{P: p.Rat(m.P), Q: p.Rat(m.Q)}
		if m.P.Sign() > 0 && m.Q.Sign() > 0 {
			out[i].Loss = LogLoss(new(big.Rat).Quo(m.P, m.Q))
			out[i].Exact = true
		}
	}
	return out
}

// outcomes: with r = e^−a the masses are P(x) = r^|x|·(1−r)/(1+r) and the loss at x
// is a(|x − s| − |x|): as for x ≤ 0, −as for x ≥ s and a(s − 2x) between.
//
// P(x ≤ 0) = 1/(1+r), P(x ≥ s) = r^s/(1+r), and Q mirrors P at s/2.
func (d DiscreteLaplace) outcomes(p interval.Prec) []Outcome {
	q := p + 16 + interval.Prec(64-leadingZeros(uint64(d.Sensitivity)))
	a := q.Rat(d.A)
	r := q.Exp(a.Neg())
	inv := q.Inv(q.Add(interval.Int(1), r))
	c := q.Mul(q.Expm1(a.Neg()).Neg(), inv) // (1 − r)/(1 + r)
	s := d.Sensitivity
	ps := make([]interval.Interval, s+1)
	ps[0] = inv
	ps[s] = q.Mul(q.Exp(q.Mul(a, interval.Int(-s))), inv)
	for x := int64(1); x < s; x++ {
		ps[x] = q.Mul(c, q.Exp(q.Mul(a, interval.Int(-x))))
	}
	out := make([]Outcome, s+1)
	for x := range ps {
		loss := new(big.Rat).Mul(d.A, new(big.Rat).SetInt64(s-2*int64(x)))
		out[x] = Outcome{P: p.Round(ps[x]), Q: p.Round(ps[s-int64(x)]), Loss: RatLoss(loss), Exact: true}
	}
	return out
}

func leadingZeros(x uint64) int {
	n := 64
	for ; x > 0; x >>= 1 {
		n--
	}
	return n
}
