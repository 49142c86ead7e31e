// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package compare

import (
	"bytes"
	"fmt"

	"dpverify/exact"
	"dpverify/internal/figure"
	"dpverify/internal/prose"
)

// Draw draws a comparison as bars, in a format of package figure.
func (c *Comparison) Draw(format string) ([]byte, error) {
	written := func(e exact.Enclosure) string {
		_, hi := e.Decimal(4)
		return prose.Readable(hi)
	}
	b := figure.Bars{
		Title: prose.Title(c.Event),
		X:     c.Of.Symbol + c.Of.Unit + " at " + c.Over.Symbol + " = " + c.Text,
		Bars:  []figure.Bar{{Name: "least " + c.Of.Symbol, Value: c.Least.Hi(), Text: written(c.Least.Enclosure), Measure: true}},
	}
	for _, m := range c.Rows {
		if m.Reason != "" {
			continue
		}
		name := m.Title()
		if !m.Bound {
			name += " (not a bound)"
		}
		b.Bars = append(b.Bars, figure.Bar{Name: name, Value: m.Value.Hi(), Text: written(m.Value), Hollow: !m.Bound})
	}
	var out bytes.Buffer
	if err := b.Write(&out, format); err != nil {
		return nil, fmt.Errorf("there is nothing to draw: no %s is finite and above 0", c.Of.Symbol)
	}
	return out.Bytes(), nil
}
