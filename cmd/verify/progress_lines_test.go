// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A syncBuffer is written and read at the same time.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestProgressLines(t *testing.T) {
	var out syncBuffer
	p := startLines(&out, 7, time.Millisecond, time.Millisecond)
	p.describe("asking")
	p.step()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(out.String(), "asking, 1 of 7, 0s\n"); {
		if time.Now().After(deadline) {
			t.Fatalf("no line that tells the step: %q", out.String())
		}
		time.Sleep(time.Millisecond)
	}
	p.describe("shrinking")
	for deadline := time.Now().Add(10 * time.Second); strings.Count(out.String(), "shrinking, 1 of 7") < 2; {
		if time.Now().After(deadline) {
			t.Fatalf("no second line: %q", out.String())
		}
		time.Sleep(time.Millisecond)
	}
	p.close()
	if bad := regexp.MustCompile(`(?m)^([a-z]*, \d of 7, \ds|)$`).ReplaceAllString(out.String(), ""); strings.TrimSpace(bad) != "" {
		t.Errorf("%q", bad)
	}
}

// What is done quickly is done silently.
func TestProgressLinesAreForLongWork(t *testing.T) {
	var out syncBuffer
	p := startLines(&out, 1, time.Hour, time.Hour)
	p.describe("asking")
	p.step()
	p.close()
	if out.String() != "" {
		t.Errorf("%q", out.String())
	}
}
