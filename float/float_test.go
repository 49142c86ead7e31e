// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package float

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func event(t testing.TB, text string) mechanism.Event {
	t.Helper()
	e, err := mechanism.DecodeEvent([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

const (
	gaussian = `{"class_name":"GaussianDpEvent","noise_multiplier":2}`
	laplace  = `{"class_name":"LaplaceDpEvent","noise_multiplier":3}`
	sampled  = `{"class_name":"PoissonSampledDpEvent","sampling_probability":0.01,"event":` + gaussian + `}`
)

func times(n, e string) string {
	return `{"class_name":"SelfComposedDpEvent","count":` + n + `,"event":` + e + `}`
}

// TestMethodsAgree: the methods that apply to one product overlap at every ε, in both
// orientations.
func TestMethodsAgree(t *testing.T) {
	testkit.SkipShort(t)
	for i, text := range testkit.Few(3, []string{gaussian, times("3", gaussian), sampled, times("2000", sampled),
		`{"class_name":"ComposedDpEvent","events":[` + gaussian + `,` + laplace + `]}`,
	}) {
		p, err := Prepare(t.Context(), Question{Event: event(t, text)})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range p.orientations {
			if len(o.methods) < 2 {
				t.Errorf("%s: only %d methods", text, len(o.methods))
			}
			for _, eps := range testkit.InTurn(i, []float64{-0.5, 1, 0}) {
				first := o.methods[0].delta(t.Context(), Value{V: eps})
				for _, m := range o.methods[1:] {
					if v := m.delta(t.Context(), Value{V: eps}); math.Abs(v.V-first.V) > v.Err+first.Err {
						t.Errorf("%s at %v: %s says %v, %s says %v", text, eps, o.methods[0].name, first, m.name, v)
					}
				}
			}
		}
	}
}

// TestAccuracy: Err/V for mechanisms that people run.
func TestAccuracy(t *testing.T) {
	for _, c := range []struct {
		text   string
		eps    *big.Rat
		method string
		rel    float64
	}{
		{gaussian, big.NewRat(1, 1), "closed", 1e-12},
		{times("65536", sampled), big.NewRat(1, 1), "fourier", 1e-9},
		{times("30", laplace), big.NewRat(2, 1), "pld", 1e-4},
		{times("100", `{"class_name":"EpsilonDeltaDpEvent","epsilon":0.1,"delta":1e-9}`), big.NewRat(2, 1), "closed", 1e-11},
	} {
		p, err := Prepare(t.Context(), Question{Event: event(t, c.text)})
		if err != nil {
			t.Fatal(err)
		}
		if a, err := p.Delta(t.Context(), c.eps); err != nil || a.Method != c.method || a.Rel() > c.rel {
			t.Errorf("%s: %v by %s, want %v by %s", c.text, a.Value, a.Method, c.rel, c.method)
		}
	}
}

// TestUnsupported: what is not covered is refused by name.
func TestUnsupported(t *testing.T) {
	for _, text := range []string{
		`{"class_name":"ZCDpEvent","rho":1}`,
		`{"class_name":"RandomizedResponseDpEvent","noise_parameter":0.5,"num_buckets":3}`,
		times("2", `{"class_name":"PoissonSampledDpEvent","sampling_probability":0.1,"event":`+times("2", laplace)+`}`),
	} {
		_, err := Prepare(t.Context(), Question{Event: event(t, text)})
		var u *UnsupportedError
		if !errors.As(err, &u) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// The fast path at work: closed forms take microseconds, and a profile of 65,536 steps
// of DP-SGD at eight ε, in both directions, is one operation of the second.
func BenchmarkDelta(b *testing.B) {
	p, err := Prepare(b.Context(), Question{Event: event(b, gaussian)})
	if err != nil {
		b.Fatal(err)
	}
	eps := big.NewRat(3, 2)
	for b.Loop() {
		_, _ = p.Delta(b.Context(), eps)
	}
}

func BenchmarkSGDProfile(b *testing.B) {
	e := event(b, times("65536", sampled))
	for b.Loop() {
		p, err := Prepare(b.Context(), Question{Event: e})
		if err != nil {
			b.Fatal(err)
		}
		for i := range 8 {
			_, _ = p.Delta(b.Context(), big.NewRat(int64(i+1), 2))
		}
	}
}

// TestNoEstimateAtOnce: nothing is computed to say that there is no estimate for δ = 0, and an event that is not covered
// is still named.
func TestNoEstimateAtOnce(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	laplace := mechanism.SelfComposed{Count: 300, Event: mechanism.Laplace{NoiseMultiplier: big.NewRat(10, 1)}}
	if _, err := Epsilon(ended, Question{Event: laplace}, new(big.Rat)); !errors.Is(err, ErrNoEstimate) {
		t.Error(err)
	}
	var unsupported *UnsupportedError
	zcdp := mechanism.ZCDP{Rho: big.NewRat(1, 2), Xi: new(big.Rat)}
	if _, err := Epsilon(ended, Question{Event: zcdp}, new(big.Rat)); !errors.As(err, &unsupported) {
		t.Error(err)
	}
}

// TestEpsilonsAreNear: what an ε is said to be off by is little, also where δ is next to the least float64, or next to 1.
func TestEpsilonsAreNear(t *testing.T) {
	gauss := mechanism.SelfComposed{Count: 10, Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}}
	for _, x := range []float64{1e-300, 1e-100, 1e-9, 0.5, 0.999999} {
		a, err := Epsilon(t.Context(), Question{Event: gauss}, new(big.Rat).SetFloat64(x))
		if err != nil || a.Err > 1e-8*(1+math.Abs(a.V)) {
			t.Errorf("δ = %g: %v, %v", x, a, err)
		}
		d, err := Delta(t.Context(), Question{Event: gauss}, new(big.Rat).SetFloat64(a.V))
		if err != nil || math.Abs(d.V/x-1) > 1e-6 {
			t.Errorf("δ(%g) = %v, want %g, %v", a.V, d, x, err)
		}
	}
}
