// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package show

import (
	"strings"
	"testing"
)

func TestTextsLookAlike(t *testing.T) {
	long := "REPLACE_TWO_RECORDS_OF_SOME_VERY_LONG_NAME_THAT_GOES_ON_AND_ON_AND_ON"
	for _, c := range []struct{ show, s, want string }{
		{"Value", "1/3", "1/3"}, {"Value", "-1e-5", "-1e-5"}, {"Value", "e", `"e"`}, {"Value", "1e", `"1e"`}, {"Value", "--1", `"--1"`}, {"Value", "1\n", `"1\n"`}, {"Value", "", `""`}, {"Value", "one", `"one"`},
		{"Value", "1 ", `"1 "`}, {"Value", "é1234", `"é1234"`}, {"Value", "\x1b[1m", `"\x1b[1m"`},
		{"Value", long, `"REPLACE_TWO_RECORDS_OF_SOME_VERY_LONG_NAME_THAT_GOES_ON_AND_…"`},
		{"Value", strings.Repeat("7", 70), strings.Repeat("7", 60) + "…"},
		{"Quote", "1", `"1"`}, {"Quote", strings.Repeat("é", 61), `"` + strings.Repeat("é", 60) + `…"`}, {"Cut", strings.Repeat("é", 60), strings.Repeat("é", 60)},
		{"Name", long, long}, {"Name", "a b.yaml", "a b.yaml"}, {"Name", "a\nb", `"a\nb"`},
	} {
		got := map[string]func(string) string{"Value": Value, "Quote": Quote, "Cut": Cut, "Name": Name}[c.show](c.s)
		if got != c.want {
			t.Errorf("%s(%q) = %s, want %s", c.show, c.s, got, c.want)
		}
	}
}
