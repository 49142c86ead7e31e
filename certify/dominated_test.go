// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// pldFile is a serialised distribution with one mass.
func pldFile(key int32, interval, mass, infinite float64) []byte {
	double := func(b []byte, num protowire.Number, x float64) []byte {
		return protowire.AppendFixed64(protowire.AppendTag(b, num, protowire.Fixed64Type), math.Float64bits(x))
	}
	pmf := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(int64(key)))
	pmf = double(double(double(pmf, 2, mass), 3, infinite), 4, interval)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), pmf)
}

// A claim {pld} about pure ε-DP, whose profile is below the profile of one mass at the loss ε.
func TestDominationClaims(t *testing.T) {
	files := map[string][]byte{
		"above.pb": pldFile(11, 0.1, 1, 0),
		"below.pb": pldFile(9, 0.1, 1, 0),
		"short.pb": pldFile(11, 0.1, 0.25, 0), // three quarters are missing
		"inf.pb":   pldFile(0, 0.1, 0, 1),
		"bad.pb":   []byte("no protocol buffer"),
	}
	open := func(path string) (io.ReadCloser, error) {
		if data, ok := files[path]; ok {
			return io.NopCloser(bytes.NewReader(data)), nil
		}
		return nil, errors.New("no such file")
	}
	for file, want := range map[string]Verdict{
		"above.pb": Verified, "below.pb": Refuted, "short.pb": Malformed, "inf.pb": Verified, "bad.pb": Malformed, "none.pb": Malformed,
	} {
		claims, err := Parse("x.yaml", []byte(`{version: 1, claims: [{id: a, event: {class_name: EpsilonDeltaDpEvent, epsilon: 1, delta: 0}, claim: {pld: `+file+`}}]}`), open)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Decide(t.Context(), claims[0], Options{})
		if err != nil || o.Verdict != want {
			t.Errorf("%s: %s (%s, %v), %v, want %s", file, o.Verdict, o.Reason, o.Err, err, want)
			continue
		}
		if r := NewReport([]*Outcome{o}).Claims[0]; want == Refuted && (r.Domination == nil || !strings.Contains(strings.Join(r.Notes, " "), "too little by at least ")) {
			t.Errorf("%s: %+v", file, r)
		}
	}
}
