// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dpverify/certify/decimal"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
)

func TestReportJSON(t *testing.T) {
	cs := parse(t, `version: 1
claims:
  - {id: a, event: {class_name: LaplaceDpEvent, noise_multiplier: 2}, claim: {epsilon: 0.5, delta: 0}, derivation: pld, expect: verified}
  - {id: b, direction: up}
`)
	outs := decideAll(t, cs)
	got, err := NewReport(outs).JSON()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "version": 1,
  "claims": [
    {
      "id": "a",
      "file": "c.yaml",
      "line": 3,
      "verdict": "verified",
      "expect": "verified",
      "as_expected": true,
      "claim_sha256": "166ff7cd5a5c615c55b3f0526a5c523e747db17df351220230c4bd76cd00b14d",
      "asides_sha256": "7172f0bff6f95c33d664b205564b58082420cffe2e6347581832cd4dc0b1c06a",
      "delta": {
        "lo": "0",
        "hi": "0"
      },
      "epsilon": {
        "lo": "0.5",
        "hi": "0.5"
      },
      "methods": [
        "laplace"
      ],
      "effort": 0,
      "derivation": {
        "name": "pld",
        "status": "modelled",
        "lo": "0.5",
        "hi": "0.5",
        "implies": true,
        "reproduces": true,
        "rounding": "exact",
        "digits": 1,
        "note": "the value is the least ε; another library's discretisation is not modelled"
      }
    },
    {
      "id": "b",
      "file": "c.yaml",
      "line": 4,
      "verdict": "malformed",
      "expect": null,
      "as_expected": false,
      "claim_sha256": "466974805ff17e3a19c265a1f1648ef21535cc59b0e55dadcd96736c0c570bb1",
      "delta": null,
      "epsilon": null,
      "methods": [],
      "effort": 0,
      "derivation": null,
      "error": "c.yaml:4: claim b: direction = \"up\", want remove, add or both\nc.yaml:4: claim b: claim is missing, want {epsilon: …, delta: …}, {rho: …}, {renyi: …}, {pld: …}, {mu: …} or {quantity: …}\nc.yaml:4: claim b: event is missing, want an event with a class_name"
    }
  ]
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("report differs (-want +got):\n%s", diff)
	}
}

func TestReportIsNotEscaped(t *testing.T) {
	b, err := Report{Claims: []ClaimReport{{Error: "a < b & c"}}}.JSON()
	if err != nil || !strings.Contains(string(b), "a < b & c") {
		t.Errorf("%s, %v", b, err)
	}
	if !json.Valid(b) {
		t.Error("not JSON")
	}
}

// The printed ends still separate from the claimed value, however close it is.
func TestSeparatingDecimalSeparates(t *testing.T) {
	const p = interval.Prec(400)
	third := exact.Enclosure{Interval: p.Rat(big.NewRat(1, 3))}
	for k := 1; k < 100; k += 7 {
		gap := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil))
		for _, r := range []*big.Rat{
			new(big.Rat).Add(big.NewRat(1, 3), gap),
			new(big.Rat).Sub(big.NewRat(1, 3), gap),
		} {
			lo, hi := decimal.Separating(third, r, 5)
			l, err1 := number.Parse(lo)
			h, err2 := number.Parse(hi)
			if err1 != nil || err2 != nil {
				t.Fatal(lo, hi)
			}
			if l.Cmp(big.NewRat(1, 3)) > 0 || h.Cmp(big.NewRat(1, 3)) < 0 {
				t.Errorf("[%s, %s] does not contain 1/3", lo, hi)
			}
			if l.Cmp(r) <= 0 && r.Cmp(h) <= 0 {
				t.Errorf("[%s, %s] contains 1/3 ± 1e-%d", lo, hi, k)
			}
		}
	}
	if lo, hi := decimal.Separating(third, big.NewRat(1, 3), 5); lo != "0.33333" || hi != "0.33334" {
		t.Errorf("[%s, %s]", lo, hi)
	}
	inf := new(big.Float).SetInf(false)
	never := exact.Enclosure{Interval: interval.Bounds(inf, inf)}
	if lo, hi := decimal.Separating(never, big.NewRat(1, 3), 5); lo != "inf" || hi != "inf" {
		t.Errorf("[%s, %s]", lo, hi)
	}
}

// TestReadReportIsChecked: a report that this program would not write is an error that names the file, the claim, the
// field, its value and what was wanted.
func TestReadReportIsChecked(t *testing.T) {
	cs := parse(t, `version: 1
claims:
  - {id: a, event: {class_name: LaplaceDpEvent, noise_multiplier: 2}, claim: {epsilon: 0.5, delta: 0}, derivation: pld, expect: verified}
  - {id: b, event: {class_name: LaplaceDpEvent, noise_multiplier: 2}, claim: {epsilon: 0.4, delta: 0}}
  - {id: c, direction: up}
`)
	outs := decideAll(t, cs)
	want := NewReport(outs)
	data, err := want.JSON()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadReport("r.json", data)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("%v, %s", err, diff)
	}
	for _, test := range []struct{ old, new, want string }{
		{`"id": "a"`, `"id": null`, `r.json:5: claims[0].id = null, want a string`},
		{`"line": 3`, `"line": -1`, `r.json: claims[0].line = -1, want an integer >= 0`},
		{`"line": 3`, `"line": null`, `r.json:7: claims[0].line = null, want an integer`},
		{`"verdict": "refuted"`, `"verdict": "true"`, `r.json: claims[1].verdict = "true", want ` + wantVerdict},
		{`"expect": "verified"`, `"expect": ""`, `r.json: claims[0].expect = "", want ` + wantVerdict + `, or null`},
		{`"verdict": "refuted"`, `"verdict": "verified"`, `r.json: claims[1].as_expected = false, want true of the verdict verified`},
		{`"as_expected": true`, `"as_expected": false`, `r.json: claims[0].as_expected = false, want true of the verdict verified`},
		{`"claim_sha256": "`, `"claim_sha256": "0`, `r.json: claims[0].claim_sha256 = `},
		{`"effort": 0`, `"effort": 9`, `r.json: claims[0].effort = 9, want an integer in [0, 8]`},
		{`"hi": "0"`, `"hi": "many"`, `r.json: claims[0].delta.hi = "many", want a number or inf`},
		{`"lo": "0"`, `"lo": "1"`, `r.json: claims[0].delta = [1, 0], want lo <= hi`},
		{`"lo": "0.5",
        "hi": "0.5",
        "implies"`, `"lo": "0.6", "hi": "0.5", "implies"`, `r.json: claims[0].derivation = [0.6, 0.5], want lo <= hi`},
		{`"version": 1`, `"version": 2`, `r.json: version = 2, want the JSON output of verify certify, version 1`},
		{string(data), `{"version": 1, "claims": null}`, `r.json:1: claims = null, want a list`},
		{string(data), `{"version": 1, "claims": [null]}`, `r.json:1: claims[0] = null, want a mapping`},
	} {
		edited := strings.Replace(string(data), test.old, test.new, 1)
		if _, err := ReadReport("r.json", []byte(edited)); err == nil || edited == string(data) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.new, err, test.want)
		}
	}
}
