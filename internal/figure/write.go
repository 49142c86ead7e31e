// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"io"
	"strings"
)

// Write draws g in a format: "svg", "png" or "pdf".
func (g Graph) Write(w io.Writer, format string) error {
	_, err := g.WriteWidth(w, format)
	return err
}

// WriteWidth is Write, and returns how thick the thickest band is.
func (g Graph) WriteWidth(w io.Writer, format string) (width float64, err error) {
	c, err := newCanvas(format, g.about(), g.Size.hundredths())
	if err != nil {
		return 0, err
	}
	size := g.Size.hundredths()
	c.shape(paper, box{0, size.x, 0, size.y}.corners())
	p, err := g.draw(c)
	if err != nil {
		return 0, err
	}
	_, err = c.WriteTo(w)
	return p.width(), err
}

// SVG draws g for the inside of a page in HTML, which has the styles.
func (g Graph) SVG() (string, error) {
	c := newSVG(g.about(), g.Size.hundredths())
	if _, err := g.draw(c); err != nil {
		return "", err
	}
	var b strings.Builder
	_, err := c.WriteTo(&b)
	return b.String(), err
}
