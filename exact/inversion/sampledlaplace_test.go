// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/fall"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/quadrature"
	"dpverify/internal/testkit"
)

func sampledLaplacePair(rate, x string, reversed bool) pair.Sampled {
	return pair.Sampled{Rate: rat(rate), Base: product(pair.Laplace{Shift: rat(x)}, 1), Reversed: reversed}
}

type laplaceCase struct {
	rate, x  string
	reversed bool
}

func (c laplaceCase) factor() *sampledLaplace {
	return newSampledLaplace(rat(c.x), rat(c.rate), c.reversed)
}

func (c laplaceCase) String() string {
	return fmt.Sprintf("Laplace(%s) sampled at %s, reversed %v", c.x, c.rate, c.reversed)
}

// laplaceCases: the binomial series converges for the first four.
func laplaceCases() []laplaceCase {
	return []laplaceCase{
		{"1/1000", "1", false}, {"1/100", "1/2", true}, {"1/20", "5/2", false}, {"1/3", "1/10", true},
		{"1/2", "4", false}, {"1/2", "4", true}, {"99/100", "1", false},
	}
}

// exponentialMoment is ∫ e^{il} dν = (e^{(i−1)x} + e^{−ix})/2 + e^{−x/2}·(e^{(i−1/2)x} − e^{−(i−1/2)x})/(4i − 2).
func exponentialMoment(p interval.Prec, x *big.Rat, i int64) interval.Interval {
	e := func(num int64) interval.Interval { // e^{x·num/2}
		return p.Exp(p.Rat(new(big.Rat).Mul(x, big.NewRat(num, 2))))
	}
	atoms := p.Scale(p.Add(e(2*i-2), e(-2*i)), -1)
	return p.Add(atoms, p.Div(p.Sub(e(2*i-2), e(-2*i)), interval.Int(4*i-2)))
}

// TestMomentsOfSampledLaplace: at integers λ the first direction's M(−λ) is a finite sum, with
// R^{λ+1} expanded. The other's is 1 at λ = 0.
func TestMomentsOfSampledLaplace(t *testing.T) {
	testkit.SkipShort(t)
	for i, c := range laplaceCases() {
		for _, lambda := range []int64{0, 1, 40} {
			want := one
			if c.reversed && lambda > 0 {
				continue
			}
			if !c.reversed {
				want = interval.Int(0)
				keep := new(big.Rat).Sub(big.NewRat(1, 1), rat(c.rate))
				for i := int64(0); i <= lambda+1; i++ {
					y := fine.BigInt(new(big.Int).Binomial(lambda+1, i))
					y = fine.Mul(y, fine.Mul(fine.PowInt(fine.Rat(keep), lambda+1-i), fine.PowInt(fine.Rat(rat(c.rate)), i)))
					want = fine.Add(want, fine.Mul(y, exponentialMoment(fine, rat(c.x), i)))
				}
			}
			for _, p := range testkit.InTurn(i+int(lambda), []interval.Prec{2, 8, 120}) {
				got := c.factor().moment(p, big.NewRat(lambda, 1))
				if _, ok := interval.Intersect(got, want); !ok {
					t.Errorf("%v at λ = %d, %d bits: %v misses %v", c, lambda, p, got, want)
				}
				if b := got.RelativeBits(int(p)); b < int(p)-2 {
					t.Errorf("%v at λ = %d: %d of %d bits", c, lambda, b, p)
				}
			}
		}
	}
}

// binomialSeries encloses ∫ R^z dν = (1−g)^z·Σ_i C(z, i)·q^i·∫e^{il}dν, q = g/(1−g), for q·e^x < 1. From i =
// 2|z| on |C(z, i+1)| ≤ |C(z, i)|·(i + |z|)/(i + 1) ≤ (3/2)·|C(z, i)|, and less and less; ∫e^{il}dν ≤ e^{ix}.
func binomialSeries(t *testing.T, c laplaceCase, z interval.Complex) interval.Complex {
	t.Helper()
	g := rat(c.rate)
	q := fine.Rat(new(big.Rat).Quo(g, new(big.Rat).Sub(big.NewRat(1, 1), g)))
	ratio := fine.Mul(q, fine.Exp(fine.Rat(rat(c.x)))) // q·e^x
	size := upper(fine.AbsC(z))
	term, sum := interval.Complex{Re: one}, interval.Complex{}
	for i := int64(0); ; i++ {
		sum = fine.AddC(sum, fine.ScaleC(exponentialMoment(fine, rat(c.x), i), term))
		// The terms after this one fall at least like powers of next.
		next := fine.Mul(ratio, fine.Div(fine.Add(size, interval.Int(i)), interval.Int(i+1)))
		last := upper(fine.Mul(fine.AbsC(term), fine.PowInt(fine.Exp(fine.Rat(rat(c.x))), i))) // bound of |C(z, i)|·q^i·e^{ix}
		if size.Less(interval.Int(i)) == interval.True && next.Less(one) == interval.True && last.Less(fine.Scale(one, -170)) == interval.True {
			tail := upper(fine.Div(fine.Mul(last, next), fine.Sub(one, next)))
			e := interval.Union(tail.Neg(), tail)
			sum.Re, sum.Im = fine.Add(sum.Re, e), fine.Add(sum.Im, e)
			break
		}
		if i > 4000 {
			t.Fatalf("%v: the series does not converge at %v", c, z)
		}
		step := fine.ScaleC(fine.Div(q, interval.Int(i+1)), fine.SubC(z, interval.Complex{Re: interval.Int(i)}))
		term = fine.MulC(term, step)
	}
	keep := fine.Log(fine.Rat(new(big.Rat).Sub(big.NewRat(1, 1), g)))
	return fine.MulC(sum, fine.ExpC(fine.ScaleC(keep, z)))
}

// exponent returns 1 − s, or s in the other direction.
func (c laplaceCase) exponent(s interval.Complex) interval.Complex {
	if c.reversed {
		return s
	}
	return fine.SubC(interval.Complex{Re: one}, s)
}

// TestSampledLaplaceLine: the transform along lines against the binomial series.
func TestSampledLaplaceLine(t *testing.T) {
	testkit.SkipShort(t)
	for i, c := range laplaceCases()[:4] {
		for _, lambda := range testkit.InTurn(i/2, []string{"1/3", "20"}) {
			for _, step := range testkit.QuickTurn(i, []string{"3/7", "5"}) {
				h, n := fine.Rat(rat(step)), 9
				truth := make(map[int]interval.Complex)
				for _, j := range []int{0, 1, n} {
					s := interval.Complex{Re: fine.Rat(rat(lambda)).Neg(), Im: fine.Mul(interval.Int(int64(j)), h)}
					truth[j] = binomialSeries(t, c, c.exponent(s))
				}
				for _, p := range []interval.Prec{2, 8, 120} {
					line, err := c.factor().line(t.Context(), p, rat(lambda), h, n)
					if err != nil || len(line) != n+1 {
						t.Fatalf("%v: no line: %v", c, err)
					}
					norm := line[0].Re
					for j, want := range truth {
						_, re := interval.Intersect(line[j].Re, want.Re)
						_, im := interval.Intersect(line[j].Im, want.Im)
						if !re || !im {
							t.Errorf("%v: M(−%s + %d·%si) in %v at %d bits, want %v", c, lambda, j, step, line[j], p, want)
						}
						for _, x := range []interval.Interval{line[j].Re, line[j].Im} {
							w := fine.Sub(interval.Point(x.Hi()), interval.Point(x.Lo()))
							if w.LessEq(fine.Mul(norm, fine.Scale(one, 4-int(p)))) == interval.False {
								t.Errorf("%v: M(−%s + %d·%si) in %v at %d bits: wide", c, lambda, j, step, line[j], p)
							}
						}
					}
				}
			}
		}
	}
}

// TestSampledLaplaceBrute: the transform against sums over cells of l, on which nothing is
// used but that R rises and n falls.
func TestSampledLaplaceBrute(t *testing.T) {
	testkit.SkipShort(t)
	const cells = 1 << 9
	for i, c := range laplaceCases()[2:] {
		s := c.factor()
		for _, lambda := range testkit.InTurn(i, []string{"1/3", "6"}) {
			at := interval.Int(3)
			want := interval.Complex{}
			add := func(mass, r interval.Interval) {
				log := coarse.Log(r)
				z := interval.Complex{Re: coarse.Rat(rat(lambda)).Neg(), Im: at}
				want = coarse.AddC(want, coarse.ScaleC(mass, coarse.ExpC(coarse.ScaleC(log, c.exponent(z)))))
			}
			x, g := coarse.Rat(rat(c.x)), coarse.Rat(rat(c.rate))
			r := func(l interval.Interval) interval.Interval {
				return coarse.Add(coarse.Sub(one, g), coarse.Mul(g, coarse.Exp(l)))
			}
			add(coarse.Scale(coarse.Exp(x.Neg()), -1), r(x))
			add(coarse.Scale(one, -1), r(x.Neg()))
			for i := int64(0); i < cells; i++ {
				l := coarse.Mul(x, interval.Union(coarse.Rat(big.NewRat(2*i-cells, cells)), coarse.Rat(big.NewRat(2*i+2-cells, cells))))
				n := coarse.Scale(coarse.Exp(coarse.Scale(coarse.Add(l, x), -1).Neg()), -2)
				add(coarse.Mul(n, coarse.Mul(x, coarse.Rat(big.NewRat(2, cells)))), r(l))
			}
			for _, p := range []interval.Prec{3, 64} {
				line, err := s.line(t.Context(), p, rat(lambda), at, 1)
				if err != nil || line == nil {
					t.Fatalf("%v: no line: %v", c, err)
				}
				_, re := interval.Intersect(line[1].Re, want.Re)
				_, im := interval.Intersect(line[1].Im, want.Im)
				if !re || !im {
					t.Errorf("%v: M(−%s + 3i) in %v, want %v", c, lambda, line[1], want)
				}
			}
		}
	}
}

// TestSampledLaplaceAtRateOne: the pair itself, whose transform is in closed form.
func TestSampledLaplaceAtRateOne(t *testing.T) {
	for _, x := range []string{"1/10", "1", "6"} {
		l := closedForm{laplace{rat(x)}}
		for _, lambda := range []string{"1/3", "7"} {
			got, err := laplace{rat(x)}.sampled().line(t.Context(), 100, rat(lambda), fine.Rat(rat("9/7")), 12)
			if err != nil {
				t.Fatal(err)
			}
			want, err := l.line(t.Context(), 100, rat(lambda), fine.Rat(rat("9/7")), 12)
			if err != nil {
				t.Fatal(err)
			}
			for j := range want {
				_, re := interval.Intersect(got[j].Re, want[j].Re)
				_, im := interval.Intersect(got[j].Im, want[j].Im)
				if !re || !im {
					t.Errorf("x = %s, λ = %s: term %d in %v, want %v", x, lambda, j, got[j], want[j])
				}
			}
		}
	}
}

// TestEllipseBound: |f| next to the ellipse and inside against its bound, and rules of so few
// nodes that their error is seen.
func TestEllipseBound(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic alone, for the whole suite")
	}
	closest, largest, refused := interval.Int(0), interval.Int(0), 0
	for i, c := range laplaceCases() {
		s := c.factor()
		for _, lambda := range testkit.InTurn(i/2, []string{"1/2", "12"}) {
			for _, turn := range testkit.InTurn(i, []int64{0, 20}) {
				at := interval.Int(turn)
				truth, err := s.line(t.Context(), 150, rat(lambda), at, 1)
				if err != nil || truth == nil {
					t.Fatalf("%v: no line", c)
				}
				for _, r := range []string{"9/8", "2", "6"} {
					rho := coarse.Rat(rat(r))
					sup, ok := s.EllipseBound(coarse.Rat(rat(lambda)), at, rho)
					if !ok {
						refused++
						continue
					}
					for i := range int64(14) {
						phi := coarse.Mul(coarse.Pi(), coarse.Rat(big.NewRat(i, 13)))
						for _, part := range []interval.Interval{rho, coarse.Sqrt(rho)} {
							inv := coarse.Inv(part)
							e := coarse.ExpI(phi)
							y := interval.Complex{
								Re: coarse.Scale(coarse.Mul(coarse.Add(part, inv), e.Re), -1),
								Im: coarse.Scale(coarse.Mul(coarse.Sub(part, inv), e.Im), -1),
							}
							for _, y := range []interval.Complex{y, y.Conj()} {
								f := coarse.AbsC(integrand(c, lambda, at, y))
								if f.Lo().Cmp(sup.Hi()) > 0 {
									t.Fatalf("%v at −%s + %di: |f(%v)| = %v > %v", c, lambda, turn, y, f, sup)
								}
								largest = interval.Max(largest, coarse.Div(interval.Point(f.Lo()), sup))
							}
						}
					}
					sup = coarse.Mul(coarse.Rat(s.Shift), sup)
					for _, n := range []int{1, 3, 8} {
						q := s.Rule(150, rat(lambda), n, interval.Int(0))
						got, err := q.Line(t.Context(), 150, at, 1)
						if err != nil {
							t.Fatal(err)
						}
						d := fine.AbsC(fine.SubC(got[1], truth[1]))
						bound := quadrature.FejerError(sup, rho, n)
						if d.Lo().Cmp(bound.Hi()) > 0 {
							t.Fatalf("%v at −%s + %di, %d nodes, ρ = %s: the error is %v > %v", c, lambda, turn, n, r, d, bound)
						}
						closest = interval.Max(closest, fine.Div(interval.Point(d.Lo()), bound))
						got, err = s.Rule(150, rat(lambda), n, bound).Line(t.Context(), 150, at, 1)
						if err != nil {
							t.Fatal(err)
						}
						_, re := interval.Intersect(got[1].Re, truth[1].Re)
						_, im := interval.Intersect(got[1].Im, truth[1].Im)
						if !re || !im {
							t.Fatalf("%v at −%s + %di, %d nodes: %v, want %v", c, lambda, turn, n, got[1], truth[1])
						}
					}
				}
			}
		}
	}
	if largest.LessRat(rat("9/10")) == interval.True {
		t.Errorf("|f| was never larger than %v of its bound", largest)
	}
	if closest.LessRat(rat("1/100")) == interval.True {
		t.Errorf("the bound was never closer than a factor %v", closest)
	}
	if refused == 0 {
		t.Error("no ellipse was refused")
	}
}

// integrand is n(xy)·R(xy)^{1−s}, or R^s, at a complex y, from its definition.
func integrand(c laplaceCase, lambda string, t interval.Interval, y interval.Complex) interval.Complex {
	l := coarse.ScaleC(coarse.Rat(rat(c.x)), y)
	g := coarse.Rat(rat(c.rate))
	r := coarse.AddC(coarse.ScaleC(g, coarse.ExpC(l)), interval.Complex{Re: coarse.Sub(one, g)})
	e := coarse.MulC(coarse.LogC(r), c.exponent(interval.Complex{Re: coarse.Rat(rat(lambda)).Neg(), Im: t}))
	half := coarse.AddC(l, interval.Complex{Re: coarse.Rat(rat(c.x))})
	e = coarse.SubC(e, coarse.ScaleC(coarse.Rat(rat("1/2")), half))
	return coarse.ScaleC(coarse.Rat(rat("1/4")), coarse.ExpC(e))
}

// TestEllipseAroundAZero: an ellipse around a zero of R, or on which R leaves the right half
// plane, is refused: log R is not analytic inside.
func TestEllipseAroundAZero(t *testing.T) {
	// R = 0 at l = log((1−g)/g) ± iπ. At g = 1/2, x = 1 it is at ±iπ: (ρ − 1/ρ)/2 > π from ρ = 6.44 on.
	s := laplaceCase{"1/2", "1", false}.factor()
	for _, r := range []string{"13/2", "7", "20", "100"} {
		if sup, ok := s.EllipseBound(one, one, coarse.Rat(rat(r))); ok {
			t.Errorf("ρ = %s: |f| ≤ %v", r, sup)
		}
	}
	if _, ok := s.EllipseBound(one, one, coarse.Rat(rat("2"))); !ok {
		t.Error("no bound at ρ = 2")
	}
}

// TestSampledLaplaceDecay: |M(−λ + it)|/M(−λ) against its bounds, and the lemma about ∫|G′|.
func TestSampledLaplaceDecay(t *testing.T) {
	if testing.Short() {
		t.Skip("arithmetic alone, for the whole suite")
	}
	useful := 0
	cases := append(laplaceCases(), laplaceCase{"1", "1", false}, laplaceCase{"1", "5", false})
	for i, c := range cases {
		s := c.factor()
		for _, lambda := range testkit.InTurn(i, []*big.Rat{rat("1/4"), rat("30")}) {
			norm := s.moment(coarse, lambda)
			groups := s.groups(lambda, norm)
			var mass double.Interval
			for _, g := range groups {
				mass = mass.Add(g.Mass.Lower())
			}
			if mass.Lo > 1 || mass.Hi < 0.5 {
				t.Errorf("%v, λ = %s: the groups hold %v", c, lambda.RatString(), mass)
			}
			pairs, d := fall.NewPairs(groups), s.decay(lambda)
			parts := s.parts(lambda, norm)
			for _, step := range testkit.InTurn(i/2, []string{"3/8", "40"}) {
				n := 40
				if step == "40" {
					n = 6 // more would need many nodes
				}
				line, err := s.line(t.Context(), 64, lambda, coarse.Rat(rat(step)), n)
				if err != nil || line == nil {
					t.Fatalf("%v: no line", c)
				}
				for j := 1; j < len(line); j += 1 + j/5 {
					at := double.Near(rat(step)) * float64(j)
					psi := double.Of(coarse.Div(coarse.AbsC(line[j]), norm)).Log().Lo
					for i, c := range parts {
						if bound := (fall.Cuts{c}).Bound(at); psi > bound {
							t.Fatalf("%v at −%s + i·%v: log|ψ| = %v > %v by part %d", c, lambda.RatString(), at, psi, bound, i)
						}
					}
					useful += checkDecay(t, fmt.Sprint(c), lambda, at, psi, map[string]float64{
						"pairs, point":    pairs.Bound(at, at),
						"pairs, segment":  pairs.Bound(at*15/16, at*17/16),
						"pairs, from 1/8": pairs.Bound(1.0/8, at),
						"both":            d(at*15/16, at*17/16),
						"unbounded":       d(at, math.Inf(1)),
					})
				}
			}
		}
	}
	if useful < testkit.Cases(50, 100) {
		t.Errorf("only %d bounds below 0.9", useful)
	}
}

// TestSampledLaplaceParts: what l beyond a cut adds to M, by a sum over cells of l, against
// 2·(G(x) + G(c))/|t|; and what l before it adds at t = 0, against the bound of that.
func TestSampledLaplaceParts(t *testing.T) {
	testkit.SkipShort(t)
	closest := interval.Int(0)
	for i, c := range append(laplaceCases(), laplaceCase{"1", "1", false}) {
		s := c.factor()
		for _, lambda := range testkit.InTurn(i/2, []*big.Rat{rat("1/4"), rat("30")}) {
			parts := s.parts(lambda, one)
			k := s.Tilt(coarse, coarse.Rat(lambda))
			const cells = 1024
			point := func(i int64) interval.Interval {
				return coarse.Mul(coarse.Rat(s.Shift), coarse.Rat(big.NewRat(2*i-cells, cells)))
			}
			width := coarse.Mul(coarse.Rat(s.Shift), coarse.Rat(big.NewRat(2, cells)))
			before := s.AtomsMoment(k)
			at := coarse.Div(interval.Int(40), coarse.Sub(s.LogR(coarse, point(cells)), s.LogR(coarse, point(0))))
			tail := make([]interval.Complex, cells+1) // what l from point i on adds
			least := make([]interval.Interval, cells)
			for i := int64(cells) - 1; i >= 0; i-- {
				l := interval.Union(point(i), point(i+1))
				log := s.LogR(coarse, l)
				least[i] = coarse.Mul(coarse.Mul(width, s.Density(coarse, l)), coarse.Exp(coarse.Mul(k, log)))
				tail[i] = coarse.AddC(tail[i+1], coarse.ScaleC(least[i], coarse.ExpI(coarse.Mul(at, log))))
			}
			for i, part := range parts {
				first := i * cells / len(parts)
				if before.Lo().Cmp(big.NewFloat(part.Elsewhere)) > 0 {
					t.Errorf("%v at −%s, cut %d: %v > %v", c, lambda.RatString(), i, before, part.Elsewhere)
				}
				for _, y := range least[first : first+cells/len(parts)] {
					before = coarse.Add(before, y)
				}
				d := coarse.Mul(coarse.AbsC(tail[first]), at)
				if d.Lo().Cmp(big.NewFloat(part.Variation)) > 0 {
					t.Errorf("%v at −%s + i·%v, cut %d: |D|·t = %v > %v", c, lambda.RatString(), at, i, d, part.Variation)
				}
				closest = interval.Max(closest, coarse.Div(interval.Point(d.Lo()), double.Point(part.Variation).Exact()))
			}
		}
	}
	if closest.LessRat(rat("1/3")) == interval.True {
		t.Errorf("the bound was never closer than a factor %v", closest)
	}
}

// TestSampledLaplaceInsidePLD: the enclosures of exact/pld and of the inversion have a common
// point, and the inversion's is the narrower one.
func TestSampledLaplaceInsidePLD(t *testing.T) {
	testkit.SkipUsual(t, "TestSampledLaplaceBrute and TestInsidePLD are shorter")
	third := pair.Response{Eps: rat("1/3"), Delta: rat("1e-6")}
	for _, prod := range []pair.Product{
		product(sampledLaplacePair("1/20", "1", true), 150, pair.Term{Pair: pair.Laplace{Shift: rat("1/2")}, Count: 2}, pair.Term{Pair: third, Count: 2}),
		product(sampledLaplacePair("1/100", "1/2", false), 300),
		product(sampledLaplacePair("1/3", "2", false), 60, pair.Term{Pair: sampledLaplacePair("1/50", "1", false), Count: 60}),
		product(sampledLaplacePair("1/5", "1", true), 3, pair.Term{Pair: pair.Gaussian{Mu2: rat("1/4")}, Count: 1}),
		product(sampledLaplacePair("1/10", "1", false), 30, pair.Term{Pair: sampledGaussian("1/20", "1", false), Count: 40}),
	} {
		grid := onGrid(t, prod)
		for _, eps := range []string{"-1/10", "1/3"} {
			y := grid(eps)
			for _, p := range []interval.Prec{8, 64} {
				x := delta(t, prod, p, eps)
				if _, ok := interval.Intersect(x, y); !ok || x.RelativeBits(int(p)) < min(int(p)-6, 40) {
					t.Errorf("%s: δ(%s) in %v at %d bits, by the grid in %v", prod, eps, x, p, y)
				}
			}
		}
	}
}

// TestSampledLaplaceValues: values from outside: mpmath 1.3.0 at 75 digits, the transform by a
// Gauss–Legendre rule in l with 70 nodes, along two lines Re s with different periods, which
// agree to all digits given.
func TestSampledLaplaceValues(t *testing.T) {
	for _, c := range []struct {
		reversed bool
		want     string
	}{
		{false, "1.49374932077278198055020798439010168739317729831405e-6"},
		{true, "9.77946241625470416747374257171646030882869540298277e-7"},
	} {
		got := delta(t, product(sampledLaplacePair("1/100", "1/2", c.reversed), 1000), 128, "3/5")
		want := rat(c.want)
		slack := new(big.Rat).Mul(want, rat("1e-50"))
		near := interval.Union(fine.Rat(new(big.Rat).Sub(want, slack)), fine.Rat(new(big.Rat).Add(want, slack)))
		if _, ok := interval.Intersect(got, near); !ok || got.RelativeBits(1000) < 120 {
			lo, hi := got.Decimal(50)
			t.Errorf("reversed %v: δ(3/5) in [%s, %s], %d bits, want %s", c.reversed, lo, hi, got.RelativeBits(1000), c.want)
		}
	}
}

// TestLaplaceTimesResponses: with k responses, δ is their mean of the others' δ.
func TestLaplaceTimesResponses(t *testing.T) {
	testkit.SkipShort(t)
	const count = 120
	x := rat("1")
	base := func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		return closed.LaplaceSum(ctx, p, x, count, eps)
	}
	responses := product(pair.Response{Eps: rat("1/2"), Delta: rat("1/1000")}, 2)
	os, rest, ok := pair.ProductOutcomes(responses, 200, 1000)
	if !ok {
		t.Fatal("no outcomes")
	}
	model := profile.Times(base, os, rest)
	prod := append(product(pair.Laplace{Shift: x}, count), responses...)
	for _, eps := range testkit.Few(1, []string{"0", "40"}) {
		want, err := model(t.Context(), 120, interval.RealRat(rat(eps)))
		if err != nil {
			t.Fatal(err)
		}
		got := delta(t, prod, 40, eps)
		if _, ok := interval.Intersect(got, want); !ok || got.RelativeBits(40) < 30 {
			t.Errorf("δ(%s) in %v, want %v", eps, got, want)
		}
	}
}

// TestFallIsLimited: atoms keep |M| from falling by more than so many bits. Asked for more
// digits than that allows, the inversion gives those that it does.
func TestFallIsLimited(t *testing.T) {
	testkit.SkipShort(t)
	prod := product(sampledLaplacePair("1/100", "1/2", false), 300)
	x, y := delta(t, prod, 40, "1/2"), delta(t, prod, 400, "1/2")
	if b := y.RelativeBits(400); b < 45 || b > 200 || x.RelativeBits(40) < 36 {
		t.Errorf("δ(1/2) in %v at 40 bits, in %v, %d bits, at 400", x, y, b)
	}
	if _, ok := interval.Intersect(x, y); !ok {
		t.Errorf("%v misses %v", x, y)
	}
	for _, c := range []struct {
		more    pair.Pair
		limited bool
	}{{pair.Laplace{Shift: rat("1")}, true}, {pair.Gaussian{Mu2: rat("1")}, false}} {
		if tr, ok := New(append(prod, pair.Term{Pair: c.more, Count: 1})); !ok || tr.Limited() != c.limited {
			t.Errorf("with %s: %v, want limited %v", c.more, ok, c.limited)
		}
	}
	for _, prod := range []pair.Product{
		product(sampledLaplacePair("1/100", "1/2", false), 50),
		product(pair.Sampled{Rate: rat("1/10"), Base: product(pair.Laplace{Shift: rat("1")}, 2)}, 1000),
	} {
		if Applies(prod) {
			t.Errorf("applies to %s", prod)
		}
	}
}

// TestSampledLaplaceExtremes: tiny and huge shifts and rates; wide where it must be.
func TestSampledLaplaceExtremes(t *testing.T) {
	testkit.SkipShort(t)
	for _, x := range []string{"1e-9", "12", "1e30"} {
		for _, rate := range []string{"1e-12", "999999999/1000000000"} {
			for i, reversed := range []bool{false, true} {
				c := laplaceCase{rate, x, reversed}
				s := c.factor()
				// E[R²] = 1 − g² + g²·∫e^{2l}dν.
				g := fine.Rat(rat(rate))
				want := fine.Add(fine.Sub(one, fine.Sqr(g)), fine.Mul(fine.Sqr(g), exponentialMoment(fine, rat(x), 2)))
				got := s.moment(100, big.NewRat(1, 1))
				if _, ok := interval.Intersect(got, want); !reversed && !ok {
					t.Errorf("%v: M(−1) in %v, want %v", c, got, want)
				}
				for _, lambda := range testkit.InTurn(i+len(x), []string{"1/1000", "1e5"}) {
					d := s.decay(rat(lambda))
					for _, at := range []string{"1e-9", "1", "1e9"} {
						a := double.Near(rat(at))
						if y := min(d(a, 2*a), d(a, math.Inf(1))); !(y <= 0) || math.IsInf(y, 0) {
							t.Errorf("%v at −%s + %si: log|ψ| ≤ %v", c, lambda, at, y)
						}
					}
					if _, err := s.line(t.Context(), 30, rat(lambda), coarse.Rat(rat("1/10")), 3); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}

// TestLaplaceManyTimes: Laplace pairs alone, so many that atoms hold little, against the closed sum. Of 900 copies of
// scale 20 |M| falls by 31 bits only.
func TestLaplaceManyTimes(t *testing.T) {
	for _, c := range []struct {
		shift       string
		copies      int64
		prec        interval.Prec
		eps         []string
		least, most int // bits
	}{{"1/2", 400, 64, []string{"-2", "30", "70"}, 50, 200}, {"1/20", 900, 36, []string{"6", "8"}, 30, 60}} {
		prod := product(pair.Laplace{Shift: rat(c.shift)}, c.copies)
		for _, eps := range c.eps {
			want, err := closed.LaplaceSum(t.Context(), 140, rat(c.shift), c.copies, interval.RealRat(rat(eps)))
			if err != nil {
				t.Fatal(err)
			}
			got := delta(t, prod, c.prec, eps)
			bits := got.RelativeBits(200)
			if _, ok := interval.Intersect(got, want); !ok || bits < c.least || bits > c.most {
				t.Errorf("δ(%s) in %v, %d bits, want %v", eps, got, bits, want)
			}
		}
	}
}

// TestLaplaceSizes: bounds of |M| on a line against its values, which they are next to.
func TestLaplaceSizes(t *testing.T) {
	for i, x := range []string{"1/100", "1", "6"} {
		l := laplace{rat(x)}
		for _, lambda := range []string{"1/3", "7"} {
			const n = 40
			h := testkit.InTurn(i, []string{"9/7", "200"})[0]
			values, err := closedForm{l}.line(t.Context(), 100, rat(lambda), fine.Rat(rat(h)), n)
			if err != nil {
				t.Fatal(err)
			}
			for j, y := range (closedForm{l}).sizes(rat(lambda), double.Of(coarse.Rat(rat(h))), n) {
				z := values[j]
				want := fine.Scale(fine.Log(fine.Div(fine.Add(fine.Sqr(z.Re), fine.Sqr(z.Im)), fine.Sqr(values[0].Re))), -1)
				if got := double.Point(y).Exact(); got.Less(want) == interval.True ||
					fine.Add(want, fine.Rat(big.NewRat(1, 1e9))).Less(got) == interval.True {
					t.Errorf("x = %s, λ = %s, h = %s: log|M| of term %d at most %v, want %v", x, lambda, h, j, got, want)
				}
			}
		}
	}
}
