package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// Logistic is (Logistic(x, 1), Logistic(0, 1)) with x = Shift > 0, noise with the distribution
// function 1/(1 + e^−y). It dominates every pair of x-bounded range, log P/Q ∈ [t − x, t] for
// some t ∈ [0, x], and hence the exponential mechanism with ε = x:
//
//	H_α ≤ H_α(TwoPoint{t, x−t}) ≤ sup_y σ(y+x) − α·σ(y) = H_α(Logistic).
//
// Proof. P/Q has the mean 1 under Q and lies in [e^{t−x}, e^t]; H_α = E_Q[(P/Q − α)₊] is convex in
// it, and so is greatest where all mass is on the two ends. These two points are a choice
// between two candidates, (σ(y+x), σ(−y−x)) against (σ(y), σ(−y)) for the y with σ(y+x)/σ(y) = e^t.
// The logistic density is log-concave, so that the sets L > ε of its shift are half lines,
// which have these probabilities. ∎
//
// Every 0 < t < x is that of an exponential mechanism with two candidates, so that its profile
// is attained, each ε by another t; that of a composition is not.
type Logistic struct{ Shift *big.Rat }

func (Logistic) isPair()          {}
func (l Logistic) Reverse() Pair  { return l } // a symmetric density
func (Logistic) SelfDual() bool   { return true }
func (l Logistic) String() string { return fmt.Sprintf("Logistic(%s)", l.Shift.RatString()) }

// TwoPoint has the two losses Up and −Down, both > 0: a choice between two candidates by the
// exponential mechanism with ε = Up + Down.
type TwoPoint struct{ Up, Down *big.Rat }

func (TwoPoint) isPair()          {}
func (t TwoPoint) Reverse() Pair  { return TwoPoint{t.Down, t.Up} }
func (t TwoPoint) SelfDual() bool { return t.Up.Cmp(t.Down) == 0 }
func (t TwoPoint) String() string {
	return fmt.Sprintf("TwoPoint(%s, −%s)", t.Up.RatString(), t.Down.RatString())
}

// outcomes: from p + p′ = 1, e^−a·p + e^b·p′ = 1 with a = Up, b = Down,
//
//	p = (1 − e^−b)/(1 − e^−(a+b)),  p′ = e^−b·(1 − e^−a)/(1 − e^−(a+b)),
//
// and q = e^−a·p, q′ = e^b·p′.
func (t TwoPoint) outcomes(p interval.Prec) []Outcome {
	w := p + 16
	a, b := w.Rat(t.Up), w.Rat(t.Down)
	fall := func(x interval.Interval) interval.Interval { return w.Expm1(x.Neg()).Neg() } // 1 − e^−x
	all := fall(w.Rat(new(big.Rat).Add(t.Up, t.Down)))
	up, down := w.Div(fall(b), all), w.Div(fall(a), all)
	return []Outcome{
		{P: p.Round(up), Q: p.Round(w.Mul(w.Exp(a.Neg()), up)), Loss: RatLoss(t.Up), Exact: true},
		{P: p.Round(w.Mul(w.Exp(b.Neg()), down)), Q: p.Round(down), Loss: RatLoss(new(big.Rat).Neg(t.Down)), Exact: true},
	}
}
