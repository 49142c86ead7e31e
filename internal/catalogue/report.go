// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package catalogue

import (
	"encoding/json"
	"strings"
)

// A Report is the list of classes in JSON.
type Report struct {
	Version int           `json:"version"`
	Classes []ClassReport `json:"classes"`
	Refused []string      `json:"refused"`
}

// A ClassReport is a class in JSON.
type ClassReport struct {
	Class     string          `json:"class_name"`
	Fields    []string        `json:"fields"`
	Optional  []string        `json:"optional_fields"`
	Relations []string        `json:"relations"`
	Bound     string          `json:"bounded_by"`
	Example   json.RawMessage `json:"example"`
}

// NewReport returns all classes.
func NewReport() Report {
	out := Report{Version: 1, Refused: refusedClasses}
	for _, c := range classes {
		r := ClassReport{c.name, []string{}, []string{}, relationNames(c.relations), c.bound, json.RawMessage(c.example)}
		for _, f := range c.fields {
			if f, optional := strings.CutSuffix(f, "?"); optional {
				r.Optional = append(r.Optional, f)
			} else {
				r.Fields = append(r.Fields, f)
			}
		}
		out.Classes = append(out.Classes, r)
	}
	return out
}
