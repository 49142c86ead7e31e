// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	webpage "dpverify/tools/page"
)

// TestOneTraining: wherever the same training is asked about, it has one count of steps and one number to quote.
func TestOneTraining(t *testing.T) {
	const training, steps, quote = "sgd(sigma=1.3, batch=256, n=60000, epochs=15)", "3,510 steps of rate 8/1875", "0.86376"
	asked := func(stdin string, args ...string) string {
		var out, stderr bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(stdin), &out, &stderr); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, stderr.String())
		}
		return strings.Join(strings.Fields(out.String()), " ")
	}
	typed, err := json.Marshal(webpage.Request{Text: training, Delta: "1e-5"})
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{
		"command": asked("", "epsilon", "--delta", "1e-5", training),
		"JSON":    asked("", "epsilon", "--delta", "1e-5", "--format", "json", training),
		"query":   asked(`{"event":"`+training+`","quantity":"epsilon","at":"1e-5"}`, "query"), // what Python reads
		"page":    string(webpage.Answer(t.Context(), typed)),
	}
	dir := t.TempDir()
	asked("", "init", "--dir", dir, "dpsgd")
	template, page := filepath.Join(dir, "claims.yaml"), filepath.Join(dir, "r.html")
	asked("", "report", "-o", page, template)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	answers["report"] = string(text)
	claims, err := os.ReadFile(template)
	if err != nil {
		t.Fatal(err)
	}
	usual := filepath.Join(dir, "usual.yaml") // an event has no relation
	claims = bytes.Replace(claims, []byte("    relation: ADD_OR_REMOVE_ONE\n"), nil, 1)
	if err := os.WriteFile(usual, claims, 0o666); err != nil {
		t.Fatal(err)
	}
	answers["template"] = asked("", "epsilon", "--delta", "1e-5", usual+"#training") + asked("", "certify", template)
	readme := filepath.Join(dir, "readme.yaml")
	if err := os.WriteFile(readme, readmeClaims(t), 0o666); err != nil {
		t.Fatal(err)
	}
	answers["README"] = asked("", "epsilon", "--delta", "1e-5", readme+"#my-release") + asked("", "certify", readme)
	if python, err := exec.LookPath("python3"); err != nil {
		t.Log("no Python")
	} else {
		ask := exec.Command(python, "-c", "import dpverify; e = dpverify.epsilon('"+training+"', '1e-5'); print(e.quote, e.counted)")
		ask.Env = append(os.Environ(), "PYTHONPATH=../../python")
		out, err := ask.CombinedOutput()
		if err != nil {
			t.Errorf("Python: %v", err)
		}
		answers["Python"] = string(out)
	}
	for where, got := range answers {
		counted := strings.Contains(got, "⌊n/batch⌋ an epoch") || where == "template" // it says how steps are counted
		if !strings.Contains(got, steps) || !regexp.MustCompile(`\b`+regexp.QuoteMeta(quote)+`\b`).MatchString(got) || !counted {
			t.Errorf("%s: %s, want %s and %s", where, got, steps, quote)
		}
	}
}

// readmeClaims is the file of claims that the README shows.
func readmeClaims(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "```yaml\n")
	claims, _, ok := strings.Cut(after, "```")
	if !ok {
		t.Fatal("README.md shows no claims")
	}
	return []byte(claims)
}
