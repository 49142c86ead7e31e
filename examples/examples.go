// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package examples holds what `verify init` writes: files to start from.
package examples

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"dpverify/docs/schema"
	"dpverify/internal/atomicfile"
	"dpverify/internal/show"
)

//go:embed templates histogram/with.csv histogram/without.csv github-workflow.yml
var files embed.FS

// A File is one that a template writes.
type File struct {
	Path string // relative, with slashes
	from string // in files; empty for a schema
}

// Those of claims name the first one for editors, which complete fields by it, and the first one the second.
var (
	claimsSchema = File{"schema/claims.schema.json", ""}
	eventSchema  = File{"schema/event.schema.json", ""}
)

// A Template is a start of something.
type Template struct {
	Name, About string
	Files       []File
	// Next is the command to try then.
	Next string
}

// Templates are all of them.
var Templates = []Template{
	{"dpsgd", "claims about a training with DP-SGD", []File{
		{"claims.yaml", "templates/dpsgd.yaml"}, claimsSchema, eventSchema,
	}, "verify certify claims.yaml"},
	{"histogram", "a claim about two measured histograms", []File{
		{"claims.yaml", "templates/histogram.yaml"}, {"with.csv", "histogram/with.csv"},
		{"without.csv", "histogram/without.csv"}, claimsSchema, eventSchema,
	}, "verify certify claims.yaml"},
	{"audit", "an adapter between verify audit and an accountant", []File{{"adapter.py", "templates/adapter.py"}},
		"verify audit --cases 20 -- python3 adapter.py"},
	{"ci", "a workflow of GitHub Actions that decides claims on every push", []File{
		{".github/workflows/privacy.yml", "github-workflow.yml"}, {"claims.yaml", "templates/dpsgd.yaml"},
		claimsSchema, eventSchema,
	}, "verify certify --format github claims.yaml"},
}

// List returns the names of the templates, and a list for people of what they are about, one a line.
func List() (names []string, about string) {
	var lines []string
	for _, t := range Templates {
		names = append(names, t.Name)
		lines = append(lines, fmt.Sprintf("  %-10s %s", t.Name, t.About))
	}
	return names, strings.Join(lines, "\n")
}

// Named returns the template with a name.
func Named(name string) (Template, bool) {
	i := slices.IndexFunc(Templates, func(t Template) bool { return t.Name == name })
	if i < 0 {
		return Template{}, false
	}
	return Templates[i], true
}

// Contents returns what a file of a template begins with.
func (f File) Contents() []byte {
	read, name := files.ReadFile, f.from
	if f.from == "" {
		read, name = schema.File, path.Base(f.Path)
	}
	data, err := read(name)
	if err != nil {
		panic("examples: internal error: " + err.Error())
	}
	return data
}

// Write writes the files of a template into a directory, which is made if it is not there, and returns
// their paths. No file is overwritten: where one is there already, nothing is written.
func (t Template) Write(dir string) (written []string, err error) {
	var paths []string
	for _, f := range t.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("%s is there already, and nothing was written", show.Name(path))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		paths = append(paths, path)
	}
	for i, f := range t.Files {
		if err := os.MkdirAll(filepath.Dir(paths[i]), 0o777); err != nil {
			return written, err
		}
		if err := atomicfile.Write(paths[i], f.Contents()); err != nil {
			return written, err
		}
		written = append(written, paths[i])
	}
	return written, nil
}
