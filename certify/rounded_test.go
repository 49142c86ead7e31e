// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestRoundedClaims: a claim about probabilities that are known up to rounding is about all
// that the lists may stand for, says so, and has no certificate.
func TestRoundedClaims(t *testing.T) {
	for _, test := range []struct {
		delta string
		want  Verdict
	}{{"0.5999999999", Refuted}, {"0.6", Undecided}, {"0.6000000001", Verified}} {
		source := fmt.Sprintf(`{"version": 1, "claims": [{"id": "a", "number_format": "binary64", "claim": {"epsilon": 0, "delta": %s},
			"event": {"class_name": "FinitePairEvent", "p": [0.7, 0.2, 0.1], "q": [0.1, 0.2, 0.7]}}]}`, test.delta)
		cs, err := Parse("claims.json", []byte(source), nil)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Decide(context.Background(), cs[0], Options{})
		if err != nil || o.Err != nil {
			t.Fatal(err, o.Err)
		}
		if o.Verdict != test.want {
			t.Errorf("δ ≤ %s: %s (%s), want %s", test.delta, o.Verdict, o.Reason, test.want)
		}
		if notes := strings.Join(o.Notes, "; "); !strings.Contains(notes, "event.p, event.q sum to 1 up to rounding only") || !strings.Contains(notes, roundedNote) {
			t.Errorf("δ ≤ %s: notes %q", test.delta, notes)
		}
		if o.Repeatable() {
			t.Errorf("δ ≤ %s: a certificate may repeat it", test.delta)
		}
	}
}
