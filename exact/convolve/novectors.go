// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !amd64 || purego

package convolve

// vectors returns the units of this processor that compute with vectors, of which this build has none.
func vectors() []*unit { return nil }
