// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"dpverify/internal/atomicfile"
	"dpverify/internal/figure"
	"dpverify/internal/show"
	"dpverify/internal/source"
)

// Length registers a length of a picture, in centimetres.
func Length(fs *pflag.FlagSet, into *float64, name, usual, usage string) {
	Parsed(fs, into, name, "float64", usual, usage, func(s string) (float64, error) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(4 <= x && x <= 100) {
			return 0, Want("centimetres in [4, 100]")
		}
		return x, nil
	})
}

// FigureFormat returns the format of a file to draw into, by its name, which is none of the files that EVENT arguments
// name; "" if there is none. An error names the flag.
func FigureFormat(flag, output string, events ...string) (string, error) {
	if output == "" {
		return "", nil
	}
	format, ok := figure.FormatOf(output)
	if !ok {
		return "", fmt.Errorf("--%s = %s, want a name that ends in .svg, .png or .pdf", flag, show.Value(output))
	}
	return format, atomicfile.Check(output, source.Paths(events)...)
}
