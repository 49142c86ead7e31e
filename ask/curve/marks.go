// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact/interval"
	"dpverify/internal/figure"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/mechanism"
)

// marks points at the ε that each curve has at a δ, which may be nil, and adds it to the names of curves. One curve has
// no name: it is added to the mark, and may not be missing.
func marks(ctx context.Context, g ask.Goal, delta *big.Rat, all []*series) ([]figure.Mark, error) {
	if delta == nil {
		return nil, nil
	}
	const bits = interval.Prec(64)
	var out []figure.Mark
	truth := interval.Entire()
	for _, c := range all {
		if len(c.Points) < 2 {
			continue
		}
		y, err := c.epsilon(ctx, g, delta)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		_, hi, ok := y.Rationals()
		before := func(a, b figure.Point) int { return a.X.Cmp(b.X) }
		first, last := slices.MinFunc(c.Points, before).X, slices.MaxFunc(c.Points, before).X
		switch outside := !ok || hi.Cmp(first) < 0 || hi.Cmp(last) > 0; {
		case outside && len(all) == 1:
			return nil, &mechanism.ParamError{Field: "mark", Value: number.Format(delta) + ": the least ε is " +
				prose.Range(y.Decimal(max(g.Digits, 4))), Want: "one from " + number.Format(first) + " to " + number.Format(last)}
		case outside:
			continue
		}
		_, most := y.Decimal(max(g.Digits, 4) + 1)
		relation, remark := "ε ≤ ", ""
		if c.Kind == figure.NoBound {
			relation = "ε = "
		}
		if c.method == nil {
			truth = y
		} else if y.Less(truth) == interval.True { // the truth comes before what is derived for its event
			remark = ", below the truth"
		}
		m := figure.Mark{X: bits.Rat(hi), Y: bits.Rat(delta)}
		if len(all) == 1 {
			m.Label = relation + prose.Readable(most) + " at δ = " + number.Format(delta)
		} else {
			c.Name = strings.TrimPrefix(c.Name+": "+relation+prose.Readable(most)+remark, ": ")
		}
		out = append(out, m)
	}
	return out, nil
}

// epsilon encloses the ε of a curve at a δ; everything if it is not known.
func (c *series) epsilon(ctx context.Context, g ask.Goal, delta *big.Rat) (interval.Interval, error) {
	q := c.question
	q.Scale = delta
	if c.method == nil {
		g.Digits = max(g.Digits, 4)
		answers, err := ask.Range(ctx, q, c.parts[0].events, g, ask.Epsilon(delta))
		if err != nil || !answers[0].Computed {
			return interval.Entire(), err
		}
		return answers[0].Interval, nil
	}
	r, err := guard.Within(ctx, func(ctx context.Context) (derive.Result, error) {
		return c.method.Epsilon(ctx, derive.Question{Question: q, Kept: c.kept}, delta)
	})
	if err != nil {
		return interval.Entire(), ctx.Err() // what is not known is not pointed at
	}
	return r.Interval, nil
}
