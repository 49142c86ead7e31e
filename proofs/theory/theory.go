// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package theory has the text of Density.v for files that stand alone.
package theory

import (
	_ "embed"
	"strings"
)

//go:embed Density.v
var density string

// Density is Density.v in its two chapters: pairs of Gaussian and Laplace noise, and that the integral of the normal
// density is 1, which needs the first.
func Density() (pairs, normal string) {
	const chapter = "(** * The integral of the density is 1 *)\n"
	pairs, normal, ok := strings.Cut(density, chapter)
	if !ok {
		panic("theory: internal error: Density.v has no second chapter")
	}
	return pairs, chapter + normal
}
