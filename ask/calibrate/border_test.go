// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"errors"
	"math"
	"slices"
	"testing"

	"dpverify/certify"
)

// decided is a border whose proofs are right about the indices below last, and whose estimates
// are off by some.
func decided(size, last, off int64, undecided bool) border {
	return border{
		size:  size,
		seems: func(i int64) (estimate, error) { return estimate{ok: i < last+off}, nil },
		decide: func(i int64) (*Candidate, error) {
			v := certify.Refuted
			switch {
			case i < 0 || i >= size:
				return nil, errors.New("an index beyond the scale")
			case i < last:
				v = certify.Verified
			case undecided:
				v = certify.Undecided
			}
			return &Candidate{Text: string(rune('A' + i%26)), Outcome: &certify.Outcome{Verdict: v}}, nil
		},
	}
}

// The border is found wherever it is, and however estimates are off within what is certified
// one by one: best is the last index that is VERIFIED, next the one after it.
func TestBorderIsFound(t *testing.T) {
	for _, size := range []int64{1, 2, 3, 7, 8, 9, 100} {
		for last := int64(1); last <= size; last++ {
			for off := int64(-5); off <= 5; off++ {
				for _, undecided := range []bool{false, true} {
					b := decided(size, last, off, undecided)
					b.start, b.stride = []int64{0, size / 2, size - 1, 3}[(size+off+5)%4], (last+off+5)%4
					i, ok, err := b.guess()
					if err != nil || ok != (last+off > 0) {
						t.Fatalf("size %d, last %d, off %d: %d, %v, %v", size, last, off, i, ok, err)
					}
					if !ok {
						continue
					}
					if want := min(last+off, size) - 1; i != want {
						t.Fatalf("size %d, last %d, off %d: guess %d, want %d", size, last, off, i, want)
					}
					f, err := b.certify(i)
					if err != nil || f.Best == nil || !f.Best.verified() || f.Best.Text != string(rune('A'+(last-1)%26)) {
						t.Fatalf("size %d, last %d, off %d: best %+v, %v", size, last, off, f.Best, err)
					}
					if (f.Next == nil) != (last == size) || f.Next != nil && (f.Next.verified() || f.Next.Text != string(rune('A'+last%26))) {
						t.Fatalf("size %d, last %d, off %d: next %+v", size, last, off, f.Next)
					}
				}
			}
		}
	}
}

// Where nothing is VERIFIED the first value is decided, and estimates that are far off are mended, in few steps.
func TestBorderEnds(t *testing.T) {
	const size = 1_000_000
	for _, last := range []int64{0, 1, 2, 500_000, size - 1, size} {
		for _, i := range []int64{0, 1, 100, 500_003, size - 1} {
			b, asked := decided(size, last, 0, false), 0
			var tried []int64
			decide := b.decide
			b.decide = func(i int64) (*Candidate, error) {
				asked++
				tried = append(tried, i)
				return decide(i)
			}
			f, err := b.certify(i)
			if err != nil || (f.Best == nil) != (last == 0) || (f.Next == nil) != (last == size) || asked > 44 {
				t.Errorf("%d of %d do, from %d on: %+v, %v, %d steps", last, size, i, f, err, asked)
			}
			if last > 0 && !slices.Contains(tried, last-1) || last < size && !slices.Contains(tried, last) {
				t.Errorf("%d of %d do, from %d on: tried %v", last, size, i, tried)
			}
		}
	}
}

// TestBorderScans: where the indices that are private enough are some in the middle, the last of them is found, if a
// scan meets one.
func TestBorderScans(t *testing.T) {
	const from, to = 40, 55
	b := decided(1000, to, 0, false)
	b.start, b.stride = 500, 60
	b.seems = func(i int64) (estimate, error) { return estimate{ok: i >= from && i < to}, nil }
	if i, ok, err := b.guess(); ok || err != nil {
		t.Fatalf("found without a scan: %d, %v", i, err)
	}
	after := func(i int64) int64 { return i + 10 }
	if i, ok, err := b.scan(after); i != to-1 || !ok || err != nil {
		t.Errorf("%d, %v, %v, want %d", i, ok, err, to-1)
	}
	b.seems = func(int64) (estimate, error) { return estimate{}, nil }
	if i, ok, err := b.scan(after); ok || err != nil {
		t.Errorf("found where nothing is: %d, %v", i, err)
	}
	failed := errors.New("failed")
	b.seems = func(int64) (estimate, error) { return estimate{}, failed }
	if _, _, err := b.scan(after); !errors.Is(err, failed) {
		t.Errorf("a failure: %v", err)
	}
}

func TestBorderFails(t *testing.T) {
	failed := errors.New("failed")
	for at := range int64(5) {
		b := decided(9, 9, 0, false)
		seems := b.seems
		b.seems = func(i int64) (estimate, error) {
			if i >= at {
				return estimate{}, failed
			}
			return seems(i)
		}
		if _, _, err := b.guess(); !errors.Is(err, failed) {
			t.Errorf("failure from %d on: %v", at, err)
		}
	}
}

// TestBorderByExcess: where estimates say how far from the border they are, few are asked; and whatever they say, the
// border is found.
func TestBorderByExcess(t *testing.T) {
	const size = 120_000
	at := func(i int64) float64 { return math.Log(float64(i+1) / 1e4) }
	for _, c := range []struct {
		name   string
		excess func(i, last int64) float64
		most   int
	}{
		{"proportional", func(i, last int64) float64 { return at(i) - at(last) }, 14},
		{"bent", func(i, last int64) float64 { return math.Expm1(at(i) - at(last)) }, 21},
		{"with the wrong sign", func(i, last int64) float64 { return at(last) - at(i) }, 40},
		{"of one end only", func(i, last int64) float64 { return max(at(i)-at(last), 0) }, 32},
		{"all at one end", func(i, last int64) float64 {
			if i <= last {
				return -1e-12
			}
			return 1e12
		}, 70},
	} {
		for _, last := range []int64{0, 1, 9_999, 10_001, 47_110, 119_998} {
			asked := 0
			b := border{size: size, start: 54_000, stride: 9_000, seems: func(i int64) (estimate, error) {
				asked++
				return estimate{i <= last, c.excess(i, last)}, nil
			}}
			if got, ok, err := b.guess(); err != nil || !ok || got != last {
				t.Errorf("%s: %d, %v, %v, want %d", c.name, got, ok, err, last)
			}
			if asked > c.most {
				t.Errorf("%s, last %d: %d estimates", c.name, last, asked)
			}
		}
	}
}

// TestWhereTheBorderSeems: where excesses are on a line over the logarithm of the index, the next index is where it is
// 0, from whichever side; beyond the last one it is as far as the last step says, and a little further.
func TestWhereTheBorderSeems(t *testing.T) {
	line := func(i int64) float64 { return 3 * (math.Log(float64(i+1)) - math.Log(5000.25)) }
	for _, c := range [][2]int64{{100, 90_000}, {90_000, 100}, {100, 300}, {300, 100}, {40_000, 90_000}, {4990, 5010}} {
		if i, ok := secant(point{c[0], line(c[0])}, point{c[1], line(c[1])}); !ok || i != 4999 {
			t.Errorf("a secant from %v: %d, %v", c, i, ok)
		}
		if lo, hi := min(c[0], c[1]), max(c[0], c[1]); line(lo) < 0 && line(hi) > 0 {
			if i := between(lo, hi, line(lo), line(hi)); i != 4999 {
				t.Errorf("between %d and %d: %d", lo, hi, i)
			}
		}
	}
	for _, c := range [][2]float64{{0, 1}, {1, 0}, {2, 2}} {
		if i, ok := secant(point{10, c[0]}, point{20, c[1]}); ok {
			t.Errorf("a secant through %v: %d", c, i)
		}
	}
	for _, c := range []struct {
		before, now float64
		least, most int64
	}{
		{-3, -1, 500, 600},
		{-3, -1e-9, 62, 64},
		{-1, -3, math.MaxInt64, math.MaxInt64},
		{-1, -1, math.MaxInt64, math.MaxInt64},
		{0, -1, math.MaxInt64, math.MaxInt64},
		{-1, 0, math.MaxInt64, math.MaxInt64},
		{-1 - 1e-15, -1, 1 << 50, math.MaxInt64},
	} {
		if got := beyond(1000, c.before, c.now); got < c.least || got > c.most {
			t.Errorf("from %v to %v: %d, want %d to %d", c.before, c.now, got, c.least, c.most)
		}
	}
}

// TestStepsDoNotGrowUnused: where the excess falls to nothing before the border, so that each index seems to be next to
// it, the steps that are not taken do not grow, and no index far beyond is tried.
func TestStepsDoNotGrowUnused(t *testing.T) {
	tried := 0
	b := border{size: 1e12, stride: 1, seems: func(i int64) (estimate, error) {
		if tried++; i > 1e4 {
			t.Errorf("index %d is tried", i)
		}
		return estimate{ok: i <= 400, excess: math.Copysign(math.Exp(-math.Abs(float64(i)-40)/10), float64(i)-400.5)}.known(), nil
	}}
	if last, ok, err := b.guess(); last != 400 || !ok || err != nil || tried > 400 {
		t.Errorf("%d, %t, %v after %d", last, ok, err, tried)
	}
}
