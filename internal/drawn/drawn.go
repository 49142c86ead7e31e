// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package drawn reads curves back from the SVG files of package figure: what is really
// drawn, in exact rational numbers. It is there for tests, and shows how the coordinates of
// a file are meant.
package drawn

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// An Axis says what the coordinates of a file stand for: at At and End are the heights From
// and To, and between them heights are linear. A height is a number, or the function of it
// that Scale names: linear, exp or log10. Beyond At is what is less, beyond End what is more.
type Axis struct {
	Scale             string
	From, To, At, End *big.Rat
}

// A Curve is a band between two lines.
type Curve struct {
	Name         string
	X, Y         Axis
	Upper, Lower [][2]*big.Rat
}

// Read returns the curves of a file, or of a page with several.
func Read(svg []byte) ([]Curve, error) {
	var out []Curve
	d := xml.NewDecoder(bytes.NewReader(svg))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	inside := false
	for {
		token, err := d.Token()
		switch {
		case err == io.EOF:
			return out, nil
		case err != nil:
			return nil, err
		}
		switch e := token.(type) {
		case xml.EndElement:
			inside = inside && e.Name.Local != "g"
		case xml.StartElement:
			a := make(map[string]string)
			for _, x := range e.Attr {
				a[x.Name.Local] = x.Value
			}
			switch {
			case e.Name.Local == "g" && a["class"] == "curve":
				c := Curve{Name: a["data-name"]}
				if c.X, err = readAxis(a["data-x"]); err != nil {
					return nil, err
				}
				if c.Y, err = readAxis(a["data-y"]); err != nil {
					return nil, err
				}
				out, inside = append(out, c), true
			case inside && e.Name.Local == "polyline":
				c := &out[len(out)-1]
				line, err := readLine(a["points"])
				if err != nil {
					return nil, err
				}
				if c.Upper == nil {
					c.Upper = line
				} else {
					c.Lower = line
				}
			}
		}
	}
}

func readAxis(s string) (a Axis, err error) {
	f := strings.Fields(s)
	if len(f) != 5 {
		return a, fmt.Errorf("drawn: axis %q, want a scale and four numbers", s)
	}
	a.Scale = f[0]
	for i, to := range []**big.Rat{&a.From, &a.To} {
		x, err := strconv.ParseFloat(f[1+i], 64)
		if err != nil {
			return a, err
		}
		*to = new(big.Rat).SetFloat64(x) // heights are meant to the last bit
	}
	for i, to := range []**big.Rat{&a.At, &a.End} {
		var ok bool
		if *to, ok = new(big.Rat).SetString(f[3+i]); !ok {
			return a, fmt.Errorf("drawn: coordinate %q, want a number", f[3+i])
		}
	}
	return a, nil
}

func readLine(s string) ([][2]*big.Rat, error) {
	var out [][2]*big.Rat
	for _, p := range strings.Fields(s) {
		a, b, _ := strings.Cut(p, ",")
		x, ok1 := new(big.Rat).SetString(a)
		y, ok2 := new(big.Rat).SetString(b)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("drawn: point %q, want two numbers", p)
		}
		out = append(out, [2]*big.Rat{x, y})
	}
	return out, nil
}

// Height returns the height at a coordinate.
func (a Axis) Height(at *big.Rat) *big.Rat { return linear(at, a.At, a.End, a.From, a.To) }

// Coordinate returns where a height is.
func (a Axis) Coordinate(t *big.Rat) *big.Rat { return linear(t, a.From, a.To, a.At, a.End) }

// linear is the linear function of x that is c at a and d at b.
func linear(x, a, b, c, d *big.Rat) *big.Rat {
	y := new(big.Rat).Sub(x, a)
	y.Quo(y, new(big.Rat).Sub(b, a))
	y.Mul(y, new(big.Rat).Sub(d, c))
	return y.Add(y, c)
}

// A Bound is a height; with a Sign it is one beyond the axis, on the side of the sign.
type Bound struct {
	Height *big.Rat
	Sign   int
}

func (a Axis) bound(at *big.Rat) Bound {
	t := a.Height(at)
	switch {
	case t.Cmp(a.From) < 0:
		return Bound{Sign: -1}
	case t.Cmp(a.To) > 0:
		return Bound{Sign: 1}
	}
	return Bound{Height: t}
}

// At returns the band at an x coordinate; ok is false beyond its ends. What leaves the frame ends at it: a lower line
// at the bottom and an upper one at the top bound nothing.
func (c Curve) At(x *big.Rat) (lower, upper Bound, ok bool) {
	a, ok1 := interpolate(c.Lower, x)
	b, ok2 := interpolate(c.Upper, x)
	if !ok1 || !ok2 {
		return lower, upper, false
	}
	lower, upper = c.Y.bound(a), c.Y.bound(b)
	if lower.Height != nil && lower.Height.Cmp(c.Y.From) == 0 {
		lower = Bound{Sign: -1}
	}
	if upper.Height != nil && upper.Height.Cmp(c.Y.To) == 0 {
		upper = Bound{Sign: 1}
	}
	return lower, upper, true
}

// interpolate returns the y coordinate of a line.
func interpolate(line [][2]*big.Rat, x *big.Rat) (*big.Rat, bool) {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		if a[0].Cmp(x) > 0 || x.Cmp(b[0]) > 0 || a[0].Cmp(b[0]) == 0 {
			continue
		}
		return linear(x, a[0], b[0], a[1], b[1]), true
	}
	return nil, false
}

// Width is how thick a band is where it is thickest, in pixels of CSS, of which there are four to three points: the
// greatest distance of a corner of one line from the other line.
func (c Curve) Width() float64 { return max(away(c.Upper, c.Lower), away(c.Lower, c.Upper)) * 4 / 3 }

func away(from, to [][2]*big.Rat) float64 {
	most := 0.0
	for _, p := range from {
		least := math.Inf(1)
		x, y := float(p)
		for i := 1; i < len(to); i++ {
			ax, ay := float(to[i-1])
			bx, by := float(to[i])
			dx, dy, along := bx-ax, by-ay, 0.0
			if l := dx*dx + dy*dy; l > 0 {
				along = min(max(((x-ax)*dx+(y-ay)*dy)/l, 0), 1)
			}
			least = min(least, math.Hypot(x-ax-along*dx, y-ay-along*dy))
		}
		most = max(most, least)
	}
	return most
}

func float(p [2]*big.Rat) (x, y float64) {
	x, _ = p[0].Float64()
	y, _ = p[1].Float64()
	return x, y
}
