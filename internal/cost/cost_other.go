// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !unix

package cost

import (
	"runtime"
	"time"
)

var processStart = time.Now()

// CPU returns the time since the start of this process, for want of something better.
func CPU() time.Duration { return time.Since(processStart) }

// PeakMemory returns the memory in bytes that this process has from the system.
func PeakMemory() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
