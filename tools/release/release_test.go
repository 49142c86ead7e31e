// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpverify/internal/testkit"
)

// unzip returns the files of a zip file, and which of them are executable.
func unzip(t *testing.T, data []byte) (files map[string]string, executable map[string]bool) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files, executable = make(map[string]string), make(map[string]bool)
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name], executable[f.Name] = string(text), f.Mode()&0o111 != 0
	}
	return files, executable
}

// TestWheel: a wheel of each platform has the package, the vectors, the program and a RECORD that
// is true of all of them.
func TestWheel(t *testing.T) {
	for _, p := range testkit.Few(2, platforms) {
		files, err := wheel(os.DirFS("../.."), "1.2.3", p, []byte("program"))
		if err != nil {
			t.Fatal(err)
		}
		data, err := zipped(files)
		if err != nil {
			t.Fatal(err)
		}
		again, err := zipped(files)
		if err != nil || !bytes.Equal(data, again) {
			t.Errorf("%s: two wheels of the same files differ, %v", p, err)
		}
		have, executable := unzip(t, data)
		const info = "dpverify-1.2.3.dist-info/"
		for _, name := range []string{"dpverify/__init__.py", "dpverify/audit.py", "dpverify/py.typed", "dpverify/pytest_plugin.py", "dpverify/vectors/v1/gaussian_delta.json", info + "licenses/LICENSE"} {
			if _, ok := have[name]; !ok || executable[name] {
				t.Errorf("%s: %s is not there as a plain file", p, name)
			}
		}
		program := "dpverify/bin/" + p.exe("verify")
		if have[program] != "program" || !executable[program] {
			t.Errorf("%s: %s is not there as a program", p, program)
		}
		rows, err := csv.NewReader(strings.NewReader(have[info+"RECORD"])).ReadAll()
		if err != nil || len(rows) != len(have) {
			t.Fatalf("%s: RECORD has %d rows for %d files, %v", p, len(rows), len(have), err)
		}
		for _, row := range rows {
			sum := sha256.Sum256([]byte(have[row[0]]))
			want := []string{row[0], "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]), fmt.Sprint(len(have[row[0]]))}
			if row[0] == info+"RECORD" {
				want = []string{row[0], "", ""}
			}
			if strings.Join(row, ",") != strings.Join(want, ",") {
				t.Errorf("%s: RECORD says %v, want %v", p, row, want)
			}
		}
		if name := wheelName("1.2.3", p); strings.Count(name, "-") != 4 || !strings.HasSuffix(name, ".whl") {
			t.Errorf("%s: the name %s", p, name)
		}
		if got, want := strings.Count(have[info+"WHEEL"], "Tag: py3-none-"), strings.Count(tags[p], ".")+1; got != want {
			t.Errorf("%s: %d tags, want %d", p, got, want)
		}
	}
}

func TestPythonVersion(t *testing.T) {
	for described, want := range map[string]string{
		"v1.2.3":                       "1.2.3",
		"v1.2.3-dirty":                 "1.2.3+dirty",
		"v1.2.3-4-gabcdef123456":       "1.2.3.post4+gabcdef123456",
		"v1.2.3-4-gabcdef123456-dirty": "1.2.3.post4+gabcdef123456.dirty",
		"v1.2.0-rc.1":                  "1.2.0rc1",
		"v1.2.0-rc.1-10-gabcdef123456": "1.2.0rc1.post10+gabcdef123456",
		"abcdef123456":                 "0+gabcdef123456",
		"abcdef123456-dirty":           "0+gabcdef123456.dirty",
	} {
		if got := pythonVersion(described); got != want {
			t.Errorf("%s: %s, want %s", described, got, want)
		}
	}
}

func TestManual(t *testing.T) {
	got := manual("verify-x", "v1", "Do x\n\n.dot 'a'\n  verify x --flag C:\\x\n")
	for _, want := range []string{".TH VERIFY-X 1", "verify-x \\- Do x", "\n\\&.dot 'a'\n", `\-\-flag C:\ex`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// long skips a test that builds programs.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("builds programs; DPVERIFY_LONG=1 runs it")
	}
}

// sameRelease fails unless two directories hold the same files, and the checksums are theirs.
func sameRelease(t *testing.T, first, second string, least int) {
	t.Helper()
	names, err := os.ReadDir(first)
	if err != nil {
		t.Fatal(err)
	}
	others, err := os.ReadDir(second)
	if err != nil || len(others) != len(names) {
		t.Fatalf("%d files and %d, %v", len(names), len(others), err)
	}
	sums, err := os.ReadFile(filepath.Join(first, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(sums, []byte("\n")); got != len(names)-1 || got < least {
		t.Errorf("%d checksums for %d files, want at least %d", got, len(names)-1, least)
	}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		for _, out := range []string{first, second} {
			data, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != sum {
				t.Errorf("%s: %s, want %s", filepath.Join(out, name), got, sum)
			}
		}
	}
}

// elsewhere copies the sources into another directory, with other times. The version is
// still the version of this repository.
func elsewhere(t *testing.T) string {
	t.Helper()
	git := func(arguments ...string) string {
		c := exec.Command("git", arguments...)
		c.Dir = "../.."
		out, err := c.Output()
		if err != nil {
			t.Skipf("no repository here: %v", err)
		}
		return string(out)
	}
	dir := filepath.Join(t.TempDir(), "a longer name", "of a folder")
	for name := range strings.SplitSeq(strings.TrimSuffix(git("ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o600)
		if info, err := os.Stat(filepath.Join("../..", name)); err == nil && info.Mode()&0o111 != 0 {
			mode = 0o700
		}
		if err := os.WriteFile(to, data, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_DIR", strings.TrimSpace(git("rev-parse", "--absolute-git-dir")))
	return dir
}

// TestVectorsAreReproducible: archives do not depend on where and when they are made.
func TestVectorsAreReproducible(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	if err := build("../..", first, "vectors", true); err != nil {
		t.Fatal(err)
	}
	if err := build(elsewhere(t), second, "vectors", true); err != nil {
		t.Fatal(err)
	}
	sameRelease(t, first, second, 1)
}

// TestChecksumsOfEarlierRuns: parts that are built one after the other are all listed, as if they had been built at
// once; a file that is gone is not, and one that was changed is an error.
func TestChecksumsOfEarlierRuns(t *testing.T) {
	dir := t.TempDir()
	list := func(files map[string][]byte) string {
		t.Helper()
		data, err := checksums(dir, files)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, sums), data, 0o666); err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	line := func(name, text string) string { return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name) }
	list(map[string][]byte{"b": []byte("1"), "c": []byte("2")})
	if got, want := list(map[string][]byte{"a": []byte("3"), "b": []byte("4")}), line("a", "3")+line("b", "4")+line("c", "2"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if got, want := list(nil), line("a", "3")+line("c", "2"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for name, text := range map[string]string{"a": "5", sums: line("../a", "3")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := checksums(dir, nil); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReleaseIsReproducible: two runs in different directories, which share no compiled package,
// give the same bytes for this platform.
func TestReleaseIsReproducible(t *testing.T) {
	long(t)
	first, second := t.TempDir(), t.TempDir()
	if err := build("../..", first, "", true); err != nil {
		t.Fatal(err)
	}
	dir := elsewhere(t)
	t.Setenv("GOCACHE", t.TempDir())
	if err := build(dir, second, "", true); err != nil {
		t.Fatal(err)
	}
	sameRelease(t, first, second, 5)
}

// TestAllPlatformsAreReproducible: so do two runs for all platforms, which may share packages.
func TestAllPlatformsAreReproducible(t *testing.T) {
	long(t)
	first, second := t.TempDir(), t.TempDir()
	if err := build("../..", first, "", false); err != nil {
		t.Fatal(err)
	}
	if err := build(elsewhere(t), second, "", false); err != nil {
		t.Fatal(err)
	}
	sameRelease(t, first, second, 2*len(platforms)+3)
}

// python is Debian's, which has pytest and venv.
func python(t *testing.T) string {
	t.Helper()
	for _, p := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(p, "-c", "import pytest, venv, ensurepip").Run() == nil {
			return p
		}
	}
	t.Skip("no python3 with pytest and venv")
	return ""
}

// TestPythonTypes: a checker of types finds nothing wrong, as for Python 3.9.
func TestPythonTypes(t *testing.T) {
	long(t)
	mypy, err := exec.LookPath("mypy")
	if err != nil {
		t.Skip("no mypy here: on Debian, apt-get install mypy")
	}
	c := exec.Command(mypy, "--strict", "--python-version", "3.9", "--cache-dir", t.TempDir(), "dpverify")
	c.Dir = "../../python"
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", c, err, out)
	}
}

// TestPythonPackage runs the tests of the package on its sources with the program of this tree. TestWheelInstalls,
// which .ci/run has as a step, runs the same tests.
func TestPythonPackage(t *testing.T) {
	long(t)
	interpreter := python(t)
	dir := t.TempDir()
	verify := filepath.Join(dir, host().exe("verify"))
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", verify, "../../cmd/verify").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runTests(t, interpreter, "DPVERIFY_BINARY="+verify, "PYTHONPATH="+absolute(t, "../../python"))
}

// TestWheelInstalls: in a fresh environment, without a network, `pip install ./python` builds the wheel and installs
// it, its tests pass with the program inside, and so does the program.
func TestWheelInstalls(t *testing.T) {
	t.Parallel()
	long(t)
	interpreter := python(t)
	env := filepath.Join(t.TempDir(), "env")
	bin := func(name string) string { return filepath.Join(env, "bin", name) }
	for _, c := range []*exec.Cmd{
		exec.Command(interpreter, "-m", "venv", "--system-site-packages", env),
		exec.Command(bin("pip"), "install", "--no-index", "--disable-pip-version-check", absolute(t, "../../python")),
		exec.Command(bin("dpverify"), "version"),
	} {
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c, err, out)
		}
	}
	runTests(t, bin("python"), "DPVERIFY_BINARY=", "PYTHONPATH=")
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	p, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runTests runs the tests of the Python package.
func runTests(t *testing.T, interpreter string, env ...string) {
	t.Helper()
	c := exec.Command(interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider", absolute(t, "../../python/tests"))
	c.Dir = t.TempDir()
	c.Env = append(append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1"), env...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", c, err, out)
	}
}
