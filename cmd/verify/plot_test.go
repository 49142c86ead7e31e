// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/drawn"
	"dpverify/internal/source"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// plotted runs plot and returns the curve that it has drawn.
func plotted(t *testing.T, args ...string) drawn.Curve {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.svg")
	var out, stderr bytes.Buffer
	if code := run(t.Context(), append([]string{"plot", "-o", path}, args...), nil, &out, &stderr); code != 0 {
		t.Fatalf("%v: exit %d: %s", args, code, stderr.String())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := drawn.Read(data)
	if err != nil || len(cs) != 1 {
		t.Fatalf("%v: %d curves, %v", args, len(cs), err)
	}
	return cs[0]
}

// outOfBand reports that all heights of y are below the lower line or above the upper one;
// beyond an axis there is only what has no height.
func outOfBand(lower, upper drawn.Bound, y interval.Interval) bool {
	return upper.Height != nil && y.LessEqRat(upper.Height) == interval.False ||
		lower.Height != nil && y.LessRat(lower.Height) == interval.True ||
		upper.Sign < 0 && !y.Lo().IsInf() || lower.Sign > 0 && y.IsFinite()
}

// TestPlotsContainTheTruth: δ at any ε, and ε at any number of compositions, is inside of
// the band that the file has, with few points and with many. The pictures that this is about
// once showed an upper bound of 0.128 where δ is 0.1613, and of 0.65 where ε is 0.8197.
func TestPlotsContainTheTruth(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const bits = interval.Prec(200)
	for _, event := range []string{
		"{class_name: GaussianDpEvent, noise_multiplier: 1}",
		"{class_name: SelfComposedDpEvent, count: 3, event: {class_name: LaplaceDpEvent, noise_multiplier: 2}}",
		"{class_name: PoissonSampledDpEvent, sampling_probability: 0.1, event: {class_name: GaussianDpEvent, noise_multiplier: 1}}",
	} {
		e, err := source.Event(t.Context(), event, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		p, err := exact.Prepare(t.Context(), exact.Question{Event: e}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, points := range []int{2, 41} {
			c := plotted(t, "--points", fmt.Sprint(points), "--from=-1", "--to", "5", event)
			for i := range testkit.Draws(12, 40, 40) {
				eps := big.NewRat(int64(r.Intn(6000)-1000), 1000)
				if i == 0 {
					eps = big.NewRat(825, 1000)
				}
				lower, upper, ok := c.At(c.X.Coordinate(eps))
				if !ok {
					continue
				}
				y, err := p.Delta(t.Context(), eps)
				if err != nil {
					t.Fatal(err)
				}
				height := interval.Point(interval.Entire().Lo())
				if !y.IsZero() {
					height = bits.Div(bits.Log(y.Interval), bits.Log(interval.Int(10)))
				}
				if outOfBand(lower, upper, height) {
					t.Errorf("%s, %d points: δ(%s) is in %v, drawn between %v and %v", event, points, eps.FloatString(3), y.Interval, lower, upper)
				}
			}
		}
	}
	gaussian := mechanism.Gaussian{NoiseMultiplier: big.NewRat(20, 1)}
	for _, args := range [][]string{{"--points", "2"}, {"--points", "25"}, {}}[:testkit.Cases(2, 3)] {
		args = append(args, "--delta", "1e-5", "--compositions", "1000", "{class_name: GaussianDpEvent, noise_multiplier: 20}")
		c := plotted(t, args...)
		for i := range 25 {
			k := int64(2 + r.Intn(998))
			if i == 0 {
				k = 20
			}
			lower, upper, ok := c.At(c.X.Coordinate(big.NewRat(k, 1)))
			if !ok {
				t.Fatalf("nothing is drawn at %d", k)
			}
			y, err := exact.Epsilon(t.Context(), exact.Question{Event: mechanism.SelfComposed{Event: gaussian, Count: k}}, big.NewRat(1, 100000), 40, 0)
			if err != nil {
				t.Fatal(err)
			}
			if outOfBand(lower, upper, y.Interval) {
				t.Errorf("%v: ε at k = %d is in %v, drawn between %v and %v", args, k, y.Interval, lower, upper)
			}
		}
	}
}

// TestBandsLookLikeLines: with no flags, the widest band of a drawn training is half a pixel wide at most, and so is
// one that falls from the frame; with few points it is wider, and that is said.
func TestBandsLookLikeLines(t *testing.T) {
	for _, event := range []string{"sgd(sigma=1.1, batch=256, n=60000, epochs=15)", "laplace(1)"} {
		if w := plotted(t, event).Width(); w <= 0 || w > 0.5 {
			t.Errorf("%s: the band is %.3g px wide, want at most 0.5", event, w)
		}
	}
	path := filepath.Join(t.TempDir(), "p.svg")
	var out, stderr bytes.Buffer
	if code := run(t.Context(), []string{"plot", "-o", path, "--points", "9", "gaussian(1)"}, nil, &out, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	w := plotted(t, "--points", "9", "gaussian(1)").Width()
	if !(w > seenBand) || !strings.Contains(stderr.String(), fmt.Sprintf("%.2g px wide", w)) {
		t.Errorf("a band of %g px; said: %s", w, stderr.String())
	}
}
