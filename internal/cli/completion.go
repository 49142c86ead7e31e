// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// alternatives matches the usage of a flag that lists its values: "text or json".
var alternatives = regexp.MustCompile(`^[a-z]\w*(, [a-z]\w*)* or [a-z]\w*$`)

// CompleteFlags tells a shell, where args are its request, the values of the flags that have few, for all commands
// below one: those that values returns, or that the usage of the flag lists. All other commands start sooner without.
func CompleteFlags(root *cobra.Command, args []string, values func(flag string) []string) error {
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	return completeFlags(root, values)
}

func completeFlags(parent *cobra.Command, values func(flag string) []string) error {
	var failed error
	for _, c := range parent.Commands() {
		if err := completeFlags(c, values); err != nil {
			failed = err
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			few := values(f.Name)
			if few == nil && alternatives.MatchString(f.Usage) {
				few = Names(f.Usage)
			}
			if few == nil {
				return
			}
			complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return few, cobra.ShellCompDirectiveNoFileComp
			}
			if err := c.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
				failed = err
			}
		})
	}
	return failed
}

// Names returns the names of a list for people: "a, b or c".
func Names(list string) []string { return strings.Split(strings.ReplaceAll(list, " or ", ", "), ", ") }
