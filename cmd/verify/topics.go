// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// topics are the pages of the help that are about no command: what each is about, a blank line, and
// the text.
//
//go:embed topics/*.txt
var topics embed.FS

// newTopics returns the pages as commands that do nothing.
func newTopics() []*cobra.Command {
	var pages []*cobra.Command
	for _, name := range []string{"formats", "status", "relations", "trust"} {
		page, err := topics.ReadFile("topics/" + name + ".txt")
		if err != nil {
			panic("verify: internal error: " + err.Error())
		}
		short, long, _ := strings.Cut(string(page), "\n\n")
		pages = append(pages, &cobra.Command{Use: name, Short: short, Long: strings.TrimRight(long, "\n")})
	}
	return pages
}
