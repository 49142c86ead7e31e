// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	additive "dpverify/ask/noise"
	"dpverify/ask/noise/learned"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/float/learn"
	"dpverify/internal/figure"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// learnedAndGaussian are the names of noise that is learned and of its rival.
var learnedAndGaussian = []string{"learned", "truncated Gaussian"}

// towers is noise that keeps δ(0.3) ≤ delta for the shift 1 only, with the least E|X|: "pointy towers".
func towers(delta string) *found {
	return noiseBy(func(ctx context.Context) (made, error) {
		g, err := additive.NewGrid(rat("5"), rat("1"), rat("0.05"))
		if err != nil {
			return made{}, err
		}
		l := learn.Program{N: g.N, Shift: g.Shift, Eps: 0.3, Weights: g.Weights(additive.L1), Delta: number.Float64(rat(delta)), Shape: learn.OneShift}
		s, err := l.Solve(ctx)
		if err != nil {
			return made{}, err
		}
		return made{noise: g.Event(additive.Round(s.Half))}, nil
	})
}

// shiftedDelta is δ(0.3) of noise and itself shifted by so many cells, and by nothing else.
func shiftedDelta(of *found, cells int) Quantity {
	return of.number(func(ctx context.Context, m made) (interval.Interval, error) {
		nothing := make([]*big.Rat, cells)
		for i := range nothing {
			nothing[i] = new(big.Rat)
		}
		pair := mechanism.FinitePair{P: slices.Concat(m.noise.Probabilities, nothing), Q: slices.Concat(nothing, m.noise.Probabilities)}
		r, err := exact.Delta(ctx, exact.Question{Event: pair}, rat("0.3"), last)
		return r.Interval, err
	})
}

// oneRelease are the figures about n = 1.
func oneRelease() []Entry {
	s := setting{count: 1, rate: "1", epsilon: "0.3", radius: "5", cell: "0.01", norm: additive.L1}
	coarse := s
	coarse.cell = "0.025"
	coarser := s
	coarser.cell = "0.05"
	stairs, optimum := s.family(2, "5"), s.learnt("5", nil)
	adp := coarse.learnt("5", bySigmoids(learn.LossADP, 1))
	second, third := coarse.learnt("5", bySigmoids(learn.LossADP, 2)), coarse.learnt("5", bySigmoids(learn.LossADP, 3))
	pdp, ma := coarse.learnt("5", bySigmoids(learn.LossPDP, 1)), coarser.learnt("5", bySigmoids(learn.LossMA, 1))
	tall := towers("0.05103")
	free := setting{count: 1, rate: "1", epsilon: "0.3", radius: "5", cell: "0.1", norm: additive.L1}
	rises := free.learnt("1.5", func(w *learned.Wish) { w.AnyShape = true })
	falls := s.learnt("1.5", nil)
	wide := setting{count: 1, rate: "1", epsilon: "0.3", radius: "10", cell: "0.01", norm: additive.L1}
	wideStairs, wideOptimum := wide.family(2, "10"), wide.learnt("10", nil)
	shown5 := inside("5", "0.001")
	profiles := Figure{Title: "δ of one release", X: "ε", Y: "δ", LogY: true, At: spaced("0", "1", 21), Curves: []Curve{
		profileOf("truncated staircase", &noisy{s, stairs, mechanism.Both}), profileOf("learned by l_ADP", &noisy{coarse, adp, mechanism.Both}),
	}}
	return []Entry{
		{
			ID: "3-fig1a",
			Statements: []Statement{
				prints("δ(0.3) of the truncated staircase", s.delta(stairs), "5.024e-2"),
				prints("its E|X|", utility(additive.L1, stairs), "1.884"),
				near("δ(0.3) by l_ADP over the δ(0.3) of the staircase", "smaller than 10^−2", s.delta(adp), s.delta(stairs), "0.01"),
				atMost("l_ADP reaches this δ(0.3)", "5.066e−2", s.delta(adp), "5.066e-2"),
				atMost("l_PDP reaches this δ(0.3)", "5.438e−2", s.delta(pdp), "5.438e-2"),
				atMost("l_MA reaches this δ(0.3)", "5.902e−2", s.delta(ma), "5.902e-2"),
				ours(near("δ(0.3) of the staircase over what no falling noise goes below", "", s.delta(stairs), bound(optimum), "0.000001")),
			},
			Figures: []Figure{densities("Densities", shown5, []string{"staircase", "l_ADP", "l_PDP", "l_MA"}, stairs, adp, pdp, ma)},
		},
		{
			ID: "3-fig1b",
			Statements: []Statement{
				atMost("the least E|X| at δ(0.3) ≤ 5.103e-2", "1.879", utility(additive.L1, tall), "1.879"),
				prints("δ(0.3) of it for the shift 1", shiftedDelta(tall, 20), "5.103e-2"),
				above("δ(0.3) of it for the shift 1/2 over that for the shift 1", "output differences exactly 0 or 1", shiftedDelta(tall, 10), shiftedDelta(tall, 20)),
			},
			Figures: []Figure{densities("Density", shown5, []string{"any shape, the shift 1 only", "staircase"}, tall, stairs)},
		},
		{
			ID: "3-monotonic",
			Statements: []Statement{
				above("δ(0.3) of noise of any shape, over all shifts up to 1, over what no falling noise goes below", "definitely optimal", s.delta(rises), bound(falls)),
				shown("E|X| of it", utility(additive.L1, rises), "1.49", "1.5"),
				shown("δ(0.3) of it", s.delta(rises), "0.08598", "0.0859900"),
				shown("what no falling noise goes below", bound(falls), "0.08619", "0.0862"),
			},
			Figures: []Figure{densities("Densities", shown5, []string{"any shape", "falling"}, rises, falls)},
		},
		{
			ID: "3-fig2",
			Statements: []Statement{
				near("δ(0.3), learned over staircase", "negligible", s.delta(adp), s.delta(stairs), "0.01"),
				near("δ(1), learned over staircase", "negligible", deltaAt(&noisy{coarse, adp, mechanism.Both}, rat("1")), deltaAt(&noisy{s, stairs, mechanism.Both}, rat("1")), "0.01"),
				near("δ(1) over δ(0.3) of the staircase", "dominated by distinguished events", deltaAt(&noisy{s, stairs, mechanism.Both}, rat("1")), s.delta(stairs), "0.01"),
			},
			Figures: []Figure{profiles},
		},
		{
			ID: "3-fig5",
			Statements: []Statement{
				above("density at the centre, learned over staircase, on [−10, 10]", "shifts mass away from the distinguishing events", densityAt(wideOptimum, rat("0.001")), densityAt(wideStairs, rat("0.001"))),
				ours(near("the same on [−5, 5]", "", densityAt(optimum, rat("0.001")), densityAt(stairs, rat("0.001")), "0.01")),
				ours(near("δ(0.3) of the staircase on [−10, 10] over what no falling noise goes below", "", wide.delta(wideStairs), bound(wideOptimum), "0.00001")),
			},
			Figures: []Figure{densities("Densities on [−10, 10]", inside("10", "0.001"), []string{"least δ", "staircase"}, wideOptimum, wideStairs)},
		},
		{
			ID: "3-fig6",
			Statements: []Statement{
				near("δ(0.3) of the second seed over the δ(0.3) of the first", "(<1%)", s.delta(second), s.delta(adp), "0.01"),
				near("δ(0.3) of the third seed over the δ(0.3) of the first", "(<1%)", s.delta(third), s.delta(adp), "0.01"),
			},
		},
	}
}

// A spread is noise that is learned for several utility losses, with its rivals.
type spread struct {
	setting
	us                        []string
	learnt, gaussian, laplace map[string]*found
}

func (s setting) over(us ...string) spread {
	out := spread{s, us, map[string]*found{}, map[string]*found{}, map[string]*found{}}
	for _, u := range us {
		l := s.learnt(u, nil)
		out.learnt[u], out.gaussian[u], out.laplace[u] = l, s.rival(l, 0), s.rival(l, 1)
	}
	return out
}

// figure is δ over the utility loss.
func (s spread) figure(title string) Figure {
	f := Figure{Title: title, X: "E|X|", Y: "δ", LogY: true}
	if s.norm == additive.L2 {
		f.X = "(E X²)^½"
	}
	index := make(map[string]string)
	for _, u := range s.us {
		f.At = append(f.At, rat(u))
		index[rat(u).RatString()] = u
	}
	for _, c := range []struct {
		name string
		of   map[string]*found
	}{{"learned", s.learnt}, {"truncated Gaussian", s.gaussian}, {"truncated Laplace", s.laplace}} {
		f.Curves = append(f.Curves, Curve{c.name, func(at *big.Rat) Quantity { return s.delta(c.of[index[at.RatString()]]) }, figure.Unknown})
	}
	return f
}

// against is a statement about δ of what is learned over the δ of the Gaussian, of which one end may be claimed.
func (s spread) against(printed, u, least, most string) Statement {
	out := pinned(fmt.Sprintf("%s: δ(%s) learned over the δ of the Gaussian, n = %d, %s = %s", printed, s.epsilon, s.count, s.norm, u), printed, s.delta(s.learnt[u]), least, most).over(s.delta(s.gaussian[u]))
	switch {
	case most == "":
		out.Claim = AtLeast
	case least == "":
		out.Claim = AtMost
	}
	return out
}

// manyReleases are the figures about compositions without sampling.
func manyReleases() []Entry {
	few := setting{count: 8, rate: "1", epsilon: "0.3", radius: "500", norm: additive.L2}
	many := setting{count: 128, rate: "1", epsilon: "0.3", radius: "500", norm: additive.L2}
	fewL1, manyL1, strong := few, many, many
	fewL1.norm, manyL1.norm = additive.L1, additive.L1
	strong.epsilon = "1"
	f2, m2 := few.over("8", "16", "25"), many.over("40", "80", "115")
	f1, m1 := fewL1.over("6", "12", "18"), manyL1.over("50", "80", "100")
	least := few.over("40.01")
	s2 := strong.over("45")
	always := "always above the truncated Gaussians"
	close := "minor (<4%)"
	at := func(n int64, sigma string) Quantity {
		return deltaAt(both(times(n, truncatedGaussian(sigma, "1", "500"))), rat("0.3"))
	}
	var byCount []Curve
	for _, n := range []int64{8, 32, 128} {
		// that it falls and rises with σ is the paper's statement, not a theorem
		byCount = append(byCount, Curve{fmt.Sprintf("n = %d", n), func(sigma *big.Rat) Quantity { return at(n, sigma.RatString()) }, figure.Unknown})
	}
	collapse := setting{count: 4, rate: "1", epsilon: "0.3", radius: "30", cell: "0.1", norm: additive.L1}
	narrow, target := collapse.family(0, "0.02"), collapse.learnt("8", nil)
	return []Entry{
		{
			ID: "3-fig3-l2",
			Statements: []Statement{
				f2.against(always, "25", "1", ""),
				m2.against(always, "115", "1", ""),
				f2.against("near-optimal", "8", "0.98", "1.0001"),
				m2.against("near-optimal", "80", "0.98", "1.0001"),
				m2.against("near-optimal", "115", "0.98", "1.0001"),
				aside(least.against("at the noise with all losses at most ε/8", "40.01", "", "0.00001")),
			},
			Figures: []Figure{f2.figure("n = 8"), m2.figure("n = 128")},
		},
		{
			ID: "3-fig3-l1",
			Statements: []Statement{
				m1.against(close, "50", "0.96", "1"),
				m1.against(close, "80", "0.96", "1"),
				m1.against(close, "100", "0.96", "1"),
				aside(f1.against("larger at n = 8", "18", "0.72", "0.765")),
			},
			Figures: []Figure{f1.figure("n = 8"), m1.figure("n = 128")},
		},
		{
			ID: "3-fig3c",
			Statements: []Statement{
				atMost("divergence at (E X²)^½ = 40", "KL-divergence of < 10^−4", divergenceOf(m2.learnt["40"], m2.gaussian["40"]), "1e-4"),
				atMost("divergence at (E X²)^½ = 80", "KL-divergence of < 10^−4", divergenceOf(m2.learnt["80"], m2.gaussian["80"]), "1e-4"),
				atMost("divergence at (E X²)^½ = 115", "KL-divergence of < 10^−4", divergenceOf(m2.learnt["115"], m2.gaussian["115"]), "1e-4"),
			},
			Figures: []Figure{
				densities("Densities, n = 128, (E X²)^½ = 115", inside("500", "0.1"), learnedAndGaussian, m2.learnt["115"], m2.gaussian["115"]),
				densities("Densities, n = 8, (E X²)^½ = 25", inside("500", "0.1"), learnedAndGaussian, f2.learnt["25"], f2.gaussian["25"]),
			},
		},
		{
			ID: "3-fig3f",
			Statements: []Statement{
				s2.against("near-optimal", "45", "0.98", "1.0001"),
				ours(atMost("divergence at (E X²)^½ = 45", "", divergenceOf(s2.learnt["45"], s2.gaussian["45"]), "2e-4")),
			},
			Figures: []Figure{densities("Densities, ε = 1, (E X²)^½ = 45", inside("500", "0.1"), learnedAndGaussian, s2.learnt["45"], s2.gaussian["45"])},
		},
		{
			ID: "3-fig7",
			Statements: []Statement{
				above("n = 128: δ(0.3) at σ = 90 over that at 113", "reduces with increasing σ", at(128, "90"), at(128, "113")),
				above("n = 128: δ(0.3) at σ = 150 over that at 113", "but also increase it again", at(128, "150"), at(128, "113")),
				above("n = 8: δ(0.3) at σ = 55 over that at 66", "reduces with increasing σ", at(8, "55"), at(8, "66")),
				above("n = 8: δ(0.3) at σ = 80 over that at 66", "but also increase it again", at(8, "80"), at(8, "66")),
				shown("n = 128: δ(0.3) at σ = 113", at(128, "113"), "7.07e-5", "7.08e-5"),
				shown("n = 8: δ(0.3) at σ = 66", at(8, "66"), "2.6e-14", "2.7e-14"),
			},
			Figures: []Figure{{Title: "δ(0.3) over the standard deviation", X: "σ", Y: "δ", LogY: true, At: spaced("10", "150", 8), Scale: rat("1e-24"), Curves: byCount}},
		},
		{
			ID: "3-fig8",
			Statements: []Statement{
				pinned("δ(0.3) of nearly no noise", "δ ≈ 1", collapse.delta(narrow), "0.97", "1"),
				below("δ + U/2 of nearly no noise over the δ + U/2 of a Gaussian with σ = 2", "collapsed", collapse.weighted(narrow), collapse.weighted(collapse.family(0, "2"))),
				below("the same, σ = 8", "collapsed", collapse.weighted(narrow), collapse.weighted(collapse.family(0, "8"))),
				shown("δ(0.3) of what is learned for E|X| ≤ 8", collapse.delta(target), "0.0077", "0.0081"),
			},
			Figures: []Figure{{Title: "δ + U/2", X: "σ", Y: "δ + U/2", At: append([]*big.Rat{rat("0.02")}, spaced("0.5", "8", 16)...), Curves: []Curve{
				{"Gaussian", func(sigma *big.Rat) Quantity { return collapse.weighted(collapse.family(0, sigma.RatString())) }, figure.Unknown},
			}}},
		},
	}
}

// weighted is δ + U/2.
func (s setting) weighted(of *found) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		const p = interval.Prec(64)
		d, err := s.delta(of).of.(*given).get(ctx)
		if err != nil {
			return d, err
		}
		u, err := utility(s.norm, of).of.(*given).get(ctx)
		return p.Add(d, p.Scale(u, -1)), err
	})
}

// subsampledNoise are the figures about DP-SGD.
func subsampledNoise() []Entry {
	l2 := setting{count: 8, rate: "0.1", epsilon: "0.3", radius: "30", norm: additive.L2}
	l1 := l2
	l1.norm = additive.L1
	s2, s1 := l2.over("2", "3", "3.5"), l1.over("1.5", "2")
	order := func(name string, d mechanism.Direction) Curve {
		return profileOf(name, &noisy{l2, s2.learnt["3"], d})
	}
	samples := func(n int64, sigma, radius string) mechanism.Event {
		return times(n, sampled("0.1", truncatedGaussian(sigma, "1", radius)))
	}
	gaussian := func(d mechanism.Direction) Quantity { return deltaAt(oneWay(samples(128, "8", "500"), d), rat("0.3")) }
	cut := func(n int64, sigma, radius string) Quantity {
		return deltaAt(both(samples(n, sigma, radius)), rat("0.3"))
	}
	reduced := func(n int64, sigma, percent, wider, radius string) Statement {
		return ours(near(fmt.Sprintf("n = %d: δ(0.3) of σ = %s, %s %% more, cut at %s, over the δ(0.3) of σ = %s, cut at 500", n, wider, percent, radius, sigma), percent+"%", cut(n, wider, radius), cut(n, sigma, "500"), "0.02"))
	}
	back, forth := &noisy{l2, s2.learnt["3"], mechanism.Remove}, &noisy{l2, s2.learnt["3"], mechanism.Add}
	costly := "have a higher utility-loss"
	return []Entry{
		{
			ID: "3-fig4",
			Statements: []Statement{
				s2.against(costly, "2", "1", ""),
				s2.against(costly, "3", "1", ""),
				s1.against(costly, "2", "1", ""),
				Statement{Text: "divergence from the Gaussian at (E X²)^½ = 3, ten times what was a Gaussian shape", Of: divergenceOf(s2.learnt["3"], s2.gaussian["3"]), Claim: AtLeast, Printed: "does not resemble a Gaussian shape"}.in("1e-3", ""),
			},
			Figures: []Figure{s2.figure("δ over (E X²)^½"), s1.figure("δ over E|X|"),
				densities("Densities, (E X²)^½ = 3", spaced("0.01", "29.9", 100), learnedAndGaussian, s2.learnt["3"], s2.gaussian["3"])},
		},
		{
			ID: "3-fig11",
			Statements: []Statement{
				below("learned: δ(0.3) of A, B over the δ(0.3) of B, A", "dominates", deltaAt(forth, rat("0.3")), deltaAt(back, rat("0.3"))),
				below("learned: δ(0.1) of A, B over the δ(0.1) of B, A", "dominates", deltaAt(forth, rat("0.1")), deltaAt(back, rat("0.1"))),
				below("Gaussian: δ(0.3) of A, B over the δ(0.3) of B, A", "dominates", gaussian(mechanism.Add), gaussian(mechanism.Remove)),
			},
			Figures: []Figure{{Title: "δ of what is learned", X: "ε", Y: "δ", LogY: true, At: spaced("0", "0.4", 9), Curves: []Curve{order("B, A", mechanism.Remove), order("A, B", mechanism.Add)}}},
		},
		{
			ID: "3-fig14",
			Statements: []Statement{
				reduced(128, "8", "0.23", "8.0184", "37.3"),
				reduced(32, "5", "0.75", "5.0375", "22.5"),
				reduced(128, "8", "0.33", "8.0264", "36.4"),
				reduced(8, "3", "0.15", "3.0045", "14.5"),
			},
		},
	}
}
