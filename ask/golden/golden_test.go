// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package golden

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// directory writes files, by their names.
func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// says is a program that says the same whatever it is asked.
func says(text string) Options {
	run := func(context.Context, string, io.Reader, ...string) ([]byte, error) { return []byte(text), nil }
	return Options{Program: Program{"says", run}, Digits: 100, Timeout: time.Second, Budget: time.Second}
}

const oneCase = `{"provenance": "by hand"}
{"id": "a", "event": {"class_name": "NoOpDpEvent"}, "quantity": "delta", "at": "1", "value": "0.3"}
`

// What an answer has to say to meet a value.
func TestOracle(t *testing.T) {
	dir := directory(t, map[string]string{"oracle/deep/a.jsonl": oneCase})
	for _, c := range []struct{ answer, want string }{
		{`{"lo":"0.29","hi":"0.31","complete":true}`, ""},
		{`{"lo":"0.41","hi":"0.42","complete":true}`, "a: delta(1) is in [0.41, 0.42], and the value from outside is 0.3"},
		{`{"error":"no"}`, "a: no"},
		{`{"lo":"0.29"}`, "a: the answer has no enclosure"},
		{`words`, "a: the answer is no JSON"},
	} {
		r, err := Run(t.Context(), dir, says(c.answer))
		failed := strings.Join(r.Failures, "\n")
		if err != nil || r.Cases != 1 || r.Silent != 1 || !strings.Contains(failed, c.want) || (c.want == "") != (failed == "") {
			t.Errorf("%s: %+v, %v, want %q", c.answer, r, err, c.want)
		}
	}
	r, err := Run(t.Context(), dir, says(`{"lo":"0.29","hi":"0.31","complete":false}`))
	if err != nil || r.Coarse != 1 {
		t.Errorf("an answer that is not complete: %+v, %v", r, err)
	}
	if _, err := Run(t.Context(), dir, says("{}\n{}")); err == nil || err.Error() != "says: 2 answers to 1 questions" {
		t.Errorf("two answers: %v", err)
	}
}

// The questions come from the file, with the digits and the time that are asked for.
func TestQuestions(t *testing.T) {
	dir := directory(t, map[string]string{"oracle/a.jsonl": oneCase})
	var asked []string
	o := says("")
	o.Program.Run = func(_ context.Context, dir string, stdin io.Reader, args ...string) ([]byte, error) {
		data, err := io.ReadAll(stdin)
		asked = append(asked, strings.Join(args, " "), string(data))
		return []byte(`{"lo":"0.3","hi":"0.3","complete":true}`), err
	}
	if _, err := Run(t.Context(), dir, o); err != nil {
		t.Fatal(err)
	}
	want := []string{"query", `{"at":"1","digits":12,"event":{"class_name":"NoOpDpEvent"},"id":0,"quantity":"delta","timeout":1}` + "\n"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// A verdict that was not known is a failure, one that is open is not; snapshots change only if
// they are asked to.
func TestPublished(t *testing.T) {
	dir := directory(t, map[string]string{"published/a.yaml": ""})
	out := `{"claims":[{"id":"x","verdict":"verified","as_expected":true},{"id":"y","verdict":"undecided"},{"id":"z","verdict":"verified","expect":"refuted"}]}`
	o := says(out)
	r, err := Run(t.Context(), dir, o)
	want := []string{": z is verified, and known to be refuted", ": no snapshot; --update writes it"}
	if err != nil || r.Cases != 3 || r.Undecided != 1 || len(r.Failures) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, w := range want {
		if !strings.HasSuffix(r.Failures[i], w) {
			t.Errorf("failure %q, want %q", r.Failures[i], w)
		}
	}
	o.Update = true
	if r, err = Run(t.Context(), dir, o); err != nil || len(r.Updated) != 1 || len(r.Failures) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	other := says(out + "\n")
	if r, err = Run(t.Context(), dir, other); err != nil || len(r.Failures) != 2 || !strings.Contains(r.Failures[1], "first at line 2;") {
		t.Errorf("%+v, %v", r, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "snapshot", "a.json")); err != nil || string(data) != out {
		t.Errorf("the snapshot is %q, %v", data, err)
	}
}

// What cannot be run is an error.
func TestRunFails(t *testing.T) {
	failed := errors.New("failed")
	broken := says("")
	broken.Program.Run = func(context.Context, string, io.Reader, ...string) ([]byte, error) { return nil, failed }
	if _, err := Run(t.Context(), directory(t, map[string]string{"oracle/a.jsonl": oneCase}), broken); !errors.Is(err, failed) {
		t.Errorf("%v, want %v", err, failed)
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing":          {nil, "no golden cases"},
		"an empty file":    {map[string]string{"oracle/a.jsonl": ""}, "a.jsonl: no cases"},
		"no JSON":          {map[string]string{"oracle/a.jsonl": "\n{"}, "a.jsonl:2: column 2: unexpected end of the document"},
		"no quantity":      {map[string]string{"oracle/a.jsonl": `{"value":"1"}`}, "a.jsonl:1: quantity is missing, want a quantity of verify query"},
		"no value":         {map[string]string{"oracle/a.jsonl": `{"quantity":"tv"}`}, "a.jsonl:1: value is missing, want a number"},
		"no claims at all": {map[string]string{"published/a.yaml": ""}, "no claims of"},
	} {
		if _, err := Run(t.Context(), directory(t, c.files), says("{}")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	file := filepath.Join(directory(t, map[string]string{"f": ""}), "f")
	if _, err := Run(t.Context(), file, says("")); err == nil || !strings.Contains(err.Error(), "is not a directory") {
		t.Errorf("a file: %v", err)
	}
	if _, err := Binary(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a program that is not there is no error")
	}
}

// TestNothingIsLeftOut: a file that looks like cases fails where it is not run, and what is none is let alone.
func TestNothingIsLeftOut(t *testing.T) {
	dir := directory(t, map[string]string{
		"oracle/a.jsonl": oneCase, "oracle/README.md": "", "oracle/e/x.txt": "",
		"oracle/b.json": oneCase, "oracle/e/c.JSONL": oneCase, "published/d.yml": "", "published/e/f.yaml": "", "published/g.YAML": "", "published/h.csv": "",
		"snapshot/i.json": "{}", "snapshot/j.txt": "",
	})
	r, err := Run(t.Context(), dir, says(`{"lo":"0.3","hi":"0.31","complete":true}`))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(r.Failures)
	var want []string
	for _, name := range []string{"oracle/b.json", "oracle/e/c.JSONL", "published/d.yml", "published/e/f.yaml", "published/g.YAML", "snapshot/i.json"} {
		want = append(want, filepath.Join(dir, name)+": not run, want ")
	}
	if len(r.Failures) != len(want) || r.Cases != 1 {
		t.Fatalf("%d cases, failures %q", r.Cases, r.Failures)
	}
	for i, f := range r.Failures {
		if !strings.HasPrefix(f, want[i]) {
			t.Errorf("%s, want %s", f, want[i])
		}
	}
}

// TestValuesThatSayNothing: a zero that is not exact would be met by any number below 1, and a rounded value says why
// it fails.
func TestValuesThatSayNothing(t *testing.T) {
	answers := says(`{"lo":"0.2969","hi":"0.2970","complete":true}`)
	for _, value := range []string{"0", "0.000"} {
		dir := directory(t, map[string]string{"oracle/a.jsonl": strings.Replace(oneCase, `"0.3"`, `"`+value+`"`, 1)})
		if _, err := Run(t.Context(), dir, answers); err == nil || !strings.Contains(err.Error(), "value = "+value+", want a digit that is not 0") {
			t.Errorf("%s: %v", value, err)
		}
	}
	dir := directory(t, map[string]string{"oracle/a.jsonl": strings.Replace(oneCase, `"0.3"`, `"0.30"`, 1)})
	if r, err := Run(t.Context(), dir, answers); err != nil || len(r.Failures) != 1 || !strings.HasSuffix(r.Failures[0], "its last digit is rounded, want digits that are cut off") {
		t.Errorf("%+v, %v", r, err)
	}
}
