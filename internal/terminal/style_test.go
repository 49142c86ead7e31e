// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import (
	"strings"
	"testing"
)

func TestColours(t *testing.T) {
	if got := (Style{color: true}).Set(Red, "no"); got != "\x1b[31mno\x1b[0m" {
		t.Errorf("coloured: %q", got)
	}
	if got := (Style{}).Set(Red, "no"); got != "no" {
		t.Errorf("plain: %q", got)
	}
	var b strings.Builder
	if NewStyle(&b) != (Style{}) {
		t.Error("colours without a terminal")
	}
}
