// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/efforts"
	"dpverify/internal/figure"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/mechanism"
)

// A Sheet is several curves in one graph: of events, relations and directions, and of what accounting methods
// derive for them.
type Sheet struct {
	Kind
	Questions []exact.Question // what is drawn, one curve each
	// Events are what each question is asked of, and its curve holds for; nil for the event of the question.
	Events []mechanism.Range
	Names  []string // of the curves; nil for what tells the questions apart
	// Methods are those of which is added what they derive for each question, of δ over ε and over compositions.
	Methods  []derive.Method
	From, To *big.Rat // nil for the kind's own
	Mark     *big.Rat // a δ at which every curve of δ is pointed at, or nil
	Least    *big.Rat // a δ down to which all curves are shown, and not the last one only; or nil
	Count    int64    // of compositions, if they are what is drawn over
	At       *big.Rat // the δ of ε over compositions, or the ε of δ
	Points   int      // of a curve at most
	ask.Goal
	Title      string
	Size       figure.Size
	LogX, LogY bool
	Linear     bool              // never LogY, which else is chosen where a method's numbers would hide all others
	Step       func(what string) // called with what is being done, if it is not nil
}

// A Drawing is what was drawn.
type Drawing struct {
	Curve           // all answers of the engine
	Points  int     // of all curves
	Width   float64 // of the thickest band, in pixels
	Missing []string
}

// Draw computes a sheet and draws it in a format of package figure. With an error, the drawing says what is missing.
func (s Sheet) Draw(ctx context.Context, w io.Writer, format string) (d Drawing, err error) {
	d.Goal = s.Goal
	all, err := s.series()
	if err != nil {
		return d, err
	}
	limited, cancel := s.Limit(ctx)
	defer cancel()
	first, err := s.first(limited, all)
	if err != nil {
		return d, err
	}
	// A rung that the time ends is no answer: the first points have a share of the time each, the others what is left.
	// Methods that search come last.
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *series) int { return cmp.Compare(a.searches(), b.searches()) })
	for i, c := range order {
		s.step(fmt.Sprintf("curve %d of %d: %s", i+1, len(all), c.Name))
		if err := s.begin(ctx, limited, c, first); err != nil && ctx.Err() == nil && !efforts.OutOfTime(ctx, err) {
			if len(all) > 1 {
				err = fmt.Errorf("%s: %w", c.Name, err)
			}
			return d, err
		}
	}
	s.LogY = s.LogY || !s.Linear && hidden(all)
	s.refine(ctx, limited, all)
	if ctx.Err() != nil {
		return d, ctx.Err()
	}
	if lone := all[0]; len(all) == 1 && len(lone.Points) < 2 {
		lone.Points = append(lone.Points, lone.unknown...)
	}
	marks, err := marks(ctx, s.Goal, s.Mark, all)
	if err != nil {
		return d, err
	}
	g := s.graph(all)
	g.Marks = marks
	for _, c := range all {
		if len(c.Points) < 2 {
			d.Missing = append(d.Missing, strings.TrimSuffix(c.Name+": "+c.missing, ": "))
		}
		d.Values, d.Points = append(d.Values, c.answers...), d.Points+len(c.Points)
	}
	if d.Width, err = g.WriteWidth(w, format); errors.Is(err, figure.ErrNothing) || len(g.Curves) == 0 {
		err = errors.New("there is nothing to draw: " + cmp.Or(d.Lacking(), "all points are 0 or infinite, or not known"))
	}
	return d, err
}

func (s Sheet) step(what string) {
	if s.Step != nil {
		s.Step(what)
	}
}

// series lists what is drawn.
func (s Sheet) series() ([]*series, error) {
	if len(s.Methods) > 0 && s.derived == nil {
		return nil, fmt.Errorf("methods derive δ or ε, and no %s", s.Name)
	}
	var out []*series
	names := s.names()
	for _, q := range s.Questions {
		if _, _, err := exact.Orientations(q); err != nil {
			return nil, err
		}
	}
	a := asker{Goal: s.Goal, quantity: s.quantity, step: s.step}
	a.Started = time.Now()
	if s.compositions {
		a.over = s.At
	}
	for i, q := range s.Questions {
		a.Question, a.events = q, s.events(i)
		out = append(out, s.truth(a, names[i]))
		kept := new(derive.Kept)
		for _, m := range s.Methods {
			if m.Least {
				continue
			}
			name, kind := m.Name, figure.Bound
			if len(s.Questions) > 1 {
				name = names[i] + ", " + name
			}
			if !m.Bound {
				kind = figure.NoBound
			}
			c := figure.Curve{Name: name, Shape: s.shapeOf(m, s.shape), Kind: kind}
			out = append(out, &series{Curve: c, question: q, method: &m, kept: kept})
		}
	}
	return out, nil
}

// shapeOf is the shape of what a method derives, where that of the truth is given.
//
// It falls with ε and grows with every copy, but for methods that try pairs or steps. By moments of listed orders δ is
// the least of numbers whose logarithms are lines in ε; what the central limit theorem says is a Gaussian's own
// profile.
func (s Sheet) shapeOf(m derive.Method, truth figure.Shape) figure.Shape {
	switch {
	case m.Name == "kov" || m.Name == "kov-profile":
		return figure.Unknown
	case s.compositions:
		return truth
	}
	switch m.Name {
	case "moments-accountant", "rdp-mironov", "rdp-cks":
		return figure.LogConcave
	case "gdp-clt":
		return figure.Profile
	}
	return figure.Falling
}

// events are what the i-th question is asked of.
func (s Sheet) events(i int) mechanism.Range {
	r := Request{Question: s.Questions[i]}
	if i < len(s.Events) {
		r.Events = s.Events[i]
	}
	return r.events()
}

// A trait is what questions may differ in, of each of them.
type trait []string

// differs reports that not all questions have the same.
func (t trait) differs() bool {
	return slices.ContainsFunc(t, func(s string) bool { return s != t[0] })
}

// traits are the events, the relations and the directions of the questions.
func (s Sheet) traits() (out [3]trait) {
	for i, q := range s.Questions {
		direction := "both directions"
		if q.Direction != mechanism.Both {
			direction = "direction " + q.Direction.String()
		}
		for k, text := range []string{prose.TitleOf(s.events(i)), q.Relation.String(), direction} {
			out[k] = append(out[k], text)
		}
	}
	return out
}

// Heading says what all curves have in common, if they are of one event: a title.
func (s Sheet) Heading() string {
	traits := s.traits()
	if len(s.Questions) == 0 || traits[0].differs() {
		return ""
	}
	var common []string
	for _, t := range traits[1:] {
		if !t.differs() {
			common = append(common, t[0])
		}
	}
	count := ""
	if s.compositions {
		count = "k × "
	}
	return strings.TrimSuffix(count+traits[0][0]+"\n"+strings.Join(common, ", "), "\n")
}

// names tells questions apart, by what they differ in.
func (s Sheet) names() []string {
	traits := s.traits()
	out := make([]string, len(s.Questions))
	for i := range s.Questions {
		if i < len(s.Names) {
			out[i] = s.Names[i]
			continue
		}
		var words []string
		for _, t := range traits {
			if t.differs() {
				words = append(words, t[i])
			}
		}
		out[i] = strings.Join(words, ", ")
		if out[i] == "" {
			out[i] = map[bool]string{true: "the truth", false: traits[0][i]}[len(s.Methods) > 0]
		}
	}
	return out
}

// first returns the points to begin with.
func (s *Sheet) first(ctx context.Context, all []*series) ([]*big.Rat, error) {
	if s.compositions {
		return geometric(s.Count, min(s.Points, firstDrawn)), nil
	}
	if s.From == nil && s.from != "" {
		s.From, _ = number.Parse(s.from)
	}
	for _, c := range all {
		if s.Name != "delta" || s.To == nil || c.method != nil {
			continue
		}
		var err error
		if c.parts[0].Scale, err = scaleAt(ctx, c.question, s.To); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	if s.To == nil && s.to != "" {
		s.To, _ = number.Parse(s.to)
	}
	for i, q := range s.Questions {
		if s.To != nil && s.From != nil {
			break
		}
		r := Request{Question: q, Events: s.events(i), Goal: s.Goal, From: s.From}
		if r.From == nil {
			r.From = new(big.Rat)
		}
		end, err := r.end(ctx)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		_, top := figure.Ticked(number.Float64(r.From), number.Float64(end), 9)
		s.To = shortest(top)
	}
	if s.From == nil { // losses are on both sides of 0
		s.From = new(big.Rat).Neg(s.To)
	}
	if s.To.Cmp(s.From) <= 0 {
		return nil, fmt.Errorf("the range from %s to %s is empty", number.Format(s.From), number.Format(s.To))
	}
	if err := drawable(s.From, s.To); err != nil {
		return nil, err
	}
	n := min(s.Points, firstDrawn)
	if s.quantity == nil {
		n = s.Points
	}
	return spaced(s.From, s.To, max(n, 2)), nil
}

// searchTime is how long the first points of a method may take that searches, beside other methods.
const searchTime = 3 * time.Second

// begin adds the first points to a curve.
func (s Sheet) begin(ctx, limited context.Context, c *series, at []*big.Rat) error {
	if c.searches() == 0 || len(s.Methods) == 1 {
		return s.enclose(ctx, limited, c, at)
	}
	short, cancel := context.WithTimeout(limited, searchTime)
	defer cancel()
	err := s.enclose(ctx, short, c, at)
	if err != nil && short.Err() != nil && limited.Err() == nil {
		c.missing = fmt.Sprintf("not searched further after %v; as the only method it has all the time", searchTime)
		return nil
	}
	return err
}

// enclose adds points to a curve: by a method until limited ends, and else as far as the budget goes.
func (s Sheet) enclose(ctx, limited context.Context, c *series, at []*big.Rat) error {
	switch {
	case c.method != nil:
		return s.derive(limited, c, at)
	case s.quantity == nil:
		return c.density(ctx, at)
	}
	parts := make([][]ask.Answer, len(at)) // of each point
	var err error
	for _, p := range c.parts {
		var answers []ask.Answer
		answers, err = p.at(ctx, at)
		for i, a := range answers {
			parts[i] = append(parts[i], a)
		}
		if err != nil {
			break
		}
	}
	for i, x := range at {
		if len(parts[i]) == len(c.parts) {
			c.add(s.Kind, x, parts[i])
		}
	}
	return err
}

// derive adds what a method derives.
func (s Sheet) derive(ctx context.Context, c *series, at []*big.Rat) error {
	for _, x := range at {
		q, y := derive.Question{Question: c.question, Kept: c.kept}, x
		if s.compositions {
			q.Question.Event = mechanism.SelfComposed{Event: c.question.Event, Count: x.Num().Int64()}
			q.Kept, y = nil, s.At
		}
		r, err := guard.Within(ctx, func(ctx context.Context) (derive.Result, error) {
			return s.derived(*c.method, ctx, q, y)
		})
		var not derive.NotModelledError
		switch {
		case errors.As(err, &not):
			c.missing = string(not)
			return nil
		case err != nil:
			return err
		}
		c.Points = append(c.Points, figure.Point{X: x, Y: r.Interval})
	}
	return nil
}

// refine adds points where bands are thick, for as long as there is time.
func (s Sheet) refine(ctx, limited context.Context, all []*series) {
	for limited.Err() == nil {
		g := s.graph(all)
		more := false
		i := -1
		for _, c := range all {
			if len(c.Points) < 2 {
				continue
			}
			i++
			if c.missing != "" || len(c.Points) >= s.Points {
				continue
			}
			xs, err := g.Open(i, s.Points-len(c.Points))
			if err != nil || len(xs) == 0 {
				continue
			}
			more = true
			if err := s.enclose(ctx, limited, c, xs); err != nil {
				c.missing = err.Error() // as far as it is known, it is drawn
			}
		}
		if !more || ctx.Err() != nil {
			return
		}
	}
}

// graph is the picture of curves, but for those with no points.
func (s Sheet) graph(all []*series) figure.Graph {
	g := figure.Graph{Title: s.Title, Size: s.Size, X: figure.Axis{Label: s.x, Exact: true}, Y: figure.Axis{Label: s.y}}
	if s.At != nil {
		g.Y.Label += number.Format(s.At)
	}
	if s.LogY {
		g.Y.Scale = figure.Log
	}
	if s.LogX {
		g.X.Scale = figure.Log
	}
	if s.compositions {
		g.X.To = float64(s.Count)
		if s.LogX {
			g.X.To = math.Log10(float64(s.Count))
		}
	}
	for _, c := range all {
		if len(c.Points) >= 2 {
			g.Curves = append(g.Curves, c.Curve)
		}
		if len(all) == 1 && len(g.Curves) == 1 && len(s.Names) == 0 {
			g.Curves[0].Name = ""
		}
	}
	if s.Name == "delta" && s.LogY {
		g.Y.From, g.Y.To = s.shown(all)
	}
	return g
}

// hidden reports that the truth would be a line next to 0 beside a curve of numbers that are so much greater, and that
// all numbers have a logarithm.
func hidden(all []*series) bool {
	const times = 30
	truth, most := 0.0, 0.0
	for _, c := range all {
		for _, p := range c.Points {
			if p.Y.Positive() != interval.True {
				return false
			}
			y, _ := p.Y.Hi().Float64()
			if most = max(most, y); c.method == nil {
				truth = max(truth, y)
			}
		}
	}
	return most > times*truth
}

// shown is log10 of the least and of the greatest δ that a graph shows: from where the last of the true curves that are
// positive leaves the range of ε, or all have, and below a mark, up to where a true curve begins.
func (s Sheet) shown(all []*series) (lo, hi float64) {
	first, last, least := math.MinInt, math.MinInt, math.MaxInt
	magnitude := func(p figure.Point) int {
		if x, ok := p.Y.UpperRat(); ok && x.Sign() > 0 {
			return number.Magnitude(x)
		}
		return math.MinInt
	}
	before := func(a, b figure.Point) int { return a.X.Cmp(b.X) }
	for _, c := range all {
		if c.method != nil || len(c.Points) < 2 {
			continue
		}
		first = max(first, magnitude(slices.MinFunc(c.Points, before)))
		end := magnitude(slices.MaxFunc(c.Points, before))
		last, least = max(last, end), min(least, end)
	}
	if last == math.MinInt {
		last = number.Magnitude(leastDelta)
	}
	if s.Least != nil {
		last = max(least, number.Magnitude(s.Least))
	}
	if s.Mark != nil {
		last = min(last, number.Magnitude(s.Mark)-1)
	}
	top := min(0, first+1)
	if first == math.MinInt {
		top = 0
	}
	return float64(min(last, top-1)), float64(top)
}

// NewSheet returns an empty sheet of a kind of [Drawable]; or, where one of delta and epsilon is not nil, of ε at that
// δ over compositions, or of δ at that ε.
func NewSheet(of string, delta, epsilon *big.Rat) Sheet {
	at := delta
	switch {
	case delta != nil:
		of = "epsilon-compositions"
	case epsilon != nil:
		of, at = "delta-compositions", epsilon
	}
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == of })
	if i < 0 {
		panic("curve: internal error: no kind is called " + of)
	}
	return Sheet{Kind: kinds[i], LogY: kinds[i].logY, At: at}
}
