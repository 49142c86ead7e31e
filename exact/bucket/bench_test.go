// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build unix

package bucket

import (
	"context"
	"math/big"
	"os"
	"runtime"
	"syscall"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// seconds returns the CPU time of this process.
func seconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// headline are the mechanisms of §5.1 and §5.2: Laplace noise of scale 200 and Gaussian
// noise of the same variance, sensitivity 1, truncated at ±2500. The square root of 2 is
// rounded to 42 digits.
var headline = []struct {
	name string
	pair pair.Pair
}{
	{"Laplace", pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("200"), Sensitivity: rat("1"), Radius: rat("2500")}},
	{"Gauss", pair.Truncated{Noise: pair.GaussianNoise, Width: rat("282.842712474619009760337744841939615713934"), Sensitivity: rat("1"), Radius: rat("2500")}},
}

// headlineTree composes 2^log copies with 2n + 1 buckets. The bucket factor of the leaf
// is the one of Factors, and squares by the rule of §4.6 with a free budget of 2^−40 for
// bucket ∞. Masses have 125 bits, for the primes of package convolve.
func headlineTree(ctx context.Context, x pair.Pair, n, log int) (*Tree, error) {
	const free = 40
	etas, ok := Factors(pair.Product{{Pair: x, Count: 1}}, n, free+24)
	if !ok {
		panic("no factor")
	}
	leaf, ok, err := PairLeaf(ctx, x, Shape{n, etas[0], 128})
	if err != nil || !ok {
		return nil, err
	}
	return Policy{FreeInfinity: free}.Power(ctx, leaf, 1<<log)
}

// BenchmarkHeadline: 2^18 compositions with 100,001 buckets, upper and lower bound at
// four ε. The paper takes 3 min 57 s for one of the two, in float64.
//
// cpu-s is CPU time, conv the same in units of one self-convolution of 100,001 masses.
func BenchmarkHeadline(b *testing.B) {
	const n = 50000
	v := convolve.NewVector(2*n+1, 128)
	for i := range v.Len() {
		v.Set(i, new(big.Int).Quo(one(128), big.NewInt(2*n+1)))
	}
	_, _ = convolve.Window(context.Background(), v, v, 0, 2*v.Len()-1, convolve.Down)
	start := seconds()
	for range 4 {
		_, _ = convolve.Window(context.Background(), v, v, 0, 2*v.Len()-1, convolve.Down)
	}
	unit := (seconds() - start) / 4
	for _, c := range headline {
		b.Run(c.name, func(b *testing.B) {
			start := seconds()
			for b.Loop() {
				tree, err := headlineTree(b.Context(), c.pair, n, 18)
				if err != nil {
					b.Fatal(err)
				}
				for _, eps := range ratList("1 2 4 8") {
					y, err := tree.Delta(b.Context(), 64, interval.RealRat(eps))
					if err != nil {
						b.Fatal(err)
					}
					lo, hi := y.Decimal(12)
					b.Logf("δ(%s) in [%s, %s], worst case %s", eps.RatString(), lo, hi, tree.Upper(64, interval.RealRat(eps)).Text('g', 12))
				}
				b.Log(tree)
			}
			cpu := (seconds() - start) / float64(b.N)
			b.ReportMetric(cpu, "cpu-s")
			b.ReportMetric(cpu/unit, "conv")
			var u syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err == nil {
				b.ReportMetric(float64(u.Maxrss)/1024, "peak-MB")
			}
			runtime.GC()
		})
	}
}

// BenchmarkLeaf: leaves of 100,001 buckets.
func BenchmarkLeaf(b *testing.B) {
	sgd := pair.Sampled{Rate: rat("1/100"), Base: pair.Product{{Pair: pair.Gaussian{Mu2: rat("1/16")}, Count: 1}}}
	all := append(headline[:2:2], struct {
		name string
		pair pair.Pair
	}{"SGD", sgd})
	for _, c := range all {
		b.Run(c.name, func(b *testing.B) {
			etas, _ := Factors(pair.Product{{Pair: c.pair, Count: 1}}, 50000, 64)
			start := seconds()
			for b.Loop() {
				if _, ok, err := PairLeaf(b.Context(), c.pair, Shape{50000, etas[0], 128}); !ok {
					b.Fatal(err)
				}
			}
			b.ReportMetric((seconds()-start)/float64(b.N), "cpu-s")
		})
	}
}

// TestHeadline: the Gauss bounds against the untruncated Gaussian, of which 2^18
// copies are one with μ² = 2^18/(2·200²), and the Laplace bounds, at a smaller scale,
// against the closed form of sums. Truncation at ±2500 matters little for the former.
func TestHeadline(t *testing.T) {
	t.Parallel()
	n, log := 2000, 8
	if os.Getenv("DPVERIFY_LONG") != "" {
		n, log = 50000, 18
	}
	width := rat("1/1000")
	gauss, err := headlineTree(t.Context(), headline[1].pair, n, log)
	if err != nil {
		t.Fatal(err)
	}
	one := pair.Gaussian{Mu2: new(big.Rat).SetFrac64(1<<log, 80000)}
	tails, _ := closed.PairTails(one)
	check := func(name string, tree *Tree, eps *big.Rat, want interval.Interval) {
		t.Helper()
		y, err := tree.Delta(t.Context(), 64, interval.RealRat(eps))
		if err != nil {
			t.Fatal(err)
		}
		if exceeds(want, y) || exceeds(y, want) || exceeds(lit.Sub(interval.Point(y.Hi()), interval.Point(y.Lo())), lit.Rat(width)) {
			t.Errorf("%s: δ(%s) in %s, want %s", name, eps.RatString(), y, want)
		}
	}
	for _, eps := range ratList("0 1/20 1/10 1 4") {
		d := tails.Delta(lit, interval.RealRat(eps))
		// Conditioning on |x| ≤ 2500 changes masses by less than 2^−60 of each copy.
		slack := lit.Rat(pow2(log - 55))
		check("Gauss", gauss, eps, interval.Union(lit.Sub(d, slack), lit.Add(d, slack)))
	}
	laplace, err := headlineTree(t.Context(), pair.Laplace{Shift: rat("1/200")}, 2000, 6)
	if err != nil {
		t.Fatal(err)
	}
	for _, eps := range ratList("0 1/20 1/10 1/2 1") {
		d, err := closed.LaplaceSum(t.Context(), 256, rat("1/200"), 1<<6, interval.RealRat(eps))
		if err != nil {
			t.Fatal(err)
		}
		check("Laplace", laplace, eps, d)
	}
}
