// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package catalogue lists the classes of events for people: their fields, the relations under
// which they are defined, how they are bounded, and an example of each.
package catalogue

import (
	"dpverify/mechanism"
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
	for _, c := range mechanism.Descriptions() {
		r := ClassReport{c.Class, []string{}, []string{}, names(c.Relations), c.Bound, json.RawMessage(c.Example)}
		for _, f := range c.Fields {
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

// refusedClasses are those that the engine knows and does not bound.
var refusedClasses = []string{"UnsupportedDpEvent"}

// Relations are the names of all relations.
func Relations() []string { return names(mechanism.Relations()) }

func names(rs []mechanism.Relation) []string {
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.String()
	}
	return names
}
