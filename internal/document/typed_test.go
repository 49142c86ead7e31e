// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"encoding/json"
	"strings"
	"testing"
)

type written struct {
	Name   string          `json:"name"`
	Line   int             `json:"line"`
	Bits   uint            `json:"bits,omitempty"`
	Ok     bool            `json:"ok"`
	Expect *string         `json:"expect"`
	Event  json.RawMessage `json:"event"`
	List   []struct {
		Order string `json:"order"`
		ends
	} `json:"list,omitempty"`
}

type ends struct {
	Lo string `json:"lo"`
}

// TestUnmarshalTakesNothingInSilence: what encoding/json reads as a zero, or under another name, is an error that names
// the file, the line, the field, the value and what was wanted.
func TestUnmarshalTakesNothingInSilence(t *testing.T) {
	const good = `{"name":"a","line":1,"ok":true,"expect":null,"event":{"a":[null]},"list":[{"order":"2","lo":"0"}]}`
	var x written
	if err := Unmarshal("x.json", []byte(good), "a report", &x); err != nil || x.List[0].Lo != "0" || x.Line != 1 {
		t.Fatalf("%+v, %v", x, err)
	}
	for _, test := range []struct{ old, new, want string }{
		{`"a"`, `null`, `name = null, want a string`},
		{`"line":1`, `"line":null`, `line = null, want an integer`},
		{`"line":1`, `"line":1.5`, `line = 1.5, want an integer`},
		{`"line":1`, `"line":1e99`, `line = 1e99, want an integer`},
		{`"line":1`, `"line":9223372036854775808`, `line = 9223372036854775808, want an integer`},
		{`"line":1`, `"line":1,"bits":-1`, `bits = -1, want an integer`},
		{`"line":1`, `"line":"1"`, `line = 1, want an integer`},
		{`"line":1,`, ``, `line is missing, want a report`},
		{`"line"`, `"Line"`, `unknown field "Line", want a report`},
		{`"ok":true`, `"ok":null`, `ok = null, want true or false`},
		{`"expect":null`, `"expect":3`, `expect = 3, want a string`},
		{`[{"order"`, `[null,{"order"`, `list[0] = null, want a mapping`},
		{`[{"order":"2","lo":"0"}]`, `null`, `list = null, want a list`},
		{`"lo":"0"`, `"lo":0`, `list[0].lo = 0, want a string`},
		{`,"lo":"0"`, ``, `list[0].lo is missing, want a report`},
		{good, `[]`, `the document = a list of 0, want a report`},
		{good, `null`, `the document = null, want a report`},
	} {
		text := strings.Replace(good, test.old, test.new, 1)
		if err := Unmarshal("x.json", []byte(text), "a report", new(written)); err == nil || err.Error() != "x.json:1: "+test.want {
			t.Errorf("%s: %v, want %s", text, err, test.want)
		}
	}
}
