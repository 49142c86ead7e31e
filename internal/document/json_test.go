// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, src string, opts ...Option) *Node {
	t.Helper()
	n, err := ParseJSON([]byte(src), opts...)
	if err != nil {
		t.Fatalf("ParseJSON(%q): %v", src, err)
	}
	return n
}

func TestParseJSONKeepsSourceTextAndPositions(t *testing.T) {
	src := "{\n  \"a\": [1.50, -0e+07,\n    null],\n  \"é\": {\"x\": true}, \"s\": \"0.1\\n\"\n}\n"
	want := &Node{Kind: Mapping, Line: 1, Column: 1, Entries: []Entry{
		{Key: "a", Line: 2, Value: &Node{Kind: Sequence, Line: 2, Column: 8, Items: []*Node{
			{Kind: Number, Text: "1.50", Line: 2, Column: 9},
			{Kind: Number, Text: "-0e+07", Line: 2, Column: 15},
			{Kind: Null, Text: "null", Line: 3, Column: 5},
		}}},
		{Key: "é", Line: 4, Value: &Node{Kind: Mapping, Line: 4, Column: 8, Entries: []Entry{
			{Key: "x", Line: 4, Value: &Node{Kind: Bool, Text: "true", Line: 4, Column: 14}},
		}}},
		{Key: "s", Line: 4, Value: &Node{Kind: String, Text: "0.1\n", Line: 4, Column: 26}},
	}}
	if diff := cmp.Diff(want, mustParse(t, src)); diff != "" {
		t.Errorf("tree differs (-want +got):\n%s", diff)
	}
}

func TestParseJSONErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", "", "line 1, column 1: unexpected end of the document"},
		{"blank", " \n ", "line 2, column 2: unexpected end of the document"},
		{"open list", "[1,\n2", "line 2, column 2: unexpected end of the document"},
		{"open string", `{"a": "b`, "line 1, column 9: unexpected end of the document"},
		{"duplicate key", "{\"a\": 1,\n \"a\": 2}", `line 2, column 2: duplicate key "a"`},
		{"duplicate key, escaped", `{"a": 1, "\u0061": 2}`, `line 1, column 10: duplicate key "a"`},
		{"long duplicate key", `{"` + strings.Repeat("k", 99) + `":1,"` + strings.Repeat("k", 99) + `":2}`,
			`line 1, column 106: duplicate key "` + strings.Repeat("k", 60) + `…"`},
		{"trailing value", "1 2", "line 1, column 3: unexpected data after the document"},
		{"trailing garbage", "{}\n}", "line 2, column 1: unexpected data after the document"},
		{"trailing comma", "[1,]", "line 1, column 4: invalid character ']'"},
		{"leading comma", "[ ,1]", "line 1, column 3: invalid character ','"},
		{"two commas", "[1,,2]", "line 1, column 4: invalid character ','"},
		{"no colon", `{"a" 1}`, "line 1, column 6: invalid character '1'"},
		{"no value", `{"a":}`, "line 1, column 6: invalid character '}'"},
		{"number as key", `{1: 2}`, "line 1, column 2: invalid character '1'"},
		{"NaN", "[0, NaN]", "line 1, column 5: NaN is not a JSON number"},
		{"Infinity", `{"a": Infinity}`, "line 1, column 7: Infinity is not a JSON number"},
		{"negative Infinity", "\n-Infinity", "line 2, column 1: -Infinity is not a JSON number"},
		{"leading zero", "[01]", "line 1, column 3: invalid character '1'"},
		{"bare fraction", "[.5]", "line 1, column 2: invalid character '.'"},
		{"comment", "// no\n1", "line 1, column 1: invalid character '/'"},
		{"a digit of Arabic", "[\u0661]", "line 1, column 2: invalid character '\u0661' looking for beginning of value"},
		{"byte order mark", "\ufeff[1]", "line 1, column 1: a byte order mark, want UTF-8 without one"},
		{"invalid UTF-8", "[\"ab\xff\"]", "line 1, column 5: invalid UTF-8"},
		{"unpaired surrogate", `["\ud800x"]`, "line 1, column 2: unpaired surrogate in a string"},
		{"swapped surrogates", `["\udc00\ud800"]`, "line 1, column 2: unpaired surrogate in a string"},
		{"unpaired surrogate in a key", `{"\ud800": 1}`, "line 1, column 2: unpaired surrogate in a string"},
		{"too deep", strings.Repeat("[", 201), "line 1, column 201: nested deeper than 200 levels"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n, err := ParseJSON([]byte(test.src))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("got %v, %v, want a *SyntaxError", n, err)
			}
			if !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		})
	}
}

func TestParseJSONOptions(t *testing.T) {
	if n := mustParse(t, "{\n\"a\": 1}", FirstLine(17)); n.Line != 17 || n.Get("a").Line != 18 {
		t.Errorf("lines %d and %d, want 17 and 18", n.Line, n.Get("a").Line)
	}
	deepest := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	mustParse(t, deepest)
	if _, err := ParseJSON([]byte("[" + deepest + "]")); err == nil {
		t.Errorf("depth %d accepted", MaxDepth+1)
	}
}

func TestParseJSONAcceptsSurrogatePairs(t *testing.T) {
	if n := mustParse(t, `"\\ud800 \ud83d\ude00 \u00e9"`); n.Text != `\ud800 😀 é` {
		t.Errorf("got %q", n.Text)
	}
}

// A parser that is quadratic in the number of lines or items takes minutes here.
func TestParseJSONLongInput(t *testing.T) {
	const items = 300_000
	n := mustParse(t, "["+strings.Repeat("1,\n", items)+"1]")
	if len(n.Items) != items+1 || n.Items[items].Line != items+1 {
		t.Errorf("%d items, the last on line %d", len(n.Items), n.Items[items].Line)
	}
}

func TestGet(t *testing.T) {
	n := mustParse(t, `{"a": 1, "b": null}`)
	if n.Get("a").Text != "1" || n.Get("b").Kind != Null || n.Get("c") != nil {
		t.Error("Get finds the wrong entries")
	}
	if (*Node)(nil).Get("a") != nil || n.Get("a").Get("x") != nil {
		t.Error("Get finds entries where there is no mapping")
	}
}

func TestNodeJSON(t *testing.T) {
	for src, want := range map[string]string{
		`{ "b": [1.50, null, true, false], "a": "<\n\ud83d\ude00>", "e": {} }`: `{"b":[1.50,null,true,false],"a":"<\n😀>","e":{}}`,
		`[ ]`: `[]`,
	} {
		if got := string(mustParse(t, src).JSON()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	// What only YAML can spell as a number.
	for _, text := range []string{".5", "+1", ".inf", "1_000", "", "null"} {
		if got, want := string((&Node{Kind: Number, Text: text}).JSON()), `"`+text+`"`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := string((*Node)(nil).JSON()); got != "null" {
		t.Errorf("nil node: got %s", got)
	}
}

func TestKindString(t *testing.T) {
	seen := map[string]bool{}
	for k := Null; k <= Mapping+1; k++ {
		seen[k.String()] = true
	}
	if len(seen) != int(Mapping)+2 {
		t.Errorf("%d names: %v", len(seen), seen)
	}
}

// FuzzParseJSON: what ParseJSON accepts is valid JSON that encoding/json reads
// the same way, and writing the tree and reading it again changes nothing.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a": [1, 2.5e-7, "x\u00e9\ud83d\ude00", null, true], "b": {}}`, `[,]`, `{"a":1,"a":2}`, `[1,]`, `"\ud800"`,
		"[\"\xff\"]", "NaN", "[-Infinity", "1 2", "\ufeff1", `{"a"`, `[[[[[]]]]]`, "\n\n 0", "-", `"\`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := ParseJSON(data)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 {
				t.Fatalf("error without a position: %#v", err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("accepted invalid JSON %q", data)
		}
		again, err := ParseJSON(n.JSON())
		if err != nil {
			t.Fatalf("%q does not parse: %v", n.JSON(), err)
		}
		if diff := cmp.Diff(n, again, cmp.FilterPath(isPosition, cmp.Ignore())); diff != "" {
			t.Fatalf("tree changed (-first +again):\n%s", diff)
		}
		var first, second any
		if json.Unmarshal(data, &first) == nil && json.Unmarshal(n.JSON(), &second) == nil && !cmp.Equal(first, second) {
			t.Fatalf("%q and %q read differently", data, n.JSON())
		}
	})
}

func isPosition(p cmp.Path) bool {
	name := p.Last().String()
	return name == ".Line" || name == ".Column"
}
