// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"context"
	"math/big"
	"slices"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/internal/guard"
)

// binaryTests is the name of the method by which Sharpen narrows answers.
const binaryTests = "binary-tests"

// sharpenPrec is the precision of bounds by binary tests.
const sharpenPrec = interval.Prec(24)

// SharpenTradeOff narrows an answer about the trade-off function at x of the event of a table of Rényi
// divergences: what they say about binary tests bounds it from below [Zhu, Dong & Wang 2022, F]. Other
// tables are left as they are. The error is ctx's, or a bug of the engine.
func (t Table) SharpenTradeOff(ctx context.Context, a ask.Answer, x *big.Rat) (ask.Answer, error) {
	if t.Form != Renyi {
		return a, nil
	}
	y, err := guard.Within(ctx, func(ctx context.Context) (interval.Interval, error) {
		return conversion.TradeOff(t.guarantees())(ctx, sharpenPrec, x)
	})
	if err != nil {
		return a, err
	}
	return narrowed(a, interval.Bounds(y.Lo(), interval.Int(1).Hi()))
}

func (t Table) guarantees() []conversion.Guarantee {
	var gs []conversion.Guarantee
	for _, p := range t.Points {
		gs = append(gs, conversion.Guarantee{Order: p.X, Value: p.Y})
	}
	return gs
}

// narrowed intersects an answer with what is known besides.
func narrowed(a ask.Answer, y interval.Interval) (ask.Answer, error) {
	both, ok := interval.Intersect(a.Interval, y)
	if !ok {
		return a, exact.Contradiction("the engine", a.Interval, binaryTests, y)
	}
	if both.IsPoint() {
		a.Lacking = nil
	}
	if both.Lo().Cmp(a.Lo()) != 0 || both.Hi().Cmp(a.Hi()) != 0 {
		a.Interval, a.Found = both, true
		a.Methods = append(slices.Clone(a.Methods), binaryTests)
	}
	return a, nil
}
