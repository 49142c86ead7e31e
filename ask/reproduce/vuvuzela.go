// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpverify/ask/reproduce/clamped"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/figure"
	"dpverify/internal/number"
	"dpverify/internal/others/accountants"
	"dpverify/mechanism"
)

// A noise is the dummy traffic of Vuvuzela: Laplace noise of a scale, or Gaussian noise of
// a standard deviation.
type noise struct {
	gauss           bool
	location, scale string
}

// A reading is how the paper's description of the noise can be understood.
type reading int

const (
	printed   reading = iota // max(0, X) and max(0, X + s)
	truncated                // X and X + s, both cut to within µ of their centres, as in §5; one counter
	deployed                 // max(0, X) and s + max(0, X)
)

func (r reading) String() string { return [...]string{"as printed", "truncated", "as deployed"}[r] }

// rounds is the dialing protocol after r rounds: one counter, which a user shifts by 2. The
// conversation protocol has a second one, of half the noise, shifted by 1.
func (n noise) rounds(r int64, as reading, conversation bool) subject {
	if as == truncated {
		if n.gauss {
			return both(times(r, truncatedGaussian(n.scale, "2", n.location)))
		}
		return both(times(r, truncatedLaplace(n.scale, "2", n.location)))
	}
	order := mechanism.ShiftThenClamp
	if as == deployed {
		order = mechanism.ClampThenShift
	}
	counters := []clamped.Counter{{Location: rat(n.location), Sigma: rat(n.scale), Shift: rat("2")}}
	if conversation {
		half := big.NewRat(1, 2)
		counters = append(counters, clamped.Counter{Location: new(big.Rat).Mul(counters[0].Location, half), Sigma: new(big.Rat).Mul(counters[0].Sigma, half), Shift: rat("1")})
	}
	if n.gauss {
		return &clampedNoise{clamped.Noise{Counters: counters, Count: r, Order: order}}
	}
	var es []mechanism.Event
	for _, c := range counters {
		es = append(es, mechanism.Clamped{Location: c.Location, Width: c.Sigma, Shift: c.Shift, Order: order})
	}
	return both(times(r, mechanism.Composed{Events: es}))
}

// clampedNoise is clamped Gaussian noise as a subject.
type clampedNoise struct{ clamped.Noise }

func (c *clampedNoise) prepare(ctx context.Context, scale *big.Rat, e exact.Effort) (prepared, error) {
	return c.Prepare(ctx, scale, e)
}

// round is what Vuvuzela's authors [van den Hooff, Lazar, Zaharia & Zeldovich, SOSP 2015] have of a round: Laplace
// noise of scale b around µ, clamped, moved by s, is (s/b, ½e^((s−µ)/b))-DP. Conversations have both counters, (4/b,
// e^((2−µ)/b)).
func (n noise) round(conversation bool) (eps *big.Rat, delta interval.Real) {
	b, location := rat(n.scale), rat(n.location)
	shift, halves := rat("2"), -1
	eps = new(big.Rat).Quo(shift, b)
	if conversation {
		eps.Add(eps, eps)
		halves = 0
	}
	exponent := new(big.Rat).Sub(shift, location)
	exponent.Quo(exponent, b)
	return eps, func(p interval.Prec) interval.Interval { return p.Scale(p.Exp(p.Rat(exponent)), halves) }
}

// original is δ at an ε after r rounds by the original analysis: a round, and advanced composition.
func (n noise) original(r int64, conversation bool, at interval.Real) Quantity {
	eps, delta := n.round(conversation)
	return constant(func(interval.Prec) interval.Interval { return accountants.Advanced(r, eps, delta, at) })
}

// originalEpsilon is the ε at a δ by the original analysis.
func (n noise) originalEpsilon(r int64, conversation bool, delta string) Quantity {
	eps, delta0 := n.round(conversation)
	return constant(func(interval.Prec) interval.Interval { return accountants.AdvancedEpsilon(r, eps, delta0, rat(delta)) })
}

// tight pins δ_up over δ_low of truncated noise in 100,001 buckets at an ε where δ is about a limit, down to which the paper calls
// them tight.
func (p protocol) tight(eps, limit, printed, least, most string) Statement {
	b := inBuckets(p.rounds(p.r, truncated, p.conversation).(*asked).Event, 50000)
	return pinned(fmt.Sprintf("%s, truncated: δ_up over δ_low in 100,001 buckets at ε = %s, where δ is %s", p, eps, limit), printed, b.tightness(eps), least, most)
}

// name is the noise in the paper's notation.
func (n noise) name() string {
	short := func(s string) string {
		x := rat(s)
		if x.Cmp(rat("1000")) < 0 || !new(big.Rat).Mul(x, rat("0.01")).IsInt() {
			return s
		}
		return number.Format(x.Mul(x, rat("0.001"))) + "k"
	}
	if n.gauss {
		return fmt.Sprintf("GS(%s, %s²)", short(n.location), short(n.scale))
	}
	return fmt.Sprintf("LP(%s, %s)", short(n.location), short(n.scale))
}

// A protocol is noise that is used for so many rounds.
type protocol struct {
	noise
	r            int64
	conversation bool
}

func (p protocol) String() string { return fmt.Sprintf("%s, r = %d", p.name(), p.r) }

// at is δ at e^ε = growth.
func (p protocol) at(as reading, growth string) Quantity {
	return deltaAtGrowth(p.rounds(p.r, as, p.conversation), growth)
}

// read has one sentence of the paper in its two readings, of which one that holds is enough.
func (p protocol) read(of func(text string, q Quantity) Statement, growth string) []Statement {
	var out []Statement
	for _, as := range []reading{printed, truncated} {
		s := of(fmt.Sprintf("%s, %v: ", p, as), p.at(as, growth))
		out = append(out, s.reading(p.String()+s.Printed))
	}
	return out
}

// target is a privacy requirement, e^ε ≤ 2 and δ ≤ 1e-4.
func (p protocol) target() []Statement {
	return p.read(func(text string, q Quantity) Statement {
		return atMost(text+"δ at e^ε = 2", "e^ε ≤ 2 and δ ≤ 10^−4", q, "1e-4")
	}, "2")
}

// improves is by how many orders of magnitude δ is below the original bound for a noise.
func (p protocol) improves(printed string, n int64, over noise) []Statement {
	return p.read(func(text string, q Quantity) Statement {
		return orders(text+"the original δ for "+over.name()+" over ours", printed, over.original(p.r, p.conversation, logOf("2")), n, q)
	}, "2")
}

// originally shows the original bound, which the paper prints as a red dot.
func (p protocol) originally(least, most string) Statement {
	return shown(fmt.Sprintf("%s, the original bound: δ at e^ε = 2", p), p.original(p.r, p.conversation, logOf("2")), least, most)
}

// asDeployed shows where the deployed noise is, which the paper does not say: in a range, or, where clamping leaves more room
// than that, above the target.
func (p protocol) asDeployed(least, most string) Statement {
	text := fmt.Sprintf("%s, as deployed: δ at e^ε = 2", p)
	if most == "" {
		return ours(atLeast(text, "", p.at(deployed, "2"), least))
	}
	return shown(text, p.at(deployed, "2"), least, most)
}

// vuvuzelaFigure shows δ over e^ε of some noises, in one reading, and the original bounds.
func vuvuzelaFigure(as reading, ps []protocol, originals ...protocol) Figure {
	var cs []Curve
	for _, p := range ps {
		cs = append(cs, profileOf(p.name(), p.rounds(p.r, as, p.conversation)))
	}
	for _, p := range originals {
		cs = append(cs, Curve{p.name() + ", original bound", func(eps *big.Rat) Quantity { return p.original(p.r, p.conversation, interval.RealRat(eps)) }, figure.Unknown})
	}
	f := deltaOverGrowth(fmt.Sprintf("r = %d, %v", ps[0].r, as), "1.26", cs...)
	f.At = spaced("0", "1.26", 10)
	f.Scale = rat("1e-8")
	return f
}

func vuvuzela() []Entry {
	gs := func(location, sigma string) noise { return noise{true, location, sigma} }
	lp := func(location, scale string) noise { return noise{false, location, scale} }
	dial := func(r int64, n noise) protocol { return protocol{n, r, false} }
	talk := func(r int64, n noise) protocol { return protocol{n, r, true} }
	const short, long, few, many = 65536, 524288, 1024, 8192
	var (
		dialLow, dialMedium, dialHigh = lp("8000", "500"), lp("13000", "770"), lp("20000", "1130")
		dialLowLess, dialHighLess     = dial(few, gs("1600", "320")), dial(many, gs("4100", "833"))
		dialLowGauss, dialHighGauss   = dial(few, gs("8000", "707")), dial(many, gs("20000", "1598"))
		dialLowLaplace                = dial(few, lp("4000", "330"))
		dialHighLaplace               = dial(many, lp("10000", "827"))
		low, medium, high             = lp("150000", "7300"), lp("300000", "13800"), lp("450000", "20000")
		new1, new2                    = talk(short, gs("15000", "2500")), talk(long, gs("45000", "7500"))
		lowGauss, highGauss           = talk(short, gs("150000", "10300")), talk(long, gs("450000", "28200"))
		lowLaplace, highLaplace       = talk(short, lp("37500", "2300")), talk(long, lp("112500", "6900"))
	)
	// one counter alone, as printed
	alone := func(p protocol, least, most string) Statement {
		return shown(fmt.Sprintf("%s, its first counter alone, as printed: δ at e^ε = 2", p), deltaAtGrowth(p.rounds(p.r, printed, false), "2"), least, most)
	}
	over := func(p protocol, rs []*big.Rat, originals ...noise) []Figure {
		eps := growthOverCount("e^ε over the number of rounds", "1e-4", rs)
		eps.LogX, eps.X = true, "rounds"
		del := Figure{Title: "δ at e^ε = 2 over the number of rounds", X: "rounds", Y: "δ", LogX: true, LogY: true, At: rs}
		for _, as := range []reading{printed, truncated, deployed} {
			s := func(k int64) subject { return p.rounds(k, as, p.conversation) }
			eps.Curves = append(eps.Curves, epsilonOver(p.name()+", "+as.String(), "1e-4", s))
			del.Curves = append(del.Curves, Curve{p.name() + ", " + as.String(), func(k *big.Rat) Quantity { return deltaAtGrowth(s(k.Num().Int64()), "2") }, figure.Rising})
		}
		for _, n := range originals {
			eps.Curves = append(eps.Curves, Curve{n.name() + ", original bound", func(k *big.Rat) Quantity { return n.originalEpsilon(k.Num().Int64(), p.conversation, "1e-4") }, figure.Rising})
			del.Curves = append(del.Curves, Curve{n.name() + ", original bound", func(k *big.Rat) Quantity { return n.original(k.Num().Int64(), p.conversation, logOf("2")) }, figure.Rising})
		}
		return []Figure{eps, del}
	}
	// what both readings of a group show, and the original bound
	graphs := func(original protocol, ps ...protocol) []Figure {
		var out []Figure
		for _, as := range []reading{printed, truncated} {
			out = append(out, vuvuzelaFigure(as, ps, original))
		}
		return out
	}
	beats := func(p protocol, n noise) []Statement {
		return p.read(func(text string, q Quantity) Statement {
			return below(text+"δ at e^ε = 2 over the original bound of "+n.name(), "below the previous bounds", q, n.original(p.r, p.conversation, logOf("2")))
		}, "2")
	}
	return []Entry{
		{
			ID: "1-fig3",
			Statements: slices.Concat(new1.target(), new2.target(),
				talk(long, high).improves("almost 4 orders", 4, high),
				highGauss.improves("more than 6 orders", 6, high),
				lowGauss.improves("more than 7 orders", 7, low),
				[]Statement{
					talk(short, low).originally("8.6e-5", "9e-5"), talk(long, high).originally("1.08e-4", "1.12e-4"),
					alone(new1, "2.6e-5", "2.7e-5"), alone(new2, "1.08e-5", "1.13e-5"),
					new1.asDeployed("1e-4", ""), new2.asDeployed("1e-4", ""), talk(long, high).asDeployed("8.7e-5", "9.1e-5"), highGauss.asDeployed("7.1e-24", "7.3e-24"),
				},
			),
			Figures: append(graphs(talk(short, low), new1, talk(short, low), lowGauss), graphs(talk(long, high), new2, talk(long, high), highGauss)...),
		},
		{
			ID: "1-fig15",
			Statements: slices.Concat(dialHighLess.target(), beats(dialHighLess, dialHigh), []Statement{
				dial(few, dialLow).originally("5.75e-5", "6e-5"), dial(2900, dialMedium).originally("7.55e-5", "7.8e-5"), dial(many, dialHigh).originally("2.5e-4", "2.6e-4"),
				dialHighLess.asDeployed("1e-4", ""),
			}),
			Figures: over(dialHighLess, counts(1024, 2048, 4096, 8192, 16384), dialLow, dialMedium, dialHigh),
		},
		{
			ID: "1-fig16",
			Statements: slices.Concat(dialLowLess.target(), dialHighLess.target(),
				dial(few, dialLow).improves("2 orders", 2, dialLow),
				dial(many, dialHigh).improves("almost 3 orders", 3, dialHigh),
				dialHighGauss.improves("more than 4 orders", 4, dialHigh),
				dialHighGauss.read(func(text string, q Quantity) Statement {
					return atMost(text+"δ at e^ε = 1.5", "(δ ≤ 10^−4) for less than e^ε = 1.5", q, "1e-4")
				}, "1.5"),
				[]Statement{
					dialHighLess.tight("0.6931", "1e-4", "our result is tight up to δ ≥ 10^−4 for GS(4.1k, 833^2)", "1.04", "1.08"), dial(many, dialHigh).tight("0.66", "1e-6", "δ ≥ 10^−6 for LP(20k, 1130)", "1", "1.02"), dialHighGauss.tight("0.56", "1e-8", "GS(20k, 1598^2) for δ ≥ 10^−8", "1.01", "1.04"),
					dialLowLess.asDeployed("1e-4", ""), dialHighLess.asDeployed("1e-4", ""),
					dial(few, dialLow).asDeployed("5.7e-5", "5.9e-5"), dial(many, dialHigh).asDeployed("8.3e-5", "8.6e-5"), dialHighGauss.asDeployed("1.16e-11", "1.19e-11"),
				},
			),
			Figures: append(graphs(dial(few, dialLow), dialLowLess, dial(few, dialLow), dialLowGauss), graphs(dial(many, dialHigh), dialHighLess, dial(many, dialHigh), dialHighGauss)...),
		},
		{
			ID:         "1-fig18",
			Statements: append(slices.Concat(new2.target(), beats(new2, high)), talk(240000, medium).originally("9.8e-5", "1.02e-4")),
			Figures:    over(new2, counts(8192, 32768, 65536, 131072, 262144, 524288), low, medium, high),
		},
		{
			ID: "1-fig20",
			Statements: slices.Concat(lowLaplace.target(), highLaplace.target(),
				[]Statement{lowLaplace.asDeployed("7.4e-3", "7.7e-3"), highLaplace.asDeployed("0.0433", "0.0445")},
			),
			Figures: append(graphs(talk(short, low), lowLaplace, talk(short, low), lowGauss), graphs(talk(long, high), highLaplace, talk(long, high), highGauss)...),
		},
		{
			ID: "1-fig21",
			Statements: slices.Concat(dialLowLaplace.target(), dialHighLaplace.target(),
				[]Statement{
					near("LP(4k, 330) over GS(1.6k, 320²), truncated: δ at e^ε = 2, r = 1024", "the same privacy bounds", dialLowLaplace.at(truncated, "2"), dialLowLess.at(truncated, "2"), "0.02"),
					dialLowLaplace.asDeployed("2.77e-3", "2.86e-3"), dialHighLaplace.asDeployed("0.0225", "0.0232"),
				},
			),
			Figures: append(graphs(dial(few, dialLow), dialLowLaplace, dial(few, dialLow), dialLowGauss), graphs(dial(many, dialHigh), dialHighLaplace, dial(many, dialHigh), dialHighGauss)...),
		},
	}
}
