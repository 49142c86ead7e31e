// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/exact"
	"dpverify/internal/catalogue"
	"dpverify/internal/cli"
	"dpverify/internal/prose"
	"dpverify/mechanism"
)

// newRoot returns the command line.
func newRoot() *cobra.Command {
	root := command("verify", cli.NoSuchCommand, failedHelp)
	root.Version, root.SilenceErrors, root.SilenceUsage = version().Version, true, true
	root.SetFlagErrorFunc(cli.FlagFault)
	root.AddCommand(newAudit(), newBuckets(), newCalibrate(), newCertify(), newCheck(), newCompare(), newConvert(),
		newCurve(), newDominates(), newGolden(), newImport(), newInit(), newLearn(), newLedger(), newMeasure(),
		newMechanisms(), newMerge(), newPlot(), newQuery(), newReport(), newReproduce(), newSample(), newSelftest(),
		newVectors(), newVersion(), newWitness())
	for _, a := range quantityCommands {
		root.AddCommand(a.command())
	}
	root.AddCommand(page("formats"), page("status"), page("relations"), page("trust"))
	root.SetHelpCommand(cli.NewHelp(root, aboutMechanism))
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages ",
		fmt.Sprintf("FlagUsagesWrapped %d ", prose.PageWidth)))
	return root
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
