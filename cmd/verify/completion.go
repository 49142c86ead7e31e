// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"regexp"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dpverify/catalogue"
	"dpverify/exact"
	"dpverify/mechanism"
)

// alternatives matches the usage of a flag that lists its values: "text or json".
var alternatives = regexp.MustCompile(`^[a-z]\w*(, [a-z]\w*)* or [a-z]\w*$`)

// completeFlags tells the shells the values of the flags that have few, for all commands
// below one.
func completeFlags(parent *cobra.Command) error {
	var failed error
	for _, c := range parent.Commands() {
		if err := completeFlags(c); err != nil {
			failed = err
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			values := flagValues(f)
			if values == nil {
				return
			}
			complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return values, cobra.ShellCompDirectiveNoFileComp
			}
			if err := c.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
				failed = err
			}
		})
	}
	return failed
}

// flagValues returns the values that a flag can have; nil if they are many.
func flagValues(f *pflag.Flag) []string {
	switch {
	case f.Name == "relation":
		return catalogue.Relations()
	case f.Name == "direction":
		return []string{mechanism.Both.String(), mechanism.Remove.String(), mechanism.Add.String()}
	case f.Name == "number-format":
		return []string{"decimal", "binary64"}
	case f.Name == "effort":
		var efforts []string
		for e := range int(exact.MaxEffort) + 1 {
			efforts = append(efforts, strconv.Itoa(e))
		}
		return efforts
	case alternatives.MatchString(f.Usage):
		return namesOf(f.Usage)
	}
	return nil
}
