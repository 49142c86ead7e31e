// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"testing"
)

func TestParseReply(t *testing.T) {
	for _, test := range []struct {
		line string
		ok   bool
		kind Kind
		up   string
	}{
		{`{"id":"a","upper":1.5}`, true, Answered, "1.5"},
		{`{"id":"a","upper":"1.5"}`, true, Answered, "1.5"},
		{`{"id": "a", "upper": Infinity}`, true, Answered, "inf"},
		{`{"id":"a","upper":-Infinity, "value":3}`, true, Answered, "-inf"},
		{`{"id":"a","upper":inf}`, true, Answered, "inf"},
		{`{"id":"a","upper":"Inf"}`, true, Answered, "inf"},
		{`{"id":"a","upper":NaN}`, true, Invalid, ""},
		{`{"id":"a","upper":"nan"}`, true, Invalid, ""},
		{`{"id":"a","upper":[1]}`, true, Invalid, ""},
		{`{"id":"a","upper":null}`, true, Invalid, ""},
		{`{"id":"a","error":"NaN: \"inf\" is not, nan"}`, true, Refused, ""},
		{`{"id":"a","error":null,"upper":2}`, true, Answered, "2"},
		{`{"id":"b","upper":2}`, false, "", ""},
		{`{"upper":2}`, false, "", ""},
		{`{"id":["a"],"upper":2}`, false, "", ""},
		{``, false, "", ""},
		{`{"id":"a","upper":2`, true, Invalid, ""},
		{`{"id":"a","upper":2,"upper":3}`, true, Invalid, ""},
		{`{"id": "a", "id": "a", "upper":2}`, true, Invalid, ""},
		{` {"upper":.5, "id" : "a"}`, true, Invalid, ""},
		{`{"id":"b","upper":2,"upper":3}`, false, "", ""},
		{`{"id":"ab","upper":2,"upper":3}`, false, "", ""},
		{`asked {"id":"a","upper":2`, false, "", ""},
		{`{"id":"a","error":"","upper":2}`, true, Answered, "2"},
		{`{"id":"a","error":false,"upper":2}`, true, Answered, "2"},
		{`{"id":"a","error":""}`, true, Invalid, ""},
		{`{"id":"a","error":"no","upper":2}`, true, Invalid, ""},
		{`{"id":"a","error":"no","upper":NaN}`, true, Refused, ""},
		{`{"id":"a","error":["no"]}`, true, Refused, ""},
		{`{"id":"a","adapter_error":"KeyError","upper":2}`, true, Mistaken, ""},
		{`Infinity`, false, "", ""},
	} {
		r, ok := parseReply([]byte(test.line), "a")
		if ok != test.ok || r.Kind != test.kind || r.Upper.String() != test.up {
			t.Errorf("%s: %+v, %v", test.line, r, ok)
		}
	}
}

func FuzzParseReply(f *testing.F) {
	f.Add([]byte(`{"id":"a","upper":NaN,"lower":"-inf","value":1e-5}`))
	f.Add([]byte(`{"id":"a","error":"x\\\"inf"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, ok := parseReply(line, "a")
		if ok && r.Kind == Answered && r.Lower == nil && r.Upper == nil && r.Value == nil {
			t.Errorf("%q is an answer without a number", line)
		}
	})
}
