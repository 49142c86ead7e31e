// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

// What tests outside of the package use.
var (
	CompareRats = compareRats
	TestFiles   = testFiles
)
