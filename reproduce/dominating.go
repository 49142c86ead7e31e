// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"math/big"

	"dpverify/figure"
	"dpverify/mechanism"
)

const paper2 = "Zhu, Dong & Wang, Optimal Accounting of Differential Privacy via Characteristic Function (AISTATS 2022)"

func dominating() []Entry {
	gm, rr := both(gaussian("1")), both(guarantee("1", "0"))
	d4, d5 := rat("1e-4"), rat("1e-5")
	ks := counts(1, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)

	response := mechanism.FinitePair{
		P: []*big.Rat{rat("0.52"), rat("0.48")},
		Q: []*big.Rat{rat("0.48"), rat("0.52")},
	}
	mixed := func(k int64) subject {
		half := times(k/2, mechanism.Composed{Events: []mechanism.Event{gaussian("5"), response}})
		return both(half)
	}
	step := sampled("0.01", gaussian("2"))
	halfStep := sampled("0.5", gaussian("1"))
	remove, add := oneWay(halfStep, mechanism.Remove), oneWay(halfStep, mechanism.Add)

	dominated := func(order string) Statement {
		q := rat(order)
		return ratio("R_α of randomized response over that of the Gaussian, α = "+order, divergenceAt(rr, q), divergenceAt(gm, q), "", "1")
	}
	return []Entry{
		{
			ID: "2-fig1", Paper: paper2, Title: "Figure 1: Rényi DP does not determine (ε, δ)",
			Parameters: "the Gaussian mechanism with σ = 1, randomized response with p = e/(1 + e)",
			Says:       "Randomized response satisfies the Rényi curve α/2 of the Gaussian mechanism. The latter is (0.277, 0.3)-DP, and the former is not (ε, 0.3)-DP for any ε < 0.471.",
			Note:       "The text calls the curve 1-zCDP; R_α ≤ α/2 is ½-zCDP. The domination is checked at the orders listed.",
			Statements: []Statement{
				dominated("0.5"), dominated("2"), dominated("4"), dominated("8"), dominated("20"),
				stated("δ of the Gaussian at ε = 0.277", deltaAt(gm, rat("0.277")), "", "0.3"),
				stated("the least ε of randomized response at δ = 0.3", epsilonAt(rr, rat("0.3")), "0.471", ""),
			},
			Figures: []Figure{
				{Title: "(a) Rényi divergence", X: "α", Y: "R_α (nats)", At: spaced("0.25", "10", 40), Curves: []Curve{
					{"Gaussian", func(q *big.Rat) Quantity { return divergenceAt(gm, q) }, figure.Divergence},
					{"randomized response", func(q *big.Rat) Quantity { return divergenceAt(rr, q) }, figure.Divergence}}},
				{Title: "(b) trade-off functions", X: "type I error", Y: "type II error", At: spaced("0.02", "0.98", 49), Curves: []Curve{
					{"Gaussian", func(x *big.Rat) Quantity { return tradeOffAt(gm, x) }, figure.TradeOff},
					{"randomized response", func(x *big.Rat) Quantity { return tradeOffAt(rr, x) }, figure.TradeOff}}},
				{Title: "(c) privacy profiles", X: "ε (nats)", Y: "δ", At: spaced("0", "2", 41), Curves: []Curve{profileOf("Gaussian", gm), profileOf("randomized response", rr)}},
			},
		},
		{
			ID: "2-exp1", Paper: paper2, Title: "Experiment 1, Figure 3(a): the Gaussian mechanism",
			Parameters: "σ = 50 and 100, δ = 1e-4; the numbers of compositions are not printed, ours are up to 1000",
			Says:       "The analytical Fourier accountant matches the exact ε of the analytic Gaussian mechanism, and Rényi DP gives strictly more.",
			Statements: []Statement{
				ratio("Rényi DP over exact ε, σ = 50, 1000 compositions", epsilonAt(derivation("rdp-mironov", times(1000, gaussian("50"))), d4), epsilonAt(both(times(1000, gaussian("50"))), d4), "1.0001", ""),
				ratio("the same, σ = 100", epsilonAt(derivation("rdp-mironov", times(1000, gaussian("100"))), d4), epsilonAt(both(times(1000, gaussian("100"))), d4), "1.0001", ""),
				ratio("the same, σ = 100, 50 compositions", epsilonAt(derivation("rdp-mironov", times(50, gaussian("100"))), d4), epsilonAt(both(times(50, gaussian("100"))), d4), "1.0001", ""),
			},
			Figures: []Figure{{Title: "ε over the number of compositions", X: "compositions", Y: "ε (nats) at δ = 1e-4", At: ks, Curves: []Curve{
				epsilonOver("exact, σ = 50", "1e-4", composed(gaussian("50"))), epsilonOver("Rényi DP, σ = 50", "1e-4", accounted("rdp-mironov", gaussian("50"))),
				epsilonOver("exact, σ = 100", "1e-4", composed(gaussian("100"))), epsilonOver("Rényi DP, σ = 100", "1e-4", accounted("rdp-mironov", gaussian("100"))),
			}}},
		},
		{
			ID: "2-exp2", Paper: paper2, Title: "Experiment 2, Figure 3(b): Gaussian mechanisms and randomized response in turn",
			Parameters: "σ = 5, p = 0.52, ε = 2, k/2 of each; the values of k are not printed, ours are up to 200",
			Says:       "δ(2) over k; the Fourier accountants agree, and Rényi DP gives more.",
			Statements: []Statement{
				ratio("Rényi DP over exact ε at δ = 1e-4, k = 100", epsilonAt(derivation("rdp-mironov", times(50, mechanism.Composed{Events: []mechanism.Event{gaussian("5"), response}})), d4), epsilonAt(mixed(100), d4), "1.0001", ""),
			},
			Figures: []Figure{{Title: "δ(2) over the number of compositions", X: "compositions k", Y: "δ", LogY: true, At: counts(10, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200), Scale: rat("1e-24"), Curves: []Curve{
				{"exact", func(k *big.Rat) Quantity { return deltaAt(mixed(k.Num().Int64()), rat("2")) }, figure.Rising},
			}}},
		},
		{
			ID: "2-exp3", Paper: paper2, Title: "Experiment 3, Figure 3(c): the Poisson sampled Gaussian mechanism",
			Parameters: "γ = 0.01, σ = 2, δ = 1e-5, up to 1500 compositions",
			Says:       "All Fourier accountants agree and are below Rényi DP, converted by the rule of Balle et al. 2020.",
			Note:       "The discretisation of the paper (Lemma 40) multiplies densities by a cell's width and is no bound; the figure's agreement is one of approximations. Ours are enclosures. The conversion here is that of Canonne, Kamath & Steinke, which is the same rule.",
			Statements: []Statement{
				ratio("Rényi DP over exact ε at 1500 compositions", epsilonAt(derivation("rdp-cks", times(1500, step)), d5), epsilonAt(both(times(1500, step)), d5), "1.0001", ""),
			},
			Figures: []Figure{{Title: "ε over the number of compositions", X: "compositions", Y: "ε (nats) at δ = 1e-5", At: counts(1, 100, 300, 500, 700, 900, 1100, 1300, 1500), Curves: []Curve{
				epsilonOver("exact", "1e-5", composed(step)), epsilonOver("Rényi DP", "1e-5", accounted("rdp-cks", step)),
			}}},
		},
		{
			ID: "2-fig4", Paper: paper2, Title: "Figure 4: both directions of the Poisson sampled Gaussian mechanism",
			Parameters: "σ = 1, γ = 0.5",
			Says:       "H_α of removal is the larger one for α ≥ 1, that of addition for α < 1.",
			Note:       "α = e^ε. At α = 1 both are equal.",
			Statements: []Statement{
				ratio("removal over addition at α = 1.5", deltaAtGrowth(remove, "1.5"), deltaAtGrowth(add, "1.5"), "1", ""),
				ratio("removal over addition at α = 1.1", deltaAtGrowth(remove, "1.1"), deltaAtGrowth(add, "1.1"), "1", ""),
				ratio("addition over removal at α = 0.75", deltaAtGrowth(add, "0.75"), deltaAtGrowth(remove, "0.75"), "1", ""),
				ratio("addition over removal at α = 0.9", deltaAtGrowth(add, "0.9"), deltaAtGrowth(remove, "0.9"), "1", ""),
			},
			Figures: []Figure{{Title: "H_α", X: "α", Y: "H_α", GrowthX: true, At: spaced("-1", "1.1", 43), Curves: []Curve{profileOf("removal", remove), profileOf("addition", add)}}},
		},
	}
}
