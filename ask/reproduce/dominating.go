// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"math/big"

	"dpverify/exact/conversion"
	"dpverify/exact/interval"
	"dpverify/internal/figure"
	"dpverify/internal/others/accountants"
	"dpverify/mechanism"
)

// testsOfCurve is the trade-off function that follows from R_α ≤ ρα at some orders, also below 1, as appendix F has it.
func testsOfCurve(rho string, x *big.Rat) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		var gs []conversion.Guarantee
		for _, alpha := range []string{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.1", "1.25", "1.5", "2", "3", "4", "6", "10", "20"} {
			a := rat(alpha)
			gs = append(gs, conversion.Guarantee{Order: a, Value: new(big.Rat).Mul(a, rat(rho))})
		}
		return conversion.TradeOff(gs)(ctx, 24, x)
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
			ID: "2-fig1",
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
			ID: "2-exp1",
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
			ID: "2-exp2",
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
			ID: "2-exp3",
			Statements: []Statement{
				near("δ(1) by double quadrature over exact δ(1), 1500 compositions", "matches the result from FA", measured(accountants.ByLevy(steps(1500)).Delta(1)), deltaAt(both(steps(1500)), rat("1")), "0.0001"),
				above("ε at δ = 1e-5 by δ_max of Algorithm 2 over the ε by double quadrature, 1500 compositions, S = 100, N = 100,000", "lines between our lower and upper bounds", measured(cellsMax.Epsilon(1e-5)), measured(accountants.ByLevy(steps(1500)).Epsilon(1e-5))),
				below("the same by δ_min", "lines between our lower and upper bounds", measured(cellsMin.Epsilon(1e-5)), measured(accountants.ByLevy(steps(1500)).Epsilon(1e-5))),
				pinned("δ_max − δ_min at ε = 1, N = 100,000 over N = 20,000", "can match the bounds from FA by increasing sample points n", measured(accountants.Gap(steps(1500), 50, 100_000, 1)), "0.212", "0.232").over(measured(accountants.Gap(steps(1500), 50, 20_000, 1))),
				shown("ε by δ_max over ε by δ_min, N = 100,000: what they leave open", measured(cellsMax.Epsilon(1e-5)), "2.1", "2.25").over(measured(cellsMin.Epsilon(1e-5))),
				near("δ(1) by FA over exact δ(1), 1500 compositions", "matches the result from FA", deltaAt(byGrid(steps(1500)), rat("1")), deltaAt(both(steps(1500)), rat("1")), "0.01"),
				pinned("Rényi DP over exact ε at 1500 compositions", "improve over the RDP-based accountant", epsilonAt(derivation("rdp-cks", steps(1500)), d5), "1.07", "1.12").over(epsilonAt(both(steps(1500)), d5)),
			},
			Figures: []Figure{{Title: "ε over the number of compositions", X: "compositions", Y: "ε (nats) at δ = 1e-5", At: counts(100, 500, 1000, 1500), Curves: []Curve{
				epsilonOver("exact", "1e-5", composed(step)), epsilonOver("Rényi DP", "1e-5", accounted("rdp-cks", step)),
				estimate("double quadrature", 1e-5, step),
			}}},
		},
		{
			ID: "2-table3",
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
			ID: "2-fig4",
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
