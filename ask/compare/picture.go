// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package compare

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/figure"
	"dpverify/internal/prose"
)

// nearest are the rows with values as a picture shows them: bounds from the best one on, and then what is no bound.
func (c *Comparison) nearest() []Row {
	rows := slices.DeleteFunc(slices.Clone(c.Rows), func(m Row) bool { return m.Reason != "" })
	slices.SortStableFunc(rows, func(a, b Row) int {
		if a.Bound != b.Bound {
			return map[bool]int{true: -1, false: 1}[a.Bound]
		}
		return a.Value.Hi().Cmp(b.Value.Hi())
	})
	return rows
}

// Draw draws a comparison as bars, in a format of package figure.
func (c *Comparison) Draw(format string) ([]byte, error) {
	written := func(e exact.Enclosure) string {
		_, hi := e.Decimal(4)
		return prose.Readable(hi)
	}
	scale := figure.Linear
	if c.Of.Symbol == DeltaSide.Symbol {
		scale = figure.Log
	}
	b := figure.Bars{
		Scale: scale,
		Title: prose.TitleOf(c.Events),
		X:     c.Of.Symbol + c.Of.Unit + " at " + c.Over.Symbol + " = " + c.Text,
		Bars: []figure.Bar{{Name: "least " + c.Of.Symbol, Value: c.Least.Hi(), Text: written(c.Least.Enclosure),
			Measure: true}},
	}
	for _, m := range c.nearest() {
		name, text := m.Title(), written(m.Value)
		d, known := m.Excess(c.Least)
		switch {
		case !m.Bound && known && c.isBelow(d):
			text += " (below the truth)"
		case !m.Bound:
			text += " (no bound)"
		case known && scale == figure.Linear && d.LessRat(big.NewRat(900, 1)) == interval.False:
			const p = interval.Prec(64)
			times := p.Add(p.Div(d, interval.Int(100)), interval.Int(1))
			text += " (" + prose.About(times) + " × the truth)"
		}
		b.Bars = append(b.Bars, figure.Bar{Name: name, Value: m.Value.Hi(), Text: text, Hollow: !m.Bound})
	}
	var out bytes.Buffer
	if err := b.Write(&out, format); err != nil {
		return nil, fmt.Errorf("there is nothing to draw: no %s is finite and above 0", c.Of.Symbol)
	}
	return out.Bytes(), nil
}
