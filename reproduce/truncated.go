// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"fmt"
	"math/big"

	"dpverify/figure"
	"dpverify/mechanism"
)

const paper3 = "Sommer, Abfalterer, Zingg & Mohammadi, Learning Numeric Optimal Differentially Private Truncated Additive Mechanisms (2021)"

// truncatedNoise has the baselines of paper 3: truncated Gaussian noise, which its learned
// noise is compared with. The learned noise is not printed.
func truncatedNoise() []Entry {
	rounds := []int64{8, 16, 32, 64, 128}
	eps := rat("0.3")
	curves := func(noise func(sigma *big.Rat) mechanism.Event) []Curve {
		var cs []Curve
		for _, n := range rounds {
			cs = append(cs, Curve{fmt.Sprintf("n = %d", n), func(sigma *big.Rat) Quantity {
				return deltaAt(both(times(n, noise(sigma))), eps)
			}, figure.Unknown}) // that it falls with σ is the paper's statement, not a theorem
		}
		return cs
	}
	plain := func(sigma *big.Rat) mechanism.Event {
		return mechanism.TruncatedGaussian{Sigma: sigma, Sensitivity: rat("1"), Radius: rat("500")}
	}
	wide := func(sigma *big.Rat) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: rat("0.1"), Event: plain(sigma)}
	}
	falls := func(text string, noise func(*big.Rat) mechanism.Event, n int64, less, more string) Statement {
		return ratio(text, deltaAt(both(times(n, noise(rat(more)))), eps), deltaAt(both(times(n, noise(rat(less)))), eps), "", "0.999")
	}
	const parameters = ", truncated at ±500, n = 8, 16, 32, 64, 128, ε = 0.3. The standard deviations are not printed: they were fitted to the learned noise, and are a range here"
	return []Entry{
		{
			ID: "3-baseline", Paper: paper3, Title: "Figure 3, baseline: truncated Gaussian noise",
			Parameters: "sensitivity 1" + parameters,
			Says:       "δ at ε = 0.3 of truncated Gaussian noise, against which the learned noise is measured: it falls as the variance grows.",
			Note:       "The learned noise itself is not printed and is not here.",
			Statements: []Statement{
				falls("δ(0.3) at σ = 40 over that at σ = 20, n = 8", plain, 8, "20", "40"),
				falls("the same, n = 128", plain, 128, "20", "40"),
			},
			Figures: []Figure{{Title: "δ(0.3) over the standard deviation", X: "σ", Y: "δ", LogY: true, At: spaced("10", "100", 19), Scale: rat("1e-24"), Curves: curves(plain)}},
		},
		{
			ID: "3-dpsgd", Paper: paper3, Title: "Figure 4, baseline: truncated Gaussian noise in DP-SGD",
			Parameters: "q = 0.1, C = 1" + parameters,
			Says:       "The same for a Poisson sample, as DP-SGD takes it.",
			Note:       "The learned noise itself is not printed and is not here.",
			Statements: []Statement{
				falls("δ(0.3) at σ = 8 over that at σ = 4, n = 8", wide, 8, "4", "8"),
				falls("the same, n = 128", wide, 128, "4", "8"),
			},
			Figures: []Figure{{Title: "δ(0.3) over the standard deviation", X: "σ", Y: "δ", LogY: true, At: spaced("2", "10", 9), Curves: curves(wide)}},
		},
	}
}
