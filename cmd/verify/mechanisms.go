// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/internal/catalogue"
	"dpverify/internal/cli"
	"dpverify/internal/shorthand"
	"dpverify/internal/show"
	"dpverify/internal/suggest"
	"dpverify/mechanism"
)

func newMechanisms() *cobra.Command {
	var asJSON bool
	c := command("mechanisms", cobra.ArbitraryArgs, func(c *cobra.Command, names []string) error {
		if len(names) > 0 {
			return describeMechanisms(c, names, asJSON)
		}
		return cli.Write(c, asJSON, catalogue.NewReport(), catalogue.Text()+shorthand.Help())
	})
	cli.RegisterFormat(c, &asJSON)
	return c
}

// describeMechanisms prints what there is to know about some classes and short forms.
func describeMechanisms(c *cobra.Command, names []string, asJSON bool) error {
	if asJSON {
		return errors.New("--format = \"json\" with a NAME, want it without, for all classes")
	}
	var texts []string
	for _, name := range names {
		text := aboutMechanism(name)
		if text == "" {
			known := slices.Concat(shorthand.Names(), mechanism.ClassNames())
			return fmt.Errorf("mechanisms: %s, want a class or a short form that \"verify mechanisms\" lists%s",
				show.Value(name), suggest.Perhaps(name, known))
		}
		texts = append(texts, text)
	}
	return cli.Write(c, false, nil, strings.Join(texts, "\n"))
}

// aboutMechanism describes the class or the short form of a name; it is empty if there is neither.
func aboutMechanism(name string) string {
	forms, class := shorthand.HelpOf(name), name
	if c := shorthand.ClassOf(name); c != "" {
		class = c
	}
	return catalogue.TextOf(class) + forms
}
