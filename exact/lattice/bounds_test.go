// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestNodesBeyondAreBounded: sums that stop at some height U of a fine lattice contain what the sum over all nodes has,
// and the error falls with 1/U².
func TestNodesBeyondAreBounded(t *testing.T) {
	for _, prodEps := range testkit.Few(2, []struct {
		terms []any
		eps   string
		bits  int // of the best sum that stops
	}{
		{[]any{"1369/100", 1, 5, "3721/100", 1, 7}, "2", 12},
		{[]any{"1", 1, 1, "121/100", 1, 1, "36/25", 1, 1}, "3", 3},
		{[]any{"4", 1, 3, "25/4", 2, 1}, "1/2", 3},
	}) {
		x, ok := New(of(prodEps.terms...))
		if !ok {
			t.Fatal("no inversion")
		}
		eps := rat(prodEps.eps)
		e := interval.RealRat(eps)
		rough, _ := eps.Float64()
		c, _ := x.choose(60, rough, x.logProfile(rough))
		value := func(c choice) interval.Interval {
			x.lines, x.tooMany = nil, 0
			l, err := x.line(t.Context(), c)
			if err != nil || l == nil {
				t.Fatal(err)
			}
			k := x.first(eps)
			y, err := l.delta(t.Context(), x.law, c, k, x.level(k), e)
			if err != nil {
				t.Fatal(err)
			}
			return y
		}
		all := value(c)
		if all.RelativeBits(40) < 40 {
			t.Fatalf("all nodes: %v", all)
		}
		bits := 0
		for last := c.last / 2; last > 8; last /= 2 {
			d := c
			d.last = last
			y := value(d)
			if _, meet := interval.Intersect(y, all); !meet {
				t.Errorf("%v: nodes up to %d of %d give %v, all %v", prodEps.terms, last, c.last, y, all)
			}
			bits = max(bits, y.RelativeBits(60))
		}
		if bits < prodEps.bits {
			t.Errorf("%v: the best sum that stops has %d bits", prodEps.terms, bits)
		}
	}
}

// TestSieveKeepsLargeNodes: every node with Φ(u_j) > e^(−T)·max(1, u_j) is kept.
func TestSieveKeepsLargeNodes(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	const w = interval.Prec(80)
	for range testkit.Draws(4, 10, 200) {
		x, ok := New(of([]string{"1/10", "1/4", "1", "9/4", "10/11", "30"}[rng.Intn(6)], 1+rng.Intn(3), 1+rng.Intn(3), []string{"1/2", "3", "100"}[rng.Intn(3)], 1+rng.Intn(2), 1+rng.Intn(5)).Merged())
		if !ok {
			t.Fatal("no inversion")
		}
		c := choice{tilt: 1, sieve: 1 + rng.Int63n(60), nodes: big.NewInt(50 + rng.Int63n(1500)), prec: 80}
		c.period = new(big.Rat).Quo(new(big.Rat).SetInt(c.nodes), x.fine)
		c.last = c.nodes.Int64() / 2
		list, ok := x.keep(c)
		if !ok {
			t.Fatal("too many")
		}
		kept := make(map[int64]bool)
		for _, j := range slices.Concat(list.main, list.faint) {
			kept[j] = true
		}
		s, err := newNodes(t.Context(), fixed.InBits{Prec: w}, x.law, c, upTo(c.last))
		if err != nil {
			t.Fatal(err)
		}
		all := s.(*nodes[interval.Interval, fixed.InBits])
		for i, j := range all.j {
			u := w.Div(w.Scale(w.Mul(w.Pi(), interval.Int(j)), 1), w.Rat(c.period))
			least := w.Mul(w.Exp(interval.Int(-c.sieve)), interval.Max(u, interval.Int(1)))
			if y := all.phi[i]; !kept[j] && y.Lo().Cmp(w.Scale(least, 1).Hi()) > 0 {
				t.Errorf("node %d of %s has Φ or twice that in %v, and is not kept for T = %d", j, c.nodes, y, c.sieve)
			}
		}
	}
}

// upTo is 0, …, last.
func upTo(last int64) (js []int64) {
	for j := range last + 1 {
		js = append(js, j)
	}
	return js
}

// TestWeightsOfThetaFunctions: φ^m(2πτ) is at most e^(−weight·τ²), and no less than half of it at τ = 1/2.
func TestWeightsOfThetaFunctions(t *testing.T) {
	const w = interval.Prec(100)
	for _, sigma2 := range []string{"1/60", "1/20", "1/7", "1/6", "1/5", "1", "50"} {
		for _, count := range []int64{1, 30} {
			r := release{rho: new(big.Rat).Inv(rat(sigma2)), shift: 1, count: count}
			r.rough = double.Near(r.rho)
			weight := double.Point(newWeight(r)).Exact()
			// φ by its cosine series, E cos θX.
			phi := func(tau *big.Rat) interval.Interval {
				theta := w.Mul(w.Scale(w.Pi(), 1), w.Rat(tau))
				sum, total := interval.Int(1), interval.Int(1)
				for x := int64(1); ; x++ {
					m := w.Exp(w.Rat(new(big.Rat).Mul(r.rho, big.NewRat(-x*x, 2))))
					if m.LessRat(interval.Pow2(-96)) == interval.True {
						return w.PowInt(w.Div(sum, total), count)
					}
					_, cos := w.SinCos(w.Mul(theta, interval.Int(x)))
					sum, total = w.Add(sum, w.Scale(w.Mul(m, cos), 1)), w.Add(total, w.Scale(m, 1))
				}
			}
			for k := int64(0); k <= 16; k++ {
				tau := big.NewRat(k, 32)
				bound := w.Exp(w.Mul(weight, w.Sqr(w.Rat(tau))).Neg())
				if y := w.Sub(phi(tau), w.Rat(interval.Pow2(-80))); bound.Less(y) == interval.True {
					t.Errorf("σ² = %s, %d copies: φ(2π·%d/32) is %v, above %v", sigma2, count, k, y, bound)
				}
				if k == 16 && w.Scale(phi(tau), 1).Less(w.Sub(bound, w.Rat(interval.Pow2(-80)))) == interval.True {
					t.Errorf("σ² = %s, %d copies: φ(π) is %v, the bound %v", sigma2, count, phi(tau), bound)
				}
			}
		}
	}
}

// TestRunsHoldAllNearNodes: the nodes of a sieve are all whose energies are below T − log max(1, u_j), for a few bands
// and for many, which are hardly ever near multiples or nearly always, and the others are few.
func TestRunsHoldAllNearNodes(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	wrong, all := int64(0), int64(0)
	for i := range testkit.Cases(60, 2000) {
		nodes := new(big.Int).Rand(rng, new(big.Int).Lsh(big.NewInt(1), uint(13+rng.Intn(300))))
		nodes.Add(nodes, big.NewInt(1<<12))
		c := choice{nodes: nodes, last: 1 << 11, prec: 80, sieve: 1 + rng.Int63n(60)}
		c.period = big.NewRat(1+rng.Int63n(1<<uint(rng.Intn(30))), 1<<10)
		x := &law{}
		for range 1 + rng.Intn(6) {
			r := release{step: new(big.Int).Rand(rng, nodes), weight: math.Exp(rng.Float64()*12 - 3)}
			if i%4 > 0 { // few multiples
				r.step.Quo(r.step, big.NewInt(1<<uint(4+rng.Intn(7))))
			}
			if i%5 == 0 { // next to a turn
				r.step.Sub(nodes, r.step).Sub(r.step, big.NewInt(1))
			}
			x.releases = append(x.releases, r)
		}
		runs, ok := x.sieve(c)
		if !ok {
			continue
		}
		in, after := make(map[int64]bool), int64(0)
		for _, v := range runs {
			if v.from < after || v.to < v.from || v.to > c.last {
				t.Fatalf("run %v after %d", v, after-1)
			}
			for j := v.from; j <= v.to; j++ {
				in[j] = true
			}
			after = v.to + 1
		}
		turn, m := make([]*big.Int, len(x.releases)), new(big.Int)
		for i := range turn {
			turn[i] = new(big.Int)
		}
		size, _ := nodes.Float64()
		for j := range c.last + 1 {
			energy := math.Log(max(1, 2*math.Pi*float64(j)/double.Near(c.period)))
			for i, r := range x.releases {
				if m.Sub(nodes, turn[i]).Cmp(turn[i]) > 0 {
					m.Set(turn[i])
				}
				share, _ := m.Float64()
				energy += r.weight * (share / size) * (share / size)
				if turn[i].Add(turn[i], r.step); turn[i].Cmp(nodes) >= 0 {
					turn[i].Sub(turn[i], nodes)
				}
			}
			// energy is right to 12 digits.
			if energy < float64(c.sieve)-1e-9 && !in[j] {
				t.Errorf("case %d: node %d of %s has the energy %v, and is left out for T = %d", i, j, nodes, energy, c.sieve)
			} else if in[j] {
				all++
				if energy > float64(c.sieve)+1 {
					wrong++
				}
			}
		}
	}
	if wrong*4 > all {
		t.Errorf("%d of %d nodes are far from multiples", wrong, all)
	}
}

// TestSmallSines: to a relative accuracy, below the smallest angle of words and at the largest one of the series.
func TestSmallSines(t *testing.T) {
	w, p := fixed.InWords{}, interval.Prec(400)
	s := newSmallSine(w, 256)
	for _, x := range []string{"1e-80", "1e-30", "1e-9", "1e-5", "1/21000"} {
		sin, _ := s.sinCos(w, w.Of(p.Rat(rat(x))), 0)
		want, _ := p.SinCos(p.Rat(rat(x)))
		got := sin.Interval()
		if _, meet := interval.Intersect(got, want); !meet || got.RelativeBits(150) < 150 {
			t.Errorf("sin %s in %v, want %v", x, got, want)
		}
	}
}

// TestSumsInWords: words and numbers of a precision have common values.
func TestSumsInWords(t *testing.T) {
	x, _ := New(of("1", 1, 2, "9/4", 2, 1))
	for _, eps := range []string{"1/3", "4", "20"} {
		rough, _ := rat(eps).Float64()
		c, _ := x.choose(90, rough, x.logProfile(rough))
		kept, ok := x.keep(c)
		if !ok {
			t.Fatal("too many")
		}
		all := slices.Concat(kept.main, kept.faint)
		slices.Sort(all)
		a, err1 := newNodes(t.Context(), fixed.InWords{}, x.law, c, all)
		b, err2 := newNodes(t.Context(), fixed.InBits{Prec: 220}, x.law, c, all)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for _, turn := range []int64{0, 1, 7} {
			g := interval.Prec(200).Rat(rat("99/100"))
			y, err1 := a.sum(t.Context(), x.law, c.tilt, big.NewInt(turn), g)
			z, err2 := b.sum(t.Context(), x.law, c.tilt, big.NewInt(turn), g)
			if _, meet := interval.Intersect(y, z); err1 != nil || err2 != nil || !meet || y.RelativeBits(100) < 100 {
				t.Errorf("ε = %s: %v and %v, %v, %v", eps, y, z, err1, err2)
			}
		}
	}
}

// TestAliasesAreTheTermsOfOtherPeriods: sums over all nodes of short periods have more than δ, by no more than the
// bound.
func TestAliasesAreTheTermsOfOtherPeriods(t *testing.T) {
	left, right := 0, 0
	prod := of("1", 1, 2, "9/4", 1, 1)
	guarantees := append(of("4", 1, 1), pair.Term{Pair: pair.Response{Eps: rat("2"), Delta: new(big.Rat)}, Count: 3})
	for i, eps := range []string{"0", "1/2", "2", "5", "1", "9/2"} {
		if i == 4 {
			prod = guarantees
		}
		x, _ := New(prod)
		e := interval.RealRat(rat(eps))
		want := fromMasses(prod, rat(eps))
		k := x.first(rat(eps))
		for tilt := int64(1); tilt <= 8; tilt++ {
			for nodes := int64(4); nodes < 400; nodes += nodes / 3 {
				n := big.NewInt(nodes)
				c := choice{tilt: tilt, nodes: n, period: new(big.Rat).Quo(new(big.Rat).SetInt(n), x.fine), sieve: 200, last: nodes / 2, prec: 120}
				alias := x.aliases(64, tilt, c.period, e(256))
				if alias.LessRat(rat("1")) != interval.True {
					continue
				}
				l, err := newLine(t.Context(), x.law, c, kept{main: upTo(c.last)})
				if err != nil {
					t.Fatal(err)
				}
				y, err := l.delta(t.Context(), x.law, c, k, x.level(k), e)
				if _, meet := interval.Intersect(y, want); err != nil || !meet {
					t.Errorf("δ(%s) by %d nodes, a = %d, in %v, %v; by its masses in %v", eps, nodes, tilt, y, err, want)
				}
				if p := interval.Prec(64); interval.Point(alias.Hi()).LessRat(rat("1e-30")) != interval.True {
					if fall := p.Exp(p.Mul(p.Rat(c.period), interval.Int(tilt)).Neg()); interval.Point(p.Scale(fall, 2).Hi()).Hi().Cmp(alias.Lo()) < 0 {
						right++
					} else {
						left++
					}
				}
			}
		}
	}
	if left < 10 || right < 10 {
		t.Errorf("aliases from the left in %d cases, from the right in %d", left, right)
	}
}

// TestBracketsAreBounded: the bracket of (1), which is greatest at u = 0 and l₁ = ε, is below its bound on fine
// lattices and on coarse ones, and no less than half of it.
func TestBracketsAreBounded(t *testing.T) {
	const w = interval.Prec(120)
	for _, fine := range []string{"1/100", "1/3", "1", "7", "1000", "1e30"} {
		x := law{fine: rat(fine)}
		for _, a := range []int64{1, 2, 9, 1000} {
			// Σ_k (1 − g·e^(−k/M))·e^(−ak/M), g = 1 and g = e^(−1/M)
			at := func(a int64) interval.Interval {
				return w.Div(interval.Int(1), w.Expm1(w.Rat(new(big.Rat).Quo(big.NewRat(-a, 1), x.fine))).Neg())
			}
			step := w.Exp(w.Rat(new(big.Rat).Neg(new(big.Rat).Inv(x.fine))))
			bound := x.bracket(64, a)
			greatest := w.Sub(at(a), w.Mul(step, at(a+1)))
			if bound.Less(greatest) == interval.True || bound.Less(w.Sub(at(a), at(a+1))) == interval.True {
				t.Errorf("M = %s, a = %d: the bracket is %v, the bound %v", fine, a, greatest, bound)
			}
			if w.Scale(greatest, 2).Less(bound) == interval.True {
				t.Errorf("M = %s, a = %d: the bound %v is much above the bracket %v", fine, a, bound, greatest)
			}
		}
	}
}

// TestNodesThatAreLeftOut: sieves with thresholds so low that they leave out what counts, on coarse lattices and on
// fine ones, give enclosures that hold δ, as wide as what they leave out.
func TestNodesThatAreLeftOut(t *testing.T) {
	wide := 0
	for _, prod := range []pair.Product{of("1", 1, 2, "9/4", 1, 1), of("2", 3, 1), of("4", 1, 2)} {
		x, _ := New(prod)
		for _, eps := range []string{"0", "1/2", "2", "5"} {
			k, want := x.first(rat(eps)), fromMasses(prod, rat(eps))
			best, ok := x.choose(60, double.Near(rat(eps)), x.logProfile(double.Near(rat(eps))))
			if !ok {
				t.Fatal("no choice")
			}
			for sieve := int64(1); sieve < best.sieve; sieve += 4 {
				c := best
				c.sieve = sieve
				j, ok := x.keep(c)
				if !ok {
					t.Fatal("too many nodes")
				}
				l, err := newLine(t.Context(), x.law, c, j)
				if err != nil {
					t.Fatal(err)
				}
				y, err := l.delta(t.Context(), x.law, c, k, x.level(k), interval.RealRat(rat(eps)))
				if _, meet := interval.Intersect(y, want); err != nil || !meet {
					t.Errorf("%s: δ(%s) for T = %d in %v, %v; by its masses in %v", prod, eps, sieve, y, err, want)
				}
				if y.RelativeBits(40) < 20 {
					wide++
				}
			}
		}
	}
	if wide < 20 {
		t.Errorf("%d sieves leave out something", wide)
	}
}

// TestWordsOfDoubles: words hold both ends of an interval, of which they keep 57 bits.
func TestWordsOfDoubles(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for range 2000 {
		lo := math.Ldexp(rng.Float64()-0.5, rng.Intn(2000)-1000)
		hi := lo + math.Ldexp(rng.Float64(), rng.Intn(240)-199)*math.Abs(lo)
		x := double.Interval{Lo: lo, Hi: hi}
		got := inDoubles{}.Words(x).Interval()
		w := interval.Prec(64)
		wide := double.Of(w.Sub(got, got)).Hi
		if y := x.Exact(); got.Lo().Cmp(y.Lo()) > 0 || got.Hi().Cmp(y.Hi()) < 0 {
			t.Fatalf("%v in %v", x, got)
		}
		if wide > 4*(hi-lo)+max(math.Abs(lo), math.Abs(hi))*0x1p-54 {
			t.Fatalf("%v in %v", x, got)
		}
	}
	if x := (inDoubles{}.Words(double.Int(0))); x != (fixed.Real{}) {
		t.Errorf("0 is %v", x.Interval())
	}
	if (inDoubles{}.Words(double.Interval{Lo: 0, Hi: math.Inf(1)})).Known() {
		t.Error("an infinite interval")
	}
}

// TestNodesInDoubles: nodes for which few bits are enough are added up in binary64, and only those.
func TestNodesInDoubles(t *testing.T) {
	x, _ := New(of("25", 1, 3, "16", 1, 2))
	for _, eps := range []string{"1/3", "2", "4"} {
		k := x.first(rat(eps))
		c, _ := x.choose(90, double.Near(rat(eps)), x.logProfile(double.Near(rat(eps))))
		j, ok := x.keep(c)
		if !ok || len(j.faint) == 0 || len(j.main) == 0 {
			t.Fatal("one kind of node only")
		}
		all := slices.Concat(j.main, j.faint)
		slices.Sort(all)
		var y [2]interval.Interval
		for i, j := range []kept{j, {main: all}} {
			l, err := newLine(t.Context(), x.law, c, j)
			if err != nil {
				t.Fatal(err)
			}
			if y[i], err = l.delta(t.Context(), x.law, c, k, x.level(k), interval.RealRat(rat(eps))); err != nil {
				t.Fatal(err)
			}
		}
		if _, meet := interval.Intersect(y[0], y[1]); !meet || y[0].RelativeBits(90) < 86 {
			t.Errorf("δ(%s) in %v, with nodes in doubles in %v: %d bits", eps, y[1], y[0], y[0].RelativeBits(90))
		}
	}
}

// TestLackAgainstMasses: below the mean of the losses δ lacks no more of 1 than it may, by all masses; where that is
// next to nothing, no sum is needed.
func TestLackAgainstMasses(t *testing.T) {
	const w = interval.Prec(128)
	rng := rand.New(rand.NewSource(21))
	near := 0
	for i := range testkit.Draws(8, 24, 1500) {
		prod := of([]string{"1/10", "1/4", "1/2", "1", "9/4"}[rng.Intn(5)], 1+rng.Intn(4), 1+rng.Intn(2))
		if i%3 == 0 {
			prod = stepsBeside(rng)
		}
		x, ok := New(prod)
		if !ok {
			t.Fatalf("no inversion of %s", prod)
		}
		eps := big.NewRat(rng.Int63n(200), 20)
		want := w.Sub(interval.Int(1), fromMasses(prod, eps))
		most := x.lack(w.Rat(eps))
		if most.Less(want) == interval.True {
			t.Errorf("%s: 1 − δ(%s) = %v, at most %v", prod, eps.RatString(), want, most)
		}
		if w.Scale(want, 12).Less(most) == interval.False {
			near++
		}
	}
	if near == 0 {
		t.Error("it is thousands of times too large everywhere")
	}
	x, _ := New(of("1/4", 3, 103)) // of mean 1854
	y, err := x.Delta(t.Context(), 100, interval.RealRat(rat("9")))
	if err != nil || len(x.lines) > 0 || y.RelativeBits(100) < 90 {
		t.Errorf("δ(9) in %v by %d lines, %v", y, len(x.lines), err)
	}
}

// TestBeyondIsABound: nodes beyond some U contribute at most what beyond says, their moduli added up one by one, on
// fine lattices and on coarse ones, with the worst g.
func TestBeyondIsABound(t *testing.T) {
	const w = interval.Prec(100)
	worst := interval.Int(0)
	for _, terms := range testkit.Few(2, [][]any{
		{"4", 1, 3, "25/4", 2, 1}, {"1/4", 1, 1}, {"1", 1, 2}, {"1/3", 1, 3, "1/2", 1, 1},
	}) {
		x, ok := New(of(terms...))
		if !ok {
			t.Fatal("no inversion")
		}
		for _, tilt := range []int64{1, 3} {
			c, ok := x.tilted(60, 1, x.logProfile(1), float64(tilt))
			if !ok || c.partial() || c.last > 1<<12 {
				t.Fatal("too many nodes to look at", ok, c.last, c.partial())
			}
			all := make([]int64, c.last+1)
			for j := range all {
				all[j] = int64(j)
			}
			s, err := newNodes(t.Context(), fixed.InBits{Prec: w}, x.law, c, all)
			if err != nil {
				t.Fatal(err)
			}
			phi := s.(*nodes[interval.Interval, fixed.InBits]).phi
			beyond := interval.Int(0)
			for j := c.last; j > 2; j-- {
				u := w.Div(w.Mul(w.Scale(w.Pi(), 1), interval.Int(j)), w.BigInt(c.nodes))
				sin := w.Sin(w.Scale(u, -1))
				re := func(n int64) interval.Interval { // |1 − e^(−n/M − iu)|²
					r := w.Exp(w.Rat(new(big.Rat).Quo(big.NewRat(-n, 1), x.fine)))
					gap := w.Sub(interval.Int(1), r)
					return w.Add(w.Sqr(gap), w.Scale(w.Mul(r, w.Sqr(sin)), 2))
				}
				least := w.Expm1(w.Rat(new(big.Rat).Quo(big.NewRat(-1, 1), x.fine))).Neg() // with g = 1
				bracket := w.Div(least, w.Sqrt(w.Mul(re(tilt), re(tilt+1))))
				beyond = w.Add(beyond, w.Mul(phi[j], bracket))
				d := c
				if d.last = j - 1; !d.partial() || j > 20 && j%101 != 0 || j > 500 {
					continue
				}
				part, err := newNodes(t.Context(), fixed.InBits{Prec: w}, x.law, d, all[:j])
				if err != nil {
					t.Fatal(err)
				}
				_, cone := part.totals()
				want := interval.Int(0)
				for i := range j {
					want = w.Add(want, w.Mul(interval.Int(d.last-i), phi[i]))
				}
				if _, meet := interval.Intersect(cone, want); !meet {
					t.Errorf("%v: Σ (%d − j)·Φ(u_j) is %v, not %v", terms, d.last, cone, want)
				}
				bound := x.beyond(w, d, w.Div(cone, interval.Int(d.last)))
				share := w.Div(w.Div(beyond, w.BigInt(c.nodes)), bound)
				if share.LessEq(interval.Int(1)) != interval.True {
					t.Errorf("%v, tilt %d: beyond %d of %d nodes is %v of the bound", terms, tilt, d.last, c.last, share)
				}
				worst = interval.Max(worst, share)
			}
		}
	}
	t.Logf("worst: %v", worst)
	for i := int64(1); i <= 1570; i += 13 { // up to π/2
		z := w.Rat(big.NewRat(i, 1000))
		sin, grow := w.Sin(z), w.Exp(z)
		sinh, cosh := w.Sub(grow, w.Div(interval.Int(1), grow)), w.Add(grow, w.Div(interval.Int(1), grow)) // twice
		ratio := w.Add(w.Div(w.Div(sinh, cosh), w.Sqr(sin)), w.Div(interval.Int(4), w.Mul(sinh, cosh)))
		if ratio = w.Scale(w.Mul(ratio, z), -1); ratio.LessEq(poissonRatio(w, z)) != interval.True {
			t.Errorf("C of %v is %v, not %v", z, poissonRatio(w, z), ratio)
		}
	}
}
