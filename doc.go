// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package dpverify certifies differential-privacy accounting: claims "(ε, δ)" are VERIFIED,
// REFUTED or UNDECIDED, and questions are answered with intervals that provably contain the
// truth. It holds no code itself, but the claims that others published.
//
// # To use it
//
//   - [dpverify/cmd/verify] is the command.
//   - [dpverify/ask] answers questions to so many digits: start here. [dpverify/mechanism] has the
//     events that are asked about, [dpverify/number] the numbers as they are written.
//   - [dpverify/certify] decides claims, and [dpverify/certify/derive] derives what accounting
//     methods do.
//   - [dpverify/calibrate] finds a parameter, [dpverify/curve] draws, [dpverify/convert] converts
//     between Rényi divergences, trade-off functions and (ε, δ), [dpverify/query] speaks JSON Lines,
//     [dpverify/audit] tests other accountants.
//
// docs/api.md says what of this is promised.
//
// # How it works
//
//   - [dpverify/exact] answers at one effort, by many methods; the answer is their intersection.
//     Below it, [dpverify/exact/interval] computes with directed rounding, [dpverify/exact/pair]
//     says what events stand for, and each method has its package: exact/closed, exact/pld,
//     exact/inversion, exact/bucket, exact/renyi, exact/response and exact/profile.
//   - [dpverify/float] is a second engine, in float64 with a bound of each error, that shares
//     nothing with the first but the events. [dpverify/crosscheck] compares the two.
//   - [dpverify/reproduce] recomputes papers, [dpverify/props] states their theorems as tests.
//
// docs/architecture.md is the map of the code, and deps_test.go, beside this file, says which
// package may import which.
package dpverify
