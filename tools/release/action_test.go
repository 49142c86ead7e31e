// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dpverify/internal/document"
)

// TestAction runs the last step of action.yml, with a verify that prints what it is given: inputs
// reach it as arguments, and none of them is code.
func TestAction(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to run the step with")
	}
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	action, err := document.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	runs := action.Get("runs")
	if runs.Get("using").Text != "composite" {
		t.Errorf("using = %s", runs.Get("using").Text)
	}
	steps := runs.Get("steps").Items
	step := steps[len(steps)-1]
	if strings.Contains(step.Get("run").Text, "${{") {
		t.Error("an expression is pasted into the script")
	}
	inputs := regexp.MustCompile(`^\$\{\{ inputs\.(\w+) \}\}$`)
	dir := t.TempDir()
	verify := filepath.Join(dir, "verify")
	if err := os.WriteFile(verify, []byte("#!/bin/sh\nprintf '[%s]' \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		given map[string]string
		want  string
	}{
		{map[string]string{"claims": "claims.yaml"}, "[certify][--format][github][--budget][60s][claims.yaml]"},
		{map[string]string{"claims": "a.yaml b.yaml", "format": "sarif", "output": "out file", "baseline": "old.json"},
			"[certify][--format][sarif][--budget][60s][--output][out file][--baseline][old.json][a.yaml][b.yaml]"},
		{map[string]string{"claims": "$(touch x);* `y`"}, "[certify][--format][github][--budget][60s][$(touch][x);*][`y`]"},
	} {
		run := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Get("run").Text)
		run.Dir, run.Env = dir, []string{"PATH=" + dir + ":/usr/bin:/bin"}
		for _, e := range step.Get("env").Entries {
			m := inputs.FindStringSubmatch(e.Value.Text)
			if m == nil {
				t.Fatalf("%s = %s, want an input", e.Key, e.Value.Text)
			}
			value, ok := c.given[m[1]]
			if d := action.Get("inputs").Get(m[1]).Get("default"); !ok && d != nil {
				value = d.Text
			}
			run.Env = append(run.Env, e.Key+"="+value)
		}
		out, err := run.CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%v: %s, %v, want %s", c.given, out, err, c.want)
		}
	}
}

// TestHookAndImage: what they build is there, and the image has nothing but the program.
func TestHookAndImage(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := document.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	files, err := regexp.Compile(hooks.Items[0].Get("files").Text)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"claims.yaml": true, "a/claims.json": true, "myclaims.yaml": false, "claims.yaml.txt": false} {
		if files.MatchString(name) != want {
			t.Errorf("the hook takes %s: %v", name, !want)
		}
	}
	image, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, last, ok := strings.Cut(string(image), "FROM scratch\n")
	if !ok || !strings.Contains(last, `ENTRYPOINT ["/verify"]`) || strings.Contains(last, "RUN ") {
		t.Errorf("the image is not the program alone: %s", last)
	}
}
