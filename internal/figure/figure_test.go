// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// gauss is a graph of a curve that spans decades.
func gauss() Graph {
	c := Curve{Name: "first", Shape: Profile}
	for i := range 11 {
		x := big.NewRat(int64(i), 2)
		y := wide.Exp(wide.Exp(wide.Rat(x)).Neg())
		c.Points = append(c.Points, Point{x, y})
	}
	return Graph{Title: "Gaussian(σ = 1)\nboth", X: Axis{Label: "ε (nats)"}, Y: Axis{Label: "δ(ε)", Scale: Log}, Curves: []Curve{c},
		Marks: []Mark{{X: interval.Int(1), Y: interval.Bounds(big.NewFloat(0.1), big.NewFloat(0.1)), Label: "your claim", Kind: "verified"}}}
}

// Every format is what it says and the same each time, and SVG has the words as text.
func TestFormats(t *testing.T) {
	two := gauss()
	two.Curves = append(two.Curves, Curve{Name: "dots", Shape: Unknown, Points: two.Curves[0].Points})
	for _, format := range Formats {
		var b, again bytes.Buffer
		if err := two.Write(&b, format); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		switch format {
		case "png":
			m, err := png.Decode(bytes.NewReader(b.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if w := m.Bounds().Dx(); w < 1300 || w > 1400 { // 18 cm at 192 dots an inch
				t.Errorf("%d pixels wide", w)
			}
		case "pdf":
			if !strings.HasPrefix(b.String(), "%PDF-1.") || !strings.HasSuffix(strings.TrimSpace(b.String()), "%%EOF") || strings.Contains(b.String(), "/FontFile") {
				t.Errorf("pdf: %.20q…", b.String())
			}
		case "svg":
			wellFormed(t, b.Bytes())
			if err := two.Write(&again, format); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
				t.Error("two runs differ")
			}
			for _, want := range []string{"Gaussian(σ = 1)", "ε (nats)", "δ(ε)", "first", "dots", "your claim", "mark verified", ">1<", ">1e-20<"} {
				if !strings.Contains(b.String(), want) {
					t.Errorf("svg lacks %q", want)
				}
			}
		}
	}
	if err := two.Write(io.Discard, "gif"); err == nil {
		t.Error("gif is accepted")
	}
	inside, err := two.SVG()
	if err != nil || strings.Contains(inside, "<style>") || strings.Contains(inside, "#") {
		t.Errorf("a picture inside of a page has colours of its own (%v)", err)
	}
	wellFormed(t, []byte(inside))
}

func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// Texts cannot act.
func TestTextsAreEscaped(t *testing.T) {
	g := gauss()
	const hostile = `<script>"'&</script>`
	g.Title, g.X.Label, g.Y.Label, g.Marks[0].Label, g.Curves[0].Name = hostile, hostile, hostile, hostile, hostile
	g.Curves = append(g.Curves, g.Curves[0])
	s, err := g.SVG()
	if err != nil || strings.Contains(s, "<script") || !strings.Contains(s, "&lt;script") {
		t.Errorf("%v: %.500s", err, s)
	}
}

// A graph without anything to draw is an error, and so is one without room.
func TestNothingToDraw(t *testing.T) {
	zero := Point{new(big.Rat), interval.Int(0)}
	one := Point{big.NewRat(1, 1), interval.Int(0)}
	for name, g := range map[string]Graph{
		"no curve":  {},
		"one point": {Curves: []Curve{{Shape: Profile, Points: []Point{zero}}}},
		"only 0":    {Y: Axis{Scale: Log}, Curves: []Curve{{Shape: Profile, Points: []Point{zero, one}}}},
		"too small": {Size: Size{40, 40}, Curves: []Curve{{Shape: Profile, Points: []Point{zero, one}}}},
	} {
		if err := g.Write(io.Discard, "svg"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Labels say the numbers at their ticks, and there are enough of them and not too many.
func TestTicks(t *testing.T) {
	check := func(s Scale, lo, hi float64, height func(float64) float64) {
		t.Helper()
		lo, hi = s.round(lo, hi)
		ts := s.ticks(lo, hi, mostTicks)
		for i, tick := range ts {
			if i > 0 && tick.at <= ts[i-1].at || tick.at < lo-(hi-lo)*1e-6 || tick.at > hi+(hi-lo)*1e-6 {
				t.Errorf("%s [%v, %v]: tick at %v", s.name(), lo, hi, tick.at)
			}
			x, err := strconv.ParseFloat(tick.label, 64)
			if err != nil {
				t.Fatal(err)
			}
			if x != 0 && math.Abs(height(x)-tick.at) > (hi-lo)*1e-9 {
				t.Errorf("%s [%v, %v]: %q at %v", s.name(), lo, hi, tick.label, tick.at)
			}
		}
		if len(ts) < 2 || len(ts) > mostTicks+1 {
			t.Errorf("%s [%v, %v]: %d labels", s.name(), lo, hi, len(ts))
		}
		if _, ok := s.(linear); ok && math.Abs(ts[len(ts)-1].at-hi) > (hi-lo)*1e-9 {
			t.Errorf("[%v, %v]: the last tick is at %v", lo, hi, ts[len(ts)-1].at)
		}
	}
	for _, r := range [][2]float64{{0, 1}, {0, 5}, {-1, 1}, {0, 7.3}, {1, 1000}, {0, 12e6}, {3.2, 3.9}, {0.0001, 0.00023}, {-1e-7, 1e-7}, {2, 2}, {0, 0}} {
		check(Linear, r[0], r[1], func(x float64) float64 { return x })
	}
	for _, r := range [][2]float64{{-1, 0}, {-2, 0}, {-10, 0}, {-11, -3}, {-35, 0}, {-300, 0}, {0, 3}, {-2.5, -2.5}, {-3, -3}} {
		check(Log, r[0], r[1], math.Log10)
	}
}

// Axes between numbers that are next to each other, or one, have their ends as ticks: steps between them would not
// move.
func TestTicksOfNeighbours(t *testing.T) {
	for _, lo := range []float64{2.7182818, -1e9, 1e300, 0.1} {
		next := math.Nextafter(lo, math.Inf(1))
		for _, hi := range []float64{lo, next, math.Nextafter(next, math.Inf(1))} {
			for _, s := range []Scale{Linear, Growth} {
				ts := s.ticks(lo, hi, mostTicks)
				if len(ts) == 0 || len(ts) > 2 || ts[0].at != lo || ts[len(ts)-1].at != hi {
					t.Errorf("%s [%v, %v]: %v", s.name(), lo, hi, ts)
				}
			}
		}
		if a, b := Ticked(lo, next, 5); !(a <= lo && next <= b) {
			t.Errorf("[%v, %v] is widened to [%v, %v]", lo, next, a, b)
		}
	}
}

// Numbers that have no height, and infinite ones, have places of their own, but not beyond the ends of a fixed axis.
func TestPlacesBeyond(t *testing.T) {
	infinite := interval.Entire().Hi()
	text := func(y Axis, ys ...interval.Interval) string {
		t.Helper()
		c := Curve{Shape: Unknown}
		for i, v := range ys {
			c.Points = append(c.Points, Point{big.NewRat(int64(i), 1), v})
		}
		s, err := Graph{Y: y, Curves: []Curve{c}}.SVG()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	half := bits.Rat(big.NewRat(1, 2))
	for _, c := range []struct {
		svg, want string
		there     bool
	}{
		{text(Axis{Scale: Log}, half, interval.Int(0)), ">0<", true},
		{text(Axis{Scale: Log}, half, interval.Int(1)), ">0<", false},
		{text(Axis{}, half, interval.Point(infinite)), ">∞<", true},
		{text(Axis{}, half, half), ">∞<", false},
		{text(Axis{Scale: Log, From: -2, To: 0}, half, interval.Int(0)), ">0<", false}, // it leaves the frame
		{text(Axis{From: 0, To: 2}, half, interval.Point(infinite)), ">∞<", false},
	} {
		if strings.Contains(c.svg, c.want) != c.there {
			t.Errorf("%q: want it to be there: %t", c.want, c.there)
		}
	}
}

// The x axis ends where it is told to, also where the last height is not a float64.
func TestTheXAxisHasNoPlacesBeyond(t *testing.T) {
	c := Curve{Shape: Rising, Points: []Point{{big.NewRat(1, 1), interval.Int(1)}, {big.NewRat(100_000, 1), interval.Int(2)}}}
	s, err := Graph{X: Axis{Scale: Log, To: math.Log10(100_000), Exact: true}, Curves: []Curve{c}}.SVG()
	if err != nil || !strings.Contains(s, ">1e5<") || strings.Contains(s, "&gt;1e5") {
		t.Errorf("%v: %s", err, s)
	}
}

// Open ends: points are added until the band is thin, at different places inside, and few of
// them do.
func TestOpenMakesBandsThin(t *testing.T) {
	testkit.SkipShort(t)
	g := gauss()
	g.Marks, g.Size = nil, Size{200, 200}
	rounds := 0
	for ; ; rounds++ {
		xs, err := g.Open(0, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(xs) == 0 {
			break
		}
		for _, x := range xs {
			for _, p := range g.Curves[0].Points {
				if p.X.Cmp(x) == 0 {
					t.Fatalf("%s is asked again", x.RatString())
				}
			}
			g.Curves[0].Points = append(g.Curves[0].Points, Point{x, wide.Exp(wide.Exp(wide.Rat(x)).Neg())})
		}
		if len(g.Curves[0].Points) > 400 {
			t.Fatal("it does not end")
		}
	}
	if rounds < 2 || len(g.Curves[0].Points) < 30 {
		t.Errorf("%d rounds, %d points", rounds, len(g.Curves[0].Points))
	}
	// What is not known better does not ask for more.
	g.Curves[0].Points = nil
	for i := range 20 {
		g.Curves[0].Points = append(g.Curves[0].Points, Point{big.NewRat(int64(i), 20), interval.Bounds(big.NewFloat(0.01), big.NewFloat(0.2))})
	}
	if xs, err := g.Open(0, 10); err != nil || len(xs) > 0 {
		t.Errorf("a wide band of constant width asks for %v (%v)", xs, err)
	}
}

// A band is refined where it is in the frame only near one end of a segment.
func TestBandsAtTheFrame(t *testing.T) {
	at := func(x, y string) Point {
		a, _ := new(big.Rat).SetString(x)
		b, _ := new(big.Rat).SetString(y)
		return Point{a, interval.Prec(64).Rat(b)}
	}
	g := Graph{X: Axis{Exact: true}, Y: Axis{Scale: Log, From: -12}, Curves: []Curve{{Shape: Profile,
		Points: []Point{at("5.24", "1.213e-12"), at("5.25", "1.15e-12"), at("6", "2e-14"), at("7", "1e-16")}}}}
	xs, err := g.Open(0, 9)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(xs, func(x *big.Rat) bool { f, _ := x.Float64(); return 5.25 < f && f < 6 }) {
		t.Errorf("new points at %v, want one between 5.25 and 6", xs)
	}
}
