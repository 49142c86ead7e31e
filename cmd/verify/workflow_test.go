package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpverify/certify"
)

// The commands of the example workflow run, in their order, on the claims of the
// examples.
func TestWorkflowRuns(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash to run the steps with")
	}
	text, err := os.ReadFile("../../examples/github-workflow.yml")
	if err != nil {
		t.Fatal(err)
	}
	root, err := certify.ParseDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "verify")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	claims := "version: 1\nclaims:\n  - {id: a, event: {class_name: GaussianDpEvent, noise_multiplier: 1}, claim: {epsilon: 1, delta: 0.13}}\n"
	if err := os.WriteFile(filepath.Join(dir, "claims.yaml"), []byte(claims), 0o666); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, step := range root.Get("jobs").Get("claims").Get("steps").Items {
		run := step.Get("run")
		if run == nil || strings.HasPrefix(run.Text, "install ") {
			continue
		}
		ran++
		c := exec.Command("bash", "-e", "-c", run.Text)
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s\n%v\n%s", run.Text, err, out)
		}
	}
	if ran < 3 {
		t.Errorf("%d steps ran", ran)
	}
	for _, name := range []string{"claims.sarif", "claims.xml"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
