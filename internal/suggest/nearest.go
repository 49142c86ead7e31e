// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package suggest

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Nearest returns the known name that a misspelt one is most likely meant to be, or nothing if none is close: a third
// of its letters off, or one, or a part of the name from its start, or longer than it.
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
		lower := strings.ToLower(k)
		if strings.HasPrefix(lower, name) || len(k) >= 3 && strings.HasPrefix(name, lower) {
			return k
		}
	}
	return ""
}

// Perhaps says which known name is [Nearest], after what was wanted: "; perhaps gaussian"; empty if none is,
// or if it is the name itself.
func Perhaps(name string, known []string) string {
	if nearest := Nearest(name, known); nearest != "" && nearest != name {
		return "; perhaps " + nearest
	}
	return ""
}

// list matches what is wanted where that is one of a few names: "a, b or c", "one of a, b".
var list = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:one of )?([a-zA-Z][\w.-]*(?:, [a-zA-Z][\w.-]*)*(?: or [a-zA-Z][\w.-]*)?)$`)
})

// Among is [Perhaps] of a value as a message shows it, where the text of what is wanted lists names; empty where it
// does not.
func Among(value, want string) string {
	name, err := strconv.Unquote(value)
	m := list().FindStringSubmatch(want)
	if err != nil || m == nil {
		return ""
	}
	return Perhaps(name, strings.Split(strings.ReplaceAll(m[1], " or ", ", "), ", "))
}
