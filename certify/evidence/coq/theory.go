// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package coq has what files for Coq are made of: theories, which are the same for all claims of a kind, masses as
// Coq reads them, and the orders by which a claim about all of them is proved.
//
// Nothing here has to be right for what Coq accepts to be true.
package coq

import (
	_ "embed"
	"strings"

	"dpverify/proofs/theory"
)

// The theories. Divergence follows Finite, and Gaussian Density and Normal; the others stand alone.
var (
	//go:embed finite.v
	Finite string
	//go:embed divergence.v
	Divergence string
	//go:embed gaussian.v
	Gaussian string
	//go:embed laplaces.v
	Laplaces string
)

// Density are pairs of Gaussian or Laplace noise, whose integrals are enclosed by CoqInterval, and Normal that the
// integral of the normal density is 1.
var Density, Normal = func() (string, string) {
	pairs, normal := theory.Density()
	return strings.Replace(pairs, "\nLocal Open", "\nFrom Interval Require Import Tactic.\nLocal Open", 1), normal
}()
