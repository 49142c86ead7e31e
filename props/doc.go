// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package props holds the lemmas and theorems that the exact engine relies on, as
// properties of the code: each test is named after its statement, states it, and
// tries to refute it on random pairs of distributions and random compositions.
//
// The other side is always something slow and obviously right: exact rational sums
// over all outcomes, or sums over a partition of the line whose error has a sign.
// One-sided checks have no tolerance.
//
//	go test ./props                             # seconds
//	go test ./props -mult 100                   # a hundred times as many cases
//	go test ./props -run '^TestX$' -seed 12345  # begins with the case of that seed
//
// A failure prints the seed of its case and the smallest pair found that shows it.
// DPVERIFY_LONG=1 in the environment stands for -mult 20.
package props
