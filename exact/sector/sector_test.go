// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
)

// product is copies of some kinds of steps.
func product(reversed bool, kinds ...step) (out pair.Product) {
	for _, s := range kinds {
		if s.replaced {
			out = append(out, pair.Term{Pair: pair.SampledReplaceGaussian{Rate: s.q, Mu2: s.mu2}, Count: s.count})
			continue
		}
		base := pair.Product{{Pair: pair.Gaussian{Mu2: s.mu2}, Count: 1}}
		out = append(out, pair.Term{Pair: pair.Sampled{Base: base, Rate: s.q, Reversed: reversed}, Count: s.count})
	}
	return out
}

// replaced is one kind of steps of a replaced record.
func replaced(q, mu2 string, count int64) []step { return []step{{rat(q), rat(mu2), count, true}} }

func newSteps(t *testing.T, reversed bool, kinds ...step) *Steps {
	t.Helper()
	x, ok := New(product(reversed, kinds...))
	if !ok {
		t.Fatal("no steps")
	}
	return x
}

// single is δ(ε) of one step: the side of the likelihood ratio is a half-line.
func single(s step, reversed bool, eps *big.Rat) interval.Interval {
	const w = interval.Prec(400)
	q, mu, e := w.Rat(s.q), w.Sqrt(w.Rat(s.mu2)), w.Rat(eps)
	keep := w.Sub(one, q)
	if s.replaced {
		// e^ε is (1 − q + q·a·y)/(1 − q + q·a/y), y = e^{μx}, a = e^{−μ²/2}: a quadratic equation.
		a := w.Div(w.Mul(q, w.Exp(w.Scale(w.Sqr(mu), -1).Neg())), keep)
		rise, m := w.Exp(e), w.Expm1(e)
		root := w.Sqrt(w.Add(w.Sqr(m), w.Scale(w.Mul(w.Sqr(a), rise), 2)))
		x := w.Div(w.Log(w.Div(w.Add(m, root), w.Scale(a, 1))), mu)
		side := func(mean interval.Interval) interval.Interval {
			return w.Add(w.Mul(keep, w.NormalSF(x)), w.Mul(q, w.NormalSF(w.Sub(x, mean))))
		}
		return w.Sub(side(mu), w.Mul(rise, side(mu.Neg())))
	}
	if reversed {
		e = e.Neg()
	}
	odds := w.Div(w.Sub(w.Exp(e), keep), q)
	if odds.Positive() != interval.True {
		if reversed {
			return interval.Int(0)
		}
		return w.Expm1(e).Neg()
	}
	x := w.Add(w.Div(w.Log(odds), mu), w.Scale(mu, -1))
	if reversed {
		mixed := w.Add(w.Mul(keep, w.NormalCDF(x)), w.Mul(q, w.NormalCDF(w.Sub(x, mu))))
		return w.Sub(w.NormalCDF(x), w.Mul(w.Exp(e.Neg()), mixed))
	}
	mixed := w.Add(w.Mul(keep, w.NormalSF(x)), w.Mul(q, w.NormalSF(w.Sub(x, mu))))
	return w.Sub(mixed, w.Mul(w.Exp(e), w.NormalSF(x)))
}

// TestOneStep: the closed form of a step is in every enclosure, which is as narrow as asked for.
func TestOneStep(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	answered := 0
	cases := testkit.Draws(2, 24, 200)
	for i := range cases {
		s := kinds()[r.IntN(len(kinds()))]
		reversed := r.IntN(2) == 0
		edge := -math.Log1p(-number.Float64(s.q))
		eps := new(big.Rat).SetFloat64(math.Exp(5*r.Float64()-4) - edge)
		if reversed {
			eps = new(big.Rat).SetFloat64(edge * (1 - math.Exp(-4*r.Float64())))
		}
		if s.replaced {
			size := math.Exp(8*r.Float64()-4) * (edge + 1e-3)
			eps = new(big.Rat).SetFloat64([]float64{size, size, -size}[r.IntN(3)])
		}
		bits := []interval.Prec{2, 8, 50, 4, 90, 3}[i%6]
		if s.replaced {
			bits = min(bits, 20)
		}
		want := single(s, reversed, eps)
		scale := []int{0, -want.Lo().MantExp(nil)}[r.IntN(2)]
		y, ok, err := newSteps(t, reversed, s).Delta(t.Context(), bits, interval.RealRat(eps), scale)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		answered++
		if !y.Encloses(want) || y.RelativeBits(int(bits)) < int(bits)-4 && want.Lo().MantExp(nil) > -200 {
			t.Errorf("q = %v, μ² = %v, %v, ε = %v at %d bits: %v, want %v", s.q, s.mu2, reversed, eps, bits, y, want)
		}
	}
	if answered < cases*3/4 {
		t.Errorf("%d of %d answered", answered, cases)
	}
}

// TestTwoSteps: values by a quadrature of the profile of the second step over the outcomes of the first one, in mpmath.
func TestTwoSteps(t *testing.T) {
	type sum struct {
		kinds      []step
		eps, value string
	}
	for _, c := range testkit.Few(3, []sum{
		{[]step{{q: rat("1/100"), mu2: rat("1"), count: 2}}, "1/4", "0.0000093448485646444789979342334763059091504437058266637"},
		{[]step{{q: rat("1/10"), mu2: rat("4"), count: 1}, {q: rat("1/5"), mu2: rat("1/4"), count: 1}}, "1",
			"0.019883370001239375662819336690637903053466194572011"},
		{[]step{{q: rat("1/1000000"), mu2: rat("9"), count: 2}}, "1/10", "0.0000000095245972967861024871921388448621975820251402950779"},
		{[]step{{q: rat("1/2"), mu2: rat("1"), count: 2}}, "1/2", "0.14792013341095416243748818826936533148863302323336"},
		{replaced("1/100", "1", 2), "1/4", "0.000011253680345296695225449373243843"},
		{replaced("1/1000000", "9", 2), "1/10", "0.0000000095246942753575999706741238403613"},
		{replaced("1/1000000", "1", 2), "1/100000", "0.000000023561495261619337520761248908886"},
		{replaced("1/4", "3", 2), "1", "0.15118077734748106008648825009962"},
		{replaced("1/1000", "1/4", 2), "-1/5000", "0.00065858502797723206342544331854963"},
	}) {
		value := rat(c.value)
		digits := "1e-48"
		if c.kinds[0].replaced {
			digits = "1e-30"
		}
		off := new(big.Rat).Mul(value, rat(digits))
		want := interval.Union(interval.Prec(300).Rat(new(big.Rat).Sub(value, off)), interval.Prec(300).Rat(off.Add(off, value)))
		for _, bits := range []interval.Prec{8, 2, 60, 150}[:testkit.Draws(1, 4, 4)] {
			if c.kinds[0].replaced {
				bits = min(bits, 12)
			}
			x := newSteps(t, false, c.kinds...)
			y, ok, err := x.Delta(t.Context(), bits, interval.RealRat(rat(c.eps)), 0)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if _, meet := interval.Intersect(y, want); !meet || y.RelativeBits(int(bits)) < int(bits)-4 {
				t.Errorf("ε = %v at %d bits: %v, want %v", c.eps, bits, y, want)
			}
			if bits != 8 || c.kinds[0].replaced && c.kinds[0].q.Cmp(rat("1/100")) != 0 {
				continue
			}
			// δ_{P‖Q}(ε) = 1 − e^ε + e^ε·δ_{Q‖P}(−ε).
			back, ok, err := newSteps(t, true, c.kinds...).Delta(t.Context(), bits+30, interval.RealRat(
				new(big.Rat).Neg(rat(c.eps))), 0)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			const w = interval.Prec(300)
			e := w.Rat(rat(c.eps))
			if _, meet := interval.Intersect(w.Sub(w.Mul(w.Exp(e), back), w.Expm1(e)), want); !meet {
				t.Errorf("ε = %v at %d bits: %v reversed, want %v", c.eps, bits, back, want)
			}
		}
	}
	if _, ok := correlate(8, []interval.Complex{{Re: interval.PosInf()}}, []interval.Complex{{}}); ok {
		t.Error("sums without a bound")
	}
}

// TestTwentySteps: what lines of package inversion enclose, to 27 digits.
func TestTwentySteps(t *testing.T) {
	x, delta := newSteps(t, false, step{q: rat("1/100"), mu2: rat("1"), count: 20}), rat("1e-5")
	for _, c := range []struct {
		eps   string
		below interval.Truth
	}{{"0.454932872159274939839383715920", interval.False}, {"0.454932872159274939839383715922", interval.True}} {
		y, ok, err := x.Delta(t.Context(), 96, interval.RealRat(rat(c.eps)), 0)
		if err != nil || !ok || y.LessEqRat(delta) != c.below {
			t.Errorf("δ(%v) is %v, want at most %v: %v (%v %v)", c.eps, y, delta, c.below, ok, err)
		}
	}
}

// TestAtTheEdge: where all losses are on one side of ε, δ is known.
func TestAtTheEdge(t *testing.T) {
	s := step{q: rat("1/10"), mu2: rat("1"), count: 3}
	eps := rat("-1")
	y, ok, err := newSteps(t, false, s).Delta(t.Context(), 40, interval.RealRat(eps), 0)
	if err != nil || !ok || !y.Encloses(interval.Prec(300).Expm1(interval.Int(-1)).Neg()) {
		t.Errorf("%v, want 1 − 1/e: %v %v", y, ok, err)
	}
	y, ok, err = newSteps(t, true, s).Delta(t.Context(), 40, interval.RealRat(rat("1")), 0)
	if err != nil || !ok || !y.IsZero() {
		t.Errorf("%v, want 0: %v %v", y, ok, err)
	}
	x := newSteps(t, true, s)
	edge := func(p interval.Prec) interval.Interval { return edge(p, x.steps).Neg() } // z may be 0
	if y, ok, err := x.Delta(t.Context(), 40, edge, 0); ok || err != nil {
		t.Errorf("%v at the edge: %v", y, err)
	}
}

// TestAtZero: δ(0) of replaced records is what one step says in closed form, and for more steps between what convexity
// in α = e^ε and H_{1/α} = 1 − 1/α + H_α/α say by other values: H_1 is at most (2·H_α + α − 1)/(α + 1), and at least on
// the line through H_α and H_β, 1 < α < β.
func TestAtZero(t *testing.T) {
	for i, k := range [][]step{
		replaced("1/100", "1/4", 1), append(replaced("1/1000", "1/4", 2), replaced("1/10000", "2", 1)...),
		replaced("1/1000000", "1", 1), replaced("1/100000", "1", 10),
	}[:testkit.Draws(1, 3, 4)] {
		for _, bits := range []interval.Prec{8, 2, 3, 30}[:max(testkit.Draws(2, 4, 4)-i, 1)] {
			at := func(eps string) interval.Interval {
				y, ok, err := newSteps(t, i%2 == 1, k...).Delta(t.Context(), bits, interval.RealRat(rat(eps)), 20)
				if err != nil || !ok || y.RelativeBits(int(bits)) < int(bits)-4 {
					t.Fatalf("δ(%s) of %v in %v to %d bits: %v %v", eps, k, y, bits, ok, err)
				}
				return y
			}
			y := at("0")
			if k[0].count == 1 {
				if want := single(k[0], false, new(big.Rat)); !y.Encloses(want) {
					t.Errorf("δ(0) of %v in %v, want %v", k, y, want)
				}
				continue
			}
			const w = interval.Prec(100)
			a, b := w.Exp(w.Rat(rat("1e-8"))), w.Exp(w.Rat(rat("3e-8")))
			near, far := at("1e-8"), at("3e-8")
			above := w.Div(w.Add(w.Scale(near, 1), w.Sub(a, one)), w.Add(a, one))
			below := w.Add(near, w.Mul(w.Sub(near, far), w.Div(w.Sub(a, one), w.Sub(b, a))))
			if above.Less(y) == interval.True || y.Less(below) == interval.True {
				t.Errorf("δ(0) of %v in %v, want it between %v and %v", k, y, below, above)
			}
		}
	}
}

// TestAnyLayout: δ is in what every line gives, however badly it is laid out.
func TestAnyLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 4))
	tried := 0
	cases := testkit.Draws(4, 40, 200)
	for i := range cases {
		s, z := kinds()[[]int{0, 1, 2, 6, 7, 8}[r.IntN(6)]], math.Exp(4*r.Float64()-2)
		if s.count = 1 + int64(i/8%2)*r.Int64N(3); i%8 == 7 { // transforms grow across strips
			s = kinds()[4]
			s.count = []int64{1, 8}[i/8%2]
			z = 0.12 * float64(s.count)
		}
		if s.replaced && i%5 == 0 {
			z = 0
		}
		x := newSteps(t, true, s)
		eps := new(big.Rat).SetFloat64(-float64(s.count)*math.Log1p(-number.Float64(s.q)) - z)
		if s.replaced {
			eps = new(big.Rat).SetFloat64(-z)
		}
		want := single(s, true, eps)
		if s.count > 1 {
			var ok bool
			var err error
			if want, ok, err = x.Delta(t.Context(), 50, interval.RealRat(eps), 0); err != nil || !ok {
				t.Fatal(ok, err)
			}
		}
		size := zero
		if z > 0 {
			size = int(math.Floor(math.Log2(z)))
		}
		c, ok := chooseLayout(x.steps, 30, size)
		if !ok {
			t.Fatal("no layout")
		}
		k := &c.nodes[0]
		if i%3 == 0 {
			c.falls = [2]int{r.IntN(1 + c.falls[0]), r.IntN(1 + c.falls[1])}
		}
		switch i % 8 {
		case 0: // coarser
			n := 2 + r.Int64N(3)
			c.step = new(big.Rat).Mul(c.step, big.NewRat(n, 1))
			c.first, c.last, k[0], k[1] = c.first/n, c.last/n, k[0]/n, k[1]/n
		case 1:
			c.last = c.first + r.Int64N(c.last-c.first)
		case 2:
			c.first += r.Int64N(-c.first)
		case 3:
			c.order = 1
			c.first = -r.Int64N(1 - c.first/2)
		case 4:
			k[0] += r.Int64N((k[1] - k[0]) / 2)
		case 5:
			k[1] -= r.Int64N((k[1] - k[0]) / 2)
		case 6:
			c.angle = big.NewRat(1+r.Int64N(24), 100)
		case 7:
			from := c.step
			c.angle, c.step = big.NewRat(1, 4), big.NewRat(1, 10+r.Int64N(8))
			ratio := number.Float64(from) / number.Float64(c.step)
			for _, n := range []*int64{&c.first, &c.last, &k[0], &k[1]} {
				*n = int64(float64(*n) * ratio * 1.2)
			}
		}
		l, err := newLine(t.Context(), x.steps, []interval.Prec{40, 80}[r.IntN(2)], c)
		if err != nil {
			t.Fatal(err)
		}
		if l == nil {
			continue
		}
		const w = interval.Prec(80)
		y, err := l.integral(t.Context(), w.Sub(w.Rat(eps).Neg(), edge(w, x.steps)))
		if err != nil {
			t.Fatal(err)
		}
		if y.IsFinite() {
			tried++
		}
		if _, meet := interval.Intersect(y, want); !meet || s.count == 1 && !y.Encloses(want) {
			t.Errorf("%+v, ε = %v, case %d, %+v: %v, want %v", s, eps, i%8, c, y, want)
		}
	}
	if tried < cases/2 {
		t.Errorf("%d lines of %d have an answer", tried, cases)
	}
}

// TestCorrelate: sums are those of a double loop in rational numbers.
func TestCorrelate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	draw := func(n int, most, over int64) (out []interval.Complex, parts [][2]*big.Rat) {
		const size = 1000
		for range n {
			part := func() *big.Rat { return big.NewRat((r.Int64N(2*size+1)-size)*most, 3*size*over) }
			p := [2]*big.Rat{part(), part()}
			if r.IntN(4) == 0 {
				p[r.IntN(2)] = new(big.Rat)
			}
			parts = append(parts, p)
			out = append(out, interval.Complex{Re: interval.Prec(90).Rat(p[0]), Im: interval.Prec(90).Rat(p[1])})
		}
		return out, parts
	}
	for _, w := range []interval.Prec{2, 3, 8, 64, 65} {
		for range 12 {
			scale := [][2]int64{{1, 30}, {100, 1}}[r.IntN(2)] // errors of either side dominate
			as, a := draw(1+r.IntN(9), scale[0], scale[1])
			es, e := draw(len(as)+r.IntN(9), 2, 1)
			sums, ok := correlate(w, as, es)
			if !ok {
				t.Fatal("no sums")
			}
			for j, z := range sums {
				re, im := new(big.Rat), new(big.Rat)
				for k, x := range a {
					y := e[j+k]
					re.Add(re, new(big.Rat).Mul(x[0], y[0])).Sub(re, new(big.Rat).Mul(x[1], y[1]))
					im.Add(im, new(big.Rat).Mul(x[0], y[1])).Add(im, new(big.Rat).Mul(x[1], y[0]))
				}
				if !z.Re.ContainsRat(re) || !z.Im.ContainsRat(im) {
					t.Errorf("%d bits: %v and %v, want %v and %v", w, z.Re, z.Im, re, im)
				}
			}
		}
	}
	if _, ok := correlate(8, []interval.Complex{{Re: interval.PosInf()}}, []interval.Complex{{}}); ok {
		t.Error("sums without a bound")
	}
}

// TestCoefficients: what a rule says of the coefficients of N, however badly it is laid out, holds 1 at first, and then
// what a good rule says.
func TestCoefficients(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	const w = interval.Prec(80)
	coefficients := func(s step, c layout) []interval.Interval {
		out := s.rule(w, c, c.nodes[0][0], c.nodes[0][1]).coefficients(w, 4)
		if s.replaced {
			for n, y := range s.mirror(w, c, c.nodes[0][0], c.nodes[0][1]).coefficients(w, 4) {
				out[n] = w.Add(out[n], y)
			}
		}
		return out
	}
	for i := range testkit.Draws(2, 24, 90) {
		s := kinds()[[]int{0, 1, 2, 6, 7, 8}[i%6]]
		good, ok := chooseLayout([]step{s}, 36, 0)
		bad, ok2 := chooseLayout([]step{s}, 24, 0)
		if !ok || !ok2 {
			t.Fatal("no layout")
		}
		k := &bad.nodes[0]
		switch (i + i/6) % 3 {
		case 0:
			n := 2 + r.Int64N(5)
			bad.step = new(big.Rat).Mul(bad.step, big.NewRat(n, 1))
			k[0], k[1] = k[0]/n, k[1]/n
		case 1:
			k[0] += r.Int64N((k[1] - k[0]) / 2)
		case 2:
			k[1] -= r.Int64N((k[1] - k[0]) / 2)
		}
		want := coefficients(s, good)
		for n, y := range coefficients(s, bad) {
			if _, meet := interval.Intersect(y, want[n]); !meet || n == 0 && !y.ContainsRat(big.NewRat(1, 1)) {
				t.Errorf("%+v, %+v: coefficient %d is %v, want %v", s, bad, n, y, want[n])
			}
		}
	}
}

// TestRays: I of no steps, of which Φ = 1, is 1 − e^{−z}, however badly points are laid out.
func TestRays(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 4))
	narrow := 0
	cases := testkit.Draws(30, 100, 1000)
	for i := range cases {
		z := math.Exp(4*r.Float64() - 2)
		size := int(math.Floor(math.Log2(z)))
		if i%7 == 0 {
			z, size = 0, zero
		}
		c, ok := chooseLayout(nil, 30, size)
		if !ok {
			t.Fatal("no layout")
		}
		switch i % 4 {
		case 0:
			n := 2 + r.Int64N(5)
			c.step = new(big.Rat).Mul(c.step, big.NewRat(n, 1))
			c.first, c.last = c.first/n-1, c.last/n+1
		case 1:
			c.last -= r.Int64N(c.last - c.first)
		case 2:
			c.order, c.first = 1, -r.Int64N(-c.first)
		}
		w := []interval.Prec{24, 40, 80}[r.IntN(3)]
		l, err := newLine(t.Context(), nil, w, c)
		if l == nil || err != nil {
			t.Fatal(err)
		}
		at := w.Rat(new(big.Rat).SetFloat64(z))
		y, err := l.integral(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		if y.RelativeBits(40) > 8 {
			narrow++
		}
		if want := interval.Prec(100).Expm1(at.Neg()).Neg(); !y.IsFinite() && i%4 == 3 || !overlap(y, want) {
			t.Errorf("z = %v, %+v at %d bits: %v, want %v", z, c, w, y, want)
		}
	}
	if narrow < cases/3 {
		t.Errorf("%d of %d are narrow", narrow, cases)
	}
}

// overlap reports whether two enclosures of one number may be right.
func overlap(x, y interval.Interval) bool {
	_, meet := interval.Intersect(x, y)
	return meet
}
