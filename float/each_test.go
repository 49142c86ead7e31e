// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package float

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand"
	"strings"
	"testing"
	"time"

	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func finitePair(p, q string) string {
	return `{"module_name":"dpverify","class_name":"FinitePairEvent","p":` + p + `,"q":` + q + `}`
}

func poisson(rate, e string) string {
	return `{"class_name":"PoissonSampledDpEvent","sampling_probability":` + rate + `,"event":` + e + `}`
}

func noise(class, multiplier string) string {
	return `{"class_name":"` + class + `","noise_multiplier":` + multiplier + `}`
}

func composed(events ...string) string {
	return `{"class_name":"ComposedDpEvent","events":[` + strings.Join(events, ",") + `]}`
}

// degenerate are questions about products with one finite loss, or a loss that a tilt takes out
// of range.
func degenerate() []struct {
	event    string
	relation mechanism.Relation
	dir      mechanism.Direction
	eps      string
} {
	thirds := times("50", finitePair(`["1/3","1/3","1/3"]`, `["0","1/2","1/2"]`))
	return []struct {
		event    string
		relation mechanism.Relation
		dir      mechanism.Direction
		eps      string
	}{
		{thirds, mechanism.ReplaceSpecial, mechanism.Both, "4.11112"},
		{thirds, mechanism.ReplaceSpecial, mechanism.Both, "46.7385"},
		{times("100000", finitePair(`["0","1"]`, `["528/529","1/529"]`)), mechanism.AddOrRemoveOne, mechanism.Add, "0"},
		{composed(times("1000", poisson("0.183", noise("GaussianDpEvent", "4.56"))),
			times("1000", finitePair(`["963614/963615","0","1/963615"]`, `["984506/1776483","791976/1776483","1/1776483"]`))),
			mechanism.AddOrRemoveOne, mechanism.Add, "-2.53459"},
	}
}

// TestEachOfDegenerateLosses: such a product has a value by every method and none of them
// panics.
func TestEachOfDegenerateLosses(t *testing.T) {
	for i, c := range degenerate() {
		if i%2 > 0 && !testkit.Long() {
			continue
		}
		p, err := Prepare(t.Context(), Question{Event: event(t, c.event), Relation: c.relation, Direction: c.dir})
		if err != nil {
			t.Fatal(err)
		}
		eps, _ := new(big.Rat).SetString(c.eps)
		answers, err := p.Each(t.Context(), eps)
		if err != nil || len(answers) == 0 {
			t.Errorf("%s at %s: %d answers, %v", c.event, c.eps, len(answers), err)
		}
		for _, a := range answers {
			if math.IsNaN(a.V) || math.IsNaN(a.Err) {
				t.Errorf("%s at %s: %s says %v", c.event, c.eps, a.Method, a.Value)
			}
		}
	}
}

// TestDeadline: Prepare, Delta and Each end with their context, soon after it.
func TestDeadline(t *testing.T) {
	const deadline, late = 50 * time.Millisecond, 20 * time.Second
	events := []string{
		composed(times("50", noise("LaplaceDpEvent", "0.0193")), times("5", poisson("0.239", noise("LaplaceDpEvent", "0.12")))),
		composed(times("1000", finitePair(`["0.3","0.7"]`, `["0.6","0.4"]`)), times("900", finitePair(`["0.31","0.69"]`, `["0.61","0.39"]`)),
			times("800", finitePair(`["0.32","0.68"]`, `["0.62","0.38"]`)), noise("LaplaceDpEvent", "2")),
	}
	r := rand.New(rand.NewSource(1))
	for range 4 {
		var factors []string
		for range 2 + r.Intn(5) {
			x := big.NewRat(1+r.Int63n(2000), 500).RatString()
			f := noise([]string{"LaplaceDpEvent", "GaussianDpEvent"}[r.Intn(2)], `"`+x+`"`)
			if r.Intn(2) == 0 {
				f = poisson(`"`+big.NewRat(1+r.Int63n(500), 1000).RatString()+`"`, f)
			}
			factors = append(factors, times(big.NewRat(1+r.Int63n(5000), 1).RatString(), f))
		}
		events = append(events, composed(factors...))
	}
	for _, text := range events {
		e := event(t, text)
		for name, ask := range map[string]func(context.Context, *Profile) error{
			"Delta": func(ctx context.Context, p *Profile) error { _, err := p.Delta(ctx, big.NewRat(1, 3)); return err },
			"Each":  func(ctx context.Context, p *Profile) error { _, err := p.Each(ctx, big.NewRat(100, 1)); return err },
		} {
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			start := time.Now()
			p, err := Prepare(ctx, Question{Event: e})
			if err == nil {
				err = ask(ctx, p)
			}
			cancel()
			if took := time.Since(start); took > deadline+late {
				t.Errorf("%s of %s took %v, %v", name, text, took, err)
			}
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s of %s: %v", name, text, err)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	p, err := Prepare(ended, Question{Event: event(t, events[0])})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if a, err := p.Delta(ended, big.NewRat(1, 1)); err == nil || a.V-a.Err > 0 || a.V+a.Err < 1 {
		t.Errorf("after the end of the context: %v, %v", a, err)
	}
	if _, err := Prepare(ended, Question{Event: event(t, events[0])}); !errors.Is(err, context.Canceled) {
		t.Errorf("prepared after the end of the context: %v", err)
	}
}
