// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build unix

package cost

import (
	"runtime"
	"testing"
	"time"
)

// TestCostsGrow: work takes processor time, and memory that is used counts.
func TestCostsGrow(t *testing.T) {
	data := make([]byte, 64<<20)
	for i := range data {
		data[i] = 1
	}
	used := CPU()
	for deadline := time.Now().Add(10 * time.Second); CPU() <= used; {
		for i := range data {
			data[i]++
		}
		if time.Now().After(deadline) {
			t.Fatal("no processor time is counted")
		}
	}
	if p := PeakMemory(); p < int64(len(data)) {
		t.Errorf("at most %d bytes at once, with %d in use", p, len(data))
	}
	runtime.KeepAlive(data)
}
