// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// A lockedBuffer may be written and read at once.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestProgressShowsLongWork(t *testing.T) {
	var out lockedBuffer
	p := startProgress(&out, 4, time.Millisecond)
	p.Describe("deciding claims")
	p.Step()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(out.String(), "(1/4)"); {
		if time.Now().After(deadline) {
			t.Fatalf("nothing is shown: %q", out.String())
		}
		time.Sleep(time.Millisecond)
	}
	if err := p.Aside(func() error { _, err := out.Write([]byte("\rVERIFIED\n")); return err }); err != nil {
		t.Fatal(err)
	}
	p.Step()
	p.Close()
	got := out.String()
	if !strings.Contains(got, "deciding claims, ") || !strings.Contains(got, "(2/4)") {
		t.Errorf("%q", got)
	}
	// The bar is gone: the last thing drawn is a blank line.
	if i := strings.LastIndex(strings.TrimRight(got, "\r"), "\r"); strings.TrimSpace(got[i:]) != "" {
		t.Errorf("the bar stays: %q", got[i:])
	}
}

func TestProgressIsSilentAboutShortWork(t *testing.T) {
	var out lockedBuffer
	p := startProgress(&out, 2, time.Hour)
	p.Step()
	p.Step()
	p.Close()
	if got := out.String(); got != "" {
		t.Errorf("%q", got)
	}
}

func TestProgressIsSilentWithoutATerminal(t *testing.T) {
	var out lockedBuffer
	p := NewProgress(&out, 2)
	p.Describe("x")
	p.Step()
	printed := false
	if err := p.Aside(func() error { printed = true; return nil }); err != nil || !printed {
		t.Errorf("printed: %v, %v", printed, err)
	}
	p.Close()
	if out.String() != "" {
		t.Errorf("progress on a buffer: %q", out.String())
	}
}
