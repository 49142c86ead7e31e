// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
)

// wordPairs have tails in words.
func wordPairs() []pair.Pair {
	gauss := func(num, den int64) pair.Pair { return pair.Gaussian{Mu2: big.NewRat(num, den)} }
	sampled := func(rate *big.Rat, base pair.Pair) pair.Pair {
		return pair.Sampled{Rate: rate, Base: pair.Product{{Pair: base, Count: 1}}}
	}
	laplace := func(num, den int64) pair.Pair { return pair.Laplace{Shift: big.NewRat(num, den)} }
	reversed := func(rate *big.Rat, base pair.Pair) pair.Pair {
		return pair.Sampled{Rate: rate, Reversed: true, Base: pair.Product{{Pair: base, Count: 1}}}
	}
	folded := func(x pair.Pair) pair.Pair {
		return pair.MaximumOf([]pair.Product{pair.Copies(x, 1), pair.Copies(x.Reverse(), 1)})
	}
	replaced := pair.SampledReplaceGaussian{Rate: big.NewRat(1, 9), Mu2: big.NewRat(3, 2)}
	tenths := func(xs ...int64) (out []*big.Rat) {
		for _, x := range xs {
			out = append(out, big.NewRat(x, 10))
		}
		return out
	}
	outermost := pair.NewGaussianMixture(normals.New(tenths(-13, 0, 13), tenths(5, 3, 2)), normals.New(tenths(-13, 0), tenths(7, 3)))
	return []pair.Pair{
		reversed(big.NewRat(1, 100), gauss(1, 16)), reversed(big.NewRat(9, 10), gauss(4, 1)), reversed(big.NewRat(1, 3), laplace(2, 1)),
		gauss(1, 1), gauss(1, 16), gauss(655, 100), gauss(1, 1<<20), gauss(2500, 1),
		laplace(1, 1), laplace(1, 10), laplace(7, 1), laplace(40, 1),
		sampled(big.NewRat(1, 100), gauss(1, 16)), sampled(big.NewRat(1, 98), gauss(655, 100)), sampled(big.NewRat(1, 1<<20), gauss(1, 1)),
		sampled(big.NewRat(999, 1000), gauss(4, 1)), sampled(big.NewRat(1, 3), laplace(2, 1)), sampled(big.NewRat(1, 1000), laplace(1, 3)),
		replaced, folded(sampled(big.NewRat(1, 7), gauss(1, 2))), folded(outermost),
		pair.Mean{Shares: []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3)}, Of: []pair.Product{pair.Copies(replaced, 1), pair.Copies(folded(outermost), 1)}},
	}
}

// TestWordTailsAgreeWithTails: where both are known they overlap, and those in words are good to 150 bits
// of the larger tail but next to an atom.
func TestWordTailsAgreeWithTails(t *testing.T) {
	const w = interval.Prec(260)
	r := rand.New(rand.NewSource(1))
	for _, x := range wordPairs() {
		words, ok1 := PairWordTails(x)
		general, ok2 := formsOf(x)
		slow := general.tails
		if !ok1 || !ok2 {
			t.Fatalf("%v has no tails", x)
		}
		known, n := 0, 60
		for i := range n {
			eps := big.NewRat(r.Int63()-1<<62, 1<<62)
			switch i % 6 {
			case 0:
				eps.SetInt64(int64(i/6 - 5)) // atoms of Laplace noise among them
			case 1:
				eps.Mul(eps, big.NewRat(10, 1))
			case 2:
				eps.Mul(eps, big.NewRat(1, 1<<30))
			case 3:
				eps.SetFrac64(int64(i-20), 1<<12)
			}
			p, q := words(three.Rat(eps))
			sp, sq := slow(w, RatArg(w, eps))
			for _, c := range []struct {
				name       string
				fast       fixed.Real
				slow, most interval.Interval
			}{{"P", p, sp, sp}, {"Q", q, sq, sp}} {
				if !c.fast.Known() {
					continue
				}
				if c.fast.Good(150) {
					known++
				}
				f := c.fast.Interval()
				if f.Less(c.slow) == interval.True || c.slow.Less(f) == interval.True {
					t.Fatalf("%v: %s(L > %s) = %v in words, %v otherwise", x, c.name, eps.RatString(), f, c.slow)
				}
				width := w.Sub(interval.Point(f.Hi()), interval.Point(f.Lo()))
				if limit := w.Add(w.Scale(c.most, -130), w.Scale(one, -160)); width.LessEq(limit) == interval.False {
					t.Errorf("%v: %s(L > %s) = %v is wide: %v", x, c.name, eps.RatString(), f, width)
				}
			}
		}
		if known < n {
			t.Errorf("%v: %d of %d tails are good to 150 bits", x, known, 2*n)
		}
	}
}

// TestTailsKeepThePrecisionAskedFor: words or not, tails are as good as asked for, or as the tails of any
// precision.
func TestTailsKeepThePrecisionAskedFor(t *testing.T) {
	for _, x := range wordPairs() {
		fast, _ := PairTails(x)
		general, _ := formsOf(x)
		slow := general.tails
		for _, w := range []interval.Prec{32, 64, 105, 167, wordBits, wordBits + 1} {
			for _, eps := range []*big.Rat{big.NewRat(1, 1<<20), big.NewRat(-1, 1<<12), big.NewRat(1, 3), big.NewRat(3, 1), big.NewRat(20, 1)} {
				p, q := fast(w, RatArg(w, eps))
				sp, sq := slow(w, RatArg(w, eps))
				for _, c := range [][2]interval.Interval{{p, sp}, {q, sq}} {
					if got, want := c[0].RelativeBits(int(w)), min(c[1].RelativeBits(int(w)), int(w)-2); got < want {
						t.Errorf("%v: a tail at %v has %d bits of %d, want %d", x, eps, got, w, want)
					}
				}
			}
		}
	}
}

// BenchmarkSampledTails: both tails of a sampled Gaussian at every boundary of a leaf of 10^5 cells.
func BenchmarkSampledTails(b *testing.B) {
	words, _ := PairWordTails(pair.Sampled{Rate: big.NewRat(1, 100), Base: pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1, 16)}, Count: 1}}})
	step := three.Rat(big.NewRat(1, 1<<21))
	ps, qs := make([]fixed.Real, 100_000), make([]fixed.Real, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		x := three.Rat(big.NewRat(-1, 128))
		for i := range ps {
			ps[i], qs[i] = words(x)
			x = three.Add(x, step)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ps)), "ns/cell")
}

// TestWordTailsAtAtoms: a dyadic atom is told from what is next to it; otherwise nothing is known there.
func TestWordTailsAtAtoms(t *testing.T) {
	words, _ := PairWordTails(pair.Laplace{Shift: big.NewRat(1, 2)})
	for _, c := range []struct {
		eps   *big.Rat
		p, q  *big.Rat // nil: inside the unit interval
		known bool
	}{
		{big.NewRat(1, 2), new(big.Rat), new(big.Rat), true},
		{big.NewRat(-1, 2), nil, big.NewRat(1, 2), true},
		{big.NewRat(-3, 4), ratOne, ratOne, true},
	} {
		p, q := words(three.Rat(c.eps))
		if !p.Known() || !q.Known() {
			t.Fatalf("ε = %v: unknown", c.eps)
		}
		for _, d := range []struct {
			got  fixed.Real
			want *big.Rat
		}{{p, c.p}, {q, c.q}} {
			if d.want != nil && (d.got.Interval().LessRat(d.want) == interval.True || d.got.Interval().LessEqRat(d.want) == interval.False) {
				t.Errorf("ε = %v: %v, want %v", c.eps, d.got.Interval(), d.want)
			}
		}
	}
	third := big.NewRat(1, 3)
	words, _ = PairWordTails(pair.Laplace{Shift: third})
	for _, eps := range []*big.Rat{third, new(big.Rat).Neg(third)} {
		if p, q := words(three.Rat(eps)); p.Known() || q.Known() {
			t.Errorf("tails at ε = %v, an atom that is not dyadic, are known", eps)
		}
	}
}

// TestWordTailsBeyondTheSample: no loss of a sample is below log(1 − γ), and next to it nothing is known.
func TestWordTailsBeyondTheSample(t *testing.T) {
	words, _ := PairWordTails(pair.Sampled{Rate: big.NewRat(1, 2), Base: pair.Product{{Pair: pair.Gaussian{Mu2: ratOne}, Count: 1}}})
	if p, q := words(fixed.Int(-1)); p != wordOne || q != wordOne {
		t.Errorf("below log 1/2: %v, %v", p.Interval(), q.Interval())
	}
	if p, q := words(three.Log(three.Rat(big.NewRat(1, 2)))); p.Known() || q.Known() {
		t.Errorf("at log 1/2: %v, %v", p.Interval(), q.Interval())
	}
	words, _ = PairWordTails(pair.Sampled{Rate: big.NewRat(1, 2), Reversed: true, Base: pair.Product{{Pair: pair.Gaussian{Mu2: ratOne}, Count: 1}}})
	if p, q := words(fixed.Int(1)); p != (fixed.Real{}) || q != (fixed.Real{}) {
		t.Errorf("above log 2, reversed: %v, %v", p.Interval(), q.Interval())
	}
	if p, q := words(three.Log(fixed.Int(2))); p.Known() || q.Known() {
		t.Errorf("at log 2, reversed: %v, %v", p.Interval(), q.Interval())
	}
	for _, x := range []pair.Pair{pair.Logistic{Shift: ratOne}, pair.Sampled{Rate: big.NewRat(1, 2), Base: pair.Product{{Pair: pair.Logistic{Shift: ratOne}, Count: 1}}},
		pair.Sampled{Rate: big.NewRat(1, 2), Base: pair.Product{{Pair: pair.Laplace{Shift: ratOne}, Count: 2}}}} {
		if _, ok := PairWordTails(x); ok {
			t.Errorf("%v has tails in words", x)
		}
	}
}
