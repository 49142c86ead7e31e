// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// Formats are the formats that figures are written in.
var Formats = []string{"svg", "png", "pdf"}

// FormatOf returns the format of a file by its name; false if it has none of these.
func FormatOf(path string) (string, bool) {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	return format, slices.Contains(Formats, format)
}

// newCanvas returns an empty canvas that writes itself in a format.
func newCanvas(format, about string, size spot) (canvas, error) {
	w, h := vg.Length(size.x)/unit, vg.Length(size.y)/unit
	switch format {
	case "svg":
		return svgFile{newSVG(about, size)}, nil
	case "png":
		return &vectors{vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(192))}}, nil
	case "pdf":
		return &vectors{outlined{vgpdf.New(w, h)}}, nil
	}
	return nil, fmt.Errorf("figure: format %q, want one of %s", format, strings.Join(Formats, ", "))
}
