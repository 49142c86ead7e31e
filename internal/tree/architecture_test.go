// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var codeSpan = regexp.MustCompile("`([^`\n]+)`")

// pathLike are the spans of code that name a file or a folder of the module.
var pathLike = regexp.MustCompile(`^[a-z][a-z0-9_]*(/[a-z0-9_.*]+)*(\.(go|md|json|jsonl|yaml|txt))?$`)

// TestArchitectureNamesEveryPackage: each package has its paragraph in docs/architecture.md: an
// item of a list that names it before a colon, among others of its kind perhaps.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	data, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rooms, _ := strings.Cut(string(data), "## The rooms")
	rooms, _, _ = strings.Cut(rooms, "\n## ")
	named := make(map[string]bool)
	for _, item := range strings.Split(rooms, "\n- ") {
		for _, m := range codeSpan.FindAllStringSubmatch(item, -1) {
			named[m[1]] = true
		}
	}
	for _, p := range goList(t) {
		if name := strings.TrimPrefix(p.ImportPath, "dpverify/"); !named[name] {
			t.Errorf("%s has no paragraph in docs/architecture.md", name)
		}
	}
}

// TestMapsNameWhatIsThere: files and folders that the pages for whoever changes things name
// exist. A pattern with a star matches something.
func TestMapsNameWhatIsThere(t *testing.T) {
	for _, page := range []string{"docs/architecture.md", "docs/adding.md"} {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		for _, m := range codeSpan.FindAllStringSubmatch(string(data), -1) {
			path := m[1]
			if !pathLike.MatchString(path) || !strings.ContainsAny(path, "/.") || strings.HasPrefix(path, "exact.") {
				continue
			}
			named++
			if found, err := filepath.Glob(path); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which is not there", page, path)
			}
		}
		if named < 20 {
			t.Errorf("%s names %d files and folders, want at least 20", page, named)
		}
	}
}

// TestAddingNamesTests: the tests that docs/adding.md says will fail are there.
func TestAddingNamesTests(t *testing.T) {
	data, err := os.ReadFile("docs/adding.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z/]+): (Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(data), -1)
	if len(named) < 10 {
		t.Errorf("docs/adding.md names %d tests, want at least 10", len(named))
	}
	for _, m := range named {
		dir := strings.Replace(m[1], "dpverify", ".", 1)
		files, err := filepath.Glob(dir + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(text), "func "+m[2]+"(")
		}
		if !found {
			t.Errorf("docs/adding.md names the test %s of %s, which is not there", m[2], m[1])
		}
	}
}

// TestEveryFileIsLicensed: each Go file begins with the line of the licence.
func TestEveryFileIsLicensed(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && !strings.HasPrefix(string(text), "// Copyright ") {
			t.Errorf("%s does not begin with the line of the licence that all others have", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
