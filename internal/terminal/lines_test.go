// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestProgressLines(t *testing.T) {
	var out lockedBuffer
	p := startLines(&out, 7, time.Millisecond, time.Millisecond)
	p.Describe("asking")
	p.Step()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(out.String(), "asking, 1 of 7, 0s\n"); {
		if time.Now().After(deadline) {
			t.Fatalf("no line that tells the step: %q", out.String())
		}
		time.Sleep(time.Millisecond)
	}
	p.Describe("shrinking")
	for deadline := time.Now().Add(10 * time.Second); strings.Count(out.String(), "shrinking, 1 of 7") < 2; {
		if time.Now().After(deadline) {
			t.Fatalf("no second line: %q", out.String())
		}
		time.Sleep(time.Millisecond)
	}
	p.Close()
	if bad := regexp.MustCompile(`(?m)^([a-z]*, \d of 7, \ds|)$`).ReplaceAllString(out.String(), ""); strings.TrimSpace(bad) != "" {
		t.Errorf("%q", bad)
	}
}

// What is done quickly is done silently.
func TestProgressLinesAreForLongWork(t *testing.T) {
	var out lockedBuffer
	p := startLines(&out, 1, time.Hour, time.Hour)
	p.Describe("asking")
	p.Step()
	p.Close()
	if out.String() != "" {
		t.Errorf("%q", out.String())
	}
	few, many := NewSteps(&out, 19, 20), NewSteps(&out, 20, 20)
	defer few.Close()
	defer many.Close()
	if _, lines := few.(*Lines); lines {
		t.Error("19 steps are few, but are told of in lines")
	}
	if _, lines := many.(*Lines); !lines {
		t.Error("20 steps are many, but are not told of in lines")
	}
}
