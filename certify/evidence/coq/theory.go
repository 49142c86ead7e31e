// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package coq has what files for Coq are made of: theories, which are the same for all claims of a kind, masses as
// Coq reads them, and the orders by which a claim about all of them is proved.
//
// Nothing here has to be right for what Coq accepts to be true.
package coq

import _ "embed"

// The theories. Divergence follows Finite, and Gaussian Density; the others stand alone.
var (
	//go:embed finite.v
	Finite string
	//go:embed divergence.v
	Divergence string
	//go:embed density.v
	Density string
	//go:embed gaussian.v
	Gaussian string
	//go:embed laplaces.v
	Laplaces string
)
