// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/internal/prose"
	"dpverify/mechanism"
)

func newMechanisms() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "mechanisms",
		Short: "List the mechanisms: their fields, relations, and how they are bounded",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			asJSON, err := parseFormat(format)
			if err != nil {
				return err
			}
			if asJSON {
				return printClassesJSON(c.OutOrStdout())
			}
			return printClassesText(c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text or json")
	return c
}

func printClassesText(w io.Writer) error {
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
	_, err := io.WriteString(w, b.String())
	return err
}

// A classReport is a class in JSON.
type classReport struct {
	Class     string          `json:"class_name"`
	Fields    []string        `json:"fields"`
	Optional  []string        `json:"optional_fields"`
	Relations []string        `json:"relations"`
	Bound     string          `json:"bounded_by"`
	Example   json.RawMessage `json:"example"`
}

func printClassesJSON(w io.Writer) error {
	out := struct {
		Version int           `json:"version"`
		Classes []classReport `json:"classes"`
		Refused []string      `json:"refused"`
	}{Version: 1, Refused: refusedClasses}
	for _, c := range classes {
		r := classReport{c.name, []string{}, []string{}, relationNames(c.relations), c.bound, json.RawMessage(c.example)}
		for _, f := range c.fields {
			if f, optional := strings.CutSuffix(f, "?"); optional {
				r.Optional = append(r.Optional, f)
			} else {
				r.Fields = append(r.Fields, f)
			}
		}
		out.Classes = append(out.Classes, r)
	}
	return writeJSON(w, out)
}

func relationNames(rs []mechanism.Relation) []string {
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.String()
	}
	return names
}
