// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"bytes"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
)

var someBars = Bars{Title: "a comparison", X: "ε", Bars: []Bar{
	{Name: "least", Value: big.NewFloat(1.9), Text: "1.901", Measure: true},
	{Name: "basic", Value: new(big.Float).SetInf(false), Text: "∞"},
	{Name: "advanced", Value: big.NewFloat(2.6), Text: "2.6"},
	{Name: "estimate", Value: big.NewFloat(1.8), Text: "1.8", Hollow: true},
}}

// TestBars: every format, deterministic, with the name and the number of every bar; what is
// no bound looks different, and the last tick is beyond all bars.
func TestBars(t *testing.T) {
	for _, format := range Formats {
		var a, b bytes.Buffer
		if err := someBars.Write(&a, format); err != nil || a.Len() == 0 {
			t.Errorf("%s: %v", format, err)
		}
		if err := someBars.Write(&b, format); err != nil || format == "svg" && !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s is not deterministic: %v", format, err)
		}
		if format != "svg" {
			continue
		}
		wellFormed(t, a.Bytes())
		for _, x := range someBars.Bars {
			if !strings.Contains(a.String(), ">"+x.Name+"<") || !strings.Contains(a.String(), ">"+x.Text+"<") {
				t.Errorf("no %q with %q", x.Name, x.Text)
			}
		}
		for _, want := range []string{"dashed", ">3.0<"} {
			if !strings.Contains(a.String(), want) {
				t.Errorf("no %q", want)
			}
		}
	}
	// One bar is not so long that the others are not seen: what is far away is a number, and the axis is short.
	far := someBars
	far.Bars = append(slices.Clone(far.Bars), Bar{Name: "far", Value: big.NewFloat(265), Text: "265"})
	var near, all bytes.Buffer
	if err := errors.Join(someBars.Write(&near, "svg"), far.Write(&all, "svg")); err != nil {
		t.Fatal(err)
	}
	bars := func(svg string) int { return strings.Count(svg, "<polygon class=\"band c0\"") }
	if !strings.Contains(all.String(), ">265<") || !strings.Contains(all.String(), ">3.0<") || bars(all.String()) != bars(near.String()) {
		t.Errorf("a bar of 265 beside one of 1.9: %d bars and %d", bars(near.String()), bars(all.String()))
	}
	far.Scale = Log
	all.Reset()
	if err := far.Write(&all, "svg"); err != nil || bars(all.String()) != bars(near.String())+1 {
		t.Errorf("%d bars with a logarithmic axis, %v", bars(all.String()), err)
	}
	if err := someBars.Write(&bytes.Buffer{}, "gif"); err == nil {
		t.Error("an unknown format is written")
	}
	if err := (Bars{Bars: someBars.Bars[1:2]}).Write(&bytes.Buffer{}, "svg"); err == nil {
		t.Error("bars without a number are written")
	}
}
