// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"io"

	"dpverify/internal/atomicfile"
)

// writeOutput writes to a file, or to w if no path is given.
func writeOutput(w io.Writer, path string, data []byte) error {
	if path != "" {
		return atomicfile.Write(path, data)
	}
	_, err := w.Write(data)
	return err
}
