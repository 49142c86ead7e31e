// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dpverify/mechanism"
)

// TestLocked: of many who read a ledger and append to it, each sees what the others have appended, and no lock is left.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil { // without an end of the line
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := Locked(t.Context(), path, time.Minute, func() error {
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				return Append(path, fmt.Appendln(nil, len(strings.Split(strings.TrimSpace(string(data)), "\n"))))
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(path)
	if err != nil || string(data) != "{}\n1\n2\n3\n4\n5\n6\n7\n8\n" {
		t.Errorf("%q, %v", data, err)
	}
	failed := errors.New("failed")
	if err := Locked(t.Context(), path, 0, func() error { return failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock is left: %v", err)
	}
}

// TestLockOfAnother: an error says whose the lock is and what to do, and an interruption ends the wait.
func TestLockOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	if err := os.WriteFile(path+".lock", []byte("process 7 since then\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	never := func() error { t.Error("it runs"); return nil }
	err := Locked(t.Context(), path, 0, never)
	if err == nil || !strings.HasSuffix(err.Error(), "ledger.jsonl.lock is there: process 7 since then has the ledger; "+
		"remove the file if that has ended") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Locked(ctx, path, time.Hour, never); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := Append(path, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a ledger that is not there: %v", err)
	}
}

// TestNewLines: a short form and an object are one line each, which reads back as it was read.
func TestNewLines(t *testing.T) {
	before := []Line{{Number: 6}}
	for input, want := range map[string]string{
		" gaussian(1) * 3\n":                      `{"event":"gaussian(1) * 3"}`,
		"{\"id\": 1,\n\"event\": \"laplace(2)\"}": `{"id":1,"event":"laplace(2)"}`,
		gauss: `{"class_name":"GaussianDpEvent","noise_multiplier":10}`,
	} {
		l, text, err := ParseNew(input, before, mechanism.Decoder{})
		if err != nil || l.Number != 7 || string(text) != want+"\n" {
			t.Errorf("%q: %+v, %q, %v, want %s", input, l, text, err, want)
		}
	}
	for _, input := range []string{"", "gauss(1)", "{", `{"id": 1}`, "{} {}"} {
		if _, _, err := ParseNew(input, nil, mechanism.Decoder{}); err == nil || !strings.HasPrefix(err.Error(), "--add:") {
			t.Errorf("%q: %v", input, err)
		}
	}
}
