// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package testkit

import (
	"os"
	"runtime/debug"
)

// init collects less: tests make much garbage and little that stays: with a heap of a few MB it would be collected
// every few milliseconds, which is a quarter of their time. GOGC in the environment has precedence.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}
