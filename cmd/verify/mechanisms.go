package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "CLASS\tFIELDS\tRELATIONS\tBOUNDED BY")
	for _, c := range classes {
		relations := "all"
		if len(c.relations) < len(allRelations) {
			relations = strings.Join(relationNames(c.relations), ", ")
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.name, strings.Join(c.fields, ", "), relations, c.bound)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
Relations: %s.
"Worst case of the guarantee" means that the event stands for the worst mechanism
that satisfies it.
Any class may be nested in SelfComposedDpEvent and ComposedDpEvent; what no method
bounds tightly from both sides comes out as a wide interval.
Recognised and refused: %s.
`, strings.Join(relationNames(allRelations), ", "), strings.Join(refusedClasses, ", "))
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
