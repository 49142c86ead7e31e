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
	for _, c := range classes {
		b.WriteString(c.name)
		if len(c.fields) > 0 {
			b.WriteString(": " + strings.Join(c.fields, ", "))
		}
		b.WriteByte('\n')
		how := c.bound
		if len(c.relations) < len(allRelations) {
			how += "; " + strings.Join(relationNames(c.relations), " and ") + " only"
		}
		b.WriteString(prose.Paragraph("    ", how))
	}
	b.WriteString(`
Relations: ` + strings.Join(relationNames(allRelations), ", ") + `.
"Worst case of the guarantee" means that the event stands for the worst mechanism
that satisfies it.
Any class may be nested in SelfComposedDpEvent and ComposedDpEvent; what no method
bounds tightly from both sides comes out as a wide interval.
--format json has an example of every class, and docs/format.md explains the fields.
`)
	b.WriteString(prose.Paragraph("", "Recognised and refused: "+strings.Join(refusedClasses, ", ")+"."))
	return b.String()
}

// Relations are the names of all relations.
func Relations() []string { return relationNames(allRelations) }

func relationNames(rs []mechanism.Relation) []string {
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.String()
	}
	return names
}
