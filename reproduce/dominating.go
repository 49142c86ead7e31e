// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/figure"
	"dpverify/mechanism"
	"dpverify/reproduce/accountants"
)

const paper2 = "Zhu, Dong & Wang, Optimal Accounting of Differential Privacy via Characteristic Function (AISTATS 2022)"

// testsOfCurve is the trade-off function that follows from R_α ≤ ρα at some orders, also below 1, as appendix F has it.
func testsOfCurve(rho string, x *big.Rat) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		var gs []renyi.Guarantee
		for _, alpha := range []string{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.1", "1.25", "1.5", "2", "3", "4", "6", "10", "20"} {
			a := rat(alpha)
			gs = append(gs, renyi.Guarantee{Order: a, Value: new(big.Rat).Mul(a, rat(rho))})
		}
		return renyi.TradeOff(gs)(ctx, 24, x)
	})
}

func dominating() []Entry {
	gm, rr := both(gaussian("1")), both(guarantee("1", "0"))
	d4, d5 := rat("1e-4"), rat("1e-5")
	ks := counts(1, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)

	response := mechanism.FinitePair{
		P: []*big.Rat{rat("0.52"), rat("0.48")},
		Q: []*big.Rat{rat("0.48"), rat("0.52")},
	}
	step := sampled("0.01", gaussian("2"))
	halfStep := sampled("0.5", gaussian("1"))
	remove, add := oneWay(halfStep, mechanism.Remove), oneWay(halfStep, mechanism.Add)

	dominated := func(order string) Statement {
		q := rat(order)
		return below("R_α of randomized response over the R_α of the Gaussian, α = "+order, "satisfies the same RDP", divergenceAt(rr, q), divergenceAt(gm, q))
	}
	// What follows from R_α ≤ α/2 of all orders above 1, for every mechanism that has it.
	worst := both(mechanism.ZCDP{Rho: rat("1/2"), Xi: new(big.Rat)})
	turns := func(k int64) mechanism.Event {
		return times(k/2, mechanism.Composed{Events: []mechanism.Event{gaussian("5"), response}})
	}
	mixed := func(k int64) subject { return both(turns(k)) }
	exp1 := func(name string, k int64, sigma string) Statement {
		return near(name, "exactly matches", measured(accountants.ByLevy(times(k, gaussian(sigma))).Epsilon(1e-4)), epsilonAt(both(times(k, gaussian(sigma))), d4), "0.0001")
	}
	looser := func(name string, k int64, sigma, least, most string) Statement {
		return pinned(name, "strictly outperforms the RDP accountant", epsilonAt(derivation("rdp-mironov", times(k, gaussian(sigma))), d4), least, most).over(epsilonAt(both(times(k, gaussian(sigma))), d4))
	}
	steps := func(k int64) mechanism.Event { return times(k, step) }
	cellsMin, cellsMax := accountants.ByCells(steps(1500), 50, 100_000) // S = 100 with σ = 2
	estimate := func(name string, delta float64, e mechanism.Event) Curve {
		return Curve{name, func(k *big.Rat) Quantity {
			return measured(accountants.ByLevy(times(k.Num().Int64(), e)).Epsilon(delta))
		}, figure.Unknown}
	}
	return []Entry{
		{
			ID: "2-fig1", Paper: paper2, Title: "Figure 1: Rényi DP does not determine (ε, δ)",
			Parameters: "the Gaussian mechanism with σ = 1, randomized response with p = e/(1 + e)",
			Says:       "Randomized response satisfies the Rényi curve α/2 of the Gaussian mechanism. The latter is (0.277, 0.3)-DP, and the former is not (ε, 0.3)-DP for any ε < 0.471.",
			Note:       "The text calls the curve 1-zCDP; R_α ≤ α/2 is ½-zCDP. The domination is checked at the orders listed.",
			Statements: []Statement{
				dominated("0.5"), dominated("2"), dominated("4"), dominated("8"), dominated("20"),
				prints("the least ε of the Gaussian at δ = 0.3", epsilonAt(gm, rat("0.3")), "0.277"),
				prints("the least ε of randomized response at δ = 0.3", epsilonAt(rr, rat("0.3")), "0.471"),
				ours(above("the least ε at δ = 0.3 that follows from the Rényi curve, over the ε of the Gaussian", "", epsilonAt(worst, rat("0.3")), epsilonAt(gm, rat("0.3")))),
			},
			Figures: []Figure{
				{Title: "(a) Rényi divergence", X: "α", Y: "R_α (nats)", At: spaced("0.25", "10", 40), Curves: []Curve{
					{"Gaussian", func(q *big.Rat) Quantity { return divergenceAt(gm, q) }, figure.Divergence},
					{"randomized response", func(q *big.Rat) Quantity { return divergenceAt(rr, q) }, figure.Divergence}}},
				{Title: "(b) trade-off functions", X: "type I error", Y: "type II error", At: spaced("0.02", "0.98", 25), Curves: []Curve{
					{"Gaussian", func(x *big.Rat) Quantity { return tradeOffAt(gm, x) }, figure.TradeOff},
					{"randomized response", func(x *big.Rat) Quantity { return tradeOffAt(rr, x) }, figure.TradeOff},
					{"what follows from the Rényi curve", func(x *big.Rat) Quantity { return testsOfCurve("1/2", x) }, figure.TradeOff}}},
				{Title: "(c) privacy profiles", X: "ε (nats)", Y: "δ", At: spaced("0", "2", 41), Curves: []Curve{profileOf("Gaussian", gm), profileOf("randomized response", rr), profileOf("what the Rényi curve allows", worst)}},
			},
		},
		{
			ID: "2-exp1", Paper: paper2, Title: "Experiment 1, Figure 3(a): the Gaussian mechanism",
			Parameters: "σ = 50 and 100, δ = 1e-4; the numbers of compositions are not printed, ours are up to 1000",
			Says:       "The analytical Fourier accountant matches the exact ε of the analytic Gaussian mechanism, and Rényi DP gives strictly more.",
			Note:       "The AFA is computed in float64 as in the paper, by Lévy's formula. That Rényi DP gives no less than what is exact is a theorem; how much more is compared.",
			Statements: []Statement{
				exp1("AFA over exact ε, σ = 50, 1000 compositions", 1000, "50"), exp1("AFA, σ = 100, 1000 compositions", 1000, "100"), exp1("AFA, σ = 100, 50 compositions", 50, "100"),
				looser("Rényi DP over exact ε, σ = 50, 1000 compositions", 1000, "50", "1.28", "1.34"),
				looser("Rényi DP, σ = 100, 1000 compositions", 1000, "100", "1.36", "1.43"), looser("Rényi DP, σ = 100, 50 compositions", 50, "100", "1.6", "1.68"),
			},
			Figures: []Figure{{Title: "ε over the number of compositions", X: "compositions", Y: "ε (nats) at δ = 1e-4", At: ks, Curves: []Curve{
				epsilonOver("exact, σ = 50", "1e-4", composed(gaussian("50"))), epsilonOver("Rényi DP, σ = 50", "1e-4", accounted("rdp-mironov", gaussian("50"))),
				epsilonOver("exact, σ = 100", "1e-4", composed(gaussian("100"))), epsilonOver("Rényi DP, σ = 100", "1e-4", accounted("rdp-mironov", gaussian("100"))),
				estimate("AFA, σ = 50", 1e-4, gaussian("50")), estimate("AFA, σ = 100", 1e-4, gaussian("100")),
			}}},
		},
		{
			ID: "2-exp2", Paper: paper2, Title: "Experiment 2, Figure 3(b): Gaussian mechanisms and randomized response in turn",
			Parameters: "σ = 5, p = 0.52, ε = 2, k/2 of each; the values of k are not printed, ours are up to 200",
			Says:       "δ(2) over k; the Fourier accountants agree, and Rényi DP gives more.",
			Note:       "FA is the accountant of Koskela & Honkela 2021 as published, each loss rounded up; the AFA is in float64 by Lévy's formula.",
			Statements: []Statement{
				near("δ(2) by AFA over exact δ(2), k = 100", "exact", measured(accountants.ByLevy(turns(100)).Delta(2)), deltaAt(mixed(100), rat("2")), "0.0001"),
				near("δ(2) by FA over that by AFA, k = 100, n = 100,000, L = 10", "Our numerical result matches FA", measured(accountants.Koskela(50, turns(2), 100_000, 2)), measured(accountants.ByLevy(turns(100)).Delta(2)), "0.02"),
				Statement{Text: "points of quadrature for δ(2), k = 100", Of: measured(accountants.ByLevy(turns(100)).Points(2, 0)), Claim: AtMost, Printed: "a few hundreds points"}.in("", "1000"),
				pinned("Rényi DP over exact ε at δ = 1e-4, k = 100", "substantially tighter", epsilonAt(derivation("rdp-mironov", turns(100)), d4), "1.19", "1.25").over(epsilonAt(mixed(100), d4)),
			},
			Figures: []Figure{{Title: "δ(2) over the number of compositions", X: "compositions k", Y: "δ", LogY: true, At: counts(20, 40, 60, 80, 100, 120, 140, 160, 180, 200), Scale: rat("1e-24"), Curves: []Curve{
				{"exact", func(k *big.Rat) Quantity { return deltaAt(mixed(k.Num().Int64()), rat("2")) }, figure.Rising},
				{"AFA", func(k *big.Rat) Quantity { return measured(accountants.ByLevy(turns(k.Num().Int64())).Delta(2)) }, figure.Unknown},
				{"FA", func(k *big.Rat) Quantity {
					return measured(accountants.Koskela(k.Num().Int64()/2, turns(2), 100_000, 2))
				}, figure.Unknown},
				{"Rényi DP", func(k *big.Rat) Quantity { return deltaAt(derivation("rdp-mironov", turns(k.Num().Int64())), rat("2")) }, figure.Rising},
			}}},
		},
		{
			ID: "2-exp3", Paper: paper2, Title: "Experiment 3, Figure 3(c): the Poisson sampled Gaussian mechanism",
			Parameters: "γ = 0.01, σ = 2, δ = 1e-5, up to 1500 compositions",
			Says:       "All Fourier accountants agree and are below Rényi DP, converted by the rule of Balle et al. 2020.",
			Note:       "The discretisation of the paper (Lemma 40) multiplies densities by a cell's width and is no bound; the figure's agreement is one of approximations. Ours are enclosures. Algorithm 2 also has a second-order form with an error bound of its own; δ_min and δ_max by the least and the greatest loss of a cell are as the paper has them, with the masses of the cells: they are far apart at 1500 compositions. The conversion here comes from Canonne, Kamath & Steinke, which is the same rule.",
			Statements: []Statement{
				near("δ(1) by double quadrature over exact δ(1), 1500 compositions", "matches the result from FA", measured(accountants.ByLevy(steps(1500)).Delta(1)), deltaAt(both(steps(1500)), rat("1")), "0.0001"),
				above("ε at δ = 1e-5 by δ_max of Algorithm 2 over the ε by double quadrature, 1500 compositions, S = 100, N = 100,000", "lines between our lower and upper bounds", measured(cellsMax.Epsilon(1e-5)), measured(accountants.ByLevy(steps(1500)).Epsilon(1e-5))),
				below("the same by δ_min", "lines between our lower and upper bounds", measured(cellsMin.Epsilon(1e-5)), measured(accountants.ByLevy(steps(1500)).Epsilon(1e-5))),
				pinned("δ_max − δ_min at ε = 1, N = 100,000 over N = 20,000", "can match the bounds from FA by increasing sample points n", measured(accountants.Gap(steps(1500), 50, 100_000, 1)), "0.212", "0.232").over(measured(accountants.Gap(steps(1500), 50, 20_000, 1))),
				shown("ε by δ_max over ε by δ_min, N = 100,000: what they leave open", measured(cellsMax.Epsilon(1e-5)), "2.1", "2.25").over(measured(cellsMin.Epsilon(1e-5))),
				near("δ(1) by Algorithm 2 in its second-order form over exact δ(1), 1500 compositions", "can match the bounds from FA by increasing sample points n", deltaAt(byCells(steps(1500)), rat("1")), deltaAt(both(steps(1500)), rat("1")), "0.01"),
				near("δ(1) by FA over exact δ(1), 1500 compositions", "matches the result from FA", deltaAt(byGrid(steps(1500)), rat("1")), deltaAt(both(steps(1500)), rat("1")), "0.01"),
				pinned("Rényi DP over exact ε at 1500 compositions", "improve over the RDP-based accountant", epsilonAt(derivation("rdp-cks", steps(1500)), d5), "1.07", "1.12").over(epsilonAt(both(steps(1500)), d5)),
			},
			Figures: []Figure{{Title: "ε over the number of compositions", X: "compositions", Y: "ε (nats) at δ = 1e-5", At: counts(100, 500, 1000, 1500), Curves: []Curve{
				epsilonOver("exact", "1e-5", composed(step)), epsilonOver("Rényi DP", "1e-5", accounted("rdp-cks", step)),
				estimate("double quadrature", 1e-5, step),
			}}},
		},
		{
			ID: "2-table3", Paper: paper2, Title: "Table 3: points of the accountants",
			Parameters: "the Gaussian mechanism with σ = 50, k of 25 and 100; ours, as the table is about orders of growth",
			Says:       "The number of points that an accountant needs on a grid grows with the number of compositions: with k/δ_err for Koskela & Honkela 2021, with √k·log(1/δ_err)/ε_err for Gopi et al. 2021. The analytical Fourier accountant composes in O(1), and its quadrature takes O(δ_err^(−1/α)) for an integrand that is differentiable α times.",
			Note:       "For Koskela & Honkela, the width that their own rounding up and down leaves at δ(0) is scaled to 1e-6. Gopi et al. need 2L/h points by their Theorem 5.5 and Remark 5.6: 1/h grows with √k and √log(1/δ_err), and so does L where the losses are not small, so that four times the compositions need more than twice the points.",
			Statements: []Statement{
				pinned("Koskela & Honkela: points for k = 100 over points for k = 25", "n = O(k/δ_err)", measured(accountants.KoskelaPoints(100, gaussian("50"), 1<<16)), "3.7", "4").over(measured(accountants.KoskelaPoints(25, gaussian("50"), 1<<16))),
				near("the same, found with 2^18 points over with 2^14: what they leave open is proportional to 1/n", "n = O(k/δ_err)", measured(accountants.KoskelaPoints(25, gaussian("50"), 1<<18)), measured(accountants.KoskelaPoints(25, gaussian("50"), 1<<14)), "0.01"),
				pinned("Gopi et al.: points for k = 100 over points for k = 25", "n = O(√k log(1/δ_err)/ε_err)", measured(accountants.PRVPoints(100, gaussian("50"), 1e-10)), "2.3", "2.5").over(measured(accountants.PRVPoints(25, gaussian("50"), 1e-10))),
				pinned("Gopi et al.: points for δ_err = 1e-20 over points for 1e-10", "n = O(√k log(1/δ_err)/ε_err)", measured(accountants.PRVPoints(25, gaussian("50"), 1e-20)), "1.44", "1.52").over(measured(accountants.PRVPoints(25, gaussian("50"), 1e-10))),
				pinned("AFA: points of quadrature for k = 100 over points for k = 25", "O(1)", measured(accountants.ByLevy(times(100, gaussian("50"))).Points(0.1, 1e-10)), "0.79", "0.85").over(measured(accountants.ByLevy(times(25, gaussian("50"))).Points(0.1, 1e-10))),
				pinned("AFA: points of quadrature for δ_err = 1e-12 over points for 1e-4", "adapts to the structures of the ϕ functions being integrated", measured(accountants.ByLevy(times(100, gaussian("50"))).Points(0.1, 1e-12)), "2.8", "3").over(measured(accountants.ByLevy(times(100, gaussian("50"))).Points(0.1, 1e-4))),
			},
		},
		{
			ID: "2-fig4", Paper: paper2, Title: "Figure 4: both directions of the Poisson sampled Gaussian mechanism",
			Parameters: "σ = 1, γ = 0.5",
			Says:       "H_α of removal is the larger one for α ≥ 1, H_α of addition for α < 1.",
			Note:       "α = e^ε. At α = 1 both are equal.",
			Statements: []Statement{
				above("removal over addition at α = 1.5", "dominates the region", deltaAtGrowth(remove, "1.5"), deltaAtGrowth(add, "1.5")),
				above("removal over addition at α = 1.1", "dominates the region", deltaAtGrowth(remove, "1.1"), deltaAtGrowth(add, "1.1")),
				above("addition over removal at α = 0.75", "dominates the region", deltaAtGrowth(add, "0.75"), deltaAtGrowth(remove, "0.75")),
				above("addition over removal at α = 0.9", "dominates the region", deltaAtGrowth(add, "0.9"), deltaAtGrowth(remove, "0.9")),
			},
			Figures: []Figure{{Title: "H_α", X: "α", Y: "H_α", GrowthX: true, At: spaced("-1", "1.1", 43), Curves: []Curve{profileOf("removal", remove), profileOf("addition", add), profileOf("the greater of the two", both(halfStep))}}},
		},
	}
}
