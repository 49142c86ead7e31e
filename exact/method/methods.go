// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"dpverify/exact/pair"
	"dpverify/exact/response"
)

// All lists all methods, in the order in which answers name them.
var All = []Named{
	{Route{"gaussian", BothSides, "Gaussian noise, composed", "next to nothing"}, Gaussian},
	{Route{"laplace", BothSides, "equal Laplace noise, composed", "a sum over outcomes"}, Laplace},
	{Route{"closed-form", BothSides, "one pair with a closed form of its own", "next to nothing"}, Noise},
	{Route{"poisson", BothSides, "one Poisson sample", "values of its base"}, one(Poisson)},
	{Route{"hits", BothSides, "Poisson samples of little Gaussian noise, composed", "a sum over the number of hits"},
		Hits},
	{Route{"mixed", BothSides, "one mixture with nothing, or of products", "values of its parts"}, one(Mixed)},
	{Route{"maximum", BothSides, "one pair that dominates several products", "values of the products"}, one(Maximum)},
	{Route{"rare", BothSides, "copies of a pair that is another one with a small probability", "values of a few products"},
		Rare},
	{Route{"convex-order", BothSides, "one random allocation", "laws of ratios on grids"}, one(Allocation)},
	{Route{"blocks", FromAbove, "random allocations to several steps", "allocations to one step each"}, Blocks},
	{Route{"uncorrelated", BothSides, "balls in bins with correlated noise", "random allocations"}, Uncorrelated},
	{Route{"hidden-chain", BothSides, "balls in bins with correlated noise, alone",
		"the law of a sum along a Markov chain"}, HiddenChain},
	{Route{"replicas", BothSides, "matrix mechanisms whose records draw their steps, alone",
		"moments of the ratio given a sum"}, Replicas},
	{Route{"transform", BothSides, "Gaussian noise in one of t steps", "the transform of a sum of lognormal variables"},
		one(MeanOfRatios)},
	{Route{"largest-ratio", BothSides, "Gaussian noise in one of t steps, little of it", "values of one step"},
		one(LargestRatio)},
	{Route{"exchange", BothSides, "Gaussian noise in one of t steps, opposite records",
		"an integral of the transform of their difference"}, one(Exchange)},
	{Route{"unamplified", FromAbove, "random allocations and shuffled reports", "values of what is not hidden"},
		Unamplified},
	{Route{"step-sum", FromBelow, "random allocations of Gaussian noise", "next to nothing"}, StepSum},
	{Route{"one-step", FromBelow, "one random allocation", "values of one step"}, one(OneStep)},
	{Route{"cells", FromBelow, "one truncated sample among opposite records", "cells of the line"}, one(Opposed)},
	{Route{"groups", FromAbove, "one sample with replacement", "values of groups"}, one(WithReplacement)},
	{Route{"reports", BothSides, "shuffled reports", "the law of a sum on a lattice"}, Reports},
	{Route{"blanket", FromAbove, "shuffled reports of any local randomizer", "values of reports whose others are alike"},
		Blanket},
	{Route{"places", FromAbove, "one selection among several runs", "values of a run"}, Places},
	{Route{"orders", FromBelow, "selections among several runs", "finitely many outputs"}, Orders},
	{Route{"kov", BothSides, "equal guarantees", "a binomial sum"}, KOV},
	{Route{"kov-theorem", FromAbove, "equal guarantees, by the theorem at its own ε", "a binomial sum"}, KOVTheorem},
	{Route{"halves", BothSides, "few unequal guarantees", "half of the outcomes, sorted"}, Halves},
	{Route{"period", BothSides, "many unequal guarantees", "a sum over one period of their transform"}, Period},
	{Route{"largest-loss", FromAbove, "products of bounded losses", "next to nothing"}, Bounded},
	{Route{"responses", FromAbove, "all others, by a guarantee of each factor", "values of factors"}, Responses},
	{Route{"basic", FromAbove, "guarantees", "next to nothing"}, Theorem(response.Basic)},
	{Route{"adaptive", FromAbove, "guarantees", "next to nothing"}, Theorem(response.Adaptive)},
	{Route{"advanced", FromAbove, "guarantees", "next to nothing"}, Theorem(response.Advanced)},
	{Route{"enumeration", BothSides, "discrete pairs with few outcomes", "all outcomes"}, Enumeration},
	{Route{"lattice", BothSides, "discrete pairs whose losses lie on lattices", "exact convolution"}, Lattice},
	{Route{"product", BothSides, "continuous pairs with a closed form beside discrete ones", "a value for each outcome"},
		Product},
	{Route{"inversion", BothSides, "moment transforms that fall fast", "an integral"}, Inversion},
	{Route{"lattice-inversion", BothSides,
		"discrete Gaussian noise, composed, also beside pairs with few rational losses", "a sum over one period"},
		LatticeInversion},
	{Route{"pld", BothSides, "closed forms of the loss, and finite pairs", "a grid of losses"}, PLD},
	{Route{"bucket", BothSides, "few different pairs", "buckets of the ratio"}, Bucket},
	{Route{RenyiName, FromAbove, "guarantees in Rényi divergences, and known moments", "moments"}, Renyi},
	{Route{"binary-tests", FromAbove, "one guarantee in Rényi divergences", "some values"}, Tests},
	{Route{"part", FromBelow, "products of several factors", "values of parts"}, Part},
}

// one is a method for one pair of a kind alone.
func one[T pair.Pair](plan func(s *Solver, x T, e Effort) *Plan) Method {
	return func(s *Solver, prod pair.Product, e Effort) *Plan {
		if x, ok := pair.Single[T](prod); ok {
			return plan(s, x, e)
		}
		return nil
	}
}
