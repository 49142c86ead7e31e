// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package vectors

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSchemaHasTheFieldsOfAFile: the schema has the fields that files have, and its patterns take
// what is in them.
func TestSchemaHasTheFieldsOfAFile(t *testing.T) {
	data, err := os.ReadFile("../docs/schema/" + SchemaName)
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]json.RawMessage
		Required   []string
		Pattern    string
	}
	var s struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		schema object
		of     any
	}{{s.object, File{}}, {s.Defs["note"], Note{}}, {s.Defs["group"], Group{}}, {s.Defs["test"], Test{}}} {
		var fields, required []string
		for i := range reflect.TypeOf(c.of).NumField() {
			name, option, _ := strings.Cut(reflect.TypeOf(c.of).Field(i).Tag.Get("json"), ",")
			fields = append(fields, name)
			if option == "" {
				required = append(required, name)
			}
		}
		slices.Sort(fields)
		if got := slices.Sorted(maps.Keys(c.schema.Properties)); !slices.Equal(got, fields) {
			t.Errorf("%T: the schema has the fields %v, want %v", c.of, got, fields)
		}
		if !slices.Equal(c.schema.Required, required) {
			t.Errorf("%T: the schema requires %v, want %v", c.of, c.schema.Required, required)
		}
	}
	bound := regexp.MustCompile(s.Defs["bound"].Pattern)
	_, files, err := Read(V1())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for _, g := range f.Groups {
			for _, v := range g.Tests {
				if !bound.MatchString(v.Lo) || !bound.MatchString(v.Hi) {
					t.Errorf("%s: [%s, %s] does not match %s", v.TcID, v.Lo, v.Hi, bound)
				}
			}
		}
	}
}
