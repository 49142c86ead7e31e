// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package noise

import (
	"bytes"
	crand "crypto/rand"
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"dpverify/mechanism"
)

func grid(n, shift int) Grid { return Grid{n, shift, big.NewRat(1, int64(shift))} }

func TestNewGrid(t *testing.T) {
	g, err := NewGrid(big.NewRat(5, 1), big.NewRat(1, 1), big.NewRat(1, 4))
	if err != nil || g.N != 20 || g.Shift != 4 {
		t.Errorf("%v, %v", g, err)
	}
	for _, c := range [][3]*big.Rat{
		{big.NewRat(5, 1), big.NewRat(1, 1), big.NewRat(0, 1)},
		{big.NewRat(5, 1), big.NewRat(1, 1), big.NewRat(2, 3)},
		{big.NewRat(16, 3), big.NewRat(1, 1), big.NewRat(1, 4)},
		{big.NewRat(1<<40, 1), big.NewRat(1, 1), big.NewRat(1, 1)},
		{big.NewRat(-5, 1), big.NewRat(1, 1), big.NewRat(1, 1)},
	} {
		if g, err := NewGrid(c[0], c[1], c[2]); err == nil {
			t.Errorf("%v: %v", c, g)
		}
	}
}

// Rounded masses are symmetric, fall, and have sum 1, exactly, whatever they are rounded from.
func TestRound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		half := make([]float64, 1+r.IntN(200))
		x := 1.0
		for k := range half {
			x *= math.Pow(r.Float64(), 5*r.Float64())
			half[k] = x
		}
		e := mechanism.AdditiveNoise{Probabilities: Round(half)}
		sum := new(big.Rat)
		for _, p := range e.Probabilities {
			if sum.Add(sum, p); p.Sign() < 0 {
				t.Fatalf("a mass is %s", p)
			}
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 || !e.Symmetric() || !e.Falling() {
			t.Fatalf("sum %s, symmetric %v, falling %v", sum, e.Symmetric(), e.Falling())
		}
	}
}

// Moments and utilities, of noise on two cells and by integration.
func TestMoments(t *testing.T) {
	half := big.NewRat(1, 2)
	e := mechanism.AdditiveNoise{Probabilities: []*big.Rat{half, half}, Cell: big.NewRat(3, 1)}
	first, second := Moments(e)
	if first.Cmp(big.NewRat(3, 2)) != 0 || second.Cmp(big.NewRat(3, 1)) != 0 {
		t.Errorf("uniform on [−3, 3]: %s, %s", first, second)
	}
	lattice := mechanism.AdditiveNoise{Probabilities: []*big.Rat{big.NewRat(1, 4), half, big.NewRat(1, 4)}, Cell: big.NewRat(3, 1), Kind: mechanism.Lattice}
	if first, second = Moments(lattice); first.Cmp(big.NewRat(3, 2)) != 0 || second.Cmp(big.NewRat(9, 2)) != 0 {
		t.Errorf("lattice: %s, %s", first, second)
	}
	// Of a Gaussian with little cut off, on cells of a tenth: E|X| = σ√(2/π).
	g := grid(100, 10)
	p := Families[0].Half(g, 0.3, 1)
	first, second = Moments(g.Event(Round(p)))
	l1, _ := first.Float64()
	l2, _ := second.Float64()
	if math.Abs(l1-math.Sqrt(2/math.Pi)) > 1e-3 || math.Abs(l2-1) > 2e-3 {
		t.Errorf("Gaussian: %v, %v", l1, l2)
	}
	if math.Abs(l1-g.Utility(L1, p)) > 1e-12 || math.Abs(math.Sqrt(l2)-g.Utility(L2, p)) > 1e-12 {
		t.Errorf("utilities %v and %v", g.Utility(L1, p), g.Utility(L2, p))
	}
}

// The staircase falls by e^−ε with every sensitivity; cut at 5 it has the numbers of Sommer et al. 2020, §4.2.
func TestStaircase(t *testing.T) {
	g := grid(500, 100)
	p := Families[2].Half(g, 0.3, 5)
	for k := 0; k+100 < 500; k++ {
		if r := p[k+100] / p[k]; math.Abs(r-math.Exp(-0.3)) > 1e-9 {
			t.Fatalf("cell %d: %v", k, r)
		}
	}
	if u := g.Utility(L1, p); math.Abs(u-1.884) > 1e-3 {
		t.Errorf("E|X| = %v", u)
	}
}

// fixed is a source of given words.
func fixed(words ...uint64) *bytes.Reader {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return bytes.NewReader(b)
}

// Inversion: u just below a partial sum is in the cell, u at it is in the next one with mass.
func TestSamplerIsInversion(t *testing.T) {
	masses := []int64{0, 3, 0, 1, 4, 8, 0, 0} // sixteenths
	var ps []*big.Rat
	for _, m := range masses {
		ps = append(ps, big.NewRat(m, 16))
	}
	e := mechanism.AdditiveNoise{Probabilities: ps, Cell: big.NewRat(1, 1)}
	var words []uint64
	var want []int64
	for u := range uint64(16) {
		cell, sum := int64(0), uint64(0)
		for i, m := range masses {
			if sum += uint64(m); u < sum {
				cell = int64(i) - 4
				break
			}
		}
		for _, low := range []uint64{0, 1<<64 - 1} { // the ends of a sixteenth
			hi := u << 60
			if low > 0 {
				hi |= 1<<60 - 1
			}
			words = append(words, hi, low, 5<<11)
			want = append(want, cell)
		}
	}
	s, err := NewSampler(e, fixed(words...))
	if err != nil {
		t.Fatal(err)
	}
	for i, cell := range want {
		x, err := s.Next()
		if err != nil || x.Cell != cell || x.Offset != 5 {
			t.Fatalf("draw %d: %v, %v, want cell %d", i, x, err, cell)
		}
	}
	if _, err := s.Next(); err == nil {
		t.Error("samples go on after the end of the source")
	}
}

func TestSamplerRefuses(t *testing.T) {
	for _, ps := range [][]*big.Rat{nil, {big.NewRat(1, 3), big.NewRat(2, 3)}, {big.NewRat(1, 2), big.NewRat(1, 4)}} {
		if _, err := NewSampler(mechanism.AdditiveNoise{Probabilities: ps, Cell: big.NewRat(1, 1)}, fixed()); err == nil {
			t.Errorf("%v is sampled", ps)
		}
	}
	one := mechanism.AdditiveNoise{Probabilities: []*big.Rat{new(big.Rat), big.NewRat(1, 1), new(big.Rat)}, Cell: big.NewRat(1, 3), Kind: mechanism.Lattice}
	s, err := NewSampler(one, fixed(1<<64-1, 1<<64-1, 1<<64-1))
	if err != nil {
		t.Fatal(err)
	}
	if x, err := s.Next(); err != nil || x != (Sample{}) || x.Text(one.Cell) != "0" {
		t.Errorf("%v, %v", x, err)
	}
}

// Chi-square of 2·10^5 draws against the masses: 100 degrees of freedom or so, far below five
// standard deviations.
func TestSamplesHaveTheirMasses(t *testing.T) {
	g := grid(50, 5)
	e := g.Event(Round(Families[0].Half(g, 0.3, 4)))
	s, err := NewSampler(e, rand.NewChaCha8([32]byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	const draws = 200000
	counts := make([]float64, 100)
	mean := 0.0
	for range draws {
		x, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		counts[x.Cell+50]++
		mean += float64(x.Offset) / (1 << OffsetBits)
	}
	chi := 0.0
	for i, n := range counts {
		p, _ := e.Probabilities[i].Float64()
		chi += (n - draws*p) * (n - draws*p) / (draws * p)
	}
	if sd := math.Sqrt(2 * 99); math.Abs(chi-99) > 5*sd {
		t.Errorf("chi-square %v of 99 degrees of freedom", chi)
	}
	if d := mean/draws - 0.5; math.Abs(d) > 5/math.Sqrt(12*draws) {
		t.Errorf("the place inside of a cell is off by %v", d)
	}
}

// The same of 10^7 draws on the cells of the paper, of which those with less than a hundred draws count as one.
func TestManySamples(t *testing.T) {
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("it draws 10^7 samples; every day TestSamplesHaveTheirMasses draws 2·10^5")
	}
	g := grid(30000, 60)
	e := g.Event(Round(Families[0].Half(g, 0.3, 100)))
	s, err := NewSampler(e, crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const draws, enough = 10_000_000, 100
	counts := make([]float64, 2*g.N)
	for range draws {
		x, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		counts[x.Cell+int64(g.N)]++
	}
	chi, degrees, rare, rareWant := 0.0, -1.0, 0.0, 0.0
	for i, n := range counts {
		p, _ := e.Probabilities[i].Float64()
		if draws*p < enough {
			rare, rareWant = rare+n, rareWant+draws*p
			continue
		}
		chi += (n - draws*p) * (n - draws*p) / (draws * p)
		degrees++
	}
	chi += (rare - rareWant) * (rare - rareWant) / rareWant
	degrees++
	t.Logf("chi-square %.0f of %.0f degrees of freedom", chi, degrees)
	if math.Abs(chi-degrees) > 5*math.Sqrt(2*degrees) {
		t.Errorf("chi-square %v of %v degrees of freedom", chi, degrees)
	}
}

func BenchmarkSampler(b *testing.B) {
	g := grid(30000, 60)
	s, err := NewSampler(g.Event(Round(Families[0].Half(g, 0.3, 100))), crand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
