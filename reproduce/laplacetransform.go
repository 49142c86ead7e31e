// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"math/big"

	"dpverify/figure"
	"dpverify/mechanism"
)

const paper4 = "Chourasia, Javaid & Sikdar, Laplace Transform Interpretation of Differential Privacy (2024)"

func laplaceTransform() []Entry {
	gm, rr := both(gaussian("1")), both(guarantee("1", "0"))
	ks := counts(1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99, 100)
	d6, d8 := rat("1e-6"), rat("1e-8")
	step := sampled("0.5", gaussian("1"))
	remove, add, either := oneWay(step, mechanism.Remove), oneWay(step, mechanism.Add), both(step)
	twice := times(8, step)
	dominated := func(order string) Statement {
		q := rat(order)
		return ratio("R_q of randomized response over that of the Gaussian, q = "+order, divergenceAt(rr, q), divergenceAt(gm, q), "", "1")
	}
	point := func(delta string) mechanism.Event { return guarantee("0.1", delta) }
	return []Entry{
		{
			ID: "4-fig1", Paper: paper4, Title: "Figure 1: Rényi dominance without dominance",
			Parameters: "Gaussian with κ = ε²/2 against randomized response with (ε, 0); ε is not printed, ours is 1",
			Says:       "The Rényi divergences of randomized response are the smaller ones at all orders, and yet the privacy profiles cross.",
			Statements: []Statement{
				dominated("1.5"), dominated("2"), dominated("5"), dominated("20"),
				ratio("δ(0.4) of randomized response over that of the Gaussian", deltaAt(rr, rat("0.4")), deltaAt(gm, rat("0.4")), "1.0001", ""),
				ratio("the same at ε = 0.9", deltaAt(rr, rat("0.9")), deltaAt(gm, rat("0.9")), "", "0.9999"),
			},
			Figures: []Figure{
				{Title: "Rényi divergence", X: "q", Y: "R_q (nats)", At: spaced("0.25", "6", 24), Curves: []Curve{
					{"Gaussian", func(q *big.Rat) Quantity { return divergenceAt(gm, q) }, figure.Divergence},
					{"randomized response", func(q *big.Rat) Quantity { return divergenceAt(rr, q) }, figure.Divergence}}},
				{Title: "privacy profile", X: "ε (nats)", Y: "δ", At: spaced("-2", "2", 41), Curves: []Curve{profileOf("Gaussian", gm), profileOf("randomized response", rr)}},
			},
		},
		{
			ID: "4-fig2", Paper: paper4, Title: "Figure 2: composition of a guarantee",
			Parameters: "k × (0.1, 1e-8), δ < 1e-6; k up to 100",
			Says:       "The exact curve is at or below the optimal composition theorem, which is below advanced composition; numerical accountants come close.",
			Statements: []Statement{
				ratio("advanced composition over exact ε at k = 50", epsilonAt(derivation("advanced", times(50, point("1e-8"))), d6), epsilonAt(both(times(50, point("1e-8"))), d6), "1.0001", ""),
				stated("the optimal composition theorem's ε at k = 50, a point of its grid", epsilonAt(derivation("kov", times(50, point("1e-8"))), d6), "3.3999", "3.4001"),
				ratio("the optimal composition theorem over exact ε at k = 50: looser between its points", epsilonAt(derivation("kov", times(50, point("1e-8"))), d6), epsilonAt(both(times(50, point("1e-8"))), d6), "1.03", "1.05"),
				ratio("the same at k = 99", epsilonAt(derivation("kov", times(99, point("1e-8"))), d6), epsilonAt(both(times(99, point("1e-8"))), d6), "1.02", "1.03"),
				ours(stated("the least ε at k = 100 and δ = 1e-6", epsilonAt(both(times(100, point("1e-8"))), d6), "6.9696187", "6.96961879")),
			},
			Figures: []Figure{{Title: "ε over the number of compositions", X: "compositions k", Y: "ε (nats) at δ = 1e-6", At: ks, Curves: []Curve{
				epsilonOver("exact", "1e-6", composed(point("1e-8"))), epsilonOver("basic", "1e-6", accounted("basic", point("1e-8"))),
				epsilonOver("advanced", "1e-6", accounted("advanced", point("1e-8"))), epsilonOver("optimal theorem", "1e-6", accounted("kov", point("1e-8"))),
			}}},
		},
		{
			ID: "4-fig3", Paper: paper4, Title: "Figure 3: asymmetry of sampling",
			Parameters: "not printed; ours are a Gaussian with σ = 1 and a Poisson sample with λ = 0.5",
			Says:       "One direction at a time is exact, the other is its reversal, and taking the maximum first overestimates.",
			Statements: []Statement{
				ratio("both directions over addition alone, δ(0.5)", deltaAt(either, rat("0.5")), deltaAt(add, rat("0.5")), "1.0001", ""),
				ratio("both directions over removal alone, 8 steps, δ(0.5): the maximum is taken last", deltaAt(both(twice), rat("0.5")), deltaAt(oneWay(twice, mechanism.Remove), rat("0.5")), "0.999", "1.001"),
			},
			Figures: []Figure{{Title: "privacy profile of a sample", X: "ε (nats)", Y: "δ", At: spaced("-2", "2", 41), Curves: []Curve{
				profileOf("removal", remove), profileOf("addition", add), profileOf("without sampling", gm),
			}}},
		},
		{
			ID: "4-fig4", Paper: paper4, Title: "Figure 4: numerical accountants at the edge of a guarantee",
			Parameters: "k × (0.1, 1e-10), δ < 1e-8; k up to 100",
			Says:       "At k = 100 the constraint on δ cannot be met, and ε is infinite.",
			Note:       "It can be met: 1 − (1 − 1e-10)^100 is less than 1e-8, by 4.95e-17. In float64 that difference is hard to see. From k = 101 on ε is infinite.",
			Statements: []Statement{
				stated("the least ε at k = 100 and δ = 1e-8 exceeds every bound, such as basic composition's 10", epsilonAt(both(times(100, point("1e-10"))), d8), "10.001", ""),
				ours(stated("δ at ε = 10, k = 100", deltaAt(both(times(100, point("1e-10"))), rat("10")), "", "1e-8")),
				ours(stated("δ at ε = 20, k = 101", deltaAt(both(times(101, point("1e-10"))), rat("20")), "1e-8", "")),
			},
			Figures: []Figure{{Title: "ε over the number of compositions", X: "compositions k", Y: "ε (nats) at δ = 1e-8", At: ks, Scale: d8, Curves: []Curve{
				epsilonOver("exact", "1e-8", composed(point("1e-10"))), epsilonOver("basic", "1e-8", accounted("basic", point("1e-10"))),
			}}},
		},
	}
}
