// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A law is a random distribution of the loss in float64.
type law struct{ loss, mass []float64 }

// randomLaw returns a distribution of the loss that a pair has, and its table.
func randomLaw(t *testing.T, rng *rand.Rand) (law, Table) {
	t.Helper()
	for {
		n := 1 + rng.IntN(5)
		cuts := make([]int, n+1)
		sum := 0
		for i := range cuts {
			cuts[i] = 1 + rng.IntN(9)
			sum += cuts[i]
		}
		if rng.IntN(2) == 0 { // no infinite loss
			sum -= cuts[n]
			cuts[n] = 0
		}
		var l law
		text := "loss,mass\n"
		x, q := -5-rng.IntN(20), 0.0
		for i, c := range cuts {
			m := float64(c) / float64(sum)
			if i == n {
				if c > 0 {
					l.loss, l.mass = append(l.loss, math.Inf(1)), append(l.mass, m)
					text += fmt.Sprintf("inf,%d/%d\n", c, sum)
				}
				break
			}
			x += 1 + rng.IntN(12)
			l.loss, l.mass = append(l.loss, float64(x)/10), append(l.mass, m)
			q += m * math.Exp(-float64(x)/10)
			text += fmt.Sprintf("%d/10,%d/%d\n", x, c, sum)
		}
		if q < 0.999 {
			return l, read(t, text)
		}
	}
}

func (l law) rest() float64 {
	q := 1.0
	for i, x := range l.loss {
		q -= l.mass[i] * math.Exp(-x)
	}
	return q
}

// delta is H_α of (P, Q), and of (Q, P).
func (l law) delta(eps float64, reversed bool) float64 {
	sum := 0.0
	if reversed {
		sum = l.rest()
	}
	for i, x := range l.loss {
		p, q := l.mass[i], l.mass[i]*math.Exp(-x)
		if reversed {
			p, q = q, p
		}
		sum += max(0, p-math.Exp(eps)*q)
	}
	return sum
}

// moment is E[e^(zL)] over finite losses.
func (l law) moment(z complex128, reversed bool) (sum complex128) {
	for i, x := range l.loss {
		if math.IsInf(x, 1) {
			continue
		}
		m, y := l.mass[i], x
		if reversed {
			m, y = m*math.Exp(-x), -x
		}
		sum += complex(m, 0) * cmplx.Exp(z*complex(y, 0))
	}
	return sum
}

func (l law) above(x float64, reversed bool) (sum float64) {
	if reversed {
		sum = l.rest() // at a loss of ∞
	}
	for i, y := range l.loss {
		m := l.mass[i]
		if reversed {
			m, y = m*math.Exp(-y), -y
		}
		if y > x {
			sum += m
		}
	}
	return sum
}

// contains reports whether an enclosure holds what is known to float64.
func contains(x interval.Interval, want float64) bool {
	const tolerance = 1e-12
	return x.Upper().Less(interval.Point(big.NewFloat(want-tolerance))) == interval.False &&
		x.Lower().LessEq(interval.Point(big.NewFloat(want+tolerance))) == interval.True
}

func direction(reversed bool) mechanism.Direction {
	if reversed {
		return mechanism.Add
	}
	return mechanism.Remove
}

// checkTable compares all that a table says with a law; narrow, if it has to determine that.
func checkTable(t *testing.T, table Table, l law, bits int, narrow bool) {
	t.Helper()
	events, err := table.Events(bits)
	if err != nil {
		t.Fatal(err)
	}
	fixed := exact.Effort(0)
	for _, reversed := range []bool{false, true} {
		q := exact.Question{Direction: direction(reversed)}
		eps := []string{"-1.2", "-0.3", "0", "0.4", "1.1", "2"}
		var qs []ask.Quantity
		for _, e := range eps {
			qs = append(qs, ask.Delta(testkit.Rat(e)))
		}
		as, err := ask.Range(t.Context(), q, events, ask.Goal{Fixed: &fixed}, qs...)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range eps {
			x, _ := testkit.Rat(e).Float64()
			if want := l.delta(x, reversed); !contains(as[i].Interval, want) || narrow && !near(as[i].Interval, want, 1e-10) {
				t.Errorf("%v, reversed %t: δ(%s) ∈ %v, want %v", table, reversed, e, as[i].Interval, want)
			}
		}
		for _, at := range []string{"0", "0.7", "-2.5"} {
			u, _ := testkit.Rat(at).Float64()
			phi, err := table.Compute(t.Context(), Transform{Question: q, Of: "phi", At: []string{at}})
			if err != nil {
				t.Fatal(err)
			}
			for back, z := range map[bool]*interval.Complex{false: &phi[0].Value, true: phi[0].Reverse} {
				want := l.moment(complex(0, u), reversed != back)
				if !contains(z.Re, real(want)) || !contains(z.Im, imag(want)) || narrow && !(near(z.Re, real(want), 1e-10) && near(z.Im, imag(want), 1e-10)) {
					t.Errorf("%v, reversed %t: φ(%s) ∈ %v, want %v", table, reversed != back, at, *z, want)
				}
			}
		}
		for _, at := range []string{"-3", "-0.5", "-0.1", "0", "0.3", "1.1"} {
			x, _ := testkit.Rat(at).Float64()
			y, err := table.Compute(t.Context(), Transform{Question: q, Of: "loss", At: []string{at}})
			if err != nil {
				t.Fatal(err)
			}
			if want := l.above(x, reversed); !contains(y[0].Value.Re, want) || narrow && !near(y[0].Value.Re, want, 1e-10) {
				t.Errorf("%v, reversed %t: P(L > %s) ∈ %v, want %v", table, reversed, at, y[0].Value.Re, want)
			}
		}
		for _, order := range []complex128{0.5 + 0.3i, 0.5, 1.5 + 0.25i, -0.5 - 0.25i} {
			at := fmt.Sprintf("%g%+gi", real(order), imag(order))
			y, err := table.Compute(t.Context(), Transform{Question: q, Of: "renyi", At: []string{at}})
			z := order - 1
			infinite := real(z) > 0 && (reversed && l.rest() > 0 || !reversed && math.IsInf(l.loss[len(l.loss)-1], 1))
			switch {
			case infinite && err == nil:
				t.Errorf("%v, reversed %t: R(%s) = %v, though a loss may be infinite", table, reversed, at, y)
			case err != nil && (narrow && !infinite):
				t.Errorf("%v, reversed %t: %v", table, reversed, err)
			case err == nil:
				if want := cmplx.Log(l.moment(z, reversed)) / z; !contains(y[0].Value.Re, real(want)) || !contains(y[0].Value.Im, imag(want)) {
					t.Errorf("%v, reversed %t: R(%s) ∈ %v, want %v", table, reversed, at, y[0].Value, want)
				}
			}
		}
	}
}

// TestMassesOfLosses: a table of masses determines all that is asked of its pair.
func TestMassesOfLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 17))
	for range testkit.Cases(12, 400) {
		l, table := randomLaw(t, rng)
		checkTable(t, table, l, 400, true)
		checkTable(t, table, l, 4+rng.IntN(12), false)
	}
	// Losses of 0 alone are exact: two equal distributions, or in part disjoint ones.
	for text, want := range map[string]string{"loss,mass\n0,1\n": "0", "loss,mass\n0,0.75\ninf,0.25\n": "1/4"} {
		events, err := read(t, text).Events(64)
		if err != nil || !events.IsOne() {
			t.Fatalf("%q: %v, %v", text, events, err)
		}
		as, err := ask.Range(t.Context(), exact.Question{}, events, ask.Goal{}, ask.TotalVariation())
		if err != nil || !as[0].Complete() || !as[0].ContainsRat(testkit.Rat(want)) {
			t.Errorf("%q: δ(0) = %v, want %s", text, as, want)
		}
	}
}

// TestTailsOfLosses: whatever the loss is between the points of its tail, the answers hold for it.
func TestTailsOfLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 17))
	cases, narrower := testkit.Cases(40, 2000), 0
	for range cases {
		l, masses := randomLaw(t, rng)
		text, x := "loss,tail\n", -12-rng.IntN(20)
		for range 1 + rng.IntN(5) {
			x += 1 + rng.IntN(12)
			at := big.NewRat(int64(x), 10)
			above := new(big.Rat)
			for _, p := range masses.Points {
				if p.X == nil || p.X.Cmp(at) > 0 {
					above.Add(above, p.Y)
				}
			}
			text += at.RatString() + "," + above.RatString() + "\n"
		}
		table := read(t, text)
		checkTable(t, table, l, 4+rng.IntN(60), false)
		if events, err := table.Events(64); err == nil && len(events.MorePrivate.(mechanism.FinitePair).P) > 1 {
			narrower++
		}
	}
	// Merging all up to −0.1 leaves Q so little there that the merged outcome has a loss above 0.5.
	checkTable(t, read(t, "loss,tail\n-0.1,0.9\n0.5,0\n"), law{[]float64{-1.3, 0.4}, []float64{0.1, 0.9}}, 64, false)
	if narrower < cases/4 {
		t.Errorf("%d tables bound profiles from below, want some", narrower)
	}
}

// TestMergedLossIsTheLeast: no other loss of the pair below is less than the one of the outcomes that are merged,
// however few bits the masses under Q have; otherwise its profile might be above 1 − α, the least there is.
func TestMergedLossIsTheLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 17))
	merged := 0
	for range testkit.Cases(300, 3000) {
		table := Table{Form: Form{X: "loss", Y: "tail"}}
		y, x := int64(60), int64(-20)
		for range 2 + rng.IntN(4) {
			y, x = y-int64(1+rng.IntN(12)), x+int64(1+rng.IntN(12))
			table.Points = append(table.Points, Point{X: big.NewRat(x, 40), Y: big.NewRat(y, 60)})
		}
		for bits := 2; bits <= 8; bits++ {
			events, err := table.tails(bits)
			if err != nil {
				continue
			}
			pair := events.MorePrivate.(mechanism.FinitePair)
			for i := 1; i < len(pair.P); i++ {
				merged++
				l, r := new(big.Rat).Mul(pair.P[0], pair.Q[i]), new(big.Rat).Mul(pair.P[i], pair.Q[0])
				if l.Cmp(r) > 0 {
					t.Fatalf("%v at %d bits: %v under P, %v under Q", table.Points, bits, pair.P, pair.Q)
				}
			}
		}
	}
	if merged < 100 {
		t.Errorf("%d losses above merged ones, want some", merged)
	}
}

// TestFineTails: a table with a point in each tenth of a Gaussian's losses bounds δ from both sides.
func TestFineTails(t *testing.T) {
	text := "loss,tail\n"
	for x := -40; x <= 60; x++ {
		lo := math.Erfc((float64(x)/10-0.5)/math.Sqrt2) / 2
		text += fmt.Sprintf("%d/10,%.15f\n", x, lo)
	}
	events, err := read(t, text).Events(200)
	if err != nil {
		t.Fatal(err)
	}
	as, err := ask.Range(t.Context(), exact.Question{Direction: mechanism.Remove}, events, ask.Goal{Digits: 6}, ask.Delta(big.NewRat(1, 1)), ask.Renyi(renyi.At(big.NewRat(2, 1))))
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi, _ := as[0].Rationals(); !contains(as[0].Interval, 0.1269367) || lo.Cmp(testkit.Rat("0.11")) < 0 || hi.Cmp(testkit.Rat("0.145")) > 0 {
		t.Errorf("δ(1) ∈ %v, want about 0.1269", as[0].Interval)
	}
	if lo, hi, ok := as[1].Rationals(); ok || lo != nil && lo.Cmp(testkit.Rat("0.8")) < 0 {
		t.Errorf("R(2) ∈ [%v, %v], want above 0.8, and no bound from above: the losses above 6 have none", lo, hi)
	}
}

// TestLargerLossesHaveTheSamePhi: the counterexample by which a table of φ bounds nothing from above. A loss that is
// larger by 2πk is of a pair, has the same φ at all integers, and a δ(ε) near 1.
func TestLargerLossesHaveTheSamePhi(t *testing.T) {
	l := law{[]float64{-0.5, 0.5}, []float64{0.3, 0.6999}}
	larger := law{[]float64{-0.5 + 20*math.Pi, 0.5 + 20*math.Pi}, l.mass}
	if l.rest() < 0 || larger.rest() < 0 {
		t.Fatal("no pair")
	}
	for u := range 6 {
		if x, y := l.moment(complex(0, float64(u)), false), larger.moment(complex(0, float64(u)), false); cmplx.Abs(x-y) > 1e-10 {
			t.Errorf("φ(%d) = %v and %v", u, x, y)
		}
	}
	if d := larger.delta(30, false); d < 0.99 {
		t.Errorf("δ(30) = %v", d)
	}
}

// TestPhiOfInfiniteLosses: φ(0) bounds everything from below, and its values are those of the table.
func TestPhiOfInfiniteLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 17))
	for range testkit.Cases(15, 500) {
		l, masses := randomLaw(t, rng)
		m := new(big.Rat)
		for _, p := range masses.Points {
			if p.X != nil {
				m.Add(m, p.Y)
			}
		}
		table := read(t, "t,re,im\n0,"+m.RatString()+",0\n1/2,0.1,0.2\n")
		for at, want := range map[string]complex128{"0.5": 0.1 + 0.2i, "-1/2": 0.1 - 0.2i} {
			y, err := table.Compute(t.Context(), Transform{Of: "phi", At: []string{at}})
			if err != nil || !near(y[0].Value.Re, real(want), 1e-12) || !near(y[0].Value.Im, imag(want), 1e-12) {
				t.Errorf("φ(%s) = %v, %v", at, y, err)
			}
		}
		if _, err := table.Compute(t.Context(), Transform{Of: "phi", At: []string{"0.4"}}); err == nil {
			t.Error("φ(0.4) is known")
		}
		events, err := table.Events(64)
		if m.Cmp(ratOne) == 0 {
			if err == nil {
				t.Errorf("%v: %v", table, events)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, reversed := range []bool{false, true} {
			for _, eps := range []string{"-2", "-0.5", "0", "1"} {
				x, _ := testkit.Rat(eps).Float64()
				as, err := ask.Range(t.Context(), exact.Question{Direction: direction(reversed)}, events, ask.Goal{}, ask.Delta(testkit.Rat(eps)))
				if err != nil || !contains(as[0].Interval, l.delta(x, reversed)) {
					t.Errorf("%v: δ(%s) ∈ %v, want %v, %v", table, eps, as, l.delta(x, reversed), err)
				}
			}
		}
		y, err := table.Compute(t.Context(), Transform{Of: "loss", At: []string{"2"}})
		if err != nil || !contains(y[0].Value.Re, l.above(2, false)) {
			t.Errorf("P(L > 2) = %v, want %v, %v", y, l.above(2, false), err)
		}
	}
}

// TestLossesOfRandomizedResponse: its losses are ±ε, so that P(L > −ε) is P(L = ε) = 1/(1 + e^−ε), and what (ε, 0) says
// has that as its least number.
func TestLossesOfRandomizedResponse(t *testing.T) {
	for _, text := range []string{"1,0", "1/3,0", "1e-9,0", "40,0", "-1,0.7\n1,0", "0,0.9\n2,0\n5,0"} {
		table := read(t, "epsilon,delta\n"+text+"\n")
		eps := table.Points[slices.IndexFunc(table.Points, func(p Point) bool { return p.Y.Sign() == 0 })].X
		const p = interval.Prec(150)
		want := p.Inv(p.Add(interval.Int(1), p.Exp(p.Rat(eps).Neg())))
		below := new(big.Rat).Sub(new(big.Rat).Neg(eps), testkit.Rat("1e-30"))
		for _, c := range []struct {
			at   *big.Rat
			want interval.Interval
		}{{new(big.Rat).Neg(eps), want}, {below, interval.Int(1)}, {eps, interval.Int(0)}} {
			y, err := table.Compute(t.Context(), Transform{Of: "loss", At: []string{c.at.RatString()}})
			if err != nil {
				t.Fatal(err)
			}
			got := y[0].Value.Re
			if _, ok := interval.Intersect(got, c.want); !ok || got.Hi().Cmp(c.want.Lo()) < 0 {
				t.Errorf("%q: P(L > %v) ∈ %v, and randomized response has %v", text, c.at, got, c.want)
			}
			if end := p.Sub(interval.Point(got.Lo()), c.want).Abs(); end.LessEqRat(testkit.Rat("1e-40")) != interval.True {
				t.Errorf("%q: P(L > %v) ∈ %v, and the least is %v", text, c.at, got, c.want)
			}
		}
	}
}

// TestLossOfGuarantees: P(L > x) of binary pairs that keep a guarantee is within what the guarantee says, and near both
// ends.
func TestLossOfGuarantees(t *testing.T) {
	type guarantee struct {
		text string
		kept func(p, q float64) bool
	}
	binary := func(alpha, p, q float64) float64 {
		return math.Log(math.Pow(p, alpha)*math.Pow(q, 1-alpha)+math.Pow(1-p, alpha)*math.Pow(1-q, 1-alpha)) / (alpha - 1)
	}
	delta := func(eps, p, q float64) float64 {
		a := math.Exp(eps)
		return max(0, p-a*q) + max(0, 1-p-a*(1-q))
	}
	both := func(f func(p, q float64) float64, most float64) func(p, q float64) bool {
		return func(p, q float64) bool { return f(p, q) <= most && f(q, p) <= most }
	}
	for i, g := range []guarantee{
		{"order,renyi\n2,0.5\n", both(func(p, q float64) float64 { return binary(2, p, q) }, 0.5)},
		{"order,renyi\n0.5,0.1\n4,2\n", func(p, q float64) bool {
			return both(func(p, q float64) float64 { return binary(0.5, p, q) }, 0.1)(p, q) && both(func(p, q float64) float64 { return binary(4, p, q) }, 2)(p, q)
		}},
		{"epsilon,delta\n0,0.3\n1,0.1\n", func(p, q float64) bool {
			return both(func(p, q float64) float64 { return delta(0, p, q) }, 0.3)(p, q) && both(func(p, q float64) float64 { return delta(1, p, q) }, 0.1)(p, q)
		}},
		{"epsilon,delta\n1,0\n", both(func(p, q float64) float64 { return delta(1, p, q) }, 0)},
		{"epsilon,delta\n-0.5,0.5\n", both(func(p, q float64) float64 { return delta(-0.5, p, q) }, 0.5)},
	} {
		table := read(t, g.text)
		for _, at := range slices.Concat(testkit.InTurn(i, [][]string{{"-1.5", "0", "1"}, {"-0.4", "0.25", "2.5"}})...) {
			x, _ := testkit.Rat(at).Float64()
			y, err := table.Compute(t.Context(), Transform{Of: "loss", At: []string{at}})
			if err != nil {
				t.Fatal(err)
			}
			least, most := 1.0, 0.0
			try := func(p, q float64) {
				if !g.kept(p, q) {
					return
				}
				sum := 0.0
				if math.Log(p/q) > x {
					sum += p
				}
				if math.Log((1-p)/(1-q)) > x {
					sum += 1 - p
				}
				least, most = min(least, sum), max(most, sum)
			}
			for i := 1; i < 25; i++ {
				for j := 1; j < 25; j++ {
					try(float64(i)/25, float64(j)/25)
				}
			}
			for i := 1; i < 500; i++ { // a loss of about ±x
				p := float64(i) / 500
				q := p * math.Exp(-math.Abs(x)) * (1 - 1e-9)
				try(p, q)
				try(q, p)
			}
			lo, hi, _ := y[0].Value.Re.Rationals()
			a, _ := lo.Float64()
			b, _ := hi.Float64()
			if least < a-1e-12 || most > b+1e-12 {
				t.Errorf("%q: P(L > %s) ∈ [%v, %v], and a pair has %v or %v", g.text, at, a, b, least, most)
			}
			// Binary pairs come near a guarantee in Rényi divergences; a profile is attained by more outcomes.
			if strings.HasPrefix(g.text, "order") && (least > a+0.003 || most < b-0.003) {
				t.Errorf("%q: P(L > %s) ∈ [%v, %v], and pairs reach [%v, %v]", g.text, at, a, b, least, most)
			}
		}
	}
	// A profile: the pair whose profile is max(p(1 − α/c), 1 − α), c slightly above e^x, keeps the guarantee.
	table := read(t, "epsilon,delta\n0,0.3\n1,0.1\n")
	y, err := table.Compute(t.Context(), Transform{Of: "loss", At: []string{"0.5"}})
	if err != nil {
		t.Fatal(err)
	}
	_, hi, _ := y[0].Value.Re.Rationals()
	p, _ := hi.Float64()
	p, c := p-1e-6, math.Exp(0.5)+1e-6
	// Losses log c with mass p, and ones at the crossing a of 1 − α with it: 1 − a = p(1 − a/c).
	a := (1 - p) / (1 - p/c)
	l := law{[]float64{math.Log(a), math.Log(c)}, []float64{1 - p, p}}
	if math.Abs(l.rest()) > 1e-12 || l.above(0.5, false) < p-1e-12 {
		t.Fatalf("%v has the rest %v", l, l.rest())
	}
	for eps, most := range map[float64]float64{0: 0.3, 1: 0.1} {
		if d := max(l.delta(eps, false), l.delta(eps, true)); d > most {
			t.Errorf("δ(%v) = %v, want at most %v", eps, d, most)
		}
	}
	// Two cells of the matrix have no answer, and say why.
	for of, want := range map[string]string{"phi": "many pairs", "renyi": "many pairs"} {
		if _, err := read(t, "order,renyi\n2,1\n").Compute(t.Context(), Transform{Of: of, At: []string{"1+i"}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", of, err)
		}
	}
}
