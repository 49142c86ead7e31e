// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package selection

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

const prec interval.Prec = 128

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

func law(t *testing.T, mean, shape *big.Rat) Law {
	t.Helper()
	l, ok := NewLaw(prec, mean, shape)
	if !ok {
		t.Fatalf("no law of mean %v and shape %v", mean, shape)
	}
	return l
}

// TestLawBySums: the generating function and its slope equal the sums over P(K = k).
func TestLawBySums(t *testing.T) {
	for _, c := range []struct {
		mean  int64
		shape *big.Rat
		gamma float64 // 0: found by the mean of the sum
	}{{10, rat(1, 1), 0.1}, {4, new(big.Rat), 0}, {3, rat(5, 2), 0}, {3, rat(-1, 2), 0}, {7, nil, 0}} {
		l := law(t, rat(c.mean, 1), c.shape)
		weights := func(gamma float64) []float64 {
			var ws []float64
			total := 0.0
			w := 1.0
			for k := 1; k < 4000; k++ {
				if c.shape == nil {
					w *= float64(c.mean) / float64(k)
				} else {
					eta, _ := c.shape.Float64()
					factor := (float64(k-1) + eta) / float64(k)
					if k == 1 { // the common factor η is left out
						factor = 1
					}
					w *= (1 - gamma) * factor
				}
				ws = append(ws, w)
				total += w
			}
			if c.shape == nil {
				total = math.Exp(float64(c.mean))
			}
			for i := range ws {
				ws[i] /= total
			}
			return ws
		}
		meanOf := func(ws []float64) (sum float64) {
			for i, w := range ws {
				sum += w * float64(i+1)
			}
			return sum
		}
		gamma := c.gamma
		if gamma == 0 && c.shape != nil {
			lo, hi := 1e-3, 1-1e-9
			for range 60 {
				if gamma = (lo + hi) / 2; meanOf(weights(gamma)) > float64(c.mean) {
					lo = gamma
				} else {
					hi = gamma
				}
			}
		}
		ws := weights(gamma)
		for _, y := range []float64{0.001, 0.25, 0.5, 1} {
			better, slope := 0.0, 0.0
			for i, w := range ws {
				better += w * (1 - math.Pow(1-y, float64(i+1)))
				slope += w * float64(i+1) * math.Pow(1-y, float64(i))
			}
			at := prec.Rat(new(big.Rat).SetFloat64(y))
			for what, pairOf := range map[string][2]float64{"better": {better, mid(l.Better(at))}, "slope": {slope, mid(l.Slope(at))}} {
				if d := math.Abs(pairOf[0] - pairOf[1]); d > 1e-8*(1+pairOf[0]) {
					t.Errorf("mean %d, shape %v, y = %v: %s is %v, want %v", c.mean, c.shape, y, what, pairOf[1], pairOf[0])
				}
			}
			if x := l.more(0, y); math.Abs(x-better) > 1e-8 {
				t.Errorf("mean %d, shape %v, y = %v: more is %v, want %v", c.mean, c.shape, y, x, better)
			}
		}
	}
}

func mid(x interval.Interval) float64 {
	f, _ := prec.Mid(x).Lo().Float64()
	return f
}

// TestLawOfAnyMean: means next to 1, great ones, and shapes next to −1.
func TestLawOfAnyMean(t *testing.T) {
	tiny := new(big.Rat).Add(rat(1, 1), interval.Pow2(-90))
	for _, mean := range []*big.Rat{tiny, rat(1000000000000, 1)} {
		for _, shape := range []*big.Rat{rat(-9999, 10000), rat(-1, 3), new(big.Rat), rat(1, 1), rat(1000000000000, 1)} {
			l := law(t, mean, shape)
			if x := meanAt(prec, l.t, shape); !x.ContainsRat(mean) {
				t.Errorf("mean %v, shape %v: E K in %v", mean, shape, x)
			}
			if y := l.Better(interval.Int(1)); !y.ContainsRat(rat(1, 1)) {
				t.Errorf("mean %v, shape %v: 1 − f(0) in %v", mean, shape, y)
			}
		}
	}
	if _, ok := NewLaw(prec, rat(10, 1), new(big.Rat).Add(rat(-1, 1), interval.Pow2(-60))); ok {
		t.Error("a shape with ρ beyond all bounds has a law")
	}
}

// geometric is the best of K runs, P(K = k) = γ(1 − γ)^(k−1), by an order of the outputs, the best first, in rationals:
// f(x) = γx/(1 − (1−γ)x).
func geometric(gamma *big.Rat, ps []*big.Rat, order []int) []*big.Rat {
	one := rat(1, 1)
	f := func(x *big.Rat) *big.Rat {
		d := new(big.Rat).Mul(new(big.Rat).Sub(one, gamma), x)
		return new(big.Rat).Quo(new(big.Rat).Mul(gamma, x), d.Sub(one, d))
	}
	out := make([]*big.Rat, len(ps))
	at := new(big.Rat).Set(one)
	for _, i := range order {
		next := new(big.Rat).Sub(at, ps[i])
		out[i] = new(big.Rat).Sub(f(at), f(next))
		at = next
	}
	return out
}

// chordsOf are the chords of a finite pair's reverse.
func chordsOf(f pair.Finite) []Chord {
	back := f.Reverse().(pair.Finite)
	var out []Chord
	for _, a := range []*big.Rat{rat(1, 8), rat(1, 2), rat(1, 1), rat(3, 2), rat(3, 1), rat(10, 1), rat(100, 1)} {
		out = append(out, Chord{prec.Rat(a), prec.Rat(back.Delta(a))})
	}
	return out
}

// TestEveryOrderIsBounded: no order of the outputs of a finite pair exceeds the bound by places, nor that by the growth
// of losses.
func TestEveryOrderIsBounded(t *testing.T) {
	testkit.SkipShort(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range testkit.Draws(5, 15, 15) {
		n := 2 + r.IntN(3)
		p, q := testkit.Distribution(r.Int64N, n), testkit.Distribution(r.Int64N, n)
		f := pair.NewFinite(p, q)
		mean := rat(1+r.Int64N(30), 1)
		mean.Add(mean, rat(1, 7))
		l := law(t, mean, rat(1, 1))
		back := chordsOf(f)
		b := NewBound(l, back)
		growth := b.Growth(back)
		gamma := new(big.Rat).Inv(mean)
		for _, order := range combin.Permutations(n, n) {
			best := pair.NewFinite(geometric(gamma, p, order), geometric(gamma, q, order))
			for _, a := range []*big.Rat{rat(1, 1), rat(3, 2), rat(4, 1), rat(20, 1), rat(400, 1)} {
				sum := new(big.Rat)
				for _, part := range b.Parts {
					sum.Add(sum, new(big.Rat).Mul(part.Weight, f.Delta(new(big.Rat).Mul(a, part.Ratio))))
				}
				d := best.Delta(a)
				if d.Cmp(sum) > 0 {
					t.Fatalf("P %v, Q %v, mean %v, order %v, α = %v: δ = %v, bound %v", p, q, mean, order, a, d.FloatString(9), sum.FloatString(9))
				}
				if !growth.IsFinite() {
					continue
				}
				lo, _, _ := prec.Mul(prec.Rat(a), prec.Exp(growth.Neg())).Rationals()
				if all := new(big.Rat).Mul(mean, f.Delta(lo)); d.Cmp(all) > 0 {
					t.Fatalf("P %v, Q %v, mean %v, order %v, α = %v: δ = %v, by growth %v", p, q, mean, order, a, d.FloatString(9), all.FloatString(9))
				}
			}
			if !p0(best) {
				continue
			}
			lambda := rat(5, 2)
			moment, base := momentOf(best, 2.5), momentOf(f, 2.5)
			if grows, _ := b.Moment(lambda).Hi().Float64(); moment > base*math.Exp(grows)*(1+1e-9) {
				t.Fatalf("P %v, Q %v, mean %v, order %v: moment %v from %v, more than %v", p, q, mean, order, moment, base, math.Exp(grows))
			}
		}
	}
}

// p0 reports that no loss is infinite.
func p0(f pair.Finite) bool { return f.Inf().Sign() == 0 }

func momentOf(f pair.Finite, lambda float64) float64 {
	sum := 0.0
	for _, m := range f.Masses {
		p, _ := m.P.Float64()
		q, _ := m.Q.Float64()
		if p > 0 && q > 0 {
			sum += math.Pow(p, lambda) * math.Pow(q, 1-lambda)
		}
	}
	return sum
}

// TestThinnedIsAbove: fewer parts, and no smaller sum at any ratio.
func TestThinnedIsAbove(t *testing.T) {
	var parts []Part
	for i := range int64(301) {
		parts = append(parts, Part{rat(1+i%7, 3), rat(1+i*i, 10)})
	}
	thin := thinned(slices.Clone(parts))
	if len(thin) > maxParts {
		t.Errorf("%d parts are left, want at most %d", len(thin), maxParts)
	}
	at := func(ps []Part, x *big.Rat) *big.Rat {
		sum := new(big.Rat)
		for _, p := range ps {
			if d := new(big.Rat).Sub(x, p.Ratio); d.Sign() > 0 {
				sum.Add(sum, d.Mul(d, p.Weight))
			}
		}
		return sum
	}
	for i := range int64(301) {
		x := rat(1+i*i, 10)
		if at(thin, x).Cmp(at(parts, x)) < 0 {
			t.Fatalf("less than before at %v", x)
		}
	}
}

// TestOrdersAreAttained: what an order is said to have at least, it has; and the pair of an order is dominated by the
// order.
func TestOrdersAreAttained(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 25 {
		n := 2 + r.IntN(4)
		f := pair.NewFinite(testkit.Distribution(r.Int64N, n), testkit.Distribution(r.Int64N, n))
		mean := rat(2+r.Int64N(20), 1)
		l := law(t, mean, rat(1, 1))
		os, _, _ := f.Outcomes(prec, 100)
		b := NewBase(l, os)
		ps, qs := make([]*big.Rat, len(b.p)), make([]*big.Rat, len(b.q))
		for i := range b.p {
			ps[i], _, _ = b.p[i].Rationals()
			qs[i], _, _ = b.q[i].Rationals()
		}
		o := b.Best(prec.Rat(rat(r.Int64N(50), 10)))
		if r.IntN(2) == 0 {
			o = b.BestMoment(r.Float64() * 4)
		}
		order := slices.Clone(o)
		slices.Sort(order)
		for i, j := range order {
			if i != j {
				t.Fatal("an order leaves outputs out")
			}
		}
		best := pair.NewFinite(geometric(new(big.Rat).Inv(mean), ps, o), geometric(new(big.Rat).Inv(mean), qs, o))
		low, ok := b.Pair(o)
		for _, a := range []*big.Rat{rat(1, 1), rat(2, 1), rat(9, 1), rat(70, 1)} {
			d := best.Delta(a)
			slack := new(big.Rat).Add(d, interval.Pow2(-90)) // masses are rounded to rationals here
			if y := b.Delta(o, prec.Rat(a)); y.LessEqRat(slack) == interval.False {
				t.Errorf("α = %v: at least %v, but %v", a, y, d.FloatString(12))
			}
			if ok && low.Delta(a).Cmp(slack) > 0 {
				t.Errorf("α = %v: the pair has %v, the order %v", a, low.Delta(a).FloatString(12), d.FloatString(12))
			}
		}
	}
}

// TestOrderFromBothEnds: of the orders that give each place to what is left with the greatest or with the least ratio,
// the one that is found has the greatest moment.
func TestOrderFromBothEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		b := NewBase(law(t, rat(2+r.Int64N(20), 1), rat(1, 1)), nil)
		const n = 9
		for i := range n {
			p := (1 + r.Float64()) / (2 * n)
			b.p, b.q, b.fp, b.fq = append(b.p, interval.Interval{}), append(b.q, interval.Interval{}), append(b.fp, p), append(b.fq, p*math.Exp(float64(i-n/2)/3))
		}
		const order = 3 // t
		moment := func(o Order) (sum float64) {
			b.walk(o, func(_ int, p, q float64) { sum += p * math.Pow(p/q, order) })
			return sum
		}
		best := 0.0
		for way := range 1 << (n - 1) {
			var o Order
			for i, j := 0, 0; i+j < n; {
				if way>>(i+j)&1 == 0 {
					o, i = append(o, i), i+1
				} else {
					o, j = append(o, n-1-j), j+1
				}
			}
			best = max(best, moment(o))
		}
		if x := moment(b.BestMoment(order)); math.Abs(x-best) > 1e-9*best {
			t.Errorf("a moment of %v, want %v", x, best)
		}
	}
}

// TestRoundedPair: what is missing goes to the output of least ratio, or nowhere.
func TestRoundedPair(t *testing.T) {
	f, ok := roundedPair([]*big.Rat{rat(1, 2), rat(1, 4), rat(0, 1)}, []*big.Rat{rat(1, 8), rat(1, 4), rat(1, 2)})
	if !ok {
		t.Fatal("no pair")
	}
	// the last is (1/4, 5/8), of a ratio below 1
	if want := pair.NewFinite([]*big.Rat{rat(1, 2), rat(1, 4), rat(1, 4)}, []*big.Rat{rat(1, 8), rat(1, 4), rat(5, 8)}); f.String() != want.String() {
		t.Errorf("%v, want %v", f, want)
	}
	if _, ok := roundedPair([]*big.Rat{rat(1, 2)}, []*big.Rat{rat(1, 2)}); ok {
		t.Error("one output is a pair")
	}
}

// TestOrdersAtOnce: goroutines that ask one base for orders at the same time get those that one alone gets.
func TestOrdersAtOnce(t *testing.T) {
	var os []pair.Outcome
	for k := range int64(40) {
		os = append(os, pair.Outcome{P: prec.Rat(rat(2*k+1, 1600)), Q: prec.Rat(rat(79-2*k, 1600))})
	}
	alone, shared := NewBase(law(t, rat(10, 1), rat(1, 1)), os), NewBase(law(t, rat(10, 1), rat(1, 1)), os)
	const most = 60
	var want, got [most]Order
	for i := range want {
		want[i] = alone.Best(prec.Rat(rat(int64(i), 16)))
	}
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = shared.Best(prec.Rat(rat(int64(i), 16))) })
	}
	wg.Wait()
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("the order for e^%d/16 is %v, and %v alone", i, got[i], want[i])
		}
	}
}
