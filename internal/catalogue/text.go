// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package catalogue

import (
	"strings"

	"dpverify/internal/prose"
	"dpverify/mechanism"
)

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
