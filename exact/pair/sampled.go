package pair

import (
	"math/big"

	"dpverify/exact/interval"
)

// outcomes of a Poisson sample, from those of its base. The loss of a mixture is
// log(1 − γ + γP/Q): −∞ becomes log(1 − γ), and only its enclosure is known
// elsewhere, but for a loss of 0, which stays.
func (s Sampled) outcomes(p interval.Prec, base []Outcome) []Outcome {
	q := p + 16
	rate := q.Rat(s.Rate)
	keep := q.Rat(new(big.Rat).Sub(ratOne, s.Rate))
	out := make([]Outcome, len(base))
	for i, b := range base {
		o := Outcome{P: p.Round(q.Add(q.Mul(keep, b.Q), q.Mul(rate, b.P))), Q: b.Q}
		switch {
		case b.P.IsZero():
			o.Loss, o.Exact = LogLoss(new(big.Rat).Sub(ratOne, s.Rate)), true
		case b.Exact && b.Loss.Cmp(new(big.Rat)) == 0:
			o.Exact = true
		}
		if s.Reversed {
			o = o.reverse()
		}
		out[i] = o
	}
	return out
}

// outcomes of a mixture with nothing: the base's, scaled, and one of loss 0.
func (m Mixed) outcomes(p interval.Prec, base []Outcome) []Outcome {
	q := p + 16
	rate := q.Rat(m.Rate)
	keep := p.Rat(new(big.Rat).Sub(ratOne, m.Rate))
	out := []Outcome{{P: keep, Q: keep, Exact: true}}
	for _, b := range base {
		b.P, b.Q = p.Round(q.Mul(rate, b.P)), p.Round(q.Mul(rate, b.Q))
		out = append(out, b)
	}
	return out
}
