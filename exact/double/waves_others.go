// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !amd64 || purego

package double

func moveVectors(_ *[2]float64, _, _, _, _, _, _, _ *float64, _ int) {}

func crossVectors(_ *[8]float64, _, _, _, _, _, _ *float64, _ int) {}
