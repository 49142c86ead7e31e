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
	legend [][]int // rows of curves that have no place for their names beside them
	box    box
	x, y   side
	xs, ys []label
	lines  []drawnLine
	taken  []box // by labels
}

// A drawnLine is a curve with its place.
type drawnLine struct {
	*band        // nil for points without lines
	others int   // how many curves before it are in the same place
	names  []int // of curves that are written beside it: itself, and those in the same place
	label  box   // where they are; zero for nowhere
	left   bool  // the label is on the left
}

// plan lays a graph out: from the top the title, the legend of some curves, the name of the y axis, the
// curves, and the x axis with its name.
func (g Graph) plan(named []int) (*plan, error) {
	cs, err := g.sorted()
	if err != nil {
		return nil, err
	}
	p := &plan{size: g.Size.hundredths(), curves: cs}
	p.box = box{margin, p.size.x - 2*margin, margin + line + 2*unit + line, p.size.y - margin}
	if g.Title != "" {
		p.box.top -= line * (1 + strings.Count(g.Title, "\n"))
	}
	p.legend = rows(cs, named, p.box.right-p.box.left)
	p.box.top -= line * len(p.legend)
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
		return nil, fmt.Errorf("figure: %g by %g points is too small for this graph", float64(p.size.x)/unit,
			float64(p.size.y)/unit)
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
func rows(cs []Curve, named []int, width int) [][]int {
	var out [][]int
	used := width
	for _, i := range named {
		w := keyWidth(cs[i])
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
func (g Graph) draw(c canvas) (*plan, error) {
	p, marks, err := g.placed()
	if err != nil {
		return nil, err
	}
	p.header(c, g)
	p.axes(c, g)
	for i, s := range p.curves {
		if b := p.lines[i].band; b != nil && b.upper == nil {
			continue
		}
		c.group("curve", "data-x", p.x.data(0, 1), "data-y", p.y.data(p.size.y, -1), "data-name", s.Name)
		if b := p.lines[i].band; b != nil {
			b.draw(c, i, s.Kind, p.lines[i].others)
		} else {
			scatter(c, i, s, p.x, p.y)
		}
		c.end()
	}
	c.shape(axis, []spot{{p.box.left, p.box.top}, {p.box.left, p.box.bottom}, {p.box.right, p.box.bottom}})
	for _, l := range p.lines {
		if l.label != (box{}) {
			p.label(c, l)
		}
	}
	for i, m := range g.Marks {
		p.mark(c, m, marks[i])
	}
	return p, nil
}

// placed lays a graph out with its labels; names that have no place beside their curves are in the legend.
func (g Graph) placed() (p *plan, marks []box, err error) {
	var named []int
	for range 3 {
		if p, err = g.plan(named); err != nil {
			return nil, nil, err
		}
		for _, s := range p.curves {
			p.lines = append(p.lines, drawnLine{band: trace(s, p.x, p.y)})
		}
		for _, m := range g.Marks {
			at := spot{p.x.near(m.X), p.y.near(m.Y)}
			b := box{}
			if m.Label != "" {
				b, _ = p.free(at, textWidth(m.Label, labelSize), line*4/5, 12)
			}
			p.taken = append(p.taken, b, box{at.x - 5*unit, at.x + 5*unit, at.y - 5*unit, at.y + 5*unit},
				// and its guides
				box{p.box.left, at.x, at.y - unit, at.y + unit}, box{at.x - unit, at.x + unit, p.box.bottom, at.y})
			marks = append(marks, b)
		}
		more := p.names(named)
		if len(more) == 0 {
			break
		}
		named, marks = append(named, more...), nil
		slices.Sort(named)
	}
	return p, marks, err
}

// names finds places for the names of curves, but for those in the legend, and returns those that have none. A name
// stands for all curves in the same place.
func (p *plan) names(named []int) (without []int) {
	if len(p.curves) < 2 {
		return nil
	}
	first := make([]int, len(p.curves))
	for i := range p.curves {
		l := &p.lines[i]
		first[i] = i
		for j := range i {
			if first[j] == j && l.same(p.lines[j].band) {
				first[i] = j
			}
			if first[j] == first[i] {
				l.others++
			}
		}
		if f := &p.lines[first[i]]; !slices.Contains(named, i) {
			f.names = append(f.names, i)
		}
	}
	for i := range p.lines {
		if l := &p.lines[i]; len(l.names) > 0 && !p.beside(l) {
			without = append(without, l.names...)
		}
	}
	return without
}

// beside finds a place for names beside a curve, if there is one.
func (p *plan) beside(l *drawnLine) bool {
	if l.band == nil || len(l.upper) < 2 {
		return l.band != nil
	}
	width := 0
	for _, i := range l.names {
		width = max(width, key+textWidth(p.curves[i].Name, labelSize))
	}
	along := dots(l.upper)
	for _, steps := range []int{1, 3, 6} {
		for _, part := range []int{12, 13, 11, 14, 10, 9, 15, 8, 7, 6, 5, 4, 3, 2, 1} {
			at := along[len(along)*part/16]
			b, ok := p.free(at, width, line*4/5*len(l.names), steps)
			if left := b.right < at.x; ok && p.nearest(b, left) == l {
				p.taken, l.label, l.left = append(p.taken, b), b, left
				return true
			}
		}
	}
	return false
}

// nearest is the first of the curves that are nearest to the key of a label.
func (p *plan) nearest(label box, left bool) (nearest *drawnLine) {
	at := spot{label.left, (label.bottom + label.top) / 2}
	if left {
		at.x = label.right
	}
	least := math.Inf(1)
	for i := range p.lines {
		l := &p.lines[i]
		if l.band == nil || l.others > 0 {
			continue
		}
		for _, s := range l.along {
			if d := math.Hypot(float64(s.x-at.x), float64(s.y-at.y)); d < least {
				least, nearest = d, l
			}
		}
	}
	return nearest
}

// label writes names beside a curve, the keys on its side.
func (p *plan) label(c canvas, l drawnLine) {
	c.shape(paper, l.label.corners())
	for n, i := range l.names {
		at := spot{l.label.left + 2*unit, l.label.top - line*4/5*(n+1) + 3*unit}
		if !l.left {
			p.key(c, i, at, p.curves[i].Name)
			continue
		}
		at.x = l.label.right - 2*unit - key
		c.text(ink, at, end, labelSize, p.curves[i].Name)
		at.x += 4 * unit
		p.key(c, i, at, "")
	}
}

// dots are spots along a line, two points from each other or less.
func dots(line []spot) []spot {
	out := line[:1:1]
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		n := max(b.x-a.x, b.y-a.y, a.y-b.y)/(2*unit) + 1
		for k := 1; k <= n; k++ {
			out = append(out, spot{a.x + (b.x-a.x)*k/n, a.y + (b.y-a.y)*k/n})
		}
	}
	return out
}

// same reports that two bands look like one.
func (b *band) same(other *band) bool {
	if b == nil || other == nil || len(b.upper) < 2 || len(other.upper) < 2 {
		return false
	}
	left := max(b.upper[0].x, other.upper[0].x)
	right := min(b.upper[len(b.upper)-1].x, other.upper[len(other.upper)-1].x)
	const near = unit
	for i := range 17 {
		x := left + (right-left)*i/16
		y1, ok1 := height(b.upper, x)
		y2, ok2 := height(other.upper, x)
		if !ok1 || !ok2 || max(y1, y2)-min(y1, y2) > 3*near/2 {
			return false
		}
	}
	return true
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
			p.key(c, i, spot{x, y}, p.curves[i].Name)
			x += keyWidth(p.curves[i])
		}
		y -= line
	}
	c.text(ink, spot{margin, y}, start, labelSize, g.Y.Label)
}

// key writes a name behind a piece of its curve's line.
func (p *plan) key(c canvas, i int, at spot, name string) {
	y := at.y + 3*unit
	if p.lines[i].band == nil {
		c.shape(fillOf(i), disc(spot{at.x + key/2, y}, 2*unit))
	} else {
		c.shape(outline(i, p.curves[i].Kind, p.lines[i].others), []spot{{at.x, y}, {at.x + key - 4*unit, y}})
	}
	if name != "" {
		c.text(ink, spot{at.x + key, at.y}, start, labelSize, name)
	}
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
	return fmt.Sprintf("%s %g %g %s %s", s.scale.name(), s.from, s.to, hundredths(origin+sign*s.at),
		hundredths(origin+sign*s.end))
}

// draw draws a band: filled, and its outline. A thin band looks like a line.
func (b *band) draw(c canvas, i int, k Kind, others int) {
	back := slices.Clone(b.lower)
	slices.Reverse(back)
	c.shape(bandOf(i), slices.Concat(b.upper, back))
	c.shape(outline(i, k, others), b.upper)
	c.shape(outline(i, k, others), b.lower)
}

// scatter draws points without lines between them: a dot at the upper bound, and a bar down
// to the lower one.
func scatter(c canvas, i int, s Curve, x, y side) {
	for _, p := range s.Points {
		at, lo, hi := x.near(bits.Rat(p.X)), y.lower(p.Y.Lo()), y.upper(p.Y.Hi())
		if hi < y.bottom || lo > y.top {
			continue
		}
		c.shape(lineOf(i), []spot{{at, y.inside(lo)}, {at, y.inside(hi)}})
		c.shape(fillOf(i), disc(spot{at, y.near(p.Y)}, 2*unit))
	}
}

// mark draws a place with lines to the axes, and its label where no curve is.
func (p *plan) mark(c canvas, m Mark, b box) {
	at := spot{p.x.near(m.X), p.y.near(m.Y)}
	c.group("mark")
	c.shape(guide, []spot{{p.box.left, at.y}, at, {at.x, p.box.bottom}})
	c.shape(paper, disc(at, 5*unit))
	c.shape(markOf(m.Kind), disc(at, 7*unit/2))
	if m.Label != "" {
		c.shape(paper, b.corners())
		c.text(markOf(m.Kind), spot{b.left + 2*unit, b.bottom + 3*unit}, start, labelSize, m.Label)
	}
	c.end()
}

// free returns a box for a text of some width beside a spot, so many steps away at most: inside of the curves' box,
// and if there is one where no curve and no other label is.
func (p *plan) free(at spot, width, height, steps int) (b box, ok bool) {
	const away = 6 * unit
	width += width/6 + 4*unit // a reader's font may be wider
	first := box{}
	for raise := range steps {
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
			meets := slices.ContainsFunc(p.lines, func(l drawnLine) bool { return l.meets(b) })
			if !meets && !slices.ContainsFunc(p.taken, b.meets) {
				return b, true
			}
		}
	}
	if first == (box{}) { // wider than the picture
		first = box{p.box.left, p.box.left + width, at.y + away, at.y + away + height}
	}
	return first, false
}

// meets reports whether two boxes have something in common.
func (b box) meets(a box) bool {
	return a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top
}

// meets reports whether a band is in a box, about.
func (b *band) meets(r box) bool {
	if b == nil {
		return false
	}
	if b.along == nil && len(b.upper) > 0 {
		b.along = append(dots(b.upper), dots(b.lower)...)
	}
	return slices.ContainsFunc(b.along, func(s spot) bool {
		return r.left-2*unit < s.x && s.x < r.right+2*unit && r.bottom-2*unit < s.y && s.y < r.top+2*unit
	})
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
