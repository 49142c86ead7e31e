// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"io"
	"strings"
	"testing"
)

// TestStrategiesOfFiles: a file has a row for each step, with a number for each step up to it. What is right of the
// diagonal is 0 or left out; nothing else is, as in a file of the bands alone, whose columns mean other steps.
func TestStrategiesOfFiles(t *testing.T) {
	const where = "MatrixMechanismEvent: strategy: c.csv"
	read := func(strategy, text string) (Event, error) {
		d := Decoder{Open: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
		return d.Event(parse(t, `{"class_name": "MatrixMechanismEvent", "strategy": `+strategy+`, "min_separation": 1, `+
			`"noise_multiplier": 1}`), "event")
	}
	want, err := read(`{"entries": [[0, 0, 1], [1, 0, "-1/2"], [1, 1, 1], [2, 2, 2]], "steps": 3}`, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"1\n-1/2,1\n0,0,2\n", "1,0,0\r\n-0.5, 1,0\r\n0,0,2e0", "\ufeff1\n-0.5,1,0,0,0\n0,0,2\n"} {
		if got, err := read(`"c.csv"`, text); err != nil || !Equal(got, want) {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"1\n0.5\n", `c.csv:2: the last is column 1 = 0.5, want a number up to column 2`},
		{"1\n1,0.5\n1,0.5\n", `c.csv:3: the last is column 2 = 0.5, want a number up to column 3`},
		{"1,2\n1,1\n", `c.csv:1: column 2 = 2, want 0: the matrix is lower triangular`},
		{"1\n\n1,1\n", `c.csv:2: column 1 = "", want a number`},
		{"1\n1,NaN\n", `c.csv:2: column 2 = "NaN", want a number`},
		{"", "c.csv: empty, want a row of numbers for each step"},
	} {
		_, err := read(`"c.csv"`, c.text)
		checkErrorText(t, err, strings.Replace(c.want, "c.csv", where, 1))
	}
}
