// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bent

import (
	"math"
	"math/big"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

const fine = interval.Prec(64)

var rat = testkit.Rat

// A part is a component in rational numbers.
type part struct{ prob, mean string }

// A mixed is an integrand and the numbers that it is made of.
type mixed struct {
	*Integrand
	lambda string
	a, b   []part
}

var standard = []part{{"1", "0"}}

// mixtures are integrands over rows that reach beyond what their slopes say.
func mixtures(t *testing.T) (out []mixed) {
	for _, m := range []mixed{
		{nil, "1/2", []part{{"99/100", "0"}, {"1/100", "1"}}, standard},
		{nil, "3", []part{{"1/2", "0"}, {"1/2", "2"}}, standard},
		{nil, "3", standard, []part{{"99/100", "0"}, {"1/100", "1"}}},
		{nil, "20", standard, []part{{"9/10", "0"}, {"1/10", "1/2"}}},
		{nil, "1/2", standard, standard},
		{nil, "1/2", []part{{"1/2", "1/2"}, {"1/2", "1"}}, standard},
		{nil, "2", []part{{"1/2", "1/4"}, {"1/4", "1"}, {"1/4", "3/2"}}, []part{{"2/3", "1/8"}, {"1/3", "1/2"}}},
	} {
		of := func(ps []part) (cs []Component, least, most double.Interval) {
			least = double.Point(math.Inf(1))
			for _, p := range ps {
				c := Component{double.Of(fine.Rat(rat(p.mean))), double.Of(fine.Log(fine.Rat(rat(p.prob))))}
				cs, least, most = append(cs, c), double.Min(least, c.Mean), double.Max(most, c.Mean)
			}
			return cs, least, most
		}
		f := &Integrand{Lambda: double.Of(fine.Rat(rat(m.lambda))), Step: 0.25, Peak: 0.5}
		var leastA, mostA, leastB, mostB double.Interval
		f.A, leastA, mostA = of(m.a)
		f.B, leastB, mostB = of(m.b)
		more := double.Int(1).Add(f.Lambda)
		far := math.Ceil(more.Mul(mostA).Add(f.Lambda.Mul(mostB)).Hi) + 9
		f.First, f.N = -far, int(8*far)
		f.From, f.To = 6, f.N-6
		for i, row := range []int{0, f.From, f.To, f.N} {
			if x := f.row(row); i < 2 {
				f.Slopes[i] = more.Mul(leastA).Sub(f.Lambda.Mul(mostB)).Sub(x)
			} else {
				f.Slopes[i] = x.Sub(more.Mul(mostA)).Add(f.Lambda.Mul(leastB))
			}
		}
		if !f.Ready() {
			t.Fatal("not ready")
		}
		m.Integrand = f
		out = append(out, m)
	}
	return out
}

// at is B at z, and log B by the argument that is 0 on the real line.
func at(ps []part, z interval.Complex) (value, log interval.Complex) {
	sum := func(z interval.Complex) (s interval.Complex) {
		for _, p := range ps {
			m := fine.Rat(rat(p.mean))
			e := fine.ScaleC(m, fine.SubC(z, interval.Complex{Re: fine.Scale(m, -1)}))
			s = fine.AddC(s, fine.ScaleC(fine.Rat(rat(p.prob)), fine.ExpC(e)))
		}
		return s
	}
	before := sum(interval.Complex{Re: z.Re})
	if z.Im.IsZero() {
		return before, interval.Complex{Re: fine.Log(before.Re)}
	}
	const steps = 16 // by less than π each
	log.Re = interval.Int(0)
	for k := 1; k <= steps; k++ {
		value = sum(interval.Complex{Re: z.Re, Im: fine.Mul(z.Im, fine.Rat(big.NewRat(int64(k), steps)))})
		log.Im = fine.Add(log.Im, fine.ArgC(fine.DivC(value, before)))
		before = value
	}
	log.Re = fine.Log(fine.AbsC(value))
	return value, log
}

// logOf is log(|f|·√(2π)) at z and ±t, the greater one, less the peak.
func (m mixed) logOf(z interval.Complex, t float64) interval.Interval {
	_, a := at(m.a, z)
	_, b := at(m.b, z)
	l := fine.Rat(rat(m.lambda))
	y := fine.Sub(fine.Mul(fine.Add(l, interval.Int(1)), a.Re), fine.Mul(l, b.Re))
	y = fine.Sub(y, fine.Scale(fine.Sub(fine.Sqr(z.Re), fine.Sqr(z.Im)), -1))
	turn := fine.Mul(double.Point(t).Exact(), fine.Sub(a.Im, b.Im).Abs())
	return fine.Sub(fine.Add(y, turn), double.Point(m.Peak).Exact())
}

// on is g(u + iy), and how much longer than its real part a step along the line is.
func (c Curve) on(u, y interval.Interval) (z interval.Complex, longer interval.Interval) {
	e := fine.ExpC(interval.Complex{Re: u.Neg(), Im: y.Neg()})
	k := double.Point(c.Scale).Exact()
	z = fine.ScaleC(k, fine.SubC(interval.Complex{Re: u, Im: y}, e))
	z.Re = fine.Add(z.Re, double.Point(c.Center).Exact())
	slope := fine.AddC(interval.Complex{Re: interval.Int(1)}, e)
	return z, fine.Div(fine.AbsC(slope), slope.Re)
}

var curves = []Curve{{0, 1.5, 0.5}, {2, 0.5, 0.78125}, {-1, 2.5, 0.25}, {1, 0.5, 0.7}, {5, 1.25, 0.75}, {0, 0.5, 0.375}, {-40, 2, 0.78125}}

// TestLinesOfTheCurve: the points at u + iy are where at and height say, Y falls with X, and at one X lines of less y are
// below.
func TestLinesOfTheCurve(t *testing.T) {
	for _, c := range curves {
		cos, sin := double.Point(c.Width).Cis()
		last := interval.PosInf()
		for x := -30.0; x <= 12; x += 1.5 {
			u := c.left(x, cos)
			z, _ := c.on(double.Point(u).Exact(), double.Point(c.Width).Exact())
			if z.Re.LessEq(double.Point(x).Exact()) != interval.True || z.Re.Less(double.Point(x-1e-6).Exact()) == interval.True {
				t.Fatalf("%v: left of %v is %v", c, x, z.Re)
			}
			height := double.Point(c.Scale).Mul(double.Point(c.Width).Add(double.Point(u).Neg().Exp().Mul(sin)))
			if !height.Exact().Encloses(fine.Mid(z.Im)) || z.Im.Less(last) != interval.True {
				t.Fatalf("%v: the height at %v is %v, want %v", c, x, z.Im, height)
			}
			last = z.Im
			for _, share := range []float64{0.25, 0.5, 0.9} {
				y := double.Point(float64(c.Width * share))
				cosY, _ := y.Cis()
				inner, _ := c.on(double.Point(c.left(x, cosY)).Exact(), y.Exact())
				if inner.Im.Less(height.Upper().Exact()) != interval.True {
					t.Fatalf("%v: at %v a line of %v is at %v, above %v", c, x, y, inner.Im, height)
				}
			}
		}
	}
}

// TestIntegrandAlongTheLines: |f| along Im u = b is below its bound, in the cells and beyond them, for t of both signs;
// somewhere it is next to it.
func TestIntegrandAlongTheLines(t *testing.T) {
	nearest := map[string]float64{}
	for i, m := range mixtures(t) {
		tried := 0
		for j, c := range curves {
			b, ok := m.NewBound(c)
			if !ok || tried > 0 && (i+j)%testkit.Draws(2, 1, 1) > 0 {
				continue
			}
			tried++
			check := func(what string, z interval.Complex, turn float64, longer interval.Interval, bound double.Interval) {
				t.Helper()
				y := fine.Add(m.logOf(z, turn), fine.Log(longer))
				if bound.Upper().Exact().Less(y) == interval.True {
					t.Fatalf("mixture %d, %v: at %v + i(%v), t = %v, log|f| is %v > %v", i, c, z.Re, z.Im, turn, y, bound.Hi)
				}
				if last, known := nearest[what]; !known || bound.Hi-double.Of(y).Lo < last {
					nearest[what] = bound.Hi - double.Of(y).Lo
				}
			}
			cos, _ := double.Point(c.Width).Cis()
			angle := double.Point(c.Width).Exact()
			slanted := b.width.Sub(double.Point(m.Step).Log())
			for _, turn := range testkit.Few(2, []float64{0, 3, 40}) {
				for k := 0; k < m.N; k += 1 + m.N/testkit.Draws(5, 25, 60) {
					for _, share := range []float64{0, 0.5} {
						x := m.at(k) + share*m.Step
						u := solve(x, c.Center, c.Scale, cos.Mid())
						z, longer := c.on(double.Point(u+0x1p-20).Exact(), angle)
						what := []string{"at rest", "turning"}[min(1, int(turn))]
						check(what, z, turn, longer, b.logs[k].Add(double.Point(turn).Mul(b.turns[k])).Add(slanted))
					}
				}
				for k, end := range []float64{m.First, m.at(m.N)} {
					for _, d := range []float64{0x1p-10, 1, 7} {
						u := solve(end+d*float64(2*k-1), c.Center, c.Scale, cos.Mid())
						z, longer := c.on(double.Point(u).Exact(), angle)
						fall := b.falls[k]
						if k == 0 {
							fall = fall.Sub(double.Point(turn).Mul(b.steeper))
						}
						beyond := double.Of(fine.Sub(z.Re, double.Point(end).Exact()).Abs()).Lower()
						bound := b.ends[k].Add(double.Point(turn).Mul(b.endTurns[k])).Add(slanted)
						check("beyond", z, turn, longer, bound.Sub(fall.Mul(beyond)))
					}
				}
			}
		}
		if tried < 1 {
			t.Errorf("mixture %d has %d curves", i, tried)
		}
	}
	for what, near := range nearest {
		if near > 0.2 {
			t.Errorf("%s, the nearest is e^−%v of what it may be", what, near)
		}
	}
}

// TestFarEnds: with rows that end where other terms than the greatest still count, |f| beyond them is below its bound.
func TestFarEnds(t *testing.T) {
	for i, m := range mixtures(t) {
		f := *m.Integrand
		f.a, f.b, f.First, f.N = nil, nil, -1, 28
		f.From, f.To = 0, f.N
		for k := range f.Slopes {
			f.Slopes[k] = double.Point(16) // of the slopes themselves nothing is asked here
		}
		f.Ready()
		for _, c := range []Curve{{-2, 0.25, 0.75}, {-3, 0.5, 0.5}, {-2, 0.125, 0.25}} {
			b, ok := f.NewBound(c)
			if !ok {
				t.Fatalf("mixture %d has no bound along %v", i, c)
			}
			cos, _ := double.Point(c.Width).Cis()
			for k, row := range []int{0, f.N} {
				for _, turn := range []float64{0, 40} {
					u := c.left(f.at(row), cos)
					z, _ := c.on(double.Point(u).Exact(), double.Point(c.Width).Exact())
					y := m.logOf(z, turn)
					bound := b.ends[k].Add(double.Point(turn).Mul(b.endTurns[k])).Add(double.Point(0x1p-20))
					if bound.Upper().Exact().Less(y) == interval.True {
						t.Fatalf("mixture %d, %v: at row %d, t = %v, log|f| is %v > %v", i, c, row, turn, y, bound.Hi)
					}
				}
			}
		}
	}
}

// TestPowersOffTheLine: with few rows the bounds of the modulus and of the argument hold for all points of a cell, up to
// its height; next to the height they are nearly attained.
func TestPowersOffTheLine(t *testing.T) {
	nearLog, nearTurn := 1.0, 1.0
	for i, m := range mixtures(t) {
		for k, cs := range [][]Component{m.A, m.B} {
			ps := [][]part{m.a, m.b}[k]
			for x := -3.0; x <= 9; x += 3.0 / float64(testkit.Draws(2, 4, 8)) {
				for _, wide := range []float64{0x1p-10, 0.5} {
					for _, height := range testkit.QuickTurn(i, []float64{0.25, 1, 2.5, 7}) {
						from, to := exponents(cs, double.Point(x)), exponents(cs, double.Point(x+wide))
						log, turn, ok := sideOf(cs, from, to, double.Point(height))
						if !ok {
							continue
						}
						for _, at0 := range []float64{0, 0.5, 1} {
							for _, y := range []float64{height / 3, height} {
								z := interval.Complex{Re: double.Point(x + at0*wide).Exact(), Im: double.Point(y).Exact()}
								_, l := at(ps, z)
								if l.Re.Less(log.Lower().Exact()) == interval.True || turn.Upper().Exact().Less(l.Im.Abs()) == interval.True {
									t.Fatalf("mixture %d, side %d at %v + %vi: log is %v, want at least %v and a turn of %v", i, k, x+at0*wide, y, l, log.Lo, turn.Hi)
								}
								if len(cs) > 1 {
									nearLog = min(nearLog, double.Of(l.Re).Hi-log.Lo)
									nearTurn = min(nearTurn, 1-double.Of(l.Im).Hi/turn.Hi)
								}
							}
						}
					}
				}
			}
		}
	}
	if nearLog > 0.01 || nearTurn > 0.01 {
		t.Errorf("the nearest are %v and %v from what they may be", nearLog, nearTurn)
	}
}

// moment is a sum of a rule along a curve for M(−λ + it), over nodes from first to last, less e^peak/√(2π); or of one on
// the line.
func (m mixed) moment(c *Curve, step float64, first, last int64, turn float64) (s interval.Complex) {
	at0 := func(k int64) (x, slope interval.Interval) {
		return fine.Mul(interval.Int(k), double.Point(step).Exact()), interval.Int(1)
	}
	if c != nil {
		at0 = c.Walk(fine, step).At
	}
	for k := first; k <= last; k++ {
		x, slope := at0(k)
		z := interval.Complex{Re: x}
		_, a := at(m.a, z)
		_, b := at(m.b, z)
		size := fine.Mul(fine.Mul(slope, double.Point(step).Exact()), fine.Exp(m.logOf(z, 0)))
		s = fine.AddC(s, fine.ScaleC(size, fine.ExpI(fine.Mul(double.Point(-turn).Exact(), fine.Sub(a.Re, b.Re)))))
	}
	return s
}

// TestRulesAlongCurves: sums of long steps are off from those of short ones by no more than their bound, and by nearly as
// much; also where most nodes are left out.
func TestRulesAlongCurves(t *testing.T) {
	near := map[string]float64{}
	for i, m := range mixtures(t) {
		for j, c := range curves {
			b, ok := m.NewBound(c)
			if !ok || (i+j)%testkit.Draws(5, 1, 1) > 0 && len(m.a)+len(m.b) > 2 {
				continue
			}
			const short = 1.0 / 16
			last := int64(-m.First / short)
			for _, turn := range []float64{0, 5} {
				truth := m.moment(nil, short, -last, last, turn)
				for _, step := range []float64{0.5, 1, 2} {
					first, last := c.Nodes(m.at(m.From), m.at(m.To), step)
					got := m.moment(&c, step, first, last, turn)
					off := fine.AbsC(fine.SubC(got, truth))
					bound := fine.Add(b.Off(turn, step), m.Outside())
					if bound.Upper().Less(off) == interval.True {
						t.Fatalf("mixture %d, %v, t = %v, step %v: off by %v > %v", i, c, turn, step, off, bound)
					}
					near["steps"] = max(near["steps"], double.Of(fine.Div(off, bound)).Hi)
				}
				narrow := *m.Integrand
				narrow.From, narrow.To = m.N/2-6, m.N/2+6
				first, last := c.Nodes(narrow.at(narrow.From), narrow.at(narrow.To), short)
				got := m.moment(&c, short, first, last, turn)
				off := fine.AbsC(fine.SubC(got, truth))
				bound := fine.Add(b.Off(turn, short), narrow.Outside())
				if bound.Upper().Less(off) == interval.True {
					t.Fatalf("mixture %d, %v, t = %v: without most nodes off by %v > %v", i, c, turn, off, bound)
				}
				if turn == 0 {
					near["outside"] = max(near["outside"], double.Of(fine.Div(off, bound)).Hi)
				}
			}
		}
	}
	for what, share := range near {
		if share < 0.55 { // where nothing is mixed, the bound of a strip that is hardly bent is attained but for cos b
			t.Errorf("%s: the nearest is %v of what it may be", what, share)
		}
	}
}

// TestNoBounds: what no lemma is about has no bound: strips that are too wide, other slopes, means below 0, and
// terms of which none exceeds the others in a high strip.
func TestNoBounds(t *testing.T) {
	m := mixtures(t)[1]
	if _, ok := m.NewBound(Curve{0, 1, 0.79}); ok {
		t.Error("a strip beyond π/4")
	}
	if _, ok := m.NewBound(Curve{0, 1, 0.5}); !ok {
		t.Error("no bound")
	}
	if _, ok := m.NewBound(Curve{0, 4, 0.78}); ok {
		t.Error("neither case of the lemma")
	}
	for i := range 2 {
		f := *m.Integrand
		f.Slopes[i+1] = double.Point([]float64{0.9, 0}[i])
		if _, ok := f.NewBound(Curve{0, 1, 0.5}); ok {
			t.Errorf("slope %d", i)
		}
		f.Slopes[3*i] = double.Point(-1)
		if f.Outside().IsFinite() {
			t.Errorf("nothing is outside with slope %d", 3*i)
		}
	}
	one := func() Integrand {
		return Integrand{A: []Component{{}}, B: []Component{{}}, First: -2, Step: 0.25, N: 16}
	}
	if f := one(); !f.Ready() {
		t.Error("not ready")
	}
	for name, change := range map[string]func(f *Integrand){
		"a mean below 0":                 func(f *Integrand) { f.A[0].Mean = double.Point(-0x1p-40) },
		"λ below 0":                      func(f *Integrand) { f.Lambda = double.Point(-0x1p-40) },
		"rows that are rounded":          func(f *Integrand) { f.First = -0x1p-30 },
		"rows at distances that are not": func(f *Integrand) { f.Step = 0.1 },
		"rows that are far away":         func(f *Integrand) { f.N = 1 << 30 },
		"no distance":                    func(f *Integrand) { f.Step = 0 },
	} {
		f := one()
		if change(&f); f.Ready() {
			t.Error(name)
		}
	}
	e := []double.Interval{double.Point(0), double.Point(-1)}
	for _, greatest := range []bool{false, true} {
		alike := []Component{{Mean: double.Interval{Lo: 1, Hi: 2}}, {Mean: double.Interval{Lo: 1.5, Hi: 3}}}
		if _, w := least(alike, e, greatest); w.Hi < 1 {
			t.Errorf("one of two means that are hardly known is the greatest: %v", greatest)
		}
	}
}
