// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package atomicfile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A file is replaced, a link stays a link, and what is no regular file is written into.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.Symlink("file", link); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	for _, path := range []string{link, file, link, file} { // at first, the link has no target
		if err := Check(path); err != nil {
			t.Error(err)
		}
		if err := Write(path, []byte(path)); err != nil {
			t.Error(err)
		}
		if data, err := os.ReadFile(file); err != nil || string(data) != path {
			t.Errorf("%q, %v, want %q", data, err, path)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is replaced: %v", err)
	}
	if err := Check(dir); err == nil || !strings.Contains(err.Error(), "is a directory, want a file to write") {
		t.Errorf("a directory: %v", err)
	}
	if err := Write(dir, nil); err == nil || !strings.Contains(err.Error(), "is a directory, want a file to write") {
		t.Errorf("a directory: %v", err)
	}
	for _, missing := range []string{filepath.Join(dir, "none", "x"), filepath.Join(file, "x")} {
		if err := Check(missing); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v", missing, err)
		}
	}
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip("no pipes: ", err)
	}
	got := make(chan string)
	go func() {
		data, _ := os.ReadFile(pipe)
		got <- string(data)
	}()
	if err := errors.Join(Check(pipe), Write(pipe, []byte("through"))); err != nil {
		t.Error(err)
	}
	if text := <-got; text != "through" {
		t.Errorf("the pipe has %q", text)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 3 {
		t.Errorf("files %v, %v", files, err)
	}
}

// An error is about the file, not about the temporary one beside it.
func TestErrorsNameTheFile(t *testing.T) {
	temporary, path := filepath.Join(t.TempDir(), "none", ".x.123"), "x"
	_, opening := os.ReadFile(temporary)
	for _, err := range []error{opening, os.Rename(temporary, temporary+"4")} {
		if got := naming(path, err); got == nil || strings.Contains(got.Error(), temporary) || !strings.HasPrefix(got.Error(), "write x: ") {
			t.Errorf("%v, want write x: …", got)
		}
	}
	if err := naming(path, nil); err != nil {
		t.Error(err)
	}
}
