// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package build

import "testing"

// TestHome: a module has an address where its path has a host, and this build is of none with one.
func TestHome(t *testing.T) {
	for path, want := range map[string]string{
		"example.org/dp/dpverify": "https://example.org/dp/dpverify", "dpverify": "", "std/a.b": "", "": "",
	} {
		if got := home(path); got != want {
			t.Errorf("home(%q) = %q, want %q", path, got, want)
		}
	}
}
