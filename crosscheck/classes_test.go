// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"errors"
	"strings"
	"testing"

	"dpverify/mechanism"
)

// TestEveryClassIsCompared: every class has a case in which the engines agree, and the case is about it.
func TestEveryClassIsCompared(t *testing.T) {
	without := map[string]string{"HistogramPairEvent": "its fields name files"}
	found, err := Classes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range mechanism.ClassNames() {
		v, compared := found[name]
		if compared == (without[name] != "") {
			t.Errorf("%s: compared: %v, and %q is why not", name, compared, without[name])
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
	if len(found) != len(classCases) {
		t.Errorf("%d cases of %d classes", len(classCases), len(found))
	}
}

// TestWrongClassIsFound: an answer that is not that of the other event is a disagreement, and so is a bound below a mechanism.
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
