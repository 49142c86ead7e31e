// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !amd64 || purego

package double

const vectors = false

func splitVectors(_, _ *complex128, _, _ int) {}

func joinVectors(_, _ *complex128, _, _ int) {}

func multiplyVectors(_, _, _ *complex128, _ int) {}
