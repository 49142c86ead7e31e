// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"io"
	"strings"
	"testing"
)

// Whatever a claim says, in any of its forms, is in its fingerprint, and nothing else is.
func TestFingerprint(t *testing.T) {
	file := "bin,count\n0,1\n1,2\n"
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(file)), nil }
	print := func(claim string) string {
		t.Helper()
		cs, err := Parse("c.yaml", []byte("version: 1\nclaims: [{"+claim+"}]"), open)
		if err != nil {
			t.Fatal(err)
		}
		return cs[0].Fingerprint
	}
	const (
		gauss = "event: {class_name: GaussianDpEvent, noise_multiplier: 1}"
		base  = "id: a, " + gauss + ", claim: {rho: 0.5}"
	)
	for _, same := range []string{
		"claim: {rho: 0.5}, id: b, " + gauss,
		base + ", note: n, source: s, expect: refuted, derivation: basic, orders: [2]",
		`id: a, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 1}, "claim": {"rho": 0.5}`,
	} {
		if print(same) != print(base) {
			t.Errorf("another fingerprint: %s", same)
		}
	}
	seen := map[string]string{print(base): base}
	for _, other := range []string{
		"id: a, " + gauss + ", claim: {rho: 0.4}",
		"id: a, " + gauss + ", claim: {epsilon: 0.5, delta: 0.5}",
		"id: a, " + gauss + ", claim: {epsilon: 0.5, delta: 0.4}",
		"id: a, " + gauss + ", claim: {renyi: [[2, 0.5]]}",
		"id: a, " + gauss + ", claim: {renyi: [[3, 0.5]]}",
		"id: a, " + gauss + ", claim: {renyi: [[2, 0.5], [3, 0.5]]}",
		"id: a, " + gauss + ", claim: {pld: x.pb}",
		"id: a, " + gauss + ", claim: {pld: y.pb}",
		"id: a, " + gauss + ", claim: {of: another form}",
		"id: a, " + gauss + ", claim: {rho: -1}",
		"id: a, " + gauss,
		base + ", relation: REPLACE_ONE",
		base + ", direction: add",
		base + ", number_format: binary64",
		base + ", unheard: of",
		strings.Replace(base, "multiplier: 1", "multiplier: 2", 1),
		strings.Replace(base, "multiplier: 1", "multiplier: {lo: 1, hi: 2}", 1),
		strings.Replace(base, "Gaussian", "Laplace", 1),
		"id: a, event: {class_name: HistogramPairEvent, p: p.csv, q: q.csv}, claim: {rho: 0.5}",
		"id: a, event: {class_name: HistogramPairEvent, p: q.csv, q: p.csv}, claim: {rho: 0.5}",
	} {
		p := print(other)
		if first, ok := seen[p]; ok {
			t.Errorf("one fingerprint: %s and %s", first, other)
		}
		seen[p] = other
	}
	for _, named := range []string{"event: {class_name: HistogramPairEvent, p: p.csv, q: q.csv}, claim: {rho: 0.5}", gauss + ", claim: {pld: x.pb}"} {
		file = "bin,count\n0,1\n1,2\n"
		before := print("id: a, " + named)
		if print("id: a, "+named) != before {
			t.Errorf("%s: the fingerprint is not the same twice", named)
		}
		if file = "bin,count\n0,1\n1,3\n"; print("id: a, "+named) == before {
			t.Errorf("%s: the fingerprint does not see the file", named)
		}
	}
}
