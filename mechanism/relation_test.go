// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"errors"
	"testing"
)

func TestRelation(t *testing.T) {
	if AddOrRemoveOne != 0 {
		t.Error("the zero Relation is not the default")
	}
	for r, name := range map[Relation]string{AddOrRemoveOne: "ADD_OR_REMOVE_ONE", ReplaceOne: "REPLACE_ONE", ReplaceSpecial: "REPLACE_SPECIAL"} {
		if got, err := ParseRelation(name); got != r || err != nil || r.String() != name {
			t.Errorf("ParseRelation(%q) = %v, %v", name, got, err)
		}
	}
	_, err := ParseRelation("replace_one")
	checkErrorText(t, err, `relation = "replace_one", want ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL; perhaps REPLACE_ONE`)
	var typed *ParamError
	if !errors.As(err, &typed) {
		t.Errorf("%#v is not a *ParamError", err)
	}
	if got := Relation(9).String(); got != "Relation(9)" {
		t.Error(got)
	}
}

func TestDirection(t *testing.T) {
	if Both != 0 {
		t.Error("the zero Direction is not the default")
	}
	for d, name := range map[Direction]string{Both: "both", Remove: "remove", Add: "add"} {
		if got, err := ParseDirection(name); got != d || err != nil || d.String() != name {
			t.Errorf("ParseDirection(%q) = %v, %v", name, got, err)
		}
	}
	_, err := ParseDirection("")
	checkErrorText(t, err, `direction = "", want remove, add or both`)
	if got := Direction(9).String(); got != "Direction(9)" {
		t.Error(got)
	}
}
