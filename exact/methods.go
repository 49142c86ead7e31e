// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import "dpverify/exact/response"

// methods lists all methods, in the order in which answers name them.
var methods = []named{
	{route{"gaussian", bothSides, "Gaussian noise, composed", "next to nothing"}, gaussianMethod{}},
	{route{"laplace", bothSides, "equal Laplace noise, composed", "a sum over outcomes"}, laplaceMethod{}},
	{route{"closed-form", bothSides, "one pair with a closed form of its own", "next to nothing"}, noiseMethod{}},
	{route{"poisson", bothSides, "one Poisson sample", "values of its base"}, poissonMethod{}},
	{route{"mixed", bothSides, "one mixture with nothing", "values of its base"}, mixedMethod{}},
	{route{"maximum", bothSides, "one pair that dominates several products", "values of the products"}, maximumMethod{}},
	{route{"rare", bothSides, "copies of a pair that is another one with a small probability", "values of a few products"}, eitherMethod{}},
	{route{"convex-order", bothSides, "one random allocation", "laws of ratios on grids"}, allocationMethod{}},
	{route{"blocks", fromAbove, "random allocations to several steps", "allocations to one step each"}, blocksMethod{}},
	{route{"quadrature", bothSides, "Gaussian noise in one of two steps", "an integral"}, twoStepsMethod{}},
	{route{"unamplified", fromAbove, "random allocations and shuffled reports", "values of what is not hidden"}, unamplifiedMethod{}},
	{route{"step-sum", fromBelow, "random allocations of Gaussian noise", "next to nothing"}, stepSumMethod{}},
	{route{"one-step", fromBelow, "one random allocation", "values of one step"}, oneStepMethod{}},
	{route{"cells", fromBelow, "one truncated sample among opposite records", "cells of the line"}, opposedMethod{}},
	{route{"groups", fromAbove, "one sample with replacement", "values of groups"}, withReplacementMethod{}},
	{route{"clones", fromAbove, "shuffled reports", "a binomial sum"}, clonesMethod{}},
	{route{"places", fromAbove, "one selection among several runs", "values of a run"}, placesMethod{}},
	{route{"orders", fromBelow, "selections among several runs", "finitely many outputs"}, ordersMethod{}},
	{route{"kov", bothSides, "equal guarantees", "a binomial sum"}, kovMethod{}},
	{route{"kov-theorem", fromAbove, "equal guarantees, by the theorem at its own ε", "a binomial sum"}, kovTheoremMethod{}},
	{route{"halves", bothSides, "few unequal guarantees", "half of the outcomes, sorted"}, halvesMethod{}},
	{route{"largest-loss", fromAbove, "products of bounded losses", "next to nothing"}, boundedMethod{}},
	{route{"responses", fromAbove, "all others, by a guarantee of each factor", "values of factors"}, responsesMethod{}},
	{route{"basic", fromAbove, "guarantees", "next to nothing"}, theoremMethod{response.Basic}},
	{route{"adaptive", fromAbove, "guarantees", "next to nothing"}, theoremMethod{response.Adaptive}},
	{route{"advanced", fromAbove, "guarantees", "next to nothing"}, theoremMethod{response.Advanced}},
	{route{"enumeration", bothSides, "discrete pairs with few outcomes", "all outcomes"}, enumerationMethod{}},
	{route{"lattice", bothSides, "discrete pairs whose losses lie on lattices", "exact convolution"}, latticeMethod{}},
	{route{"grid", bothSides, "unequal guarantees, rounded to a lattice", "exact convolution"}, roundedMethod{}},
	{route{"product", bothSides, "continuous pairs with a closed form beside discrete ones", "a value for each outcome"}, productMethod{}},
	{route{"inversion", bothSides, "moment transforms that fall fast", "an integral"}, inversionMethod{}},
	{route{"lattice-inversion", bothSides, "discrete Gaussian noise, composed", "a sum over one period"}, latticeInversionMethod{}},
	{route{"pld", bothSides, "closed forms of the loss, and finite pairs", "a grid of losses"}, pldMethod{}},
	{route{"bucket", bothSides, "few different pairs", "buckets of the ratio"}, bucketMethod{}},
	{route{renyiName, fromAbove, "guarantees in Rényi divergences, and known moments", "moments"}, renyiMethod{}},
	{route{"binary-tests", fromAbove, "one guarantee in Rényi divergences", "some values"}, testsMethod{}},
	{route{"part", fromBelow, "products of several factors", "values of parts"}, partMethod{}},
}
