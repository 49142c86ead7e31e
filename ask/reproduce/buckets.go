// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/internal/figure"
	"dpverify/mechanism"
)

// sigma1 is the default noise of paper 1, Section 5.2: σ = 200√2, as many digits as a float64 has,
// truncated 2500 from the mean, at sensitivity 1.
const sigma1 = "282.842712474619"

func truncatedGaussian(sigma, sensitivity, radius string) mechanism.Event {
	return mechanism.Truncated{Noise: mechanism.GaussianNoise, Width: rat(sigma), Sensitivity: rat(sensitivity), Radius: rat(radius)}
}

func truncatedLaplace(scale, sensitivity, radius string) mechanism.Event {
	return mechanism.Truncated{Width: rat(scale), Sensitivity: rat(sensitivity), Radius: rat(radius)}
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

// truncatedDensity is scale times the density of Gaussian noise around mean, truncated radius from it, at x.
func truncatedDensity(sigma, mean, radius string, scale interval.Real, x *big.Rat) Quantity {
	return measured(func(context.Context) (interval.Interval, error) {
		const p = interval.Prec(64)
		s, r := rat(sigma), rat(radius)
		d := new(big.Rat).Sub(x, rat(mean))
		if new(big.Rat).Abs(d).Cmp(r) > 0 {
			return interval.Int(0), nil
		}
		z := p.Rat(d.Quo(d, s))
		inside := p.Sub(interval.Int(1), p.Scale(p.NormalCDF(p.Rat(r.Quo(r, s)).Neg()), 1))
		y := p.Div(p.Exp(p.Scale(p.Sqr(z), -1).Neg()), p.Mul(p.Sqrt(p.Scale(p.Pi(), 1)), p.Mul(p.Rat(s), inside)))
		return p.Mul(y, scale(p)), nil
	})
}

// constant is a number as a quantity.
func constant(x interval.Real) Quantity {
	return measured(func(context.Context) (interval.Interval, error) { return x(64), nil })
}

// responseDensity is the probability of an event of M_(ε, δ), of four: a proof of A, both responses, a proof of B.
func responseDensity(eps, delta string, ofA bool, outcome int64) Quantity {
	if !ofA {
		outcome = 3 - outcome
	}
	return constant(func(p interval.Prec) interval.Interval {
		rest, e := p.Rat(new(big.Rat).Sub(rat("1"), rat(delta))), p.Exp(p.Rat(rat(eps)))
		below := p.Div(rest, p.Add(interval.Int(1), e))
		switch outcome {
		case 0:
			return p.Rat(rat(delta))
		case 1:
			return p.Mul(e, below)
		case 2:
			return below
		}
		return interval.Int(0)
	})
}

// by has the (ε, δ)-graphs that accounting methods derive for an event.
func by(e mechanism.Event, methods ...string) []Curve {
	names := map[string]string{"kov-profile": "KOV", "kov": "KOV", "zcdp-bs": "CDP", "moments-accountant": "moments accountant", "rdp-mironov": "RDP"}
	var out []Curve
	for _, m := range methods {
		out = append(out, profileOf(names[m], derivation(m, e)))
	}
	return out
}

func tightOnBudget() []Entry {
	truncated := truncatedGaussian(sigma1, "1", "2500")
	once, many := both(truncated), both(times(512, truncated))
	// The guarantee that stands in for "the same (ε, δ)" of Figure 2.
	const epsilon0, delta0 = "0.0132", "9e-8"
	worst := guarantee(epsilon0, delta0)
	worstMany := both(times(512, worst))
	one := func(interval.Prec) interval.Interval { return interval.Int(1) }

	response := mechanism.FinitePair{
		P: []*big.Rat{rat("0.51"), rat("0.49")},
		Q: []*big.Rat{rat("0.49"), rat("0.51")},
	}
	// ½·log(51/49)² = 0.00080021…, rounded up.
	responseCDP := mechanism.ZCDP{Rho: rat("0.000800214"), Xi: new(big.Rat)}
	responses := both(times(512, response))

	lap := laplace("200")
	laps := both(times(512, lap))
	lapsKOV := derivation("kov", times(512, guarantee("1/200", "0")))
	step := sampled("0.01", gaussian("4"))
	sgd := both(times(65536, step))
	cover := times(512, coverUp())

	gauss := gaussian(sigma1)
	gausses := both(times(512, gauss))
	d4, d5 := rat("1e-4"), rat("1e-5")

	tlap := truncatedLaplace("200", "1", "2500")
	halved := truncatedGaussian("200", "1", "2500")
	tlaps, halveds := both(times(512, tlap)), both(times(512, halved))
	plateau := rat("5") // beyond all finite losses that matter

	ks := counts(1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 320, 384, 448, 512)
	few := counts(1, 64, 256, 512)
	steps := counts(16, 256, 1024, 4096, 8192, 16384, 32768, 49152, 65536)
	stepBuckets := inBuckets(step, 50000)
	noises := spaced("-1000", "1000", 81)
	graph := func(title, end string, cs ...Curve) Figure {
		f := deltaOverGrowth(title, end, cs...)
		f.At, f.Scale = spaced("0", end, 15), rat("1e-8")
		return f
	}
	levels := func(name string, e mechanism.Event) []Curve {
		var out []Curve
		for _, delta := range []string{"0.01", "0.001", "0.0001"} {
			out = append(out, epsilonOver(name+", δ = "+delta, delta, composed(e)))
		}
		return out
	}
	kov := func(k int64, e mechanism.Event) Quantity {
		return epsilonAt(derivation("kov-profile", times(k, e)), d5)
	}

	most, thousands := inBuckets(times(1<<18, tlap), 50000), inBuckets(times(512, tlap), 5000)
	return []Entry{
		{
			ID: "1-fig1",
			Statements: []Statement{
				shown("δ(0) is the total variation distance, about 1/(σ√(2π))", deltaAt(once, new(big.Rat)), "0.00141", "0.001411"),
				shown("truncation leaves some δ at every ε", deltaAt(once, plateau), "1.55e-20", "1.56e-20"),
			},
			Figures: []Figure{
				{Title: "truncated Gauss", X: "ε (nats)", Y: "δ", LogY: true, At: spaced("0", "0.03", 61), Scale: rat("1e-24"), Curves: []Curve{profileOf("truncated Gauss", once)}},
				{Title: "δ is the area of B above e^ε·A", X: "outcome", Y: "density", At: noises, Curves: []Curve{
					{"A", func(x *big.Rat) Quantity { return truncatedDensity(sigma1, "0", "2500", one, x) }, figure.Unknown},
					{"e^ε·A", func(x *big.Rat) Quantity {
						return truncatedDensity(sigma1, "0", "2500", func(p interval.Prec) interval.Interval { return p.Exp(p.Rat(rat("0.3"))) }, x)
					}, figure.Unknown},
					{"B", func(x *big.Rat) Quantity { return truncatedDensity(sigma1, "200", "2500", one, x) }, figure.Unknown},
				}},
			},
		},
		{
			ID: "1-fig2",
			Statements: []Statement{
				shown("the Gauss mechanism satisfies the pair that we chose: its δ at that ε", deltaAt(once, rat(epsilon0)), "8.01e-8", "8.03e-8"),
				pinned("ε of the worst mechanism over the ε of the Gauss mechanism, after 512 rounds", "quickly diverge", epsilonAt(worstMany, d4), "4.55", "4.75").over(epsilonAt(many, d4)),
			},
			Figures: []Figure{
				growthOverCount("e^ε over the number of compositions", "1e-4", few,
					epsilonOver("truncated Gauss", "1e-4", composed(truncated)), epsilonOver("worst (ε, δ) mechanism", "1e-4", composed(worst))),
				{Title: "the Gauss mechanism", X: "outcome", Y: "density", At: noises, Curves: []Curve{
					{"A", func(x *big.Rat) Quantity { return truncatedDensity(sigma1, "0", "2500", one, x) }, figure.Unknown},
					{"B", func(x *big.Rat) Quantity { return truncatedDensity(sigma1, "1", "2500", one, x) }, figure.Unknown},
				}},
				{Title: "the worst mechanism: four events", X: "event", Y: "probability", At: counts(0, 1, 2, 3), Curves: []Curve{
					{"A", func(x *big.Rat) Quantity { return responseDensity(epsilon0, delta0, true, x.Num().Int64()) }, figure.Unknown},
					{"B", func(x *big.Rat) Quantity { return responseDensity(epsilon0, delta0, false, x.Num().Int64()) }, figure.Unknown},
				}},
			},
		},
		{
			ID: "1-sec4.6",
			Statements: []Statement{
				timed("milliseconds for 100,001 buckets, 2^18 compositions", "around 3 minutes and 57 seconds", most.milliseconds()),
				timed("milliseconds for 10,001 buckets, 2^9 compositions", "only need 1.2 seconds", thousands.milliseconds()),
				Statement{Text: "δ_up over δ_low in 10,001 buckets, 2^9 compositions, ε = 0.3", Of: thousands.tightness("0.3"), Claim: Near, Printed: "we achieve tight bounds for 2^9 compositions"}.in("0.99", "1.01"),
				shown("δ_up over δ_low in 100,001 buckets, 2^18 compositions, ε = 4", most.tightness("4"), "1", "1.01"),
			},
		},
		{
			ID: "1-fig11",
			Statements: []Statement{
				pinned("CDP over tight ε at 512 rounds", "clearly lead to tighter ADP-bounds", epsilonAt(derivation("zcdp-bs", times(512, responseCDP)), d4), "1.25", "1.3").over(epsilonAt(responses, d4)),
				above("RDP over CDP", "followed by the CDP and then the RDP bounds", epsilonAt(derivation("rdp-mironov", times(512, response)), d4), epsilonAt(derivation("zcdp-bs", times(512, responseCDP)), d4)),
				near("KOV over tight ε", "tight", epsilonAt(derivation("kov-profile", times(512, response)), d4), epsilonAt(responses, d4), "0.025"),
				near("KOV over tight δ at ε = 1", "tight", deltaAt(derivation("kov-profile", times(512, response)), rat("1")), deltaAt(responses, rat("1")), "0.025"),
			},
			Figures: []Figure{
				graph("512 compositions", "6", append([]Curve{profileOf("tight", responses)}, append(by(times(512, responseCDP), "zcdp-bs"), by(times(512, response), "rdp-mironov", "kov-profile")...)...)...),
				growthOverCount("e^ε over the number of compositions", "1e-4", ks,
					epsilonOver("tight", "1e-4", composed(response)), epsilonOver("CDP", "1e-4", accounted("zcdp-bs", responseCDP)),
					epsilonOver("RDP", "1e-4", accounted("rdp-mironov", response)), epsilonOver("KOV", "1e-4", accounted("kov-profile", response))),
			},
		},
		{
			ID: "1-fig12-laplace",
			Statements: []Statement{
				near("δ of KOV over the tight δ at ε = 0.25", "tight", deltaAt(lapsKOV, rat("0.25")), deltaAt(laps, rat("0.25")), "0.02"),
				shown("the same at scale 1, r = 5, ε = 1", deltaAt(derivation("kov", times(5, guarantee("1", "0"))), rat("1")), "1.09", "1.096").over(deltaAt(both(times(5, laplace("1"))), rat("1"))),
			},
			Figures: []Figure{graph("Laplace, 512 compositions", "0.7", append([]Curve{profileOf("tight", laps), profileOf("KOV", lapsKOV)}, by(times(512, lap), "moments-accountant", "zcdp-bs")...)...)},
		},
		{
			ID: "1-fig12-gauss",
			Statements: []Statement{
				pinned("δ of KOV over the tight δ at ε = 0.25", "far away from our bounds", deltaAt(derivation("kov-profile", times(512, truncated)), rat("0.25")), "720", "760").over(deltaAt(many, rat("0.25"))),
				below("δ of the moments accountant over the δ of KOV at ε = 0.3", "MA outperforms KOV for large values of e^ε", deltaAt(derivation("moments-accountant", times(512, gauss)), rat("0.3")), deltaAt(derivation("kov-profile", times(512, truncated)), rat("0.3"))),
				below("δ of CDP over the δ of KOV at ε = 0.3", "outperformed by both CDP and MA", deltaAt(derivation("zcdp-bs", times(512, gauss)), rat("0.3")), deltaAt(derivation("kov-profile", times(512, truncated)), rat("0.3"))),
				above("δ of the moments accountant over the δ of KOV at ε = 0.1", "but not for smaller values", deltaAt(derivation("moments-accountant", times(512, gauss)), rat("0.1")), deltaAt(derivation("kov-profile", times(512, truncated)), rat("0.1"))),
			},
			Figures: []Figure{graph("truncated Gauss, 512 compositions", "0.7", append(append([]Curve{profileOf("tight", many)}, by(times(512, truncated), "kov-profile")...), by(times(512, gauss), "moments-accountant", "zcdp-bs")...)...)},
		},
		{
			ID: "1-fig12-coverup",
			Figures: []Figure{graph("histogram, 2 compositions", "7", append([]Curve{profileOf("stand-in, tight", both(times(2, coverUp())))}, by(times(2, coverUp()), "kov-profile", "moments-accountant")...)...),
				deltaOverGrowth("histogram, 512 compositions", "7", profileOf("stand-in, tight", both(cover)))},
		},
		{
			ID: "1-fig12-sgd",
			Statements: []Statement{
				near("steps of 640 epochs over 2^16", "640 epochs (r = 2^16)", constant(func(interval.Prec) interval.Interval { return interval.Int(64000) }), constant(func(interval.Prec) interval.Interval { return interval.Int(65536) }), "0.001"),
				pinned("the moments accountant's ε over the tight one at δ = 1e-5", "tighter than prior bounds", epsilonAt(derivation("moments-accountant", times(65536, step)), d5), "1.22", "1.27").over(epsilonAt(sgd, d5)),
				shown("the least ε at δ = 1e-5", epsilonAt(sgd, d5), "2.6811", "2.6812"),
			},
			Figures: []Figure{graph("DP-SGD, 65536 steps", "3", append([]Curve{profileOf("tight", sgd)}, by(times(65536, step), "moments-accountant")...)...)},
		},
		{
			ID: "1-fig13",
			Statements: []Statement{
				pinned("CDP over tight ε", "our bounds are tighter than prior bounds", epsilonAt(derivation("zcdp-bs", times(512, gauss)), d5), "1.42", "1.48").over(epsilonAt(gausses, d5)),
				pinned("the moments accountant, integer orders to 32, over CDP", "CDP is significantly tighter than MA", epsilonAt(derivation("moments-accountant", times(512, gauss)), d5), "1.18", "1.23").over(epsilonAt(derivation("zcdp-bs", times(512, gauss)), d5)),
				pinned("KOV over tight ε, r = 4", "inaccurate with an increasing number of compositions", kov(4, gauss), "2.12", "2.24").over(epsilonAt(both(times(4, gauss)), d5)),
				pinned("KOV over tight ε, r = 512", "inaccurate with an increasing number of compositions", kov(512, gauss), "4.96", "5.2").over(epsilonAt(gausses, d5)),
				ours(near("Mironov's conversion over all real orders equals the conversion of CDP", "", epsilonAt(derivation("rdp-mironov", times(512, gauss)), d5), epsilonAt(derivation("zcdp-bs", times(512, gauss)), d5), "0.001")),
			},
			Figures: []Figure{
				graph("Gauss, 512 compositions", "0.7", append([]Curve{profileOf("tight", gausses)}, by(times(512, gauss), "zcdp-bs", "moments-accountant", "kov-profile")...)...),
				growthOverCount("e^ε over the number of compositions", "1e-5", ks,
					epsilonOver("tight", "1e-5", composed(gauss)), epsilonOver("CDP", "1e-5", accounted("zcdp-bs", gauss)),
					epsilonOver("moments accountant", "1e-5", accounted("moments-accountant", gauss)), epsilonOver("KOV", "1e-5", accounted("kov-profile", gauss))),
			},
		},
		{
			ID: "1-fig14",
			Statements: []Statement{
				pinned("Laplace over Gauss ε of equal variance at δ = 1e-4", "significantly higher degree of privacy", epsilonAt(tlaps, d4), "1.45", "1.52").over(epsilonAt(many, d4)),
				near("Laplace over Gauss ε of half the variance at δ = 0.01", "almost completely cover", epsilonAt(tlaps, rat("0.01")), epsilonAt(halveds, rat("0.01")), "0.02"),
				near("the same at δ = 0.001", "almost completely cover", epsilonAt(tlaps, rat("0.001")), epsilonAt(halveds, rat("0.001")), "0.02"),
				near("the same at δ = 0.0001", "almost completely cover", epsilonAt(tlaps, d4), epsilonAt(halveds, d4), "0.02"),
				orders("Laplace over Gauss δ, of equal variance, where both level out", "4 orders of magnitude", deltaAt(tlaps, plateau), 4, deltaAt(many, plateau)),
			},
			Figures: []Figure{
				graph("512 compositions", "0.7", profileOf("Laplace, scale 200", tlaps), profileOf("Gauss, σ = 200√2", many), profileOf("Gauss, σ = 200", halveds)),
				growthOverCount("equal variance: e^ε over the number of compositions", "0.01, 0.001, 0.0001", few, append(levels("Laplace", tlap), levels("Gauss, σ = 200√2", truncated)...)...),
				growthOverCount("half the variance: e^ε over the number of compositions", "0.01, 0.001, 0.0001", few, append(levels("Laplace", tlap), levels("Gauss, σ = 200", halved)...)...),
			},
		},
		{
			ID: "1-fig22",
			Statements: []Statement{
				near("ε by moments from buckets over the ε of the moments accountant, 10,000 steps", "coincide", stepBuckets.momentsAccountant(10000, d5), epsilonAt(derivation("moments-accountant", times(10000, step)), d5), "0.025"),
				near("the same, 65,536 steps", "coincide", stepBuckets.momentsAccountant(65536, d5), epsilonAt(derivation("moments-accountant", times(65536, step)), d5), "0.025"),
				aside(prints("the moments accountant's ε at 10,000 steps, which Abadi et al. 2016 print as 1.26", epsilonAt(derivation("moments-accountant", times(10000, step)), d5), "1.26")),
			},
			Figures: []Figure{growthOverCount("e^ε over the number of steps", "1e-5", steps,
				epsilonOver("moments accountant", "1e-5", accounted("moments-accountant", step)),
				Curve{"moments from buckets", func(k *big.Rat) Quantity { return stepBuckets.momentsAccountant(k.Num().Int64(), d5) }, figure.Rising},
				epsilonOver("tight", "1e-5", composed(step)))},
		},
	}
}
