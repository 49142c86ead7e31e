// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// A build says what was built, from what, by what.
type build struct {
	Version, Revision, Time string
	Modified                bool
	Go, Platform            string
}

// released is the version of a released program, which the linker sets.
var released string

// version describes this binary.
func version() build {
	b := build{Version: cmp.Or(released, "(devel)"), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if released == "" && info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (b build) String() string {
	s := "dpverify " + b.Version
	if b.Revision != "" {
		s += fmt.Sprintf("\nrevision %s of %s", b.Revision, b.Time)
		if b.Modified {
			s += ", modified"
		}
	}
	return s + fmt.Sprintf("\n%s %s", b.Go, b.Platform)
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of verify and of Go",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), version())
			return err
		},
	}
}
