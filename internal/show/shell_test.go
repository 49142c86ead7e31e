// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package show

import (
	"os/exec"
	"testing"
)

// TestShell: a shell reads back what was written.
func TestShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell here to read the words that are quoted for it")
	}
	for _, s := range []string{"", "a.yaml", "a b", "it's", `"$HOME"`, "`ls`", "~", "*", "-o", "a\nb", "ε;#&|<>()\\"} {
		got, err := exec.Command(sh, "-c", "printf %s "+Shell(s)).Output()
		if err != nil || string(got) != s {
			t.Errorf("%q is written %s and read %q, %v", s, Shell(s), got, err)
		}
	}
	if got := Shell("release/2024-05.yaml"); got != "release/2024-05.yaml" {
		t.Errorf("a plain name becomes %s", got)
	}
}
