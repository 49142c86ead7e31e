// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The sizes of texts, and distances, in points.
const (
	titleSize = 11.0
	labelSize = 10.0
	tickSize  = 9.0

	margin = 8 * unit
	line   = 15 * unit // from one line of text to the next
	keyGap = 14 * unit // between two keys of a legend
	key    = 16 * unit // the line of a key
)

// A box is where curves are drawn.
type box struct{ left, right, bottom, top int }

// A plan is a graph with everything in its place.
type plan struct {
	size   spot
	curves []Curve
	legend [][]int // rows of curves
	box    box
	x, y   side
	xs, ys []label
}

// plan lays a graph out: from the top the title, the legend, the name of the y axis, the
// curves, and the x axis with its name.
func (g Graph) plan() (*plan, error) {
	cs, err := g.sorted()
	if err != nil {
		return nil, err
	}
	p := &plan{size: g.Size.hundredths(), curves: cs}
	p.box = box{margin, p.size.x - 2*margin, margin + line + 2*unit + line, p.size.y - margin}
	if g.Title != "" {
		p.box.top -= line * (1 + strings.Count(g.Title, "\n"))
	}
	if len(cs) > 1 {
		p.legend = rows(cs, p.box.right-p.box.left)
		p.box.top -= line * len(p.legend)
	}
	p.box.top -= line + 4*unit
	// The names of ticks decide how wide the left margin is.
	if p.x, p.y, err = g.sides(cs, p.box); err != nil {
		return nil, err
	}
	p.ys = p.y.ticks(max(2, min(mostTicks, (p.box.top-p.box.bottom)/(2*line))))
	widest := 0
	for _, t := range p.ys {
		widest = max(widest, textWidth(t.text, tickSize))
	}
	p.box.left += widest + 6*unit
	if p.box.right-p.box.left < 4*line || p.box.top-p.box.bottom < 4*line {
		return nil, fmt.Errorf("figure: %g by %g points is too small for this graph", float64(p.size.x)/unit, float64(p.size.y)/unit)
	}
	if p.x, p.y, err = g.sides(cs, p.box); err != nil {
		return nil, err
	}
	p.xs = p.x.ticks(max(2, min(mostTicks+2, (p.box.right-p.box.left)/(3*line))))
	return p, nil
}

// sides lays the axes of curves out in a box.
func (g Graph) sides(cs []Curve, b box) (x, y side, err error) {
	xs, ys := newSpan(), newSpan()
	for _, c := range cs {
		for _, p := range c.Points {
			xs.show(g.X.scale(), bits.Rat(p.X))
			ys.show(g.Y.scale(), p.Y)
		}
	}
	for _, m := range g.Marks {
		xs.show(g.X.scale(), m.X)
		ys.show(g.Y.scale(), m.Y)
	}
	// No places beyond the ends of the x axis: what is drawn at its ends is there.
	xs.below, xs.above = false, false
	if g.X.From != g.X.To {
		xs.lo, xs.hi = g.X.From, g.X.To
	}
	if x, err = g.X.side(xs, b.left, b.right); err != nil {
		return x, y, err
	}
	y, err = g.Y.side(ys, b.bottom, b.top)
	return x, y, err
}

// rows distributes the keys of a legend over rows.
func rows(cs []Curve, width int) [][]int {
	var out [][]int
	used := width
	for i, c := range cs {
		w := keyWidth(c)
		if used+w > width {
			out, used = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], i)
		used += w
	}
	return out
}

// keyWidth has an eighth of the text to spare: a viewer of an SVG may lack the font, and take a wider one.
func keyWidth(c Curve) int { return key + 4*unit + textWidth(c.Name, labelSize)*9/8 + keyGap }

// draw draws a graph.
func (g Graph) draw(c canvas) error {
	p, err := g.plan()
	if err != nil {
		return err
	}
	p.header(c, g)
	p.axes(c, g)
	var bands []*band
	for i, s := range p.curves {
		c.group("curve", "data-x", p.x.data(0, 1), "data-y", p.y.data(p.size.y, -1), "data-name", s.Name)
		if b := trace(s, p.x, p.y); b != nil {
			bands = append(bands, b)
			b.draw(c, i)
		} else {
			scatter(c, i, s, p.x, p.y)
		}
		c.end()
	}
	c.shape(axis, []spot{{p.box.left, p.box.top}, {p.box.left, p.box.bottom}, {p.box.right, p.box.bottom}})
	for _, m := range g.Marks {
		p.mark(c, m, bands)
	}
	return nil
}

// header writes what is above the curves.
func (p *plan) header(c canvas, g Graph) {
	y := p.size.y - margin - 10*unit
	if g.Title != "" {
		for i, s := range strings.Split(g.Title, "\n") {
			look, size := ink, titleSize
			if i > 0 {
				look, size = faint, tickSize
			}
			c.text(look, spot{margin, y}, start, size, fit(s, size, p.size.x-2*margin))
			y -= line
		}
	}
	for _, row := range p.legend {
		x := margin
		for _, i := range row {
			at := y + 3*unit
			c.shape(bandOf(i), box{x, x + key, at - 3*unit, at + 3*unit}.corners())
			c.shape(lineOf(i), []spot{{x, at + 3*unit}, {x + key, at + 3*unit}})
			c.shape(lineOf(i), []spot{{x, at - 3*unit}, {x + key, at - 3*unit}})
			c.text(ink, spot{x + key + 4*unit, y}, start, labelSize, p.curves[i].Name)
			x += keyWidth(p.curves[i])
		}
		y -= line
	}
	c.text(ink, spot{margin, y}, start, labelSize, g.Y.Label)
}

// axes draws ticks, lines of the grid, and the name of the x axis.
func (p *plan) axes(c canvas, g Graph) {
	b := p.box
	for _, t := range p.ys {
		c.shape(grid, []spot{{b.left, t.at}, {b.right, t.at}})
		c.text(faint, spot{b.left - 5*unit, t.at - 3*unit}, end, tickSize, t.text)
	}
	for _, t := range p.xs {
		c.shape(grid, []spot{{t.at, b.bottom}, {t.at, b.top}})
		c.text(faint, spot{t.at, b.bottom - 13*unit}, middle, tickSize, t.text)
	}
	c.text(ink, spot{(b.left + b.right) / 2, margin}, middle, labelSize, g.X.Label)
}

// data describes an axis for readers of the file: the function from numbers to heights,
// the heights at two places, and those places as the file has them.
func (s side) data(origin, sign int) string {
	return fmt.Sprintf("%s %g %g %s %s", s.scale.name(), s.from, s.to, hundredths(origin+sign*s.at), hundredths(origin+sign*s.end))
}

// draw draws a band: filled, and its outline. A thin band looks like a line.
func (b *band) draw(c canvas, i int) {
	back := slices.Clone(b.lower)
	slices.Reverse(back)
	c.shape(bandOf(i), slices.Concat(b.upper, back))
	c.shape(lineOf(i), b.upper)
	c.shape(lineOf(i), b.lower)
}

// scatter draws points without lines between them: a dot at the upper bound, and a bar down
// to the lower one.
func scatter(c canvas, i int, s Curve, x, y side) {
	for _, p := range s.Points {
		at := x.near(bits.Rat(p.X))
		c.shape(lineOf(i), []spot{{at, y.lower(p.Y.Lo())}, {at, y.upper(p.Y.Hi())}})
		c.shape(fillOf(i), disc(spot{at, y.near(p.Y)}, 2*unit))
	}
}

// mark draws a place with lines to the axes, and its label where no curve is.
func (p *plan) mark(c canvas, m Mark, bands []*band) {
	at := spot{p.x.near(m.X), p.y.near(m.Y)}
	c.group("mark")
	c.shape(guide, []spot{{p.box.left, at.y}, at, {at.x, p.box.bottom}})
	c.shape(paper, disc(at, 5*unit))
	c.shape(markOf(m.Kind), disc(at, 7*unit/2))
	b := p.free(at, textWidth(m.Label, labelSize), bands)
	c.shape(paper, b.corners())
	c.text(markOf(m.Kind), spot{b.left + 2*unit, b.bottom + 3*unit}, start, labelSize, m.Label)
	c.end()
}

// free returns a box for a text of some width beside a spot: inside of the curves' box, and
// if there is one where no curve is.
func (p *plan) free(at spot, width int, bands []*band) box {
	const height, away = 12 * unit, 6 * unit
	width += width/6 + 4*unit // a reader's font may be wider
	first := box{}
	for raise := 0; raise < 12; raise++ {
		for _, corner := range []spot{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}} {
			b := box{at.x + away, at.x + away + width, at.y + away/3 + raise*away, at.y + away/3 + height + raise*away}
			if corner.x < 0 {
				b.left, b.right = at.x-away-width, at.x-away
			}
			if corner.y < 0 {
				b.bottom, b.top = 2*at.y-b.top, 2*at.y-b.bottom
			}
			if b.left < p.box.left || b.right > p.size.x-margin/2 || b.bottom < p.box.bottom || b.top > p.box.top {
				continue
			}
			if first == (box{}) {
				first = b
			}
			if !slices.ContainsFunc(bands, func(x *band) bool { return x.meets(b) }) {
				return b
			}
		}
	}
	if first == (box{}) { // wider than the picture
		first = box{p.box.left, p.box.left + width, at.y + away, at.y + away + height}
	}
	return first
}

// meets reports whether a band is in a box, about.
func (b *band) meets(r box) bool {
	for i := range 16 {
		x := r.left + (r.right-r.left)*i/15
		lo, ok1 := height(b.lower, x)
		hi, ok2 := height(b.upper, x)
		if ok1 && ok2 && lo-2*unit < r.top && hi+2*unit > r.bottom {
			return true
		}
	}
	return false
}

// height is where a line is at x, if it is there.
func height(line []spot, x int) (int, bool) {
	for i := 1; i < len(line); i++ {
		if a, b := line[i-1], line[i]; a.x <= x && x <= b.x && a.x < b.x {
			return a.y + (b.y-a.y)*(x-a.x)/(b.x-a.x), true
		}
	}
	return 0, false
}

func (b box) corners() []spot {
	return []spot{{b.left, b.bottom}, {b.right, b.bottom}, {b.right, b.top}, {b.left, b.top}}
}

// disc is a circle as a polygon.
func disc(at spot, radius int) []spot {
	const corners = 24
	var out []spot
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		out = append(out, spot{at.x + int(math.Round(cos*float64(radius))), at.y + int(math.Round(sin*float64(radius)))})
	}
	return out
}

// fit shortens a text to a width.
func fit(s string, size float64, width int) string {
	if textWidth(s, size) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 1 && textWidth(string(r)+"…", size) > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
