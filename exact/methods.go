// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import "dpverify/exact/response"

// methods lists all methods, in the order in which answers name them.
var methods = []named{
	{"gaussian", gaussianMethod{}},
	{"laplace", laplaceMethod{}},
	{"closed-form", noiseMethod{}},
	{"poisson", poissonMethod{}},
	{"mixed", mixedMethod{}},
	{"maximum", maximumMethod{}},
	{"rare", eitherMethod{}},
	{"convex-order", allocationMethod{}},
	{"quadrature", twoStepsMethod{}},
	{"unamplified", unamplifiedMethod{}},
	{"step-sum", stepSumMethod{}},
	{"one-step", oneStepMethod{}},
	{"cells", opposedMethod{}},
	{"groups", withReplacementMethod{}},
	{"clones", clonesMethod{}},
	{"places", placesMethod{}},
	{"orders", ordersMethod{}},
	{"kov", kovMethod{}},
	{"kov-theorem", kovTheoremMethod{}},
	{"halves", halvesMethod{}},
	{"largest-loss", boundedMethod{}},
	{"responses", responsesMethod{}},
	{"basic", theoremMethod{response.Basic}},
	{"adaptive", theoremMethod{response.Adaptive}},
	{"advanced", theoremMethod{response.Advanced}},
	{"enumeration", enumerationMethod{}},
	{"lattice", latticeMethod{}},
	{"grid", roundedMethod{}},
	{"product", productMethod{}},
	{"inversion", inversionMethod{}},
	{"lattice-inversion", latticeInversionMethod{}},
	{"pld", pldMethod{}},
	{"bucket", bucketMethod{}},
	{renyiName, renyiMethod{}},
	{"binary-tests", testsMethod{}},
	{"part", partMethod{}},
}
