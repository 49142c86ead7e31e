// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"math/big"
	"testing"

	"dpverify/internal/document"
)

// mapping is a document of one mapping.
func mapping(t *testing.T, text string) *document.Node {
	t.Helper()
	n, err := document.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestScans: a scan goes along every scale in steps of a seventh, and hits every decade; so it meets all values from x
// to 6x/5.
func TestScans(t *testing.T) {
	for _, field := range []string{"noise_multiplier", "noise_parameter", "sampling_probability", "epsilon", "count", "sample_size"} {
		for _, digits := range []int{1, 2, 4, 12} {
			s, _ := scaleOf(field, mapping(t, `{"source_dataset_size": 100000}`), digits)
			steps := 0
			for i := int64(0); ; steps++ {
				next := s.after(i)
				if next >= s.size {
					break
				}
				ratio, _ := new(big.Rat).Quo(s.at(i), s.at(next)).Float64()
				if next <= i || digits > 1 && s.digits > 0 && (ratio < 5./6 || ratio > 6./5) {
					t.Fatalf("%s: %v and then %v", field, s.at(i), s.at(next))
				}
				i = next
			}
			if steps > 400 {
				t.Errorf("%s, %d digits: %d steps", field, digits, steps)
			}
		}
	}
}

// Every scale is strictly monotone, begins and ends where it should, and no value has more
// digits than were asked for.
func TestScales(t *testing.T) {
	for _, c := range []struct {
		field, first, second, last string // of two digits
	}{
		{"noise_multiplier", "10000000", "9900000", "1.1e-5"},
		{"standard_deviation", "10000000", "9900000", "1.1e-5"},
		{"sampling_probability", "1e-9", "1.1e-9", "1.0"},
		{"sigma", "10000000", "9900000", "1.1e-5"},
		{"scale", "10000000", "9900000", "1.1e-5"},
		{"epsilon", "1e-9", "1.1e-9", "990000"},
		{"rho", "1e-9", "1.1e-9", "990000"},
		{"noise_parameter", "1e-7", "1.1e-7", "99000"},
		{"sample_size", "1", "2", "7"},
		{"count", "1", "2", ""},
	} {
		s, ok := scaleOf(c.field, mapping(t, `{"source_dataset_size": 7}`), 2)
		if !ok {
			t.Errorf("%s has no scale", c.field)
			continue
		}
		for i := range min(s.size, 2000) - 1 {
			if s.at(i).Cmp(s.at(i+1)) < 0 != (s.course == rising) {
				t.Fatalf("%s: %v and then %v", c.field, s.at(i), s.at(i+1))
			}
		}
		texts := []string{s.format(s.at(0)), s.format(s.at(1)), s.format(s.at(s.size - 1))}
		for i, want := range []string{c.first, c.second, c.last} {
			if want != "" && texts[i] != want {
				t.Errorf("%s: %q, want %q", c.field, texts[i], want)
			}
		}
	}
	s, ok := scaleOf("noise_parameter", mapping(t, `{"class_name": "RandomizedResponseDpEvent"}`), 2)
	if first, second := s.format(s.at(0)), s.format(s.at(1)); !ok || first != "1.0" || second != "0.99" || s.course != falling {
		t.Errorf("randomized response: %s and then %s, %v", first, second, ok)
	}
	if _, ok := scaleOf("radius", mapping(t, "{}"), 2); ok {
		t.Error("radius has a scale")
	}
}
