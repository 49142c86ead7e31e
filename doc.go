// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package dpverify certifies differential-privacy accounting: claims "(ε, δ)" are VERIFIED,
// REFUTED or UNDECIDED, and questions are answered with intervals that provably contain the
// truth. It holds no code itself, but the claims that others published.
//
// # To use it
//
//   - [dpverify/cmd/verify] is the command.
//   - [dpverify/ask] answers questions to so many digits: start here. [dpverify/mechanism] has the
//     events that are asked about. Below ask is what each command does, as a library:
//     [dpverify/ask/calibrate] finds a parameter, ask/curve draws, ask/convert converts between Rényi
//     divergences, trade-off functions and (ε, δ), ask/audit tests other accountants.
//   - [dpverify/certify] decides claims.
//
// docs/api.md says what of this is promised.
//
// # How it works
//
//   - [dpverify/exact] answers at one effort, by many methods; the answer is their intersection.
//     Below it, [dpverify/exact/interval] computes with directed rounding, [dpverify/exact/meaning]
//     says which pairs of distributions events stand for, and each method has its package: exact/closed,
//     exact/pld, exact/inversion, exact/bucket, exact/renyi, exact/response and exact/profile.
//   - [dpverify/float] is a second engine, in float64 with a bound of each error, that shares
//     nothing with the first but the events. [dpverify/crosscheck] compares the two.
//   - [dpverify/ask/reproduce] recomputes papers, [dpverify/props] states their theorems as tests.
//
// docs/architecture.md is the map of the code, and internal/tree/deps_test.go says which
// package may import which.
package dpverify

import "embed"

// Published holds the claims of testdata/golden/published, which "verify reproduce" decides.
//
//go:embed testdata/golden/published/*.yaml
var Published embed.FS
