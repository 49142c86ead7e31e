// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !unix

package main

import (
	"runtime"
	"time"
)

var processStart = time.Now()

// cpuTime returns the time since the start of this process, for want of something better.
func cpuTime() time.Duration { return time.Since(processStart) }

// peakMemory returns the memory in bytes that this process has from the system.
func peakMemory() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
