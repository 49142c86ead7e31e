// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/catalogue"
	"dpverify/exact"
	"dpverify/internal/cli"
	"dpverify/internal/prose"
	"dpverify/mechanism"
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
		Args:          noSuchCommand,
		RunE:          failedHelp,
	}
	root.SetFlagErrorFunc(cli.FlagFault)
	root.AddCommand(newAudit(), newBuckets(), newCalibrate(), newCertify(), newCheck(), newCompare(), newConvert(), newCurve(), newDominates(), newGolden(), newImport(), newInit(), newLearn(), newLedger(), newMechanisms(), newMerge(), newPlot(), newQuery(), newReport(), newReproduce(), newSample(), newSelftest(), newVectors(), newVersion())
	for _, a := range quantityCommands {
		root.AddCommand(a.command())
	}
	root.AddCommand(newTopics()...)
	root.SetHelpCommand(cli.NewHelp(root))
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages ", fmt.Sprintf("FlagUsagesWrapped %d ", prose.PageWidth)))
	if err := cli.CompleteFlags(root, flagValues); err != nil {
		panic("verify: internal error: " + err.Error())
	}
	return root
}

// noSuchCommand refuses what is no command of a group.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.UnknownCommand(c, args[0])
	}
	return nil
}

// failedHelp prints the help of a group of commands and fails: a script that lost its arguments must not succeed.
func failedHelp(c *cobra.Command, _ []string) error {
	c.SetOut(c.ErrOrStderr())
	if err := c.Help(); err != nil {
		return err
	}
	return statusError(statusFailed)
}

// someArguments refuses that there are none.
func someArguments(missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New(missing)
		}
		return nil
	}
}

// arguments counts them.
func arguments(args []string) string {
	if len(args) == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", len(args))
}

// noArguments refuses arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s, want none", c.Name(), arguments(args))
}

// flagValues returns the values of flags that have few and do not list them; nil of others.
func flagValues(flag string) []string {
	switch flag {
	case "relation":
		return catalogue.Relations()
	case "direction":
		return []string{mechanism.Both.String(), mechanism.Remove.String(), mechanism.Add.String()}
	case "number-format":
		return []string{"decimal", "binary64"}
	case "effort":
		var efforts []string
		for e := range int(exact.MaxEffort) + 1 {
			efforts = append(efforts, strconv.Itoa(e))
		}
		return efforts
	}
	return nil
}
