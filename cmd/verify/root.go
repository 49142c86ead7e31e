// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/internal/prose"
	"dpverify/internal/show"
)

// newRoot returns the command line.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "verify",
		Short: "Certify or refute claims about differential privacy",
		Long: `verify certifies differential-privacy accounting. Give it a mechanism and a claim
"(ε, δ)": it answers VERIFIED, REFUTED or UNDECIDED, with intervals that provably
contain the true δ(ε) and the least ε, discretisation, truncation and every
rounding error included.`,
		Example: `  verify certify examples/claims.yaml
  verify delta --epsilon 1 '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify epsilon --delta 1e-5 '{class_name: SelfComposedDpEvent, count: 20, event: {class_name: LaplaceDpEvent, noise_multiplier: 10}}'
  echo '{"id":1,"event":{"class_name":"LaplaceDpEvent","noise_multiplier":2},"quantity":"tv"}' | verify query`,
		Version:       version().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			// A script that lost its arguments must not succeed.
			c.SetOut(c.ErrOrStderr())
			if err := c.Help(); err != nil {
				return err
			}
			return statusError(statusFailed)
		},
	}
	root.SetFlagErrorFunc(flagFault)
	root.AddCommand(newAudit(), newBuckets(), newCalibrate(), newCertify(), newCheck(), newCompare(), newConvert(), newCurve(), newDominates(), deltaCommand().command(), epsilonCommand().command(), gdpCommand().command(), newGolden(), newImport(), newInit(), newLearn(), newMechanisms(), newMerge(), newPlot(), newQuery(), newReport(), renyiCommand().command(), newReproduce(), newSample(), newSelftest(), tradeoffCommand().command(), newVectors(), newVersion())
	root.AddCommand(newTopics()...)
	root.SetHelpCommand(newHelp(root))
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages ", fmt.Sprintf("FlagUsagesWrapped %d ", prose.PageWidth)))
	if err := completeFlags(root); err != nil {
		panic("verify: internal error: " + err.Error())
	}
	return root
}

// newHelp returns the command help, which fails for a command that is not there.
func newHelp(root *cobra.Command) *cobra.Command {
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
				return unknownCommand(root, args[0])
			}
			return c.Help()
		},
	}
}

// unknownCommand names the commands that there are.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	last := len(names) - 1
	return fmt.Errorf("unknown command %s, want %s or %s", show.Value(name), strings.Join(names[:last], ", "), names[last])
}

// noArguments refuses arguments.
func noArguments(c *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s: 1 argument, want none", c.Name())
	}
	return fmt.Errorf("%s: %d arguments, want none", c.Name(), len(args))
}
