// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"math/big"

	"dpverify/mechanism"
)

const paper1 = "Meiser & Mohammadi, Tight on Budget? (CCS 2018)"

// The default noise of paper 1, Section 5.2: σ = 200√2, as many digits as a float64 has,
// truncated 2500 from the mean, at sensitivity 1.
const sigma1 = "282.842712474619"

func truncatedGaussian(sigma, sensitivity, radius string) mechanism.Event {
	return mechanism.TruncatedGaussian{Sigma: rat(sigma), Sensitivity: rat(sensitivity), Radius: rat(radius)}
}

func truncatedLaplace(scale, sensitivity, radius string) mechanism.Event {
	return mechanism.TruncatedLaplace{Scale: rat(scale), Sensitivity: rat(sensitivity), Radius: rat(radius)}
}

// coverUp stands in for CoverUp's measured delays, which the paper does not print: 64 bins,
// binomial noise of 58 fair coins, and moved by 5 bins for whoever takes part; 1 in 1000 of
// both is uniform over the bins, as outliers are.
func coverUp() mechanism.Event {
	const bins, coins, moved = 64, 58, 5
	law := func(shift int) []*big.Rat {
		out := make([]*big.Rat, bins)
		for i := range out {
			c := new(big.Int)
			if j := i - shift; 0 <= j && j <= coins {
				c.Binomial(coins, int64(j))
			}
			x := new(big.Rat).SetFrac(c, new(big.Int).Lsh(big.NewInt(1), coins))
			out[i] = x.Add(x.Mul(x, big.NewRat(999, 1000)), big.NewRat(1, 1000*bins))
		}
		return out
	}
	return mechanism.FinitePair{P: law(0), Q: law(moved)}
}

func buckets() []Entry {
	truncated := truncatedGaussian(sigma1, "1", "2500")
	once, many := both(truncated), both(times(512, truncated))
	// The guarantee that stands in for "the same (ε, δ)" of Figure 2.
	const epsilon0, delta0 = "0.0132", "9e-8"
	worst := guarantee(epsilon0, delta0)
	worstMany := both(times(512, worst))

	response := mechanism.FinitePair{
		P: []*big.Rat{rat("0.51"), rat("0.49")},
		Q: []*big.Rat{rat("0.49"), rat("0.51")},
	}
	// ½·log(51/49)² = 0.00080021…, rounded up.
	responseCDP := mechanism.ZCDP{Rho: rat("0.000800214"), Xi: new(big.Rat)}
	responses := both(times(512, response))

	lap := laplace("200")
	laps := both(times(512, lap))
	lapsKOV := both(times(512, guarantee("1/200", "0")))
	step := sampled("0.01", gaussian("4"))
	sgd := both(times(65536, step))
	cover := both(times(512, coverUp()))

	gauss := gaussian(sigma1)
	gausses := both(times(512, gauss))
	d4, d5 := rat("1e-4"), rat("1e-5")

	tlap := truncatedLaplace("200", "1", "2500")
	halved := truncatedGaussian("200", "1", "2500")
	tlaps, halveds := both(times(512, tlap)), both(times(512, halved))
	plateau := rat("5") // beyond all finite losses that matter

	ks := counts(1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 320, 384, 448, 512)
	steps := counts(16, 256, 1024, 4096, 8192, 16384, 32768, 49152, 65536)

	return []Entry{
		{
			ID: "1-fig1", Paper: paper1, Title: "Figure 1: δ(ε) of the truncated Gauss mechanism",
			Parameters: "not printed; those of Section 5.2: σ = 200√2 (15 digits), truncated at ±2500, sensitivity 1",
			Says:       "A truncated Gauss mechanism has a whole curve δ(ε), not one pair.",
			Statements: []Statement{
				ours(stated("δ(0) is the total variation distance, about 1/(σ√(2π))", deltaAt(once, new(big.Rat)), "0.00141", "0.001411")),
				ours(stated("truncation leaves some δ at every ε", deltaAt(once, plateau), "1e-21", "1e-19")),
			},
			Figures: []Figure{{Title: "truncated Gauss", X: "ε (nats)", Y: "δ", LogY: true, At: spaced("0", "0.03", 61), Scale: rat("1e-24"), Curves: []Curve{profileOf("truncated Gauss", once)}}},
		},
		{
			ID: "1-fig2", Paper: paper1, Title: "Figure 2: the truncated Gauss mechanism against the worst (ε, δ) mechanism",
			Parameters: "r up to 512, δ = 1e-4; σ as in Section 5.2. The pair (ε, δ) is not printed; ours is (" + epsilon0 + ", " + delta0 + "), a point above the curve of the Gauss mechanism",
			Says:       "Both start alike, and under composition the worst mechanism with the pair soon needs far more ε.",
			Note:       "With δ = 1e-4 in every round, as the caption suggests, the worst mechanism has no finite ε from the second round on.",
			Statements: []Statement{
				ours(stated("the Gauss mechanism satisfies the pair that we chose", deltaAt(once, rat(epsilon0)), "", delta0)),
				ratio("after 512 rounds the worst mechanism needs more ε", epsilonAt(worstMany, d4), epsilonAt(many, d4), "1.5", ""),
			},
			Figures: []Figure{growthOverCount("e^ε over the number of compositions", "1e-4", ks,
				epsilonOver("truncated Gauss", "1e-4", composed(truncated)), epsilonOver("worst (ε, δ) mechanism", "1e-4", composed(worst)))},
		},
		{
			ID: "1-fig11", Paper: paper1, Title: "Figure 11: randomized response",
			Parameters: "p = 0.51, r = 512; r up to 512 at δ = 1e-4",
			Says:       "Tight bounds are clearly better than those of CDP, which are better than those of RDP. KOV is tight for randomized response.",
			Note:       "The Rényi curve of randomized response lies below the line that its ½·log(51/49)²-zCDP states, so Mironov's conversion over all real orders cannot be worse than that of CDP.",
			Statements: []Statement{
				ratio("CDP over tight ε at 512 rounds", epsilonAt(derivation("zcdp-bs", times(512, responseCDP)), d4), epsilonAt(responses, d4), "1.0001", ""),
				ratio("RDP over CDP", epsilonAt(derivation("rdp-mironov", times(512, response)), d4), epsilonAt(derivation("zcdp-bs", times(512, responseCDP)), d4), "1.0001", ""),
			},
			Figures: []Figure{
				deltaOverGrowth("512 compositions", "6", profileOf("tight", responses)),
				growthOverCount("e^ε over the number of compositions", "1e-4", ks,
					epsilonOver("tight", "1e-4", composed(response)), epsilonOver("CDP", "1e-4", accounted("zcdp-bs", responseCDP)),
					epsilonOver("RDP", "1e-4", accounted("rdp-mironov", response))),
			},
		},
		{
			ID: "1-fig12-laplace", Paper: paper1, Title: "Figure 12: the Laplace mechanism, and KOV",
			Parameters: "scale 200, sensitivity 1, r = 512; KOV from ε = 1/200",
			Says:       "For Laplace noise the optimal composition theorem (KOV) is tight.",
			Note:       "It is close for little noise only: the same statement is false at scale 1, where five compositions have the ratio that is shown.",
			Statements: []Statement{
				ratio("δ of KOV over the tight δ at ε = 0.25", deltaAt(lapsKOV, rat("0.25")), deltaAt(laps, rat("0.25")), "1", "1.05"),
				ours(ratio("the same at scale 1, r = 5, ε = 1", deltaAt(both(times(5, guarantee("1", "0"))), rat("1")), deltaAt(both(times(5, laplace("1"))), rat("1")), "1.05", "")),
			},
			Figures: []Figure{deltaOverGrowth("Laplace, 512 compositions", "0.7", profileOf("tight", laps), profileOf("KOV", lapsKOV))},
		},
		{
			ID: "1-fig12-gauss", Paper: paper1, Title: "Figure 12: the truncated Gauss mechanism",
			Parameters: "σ = 200√2, truncated at ±2500, r = 512. The pair that KOV starts from is (" + epsilon0 + ", " + delta0 + "); the paper takes the best of many",
			Says:       "For the Gauss mechanism KOV is far from tight.",
			Statements: []Statement{
				ratio("δ of KOV over the tight δ at ε = 0.25", deltaAt(worstMany, rat("0.25")), deltaAt(many, rat("0.25")), "10", ""),
			},
			Figures: []Figure{deltaOverGrowth("truncated Gauss, 512 compositions", "0.7", profileOf("tight", many), profileOf("KOV", worstMany))},
		},
		{
			ID: "1-fig12-coverup", Paper: paper1, Title: "Figure 12: the CoverUp mechanism",
			Parameters: "r = 512. The measured delays are not printed. The stand-in is a histogram of 64 bins: binomial noise of 58 fair coins, moved by 5 bins, and 1 in 1000 uniform over all bins",
			Says:       "The bounds hold for histograms of measurements.",
			Note:       "The curve is that of the stand-in, not of CoverUp.",
			Figures:    []Figure{deltaOverGrowth("histogram, 512 compositions", "7", profileOf("stand-in, twice", both(times(2, coverUp()))), profileOf("stand-in, 512", cover))},
		},
		{
			ID: "1-fig12-sgd", Paper: paper1, Title: "Figure 12: stochastic gradient descent",
			Parameters: "σ = 4, q = 0.01, r = 65536 = 2^16",
			Says:       "δ(ε) of DP-SGD, better than the moments accountant. Section 5.4 calls r = 2^16 640 epochs.",
			Note:       "640 epochs of 1/q = 100 steps are 64000 steps, not 65536.",
			Statements: []Statement{
				ratio("the moments accountant's ε over the tight one at δ = 1e-5", epsilonAt(derivation("moments-accountant", times(65536, step)), d5), epsilonAt(sgd, d5), "1.0001", ""),
				ours(stated("the least ε at δ = 1e-5", epsilonAt(sgd, d5), "2.6811", "2.6812")),
			},
			Figures: []Figure{deltaOverGrowth("DP-SGD, 65536 steps", "3", profileOf("tight", sgd))},
		},
		{
			ID: "1-fig13", Paper: paper1, Title: "Figure 13: Rényi DP and concentrated DP for the Gauss mechanism",
			Parameters: "σ² = 2·200² (σ to 15 digits), r = 512; r up to 512 at δ = 1e-5",
			Says:       "The conversions of Rényi DP (as the moments accountant makes it) and of CDP give more ε than is needed; that of CDP is tighter.",
			Statements: []Statement{
				ratio("CDP over tight ε", epsilonAt(derivation("zcdp-bs", times(512, gauss)), d5), epsilonAt(gausses, d5), "1.0001", ""),
				ratio("the moments accountant, integer orders to 32, over CDP", epsilonAt(derivation("moments-accountant", times(512, gauss)), d5), epsilonAt(derivation("zcdp-bs", times(512, gauss)), d5), "1.0001", ""),
				ours(ratio("Mironov's conversion over all real orders is that of CDP", epsilonAt(derivation("rdp-mironov", times(512, gauss)), d5), epsilonAt(derivation("zcdp-bs", times(512, gauss)), d5), "0.999", "1.001")),
			},
			Figures: []Figure{
				deltaOverGrowth("Gauss, 512 compositions", "0.7", profileOf("tight", gausses)),
				growthOverCount("e^ε over the number of compositions", "1e-5", ks,
					epsilonOver("tight", "1e-5", composed(gauss)), epsilonOver("CDP", "1e-5", accounted("zcdp-bs", gauss)),
					epsilonOver("moments accountant", "1e-5", accounted("moments-accountant", gauss))),
			},
		},
		{
			ID: "1-fig14", Paper: paper1, Title: "Figure 14: truncated Laplace against truncated Gauss noise",
			Parameters: "sensitivity 1, truncated at ±2500; Laplace scale 200, Gauss σ = 200√2 (equal variance) and σ = 200 (half of it); r = 512, δ = 0.01, 0.001, 0.0001",
			Says:       "At equal variance Gauss noise needs less ε, and its curve levels out at a δ four orders of magnitude lower. At half the variance the two need almost the same ε.",
			Note:       "The levels differ by far more than four orders: at σ = 200√2 the Gauss density at the cut is 11 orders below the Laplace density. The figure's level is that of rounding in float64.",
			Statements: []Statement{
				ratio("Laplace over Gauss ε of equal variance at δ = 1e-4", epsilonAt(tlaps, d4), epsilonAt(many, d4), "1.2", ""),
				ratio("Laplace over Gauss ε of half the variance at δ = 0.01", epsilonAt(tlaps, rat("0.01")), epsilonAt(halveds, rat("0.01")), "0.98", "1.02"),
				ratio("the same at δ = 0.001", epsilonAt(tlaps, rat("0.001")), epsilonAt(halveds, rat("0.001")), "0.98", "1.02"),
				ratio("the same at δ = 0.0001", epsilonAt(tlaps, d4), epsilonAt(halveds, d4), "0.98", "1.02"),
				ratio("Laplace over Gauss δ, of equal variance, where both level out", deltaAt(tlaps, plateau), deltaAt(many, plateau), "1e3", "1e5"),
			},
			Figures: []Figure{
				deltaOverGrowth("512 compositions", "0.7", profileOf("Laplace, scale 200", tlaps), profileOf("Gauss, σ = 200√2", many), profileOf("Gauss, σ = 200", halveds)),
				growthOverCount("e^ε over the number of compositions", "1e-4", ks,
					epsilonOver("Laplace, scale 200", "1e-4", composed(tlap)), epsilonOver("Gauss, σ = 200√2", "1e-4", composed(truncated)), epsilonOver("Gauss, σ = 200", "1e-4", composed(halved))),
			},
		},
		{
			ID: "1-fig22", Paper: paper1, Title: "Figure 22: the moments accountant",
			Parameters: "σ = 4, q = 0.01, δ = 1e-5, steps up to 65536",
			Says:       "Moments from buckets and those of the original moments accountant coincide.",
			Note:       "Ours are enclosures of the moments themselves, at integer orders up to 32, as in the original; its published ε at 10,000 steps is 1.26.",
			Statements: []Statement{
				stated("the moments accountant's ε at 10,000 steps", epsilonAt(derivation("moments-accountant", times(10000, step)), d5), "1.25", "1.265"),
			},
			Figures: []Figure{growthOverCount("e^ε over the number of steps", "1e-5", steps,
				epsilonOver("moments accountant", "1e-5", accounted("moments-accountant", step)), epsilonOver("tight", "1e-5", composed(step)))},
		},
	}
}
