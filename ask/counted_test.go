// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"testing"

	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// TestOtherwiseIsKnown: a number for another count of steps is named where both are known in the digits of a quote, and
// only the count where they differ by what the bounds lose.
func TestOtherwiseIsKnown(t *testing.T) {
	delta, _ := number.Parse("1e-5")
	for _, c := range []struct{ text, want string }{
		{"sgd(sigma=1.1, batch=256, n=60000, epochs=2.5)", "with count=ceil, 588 steps, the number to quote of ε(1e-5) is 0.72855"},
		{"sgd(sigma=1.1, batch=256, n=60000, epochs=2.5, sampling=truncated(300))", "with count=ceil, 588 steps"}, // [0.72, 29], or narrower
	} {
		read, err := mechanism.Decoder{}.EventRange(&document.Node{Kind: document.String, Text: c.text, Line: 1}, "event")
		if err != nil {
			t.Fatal(err)
		}
		q, qs := exact.Question{Relation: mechanism.ReplaceOne}, []Quantity{Epsilon(delta)}
		g := Goal{Digits: 4}
		answers, err := Range(t.Context(), q, read, g, qs...)
		if err != nil {
			t.Fatal(err)
		}
		got := Otherwise(t.Context(), q, read, g, "epsilon", []string{"1e-5"}, qs, answers)
		if read.Recounted == nil || got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}
