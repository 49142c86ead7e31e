// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package build says what this program was built from.
package build

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// An Info says what was built, from what, by what.
type Info struct {
	Version, Revision, Time string
	Modified                bool
	Go, Platform            string
}

// Describe describes this binary. released is the version of a released program, or empty.
func Describe(released string) Info {
	b := Info{Version: cmp.Or(released, "(devel)"), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

func (b Info) String() string {
	s := "dpverify " + b.Version
	if b.Revision != "" {
		s += fmt.Sprintf("\nrevision %s of %s", b.Revision, b.Time)
		if b.Modified {
			s += ", modified"
		}
	}
	return s + fmt.Sprintf("\n%s %s", b.Go, b.Platform)
}

// Home is the address of the module that was built, where its path has a host; empty where it has none, as a path
// without a dot says nothing about where it is to be had.
func Home() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return home(info.Main.Path)
}

func home(path string) string {
	if host, _, _ := strings.Cut(path, "/"); !strings.Contains(host, ".") {
		return ""
	}
	return "https://" + path
}
