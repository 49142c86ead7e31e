// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpverify/ask"
	"dpverify/ask/calibrate"
	"dpverify/certify"
	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// FilterTheorem is what makes a Filter sound.
const FilterTheorem = "Feldman & Zrnic 2021, Theorem 3.1"

// A Filter is a Rényi filter: while the divergences of one order α add up to at most a bound B(α),
// the events satisfy (ε, δ)-DP together, however each was chosen in view of the outputs before
// it. α, ε and δ must be fixed before the first event. The theorem and its proof are in
// docs/theorems.md.
type Filter struct {
	Order    renyi.Order
	Gaussian bool     // instead of an order: Σ 1/σ² of Gaussian noise counts
	Bound    *big.Rat // B(α), rounded down
	Spent    *big.Rat // at least the sum of what any run has accepted

	most  *big.Rat // B(α), rounded up; nil where it is searched for and no upper bound is known
	sure  *big.Rat // at most the sum of what was accepted
	delta *big.Rat
}

// A Decision is the answer of a filter to an event.
type Decision int

// The decisions. An event that is not Accepted must not run.
const (
	Refused   Decision = iota // it would exceed the bound, and does not count
	Accepted                  // it keeps the bound
	Undecided                 // neither is known; it counts, as another run may have accepted it
)

// Theorem is what makes the filter sound.
func (f *Filter) Theorem() string {
	if f.Gaussian {
		return GaussianTheorem
	}
	return FilterTheorem
}

// bits is the precision of bounds.
const bits = interval.Prec(128)

// NewFilter returns a filter for (eps, delta) that has spent nothing: eps ≥ 0, 0 ≤ delta < 1. The error is a
// *mechanism.ParamError where the order has no bound.
func NewFilter(eps, delta *big.Rat, order renyi.Order) (*Filter, error) {
	b, most, ok := bound(eps, delta, order)
	if !ok {
		return nil, &mechanism.ParamError{
			Field: "order", Value: order.String(),
			Want: fmt.Sprintf("an order above 1, or inf, of which some divergence gives (%s, %s)-DP",
				number.Format(eps), number.Format(delta)),
		}
	}
	return &Filter{Order: order, Bound: b, Spent: new(big.Rat), most: most, sure: new(big.Rat), delta: delta}, nil
}

// bound encloses the greatest R for which R_α ≤ R implies (eps, delta)-DP by the
// conversion of CKS, ε = R + (c(t) + log(1/δ))/t, t = α − 1; R_∞ ≤ ε gives (ε, 0)-DP. It is false if there
// is no such R ≥ 0.
func bound(eps, delta *big.Rat, order renyi.Order) (least, most *big.Rat, ok bool) {
	alpha, finite := order.Rat()
	switch {
	case !finite:
		return new(big.Rat).Set(eps), new(big.Rat).Set(eps), true
	case alpha.Cmp(big.NewRat(1, 1)) <= 0 || delta.Sign() == 0:
		return nil, nil, false
	}
	nothing := func(interval.Prec, renyi.Order) interval.Interval { return interval.Int(0) }
	extra := conversion.CKS.Epsilon(bits, nothing, bits.Rat(delta), []*big.Rat{alpha})
	b := bits.Sub(bits.Rat(eps), extra.Interval)
	if !b.IsFinite() || b.Lo().Sign() < 0 {
		return nil, nil, false
	}
	least, _ = b.Lo().Rat(nil)
	most, _ = b.Hi().Rat(nil)
	return least, most, true
}

// DefaultOrder returns the order at which Gaussian noise, R_α = αρ, can be used most often within
// (eps, delta), or nearly: α of two or three digits with the greatest B(α)/α. It depends on nothing else.
func DefaultOrder(eps, delta *big.Rat) renyi.Order {
	e, d := number.Float64(eps), number.Float64(delta)
	best, order := 0.0, renyi.Infinity
	try := func(alpha *big.Rat) {
		a := number.Float64(alpha)
		t := a - 1
		b := e - (-t*math.Log1p(1/t)-math.Log1p(t)-math.Log(d))/t // c(t) = t·log(t/(1+t)) − log(1+t)
		if b/a > best {
			best, order = b/a, renyi.At(alpha)
		}
	}
	if d == 0 {
		return order
	}
	for i := int64(1); i < 100; i++ {
		try(big.NewRat(100+i, 100))
	}
	for i := int64(20); i < 100; i++ {
		try(big.NewRat(i, 10))
	}
	for unit := int64(1); unit <= 1e9; unit *= 10 {
		for i := int64(10); i < 100; i++ {
			try(big.NewRat(i*unit, 1))
		}
	}
	if _, _, ok := bound(eps, delta, order); !ok { // where rounding makes the difference
		return renyi.Infinity
	}
	return order
}

// Left is how much more may be spent.
func (f *Filter) Left() *big.Rat {
	left := new(big.Rat).Sub(f.Bound, f.Spent)
	if left.Sign() < 0 {
		left.SetInt64(0)
	}
	return left
}

// Take decides about an event of which the divergence r is in [lo, hi], 0 ≤ lo ≤ hi, nil for ∞; of Gaussian noise both
// are finite.
//
// A file that grows is read by run after run, and each may know the divergences more or less well: by its time, its
// machine and its version. Let T be what is accepted by the filter that knows them: event i if Σ_{j ∈ T, j < i} r_j +
// r_i ≤ B.
//
// Lemma. What is Accepted is in T, and what is Refused is not. Proof, by induction: Spent has the upper ends of all
// events but the refused ones, or B, which Σ_T r never exceeds: it is at least Σ_T r. sure has lower ends of accepted
// events alone, and is at most Σ_T r. So Spent + hi ≤ B has the event in T, as r = 0 has; and sure + lo > B has it not
// in T.
//
// So what was accepted in any of the runs is in T, which keeps the bound. Were an undecided event not counted, a run
// that knows less would forget what an earlier one has accepted.
func (f *Filter) Take(lo, hi *big.Rat) Decision {
	known := f.most != nil // of noise that is searched for, an upper end need not be
	if known && (lo == nil || new(big.Rat).Add(f.sure, lo).Cmp(f.most) > 0) {
		return Refused
	}
	sum := f.most
	if hi != nil {
		sum = new(big.Rat).Add(f.Spent, hi)
		if sum.Cmp(f.Bound) <= 0 || hi.Sign() == 0 {
			f.Spent, f.sure = sum, new(big.Rat).Add(f.sure, lo)
			return Accepted
		}
	}
	if f.Spent = sum; known && sum.Cmp(f.most) > 0 {
		f.Spent = f.most
	}
	return Undecided
}

// GaussianTheorem is what makes a Gaussian filter sound.
const GaussianTheorem = "Smith & Thakurta 2022; Koskela, Tobaben & Honkela 2022"

// A Step is the answer of a filter to a line.
type Step struct {
	Answer      ask.Answer // R_α of the event; of a Gaussian filter, Loss
	Loss        *big.Rat   // Σ 1/σ², nil of an event that is not only Gaussian noise
	Decision    Decision
	Spent, Left *big.Rat // after it
	Refusal     string   // why it was refused, and what would take it; of the first one, as that costs time
}

// open says why an event is undecided, and what follows.
func (s Step) open() string {
	why := "the bound is known to so many digits only"
	if !s.Answer.Complete() {
		why = s.Answer.Reason()
	}
	return why +
		": it must not run, and counts, as an earlier run may have accepted it; if it has not run, take the line out"
}

// ends are the ends of the enclosure of a divergence, which is at least 0; nil for ∞.
func ends(a ask.Answer) (lo, hi *big.Rat) {
	e := a.OrZero()
	end := func(known *big.Rat, x *big.Float) *big.Rat {
		switch {
		case e.Value != nil:
			return e.Value
		case known != nil:
			return known
		case x.IsInf():
			return nil
		}
		r, _ := x.Rat(nil)
		return r
	}
	return end(e.Lower, e.Lo()), end(e.Upper, e.Hi())
}

// gaussianDigits are the digits of the noise that a Gaussian filter may spend.
const gaussianDigits = 8

// NewGaussianFilter returns a filter for (eps, delta) that accepts Gaussian noise only, for as long as Σ 1/σ² is at
// most the 1/σ² of one Gaussian that is (eps, delta)-DP: the least noise that is found, which is certified.
// There is nothing sharper for it. The error is calibrate's if no noise is enough.
func NewGaussianFilter(ctx context.Context, q Question, eps, delta *big.Rat) (*Filter, error) {
	t, err := calibrate.Parse("noise", []byte(`{"class_name": "GaussianDpEvent", "noise_multiplier": "?"}`),
		mechanism.Decoder{})
	if err != nil {
		return nil, err
	}
	found, err := calibrate.Search(ctx, calibrate.Question{
		Template: t, Epsilon: eps, Delta: delta, Relation: q.Relation, Direction: q.Direction, Digits: gaussianDigits,
		Budget: q.Budget,
	})
	if err != nil {
		return nil, err
	}
	if found.Best == nil {
		return nil, errors.New("no noise was certified to keep the budget in time")
	}
	f := &Filter{Gaussian: true, Bound: inverseSquare(found.Best.Value), Spent: new(big.Rat), sure: new(big.Rat)}
	if next := found.Next; next != nil && next.Outcome.Verdict == certify.Refuted && next.Value.Sign() > 0 {
		f.most = inverseSquare(next.Value)
	}
	return f, nil
}

func inverseSquare(x *big.Rat) *big.Rat { return new(big.Rat).Inv(new(big.Rat).Mul(x, x)) }

// gaussian returns Σ 1/σ² of an event that is nothing but Gaussian noise; nil of another, and without noise.
func gaussian(e mechanism.Event) *big.Rat {
	switch e := e.(type) {
	case mechanism.Gaussian:
		if variance := e.Variance(); variance.Sign() > 0 {
			return variance.Inv(variance)
		}
	case mechanism.SelfComposed:
		if one := gaussian(e.Event); one != nil {
			return one.Mul(one, new(big.Rat).SetInt64(e.Count))
		}
	case mechanism.Composed:
		sum := new(big.Rat)
		for _, part := range e.Events {
			x := gaussian(part)
			if x == nil {
				return nil
			}
			sum.Add(sum, x)
		}
		return sum
	}
	return nil
}

// notGaussian is why a Gaussian filter refuses an event.
const notGaussian = "not Gaussian noise only"
