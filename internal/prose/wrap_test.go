// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package prose

import (
	"slices"
	"strings"
	"testing"
)

// Prose is broken at blanks, equations and long words stay whole, and no word is lost.
func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"":                       {""},
		"short":                  {"short"},
		"  margin stays":         {"  margin", "  stays"},
		"one two three four":     {"one two", "  three", "  four"},
		"so that αβγ = 12345 ok": {"so that", "  αβγ = 12345", "  ok"},
		"aaaaaaaaaaaaaaaaaaaa b": {"aaaaaaaaaaaaaaaaaaaa", "  b"},
		"δδδδδ εεεε":             {"δδδδδ εεεε"},
	} {
		got := Wrap(text, 10, "  ")
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if a, b := strings.Fields(strings.Join(got, " ")), strings.Fields(text); !slices.Equal(a, b) {
			t.Errorf("%q: the words are %q", text, a)
		}
	}
}
