// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// below returns what each package of a policy may import.
func below(t *testing.T, policy string) map[string]map[string]bool {
	t.Helper()
	direct := make(map[string][]string)
	for statement := range strings.SplitSeq(regexp.MustCompile("#.*").ReplaceAllString(policy, ""), ";") {
		var lower []string
		for side := range strings.SplitSeq(statement, "<") {
			var names []string
			for name := range strings.SplitSeq(side, ",") {
				if name = strings.TrimSpace(name); name == "" {
					continue
				}
				if name != "dpverify" {
					name = "dpverify/" + name
				}
				direct[name] = append(direct[name], lower...)
				names = append(names, name)
			}
			lower = names
		}
	}
	all := make(map[string]map[string]bool)
	var closure func(name string, path []string) map[string]bool
	closure = func(name string, path []string) map[string]bool {
		if slices.Contains(path, name) {
			t.Fatalf("the policy has a circle: %v", append(path, name))
		}
		if all[name] == nil {
			set := make(map[string]bool)
			for _, d := range direct[name] {
				set[d] = true
				maps.Copy(set, closure(d, append(path, name)))
			}
			all[name] = set
		}
		return all[name]
	}
	for name := range direct {
		closure(name, nil)
	}
	return all
}

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Module                             struct{ Path string }
}

func goList(t *testing.T) []listed {
	t.Helper()
	ps, err := listModule()
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

var listModule = sync.OnceValues(func() ([]listed, error) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("go list: %w\n%s", err, exit.Stderr)
	} else if err != nil {
		return nil, err
	}
	var ps []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	if len(ps) == 0 {
		return nil, errors.New("go list names no packages")
	}
	return ps, nil
})

func inside(path string) bool {
	return path == "dpverify" || strings.HasPrefix(path, "dpverify/")
}

func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && !inside(path)
}

// side tells the two engines apart.
func side(path string) string {
	for _, s := range []string{"exact", "float"} {
		if path == "dpverify/"+s || strings.HasPrefix(path, "dpverify/"+s+"/") {
			return s
		}
	}
	return ""
}

// under reports whether path is one of the packages, or below one.
func under(path string, packages []string) bool {
	return slices.ContainsFunc(packages, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

// faults returns what is wrong with the imports of a package.
func faults(p listed, allowed map[string]map[string]bool) []string {
	var out []string
	mayImport, known := allowed[p.ImportPath]
	if !known {
		out = append(out, fmt.Sprintf("%s has no place: give it one in the policy of deps_test.go", p.ImportPath))
	}
	for _, i := range p.Imports {
		switch {
		case inside(i):
			if !mayImport[i] {
				out = append(out, fmt.Sprintf("%s imports %s, which is not below it", p.ImportPath, i))
			}
		case !standard(i):
			permitted := false
			for from, prefixes := range outside {
				if under(p.ImportPath, []string{from}) {
					permitted = permitted || slices.ContainsFunc(prefixes, func(s string) bool { return i == s || strings.HasPrefix(i, s) })
				}
			}
			if !permitted {
				out = append(out, fmt.Sprintf("%s imports %s", p.ImportPath, i))
			}
		}
	}
	tests := slices.Concat(p.TestImports, p.XTestImports)
	for k, i := range slices.Concat(p.Imports, tests) {
		for _, f := range forbidden {
			if k >= len(p.Imports) && !f.tests {
				continue
			}
			if (i == f.module || strings.HasPrefix(i, f.module+"/")) && !under(p.ImportPath, f.but) {
				out = append(out, fmt.Sprintf("%s imports %s: %s", p.ImportPath, i, f.reason))
			}
		}
	}
	for _, i := range tests {
		if a, b := side(p.ImportPath), side(i); a != "" && b != "" && a != b {
			out = append(out, fmt.Sprintf("a test of %s imports %s: comparisons belong in crosscheck", p.ImportPath, i))
		}
	}
	return out
}
