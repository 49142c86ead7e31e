// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package query

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func collect(ctx context.Context, r io.Reader) []line {
	var out []line
	for l := range lines(ctx, r) {
		out = append(out, l)
	}
	return out
}

func TestLines(t *testing.T) {
	got := collect(t.Context(), strings.NewReader("a\r\n\n  \t\nb\n\nc"))
	want := []line{{number: 1, text: []byte("a")}, {number: 4, text: []byte("b")}, {number: 6, text: []byte("c")}}
	if len(got) != len(want) {
		t.Fatalf("%d lines: %+v", len(got), got)
	}
	for i, w := range want {
		if got[i].number != w.number || string(got[i].text) != string(w.text) || got[i].tooLong || got[i].err != nil {
			t.Errorf("line %d: %+v, want %+v", i, got[i], w)
		}
	}
	if got := collect(t.Context(), strings.NewReader("")); len(got) != 0 {
		t.Errorf("lines of nothing: %+v", got)
	}
}

// A line of 16 MiB is kept and a longer one dropped; the next is read again.
func TestLinesAreBounded(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	got := collect(t.Context(), strings.NewReader(long+"\n"+long+"y\nz\n"+long+"y"))
	if len(got) != 4 {
		t.Fatalf("%d lines", len(got))
	}
	if got[0].tooLong || string(got[0].text) != long {
		t.Errorf("a line of %d bytes has %d, too long: %v", maxLine, len(got[0].text), got[0].tooLong)
	}
	for _, i := range []int{1, 3} {
		if !got[i].tooLong || len(got[i].text) != 0 {
			t.Errorf("a longer line has %d bytes, too long: %v", len(got[i].text), got[i].tooLong)
		}
	}
	if string(got[2].text) != "z" || got[2].number != 3 {
		t.Errorf("the line after it: %+v", got[2])
	}
}

func TestLinesReportFailedReads(t *testing.T) {
	failed := errors.New("failed")
	got := collect(t.Context(), io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(failed)))
	if len(got) != 3 || !errors.Is(got[2].err, failed) {
		t.Errorf("%+v", got)
	}
}

// A read that blocks does not keep the lines from ending.
func TestLinesEndWithTheContext(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if got := collect(ctx, r); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
