// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pldfile

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
)

// message builds a serialised distribution.
func message(fields ...[]byte) []byte {
	var pmf []byte
	for _, f := range fields {
		pmf = append(pmf, f...)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), pmf)
}

func minKey(k int32) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(int64(k)))
}

func varint(key uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), key)
}

func repeat(x float64, n int) []float64 { return slices.Repeat([]float64{x}, n) }

func double64(num protowire.Number, x float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, num, protowire.Fixed64Type), math.Float64bits(x))
}

func packed(xs ...float64) []byte {
	var b []byte
	for _, x := range xs {
		b = protowire.AppendFixed64(b, math.Float64bits(x))
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), b)
}

func TestParse(t *testing.T) {
	want := &Distribution{MinKey: -3, Masses: []float64{0.5, 0, 0.25}, Infinite: 0.25, Interval: 0.125}
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 7)
	for name, data := range map[string][]byte{
		"plain":   message(minKey(-3), double64(2, 0.5), double64(2, 0), double64(2, 0.25), double64(3, 0.25), double64(4, 0.125)),
		"packed":  message(minKey(-3), packed(0.5, 0), packed(0.25), double64(3, 0.25), double64(4, 0.125)),
		"unknown": append(message(unknown, minKey(1), minKey(-3), packed(0.5, 0, 0.25), double64(3, 0.25), double64(4, 0.125)), unknown...),
		"parts":   append(message(minKey(-3), packed(0.5, 0)), message(double64(2, 0.25), double64(3, 0.25), double64(4, 0.125))...),
	} {
		got, err := Parse(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
	if d, err := Parse(message(packed(1))); err != nil || d.Interval != 1e-4 || d.MinKey != 0 {
		t.Errorf("defaults: %+v, %v", d, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"empty":          {nil, "pessimistic_pmf is missing"},
		"text":           {[]byte("version: 1\n"), "not a protocol buffer"},
		"cut":            {message(packed(0.5, 0.5))[:9], "not a protocol buffer"},
		"no masses":      {message(minKey(1)), "values is empty"},
		"NaN":            {message(packed(math.NaN())), "values[0] = NaN"},
		"infinite":       {message(packed(math.Inf(1))), "values[0] = +Inf"},
		"infinite mass":  {message(packed(1), double64(3, math.Inf(1))), "infinity_mass"},
		"interval 0":     {message(packed(1), double64(4, 0)), "discretization_interval"},
		"interval NaN":   {message(packed(1), double64(4, math.NaN())), "discretization_interval"},
		"far losses":     {message(packed(1), minKey(math.MaxInt32), double64(4, 1)), "losses beyond"},
		"half a mass":    {message(packed(0.25, 0.25)), "sum to 0.5, want 1"},
		"mass 1000":      {message(packed(1, 0.5), double64(3, 0.5)), "sum to 2, want 1"},
		"both":           {message(minKey(-1000), packed(1), double64(3, 0.5)), "sum to 1.5, want 1"},
		"negative":       {message(packed(-0.5, 1), double64(3, 0.5)), "values[0] = -0.5, want in [0, 1]"},
		"much negative":  {message(packed(append(repeat(-5e-7, 4), 1)...)), "the negative values sum to"},
		"huge":           {message(packed(1e300, -1e300, 1)), "values[0] = 1e+300, want in [0, 1]"},
		"negative inf":   {message(packed(1), double64(3, -0.5)), "infinity_mass = -0.5"},
		"long key":       {message(varint(1<<33-2), packed(1)), "min_key = 8589934590, want in"},
		"low key":        {message(varint(uint64(1<<64-1<<32)), packed(1)), "min_key = -4294967296, want in"},
		"last key":       {message(minKey(math.MaxInt32), packed(0.5, 0.5), double64(4, 1e-9)), "the index of the last of 2 values is 2147483648"},
		"odd packing":    {message(protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), []byte{1, 2, 3})), "multiple of 8"},
		"wrong wire":     {message(double64(1, 3)), "min_key has wire type"},
		"not a message":  {double64(1, 3), "wire type"},
		"values as ints": {message(protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 1)), "values has wire type"},
	} {
		if d, err := Parse(test.data); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %+v, %v, want an error with %q", name, d, err, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(message(minKey(-3), packed(0.5, 0), double64(3, 0.25)))
	f.Add([]byte("\n\x03\x10"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if d, err := Parse(data); err == nil && len(d.Masses) == 0 {
			t.Error("a distribution without masses")
		}
	})
}
