// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/drawn"
	"dpverify/internal/figure"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func gaussian(sigma string) exact.Question {
	return exact.Question{Event: mechanism.Gaussian{NoiseMultiplier: testkit.Rat(sigma)}}
}

// sheet returns a sheet of a kind, with few points.
func sheet(t *testing.T, name string, qs ...exact.Question) Sheet {
	t.Helper()
	s := NewSheet(name, nil, nil)
	s.Questions, s.Points, s.Goal = qs, 12, ask.Goal{Digits: 3, Budget: time.Minute}
	return s
}

func (s Sheet) drawn(t *testing.T) ([]drawn.Curve, []string) {
	t.Helper()
	var b bytes.Buffer
	d, err := s.Draw(t.Context(), &b, "svg")
	if err != nil {
		t.Fatal(s.Name, err)
	}
	cs, err := drawn.Read(b.Bytes())
	if err != nil {
		t.Fatal(s.Name, err)
	}
	return cs, d.Missing
}

// TestOneCurve has more points where the band is thick, no name, and a mark, which is an error beyond the curve; of a
// range of events it holds for both ends, and says so.
func TestOneCurve(t *testing.T) {
	s := sheet(t, "delta", gaussian("1"))
	s.To, s.Points, s.Mark = big.NewRat(5, 1), 30, big.NewRat(1, 1000)
	var b bytes.Buffer
	d, err := s.Draw(t.Context(), &b, "svg")
	if svg := b.String(); err != nil || !strings.Contains(svg, "at δ = 0.001") || strings.Contains(svg, "Gaussian") {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
	if d.Points <= firstDrawn || len(d.Values) != d.Points || len(d.Methods()) == 0 || d.Lacking() != "" {
		t.Errorf("%d points, %d answers by %q, %s", d.Points, len(d.Values), d.Methods(), d.Lacking())
	}
	s.Mark = big.NewRat(1, 1_000_000_000)
	var fault *mechanism.ParamError
	if _, err := s.Draw(t.Context(), &b, "svg"); !errors.As(err, &fault) || fault.Field != "mark" {
		t.Errorf("a mark beyond the curve: %v", err)
	}
	s.Events = []mechanism.Range{{MorePrivate: s.Questions[0].Event, LessPrivate: gaussian("1/2").Event,
		Rounded: []string{"event"}}}
	s.Mark, s.LogY = nil, false
	b.Reset()
	if d, err = s.Draw(t.Context(), &b, "svg"); err != nil || len(d.Notes()) == 0 {
		t.Fatal(err, d.Notes())
	}
	cs, err := drawn.Read(b.Bytes())
	if err != nil || len(cs) != 1 {
		t.Fatal(len(cs), err)
	}
	for _, end := range []mechanism.Event{s.Events[0].MorePrivate, s.Events[0].LessPrivate} {
		as, err := ask.For(t.Context(), exact.Question{Event: end}, ask.Goal{Digits: 8}, ask.Delta(big.NewRat(1, 1)))
		lower, upper, ok := cs[0].At(cs[0].X.Coordinate(big.NewRat(1, 1)))
		if y := as[0].Interval; err != nil || !ok || y.LessRat(lower.Height) == interval.True ||
			y.LessEqRat(upper.Height) == interval.False {
			t.Errorf("δ(1) of %v in %s, drawn between %v and %v: %v", end, y, lower.Height, upper.Height, err)
		}
	}
}

// TestSheetsContainTheTruth: of each kind that has a value at a point, what is enclosed there is inside of the
// band that the file has, for each of two curves.
func TestSheetsContainTheTruth(t *testing.T) {
	testkit.SkipShort(t)
	third, ten := big.NewRat(1, 3), big.NewRat(10, 1)
	for _, c := range []struct {
		kind   string
		edit   func(*Sheet)
		at     *big.Rat
		answer func(q exact.Question) ask.Quantity
		one    bool // 1 − the answer is drawn
	}{
		{kind: "delta", edit: func(s *Sheet) { s.To, s.LogY = ten, false }, at: third},
		{kind: "renyi", at: ten},
		{kind: "tradeoff", at: third},
		{kind: "roc", at: third, one: true},
		{kind: "delta-compositions", edit: func(s *Sheet) { s.Count, s.At, s.LogY = 20, third, false }, at: ten},
		{kind: "epsilon-compositions", edit: func(s *Sheet) { s.Count, s.At = 20, third }, at: ten},
	} {
		s := sheet(t, c.kind, gaussian("1"), gaussian("2"))
		if c.edit != nil {
			c.edit(&s)
		}
		curves, missing := s.drawn(t)
		if len(curves) != 2 || len(missing) > 0 {
			t.Fatalf("%s: %d curves, missing %q", c.kind, len(curves), missing)
		}
		for i, q := range s.Questions {
			at := c.at
			if s.compositions {
				q.Event, at = mechanism.SelfComposed{Event: q.Event, Count: c.at.Num().Int64()}, s.At
			}
			as, err := ask.For(t.Context(), q, ask.Goal{Digits: 8}, s.quantity(at))
			if err != nil {
				t.Fatal(err)
			}
			y := as[0].Interval
			if c.one {
				y = interval.Prec(64).Sub(interval.Int(1), y)
			}
			lower, upper, ok := curves[i].At(curves[i].X.Coordinate(c.at))
			if !ok || y.LessRat(lower.Height) == interval.True || y.LessEqRat(upper.Height) == interval.False {
				t.Errorf("%s: %s at %s, drawn between %v and %v (%v)", c.kind, y, c.at, lower.Height, upper.Height, ok)
			}
		}
	}
}

// TestTradeOffsOfBothDirections: the least of two convex functions is drawn with few points, and is that of the answers.
func TestTradeOffsOfBothDirections(t *testing.T) {
	q := exact.Question{Event: mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 4), Event: gaussian("1").Event}}
	for _, kind := range []string{"tradeoff", "roc"} {
		s := sheet(t, kind, q)
		s.Points = 60
		var b bytes.Buffer
		if d, err := s.Draw(t.Context(), &b, "svg"); err != nil || d.Width > 2 {
			t.Fatalf("%s: %v pixels, %v", kind, d.Width, err)
		}
		curves, err := drawn.Read(b.Bytes())
		if err != nil || len(curves) != 1 {
			t.Fatal(kind, len(curves), err)
		}
		for _, x := range testkit.Few(2, []string{"1/10", "4/9", "1/2", "7/8"}) { // also where none of them was asked
			at := testkit.Rat(x)
			as, err := ask.For(t.Context(), q, ask.Goal{Digits: 8}, s.quantity(at))
			if err != nil {
				t.Fatal(err)
			}
			y := as[0].Interval
			if kind == "roc" {
				y = interval.Prec(64).Sub(interval.Int(1), y)
			}
			lower, upper, ok := curves[0].At(curves[0].X.Coordinate(at))
			if !ok || y.LessRat(lower.Height) == interval.True || y.LessEqRat(upper.Height) == interval.False {
				t.Errorf("%s: %s at %s, drawn between %v and %v (%v)", kind, y, x, lower.Height, upper.Height, ok)
			}
		}
	}
}

// TestHiddenTruths: a truth is hidden by a method with 40 times its numbers, and not by one with 20 times, by nothing
// beside it, or where a logarithm is missing.
func TestHiddenTruths(t *testing.T) {
	curve := func(m *derive.Method, ys ...int64) *series {
		c := &series{method: m}
		for i, y := range ys {
			c.Points = append(c.Points, figure.Point{X: big.NewRat(int64(i), 1), Y: interval.Int(y)})
		}
		return c
	}
	m := &derive.Methods[0]
	for i, all := range [][]*series{
		{curve(nil, 1, 3), curve(m, 2, 120)},
		{curve(nil, 1, 3), curve(m, 2, 60)},
		{curve(nil, 1, 3), curve(nil, 2, 120)},
		{curve(nil, 0, 3), curve(m, 2, 120)},
		{},
	} {
		if got := hidden(all); got != (i == 0) {
			t.Errorf("%d: hidden: %v", i, got)
		}
	}
}

// TestDensityOfLosses: the loss of a Gaussian is normal, and the mass of each cell is enclosed with two digits.
func TestDensityOfLosses(t *testing.T) {
	s := sheet(t, "loss", gaussian("1"))
	s.From, s.To, s.Points = testkit.Rat("-2"), testkit.Rat("3"), 11
	all, err := s.series()
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.first(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.enclose(t.Context(), t.Context(), all[0], at); err != nil {
		t.Fatal(err)
	}
	const w = interval.Prec(100)
	cdf := func(x *big.Rat) interval.Interval { return w.NormalCDF(w.Sub(w.Rat(x), w.Rat(big.NewRat(1, 2)))) }
	for i, p := range all[0].Points[:10] {
		b := at[i+1]
		want := w.Div(w.Sub(cdf(b), cdf(p.X)), w.Rat(new(big.Rat).Sub(b, p.X)))
		if !p.Y.Encloses(want) || p.Y.RelativeBits(64) < 7 {
			t.Errorf("mean density in %s from %s, want %s", p.Y, p.X, want)
		}
	}
	// The greatest of two profiles is the loss of no pair.
	q := exact.Question{Event: mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 2), Event: gaussian("1").Event}}
	if _, err := sheet(t, "loss", q).Draw(t.Context(), new(bytes.Buffer), "svg"); err == nil || !strings.Contains(err.Error(), "want one --direction") {
		t.Error(err)
	}
}

// TestNamesTellApart: what differs, and nothing else; names that were given come first.
func TestNamesTellApart(t *testing.T) {
	a, b := gaussian("1"), gaussian("1")
	b.Direction = mechanism.Add
	s := sheet(t, "delta", a, b)
	if got := s.names(); !slices.Equal(got, []string{"both directions", "direction add"}) {
		t.Errorf("%q", got)
	}
	s.Names = []string{"mine"}
	if got := s.names(); !slices.Equal(got, []string{"mine", "direction add"}) {
		t.Errorf("%q", got)
	}
	if got := s.Heading(); got != "Gaussian(noise_multiplier = 1)\nADD_OR_REMOVE_ONE" {
		t.Errorf("%q", got)
	}
	s.Names, s.Events = nil, []mechanism.Range{{LessPrivate: a.Event, Written: "gaussian(1)"}, {LessPrivate: b.Event, Written: "gaussian(1) * 2"}}
	if got := s.names(); s.Heading() != "" || !slices.Equal(got, []string{"gaussian(1), both directions", "gaussian(1) * 2, direction add"}) {
		t.Errorf("%q, %q", got, s.Heading())
	}
	if got := sheet(t, "delta", a).names(); !slices.Equal(got, []string{"Gaussian(noise_multiplier = 1)"}) {
		t.Errorf("%q", got)
	}
}

// TestMethodsOfASheet: each is drawn or said to be missing, above the least; of other quantities there are none.
func TestMethodsOfASheet(t *testing.T) {
	s := sheet(t, "delta", exact.Question{Event: mechanism.SelfComposed{Event: mechanism.Laplace{NoiseMultiplier: testkit.Rat("10")}, Count: 5}})
	s.Methods, s.To, s.LogY = derive.Methods, testkit.Rat("1/2"), false
	s.Points = 3
	curves, missing := s.drawn(t)
	if len(curves)+len(missing) < 13 || len(curves) < 9 {
		t.Fatalf("%d curves, missing %q", len(curves), missing)
	}
	s = sheet(t, "renyi", gaussian("1"))
	s.Methods = derive.Methods
	if _, err := s.Draw(t.Context(), new(bytes.Buffer), "svg"); err == nil {
		t.Error("methods derive Rényi divergences")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sheet(t, "delta", gaussian("1")).Draw(ctx, new(bytes.Buffer), "svg"); err == nil {
		t.Error("an interrupted sheet is drawn")
	}
}
