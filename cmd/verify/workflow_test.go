// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dpverify/internal/document"
	"dpverify/internal/testkit"
)

// A project is a repository that uses the example workflow, with a built verify.
type project struct{ dir, paths string }

// newProject returns a project with these claims.
func newProject(t *testing.T, binary, claims string) project {
	t.Helper()
	p := project{dir: t.TempDir()}
	p.paths = filepath.Join(t.TempDir(), "github-path")
	p.write(t, "claims.yaml", claims)
	// The step that builds the program meets a go that has built it: go build -trimpath -o PATH.
	p.write(t, ".dpverify/go.mod", "module dpverify\n")
	p.write(t, ".go/go", "#!/bin/sh\nmkdir -p \"${4%/*}\" && cp '"+binary+"' \"$4\"\n")
	if err := os.Chmod(filepath.Join(p.dir, ".go/go"), 0o777); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p project) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (p project) read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// command runs a command as a step of the workflow does: bash -e in the root of the
// repository, with the directories on the PATH that earlier steps have put there.
func (p project) command(t *testing.T, script string) (output string, ok bool) {
	t.Helper()
	path := "/usr/bin:/bin:" + filepath.Join(p.dir, ".go")
	if added, err := os.ReadFile(p.paths); err == nil {
		path = strings.Join(append(slices.Collect(strings.FieldsSeq(string(added))), path), string(os.PathListSeparator))
	}
	c := exec.Command("bash", "-e", "-c", script)
	c.Dir = p.dir
	c.Env = []string{"PATH=" + path, "GITHUB_PATH=" + p.paths, "HOME=" + p.dir, "RUNNER_TEMP=" + filepath.Join(p.dir, ".runner")}
	out, err := c.CombinedOutput()
	return string(out), err == nil
}

// A jobRun is what the workflow does: the output of each step that ran, by its name, and
// which of them failed.
type jobRun struct {
	outputs map[string]string
	failed  []string
}

// run runs the commands of all steps, in order. After a failure only steps with
// if: always() run.
func (p project) run(t *testing.T, steps []*document.Node) jobRun {
	t.Helper()
	r := jobRun{outputs: make(map[string]string)}
	for _, step := range steps {
		script := step.Get("run")
		always := step.Get("if") != nil && step.Get("if").Text == "always()"
		if script == nil || len(r.failed) > 0 && !always {
			continue
		}
		name := step.Get("name").Text
		out, ok := p.command(t, script.Text)
		r.outputs[name] = out
		if !ok {
			r.failed = append(r.failed, name)
		}
	}
	return r
}

// workflowSteps returns the steps of the example workflow.
func workflowSteps(t *testing.T) []*document.Node {
	t.Helper()
	text, err := os.ReadFile("../../examples/github-workflow.yml")
	if err != nil {
		t.Fatal(err)
	}
	root, err := document.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	steps := root.Get("jobs").Get("claims").Get("steps").Items
	if len(steps) == 0 {
		t.Fatal("the workflow has no steps")
	}
	return steps
}

// buildVerify builds the program as a user does, under DPVERIFY_LONG; else the test binary
// stands for it.
func buildVerify(t *testing.T) string {
	t.Helper()
	if os.Getenv("DPVERIFY_LONG") == "" {
		self, err := exec.LookPath("verify")
		if err != nil {
			t.Fatal(err)
		}
		return self
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go to build with")
	}
	binary := filepath.Join(t.TempDir(), "verify")
	c := exec.Command("go", "build", "-o", binary, ".")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

const (
	goodClaim      = "  - {id: good, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 0.13}}\n"
	falseClaim     = "  - {id: wrong, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 0.12}}\n"
	otherFalse     = "  - {id: worse, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}, claim: {epsilon: 0.5, delta: 0}}\n"
	openClaim      = "  - {id: open, event: {class_name: GaussianDpEvent, noise_multiplier: {lo: 0.9, hi: 1.1}}, claim: {epsilon: 1, delta: 0.127}}\n"
	malformedClaim = "  - {id: odd, event: {class_name: GaussianDpEvent, noise_multiplier: -1}, claim: {epsilon: 1, delta: 0.12}}\n"
	claimsHead     = "version: 1\nclaims:\n"
)

// The example workflow, command by command, in another project with a built verify: it
// fails if and only if a claim does, and leaves what it uploads in either case.
func TestWorkflow(t *testing.T) {
	if testing.Short() {
		t.Skip("runs another binary, for the whole suite")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash to run the steps with")
	}
	const decide, second, golden = "Decide the claims, with annotations at their lines", "A second opinion on what was decided", "Golden cases"
	steps, binary := workflowSteps(t), buildVerify(t)
	baseline := func(claims string) func(*testing.T, project) {
		return func(t *testing.T, p project) {
			old := newProject(t, binary, claimsHead+claims)
			old.command(t, binary+" certify --format json -o baseline.json claims.yaml")
			p.write(t, "baseline.json", string(old.read(t, "baseline.json")))
		}
	}
	goldenCase := func(value string) func(*testing.T, project) {
		return func(t *testing.T, p project) {
			p.write(t, "privacy/golden/oracle/own.jsonl", `{"id":"own","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"},"quantity":"delta","at":"1","value":"`+value+`"}`+"\n")
		}
	}
	for _, test := range testkit.Few(5, []struct {
		name, claims string
		prepare      func(*testing.T, project)
		failed       []string
		annotations  []string // levels and lines
		results      []string // of SARIF: levels of what is not as expected
		junit        [4]int   // tests, failures, errors, skipped
		certificates int
	}{
		{name: "all true", claims: goodClaim, junit: [4]int{1, 0, 0, 0}, certificates: 1},
		{name: "one false", claims: goodClaim + falseClaim, failed: []string{decide},
			annotations: []string{"error 4"}, results: []string{"error"}, junit: [4]int{2, 1, 0, 0}, certificates: 2},
		{name: "one open", claims: goodClaim + openClaim, failed: []string{decide},
			annotations: []string{"warning 4"}, results: []string{"warning"}, junit: [4]int{2, 0, 0, 1}, certificates: 1},
		{name: "nothing decided", claims: openClaim, failed: []string{decide},
			annotations: []string{"warning 3"}, results: []string{"warning"}, junit: [4]int{1, 0, 0, 1}},
		{name: "one malformed", claims: goodClaim + malformedClaim, failed: []string{decide},
			annotations: []string{"error 4"}, results: []string{"error"}, junit: [4]int{2, 0, 1, 0}, certificates: 1},
		{name: "known failure", claims: goodClaim + falseClaim, prepare: baseline(falseClaim),
			annotations: []string{"notice 4"}, results: []string{"error"}, junit: [4]int{2, 1, 0, 0}, certificates: 2},
		{name: "known and new failure", claims: goodClaim + falseClaim + otherFalse, prepare: baseline(falseClaim), failed: []string{decide},
			annotations: []string{"notice 4", "error 5"}, results: []string{"error", "error"}, junit: [4]int{3, 2, 0, 0}, certificates: 3},
		{name: "golden case", claims: goodClaim, prepare: goldenCase("0.1269367375"), junit: [4]int{1, 0, 0, 0}, certificates: 1},
		{name: "failing golden case", claims: goodClaim, prepare: goldenCase("0.1269367376"), failed: []string{golden}, junit: [4]int{1, 0, 0, 0}, certificates: 1},
	}) {
		t.Run(test.name, func(t *testing.T) {
			p := newProject(t, binary, claimsHead+test.claims)
			if test.prepare != nil {
				test.prepare(t, p)
			}
			r := p.run(t, steps)
			if !slices.Equal(r.failed, test.failed) {
				t.Errorf("failed steps %q, want %q: %q", r.failed, test.failed, r.outputs)
			}
			var annotations []string
			for _, m := range regexp.MustCompile(`(?m)^::(\w+) file=claims\.yaml,line=(\d+),`).FindAllStringSubmatch(r.outputs[decide], -1) {
				annotations = append(annotations, m[1]+" "+m[2])
			}
			if !slices.Equal(annotations, test.annotations) {
				t.Errorf("annotations %q, want %q: %s", annotations, test.annotations, r.outputs[decide])
			}
			if n := strings.Count(r.outputs[second], "CONFIRMED"); n != test.certificates {
				t.Errorf("%d certificates are confirmed, want %d: %s", n, test.certificates, r.outputs[second])
			}
			if results := sarifLevels(t, p.read(t, "claims.sarif")); !slices.Equal(results, test.results) {
				t.Errorf("SARIF has %q, want %q", results, test.results)
			}
			if got := junitCounts(t, p.read(t, "claims.xml")); got != test.junit {
				t.Errorf("JUnit has %d tests, failures, errors and skipped, want %d", got, test.junit)
			}
			for _, path := range uploads(steps) {
				if _, err := os.Stat(filepath.Join(p.dir, path)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// sarifLevels returns the levels of all results that are not passes.
func sarifLevels(t *testing.T, data []byte) []string {
	t.Helper()
	var log struct {
		Runs []struct {
			Results []struct{ Kind, Level string }
		}
	}
	if err := json.Unmarshal(data, &log); err != nil || len(log.Runs) != 1 {
		t.Fatalf("%d runs, %v", len(log.Runs), err)
	}
	var levels []string
	for _, r := range log.Runs[0].Results {
		if r.Kind != "pass" {
			levels = append(levels, r.Level)
		}
	}
	return levels
}

func junitCounts(t *testing.T, data []byte) [4]int {
	t.Helper()
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	if err := xml.Unmarshal(data, &suites); err != nil {
		t.Fatal(err)
	}
	return [4]int{suites.Tests, suites.Failures, suites.Errors, suites.Skipped}
}

// uploads returns the paths that the workflow uploads.
func uploads(steps []*document.Node) []string {
	var paths []string
	for _, step := range steps {
		for _, field := range []string{"sarif_file", "path"} {
			if with := step.Get("with"); with != nil && with.Get(field) != nil {
				paths = slices.AppendSeq(paths, strings.FieldsSeq(with.Get(field).Text))
			}
		}
	}
	return paths
}
