// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"encoding/json"
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
	for _, c := range classCases() {
		if !strings.HasPrefix(strings.TrimPrefix(string(c.Event), `{"class_name":`), `"`+c.Class+`"`) {
			t.Errorf("%s: the event is %s", c.Class, c.Event)
		}
	}
	if cases := allCases(); len(found) != len(cases) || len(found) != len(mechanism.ClassNames())-len(inFiles) {
		t.Errorf("%d cases of %d classes, %d of them in files", len(cases), len(found), len(inFiles))
	}
	for i, c := range classCases() {
		if slices.ContainsFunc(classCases()[:i], func(d classCase) bool { return c.Class == d.Class }) || !slices.Contains(mechanism.ClassNames(), c.Class) {
			t.Errorf("%s is listed twice, or is no class", c.Class)
		}
	}
}

// TestWrongClassIsFound: an answer that is not that of the other event is a disagreement, and so is a bound below a
// mechanism.
func TestWrongClassIsFound(t *testing.T) {
	gaussian, laplace := json.RawMessage(`{"class_name":"GaussianDpEvent","noise_multiplier":2}`), json.RawMessage(`{"class_name":"LaplaceDpEvent","noise_multiplier":2}`)
	for _, c := range []classCase{
		{Class: "GaussianDpEvent", Eps: "0.1", Event: gaussian, Other: laplace},
		{Class: "GaussianDpEvent", Eps: "0.1", Event: laplace, Other: json.RawMessage(`{"class_name":"LaplaceDpEvent","noise_multiplier":1}`), AtMost: true},
	} {
		v, err := c.compare(t.Context())
		if violation := new(ClassViolation); v != Refuted || !errors.As(err, &violation) || !IsDisagreement(err) || !strings.Contains(err.Error(), "by the exact engine") {
			t.Errorf("%v, %v", v, err)
		}
	}
	below := classCase{Class: "LaplaceDpEvent", Eps: "0.1", Event: laplace, Other: json.RawMessage(`{"class_name":"LaplaceDpEvent","noise_multiplier":3}`), AtMost: true}
	if v, err := below.compare(t.Context()); v != Proved || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}
