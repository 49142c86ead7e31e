// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"math/big"
	"testing"

	"github.com/ALTree/bigfloat"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/float"
	"dpverify/mechanism"
)

// Both implementations in one run, at one argument of 128 bits.
func BenchmarkElementary(b *testing.B) {
	const p = interval.Prec(128)
	x := p.Rat(big.NewRat(14, 3)).Lo()
	xi := interval.Point(x)
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"exp/interval", func() { p.Exp(xi) }},
		{"exp/bigfloat", func() { bigfloat.Exp(x) }},
		{"log/interval", func() { p.Log(xi) }},
		{"log/bigfloat", func() { bigfloat.Log(x) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.f() // constants are computed once
			b.ReportAllocs()
			for b.Loop() {
				c.f()
			}
		})
	}
}

// Both engines at one δ of the same question, prepared before.
func BenchmarkEngines(b *testing.B) {
	for _, c := range []struct {
		name, event string
		eps         *big.Rat
		effort      exact.Effort
	}{
		{"gaussian", `{"class_name":"GaussianDpEvent","noise_multiplier":2}`, big.NewRat(3, 2), 0},
		{"response^200", `{"class_name":"SelfComposedDpEvent","count":200,"event":{"class_name":"EpsilonDeltaDpEvent","epsilon":"0.1","delta":"1e-9"}}`, big.NewRat(3, 1), 0},
		{"sgd^65536", `{"class_name":"SelfComposedDpEvent","count":65536,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.01","event":{"class_name":"GaussianDpEvent","noise_multiplier":4}}}`, big.NewRat(1, 1), 1},
		{"laplace^30", `{"class_name":"SelfComposedDpEvent","count":30,"event":{"class_name":"LaplaceDpEvent","noise_multiplier":10}}`, big.NewRat(1, 1), 0},
	} {
		e, err := mechanism.DecodeEvent([]byte(c.event))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name+"/float", func(b *testing.B) {
			p, err := float.Prepare(b.Context(), float.Question{Event: e, Direction: mechanism.Remove})
			if err != nil {
				b.Fatal(err)
			}
			_, _ = p.Delta(b.Context(), c.eps) // grids are built once
			for b.Loop() {
				_, _ = p.Delta(b.Context(), c.eps)
			}
		})
		b.Run(c.name+"/exact", func(b *testing.B) {
			p, err := exact.Prepare(context.Background(), exact.Question{Event: e, Direction: mechanism.Remove, Scale: big.NewRat(1, 100000)}, c.effort)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := p.Delta(context.Background(), c.eps); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
