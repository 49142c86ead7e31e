// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

func rat(s string) *big.Rat { return testkit.Rat(s) }

// of is a product of discrete Gaussians, each given by σ², its shift and its count.
func of(terms ...any) (out pair.Product) {
	for i := 0; i < len(terms); i += 3 {
		out = append(out, pair.Term{Pair: pair.DiscreteGaussian{Sigma2: rat(terms[i].(string)), Sensitivity: int64(terms[i+1].(int))}, Count: int64(terms[i+2].(int))})
	}
	return out
}

// fromMasses encloses δ(ε) by the definition: the masses of every sum of losses, one factor after the other. What lies
// beyond ±reach has less mass than 2^−90 in each factor.
func fromMasses(prod pair.Product, eps *big.Rat) interval.Interval {
	const w = interval.Prec(120)
	type atom struct {
		loss *big.Rat
		mass interval.Interval
	}
	law := map[string]atom{"0": {new(big.Rat), interval.Int(1)}}
	lost, named := interval.Int(0), interval.Int(1)
	var atoms []atom
	convolve := func(count int64, left string) {
		for range count {
			lost = w.Add(lost, w.Rat(rat(left)))
			next := map[string]atom{}
			for _, a := range law {
				for _, c := range atoms {
					loss := new(big.Rat).Add(a.loss, c.loss)
					b := next[loss.RatString()]
					b.loss = loss
					b.mass = w.Add(b.mass, w.Mul(a.mass, c.mass))
					next[loss.RatString()] = b
				}
			}
			law = next
		}
	}
	for _, t := range prod {
		atoms = nil
		switch d := t.Pair.(type) {
		case pair.DiscreteLaplace: // masses r^|x|·(1 − r)/(1 + r), loss a(|x − s| − |x|)
			reach := int64(80/double.Near(d.A)) + d.Sensitivity + 2
			r := w.Exp(w.Rat(d.A).Neg())
			each := w.Div(w.Sub(interval.Int(1), r), w.Add(interval.Int(1), r))
			for x := -reach; x <= reach; x++ {
				loss := new(big.Rat).Mul(d.A, big.NewRat(max(x-d.Sensitivity, d.Sensitivity-x)-max(x, -x), 1))
				mass := w.Mul(each, w.PowInt(r, max(x, -x)))
				if n := len(atoms); n > 0 && atoms[n-1].loss.Cmp(loss) == 0 {
					atoms[n-1].mass = w.Add(atoms[n-1].mass, mass)
					continue
				}
				atoms = append(atoms, atom{loss, mass})
			}
			convolve(t.Count, "1e-30") // 2e^(−80) and more
			continue
		case pair.Response: // the truth with probability (1 − δ)·e^ε/(1 + e^ε), and beside it the name
			keep := w.Rat(new(big.Rat).Sub(rat("1"), d.Delta))
			grow := w.Exp(w.Rat(d.Eps))
			low := w.Div(keep, w.Add(interval.Int(1), grow))
			named = w.Mul(named, w.PowInt(keep, t.Count))
			atoms = []atom{{d.Eps, w.Mul(low, grow)}, {new(big.Rat).Neg(d.Eps), low}}
			convolve(t.Count, "0")
			continue
		}
		d := t.Pair.(pair.DiscreteGaussian)
		half := new(big.Rat).Inv(new(big.Rat).Add(d.Sigma2, d.Sigma2))
		reach, total := int64(1), interval.Int(1)
		var masses []interval.Interval // of 1, 2, …
		for ; ; reach++ {
			m := w.Exp(w.Rat(new(big.Rat).Mul(half, big.NewRat(-reach*reach, 1))))
			if m.LessRat(interval.Pow2(-100)) == interval.True {
				break
			}
			masses, total = append(masses, m), w.Add(total, w.Scale(m, 1))
		}
		total = interval.Union(total, w.Add(total, w.Rat(interval.Pow2(-90))))
		slope := new(big.Rat).Mul(big.NewRat(2*d.Sensitivity, 1), half)
		shift := new(big.Rat).Mul(half, big.NewRat(d.Sensitivity*d.Sensitivity, 1))
		for range t.Count {
			lost = w.Add(lost, w.Rat(interval.Pow2(-90)))
			next := map[string]atom{}
			for _, a := range law {
				for x := -reach + 1; x < reach; x++ {
					m := interval.Int(1)
					if x != 0 {
						m = masses[max(x, -x)-1]
					}
					loss := new(big.Rat).Mul(slope, big.NewRat(x, 1))
					loss.Add(loss, a.loss).Add(loss, shift)
					b := next[loss.RatString()]
					b.loss = loss
					b.mass = w.Add(b.mass, w.Mul(a.mass, w.Div(m, total)))
					next[loss.RatString()] = b
				}
			}
			law = next
		}
	}
	sum := interval.Int(0)
	for _, a := range law {
		if a.loss.Cmp(eps) > 0 {
			sum = w.Add(sum, w.Mul(a.mass, w.Expm1(w.Rat(new(big.Rat).Sub(eps, a.loss))).Neg()))
		}
	}
	sum = w.Add(sum, w.Sub(interval.Int(1), named)) // what names the data is in no mass
	return interval.Union(sum, w.Add(sum, lost))
}

// TestProfilesAgainstMasses: random small compositions, at points of the lattice and between, at all precisions.
func TestProfilesAgainstMasses(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for i := range testkit.Draws(6, 14, 400) {
		var prod pair.Product
		for range 1 + rng.Intn(3) {
			sigma2 := []string{"1/10", "1/4", "1/2", "1", "2", "9/4", "10/11"}[rng.Intn(7)]
			prod = append(prod, of(sigma2, 1+rng.Intn(3), 1+rng.Intn(2))...)
		}
		prod = prod.Merged()
		x, ok := New(prod)
		if !ok {
			t.Fatalf("no inversion of %s", prod)
		}
		eps := big.NewRat(rng.Int63n(200), 10)
		if i%3 == 0 { // a point of the lattice
			eps.Quo(new(big.Rat).Add(new(big.Rat).SetInt(x.first(eps)), x.origin), x.fine)
		}
		if i%5 == 0 {
			eps.Neg(eps)
		}
		want := fromMasses(prod, eps)
		for _, p := range testkit.InTurn(i, []interval.Prec{2, 3, 8, 24, 53, 64, 65, 113, 128, 256}) {
			got, err := x.Delta(t.Context(), p, interval.RealRat(eps))
			if _, meet := interval.Intersect(got, want); err != nil || !meet {
				t.Errorf("%s: δ(%s) at %d bits in %v, %v; by its masses in %v", prod, eps.RatString(), p, got, err, want)
			}
			if p >= 24 && want.LessRat(rat("1e-12")) == interval.False && got.RelativeBits(20) < 20 {
				t.Errorf("%s: δ(%s) at %d bits is %v", prod, eps.RatString(), p, got)
			}
		}
	}
}

// stepsBeside are random factors with few rational losses beside discrete Gaussians.
func stepsBeside(rng *rand.Rand) (out pair.Product) {
	for range 1 + rng.Intn(2) {
		sigma2 := []string{"1/2", "1", "2", "9/4", "10/11"}[rng.Intn(5)]
		out = append(out, of(sigma2, 1+rng.Intn(3), 1+rng.Intn(2))...)
	}
	for range 1 + rng.Intn(2) {
		a := rat([]string{"1/4", "1/3", "1", "7/5", "3"}[rng.Intn(5)])
		t := pair.Term{Pair: pair.DiscreteLaplace{A: a, Sensitivity: 1 + rng.Int63n(4)}, Count: 1 + rng.Int63n(3)}
		if rng.Intn(2) == 0 {
			t.Pair = pair.Response{Eps: a, Delta: rat([]string{"0", "0", "1/7"}[rng.Intn(3)])}
		}
		out = append(out, t)
	}
	return out.Merged()
}

// TestStepsAgainstMasses: discrete Laplace noise and guarantees beside discrete Gaussians, at points of the lattice and
// between, at all precisions.
func TestStepsAgainstMasses(t *testing.T) {
	rng := rand.New(rand.NewSource(12))
	for i := range testkit.Draws(4, 8, 300) {
		prod := stepsBeside(rng)
		x, ok := New(prod)
		if !ok {
			t.Fatalf("no inversion of %s", prod)
		}
		eps := big.NewRat(rng.Int63n(150), 10)
		if i%3 == 0 { // a point of the lattice
			eps.Quo(new(big.Rat).Add(new(big.Rat).SetInt(x.first(eps)), x.origin), x.fine)
		}
		if i%5 == 0 {
			eps.Neg(eps)
		}
		want := fromMasses(prod, eps)
		for _, p := range testkit.InTurn(i, []interval.Prec{2, 3, 8, 24, 53, 64, 65, 113, 128, 256}) {
			got, err := x.Delta(t.Context(), p, interval.RealRat(eps))
			if _, meet := interval.Intersect(got, want); err != nil || !meet {
				t.Errorf("%s: δ(%s) at %d bits in %v, %v; by its masses in %v", prod, eps.RatString(), p, got, err, want)
			}
			if p >= 24 && want.LessRat(rat("1e-12")) == interval.False && got.RelativeBits(20) < 20 {
				t.Errorf("%s: δ(%s) at %d bits is %v", prod, eps.RatString(), p, got)
			}
		}
	}
}

// TestMomentsOfSteps: E e^(λL) ≤ e^(λ(λ+1)ρ′), also for λ that are not whole.
func TestMomentsOfSteps(t *testing.T) {
	const w = interval.Prec(90)
	rng := rand.New(rand.NewSource(13))
	for range 60 {
		x, ok := newLaw(stepsBeside(rng))
		if !ok {
			t.Fatal("no law")
		}
		for _, f := range x.steps {
			lambda := w.Rat(big.NewRat(rng.Int63n(400), 100))
			losses, masses, _ := f.outcomes(w)
			sum := interval.Int(0)
			for k, l := range losses {
				sum = w.Add(sum, w.Mul(masses[k], w.Exp(w.Mul(lambda, w.Rat(l)))))
			}
			most := w.Exp(w.Mul(w.Mul(lambda, w.Add(lambda, interval.Int(1))), w.Rat(f.moments())))
			if w.Sub(w.PowInt(sum, f.count), most).Positive() == interval.True {
				t.Errorf("%v: %v is more than %v", f.pair, sum, most)
			}
		}
	}
}

// TestNoSteps: pairs that are not their own reverses, irrational and infinite losses, and many.
func TestNoSteps(t *testing.T) {
	gaussian := of("1", 1, 1)
	for _, p := range []pair.Pair{
		pair.Binomial{Trials: 3, Prob: rat("1/2"), Sensitivity: 1},
		pair.DiscreteLaplace{A: rat("1"), Sensitivity: maxLosses + 1},
		pair.Gaussian{Mu2: rat("1")},
		pair.TwoPoint{Up: rat("1"), Down: rat("1/2")},
	} {
		if _, ok := New(append(pair.Product{{Pair: p, Count: 1}}, gaussian...)); ok {
			t.Errorf("%s is taken up", p)
		}
	}
	if _, ok := New(pair.Product{{Pair: pair.DiscreteLaplace{A: rat("1"), Sensitivity: 1}, Count: 2}}); ok {
		t.Error("without a discrete Gaussian nothing decays")
	}
}

// TestProfilesFromOutside: values by a program that shares nothing with this one, and by its author's other methods.
func TestProfilesFromOutside(t *testing.T) {
	for _, c := range []struct {
		prod     pair.Product
		eps      string
		from, to string
		bits     interval.Prec
	}{
		{of("1", 3, 1, "1", 2, 2, "1", 1, 1), "89/6", "0.05776125820543987064379", "0.05776125820543987064381", 80},
		{of("9/100", 1, 1), "5", "0.426812420817870", "0.426812420817872", 60},
		{of("1e8", 1, 100), "0.01", "7.5120257159138951724309555513e-28", "7.5120257159138951724309555515e-28", 100},
		{of("1e8", 1, 100), "0.001", "8.33571321231910608963546e-5", "8.33571321231910608963547e-5", 86},
		{of("1", 2, 1), "1", "0.5402936176724836136811", "0.5402936176724836136813", 80},
		{of("1", 1, 4), "4", "0.07528955284565749163694", "0.07528955284565749163696", 80},
	} {
		x, ok := New(c.prod)
		if !ok {
			t.Fatal(c.prod)
		}
		y, err := x.Delta(t.Context(), c.bits, interval.RealRat(rat(c.eps)))
		if err != nil || y.LessRat(rat(c.from)) != interval.False || y.LessRat(rat(c.to)) != interval.True {
			t.Errorf("%s: δ(%s) in %v, %v; want in [%s, %s]", c.prod, c.eps, y, err, c.from, c.to)
		}
	}
}

// TestNamedData: beside an output that names the data with probability κ, δ(ε) is κ + (1 − κ) times what it is alone,
// also below 0.
func TestNamedData(t *testing.T) {
	prod := of("1", 1, 2, "9/4", 2, 1)
	for _, c := range []struct {
		kappa string
		count int64
		named string // the probability that the data are named
	}{{"1/8", 1, "1/8"}, {"1/8", 2, "15/64"}, {"1/1000000000000000", 1, "1/1000000000000000"}, {"1", 1, "1"}} {
		both := append(pair.Product{{Pair: pair.Response{Eps: new(big.Rat), Delta: rat(c.kappa)}, Count: c.count}}, prod...)
		for _, eps := range []string{"-3", "0", "2", "40"} {
			x, ok := New(both)
			y, ok2 := New(prod)
			if !ok || !ok2 {
				t.Fatal("no inversion")
			}
			got, err1 := x.Delta(t.Context(), 60, interval.RealRat(rat(eps)))
			alone, err2 := y.Delta(t.Context(), 80, interval.RealRat(rat(eps)))
			const w = interval.Prec(200)
			rest := w.Rat(new(big.Rat).Sub(rat("1"), rat(c.named)))
			want := w.Add(w.Rat(rat(c.named)), w.Mul(rest, alone))
			if _, meet := interval.Intersect(got, want); err1 != nil || err2 != nil || !meet || got.RelativeBits(54) < 54 {
				t.Errorf("κ = %s, ε = %s: %v, want %v; %v, %v", c.kappa, eps, got, want, err1, err2)
			}
		}
	}
}

// TestProfilesOfIntervals: where all that is known of ε are two numbers that it is between, the enclosure holds δ at
// both, on either side of 0 and of points of the lattice.
func TestProfilesOfIntervals(t *testing.T) {
	x, _ := New(of("1", 1, 2, "9/4", 1, 1))
	rng := rand.New(rand.NewSource(9))
	for i := range testkit.Cases(30, 500) {
		lo, width := big.NewRat(rng.Int63n(60)-30, 10), big.NewRat(1, []int64{1, 10, 1000, 1 << 40}[i%4])
		if i%5 == 0 {
			lo.Neg(width)
		}
		hi := new(big.Rat).Add(lo, width)
		const w = interval.Prec(300)
		e := interval.Union(w.Rat(lo), w.Rat(hi))
		got, err := x.Delta(t.Context(), 60, func(interval.Prec) interval.Interval { return e })
		for _, eps := range []*big.Rat{lo, hi} {
			want, err2 := x.Delta(t.Context(), 90, interval.RealRat(eps))
			if _, meet := interval.Intersect(got, want); err != nil || err2 != nil || !meet {
				t.Errorf("δ of [%s, %s] in %v, %v; δ(%s) is %v", lo, hi, got, err, eps, want)
			}
		}
	}
}

// TestNearCrossings: a guess of ε(δ) is next to it where the lattice is fine, also beside outputs that name the data.
func TestNearCrossings(t *testing.T) {
	named := pair.Term{Pair: pair.Response{Eps: new(big.Rat), Delta: rat("1e-9")}, Count: 2}
	for _, prod := range []pair.Product{
		of("1369/100", 1, 5, "3721/100", 1, 7), of("1e8", 1, 100), append(of("1369/100", 2, 5, "3721/100", 1, 7), named),
	} {
		x, ok := New(prod)
		if !ok {
			t.Fatal("no inversion")
		}
		for _, delta := range testkit.QuickTurn(len(prod), []string{"1e-4", "1e-6", "1e-8"}) {
			near, ok := x.Near(rat(delta))
			if !ok {
				t.Fatalf("%s: no guess of ε(%s)", prod, delta)
			}
			for i, factor := range []string{"0.999", "1.001"} {
				y, err := x.Delta(t.Context(), 24, interval.RealRat(new(big.Rat).Mul(near, rat(factor))))
				if want := []interval.Truth{interval.False, interval.True}[i]; err != nil || y.LessEqRat(rat(delta)) != want {
					t.Errorf("%s: δ is %v at %s times the guess of ε(%s), %v", prod, y, factor, delta, err)
				}
			}
		}
		for _, delta := range []string{"0", "99/100", "1e-18"} {
			if near, ok := x.Near(rat(delta)); ok && (delta != "1e-18" || len(prod) == 3) {
				t.Errorf("%s: ε(%s) is near %s", prod, delta, near.FloatString(6))
			}
		}
	}
}
