// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build unix

// Package cost says what this process has used of the machine, as far as the system tells.
package cost

import (
	"runtime"
	"syscall"
	"time"
)

// CPU returns the time that all processors have spent on this process.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// PeakMemory returns the most memory in bytes that this process has had at once.
func PeakMemory() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(u.Maxrss) // bytes there, kilobytes elsewhere
	}
	return int64(u.Maxrss) << 10
}
