// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/ask/ledger"
	templates "dpverify/examples"
	"dpverify/internal/cli"
)

// help has a page for each command and each topic: how it is called, what it is for, a blank line, the text, and
// after a line "Examples:" examples. {{…}} stands for what several pages or other packages say.
//
//go:embed help/*.txt help/parts/*.txt
var help embed.FS

// helpText returns a file of the help.
func helpText(name string) string {
	text, err := help.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic("verify: internal error: " + err.Error())
	}
	return strings.TrimSuffix(string(text), "\n")
}

// page returns a command with its page of the help, and nothing else: a topic.
func page(name string) *cobra.Command {
	text := strings.ReplaceAll(helpText(name), "{{ask}}", helpText("parts/ask"))
	if strings.Contains(text, "{{") {
		_, about := templates.List()
		for _, p := range [][2]string{{"{{event}}", helpText("parts/event")}, {"{{templates}}", about},
			{"{{Rényi filter}}", ledger.FilterTheorem}, {"{{Gaussian filter}}", ledger.GaussianTheorem}} {
			text = strings.ReplaceAll(text, p[0], p[1])
		}
	}
	head, text, _ := strings.Cut(text, "\n\n")
	use, short, _ := strings.Cut(head, "\n")
	long, examples, _ := strings.Cut(text, "\n\nExamples:\n")
	return &cobra.Command{Use: use, Short: short, Long: long, Example: examples}
}

// command returns the command of a page of the help.
func command(name string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	c := page(name)
	c.Args, c.RunE = args, run
	return c
}

// oneEvent demands one event.
var oneEvent = cli.Exactly(1, "one EVENT (quote it, for the shell)")

// failedHelp prints the help of a group of commands and fails: a script that lost its arguments must not succeed.
func failedHelp(c *cobra.Command, _ []string) error {
	c.SetOut(c.ErrOrStderr())
	if err := c.Help(); err != nil {
		return err
	}
	return cli.StatusError(cli.StatusFailed)
}
