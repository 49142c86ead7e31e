// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"dpverify/internal/cli"
)

// fullDisk is an output with no space left.
type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// Every command whose output could not be written fails and says so, and so does the help
// of every command and topic.
func TestUnwritableOutputIsAFailure(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{
		"c.yaml":                "version: 1\nclaims:\n  - {id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 0.12}, expect: refuted}\n",
		"wrong.yaml":            "version: 1\nclaims:\n  - {id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 0.12}}\n",
		"cert.json":             `{"version":2,"id":"gauss","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"},"relation":"ADD_OR_REMOVE_ONE","direction":"both","claim":{"epsilon":"1","delta":"0.13"},"sha256":"2f8b8ff86802e7216a86c77b01f2d678ed5699ab029f2482a62a3cfc502d0412","verdict":"verified","delta":{"lo":"0.12693673750664394580","hi":"0.12693673750664394581"},"epsilon":{"lo":"0.983263376549871","hi":"0.983263376550543"},"methods":["gaussian"],"effort":0,"precision":64,"notes":[]}`,
		"opacus":                "[[1, 0.01, 10]]",
		"ledger.jsonl":          `{"class_name": "GaussianDpEvent", "noise_multiplier": "1"}` + "\n",
		"golden/oracle/a.jsonl": `{"id": "a", "event": {"class_name": "LaplaceDpEvent", "noise_multiplier": "1"}, "quantity": "epsilon", "at": "0", "value": "1", "exact": true}` + "\n",
	}
	if err := os.MkdirAll("golden/oracle", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if status := run(t.Context(), []string{"certify", "--format", "json", "-o", "result.json", "c.yaml"}, nil, io.Discard, io.Discard); status != cli.StatusOK {
		t.Fatalf("no result to merge: exit status %d", status)
	}
	const event, unknown = "{class_name: GaussianDpEvent, noise_multiplier: 1}", `{class_name: GaussianDpEvent, noise_multiplier: "?"}`
	// What prints something in no time, for every command.
	quick := map[string][]string{
		"buckets":    {"--epsilon", "1", "--buckets", "100", event},
		"calibrate":  {"--epsilon", "1", "--delta", "1e-5", unknown},
		"certify":    {"c.yaml"},
		"check":      {"cert.json"},
		"compare":    {"--delta", "1e-5", event},
		"completion": {"bash"},
		"curve":      {"--points", "2", event},
		"convert":    {"--to", "delta", "--at", "1", event},
		"delta":      {"--epsilon", "1", event},
		"dominates":  {event, event},
		"epsilon":    {"--delta", "1e-5", event},
		"golden":     nil, // these two start programs
		"audit":      nil,
		"help":       {"certify"},
		"import":     {"opacus", "--epsilon", "1", "--delta", "1e-5", "opacus"},
		"gdp":        {"--alpha-min", "0.1", event},
		"init":       {"--dir", "project", "dpsgd"},
		"learn":      {"--epsilon", "1", "--delta", "0.3", "--range", "2", "--cell", "1", "--output", "noise.yaml"},
		"ledger":     {"--delta", "1e-5", "ledger.jsonl"},
		"mechanisms": {},
		"measure":    {"--counts", "9,1,10,10"},
		"merge":      {"result.json"},
		"plot":       {"--points", "2", "--output", "p.svg", event},
		"query":      {},
		"renyi":      {"--order", "2", event},
		"report":     nil, // prints nothing
		"reproduce":  {"1-fig1"},
		"sample":     {"--count", "1", "{class_name: AdditiveNoiseEvent, kind: lattice, cell: 1, probabilities: [0.25, 0.5, 0.25], sensitivity: 1}"},
		"selftest":   {"--epsilon", "1", event},
		"tradeoff":   {"--alpha", "0.5", event},
		"vectors":    {"check", "--one-in", "1000000"},
		"version":    {},
		"witness":    {"--epsilon", "1", "--relation", "REPLACE_ONE", "randomized_response(0.5, 3)"},
	}
	fails := func(args ...string) {
		t.Helper()
		var stderr bytes.Buffer
		stdin := strings.NewReader(`{"id":1,"event":{"class_name":"LaplaceDpEvent","noise_multiplier":2},"quantity":"tv"}` + "\n")
		if status := run(t.Context(), args, stdin, fullDisk{}, &stderr); status != cli.StatusFailed || !strings.Contains(stderr.String(), errFull.Error()) {
			t.Errorf("verify %s: exit status %d, standard error %q", strings.Join(args, " "), status, stderr.String())
		}
	}
	fails("--help")
	fails("--version")
	fails("certify", "wrong.yaml") // not status 1, which would say that the verdict could be read
	fails("certify", "--format", "json", "c.yaml")
	root := newRoot()
	cli.AddCompletion(root, failedHelp)
	for _, c := range root.Commands() {
		fails("help", c.Name())
		fails(c.Name(), "--help")
		args, ok := quick[c.Name()]
		switch {
		case !c.Runnable() || !c.HasAvailableFlags() && !ok:
			fails(c.Name())
		case !ok:
			t.Errorf("no command line for verify %s here", c.Name())
		case args != nil:
			fails(append([]string{c.Name()}, args...)...)
		}
	}
}
