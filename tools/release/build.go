// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A platform is a system and an architecture, as Go names them.
type platform struct{ system, arch string }

// platforms are those that there are releases for.
var platforms = []platform{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"},
	{"windows", "arm64"},
}

func (p platform) String() string { return p.system + "-" + p.arch }

// exe is the name of a program.
func (p platform) exe(name string) string {
	if p.system == "windows" {
		return name + ".exe"
	}
	return name
}

// program builds a command of the project: static, without paths of the machine, so that its
// bytes depend on the sources and on Go only.
func program(root, version, command string, p platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "dpverify-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, p.exe("program"))
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags",
		"-s -w -buildid= -X main.released="+version, "-o", out, command)
	c.Dir = root
	flags := "GOFLAGS="
	if p.arch == "wasm" { // what is not inlined is a seventh smaller to transfer, and as fast
		flags += "-gcflags=all=-l"
	}
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.system, "GOARCH="+p.arch, flags, "GOWORK=off", "GOAMD64=v1",
		"GOARM64=v8.0")
	if _, err := run(c); err != nil {
		return nil, fmt.Errorf("%s for %s: %w", command, p, err)
	}
	return os.ReadFile(out)
}

// run runs a command and returns its output, and in an error what it said.
func run(c *exec.Cmd) (string, error) {
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}

// describe is the version of the sources: the version of the tag, or the output of git describe.
func describe(root string) (string, error) {
	c := exec.Command("git", "describe", "--tags", "--match", "v[0-9]*", "--always", "--abbrev=12", "--dirty")
	c.Dir = root
	return run(c)
}

// A release is what all parts share.
type release struct {
	root, version string
	platforms     []platform
	built         map[string][]byte // programs, by platform
}

// host is the platform that this runs on.
func host() platform { return platform{runtime.GOOS, runtime.GOARCH} }

// program returns the command verify for a platform; it is built once.
func (r *release) program(p platform) ([]byte, error) {
	if r.built[p.String()] == nil {
		data, err := program(r.root, r.version, "./cmd/verify", p)
		if err != nil {
			return nil, err
		}
		r.built[p.String()] = data
	}
	return r.built[p.String()], nil
}

// read returns files of the project under their names in an archive.
func (r *release) read(prefix string, names ...string) ([]file, error) {
	var files []file
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: prefix + filepath.ToSlash(name), data: data})
	}
	return files, nil
}
