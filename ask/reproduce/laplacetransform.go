// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/figure"
	"dpverify/internal/others/accountants"
	"dpverify/mechanism"
)

// transformOf is |∫ e^((q−1)t)·δ(t) dt| = e^((q−1)R_q)/|q(q−1)|, the Laplace transform of a profile at 1 − q, and what continues
// it for q < 1, q not 0 or 1 [Theorem 3.3, which holds for q > 1].
func transformOf(s subject, q *big.Rat) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		const p = interval.Prec(64)
		r, err := s.(*asked).divergence(q, 1)
		if err != nil {
			return r, err
		}
		less := new(big.Rat).Sub(q, rat("1"))
		poles := new(big.Rat).Mul(q, less)
		return p.Div(p.Exp(p.Mul(p.Rat(less), r)), p.Rat(poles.Abs(poles))), nil
	})
}

// reversed is δ(−eps) of the mirror image of a pair, 1 − e^−ε + e^−ε·δ(eps) [Remark 2.1].
func reversed(s subject, eps string) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		const p = interval.Prec(64)
		f, err := s.prepare(ctx, defaultScale, 1)
		if err != nil {
			return interval.Interval{}, err
		}
		d, err := f.DeltaReal(ctx, interval.RealRat(rat(eps)))
		less := p.Rat(rat(eps)).Neg()
		return p.Sub(p.Mul(p.Exp(less), d), p.Expm1(less)), err
	})
}

// sampledLossDensity is the density of the loss l of removal, of a Poisson sample of rate γ of the Gaussian mechanism with σ = 1: the
// loss of the outcome x = ½ + log((e^l − 1 + γ)/γ), with dx/dl = e^l/(e^l − 1 + γ), under the mixture or, which is the loss
// −l of addition, under N(0, 1).
func sampledLossDensity(rate string, loss *big.Rat, mixture bool) Quantity {
	return measured(func(context.Context) (interval.Interval, error) {
		const p = interval.Prec(64)
		g := p.Rat(rat(rate))
		e := p.Exp(p.Rat(loss))
		over := p.Sub(e, p.Sub(interval.Int(1), g))
		if over.Positive() != interval.True {
			return interval.Int(0), nil
		}
		x := p.Add(p.Rat(rat("1/2")), p.Log(p.Div(over, g)))
		y := p.Div(p.Exp(p.Scale(p.Sqr(x), -1).Neg()), p.Sqrt(p.Scale(p.Pi(), 1)))
		y = p.Mul(y, p.Div(e, over))
		if mixture {
			y = p.Mul(y, e)
		}
		return y, nil
	})
}

// hullOf is a composition of the pair whose profile joins 161 points of an event's, from above: of one direction, or of the
// greater of both, which is what symmetrises before it composes.
func hullOf(e mechanism.Event, d mechanism.Direction, k int64) subject {
	return &hull{asked{exact.Question{Event: e, Direction: d}}, k}
}

type hull struct {
	asked
	count int64
}

func (h *hull) prepare(ctx context.Context, scale *big.Rat, e exact.Effort) (prepared, error) {
	p, err := h.asked.prepare(ctx, scale, 1)
	if err != nil {
		return nil, err
	}
	var out mechanism.DominatingPair
	for _, eps := range spaced("-3", "5", 161) {
		y, err := p.DeltaReal(ctx, interval.RealRat(eps))
		if err != nil {
			return nil, err
		}
		_, hi, ok := y.Rationals()
		if !ok {
			return nil, fmt.Errorf("reproduce: internal error: a profile is not known at %s", eps.RatString())
		}
		out.Profile = append(out.Profile, mechanism.ProfilePoint{Epsilon: eps, Delta: hi})
	}
	return exact.Prepare(ctx, exact.Question{Event: times(h.count, out), Direction: mechanism.Remove, Scale: scale}, e)
}

// usedBudget is the δ that the optimal composition theorem gives at the ε that it gives at a δ.
func usedBudget(e mechanism.Event, delta *big.Rat) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		m, _ := derive.Named("kov")
		q := derive.Question{Question: exact.Question{Event: e}}
		eps, err := m.Epsilon(ctx, q, delta)
		if err != nil {
			return interval.Interval{}, err
		}
		_, hi, ok := eps.Rationals()
		if !ok {
			return interval.Int(1), nil
		}
		d, err := m.Delta(ctx, q, hi)
		return d.Interval, err
	})
}

func laplaceTransform() []Entry {
	gm, rr := both(gaussian("1")), both(guarantee("1", "0"))
	ks := counts(1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99, 100)
	d6, d8 := rat("1e-6"), rat("1e-8")
	step := sampled("0.5", gaussian("1"))
	remove, add, either := oneWay(step, mechanism.Remove), oneWay(step, mechanism.Add), both(step)
	dominated := func(order string) Statement {
		q := rat(order)
		return below("R_q of randomized response over the R_q of the Gaussian, q = "+order, "R_q(P₁‖Q₁) ≤ R_q(P₂‖Q₂)", divergenceAt(rr, q), divergenceAt(gm, q))
	}
	point := func(delta string) mechanism.Event { return guarantee("0.1", delta) }
	point8, point10 := point("1e-8"), point("1e-10")
	type accountant func(k int64, e mechanism.Event, delta float64) accountants.Number
	overCount := func(name string, of accountant, e mechanism.Event, delta float64) Curve {
		return Curve{name, func(k *big.Rat) Quantity { return measured(of(k.Num().Int64(), e, delta)) }, figure.Unknown}
	}
	// at k = 90, within half an order of magnitude of 10^−n
	gap := func(name, n string, of accountant) Statement {
		return Statement{Text: "ε by " + name + " above exact ε, k = 90", Of: aboveExact(measured(of(90, point10, 1e-8)), times(90, point10), d8), Claim: Orders, Printed: "≈ 10^−" + n + " for " + name}.in("0.31622776e-"+n, "3.1622776e-"+n)
	}
	// q but for the poles at 0 and 1, in (0, 6].
	transformAt := append(spaced("0.05", "0.95", 19), spaced("1.05", "6", 34)...)
	step8 := times(8, step)
	symmetric := both(step)
	return []Entry{
		{
			ID: "4-fig1",
			Statements: []Statement{
				dominated("1.5"), dominated("2"), dominated("5"), dominated("20"),
				above("δ(0.4) of randomized response over the δ(0.4) of the Gaussian", "their privacy profiles cross", deltaAt(rr, rat("0.4")), deltaAt(gm, rat("0.4"))),
				below("the same at ε = 0.9", "their privacy profiles cross", deltaAt(rr, rat("0.9")), deltaAt(gm, rat("0.9"))),
				pinned("δ(1) that follows from the Gaussian's Rényi divergences of all real orders above 1, over its δ(1)", "always introduce a gap", deltaAt(derivation("rdp-cks", gaussian("1")), rat("1")), "1.9", "2").over(deltaAt(gm, rat("1"))),
			},
			Figures: []Figure{
				{Title: "Rényi divergence", X: "q", Y: "R_q (nats)", At: spaced("0.25", "6", 24), Curves: []Curve{
					{"Gaussian", func(q *big.Rat) Quantity { return divergenceAt(gm, q) }, figure.Divergence},
					{"randomized response", func(q *big.Rat) Quantity { return divergenceAt(rr, q) }, figure.Divergence}}},
				{Title: "Laplace transform of the privacy profile", X: "q", Y: "B{δ}(1 − q), |·|", LogY: true, At: transformAt, Curves: []Curve{
					{"Gaussian", func(q *big.Rat) Quantity { return transformOf(gm, q) }, figure.Unknown},
					{"randomized response", func(q *big.Rat) Quantity { return transformOf(rr, q) }, figure.Unknown}}},
				{Title: "privacy profile", X: "ε (nats)", Y: "δ", At: spaced("-2", "2", 41), Curves: []Curve{profileOf("Gaussian", gm), profileOf("randomized response", rr)}},
				{Title: "and what follows from the Gaussian's Rényi divergences", X: "ε (nats)", Y: "δ", At: spaced("0", "2", 21), Curves: []Curve{profileOf("Gaussian", gm), profileOf("by orders q > 1", derivation("rdp-cks", gaussian("1")))}},
			},
		},
		{
			ID: "4-fig2",
			Statements: []Statement{
				pinned("advanced composition over exact ε at k = 50", "enhanced privacy quantification", epsilonAt(derivation("advanced", times(50, point("1e-8"))), d6), "1.3", "1.36").over(epsilonAt(both(times(50, point("1e-8"))), d6)),
				pinned("the optimal composition theorem's ε at k = 50, a point of its grid", "Theorem 3.3", epsilonAt(derivation("kov", times(50, point("1e-8"))), d6), "3.3999", "3.4001"),
				pinned("the optimal composition theorem over exact ε at k = 50", "a tighter limit on ε", epsilonAt(derivation("kov", times(50, point("1e-8"))), d6), "1.03", "1.05").over(epsilonAt(both(times(50, point("1e-8"))), d6)),
				pinned("the same at k = 99", "a tighter limit on ε", epsilonAt(derivation("kov", times(99, point("1e-8"))), d6), "1.02", "1.03").over(epsilonAt(both(times(99, point("1e-8"))), d6)),
				near("δ of the exact curve over the δ of the theorem at ε = 3.4, k = 50", "matches each of the |k| discrete (ε, δ)-DP values", deltaAt(both(times(50, point("1e-8"))), rat("3.4")), deltaAt(derivation("kov", times(50, point("1e-8"))), rat("3.4")), "0.0001"),
				near("δ(3.4) of an accountant on a grid of losses over exact δ(3.4), k = 50", "closely matches", deltaAt(byGrid(times(50, point("1e-8"))), rat("3.4")), deltaAt(both(times(50, point("1e-8"))), rat("3.4")), "0.02"),
				near("ε by Google's PLDAccountant over exact ε, k = 50", "closely matches", measured(accountants.Google(50, point8, 1e-6)), epsilonAt(both(times(50, point8)), d6), "0.001"),
				near("ε by Microsoft's PRVAccountant over exact ε, k = 50", "closely matches", measured(accountants.PRV(50, point8, 1e-6)), epsilonAt(both(times(50, point8)), d6), "0.001"),
				shown("the least ε at k = 100 and δ = 1e-6", epsilonAt(both(times(100, point("1e-8"))), d6), "6.9696187", "6.96961879"),
			},
			Figures: []Figure{{Title: "ε over the number of compositions", X: "compositions k", Y: "ε (nats) at δ = 1e-6", At: ks, Curves: []Curve{
				epsilonOver("exact", "1e-6", composed(point("1e-8"))), epsilonOver("basic", "1e-6", accounted("basic", point("1e-8"))),
				epsilonOver("advanced", "1e-6", accounted("advanced", point("1e-8"))), epsilonOver("optimal theorem", "1e-6", accounted("kov", point("1e-8"))),
				overCount("Google's PLD", accountants.Google, point8, 1e-6), overCount("PRV", accountants.PRV, point8, 1e-6),
			}}, {Title: "δ that is used of the budget", X: "compositions k", Y: "δ", LogY: true, At: spaced("1", "99", 99), Curves: []Curve{
				{"optimal theorem, at its ε", func(k *big.Rat) Quantity { return usedBudget(times(k.Num().Int64(), point("1e-8")), d6) }, figure.Unknown},
				{"budget", func(*big.Rat) Quantity { return constant(interval.RealRat(d6)) }, figure.Rising},
			}}},
		},
		{
			ID: "4-fig3",
			Statements: []Statement{
				near("δ(−0.5) of addition over 1 − e^−0.5 + e^−0.5·δ(0.5) of removal: the reversal", "1 − e^ε + e^ε δ_{P|Q}(−ε)", deltaAt(add, rat("-0.5")), reversed(remove, "0.5"), "0.0001"),
				pinned("both directions over addition alone, δ(0.5)", "asymmetry", deltaAt(either, rat("0.5")), "8.6", "8.9").over(deltaAt(add, rat("0.5"))),
				pinned("8 samples of the symmetrised pair over removal alone, δ(0.5): the maximum taken first", "overestimates", deltaAt(hullOf(step, mechanism.Both, 8), rat("0.5")), "1.58", "1.66").over(deltaAt(hullOf(step, mechanism.Remove, 8), rat("0.5"))),
				ours(near("both directions over removal alone, 8 steps, δ(0.5): the maximum taken last", "", deltaAt(both(step8), rat("0.5")), deltaAt(oneWay(step8, mechanism.Remove), rat("0.5")), "0.001")),
			},
			Figures: []Figure{{Title: "privacy profile of a sample", X: "ε (nats)", Y: "δ", At: spaced("-2", "2", 41), Curves: []Curve{
				profileOf("removal", remove), profileOf("addition", add), profileOf("without sampling", gm), profileOf("the greater of the two", symmetric),
			}}, {Title: "density of the loss", X: "loss (nats)", Y: "density", At: spaced("-0.65", "2.5", 64), Curves: []Curve{
				{"removal", func(l *big.Rat) Quantity { return sampledLossDensity("0.5", l, true) }, figure.Unknown},
				{"addition, mirrored", func(l *big.Rat) Quantity { return sampledLossDensity("0.5", l, false) }, figure.Unknown},
			}}, {Title: "Rényi divergence", X: "q", Y: "R_q (nats)", At: spaced("0.25", "6", 24), Curves: []Curve{
				{"removal", func(q *big.Rat) Quantity { return divergenceAt(remove, q) }, figure.Divergence},
				{"addition", func(q *big.Rat) Quantity { return divergenceAt(add, q) }, figure.Divergence},
				{"without sampling", func(q *big.Rat) Quantity { return divergenceAt(gm, q) }, figure.Divergence},
			}}, {Title: "trade-off function", X: "type I error", Y: "type II error", At: spaced("0.02", "0.98", 25), Curves: []Curve{
				{"removal", func(x *big.Rat) Quantity { return tradeOffAt(remove, x) }, figure.TradeOff},
				{"addition", func(x *big.Rat) Quantity { return tradeOffAt(add, x) }, figure.TradeOff},
				{"symmetrised", func(x *big.Rat) Quantity { return tradeOffAt(symmetric, x) }, figure.TradeOff},
				{"without sampling", func(x *big.Rat) Quantity { return tradeOffAt(gm, x) }, figure.TradeOff},
			}}},
		},
		{
			ID: "4-fig4",
			Statements: []Statement{
				{Text: "the least ε at k = 100 and δ = 1e-8 exceeds every bound, such as basic composition's 10", Of: epsilonAt(both(times(100, point("1e-10"))), d8), Claim: AtLeast, Printed: "ε = ∞", Least: rat("10.001")},
				gap("Google's PLDAccountant", "7", accountants.Google), gap("Microsoft's PRVAccountant", "3", accountants.PRV),
				ours(atLeast("ε by Google's PLDAccountant at k = 100, which does not see the difference", "", measured(accountants.Google(100, point10, 1e-8)), "10.001")),
				ours(atLeast("ε by Microsoft's PRVAccountant at k = 100", "", measured(accountants.PRV(100, point10, 1e-8)), "10.001")),
				ours(atMost("δ at ε = 10, k = 100", "", deltaAt(both(times(100, point("1e-10"))), rat("10")), "1e-8")),
				ours(atLeast("δ at ε = 20, k = 101", "", deltaAt(both(times(101, point("1e-10"))), rat("20")), "1e-8")),
			},
			Figures: []Figure{{Title: "ε over the number of compositions", X: "compositions k", Y: "ε (nats) at δ = 1e-8", At: ks, Scale: d8, Curves: []Curve{
				epsilonOver("exact", "1e-8", composed(point10)), epsilonOver("basic", "1e-8", accounted("basic", point10)),
				overCount("Google's PLD", accountants.Google, point10, 1e-8), overCount("PRV", accountants.PRV, point10, 1e-8),
			}}},
		},
	}
}
