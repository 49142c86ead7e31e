// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package cli has what commands share beyond cobra: the flags of a question, flags that read themselves, help and
// flags that fail where they should, completion of values, progress, exit statuses, and output whose failures are
// noticed.
package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/internal/size"
	"dpverify/internal/suggest"
	"dpverify/mechanism"
)

// NewHelp returns the command help. About what is no command it prints the text of about, and fails if that is empty.
func NewHelp(root *cobra.Command, about func(name string) string) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command or topic]",
		Short: "Help about any command or topic",
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			c, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range c.Commands() {
				if strings.HasPrefix(sub.Name(), begun) && (sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand()) {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c, _, err := root.Find(args)
			if err != nil || c == root && len(args) > 0 {
				if text := about(args[0]); text != "" && len(args) == 1 {
					_, err := io.WriteString(root.OutOrStdout(), text)
					return err
				}
				return UnknownCommand(root, args[0])
			}
			return c.Help()
		},
	}
}

// AddCompletion adds cobra's command for the scripts of shells, which go to the output that root has now. It refuses a
// shell that it does not know; without one it does what missing does.
func AddCompletion(root *cobra.Command, missing func(*cobra.Command, []string) error) {
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.RunE = missing
		c.Args = func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return UnknownCommand(c, args[0])
		}
	}
}

// UnknownCommand names the commands that there are.
func UnknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	last := len(names) - 1
	return fmt.Errorf("unknown command %s, want %s or %s%s", show.Value(name), strings.Join(names[:last], ", "),
		names[last], suggest.Perhaps(name, names))
}

// FlagFault says what is wrong with flags that cobra does not understand.
func FlagFault(c *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		name, cause := invalid.GetFlag().Name, invalid.Unwrap()
		if n, p := new(number.Error), new(mechanism.ParamError); errors.As(cause, &n) || errors.As(cause, &p) {
			return Fault(name, cause)
		}
		want := map[string]string{
			"duration": wantDuration,
			"int":      "an integer",
			"int64":    "an integer",
			"bool":     "true or false",
			"size":     size.Want,
		}[invalid.GetFlag().Value.Type()]
		if w := Want(""); errors.As(cause, &w) {
			want = string(w)
		}
		if want != "" {
			return wanted(name, show.Value(invalid.GetValue()), want)
		}
	}
	perhaps := ""
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var flags []string
		c.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
		if nearest := suggest.Nearest(unknown.GetSpecifiedName(), flags); nearest != "" {
			perhaps = "; perhaps --" + nearest
		}
	}
	if !c.HasParent() {
		return fmt.Errorf("%w%s; see %s --help", err, perhaps, c.CommandPath())
	}
	return fmt.Errorf("%s: %w%s; see %s --help", c.Name(), err, perhaps, c.CommandPath())
}
