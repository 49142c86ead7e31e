package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// LaplaceAbove tells whether Laplace noise exceeds a threshold: X + x > τ against X > τ, x = Shift,
// τ = Threshold, 0 < τ ≤ x. It is the choice of permute-and-flip with ε = x between two
// candidates: the difference of two exponential variables of rate x/2 is Laplace noise of
// scale 2/x, and neighbours move the difference of two scores by up to 2.
//
// Reversed swaps the two, which is the threshold x − τ from the other side.
type LaplaceAbove struct {
	Shift, Threshold *big.Rat
	Reversed         bool
}

func (LaplaceAbove) isPair() {}

func (l LaplaceAbove) Reverse() Pair {
	l.Reversed = !l.Reversed
	return l
}

// SelfDual: at τ = x/2 both are one biased coin and its mirror image.
func (l LaplaceAbove) SelfDual() bool {
	return new(big.Rat).Add(l.Threshold, l.Threshold).Cmp(l.Shift) == 0
}

func (l LaplaceAbove) String() string {
	return fmt.Sprintf("LaplaceAbove(%s, %s)%s", l.Shift.RatString(), l.Threshold.RatString(), reversedMark(l.Reversed))
}

// outcomes: P(X > τ − x) = 1 − e^{τ−x}/2 and P(X > τ) = e^−τ/2. At τ = x they are 1/2 and e^−x/2, of loss
// x.
func (l LaplaceAbove) outcomes(p interval.Prec) []Outcome {
	w := p + 16
	half := w.Scale(interval.Int(1), -1)
	tail := func(x *big.Rat) interval.Interval { return w.Mul(half, w.Exp(w.Rat(x).Neg())) } // x ≥ 0
	below, above := tail(new(big.Rat).Sub(l.Shift, l.Threshold)), tail(l.Threshold)
	one := interval.Int(1)
	yes := Outcome{P: p.Round(w.Sub(one, below)), Q: p.Round(above)}
	no := Outcome{P: p.Round(below), Q: p.Round(w.Sub(one, above))}
	if l.Threshold.Cmp(l.Shift) == 0 {
		yes.Loss, yes.Exact = RatLoss(l.Shift), true
	}
	if l.Reversed {
		return []Outcome{no.reverse(), yes.reverse()}
	}
	return []Outcome{yes, no}
}
