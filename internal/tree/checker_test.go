// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"dpverify/internal/testkit"
)

// TestChecker runs the tests of the separate module checker, which `go test ./...` does not enter, as .ci/run does.
func TestChecker(t *testing.T) {
	testkit.SkipUsual(t, "go -C checker test ./... is a step of .ci/run")
	cmd := exec.Command("go", "test", "-vet=off", "-ldflags=-w", "./...")
	cmd.Dir = "checker"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("cd checker && go test ./...: %v\n%s", err, out)
	}
}

// TestCheckerSharesNoCode: neither module imports the other, and the checker is none of ours.
func TestCheckerSharesNoCode(t *testing.T) {
	mod, err := os.ReadFile("checker/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(mod), "require") || strings.Contains(string(mod), "replace") {
		t.Error("checker/go.mod requires another module")
	}
	cmd := exec.Command("go", "list", "-deps", "-test", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./...")
	cmd.Dir = "checker"
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for p := range strings.FieldsSeq(string(out)) {
		if !strings.HasPrefix(p, "dpverify.dev/checker") && !strings.HasPrefix(p, "[dpverify.dev/checker") {
			t.Errorf("checker depends on %s", p)
		}
	}
	for _, p := range goList(t) {
		if strings.HasPrefix(p.ImportPath, "dpverify/checker") {
			t.Errorf("%s is part of the main module", p.ImportPath)
		}
	}
}
