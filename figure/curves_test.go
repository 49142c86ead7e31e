package figure

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// TestCurves: every curve is drawn and named, in every format, the same each time.
func TestCurves(t *testing.T) {
	c := Curves{Title: "two", X: "x", Y: "y", LogX: true, LogY: true, Curves: []Curve{
		{"first", []Point{{0, -3, -2}, {1, -5, -4}}},
		{"second", []Point{{0, math.Inf(-1), -2}, {1.5, -9, -8}}},
	}}
	for _, format := range Formats {
		var a, b bytes.Buffer
		if err := c.Write(&a, format); err != nil {
			t.Fatal(err)
		}
		if err := c.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		if format == "svg" {
			for _, name := range []string{"first", "second", "lower bounds"} {
				if !strings.Contains(a.String(), name) {
					t.Errorf("no %q in the legend", name)
				}
			}
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Error("two drawings differ")
			}
		}
	}
	for _, bad := range []Curves{{}, {Curves: []Curve{{"none", nil}}}, {Curves: []Curve{{"infinite", []Point{{0, math.Inf(-1), math.Inf(1)}}}}}, {Curves: []Curve{{"nan", []Point{{0, math.NaN(), 1}}}}}} {
		if err := bad.Write(new(bytes.Buffer), "svg"); err == nil {
			t.Errorf("%v is drawn", bad)
		}
	}
}
