// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"bytes"
	"flag"
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/api.txt")

// public are the packages whose exported names are promised; docs/api.md says why these.
var public = []string{"mechanism", "ask", "ask/calibrate", "certify", "certify/certificate"}

// TestAPI: the exported names of the public packages are those that docs/api.txt lists, so
// that none goes, comes or changes unseen. Look at every difference; -update rewrites the list.
func TestAPI(t *testing.T) {
	const file = "docs/api.txt"
	var patterns []string
	for _, p := range public {
		patterns = append(patterns, "./"+p)
	}
	var lines []string
	for _, p := range load(t, patterns...) {
		lines = append(lines, exported(p.Types)...)
	}
	slices.Sort(lines)
	got := []byte(strings.Join(lines, "\n") + "\n")
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	listed := strings.Split(strings.TrimSpace(string(want)), "\n")
	for _, l := range listed {
		if !slices.Contains(lines, l) {
			t.Errorf("- %s", l)
		}
	}
	for _, l := range lines {
		if !slices.Contains(listed, l) {
			t.Errorf("+ %s", l)
		}
	}
	t.Error(file + " is not what the packages export: go test ./internal/tree -run TestAPI -update rewrites it")
}

// exported lists what a package exports, a name, field or method a line.
func exported(p *types.Package) []string {
	prefix := "pkg " + strings.TrimPrefix(p.Path(), "dpverify/") + ", "
	by := func(other *types.Package) string {
		if other == p {
			return ""
		}
		return other.Name()
	}
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, prefix+fmt.Sprintf(format, args...)) }
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		typeName, ok := o.(*types.TypeName)
		if !ok {
			if c, ok := o.(*types.Const); ok {
				add("%s = %s", types.ObjectString(o, by), c.Val())
				continue
			}
			add("%s", types.ObjectString(o, by))
			continue
		}
		switch u := o.Type().Underlying().(type) {
		case *types.Struct:
			add("type %s struct", name)
			for f := range u.Fields() {
				if f.Exported() {
					add("type %s struct, %s %s", name, f.Name(), types.TypeString(f.Type(), by))
				}
			}
		case *types.Interface:
			add("type %s interface", name)
			for m := range u.Methods() {
				if m.Exported() {
					add("type %s interface, %s%s", name, m.Name(), strings.TrimPrefix(types.TypeString(m.Type(), by), "func"))
				}
			}
		default:
			add("type %s %s", name, types.TypeString(u, by))
		}
		if typeName.IsAlias() {
			continue
		}
		named, ok := o.Type().(*types.Named)
		if !ok {
			continue
		}
		for m := range named.Methods() {
			if m.Exported() {
				add("method (%s) %s%s", types.TypeString(m.Signature().Recv().Type(), by), m.Name(), strings.TrimPrefix(types.TypeString(m.Type(), by), "func"))
			}
		}
	}
	return lines
}

// TestPagesListTheAPI: docs/api.md names each public package.
func TestPagesListTheAPI(t *testing.T) {
	page, err := os.ReadFile("docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range public {
		if !bytes.Contains(page, []byte("- `"+p+"`")) {
			t.Errorf("docs/api.md does not name %s", p)
		}
	}
}
