// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package suggest

import "strings"

// Nearest returns the known name that a misspelt one is most likely meant to be, or nothing if none is close: a third
// of its letters off, or one, or a part of the name from its start.
func Nearest(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	name = strings.ToLower(name)
	nearest, best := "", max(1, (len(name)+1)/3)+1
	for _, k := range known {
		if d := editDistance(name, strings.ToLower(k)); d < best {
			nearest, best = k, d
		}
	}
	if nearest != "" || len(name) < 3 {
		return nearest
	}
	for _, k := range known {
		if strings.HasPrefix(strings.ToLower(k), name) {
			return k
		}
	}
	return ""
}

// Perhaps says which known name is [Nearest], after what was wanted: "; perhaps gaussian"; empty if none is.
func Perhaps(name string, known []string) string {
	if nearest := Nearest(name, known); nearest != "" {
		return "; perhaps " + nearest
	}
	return ""
}
