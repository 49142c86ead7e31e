// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"dpverify/mechanism"
)

// TestEveryClassIsCompared: every class has a case in which the engines agree, and the case is about it.
func TestEveryClassIsCompared(t *testing.T) {
	found, err := Classes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range mechanism.ClassNames() {
		v, compared := found[name]
		if compared == slices.Contains(inFiles, name) {
			t.Errorf("%s: compared: %v", name, compared)
		}
		if compared && v != Proved {
			t.Errorf("%s: %v", name, v)
		}
	}
	for _, c := range classCases {
		if !strings.HasPrefix(strings.TrimPrefix(c.event, `{"class_name":`), `"`+c.class+`"`) {
			t.Errorf("%s: the event is %s", c.class, c.event)
		}
	}
	if cases := allCases(); len(found) != len(cases) || len(found) != len(mechanism.ClassNames())-len(inFiles) {
		t.Errorf("%d cases of %d classes, %d of them in files", len(cases), len(found), len(inFiles))
	}
	for i, c := range classCases {
		if slices.ContainsFunc(classCases[:i], func(d classCase) bool { return c.class == d.class }) || !slices.Contains(mechanism.ClassNames(), c.class) {
			t.Errorf("%s is listed twice, or is no class", c.class)
		}
	}
}

// TestWrongClassIsFound: an answer that is not that of the other event is a disagreement, and so is a bound below a
// mechanism.
func TestWrongClassIsFound(t *testing.T) {
	for _, c := range []classCase{
		{class: "GaussianDpEvent", eps: tenth, event: gauss2, other: laplace2},
		{class: "GaussianDpEvent", eps: tenth, event: laplace2, other: `{"class_name":"LaplaceDpEvent","noise_multiplier":1}`, atMost: true},
	} {
		v, err := c.compare(t.Context())
		if violation := new(ClassViolation); v != Refuted || !errors.As(err, &violation) || !IsDisagreement(err) || !strings.Contains(err.Error(), "by the exact engine") {
			t.Errorf("%v, %v", v, err)
		}
	}
	below := classCase{class: "LaplaceDpEvent", eps: tenth, event: laplace2, other: `{"class_name":"LaplaceDpEvent","noise_multiplier":3}`, atMost: true}
	if v, err := below.compare(t.Context()); v != Proved || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}
