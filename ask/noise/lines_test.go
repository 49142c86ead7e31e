// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package noise

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
)

// Equal seeds make equal bits, other seeds and no seed others; what is no seed is an error.
func TestSource(t *testing.T) {
	bits := func(seed string) string {
		r, err := Source(seed)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 32)
		if _, err := io.ReadFull(r, b); err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	seven, again, unseeded, other := bits("7"), bits("7"), bits(""), bits("")
	if seven != again || seven == bits("8") || unseeded == other || bits("18446744073709551615") == bits("0") {
		t.Error("seeds do not say which bits there are")
	}
	for _, seed := range []string{"-1", "x", "18446744073709551616"} {
		if _, err := Source(seed); err == nil {
			t.Errorf("seed %q", seed)
		}
	}
}

// Lines that were written stay when there are no more, or the time is up.
func TestWriteLines(t *testing.T) {
	var b bytes.Buffer
	full := errors.New("no more")
	n := 0
	err := WriteLines(t.Context(), &b, 9, func() (string, error) {
		if n++; n > 2 {
			return "", full
		}
		return "x", nil
	})
	if !errors.Is(err, full) || b.String() != "x\nx\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := WriteLines(ctx, &b, 9, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
