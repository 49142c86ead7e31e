// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package catalogue lists the classes of events for people: their fields, the relations under
// which they are defined, how they are bounded, and an example of each.
package catalogue

import (
	"encoding/json"
	"strings"

	"dpverify/internal/prose"
	"dpverify/mechanism"
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

// Text lists the classes for people.
func Text() string {
	var b strings.Builder
	b.WriteString(`CLASS: FIELDS, ? after those that may be missing
    how it is bounded; relations, where it is not defined under all

`)
	for _, c := range mechanism.Descriptions() {
		b.WriteString(describe(c))
	}
	b.WriteString(`
Relations: ` + strings.Join(Relations(), ", ") + `.
"Worst case of the guarantee" means that the event stands for the worst mechanism
that satisfies it.
Any class may be nested in SelfComposedDpEvent and ComposedDpEvent; what no method
bounds tightly from both sides comes out as a wide interval.
--format json has an example of every class, and docs/format.md explains the fields.
`)
	b.WriteString(prose.Paragraph("", "Recognised and refused: "+strings.Join(refusedClasses, ", ")+"."))
	return b.String()
}

// TextOf describes one class for people, whatever the case of its name, with an example; empty if there is none such.
func TextOf(class string) string {
	for _, c := range mechanism.Descriptions() {
		if strings.EqualFold(c.Class, class) {
			return describe(c) + "    such as " + c.Example + "\n"
		}
	}
	return ""
}

func describe(c mechanism.Description) string {
	head := c.Class
	if len(c.Fields) > 0 {
		head += ": " + strings.Join(c.Fields, ", ")
	}
	how := c.Bound
	if len(c.Relations) < len(mechanism.Relations()) {
		how += "; " + strings.Join(names(c.Relations), " and ") + " only"
	}
	return prose.Paragraph("", head) + prose.Paragraph("    ", how)
}
