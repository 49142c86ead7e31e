// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package suggest

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"certify", "check", "gaussian", "discrete_gaussian", "delta", "sigma", "epsilon"}
	for name, want := range map[string]string{
		"certfy": "certify", "delat": "delta", "gauss": "gaussian", "sgma": "sigma", "EPS": "epsilon", "sigma_squared": "sigma", "e": "", "": "",
		"laplace": "", "ga": "", strings.Repeat("g", 65): "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
