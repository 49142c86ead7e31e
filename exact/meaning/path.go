// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

// shown is a path in an error: errors about the root leave it out.
func shown(path string) string {
	if path == "event" {
		return ""
	}
	return path
}
