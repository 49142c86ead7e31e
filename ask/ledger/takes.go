// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"dpverify/ask"
	"dpverify/ask/calibrate"
	"dpverify/certify"
	"dpverify/exact"
	"dpverify/exact/renyi"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/mechanism"
)

// advised are the orders that are tried for a budget which takes what was refused.
var advised = func() []renyi.Order {
	orders := []renyi.Order{renyi.At(big.NewRat(6, 5)), renyi.At(big.NewRat(3, 2)), renyi.Infinity}
	for _, alpha := range []int64{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128} {
		orders = append(orders, renyi.At(big.NewRat(alpha, 1)))
	}
	return orders
}()

// adviceBudget is the time for that.
const adviceBudget = 10 * time.Second

// refused says why a filter refuses an event, and with what it would not.
func (q Question) refused(ctx context.Context, f *Filter, s Step, accepted []Line, l Line) string {
	left, bound := prose.Readable(down(s.Left, q.Digits)), prose.Readable(up(f.Bound, q.Digits))
	switch {
	case f.Gaussian && s.Loss == nil:
		return "this filter is for Gaussian noise without sampling; --filter renyi takes other noise"
	case f.Gaussian && s.Left.Sign() == 0:
		return "nothing is left"
	case f.Gaussian:
		return fmt.Sprintf("more than the %s that is left; Gaussian noise of noise_variance %s, and more, fits", left,
			prose.Readable(up(new(big.Rat).Inv(s.Left), q.Digits)))
	}
	lo, _ := ends(s.Answer)
	why := fmt.Sprintf("more than the %s that is left", left)
	if lo == nil || lo.Cmp(f.most) > 0 {
		why = fmt.Sprintf("alone more than the whole bound, %s", bound)
	}
	all := append(accepted[:len(accepted):len(accepted)], l)
	if eps, order := q.takes(ctx, f.delta, all); eps != "" {
		why += fmt.Sprintf("; a filter from the first event on with --epsilon %s --order %s takes it, and what was "+
			"accepted before", eps, order)
	}
	return why
}

// takes returns the order of those advised, and the least ε for it, of which a filter accepts all lines: ε is rounded
// up to three digits, and the filter is asked, which adds up the same upper ends. Both are empty where none was found.
func (q Question) takes(ctx context.Context, delta *big.Rat, lines []Line) (eps, order string) {
	ctx, cancel := context.WithTimeout(ctx, adviceBudget)
	defer cancel()
	var quantities []ask.Quantity
	for _, o := range advised {
		quantities = append(quantities, ask.Renyi(o))
	}
	sums := make([]*big.Rat, len(advised)) // nil for ∞
	for i := range sums {
		sums[i] = new(big.Rat)
	}
	var all tally
	for _, l := range lines {
		all.add(l)
	}
	for _, e := range all.events {
		answers, err := ask.Range(ctx, q.asked(), e.Range, q.goal(), quantities...)
		if err != nil {
			return "", ""
		}
		for i, a := range answers {
			if _, hi := ends(a); hi == nil || sums[i] == nil {
				sums[i] = nil
			} else {
				sums[i] = new(big.Rat).Add(sums[i], new(big.Rat).Mul(new(big.Rat).SetInt64(e.count), hi))
			}
		}
	}
	var least *big.Rat
	for i, sum := range sums {
		o := advised[i]
		if sum == nil {
			continue
		}
		// The bound of an order is ε less what does not depend on ε.
		far := new(big.Rat).SetInt64(1 << 40)
		b, _, ok := bound(far, delta, o)
		if !ok {
			continue
		}
		need := new(big.Rat).Sub(far, b)
		need.Add(need, sum)
		text := up(need, 3)
		x, err := number.Parse(text)
		if err != nil || least != nil && x.Cmp(least) >= 0 {
			continue
		}
		if b, _, ok = bound(x, delta, o); ok && sum.Cmp(b) <= 0 {
			least, eps, order = x, prose.Readable(text), o.String()
		}
	}
	return eps, order
}

// up and down write a number rounded.
func up(x *big.Rat, digits int) string {
	_, hi := rational(x).Decimal(digits)
	return hi
}

func down(x *big.Rat, digits int) string {
	lo, _ := rational(x).Decimal(digits)
	return lo
}

// rational is a number that is known.
func rational(x *big.Rat) exact.Enclosure {
	return exact.Enclosure{Interval: bits.Rat(x), Value: x, Lower: x, Upper: x}
}

// A Following is what was found to fit the budget after the ledger.
type Following struct {
	Question calibrate.Question
	Finding  calibrate.Finding
	Full     bool // nothing fits
}

// Next finds what still fits the budget (eps, delta) after the ledger: the value of the unknown of
// t with the greatest loss, which may be a number of copies. Where nothing fits, that is proved: the ledger
// alone exceeds the budget, or with one copy.
func Next(ctx context.Context, q Question, t *calibrate.Template, eps, delta *big.Rat) (*Following, error) {
	search := calibrate.Question{
		Template: t, Epsilon: eps, Delta: delta, Relation: q.Relation, Direction: q.Direction,
		Digits: calibrate.DefaultDigits, Budget: q.Budget, Progress: q.Progress,
	}
	lines := q.Lines
	if len(lines) > 0 {
		t.Before = composed(lines)
	}
	if e, ok := t.Copied(); ok {
		lines = append(slices.Clone(lines), Line{Events: mechanism.Range{MorePrivate: e, LessPrivate: e}})
	}
	o, err := q.keeps(ctx, composed(lines), eps, delta, nil)
	if err != nil {
		return nil, err
	}
	out := &Following{Question: search}
	switch o.Verdict {
	case certify.Refuted:
		out.Full = true
	case certify.Undecided:
		out.Finding.Ended = "whether anything more fits the budget is not decided: " + o.Reason
	default:
		var none calibrate.NotEnoughError
		if out.Finding, err = calibrate.Search(ctx, search); errors.As(err, &none) {
			out.Finding.Ended, err = none.Error(), nil
		}
	}
	return out, err
}
