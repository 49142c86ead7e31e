package figure

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

var someBars = Bars{Title: "a comparison", X: "ε", Bars: []Bar{
	{Name: "least", Value: 1.9, Measure: true}, {Name: "basic", Value: math.Inf(1)}, {Name: "advanced", Value: 2.6},
}}

// TestBars: every format, deterministic, with the name of every bar.
func TestBars(t *testing.T) {
	for _, format := range Formats {
		var a, b bytes.Buffer
		if err := someBars.Write(&a, format); err != nil || a.Len() == 0 {
			t.Errorf("%s: %v", format, err)
		}
		if err := someBars.Write(&b, format); err != nil || format == "svg" && !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s is not deterministic: %v", format, err)
		}
		if format == "svg" {
			for _, x := range someBars.Bars {
				if !strings.Contains(a.String(), x.Name) {
					t.Errorf("no %q", x.Name)
				}
			}
		}
	}
	if err := someBars.Write(&bytes.Buffer{}, "gif"); err == nil {
		t.Error("an unknown format is written")
	}
	if err := (Bars{Bars: someBars.Bars[1:2]}).Write(&bytes.Buffer{}, "svg"); err == nil {
		t.Error("bars without a number are written")
	}
}
