package figure

import (
	"bytes"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

// profile is a figure whose bounds span decades, with an unknown lower bound at the
// end.
func profile() Figure {
	f := Figure{Title: "Gaussian(σ = 1)\nboth", X: "ε (nats)", Y: "δ(ε)", Log: true}
	for i := range 11 {
		x := float64(i) / 2
		f.Points = append(f.Points, Point{x, -0.4 - x*x/2 - x/10, -0.4 - x*x/2})
	}
	f.Points[10].Lo = math.Inf(-1)
	return f
}

// Every format is what it says, and SVG has the words as text.
func TestFormats(t *testing.T) {
	for _, format := range Formats {
		var b bytes.Buffer
		if err := profile().Write(&b, format); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		switch format {
		case "png":
			if _, err := png.Decode(bytes.NewReader(b.Bytes())); err != nil {
				t.Error(err)
			}
		case "pdf":
			if !strings.HasPrefix(b.String(), "%PDF-1.") || !strings.HasSuffix(strings.TrimSpace(b.String()), "%%EOF") {
				t.Errorf("pdf: %.20q…", b.String())
			}
		case "svg":
			for d := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
			for _, want := range []string{"Gaussian(σ = 1)", "ε (nats)", "δ(ε)", "upper bound", "lower bound", ">1<", ">1e-14<"} {
				if !strings.Contains(b.String(), want) {
					t.Errorf("svg lacks %q", want)
				}
			}
		}
	}
	if err := profile().Write(io.Discard, "gif"); err == nil {
		t.Error("gif is accepted")
	}
}

// The same figure is the same file.
func TestSVGIsDeterministic(t *testing.T) {
	var a, b bytes.Buffer
	if err := profile().Write(&a, "svg"); err != nil {
		t.Fatal(err)
	}
	if err := profile().Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Error("two runs differ")
	}
}

// A figure without anything to draw, or with what is no number, is an error.
func TestNothingToDraw(t *testing.T) {
	inf := math.Inf(1)
	for name, points := range map[string][]Point{
		"no points":   nil,
		"no finite y": {{1, -inf, inf}},
		"NaN":         {{1, math.NaN(), 1}},
		"infinite x":  {{inf, 0, 1}},
	} {
		if err := (Figure{Points: points}).Write(io.Discard, "svg"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// All finite bounds are inside of the axes, and infinite ones end at an edge that no
// finite one is at.
func TestRanges(t *testing.T) {
	inf := math.Inf(1)
	for _, log := range []bool{false, true} {
		for _, points := range [][]Point{
			{{0, 1, 1}},
			{{0, 0, 0}, {1, 0, 0}},
			{{0, -0.3, 0}, {1, -2.7, -1}},
			{{0, -inf, 0}, {1, -inf, -3}},
			{{1, 2, 3}, {2, 4, inf}},
			{{1, -inf, -1e5}, {2, -2e5, -1.5e5}},
		} {
			f := Figure{Log: log, Points: points}
			lo, hi, err := yRange(f.Points, f.Log)
			if err != nil || !(lo < hi) {
				t.Fatalf("%v: [%v, %v], %v", f, lo, hi, err)
			}
			for _, p := range points {
				for _, y := range []float64{p.Lo, p.Hi} {
					if !math.IsInf(y, 0) && (y < lo || y > hi) {
						t.Errorf("%v: %v is outside of [%v, %v]", f, y, lo, hi)
					}
					if math.IsInf(p.Lo, -1) && y == lo || math.IsInf(p.Hi, 1) && y == hi {
						t.Errorf("%v: the finite %v is at the edge for infinite ones", f, y)
					}
				}
			}
			if l, h := xRange(f.Points); !(l < h) {
				t.Errorf("%v: x in [%v, %v]", f, l, h)
			}
			if err := f.Write(io.Discard, "svg"); err != nil {
				t.Errorf("%v: %v", f, err)
			}
		}
	}
}

// Labels say the values of their ticks, there are enough of them and not too many.
func TestTicks(t *testing.T) {
	check := func(ticker plot.Ticker, lo, hi float64, value func(float64) float64) {
		t.Helper()
		labels := 0
		ts := ticker.Ticks(lo, hi)
		if !slices.IsSortedFunc(ts, func(a, b plot.Tick) int { return int(math.Copysign(1, a.Value-b.Value)) }) {
			t.Errorf("%T [%v, %v]: not in order", ticker, lo, hi)
		}
		for _, tick := range ts {
			if tick.Value < lo-(hi-lo)*1e-6 || tick.Value > hi+(hi-lo)*1e-6 {
				t.Errorf("%T [%v, %v]: tick at %v", ticker, lo, hi, tick.Value)
			}
			if tick.Label == "" {
				continue
			}
			labels++
			x, err := strconv.ParseFloat(tick.Label, 64)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(value(x)-tick.Value) > (hi-lo)*1e-9 {
				t.Errorf("%T [%v, %v]: %q at %v", ticker, lo, hi, tick.Label, tick.Value)
			}
		}
		if labels < 2 || labels > 11 {
			t.Errorf("%T [%v, %v]: %d labels", ticker, lo, hi, labels)
		}
	}
	same := func(x float64) float64 { return x }
	for _, r := range [][2]float64{{0, 1}, {0, 5}, {-1, 1}, {0, 7.3}, {1, 1000}, {0, 12e6}, {3.2, 3.9}, {0.0001, 0.00023}, {-1e-7, 1e-7}} {
		check(linearTicks{}, r[0], r[1], same)
	}
	for _, r := range [][2]float64{{-1, 0}, {-2, 0}, {-10, 0}, {-11, -3}, {-35, 0}, {-300, 0}, {0, 3}} {
		check(logTicks{}, r[0], r[1], math.Log10)
	}
	for _, tick := range (logTicks{}).Ticks(-400, 0) {
		if tick.Label != "" && tick.Label != power(1, int(tick.Value)) {
			t.Errorf("%q at %v", tick.Label, tick.Value)
		}
	}
}

// Both bounds are seen, also where they coincide, and the band where they do not.
func TestBothBoundsAreVisible(t *testing.T) {
	apart, together := profile(), profile()
	for i, p := range together.Points {
		together.Points[i].Lo = p.Hi
	}
	for name, f := range map[string]Figure{"apart": apart, "together": together} {
		var b bytes.Buffer
		if err := f.Write(&b, "png"); err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		pixels := make(map[color.RGBA]int)
		for y := range m.Bounds().Dy() {
			for x := range m.Bounds().Dx() {
				pixels[color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)]++
			}
		}
		// The two keys of the legend have less than 400 pixels of either colour.
		if pixels[upperColor] < 1000 || pixels[lowerColor] < 500 {
			t.Errorf("%s: %d pixels of the upper bound, %d of the lower one", name, pixels[upperColor], pixels[lowerColor])
		}
		if seen := pixels[bandColor] > 0; seen != (name == "apart") {
			t.Errorf("%s: the band is seen: %t", name, seen)
		}
	}
}

// Outlined text is shapes: no fonts, and more of them for more text.
func TestOutlinedTextHasNoFonts(t *testing.T) {
	size := func(title string) int {
		f := profile()
		f.Title = title
		var b bytes.Buffer
		if err := f.Write(&b, "pdf"); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "/FontFile") {
			t.Error("the PDF has a font")
		}
		return b.Len()
	}
	if a, b := size("ε"), size(strings.Repeat("εδσ×", 10)); b < a+500 {
		t.Errorf("%d bytes with 1 letter, %d with 40", a, b)
	}
}
