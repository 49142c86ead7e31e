// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
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
	for where, got := range answers {
		if !strings.Contains(got, steps) || !strings.Contains(got, quote) || !strings.Contains(got, "⌊n/batch⌋ an epoch") {
			t.Errorf("%s: %s, want %s and %s", where, got, steps, quote)
		}
	}
	dir := t.TempDir()
	asked("", "init", "--dir", dir, "dpsgd")
	asked("", "report", "-o", filepath.Join(dir, "r.html"), filepath.Join(dir, "claims.yaml"))
	text, err := os.ReadFile(filepath.Join(dir, "r.html"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for where, got := range map[string]string{
		"template": asked("", "certify", filepath.Join(dir, "claims.yaml")), "report": string(text),
		"README": asked("version: 1\nclaims: [{id: a, event: \""+training+"\", claim: {epsilon: 1.19, delta: 1e-5}}]", "certify", "-"),
	} {
		if !strings.Contains(got, steps) {
			t.Errorf("%s: %s, want %s", where, got, steps)
		}
	}
	if !strings.Contains(string(readme), `"`+training+`"`) {
		t.Error("README.md has another training")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no Python")
	}
	ask := exec.Command(python, "-c", "import dpverify; e = dpverify.epsilon('"+training+"', '1e-5'); print(e.quote, e.counted)")
	ask.Env = append(os.Environ(), "PYTHONPATH=../../python")
	if got, err := ask.CombinedOutput(); err != nil || !strings.HasPrefix(string(got), quote+" "+steps) {
		t.Errorf("Python: %s, %v", got, err)
	}
}
