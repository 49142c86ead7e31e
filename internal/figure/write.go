// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"io"
	"strings"
)

// Write draws g in a format: "svg", "png" or "pdf".
func (g Graph) Write(w io.Writer, format string) error {
	c, err := newCanvas(format, g.about(), g.Size.hundredths())
	if err != nil {
		return err
	}
	size := g.Size.hundredths()
	c.shape(paper, box{0, size.x, 0, size.y}.corners())
	if err := g.draw(c); err != nil {
		return err
	}
	_, err = c.WriteTo(w)
	return err
}

// SVG draws g for the inside of a page in HTML, which has the styles.
func (g Graph) SVG() (string, error) {
	c := newSVG(g.about(), g.Size.hundredths())
	if err := g.draw(c); err != nil {
		return "", err
	}
	var b strings.Builder
	_, err := c.WriteTo(&b)
	return b.String(), err
}
