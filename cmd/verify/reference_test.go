// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "rewrite docs/cli.md from the help of the commands")

// reference writes the help of all commands as one page.
func reference() string {
	root := newRoot()
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	root.InitDefaultCompletionCmd()
	help := func(c *cobra.Command) string {
		var b bytes.Buffer
		c.SetOut(&b)
		_ = c.Help()
		// The defaults of cobra's own text tell who runs it.
		return strings.TrimRight(regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(b.String(), ""), "\n")
	}
	var b strings.Builder
	b.WriteString("# Commands\n\nThis page is the text of `verify help`, command by command; a test keeps it so\n(`go test ./cmd/verify -run TestCommandReference -update`).\n")
	fmt.Fprintf(&b, "\n```\n%s\n```\n", help(root))
	var write func(c *cobra.Command)
	write = func(c *cobra.Command) {
		if c.Name() == "help" || c.Name() == "completion" {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n", c.CommandPath(), help(c))
		for _, sub := range c.Commands() {
			write(sub)
		}
	}
	for _, c := range root.Commands() {
		write(c)
	}
	return b.String()
}

// The page of all commands is the text of the help.
func TestCommandReference(t *testing.T) {
	const page = "../../docs/cli.md"
	want := reference()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(want) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
			t.Errorf("%d characters, want at most 100: %s", n, line)
		}
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("docs/cli.md is out of date, run with -update (-page +help):\n%s", diff)
	}
}

// Every command has a line, a text and, if it asks for something, an example.
func TestEveryCommandIsExplained(t *testing.T) {
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		if c.Short == "" || c.Name() != "help" && c.Name() != "version" && c.Name() != "mechanisms" && c.Long == "" && !c.HasSubCommands() {
			t.Errorf("%s has no text", c.CommandPath())
		}
		if c.Runnable() && c.Long != "" && c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(newRoot())
}
