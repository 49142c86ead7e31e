// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dpverify/internal/testkit"
)

// TestAdapterProtocol runs small adapters with the module dpverify.audit: the one that
// adapters/README.md shows, and some that refuse or err in every way.
func TestAdapterProtocol(t *testing.T) {
	interpreter, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output() // python3 may be a script that looks for it
	if err != nil {
		t.Skip("no python3 to run adapters with")
	}
	page, err := os.ReadFile("../../adapters/README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```python\n(.*?)```").FindStringSubmatch(string(page))
	if shown == nil {
		t.Fatal("adapters/README.md shows no adapter")
	}
	packages, err := filepath.Abs("../../python")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("accountant/__init__.py", "def ask(event):\n    raise TypeError('no ' + event['class_name'])\n")
	write("suite.jsonl", `{"id":"a","event":{"class_name":"SelfComposedDpEvent","count":3,"event":{"class_name":"GaussianDpEvent","noise_multiplier":"2"}},"quantity":"epsilon","at":"1e-5"}
{"id":"b","event":{"class_name":"LaplaceDpEvent","noise_multiplier":"2"},"quantity":"epsilon","at":"1e-5"}
{"id":"c","event":{"class_name":"GaussianDpEvent","noise_multiplier":"2"},"quantity":"delta","at":"1"}
`)
	const begin, end = "import accountant\nfrom dpverify.audit import *\ndef answer(event, relation, quantity, at):\n    ", "\nserve(answer)\n"
	for _, test := range testkit.Few(4, []struct {
		name, adapter string
		status        int
		want          []string
	}{
		{"shown", shown[1], 0, []string{"1 sound, 0 unsound", "2 refused", "1 refused       LaplaceDpEvent (first b)", "1 refused       quantity delta (first c)"}},
		{"mistake", begin + "return {'upper': accountant.Ask(event)}" + end, 2,
			[]string{"3 adapter error", "3 adapter error AttributeError: module 'accountant' has no attribute 'Ask' (adapter.py:4) (first a)"}},
		{"missing field", begin + "return {'upper': number(event['sigma'])}" + end, 2, []string{"3 adapter error KeyError: 'sigma' (adapter.py:4)"}},
		{"missing module", begin + "import dp_acounting" + end, 2, []string{"3 adapter error ModuleNotFoundError: No module named 'dp_acounting' (adapter.py:4)"}},
		// What another file raises is a mistake, unless the adapter says that it refuses so.
		{"type error", begin + "accountant.ask(event)" + end, 2, []string{"1 adapter error TypeError: no GaussianDpEvent (__init__.py:2) (first c)"}},
		{"refusal", begin + "accountant.ask(event)\nserve(answer, refusals=TypeError)", 3, []string{"3 refused", "TypeError: no LaplaceDpEvent (first b)"}},
		{"own type error", begin + "return 1 + event\nserve(answer, refusals=TypeError)", 2, []string{"3 adapter error TypeError: unsupported operand"}},
		{"value error", begin + "raise ValueError('no')" + end, 3, []string{"3 refused       ValueError: no (first a)"}},
	}) {
		write("adapter.py", test.adapter)
		c := exec.Command("verify", "audit", "--suite", "suite.jsonl", "--cases", "0", "--processes", "1", "--", strings.TrimSpace(string(interpreter)), "adapter.py")
		c.Dir, c.Env = dir, append(os.Environ(), "PYTHONPATH="+packages, "PYTHONDONTWRITEBYTECODE=1")
		out, _ := c.CombinedOutput()
		if got := c.ProcessState.ExitCode(); got != test.status {
			t.Errorf("%s: exit status %d, want %d:\n%s", test.name, got, test.status, out)
		}
		for _, w := range test.want {
			if !strings.Contains(string(out), w) {
				t.Errorf("%s: no %q:\n%s", test.name, w, out)
			}
		}
	}
}
