// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package learn finds additive noise on cells that keeps a promise δ(ε) ≤ δ* after a composition
// and moves answers as little as possible, or that has the least δ and moves them no more than it may.
//
// It computes in float64 and proves nothing: what it finds is to be rounded and certified. For
// one release there is a linear program, whose dual is a certificate; see Program.
package learn
